"""What was compiled of a function goes with it: cells that are run again, modules loaded anew."""

import gc
import linecache
import textwrap
import weakref
from types import FunctionType

import pytest

import astad
from astad import settings, shown_lines
from astad.api.variants import generated
from astad.runtime.core import variants

PLAIN = """
    def f(x, n=3):
        y = x
        for i in range(n):
            y = y * x + {k}.0
        return y
    """
RECURSIVE = """
    def f(x, n=3):
        return x * {k}.0 if n == 0 else x * f(x, n - 1)
    """
MUTUAL = """
    def even(x, n):
        return x * {k}.0 if n == 0 else x * odd(x, n - 1)
    def odd(x, n):
        return x if n == 0 else x + even(x, n - 1)
    def f(x):
        return even(x, 4)
    """
HELPED = """
    class Rate:
        def __init__(self, k):
            self.k = k
        def of(self, v):
            return [v * self.k for _ in range(2)][0]
    def f(x):
        scale = lambda v: v * {k}.0
        return Rate(2.0).of(x) + scale(x)
    """
ATTEMPTED = """
    def f(x):
        try:
            return x / ({k}.0 - {k}.0)
        except ZeroDivisionError:
            return x * {k}.0
    """
REFUSED = """
    def f(x):
        exec("y = {k}")
        return x
    """


@pytest.fixture
def define():
    """Run a text as a cell of one notebook; what it calls ``f`` is returned."""
    space = {"__name__": "cells"}

    def define(text, k):
        text = textwrap.dedent(text).replace("{k}", str(k))
        file = "<cell of a notebook>"
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        exec(compile(text, file, "exec"), space)
        return space["f"]

    return define


def differentiate(f):
    try:
        astad.gradient(f, 1.5)
        astad.value_and_grad(f)(2.5)
        astad.pullback(f, 1.5)[1](1.0)
    except astad.errors.AstadError:
        astad.gradient(lambda x: x * x, 1.0)


def settle():
    """Collect what is gone, its texts too: they go from `linecache` with the next text."""
    gc.collect()
    shown_lines.show("<the next text>", "")


def counted():
    settle()
    kinds = (generated.Loaded, variants.Variants, variants.Fused, variants.Pair, generated.Place)
    objects = gc.get_objects()
    found = {kind.__name__: sum(type(each) is kind for each in objects) for kind in kinds}
    found["functions"] = sum(type(each) is FunctionType for each in objects)
    lines = sum(str(name).startswith("<astad>") for name in linecache.cache)
    return {**found, "table": len(variants.TABLE), "files": len(generated._files), "lines": lines}


@pytest.mark.parametrize("text", [PLAIN, RECURSIVE, MUTUAL, HELPED, ATTEMPTED, REFUSED])
def test_redefined_functions_leave_nothing_behind(define, monkeypatch, text):
    """Ten definitions more, and no more objects than before."""
    monkeypatch.setattr(settings, "cache", False)
    for k in range(3):
        differentiate(define(text, k))
    before = counted()
    for k in range(3, 13):
        differentiate(define(text, k))
    after = counted()
    grown = {name: after[name] - before[name] for name in before}
    assert {name: count for name, count in grown.items() if count > 3} == {}  # of ten


@pytest.mark.parametrize("text", [PLAIN, RECURSIVE, MUTUAL, HELPED, ATTEMPTED])
def test_older_definition_that_is_kept_stays_right(define, text):
    """Whoever holds it gets its own gradient, however often the name is bound anew."""
    slope = {}
    kept = []
    for k in range(1, 6):
        f = define(text, k)
        if text in (PLAIN, ATTEMPTED, HELPED):  # the others call what the names stand for now
            kept.append(f)
        slope[f] = (f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6
        for each in [*kept, f] * 2:
            assert astad.gradient(each, 1.5)[0] == pytest.approx(slope[each], rel=1e-8)


def test_code_at_the_number_of_one_that_is_gone_is_not_taken_for_it(define):
    for k in range(1, 40):
        f = define("def f(x):\n    return x * {k}.0\n", k)
        assert astad.gradient(f, 2.0) == (float(k),)
        del f


@pytest.mark.slow
def test_refusal_that_is_kept_holds_no_frames(define):
    class Held:
        pass

    f = define(REFUSED, 1)

    def call(value):
        held = value
        with pytest.raises(astad.errors.Unsupported):
            astad.gradient(f, 1.0)

    for _ in range(3):
        value = Held()
        gone = weakref.ref(value)
        call(value)
        del value
        gc.collect()
        assert gone() is None


def test_text_of_a_variant_is_known_while_the_function_lives(define):
    f = define(PLAIN, 1)
    astad.gradient(f, 1.5)
    (variant,) = variants.variants_of(f).fused[0,]
    file = variant.text.file
    assert linecache.getlines(file) == variant.text.source.splitlines(keepends=True)
    del variant, f
    define(PLAIN, 2)
    settle()
    assert file not in linecache.cache
