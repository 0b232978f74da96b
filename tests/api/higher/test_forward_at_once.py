"""forwarddiff against the same programs with plain calls, and against differences."""

import gc
import math
import random
import sys

import numpy as np
import pytest

import astad
from astad import forwarddiff, gradient, pullback
from astad.errors import AstadError, WrongCall
from astad.testing import check_gradient

W = np.array([[1.0, 2.0], [3.0, 4.0]])
LOG = []


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * x * x


def plainly(f, x):
    return f(x)


def of_a_captured_number(call, x, c):
    return call(lambda t: t * t * c, x) * c


def of_captured_arrays(call, x, c):
    v = np.array([x, c])
    return np.sum(call(lambda t: np.sin(t * v) * v, x) ** 2)


def of_a_global(call, x, c):
    return call(lambda t: np.sum(W @ np.array([t, c])) ** 2, x)


def of_a_list(call, x, c):
    return call(lambda ab: ab[0] ** 2 * ab[1] + c, [x, c]) * x


def of_a_tuple(call, x, c):
    return call(lambda ab: ab[0] / ab[1], (x, c))


def of_an_array(call, x, c):
    return np.sum(call(lambda v: np.cumsum(v * c) * v, np.array([x, c, 1.0])) * W[0, 1])


def of_a_matrix(call, x, c):
    return np.sum(call(lambda v: np.outer(v, v) * x, np.array([x, c])) * W)


def of_an_object(call, x, c):
    scale = Scale(c * x)
    return call(scale, x) + scale.factor


def in_a_loop(call, x, c):
    total = 1.0
    for _ in range(4):
        total = call(lambda t, total=total: math.sin(t) * total + c, total * x)
    return total


def with_a_rebound_variable(call, x, c):
    k = c
    first = call(lambda t: t * k, x)
    k = k * k * x
    return first * k


def with_writes_between(call, x, c):
    v = np.array([x, c])
    y = call(lambda t: np.sum(v * v) * t, x)
    v *= 3.0
    return y * np.sum(v)


def with_writes_inside(call, x, c):
    kept = [c]

    def f(t):
        kept.append(t * t)
        kept[0] = t * kept[0]
        return kept[0] * 2.0

    return call(f, x) * kept[0] + kept[-1]


def with_a_nonlocal(call, x, c):
    last = 0.0

    def f(t):
        nonlocal last
        last = t * c
        return t * t

    return call(f, x) * last


def with_an_inner_one(call, x, c):
    return call(lambda t: call(lambda s: s * t * c, t * x) ** 2, x)


def with_a_result_that_is_a_container(call, x, c):
    found = call(lambda t: {"a": t * c, "b": [t * t, c]}, x)
    return found["a"] * found["b"][0] * found["b"][1]


def with_a_result_that_is_the_argument(call, x, c):
    v = np.array([x, c])
    found = call(lambda t: t, v)
    found *= 2.0
    return np.sum(v * v)


def with_a_view_as_the_result(call, x, c):
    v = np.array([x, c, x * c])
    return np.sum(call(lambda t: t[1:], v) ** 2)


def with_a_method_and_keywords(call, x, c):
    return call(np.array([x, c]).dot, np.array([c, x]))


def with_branches(call, x, c):
    return call(lambda t: t * t if t > c else t * c, x) + call(lambda t: abs(t - c), x)


def with_exceptions(call, x, c):
    def f(t):
        try:
            return t * [1.0][5]
        except IndexError:
            return t * t * c

    return call(f, x)


def with_a_generator(call, x, c):
    return call(lambda t: sum(t**k * c for k in range(4)), x)


def with_linear_algebra(call, x, c):
    return np.sum(call(lambda t: np.linalg.inv(W + t * np.eye(2)) * c, x))


def with_a_large_result(call, x, c):
    return np.sum(call(lambda t: np.linspace(0.0, 1.0, 200) ** 2 * t * c, x))


