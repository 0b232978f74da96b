"""Objects among the arguments, whose parts are read in some runs only: a part that is not read has
no gradient, and one that is read a number, by whichever text answers.
"""

import linecache
import math
import random
from dataclasses import dataclass

import numpy as np
import pytest

import astad
from astad import Tangent, settings


@dataclass
class Bracket:
    upto: float
    rate: float


@dataclass
class Spring:
    length: float
    stiffness: float
    damping: float = 0.5
    name: str = "spring"

    def force(self, x):
        if x > self.length:
            return -self.stiffness * (x - self.length)
        return 0.0 * x

    @property
    def decay(self):
        return self.damping / 2 if self.damping > 1.0 else self.damping


def tax(brackets, income):
    total, low = 0.0, 0.0
    for bracket in brackets:
        if income > low:
            total += (min(income, bracket.upto) - low) * bracket.rate
        low = bracket.upto
    return total


def swing(spring, x, steps):
    v = 0.0
    for _ in range(steps):
        v += 0.1 * (spring.force(x) - spring.decay * v)
        x += 0.1 * v
    return x


def chosen(spring, x):
    factor, length = spring.stiffness, spring.length
    if x > 0.0:
        factor = factor * length
    return factor * x


def early(spring, x):
    if x < spring.length:
        return x * spring.damping
    return x * spring.stiffness


def form(f, *args):
    return astad.explain(f, *args).form


def test_all_of_them_are_written_out():
    brackets = [Bracket(10.0, 0.1), Bracket(20.0, 0.2), Bracket(90.0, 0.4)]
    assert form(tax, brackets, 15.0) == "fused"
    for f, args in [(swing, (1.5, 3)), (chosen, (1.0,)), (early, (1.0,))]:
        assert form(f, Spring(1.0, 2.0), *args) == "fused"


def test_what_a_run_does_not_read_is_none():
    brackets = [Bracket(10.0, 0.1), Bracket(20.0, 0.2), Bracket(90.0, 0.4)]
    bars, slope = astad.gradient(tax, brackets, 15.0)
    assert bars[0] == Tangent(upto=pytest.approx(-0.1), rate=10.0)
    assert bars[1] == Tangent(upto=0.0, rate=5.0)
    assert (bars[2].rate, slope) == (None, 0.2)


@pytest.mark.parametrize("generic", [False, True])
def test_both_forms_have_the_same_structure(generic, monkeypatch):
    monkeypatch.setattr(settings, "only_generic", generic)
    spring = Spring(1.0, 2.0)
    for x, wanted in [(3.0, (None, 3.0, None, None)), (0.5, (None, None, 0.5, None))]:
        bar, _ = astad.gradient(early, spring, x)
        assert (bar.length, bar.stiffness, bar.damping, bar.name) == wanted
    for x, wanted in [(3.0, (6.0, 3.0)), (-3.0, (None, -3.0))]:
        bar, _ = astad.gradient(chosen, spring, x)
        assert (bar.length, bar.stiffness) == wanted
    bar, slope, _ = astad.gradient(swing, spring, 3.0, 0)
    assert (bar.length, bar.stiffness, bar.damping, slope) == (None, None, None, 1.0)


def test_a_pullback_tells_the_same():
    y, back = astad.pullback(early, Spring(1.0, 2.0), 3.0)
    bar, slope = back(2.0)
    assert (y, bar.length, bar.stiffness, bar.damping, slope) == (6.0, None, 6.0, None, 4.0)


def test_derivatives_along_a_direction():
    spring, dot = Spring(1.0, 2.0), Tangent(length=1.0, stiffness=1.0, damping=0.0, name=None)
    assert astad.jvp(chosen, (spring, 3.0), (dot, 0.0)) == (6.0, 9.0)
    assert astad.jvp(chosen, (spring, -3.0), (dot, 0.0)) == (-6.0, -3.0)


def test_second_derivatives():
    def bent(stiffness, x):
        return swing(Spring(1.0, stiffness), x, 4)

    def slope(stiffness, x):
        return astad.gradient(swing, Spring(1.0, stiffness), x, 4)[0].stiffness

    found = astad.gradient(slope, 2.0, 1.5)[0]
    h = 1e-3
    wanted = (bent(2.0 + h, 1.5) - 2 * bent(2.0, 1.5) + bent(2.0 - h, 1.5)) / h**2
    assert found == pytest.approx(wanted, rel=1e-4)


# --- drawn programs


