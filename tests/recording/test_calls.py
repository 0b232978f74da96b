"""Compiled code that would ask an object of the user's is not run unseen."""

import collections
import datetime
import functools
import itertools
import math
import typing

import numpy as np
import pytest

import astad
from astad.runtime.core.variants import variants_of

from .recorded_runs import agree, opaque, recorded, refused

pytestmark = pytest.mark.order_matters


class Rate:
    def __init__(self, rate):
        self.rate = rate

    def __float__(self):
        return self.rate

    def __index__(self):
        return int(self.rate)

    def __array__(self, dtype=None, copy=None):
        return np.array([self.rate, 1.0])

    def __round__(self, digits=0):
        return round(self.rate, digits)

    def keys(self):
        return ["a"]

    def __getitem__(self, key):
        return self.rate


RATE = Rate(2.0)


def filled(v):
    found = [v, 3.0 * v, 5.0 * v, 7.0 * v]
    found.insert(RATE, 11.0 * v)
    return found


def turned(*items):
    found = collections.deque(items)
    found.rotate(RATE)
    return found


def drawn(x):
    return {1: opaque(x), 2: x * x}.values()


ASKING = {
    "a function of math": lambda v: v * math.sqrt(RATE),
    "a function of NumPy": lambda v: v * np.sum(RATE),
    "an operand in a list": lambda v: v * math.fsum([RATE]),
    "a subscript": lambda v: v * [1.0, 3.0, 5.0, 7.0][RATE],
    "a slice": lambda v: v * sum([1.0, 3.0, 5.0, 7.0][:RATE]),
    "a range": lambda v: v * len(range(RATE)),
    "a dict": lambda v: v * dict(RATE)["a"],
    "float": lambda v: v * float(RATE),
    "int": lambda v: v * int(RATE.__index__()),
    "round": lambda v: v * round(RATE),
    "a place to take from": lambda v: v * [1.0, 3.0, 5.0, 7.0].pop(RATE),
    "a place to put at": lambda v: filled(v)[2],
    "a turn": lambda v: v * turned(1.0, 3.0, 5.0, 7.0)[0],
    "a date": lambda v: v * datetime.date(2020, RATE, 5).month,
    "a count from": lambda v: v * next(itertools.count(RATE.rate, 0.5)),
    "a slice of an iterator": lambda v: v * sum(itertools.islice([1.0, 3.0, 5.0, 7.0], RATE)),
    "a beginning": lambda v: v * next(enumerate("a", RATE))[0],
    "a letter": lambda v: v * ord(chr(RATE)),
    "a time": lambda v: v * (datetime.timedelta(hours=1) * RATE.rate).total_seconds(),
}


@pytest.mark.parametrize("name", ASKING)
def test_what_an_object_tells_is_asked_anew(name):
    ask = ASKING[name]

    def f(x):
        return sum(ask(v) for v in drawn(x))

    RATE.rate = 2.0
    for _ in range(3):
        agree(f, 1.5)
    before = agree(f, 1.5)
    RATE.rate = 3.0
    assert agree(f, 1.5) != before


def test_a_number_in_a_time_is_followed_or_refused():
    def f(x):
        return sum((datetime.timedelta(hours=2) * v).total_seconds() + v for v in drawn(x))

    for x in (1.5, 1.5, 1.5, 2.5):
        assert f(x) == pytest.approx(7201.0 * (x + x * x), rel=1e-6)
        assert why(f, x)


def why(f, x):
    try:
        return refused(f, x)
    except Exception as error:  # the pair itself refuses
        return str(error)


CALLBACKS = []


def test_callbacks_are_run_as_often_as_by_the_pair():
    def noted(v):
        CALLBACKS.append(v)
        return v * v

    def f(x):
        return float(np.sum(np.apply_along_axis(noted, 0, np.array([x, 1.0])))) + sum(drawn(x))

    for at in range(4):
        CALLBACKS.clear()
        try:
            agree(f, 1.5)
        except Exception as error:
            assert "apply_along_axis" in str(error) or "noted" in str(error), error
            break
        assert len(CALLBACKS) <= 4, at


