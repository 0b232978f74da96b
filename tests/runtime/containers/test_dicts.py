from collections import OrderedDict, defaultdict
from operator import add, getitem, mul, setitem

import numpy as np
import pytest

from astad.runtime.core.full_rules import FULL
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.runtime.language import build_dict, build_list, build_tuple, dict_merge


def test_displays_with_merged_mappings(check):
    def program(do, d, x):
        e = do(build_dict, "a", x, "c", do(mul, x, x), "a", do(mul, 2.0, x))
        do(dict_merge, e, d)
        do(setitem, e, "b", do(mul, do(getitem, e, "b"), do(getitem, e, "c")))
        return do(mul, do(getitem, e, "b"), do(getitem, e, "a"))

    check(program, {"b": 3.0}, 1.5)


def test_conversions(check):
    def program(do, d, x):
        e = do(dict, d, k=x)
        f = do(
            dict, do(build_list, do(build_tuple, "a", x), do(build_list, "b", do(getitem, e, "b")))
        )
        g = do(OrderedDict, f)
        h = do(defaultdict, float, g, z=do(mul, x, x))
        total = do(mul, do(getitem, e, "k"), do(getitem, h, "z"))
        return do(mul, total, do(add, do(getitem, g, "a"), do(getitem, h, "b")))

    check(program, {"b": 3.0}, 1.5)


def test_methods_that_read(check):
    def program(do, d, x):
        a = do(mul, do(dict.get, d, "a"), do(dict.get, d, "missing", x))
        b = do(mul, do(dict.pop, d, "b"), do(dict.pop, d, "missing", do(mul, x, x)))
        c = do(mul, do(dict.setdefault, d, "a", 5.0), do(dict.setdefault, d, "new", x))
        total = do(add, a, do(add, b, do(mul, c, do(getitem, d, "new"))))
        return do(mul, total, do(getitem, do(dict.popitem, d), 1))

    check(program, {"a": 2.0, "b": 3.0}, 1.5)


def test_update_and_copy(check):
    def program(do, d, x):
        e = do(dict.copy, d)
        do(dict.update, d, do(build_dict, "a", x), b=do(mul, x, x))
        do(dict.update, d, do(zip, ["c", "d"], do(build_list, x, do(getitem, e, "a"))))
        first = do(mul, do(getitem, d, "a"), do(getitem, d, "b"))
        return do(mul, first, do(mul, do(getitem, d, "d"), do(getitem, e, "a")))

    check(program, {"a": 2.0}, 1.5)


def test_fromkeys():
    rule = FULL[id(dict.__dict__["fromkeys"])]
    d, record = rule(Versions(), dict, ["a", "b"], 2.0)
    shadows = Shadows()
    shadows.add(d, {"a": 3.0, "b": 4.0})
    assert d == {"a": 2.0, "b": 2.0}
    assert list(pull(shadows, record, None, 3)) == [None, None, 7.0]


def test_views_in_loops(check):
    def program(do, d, x):
        total = x
        for key, v in (
            (do(getitem, pair, 0), do(getitem, pair, 1)) for pair in do.loop(do(dict.items, d))
        ):
            total = do(mul, total, v)
        for v in do.loop(do(dict.values, d)):
            total = do(add, total, do(mul, v, x))
        for key in do.loop(d):
            do(setitem, d, key, do(mul, do(getitem, d, key), total))
        return do(getitem, d, "b")

    check(program, {"a": 2.0, "b": 3.0}, 1.5)


def test_a_mapping_of_the_users(check, written):
    class Settings:
        def __init__(self, rate):
            self.rate = rate

        def keys(self):
            return ["rate"]

        @written
        def __getitem__(do, self, key):
            return do(mul, do(getattr, self, "rate"), 3.0)

    def program(do, s, x):
        d = do(dict, s)
        return do(mul, do(getitem, d, "rate"), x)

    check(program, Settings(2.0), 1.5)


def test_arrays_in_dicts_move_nothing(check):
    def program(do, d, x):
        do(setitem, do(dict.get, d, "w"), 0, x)
        return do(np.sum, do(mul, do(getitem, d, "w"), do(getitem, d, "w")))

    check(program, {"w": np.array([2.0, 3.0])}, 1.5)


def test_errors_are_pythons():
    for fn, args in (
        (dict.pop, ({}, "k")), (dict, (3,)), (dict, ([(1, 2), (1, 2, 3)],)),
        (dict.popitem, ({},)), (dict, (1, 2)),
        (dict_merge, ({}, [1])), (dict.update, ({}, 1, 2)),
    ):  # fmt: skip
        with pytest.raises(Exception) as plain:
            fn(*args)
        with pytest.raises(type(plain.value)) as run:
            call(Versions(), fn, *args)
        assert str(run.value) == str(plain.value)
