"""Shapes that are equal for certain are not compared, and no others go uncompared."""

import numpy as np
import pytest

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds, fused=True):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind.startswith("ndarray") or kind == "float" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=fused).text.source


def vector(n, start=0.3):
    return np.linspace(start, start + 1.0, n)


def test_slices_that_leave_out_as_many(forms_agree):
    def f(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2 * x[: -2 + 1])

    def g(x):
        return np.sum(x[2:] * x[1:-1] * x[:-2])

    def h(x):
        return np.sum(x[1:][1:] * x[2:])

    for fn in (f, g, h):
        text = source(fn, "ndarray1")
        assert ".shape ==" not in text and "sum_to_shape" not in text
        for n in (0, 1, 2, 3, 7):
            forms_agree(fn, vector(n))


def test_slices_that_leave_out_more(forms_agree):
    def f(x):
        return np.sum(x[1:] * x[:1])

    def g(x, n):
        return np.sum(x[:n] * x[n:])

    assert "sum_to_shape" in source(f, "ndarray1")
    assert "sum_to_shape" in source(g, "ndarray1", "int")
    for n in (1, 2, 3, 7):
        forms_agree(f, vector(n))
    for n in (1, 2, 4):
        forms_agree(g, vector(4), n) if n != 4 else None
        forms_agree(g, vector(n + 1), n)


def test_one_element_of_a_rest(forms_agree):
    """It is broadcast, whatever its length would be if it left out as many as the other."""

    def first_of_the_rest(x):
        later = x[2:]
        return np.sum(later[:1] * x[1:])

    def anchored(x):
        inner = x[1:]
        gap = inner - inner[:1] * 2.0
        return np.sum(gap * inner[:1] ** 2)

    def kept_of_the_rest(x, w):
        tail = x[3:]
        return np.sum(np.exp(tail[0:1]) * x[2:]) * np.sum(tail[:1] * w)

    for n in (4, 5, 7):
        forms_agree(first_of_the_rest, vector(n))
        forms_agree(anchored, vector(n))
        forms_agree(kept_of_the_rest, vector(n), vector(n, 0.8))


def add(a, b):
    """One array after the other."""
    return np.concatenate((a, b))


def test_a_function_named_like_an_operator(forms_agree):
    def f(x, w):
        return np.sum(add(x, w) ** 2 * add(w, x))

    forms_agree(f, vector(3), vector(3, 0.9))
    forms_agree(f, vector(2), vector(4, 0.9))


def test_two_arguments_may_differ(forms_agree):
    def f(x, y):
        t = 2.0 * x
        u = np.exp(y)
        return np.sum(t * x + u * y) + np.sum(t * u)

    assert source(f, "ndarray1", "ndarray1").count(".shape ==") == 2
    for n, m in ((3, 3), (3, 1), (1, 3), (1, 1), (0, 0), (0, 1)):
        forms_agree(f, vector(n), vector(m))


def test_what_subscripts_have_told(forms_agree):
    def f(s, p):
        return np.sum(s + np.array([s[0] * p[0], p[1] * s[1]]))

    def g(s, p):
        return np.sum(s + np.array([s[0] * p[0], p[1] * s[0]]))

    assert "sum_to_shape" not in source(f, "ndarray1", "ndarray1")
    assert "sum_to_shape" in source(g, "ndarray1", "ndarray1")
    forms_agree(f, vector(2), vector(3))
    for n in (1, 2):
        forms_agree(g, vector(n), vector(3))


def test_new_axes_are_summed_without_asking(forms_agree):
    def f(a, b):
        d = a[:, None, :] - a[None, :, :]
        return np.sum(d * d * b[:, None]) + np.sum(b[:, None] * b[None, :])

    text = source(f, "ndarray2", "ndarray1")
    assert "keepdims=True" in text
    for n, m in ((3, 2), (1, 2), (2, 1), (1, 1), (0, 2)):
        forms_agree(f, np.linspace(0.1, 1.2, n * m).reshape(n, m), vector(n))


def test_a_name_that_a_loop_makes_longer(forms_agree):
    def f(x, y, n):
        s = x
        for i in range(n):
            s = s * y
        return np.sum(s * x)

    for n in (0, 1, 3):
        for one, two in ((1, 3), (3, 1), (3, 3), (1, 1)):
            forms_agree(f, vector(one), vector(two), n)


