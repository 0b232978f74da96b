"""Step functions that write into an array given by position: what it held before has no part."""

import numpy as np
import pytest

from astad import gradient, pullback

from ..compiler.forms import only_generic


def fixed(x, out):
    np.fix(x, out)
    return np.sum(out * x)


def rounded(x, out):
    y = np.round(x, 1, out)
    return np.sum(y * x + out)


def around_scaled(x, out):
    scratch = out * 2.0
    np.around(x, 0, scratch)
    return np.sum(scratch * out + x)


def method(x, out):
    x.round(0, out)
    return np.sum(out * x)


def infinite(x, out):
    return np.sum((np.isposinf(x, out) + 1.0) * x)


def in_a_loop(x, out):
    total = 0.0
    for k in range(3):
        np.fix(x * (k + 1), out)
        total += np.sum(out * x * x)
    return total


PROGRAMS = [fixed, rounded, around_scaled, method, infinite, in_a_loop]


def differences(f, args, at):
    step, found = 1e-6, np.zeros(3)
    for i in range(3):
        ends = []
        for sign in (1, -1):
            moved = [a.copy() for a in args]
            moved[at][i] += sign * step
            ends.append(f(*moved))
        found[i] = (ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")  # NumPy 2.5
@pytest.mark.parametrize("f", PROGRAMS)
def test_what_an_output_held_before_has_no_part(f):
    x, out = np.array([1.3, 2.7, 3.2]), np.array([1.0, 2.0, 3.0])
    for take in (gradient, by_generic):
        bars = take(f, x.copy(), out.copy())
        for at, bar in enumerate(bars):
            expected = differences(f, (x, out), at)
            np.testing.assert_allclose(0.0 if bar is None else bar, expected, atol=1e-7)


def by_generic(f, *args):
    with only_generic():
        return pullback(f, *args)[1](1.0)


class Unit(np.ndarray):
    """An array with a hook for ufuncs that reads ``out`` as documented: None, or a tuple."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, where=True):
        raw = [np.asarray(each) for each in inputs]
        if out is None:
            return ufunc(*raw, where=where).view(Unit)
        (place,) = out
        ufunc(*raw, out=np.asarray(place), where=where)
        return place

    def as_bytes(self):
        return bytes(self.data) + self.tobytes()

    def copy(self, scale):  # not that of an array: nobody but the user may call it
        return scale * self


def unit(x):
    return np.array([x, 2.0]).view(Unit)


def no_output(x):
    return np.multiply(unit(x), unit(x), out=None)[0] * 1.0


def no_output_and_more(x):
    return np.multiply(unit(x), unit(x), out=None, where=True)[0] * 1.0


def no_output_behind(x):
    return np.multiply(unit(x), unit(x), where=True, out=None)[0] * 1.0


def an_output(x):
    out = np.zeros(2).view(Unit)
    np.multiply(unit(x), unit(x), out=out)
    return out[0] * 1.0


def an_output_in_a_tuple(x):
    out = np.zeros(2).view(Unit)
    return np.multiply(unit(x), unit(x), out=(out,))[0] * 1.0


def copied(x):
    return unit(x).copy(3.0)[0] * x


def compared(x):
    u = unit(x)
    return u[0] * x if u.view(np.ndarray).size and u.as_bytes() else 0.0


@pytest.mark.parametrize(
    "f",
    [no_output, no_output_and_more, no_output_behind, an_output, an_output_in_a_tuple, compared],
)
def test_an_output_that_is_none_is_not_handed_on(f):
    assert f(3.0) == 9.0 and pullback(f, 3.0)[1](1.0) == gradient(f, 3.0) == (6.0,)


def test_a_copy_method_of_the_users_is_called_by_nobody_else():
    assert copied(3.0) == 27.0 and gradient(copied, 3.0) == (18.0,)
