import bisect
import heapq
from collections import deque
from operator import add, getitem, mul, setitem

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.runtime.core.versions import Versions
from astad.runtime.dispatch import call
from astad.runtime.language import build_list, build_set
from tests.programs.everywhere import right_everywhere


def weighted(do, l, n):
    """Sum of i * l[i]**2, which tells every position."""
    total = 0.0
    for i in range(n):
        v = do(getitem, l, i)
        total = do(add, total, do(mul, i + 1.0, do(mul, v, v)))
    return total


def test_append_extend_insert(check):
    def program(do, l, x):
        do(list.append, l, do(mul, x, do(getitem, l, 0)))
        do(list.insert, l, 1, do(mul, x, x))
        do(list.insert, l, -1, x)
        do(list.insert, l, 100, x)
        do(list.extend, l, l)
        do(list.extend, l, do(build_list, x, 2.0))
        return weighted(do, l, 14)

    check(program, [2.0, 3.0], 1.5)


def test_pop_remove_clear(check):
    def program(do, l, x):
        last = do(list.pop, l)
        first = do(list.pop, l, 0)
        do(list.append, l, do(mul, first, last))
        do(list.remove, l, do(getitem, l, 0))
        do(setitem, l, 0, do(mul, do(getitem, l, 0), do(list.pop, l, -2)))
        total = weighted(do, l, 1)
        do(list.clear, l)
        do(list.append, l, total)
        return do(mul, do(list.pop, l), x)

    check(program, [2.0, 3.0, 5.0, 7.0, 11.0], 1.5)


def test_reverse_and_copy(check):
    def program(do, l, x):
        c = do(list.copy, l)
        do(list.reverse, l)
        do(setitem, l, 0, do(mul, do(getitem, l, 0), x))
        do(list.extend, l, c)
        return weighted(do, l, 6)

    check(program, [2.0, 3.0, 5.0], 1.5)


def test_sort(check):
    def program(do, l, x):
        do(list.append, l, do(mul, x, 2.5))
        do(list.sort, l)
        do(setitem, l, 1, do(mul, x, do(getitem, l, 1)))
        do(list.sort, l, reverse=True)
        return weighted(do, l, 4)

    check(program, [7.0, 3.0, 5.0], 1.5)


def test_sort_by_key(check, written):
    @written
    def key(do, v):
        return do(mul, v, do(mul, v, -1.0))

    def program(do, l):
        do(list.sort, l, key=key)
        return weighted(do, l, 3)

    check(program, [-7.0, 3.0, 5.0])


def test_lists_of_arrays_move_nothing_but_numbers(check):
    def program(do, a, x):
        l = do(build_list, a, x, a)
        do(list.append, l, x)
        do(list.insert, l, 0, do(mul, x, x))
        b = do(list.pop, l, 1)
        do(list.reverse, l)
        return do(mul, do(getitem, b, 0), do(mul, do(getitem, l, 0), do(getitem, l, 3)))

    check(program, np.array([2.0, 3.0]), 1.5)


def test_deque_methods(check):
    def program(do, l, x):
        d = do(deque, l)
        do(deque.appendleft, d, do(mul, x, do(getitem, d, 0)))
        do(deque.append, d, x)
        do(deque.rotate, d, 2)
        do(deque.extend, d, do(build_list, x, do(mul, x, x)))
        do(deque.extendleft, d, l)
        a, b = do(deque.pop, d), do(deque.popleft, d)
        do(deque.append, d, do(mul, a, b))
        do(deque.reverse, d)
        return weighted(do, do(deque.copy, d), 9)

    check(program, [2.0, 3.0, 5.0], 1.5)


def test_deque_of_bounded_length(check):
    def program(do, l, x):
        d = do(deque, l, 3)
        do(deque.append, d, do(mul, x, do(getitem, d, 0)))
        do(deque.appendleft, d, do(mul, x, do(getitem, d, 1)))
        do(deque.append, d, x)
        return weighted(do, d, 3)

    check(program, [2.0, 3.0, 5.0], 1.5)


