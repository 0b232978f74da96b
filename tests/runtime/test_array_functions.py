"""Functions of NumPy that are differentiated from their Python source."""

import numpy as np
import pytest

import astad
from astad.errors import AstadError
from astad.runtime.array_functions import FROM_SOURCE


def test_all_have_a_source():
    assert all(callable(fn._implementation) for fn in FROM_SOURCE)


def test_piecewise_and_the_operands_it_hands_on():
    def f(x, k):
        return np.sum(np.piecewise(x, [x > 1], [lambda v, k: k * v**2, lambda v, k: v], k))

    g, k_bar = astad.gradient(f, np.array([0.5, 2.0, 3.0]), 5.0)
    assert g.tolist() == [1.0, 20.0, 30.0] and k_bar == 13.0


def test_an_operand_with_a_protocol_of_its_own_goes_first():
    class Mine:
        def __array_function__(self, func, types, args, kwargs):
            return func.__name__

    assert astad.gradient(lambda x: x * len(np.polydiv(Mine(), 1)), 2.0) == (7.0,)


def test_packed_bits_carry_nothing():
    assert astad.gradient(lambda x: x * np.sum(np.packbits(np.array([1, 0], bool))), 3.0) == (
        128.0,
    )


def test_a_call_that_writes_into_an_array_is_its_own_case():
    def f(x):
        return np.sum(np.quantile(x, 0.5, weights=np.array([1, 2, 1]), method="inverted_cdf"))

    assert astad.gradient(f, np.array([3.0, 1.0, 2.0]))[0].tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(AstadError):
        astad.gradient(lambda x: np.sum(np.subtract.accumulate(x, out=np.zeros(3))), np.ones(3))
