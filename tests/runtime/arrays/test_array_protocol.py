"""Functions of NumPy that ask classes in Python for ``__array_function__``."""

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import Unsupported


def differences(f, x, step=1e-6):
    rows = np.eye(x.size) * step
    return np.array([(f(x + row) - f(x - row)) / (2 * step) for row in rows])


class Metres:
    """A quantity; the derived class below is asked first."""

    def __init__(self, a):
        self.a = a

    def __array_function__(self, func, types, args, kwargs):
        plain = [each.a if isinstance(each, Metres) else each for each in args]
        return Metres(func(*plain, **kwargs))


class Squared(Metres):
    def __array_function__(self, func, types, args, kwargs):
        if func is not np.sum:
            return NotImplemented
        return Metres(np.sum(args[0].a ** 2, **kwargs))


def test_the_answer_of_the_class():
    x = np.array([1.0, 2.0])
    assert gradient(lambda x: np.sum(Metres(x * x)).a, x)[0].tolist() == [2.0, 4.0]
    assert gradient(lambda x: np.sum(Squared(x)).a, x)[0].tolist() == [2.0, 4.0]
    assert gradient(lambda x: np.mean(Metres(x), axis=0).a, x)[0].tolist() == [0.5, 0.5]


def test_a_number_among_the_arguments():
    def f(x):
        return np.clip(Metres(np.array([0.1, 3.0])), 0.0, x).a.sum()

    assert gradient(f, 2.0) == (1.0,)


def test_a_class_that_leaves_it_to_the_next():
    def f(x):
        return np.dot(Squared(x), Metres(x)).a

    try:
        expected = f(np.array([1.0, 2.0]))
    except TypeError:
        expected = None
    assert expected == 5.0
    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [2.0, 4.0]


class Doubling(np.ndarray):
    """Passes everything on to ndarray, and doubles what comes back."""

    def __array_function__(self, func, types, args, kwargs):
        y = super().__array_function__(func, types, args, kwargs)
        return y if y is NotImplemented else 2 * y


class Counting(np.ndarray):
    """Its own way for one function; of all others, that of the array."""

    def __array_function__(self, func, types, args, kwargs):
        if func is np.sum:
            return np.asarray(args[0])[0] * 5
        return super().__array_function__(func, types, args, kwargs)


class Plain(np.ndarray):
    """Without its class, for ndarray to decide."""

    def __array_function__(self, func, types, args, kwargs):
        args = tuple(a.view(np.ndarray) if isinstance(a, Plain) else a for a in args)
        types = tuple(each for each in types if each is not Plain)
        return np.ndarray.__array_function__(np.empty(0), func, types, args, kwargs)


POINT = np.array([1.1, 3.2, 2.4, 0.7])
BY_SUPER = [
    np.sum, np.mean, np.cumsum, np.diff, np.median, np.std, np.max, np.trapezoid, np.flip,
    np.average, np.polyder, np.roots, lambda x: np.clip(x, 1.0, x[1]),
    lambda x: np.average(x, weights=[1.0, 2.0, 3.0, 4.0]), lambda x: np.reshape(x, (2, 2)),
    lambda x: np.percentile(x, 30),
]  # fmt: skip


@pytest.mark.parametrize("kind", [Doubling, Counting, Plain])
@pytest.mark.parametrize("fn", BY_SUPER)
def test_what_super_makes_of_a_function(kind, fn):
    def f(x):
        return np.sum(np.abs(np.asarray(fn(x.view(kind)))) ** 2)

    y, back = pullback(f, POINT)
    assert y == f(POINT)
    assert np.allclose(back(1.0)[0], differences(f, POINT), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("fn", [np.dot, np.inner, lambda x, y: np.where(x > 1, x, y)])
def test_what_super_makes_of_compiled_code_is_refused(fn):
    def f(x):
        return np.sum(np.asarray(fn(x.view(Doubling), x)))

    with pytest.raises(Unsupported, match="a derivative through this"):
        gradient(f, POINT)


class Absolute:
    def __init__(self, values):
        self.values = values

    def __array_function__(self, func, types, args, kwargs):
        args = [each.values if isinstance(each, type(self)) else each for each in args]
        return 2 * np.abs(func(*args, **kwargs))


class AbsoluteList(list):
    def __array_function__(self, func, types, args, kwargs):
        args = [list(each) if isinstance(each, AbsoluteList) else each for each in args]
        return 2 * np.abs(func(*args, **kwargs))


class AbsoluteArray(np.ndarray):
    def __array_function__(self, func, types, args, kwargs):
        args = [np.asarray(each) if isinstance(each, AbsoluteArray) else each for each in args]
        return 2 * np.abs(func(*args, **kwargs))


@pytest.mark.parametrize("fn", [np.roots, np.poly, np.polyder, np.polyint])
@pytest.mark.parametrize("make", [AbsoluteList, lambda x: x.view(AbsoluteArray)])
def test_functions_of_polynomials_of_a_class_with_its_own_way(fn, make):
    """NumPy asks the coefficients of `roots` and `poly`, not what holds them."""

    def f(x):
        return np.sum(np.abs(np.asarray(fn(make(x)))) ** 2)

    y, back = pullback(f, POINT)
    assert y == f(POINT)
    assert np.allclose(back(1.0)[0], differences(f, POINT), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("fn", [np.roots, np.poly])
def test_polynomials_of_a_class_that_hands_out_no_coefficients(fn):
    with pytest.raises(TypeError, match="did not return an iterable"):
        fn(Absolute(POINT))
    with pytest.raises(TypeError, match="did not return an iterable"):
        gradient(lambda x: np.sum(fn(Absolute(x))), POINT)
