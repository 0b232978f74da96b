"""Arrays in the memory of files: written in one place, read again in another."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported


def save(path, v, shape=(2,)):
    numbers = np.memmap(path, dtype=float, mode="w+", shape=shape)
    numbers[:] = v
    numbers.flush()


def load(path):
    return np.memmap(path, dtype=float, mode="r", shape=(2,))


def in_one_function(path, x):
    numbers = np.memmap(path, dtype=float, mode="w+", shape=(2,))
    numbers[0] = x * x
    numbers.flush()
    del numbers
    return float(np.memmap(path, dtype=float, mode="r", shape=(2,))[0])


def by_two_functions(path, x):
    save(path, x * x)
    return load(path)[1]


def by_fromfile(path, x):
    save(path, x * x)
    return np.fromfile(path)[0]


def as_npy(path, x):
    numbers = np.lib.format.open_memmap(path, mode="w+", dtype=float, shape=(2,))
    numbers[:] = x * x
    numbers.flush()
    return np.load(path, mmap_mode="r")[0]


def by_out(path, x):
    numbers = np.memmap(path, dtype=float, mode="w+", shape=(2,))
    np.multiply(np.ones(2), x * x, out=numbers)
    return load(path)[0]


def scaled_in_place(path, x):
    save(path, x * x)
    numbers = np.memmap(path, dtype=float, mode="r+", shape=(2,))
    numbers *= 2.0
    numbers.flush()
    return load(path)[0] / 2


def by_tofile(path, x):
    np.array([x * x, 1.0]).tofile(path)
    return load(path)[0]


READ_AGAIN = [
    in_one_function, by_two_functions, by_fromfile, as_npy, by_out, scaled_in_place, by_tofile,
]  # fmt: skip


@pytest.mark.parametrize("f", READ_AGAIN, ids=lambda f: f.__name__)
def test_a_number_that_is_read_again_from_the_file_is_refused(tmp_path, f):
    path = str(tmp_path / "numbers.npy")
    assert f(path, 3.0) == 9.0
    with pytest.raises(Unsupported, match="read out of the text or the bytes"):
        gradient(lambda x: f(path, x), 3.0)


def test_the_array_itself_and_files_of_constants_have_derivatives(tmp_path):
    path, other = str(tmp_path / "a"), str(tmp_path / "b")
    save(other, [2.0, 5.0])

    def f(x):
        numbers = np.memmap(path, dtype=float, mode="w+", shape=(2,))
        numbers[0] = x * x
        constants = np.memmap(other, dtype=float, mode="r", shape=(2,))
        return numbers[0] * constants[1] + np.fromfile(other)[0] * x

    assert f(3.0) == 51.0
    assert gradient(f, 3.0) == (32.0,)


def test_a_number_that_is_written_to_a_file_and_not_read(tmp_path):
    path = str(tmp_path / "a")

    def f(x):
        y = x * x
        save(path, y)
        return y

    assert gradient(f, 3.0) == (6.0,)
