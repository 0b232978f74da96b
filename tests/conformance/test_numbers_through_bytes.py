"""A number that goes through bytes has lost its derivative: an error, and never a wrong number."""

import struct
from array import array

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported


def an_array_of_bytes(x):
    return array("d", array("d", [x, 2 * x]).tobytes())[1] * x


def an_array_of_bytes_of_numpys(x):
    return array("d", np.array([x, 2 * x]).tobytes())[1] * x


def an_array_of_what_is_packed(x):
    return array("d", struct.pack("dd", x, x * x))[1] * x


def an_array_of_a_bytearray(x):
    return array("d", bytearray(np.array([x, x * x])))[0] * x


def bytes_of_a_view(x):
    view = memoryview(np.array([x, x * x]))
    return np.frombuffer(view.tobytes())[1] * x


def bytes_of_a_view_of_pythons_array(x):
    return array("d", bytes(memoryview(array("d", [x, x * x]))))[1] * x


def unpacked_from_a_view(x):
    view = memoryview(np.array([x, x * x]))
    return struct.unpack("2d", view.tobytes())[1] * x


def from_hexadecimal_digits(x):
    digits = memoryview(np.array([x])).hex()
    return struct.unpack("d", bytes.fromhex(digits))[0] * x


def packed_into_pythons_array(x):
    a = array("d", [0.0, 2.0])
    struct.pack_into("d", a, 0, x)
    return a[0] * x


@pytest.mark.parametrize(
    "f",
    [
        an_array_of_bytes,
        an_array_of_bytes_of_numpys,
        an_array_of_what_is_packed,
        an_array_of_a_bytearray,
        bytes_of_a_view,
        bytes_of_a_view_of_pythons_array,
        unpacked_from_a_view,
        from_hexadecimal_digits,
        packed_into_pythons_array,
    ],
)
def test_it_is_refused(f):
    with pytest.raises(Unsupported):
        gradient(f, 1.37)


def test_bytes_that_hold_none_of_its_numbers():
    def f(x):
        weights = array("d", struct.pack("dd", 2.0, 3.0))
        return weights[0] * x + weights[1] * x * x

    assert gradient(f, 1.5) == (2.0 + 6.0 * 1.5,)
