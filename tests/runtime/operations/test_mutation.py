import operator
from operator import add, getitem, iadd, imul, ipow, isub, itruediv, mul

import numpy as np
import pytest

from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.runtime.language import build_list
from tests.programs.everywhere import right_everywhere


def cubes(do, a):
    return do(np.sum, do(mul, a, do(mul, a, a)))


@pytest.mark.parametrize("fn", [iadd, isub, imul, itruediv])
def test_operators_in_place(check, fn):
    def program(do, a, b, x, l):
        before = cubes(do, a)
        same = do(fn, a, b)
        do(fn, a, x)
        do(fn, a, l)
        do(fn, same, a)
        do(fn, a, do(getitem, a, (slice(None), slice(0, 1))))
        return do(add, do(mul, before, cubes(do, a)), cubes(do, b))

    check(program, np.array([[2.0, 3.0]]), np.array([1.5, 0.7]), 1.3, [0.8, 1.1])


def test_powers_and_products_in_place(check):
    def program(do, a, m, x):
        do(ipow, a, 2)
        do(ipow, a, x)
        do(operator.imatmul, m, m)
        do(operator.imatmul, a, m)
        return cubes(do, a)

    check(program, np.array([[2.0, 3.0]]), np.array([[0.5, 0.2], [0.1, 0.3]]), 1.3)


def test_views_written_in_place(check):
    def program(do, a, x):
        tail = do(getitem, a, slice(1, None))
        do(imul, tail, x)
        do(iadd, tail, do(getitem, a, slice(None, -1)))
        do(imul, do(getitem, a, slice(None, None, 2)), do(getitem, a, slice(None, None, 2)))
        return cubes(do, a)

    check(program, np.array([2.0, 3.0, 0.5]), 1.5)


def test_floor_and_remainder_in_place(check):
    def program(do, a, x):
        do(operator.imod, a, x)
        kept = do(mul, a, 1.0)
        do(operator.ifloordiv, a, 0.25)
        return do(add, cubes(do, a), cubes(do, kept))

    check(program, np.array([2.1, 3.3]), 1.5)


def test_old_values_are_kept_only_until_they_are_read():
    versions, a, b = Versions(), np.array([2.0, 3.0]), np.array([5.0, 7.0])
    _, record = call(versions, imul, a, b)
    a *= 100.0
    b *= 100.0  # the user's own writes: announced ones copy
    versions.writing(b)
    shadows = Shadows()
    shadows.add(a, np.ones(2))
    pull(shadows, record, None, 2)
    assert shadows.take(b).tolist() == [2.0, 3.0]


def test_fill_and_copyto(check):
    def program(do, a, b, x):
        do(np.ndarray.fill, do(getitem, a, 0), x)
        do(np.copyto, do(getitem, a, 1), b, where=np.array([True, False]))
        do(np.copyto, do(getitem, a, 2), do(build_list, x, do(mul, x, x)))
        return cubes(do, a)

    check(program, np.ones((4, 2)) * 0.9, np.array([2.0, 3.0]), 1.5)


def test_places(check):
    def program(do, a, x, b, l):
        do(np.fill_diagonal, a, do(mul, x, x))
        do(np.put, a, [1, 5], b)
        do(np.place, a, np.eye(3, k=1) > 0, l)
        do(np.putmask, a, np.eye(3, k=-2) > 0, do(mul, a, x))
        return cubes(do, a)

    check(program, np.ones((3, 3)) * 0.9, 1.5, np.array([2.0, 3.0]), [0.3, 0.4])


@pytest.mark.parametrize("axis", [0, -1])
def test_sort_and_partition(check, axis):
    def program(do, a, x):
        do(imul, a, x)
        do(np.ndarray.sort, a, axis)
        b = do(mul, a, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        do(np.ndarray.partition, b, 1, axis)
        return do(np.sum, do(mul, b, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))

    check(program, np.array([[3.0, 1.0, 2.0], [0.5, 0.7, 0.1]]), 1.5)


def test_integer_and_boolean_arrays():
    for fn, a, b in (
        (operator.ilshift, np.array([1, 2]), 1),
        (operator.iand, np.array([True, False]), True),
    ):
        expected = getattr(operator, fn.__name__)(a.copy(), b)
        y, record = call(Versions(), fn, a, b)
        assert y is a and y.tolist() == expected.tolist()
        assert list(pull(Shadows(), record, None, 2)) == [None, None]


def test_errors_are_pythons():
    for fn, args in (
        (iadd, (np.zeros(2), np.zeros(3))),
        (iadd, (np.zeros(2, int), 0.5)),
        (imul, (np.zeros(2), "a")),
    ):
        with pytest.raises(Exception) as plain:
            fn(*args)
        with pytest.raises(type(plain.value)) as run:
            call(Versions(), fn, *args)
        assert str(run.value) == str(plain.value)


def test_sort_by_a_key_is_numpys_own_error():
    def f(x):
        a = np.array([x, 2 * x])
        try:
            a.sort(key=abs)
        except TypeError as error:
            return x * len(str(error))
        return x

    right_everywhere(f, 1.5)
