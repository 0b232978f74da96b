"""`grad(f)` and `value_and_grad(f)` as functions: copied, pickled, wrapped, with their names."""

import copy
import functools
import inspect
import math
import pickle
import threading

import numpy as np
import pytest

import astad
from astad import grad, value_and_grad


def area(width, height=2.0, *, scale=1.0):
    """The area of a rectangle."""
    return width * height * scale


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return self.w * x * x

    def __call__(self, x):
        return self.loss(x)


def test_they_are_pickled_and_copied():
    for made in (grad(area), grad(area, argnums=(0, 1)), value_and_grad(area, 1), grad(math.sin)):
        args = (3.0, 4.0)[: 1 if "sin" in repr(made) else 2]
        want = made(*args)
        for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
            assert again(*args) == want and repr(again) == repr(made)
    again = pickle.loads(pickle.dumps(grad(Model(3.0).loss)))
    assert again(2.0) == 12.0
    assert pickle.loads(pickle.dumps(grad(Model(3.0))))(2.0) == 12.0


def test_they_have_the_name_the_text_and_the_signature_of_the_function():
    for made in (grad(area), value_and_grad(area, (0, 1))):
        assert made.__name__ == "area" and made.__doc__ == "The area of a rectangle."
        assert made.__module__ == __name__ and made.__wrapped__ is area
        assert str(inspect.signature(made)) == "(width, height=2.0, *, scale=1.0)"
        assert functools.wraps(made)(lambda x: x).__name__ == "area"
    assert repr(grad(area, argnums=1)) == "grad(area, argnums=1)"
    assert grad(area)(3.0, scale=2.0) == 4.0
    assert value_and_grad(functools.partial(area, 3.0))(5.0) == (15.0, 3.0)


def test_they_serve_as_decorators_and_in_maps_and_threads():
    @grad
    def slope(x):
        return x**3

    assert slope(2.0) == 12.0 and list(map(slope, [1.0, 2.0])) == [3.0, 12.0]
    found = []
    threads = [threading.Thread(target=lambda k=k: found.append(slope(k))) for k in (1.0, 2.0)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(found) == [3.0, 12.0]


def test_a_second_derivative():
    assert grad(grad(lambda w: area(w) ** 2))(3.0) == 8.0
    assert grad(grad(math.sin))(0.5) == -math.sin(0.5)
    assert grad(grad(lambda a, b: a * a * b), 1)(3.0, 2.0) == 6.0
    y, bar = value_and_grad(grad(lambda a, b: a * a * b), (0, 1))(3.0, 2.0)
    assert (y, bar) == (12.0, (4.0, 6.0))


def powers(a, b):
    return a**3 * b**2


def test_second_derivatives_by_each_pair_of_arguments():
    """The functions that they are made of have one text."""
    found = [grad(grad(powers, i), j)(2.0, 3.0) for i in (0, 1) for j in (0, 1)]
    assert found == [108.0, 72.0, 72.0, 16.0]
    assert grad(grad(area), 1)(3.0, 2.0) == 1.0


def test_gradients_by_one_argument_twice_are_apart():
    def f(a):
        return np.sum(a * a)

    for _ in range(2):
        first, second = grad(f, argnums=(0, 0))(np.ones(2))
        assert first.tolist() == second.tolist() == [2.0, 2.0]
        assert not np.shares_memory(first, second)


@pytest.mark.order_matters
def test_defaults_that_are_bound_anew():
    def power(x, n=2):
        return x**n

    def scaled(x, *, n=2.0):
        return x**n

    def of(x, g=math.sin):
        return g(x) * x

    slope, twice = astad.grad(power), astad.grad(astad.grad(power))
    both = astad.value_and_grad(slope)
    assert both(1.5) == (3.0, 2.0) and twice(1.5) == 2.0 and astad.grad(twice)(1.5) == 0.0
    power.__defaults__ = (3,)
    assert slope(1.5) == pytest.approx(6.75) and both(1.5) == pytest.approx((6.75, 9.0))
    assert twice(1.5) == pytest.approx(9.0) and astad.grad(twice)(1.5) == pytest.approx(6.0)
    assert astad.grad(astad.grad(power))(1.5) == pytest.approx(9.0)
    power.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required"):
        both(1.5)

    slope = astad.grad(scaled)
    assert astad.gradient(slope, 1.5) == pytest.approx((2.0,))
    scaled.__kwdefaults__ = {"n": 3.0}
    assert astad.gradient(slope, 1.5) == pytest.approx((9.0,))
    scaled.__kwdefaults__["n"] = 4.0
    assert astad.gradient(slope, 1.5) == pytest.approx((27.0,))

    slope = astad.grad(of)
    assert astad.gradient(slope, 0.5) == pytest.approx((2 * math.cos(0.5) - 0.5 * math.sin(0.5),))
    of.__defaults__ = (math.exp,)
    assert astad.gradient(slope, 0.5) == pytest.approx((2.5 * math.exp(0.5),))
