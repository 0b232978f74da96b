"""Conversions between kinds of numbers, rounding, remainders, and the kinds of gradients."""

import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from astad import gradient, pullback

REALS = [2.7, np.float64(2.7), np.float32(2.7)]


def kind_of_gradient(x):
    """A Python float may get either kind of double."""
    return (float, np.float64) if type(x) in (float, np.float64) else (type(x),)


@pytest.mark.parametrize("x", REALS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.float64(x) * 2, 2),
        (lambda x: np.float32(x) * 2, 2),
        (lambda x: np.longdouble(x) * 2, 2),
        (lambda x: np.float64(np.float32(x)) ** 2, 5.4),
        (lambda x: float(x) * 2, 2),
        (lambda x: complex(x).real * 2, 2),
        (lambda x: abs(complex(x, 2 * x)), math.sqrt(5)),
        (lambda x: np.complex128(x).imag + x, 1),
        (lambda x: np.asarray(x).item() * 3, 3),
        (lambda x: x - int(x), 1),
        (lambda x: x * int(x), 2),
        (lambda x: x + round(x, 1), 1),
        (lambda x: x * round(x), 3),
        (lambda x: x + np.round(x, 1), 1),
        (lambda x: x * math.floor(x), 2),
        (lambda x: x * np.floor(x), 2),
        (lambda x: x // 2 * x, 1),
        (lambda x: x % 2 * x, 3.4),
        (lambda x: 7.5 % x, -2),
        (lambda x: divmod(x, 2)[1] * 3 + divmod(x, 2)[0], 3),
        (lambda x: divmod(7.5, x)[1], -2),
        (lambda x: np.divmod(x, 2.0)[1], 1),
        (lambda x: math.fmod(-x, 2.0), -1),
        (lambda x: abs(-x), 1),
        (lambda x: min(x, 5.0), 1),
        (lambda x: max(x, 5.0, x * 2), 2),
        (lambda x: max([x, x * 2]), 2),
        (lambda x: min([x, -x * 2], key=abs), 1),
        (lambda x: x if bool(x) else 0.0, 1),
    ],
)
def test_number_through_a_conversion(f, x, expected):
    for _ in range(2):
        (found,) = gradient(f, x)
        assert type(found) in kind_of_gradient(x)
        assert found == pytest.approx(expected, rel=1e-6)
    y, back = pullback(f, x)
    assert back(1.0)[0] == pytest.approx(expected, rel=1e-6)


def test_a_rounded_number_alone_has_no_path():
    for f in (
        lambda x: round(x),
        lambda x: round(x, 1),
        lambda x: math.floor(x),
        lambda x: np.rint(x),
    ):
        assert gradient(f, 2.7) == (None,)


def test_truncation_is_a_path_whose_value_is_zero():
    (found,) = gradient(lambda x: int(x) * 2.0, 2.7)
    assert found == 0 and type(found) is float


def test_ints_stay_ints():
    for f, expected in (
        (lambda x: int(x) * x, 6),
        (lambda x: x % 2 * x, 4),
        (lambda x: abs(-x) * x, 6),
    ):
        (found,) = gradient(f, 3)
        assert (found, type(found)) == (expected, int)


@pytest.mark.parametrize(
    "larger", [max, np.maximum, np.fmax, lambda x, y: max([x, y]), lambda x, y: -min(-x, -y)]
)
def test_ties_are_shared(larger):
    assert gradient(lambda x, y: larger(x, y), 2.0, 2.0) == (0.5, 0.5)
    assert gradient(lambda x, y: larger(x, y), 2.0, 3.0) == (0, 1)


def test_ties_in_an_array_are_shared():
    x = np.array([1.0, 3.0, 3.0])
    for f in (lambda x: max(x), lambda x: max(x[0], x[1], x[2]), lambda x: max(list(x)), np.max):
        (found,) = gradient(f, x)
        assert found.tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("kind", [Fraction, Decimal])