NATURAL = {
    "abs, min, max": lambda x: abs(min(drawn(x))) + max(drawn(x), key=lambda v: -v),
    "sorted": lambda x: sum(w * v for w, v in zip((1.0, 2.0), sorted(drawn(x)), strict=True)),
    "divmod": lambda x: sum(divmod(v, 0.7)[1] for v in drawn(x)),
    "round and int": lambda x: sum(v * round(v) + int(v) for v in drawn(x)),
    "a queue": lambda x: collections.deque(drawn(x)).popleft() * x,
    "any and all": lambda x: x * (any(v > 2.0 for v in drawn(x)) + all(v > 1.0 for v in drawn(x))),
    "text": lambda x: sum(v * len("a,b".split(",")[k].upper()) for k, v in enumerate(drawn(x))),
    "getattr": lambda x: sum(
        getattr(v, "real", None) * getattr(RATE, "none", 2.0) for v in drawn(x)
    ),
    "isinstance": lambda x: sum(v if isinstance(v, float) else 0.0 for v in drawn(x)),
    "sets": lambda x: x * len({1, 2} | {2, 3}) * sum(drawn(x)),
    "arrays": lambda x: float(np.sum(np.array([*drawn(x)]) ** 2)) * np.where(x > 0, x, 0.0).item(),
    "counts": lambda x: sum(v * [1, 1, 2].count(1) for v in drawn(x)),
    "of a fraction": lambda x: sum(math.fmod(v, 0.75) + math.hypot(v, 1.0) for v in drawn(x)),
}


@pytest.mark.parametrize("name", NATURAL)
def test_functions_of_python(name):
    f = NATURAL[name]
    recorded(f, 1.5)
    for x in (1.6, 2.5, -0.3, 1.5):
        agree(f, x)


DRAWN = []


@functools.lru_cache(maxsize=None)
def noise(n):
    DRAWN.append(n)
    return float(n) * 1.5


@functools.lru_cache(maxsize=None)
def weight(n):
    return float(n) * 2.0


@functools.lru_cache(maxsize=None)
def weight_by_rate(n):
    return float(n) * RATE.rate


def test_a_cached_function_with_effects_is_not_run_by_a_recording():
    def f(x, n):
        return sum(v * noise(n) for v in drawn(x))

    DRAWN.clear()
    counts = []
    for _ in range(4):
        astad.value_and_grad(f)(2.0, 4)
        counts.append(len(DRAWN))
    assert counts == [1, 2, 3, 4]  # what the pair computes once more, and nothing besides


def test_a_cached_function_is_what_its_text_gives():
    def f(x, n):
        return sum(v * weight(n) for v in drawn(x))

    recorded(f, 1.5, 3, wanted=(0,))
    agree(f, 2.5, 3, wanted=(0,))
    agree(f, 2.5, 4, wanted=(0,))

    def g(x, n):
        return sum(v * weight_by_rate(n) for v in drawn(x))

    RATE.rate = 2.0
    for _ in range(3):
        agree(g, 1.5, 3, wanted=(0,))
    weight_by_rate(3)
    RATE.rate = 4.0
    assert g(1.5, 3) == 6.0 * (1.5 + 1.5**2)  # as it was when it was cached
    with pytest.raises(astad.errors.AstadError, match="cached before"):
        astad.value_and_grad(g)(1.5, 3)


class Zone(datetime.tzinfo):
    hours = 1

    def utcoffset(self, when):
        return datetime.timedelta(hours=self.hours)

    def dst(self, when):
        return datetime.timedelta(0)


NOON = datetime.datetime(2020, 1, 2, 12, tzinfo=Zone())


