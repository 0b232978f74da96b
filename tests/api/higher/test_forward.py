"""Forward mode behind hvp, hessian and jacobian: against the other ways to the same numbers."""

import math

import numpy as np
import pytest

import astad
from astad.api.higher.forward import CHUNK, along, hessian_by, hessian_times, jacobian_by
from astad.errors import AstadError

R = np.random.default_rng(3)
A, B = R.normal(size=(4, 6)), R.normal(size=(3, 4))


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def log_sum(x):
    return np.log(np.sum(np.exp(x)))


def network(x, a, b):
    return np.sum(np.tanh(b @ np.tanh(a @ x)))


def chain(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + x[i] * x[i + 1] ** 2
    return s


def norms(x):
    return np.linalg.norm(x) + x.std() + np.max(x) * x.mean()


def matrix(x):
    return np.trace(x @ x @ x) + np.sum(x * x.T)


X = R.normal(size=6)
FUNCTIONS = [
    (rosenbrock, (X,)), (log_sum, (X,)), (network, (X, A, B)), (chain, (X,)), (norms, (X,)),
    (matrix, (R.normal(size=(3, 3)),)), (lambda x: np.sum(np.sin(x) * A[0]), (X,)),
    (lambda x, n=3: np.sum(x**n), (X,)),
]  # fmt: skip


def differences_of_gradients(f, args, step=1e-5):
    x, *others = args
    rows = []
    for unit in np.eye(x.size).reshape(-1, *x.shape):
        ahead = astad.gradient(f, x + step * unit, *others)[0]
        rows.append((ahead - astad.gradient(f, x - step * unit, *others)[0]) / (2 * step))
    return np.reshape(rows, x.shape + x.shape)


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_hessians_against_differences_and_each_way_against_the_others(f, args):
    x, *others = args
    found = astad.hessian(f, *args)
    np.testing.assert_allclose(found, differences_of_gradients(f, args), rtol=1e-5, atol=1e-6)
    square = found.reshape(x.size, x.size)
    np.testing.assert_allclose(square, square.T, rtol=1e-10, atol=1e-11)
    v = R.normal(size=x.shape)
    product = astad.hvp(f, x, v, *others)
    np.testing.assert_allclose(product.ravel(), square @ v.ravel(), rtol=1e-9, atol=1e-10)
    diagonal = astad.hessian_diag(f, *args).ravel()
    np.testing.assert_allclose(diagonal, np.diag(square), rtol=1e-9, atol=1e-10)


def test_which_are_taken_at_once():
    assert hessian_by(rosenbrock, X, ()) is not None
    assert hessian_by(chain, X, ()) is None
    assert hessian_times(chain, X, np.ones(6), ()) is not None
    assert hessian_times(math.sin, 1.0, 1.0, ()) is None


def test_a_hessian_in_several_chunks():
    x = R.normal(size=int(CHUNK**0.5) + 10)
    np.testing.assert_allclose(
        np.diag(astad.hessian(lambda x: np.sum(x**4), x)), 12 * x**2, rtol=1e-12
    )


def wide(x, a):
    return np.tanh(a @ x) * x[0]


def test_a_jacobian_by_forward_mode_once_the_result_is_known_to_be_long():
    a = R.normal(size=(9, 6))
    assert jacobian_by(wide, (X, a)) is None
    first = astad.jacobian(wide, X, a)
    y, second = jacobian_by(wide, (X, a))
    np.testing.assert_array_equal(y, wide(X, a))
    np.testing.assert_allclose(first, second, rtol=1e-12)
    np.testing.assert_array_equal(astad.jacobian(wide, X, a), second)
    short = R.normal(size=(2, 6))
    jacobian = astad.jacobian(wide, X, short)
    step = 1e-6
    for at, unit in enumerate(np.eye(6)):
        slope = (wide(X + step * unit, short) - wide(X - step * unit, short)) / (2 * step)
        np.testing.assert_allclose(jacobian[:, at], slope, rtol=1e-6, atol=1e-8)


def test_a_result_that_does_not_move():
    y, y_dot = astad.jvp(lambda x: np.ones(3) * 2.0, (1.0,), (1.0,))
    assert (y.tolist(), y_dot.tolist()) == ([2.0] * 3, [0.0] * 3)
    assert astad.jvp(lambda x, n: float(n), (1.0, 3), (1.0, None)) == (3.0, 0.0)


def test_the_tangent_of_a_number_is_of_its_type():
    assert [type(part) for part in astad.jvp(math.exp, (0.5,), (1.0,))] == [float, float]
    assert {type(part) for part in astad.jvp(np.exp, (0.5,), (1.0,))} == {np.float64}
    assert {type(part) for part in along(lambda x: np.exp(x) * 1.0, (0.5,), (1.0,))} == {np.float64}


def test_a_cell_and_a_global_are_read_as_they_are_now():
    k = 2.0

    def f(x):
        return np.sum(x**3) * k

    assert astad.hvp(f, np.ones(2), np.ones(2)).tolist() == [12.0, 12.0]
    k = 10.0
    assert astad.hvp(f, np.ones(2), np.ones(2)).tolist() == [60.0, 60.0]
    assert astad.hessian(f, np.ones(4))[0, 0] == 60.0
    k = -1.0
    assert astad.hessian(f, np.ones(4))[0, 0] == -6.0


def test_a_function_that_gave_an_array_and_gives_a_number(capsys):
    def f(x, whole):
        print("ran")
        return np.outer(x, x) if whole else np.sum(x * x)

    assert astad.jacobian(f, X, True).shape == (6, 6, 6)
    np.testing.assert_allclose(astad.jacobian(f, X, False), 2 * X, rtol=1e-14)
    np.testing.assert_allclose(astad.jacobian(wide_or_sum, X, A), np.diag(2 * X), rtol=1e-14)
    np.testing.assert_allclose(astad.jacobian(wide_or_sum, X, 1.0), 2 * X, rtol=1e-14)
    assert capsys.readouterr().out == "ran\n" * 2


def wide_or_sum(x, a):
    return x * x if np.ndim(a) else np.sum(x * x)


# --- the short way of arrays: from the second call on


def by_differences(f, x, v, *args, step=1e-5):
    ahead, behind = (astad.gradient(f, x + sign * step * v, *args)[0] for sign in (1, -1))
    return (ahead - behind) / (2 * step)


def weighted(x, weights, scale):
    return scale * np.sum(weights * np.sin(x) ** 3) + np.prod(x)


def test_products_and_tangents_of_arrays_again_and_again():
    for n in (3, 3, 5, 3, 1, 3):
        x, v, weights = R.normal(size=(3, n))
        before = x.copy(), v.copy()
        product = astad.hvp(weighted, x, v, weights, 1.7)
        np.testing.assert_allclose(
            product, by_differences(weighted, x, v, weights, 1.7), rtol=1e-6, atol=1e-7
        )
        y, y_dot = astad.jvp(weighted, (x, weights, 1.7), (v, None, 0.5))
        along_x = astad.gradient(weighted, x, weights, 1.7)
        assert y == weighted(x, weights, 1.7)
        np.testing.assert_allclose(y_dot, along_x[0] @ v + along_x[2] * 0.5, rtol=1e-11)
        product[:] = y  # it is the caller's
        np.testing.assert_array_equal(np.array(before), np.array([x, v]))


LEVEL = 2.0


def level(x):
    return np.sum(x**3) * LEVEL


def test_what_a_function_reads_may_change_between_two_products():
    global LEVEL
    for LEVEL in (2.0, 2.0, 3.0, 3.0):
        np.testing.assert_allclose(
            astad.hvp(level, np.array([1.0, 2.0]), np.array([1.0, 0.5])),
            LEVEL * np.array([6.0, 6.0]),
        )


def doubled_in_place(x, y):
    y[0] = x[1] * 2.0
    return np.sum(x * x * y)


def test_arrays_in_other_layouts_and_two_that_share_memory():
    whole = R.normal(size=(4, 6))
    for _ in range(3):
        for x in (whole[1], whole[:, 2], whole[0, ::2], np.broadcast_to(1.5, 4), whole[::-1, 3]):
            v = np.cos(np.arange(x.size))
            weights = np.ones(x.size)
            np.testing.assert_allclose(
                astad.hvp(weighted, x, v, weights, 1.0),
                by_differences(weighted, x, v, weights, 1.0), rtol=1e-6, atol=1e-7,
            )  # fmt: skip
    for _ in range(3):
        x, y = R.normal(size=3), R.normal(size=3)
        slope = astad.jvp(doubled_in_place, (x, y), (np.ones(3), None))[1]
        right = 2 * x @ np.array([x[1] * 2.0, y[1], y[2]]) + x[0] ** 2 * 2.0
        np.testing.assert_allclose(slope, right, rtol=1e-12)
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(AstadError):
        astad.jvp(doubled_in_place, (x, x), (np.ones(3), None))


def test_products_of_floats_and_arrays_by_turns():
    def power(x, y):
        return np.sum(x**3 * y)

    for x, v in [(1.5, 1.0), (np.array([1.0, 2.0]), np.array([0.0, 1.0]))] * 3:
        np.testing.assert_allclose(astad.hvp(power, x, v, 2.0), 12.0 * np.multiply(x, v))
        with pytest.raises(AstadError):
            astad.hvp(power, x, np.ones(3), 2.0)
    zero = np.zeros(2)
    for x in (zero, np.inf + zero, np.nan + zero):
        for _ in range(3):
            assert astad.hvp(lambda x: np.sum(2.0 * x), x, np.ones(2)).tolist() == [0.0, 0.0]


POLES = [
    (math.sqrt, 0.0), (np.sqrt, 0.0), (np.cbrt, 0.0), (np.log, 0.0), (np.arctanh, 1.0),
    (math.asin, 1.0), (math.acosh, 1.0), (lambda x: x**0.5, 0.0),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("fn", "pole"), POLES)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_a_pole_that_does_not_move_adds_nothing_to_a_tangent(fn, pole, kind):
    def f(x, y):
        return fn(x) + y * y

    moves = astad.jvp(f, (kind(pole), 3.0), (kind(0.0), 1.0))[1]
    assert moves == astad.jvp(f, (kind(pole), 3.0), (None, 1.0))[1] == 6.0
    assert astad.jvp(fn, (kind(pole),), (kind(1.0),))[1] == astad.gradient(fn, kind(pole))[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [float, np.float64])
def test_an_infinite_tangent_times_0_is_what_the_gradient_gives(kind):
    for f in (
        lambda x: math.sqrt(x) * x,
        lambda x: np.sqrt(x) * x,
        lambda x: x**0.5 * x,
        lambda x: math.acosh(x + 1.0) ** 2,
    ):
        assert astad.jvp(f, (kind(0.0),), (kind(1.0),))[1] == astad.gradient(f, kind(0.0))[0] == 0.0


def root_times(x, y):
    return math.sqrt(x) * y + y * y * y


def test_what_a_tangent_has_at_a_pole_has_no_derivative_by_the_point():
    def slope(x, y):
        return astad.jvp(root_times, (x, y), (0.0, 1.0))[1]

    assert astad.gradient(lambda y: astad.jvp(root_times, (0.0, y), (0.0, 1.0))[1], 3.0) == (18.0,)
    for asked in (
        lambda: astad.gradient(slope, 0.0, 3.0),
        lambda: astad.jvp(slope, (0.0, 3.0), (1.0, 0.0)),
        lambda: astad.gradient(lambda x: astad.jvp(math.sqrt, (x,), (1.0,))[1], 0.0),
        lambda: astad.gradient(lambda x: astad.jvp(root_times, (x, 3.0), (1.0, 1.0))[1], 0.0),
    ):
        with pytest.raises(AstadError, match="a derivative of a derivative"):
            asked()
