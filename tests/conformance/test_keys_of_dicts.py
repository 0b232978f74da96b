"""Numbers that are keys of dicts and counters keep their derivative, whoever makes the dict."""

import collections
import copy
import statistics

import numpy as np
import pytest

from astad import gradient
from tests.conformance.harness import conforms
from tests.programs.everywhere import right_everywhere


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


def stored(n):
    d = {}
    d[n] = 2.0
    d[n * n] = 1.0
    total = 0.0
    for k in d:
        total += k * d[k]
    return total


def computed(n):
    d = {k * n: k for k in range(1, 4)}
    return float(sum(k * v for k, v in d.items()) + sorted(d)[1] * max(d))


def tallied(n):
    counts = collections.Counter([n, n, 2 * n])
    return sum(k * v for k, v in counts.items()) * statistics.mode([n, n, 1]) * 1.0


def grouped(n):
    groups = collections.defaultdict(list)
    for v in (n, 2 * n, n):
        groups[v].append(v)
    return sum(k * len(g) * 1.0 for k, g in groups.items()) + next(iter({n: 0}))


def nested_and_merged(n):
    d = {n: {n * n: 1.0}} | {2 * n: {n: 2.0}}
    return sum(k * kk * v for k, inner in d.items() for kk, v in inner.items())


def taken_out(n):
    d = collections.OrderedDict.fromkeys([n, n + 1, n * n], 2.0)
    k, v = d.popitem()
    return k * v + sum(a * b for a, b in zip(d, d.values(), strict=True)) + [*d.keys()][0]


@pytest.mark.parametrize(
    "program",
    [stored, computed, tallied, grouped, nested_and_merged, taken_out, *PROGRAMS],
)
def test_whole_numbers_as_keys(program):
    if program is tallied:
        right_everywhere(program, 3, expected=(2 * 4 * 3,))
    else:
        right_everywhere(program, 3, expected=gradient(program, 3.0))


def test_a_whole_number_at_the_end_of_a_range_of_numbers():
    right_everywhere(lambda n: float(np.sum(np.mgrid[0:n:5j] ** 2)), 3)
    right_everywhere(lambda n: float(np.sum(np.r_[n, 6:n:3j] ** 2)), 3)


@pytest.mark.parametrize("fn", [statistics.mode, lambda data: sum(statistics.multimode(data))])
def test_most_common_value(fn):
    conforms(lambda data: fn([*data, data[1], data[3]]), [0.5, 1.5, 2.5, 3.5])
