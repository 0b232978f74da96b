"""Masks, choices and arrays of whole numbers: written out, and right in every form."""

import numpy as np
import pytest

from astad import grad, gradient, pullback

V = np.array([0.3, -1.2, 0.7, 2.0, -0.1])
W = np.array([0.5, 1.5, -0.4, 0.2, 1.1])
A = np.arange(1.0, 13.0).reshape(4, 3) / 7 - 0.8


def huber(x):
    return np.sum(np.where(np.abs(x) < 1.0, 0.5 * x**2, np.abs(x) - 0.5))


def chosen_number(x):
    return np.sum(np.where(x > 0, x * 3.0, 0.0) + np.where(x > 0, 1, x))


def chosen_broadcast(a, x):
    return np.sum(np.where(a[:, :1] > 0.0, a, x[:3]) ** 2) + np.sum(np.where(a > 0, x[:1], a))


def chosen_row(a, x):
    return np.sum(np.where(x[:3] > 0.4, a, 2.0 * a) * a)


def masked_product(x):
    return np.sum(x * (x > 0) + (x <= 0) * x**2 - (x > 1.0))


def masked_broadcast(a):
    mask = a.sum(axis=1) > 0
    return np.sum(a * mask[:, None]) + np.sum(mask * 2.0)


def both(x, y):
    inside = (x > -1.0) & (y < 1.2) | ~(x < 1.5)
    return np.sum(x * y * inside) / np.sum(inside)


def taken(x):
    m = x > 0
    return np.sum(x[m] ** 2) + np.mean(x[~m]) + np.sum(x[x > 5.0])


def taken_rows(a):
    return np.sum(a[a > 0.1] ** 2) + np.sum(a[a[:, 0] > 0] * 3.0) + np.sum(a[1:][a[1:] < 0])


def asked(x):
    if np.all(x > -5.0) and (x < 5.0).any():
        return np.sum(x[np.isfinite(x)] * 2.0)
    return np.sum(x)


def counted(x):
    i = np.arange(len(x))
    t = np.arange(0.0, 5.0)
    return np.sum(x * i + x * t + i / 2.0) + np.sum(x[i % 2 == 0]) + np.sum(i) * x[0]


def whole_numbers(x):
    n = np.arange(1, 6)
    return np.sum(x**2 / n + n * n * x + (n - 1) * (-n) * x + 2.0**n * x) + np.sum(
        (x * x + 1.0) ** n
    )


def places(x):
    return x[np.argmax(x)] * 2.0 + x[x.argmin()] ** 2 + np.sum(x[np.argsort(x)] * np.arange(5.0))


