"""What stands in the place of compiled code gives the very value of that."""

import numpy as np
import pytest

from astad import gradient
from astad.rules.numpy import step_by_step
from astad.testing import check_gradient

A = np.random.default_rng(0).uniform(0.5, 1.5, (3, 4))


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-15)  # loops over rows round on their own
    assert type(found) is type(wanted) and np.asarray(found).dtype == np.asarray(wanted).dtype


@pytest.mark.parametrize("ufunc", step_by_step.STEPPED)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_methods_of_ufuncs(ufunc, axis):
    same(step_by_step.accumulate(ufunc, A, axis), ufunc.accumulate(A, axis))
    same(step_by_step.reduceat(ufunc, A, [0, 2, 1], axis), ufunc.reduceat(A, [0, 2, 1], axis))
    if ufunc is not np.hypot or axis == 0:
        same(step_by_step.reduce(ufunc, A, axis), ufunc.reduce(A, axis))
    same(step_by_step.reduce(ufunc, A, axis, keepdims=True), ufunc.reduce(A, axis, keepdims=True))
    same(step_by_step.reduce(ufunc, A[:, 0]), ufunc.reduce(A[:, 0]))


def test_one_entry():
    same(step_by_step.reduce(np.subtract, A[:1], 0), np.subtract.reduce(A[:1], 0))


@pytest.mark.parametrize(
    "operands",
    [
        (A, [0, 1], A, [2, 1], [0, 2]),
        (A, [0, 1]),
        (A, [..., 3], A[0], [3], [...]),
        (A, [5, 2], [2, 5]),
    ],
)
def test_einsum_with_lists(operands):
    np.testing.assert_allclose(step_by_step.einsum(*operands), np.einsum(*operands), rtol=1e-14)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "f", [np.sum, np.cumsum, np.diag, lambda v: v[:2].astype(np.float32), sorted]
)
def test_apply_along_axis(f, axis):
    same(step_by_step.apply_along_axis(f, axis, A), np.apply_along_axis(f, axis, A))


def test_apply_along_axis_of_nothing():
    with pytest.raises(ValueError, match="iteration dimensions are 0"):
        step_by_step.apply_along_axis(np.sum, 0, np.ones((2, 0)))


COMBINED = np.frompyfunc(lambda p, q: p * q + 1, 2, 1)
LARGER = np.frompyfunc(max, 2, 1)


def floats_alone(p, q):
    assert type(p) is float
    assert type(q) is float
    return p * q


@pytest.mark.parametrize(
    "program",
    [
        lambda a: COMBINED.reduce(a[0]),
        lambda a: COMBINED.reduce(a[0], initial=2.0),
        lambda a: COMBINED.reduce(a[0, :1]) * 2.0,
        lambda a: COMBINED.reduce(list(a[0])),
        lambda a: COMBINED.reduce(a[0].astype(object)),
        lambda a: LARGER.reduce(a[0]) * 1.0,
        lambda a: np.frompyfunc(floats_alone, 2, 1).reduce(a[1]),
        lambda a: np.sum(COMBINED.reduce(a, axis=1).astype(float) ** 2),
        lambda a: np.sum(COMBINED.reduce(a, axis=0, keepdims=True).astype(float) ** 2),
        lambda a: np.sum(COMBINED.accumulate(a[0], dtype=object).astype(float) ** 2),
        lambda a: np.sum(COMBINED.accumulate(a, 1, object).astype(float) ** 2),
        lambda a: np.sum(COMBINED.outer(a[0], a[1, :2]).astype(float) ** 2),
        lambda a: np.sum(COMBINED.outer(a, a[1]).astype(float) ** 2),
    ],
)
def test_methods_of_a_ufunc_of_python(program):
    check_gradient(program, np.array([[1.1, 3.2, 2.4], [0.7, 0.3, 1.9]]))


def test_a_ufunc_of_python_that_stores_what_it_computes():
    def f(a):
        log = []

        def add(p, q):
            log.append(p * q)
            return p + q

        return np.frompyfunc(add, 2, 1).reduce(a) * sum(log)

    check_gradient(f, np.array([1.1, 3.2, 2.4]))


@pytest.mark.parametrize("ufunc", [np.subtract, COMBINED])
def test_a_reduction_of_nothing(ufunc):
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        gradient(lambda a: ufunc.reduce(a) * 1.0, np.zeros(0))
