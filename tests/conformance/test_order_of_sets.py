"""The order of a set depends on how it was filled: it is that of the plain run."""

import copy
import random

import pytest

import astad

pytestmark = pytest.mark.order_matters

WORDS = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "omikron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi",
    "psi", "omega",
]  # fmt: skip


def code(items):
    """A number that tells the order of the words."""
    return sum((k + 1) * (len(each) + WORDS.index(each) / 50) for k, each in enumerate(items))


def copied(x, p, q):
    return x * code(set(set(p)))


def united(x, p, q):
    return x * code(set(p) | set(q))


def united_with_a_list(x, p, q):
    return x * code(set(p).union(q))


def starred(x, p, q):
    return x * code({*p, *q})


def keys_of_a_dict(x, p, q):
    return x * code(set(dict.fromkeys(p)))


def difference(x, p, q):
    return x * code(frozenset(p) - frozenset(q))


def updated(x, p, q):
    s = set(p)
    s.update(q)
    return x * code(s)


def updated_by_a_set(x, p, q):
    s = set(p)
    s.update(set(q))
    return x * code(s)


def united_in_place(x, p, q):
    s = set(p)
    s |= set(q)
    return x * code(s)


def updated_by_a_dict(x, p, q):
    s = set(p)
    s.update(dict.fromkeys(q))
    return x * code(s)


def united_keys(x, p, q):
    return x * code(dict.fromkeys(p).keys() | dict.fromkeys(q).keys())


def comprehension(x, p, q):
    return x * code({n for n in p})


def starred_set(x, p, q):
    return x * code({*set(p)})


def symmetric_difference(x, p, q):
    return x * code(set(p) ^ set(q))


def difference_in_place(x, p, q):
    s = set(p).copy()
    s -= set(q)
    s.add("omega")
    return x * code(s)


def discarded(x, p, q):
    s = set()
    for n in p:
        s.add(n)
    t = set(s)
    for n in q:
        t.discard(n)
    return x * code(t)


def constants_and_a_star(x, p, q):
    return x * code({"alpha", "omega", *p})


def intersection(x, p, q):
    return x * code(set(p) & set(q))


def intersection_with_a_list(x, p, q):
    return x * code(set(p).intersection(q))


def difference_of_several(x, p, q):
    return x * code(set(p).difference(q, ["mu"]))


def mapped(x, p, q):
    return x * code(set(map(str.lower, p)))


def unpacked(x, p, q):
    a, *r = set(p)
    return x * (code(r) + WORDS.index(a))


def listed(x, p, q):
    return x * code(list(set(p))) + x * code(tuple(frozenset(set(q))))


def copied_by_copy(x, p, q):
    return x * code(copy.copy(set(p))) + x * code(copy.deepcopy(set(set(q))))


def without_keys(x, p, q):
    return x * code(set(p) - dict.fromkeys(q).keys())


def of_a_comprehension(x, p, q):
    return x * code(set({n: x for n in p}))


class Own(set):
    pass


def subclass(x, p, q):
    return x * code(Own(set(p)) | Own(q))


class Told(set):
    def __init__(self, v):
        super().__init__(v)
        self.v = 1


def subclass_with_init(x, p, q):
    return x * code(Told(set(p))) + x * code(Told(dict.fromkeys(q)))


def updates(x, p, q):
    s = set(p)
    s.symmetric_difference_update(q)
    s.intersection_update(WORDS[3:])
    return x * code(s)


def cleared(x, p, q):
    s = {n for n in p}
    s.difference_update(set(q))
    s.clear()
    s.update(q, p)
    return x * code(s)


PROGRAMS = [
    copied,
    united,
    united_with_a_list,
    starred,
    keys_of_a_dict,
    difference,
    updated,
    updated_by_a_set,
    united_in_place,
    updated_by_a_dict,
    united_keys,
    comprehension,
    starred_set,
    symmetric_difference,
    difference_in_place,
    discarded,
    constants_and_a_star,
    intersection,
    intersection_with_a_list,
    difference_of_several,
    mapped,
    unpacked,
    listed,
    copied_by_copy,
    without_keys,
    of_a_comprehension,
    subclass,
    subclass_with_init,
    updates,
    cleared,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_order(program):
    drawn = random.Random(program.__name__)
    for _ in range(6):
        p = drawn.sample(WORDS, drawn.randint(2, 20))
        q = drawn.sample(WORDS, drawn.randint(1, 14))
        expected = program(1.5, p, q)
        for _ in range(3):
            value, slope = astad.value_and_grad(program)(1.5, p, q)
            assert value == expected
            assert slope == pytest.approx(expected / 1.5, rel=1e-12)
