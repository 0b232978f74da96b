import itertools
import operator
from array import array
from operator import add, getitem, mul, setitem

import numpy as np
import pytest

import astad
from astad import gradient, pullback
from astad.errors import AstadError, Unsupported
from astad.testing import check_gradient

from ...compiler.forms import only_generic


def test_flat_is_walked_read_and_written(check):
    def program(do, a, x, v):
        flat = do(getattr, do(getattr, a, "T"), "flat")
        total = do(mul, do(getitem, flat, 1), do(getitem, flat, -1))
        total = do(add, total, do(np.sum, do(mul, do(getitem, flat, slice(1, None, 2)), x)))
        do(setitem, flat, slice(0, 3), v)
        do(setitem, flat, 4, do(mul, x, x))
        k = 1.0
        for element in do.loop(do(getattr, a, "flat")):
            total = do(add, total, do(mul, k, do(mul, element, element)))
            k += 1.0
        return total

    check(program, np.array([[2.0, 3.0, 5.0], [0.5, 0.25, 7.0]]), 1.5, np.array([0.3, 0.6]))


def test_arrays_from_iterables(check, written):
    @written
    def square(do, v):
        return do(mul, v, v)

    def program(do, l):
        a = do(np.fromiter, do(map, square, l), float)
        return do(np.sum, do(mul, a, np.array([1.0, 2.0])))

    check(program, [2.0, 3.0])


def picked(x):
    z = np.asarray(x)
    return (z.flat[np.flatnonzero(z > 0)] ** 2).sum()


def replaced(x):
    z = np.array(x)
    z.flat[np.array([0])] = z.flat[0] * 3.0
    return float(z) ** 2


def picked_twice(x):
    return x.flat[np.array([0, 0])].sum() * x.flat[0]


def filled(x):
    z = np.zeros(())
    z.flat[:] = x * 5.0
    return z * x


def walked(x):
    return sum(v * v for v in np.asarray(x).flat)


class Grid:
    def __init__(self, a):
        self.a = np.asarray(a)

    def pick(self, k):
        return self.a.flat[k]


def of_a_grid(x):
    return Grid(x).pick([0])[0] ** 3 + Grid(x).pick(slice(None))[0]


@pytest.mark.parametrize(
    ("f", "slope"),
    [(picked, 6.0), (replaced, 54.0), (picked_twice, 12.0), (filled, 30.0), (walked, 6.0),
     (of_a_grid, 28.0)],
)  # fmt: skip
def test_flat_of_an_array_without_axes(f, slope):
    (x_bar,) = gradient(f, np.array(3.0))
    assert x_bar.shape == () and abs(x_bar - slope) < 1e-12
    assert check_gradient(f, np.array(3.0)).outcome == "right"


def put(x):
    z = np.zeros(())
    np.put(z, [0], x * 3.0)
    return z * x


def put_by_the_method(x):
    z = np.array(x)
    z.put(np.flatnonzero(z > 0), z * z)
    return float(z)


def put_an_element_twice(x):
    z = np.array(1.0)
    np.put(z, [0, 0], [x, x * x])
    return z * 2.0


def put_clipped(x):
    z = np.array(1.0)
    z.put([5], x * 4.0, mode="clip")
    return z + x


def put_where_nothing_is(x):
    z = np.array(x)
    z.put(np.flatnonzero(z < 0), 7.0)
    return z * x


@pytest.mark.parametrize(
    ("f", "slope"),
    [(put, 18.0), (put_by_the_method, 6.0), (put_an_element_twice, 12.0), (put_clipped, 5.0),
     (put_where_nothing_is, 6.0)],
)  # fmt: skip
def test_put_into_an_array_without_axes(f, slope):
    (x_bar,) = gradient(f, 3.0)
    assert abs(x_bar - slope) < 1e-12


CONSTANTS = np.arange(3.0)