@pytest.mark.parametrize("given", [NOON, None])
def test_a_time_zone_of_ones_own_is_asked_anew(given, monkeypatch):
    def f(x, when):
        return sum(v * (when or NOON).utcoffset().seconds for v in drawn(x))

    for _ in range(3):
        before = agree(f, 1.5, given, wanted=(0,))
    monkeypatch.setattr(Zone, "hours", 3)
    assert agree(f, 1.5, given, wanted=(0,)) != before


# --- functions of NumPy that are called with a number: the text has a number


def written_out(f, *args):
    """The recorded run of ``f`` has a text of value and gradient in one."""
    recorded(f, *args)
    made = [each for several in variants_of(f).fused.values() for each in several]
    assert made
    assert all(each.text is not None for each in made)
    agree(f, *args)


def test_centroid_of_a_single_point():
    def centroid(x, y):
        return np.sum(opaque(x) * y) / np.sum(y)

    written_out(centroid, 2.0, 3.0)
    agree(centroid, 4.0, -1.0)


def test_statistics_of_a_single_number():
    def spread(x, y):
        return np.max(opaque(x) * y) - np.min(y) + np.mean(x) * np.prod(y) + np.amax(x) - np.amin(y)

    written_out(spread, 2.0, 3.0)
    agree(spread, -0.5, 0.25)


def test_methods_of_an_array_without_axes():
    def total(x, y):
        a = np.asarray(opaque(x) * y)
        return a.sum() + a.mean() * a.max() - a.prod()

    written_out(total, 2.0, 3.0)
    agree(total, -2.0, 3.0)


def test_a_sum_is_never_the_negative_zero():
    def signed(x):
        return math.atan2(np.sum(opaque(x)), -1.0) + np.max(x)

    def signed_mean(x):
        return math.atan2(np.mean(opaque(x)), -1.0)

    for f in (signed, signed_mean):
        for x in (-0.0, 0.0, -0.0, -0.0, -0.0):
            assert agree(f, x)[0] == f(x) == math.pi
    assert math.copysign(1.0, np.sum(-0.0)) == 1.0


def test_an_axis_or_a_start_is_left_as_it_is():
    def f(x, y):
        return np.sum(opaque(x) * y, axis=None) + np.sum(y, initial=2.0) + np.max(y, initial=5.0)

    for y in (3.0, 3.0, 7.0, 3.0, 7.0):
        agree(f, 2.0, y)


def test_root_with_the_sign_of_its_argument():
    def cbrt(x):
        return math.copysign(math.pow(abs(opaque(x)), 1 / 3), x)

    written_out(cbrt, 0.5)
    agree(cbrt, -0.5)
    agree(cbrt, -0.7)
    assert cbrt(-0.7) == agree(cbrt, -0.7)[0]


def test_sign_of_one_number_on_another():
    def f(x, y):
        return np.copysign(opaque(x) * y, y) + x

    written_out(f, 2.0, 3.0)
    for x, y in [(2.0, -3.0), (-2.0, -3.0), (-2.0, 3.0), (-2.0, 3.0), (-2.0, 3.0)]:
        agree(f, x, y)


def test_sign_on_a_constant_and_at_zero():
    def f(x, y):
        return math.copysign(2.0, opaque(x)) * y + math.copysign(x, 1.0)

    written_out(f, 2.0, 3.0)
    for x in (-2.0, 0.0, -0.0, 0.0, -0.0, -0.0):
        agree(f, x, 3.0)
    assert f(-0.0, 3.0) == -6.0 == agree(f, -0.0, 3.0)[0]


def special(name):
    """A function of NumPy, or of SciPy's special functions."""
    return getattr(np, name, None) or getattr(pytest.importorskip("scipy.special"), name)


@pytest.mark.parametrize("name", ["ellipe", "gamma", "logit", "reciprocal", "arcsin", "arctanh"])
def test_functions_with_poles_of_one_number(name):
    function = special(name)

    def f(x):
        return function(opaque(x)) * x

    written_out(f, 0.3)
    agree(f, 0.6)