def steps(x):
    return np.sum(np.sign(x) * x + np.floor(x) * x + x % 0.8 + x // 0.45)


def converted(x):
    m = (x > 0).astype(float)
    return np.sum(x * m) + np.sum(x.astype(float) ** 2)


def rest(a):
    return np.sum(a[..., 0] ** 2) + np.sum(a[:, np.newaxis] * 2.0) + np.sum(a) / a.size


CASES = [
    (huber, V), (chosen_number, V), (chosen_broadcast, A, V), (chosen_row, A, V),
    (masked_product, V), (masked_broadcast, A), (both, V, W), (taken, V), (taken_rows, A),
    (asked, V), (counted, V), (whole_numbers, V), (places, V), (steps, V + 0.01), (converted, V),
    (rest, A),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_nothing_is_left_to_the_dispatcher(case, forms_agree):
    forms_agree(*case, fused=True)


@pytest.mark.parametrize("fn", [huber, chosen_number, masked_product, converted])
@pytest.mark.parametrize("size", [0, 1])
def test_empty_and_single(fn, size, forms_agree):
    forms_agree(fn, V[:size].copy())


def masked_argument(x, m):
    return np.sum(x[m]) + np.sum(np.where(m, x, -x) * m)


def weighted(x, n):
    return np.sum(x * n) + np.sum(x[n])


def test_masks_and_weights_as_arguments():
    mask, n = V > 0, np.array([0, 2, 1, 1, 4])
    found = grad(masked_argument)(V, mask)
    assert found.tolist() == np.where(mask, 2.0, 0.0).tolist()
    assert grad(weighted)(V, n).tolist() == [1.0, 4.0, 2.0, 1.0, 5.0]
    x_bar, n_bar = gradient(weighted, V, n)
    assert x_bar.tolist() == [1.0, 4.0, 2.0, 1.0, 5.0] and n_bar.tolist() == V.tolist()
    assert gradient(masked_argument, V, mask)[1] is None


def rewritten(x):
    mask = x > 0
    y = np.sum(x * mask)
    mask[:] = True
    return y + np.sum(x**2 * mask)


def shortened(x):
    mask = x > 0
    y = x * mask
    mask &= x < 1.0
    return np.sum(y * mask)


def moved(x):
    n = np.arange(5)
    y = x[n] * n
    n += 1
    n[0] = 3
    return np.sum(y * n)


def handed_out(x):
    mask = x > 0
    return np.sum(x * mask), mask


@pytest.mark.parametrize("fn", [rewritten, shortened, moved])
def test_masks_that_are_written(fn, forms_agree):
    forms_agree(fn, V)


def test_a_mask_that_goes_out_may_be_written():
    (_, mask), back = pullback(handed_out, V)
    mask[:] = True
    assert back((1.0, None))[0].tolist() == (V > 0).tolist()


def dead_branch(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0)) + np.sum(np.log(x[x > 0]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_choice_sends_an_exact_zero():
    x = np.array([4.0, 0.0, -1.0])
    assert gradient(dead_branch, x)[0].tolist() == [0.5, 0.0, 0.0]


def float32_result(x, m):
    return x * m.astype(np.float32)


def test_other_dtypes_stay_with_the_dispatcher():
    x = np.array([1.0, 2.0], np.float32)
    found = grad(lambda x: np.sum(np.where(x > 1, x, x * x)))(x)
    assert found.dtype == np.float32 and found.tolist() == [2.0, 1.0]


def mask_under_two_names(x, n):
    near = x > 0.0
    kept = near
    near &= x < 1.0
    return np.sum(x * kept * n)


def ints_under_two_names(x, n):
    steps = np.arange(5)
    later = steps[1:]
    steps += 1
    return np.sum(x[1:] * later) * n


def changed_between(x, n):
    steps, near = np.arange(5), x > 0.0
    y = x * steps * near
    steps += n
    near ^= True
    return np.sum(y * steps * x) + np.sum(x[near])


def counted_up(x, n):
    steps, total = np.arange(5), 0.0
    for _ in range(n):
        total = total + np.sum(x * steps) ** 2
        steps += 1
    return total


@pytest.mark.parametrize(
    "fn", [mask_under_two_names, ints_under_two_names, changed_between, counted_up]
)
def test_masks_and_ints_that_are_changed_in_place(fn, forms_agree):
    forms_agree(fn, V, 2)


def scaled_steps(x, n):
    return np.sum(x * (np.arange(5) * n))


def counted_back(x, n):
    return np.sum(x * (n - np.arange(5)) + x * (np.arange(5) + n) ** 2)


def where_above(x, n):
    return np.sum(x * (n * (x > 0.0)))


def remainders(x, n):
    return np.sum(x * (np.arange(5) % n))


def scaled_in_place(x, n):
    steps = np.arange(5)
    kept = steps
    steps *= n
    return np.sum(x * kept)


def stored(x, n):
    steps = np.arange(5)
    kept = steps[2:]
    for i in range(2, 4):
        steps[i] = n * i
    return np.sum(x[2:] * kept)


@pytest.mark.parametrize(
    "fn, slope",
    [
        (scaled_steps, np.sum(V * np.arange(5))),
        (counted_back, np.sum(V) + np.sum(2 * V * (np.arange(5) + 3))),
        (where_above, np.sum(V * (V > 0.0))),
        (remainders, -np.sum(V * (np.arange(5) // 3))),
        (scaled_in_place, np.sum(V * np.arange(5))),
        (stored, 2 * V[2] + 3 * V[3]),
    ],
)
def test_an_int_that_is_differentiated_beside_whole_numbers(fn, slope, forms_agree):
    forms_agree(fn, V, 3)
    assert gradient(fn, V, 3)[1] == pytest.approx(slope)


def test_conversions_of_arrays_of_any_rank(forms_agree):
    def f(x, a, c):
        y = a > 0.0
        if c > 0.0:
            y = x[:3] > 0.0
        return np.sum(y.astype(float) * a)

    for c in (1.0, -1.0):
        forms_agree(f, V, A, c)


def test_whole_numbers_beside_arrays_of_them(forms_agree):
    def f(x):
        total = 0.0
        for i in np.argsort(x):
            total = total + np.sum(x * (np.arange(5) - i)) ** 2
        return total + np.sum(x * (np.arange(5) + np.argmax(x)))

    forms_agree(f, V)


def test_ints_between_which_a_range_lies():
    def f(x, n):
        return np.sum(np.arange(0, 3 * n, n) * x) + np.sum(np.arange(n)) * x

    for _ in range(2):
        assert gradient(f, 0.7, 2) == (pytest.approx(7.0), pytest.approx(3 * 0.7))
    y, back = pullback(f, 0.7, 2)
    assert y == f(0.7, 2) and back(1.0)[1] == pytest.approx(3 * 0.7)
