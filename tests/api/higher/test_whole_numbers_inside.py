"""The derivative by a whole number of a derivative inside: a sweep over operations, public
functions and places of the int, each against differences with a float in its place.
"""

import functools
import itertools
import math
import operator

import numpy as np
import pytest

import astad
from astad.errors import Unsupported

X = 0.7
WHOLES = (2, 3, 1, -1)
KEPT = {"same": lambda t: t}


class Held:
    def __init__(self, n):
        self.n = n


class Bound:
    def __init__(self, g, n):
        self.g, self.n = g, n

    def __call__(self, y):
        return self.g(y, self.n)


def decorated(fn):
    @functools.wraps(fn)
    def run(*args):
        return fn(*args)

    return run


OPERATIONS = {
    "y**n": lambda y, n: y**n,
    "pow": lambda y, n: pow(y, n),
    "operator.pow": lambda y, n: operator.pow(y, n),
    "y**(n+1)": lambda y, n: y ** (n + 1),
    "(y*y)**n": lambda y, n: (y * y) ** n,
    "y**3/n": lambda y, n: y**3 / n,
    "(n-y)**3": lambda y, n: (n - y) ** 3,
    "math.sin": lambda y, n: math.sin(y * n),
    "math.pow": lambda y, n: math.pow(y, n),
    "np.multiply": lambda y, n: np.multiply(y * y, n) * y,
    "np.divide": lambda y, n: np.divide(y**3, n),
    "np.power": lambda y, n: np.power(y, n),
    "np.float_power": lambda y, n: np.float_power(y, n),
    "np.arctan2": lambda y, n: np.arctan2(y, n),
    "np.logaddexp": lambda y, n: np.logaddexp(y, n),
    "np.subtract": lambda y, n: np.subtract(n, y) ** 3,
    "np.hypot": lambda y, n: np.hypot(y, n),
    "from a dict": lambda y, n: KEPT["same"](np.multiply(y, n) * y),
}
WRAPPERS = {
    "grad": lambda h, x: astad.grad(h)(x),
    "hessian": lambda h, x: astad.hessian(h, x),
    "hvp": lambda h, x: astad.hvp(h, x, 1.0),
    "grad(grad)": lambda h, x: astad.grad(astad.grad(h))(x),
    "jacobian(grad)": lambda h, x: astad.jacobian(astad.grad(h), x),
    "jvp(grad)": lambda h, x: astad.jvp(astad.grad(h), (x,), (1.0,))[1],
    "grad of jvp": lambda h, x: astad.grad(lambda z: astad.jvp(h, (z,), (1.0,))[1])(x),
    "jvp": lambda h, x: astad.jvp(h, (x,), (1.0,))[1],
    "pullback": lambda h, x: astad.pullback(h, x)[1](1.0)[0],
    "of pullback": lambda h, x: astad.pullback(
        lambda z: astad.pullback(h, z)[1](1.0)[0], x
    )[1](1.0)[0],
    "recorded": lambda h, x: astad.grad(lambda y: KEPT["same"](h(y)))(x),
    "decorated": lambda h, x: astad.grad(decorated(h))(x),
}  # fmt: skip
PLACES = {
    "argument": (
        lambda wrap, g: lambda x, n: wrap(lambda y: g(y, n), x), lambda n: n, lambda bar: bar,
    ),
    "item": (
        lambda wrap, g: lambda x, p: wrap(lambda y: g(y, p[0]), x), lambda n: [n],
        operator.itemgetter(0),
    ),
    "attribute": (
        lambda wrap, g: lambda x, o: wrap(lambda y: g(y, o.n), x), Held, operator.attrgetter("n"),
    ),
    "partial": (
        lambda wrap, g: lambda x, n: wrap(functools.partial(g, n=n), x), lambda n: n,
        lambda bar: bar,
    ),
    "instance": (
        lambda wrap, g: lambda x, n: wrap(Bound(g, n), x), lambda n: n, lambda bar: bar,
    ),
}  # fmt: skip
APIS = {
    "gradient": lambda f, x, held: astad.gradient(f, x, held),
    "pullback": lambda f, x, held: astad.pullback(f, x, held)[1](1.0),
}


