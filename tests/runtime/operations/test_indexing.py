import ctypes
from collections import defaultdict, deque
from operator import add, delitem, getitem, iadd, imul, mul, setitem

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.runtime.language import build_list, build_slice
from astad.testing import check_gradient


def test_elements_of_lists_from_both_ends(check):
    def program(do, l):
        return do(mul, do(getitem, l, -1), do(add, do(getitem, l, 0), do(getitem, l, np.int64(2))))

    check(program, [2.0, 3.0, 5.0])


def test_slices_of_lists_are_copies(check):
    def program(do, l):
        s = do(getitem, l, slice(None, None, -2))
        do(setitem, s, 0, do(mul, do(getitem, s, 1), do(getitem, l, 3)))
        return do(mul, do(getitem, s, 0), do(getitem, l, -1))

    check(program, [2.0, 3.0, 5.0, 7.0])


def test_stores_into_lists(check):
    def program(do, l, x):
        do(setitem, l, 0, do(mul, do(getitem, l, 0), x))
        do(setitem, l, -1, do(mul, do(getitem, l, 0), do(getitem, l, 1)))
        do(setitem, l, 0, 4.0)
        return do(add, do(getitem, l, 1), do(mul, do(getitem, l, 0), x))

    check(program, [2.0, 3.0], 1.5)


def test_slice_assignment_changes_the_length(check):
    def program(do, l, x):
        do(setitem, l, slice(1, 3), do(build_list, x, do(getitem, l, 1), x, do(getitem, l, 3)))
        do(setitem, l, slice(None, None, 3), do(getitem, l, slice(2, 4)))
        do(setitem, l, slice(0, 0), l)
        total = do(mul, do(getitem, l, 2), x)
        return do(add, total, do(mul, do(getitem, l, 6), do(getitem, l, 9)))

    check(program, [2.0, 3.0, 5.0, 7.0], 1.5)


def test_deletions(check):
    def program(do, l, x):
        do(delitem, l, 1)
        do(delitem, l, slice(0, 4, 2))
        do(setitem, l, 0, do(mul, do(getitem, l, 0), x))
        return do(mul, do(getitem, l, 0), do(getitem, l, 1))

    check(program, [2.0, 3.0, 5.0, 7.0, 11.0], 1.5)


def test_dicts(check):
    def program(do, d, x):
        do(setitem, d, "new", do(mul, do(getitem, d, "a"), x))
        do(setitem, d, "a", do(getitem, d, "new"))
        do(delitem, d, "new")
        return do(mul, do(getitem, d, "a"), do(getitem, d, "b"))

    check(program, {"a": 2.0, "b": 3.0}, 1.5)


def test_defaultdict_calls_its_factory(check):
    def program(do, x):
        d = do(defaultdict, float)
        for k in "aab":
            do(setitem, d, k, do(add, do(getitem, d, k), do(mul, x, x)))
        return do(mul, do(getitem, d, "a"), do(getitem, d, "b"))

    check(program, 1.5)


def test_float_keys_carry_their_derivative(check):
    def program(do, x):
        d = do(dict, ())
        do(setitem, d, x, 2.0)
        return do(sum, do(list, d))

    check(program, 1.5)


def test_deques(check):
    def program(do, l, x):
        d = do(deque, l)
        do(setitem, d, 0, do(mul, do(getitem, d, -1), x))
        do(delitem, d, 1)
        return do(mul, do(getitem, d, 0), do(getitem, d, 1))

    check(program, [2.0, 3.0, 5.0], 1.5)


def test_rows_of_arrays_are_views(check):
    def program(do, a):
        row = do(getitem, a, 1)
        do(setitem, row, 0, do(mul, do(getitem, row, 0), do(getitem, a, (0, 1))))
        return do(mul, do(getitem, a, (1, 0)), do(getitem, row, -1))

    check(program, np.array([[2.0, 3.0], [5.0, 7.0]]))


def test_repeated_indices_read_several_times(check):
    def program(do, a, index):
        picked = do(getitem, a, index)
        return do(np.sum, do(mul, picked, picked))

    check(program, np.array([2.0, 3.0, 5.0]), np.array([0, 2, 0]), expected=[[8.0, 0.0, 10.0], []])


def test_an_index_array_that_changes_later():
    versions, a, index = Versions(), np.array([2.0, 3.0, 5.0]), np.array([0, 1])
    y, record = call(versions, getitem, a, index)
    index[:] = 2
    shadows = Shadows()
    shadows.add(y, np.array([1.0, 10.0]))
    pull(shadows, record, None, 2)
    assert shadows.take(a).tolist() == [1.0, 10.0, 0.0]


