"""Functions of NumPy that are differentiated from their Python source."""

import numpy as np
import pytest

import astad
from astad.errors import AstadError
from astad.runtime.arrays.array_functions import FROM_SOURCE
from astad.testing import check_gradient


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


GRID = np.arange(1.0, 25.0).reshape(2, 3, 4)
LAYOUTS = [
    GRID, GRID.T, GRID.transpose(1, 0, 2), GRID[::-1], GRID[:, ::2].T, np.asfortranarray(GRID),
    GRID[:0].T, np.array(3.0),
]  # fmt: skip


@pytest.mark.parametrize("x", LAYOUTS)
@pytest.mark.parametrize("several", [False, True])
def test_elements_are_met_and_laid_out_as_they_lie_in_memory(x, several):
    met = []

    def square(u):
        met.append(float(u))
        return (u * u, u) if several else u * u

    def f(x):
        y = np.frompyfunc(square, 1, 1 + several)(x)
        return y[0] if several else y

    plain = f(x)
    order = met.copy()
    met.clear()
    y, back = astad.pullback(f, x)
    assert met == order and np.shape(y) == np.shape(plain)
    if isinstance(y, np.ndarray):
        assert y.strides == plain.strides or not y.size
    np.testing.assert_allclose(back(np.ones(x.shape)[()])[0], 2 * x)


def test_vectorized_function_of_a_fortran_ordered_array():
    scale = np.cos(np.arange(12.0))

    def f(x, k):
        return np.sum(np.vectorize(lambda u, v: u * v)(x, k).ravel("K") * scale)

    assert check_gradient(f, np.arange(1.0, 13.0).reshape(4, 3).T, 2.0).outcome == "right"


MET = []


def met(*args):
    MET.append([type(arg) for arg in args])
    return args[0] * 2


ONE, TWO = np.frompyfunc(met, 1, 1), np.frompyfunc(met, 2, 1)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ONE(x[0]) * 1.0,
        lambda x: ONE(np.float32(2.5)) * x[0],
        lambda x: ONE([x[0], x[1]])[0] * 1.0,
        lambda x: ONE([x[0], 2])[1] * x[0],
        lambda x: ONE(x[0], out=...)[()] * 1.0,
        lambda x: TWO(x[0], x[1]) * 1.0,
        lambda x: TWO(x[0], np.int64(3)) * 1.0,
        lambda x: TWO(x[0], np.True_) * 1.0,
        lambda x: TWO(x, x[0])[1] * 1.0,
        lambda x: TWO.reduce(x, initial=x[0]) * 1.0,
        lambda x: TWO.accumulate(x)[1] * 1.0,
        lambda x: np.frompyfunc(lambda a, b: np.sin(met(a, b)), 2, 1).reduce(x) * 1.0,
        lambda x: TWO.outer(x[0], [x[1], 2])[0] * 1.0,
        lambda x: np.vectorize(met)(x[0]) * 1.0,
    ],
)
def test_a_function_of_python_is_given_numbers_as_numpy_gives_them(f):
    x = np.array([1.5, 2.0, 0.5])
    MET.clear()
    plain, wanted = f(x), MET.copy()
    slopes = [(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    for _ in range(3):
        MET.clear()
        y, g = astad.value_and_grad(f)(x)
        assert MET[: len(wanted)] == wanted
        assert y == plain and type(y) is type(plain)
        np.testing.assert_allclose(g, slopes, atol=1e-8)


def test_a_function_of_python_raises_what_it_does_of_a_number():
    inverse = np.frompyfunc(lambda u: 1.0 / u, 1, 1)
    with pytest.raises(ZeroDivisionError):
        astad.gradient(lambda x: inverse(x[0]), np.array([0.0, 1.0]))
    large = np.frompyfunc(lambda n: n**40, 1, 1)
    assert astad.gradient(lambda x, n: float(large(n)) * x, 1.0, np.int64(7))[0] == 7.0**40
