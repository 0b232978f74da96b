"""Containers of no kind: their numbers are handed to a recorded text; the gradients are theirs."""

import collections
import dataclasses
import enum
import functools
import math
import random

import numpy as np
import pytest

import astad
from astad.runtime.core.variants import forget_all, variants_of

from ...recording.recorded_runs import agree

pytestmark = pytest.mark.order_matters


@pytest.fixture(autouse=True)
def _no_recordings_of_before():
    forget_all()


class Kind(enum.Enum):
    SPRING = 1
    DAMPER = 2


@dataclasses.dataclass
class Part:
    kind: Kind
    value: float
    name: str = "part"


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


Sample = collections.namedtuple("Sample", "group x")


def dicts(items, s):
    return sum(it["v"] * s for it in items)


def arrays(items, s):
    total = 0.0
    for w in items:
        total += np.sum(np.tanh(w)) * s
    return total


def parts(items, s):
    total = 0.0
    for part in items:
        total += part.value * s if part.kind is Kind.SPRING else part.value**2
    return total


def slotted(items, s):
    return sum(o.x * s + o.y for o in items)


def samples(items, s):
    found = {}
    for o in items:
        found[o.group] = found.get(o.group, 0.0) + o.x * s
    return sum(v * v for v in found.values())


def mixed(items, s):
    (first, table), *rest = items
    return first * s + table["a"][1] * rest[0].x + sum(o.x for o in rest)


def of_dicts(k):
    return [{"v": 1.0 + i + k, "name": f"n{i}"} for i in range(20)]


def of_arrays(k):
    return [np.arange(3.0) * 0.1 + i * 0.01 + k for i in range(20)]


def of_parts(k):
    kinds = [Kind.SPRING, Kind.DAMPER]
    return [Part(kinds[i % 2], 1.0 + i + k) for i in range(6)]


def of_slotted(k):
    return [Slotted(1.0 + i, 2.0 + k) for i in range(5)]


def of_samples(k):
    return [Sample(f"g{i % 3}", 1.0 + i + k) for i in range(10)]


def of_all(k):
    return [(1.0 + k, {"a": [1.0, 2.0 + k]}), Slotted(3.0, k), *of_slotted(k)]


PROGRAMS = [
    (dicts, of_dicts), (arrays, of_arrays), (parts, of_parts), (slotted, of_slotted),
    (samples, of_samples), (mixed, of_all),
]  # fmt: skip


@pytest.mark.parametrize(("f", "make"), PROGRAMS)
def test_gradients_are_those_of_the_pair(f, make):
    for k in range(7):
        agree(f, make(0.1 * k), 1.1 + 0.2 * k)
    about = variants_of(f).recorded
    assert about.made, about.why


@pytest.mark.parametrize(("f", "make"), PROGRAMS)
def test_another_structure_goes_another_way(f, make):
    for k in range(4):
        agree(f, make(0.1 * k), 1.1)
    for count in (6, 3, 2):
        agree(f, make(0.5)[:count], 1.3)
    agree(f, make(0.7), 1.5)


@pytest.mark.parametrize(("f", "make"), PROGRAMS)
def test_nothing_that_was_given_comes_again(f, make):
    """Each gradient is its caller's own."""
    given = make(0.0)
    found = [astad.gradient(f, given, 1.1)[0] for _ in range(6)]
    first = str(found[0])
    for each in found[1:]:
        assert str(each) == first
        assert all(a is not b for a in each for b in found[0] if isinstance(a, (list, dict)))


def test_an_object_that_is_two_items_is_left_to_the_pair():
    for k in range(5):
        agree(dicts, of_dicts(k), 1.1)
    one = {"v": 2.0, "name": "n0"}
    for _ in range(3):
        agree(dicts, [one, *of_dicts(1)[1:19], one], 1.1)


@pytest.mark.parametrize("twice", [lambda w: w, lambda w: w[:], lambda w: w[1:].repeat(1)])
def test_arrays_that_share_memory_are_left_to_the_pair(twice):
    for k in range(5):
        agree(arrays, of_arrays(k), 1.1)
    for k in range(3):
        given = of_arrays(k)
        agree(arrays, [*given[:19], twice(given[0])], 1.1)


# --- whole numbers to which no derivative comes


def memo(p, n):
    known = {}

    def go(i):
        if i not in known:
            known[i] = 1.0 if i == 0 else p * go(i - 1)
        return known[i]

    return go(n)


def cached(p, n):
    @functools.cache
    def go(i):
        return 1.0 if i == 0 else p * go(i - 1)

    return go(n)


def drawn(p, n):
    rng = random.Random(n)
    return sum(-math.log(1.0 - rng.random()) / p for _ in range(5))


def labels(p, n):
    obs = np.arange(6) % n
    return gathered(np.array([[p, 2.0 * p], [p * p, 1.0 + p]]), obs % 2)


def gathered(table, obs):
    total = 0.0
    for t in range(len(obs)):
        total += np.log(table[:, obs[t]].sum())
    return total


def at_times(p, n):
    return p * n if p > 1.0 else p * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0][n]


@pytest.mark.parametrize("f", [memo, cached, drawn, labels, at_times])
def test_whole_numbers_that_are_keys_seeds_and_sizes(f):
    for p, n in [(0.9, 5), (0.8, 5), (0.7, 5), (0.6, 4), (0.5, 5), (1.2, 5), (0.9, 3), (1.3, 5)]:
        agree(f, p, n)


def test_a_memo_is_recorded_for_each_size():
    for _ in range(6):
        agree(memo, 0.9, 5)
    assert variants_of(memo).recorded.made


def test_labels_in_an_array():
    table = np.abs(np.sin(np.arange(9.0))).reshape(3, 3) + 0.1
    for k in range(6):
        agree(gathered, table + 0.1 * k, np.array([0, 1, 2, 1, k % 3]))


class Share:
    def __init__(self, name, price, volume):
        self.name, self.price, self.volume = name, price, volume


def bought(shares, budget):
    total = 0.0
    for share in sorted(shares, key=lambda share: (share.volume / share.price, share.name)):
        if budget <= 0:
            break
        spent = min(budget, share.price * 2)
        total += spent * math.log(share.price) - share.volume**2
        budget -= spent
    return total


def test_numbers_that_a_key_reads_alone_have_the_zeros_of_the_pair():
    """The text does not read them: it had None for them, and was of no use."""
    for k in range(8):
        shares = [Share("a", 1.2 + 0.1 * k, 0.3), Share("b", 2.5, 0.9), Share("c", 1.7, 0.5)]
        agree(bought, shares, 4.0)
    assert variants_of(bought).recorded.made