def test_sets(check):
    def program(do, x, y):
        s = do(build_set, x)
        do(set.add, s, do(mul, x, y))
        do(set.add, s, x)
        t = do(set.copy, s)
        total = do(sum, t)
        return do(mul, total, do(set.pop, do(set, do(build_list, y))))

    check(program, 1.5, -0.5)


def test_heaps(check):
    def program(do, l, x):
        do(heapq.heapify, l)
        do(heapq.heappush, l, do(mul, x, 2.0))
        smallest = do(heapq.heappop, l)
        next_one = do(heapq.heapreplace, l, do(mul, x, smallest))
        return do(mul, next_one, weighted(do, l, 4))

    check(program, [7.0, 2.0, 5.0, 4.0], 1.5)


def test_insertion_in_order(check):
    def program(do, l, x):
        do(bisect.insort_right, l, do(mul, x, 2.0))
        return weighted(do, l, 4)

    check(program, [2.0, 5.0, 7.0], 1.5)


def test_errors_are_pythons():
    for fn, args in (
        (list.pop, ([],)), (list.remove, ([1.0], 2.0)), (list.index, ([1.0], 2.0)),
        (deque.popleft, (deque(),)),
        (list.extend, ([], 3)),
    ):  # fmt: skip
        with pytest.raises(Exception) as plain:
            fn(*args)
        with pytest.raises(type(plain.value)) as run:
            call(Versions(), fn, *args)
        assert str(run.value) == str(plain.value)


# --- one number object under two names: Python takes the first that is equal


def removed(x, y):
    xs = [x * y, x, y, y, x * y]
    xs.remove(y)
    return sum(k * v for k, v in enumerate(xs, 1))


def removed_twice(x, y):
    class Row(list):
        pass

    xs = Row([y, x, x * y])
    xs.remove(x)
    xs.remove(y)
    return xs[0] * x


def removed_from_a_deque(x, y):
    d = deque([1.0, x, y, x * y], maxlen=4)
    d.remove(x)
    d.appendleft(d.pop())
    return sum(k * v for k, v in enumerate(d, 1))


def removed_where_it_was_found(x, y):
    xs = [x, y, x * y]
    del xs[xs.index(y)]
    xs.insert(xs.index(x * y), x)
    return sum(k * v for k, v in enumerate(xs, 1))


def kept_in_order(x, y):
    xs, heap = [x, y], []
    bisect.insort(xs, x)
    bisect.insort_left(xs, y)
    for v in (x, y, x * y, x, y):
        heapq.heappush(heap, v)
    total = sum(k * v for k, v in enumerate(xs, 1))
    return total + sum(k * heapq.heappop(heap) for k in range(1, 6))


@pytest.mark.parametrize(
    "f",
    [removed, removed_twice, removed_from_a_deque, removed_where_it_was_found, kept_in_order],
)
def test_one_number_under_two_names(f):
    x, apart = 1.5, float("1.5")
    assert x is not apart
    expected = gradient(f, x, apart)
    assert None not in expected
    right_everywhere(f, x, x, expected=expected)
    right_everywhere(f, 3, 3, expected=gradient(f, 3.0, float("3.0")))


def test_a_number_of_a_tuple_that_went_through_compiled_code_twice():
    def raising(a, b):
        kept.append(a * b)
        raise ValueError

    kept = []

    def program(x, pair):
        kept.clear()
        try:
            list(map(lambda each: raising(*each), [pair]))
        except ValueError:
            pass
        return kept[0] * x

    number = 1.5
    for pair in ((number, 2.5), (number, number)):
        try:
            found = gradient(program, 2.0, pair)
        except Unsupported:
            continue
        assert found == (pair[0] * pair[1], (2 * pair[1], 2 * pair[0]))