def test_a_name_that_a_loop_keeps(forms_agree):
    def f(x, n):
        s = x
        c = np.zeros(x.shape[0])
        for i in range(n):
            c = c * 0.5 + np.tanh(s)
            s = s * x + c
        return np.sum(s + c)

    text = source(f, "ndarray1", "int")
    assert ".shape ==" not in text and "_shape" not in text
    for n in (0, 1, 3):
        for length in (0, 1, 4):
            forms_agree(f, vector(length), n)


def test_a_row_and_a_column_change_places_in_a_loop(forms_agree):
    def f(x, n):
        a = x[None, :]
        b = x[:, None]
        t = 0.0
        for i in range(n):
            t = t + np.sum(a * b * (i + 1.0))
            a, b = b, a
        return t + np.sum(a * x)

    for n in (0, 1, 2, 3):
        for length in (1, 3):
            forms_agree(f, vector(length), n)


def test_either_arm(forms_agree):
    def f(x, y, n):
        if n > 1:
            s = x[:1]
        else:
            s = x
        return np.sum(s * y * x)

    for n in (1, 2):
        for length in (1, 3):
            forms_agree(f, vector(length), vector(length), n)


def test_what_only_one_arm_has_told(forms_agree):
    def f(x, y, n):
        t = 0.0
        if n > 1:
            t = x[1] + y[1]
        return t * np.sum(x * y) + np.sum(x + y)

    forms_agree(f, vector(3), vector(3), 2)
    for one, two in ((1, 3), (3, 1), (1, 1)):
        forms_agree(f, vector(one), vector(two), 1)


def test_products_tell_that_inner_lengths_are_equal(forms_agree):
    def f(a, b, v):
        return np.sum(a @ v * v) + np.sum((a @ b) * (b.T @ a.T).T)

    text = source(f, "ndarray2", "ndarray2", "ndarray1")
    assert "sum_to_shape(" in text  # a @ v and v may be of different lengths
    a = np.linspace(0.1, 1.2, 9).reshape(3, 3)
    forms_agree(f, a, a + 0.5, vector(3))
    forms_agree(f, a[:1], a + 0.5, vector(3))


def test_an_array_that_somebody_may_reshape_is_asked():
    def f(x, y):
        t = 2.0 * x
        t.resize((2, 2), refcheck=False)
        return np.sum(t * y) + np.sum(t * (2.0 * t))

    with pytest.raises(Exception, match="resize"):
        gradient(f, vector(4), np.ones((2, 2)))


def test_the_same_array_twice(forms_agree):
    def f(x, y):
        return np.sum((x - y) * x)

    x = vector(3)
    assert gradient(f, x, x)[0].shape == (3,)
    forms_agree(f, x, x[:1])


V, W = np.array([0.3, -1.2, 0.7, 2.0]), np.array([0.5, 1.5, -0.4])
A = np.arange(1.0, 13.0).reshape(4, 3) / 7


def differences(x):
    return np.sum((x[1:] - x[:-1]) ** 2 + (1.0 - x[:-1]) ** 2)


def centred(x):
    d = x - x.mean(axis=0)
    return np.sum(d * d / (1.0 + x.max(axis=1, keepdims=True) ** 2))


def pairs(x):
    d = x[:, None] - x[None, :]
    return np.sum(d * d * d)


def weighted(x):
    n = x.shape[0]
    u = np.zeros(n) + x
    return np.sum(u * x + np.ones(x.shape) * x)


def outer_sum(a, x):
    return np.sum((a.T @ a) * np.outer(x, x) + a.reshape(3, 4) @ a)


@pytest.mark.parametrize(
    "fn, args, kinds",
    [
        (differences, (V,), ["ndarray1"]),
        (centred, (A,), ["ndarray2"]),
        (pairs, (V,), ["ndarray1"]),
        (weighted, (V,), ["ndarray1"]),
    ],
)
def test_what_the_text_tells_is_not_tested(fn, args, kinds, forms_agree):
    forms_agree(fn, *args, fused=True)
    text = source(fn, *kinds)
    assert ".shape ==" not in text and "sum_to_shape" not in text


def test_products_and_reshaped_arrays(forms_agree):
    forms_agree(outer_sum, A, W, fused=True)


def unlike(x, y):
    return np.sum((x + y) ** 2 * x[:1])


@pytest.mark.parametrize("y", [V * 2, V[:1] * 3])
def test_arrays_of_one_rank_may_still_differ(y, forms_agree):
    forms_agree(unlike, V, y, fused=True)
    forms_agree(unlike, V[:1].copy(), y, fused=True)


def shrinking(x, n):
    kept = x
    total = 0.0
    for _ in range(n):
        shorter = kept[1:]
        total = total + np.sum(shorter * kept[:1])
        kept = shorter
    return total + np.sum(kept)