def with_a_rule(call, x, c):
    return call(lambda t: astad.hook(lambda bar: bar * abs(bar), t) * c, x) * 3.0


def with_random_numbers(call, x, c):
    random.seed(1)
    return call(lambda t: t * random.random() * c, x) * random.random()


PROGRAMS = [f for name, f in list(globals().items()) if name.startswith(("of_", "in_a", "with_"))]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_a_plain_call(f):
    x, c = 0.8, 1.7
    assert f(forwarddiff, x, c) == f(plainly, x, c)

    def at_once(x, c):
        return f(forwarddiff, x, c)

    def plain(x, c):
        return f(plainly, x, c)

    np.testing.assert_allclose(gradient(at_once, x, c), gradient(plain, x, c), rtol=1e-12)
    y, back = pullback(at_once, x, c)
    for seed in (1.0, 1.0, -2.0):
        bars = [0.0 if bar is None else bar for bar in back(seed)]
        if f is not with_a_rule:  # its back is not linear
            known = [seed * (bar or 0.0) for bar in gradient(plain, x, c)]
            np.testing.assert_allclose(bars, known, rtol=1e-12)


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not with_a_rule])
def test_differences(f):
    check_gradient(lambda x, c: f(forwarddiff, x, c), 0.8, 1.7)


def test_globals_and_arguments_that_are_arrays():
    x = np.array([5.0, 6.0])

    def f(W, x):
        return np.sum(forwarddiff(lambda x: W @ x, x) ** 2)

    W_bar, x_bar = gradient(f, W, x)
    np.testing.assert_allclose(W_bar, 2 * np.outer(W @ x, x))
    np.testing.assert_allclose(x_bar, 2 * W.T @ W @ x)
    grads = gradient(lambda: forwarddiff(lambda t: t * np.sum(W**2), 3.0), astad.Params([W]))
    assert grads[W].tolist() == (6.0 * W).tolist()


def test_kinds_of_numbers():
    assert gradient(lambda x: forwarddiff(lambda t: t * t, x), 5) == (10,)
    (bar,) = gradient(lambda x: forwarddiff(lambda t: t * t, x), np.float32(5.0))
    assert bar.dtype == np.float32
    assert type(gradient(lambda x: forwarddiff(lambda t: t * t, x), 5.0)[0]) is float
    (bar,) = gradient(lambda x: np.sum(forwarddiff(lambda t: t * t, x)), np.ones(3, np.float32))
    assert bar.dtype == np.float32
    assert bar.tolist() == [2.0, 2.0, 2.0]


def test_an_infinite_slope_that_nobody_asks_for():
    assert gradient(lambda x: 0.0 * forwarddiff(math.sqrt, x), 0.0) == (0.0,)


def kept_by(back):
    """Bytes of all that a record leads to."""
    seen, waiting, size = set(), [back._record], 0
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            size += sys.getsizeof(each)
            inner = gc.get_referents(each)
            waiting += [part for part in inner if type(part) in (tuple, list, dict, float)]
    return size


def test_nothing_of_the_run_is_kept():
    def long(t):
        for _ in range(1000):
            t = math.sin(t) * 1.001
        return t

    (y, back), (plain, plain_back) = (
        pullback(lambda x: forwarddiff(long, x), 0.5),
        pullback(long, 0.5),
    )
    assert y == plain
    assert back(1.0) == pytest.approx(plain_back(1.0), rel=1e-12)
    assert kept_by(back) < kept_by(plain_back) / 50


def test_how_often_it_runs():
    LOG.clear()

    def f(t):
        LOG.append(t)
        return t * t

    assert gradient(lambda x: forwarddiff(f, x) * forwarddiff(f, x), 2.0) == (32.0,)
    assert LOG == [2.0, 2.0]


def test_exceptions_are_those_of_the_function():
    def f(x):
        try:
            return forwarddiff(lambda t: t / 0.0, x)
        except ZeroDivisionError:
            return x * 3.0

    assert gradient(f, 2.0) == (3.0,)
    with pytest.raises(KeyError):
        gradient(lambda x: forwarddiff(lambda t: {}[t], x), 2.0)