@pytest.mark.parametrize("name", ["beta", "xlogy", "gammainc", "power", "float_power"])
def test_functions_with_poles_of_two_numbers(name):
    function = special(name)

    def f(x):
        return function(2.0, opaque(x)) * x

    written_out(f, 0.3)
    agree(f, 0.6)


TABLE = np.array([2, 5, -3])
NARROW = np.array([2, 5, -3], dtype=np.int32)


def test_whole_numbers_of_numpy_make_numbers_of_numpy():
    def gradient_noise(x, y):
        total = 0.0
        for at in range(2):
            total += TABLE[at] * opaque(x) + y * NARROW[at + 1] - TABLE[at] / (x + 1.0)
        return total

    written_out(gradient_noise, 2.0, 3.0)
    assert type(agree(gradient_noise, 2.5, 3.0)[0]) is np.float64


def test_powers_with_whole_numbers_of_numpy():
    def f(x, y):
        return opaque(x) ** TABLE[0] + TABLE[1] ** y - x ** NARROW[2]

    written_out(f, 2.0, 3.0)
    for _ in range(3):
        agree(f, -2.0, 0.5)


def test_a_quotient_by_a_zero_of_numpy_is_that_of_numpy():
    zeros = np.array([1, 0])

    def f(x, at):
        with np.errstate(all="ignore"):
            return opaque(x) * x / zeros[at]

    for at in (0, 0, 0, 0, 1, 1, 0, 1):
        y, (slope,) = astad.value_and_grad(f, argnums=(0,))(2.0, at)
        assert (y, slope) == ((4.0, 4.0) if at == 0 else (math.inf, math.inf))
        assert type(y) is np.float64


def test_out_that_is_none_is_not_there():
    def f(x, out=None):
        return np.sin(opaque(x), out) + np.add(x, x, out=None) + np.exp(x, where=True)

    written_out(f, 0.5)
    agree(f, 0.7)


def test_out_that_is_none_of_sums_and_methods():
    def f(a, x, out=None):
        return np.sum(a * opaque(x), out=out) + a.mean(out=None)

    for _ in range(4):
        agree(f, np.array([1.0, 2.0]), 3.0)
    assert variants_of(f).recorded.made


def test_out_that_is_an_array_is_refused():
    def f(x):
        found = np.zeros(1)
        np.add(opaque(x), x, found)
        return found[0] * x

    assert "out" in refused(f, 2.0) or "array" in refused(f, 2.0)


def test_elements_of_tables_of_whole_numbers_are_asked_beforehand():
    steps = np.array([[1, 0], [2, 3]], dtype=np.int8)
    allowed = np.array([True, False])
    large = np.array([2**40, 7], dtype=np.uint64)

    def f(x, y):
        total = opaque(x) * steps[1, 0]
        if allowed[0] and steps[0, 1] == 0:
            total = total * y + steps[-1, -1] * y
        return total * large[1]

    for _ in range(4):
        agree(f, 2.0, 3.0)
    steps[1, 0] = 5
    assert agree(f, 2.0, 3.0)[0] == (10.0 * 3.0 + 9.0) * 7.0
    allowed[0] = False
    assert agree(f, 2.0, 3.0)[0] == 70.0
    large[1] = 2
    assert agree(f, 2.0, 3.0)[0] == 20.0


def test_an_element_of_an_argument_is_asked_for_each_argument():
    def f(x, order):
        return opaque(x) ** order[0] * order[1]

    for _ in range(4):
        agree(f, 2.0, np.array([2, 3]), wanted=(0,))
    agree(f, 2.0, np.array([3, 3]), wanted=(0,))
    agree(f, 2.0, np.array([2, 3, 4]), wanted=(0,))
    with pytest.raises(IndexError):
        astad.grad(f)(2.0, np.array([2]))


def test_methods_of_a_number_that_give_it():
    def f(x):
        y = np.float64(opaque(x)) * 2
        return y.copy() + y.item() + y.mean() + x.conjugate() - y.squeeze() * y.max()

    written_out(f, 2.0)
    agree(f, -3.0)

    def signed(x):
        return math.atan2(np.float64(opaque(x)).sum(), -1.0) + np.float64(x).copy()

    for x in (-0.0, 0.0, -0.0, -0.0):
        assert agree(signed, x)[0] == math.pi


