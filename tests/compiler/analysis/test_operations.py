"""What operations of the language give, and where none is possible.

Functions of numbers alone: written out, and the same as through the dispatcher everywhere.

Masks, choices and arrays of whole numbers: written out, and right in every form.
"""

import math
import random
import re

import numpy as np
import pytest

import astad
from astad import grad, gradient, pullback

from ..forms import only_generic


@pytest.mark.parametrize(
    "args", [(2.0, np.float64(3.0)), (2.0, 3.0), (np.float64(2.0), 1), (2.0, 1)]
)
def test_a_shift_of_floats_raises_what_python_raises(args):
    """It ended in an AssertionError of the compiler's."""

    def shifted(x, n):
        return (x * 1.0) << n

    with pytest.raises(TypeError) as plain:
        shifted(*args)
    with pytest.raises(TypeError) as caught:
        astad.gradient(shifted, *args)
    assert str(caught.value) == str(plain.value)


def test_shifts_of_ints():
    def f(x, n):
        return x * (1 << n) + x * ((n + 5) >> 1)

    assert astad.gradient(f, 2.0, 3) == (12.0, 0)


def test_ufuncs_of_ints_alone():
    def wave(n):
        return np.sin(n) * 2.0

    def far(n, x):
        return np.hypot(n, n + 1) * x

    assert astad.gradient(wave, 3)[0] == pytest.approx(2 * np.cos(3.0), rel=1e-15)
    assert astad.gradient(far, 3, 1.5)[0] == pytest.approx(1.5 * 7 / 5.0, rel=1e-15)


def test_a_function_of_reals_with_a_complex_result():
    """Its factor was taken as real: the gradient was that of the conjugate."""
    special = pytest.importorskip("scipy.special")

    def height(x):
        return np.imag(special.wofz(x)) + np.real(special.hankel1(1.5, x))

    for x in (0.7, np.float64(0.7)):
        slope = astad.gradient(height, x)[0]
        h = 1e-5
        assert slope == pytest.approx((height(x + h) - height(x - h)) / (2 * h), rel=1e-8)
    x = np.array([0.4, 1.3])
    slopes = astad.gradient(lambda x: np.sum(height(x)), x)[0]
    np.testing.assert_allclose(slopes, [astad.gradient(height, v)[0] for v in x], rtol=1e-14)


def test_builtins_that_are_asked_about_nothing():
    def grown(x):
        done = bool()
        while not done:
            x = x * 1.5
            done = x > 5.0
        return x * x

    def guarded(x):
        try:
            n = len()
        except TypeError:
            n = 3
        return x**n

    assert astad.gradient(grown, 1.3) == (pytest.approx(2 * 1.3 * 1.5**8),)
    assert astad.gradient(guarded, 1.3) == (pytest.approx(3 * 1.3**2),)


ONE = [
    lambda x, y, z: max(x, y),
    lambda x, y, z: min(x, y) * z,
    lambda x, y, z: max(x, y, z) - min(x, y, z),
    lambda x, y, z: max(x, 0.0) + min(1, y) * max(z, z),
    lambda x, y, z: max(x, y, z, 0.5) * min(x, y, z, 0.5, 1),
    lambda x, y, z: math.hypot(x, y) + math.hypot(x, y, z) + math.hypot(x),
    lambda x, y, z: math.log(x + 3.0, y + 4.0),
    lambda x, y, z: np.clip(x, y, z) + np.clip(x, 0, 1) * z,
    lambda x, y, z: round(x) * y + round(y, 1) * x + int(z * 3.0) * x,
    lambda x, y, z: math.floor(x) * y + math.ceil(y) * z - math.trunc(z) * x,
    lambda x, y, z: np.floor(x) * y + np.sign(y) * z - np.ceil(z) * x + np.rint(x) + np.trunc(y),
    lambda x, y, z: x if math.isnan(y) or math.isclose(x, y) else z * math.isfinite(y),
    lambda x, y, z: math.comb(5, 2) * x + math.factorial(3) * math.gcd(12, 18) * y,
    lambda x, y, z: float(x) * np.float64(y),
]
POINTS = [
    (0.7, 1.3, -2.1), (1.3, 0.7, 0.7), (0.5, 0.5, 0.5), (2.0, 2.0, 1.0), (0.0, -0.0, 0.5),
    (np.float64(0.7), 1.3, np.float64(1.3)), (2, 1.5, 2), (1.5, 2, 1), (-0.3, 0.0, 1.0),
]  # fmt: skip