def late(x, n):
    before = x
    total = 0.0
    for i in range(n):
        if i > 0:
            total = total + np.sum(before * x[:1] + before * before)
        before = x[i : i + 2] * 2.0
    return total + np.sum(before * x[:1])


def from_last_time(x, n):
    total = 0.0
    for i in range(n):
        now = x[: 4 - 3 * (i % 2)] * 1.0
        if i > 0:
            total = total + np.sum(now * then)  # noqa: F821  (bound in the iteration before)
        then = now
    return total


def leaving(x, n):
    u = x
    for i in range(n):
        u = x[:1]
        if i == 1:
            break
        u = x * u
    else:
        u = x
    return np.sum(u * x)


@pytest.mark.parametrize("fn", [shrinking, late, from_last_time, leaving])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_what_a_loop_binds_is_new_in_each_iteration(fn, n, forms_agree):
    forms_agree(fn, V, n)


def either(x, flag):
    if flag:
        u = x[1:]
        w = x[:1]
    else:
        u = x[:-1]
        w = x[:-1]
    return np.sum(u * w + u * x[1:])


@pytest.mark.parametrize("flag", [True, False])
def test_branches_agree_on_what_both_bind(flag, forms_agree):
    forms_agree(either, V, flag)


def rows_and_columns(x):
    row, column = x[None, :], x[:, None]
    return np.sum(row * column - row + 2.0 * column) + np.sum(row * row - row)


@pytest.mark.parametrize("size", [0, 1, 4])
def test_axes_of_length_one_are_repeated_or_not(size, forms_agree):
    forms_agree(rows_and_columns, V[:size], fused=True)


def one_by_one(x):
    return np.sum(
        x.sum(axis=1, keepdims=True) * x + x.sum(axis=0, keepdims=True) - x.sum(axis=1)[0]
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 3)])
def test_reductions_that_keep_their_axes(shape, forms_agree):
    forms_agree(one_by_one, A.ravel()[: shape[0] * shape[1]].reshape(shape), fused=True)


def counted(x, n):
    m = n
    for _ in range(5):
        m = m + m
    u = x[: m - 31 * n]
    return np.sum(u * x[:n])


def test_bounds_that_are_computed(forms_agree):
    forms_agree(counted, V, 2)