def test_repeated_indices_written_the_last_one_wins(check):
    def program(do, a, v):
        do(setitem, a, [1, 1, 2], v)
        return do(np.sum, do(mul, a, do(np.array, [1.0, 4.0, 6.0])))

    check(program, np.zeros(3), np.array([1.0, 2.0, 3.0]), expected=[[1.0, 0, 0], [0.0, 4.0, 6.0]])


def test_masks(check):
    def program(do, a, x):
        do(setitem, a, np.array([True, False, True]), x)
        picked = do(getitem, a, np.array([True, True, False]))
        return do(np.sum, do(mul, picked, picked))

    check(program, np.array([2.0, 3.0, 5.0]), 1.5)


def test_values_are_broadcast_into_an_array(check):
    def program(do, a, l, x, b):
        do(setitem, a, 0, l)
        do(setitem, a, (slice(None), 2), x)
        do(setitem, a, slice(1, 3), b)
        do(setitem, a, (3, slice(0, 2)), do(build_list, x, do(getitem, l, 1)))
        return do(np.sum, do(mul, a, a))

    check(program, np.ones((4, 3)), [2.0, 3.0, 5.0], 1.5, np.array([[[0.5, 0.25, 4.0]]]))


def test_a_list_that_changes_after_it_was_written(check):
    def program(do, a, l, x):
        do(setitem, a, slice(None), l)
        do(list.insert, l, 0, x)
        return do(mul, do(getitem, a, 0), do(mul, do(getitem, a, 1), do(getitem, l, 1)))

    check(program, np.zeros(2), [2.0, 3.0], 1.5)


def test_augmented_assignment_to_part_of_an_array(check):
    def program(do, a, x):
        for i in (slice(1, 3), np.array([0, 0])):
            part = do(getitem, a, i)
            part = do(imul, part, x)
            part = do(iadd, part, do(getitem, a, 0))
            do(setitem, a, i, part)
        do(setitem, a, 0, do(iadd, do(getitem, a, 0), do(getitem, a, 1)))
        return do(np.sum, do(mul, a, a))

    check(program, np.array([2.0, 3.0, 5.0]), 1.5)


def test_overlapping_parts(check):
    def program(do, a):
        do(setitem, a, slice(1, None), do(getitem, a, slice(None, -1)))
        do(setitem, a, slice(None), do(getitem, a, slice(None, None, -1)))
        return do(np.sum, do(mul, a, do(mul, a, a)))

    check(program, np.array([2.0, 3.0, 5.0]))


def test_classes_with_subscripts_of_their_own(check, written):
    class Grid:
        def __init__(self, values):
            self.values = values

        @written
        def __getitem__(do, self, i):
            return do(getitem, do(getattr, self, "values"), do(add, i, 1))

        @written
        def __setitem__(do, self, i, v):
            do(setitem, do(getattr, self, "values"), do(add, i, 1), v)

        @written
        def __delitem__(do, self, i):
            do(delitem, do(getattr, self, "values"), do(add, i, 1))

    def program(do, grid, x):
        do(setitem, grid, 1, do(mul, do(getitem, grid, 0), x))
        do(delitem, grid, 0)
        return do(mul, do(getitem, grid, 0), do(getitem, grid, 1))

    check(program, Grid([2.0, 3.0, 5.0, 7.0]), 1.5)


def test_strings_classes_and_ranges_are_inert():
    for o, i in (("abc", 1), (range(5), 2), (list, int), (b"ab", 0)):
        y, record = call(Versions(), getitem, o, i)
        assert y == o[i] and record is None


def test_items_of_unknown_objects_are_refused():
    pair = (ctypes.c_double * 2)(2.0, 3.0)
    y, record = call(Versions(), getitem, pair, 1)
    assert y == 3.0
    shadows = Shadows()
    pull(shadows, record, 1.0, 2)
    with pytest.raises(Unsupported, match="c_double_Array_2"):
        shadows.refused_at(pair).ask()
    o = np.array([2.0, 3.0], object)
    _, record = call(Versions(), getitem, o, 1)
    shadows = Shadows()
    pull(shadows, record, 1.0, 2)
    assert shadows.has(o)  # the error waits there for whoever asks


def test_errors_are_pythons():
    for fn, args in (
        (getitem, ([1.0], 3)), (getitem, ({}, "k")), (setitem, ((1.0,), 0, 2.0)),
        (setitem, ([1.0], slice(2), 5)),
        (setitem, ([1.0, 2.0], slice(None, None, 2), [1.0, 2.0])), (getitem, (3.0, 1)),
        (delitem, ([], 0)),
    ):  # fmt: skip
        with pytest.raises(Exception) as plain:
            fn(*args)
        with pytest.raises(type(plain.value)) as run:
            call(Versions(), fn, *args)
        assert str(run.value) == str(plain.value)


def test_slice_objects():
    assert call(Versions(), build_slice, 1, None, 2) == (slice(1, None, 2), None)


def grown(xs, a):
    for k in range(3):
        xs.append(a * k)
        yield a * a + k