def test_nditer_over_constants_passes():
    assert gradient(lambda x: sum(float(v) * x for v in np.nditer(np.arange(3.0))), 2.0) == (3.0,)
    assert gradient(lambda x: sum(float(v) * x for v in np.nditer(CONSTANTS)), 2.0) == (3.0,)

    def total(x):
        found = 0.0
        for v in np.nditer(CONSTANTS * 2, order="F"):
            found = found + v * x
        return found

    assert gradient(total, 2.0) == (6.0,)


def squares(x):
    total = 0.0
    for v in np.nditer(x):
        total = total + v**2
    return total


def in_another_order(x):
    table, weights = np.outer(x, x), []
    for v in np.nditer(table.T[::-1], order="F"):
        weights.append(v * len(weights))
    return sum(weights)


def numbered(x):
    return sum(k * float(v) for k, v in enumerate(np.nditer(np.outer(x, [1.0, 2.0]))))


def side_by_side(x):
    total = 0.0
    for a, b in np.nditer([x, np.outer(x, x)]):
        total = total + a * b * b
    return total


def held_in_a_list(x):
    found = list(np.nditer(x * x))
    return found[0] * found[1] + found[2] ** 2


def with_writes_between(x):
    y, total = x * x, 0.0
    for v in np.nditer(y):
        total = total + v * x[0]
        y[2] = total
    return total + y[2]


def without_axes(x):
    return sum(3 * v for v in np.nditer(np.array(x[0] * x[1])))


def of_one_element_again(x):
    return sum(v * (k + 1) for k, v in enumerate(np.nditer(np.broadcast_to(x[1] * x, (2, 3)))))


def counted_into(x):
    w = np.zeros(3)
    for i, v in enumerate(np.nditer(w, op_flags=["readwrite"])):
        v[...] = i
    return np.sum(w * x)


def squared_in_place(x):
    w = x * 1.0
    with np.nditer(w, op_flags=["readwrite"]) as walk:
        for v in walk:
            v[...] = 2 * v * v
    return np.sum(w * x)


def by_its_index(x):
    w = x * 1.0
    walk = np.nditer(w, flags=["multi_index"], op_flags=["readwrite"])
    for v in walk:
        i = walk.multi_index[0]
        v[...] = v * (i + 1) + (w[i - 1] if i else 0.0)
    return np.sum(w**2)


def by_hand_with_writes(x):
    w = x * 1.0
    walk = np.nditer(w, ["c_index"], [["readwrite"]])
    while not walk.finished:
        walk[0] = walk[0] ** 2 + walk.index
        walk.iternext()
    return np.sum(w * x) + walk.operands[0][1]


def by_methods(x):
    w = x * 1.0
    walk = np.nditer(w, op_flags=["readwrite"])
    walk.__setitem__(0, x[2] ** 2)
    walk.iternext()
    walk.value[...] = x[0] * walk.__getitem__(0)
    return np.sum(w * x) * walk[0:1][0]


def in_runs(x):
    table, total = np.outer(x, x)[:, ::2], 0.0
    for k, v in enumerate(np.nditer(table, flags=["external_loop"], order="F")):
        total += (k + 1) * np.sum(v**2 * np.arange(1, len(v) + 1))
    w = x[::-1] * 1.0
    for v in np.nditer(w[::-1], flags=["external_loop"], op_flags=["readwrite"]):
        v *= v
    return total + np.sum(w * x)


def into_what_it_allocates(x):
    walk = np.nditer([x, None])
    for a, b in walk:
        b[...] = 2 * a * a
    y = walk.operands[1]
    y *= x
    return np.sum(y)


def row_by_column(x):
    out = np.zeros((3, 3))
    for a, b, c in np.nditer([x[:, None], x, out], [], [["readonly"]] * 2 + [["writeonly"]]):
        c[...] = a * b * b
    return np.sum(out * x)


def summed_along_an_axis(x):
    sums = np.zeros(3)
    flags = [["readonly"], ["readwrite"]]
    for a, b in np.nditer([np.outer(x, x), sums], ["reduce_ok"], flags):
        b[...] += a
    return np.sum(sums**2)