def test_lengths_that_are_computed_alike(forms_agree):
    def f(x, n):
        return np.sum(x[: n - 1] ** 2 * np.exp(x[: n - 1])) + np.sum(x[: n // 2] / x[: n // 2] ** 3)

    text = source(f, "ndarray1", "int")
    assert ".shape ==" not in text and "sum_to_shape" not in text
    for n in (1, 2, 4):
        forms_agree(f, V, n)


def test_lengths_that_are_computed_from_truths(forms_agree):
    def f(x, n):
        return np.sum(x[: (n > 2) + 1] * x[: (n > 5) + 1])

    for n in (1, 3, 6):
        forms_agree(f, V, n)


def test_where_the_axes_of_an_array_of_ints_go(forms_agree):
    def f(x, i):
        y = x[0, :, i] * 2.0  # of shape (len(i), 1), but x[0][:, i] is (1, len(i))
        w = np.zeros((x.shape[1], len(i))) + x[1, 0, 0]
        return np.sum(y * w * y)

    x, i = np.arange(8.0).reshape(2, 1, 4) + 0.5, np.array([0, 2, 3])
    expected = [[[54.0, 0.0, 270.0, 378.0]], [[225.0, 0.0, 0.0, 0.0]]]
    assert gradient(f, x, i)[0].tolist() == expected
    forms_agree(f, x, i)


def test_arrays_of_ints_beside_a_slice(forms_agree):
    def f(x, i):
        return np.sum(x[0, :, i] ** 2 * x[1, :, i])

    def g(x, i):
        return np.sum(x[0][:, i] ** 2 * x[0][:, i])

    for fn in (f, g):
        assert "sum_to_shape" not in source(fn, "ndarray3", "ints1")
        forms_agree(fn, vector(12).reshape(2, 2, 3), np.array([1, 0, 1]))


def test_an_ellipsis_that_stands_for_no_axis(forms_agree):
    def f(x):
        return np.sum(x[0, ..., :] ** 2 * x[..., 0, :1])

    forms_agree(f, A)
    forms_agree(f, A[:1])


def test_products_of_matrices_and_of_stacks(forms_agree):
    def f(a, b):
        return np.sum(np.matmul(a, b) ** 2 * (a @ b))

    def g(a, b):
        return np.sum((a @ b) * a[:, :, :1]) + np.sum(a[0, 0] * b[:, 0, 0])

    assert "sum_to_shape" not in source(f, "ndarray2", "ndarray2")
    forms_agree(f, A, A.T)
    for n in (1, 2):
        forms_agree(g, vector(4 * n).reshape(n, 2, 2), vector(4).reshape(1, 2, 2))
        forms_agree(g, vector(4).reshape(1, 2, 2), vector(4 * n).reshape(n, 2, 2))


def test_equations_tell_that_the_matrix_is_square(forms_agree):
    def f(a, b):
        return np.sum(np.linalg.solve(a, b) ** 2 * a[0] * a[:, 0])

    assert "sum_to_shape" not in source(f, "ndarray2", "ndarray1")
    for n in (1, 3):
        forms_agree(f, A[:n, :n] + 2.0 * np.eye(n), W[:n])


def test_exchanged_axes_are_known(forms_agree):
    def f(t):
        return np.sum(np.swapaxes(t, 0, -1) ** 2 * np.swapaxes(t, 1, 0))

    assert "sum_to_shape" not in source(f, "ndarray2")
    forms_agree(f, A)


def test_axes_that_are_exchanged(forms_agree):
    def f(t, n):
        return np.sum(np.swapaxes(t, n, 0) ** 2 * np.swapaxes(t, 0, -2))

    def g(t):
        return np.sum(np.swapaxes(t, 0, 5) ** 2)

    t = vector(12).reshape(2, 2, 3)
    forms_agree(f, t, 1)
    with pytest.raises(np.exceptions.AxisError, match="axis2: axis 5 is out of bounds"):
        gradient(g, t)


def row_of_a_name(x, a):
    row, total = x, 0.0
    for row in a:
        total = total + np.sum(row * x * x)
    return total + np.sum(row * x)


def last_row(x, a):
    row = x
    for row in a:
        pass
    return np.sum(row * x)


@pytest.mark.parametrize("fn", [row_of_a_name, last_row])
def test_rows_under_a_name_that_an_array_had(fn, forms_agree):
    for x, a in ((V, A[:, :1].copy()), (V[:1].copy(), A), (W, A), (W, A[:0])):
        forms_agree(fn, x, a)


def goes_on(x, n):
    s, total = x, 0.0
    for i in range(n):
        s = x
        if i > 0:
            s = x[:1]
        else:
            continue
        total = total + np.sum(s * x * x)
    return total


def test_an_arm_that_goes_on_with_the_loop_tells_nothing_of_what_follows(forms_agree):
    forms_agree(goes_on, V, 3)


def leaves_before(x, y, n):
    rest, total = x, 0.0
    for _ in range(n):
        total = total + np.sum(x * y * y)
        if n == 1:
            break
        total = total + x[1] * y[1]
        rest = rest[1:]
    return total + np.sum(rest)


def told_at_the_end(x, y, n):
    total = 0.0
    for i in range(n):
        total = total + x[0]
        if i == 1:
            break
    else:
        total = total + x[1] * y[1]
    return total * np.sum(x * y * y)


@pytest.mark.parametrize("fn, n", [(leaves_before, 1), (told_at_the_end, 3)])
def test_subscripts_that_a_loop_may_never_reach_tell_nothing(fn, n, forms_agree):
    forms_agree(fn, V[:1].copy(), V, n)
    forms_agree(fn, V, V * 2, n - 1)


def test_arrays_made_of_as_many(forms_agree):
    def f(x, n):
        u = np.zeros((n, n)) + x[0]
        v = np.ones((n, n)) * x[1]
        return np.sum(u * v * x[2])

    text = source(f, "ndarray1", "int")
    assert ".shape ==" not in text and "sum_to_shape" not in text
    forms_agree(f, V, 3)


def bound_at_the_end(x, n):
    u, total = x[:1], 0.0
    for i in range(n):
        total = total + x[0]
        if i == 1:
            break
    else:
        u = x * 2.0
    return total * np.sum(u * x * x)


def bound_at_the_end_of_an_inner_loop(x, n):
    s, total = x, 0.0
    for _ in range(n):
        total = total + np.sum(s * x * x)
        for _ in range(2):
            total = total + s[0]
            if total > 1e9:
                break
        else:
            s = x[:1]
    return total


@pytest.mark.parametrize("fn", [bound_at_the_end, bound_at_the_end_of_an_inner_loop])
@pytest.mark.parametrize("n", [1, 3])
def test_names_that_have_other_lengths_by_then(fn, n, forms_agree):
    forms_agree(fn, V, n)