@pytest.mark.parametrize("fn", ONE)
@pytest.mark.parametrize("point", POINTS)
def test_the_same_in_every_form(fn, point):
    y, back = pullback(fn, *point)
    with only_generic():
        expected_y, expected = pullback(fn, *point)
    assert y == expected_y and type(y) is type(expected_y)
    assert back(1.7) == expected(1.7)
    assert gradient(fn, *point) == expected(1.0)


@pytest.mark.parametrize("fn", ONE)
def test_against_differences(fn, forms_agree):
    forms_agree(fn, 0.713, 1.307, -2.104)


@pytest.mark.parametrize("larger", [max, min])
@pytest.mark.parametrize(
    "point", [(math.nan, 1.0, 2.0), (1.0, math.nan, 2.0), (2.0, 2.0, math.nan)]
)
def test_a_nan_gets_what_python_chose(larger, point):
    for fn in (lambda x, y, z: larger(x, y) + z, lambda x, y, z: larger(x, y, z)):
        found = pullback(fn, *point)[1](3.0)
        with only_generic():
            assert found == pullback(fn, *point)[1](3.0)


def test_equal_elements_of_an_array_share():
    """Comparisons of NumPy numbers are no ints: they do not add up."""
    (found,) = gradient(lambda a: max(a[0], a[1], a[2]), np.array([3.0, 3.0, 1.0]))
    assert found.tolist() == [0.5, 0.5, 0]


def test_a_cotangent_bound_anew_at_the_end_of_a_loop_is_carried(forms_agree):
    """Its first value is a parameter of the pullback, read further up in the same loop."""

    def clipped_total(a, u):
        total = 0.0
        for i in range(a.shape[0]):
            for j in range(2):
                total = total + a[i] * a[i - j]
            total = max(total, u)
        return total

    forms_agree(clipped_total, np.array([0.4, -0.7, 1.1, 0.9]), 0.35)


def test_drawn_numbers_are_constant():
    def f(x, n):
        total = 0.0
        for _ in range(n):
            total += x * random.uniform(0.5, 1.0) + random.randint(1, 3)
        return total

    random.seed(3)
    drawn = sum(random.uniform(0.5, 1.0) + 0 * random.randint(1, 3) for _ in range(5))
    random.seed(3)
    assert gradient(f, 2.0, 5)[0] == pytest.approx(drawn, rel=1e-14)


def test_what_python_raises_is_raised():
    for fn, args in [
        (lambda x: round(x), (math.inf,)),
        (lambda x: int(x) * x, (math.nan,)),
        (lambda x: math.factorial(-1) * x, (1.0,)),
        (lambda x: math.log(x, 1.0), (2.0,)),
    ]:
        with pytest.raises(Exception) as plain:
            fn(*args)
        with pytest.raises(type(plain.value), match=re.escape(str(plain.value))):
            gradient(fn, *args)


V = np.array([0.3, -1.2, 0.7, 2.0, -0.1])
W = np.array([0.5, 1.5, -0.4, 0.2, 1.1])
A = np.arange(1.0, 13.0).reshape(4, 3) / 7 - 0.8
P = np.abs(V) + 0.15


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


def rounded(x):
    y = np.sum((x - 2.0 * np.round(x / 2.0)) ** 2 + np.around(x, 1) * x + x.round() * x)
    y += np.sum(np.fix(x) * x + x.round(decimals=1) * x)
    for i in range(len(x)):
        y += x[i] * np.round(3.0 * x[i]) + x[i] * np.around(x[i], 1) + x[i] * np.fix(x[i])
    return y


