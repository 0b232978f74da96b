"""Numbers that are keys of dicts and counters keep their derivative, whoever makes the dict."""

import collections
import copy
import statistics

import pytest

from tests.conformance.harness import conforms


def counted(x):
    c = collections.Counter([x, x, 2.0])
    c.update(v for v in (x, 3 * x))
    c[5 * x] += 1
    top = (c - collections.Counter([7 * x])).most_common(1)[0]
    joined = c + c | collections.Counter({x: 9.0})
    return sum(c) + sum(c.elements()) + top[0] * top[1] + sum(k * v for k, v in joined.items())


def of_missing_keys(x):
    d = collections.defaultdict(int)
    for key in [x, 2 * x, x]:
        d[key] += 1
    made = collections.defaultdict(lambda: x)
    made[3 * x]
    return sum(k * v for k, v in d.items()) + sum(made) * sum(made.values())


def from_keys(x):
    plain = dict.fromkeys([x, 2 * x, x])
    drawn = collections.OrderedDict.fromkeys((v for v in (x, 5 * x)), x * 3)
    return sum(plain) + sum(drawn) * sum(drawn.values()) + sum(dict.fromkeys({7 * x}, 1.0))


def from_pairs(x):
    d = dict(zip([x, 2 * x, x], "abc", strict=True))
    d.update([(2 * x, 1), (3 * x, 2)])
    d |= {4 * x: x}
    key, value = d.popitem()
    return sum(d) + key * value


def merged_and_copied(x):
    d = {x: 1, 3 * x: x}
    merged = {x + 0.0: 5} | d | {4 * x: 2}
    copies = copy.deepcopy(d), copy.copy(d), d.copy(), {**d, 7 * x: 1}
    return sum(merged) + sum(map(sum, copies)) + sum(copies[0].values())


def set_by_default(x):
    d = {}
    values = d.setdefault(x, 3 * x), d.setdefault(x, 5.0), d.setdefault(2 * x, 1)
    return sum(values) + sum(d)


def of_mappings_in_python(x):
    chain = collections.ChainMap({x: 1}, {2 * x: 3, x: 7})
    return sum(dict(chain)) + sum({**chain}) + sum(collections.UserDict({x: 1}))


def turned_round(x):
    d = {x: "a", 2 * x: "b"}
    back = {v: k for k, v in d.items()}
    del d[x]
    d[x] = "c"
    d[x * 1.0] = "d"  # the key that is there stays
    return back["b"] + sum(d) + max(d, key=d.get) + min(zip(d.values(), d, strict=True))[1]


PROGRAMS = [
    counted, of_missing_keys, from_keys, from_pairs, merged_and_copied, set_by_default,
    of_mappings_in_python, turned_round,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_key_is_a_number(program):
    conforms(program, 0.7)


@pytest.mark.parametrize("fn", [statistics.mode, lambda data: sum(statistics.multimode(data))])
def test_most_common_value(fn):
    conforms(lambda data: fn([*data, data[1], data[3]]), [0.5, 1.5, 2.5, 3.5])
