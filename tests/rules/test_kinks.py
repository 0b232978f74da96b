"""Second derivatives where an absolute value or a norm is 0: right, or refused at that point."""

import math

import numpy as np
import pytest

from astad import grad, gradient, hessian, hessian_diag, hvp, jvp, value_and_grad
from astad.errors import Unsupported

ZERO = np.array([1.0, 0.0])
ONES = np.ones(2)

SMOOTH = {
    "abs": lambda v: np.sum(np.abs(v) ** 2),
    "absolute, a product": lambda v: np.sum(np.absolute(v) * np.absolute(v)),
    "fabs": lambda v: np.sum(np.fabs(v) ** 2),
    "copysign": lambda v: np.sum(np.copysign(v, 2.0) ** 2),
    "hypot": lambda v: np.sum(np.hypot(v, v) ** 2) / 2,
    "complex": lambda v: np.sum(np.abs(v * (0.6 + 0.8j)) ** 2),
    "fft": lambda v: np.sum(np.abs(np.fft.fft(v - 0.5)) ** 2) / 2,
    "norm of rows": lambda v: np.sum(np.linalg.norm(v[:, None], axis=1) ** 2),
    "norm of order 1": lambda v: np.sum(np.linalg.norm(v[:, None], 1, axis=1) ** 2),
    "vector_norm": lambda v: np.sum(np.linalg.vector_norm(v[:, None], axis=1) ** 2),
    "cosh": lambda v: 2 * np.sum(np.cosh(np.abs(v))),
    "one by one": lambda v: sum([abs(each) ** 2 for each in v]),
    "math": lambda v: math.fabs(v[0]) ** 2 + math.hypot(v[1], v[1]) ** 2 / 2,
}


def is_right_or_refused(take, wanted):
    try:
        found = take()
    except Unsupported as error:
        assert "derivative" in str(error)
        return
    assert found == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("f", SMOOTH.values(), ids=SMOOTH)
def test_what_is_smooth_there_is_never_wrong(f):
    def plain(x):
        return f(x)

    x, h = ZERO, 1e-3
    units = np.eye(2)
    wanted = np.array(
        [[(plain(x + h * a + h * b) - plain(x + h * a - h * b) - plain(x - h * a + h * b)
           + plain(x - h * a - h * b)) / (4 * h * h) for a in units] for b in units]
    )  # fmt: skip
    along = wanted @ ONES
    is_right_or_refused(lambda: hessian(f, x), wanted)
    is_right_or_refused(lambda: hvp(f, x, ONES), along)
    is_right_or_refused(lambda: hessian_diag(f, x), np.diag(wanted))
    is_right_or_refused(lambda: jvp(grad(f), (x,), (ONES,))[1], along)
    is_right_or_refused(lambda: gradient(lambda x: np.sum(grad(f)(x)), x)[0], along)
    is_right_or_refused(lambda: gradient(lambda x: jvp(f, (x,), (ONES,))[1], x)[0], along)
    is_right_or_refused(
        lambda: jvp(lambda x: jvp(f, (x,), (ONES,))[1], (x,), (ONES,))[1], np.sum(along)
    )


NUMBERS = {
    "abs": lambda x: abs(x) ** 2,
    "complex": lambda x: abs(1j * x) ** 2,
    "complex sine": lambda x: abs(1j * np.sin(x)) ** 2,
    "math.fabs": lambda x: math.fabs(x) ** 2,
    "math.hypot": lambda x: math.hypot(x, x) ** 2 / 2,
    "math.copysign": lambda x: math.copysign(x, 1.0) ** 2,
    "np.abs": lambda x: np.abs(x) ** 2,
}


@pytest.mark.parametrize("f", NUMBERS.values(), ids=NUMBERS)
def test_numbers_that_are_zero(f):
    is_right_or_refused(lambda: hessian(f, 0.0), 2.0)
    is_right_or_refused(lambda: hvp(f, 0.0, 1.0), 2.0)
    is_right_or_refused(lambda: gradient(lambda x: grad(f)(x), 0.0)[0], 2.0)
    is_right_or_refused(lambda: jvp(grad(f), (0.0,), (1.0,))[1], 2.0)
    is_right_or_refused(lambda: gradient(lambda x: jvp(f, (x,), (1.0,))[1], 0.0)[0], 2.0)
    assert hessian(f, 0.25) == pytest.approx((f(0.251) - 2 * f(0.25) + f(0.249)) / 1e-6, rel=1e-4)


