"""Where the ways from an argument end, as `astad.why_none` tells."""

import numpy as np

import astad


def test_builtins_that_tell_what_carries_no_derivative():
    def f(x, y):
        text = str(x)
        n = len([x])
        return y * 2.0

    told = str(astad.why_none(f, 1.5, 2.0, argnum=0))
    assert "str() gives what carries no derivative" in told
    assert "len: the result is no differentiable number" in told


def test_functions_of_libraries():
    def f(x, y):
        known = np.shape(x) == () and np.array_equal(x, x)
        return y * known

    told = str(astad.why_none(f, 1.5, 2.0, argnum=0))
    assert "np.array_equal" in told and "np.shape" in told
