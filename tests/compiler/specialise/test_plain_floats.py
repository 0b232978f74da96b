"""Loops over elements on Python floats: values, types, warnings and errors are those of arrays."""

import math
import warnings

import numpy as np
import pytest

from astad import value_and_grad
from astad.runtime.core.variants import forget_all, variants_of
from tests.compiler.forms import check_forms


def cube(x):
    s = 0.0
    for v in x:
        s = s + v * v * v
    return s


def last(x):
    s = 0.0
    for v in x:
        s = v * 2.0
    return s


def unused(x):
    s = 0.0
    for v in x:
        t = v * v
        if v > 1e100:
            s = s + v
        s = s + 1.0 * v
    return s


def covered(x):
    s = 0.0
    for v in x:
        t = v * v
        s = s + t
    return s


def div(x, y):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] / y[i]
    return s


def div2(x):
    s = 0.0
    for i in range(len(x)):
        s = s + 1.0 / (x[i] * x[i])
    return s


def horner(x, t):
    y = 0.0
    for c in x:
        y = y * t + c
    return y


def pysum(x):
    n = 0.0
    for v in x:
        if v > 0.0:
            n = n + 1.0
    return n * 2.0


def npcond(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            s = s + v
    return s


def math_(x):
    s = 0.0
    for v in x:
        s = s + math.exp(v)
    return s


def nested(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s = s + x[i] * x[j]
    return s


def nested2(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            s = s + x[i] * x[j]
    return s


def power(x):
    s = 0.0
    for v in x:
        s = s + v**3 - v**2
    return s


def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + a * b
    return s


def first(x):
    s = x[0]
    for v in x:
        s = s + v
    return s * x[-1]


def lag(x):
    p = x[0]
    s = 0.0
    for i in range(1, len(x)):
        d = x[i] - p
        s = s + d * d
        p = x[i]
    return s


def lag2(x):
    p = 0.0
    s = 0.0
    for v in x:
        s = s + p * v
        p = v * v
    return s


def maxi(x):
    m = x[0]
    for v in x:
        if v > m:
            m = v
    return m


def idx(x, i):
    s = 0.0
    for k in range(3):
        s = s + x[i]
    return s


def mixed(x, y):
    s = 0.0
    for v in x:
        s = s + v * y
    return s


def mean(x):
    s = 0.0
    for v in x:
        s = s + v
    m = s / len(x)
    q = 0.0
    for v in x:
        q = q + (v - m) ** 2
    return q / len(x)


def two_ways(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s + np.sum(x)


def huber(x):
    s = 0.0
    for v in x:
        if v < 1.0:
            s = s + v * v
        else:
            s = s + (2.0 * v - 1.0)
    return s


def of_either_type(x):
    """A float, if the last is negative."""
    best = 1.0
    for v in x:
        if v > 0.0:
            best = v
        else:
            best = 2.0
    return best


def clipped(x):
    """What overflows is not seen in the result."""
    s = 0.0
    for v in x:
        t = v * v
        if v > 1e100:
            t = v
        s = s + t
    return s


def lst(x):
    ys = [v * v for v in x]
    return ys[0] + ys[1]


def ret0(x):
    s = 0.0
    for v in x:
        s = s + v
    return 3.0


TENTATIVE = [
    cube,
    covered,
    div,
    horner,
    pysum,
    math_,
    nested,
    nested2,
    power,
    zipped,
    first,
    lag,
    maxi,
    idx,
    mixed,
    mean,
    huber,
]
EXACT = [div2, last, unused, npcond, lag2, two_ways, of_either_type, clipped]
X = np.linspace(-1.3, 1.9, 7)
SECOND = {div: X * 0.3 + 2.0, zipped: X[::-1].copy(), horner: 0.7, mixed: 0.7, idx: 2}
ODD = {
    "big": np.array([1e200, 1.0, -1e200]),
    "inf": np.array([np.inf, 1.0]),
    "nan": np.array([np.nan, 2.0]),
    "zeros": np.array([0.0, 1.0, 0.0]),
    "empty": np.array([]),
    "one": np.array([2.5]),
    "small": np.array([1e-200, 1e-200]),
}


def arguments(fn, x):
    return (x, SECOND[fn]) if fn in SECOND else (x,)


def gradient_of(fn, x):
    args = arguments(fn, x)
    return value_and_grad(fn, argnums=tuple(range(len(args))))(*args)


def conduct(run, *args):
    """The repr of the result, or the error; what was warned of."""
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            result = run(*args)
            found = type(result), repr(result)
        except Exception as error:
            found = type(error), str(error)
    return found, {str(each.message) for each in met}


@pytest.mark.parametrize("fn", TENTATIVE)
def test_gradients(fn):
    check_forms(fn, *arguments(fn, X), fused=True)
    assert variants_of(fn).fused[tuple(range(len(arguments(fn, X))))][0].tentative


@pytest.mark.parametrize("fn", EXACT)
def test_what_might_overflow_unseen_or_be_of_another_type(fn):
    gradient_of(fn, X)
    assert not any(made.tentative for made in variants_of(fn).fused[(0,)])


@pytest.mark.parametrize("fn", [*TENTATIVE, of_either_type, clipped])
@pytest.mark.parametrize("case", ODD)
def test_values_types_warnings_and_errors(fn, case):
    forget_all()
    args = arguments(fn, ODD[case])
    plain, warned = conduct(fn, *args)
    for _ in range(3):
        found, told = conduct(lambda: gradient_of(fn, ODD[case])[0])
        assert found == plain
        assert warned <= told


def test_an_underflow_that_raises():
    def f(x):
        s = 0.0
        for v in x:
            s = s + v * v
        return s

    x = np.array([1e-200, 1.0])
    assert value_and_grad(f)(x)[0] == 1.0
    with np.errstate(under="raise"), pytest.raises(FloatingPointError):
        value_and_grad(f)(x)
    assert value_and_grad(f)(x)[0] == 1.0


def test_one_that_fails_again_and_again_comes_last():
    forget_all()
    gradient = value_and_grad(cube)
    for _ in range(12):
        assert gradient(np.array([]))[0] == 0.0
    assert [made.tentative for made in variants_of(cube).fused[(0,)]] == [False, True]