WHOLE = {
    "norm": lambda v: np.linalg.norm(v) ** 2,
    "matrix": lambda v: np.linalg.norm(v[None, :], "fro") ** 2,
    "spectral": lambda v: np.linalg.norm(v[None, :], 2) ** 2,
    "std": lambda v: np.std(v) ** 2 * 2 + np.sum(v) ** 2 / 2,
}


@pytest.mark.parametrize("f", WHOLE.values(), ids=WHOLE)
def test_a_norm_of_nothing_but_zeros(f):
    x, v = np.zeros(2), np.array([1.0, 0.0])
    wanted = np.array([[(f(a + b) - f(a - b)) / 2 for a in np.eye(2)] for b in np.eye(2)])
    along = wanted @ v
    is_right_or_refused(lambda: hessian(f, x), wanted)
    is_right_or_refused(lambda: hvp(f, x, v), along)
    is_right_or_refused(lambda: gradient(lambda x: grad(f)(x)[0], x)[0], along)
    is_right_or_refused(lambda: gradient(lambda x: jvp(f, (x,), (v,))[1], x)[0], along)


PENALTIES = {
    "sum": lambda w: np.sum(np.abs(w)),
    "norm": lambda w: np.linalg.norm(w, 1),
    "weighted": lambda w: 0.5 * np.sum(np.abs(w) * np.array([1.0, 3.0])),
    "mean": lambda w: np.mean(np.fabs(w)),
    "loop": lambda w: sum([abs(each) for each in w]),
    "log": lambda w: np.sum(np.log(1 + np.abs(w))) + 1 / (1 + w[0]) - np.log(1 + w[0]),
    "masked": lambda w: np.sum(np.where(w < 2, 0.0, np.abs(w))),
    "huber": lambda w: np.sum(np.where(np.abs(w) < 0.5, w**2, np.abs(w) - 0.25)) - w[1] ** 2,
}


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_a_penalty_has_the_curvature_beside_its_kink(penalty):
    def loss(w):
        return penalty(w) + np.sum(w**2)

    extra = 2 / (1 + ZERO[0]) ** 3 if "log" in penalty.__code__.co_names else 0.0
    wanted = np.diag([2.0 + extra, 2.0])
    along = wanted @ ONES
    assert hessian(loss, ZERO) == pytest.approx(wanted, abs=1e-12)
    assert hvp(loss, ZERO, ONES) == pytest.approx(along, abs=1e-12)
    assert jvp(grad(loss), (ZERO,), (ONES,))[1] == pytest.approx(along, abs=1e-12)
    assert gradient(lambda w: np.sum(grad(loss)(w)), ZERO)[0] == pytest.approx(along, abs=1e-12)


def test_first_derivatives_are_0_as_before():
    assert gradient(lambda v: np.sum(np.abs(v)), np.zeros(2))[0].tolist() == [0.0, 0.0]
    assert jvp(abs, (0.0,), (1.0,)) == (0.0, 0.0)

    def size(v):
        return np.sum(np.abs(v))

    inner = gradient(lambda v: value_and_grad(size)(v)[0], np.zeros(2))[0]
    assert inner.tolist() == [0.0, 0.0]
    by_weight = gradient(lambda k: np.sum(grad(lambda w: k * size(w))(ZERO)), 0.5)[0]
    assert by_weight == 1.0


def test_third_derivatives_beside_a_kink_and_at_it():
    def cubes(w):
        return np.sum(np.abs(w) ** 3)

    def bent(w):
        return np.sum(np.abs(w)) + np.sum(w**3)

    x = np.array([1.0, -2.0])
    found = gradient(lambda x: np.sum(hvp(cubes, x, ONES)), x)[0]
    assert found == pytest.approx(6 * np.sign(x))
    assert gradient(lambda x: np.sum(hvp(bent, x, ONES)), ZERO)[0] == pytest.approx([6.0, 6.0])