def test_exact_numbers_stay_what_they_are(kind):
    x = kind(1) / kind(4)
    for f, expected in (
        (lambda x: x / 2, kind(1) / 2),
        (lambda x: 3 / x, kind(-48)),
        (lambda x: x * x / 2 - x, kind(-3) / 4),
        (lambda x: x**3, kind(3) / 16),
        (lambda x: x**-1, kind(-16)),
        (lambda x: x % 1 * x, kind(1) / 2),
        (lambda x: abs(-x) * 2, kind(2)),
        (lambda x: divmod(x, 1)[1] + round(x, 1), kind(1)),
        (lambda x: sum([x, x * x]) + max(x, x * x), kind(5) / 2),
    ):
        (found,) = gradient(f, x)
        assert (found, type(found)) == (expected, kind)
    assert gradient(lambda x: math.sqrt(float(x)), x) == (1.0,)


def test_arrays_between_dtypes():
    x = np.array([1.5, -2.0], np.float32)
    (found,) = gradient(lambda x: np.sum(x.astype(float) ** 2), x)
    assert found.dtype == np.float32 and found.tolist() == [3, -4]
    (found,) = gradient(lambda n: np.sum(np.float32(n) ** 2), np.array([1, 3]))
    assert found.dtype == np.float64 and found.tolist() == [2, 6]
    assert gradient(lambda b: np.sum(b * 2.0), np.array([True, False])) == (None,)


@pytest.mark.parametrize(
    "kind", [np.float16, np.float32, np.longdouble, np.complex64, np.clongdouble]
)
def test_precision_is_kept(kind):
    x = np.array([0.5, 0.25]).astype(kind)
    for f in (lambda x: np.sum(np.abs(np.sin(x)) * 2.0), lambda x: np.sum(np.abs(x * np.ones(2)))):
        (found,) = gradient(f, x)
        assert found.dtype == x.dtype
        (found,) = gradient(lambda x: f(x)[()], x[0])
        assert type(found) is type(x[0])


def test_real_argument_of_a_complex_function_gets_a_real_gradient():
    for x in (0.5, np.float64(0.5), np.array([0.5, 2.0])):
        (found,) = gradient(lambda x: np.sum(np.abs(np.exp(1j * x) + x)), x)
        assert not np.iscomplexobj(found)


class Gauge:
    """Its answers are numbers of whatever class they are."""

    def __init__(self, shown):
        self.shown = shown

    def __float__(self):
        return self.shown

    def __complex__(self):
        return self.shown

    def __int__(self):
        return self.shown


class Exact(float):
    pass


CONVERTED = [
    lambda x, o: float(o) * x,
    lambda x, o: complex(o) * x,
    lambda x, o: int(o) * x,
    lambda x, o: complex(x, o),
    lambda x, o: complex(Gauge(complex(x)), o),
    lambda x, o: math.sin(o) * x,
    lambda x, o: math.hypot(x, o),
]


@pytest.mark.parametrize(
    "shown", [2.5, np.float64(2.5), Exact(2.5), 2, True, 2j, np.complex128(2j), "2"], ids=repr
)
@pytest.mark.parametrize("program", CONVERTED)
def test_what_a_conversion_gives_is_judged_as_python_does(program, shown):
    plain = outcome(program, 1.5, Gauge(shown))
    assert outcome(lambda *given: pullback(program, *given)[0], 1.5, Gauge(shown)) == plain


def outcome(run, *given):
    """What comes of a run: the value or the error, and the warnings with their lines."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            y = run(*given)
        except TypeError as error:
            y = str(error)
    return repr(y), [(str(w.message), w.category, w.filename, w.lineno) for w in said]


def test_the_derivative_goes_through_a_warned_conversion():
    def program(x, y):
        return float(Gauge(np.float64(x))) * y + math.exp(Gauge(Exact(x)))

    for _ in range(2):
        with pytest.warns(DeprecationWarning, match="strict subclass") as said:
            found = gradient(program, 1.5, 2.0)
        assert found == pytest.approx((2 + math.exp(1.5), 1.5))
        assert len(said) == 2
