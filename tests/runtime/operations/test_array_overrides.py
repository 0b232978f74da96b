"""Classes for which NumPy runs other code than ndarray's: each program against differences."""

import heapq
import math

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import Unsupported
from tests.programs.ways import check_ways


def three(x):
    return np.array([x, 2.0 * x, x * x])


def four(x):
    return np.array([[x, 2.0 * x], [x * x, 3.0]])


def total(y):
    return float(np.sum(np.asarray(y)))


class Doubled(np.ndarray):
    """Every ufunc gives twice what it would."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        plain = [np.asarray(v) if isinstance(v, Doubled) else v for v in inputs]
        return 2.0 * getattr(ufunc, method)(*plain, **named)


class Clipped(np.ndarray):
    """Saturates."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        plain = [v.view(np.ndarray) if isinstance(v, Clipped) else v for v in inputs]
        named.pop("out", None)
        y = np.clip(getattr(ufunc, method)(*plain, **named), -1.0, 1.0)
        return y.view(Clipped) if isinstance(y, np.ndarray) else y


class Weighted(np.ndarray):
    """By which ufunc it is asked, and with which options, changes the result."""

    weights = {"square": 2.0, "power": 3.0, "sqrt": 4.0, "reciprocal": 5.0, "greater": 0.5}

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        plain = [np.asarray(v) if isinstance(v, Weighted) else v for v in inputs]
        weight = Weighted.weights.get(ufunc.__name__, 1.0) + len(named) + 0.1 * ("axis" in named)
        return weight * getattr(ufunc, method)(*plain, **named)


class Tripled(np.ndarray):
    """Writes three times what is written into it."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **named):
        plain = [np.asarray(v) if isinstance(v, Tripled) else v for v in inputs]
        y = 3.0 * getattr(ufunc, method)(*plain, **named)
        if out is None:
            return np.asarray(y).view(Tripled)
        np.asarray(out[0])[...] = y
        return out[0]


class Soft(np.ndarray):
    """Its comparison is a smooth step."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        plain = [np.asarray(v) if isinstance(v, Soft) else v for v in inputs]
        if ufunc is np.greater:
            return 1.0 / (1.0 + np.exp(plain[1] - plain[0]))
        return getattr(ufunc, method)(*plain, **named)


class Read(np.ndarray):
    def __getitem__(self, i):
        return 3.0 * np.asarray(self)[i]


class FromOne(np.ndarray):
    """Slices count from 1."""

    def __getitem__(self, i):
        i = slice(i.start - 1, i.stop - 1) if isinstance(i, slice) else i - 1
        return np.ndarray.__getitem__(self, i)


class Times(np.ndarray):
    def __mul__(self, other):
        return 5.0 * (np.asarray(self) * np.asarray(other))

    def __rmul__(self, other):
        return 7.0 * (np.asarray(self) * np.asarray(other))


class Plus(np.ndarray):
    def __add__(self, other):
        return 5.0 * (np.asarray(self) + np.asarray(other))

    def __sub__(self, other):
        return 4.0 * (np.asarray(self) - np.asarray(other))


class Handed(np.ndarray):
    def __iter__(self):
        return iter([2.0 * float(v) for v in np.asarray(self)])


class Written(np.ndarray):
    def __setitem__(self, i, v):
        np.ndarray.__setitem__(self, i, 3.0 * np.asarray(v))


class Reduced(np.ndarray):
    def max(self, axis=None, out=None, **named):
        return 11.0 * np.asarray(self).max()

    def mean(self, axis=None, dtype=None, out=None, **named):
        return 3.0 * np.asarray(self).mean()

    def sum(self, axis=None, dtype=None, out=None, **named):
        return 5.0 * np.asarray(self).sum()

    def std(self, axis=None, dtype=None, out=None, ddof=0, **named):
        return 7.0 * np.asarray(self).std()

    def reshape(self, *shape, **named):
        return 2.0 * np.asarray(self).reshape(*shape)

    def transpose(self, *axes):
        return 2.0 * np.asarray(self).transpose(*axes)


class Labelled(np.ndarray):
    """Has nothing that NumPy asks for."""

    def __repr__(self):
        return "labelled"

    def energy(self):
        return np.sum(self * self)


