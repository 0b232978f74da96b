"""Objects that are passed twice, in sets and as keys: what looks them up by identity is refused."""

import pytest

import astad
from astad.errors import Unsupported


class Node:
    def __init__(self, w):
        self.w = w


def in_a_set(x, y):
    return x.w * len({x, y}) + y.w


def in_a_set_of_a_list(x, y):
    return x.w * len(set([x, y])) + y.w


def added(x, y):
    seen = set()
    for each in (x, y):
        seen.add(each)
    return x.w * len(seen)


def as_key(x, y):
    return {x: x.w, y: 3.0}[x] + y.w


def found(x, y):
    return {x: x.w * 2}.get(y, 0.0) + y.w


def stored(x, y):
    table = {}
    table[x] = x.w
    table[y] = 3.0
    return table[x]


def removed(x, y):
    nodes = [x, 2.0]
    nodes.remove(y)
    return len(nodes) * x.w


@pytest.mark.parametrize("f", [in_a_set, in_a_set_of_a_list, added, as_key, found, stored, removed])
def test_keys_that_are_one_object(f):
    shared = Node(2.0)
    with pytest.raises(Unsupported, match="an object that is passed twice, in a set or"):
        astad.pullback(f, shared, shared)


def test_keys_that_are_two_objects():
    y, back = astad.pullback(found, Node(2.0), Node(2.0))
    assert y == 2.0
    assert back(1.0)[1].w == 1.0
