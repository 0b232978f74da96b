"""Compiled code that fills a buffer with what was in it before."""

import ctypes
import io
import sys

import numpy as np
import pytest
from numpy.linalg import _umath_linalg

import astad
from astad.errors import AstadError

blas = pytest.importorskip("scipy.linalg.blas")
kernels = pytest.importorskip("scipy.sparse._sparsetools")

MESSAGE = "a call that may write into its argument"
X = np.array([3.0, 5.0, 7.0])
DOUBLES = np.ctypeslib.ndpointer(np.float64)

copy = None
if sys.platform != "win32":
    copy = ctypes.CDLL(None).memcpy
    copy.argtypes = [DOUBLES, DOUBLES, ctypes.c_size_t]
    copy.restype = None


def product(m, x, out):
    """By a kernel of SciPy's: ``out += m @ x``."""
    kernels.bsr_matvec(3, 3, 1, 1, np.arange(4, dtype=np.int32), *m, x, out)


DIAGONAL = np.arange(3, dtype=np.int32), np.array([2.0, 3.0, 4.0])


class Layer:
    """Keeps the buffer that it fills."""

    def __init__(self, start):
        self.out = np.array(start)

    def __call__(self, x):
        copy(self.out, x, x.nbytes)
        return np.sum(self.out * x)


def filled_by_attribute(x, layer=None):
    return (layer or Layer(X))(x)


def filled_twice_in_a_loop(x):
    out, total = X.copy(), 0.0
    for _ in range(2):
        copy(out, x, x.nbytes)
        total += np.sum(out * out)
    return total


def filled_behind_pointers(x):
    out = X.copy()
    pointer = ctypes.POINTER(ctypes.c_double)
    ctypes.memmove(out.ctypes.data_as(pointer), x.ctypes.data_as(pointer), x.nbytes)
    return np.sum(out * out)


def filled_in_a_list(x):
    buffers = {"out": [X.copy()]}
    copy(buffers["out"][0], x, x.nbytes)
    return buffers["out"][0] @ x


def filled_with_zeros(x):
    out = np.zeros(3)
    product(DIAGONAL, x - X, out)
    return np.sum(out)


def read_into(x):
    out = X.copy()
    io.BytesIO(X.tobytes()).readinto(out)
    return np.sum(out * x)


def given_back(x):
    out = np.array(np.linalg.det(np.diag(X)))
    _umath_linalg.det(np.diag(x), out=out)
    return out * 2.0


def overwritten_argument(x):
    y = x * 1.0
    copy(y, X, y.nbytes)
    return np.sum(y * y)


PROGRAMS = [
    filled_by_attribute, filled_twice_in_a_loop, filled_behind_pointers, filled_in_a_list,
    filled_with_zeros, given_back, overwritten_argument,
]  # fmt: skip


@pytest.mark.skipif(copy is None, reason="there is no C library to be opened by no name")
@pytest.mark.parametrize("f", PROGRAMS)
def test_a_buffer_that_has_the_same_contents_as_before_is_refused(f):
    f(X)
    with pytest.raises(AstadError, match=MESSAGE):
        astad.gradient(f, X.copy())
    with pytest.raises(AstadError, match="a call that"):
        astad.gradient(f, X + 1.0)


@pytest.mark.skipif(copy is None, reason="there is no C library to be opened by no name")
def test_a_layer_called_a_second_time():
    layer = Layer(np.zeros(3))
    assert layer(X) == layer(X) == 83.0
    with pytest.raises(AstadError, match=MESSAGE):
        astad.gradient(lambda x: layer(x), X)
    with pytest.raises(AstadError, match=MESSAGE):
        astad.gradient(lambda x, held: held(x), X, layer)


@pytest.mark.skipif(copy is None, reason="there is no C library to be opened by no name")
def test_a_buffer_of_which_the_derivative_is_not_asked_for():
    out = X.copy()

    def f(x):
        copy(out, X, out.nbytes)  # constants
        return np.sum(out * x)

    (bar,) = astad.gradient(f, X * 2.0)
    np.testing.assert_array_equal(bar, X)


@pytest.mark.skipif(copy is None, reason="there is no C library to be opened by no name")
def test_a_kernel_that_fills_an_array_of_counts_has_read_the_others():
    label = ctypes.CDLL(None).memcpy
    label.argtypes = [np.ctypeslib.ndpointer(), DOUBLES, ctypes.c_size_t]

    def labelled(x):
        labels = np.zeros(3, np.int64)
        label(labels, x, x.nbytes)
        return np.sum(x * x) * np.count_nonzero(labels)

    (bar,) = astad.gradient(labelled, X.copy())
    np.testing.assert_array_equal(bar, 6.0 * X)


def test_what_is_read_from_a_file_is_a_constant():
    (bar,) = astad.gradient(read_into, X.copy())
    np.testing.assert_array_equal(bar, X)


@pytest.mark.skipif(copy is None, reason="there is no C library to be opened by no name")
def test_a_rule_says_that_a_function_reads_only():
    @astad.nondifferentiable
    def check(x):
        copy(x, x, 0)

    def f(x):
        check(x)
        return np.sum(x * x)

    (bar,) = astad.gradient(f, X)
    np.testing.assert_array_equal(bar, 2.0 * X)


def test_compiled_code_that_only_reads():
    def nearest(x, w):
        k = blas.idamax(x)
        return x[k] * w[k]

    x_bar, w_bar = astad.gradient(nearest, X, X + 1.0)
    np.testing.assert_array_equal(x_bar, [0.0, 0.0, 8.0])
    np.testing.assert_array_equal(w_bar, [0.0, 0.0, 7.0])

    def listed(x):
        sink = io.BytesIO()
        sink.write(x)
        return np.sum(x * x) * len(sink.getvalue())

    (bar,) = astad.gradient(listed, X)
    np.testing.assert_array_equal(bar, 48.0 * X)


def test_what_was_written_is_refused_only_where_it_is_asked_for():
    def ignored(x):
        y, out = np.sum(x * x), np.zeros(3)
        blas.dcopy(x, out)
        return y + 0.0 * len(out)

    (bar,) = astad.gradient(ignored, X)
    np.testing.assert_array_equal(bar, 2.0 * X)

    def of_constants(x):
        out = np.zeros(3)
        blas.dcopy(np.arange(3.0), out)
        return np.sum(x * out)

    (bar,) = astad.gradient(of_constants, X)
    np.testing.assert_array_equal(bar, np.arange(3.0))

    def asked(x):
        out = np.zeros(3)
        blas.dcopy(x, out)
        return np.sum(x * out)

    with pytest.raises(
        AstadError, match=r"^test_filled_buffers.py:\d+: .*writes into its argument"
    ):
        astad.gradient(asked, X)

    def overwritten(x):
        out = np.zeros(3)
        blas.dcopy(np.ones(3), out)
        out[:] = x * 2.0
        return np.sum(x * out)

    (bar,) = astad.gradient(overwritten, X)
    np.testing.assert_array_equal(bar, 4.0 * X)

    def before(x):
        out = x * 3.0
        y = np.sum(out * x)
        blas.dcopy(np.ones(3), out)
        return y

    (bar,) = astad.gradient(before, X)
    np.testing.assert_array_equal(bar, 6.0 * X)