def meshes(a):
    rows, y = np.array([2, 0, 2]), 0.0
    for i in range(2):
        y += np.sum(a[np.ix_([i, i + 1], [1, 0])] ** 2) * a[i, i]
    return y + np.sum(a[np.ix_(rows, np.arange(3))] @ a[:3]) + a[np.ix_([0], [1])][0, 0]


def converted(x):
    m = (x > 0).astype(float)
    return np.sum(x * m) + np.sum(x.astype(float) ** 2)


def rest(a):
    return np.sum(a[..., 0] ** 2) + np.sum(a[:, np.newaxis] * 2.0) + np.sum(a) / a.size


def stiffness(x):
    K = np.eye(6)
    for i in range(5):
        ke = x[i] * np.array([[1, -1], [-1, 1]])
        for p in range(2):
            for q in range(2):
                K[i + p, i + q] += ke[p, q]
    return np.sum(K**2)


def beside_a_literal(x):
    n = np.array([1, -2, 3, 4, 1])
    y = np.sum(x * n + n / x - x / n + n * n * x + n**2 * x + 2.0**n * x + (n - 3) * x**2)
    return y + np.sum((x**2 + 1.0) ** n)


def functions_of_ints(x):
    n = np.array([1, 2, 3, 4, 1])
    y = np.sqrt(n) * x + np.exp(n * 0.1) * x + np.maximum(n, 2) * x + np.multiply(n, x)
    return np.sum(y + np.abs(n) * x + abs(n) * x + np.power(n, x) + np.arctan2(x, n))


def products_with_ints(a):
    n = np.array([[1, -1, 0], [0, 2, 3]])
    y = np.sum(a @ n.T) + np.sum(np.dot(n, a.T) @ a) + np.vdot(a[0], n[1])
    y += np.sum(np.einsum("ij,kj->ik", a, n) ** 2) + np.sum(np.outer(a[0], n[0]))
    return y + np.inner(a[0], n[1]) + np.sum(np.tensordot(n, a, axes=0)) + np.sum(np.kron(n, a))


def entries_of_ints(x):
    n, y = np.array([1, 2, 3, 4, 1]), 0.0
    for i in range(5):
        y += n[i] * x[i] ** 2 + math.sqrt(n[i]) * x[i] + x[i] / (n[i] + 1) + np.log(n[i]) * x[i]
        y += (x[i] ** 2 + 1.0) ** n[i] + n[i] ** x[i] + float(n[i]) * x[i] * int(n[i])
        y += x[i] * (-n[i] % 3) + math.lgamma(n[i] + x[i] ** 2)
    return y


def reductions_of_ints(x):
    n = np.array([[1, 2, 3, 4, 1], [5, 0, 3, 1, 2]])
    y = np.sum(n.sum(axis=0) * x + n.max(axis=0) * x + np.cumsum(n[0]) * x + (n > 2).sum(0) * x)
    y += np.sum(n.mean(axis=1) * x[:2]) + np.sum(n.T @ x[:2] + n.reshape(5, 2) @ x[:2])
    return y + n.max() * x[1] + np.sum(np.roll(n[0], 1) * x) + np.sum(np.where(x > 0.5, 1, -1) * x)


def made_of_ints(x):
    ones, chosen = np.ones(5, dtype=int), np.array([True, False, True, True, False])
    weights = np.array([1, 2, 3, 4, 5], dtype=float)
    return np.sum(x * ones * weights) + np.sum(x[chosen] ** 2) + np.sum(np.eye(5, dtype=int) @ x)


