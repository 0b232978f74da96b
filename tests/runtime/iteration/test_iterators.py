import collections
import itertools
from operator import add, getitem, mul

import numpy as np
import pytest

from astad import value_and_grad
from astad.runtime.core.versions import Versions
from astad.runtime.dispatch import call
from astad.runtime.iteration.iterate import iterate
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


class Rows:
    """Hands out multiples of a number, then stops with its square."""

    def __init__(self, x, count):
        self.x = x
        self.left = count

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration(self.x * self.x)
        self.left -= 1
        return self.x * (self.left + 1)


def is_true(v):
    return True


def rest_of(iterator):
    """What its end carries, and all elements."""
    total = 0.0
    while True:
        try:
            v = next(iterator)
        except StopIteration as end:
            return total + 1.0 if end.value is None else total * end.value + end.args[0]
        total = total * 2.0 + (sum(v) if isinstance(v, tuple) else v)


THROUGH_of_endings = {
    "itself": iter,
    "accumulate": itertools.accumulate,
    "chain": itertools.chain,
    "compress": lambda rows: itertools.compress(rows, [1, 0, 1, 1]),
    "cycle of nothing": lambda rows: itertools.islice(itertools.cycle(rows), 5),
    "dropwhile": lambda rows: itertools.dropwhile(lambda v: v > 2.5, rows),
    "enumerate": enumerate,
    "filter": lambda rows: filter(is_true, rows),
    "filter without a function": lambda rows: filter(None, rows),
    "filterfalse": lambda rows: itertools.filterfalse(lambda v: v > 2.5, rows),
    "islice": lambda rows: itertools.islice(rows, 9),
    "map": lambda rows: map(lambda v: v * v, rows),
    "map, behind a list": lambda rows: map(lambda v, w: v * w, [1.0, 2.0, 3.0], rows),
    "map of a map": lambda rows: map(abs, map(abs, rows)),
    "pairwise": itertools.pairwise,
    "starmap": lambda rows: itertools.starmap(lambda i, v: i * v, enumerate(rows)),
    "takewhile": lambda rows: itertools.takewhile(is_true, rows),
    "tee": lambda rows: itertools.tee(rows)[0],
    "zip": lambda rows: zip(rows, [1.0, 2.0, 3.0], strict=False),
    "zip, behind a list": lambda rows: zip([1.0, 2.0, 3.0], rows, strict=False),
    "zip_longest": lambda rows: itertools.zip_longest(rows, [1.0], fillvalue=2.0),
}


@pytest.mark.parametrize("through", THROUGH_of_endings)
def test_what_the_end_of_an_iterator_carries(through):
    def f(x):
        return rest_of(THROUGH_of_endings[through](Rows(x, 2))) * x

    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)


def returned(x):
    def rows():
        yield x
        return x * x

    return rest_of(map(abs, rows())) + rest_of(enumerate(rows()))


def delegated_to(x):
    def all_of():
        found = yield from map(lambda v: v * x, Rows(x, 2))
        more = yield from zip(Rows(x, 2), [1.0, 2.0, 3.0], strict=False)
        yield found, more

    return sum(sum(v) if isinstance(v, tuple) else v for v in all_of())


def raised_by_the_function(x):
    def f(v, *more):
        raise StopIteration(v * x)

    total = 0.0
    for made in (
        map(f, [x]),
        filter(f, [x]),
        itertools.takewhile(f, [x]),
        itertools.starmap(f, [(x, 2.0)]),
        itertools.accumulate([x * x, x], f),
    ):
        total = total * x + rest_of(made)
    return total


def raised_after_a_write(x):
    written = [x]

    def f(v):
        if v > 2.0:
            written[0] = v * x
            raise StopIteration
        return v

    return sum(list(map(f, [x, 2 * x, 3.0]))) * written[0]


def raised_by_next(x):
    total = 0.0
    for v in map(lambda part: next(part), [iter([x]), iter([2 * x]), iter([])]):
        total = total + v * v
    return total


def of_a_class_of_its_own(x):
    class Over(StopIteration):
        def __init__(self, v):
            super().__init__(v)
            self.double = 2 * v

    class Empty:
        def __iter__(self):
            return self

        def __next__(self):
            raise Over(x)

    try:
        return next(map(abs, Empty()))
    except Over as over:
        return over.value * x * over.double


@pytest.mark.parametrize(
    "f",
    [
        returned,
        delegated_to,
        raised_by_the_function,
        raised_after_a_write,
        raised_by_next,
        of_a_class_of_its_own,
    ],
)
def test_ends_that_carry_something(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)


# --- the sentinel taken from the end of what a loop empties


def summed_down(x, y):
    stack, total = [0.0, x, y], 0.0
    for v in iter(stack.pop, 0.0):
        total += v * v
    return total


def filled_meanwhile(x, y):
    stack, total = [x, 0.0, x * y, y], 0.0
    for v in iter(stack.pop, 0.0):
        total += v * v
        if v > 1.2:
            stack.insert(1, v * 0.3)
    return total * sum(stack)


def filled_again(x, y):
    stack, total = collections.deque([x * y, 0.0, x, y]), 0.0
    for v in iter(stack.pop, 0.0):
        total = total * v + v
    stack.append(total)
    stack.append(x)
    return sum(k * v for k, v in enumerate(stack, 1))


def one_in_another(x, y):
    stack, total = [x * y, -1.0, x, y], 0.0
    for v in iter(stack.pop, -1.0):
        for w in iter([-1.0, v, x].pop, -1.0):
            total += w * v
    stack += [total, x]
    return stack[0] * stack[1] + stack[2]


@pytest.mark.parametrize("program", [summed_down, filled_meanwhile, filled_again, one_in_another])
def test_a_loop_until_a_sentinel_at_the_end_of_a_stack(program):
    right_everywhere(program, 1.3, 0.8)


def at_the_front_of_a_queue(x, y):
    queue, total = collections.deque([x, 0.0, x * y]), 0.0
    for v in iter(queue.popleft, 0.0):
        total += v * v
    return total * queue[0]


def counted_at_the_front(x, y):
    queue, total = [x, x * y, -1.0, y], 0.0
    for k, v in enumerate(iter(lambda: queue.pop(0), -1.0), 1):
        total += v * k
        queue.append(total)
    return sum(queue) * total


@pytest.mark.parametrize("program", [at_the_front_of_a_queue, counted_at_the_front])
def test_a_loop_until_a_sentinel_at_the_front_of_a_queue(program):
    right_everywhere(program, 1.3, 0.8)