def left_and_taken_up(x):
    walk = np.nditer(x)
    first = next(walk) * 1.0
    next(walk)
    walk.reset()
    return next(walk) * first * sum(itertools.islice(walk, 1))


WALKS = [
    counted_into, squared_in_place, by_its_index, by_hand_with_writes, by_methods, in_runs,
    into_what_it_allocates, row_by_column, summed_along_an_axis, left_and_taken_up,
    squares, in_another_order, numbered, side_by_side, held_in_a_list, with_writes_between,
    without_axes, of_one_element_again,
]  # fmt: skip


@pytest.mark.parametrize("f", WALKS)
def test_nditer(f):
    x = np.array([0.3, 1.7, 2.2])
    expected = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(gradient(f, x.copy())[0], expected, rtol=1e-6)
    with only_generic():
        y, back = pullback(f, x.copy())
    np.testing.assert_allclose(back(1.0)[0], expected, rtol=1e-6)
    assert y == f(x)


def by_hand(a):
    walk, total = np.nditer(a), 0.0
    while not walk.finished:
        total = total + float(walk[0]) * 2
        walk.iternext()
    return total


def next_one(a):
    return next(np.nditer(a)) * 2.0


def by_value(a):
    return float(np.nditer(a).value) * 2.0


def of_a_list(a):
    return sum(float(v) * 2 for pair in np.nditer([a[0], a[1]]) for v in pair)


def of_numbers(a):
    return sum(float(v) * 2 for numbers in np.nditer(a.tolist()) for v in numbers)


def cast(a):
    walk = np.nditer(a, flags=["buffered"], op_dtypes=[np.float32], casting="same_kind")
    return sum(float(v) for v in walk)


@pytest.mark.parametrize("f", [by_hand, next_one, by_value, of_a_list, of_numbers, cast])
def test_nditer_in_other_ways_is_right_or_refused(f):
    try:
        (bar,) = gradient(f, CONSTANTS.copy())
    except AstadError:
        return
    expected = [(f(CONSTANTS + step) - f(CONSTANTS - step)) / 2e-3 for step in 1e-3 * np.eye(3)]
    np.testing.assert_allclose(bar, expected, atol=1e-3)


def test_nditer_over_what_has_a_derivative_is_refused():
    for f, x in (
        (lambda a: sum(np.sum(v) for v in np.nditer(a, flags=["buffered"])), CONSTANTS),
        (lambda a: np.nditer(a).copy()[0] * 2.0, CONSTANTS),
        (lambda a: sum(v * v for v in np.nditer(a).copy()), CONSTANTS),
        (lambda walk: sum(float(v) for v in walk), np.nditer(CONSTANTS)),
    ):
        with pytest.raises(Unsupported, match="nditer"):
            gradient(f, x)


SHOWN = {
    "flatiter": lambda a: a.flat,
    "memoryview": memoryview,
    "array": lambda a: a,
}
WRITTEN = {
    "method": lambda o, i, v: o.__setitem__(i, v),
    "of the class": lambda o, i, v: type(o).__setitem__(o, i, v),
    "kept": lambda o, i, v: [write(i, v) for write in [o.__setitem__]],
    "operator": operator.setitem,
}
READ = {
    "method": lambda o, i: o.__getitem__(i),
    "of the class": lambda o, i: type(o).__getitem__(o, i),
    "mapped": lambda o, i: sum(map(o.__getitem__, [i, i])),
}


@pytest.mark.parametrize("read", READ.values(), ids=READ)
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("shown", SHOWN)
def test_items_by_their_methods(shown, write, read):
    def f(x):
        numbers = array("d", [x, 2.0, x]) if shown == "array" else np.array([x, 2.0, x])
        o = SHOWN[shown](numbers)
        write(o, 1, x * x)
        return read(o, 1) * x + numbers[0] * numbers[1]

    step = 2.0**-12
    slope = (f(1.5 + step) - f(1.5 - step)) / (2 * step)
    assert gradient(f, 1.5)[0] == pytest.approx(slope, rel=1e-6)


