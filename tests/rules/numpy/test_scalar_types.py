"""NumPy's number types called as functions."""

import numpy as np
import pytest

from astad.rules import lookup


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.longdouble, np.complex64])
def test_conversion_passes_the_cotangent(kind):
    assert lookup(kind).pull(("x",))(2.0, kind(1.5), 1.5) == (2.0,)


def test_conversion_to_integers_stops_it_unless_they_were_integers():
    pull = lookup(np.int64).pull(("x",))
    assert pull(2.0, np.int64(1), 1.5) == (0,)
    assert pull(2.0, np.int64(3), 3) == (2,)
    assert pull(np.ones(2), np.array([1, 2]), np.array([1, 2]))[0].tolist() == [1, 1]


def test_bool_has_no_slope():
    assert lookup(np.bool_).form == "zero"