TEXT = """
@dataclass
class Inner:
    u: float
    v: float

    def g(self, z):
        if z > self.u:
            return z * self.v
        return self.v - z


@dataclass
class Outer:
    a: float
    b: float
    c: float
    w: object
    q: Inner
    rates: list

    def m(self, x):
        if x > self.a:
            return x * self.b
        elif x > self.b:
            return self.c
        return x

    @property
    def scaled(self):
        return self.a * self.c if self.c > 0.3 else self.a


def f(p, k, n):
    s = t = u = 0.25
"""
LEAVES = ["p.a", "p.b", "p.c", "p.q.u", "p.q.v", "p.rates[0]", "p.rates[1]", "p.scaled", "k",
          "0.5", "np.sum(p.w)", "p.w[0]", "p.w @ p.w", *("s", "t", "u") * 3]  # fmt: skip


def expression(draw, depth=0):
    kind, of = draw.random(), [*(lambda: expression(draw, depth + 1) for _ in range(3))]
    if depth > 2 or kind < 0.4:
        return draw.choice(LEAVES)
    if kind < 0.7:
        return f"({of[0]()} {draw.choice('+-*')} {of[1]()})"
    if kind < 0.8:
        return f"math.{draw.choice(['sin', 'tanh', 'cos'])}({of[0]()})"
    if kind < 0.95:
        return f"{draw.choice(['p.m', 'p.m', 'p.q.g'])}({of[0]()})"
    return f"({of[0]()} if {of[1]()} > {of[2]()} else 0.5)"


def block(draw, depth=0):
    lines = []
    for _ in range(draw.randint(1, 3)):
        kind, name = draw.random(), draw.choice("stu")
        if kind < 0.55 or depth > 2:
            lines.append(f"{name} = {expression(draw)}")
        elif kind < 0.8:
            other = ["else:", *block(draw, depth + 1)] if draw.random() < 0.5 else []
            test = f"if {expression(draw)} > {expression(draw)}:"
            lines += [test, *block(draw, depth + 1), *other]
        elif kind < 0.93:
            lines += [f"for i in range({draw.choice('013n')}):", *block(draw, depth + 1)]
        elif kind < 0.97:
            lines.append(f"return {expression(draw)}")
        else:
            lines.append(f"{name} = p.{draw.choice('abc')}")
    return ["    " + line for line in lines]


def drawn(seed, copy):
    draw = random.Random(seed)
    text = TEXT + "\n".join(block(draw)) + f"\n    return s + t * u + {expression(draw)}\n"
    space = {"np": np, "math": math, "dataclass": dataclass, "__name__": "objects_given"}
    file = f"<objects given {seed} {copy}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), space)
    return space


def made(space, v):
    inner = space["Inner"](v[5], v[6])
    return space["Outer"](v[0], v[1], v[2], np.array(v[3:5]), inner, v[7:9])


def numbers_of(bar):
    """All nine of them, and the parts that have none."""
    gone = [name for name in ("a", "b", "c") if getattr(bar, name) is None]
    w, rates = (np.zeros(2) if part is None else part for part in (bar.w, bar.rates))
    inner = (0.0, 0.0) if bar.q is None else (bar.q.u, bar.q.v)
    return [float(x or 0.0) for x in (bar.a, bar.b, bar.c, *w, *inner, *rates)], gone


SLOW = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(25, 250)]


@pytest.mark.order_matters
@pytest.mark.parametrize("seed", [*range(25), *SLOW])
def test_drawn_programs_by_both_forms(seed, monkeypatch):
    one, other = drawn(seed, 1), drawn(seed, 2)
    draw = random.Random(seed + 1)
    for _ in range(5):
        v = [draw.uniform(-1.5, 1.5) for _ in range(9)]
        k, n = draw.uniform(-1, 1), draw.randint(0, 3)
        y = one["f"](made(one, v), k, n)
        if type(y) not in (float, np.float64):
            continue
        monkeypatch.setattr(settings, "only_generic", True)
        wanted = astad.gradient(other["f"], made(other, v), k, n)
        monkeypatch.setattr(settings, "only_generic", False)
        again, back = astad.pullback(one["f"], made(one, v), k, n)
        assert again == y
        for found in (astad.gradient(one["f"], made(one, v), k, n), back(1.0)):
            assert (found[0] is None) == (wanted[0] is None)
            assert found[1] == pytest.approx(wanted[1] or 0.0, rel=1e-9, abs=1e-11) or not found[1]
            if wanted[0] is not None:
                (mine, gone), (right, none) = numbers_of(found[0]), numbers_of(wanted[0])
                assert mine == pytest.approx(right, rel=1e-9, abs=1e-11)
                assert set(gone) <= set(none)
