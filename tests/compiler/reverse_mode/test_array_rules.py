"""Arrays: operators with broadcasting on either side, products, sums, in every form."""

import operator

import numpy as np
import pytest

rng = np.random.default_rng(1)
SHAPES = [(), (1,), (3,), (1, 3), (2, 1), (2, 3), (4, 2, 3)]
OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "pow": operator.pow,
}  # fmt: skip


def operand(shape):
    return rng.uniform(0.5, 1.5, shape) if shape else float(rng.uniform(0.5, 1.5))


def added(a, b):
    return np.sum(np.sin(a + b))


def subtracted(a, b):
    return np.sum(np.sin(a - b))


def multiplied(a, b):
    return np.sum(np.sin(a * b))


def divided(a, b):
    return np.sum(np.sin(a / b))


def raised(a, b):
    return np.sum(np.sin(a**b))


@pytest.mark.parametrize("f", [added, subtracted, multiplied, divided, raised])
@pytest.mark.parametrize("first", SHAPES, ids=str)
@pytest.mark.parametrize("second", SHAPES, ids=str)
def test_operators_with_broadcasting(forms_agree, f, first, second):
    forms_agree(f, operand(first), operand(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((4, 3), (3, 2)), ((2, 4, 3), (3, 2)),
     ((4, 3), (2, 3, 2)), ((3,), (2, 3, 2)), ((2, 4, 3), (3,))],
    ids=str,
)  # fmt: skip
def test_products_of_all_ranks(forms_agree, first, second):
    def f(a, b):
        c = a @ b
        return np.sum(c * c) + np.sum(np.dot(a, b) ** 2)

    forms_agree(f, operand(first), operand(second))


def test_a_product_with_itself(forms_agree):
    def f(a, v):
        return np.sum(a @ a @ v) + v @ v + np.sum(a.T @ a) * np.trace(a)

    forms_agree(f, operand((3, 3)), operand((3,)))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_and_means(forms_agree, axis, keepdims):
    def f(a):
        s = np.sum(a, axis=axis, keepdims=keepdims)
        m = np.mean(a * a, axis=axis, keepdims=keepdims)
        return np.sum(s * m) * np.sum(a)

    forms_agree(f, operand((2, 3)))


def test_sums_with_a_literal_axis(forms_agree):
    def f(a, x):
        rows = np.sum(a, axis=1, keepdims=True)
        columns = np.mean(a, 0)
        last = a.sum(axis=-1).mean() + np.sum(a, axis=-1)[0]
        return np.sum(rows * columns * x) + np.sum(np.sum(a * a, axis=0)) * np.mean(a) + last

    forms_agree(f, operand((2, 3)), 0.7)


def test_softmax(forms_agree):
    def f(z, target):
        e = np.exp(z - np.max(z, axis=1, keepdims=True))
        p = e / np.sum(e, axis=1, keepdims=True)
        return -np.mean(np.log(p) * target)

    forms_agree(f, operand((2, 3)), operand((2, 3)))


def test_broadcasting_of_a_rebound_name(forms_agree):
    def f(a, b):
        b = b + 1.0
        a = a * b
        a = a + b
        b = a * b
        return np.sum(a / b)

    forms_agree(f, operand((2, 3)), operand((3,)))
    forms_agree(f, operand((3,)), operand((2, 1)))


def test_broadcasting_in_a_loop(forms_agree):
    def f(a, b, n):
        for i in range(n):
            a = a * b + i
            b = b * 0.9
        return np.sum(a)

    for first, second in [((2, 3), (3,)), ((3,), (2, 3)), ((), (3,)), ((3,), ())]:
        forms_agree(f, operand(first), operand(second), 3)


def test_a_number_that_becomes_an_array(forms_agree):
    def f(x, a):
        y = x * x
        y = y + a
        y = y * y
        return np.sum(y) * x

    forms_agree(f, 0.7, operand((2, 3)))


def test_arrays_without_entries(forms_agree):
    def f(a, x):
        return np.sum(a * x) + np.sum(a + a) + x

    forms_agree(f, np.zeros(0), 0.7)
    forms_agree(f, np.zeros((0, 3)), 0.7)


def test_an_array_of_rank_zero(forms_agree):
    def f(a, x):
        return np.sum(a * x) * a * np.sin(a)

    forms_agree(f, np.array(0.6), 0.7)


def test_an_array_result(forms_agree):
    def f(a, x):
        return a * x + np.sin(a) * np.sum(a)

    forms_agree(f, operand((2, 3)), 0.7)


def test_an_argument_as_the_result(forms_agree):
    forms_agree(lambda a: a, operand((3,)))
    forms_agree(lambda a, x: a * 1, operand((3,)), 0.5)


def test_views_and_transposes(forms_agree):
    def f(a, x):
        b = a.T
        c = b.reshape(-1)
        d = a[0] * x + a[:, 0].sum() + np.ravel(a)[2]
        return np.sum(c * c) + np.sum(b @ a) + np.sum(d * a)

    forms_agree(f, operand((2, 3)), 0.7)


def test_functions_of_one_array(forms_agree):
    def f(a):
        b = np.exp(-a) + np.log(a) * np.sqrt(a) - np.tanh(a) / np.cosh(a) + np.abs(a - 1.0)
        c = np.square(b) + np.reciprocal(a) + np.maximum(a, b) + np.where(a > 1.0, a, b)
        return np.sum(b * c) + np.linalg.norm(c) + np.max(b) * np.prod(a)

    forms_agree(f, operand((2, 3)))


def test_an_array_with_integers(forms_agree):
    def f(a, x, n):
        weights = np.arange(3)
        return np.sum(a * weights) * x + np.sum(weights) * n * x + np.sum(a**n)

    forms_agree(f, operand((3,)), 0.7, 2)


def test_numpy_numbers(forms_agree):
    def f(a, x):
        s = a[0] * x
        t = np.sum(a) * s
        u = s * t + a[1] ** 2
        for i in range(2):
            u = u * s
        return u

    forms_agree(f, operand((3,)), 0.7)


def test_single_precision():
    from astad import gradient

    def f(a, x):
        return np.sum(np.tanh(a * x))

    a = np.array([0.5, 0.7], np.float32)
    slope, _ = gradient(f, a, 0.7)
    assert slope.dtype == np.float32
    np.testing.assert_allclose(slope, 0.7 * (1 - np.tanh(a * 0.7) ** 2), rtol=1e-6)


def test_axes_that_are_none_or_not_known(forms_agree):
    def along_an_argument(a, n):
        return np.sum(np.mean(a, axis=n) ** 2) + np.sum(np.sum(a, axis=n) ** 2)

    def along_none(a, n):
        return np.sum(np.mean(a, axis=()) ** 2) + np.sum(np.sum(a, axis=()) ** n)

    a = np.arange(1.0, 7.0).reshape(2, 3) / 7
    for fn in (along_an_argument, along_none):
        forms_agree(fn, a, 1)
