"""Pullbacks by recorded runs, of results of every sort, against the pair."""

import collections
import copy
import gc
import itertools
import math
import operator
import threading
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import astad
from astad.api.gradients import recorded
from astad.api.variants.whole import whole
from astad.errors import AstadError
from astad.runtime.core.variants import forget_all, variants_of
from tests.recording.recorded_runs import opaque, same

pytestmark = pytest.mark.order_matters


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    """What is small gains little: the times are not asked for here."""
    forget_all()
    monkeypatch.setattr("astad.api.gradients.recorded_pullbacks.FAST", 0.0)


@dataclass
class State:
    pos: float
    vel: float
    name: str = "a"


@dataclass(frozen=True)
class Point:
    x: float
    y: float


class Slotted:
    __slots__ = ("k", "parts")

    def __init__(self, k, parts):
        self.k = k
        self.parts = parts


class Fit(NamedTuple):
    slope: float
    residuals: list


Pair = collections.namedtuple("Pair", "first second")
TABLE = {"a": 2.0, "b": 3.0}


def drawn(x):
    """What leaves all that follows to the run time."""
    queue = deque([opaque(x)])
    return queue.popleft()


def orbit(x, v, steps):
    state, path = State(x, v), []
    for _ in range(steps):
        state.vel = state.vel - 0.1 * drawn(state.pos)
        state.pos = state.pos + 0.1 * state.vel
        path.append(state.pos)
    return {"path": path, "end": state, "label": state.name}


def of_everything(x, y):
    a = np.array([drawn(x), y, x * y])
    made = {
        "number": x * y,
        "array": a,
        "tuple": (x, 1.0, "b", None, True),
        "deque": deque([x, y], maxlen=4),
        "ordered": collections.OrderedDict(b=x, a=2.0 * y),
        "pair": Pair(x * x, Point(x, y)),
        "fit": Fit(x, [y, x]),
        "slotted": Slotted(x, [x * y]),
        "function": math.sin,
        "class": Point,
        ("key", 2): x + y,
        3: [],
        "empty": (),
    }
    return made


def in_two_places(x, y):
    shared = [drawn(x), x * y]
    a = np.array([x, y]) * x
    return shared, {"again": shared}, a, [a, a[1:]]


def one_number(x, y):
    return drawn(x) * y * TABLE["a"]


def one_array(x, v):
    return drawn(x) * v * TABLE["b"]


def list_of_numbers(params, x):
    return [drawn(params["w"]) * x + params["b"][k] for k in range(2)]


def complex_numbers(x, y):
    return [drawn(x) + 1j * y, x * y]


def of_other_kinds(x, v):
    single = np.float32(drawn(x))
    return [single * 2, v.astype(np.float32) * single, np.sum(v) > 1.0, np.int64(3), v.astype(int)]


CASES = {
    "orbit": (orbit, lambda k: (1.0 + 0.1 * k, 0.5, 6)),
    "everything": (of_everything, lambda k: (1.0 + 0.1 * k, 0.5)),
    "two places": (in_two_places, lambda k: (1.0 + 0.1 * k, 0.5)),
    "a number": (one_number, lambda k: (1.0 + 0.1 * k, 0.5)),
    "an array": (one_array, lambda k: (1.0 + 0.1 * k, np.array([1.0, 2.0]))),
    "a list": (list_of_numbers, lambda k: ({"w": 1.0 + k, "b": [2.0, 3.0]}, 0.5)),
    "other kinds": (of_other_kinds, lambda k: (1.0 + 0.1 * k, np.array([1.0, 2.0]))),
    "complex": (complex_numbers, lambda k: (1.0 + 0.1 * k, 0.5)),
}


def by_pair(f, args):
    return whole.run(f, args, {}, self_too=False)


def is_recorded(f):
    about = variants_of(f).recorded
    return about is not None and any(about.pullbacks.values())