class Measured:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return self.v * 2.0


@pytest.mark.parametrize(
    "program",
    [
        lambda a, b: np.fromiter([Measured(a), Measured(b)], float).sum(),
        lambda a, b: np.fromiter((Measured(v) for v in (a, b)), float).sum(),
        lambda a, b: np.fromiter(map(Measured, (a, b)), float, 1).sum(),
        lambda a, b: sum(array("d", [Measured(a), Measured(b)])),
        lambda a, b: sum(array("d", map(Measured, (a, b)))),
    ],
)
def test_objects_that_are_asked_for_a_number_by_compiled_code(program):
    with pytest.raises(Unsupported, match="it is asked for a number by compiled code"):
        gradient(program, 1.5, 0.4)


def test_objects_that_are_converted_first():
    check_gradient(lambda a, b: np.fromiter(map(float, (Measured(a), Measured(b))), float).prod(),
                   1.5, 0.4)  # fmt: skip


@pytest.mark.parametrize("kind", [np.float64, np.complex128])
@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: sum(a.flat) * b,
        lambda a, b: a.flat[0] * a.flat[-1] * b,
        lambda a, b: a.flat[:][0] * b,
        lambda a, b: next(iter(a.flat)) * a.T.flat[0] * b,
        lambda a, b: sum(v * w for v, w in zip(a.flat, a.real.flat, strict=True)) * b,
        lambda a, b: a.flat.base[()] * b,
    ],
)
def test_flat_of_a_number_of_numpy(f, kind):
    check_gradient(lambda a, b: f(kind(a), b).real, 2.1, 1.6)


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: np.sum(a.flat) * b,
        lambda a, b: a.flat.copy()[0] * b,
        lambda a, b: a.data[()] * b,
    ],
)
def test_memory_of_a_number_of_numpy_is_refused(f):
    with pytest.raises(Unsupported, match=r"float64\.flat|the memory of a number"):
        gradient(f, np.float64(2.1), 1.6)


def read_on(x):
    it = np.outer(x, x).flat
    next(it), next(it)
    return it[4] + next(it)


def written_on(x):
    it = np.outer(x, x).flat
    next(it), next(it)
    it[3] = x[0]
    return x[0] * it.index + next(it)


@pytest.mark.parametrize("f", [read_on, written_on])
def test_a_flat_iterator_begins_anew_where_it_is_indexed(f):
    x = np.array([1.0, 2.0, 3.0])
    value, gradient = astad.value_and_grad(f)(x)
    assert value == f(x)
    v, h = np.array([0.3, -0.5, 1.0]), 1e-6
    assert gradient @ v == pytest.approx((f(x + h * v) - f(x - h * v)) / (2 * h), rel=1e-6)


WALKS = {
    "for": lambda f: [v * v for v in f],
    "sum": lambda f: [sum(f)],
    "enumerate": lambda f: [k * v for k, v in enumerate(f)],
    "left": lambda f: [*itertools.islice(f, 1), *f],
}


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize(
    "at", [[0, 2], [1], np.array([3, 1]), 1, slice(0, 2), ..., np.array([True, False, True, False])]
)
def test_where_it_goes_on_after_it_was_written(walk, at):
    """After an index list behind the last of it, else from the first element."""

    def f(x):
        flat = (1.0 * x).flat
        flat[at] = 2.0 * x[3]
        return sum([(k + 1) * v for k, v in enumerate(WALKS[walk](flat))])

    x = np.array([1.0, 2.0, 3.0, 4.0])
    slopes = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(4)]
    for _ in range(3):
        y, g = astad.value_and_grad(f)(x)
        assert y == f(x)
        np.testing.assert_allclose(g, slopes, rtol=1e-6, atol=1e-8)


def test_of_an_array_without_axes_it_begins_anew():
    def f(x):
        flat = np.array(x[0]).flat
        flat[[0]] = 2.0 * x[1]
        return sum(flat)

    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [0.0, 2.0]
