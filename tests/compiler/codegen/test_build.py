"""Generated code runs under the user's file and lines."""

import sys
import traceback
import warnings

import numpy as np
import pytest

from astad import gradient, pullback

HERE = __file__


def lines_of(error, name):
    return [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == HERE and frame.name == name
    ]


@pytest.mark.parametrize("run", [gradient, pullback])
def test_an_exception_shows_the_users_line(run):
    def f(x, y):
        z = x * y
        w = z / (y - y)
        return w

    with pytest.raises(ZeroDivisionError) as caught:
        run(f, 1.0, 2.0)
    assert lines_of(caught.value, "f") == [f.__code__.co_firstlineno + 2]


def test_an_exception_in_a_loop_in_a_branch():
    def f(x, n):
        for i in range(n):
            if i > 1:
                x = (
                    x
                    / (i - 2)
                )  # fmt: skip
        return x

    with pytest.raises(ZeroDivisionError) as caught:
        gradient(f, 1.0, 5)
    (line,) = lines_of(caught.value, "f")
    assert f.__code__.co_firstlineno + 3 <= line <= f.__code__.co_firstlineno + 6


def test_a_warning_names_the_users_line():
    def f(x):
        y = x * 2.0
        return np.sum(np.log(y))

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        pullback(f, np.array([-1.0]))
    assert [(w.filename, w.lineno) for w in seen] == [(HERE, f.__code__.co_firstlineno + 2)]


def test_a_tracer_sees_the_users_lines_in_order():
    def f(x, n):
        y = x
        for i in range(n):
            y = y * x
        return y

    def traced(run):
        seen = []

        def trace(frame, event, arg):
            if frame.f_code.co_filename == HERE and frame.f_code.co_name == "f":
                if event == "line":
                    seen.append(frame.f_lineno - f.__code__.co_firstlineno)
                return trace
            return None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            run()
        finally:
            sys.settrace(before)
        return seen

    gradient(f, 0.5, 2)
    plain = traced(lambda: f(0.5, 2))
    ours = traced(lambda: gradient(f, 0.5, 2))
    assert [line for at, line in enumerate(ours) if at == 0 or ours[at - 1] != line] == plain


def test_parameter_called_as_our_temporaries():
    def first_times_second(t):
        return t[0][0] * t[1]

    assert gradient(first_times_second, ((1.5, "*"), 2.0)) == (((2.0, None), 1.5),)