def alike(a, b):
    """Of the same structure, with the same numbers."""
    if isinstance(a, (int, float, complex, np.generic)) and not isinstance(a, (bool, np.bool_)):
        return type(a) is type(b) and abs(a - b) <= 1e-11 * max(abs(a), 1.0)
    if isinstance(a, deque):
        return type(b) is deque and a.maxlen == b.maxlen and alike([*a], [*b])
    if isinstance(a, Slotted):
        return type(b) is Slotted and alike([a.k, a.parts], [b.k, b.parts])
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return [*a] == [*b] and alike([*a.values()], [*b.values()])
    return a is b or same(a, b)


@pytest.mark.parametrize("name", CASES)
def test_value_and_cotangents_are_those_of_the_pair(name):
    f, args_at = CASES[name]
    for k in range(6):
        args = args_at(k)
        y, back = astad.pullback(f, *args)
        expected, back_of_pair = by_pair(f, args)
        assert alike(y, expected)
        for y_bar in seeds(y):
            assert same(back(y_bar), back_of_pair(y_bar)), y_bar
        assert repr(back) == repr(back_of_pair)
    assert is_recorded(f) or f is of_other_kinds, variants_of(f).recorded.why


def seeds(y):
    """The whole of it, nothing, and each part alone."""
    if isinstance(y, np.ndarray):
        return [np.array([1.0, -2.0]), None]
    if isinstance(y, float):
        return [1.0, -0.5, None]
    if isinstance(y, list) and len(y) == 5:
        return [[1.0, np.ones(2), None, None, None]]
    if isinstance(y, list):
        return [[1.0, 2.0], [None, 3.0], [0.5, None], None]
    if isinstance(y, tuple):
        ones = np.array([1.0, 2.0])
        return [
            ([1.0, 2.0], None, ones, None),
            (None, {"again": [1.0, None]}, None, [ones, np.array([3.0])]),
            ([1.0, 2.0], {"again": [3.0, 4.0]}, ones, [ones, np.array([5.0])]),
        ]
    if "path" in y:
        return [
            {"path": [1.0] * 6},
            {"end": astad.Tangent(pos=1.0, vel=None)},
            {"path": [None] * 5 + [2.0], "end": astad.Tangent(pos=1.0, vel=3.0), "label": None},
            {},
        ]
    return [
        {"number": 1.0},
        {"array": np.array([1.0, 2.0, 3.0])},
        {"tuple": (2.0, 5.0, None, None, None)},
        {"deque": deque([1.0, 2.0])},
        {"ordered": {"b": 1.0, "a": 3.0}},
        {"pair": Pair(1.0, astad.Tangent(x=2.0, y=3.0))},
        {"fit": Fit(1.0, [2.0, None])},
        {"slotted": astad.Tangent(k=1.0, parts=[4.0])},
        {("key", 2): 7.0},
    ]


def test_what_is_given_out_is_new_each_time():
    for _ in range(4):
        y, back = astad.pullback(orbit, 1.0, 0.5, 6)
        again, _ = astad.pullback(orbit, 1.0, 0.5, 6)
        assert y["path"] is not again["path"] and y["end"] is not again["end"]
    expected = by_pair(orbit, (1.0, 0.5, 6))[1]({"path": [1.0] * 6})
    y["path"].append(7.0)
    y["end"].pos = 100.0
    del y["label"]
    assert same(back({"path": [1.0] * 6}), expected)
    assert back({"path": [1.0] * 6}) == back({"path": [1.0] * 6})


def test_one_list_in_two_places_stays_one():
    for _ in range(4):
        y, _ = astad.pullback(in_two_places, 1.0, 0.5)
    assert is_recorded(in_two_places)
    assert y[0] is y[1]["again"]
    assert y[2] is y[3][0]


def test_an_array_that_is_written_afterwards():
    def f(x, v):
        a = drawn(x) * v
        return a, np.sum(a * a)

    for _ in range(4):
        (a, _), back = astad.pullback(f, 2.0, np.array([1.0, 2.0]))
        a -= 100.0
        assert same(back((None, 1.0)), (20.0, np.array([8.0, 16.0])))
    assert is_recorded(f)


