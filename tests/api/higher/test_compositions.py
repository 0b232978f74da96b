"""Values and tangents that derivatives inside of a differentiated function hand out: whose memory
they share, and forward mode of what lies in containers.
"""

from typing import NamedTuple

import numpy as np
import pytest

import astad
from astad import gradient, jvp, pullback
from astad.errors import Unsupported

pytestmark = pytest.mark.order_matters


class Point(NamedTuple):
    x: float
    y: float


A = np.array([[1.0, 2.0], [3.0, 4.0]])


def transposed(x):
    return x.T


def last(x):
    return x[1:]


def itself(x):
    return x


def flat(x):
    return x.reshape(-1)


def first_of(x):
    return x[0]


VIEWS = transposed, last, itself, flat, first_of


def check(program, x):
    """The value is that of the plain run, and the gradient that by differences."""
    plain = program(x.copy())
    y, back = pullback(program, x.copy())
    assert y == plain
    (bar,) = back(1.0)
    for at in np.ndindex(*x.shape):
        unit = np.zeros_like(x)
        unit[at] = 1e-6
        slope = (program(x + unit) - program(x - unit)) / 2e-6
        assert bar[at] == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("view", VIEWS)
def test_a_value_that_is_a_view_is_written(view):
    def program(x):
        y, d = jvp(view, (x,), (x,))
        y *= 2.0  # writes into x
        return float(np.sum(x) + 3.0 * np.sum(y) + np.sum(d * d))

    check(program, A)


@pytest.mark.parametrize("view", VIEWS)
def test_a_tangent_is_written_and_the_given_one_stays(view):
    def program(x):
        _, d = jvp(view, (x,), (x,))
        d *= 2.0
        return float(np.sum(x) + np.sum(d * d))

    check(program, A)


@pytest.mark.parametrize("view", VIEWS)
def test_a_pullback_of_a_view(view):
    def program(x):
        y, back = pullback(view, x)
        (bar,) = back(np.ones(np.shape(y)))
        y *= 2.0
        return float(np.sum(x) + 3.0 * np.sum(y) + np.sum(bar * x))

    check(program, A)


@pytest.mark.parametrize("view", VIEWS)
def test_a_jacobian_of_a_view(view):
    def program(x):
        y, rows = astad.value_and_jacobian(view, x)
        x[0] = x[1]
        return float(np.sum(y * y) + np.sum(rows))

    check(program, A)


def test_tangents_in_a_tuple():
    def program(x):
        (_, y), (d, e) = jvp(lambda a: (a.T, a), (x,), (x,))
        d *= 2.0
        e *= 3.0
        return float(np.sum(y) + np.sum(x) + np.sum(d * d) + np.sum(e))

    check(program, A)


# --- forward mode of containers


def along(f, x, v):
    return jvp(f, (x,), (v,))[1]


def test_a_tuple_of_numbers():
    f = lambda p: np.log(p[0]) * np.sqrt(p[1])
    found = jvp(lambda a, b: along(f, (a, b), (1.0, 0.0)), (2.0, 9.0), (1.0, 1.0))
    assert found == pytest.approx((1.5, -0.75 + 1.0 / 12.0))


def test_a_dict_with_an_array_and_a_word():
    def f(p):
        return np.sum(p["w"] ** 3) if p["kind"] == "cube" else np.sum(p["w"])

    def program(w):
        return along(f, {"w": w, "kind": "cube"}, {"w": np.ones(2), "kind": None})

    np.testing.assert_allclose(gradient(program, np.array([1.0, 2.0]))[0], [6.0, 12.0])


def test_a_part_that_is_held():
    f = lambda p, c: c * p[0] ** 2 * p[1]
    program = lambda x, y, c: jvp(f, ((x, y), c), ((1.0, None), None))[1]  # 2 c x y
    assert gradient(program, 2.0, 3.0, 5.0) == pytest.approx((30.0, 20.0, 12.0))


def test_lists_in_tuples():
    f = lambda p: p[0] * p[1][0] * p[1][1]
    program = lambda x: along(f, (x, [x, 2.0]), (1.0, [1.0, 0.0]))  # 4 x
    assert gradient(program, 3.0) == pytest.approx((4.0,))


def test_directions_have_derivatives_too():
    f = lambda p: np.sum(np.log(p[0]))
    x, v = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    bars = gradient(lambda x, v: along(f, (x,), (v,)), x, v)
    np.testing.assert_allclose(bars[0], -v / x**2)
    np.testing.assert_allclose(bars[1], 1.0 / x)


def test_a_named_tuple_beside_a_tuple():
    f = lambda p, q: p.x**2 * q[0]
    program = lambda x, y: jvp(f, (Point(x, 1.0), (y,)), (Point(1.0, 0.0), (1.0,)))[1]
    try:
        found = gradient(program, 2.0, 3.0)  # 2 x y + x**2
    except Unsupported:
        return
    assert found == pytest.approx((10.0, 4.0))


def test_a_container_that_the_function_does_not_read():
    f = lambda p, x: x * x
    for p, v in (((1.0, 2.0), (1.0, 1.0)), (Point(1.0, 2.0), Point(1.0, 1.0)), ((), ())):
        program = lambda x, p=p, v=v: jvp(f, (p, x), (v, 1.0))[1]
        try:
            assert gradient(program, 3.0) == (2.0,)
        except Unsupported:
            assert type(p) is Point
