"""One function: whether there is an obstacle to its gradient, and what may stop a derivative."""

import math
import zlib
from types import FunctionType

import numpy as np

import astad
from astad.api.inspection.checking import check_function


def test_a_function_without_an_obstacle():
    def f(x):
        return math.sin(x) * np.tanh(x) + sum([x, x])

    verdict = check_function(f)
    assert verdict.error is None
    assert verdict.notes == ()
    assert verdict.seconds > 0.0


def test_nothing_is_called():
    def f(x):
        raise AssertionError("called")

    assert check_function(f).error is None


def test_a_refusal_is_that_of_the_gradient():
    def f(x):
        exec("pass")
        return x

    error = check_function(f).error
    try:
        astad.gradient(f, 1.0)
    except astad.errors.Unsupported as raised:
        assert str(raised) == str(error)
    else:
        raise AssertionError("not refused")


def test_an_inner_function_with_empty_cells():
    def make(a):
        def line(x):
            return a * x

        return line

    assert check_function(make).error is None
    assert check_function(make(2.0)).error is None


def late(x):
    y = zlib.crc32(x)
    return y + zlib.crc32(y)


def refused(x):
    return eval("x")


def calls_refused(x):
    return refused(x) + 1.0


def test_compiled_code_without_a_rule_is_a_note_at_its_line():
    (note,) = check_function(late).notes
    assert note.line == late.__code__.co_firstlineno + 1
    assert note.text == "zlib.crc32 is compiled code without a rule"


def test_a_callee_that_is_refused_is_a_note():
    (note,) = check_function(calls_refused).notes
    assert note.text == "refused cannot be differentiated: eval() in refused"


def test_a_function_with_a_rule_needs_no_source():
    def opaque(x):
        return eval("x")

    def f(x):
        return opaque(x)

    def rule(x):
        return x, lambda y_bar: (y_bar,)

    made = FunctionType(f.__code__, {"opaque": opaque}, "f", None, f.__closure__)
    astad.adjoint(opaque)(rule)
    assert check_function(made).notes == ()


def test_a_failure_of_astad_itself_is_told_with_its_place(monkeypatch):
    def fail(*args, **keywords):
        raise KeyError("inside")

    monkeypatch.setattr("astad.api.inspection.checking.compile_function", fail)
    error = check_function(late).error
    assert "astad itself failed, by KeyError at test_checking.py:" in error.why
    assert str(error).startswith(f"test_checking.py:{late.__code__.co_firstlineno}: ")


def test_the_text_of_a_function_with_a_rule_is_not_asked_for():
    def root(a):
        exec("pass")
        return math.sqrt(a)

    assert check_function(root).error is not None
    astad.adjoint(root)(lambda a: (root(a), lambda y_bar: (y_bar / (2 * root(a)),)))
    assert check_function(root).error is None
    assert astad.gradient(root, 4.0) == (0.25,)


def test_a_derivative_that_has_none_itself_is_noted():
    def f(x):
        return abs(astad.wirtinger(lambda z: z * z, x + 1j)[0]) * x

    (note,) = check_function(f).notes
    assert note.text == "astad.wirtinger is not differentiated inside another function"
    assert not check_function(lambda x: astad.gradient(math.sin, x)[0] * x).notes
    assert not check_function(lambda x: astad.pullback(math.sin, x)[1](1.0)[0] * x).notes