def test_what_it_reads_is_tested():
    for _ in range(4):
        assert astad.pullback(one_number, 2.0, 0.5)[1](1.0) == (1.0, 4.0)
    assert is_recorded(one_number)
    old = TABLE["a"]
    try:
        TABLE["a"] = 5.0
        assert astad.pullback(one_number, 2.0, 0.5)[1](1.0) == (2.5, 10.0)
        TABLE["a"] = 3
        assert astad.pullback(one_number, 2.0, 0.5)[1](1.0) == (1.5, 6.0)
    finally:
        TABLE["a"] = old


def test_another_way():
    def f(x, words):
        found = {}
        for word in words.split():
            found[word] = drawn(x) * len(word)
            if found[word] > 5.0:
                break
        return found

    for _ in range(4):
        astad.pullback(f, 1.0, "a bb ccc")
    assert is_recorded(f)
    y, back = astad.pullback(f, 3.0, "a bb ccc")
    assert y == {"a": 3.0, "bb": 6.0} and back({"a": 1.0, "bb": 1.0}) == (3.0, None)
    y, back = astad.pullback(f, 1.0, "a ddd")
    assert y == {"a": 1.0, "ddd": 3.0} and back({"ddd": 2.0}) == (6.0, None)


def test_methods_defaults_and_captured_values():
    class Model:
        def __init__(self, k):
            self.k = k

        def run(self, x, power=2.0):
            return [drawn(x) * self.k, x**power]

    model = Model(3.0)
    for _ in range(4):
        y, back = astad.pullback(model.run, 2.0)
        assert (y, back([1.0, 1.0])) == ([6.0, 4.0], (7.0,))
        assert astad.pullback(model.run, 2.0, 3.0)[1]([1.0, 1.0])[0] == 15.0
    assert is_recorded(Model.run)
    model.k = 5.0
    assert astad.pullback(model.run, 2.0)[1]([1.0, 1.0]) == (9.0,)

    def make(k):
        def f(x):
            return (drawn(x) * k, k)

        return f

    f = make(2.0)
    for _ in range(4):
        assert astad.pullback(f, 3.0)[1]((1.0, None)) == (2.0,)
    assert is_recorded(f)
    assert astad.pullback(make(4.0), 3.0)[1]((1.0, None)) == (4.0,)


def test_what_lies_outside_is_handed_out_by_the_pair():
    rows = [[1.0, 2.0]]

    def f(x):
        return [drawn(x), rows]

    for _ in range(4):
        y, back = astad.pullback(f, 2.0)
        assert y[1] is rows and back([1.0, None]) == (1.0,)
    assert not is_recorded(f)
    assert "from outside in the result" in recorded.why_not(f)


def test_results_that_no_text_builds():
    def holds_itself(x):
        found = [drawn(x)]
        found.append(found)
        return found

    def generator(x):
        return (v for v in [drawn(x), x])

    def closure(x):
        y = drawn(x)
        return lambda: y

    def of_a_local_class(x):
        class Local:
            pass

        made = Local()
        made.x = drawn(x)
        return made

    for f in (holds_itself, generator, closure, of_a_local_class):
        for _ in range(4):
            astad.pullback(f, 2.0)
        assert not is_recorded(f), f


def test_an_argument_that_is_the_result():
    def f(v, x):
        return v, drawn(x) * v

    for _ in range(4):
        v = np.array([1.0, 2.0])
        y, back = astad.pullback(f, v, 3.0)
        ones = np.ones(2)
        assert same(back((ones, ones)), (np.array([4.0, 4.0]), 3.0))