BY_UFUNC = {
    "product": lambda x, kind: total(three(x).view(kind) * three(x)),
    "product from the right": lambda x, kind: total(three(x) * three(x).view(kind)),
    "number of Python": lambda x, kind: total(3.0 * three(x).view(kind)),
    "number of NumPy": lambda x, kind: total(np.float64(x) * np.arange(3.0).view(kind)),
    "list": lambda x, kind: total([x, 2.0, x] + three(x).view(kind)),
    "minus": lambda x, kind: total(-three(x).view(kind)),
    "abs": lambda x, kind: total(abs(three(x).view(kind))),
    "matmul": lambda x, kind: total(three(x).view(kind) @ three(x)),
    "square": lambda x, kind: total(three(x).view(kind) ** 2),
    "root": lambda x, kind: total(three(x).view(kind) ** 0.5),
    "inverse": lambda x, kind: total(three(x).view(kind) ** -1),
    "cube": lambda x, kind: total(three(x).view(kind) ** 3),
    "sine": lambda x, kind: total(np.sin(three(x).view(kind))),
    "sum": lambda x, kind: total(np.sum(three(x).view(kind))),
    "method sum": lambda x, kind: total(three(x).view(kind).sum()),
    "method sum of an axis": lambda x, kind: total(four(x).view(kind).sum(axis=0)),
    "mean": lambda x, kind: total(np.mean(three(x).view(kind))),
    "method mean": lambda x, kind: total(three(x).view(kind).mean()),
    "max": lambda x, kind: total(three(x).view(kind).max()),
    "prod": lambda x, kind: total(np.prod(three(x).view(kind))),
    "std": lambda x, kind: total(np.std(three(x).view(kind))),
    "var": lambda x, kind: total(three(x).view(kind).var()),
    "clip": lambda x, kind: total(three(x).view(kind).clip(0.0, 10.0)),
    "np.clip": lambda x, kind: total(np.clip(three(x).view(kind), 0.0, x)),
    "cumsum": lambda x, kind: total(np.cumsum(three(x).view(kind))),
    "cumsum of an axis": lambda x, kind: total(four(x).view(kind).cumsum(0)),
    "cumprod": lambda x, kind: total(four(x).view(kind).cumprod()),
    "trace": lambda x, kind: total(four(x).view(kind).trace()),
    "reduce": lambda x, kind: total(np.add.reduce(three(x).view(kind))),
    "reduce by position": lambda x, kind: total(
        np.add.reduce(three(x).view(kind), 0, None, None, True)
    ),
    "accumulate": lambda x, kind: total(np.add.accumulate(three(x).view(kind), 0, None)),
    "reduceat": lambda x, kind: total(np.add.reduceat(three(x).view(kind), [0, 2], 0)),
    "outer": lambda x, kind: total(np.multiply.outer(three(x), three(x).view(kind))),
    "diff": lambda x, kind: total(np.diff(three(x).view(kind)) ** 2),
    "gradient": lambda x, kind: total(np.gradient(three(x).view(kind))),
    "average": lambda x, kind: total(np.average(three(x).view(kind), weights=[1.0, 2.0, 1.0])),
    "trapezoid": lambda x, kind: total(np.trapezoid(three(x).view(kind))),
    "polyval": lambda x, kind: total(np.polyval([1.0, 2.0, x], three(x).view(kind))),
    "sinc": lambda x, kind: total(np.sinc(three(x).view(kind))),
    "median": lambda x, kind: total(np.median(three(x).view(kind))),
    "keyword": lambda x, kind: total(np.sum(a=three(x).view(kind))),
    "frompyfunc": lambda x, kind: total(
        np.asarray(np.frompyfunc(lambda v: v * v, 1, 1)(three(x).view(kind)), float)
    ),
    "inverse of a matrix": lambda x, kind: total(np.linalg.inv(four(x).view(kind))),
    "interp": lambda x, kind: total(np.interp(1.5, three(x).view(kind), three(x))),
    "einsum": lambda x, kind: total(np.einsum("i,i->", three(x).view(kind), three(x))),
    "dot": lambda x, kind: total(three(x).view(kind).dot(three(x))),
}


@pytest.mark.order_matters  # one method, asked by many programs
@pytest.mark.parametrize("kind", [Doubled, Clipped, Weighted, Labelled])
@pytest.mark.parametrize("name", BY_UFUNC)
def test_ufuncs_of_a_class(name, kind):
    check_ways(lambda x: BY_UFUNC[name](x, kind), 0.7, rtol=1e-5)