CASES = [
    (stiffness, P), (beside_a_literal, P), (functions_of_ints, P), (products_with_ints, A),
    (entries_of_ints, P), (reductions_of_ints, P), (made_of_ints, P),
    (rounded, V + 0.013), (meshes, A),
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


def beside_an_entry(x, n):
    steps = np.array([1, 2, 3, 4, 5])
    return x[0] * (steps[1] * n) + x[1] * (n - steps[2]) ** 2 + x[2] * (steps[3] / n)


def largest(x, n):
    return np.sum(x * np.multiply(np.array([1, 2, 3, 4, 5]), n))


def chosen_count(x, n):
    return np.sum(x * np.where(x > 0.0, n, -1))


def counted_to(x, n):
    total = 0.0
    for i in range(np.array([2, 3])[1]):
        total = total + x[i] * n
    return total


@pytest.mark.parametrize(
    "fn, slope",
    [
        (scaled_steps, np.sum(V * np.arange(5))),
        (counted_back, np.sum(V) + np.sum(2 * V * (np.arange(5) + 3))),
        (where_above, np.sum(V * (V > 0.0))),
        (remainders, -np.sum(V * (np.arange(5) // 3))),
        (scaled_in_place, np.sum(V * np.arange(5))),
        (stored, 2 * V[2] + 3 * V[3]),
        (beside_an_entry, 2 * V[0] - 4 * V[2] / 9),
        (largest, np.sum(V * np.arange(1, 6))),
        (chosen_count, np.sum(V[V > 0.0])),
        (counted_to, np.sum(V[:3])),
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


GRID = np.array(
    [[0.3, -1.2, 0.8, 1.6], [0.9, 0.4, -0.7, 2.1], [-1.1, 0.2, 1.3, -0.5], [0.6, 1.9, -0.3, 0.1]]
)
ROW = np.array([0.3, -1.2, 0.8, 1.6])


def a_mask_behind_a_slice(a, x):
    part = a[:, x > 0]
    return np.sum(part * part)


def a_mask_before_a_slice_and_a_number(a, x):
    m = x > 0
    return np.sum(a[m, 1:] ** 2) + np.sum(a[m, 0]) * x[0]


def masks_of_two_axes(a, x):
    b, m = np.stack([a, a * a]), a > 0
    return np.sum(b[0, m] ** 2) + np.sum(b[:, m] * x[0])


def a_mask_beside_places(a, x):
    m = x > 0
    i = np.nonzero(m)[0]
    return np.sum(a[i[:, None], np.array([0, 2])] * x[0]) + np.sum(a[np.array([0, 1, 3]), m])


def a_mask_of_nothing(a, x):
    return np.sum(a[:, x > 100.0]) + np.sum(a * x)


def stores_by_masks(a, x):
    m = x > 0
    b = a * 2.0
    b[:, m] = 2.0 * x[m]
    b[m, 1] += x[m]
    b[~m, :2] *= x[0]
    return np.sum(b * b * a)


def places_along_an_axis(a, x):
    i, j = a.argmin(axis=0), np.argmax(a, axis=1)
    return np.sum(a[i] ** 2) + a[j[0], j[1]] * x[i[0]] + np.sum(a[j == 2])


def truths_along_an_axis(a, x):
    m, n = np.any(a > 1.5, axis=1), np.all(a > -9.0)
    part = a[m] if n else a[~m]
    return np.sum(part * part) + np.sum(x)


def compared_as_a_whole(a, x):
    b = a - 1.0
    while not np.array_equal(a > 0, b > 0):
        b = b + 0.29
    return np.sum(b * a) if np.allclose(x, x[0], atol=9.0) else np.sum(x)


@pytest.mark.parametrize(
    "program",
    [
        a_mask_behind_a_slice,
        a_mask_before_a_slice_and_a_number,
        masks_of_two_axes,
        a_mask_beside_places,
        a_mask_of_nothing,
        stores_by_masks,
        places_along_an_axis,
        truths_along_an_axis,
        compared_as_a_whole,
    ],
)
def test_masks_and_places(forms_agree, program):
    forms_agree(program, GRID, ROW)