def test_wrong_cotangents_are_errors():
    for _ in range(4):
        _, back = astad.pullback(list_of_numbers, {"w": 1.0, "b": [2.0, 3.0]}, 0.5)
    assert is_recorded(list_of_numbers)
    _, of_pair = by_pair(list_of_numbers, ({"w": 1.0, "b": [2.0, 3.0]}, 0.5))
    for y_bar in ([1.0], 2.0, {"a": 1.0}, ["text", 1.0]):
        with pytest.raises((AstadError, TypeError, ValueError)) as found:
            back(y_bar)
        with pytest.raises((AstadError, TypeError, ValueError)) as expected:
            of_pair(y_bar)
        said = [str(each.value).partition(": ")[2] for each in (found, expected)]
        assert said[0] == said[1]


def test_the_pullback_lives_on():
    for k in range(5):
        args = {"w": 1.0 + k, "b": [2.0, 3.0]}, 0.5
        _, back = astad.pullback(list_of_numbers, *args)
    expected = back([1.0, 2.0])
    args[0]["b"].append(7.0)
    args[0]["w"] = 100.0
    gc.collect()
    assert back([1.0, 2.0]) == expected == copy.copy(back)([1.0, 2.0])


def test_a_rule_that_is_declared_later_is_in_force():
    def f(x):
        return [drawn(x) * 2.0]

    for _ in range(4):
        assert astad.pullback(f, 3.0)[1]([1.0]) == (2.0,)
    assert is_recorded(f)
    astad.adjoint(f)(lambda x: ([2.0 * x], lambda y_bar: (10.0 * y_bar[0],)))
    assert astad.pullback(f, 3.0)[1]([1.0]) == (10.0,)


def test_threads():
    found = []

    def work(k):
        for _ in range(6):
            y, back = astad.pullback(orbit, 1.0 + k, 0.5, 6)
            found.append((k, back({"path": [1.0] * 6})))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for k, bars in found:
        assert same(bars, by_pair(orbit, (1.0 + k, 0.5, 6))[1]({"path": [1.0] * 6}))


def test_a_jacobian_takes_them():
    for _ in range(4):
        found = astad.jacobian(lambda v: np.array([drawn(v[0]) * v[1], v[1]]), np.array([2.0, 3.0]))
        assert same(found, np.array([[3.0, 2.0], [0.0, 1.0]]))


def test_a_pair_with_nothing_left_to_the_run_time_is_not_recorded(monkeypatch):
    monkeypatch.undo()

    def smooth(x, n):
        total = 0.0
        for _ in range(n):
            total = total + math.sin(x)
        return total, x

    for _ in range(4):
        astad.pullback(smooth, 2.0, 5)
    assert variants_of(smooth).recorded is None


NUMBERS = [
    float, np.float64, np.float32, np.array, lambda x: np.full(3, x), int, complex,
    lambda x: np.full((2, 1), x, np.float32), lambda x: np.array(x, np.float32),
]  # fmt: skip


class Held:
    def __init__(self, number, other=None):
        self.number, self.other = number, other


class Shown(Held):
    def __float__(self):
        return self.number


RATE = Held(2.0)


@pytest.mark.parametrize(
    ("f", "given"),
    [
        (lambda held: operator.mul(held[0], held[1]), lambda a, b: ([a, b],)),
        (lambda held: [operator.mul(held["a"], held["b"])], lambda a, b: ({"a": a, "b": b},)),
        (lambda o: operator.mul(o.number, o.other) + 1.0, lambda a, b: (Held(a, b),)),
        (lambda held: operator.mul(held[0] * held[1], RATE.number), lambda a, b: ([a, b],)),
        (lambda a, b: (operator.mul(a, b), a), lambda a, b: (a, b)),
    ],
    ids=["list", "dict", "object", "global", "numbers"],
)
@pytest.mark.parametrize("first", NUMBERS[:5], ids=["float", "float64", "float32", "0-d", "1-d"])
def test_a_text_is_for_the_types_that_its_run_has_met(f, given, first):
    """Tried first with numbers of one type, then with every pair of them, in both orders."""
    for _ in range(3):
        astad.pullback(f, *given(first(1.5), first(0.7)))
    for kinds in itertools.product(NUMBERS, repeat=2):
        for numbers in (kinds, kinds[::-1]):
            asked = given(*(kind(2.0) for kind in numbers))
            found, _ = astad.pullback(f, *asked)
            assert repr(found) == repr(f(*asked))


