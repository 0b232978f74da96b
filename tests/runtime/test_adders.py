"""Items that are added to a container one by one."""

from collections import Counter, OrderedDict, deque
from operator import getitem, mul

import pytest

from astad.errors import Unsupported
from astad.runtime.adders import adder
from astad.runtime.language import build_tuple


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