def slope_of(fn, at):
    def rate(step):
        return (fn(at + step) - fn(at - step)) / (2 * step)

    return (4 * rate(1e-4) - rate(2e-4)) / 3


def check(operation, wrapper, place, api, n):
    """At the first call and again."""
    make, held, part = PLACES[place]
    f = make(WRAPPERS[wrapper], OPERATIONS[operation])
    expected = slope_of(lambda x: f(x, held(n)), X), slope_of(lambda k: f(X, held(k)), float(n))
    for _ in range(3):
        by_x, by_n = APIS[api](f, X, held(n))
        found = by_x or 0.0, (part(by_n) if by_n is not None else 0.0) or 0.0
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-7), (operation, wrapper, place, n)


@pytest.mark.parametrize("wrapper", ["hessian", "recorded", "of pullback"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_by_an_int(operation, wrapper):
    for n in WHOLES[:2]:
        check(operation, wrapper, "argument", "gradient", n)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("place", PLACES)
def test_by_an_int_in_any_place(place, api):
    for operation, wrapper in (("y**n", "hvp"), ("np.divide", "recorded"), ("y**3/n", "grad")):
        for n in (2, -1):
            check(operation, wrapper, place, api, n)


@pytest.mark.slow
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_by_an_int_wherever_it_is(wrapper, place, api):
    for operation, n in itertools.product(OPERATIONS, WHOLES):
        check(operation, wrapper, place, api, n)


def test_by_the_exponent_0_which_is_no_constant():
    f = lambda x, n: astad.grad(lambda y: KEPT["same"](y**n))(x)
    assert astad.gradient(f, 0.4, 0) == pytest.approx((0.0, 1 / 0.4))


@pytest.mark.parametrize("n", [2, 3])
def test_by_an_array_of_ints_without_axes(n):
    """Right, or refused: a number out of it is a constant of the text."""

    def curved(x, n):
        return astad.hvp(lambda y: np.sum(y**n), np.array([x, 1.0]), np.ones(2)).sum()

    def straight(x, n):
        return astad.hessian(lambda y: y * y * n, x)

    with pytest.raises(Unsupported, match="whole number"):
        astad.gradient(curved, 0.4, np.array(n))
    assert astad.gradient(straight, 0.4, np.array(n)) == (0.0, np.array(2.0))


def test_by_numbers_out_of_an_array_of_ints():
    n = np.array([3, 1])
    by_n = astad.gradient(lambda x, n: astad.grad(lambda y: np.sum(y**n))(x), 0.4, n)[1]
    slopes = [k * 0.4 ** (k - 1) * math.log(0.4) + 0.4 ** (k - 1) for k in n]
    assert by_n == pytest.approx(np.array(slopes))
    by_first = astad.gradient(
        lambda x, n: astad.grad(lambda y: np.power(y, n[0] + 1) * n[0])(x), 0.4, n
    )[1]
    assert by_first[0] == pytest.approx(slope_of(lambda k: k * (k + 1) * 0.4**k, 3.0))
    with pytest.raises(Unsupported, match="whole number"):
        astad.gradient(lambda x, n: astad.grad(lambda y: y ** n.item())(x), 0.4, np.array(3))


def test_a_place_out_of_an_array_of_ints_has_no_derivative():
    def f(x, places):
        return astad.grad(lambda y: KEPT["same"](np.array([y, y * y, y])[places[0]]))(x)

    by_x, by_places = astad.pullback(f, 0.4, np.array([1, 2]))[1](1.0)
    assert by_x == pytest.approx(2.0)
    assert np.all(by_places == 0.0)
