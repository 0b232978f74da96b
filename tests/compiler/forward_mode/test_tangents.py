"""The text that carries tangents along: each program against differences, and against reverse mode.

Where forward mode has no text the jvp comes of reverse sweeps: whether it has one is asked too.
"""

import math

import numpy as np
import pytest

from astad import jvp, pullback
from astad.api.higher.forward import along

SCALE = 2.5


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def recursive(x, n):
    return 1.0 if n <= 0 else x * recursive(x, n - 1)


def layer(w, x):
    return np.sum(np.tanh(w @ x))


def gathered(x, n):
    values = []
    for i in range(n):
        values.append(math.sin(x) * (x + i))
    total = 0.0
    for v in values:
        total += v * v
    return total


def stencil(u, c, steps):
    u = u.copy()
    for _ in range(steps):
        t = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u[1:-1] += c * t
    return np.sum(u * u)


def spread_out(a, b):
    return np.sum((b + np.zeros((2, 3))) * a)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def root(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def piecewise(x):
    y = math.log(x) if x > 1.0 else x**3
    return max(y, 0.5) * math.hypot(x, 2.0)


def helper(a, b, n):
    s = 0.0
    for i in range(n):
        if a > b:
            s += a * i
        else:
            s += math.sin(b)
    return s


def with_helpers(x, y):
    return helper(x, y, 3) * helper(y, x, 4)


def pairs(v, w):
    total = 0.0
    for i in range(len(v)):
        for j in range(len(w)):
            total += v[i] * w[j] ** 2
    return total


def with_arrays_handed_on(x):
    return pairs(x, x * 2.0) + pairs(np.sin(x), x)


def mean(xs):
    s = 0.0
    for x in xs:
        s += x
    return s / len(xs)


def with_a_list_handed_on(x):
    values = [x * k for k in range(4)]
    return mean(values) + sum(values)


def side_by_side(u, v):
    t = 0.0
    for i, (a, b) in enumerate(zip(u, v)):
        t += a * b * i
    for a in reversed([u[0], v[1]]):
        t = t * 0.5 + a
    return t


def reductions(x):
    kept = np.where(x > 0, x * 2, np.exp(x)).sum()
    return kept + np.clip(x, -0.5, 0.5).max() + x.std() + np.linalg.norm(x)


def joined(x):
    return np.concatenate([x, x**2, np.ones(2)])


def in_place(x):
    y = x.copy()
    y *= x
    y[0] = y[1] * y[2]
    y *= y[0]
    y /= 2.0
    return y


def left_early(x):
    for _ in range(5):
        x = x * 1.5
        if x > 4.0:
            break
    else:
        x = x + 10.0
    return x


def swapped(x, y):
    for _ in range(3):
        x, y = y, x + y * x
    return x


def closure(x):
    k = 3.0
    return (lambda z: z * k * SCALE)(x)


def made_of_numbers(x, y):
    return np.array([x, 2.0 * x * y, 1.0])


def made_of_rows(x, y):
    return np.array([[x, y], [y * y, 1.0], [1.0, 2.0]]).sum(axis=0)


def stacked(v):
    return np.stack([v, np.zeros(3), v * v], axis=1)


def rebound_after_it_was_joined(v, s):
    a = np.array([s, s * 2.0])
    s = s * 5.0
    return np.vstack([v[:2], a]).T @ v[1:] * s


def linear_algebra(a, b):
    return np.linalg.solve(a, b) + np.linalg.inv(a) @ b + np.trace(a @ a) + np.linalg.det(a)


def einsum(a, v):
    return np.einsum("ij,j->i", a, v)


def shapes(v):
    return v.reshape(2, 3).T.ravel()[::2]


def extremes(v):
    return np.maximum(v, 0.1) + np.minimum(v, v[0]) + np.abs(v) ** 1.5


def quotients(v, s):
    return s / v + v / s - np.sqrt(np.abs(v)) / (1 + s)


def cumulated(v):
    return np.cumsum(v) * np.prod(v) + np.diff(np.append(v, 1.0))


def sorted_backwards(v):
    return np.sort(np.exp(-v) * v)[::-1]


def written_list(v):
    values = []
    for a in v:
        values.append(a * 2.0)
    values[0] = values[1] * values[2]
    return values[0] + sum(values)


def of_an_element(v):
    return float(v.sum()) if v[0] > 0 else v[1]


def still(x):
    y = 3.0
    if x > 0:
        y = x * y
    return y


R = np.random.default_rng(7)
VECTOR, LONG = R.normal(size=3), R.normal(size=6)


def added_in_a_branch(x, y):
    if x > 1.0:
        x = x + y
    return x * x * y


def subtracted_in_a_branch(x, y):
    if x > 1.0:
        x -= y
    return x * x * y


def added_in_a_loop(x, y):
    for _ in range(3):
        x += y
    return x * y


def added_in_while(x, y):
    while x < 3.0:
        x = y + x
    return x * x


def added_in_both_arms(x, y):
    if x > 1.0:
        x = x + y
    else:
        y = x + y
    return x * y * y


def added_in_a_branch_of_a_loop(x, y):
    for at in range(4):
        if at % 2:
            y += x
        else:
            x = x - y
    return x * y


PROGRAMS = [
    (power, (1.5, 5)), (recursive, (1.3, 4)), (layer, (R.normal(size=(2, 3)), VECTOR)),
    (gathered, (1.2, 4)), (stencil, (LONG, 0.1, 3)), (spread_out, (VECTOR, R.normal(size=3))),
    (rosenbrock, (LONG,)), (root, (2.0,)), (piecewise, (1.7,)), (piecewise, (0.6,)),
    (with_helpers, (1.2, 0.7)), (with_arrays_handed_on, (VECTOR,)), (with_a_list_handed_on, (1.3,)),
    (side_by_side, (VECTOR, R.normal(size=3))), (reductions, (LONG,)), (joined, (VECTOR,)),
    (in_place, (VECTOR,)), (left_early, (1.3,)), (left_early, (0.1,)), (swapped, (0.4, 0.9)),
    (closure, (1.1,)), (made_of_numbers, (1.0, 2.0)), (made_of_rows, (1.0, 2.0)),
    (stacked, (VECTOR,)), (rebound_after_it_was_joined, (VECTOR, 0.3)),
    (linear_algebra, (R.normal(size=(3, 3)), VECTOR)), (einsum, (R.normal(size=(2, 3)), VECTOR)),
    (shapes, (LONG,)), (extremes, (LONG,)), (quotients, (LONG, 1.3)), (cumulated, (LONG,)),
    (sorted_backwards, (R.random(4),)), (written_list, (VECTOR,)),
    (of_an_element, (np.array([1.0, 2.0]),)), (of_an_element, (np.array([-1.0, 2.0]),)),
    (still, (1.2,)), (still, (-1.2,)),
    (added_in_a_branch, (2.0, 3.0)), (added_in_a_branch, (0.5, 3.0)),
    (subtracted_in_a_branch, (2.0, 3.0)), (subtracted_in_a_branch, (0.5, 3.0)),
    (added_in_a_loop, (1.2, 0.3)), (added_in_while, (1.25, 0.3)),
    (added_in_both_arms, (1.2, 0.3)), (added_in_both_arms, (0.2, 0.3)),
    (added_in_a_branch_of_a_loop, (1.2, 0.3)),
]  # fmt: skip


def moves(x):
    return isinstance(x, float | np.ndarray)


def tangents_of(args):
    random = np.random.default_rng(11)
    return [random.normal(size=np.shape(x)) if np.ndim(x) else 0.7 if moves(x) else None
            for x in args]  # fmt: skip


def shifted(args, dots, step):
    return [x if v is None else x + step * v for x, v in zip(args, dots)]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_against_differences_and_against_reverse_mode(f, args):
    dots = tangents_of(args)
    found = along(f, args, dots)
    assert found is not None, "there is no text"
    y, y_dot = found
    np.testing.assert_array_equal(y, f(*args))
    assert np.shape(y_dot) == np.shape(y)
    step = 1e-6
    ahead, behind = f(*shifted(args, dots, step)), f(*shifted(args, dots, -step))
    expected = (np.asarray(ahead) - behind) / (2 * step)
    np.testing.assert_allclose(y_dot, expected, rtol=2e-6, atol=2e-7)
    weights = np.random.default_rng(5).normal(size=np.shape(y))
    bars = pullback(f, *args)[1](weights if np.shape(y) else float(weights))
    both = [np.vdot(bar, v) for bar, v in zip(bars, dots) if v is not None and bar is not None]
    assert np.vdot(weights, y_dot) == pytest.approx(sum(both), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_the_arguments_and_tangents_stay_what_they_are(f, args):
    given = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    dots = tangents_of(args)
    before = [None if v is None else np.copy(v) for v in dots]
    _, y_dot = jvp(f, given, dots)
    for one, other in zip((*given, *dots), (*args, *before)):
        if one is not None:
            np.testing.assert_array_equal(one, other)
    assert not any(isinstance(v, np.ndarray) and np.may_share_memory(y_dot, v) for v in dots)


# --- what the program does, it does once


def test_what_it_writes_and_prints_is_as_in_the_plain_run(capsys):
    def f(x, into):
        into[0] = x[0] * 2.0
        into[1:] += x[1:] * into[0]
        return into * x[1]

    for run in (f, lambda x, into: jvp(f, (x, into), (np.ones(3), np.zeros(3)))[0]):
        x, into = np.array([1.0, 2.0, 3.0]), np.ones(3)
        np.testing.assert_array_equal(run(x, into), [4.0, 10.0, 14.0])
        np.testing.assert_array_equal(into, [2.0, 5.0, 7.0])

    def printing(x):
        print("once")
        return x * x

    assert jvp(printing, (3.0,), (1.0,)) == (9.0, 6.0)
    assert capsys.readouterr().out == "once\n"


def test_an_error_of_the_program_is_its_own():
    def f(x):
        return math.log(x) * 2.0

    with pytest.raises(ValueError, match="math domain error|expected a positive"):
        jvp(f, (-1.0,), (1.0,))


def test_the_result_is_an_argument():
    v = np.ones(2)
    y, y_dot = jvp(lambda x: x, (np.array([1.0, 2.0]),), (v,))
    y_dot[0] = 7.0
    assert v.tolist() == [1.0, 1.0]


def test_one_array_twice():
    x = np.array([1.0, 2.0])
    _, y_dot = jvp(lambda a, b: a * b, (x, x), (np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    assert y_dot.tolist() == [1.0, 2.0]


def test_a_global_that_changes_between_calls(monkeypatch):
    assert jvp(closure, (1.0,), (1.0,)) == (7.5, 7.5)
    monkeypatch.setitem(globals(), "SCALE", 10.0)
    assert jvp(closure, (1.0,), (1.0,)) == (30.0, 30.0)


def test_ints_move_as_reals():
    assert jvp(lambda n: n * n * 1.5, (3,), (1.0,)) == (13.5, 9.0)


# --- many tangents at once

IN_LOOPS = {
    power, gathered, root, with_helpers, with_arrays_handed_on, with_a_list_handed_on,
    side_by_side, left_early, swapped, written_list, added_in_a_loop, added_in_while,
    added_in_a_branch_of_a_loop,
}  # fmt: skip
"""Of numbers in a loop: one tangent after the other is faster."""
AT_ONCE = [each for each in PROGRAMS if each[0] not in IN_LOOPS]


@pytest.mark.parametrize(("f", "args"), AT_ONCE)
def test_many_at_once_are_what_each_is_alone(f, args):
    """As many as an array is long too: no axis is taken for another."""
    lengths = {n for x in args for n in np.shape(x)}
    for count in {1, 4, *lengths}:
        random = np.random.default_rng(count)
        dots = [random.normal(size=(count, *np.shape(x))) if moves(x) else None for x in args]
        found = along(f, args, dots, many=True)
        assert found is not None, "there is no text"
        y, y_dots = found
        np.testing.assert_array_equal(y, f(*args))
        each = [[None if v is None else v[at] for v in dots] for at in range(count)]
        alone = [along(f, args, own)[1] for own in each]
        whole = np.broadcast_to(y_dots, (count, *np.shape(y)))
        np.testing.assert_allclose(whole, alone, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("f", "args"), [each for each in PROGRAMS if each[0] in IN_LOOPS])
def test_of_numbers_in_a_loop_there_are_not_many_at_once(f, args):
    dots = [np.ones((3, *np.shape(x))) if moves(x) else None for x in args]
    assert along(f, args, dots, many=True) is None


# --- what the text in forward mode may not do


def test_a_view_that_is_no_slice_beside_a_write_is_left_to_reverse_mode():
    def f(x):
        a = x.reshape(2, 2) * 1.0
        b = a.T
        b[0, 1] = x[0] * 5.0
        return a[1, 0] * a[0, 1]

    x, v = np.arange(1.0, 5.0), np.array([0.5, 3.0, 2.0, 0.25])
    y, y_dot = jvp(f, (x,), (v,))
    assert y == f(x)
    assert y_dot == pytest.approx(5.0 * (0.5 * 2.0 + 1.0 * 3.0))


def test_an_argument_that_is_written_stays_a_result_of_its_own():
    def f(x, y):
        x = x + 0.0
        y = x
        y[0] = 3.0 * y[1]
        return x * y

    x, v = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    _, y_dot = jvp(f, (x, x * 2.0), (v, v))
    np.testing.assert_allclose(y_dot, [2 * 6.0 * -3.0, 2 * 2.0 * -1.0])


def test_an_operand_that_is_handed_on_and_then_written():
    def f(x):
        y = x * 1.0
        z = y + 0.0
        y[0] = 7.0
        z[1] = x[0] ** 2
        return y + z

    x, v = np.array([1.5, 2.0]), np.array([0.5, -1.0])
    _, y_dot = jvp(f, (x,), (v,))
    step = 1e-6
    np.testing.assert_allclose(y_dot, (f(x + step * v) - f(x - step * v)) / (2 * step), rtol=1e-7)


def test_an_error_of_a_statement_that_binds_its_operand_is_the_users():
    def f(x):
        x = x - 2.0
        x = math.log(x)
        return x * x

    with pytest.raises(ValueError, match="math domain error|expected a positive"):
        jvp(f, (2.0,), (1.0,))
    with pytest.raises(ZeroDivisionError):
        jvp(lambda x, y: x / y, (1.0, 0.0), (1.0, 1.0))


def test_an_argument_that_is_held_and_bound_to_what_moves():
    def f(x, y, u):
        for _ in range(3):
            x, y = y * 2.0, x + y
            u = u * x
        return x * np.sum(u)

    args, dots = (1.5, 0.5, np.array([1.0, 2.0])), (1.0, None, None)
    y, y_dot = jvp(f, args, dots)
    step = 1e-6
    ahead, behind = f(*shifted(args, dots, step)), f(*shifted(args, dots, -step))
    assert (y, y_dot) == (f(*args), pytest.approx((ahead - behind) / (2 * step)))
    assert along(f, args, dots) is not None


def test_an_array_of_zeros_that_is_added_to():
    def filled(x, s):
        z = np.zeros(3)
        z += x
        k = 2.0 if s > 1 else 1.0
        z -= x * x * k
        return z

    args, dots = (np.ones(3), 1.3), (np.full(3, 2.0), None)
    assert along(filled, args, dots)[1].tolist() == [2.0 - 8.0] * 3


def test_rows_that_are_written_under_another_name():
    def table(x):
        t = [[0.0] * 3 for _ in range(3)]
        for i in range(3):
            for j in range(3):
                t[i][j] = x if i == 0 or j == 0 else t[i - 1][j] * t[i][j - 1] + t[i - 1][j - 1]
        return t[2][2]

    def alias(x):
        c = [[x * a for a in (1.0, 2.0)], [x, x]]
        row = c[0]
        c[0][1] = 5.0 * x
        return row[1] * c[0][0]

    for f in (table, alias):
        y, y_dot = jvp(f, (0.7,), (1.0,))
        assert y == f(0.7)
        assert y_dot == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-7)


TABLE = [(1.0, 2.0), (0.5, -1.0)]


def test_rows_that_stand_still_are_taken_apart():
    def parted(rows, t):
        s = 0.0
        for x, y in rows:
            s += x * t - y * t * t
        first, other = rows
        p, q = first
        return s * p + q * other[1] * t

    def tabled(t):
        return sum([a * t**2 + b for a, b in TABLE])

    rows = [[1.0, 2.0], [3.0, 4.0]]
    for f, args in ((parted, (rows, 0.5)), (tabled, (0.5,))):
        y, y_dot = jvp(f, args, (*[None] * (len(args) - 1), 1.0))
        ahead, behind = f(*args[:-1], 0.5 + 1e-6), f(*args[:-1], 0.5 - 1e-6)
        assert (y, y_dot) == (f(*args), pytest.approx((ahead - behind) / 2e-6, rel=1e-7))


def test_a_slice_of_what_stands_still_that_is_added_to():
    def relaxed(x, m):
        z = m.copy()
        z[1:] -= z[0] * z[1:]
        return z + x

    m = np.array([1.1, 1.3, 1.7])
    y, y_dot = jvp(relaxed, (np.ones(3), m), (np.ones(3), None))
    np.testing.assert_array_equal(y, relaxed(np.ones(3), m))
    assert y_dot.tolist() == [1.0] * 3


def test_a_row_that_is_written_with_what_stands_still():
    def f(x):
        row = [1.0, 2.0]
        c = [[x, x * x]]
        c.append(row)
        other = c[1]
        other[0] = x * 3.0
        row[0] = 5.0
        row[1] = row[1] + 1.0
        return c[1][0] * x + other[1] * c[0][1]

    y, y_dot = jvp(f, (0.7,), (1.0,))
    assert (y, y_dot) == (f(0.7), pytest.approx(5.0 + 3.0 * 1.4))


def test_an_array_of_zeros_that_is_written_before_and_after():
    def f(x, n):
        z = np.zeros(3)
        for _ in range(n):
            z[0] = 2.0
            z += x
            z[1] = 1.0
        return np.sum(z * z)

    x, v = np.array([0.5, 1.0, 2.0]), np.array([1.0, -1.0, 0.5])
    for n in (0, 1, 3):
        y, y_dot = jvp(f, (x, n), (v, None))
        assert y == f(x, n)
        expected = (f(x + 1e-6 * v, n) - f(x - 1e-6 * v, n)) / 2e-6
        assert y_dot == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("s_dot", [0.0, None, 0.7])
@pytest.mark.parametrize(
    "f",
    [
        lambda x, s: x / s,
        lambda x, s: (x - s) / s,
        lambda x, s: np.sqrt(x / (s * s)),
        lambda x, s: np.divide(x, s) ** s,
        lambda x, s: (x - x.mean()) / (x.std() * s),
    ],
)
def test_an_array_divided_by_a_number_that_may_stay(f, s_dot):
    x, x_dot = np.array([3.0, 2.5, 4.0]), np.array([1.0, 1.0, 1.0])
    y, y_dot = jvp(f, (x, 2.0), (x_dot, s_dot))
    change = 1e-6 * (s_dot or 0.0)
    ahead, behind = f(x + 1e-6 * x_dot, 2.0 + change), f(x - 1e-6 * x_dot, 2.0 - change)
    assert np.array_equal(y, f(x, 2.0), equal_nan=True)
    assert y_dot == pytest.approx((ahead - behind) / 2e-6, rel=1e-7, abs=1e-8, nan_ok=True)
