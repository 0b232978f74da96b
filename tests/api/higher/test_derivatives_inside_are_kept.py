"""What is written of a derivative inside a differentiated function is written once, whatever the
program derives anew in each call and in each round; and refusals of such name a line of the user's.
"""

import math

import numpy as np
import pytest

import astad
from astad import grad, gradient, hessian, jacobian, jvp, pullback, value_and_grad, vjp
from astad.api.variants.generated import OBSERVERS
from astad.errors import AstadError

pytestmark = pytest.mark.order_matters  # composed texts are numbered

POINT = np.array([0.5, 0.3])
ONES = np.ones(2)


def bowl(q):
    return q[0] ** 3 * q[1]


def lagrangian(q, v):
    return 0.5 * np.sum(v * v * q) - q[0] * q[1]


def by_jacobian(q):
    return np.sum(jacobian(grad(bowl), q))


def by_lambda(q):
    return np.sum(jacobian(grad(lambda z: z[0] ** 3 * z[1]), q))


def by_jvp(q):
    return np.sum(jvp(grad(bowl), (q,), (ONES,))[1])


def by_vjp(q):
    _, back = vjp(grad(bowl), q)
    return np.sum(back(ONES)[0])


def by_rounds(q):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(jacobian(grad(bowl), q))
    return total / 3


def by_value_and_grad(q):
    return np.sum(jacobian(lambda z: value_and_grad(bowl)(z)[1], q))


WAYS = [by_jacobian, by_lambda, by_jvp, by_vjp, by_rounds, by_value_and_grad]


@pytest.mark.parametrize("f", WAYS, ids=lambda f: f.__name__)
def test_a_gradient_that_is_derived_anew_is_compiled_once(f):
    wanted = [6 * 0.3 + 12 * 0.5, 6 * 0.5]  # of the entries 6 x y, 3 x**2, 3 x**2 and 0
    for _ in range(3):  # the text for any arguments, then those of the kinds that it met
        _, back = pullback(f, POINT)
        assert back(1.0)[0] == pytest.approx(wanted)
    made = []
    OBSERVERS.append(made.append)
    try:
        for at in (POINT, 2 * POINT):
            pullback(f, at)[1](1.0)
    finally:
        OBSERVERS.remove(made.append)
    assert not made


def test_motion_by_the_equations_of_lagrange():
    def acceleration(q, v):
        mass = jacobian(lambda w: grad(lagrangian, 1)(q, w), v)
        return np.linalg.solve(mass, grad(lagrangian, 0)(q, v))

    def end(q):
        v = np.array([0.1, 0.2])
        for _ in range(3):
            v = v + 0.1 * acceleration(q, v)
            q = q + 0.1 * v
        return np.sum(q)

    def by_hand(q):
        v = np.array([0.1, 0.2])
        for _ in range(3):
            v = v + 0.1 * (0.5 * v * v - q[::-1]) / q
            q = q + 0.1 * v
        return np.sum(q)

    wanted = gradient(by_hand, POINT)[0]
    for _ in range(4):
        assert gradient(end, POINT)[0] == pytest.approx(wanted)
        assert pullback(end, POINT)[1](1.0)[0] == pytest.approx(wanted)


def test_functions_of_one_text_are_told_apart():
    def scaled(c, power=2):
        def own(z, k=power):
            return c * z**k

        return own

    for c, power in ((1.0, 2), (3.0, 2), (3.0, 3), (5.0, 2)):
        slope = gradient(lambda x, f=scaled(c, power): jacobian(grad(f), x), 2.0)[0]
        assert slope == pytest.approx(c * power * (power - 1) * (power - 2) * 2.0 ** (power - 3))

    def by_global(places):
        return gradient(lambda a, b: np.sum(grad(lagrangian, places)(a, b)), POINT, ONES)

    assert by_global(0)[1] == pytest.approx(ONES)  # of v * v / 2 - q[::-1]
    assert by_global(1)[1] == pytest.approx(POINT)


def test_a_function_that_is_defined_anew_is_another(monkeypatch):
    assert pullback(by_jacobian, POINT)[1](1.0)[0] == pytest.approx([7.8, 3.0])
    monkeypatch.setitem(globals(), "bowl", lambda q: q[0] ** 2 * q[1])
    # 2 y + 4 x
    assert pullback(by_jacobian, POINT)[1](1.0)[0] == pytest.approx([4.0, 2.0])


def price(s):
    return math.sqrt(s) * s


def delta(s):
    return grad(price)(s)


REFUSED = {
    "two levels": lambda: grad(grad(math.sqrt))(0.0),
    "a hessian": lambda: hessian(math.sqrt, 0.0),
    "three levels": lambda: grad(grad(grad(price)))(0.0),
    "a level by name": lambda: grad(grad(delta))(0.0),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_a_line_of_the_user(ask):
    with pytest.raises(AstadError) as caught:
        ask()
    assert str(caught.value).startswith("test_derivatives_inside_are_kept.py:")


def test_a_product_where_the_slope_is_infinite():
    try:
        found = astad.hvp(lambda x: np.sum(np.sqrt(x[0])), np.zeros(2), ONES)
    except AstadError as error:
        assert str(error).startswith("test_derivatives_inside_are_kept.py:")
    else:
        assert found.tolist() == [-math.inf, 0.0]
