"""Rules that are wrong in the manner that rules are wrong in: `check_gradient` finds each."""

import math

import numpy as np
import pytest

import astad
from astad.errors import AstadError
from astad.testing import CheckFailed, check_gradient

X = np.array([0.7, -1.3, 2.1])
A = np.array([[1.0, 2.0, 0.5], [-0.3, 0.7, 1.1]])
WRONG = []


def wrong(*args):
    """Declare ``rule``, the wrong rule of a function, to be tried at ``args``."""

    def decorator(made):
        fn, rule = made()
        astad.adjoint(fn)(rule)
        WRONG.append(pytest.param(fn, args, id=made.__name__))
        return made

    return decorator


def of(fn, *slopes):
    """A rule whose cotangents are functions of the arguments and the seed."""

    def rule(*args):
        return fn(*args), lambda b: tuple(slope(*args, b) for slope in slopes)

    return fn, rule


@wrong(1.3)
def factor_missing():
    return of(lambda x: x * x * x, lambda x, b: b * x * x)


@wrong(1.3)
def sign_wrong():
    return of(lambda x: math.cos(x), lambda x, b: b * math.sin(x))


@wrong(1.3)
def seed_forgotten():
    return of(lambda x: x * x, lambda x, b: 2 * x)


@wrong(1.3)
def modulus_of_the_seed():
    return of(lambda x: x * x, lambda x, b: abs(b) * 2 * x)


@wrong(X)
def modulus_of_the_seeds():
    return of(lambda x: x * x, lambda x, b: np.abs(b) * 2 * x)


@wrong(1.3)
def wrong_at_one_alone():
    return of(lambda x: x * x, lambda x, b: 5.0 * x if b == 1.0 else b * 2 * x)


@wrong(X)
def wrong_at_ones_alone():
    return of(lambda x: x * x, lambda x, b: 5.0 * x if np.all(b == 1.0) else b * 2 * x)


@wrong(1.3)
def seed_squared():
    return of(lambda x: x * x, lambda x, b: b * b * 2 * x)


@wrong(1.3)
def seed_clipped():
    return of(lambda x: x * x, lambda x, b: min(max(b, -2.0), 2.0) * 2 * x)


@wrong(1.3)
def small_seeds_dropped():
    return of(lambda x: x * x, lambda x, b: b * 2 * x if abs(b) > 0.01 else 0.0)


@wrong(1.3)
def constant_added():
    return of(lambda x: x * x, lambda x, b: b * 2 * x + 1e-3)


@wrong(X)
def small_entry_beside_a_large_one():
    weights = np.array([1e9, 1.0, 1e-3])

    def slope(x, b):
        found = b * weights * 2 * x
        found[1] *= 2
        return found

    return of(lambda x: float(np.sum(weights * x * x)), slope)


@wrong(1e-9, 1e3)
def small_argument_beside_a_large_one():
    return of(
        lambda x, y: math.sin(x) + y * y, lambda x, y, b: 2 * b * math.cos(x),
        lambda x, y, b: b * 2 * y,
    )  # fmt: skip


@wrong(A, X)
def transposed():
    square = A[:, :2]

    def product(a, x):
        return a[:, :2] @ x[:2]

    def back(a, x, b):
        found = np.zeros_like(a)
        found[:, :2] = np.outer(x[:2], b)
        return found

    def of_x(a, x, b):
        return np.append(a[:, :2].T @ b, 0.0)

    assert square.shape == (2, 2)
    return of(product, back, of_x)


@wrong(A, X)
def broadcast_not_summed():
    return of(lambda a, x: a * x, lambda a, x, b: b * x, lambda a, x, b: b * a)


@wrong(A, np.float64(2.0))
def number_not_summed():
    return of(
        lambda a, x: a * x, lambda a, x, b: b * x, lambda a, x, b: (b * a)[0, 0],
    )  # fmt: skip


@wrong(A)
def mean_without_its_count():
    return of(lambda a: np.mean(a), lambda a, b: np.full(a.shape, b))


@wrong(A)
def mean_over_the_wrong_axis():
    return of(
        lambda a: a.mean(axis=1), lambda a, b: np.broadcast_to(b[:, None], a.shape) / a.shape[0],
    )  # fmt: skip


@wrong(X)
def first_entry_wrong():
    def slope(x, b):
        found = np.zeros_like(x)
        found[1:] += b
        found[1:-1] -= b[1:]
        return found

    return of(lambda x: np.diff(x), slope)


@wrong(X)
def accumulated_the_wrong_way():
    return of(lambda x: np.cumsum(x), lambda x, b: np.cumsum(b))


@wrong(X)
def reversed_seed():
    return of(lambda x: np.exp(x), lambda x, b: b[::-1] * np.exp(x))


@wrong(X)
def precision_lost():
    return of(lambda x: x * x, lambda x, b: np.float16(b * 2 * x).astype(float))


@wrong(X)
def rounded_to_ints():
    return of(lambda x: x * 3.5, lambda x, b: (b * 3.5).astype(int))


@wrong(1.3)
def none_for_a_path():
    return of(lambda x: x * x, lambda x, b: None)


@wrong(1.3, 0.4)
def arguments_swapped():
    return of(lambda x, y: x / y, lambda x, y, b: -b * x / y**2, lambda x, y, b: b / y)


@wrong(1.3, 0.4)
def too_few_cotangents():
    return of(lambda x, y: x * y, lambda x, y, b: b * y)


@wrong(1.3)
def state_of_the_run():
    runs = []

    def fn(x):
        return x * x

    def rule(x):
        runs.append(x)
        count = len(runs)
        return x * x, lambda b: (b * 2 * x * count,)

    return fn, rule


@wrong(1.3)
def state_of_the_pullback():
    def fn(x):
        return x * x

    def rule(x):
        seen = []

        def back(b):
            seen.append(b)
            return (sum(seen) * 2 * x,)

        return x * x, back

    return fn, rule


@wrong(X)
def other_value():
    def fn(x):
        return np.sum(x * x)

    return fn, lambda x: (np.sum(x * x) + 1e-6, lambda b: (b * 2 * x,))


@wrong(X)
def writes_its_argument():
    def fn(x):
        return np.sum(x * x)

    def rule(x):
        y = np.sum(x * x)
        x *= 2
        return y, lambda b: (b * x,)

    return fn, rule


@wrong(X)
def other_shape_of_the_value():
    def fn(x):
        return x * x

    return fn, lambda x: ((x * x)[None], lambda b: (b[0] * 2 * x,))


@wrong(1.3 + 0.4j)
def conjugate_forgotten():
    return of(lambda z: z * z, lambda z, b: b * 2 * z)


@wrong(np.array([[2.0, 0.5], [0.5, 1.0]]))
def inverse_not_transposed():
    def slope(a, b):
        y = np.linalg.inv(a)
        return -(y @ b.T @ y)

    return of(lambda a: np.linalg.inv(a), slope)


@wrong([0.5, 1.5])
def list_in_the_wrong_order():
    return of(lambda v: v[0] ** 2 + v[1] ** 3, lambda v, b: [b * 3 * v[1] ** 2, b * 2 * v[0]])


@pytest.mark.parametrize(("fn", "args"), WRONG)
@pytest.mark.parametrize("seed", range(3))
def test_a_wrong_rule_is_found(fn, args, seed):
    with pytest.raises((CheckFailed, AstadError, IndexError, ValueError)) as caught:
        check_gradient(lambda *given: fn(*given), *args, seed=seed)
    if isinstance(caught.value, CheckFailed):
        assert caught.value.result.outcome == "wrong"


def test_there_are_enough():
    assert len(WRONG) >= 30
