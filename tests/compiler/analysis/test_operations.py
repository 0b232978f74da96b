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