@pytest.mark.parametrize("x", [{"a": 1.0}, "text", None, [[1.0], 2.0]])
def test_arguments_of_other_structures(x):
    with pytest.raises(WrongCall, match="by a number, or by those of an array or a list"):
        forwarddiff(lambda t: t, x)
    with pytest.raises(AstadError, match="by a number, or by those of an array or a list"):
        gradient(lambda s: forwarddiff(lambda t: 1.0, x) * s, 2.0)


def cube(t):
    return t**3


def ruled(t):
    return t


@astad.adjoint(ruled)
def ruled_rule(t):
    return t * t, lambda bar: (2.0 * bar * t,)


def looped(x):
    s = 1.0
    for _ in range(3):
        s = forwarddiff(lambda t: math.sin(t) * x, s)
    return s


def test_second_derivatives():
    assert astad.hessian(lambda x: forwarddiff(lambda t: t**3, x), 3.0) == 18.0
    assert astad.hessian(lambda x: astad.forwarddiff(cube, x) * x, 3.0) == 108.0
    found = astad.hessian(lambda v: forwarddiff(lambda t: t * t * v[1], v[0]), [2.0, 3.0])
    assert found == [[6.0, 4.0], [4.0, 0.0]]
    assert astad.hessian(lambda x: forwarddiff(ruled, x) * x, 2.0) == 12.0
    assert astad.grad(lambda x: forwarddiff(astad.grad(cube), x))(2.0) == 12.0
    found = astad.grad(lambda x: forwarddiff(lambda t: astad.grad(cube)(t) * x, x))(2.0)
    assert found == 36.0
    step = 1e-5
    slope = (astad.grad(looped)(0.7 + step) - astad.grad(looped)(0.7 - step)) / (2 * step)
    assert astad.hessian(looped, 0.7) == pytest.approx(slope, rel=1e-8)


# --- numbers that are stored in classes


class Shared:
    k = 1.0

    def method(self, t):
        return self.k * t

    @staticmethod
    def static(t):
        return Shared.k * t

    @classmethod
    def of_class(cls, t):
        return cls.k * t


class Derived(Shared):
    pass


SHARED = Shared()


def reads_class(t):
    return Shared.k * t


@pytest.mark.parametrize("how", [setattr, type.__setattr__])
@pytest.mark.parametrize(
    "block",
    [
        reads_class,
        lambda t: reads_class(t),
        lambda t: Derived.k * t,
        lambda t: Shared.k * np.array([t, 1.0]),
        lambda t: forwarddiff(reads_class, t) * t,
        SHARED.method,
        Shared.static,
        Derived.of_class,
    ],
)
@pytest.mark.order_matters
def test_an_attribute_of_a_class_has_its_derivative(block, how):
    def f(x, back=None):
        how(Shared, "k", 2.0 * x * x)
        y = np.sum(forwarddiff(block, x))
        if back is not None:
            Shared.k = back
        return y

    wanted = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    for _ in range(2):
        assert gradient(f, 0.7)[0] == pytest.approx(wanted, rel=1e-7)
    assert astad.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(wanted, rel=1e-7)
    for back in (1.0, 7.0):  # nothing runs again
        assert gradient(f, 0.7, back)[0] == pytest.approx(wanted, rel=1e-7)


@pytest.mark.order_matters
def test_an_attribute_of_a_class_where_the_argument_has_no_derivative():
    def f(x):
        Shared.k = x * x
        return forwarddiff(reads_class, 1.0)

    assert gradient(f, 0.7)[0] == pytest.approx(1.4)


@pytest.mark.order_matters
def test_an_attribute_of_a_class_that_a_checkpoint_inside_reads():
    def f(x):
        Shared.k = x * x
        return forwarddiff(lambda t: astad.checkpoint(reads_class)(t) * t, x)

    assert gradient(f, 0.7)[0] == pytest.approx(4 * 0.7**3)
