"""Numbers that are cast: what goes into whole numbers moves in steps, what was whole stays."""

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import Unsupported
from astad.testing import check_gradient


def by_item(o, x):
    o[0] = x


def everywhere(o, x):
    o[...] = x


def by_list(o, x):
    o[:] = [x, 2, x * x]


def at_places(o, x):
    o[[0, 2]] = np.array([x, 2.0 * x])


def at_mask(o, x):
    o[o == 0] = x


def through_view(o, x):
    o[::-1][1:].reshape(1, 2)[0] = x


def by_flat(o, x):
    o.flat[1] = x


def by_fill(o, x):
    o.fill(x)


def by_out(o, x):
    np.multiply(np.full(3, x), 2.2, out=o, casting="unsafe")


def by_masked_out(o, x):
    np.multiply(np.full(3, x), 2.2, out=o, where=[True, False, True], casting="unsafe")


def by_copyto(o, x):
    np.copyto(o, x, casting="unsafe")


def by_put(o, x):
    np.put(o, [0, 1], x)


def by_putmask(o, x):
    np.putmask(o, [True, False, True], x)


def by_place(o, x):
    np.place(o, [True, False, True], [x])


def along_axis(o, x):
    np.put_along_axis(o, np.array([0, 2]), x, 0)


def by_sums(o, x):
    np.cumsum(np.array([x, x, x]), out=o)


WRITERS = (
    by_item, everywhere, by_list, at_places, at_mask, through_view, by_flat, by_fill, by_out,
    by_masked_out, by_copyto, by_put, by_putmask, by_place, along_axis, by_sums,
)  # fmt: skip


@pytest.mark.parametrize("dtype", [int, np.int8, np.uint16])
@pytest.mark.parametrize("write", WRITERS)
def test_float_written_among_whole_numbers(write, dtype):
    def f(x):
        o = np.zeros(3, dtype)
        write(o, x)
        return np.sum(o * x)

    def of_array(xs):
        return f(xs[0])

    o = np.zeros(3, dtype)
    write(o, 2.7)
    assert gradient(f, 2.7) == (float(o.sum()),)
    assert pullback(f, 2.7)[1](1.0) == (float(o.sum()),)
    check_gradient(of_array, np.array([2.7]))


@pytest.mark.parametrize("write", [by_item, everywhere, by_list, at_places, by_fill, by_put])
def test_float_written_among_truth_values(write):
    def f(x):
        o = np.zeros(3, bool)
        write(o, x)
        return np.sum(o * x)

    check_gradient(f, 2.7)


@pytest.mark.parametrize("write", [by_item, everywhere, by_list, by_flat, by_fill, by_put])
def test_int_written_among_whole_numbers_keeps_its_derivative(write):
    def f(n):
        o = np.zeros(3, int)
        write(o, n)
        return float(np.sum(o * o))

    def on_floats(x):
        o = np.zeros(3)
        write(o, x)
        return np.sum(o * o)

    assert gradient(f, 3) == gradient(on_floats, 3.0)


def test_ints_beside_floats():
    def f(n, x):
        o = np.zeros(2, int)
        o[:] = [n, x]
        return o[0] * o[1] * x

    assert gradient(f, 3, 2.5) == (2 * 2.5, 3 * 2)


def test_what_was_there_before_is_gone_after_a_float():
    def f(n, x):
        n = n * 1
        n[1] = x
        return np.sum(n * n) * x

    n_bar, x_bar = gradient(f, np.array([3, 4, 5]), 2.5)
    assert n_bar.tolist() == [15.0, 0.0, 25.0]
    assert x_bar == 9 + 4 + 25


CAST = {
    "sum": lambda x: np.sum(np.array([x, 2 * x]), dtype=int),
    "mean": lambda x: np.mean(np.array([x, 2 * x]), dtype=int),
    "cumsum": lambda x: np.cumsum(np.array([x, 2 * x]), dtype=int)[1],
    "reduce": lambda x: np.add.reduce(np.array([x, 2 * x]), dtype=int),
    "accumulate": lambda x: np.add.accumulate(np.array([x, 2 * x]), dtype=int)[1],
    "ufunc": lambda x: np.multiply(np.array([x]), 2.2, dtype=int, casting="unsafe")[0],
    "einsum": lambda x: np.einsum("i->", np.array([x, x]), dtype=int, casting="unsafe"),
    "joined": lambda x: np.concatenate([np.array([x])], dtype=int, casting="unsafe")[0],
    "inserted": lambda x: np.insert(np.arange(3), 1, x)[1],
    "padded": lambda x: np.pad(np.arange(3), 1, constant_values=x)[0],
    "iterated": lambda x: np.fromiter([x, x], int)[1],
    "piecewise": lambda x: np.piecewise(np.arange(3), [np.arange(3) > 0], [lambda t: t * x])[2],
}


@pytest.mark.parametrize("name", CAST)
def test_result_of_whole_numbers_from_floats(name):
    cast = CAST[name]

    def f(x):
        return cast(x) * x

    assert gradient(f, 2.7) == (float(cast(2.7)),)


def test_result_of_whole_numbers_from_ints_that_was_rounded():
    def mean(n):
        return 1.5 * np.mean(n, dtype=int)

    def root(n):
        o = np.zeros(2, int)
        np.sqrt(n, out=o, casting="unsafe")
        return 1.5 * np.sum(o)

    def plain(n):
        o = np.zeros(2, int)
        np.multiply(n, n, out=o)
        return 1.5 * np.sum(o, dtype=int)

    n = np.array([4, 10])
    assert gradient(mean, n)[0].tolist() == gradient(root, n)[0].tolist() == [0.0, 0.0]
    assert gradient(plain, n)[0].tolist() == [12.0, 30.0]


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_complex_numbers_among_real_ones():
    def written(x):
        o = np.zeros(2)
        o[...] = np.full(2, x) * (1 + 2j) ** 2
        return np.sum(o * x)

    def product(x):
        o = np.zeros(2)
        np.multiply(np.full(2, x) * 1j, x * (1 + 2j), out=o, casting="unsafe")
        return np.sum(o * x)

    def whole(x):
        o = np.zeros(2, int)
        o[...] = np.full(2, x) * (1 + 2j)
        return np.sum(o * x)

    check_gradient(written, 1.5)
    check_gradient(product, 1.5)
    check_gradient(whole, 1.5)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_formula_that_reads_a_result_without_its_imaginary_part():
    def into(x):
        o = np.zeros(2)
        np.exp(np.full(2, x) * 1j, out=o, casting="unsafe")
        return np.sum(o)

    def cast_before(x):
        z = np.full(2, x) * (1 + 1j)
        return np.sum(np.multiply(z, z, dtype=float, casting="unsafe"))

    def size(x):
        o = np.zeros(2)
        np.abs(np.full(2, x) * (3 + 4j), out=o)
        return np.sum(o)

    for f in (into, cast_before):
        with pytest.raises(Unsupported, match="cast to real numbers"):
            gradient(f, 1.5)
    check_gradient(size, 1.5)
