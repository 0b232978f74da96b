"""Globals that are bound anew, shadowed or gone are noticed at the head of every variant."""

import math
import types

import pytest

from astad import gradient, pullback, value_and_grad
from astad.api.variants import wiring
from astad.errors import Unsupported
from astad.runtime.core import variants as table
from astad.runtime.core.variants import TABLE, forget_all, variants_of

SOURCE = """
import math

def half(x):
    return 0.5 * x

def f(x):
    return half(x) * math.exp(x) + abs(x)

def g(x):
    if x > 0.0:
        return f(x)
    return x
"""


@pytest.fixture
def module(tmp_path):
    """A module of one test's own."""
    path = tmp_path / "live_module.py"
    path.write_text(SOURCE)
    made = types.ModuleType("live_module")
    made.__file__ = str(path)
    exec(compile(SOURCE, str(path), "exec"), made.__dict__)
    return made


def slope(x):
    return 0.5 * (1.0 + x) * math.exp(x) + 1.0


def test_a_function_bound_anew(module):
    for _ in range(2):
        assert gradient(module.f, 0.5) == pytest.approx((slope(0.5),))
    module.half = lambda x: 2.0 * x
    assert gradient(module.f, 0.5) == pytest.approx((4.0 * (slope(0.5) - 1.0) + 1.0,))


def test_a_builtin_shadowed_and_free_again(module):
    both = value_and_grad(module.f)
    for _ in range(2):
        assert both(0.5)[1] == pytest.approx(slope(0.5))
    module.abs = lambda x: 3.0 * x
    assert both(0.5)[1] == pytest.approx(slope(0.5) + 2.0)
    del module.abs
    assert both(0.5)[1] == pytest.approx(slope(0.5))


def test_what_was_forgotten_is_kept_again(module):
    first = variants_of(module.half)
    del TABLE[id(module.half.__code__)]
    again = variants_of(module.half)
    assert again is not first and variants_of(module.half) is again


def test_what_was_bound_to_a_name_before_goes(module):
    old = module.half
    first = variants_of(old)
    exec(compile(SOURCE.replace("0.5", "0.25"), "<bound anew>", "exec"), module.__dict__)
    new = variants_of(module.half)
    assert variants_of(module.half) is new and TABLE.get(id(old.__code__)) is not first


def test_names_of_what_is_gone_are_not_kept(module):
    before = {*table._named}
    variants_of(module.half)
    (place,) = {*table._named} - before
    assert place == (id(vars(module)), "half")
    TABLE.pop(id(module.half.__code__))
    del module.f, module.half
    assert place not in table._named


@pytest.mark.parametrize("fn", ["f", "g"])
def test_a_global_that_is_gone(module, fn):
    run = getattr(module, fn)
    for _ in range(2):
        assert gradient(run, 0.5) == pytest.approx((slope(0.5),))
        assert pullback(run, 0.5)[1](1.0) == pytest.approx((slope(0.5),))
    del module.half
    for call in (gradient, pullback, lambda run, x: value_and_grad(run)(x)):
        with pytest.raises(NameError, match="'half' is not defined"):
            call(run, 0.5)


def test_a_global_that_is_gone_and_not_needed(module):
    assert gradient(module.g, 0.5) == pytest.approx((slope(0.5),))
    del module.f
    assert gradient(module.g, -0.5) == (1.0,)


def test_a_module_that_nobody_can_import():
    def f(x):
        return aside.rate * aside.square(x)

    aside = types.ModuleType("astad_tests_aside")
    aside.rate, aside.square = 2.0, lambda x: x * x
    assert gradient(f, 1.5) == (6.0,)
    assert gradient(by_global, 1.5) == (2.0,)


ASIDE = types.ModuleType("astad_tests_aside")
ASIDE.rate = 2.0


def by_global(x):
    return ASIDE.rate * x


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    @property
    def twice(self):
        return self.stiffness * 2


class Soft(Spring):
    pass


class Given:
    """A descriptor that is no property."""

    def __get__(self, owner, cls=None):
        return self if owner is None else 3.0 * owner.stiffness

    def __set__(self, owner, value):
        raise AttributeError("read only")


