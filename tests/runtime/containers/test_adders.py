"""Items that are added to a container one by one."""

from collections import Counter, OrderedDict, deque
from operator import getitem, mul

import pytest

from astad.errors import Unsupported
from astad.runtime.containers.adders import adder
from astad.runtime.language import build_tuple
from tests.programs.everywhere import right_everywhere


def test_items_added_one_by_one(check):
    def program(do, x, l, d, s):
        add = do(adder, l, "extend")
        for factor in (2.0, 3.0):
            do(add, do(mul, x, do(mul, factor, do(getitem, l, -1))))
        put = do(adder, d, "update")
        do(put, do(build_tuple, "a", do(mul, x, do(getitem, d, "a"))))
        first = do(adder, s, "extendleft")
        do(first, do(mul, x, x))
        return do(mul, do(getitem, l, -1), do(mul, do(getitem, d, "a"), do(getitem, s, 0)))

    check(program, 1.5, [2.0], {"a": 3.0}, deque([1.0]))


def test_items_are_added_to_what_is_known_only():
    class Bag(list):
        def extend(self, items):
            pass

    assert adder(type("Same", (list,), {})(), "extend")(1) is None
    counts = Counter("a")
    adder(counts, "update")("a")
    assert counts == {"a": 2}
    for o, name in ((Bag(), "extend"), (OrderedDict(), "update"), (bytearray(), "extend")):
        with pytest.raises(Unsupported, match="write a list"):
            adder(o, name)
    with pytest.raises(AttributeError, match="extend"):
        adder(None, "extend")


class Bag(list):
    def extend(self, items):
        super().extend(items)

    def put(self, *items):
        super().extend(v * 2 for v in items)


def twice_each(x):
    b = Bag([x])
    b.put(x, 2 * x)
    return b[0] * b[1] + b[2]


def by_a_list(x):
    b = Bag([x])
    b.extend([2 * x, 3 * x])
    return b[0] * b[1] + b[2]


def by_a_generator(x):
    b = Bag([x])

    def g():
        for k in range(3):
            yield (x * k * len(b))

    b.extend(g())
    return b[0] * b[1] + b[2]


def by_a_method_that_asks_the_length(x):

    class Noted(list):
        def add_all(self, xs):
            super().extend((self.fix(v) for v in xs))
            return self

        def fix(self, v):
            return v * len(self)

    return sum(Noted([x]).add_all([x, 2 * x, 3 * x]))


@pytest.mark.parametrize(
    "program",
    [twice_each, by_a_list, by_a_generator, by_a_method_that_asks_the_length],
    ids=lambda program: program.__name__,
)
def test_extend_of_super(program):
    right_everywhere(program, 1.3)