def test_limits_of_types():
    def scaled(x, y):
        return opaque(x) * y + np.finfo(float).eps * x + np.iinfo(np.int32).max * 1e-9 * y

    def summed(a, y):
        return np.sum(opaque(a) * y) * np.finfo(a.dtype).max ** 0.01

    def limited(x, y):
        return max(opaque(x), np.finfo(x).tiny, np.iinfo(np.int8).min) * y + np.finfo("f4").bits

    for f in (scaled, limited):
        written_out(f, 2.0, 3.0)
        agree(f, -2.0, 3.0)
    written_out(summed, np.array([1.0, 2.0]), 3.0)


AXES = {"J", "C", "h"}


def test_questions_about_sets_from_outside():
    def f(x, names, others):
        if AXES.issuperset(names) and not AXES.isdisjoint(names) and not AXES.issubset(others):
            return opaque(x) * 3.0
        return x * x

    for _ in range(4):
        agree(f, 2.0, "Jh", ["J"], wanted=(0,))
    assert variants_of(f).recorded.made
    AXES.add("M")
    try:
        assert agree(f, 2.0, "JM", ["J"], wanted=(0,))[0] == 6.0
        AXES.clear()
        assert agree(f, 2.0, "Jh", ["J"], wanted=(0,))[0] == 4.0
    finally:
        AXES.update({"J", "C", "h"})


class Row(list):
    pass


def test_names_of_typing_are_asked():
    def size(a):
        return len(a) if isinstance(a, typing.Sequence) else 1

    def f(x, a):
        if isinstance(a, (typing.Mapping, typing.Hashable)) and isinstance(x, typing.SupportsFloat):
            return opaque(x) * size(a)
        return opaque(x) * size(a) * 5.0

    for a in ([1, 2], [1, 2], [1, 2], (1, 2), (1, 2), {"a": 2}, 3.0, "ab", Row([1, 2, 3])):
        agree(f, 2.0, a, wanted=(0,))

    def g(x, a):
        return opaque(x) * size(a) + (3.0 * x if issubclass(Row, typing.List) else 0.0)

    recorded(g, 2.0, [1, 2], wanted=(0,))
    for a in ([1, 2, 3], (1, 2), 3.0, Row([1])):
        agree(g, 2.0, a, wanted=(0,))


def test_a_long_table_of_whole_numbers_is_asked_in_the_text():
    table = np.arange(260) % 7

    def f(x):
        total = opaque(x)
        for at in range(260):
            if table[at] == 3:
                total = total + x * at
        return total

    for _ in range(4):
        agree(f, 2.0)
    assert variants_of(f).recorded.made
    table[255] = 4
    agree(f, 2.0)
    table[3] = 4
    agree(f, 2.0)


MATRIX = np.arange(6.0).reshape(2, 3) + 1.0


@pytest.mark.parametrize(
    "reduced",
    [
        lambda a: np.min(a, None, None),
        lambda a: np.trace(a, 0, 0, 1, None, None),
        lambda a: np.sum(np.mean(a, 0, None)),
        lambda a: np.linalg.norm(a, None, None, False),
        lambda a: np.sum(np.cumsum(a, None)),
        lambda a: np.std(a, None, None, None, 0),
    ],
)
def test_arguments_that_are_the_defaults_are_not_there(reduced):
    def f(a, x):
        return reduced(opaque(a)) * x

    written_out(f, MATRIX, 2.0)
    agree(f, MATRIX.T * 2.0, 3.0)


def test_arguments_that_only_equal_the_defaults_are_there():
    def f(a, x):
        return np.trace(opaque(a), 0.0 > 1.0, False, True) * np.std(a, None, None, None, 1) * x

    for _ in range(4):
        agree(f, MATRIX, 2.0)