class Tenfold(property):
    """A property that gives something else than its function."""

    def __get__(self, owner, cls=None):
        return self if owner is None else super().__get__(owner, cls) * 10


def pushed(spring, x):
    return spring.twice * x + spring.stiffness


@pytest.mark.parametrize(
    ("cls", "raw", "by_stiffness", "by_x"),
    [
        (Spring, 7.0, 1.0, 7.0),
        (Soft, 9.0, 1.0, 9.0),
        (Spring, Given(), 5.5, 6.0),
        (Spring, Tenfold(Spring.twice.fget), 31.0, 40.0),
    ],
    ids=["number", "of_the_derived_class", "descriptor", "derived_property"],
)
def test_what_takes_the_place_of_a_property(monkeypatch, cls, raw, by_stiffness, by_x):
    for _ in range(2):
        first, second = gradient(pushed, Soft(2.0), 1.5)
        assert (first.stiffness, second) == (4.0, 4.0)
    monkeypatch.setattr(cls, "twice", raw)
    for _ in range(2):
        first, second = gradient(pushed, Soft(2.0), 1.5)
        assert (first.stiffness, second) == (by_stiffness, by_x)
        assert value_and_grad(pushed, 1)(Soft(2.0), 1.5)[1] == by_x
        assert pullback(pushed, Soft(2.0), 1.5)[1](1.0)[1] == by_x


CALLS = []


def rooted_unless_large(x):
    CALLS.append(x)
    y = math.sqrt(x)
    if x > 100.0:
        return NotImplemented
    return y


def test_what_the_function_itself_raises_is_raised_once():
    """Also before it returns NotImplemented, as a guard does."""
    for ask in (pullback, gradient):
        CALLS.clear()
        with pytest.raises(ValueError, match="math domain error|nonnegative"):
            ask(rooted_unless_large, -1.0)
        assert CALLS == [-1.0]


class Preset:
    stiffness = 1.0

    def __init__(self, stiffness):
        self.stiffness = stiffness


def preset(x):
    return Preset(x).stiffness * 2.0


def test_a_default_of_the_class_that_is_gone(monkeypatch):
    assert gradient(preset, 2.0) == (2.0,)
    monkeypatch.delattr(Preset, "stiffness")
    assert gradient(preset, 2.0) == (2.0,)
    assert pullback(preset, 2.0)[0] == 4.0


class Smoother:
    def __init__(self, band):
        self.gain, self.last = band["gain"], 0.0

    def step(self, x):
        self.last = self.gain * x + 0.5 * self.last
        return self.last


def test_a_container_that_a_pullback_leaves_whole_is_taken_apart_in_a_fused_text():
    def power(bands, signal):
        chain = [Smoother(band) for band in bands]
        total = 0.0
        for s in signal:
            for each in chain:
                s = each.step(s)
            total += s * s
        return total

    args = [{"gain": 0.5}, {"gain": 0.75}], [1.0] * 30
    y, back = pullback(power, *args)
    assert gradient(power, *args) == back(1.0)
    assert len(variants_of(power).fused[0, 1]) == 1


def told(words, x):
    return x * float(str(len(words)))


@pytest.mark.order_matters
def test_forms_for_kinds_that_are_others_in_each_call_are_tried_less_and_less(monkeypatch):
    """As those of trees and graphs: each time the compiler runs."""
    asked, made = [], wiring.load_or_compile

    def refused(fn, variant):
        if not variant.fused:
            return made(fn, variant)
        asked.append(variant.kinds)
        raise Unsupported("told", "words", why="a test", instead="nothing")

    monkeypatch.setattr(wiring, "load_or_compile", refused)
    forget_all()
    for k in range(1, 61):
        assert gradient(told, ("word",) * k, 0.5)[1] == k
    own = [kinds for kinds in asked if kinds[-1] == "float" and "inert" in kinds[0]]
    assert table.AT_ONCE < len(own) <= table.AT_ONCE + 6
    forget_all()
    assert not variants_of(told).pause
