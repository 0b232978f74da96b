"""A function that keeps what it has once computed: its second run is another, and no derivative of
the first is taken from it.
"""

import functools
import types

import numpy as np
import pytest

import astad
from astad.api.memory.watched import may_take_derivatives
from astad.errors import Unsupported
from astad.runtime.core.variants import forget_all

pytestmark = pytest.mark.order_matters


@pytest.fixture(autouse=True)
def _no_recordings_of_before():
    forget_all()


class Lazy:
    def __init__(self, p):
        self.p, self.kept = p, None

    @property
    def cube(self):
        if self.kept is None:
            self.kept = self.p**3
        return self.kept


class Cached:
    def __init__(self, p):
        self.p = p

    @functools.cached_property
    def cube(self):
        return self.p**3


class Once:
    kept = None


KEPT = {}


def by_global(x):
    if "cube" not in KEPT:
        KEPT["cube"] = x**3
    return KEPT["cube"] * x


def by_class(x):
    if Once.kept is None:
        Once.kept = x**3
    return Once.kept * x


def by_default(x, kept={}):
    if "cube" not in kept:
        kept["cube"] = x**3
    return kept["cube"] * x


def by_attribute(x):
    if not hasattr(by_attribute, "cube"):
        by_attribute.cube = x**3
    return by_attribute.cube * x


def by_captured():
    kept = []

    def f(x):
        if not kept:
            kept.append(x**3)
        return kept[0] * x

    return f


def by_nonlocal():
    kept = None

    def f(x):
        nonlocal kept
        if kept is None:
            kept = x**3
        return kept * x

    return f


def clean():
    KEPT.clear()
    Once.kept = None
    by_default.__defaults__[0].clear()
    vars(by_attribute).clear()


FUNCTIONS = {
    "global": lambda: by_global, "class": lambda: by_class, "default": lambda: by_default,
    "attribute": lambda: by_attribute, "captured": by_captured, "nonlocal": by_nonlocal,
    "plain": lambda: lambda x: x**4,
}  # fmt: skip


def right_or_refused(run, expected):
    """A derivative of another run is neither."""
    clean()
    try:
        found = run()
    except Unsupported as error:
        return str(error)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    return ""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_of_a_function_that_keeps_what_it_has_computed(name):
    make = FUNCTIONS[name]
    for _ in range(2):
        refused = [
            right_or_refused(lambda: astad.hvp(make(), 2.0, 1.0), 48.0),
            right_or_refused(lambda: astad.hessian(make(), 2.0), 48.0),
            right_or_refused(lambda: astad.hessian_diag(make(), 2.0), 48.0),
            right_or_refused(lambda: astad.grad(astad.grad(make()))(2.0), 48.0),
        ]
        assert all(refused) if name != "plain" else not any(refused)


INSIDE = {
    "gradient": lambda f, x: astad.gradient(f, x)[0],
    "pullback": lambda f, x: astad.pullback(f, x)[1](1.0)[0],
    "jvp": lambda f, x: astad.jvp(f, (x,), (1.0,))[1],
    "jacobian": astad.jacobian,
}


@pytest.mark.parametrize("kept", ["before", "inside"])
@pytest.mark.parametrize("derivative", INSIDE)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_inside_a_differentiated_function(name, derivative, kept):
    make, slope = FUNCTIONS[name], INSIDE[derivative]
    for _ in range(2):
        clean()
        f = make()
        given = (lambda: f) if kept == "before" else make
        why = right_or_refused(lambda: astad.gradient(lambda x: slope(given(), x), 2.0), (48.0,))
        assert not why or name != "plain"


@pytest.mark.parametrize("cls", [Lazy, Cached])
def test_attributes_that_are_computed_once(cls):
    def f(o):
        return o.cube * o.p

    moved = astad.Tangent(**dict.fromkeys(vars(cls(2.0)), None) | {"p": 1.0})
    for derivative in (lambda o: astad.hvp(f, o, moved), lambda o: astad.hessian(f, o)):
        with pytest.raises(Unsupported, match="writes what outlives it"):
            derivative(cls(2.0))
    assert astad.gradient(f, cls(2.0))[0].p == 32.0


def halved(xs):
    if xs[0] > 2.0:
        xs[0] *= 0.5
    return 2.0 * xs[0] ** 3


def sorted_first(xs):
    if xs[0] > xs[1]:
        xs[0], xs[1] = xs[1], xs[0]
    return xs[0] ** 3 + 5.0 * xs[1] ** 2


def shortened(xs):
    while len(xs) > 1:
        xs.pop()
    return xs[0] ** 3


@pytest.mark.parametrize("f", [halved, sorted_first, shortened])
@pytest.mark.parametrize("make", [list, np.array])
def test_arguments_that_are_written_once(f, make):
    if make is np.array and f is shortened:
        f = lambda xs: halved(xs[:1])
    for _ in range(2):
        with pytest.raises(Unsupported):
            astad.hvp(f, make([3.0, 1.0]), make([1.0, 0.0]))
    x, v = [1.0, 2.0], [1.0, 0.0]
    if f is not shortened:
        assert astad.hvp(f, make(x), make(v))[0] in (6.0, 12.0)


def test_an_error_of_the_second_run_is_not_the_users():
    def f(d):
        return d.pop("once") * d["x"] ** 2

    v = {"once": 0.0, "x": 1.0}
    for derivative in (lambda d: astad.hvp(f, d, v), lambda d: astad.hessian(f, d)):
        with pytest.raises(Unsupported):
            derivative({"once": 1.0, "x": 3.0})


def test_a_constant_of_this_run_has_zeros():
    def first(xs, limit):
        total = limit
        for x in xs:
            if x > limit:
                total += x**3
        return total

    assert astad.hvp(lambda xs: first(xs, 2.0), [1.0, 0.5], [1.0, 1.0]) == [0.0, 0.0]
    assert astad.hessian(lambda d: first(sorted(d.values()), 2.0), {"a": 1.0}) == {"a": {"a": 0.0}}


def test_who_may_take_derivatives():
    def outer(x):
        return astad.gradient(lambda v: v * v, x)[0]

    def calls(x):
        return outer(x) + 1.0

    assert may_take_derivatives(outer) and may_take_derivatives(calls)
    assert not may_take_derivatives(by_global)
    assert not may_take_derivatives(types.FunctionType((lambda x: x + 1).__code__, {}))
