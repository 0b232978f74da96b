import collections
import itertools

import pytest

from astad import value_and_grad
from astad.testing import check_gradient
from tests.programs.everywhere import right_everywhere


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


THROUGH = {
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


@pytest.mark.parametrize("through", THROUGH)
def test_what_the_end_of_an_iterator_carries(through):
    def f(x):
        return rest_of(THROUGH[through](Rows(x, 2))) * x

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
