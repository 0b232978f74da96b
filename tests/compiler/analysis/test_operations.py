"""What operations of the language give, and where none is possible."""

import numpy as np
import pytest

import astad


@pytest.mark.parametrize(
    "args", [(2.0, np.float64(3.0)), (2.0, 3.0), (np.float64(2.0), 1), (2.0, 1)]
)
def test_a_shift_of_floats_raises_what_python_raises(args):
    """It ended in an AssertionError of the compiler's."""

    def shifted(x, n):
        return (x * 1.0) << n

    with pytest.raises(TypeError) as plain:
        shifted(*args)
    with pytest.raises(TypeError) as caught:
        astad.gradient(shifted, *args)
    assert str(caught.value) == str(plain.value)


def test_shifts_of_ints():
    def f(x, n):
        return x * (1 << n) + x * ((n + 5) >> 1)

    assert astad.gradient(f, 2.0, 3) == (12.0, 0)


def test_a_function_of_reals_with_a_complex_result():
    """Its factor was taken as real: the gradient was that of the conjugate."""
    special = pytest.importorskip("scipy.special")

    def height(x):
        return np.imag(special.wofz(x)) + np.real(special.hankel1(1.5, x))

    for x in (0.7, np.float64(0.7)):
        slope = astad.gradient(height, x)[0]
        h = 1e-5
        assert slope == pytest.approx((height(x + h) - height(x - h)) / (2 * h), rel=1e-8)
    x = np.array([0.4, 1.3])
    slopes = astad.gradient(lambda x: np.sum(height(x)), x)[0]
    np.testing.assert_allclose(slopes, [astad.gradient(height, v)[0] for v in x], rtol=1e-14)


def test_builtins_that_are_asked_about_nothing():
    def grown(x):
        done = bool()
        while not done:
            x = x * 1.5
            done = x > 5.0
        return x * x

    def guarded(x):
        try:
            n = len()
        except TypeError:
            n = 3
        return x**n

    assert astad.gradient(grown, 1.3) == (pytest.approx(2 * 1.3 * 1.5**8),)
    assert astad.gradient(guarded, 1.3) == (pytest.approx(3 * 1.3**2),)
