"""Sets made by operators of the keys and the items of dicts, with what else there is."""

from collections import OrderedDict

import pytest

from tests.conformance.harness import conforms

pytestmark = pytest.mark.order_matters


def what_has_changed(x, z):
    old, new = {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": x * z}
    return sum(dict(new.items() - old.items()).values()) * x


def items_in_both(x, z):
    d, e = {"a": x, "b": x * x}, {"a": x, "c": z}
    return sum(v * 2.0 for _, v in d.items() & e.items()) * z


def items_of_either(x, z):
    d, e = {"a": x, "b": x * z}, {"a": z, "b": 3.0}
    both = d.items() | e.items()
    return sum(v * len(k) for k, v in both) + sum(v * v for _, v in d.items() ^ e.items())


def items_and_a_set(x, z):
    d = OrderedDict(a=x, b=z * z)
    rest = d.items() - {("a", 0.0)}
    more = {("c", x**3)} | d.items()
    return sum(v for _, v in rest) * sum(v for _, v in more)


def keys_that_are_numbers(x, z):
    d = {x: 1.0, x * z: 2.0, 3: z}
    return sum(k for k in d.keys() - {0.1}) + sum(d[k] for k in d.keys() & {3, 5}) * x


def keys_and_a_list(x, z):
    d, wanted = {1: x, 2: x * z, 5: z}, [2, 5, 7]
    return sum(d[k] * k for k in d.keys() & wanted) + len(d.keys() | wanted) * x


def keys_that_are_tuples(x, z):
    d = {(1, 2): x, (0, 1): x * z}
    return sum(d[k] * k[1] for k in d.keys() | {(0, 1)})


PROGRAMS = [
    what_has_changed, items_in_both, items_of_either, items_and_a_set, keys_that_are_numbers,
    keys_and_a_list, keys_that_are_tuples,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs(program):
    conforms(program, 1.3, 0.7)
