"""Functions that are handed to astad, which a recording does not follow: they run as often as in
the plain run, and see the state of each run.
"""

import itertools
import random

import numpy as np
import pytest

import astad
from astad.recording.repeatable import acts, reads_more

from .recorded_runs import agree, opaque, recorded, recorded_backwards

pytestmark = pytest.mark.order_matters
STATE = {"k": 1.0}
SEEN = []


@astad.nondifferentiable
def factor():
    return STATE["k"]


@astad.nondifferentiable
def power(which):
    return int(STATE["k"]) + len(which)


@astad.nondifferentiable
def mode(*, of):
    return "steep" if STATE["k"] > of else "flat"


def cost(n):
    return n * STATE["k"]


@astad.adjoint(cost)
def cost_rule(n):
    return n * STATE["k"], lambda y_bar: (y_bar * STATE["k"],)


scaled = np.frompyfunc(lambda t: t * STATE["k"], 1, 1)
both = np.frompyfunc(lambda a, b: (a * STATE["k"], b + STATE["k"]), 2, 2)


class Registry(type):
    def __getitem__(cls, name):
        return cls.table[name]


class Rates(metaclass=Registry):
    table = STATE


class Table:
    def __class_getitem__(cls, name):
        return STATE[name]


class Home:
    @staticmethod
    @astad.nondifferentiable
    def rate():
        return STATE["k"]


def captured():
    box = STATE

    @astad.nondifferentiable
    def read(what):
        return box[what]

    return read


READ = captured()
STATEFUL = {
    "no arguments": lambda x: opaque(x) * factor(),
    "exponent": lambda x: opaque(x) ** power("ab"),
    "branch": lambda x: opaque(x) * 5.0 if mode(of=1.5) == "steep" else opaque(x),
    "range": lambda x: sum(opaque(x) for _ in range(power("a"))),
    "adjoint": lambda x: opaque(x) * cost(2.0),
    "frompyfunc": lambda x: opaque(x) * scaled(2.0),
    "frompyfunc of two": lambda x: opaque(x) * both(2.0, 3.0)[1],
    "metaclass": lambda x: opaque(x) * Rates["k"],
    "class": lambda x: opaque(x) if Table["k"] == 1.0 else opaque(x) * 3.0,
    "static method": lambda x: opaque(x) * Home.rate(),
    "captured": lambda x: opaque(x) * READ("k"),
    "map": lambda x: opaque(x) * sum(map(READ, ["k", "k"])),
}


@pytest.mark.parametrize("what", STATEFUL)
def test_calls_with_constants_see_the_state_of_each_run(what):
    f = STATEFUL[what]
    step = 1e-6
    for k in (1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 1.0, 2.0):
        STATE["k"] = k
        for x in (1.3, 0.8):
            slope = (f(x + step) - f(x - step)) / (2 * step)
            y, bars = astad.value_and_grad(f)(x), astad.gradient(f, x)
            assert y[0] == pytest.approx(f(x))
            assert (y[1], *bars) == pytest.approx((slope, slope), abs=1e-6)
            assert astad.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope, abs=1e-6)
    STATE["k"] = 1.0


@astad.nondifferentiable
def note(x):
    SEEN.append(x)
    return 2.0


@astad.nondifferentiable
def shown(x):
    print("seen", x)
    return 1.0


@astad.nondifferentiable
def noise(x):
    return random.random()


@astad.nondifferentiable
def noise_of_numpy(x):
    return np.random.normal()


COUNT = itertools.count()


@astad.nondifferentiable
def counted(x):
    return float(next(COUNT))


def watched(x):
    return x * 3.0


@astad.adjoint(watched)
def watched_rule(x):
    def back(y_bar):
        SEEN.append(y_bar)
        return (3.0 * y_bar,)

    return x * 3.0, back


def watch(bar):
    SEEN.append(bar)
    return bar


def by_a_hook(x):
    return astad.hook(watch, opaque(x)) * 3.0


