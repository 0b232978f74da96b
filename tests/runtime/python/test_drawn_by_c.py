"""groupby and compress, which ask what they draw whether it is equal or true."""

import itertools

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


class Value:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v

    def __hash__(self):
        return hash(self.v)

    def __bool__(self):
        return self.v > 1


class Logging(Value):
    """Stores a number each time that it is asked."""

    def __init__(self, v, log):
        self.v, self.log = v, log

    def __eq__(self, other):
        self.log.append(self.v * 2)
        return self.v == other.v

    def __hash__(self):
        return 1

    def __bool__(self):
        self.log.append(self.v * 3)
        return self.v > 1


def test_selectors_that_store_when_they_are_asked():
    def f(a, b):
        log = [b]
        selectors = [Logging(a, log), Logging(b, log), Logging(a + b, log)]
        total = 0.0
        for v in itertools.compress([a, b, a * b], selectors):
            total = total * log[-1] + v
        return total * len(log) + sum(log)

    check_gradient(f, 1.5, 0.4)


def test_selectors_of_a_generator_that_reads_what_they_store():
    def f(a, b):
        log = [b]

        def selectors():
            for k in range(3):
                yield Logging(a * k + log[-1], log)

        return sum(itertools.compress([a, b, a * b], selectors())) * sum(log)

    check_gradient(f, 1.5, 0.4)


@pytest.mark.parametrize(
    "program",
    [
        lambda a, b: sum(itertools.compress([a, b, a * b], [Value(a), Value(b), Value(a + b)])),
        lambda a, b: sum(itertools.compress([a, b, a * b], [a, 0.0, b])),
        lambda a, b: sum(itertools.compress([a, b, a * b], itertools.cycle([1, 0]))),
        lambda a, b: sum(
            k.v * len(list(g)) for k, g in itertools.groupby([Value(a), Value(a), Value(b)])
        ),
        lambda a, b: sum(k * len(list(g)) for k, g in itertools.groupby([a, a, b])),
    ],
)
def test_what_stores_nothing(program):
    check_gradient(program, 1.5, 0.4)


@pytest.mark.parametrize(
    "groups",
    [
        lambda items: itertools.groupby(items),
        lambda items: itertools.groupby([0, 1, 2], key=items.__getitem__),
        lambda items: itertools.groupby(items, key=lambda item: item),
    ],
)
def test_keys_that_store_when_they_are_compared(groups):
    def f(a):
        log = [a]
        items = [Logging(a, log), Logging(a, log), Logging(2 * a, log)]
        return len([key for key, _ in groups(items)]) * sum(log)

    with pytest.raises(Unsupported, match="whose __eq__ stores something"):
        gradient(f, 1.5)
