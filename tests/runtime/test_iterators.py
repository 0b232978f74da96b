import itertools
from operator import add, getitem, mul

import numpy as np
import pytest

from astad.runtime.dispatch import call
from astad.runtime.iterate import iterate
from astad.runtime.versions import Versions
from astad.testing import check_gradient
from tests.programs.everywhere import right_everywhere


def pairs(do, iterable):
    """Sum of k * a * b**2 over an iterable of pairs."""
    total, k = 0.0, 1.0
    for pair in do.loop(iterable):
        a, b = do(getitem, pair, 0), do(getitem, pair, -1)
        total = do(add, total, do(mul, k, do(mul, a, do(mul, b, b))))
        k += 1.0
    return total


def test_zip(check):
    def program(do, l, a, d):
        return do(
            mul, pairs(do, do(zip, l, a)), pairs(do, do(zip, do(dict.values, d), range(5), a))
        )

    check(program, [2.0, 3.0], np.array([5.0, 7.0, 11.0]), {"a": 0.5, "b": 0.25, "c": 4.0})


def test_the_grouping_idiom(check):
    def program(do, l):
        it = do(iter, l)
        return pairs(do, do(zip, it, it))

    check(program, [2.0, 3.0, 5.0, 7.0, 11.0])


def test_zip_left_and_taken_up_again(check):
    def program(do, l, m):
        z = do(zip, l, m)
        first = do(next, z)
        return do(mul, pairs(do, z), do(getitem, first, 1))

    check(program, [2.0, 3.0, 5.0], [7.0, 11.0, 0.5])


@pytest.mark.parametrize("lengths", [(2, 1), (1, 2), (1, 1, 2), (2, 2, 1)])
def test_strict_zip_raises_pythons_error(lengths):
    lists = [[1.0] * n for n in lengths]
    with pytest.raises(ValueError) as plain:
        list(zip(*lists, strict=True))
    made, _ = call(Versions(), zip, *lists, strict=True)
    with pytest.raises(ValueError) as run:
        list(iterate(Versions(), made))
    assert str(run.value) == str(plain.value)


def test_enumerate(check):
    def program(do, l, a):
        e = do(enumerate, l, 1)
        do(next, e)
        return do(mul, pairs(do, e), pairs(do, do(enumerate, a)))

    check(program, [2.0, 3.0, 5.0], np.array([0.5, 7.0]))


def test_enumerate_keeps_its_count_when_a_loop_is_left():
    made, _ = call(Versions(), enumerate, ["a", "b", "c"])
    for (i, _), _ in iterate(Versions(), made):
        if i == 1:
            break
    assert next(made) == (2, "c")


@pytest.mark.parametrize(
    "make",
    [
        lambda xs: enumerate(zip(xs, xs)),
        lambda xs: enumerate(map(lambda v: v * v, xs), 3),
        lambda xs: enumerate({"a": xs[0], "b": xs[1], "c": xs[2], "d": xs[3]}.items()),
        lambda xs: enumerate(enumerate(xs)),
        lambda xs: itertools.islice(map(lambda v: v * v, xs), 4),
        lambda xs: itertools.islice(zip(xs, xs), 1, 4),
        lambda xs: itertools.islice(enumerate(zip(xs, xs)), 0, 4, 2),
    ],
)
def test_a_loop_over_counted_elements_is_left_and_taken_up_again(make):
    def total(v):
        return sum(map(total, v)) if isinstance(v, tuple) else 0.0 if isinstance(v, str) else v

    def f(x):
        elements = make([x, x * x, x * x * x, x * 2.0, x * 3.0])
        s, factor = 0.0, 1.0
        for v in elements:
            s = s + total(v)
            break
        for v in elements:
            factor = factor + 1.0
            s = s + factor * total(v) ** 2
            if factor == 2.0:
                s = s + total(next(elements, (x,)))
        return s

    check_gradient(f, 1.3)


def test_reversed(check, written):
    class Twice:
        def __init__(self, l):
            self.l = l

        @written
        def __reversed__(do, self):
            return do(reversed, do(getattr, self, "l"))

    def program(do, t, a):
        return pairs(do, do(zip, do(reversed, t), do(reversed, do(tuple, a))))

    check(program, Twice([2.0, 3.0]), np.array([5.0, 7.0, 11.0]))


def test_next_with_a_default(check):
    def program(do, l, x):
        it = do(iter, l)
        return do(mul, do(next, it, x), do(mul, do(next, it, x), do(next, it, x)))

    check(program, [2.0], 1.5)


def test_next_at_the_end_raises():
    with pytest.raises(StopIteration):
        call(Versions(), next, iter([]))
    with pytest.raises(TypeError):
        call(Versions(), next, [])


def test_iter_of_the_users(check, written):
    class Bag:
        def __init__(self, items):
            self.items = items

        @written
        def __iter__(do, self):
            return do(iter, do(getattr, self, "items"))

    def program(do, bag, l):
        return pairs(do, do(zip, bag, l))

    check(program, Bag([2.0, 3.0]), [5.0, 7.0])


def test_iter_with_a_sentinel():
    values = iter([1.0, 2.0, 3.0])
    made, record = call(Versions(), iter, lambda: next(values), 2.0)
    assert list(made) == [1.0] and record is None


class Asked:
    """Changes what it hands out whenever it is asked for anything."""

    def __init__(self, values, scale):
        self.values, self.scale = values, scale

    def __iter__(self):
        self.scale[0] *= 1.5
        return self

    def __next__(self):
        self.scale[0] += 0.25
        if not self.values:
            self.scale[0] *= 2.0
            raise StopIteration
        return self.values.pop() * self.scale[0]


THROUGH = {
    "map": lambda rows: map(lambda v: v * v, rows),
    "zip": lambda rows: (a * b for a, b in zip(rows, [2.0, 3.0], strict=False)),
    "zip_longest": lambda rows: (a * b for a, b in itertools.zip_longest(rows, [2.0], fillvalue=3)),
    "filter": lambda rows: filter(lambda v: v > 0.1, rows),
    "takewhile": lambda rows: itertools.takewhile(lambda v: v > 0.1, rows),
    "starmap": lambda rows: itertools.starmap(lambda i, v: i * v, enumerate(rows)),
    "accumulate": lambda rows: itertools.accumulate(rows, lambda a, b: a * b),
    "chain": lambda rows: itertools.chain([1.5], rows),
    "groupby": lambda rows: (k * sum(group) for k, group in itertools.groupby(rows)),
    "tee": lambda rows: (a + b for a, b in zip(*itertools.tee(rows), strict=True)),
    "pairwise": lambda rows: (a * b for a, b in itertools.pairwise(rows)),
    "cycle": lambda rows: itertools.islice(itertools.cycle(rows), 5),
}


@pytest.mark.parametrize("through", THROUGH)
def test_an_iterator_of_ones_own_is_asked_as_often_as_by_python(through):
    def program(x):
        scale = [x]
        total = 0.0
        for v in THROUGH[through](Asked([x, 2.0], scale)):
            total = total * 0.5 + v
        return total * scale[0]

    right_everywhere(program, 1.3)
