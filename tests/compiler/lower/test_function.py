"""Whole functions: parameters, order of growth, the standard library, the limits."""

import colorsys
import fractions
import functools
import heapq
import json.decoder
import json.encoder
import statistics
import textwrap
import time
import types

import pytest

from astad.compiler.frontend.locate import remember_source
from astad.compiler.ir.nodes import Param
from astad.compiler.ir.text import header, show
from astad.compiler.lower.function import lower_function, program_of
from astad.errors import NoSource, Unsupported


def defined(text, name="f", file=None):
    file = file or f"<test {hash(text)}>"
    remember_source(file, text)
    known = {}
    exec(compile(text, file, "exec", dont_inherit=True), known)
    return known[name]


def test_parameters_of_every_kind(same):
    def f(a, b=2, /, c=3, *rest, d, e=5, **more):
        return a, b, c, rest, d, e, more

    same(f, 1, d=4)
    same(f, 1, 2, 3, 4, 5, d=6, e=7, g=8)
    program = lower_function(f)
    assert program.params == (
        Param("a", "positional_only", False),
        Param("b", "positional_only", True),
        Param("c", "positional", True),
        Param("rest", "args", False),
        Param("d", "keyword_only", False),
        Param("e", "keyword_only", True),
        Param("more", "kwargs", False),
    )
    assert header(program) == "def f(a, b=..., c=..., *rest, d, e=..., **more):"


def test_lambda(same):
    f = lambda x, y=2: x * y if x else (y, [x for x in range(y)])
    same(f, 3)
    same(f, 0)
    assert lower_function(f).name == "<lambda>"


def test_lambdas_on_one_line_are_told_apart(same):
    fs = [lambda x: x**2, lambda x: x**3, lambda x, y=1: x, (lambda k: lambda x: x * k)(5)]
    assert [show(lower_function(f)).splitlines()[0] for f in fs[:2]] == [
        "t_1 = x ** 2",
        "t_1 = x ** 3",
    ]
    for f in fs:
        same(f, 3)


def test_program_keeps_what_belongs_to_it():
    def f(x):
        return x

    program = lower_function(f)
    assert program.qualname == f.__qualname__
    assert program.file == __file__
    assert program.line == f.__code__.co_firstlineno
    assert {"x"} <= program.taken


def test_same_source_gives_the_same_program():
    text = "def f(a, b):\n    return [g(x) + (y := x) for x in {a, b} if x] or (lambda: a + b)()\n"
    first = lower_function(defined(text, file="<one>"))
    second = lower_function(defined(text, file="<one>"))
    assert first == second


def test_lines_of_a_program_given_as_text():
    assert show(program_of("y = x\nreturn y")) == "y = x\nreturn y"
    assert [param.name for param in program_of("z = [i * x for i in xs]\nz += w").params] == [
        "x",
        "xs",
        "w",
    ]


@pytest.mark.parametrize(
    "text, what, line",
    [
        ("async def f(x):\n  return x\n", "asynchronous code in f", 1),
        ("def f(x):\n  return locals()\n", "locals() in f", 2),
        ("def f(x):\n  return eval('x')\n", "eval() in f", 2),
        ("f = lambda x: locals()\n", "locals() in <lambda>", 1),
    ],
)
def test_what_is_refused_names_line_and_construct(text, what, line):
    with pytest.raises(Unsupported) as caught:
        lower_function(defined(text, file="walk.py"))
    assert str(caught.value).startswith(f"walk.py:{line}: {what}: ")
    assert caught.value.why and caught.value.instead


def test_global_that_is_only_read_is_fine(same):
    def f(x):
        global say_nothing
        return vars(x), __name__

    same(f, types.SimpleNamespace(a=1))


def straight_line(count):
    lines = [
        f"    v{i + 1} = sin(v{i} * x + {i}.5) / o.scale(v{i}, x[{i}:, 0])\n" for i in range(count)
    ]
    return defined(f"def f(v0, x, o, sin):\n{''.join(lines)}    return v{count}\n")


def test_a_thousand_statements_are_as_many_operations_each():
    for count in (250, 1000):
        assert len(lower_function(straight_line(count)).body) == 8 * count + 1


@pytest.mark.timing
def test_thousand_statements_lower_in_linear_time():
    times = []
    for count in (250, 1000):
        f = straight_line(count)
        start = time.process_time()
        lower_function(f)
        times.append(time.process_time() - start)
    assert times[1] < 2.0  # 0.15 s here; the bound leaves room for a busy machine
    assert times[1] < 12 * times[0]


def test_long_chains_do_not_exhaust_the_stack():
    branches = "".join(f"    elif x == {i}:\n        y = {i}\n" for i in range(120))
    f = defined(f"def f(x):\n    if x < 0:\n        y = 0\n{branches}    return y\n")
    assert lower_function(f).body
    total = " + ".join(["x"] * 150)
    assert len(lower_function(defined(f"def f(x):\n    return {total}\n")).body) == 150


def test_expression_too_deep_for_python_is_refused_in_words():
    total = " + ".join(["x"] * 2000)
    with pytest.raises(
        Unsupported, match="walk2.py:1: an expression or a chain of elif in f: .* split it"
    ):
        lower_function(defined(f"def f(x):\n    return {total}\n", file="walk2.py"))


def functions_of(module):
    for value in vars(module).values():
        members = vars(value).values() if isinstance(value, type) else (value,)
        for each in members:
            each = getattr(each, "__func__", getattr(each, "fget", each))
            if isinstance(each, types.FunctionType) and each.__module__ == module.__name__:
                yield each


@pytest.mark.parametrize(
    "module",
    [colorsys, fractions, functools, heapq, json.decoder, json.encoder, statistics, textwrap],
    ids=lambda module: module.__name__,
)
def test_standard_library_lowers_or_is_refused(module):
    lowered = 0
    for fn in functions_of(module):
        try:
            lower_function(fn)
            lowered += 1
        except Unsupported:
            pass
        except NoSource:
            assert fn.__code__.co_filename.startswith("<"), fn
    assert lowered


def test_standard_library_functions_do_the_same(same):
    for f in (colorsys.rgb_to_hsv, colorsys.rgb_to_hls, colorsys.rgb_to_yiq):
        same(f, 0.2, 0.4, 0.6)
    same(colorsys.hsv_to_rgb, 0.3, 0.5, 0.7)
    same(heapq._siftup_max, [1, 3, 2], 0)
    same(textwrap.shorten, "some words that are long", 12)
    same(fractions.Fraction.limit_denominator, fractions.Fraction(314159, 100000), 100)