def shrunk(xs, a):
    for k in range(3):
        xs.pop()
        yield a * a + k


@pytest.mark.parametrize(
    "place", [slice(1, None), slice(0, 2), slice(-1, None), slice(3, 1), slice(1, 1)]
)
@pytest.mark.parametrize("draws", [grown, shrunk])
def test_a_slice_that_is_read_before_drawing_changes_the_list(place, draws):
    def f(a, b):
        xs = [a, b, a * b, a, b * b]
        xs[place] = draws(xs, a)
        return sum((k + 1) * v for k, v in enumerate(xs))

    check_gradient(f, 1.5, 0.4)


@pytest.mark.parametrize("place", [slice(None, None, 2), slice(None, None, -2)])
def test_a_slice_with_a_step_of_a_list_that_grows_meanwhile(place):
    def f(a, b):
        xs = [a, b, a * b, a, b * b]
        xs[place] = grown(xs, a)
        return sum((k + 1) * v for k, v in enumerate(xs))

    try:
        f(1.5, 0.4)
    except ValueError as plain:  # from Python 3.13 on, which draws the items first
        with pytest.raises(ValueError, match=str(plain)):
            gradient(f, 1.5, 0.4)
    else:
        check_gradient(f, 1.5, 0.4)


def test_a_slice_with_a_step_and_another_number_of_items_from_a_generator():
    def f(a):
        xs = [a, a * a, a, a]
        try:
            xs[::2] = grown(xs, a)
        except ValueError as error:
            return sum(xs) * len(str(error))
        return a

    check_gradient(f, 1.5)


class Tripled(np.ndarray):
    """Reductions, and what writes in place, give three times what they would."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        plain = [np.asarray(v) if isinstance(v, Tripled) else v for v in inputs]
        y = getattr(ufunc, method)(*plain, **named)
        return y if method == "__call__" else 3 * y


@pytest.mark.parametrize("kind", [Tripled, np.ndarray])
@pytest.mark.parametrize(
    "program",
    [
        lambda a, i: a[i],
        lambda a, i: a[np.argsort(a)],
        lambda a, i: np.take(a, i),
        lambda a, i: a[i, None],
        lambda a, i: written(a, i),
    ],
)
def test_places_that_are_an_array_of_a_class_with_its_own_ufuncs(kind, program):
    places = np.array([3, 0, 2]).view(kind)

    def f(x):
        a = np.array([x, x * x, 2 * x, 1.0]).view(kind)
        return np.sum(np.asarray(program(a, places)) ** 2)

    check_gradient(f, 1.5)


def written(a, i):
    b = a * 2.0
    b[i] = a[:3]
    return b


def test_a_number_under_a_mask():
    def parts(x):
        x = np.float64(x)
        inside = np.abs(x) < 2.0
        low, high = x[inside], x[~inside]
        return np.sum(low**2) + 3.0 * np.sum(high)

    check_gradient(parts, 1.5)
    check_gradient(parts, 2.5)


def test_a_number_with_more_axes():
    def table(x):
        x = np.float32(x) * np.float64(2.0)
        y = x[None, np.newaxis]
        y[0, 0] *= x[()]
        return np.sum(y * np.array([[1.0], [2.0]])) + x[...]

    check_gradient(table, 1.5, rtol=1e-3)


def test_a_result_that_is_an_array_without_axes():
    def bent(x):
        x = np.asarray(x)
        r = np.sqrt(x**2 + 1.0)
        bad = np.isclose(r, 0)
        out = np.empty_like(r)
        out[~bad] = np.arctan(r[~bad] / x[~bad])
        out[~bad] += np.sin(out[~bad])
        out[bad] = 0
        return out[()]

    check_gradient(bent, 1.5)


def deletes_an_item(xs):
    del xs[0]
    return xs[0]


def deletes_a_slice(xs):
    del xs[0:1]
    return xs[0]


def writes_a_slice(xs):
    xs[0:1] = [2.0]
    return xs[0]


def writes_under_a_name(xs):
    xs["a"] = 2.0
    return xs[0]


@pytest.mark.parametrize("xs", [deque([1.0, 2.0]), (1.0, 2.0), range(2), 1.0])
@pytest.mark.parametrize(
    "f",
    [
        lambda xs: xs[1:][0] + xs[None],
        lambda xs: xs["a"],
        lambda xs: xs[0.5],
        deletes_an_item,
        deletes_a_slice,
        writes_a_slice,
        writes_under_a_name,
    ],
)
def test_errors_of_subscripts_are_those_of_python(f, xs):
    if f is deletes_an_item and type(xs) is deque:
        return
    with pytest.raises(TypeError) as plain:
        f(xs)
    with pytest.raises(TypeError) as ours:
        gradient(f, xs)
    assert str(ours.value) == str(plain.value)
