"""Elementwise rules of several operands: each gets its own part, whatever shapes they have."""

import itertools

import numpy as np
import pytest

from astad import gradient

SHAPES = [(2, 3), (2, 1), (1, 3), (1, 1)]


def drawn(shape, seed):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def test_a_choice_of_rows_or_of_their_spread(forms_agree):
    def f(x):
        z = x.std(axis=1, keepdims=True)
        return np.sum(np.where(x > 0, x, z))

    forms_agree(f, drawn((2, 3), 0))


def test_a_choice_whose_second_value_is_a_column(forms_agree):
    forms_agree(lambda x, z: np.sum(np.where(x > 0, x * x, z)), drawn((2, 3), 1), drawn((2, 1), 2))


def test_a_condition_of_another_shape(forms_agree):
    def f(limit, x, y):
        inside = limit > 0.0
        return np.sum(np.where(inside, x * y, y)) + np.sum(np.where(~inside, x, 1.0))

    forms_agree(f, drawn((2, 1), 3), drawn((2, 3), 4), drawn((2, 3), 5))
    forms_agree(f, drawn((2, 3), 3), drawn((1, 3), 4), drawn((2, 1), 5))


def of_numbers(x, y):
    """By whether a number is zero: the array is no mask, and moves with ``x``."""
    return np.sum(np.where(np.maximum(x, 0.0), x * y, y * y))


def of_the_value_itself(x, y):
    rate = np.maximum(x, 0.0)
    return np.sum(np.where(rate, rate * y, np.where(rate, 1.0, x)) ** 2)


def of_numbers_in_a_loop(x, y):
    for _ in range(3):
        y = np.where(np.maximum(x, 0.0), y * y, x)
    return np.sum(y)


def of_numbers_and_constants(x, y):
    return np.sum(np.where(np.maximum(x, 0.0), 2.0, 0.5) * y * x)


@pytest.mark.parametrize(
    "f", [of_numbers, of_the_value_itself, of_numbers_in_a_loop, of_numbers_and_constants]
)
def test_a_condition_of_floats(forms_agree, f):
    forms_agree(f, drawn((2, 3), 3), drawn((2, 3), 4))
    forms_agree(f, drawn((2, 1), 3), drawn((2, 3), 4))


def test_a_condition_of_floats_that_is_the_argument_has_no_derivative():
    x, y = np.array([1.0, 0.0, 3.0]), np.array([0.5, 1.5, 2.5])
    for _ in range(3):
        own, other = gradient(lambda x, y: np.sum(np.where(x, np.sin(x) * y, 1.0)), x, y)
        np.testing.assert_allclose(own, np.cos(x) * y * [1, 0, 1], rtol=1e-15)
        np.testing.assert_allclose(other, np.sin(x) * [1, 0, 1], rtol=1e-15)
        assert gradient(lambda x, y: np.sum(np.where(x, y, -y)), x, y)[1].tolist() == [1, -1, 1]


def leaky(x, slope):
    return np.where(x > 0, x, slope * x)


class Layer:
    def __init__(self, weights, slopes):
        self.weights, self.slopes = weights, slopes

    def __call__(self, x):
        return leaky(x @ self.weights, self.slopes)


def test_a_layer_with_a_slope_for_each_row(forms_agree):
    def f(x, weights, slopes):
        for _ in range(2):
            x = Layer(weights, slopes)(x)
        return np.sum(x * x)

    forms_agree(f, drawn((2, 3), 6), drawn((3, 3), 7), drawn((1, 3), 8))
    forms_agree(f, drawn((2, 3), 6), drawn((3, 3), 7), drawn((2, 1), 8))


@pytest.mark.parametrize("shapes", list(itertools.product(SHAPES, repeat=3)))
def test_where_of_three_shapes(forms_agree, shapes):
    def f(c, x, y):
        return np.sum(np.where(c > 0.3, x * x, y) ** 2)

    forms_agree(f, *(drawn(shape, at + 9) for at, shape in enumerate(shapes)))


TERNARY = {
    "where in place of a row": lambda c, x, y: np.where(c > 0.3, x[0], y),
    "clip": lambda c, x, y: np.clip(c, np.minimum(x, y), np.maximum(x, y) + 0.1),
    "clip method": lambda c, x, y: (c * 1.0).clip(x - 2.0, y + 2.0),
    "select": lambda c, x, y: np.select([c > 0.5, x > 0.2], [x * c, y], c),
    "choose": lambda c, x, y: np.choose((c > 0).astype(int), [x, y]),
    "a product and a sum": lambda c, x, y: c * x + y,
    "einsum": lambda c, x, y: np.einsum("ij,ij,ij->ij", c, x, y),
    "piecewise": lambda c, x, y: np.where(c > 0, np.where(x > 0, c, y), np.where(y > 0, x, c)),
    "lerp": lambda c, x, y: x + (y - x) * np.where(c > 1, 1.0, np.where(c < 0, 0.0, c)),
    "a power": lambda c, x, y: np.where(c > 0, np.abs(x), 1.5) ** np.where(c > 0, y, x),
}


@pytest.mark.parametrize("name", TERNARY)
@pytest.mark.parametrize("odd", range(3))
def test_one_operand_of_three_has_another_shape(forms_agree, name, odd):
    for shape in [(2, 1), (1, 3), (1, 1)]:
        operands = [drawn(shape if at == odd else (2, 3), at + 20) for at in range(3)]
        forms_agree(lambda c, x, y: np.sum(TERNARY[name](c, x, y) ** 2), *operands)


def test_a_name_of_one_rank_or_another(forms_agree):
    def f(x, deep):
        y = x * 2.0
        if deep:
            y = np.stack([x, x * x])
        return np.sum(y * x)

    x = np.array([0.5, 1.5, 2.5])
    assert gradient(f, x, 0)[0].tolist() == [2.0, 6.0, 10.0]
    assert gradient(f, x, 1)[0].tolist() == [1.75, 9.75, 23.75]
    forms_agree(f, x, 0)
    forms_agree(f, x, 1)