def test_a_conversion_that_gives_another_type_is_as_in_python():
    def weighed(x, o):
        return float(o) * x

    for _ in range(4):
        astad.pullback(weighed, 1.5, Shown(2.5))
    for shown in (np.complex128(2j), 2j, 2, True, "2"):
        with pytest.raises(TypeError, match="non-float"):
            astad.pullback(weighed, 1.5, Shown(shown))
    with pytest.warns(DeprecationWarning, match="strict subclass of float"):
        assert astad.pullback(weighed, 1.5, Shown(np.float64(2.5)))[0] == 3.75


def test_objects_that_hold_each_other_are_compared_once():
    def grown(o):
        return [operator.mul(o.number, o.me.number)]

    for _ in range(4):
        o = Held(1.5)
        o.me = o
        y, back = astad.pullback(grown, o)
        assert y == [2.25] and back([1.0])[0].number == 3.0


def lengths(*numbers):
    return [np.arange(1.0, n + 1.0) for n in numbers]


OF_LENGTH = [
    lambda a, b: np.asarray(a.tolist()) * b,
    lambda a, b: a.tolist()[-1] * b,
    lambda a, b: sum(a.tolist()) / len(a.tolist()) * b,
    lambda a, b: [v * b for v in a.tolist()],
    lambda a, b: {k: v * b for k, v in enumerate(a.tolist())},
    lambda a, b: sum(v for row in (np.outer(a, a) * b).tolist() for v in row),
    lambda a, b: np.broadcast_arrays(a, b)[1] * a,
    lambda a, b: np.squeeze(a) * b,
    lambda a, b: a.squeeze() * b,
    lambda a, b: np.split(a, len(a))[-1] * b,
    lambda a, b: np.sum(np.array_split(a, 2)[0]) * b,
    lambda a, b: np.add.reduce(a) * b + np.multiply.accumulate(a)[-1],
    lambda a, b: np.concatenate([a, [b]]).tolist(),
]


@pytest.mark.parametrize("f", OF_LENGTH, ids=range(len(OF_LENGTH)))
def test_a_text_is_for_arrays_of_one_length_where_that_tells(f):
    """Values and derivatives after runs with arrays of another length."""
    for first in (2, 1, 3):
        forget_all()
        for a in lengths(first, first, first, first, 3, 1, 4, 2, first, 5, 2):
            y, back = astad.pullback(f, a, 1.5)
            assert repr(y) == repr(f(a, 1.5))
            forward = astad.jvp(f, (a, 1.5), (np.ones(len(a)), 0.5))
            assert repr(forward[0]) == repr(f(a, 1.5))
            if np.ndim(y) == 0 and not isinstance(y, dict):
                found = back(1.0)
                assert np.sum(found[0]) + 0.5 * found[1] == pytest.approx(float(forward[1]))


def test_broadcasting_that_fails_in_the_program():
    def f(a, b):
        return np.broadcast_arrays(a, np.array([1.0, 2.0]))[0] * b

    for a in lengths(2, 2, 2, 2):
        astad.pullback(f, a, 1.5)
    for a in lengths(3, 0, 4):
        with pytest.raises(ValueError, match="shape mismatch"):
            astad.pullback(f, a, 1.5)


def test_nothing_is_said_where_a_text_is_tried():
    table = {"k": 1.0}

    def f(a, b):
        with np.errstate(divide="ignore"):
            return operator.mul(np.where(a == 0.0, 0.0, 1.0 / a), table["k"]) * b

    for _ in range(5):
        astad.pullback(f, np.array([2.0, 0.0]), 1.0)[1](np.ones(2))