def runs_of(f, x):
    """How often each of four calls has SEEN something, through `gradient` and a pullback."""
    found = []
    for k in range(5):
        SEEN.clear()
        astad.gradient(f, x + k)
        found.append(len(SEEN))
    for k in range(5):
        SEEN.clear()
        _, back = astad.pullback(f, x + k)
        before = len(SEEN)
        back(1.0)
        found.append((before, len(SEEN)))
    return found


@pytest.mark.parametrize(
    ("f", "forward"),
    [
        (lambda x: opaque(x) * note(x), 1),
        (lambda x: watched(opaque(x)), 0),
        (by_a_hook, 0),
    ],
    ids=["nondifferentiable", "adjoint", "hook"],
)
def test_they_run_once(f, forward):
    assert runs_of(f, 1.0) == [1] * 5 + [(forward, 1)] * 5


def test_what_they_print_is_printed_once(capsys):
    def f(x):
        return astad.showgrad(opaque(x)) * shown(x)

    for k in range(6):
        astad.gradient(f, 1.0 + k)
        assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    ("draw", "seed"),
    [(noise, random.seed), (noise_of_numpy, np.random.seed)],
    ids=["random", "numpy"],
)
def test_random_numbers_are_those_of_the_plain_run(draw, seed):
    def f(x):
        return opaque(x) * draw(x)

    seed(0)
    plain = [f(1.0) for _ in range(8)]
    seed(0)
    assert [astad.value_and_grad(f)(1.0)[0] for _ in range(8)] == plain


def test_what_counts_counts_once():
    def f(x):
        return opaque(x) * counted(x)

    before, unit = next(COUNT), opaque(1.0)
    for k in range(1, 7):
        assert astad.value_and_grad(f)(1.0)[0] == pytest.approx(unit * (before + k))


@astad.nondifferentiable
def rounded(x):
    return round(x, 1)


def cubed(x):
    return x**3


@astad.adjoint(cubed)
def cubed_rule(x):
    return x**3, lambda y_bar: (3 * x**2 * y_bar,)


def test_what_does_nothing_else_is_recorded():
    def f(x):
        return rounded(x) * opaque(x) + cubed(x) * cubed(2.0)

    recorded_backwards(f, 1.3)
    for x in (1.3, 0.7, 2.1):
        agree(f, x)


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (rounded, (False, False)),
        (cubed_rule, (False, False)),
        (factor, (False, True)),
        *[(each, (True, None)) for each in (note, noise, shown, noise_of_numpy, counted)],
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_they_may_do(fn, expected):
    found = acts(fn), reads_more(fn)
    assert found[0] == expected[0]
    assert expected[1] in (None, found[1])


class Compared:
    times = 0

    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        Compared.times += 1
        return self.v < other.v


class Ordered:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v


def ranked(xs):
    best = sorted([Compared(x) for x in xs])
    return best[0].v * best[1].v


def in_pairs(xs):
    pairs = [(1, Compared(x)) for x in xs]
    pairs.sort(reverse=True)
    return pairs[0][1].v * pairs[1][1].v ** 2


def by_key(xs):
    return sorted(xs, key=Compared)[0] ** 2


@pytest.mark.parametrize("f", [ranked, in_pairs, by_key], ids=lambda f: f.__name__)
@pytest.mark.parametrize("xs", [[3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [1.0, 2.0, 3.0]])
def test_sorting_compares_as_often_as_in_the_plain_run(f, xs):
    Compared.times = 0
    f(xs)
    once = Compared.times
    for k in range(1, 9):
        Compared.times = 0
        astad.gradient(f, xs)
        assert Compared.times == once, k


def test_sorting_by_comparisons_that_compare_is_recorded():
    def f(xs):
        best = sorted([Ordered(x) for x in xs], key=lambda each: (1, each))
        return best[0].v * best[1].v ** 2

    recorded(f, [3.0, 1.0, 2.0])