def into_a_power(x):
    a = three(x).view(Tripled)
    a **= 2
    return total(a)


def into_itself(x):
    a = three(x).view(Tripled)
    a *= x
    a += three(x)
    return total(a)


def by_out(x):
    a = three(x).view(Tripled)
    np.multiply(a, x, out=a)
    return total(a)


def by_out_in_its_place(x):
    a = three(x).view(Tripled)
    np.multiply(three(x), x, a)
    return total(a)


def an_array_into_which_its_product_is_written(x):
    b = three(x)
    b *= three(x).view(Clipped)
    return total(b)


@pytest.mark.parametrize("program", [
    into_a_power, into_itself, by_out, by_out_in_its_place,
    an_array_into_which_its_product_is_written,
])  # fmt: skip
def test_a_class_that_writes(program):
    check_ways(program, 0.7)


def test_a_comparison_that_moves():
    check_ways(lambda x: total(three(x).view(Soft) > 1.0), 0.7)
    check_ways(lambda x: total(np.greater(three(x).view(Soft), x * x)), 0.7)
    check_ways(lambda x: total(x * x < three(x).view(Soft)), 0.7)
    check_ways(lambda x: total(three(x).view(Soft) >= 1.0) * x, 0.7)


OWN_METHODS = {
    "diff": lambda x: total(np.diff(three(x).view(Read))),
    "flip": lambda x: np.flip(three(x).view(Read))[0] * 1.0,
    "rot90": lambda x: np.asarray(np.rot90(four(x).view(Read)))[0, 0] * 1.0,
    "stack": lambda x: total(np.stack([three(x).view(Read), three(x)])),
    "stack by keyword": lambda x: total(np.stack(arrays=[three(x).view(Read), three(x)])),
    "concatenate": lambda x: total(np.concatenate(four(x).view(Read))),
    "split": lambda x: total(np.split(three(x).view(Read), 3)[1]),
    "svd": lambda x: total(np.linalg.svd(four(x).view(Read))[1]),
    "svd, product": lambda x: total(np.linalg.svd(four(x).view(Times))[1]),
    "sorted": lambda x: total(np.sort(three(x).view(Read))),
    "median": lambda x: total(np.median(three(x).view(Read))),
    "dist": lambda x: math.dist(three(x).view(Read), [0.0, 1.0, 2.0]),
    "dist by iter": lambda x: math.dist([1.0, 2.0, 3.0], three(x).view(Handed)),
    "fsum": lambda x: math.fsum(three(x).view(Read)),
    "prod": lambda x: math.prod(three(x).view(Read)),
    "hypot": lambda x: math.hypot(*three(x).view(Handed)),
    "trapezoid": lambda x: total(np.trapezoid(three(x).view(Times))),
    "trapezoid over": lambda x: total(np.trapezoid(three(x), three(x).view(Times))),
    "polyval": lambda x: total(np.polyval([1.0, 2.0, x], three(x).view(Times))),
    "polyval, sums": lambda x: total(np.polyval([1.0, 2.0, x], three(x).view(Plus))),
    "polyadd": lambda x: total(np.polyadd(three(x).view(Plus), three(x))),
    "gradient": lambda x: total(np.gradient(three(x).view(Plus))),
    "vectorize": lambda x: total(np.vectorize(lambda v: v * v)(three(x).view(Times)) * 2.0),
    "amax": lambda x: total(np.amax(three(x).view(Reduced))),
    "max": lambda x: total(np.max(three(x).view(Reduced))),
    "average": lambda x: total(np.average(three(x).view(Reduced))),
    "nanmean": lambda x: total(np.nanmean(three(x).view(Reduced))),
    "nansum": lambda x: total(np.nansum(three(x).view(Reduced))),
    "std": lambda x: total(np.std(three(x).view(Reduced))),
    "tile": lambda x: total(np.tile(three(x).view(Reduced), 2)),
    "moveaxis": lambda x: total(np.moveaxis(four(x).view(Reduced), 0, 1)),
    "roll": lambda x: np.asarray(np.roll(three(x).view(Reduced), 1))[0] * 1.0,
    "expand_dims": lambda x: total(np.expand_dims(three(x).view(Reduced), 0)),
    "of a matrix": lambda x: total(np.polyval([1.0, 2.0, x], np.asmatrix(four(x)))),
    "integral of a matrix": lambda x: total(np.trapezoid(np.asmatrix(four(x)), dx=x)),
    "matrix, element by element": lambda x: total(
        np.vectorize(lambda v: v * v)(np.asmatrix(four(x))) * np.asmatrix(four(x))
    ),
    "joined matrix": lambda x: total(np.concatenate(np.asmatrix(four(x))) ** 2),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", OWN_METHODS)
def test_methods_of_a_class(name):
    check_ways(OWN_METHODS[name], 0.7, rtol=1e-5)


def test_places_that_a_class_finds():
    def f(x):
        a = np.zeros(4).view(FromOne)
        a[2:4] = three(x)[:2]
        return total(np.asarray(a) * np.arange(4.0))

    def along_an_axis(x):
        a = three(x).view(Written)
        np.put_along_axis(a, np.array([0]), x, 0)
        return total(a)

    check_ways(f, 0.7)
    check_ways(along_an_axis, 0.7)


class Sample:
    """Not an array: NumPy asks it for its methods, else for an array."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    def mean(self, axis=None, dtype=None, out=None, **named):
        return 3.0 * self.values.mean()

    def sum(self, axis=None, dtype=None, out=None, **named):
        return 5.0 * self.values.sum()

    def max(self, axis=None, out=None, **named):
        return 7.0 * self.values.max()

    def std(self, axis=None, dtype=None, out=None, ddof=0, **named):
        return 11.0 * self.values.std()

    def cumsum(self, axis=None, dtype=None, out=None):
        return 17.0 * self.values.cumsum()

    def clip(self, low, high, out=None, **named):
        return 19.0 * self.values.clip(low, high)

    def round(self, decimals=0, out=None):
        return 27.0 * self.values


class Rounded:
    def __init__(self, value):
        self.value = value

    def round(self, decimals=0, out=None):
        return 3.0 * self.value


class Proxy:
    """Hands everything on."""

    def __init__(self, of):
        self.of = of

    def __getattr__(self, name):
        return getattr(self.of, name)


class Rates(list):
    def mean(self, axis=None, dtype=None, out=None):
        return 3.0 * sum(self)


class Length(float):
    def round(self, decimals=0, out=None):
        return 3.0 * float(self)


OBJECTS = {
    "mean": lambda x: np.mean(Sample(three(x))),
    "mean of an axis": lambda x: np.mean(Sample(three(x)), axis=0),
    "sum by keyword": lambda x: np.sum(a=Sample(three(x))),
    "max": lambda x: np.max(Sample(three(x))),
    "std": lambda x: np.std(Sample(three(x))),
    "cumsum": lambda x: total(np.cumsum(Sample(three(x)))),
    "clip": lambda x: total(np.clip(Sample(three(x)), 0.0, 10.0)),
    "round": lambda x: total(np.round(Sample(three(x)))),
    "no such method": lambda x: np.prod(Sample(three(x))),
    "an array of it": lambda x: total(np.linalg.inv(Sample(four(x)))),
    "round alone": lambda x: np.round(Rounded(x)),
    "around": lambda x: np.around(Rounded(x), 2),
    "a proxy": lambda x: np.sum(Proxy(three(x))),
    "a list": lambda x: np.mean(Rates([x, x * x])),
    "a float": lambda x: np.round(Length(x)),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_methods_of_objects(name):
    check_ways(lambda x: float(OBJECTS[name](x)), 0.7)


def poly(x):
    return np.poly1d([x, 2.0 * x, x * x])


POLYNOMIALS = {
    "polyder": lambda x: np.polyder(poly(x))(2.0),
    "polyder twice": lambda x: np.polyder(poly(x), m=2)(2.0),
    "polyint": lambda x: np.polyint(poly(x))(2.0),
    "polyadd": lambda x: np.polyadd([1.0, x], poly(x))(2.0),
    "polysub": lambda x: np.polysub(poly(x), [1.0, x])(2.0),
    "polymul": lambda x: np.polymul(poly(x), [1.0, x])(2.0),
    "polymul by keyword": lambda x: np.polymul(a1=poly(x), a2=[1.0, x])(2.0),
    "polyval": lambda x: np.polyval([1.0, x], poly(x))(2.0),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_stay_what_they_are(name):
    check_ways(lambda x: float(POLYNOMIALS[name](x)), 0.7)


class Quantity:
    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        plain = [v.value if isinstance(v, Quantity) else v for v in inputs]
        return Quantity(2.0 * getattr(ufunc, method)(*plain, **named))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.float64(x) * Quantity(x),
        lambda x: np.float64(x) / Quantity(x * x),
        lambda x: np.int64(2) - Quantity(x),
        lambda x: np.float64(x) ** Quantity(2.0),
        lambda x: np.add.reduce(Quantity(three(x))),
        lambda x: Quantity(three(x)).__array_ufunc__(np.sin, "__call__", three(x)),
    ],
)
def test_numbers_of_numpy_ask_for_ufuncs(program):
    check_ways(lambda x: total(program(x).value), 0.7)


class Tolerant(float):
    def __eq__(self, other):
        return abs(float(self) - float(other)) < 1.0

    __hash__ = float.__hash__


@pytest.mark.parametrize(
    "program",
    [
        lambda x: max(Tolerant(x), Tolerant(2.0 * x)),
        lambda x: max([Tolerant(x), Tolerant(2.0 * x), Tolerant(x * x)]),
        lambda x: max(Tolerant(k * x) for k in (1.0, 1.5, 2.0)),
        lambda x: min([Tolerant(2.0 * x), Tolerant(x), Tolerant(x * x)]),
        lambda x: max([Tolerant(x), Tolerant(2.0 * x)], key=Tolerant),
        lambda x: heapq.nlargest(1, [Tolerant(x), Tolerant(2.0 * x), Tolerant(x * x)])[0],
        lambda x: heapq.nsmallest(1, [Tolerant(2.0 * x), Tolerant(x), Tolerant(x * x)])[0],
    ],
)
def test_an_equality_of_its_own_makes_no_tie(program):
    check_ways(lambda x: float(program(x)), 0.7)


def test_equal_numbers_still_share():
    assert gradient(lambda x, y: max(Tolerant(x), Tolerant(y)), 2.0, 2.0) == (0.5, 0.5)


class Wrapping(np.ndarray):
    def __array_wrap__(self, made, context=None, return_scalar=False):
        return 2.0 * np.asarray(made)


class Keeping(np.ndarray):
    def __array_wrap__(self, made, context=None, return_scalar=False):
        return np.asarray(made).view(Keeping)


@pytest.mark.order_matters  # what is captured differs: the text tells which came first
@pytest.mark.parametrize(
    "program",
    [lambda a: a * 3.0, np.sin, np.cumsum, lambda a: -a, lambda a: np.insert(a, 0, 1.0)],
)
def test_numbers_that_a_wrapper_changes_are_refused(program):
    y, back = pullback(lambda x: total(program(three(x).view(Wrapping))), 0.7)
    assert y == total(program(three(0.7).view(Wrapping)))
    with pytest.raises(Unsupported, match="__array_wrap__"):
        back(1.0)
    check_ways(lambda x: total(program(three(x).view(Keeping))), 0.7)


@pytest.mark.order_matters  # one method, asked by many programs
def test_an_argument_of_such_a_class():
    a = np.array([0.3, 0.4])
    (bar,) = gradient(lambda a: total(a * a), a.view(Doubled))
    np.testing.assert_allclose(bar, 4.0 * a)
    (bar,) = gradient(lambda a: np.sum(a), a.view(Reduced))
    np.testing.assert_allclose(bar, [5.0, 5.0])


class AsArray(np.ndarray):
    """NumPy asks no array for its ``__array__``."""

    def __array__(self, dtype=None, copy=None):
        return 2.0 * np.ndarray.__array__(self)


@pytest.mark.parametrize(
    "program",
    [lambda a: a + 1.0, lambda a: 2.0 * a, np.sin, np.sum, np.cumsum, np.asarray, np.array,
     lambda a: np.concatenate([a, a]), lambda a: a.copy(), lambda a: np.polyval(a, 2.0),
     lambda a: np.dot(a, a), lambda a: np.interp(0.5, [0.0, 1.0, 2.0], a)],
)  # fmt: skip
def test_an_array_with_an_array_method_of_its_own(program):
    check_ways(lambda x: total(program(three(x).view(AsArray))), 0.7)


def test_vectorize_of_an_array_that_wraps_its_results():
    def f(x):
        return total(np.vectorize(lambda v: v * v)(three(x).view(Wrapping)))

    y, back = pullback(f, 0.7)
    assert y == f(0.7)
    with pytest.raises(Unsupported):
        back(1.0)
