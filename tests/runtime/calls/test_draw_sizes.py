"""Sizes of random draws have no derivative, parameters of distributions are refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.runtime.calls.draw_sizes import _PLACES, AXES, NAMES
from astad.testing import check_gradient


@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_the_table_is_what_numpy_documents(kind):
    for name in [name for name in dir(kind) if not name.startswith("_") and name not in AXES]:
        text = (getattr(kind, name).__doc__ or "").strip().partition("\n")[0]
        _, opened, rest = text.partition("(")
        if not opened:
            continue
        written = [each.partition("=")[0].strip() for each in rest.rstrip(")").split(",")]
        names = ("size", *NAMES.get(name, ()))
        assert {k for k, each in enumerate(written) if each in names} == _PLACES.get(name, set())


def test_every_method_with_a_size_is_listed():
    for kind in (np.random.Generator, np.random.RandomState):
        for name in dir(kind):
            if "size=" in (getattr(kind, name).__doc__ or "").strip().partition("\n")[0]:
                assert name in _PLACES


class Paths:
    def __init__(self, steps, seed):
        self.steps = steps
        self.rng = np.random.default_rng(seed)

    def mean(self, s0, sigma):
        z = self.rng.standard_normal((4, self.steps))
        return np.mean(s0 * np.exp(sigma * z.sum(axis=1)))


def price(s0, sigma, n):
    return Paths(n, 1).mean(s0, sigma)


def noisy(x, n):
    return x * np.sum(np.random.RandomState(0).normal(size=(n, 2)))


def permuted(x, n):
    return x * np.random.RandomState(0).permutation(n)[0]


def whole(x, n):
    return x * np.random.default_rng(2).integers(n, n + 9, size=n).sum()


def chosen(x, n):
    weights = x * np.ones(n) / n
    at = np.random.default_rng(2).choice(n, 2, replace=False)
    return np.sum(weights[at] ** 2) * n**2


def of_module(x, n):
    np.random.seed(n)
    return x * np.random.rand(n, 2).sum() + x * np.random.randint(0, n)


def filled(x, n):
    out = np.zeros(n)
    np.random.default_rng(0).standard_normal(n, out=out)
    return np.sum(x * out**2)


def of_python(x, n):
    rng = random.Random(4)
    drawn = rng.choices([x, x * x, 1.0], k=n)
    return sum(drawn) * rng.randrange(n) + x * rng.randint(n, 2 * n)


@pytest.mark.parametrize("f", [noisy, permuted, whole, chosen, of_module, filled, of_python])
def test_of_a_size_the_derivative_is_none(f):
    value = f(2.0, 5)
    x_bar, n_bar = astad.gradient(f, 2.0, 5)
    assert astad.pullback(f, 2.0, 5)[0] == value
    step = (f(2.0 + 1e-6, 5) - f(2.0 - 1e-6, 5)) / 2e-6
    assert x_bar == pytest.approx(step, rel=1e-6) and abs(x_bar) > 0.1
    assert not n_bar or f in (chosen, of_python)


def test_a_size_in_an_object_and_as_a_tuple():
    s0_bar, sigma_bar, n_bar = astad.gradient(price, 100.0, 0.2, 3)
    assert not n_bar
    check_gradient(lambda s0, sigma: price(s0, sigma, 3), 100.0, 0.2)
    assert s0_bar == pytest.approx(price(100.0, 0.2, 3) / 100) and sigma_bar != 0
    shaped = astad.gradient(
        lambda x, n: x * np.random.default_rng(0).normal(0, 1, n).sum(), 2.0, (2, 3)
    )
    assert shaped == (np.random.default_rng(0).normal(0, 1, (2, 3)).sum(), (0, 0))


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.poisson(n, size=3).sum(),
        lambda rng, n: rng.gamma(n, 2.0, 3).sum(),
        lambda rng, n: rng.wald(n, 1.0, size=1).item(),
        lambda rng, n: rng.standard_t(df=n, size=n).sum(),
        lambda rng, n: rng.choice(4, 3, p=np.array([n, 1, 1, 1]) / (n + 3)).sum(),
    ],
)
def test_a_parameter_of_a_distribution_is_refused(draw):
    def f(x, n):
        return x * draw(np.random.RandomState(0), n)

    refused = "its derivative is not known to astad|by shape of what was drawn"
    with pytest.raises(Unsupported, match=refused):
        astad.gradient(f, 2.0, 3)
    assert astad.grad(f)(2.0, 3) == pytest.approx(draw(np.random.RandomState(0), 3))


@pytest.mark.parametrize(
    ("draw", "slope"),
    [
        (lambda rng, n: rng.uniform(0, n, 3).sum(), lambda rng: rng.random(3).sum()),
        (lambda rng, n: rng.normal(n, size=1).item(), lambda rng: 1.0),
        (lambda rng, n: rng.normal(loc=n, size=n).sum(), lambda rng: 3.0),
        (
            lambda rng, n: rng.choice([n, 2 * n], 2).sum(),
            lambda rng: float(rng.choice([1, 2], 2).sum()),
        ),
        (
            lambda rng, n: rng.permutation([n, 2 * n])[0] * 1.0,
            lambda rng: float(rng.permutation([1, 2])[0]),
        ),
    ],
)
def test_an_int_that_is_a_parameter_has_its_derivative(draw, slope):
    def f(x, n):
        return x * draw(np.random.RandomState(0), n)

    bars = astad.gradient(f, 2.0, 3)
    assert bars[0] == pytest.approx(draw(np.random.RandomState(0), 3))
    assert bars[1] == pytest.approx(2.0 * slope(np.random.RandomState(0)))
