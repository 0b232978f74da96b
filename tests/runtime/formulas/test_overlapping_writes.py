"""Writes of what shares memory with their target; the wanted values are those of NumPy, by
differences."""

import numpy as np
import pytest

import astad
from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

WEIGHTS = np.linspace(0.3, 2.1, 12)
KEEP = np.array([1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1], bool)


def every_other(x, grid):
    x[::2] = x[:6]


def every_third_of_a_shifted_part(x, grid):
    x[::3] = x[1:5]


def every_other_backwards(x, grid):
    x[::-2] = x[6:]


def column_from_a_run(x, grid):
    grid[:, 0] = grid.ravel()[1:4]


def real_part_from_a_run(x, grid):
    x.real[::2] = x[:6]


def rows_swapped_by_a_list(x, grid):
    grid[:2] = [grid[1], grid[0]]


def rows_rotated_by_a_tuple(x, grid):
    grid[:] = tuple(grid[k] for k in (1, 2, 0))


def columns_swapped(x, grid):
    grid.T[:2] = [grid[:, 1], grid[:, 0]]


def numbers_and_parts_in_a_list(x, grid):
    x[:3] = [x[2, ...], 2.0 * x[1], x[0, ...]]


def where_a_mask_is_true(x, grid):
    x[1:][KEEP[1:]] = x[:8]


def where_a_mask_of_a_grid_is_true(x, grid):
    grid[KEEP.reshape(3, 4)] = x[1:10]


def shifted_through_flat(x, grid):
    x.flat[1:] = x[:-1]


def reversed_through_flat(x, grid):
    grid.flat = x[::-1]


def reversed_through_flat_of_one_axis(x, grid):
    x.flat = x[::-1]


def transposed_through_flat(x, grid):
    grid.flat = grid.T


def copied(x, grid):
    np.copyto(x[::2], x[:6])


def copied_where(x, grid):
    np.copyto(x[::2], x[:6], where=KEEP[6:])


def diagonal_from_a_run(x, grid):
    np.fill_diagonal(grid, x[1:4])


def placed(x, grid):
    np.place(x, KEEP, x[2:8])


def field_set(x, grid):
    x[::2].setfield(x[:6], float)


def rotated_into_itself(x, grid):
    np.concatenate([grid[1:], grid[:1]], out=grid)


def stacked_into_itself(x, grid):
    np.stack([x[3:6], x[:3]], out=grid[:2, :3])


def stacked_by_columns(x, grid):
    np.stack(arrays=(x[:4], x[4:8], x[8:]), axis=1, out=x.reshape(4, 3))


LATE = [
    every_other, every_third_of_a_shifted_part, column_from_a_run, real_part_from_a_run,
    rows_swapped_by_a_list, rows_rotated_by_a_tuple, columns_swapped, numbers_and_parts_in_a_list,
    where_a_mask_is_true, where_a_mask_of_a_grid_is_true, shifted_through_flat,
    reversed_through_flat, transposed_through_flat, copied, copied_where, diagonal_from_a_run,
    placed, field_set, rotated_into_itself, stacked_into_itself, stacked_by_columns,
]  # fmt: skip
"""NumPy reads what it has written."""


def shifted(x, grid):
    x[1:] = x[:-1]


def reversed_whole(x, grid):
    x[::-1] = x


def row_from_a_column(x, grid):
    grid[1, :3] = grid[:, 1]


def rows_turned(x, grid):
    grid[:] = grid[::-1]


def rows_by_numbers(x, grid):
    grid[[0, 1]] = [grid[1], grid[0]]


def put(x, grid):
    np.put(x, [3, 1, 2], x[:3])


def masked(x, grid):
    np.putmask(x, KEEP, x[::-1])


def ring(x, grid):
    np.concatenate([x[1:], np.ones(1)], out=x)


@pytest.mark.parametrize(
    "write",
    [
        *LATE, every_other_backwards, reversed_through_flat_of_one_axis, shifted, reversed_whole,
        row_from_a_column, rows_turned, rows_by_numbers, put, masked, ring,
    ],
)  # fmt: skip
def test_what_numpy_wrote_has_its_derivative(write):
    def total(x):
        y = x * x
        write(y, y.reshape(3, 4))
        return np.sum(y * y * WEIGHTS)

    check_gradient(total, np.linspace(0.7, 1.9, 12))


@pytest.mark.parametrize("write", LATE)
def test_it_is_not_what_a_copy_would_have_given(write):
    """The programs above are of the class: NumPy's value is not that of a copy first."""
    x = np.linspace(0.7, 1.9, 12)
    first = x.copy()
    for number in range(12):  # the plain write, of each element in turn as a one
        unit = np.eye(12)[number]
        write(unit, unit.reshape(3, 4))
        first[number] = np.sum(unit * WEIGHTS)
    np.testing.assert_allclose(gradient(_linear, write, x)[1], first - _constants(write))


def _linear(write, x):
    y = x * 1.0
    write(y, y.reshape(3, 4))
    return np.sum(y * WEIGHTS)


def _constants(write):
    return _linear(write, np.zeros(12))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, complex, ">f8", object])
def test_every_other_element_of_a_long_array(dtype):
    """More elements than a float16 counts exactly."""

    def total(x):
        y = x.astype(dtype)
        y[::2] = y[:3000]
        return np.sum(y.astype(complex).real * weights)

    weights = np.arange(6000.0)
    want = np.zeros(6000)
    for place, weight in enumerate(weights):  # an even place holds what half of it held
        while place % 2 == 0 and place > 0:
            place //= 2
        want[place] += weight
    [found] = gradient(total, np.ones(6000))
    np.testing.assert_allclose(found, want, rtol=1e-3 if dtype is np.float16 else 1e-6)


def test_imaginary_parts_from_real_ones():
    def total(x):
        z = x * (1.0 + 0.5j)
        z.imag[::2] = z.real[:6]
        z[::3] = z.imag[1:5]
        return np.sum(z.real * WEIGHTS) + np.sum(z.imag**2)

    check_gradient(total, np.linspace(0.7, 1.9, 12))


def spread_in_rounds(x, rounds):
    y = x * x
    for k in range(rounds):
        y[k::2] = y[k : k + len(y[k::2])]
        y[:2] *= 1.5
    return np.sum(y * WEIGHTS)


def filled_and_spread(x, rounds):
    y = np.zeros(12)
    for i in range(12):
        y[i] = x[i] * x[i]
    for _ in range(rounds):
        part = y[1:5]
        y[::3] = part
    return np.sum(y * WEIGHTS)


def column_from_a_row(x, rounds):
    grid = np.zeros((4, 4))
    for k in range(4):
        grid[k, 1:] = x[3 * k : 3 * k + 3] ** 2
    for k in range(rounds):
        grid[:, k] = grid[k + 1]
        grid[k, :] = grid[k + 1, :]
        grid[0] = grid[:, 2]
    return np.sum(grid[:3].ravel() * WEIGHTS)


def rows_swapped_in_rounds(x, rounds):
    grid = np.zeros((3, 4))
    grid[0], grid[1], grid[2] = x[:4], x[4:8] ** 2, x[8:]
    for _ in range(rounds):
        grid[:2] = [grid[1], grid[0]]
        grid[1:] *= 1.5
    return np.sum(grid.ravel() * WEIGHTS)


class Belt:
    def __init__(self, x):
        self.cells = x * x

    def step(self):
        self.cells.flat[1:] = self.cells[:-1]
        self.cells[::2] = self.cells[3:9]


def belt_of_an_object(x, rounds):
    belt = Belt(x)
    for _ in range(rounds):
        belt.step()
    return np.sum(belt.cells * WEIGHTS)


@pytest.mark.parametrize(
    "program",
    [
        spread_in_rounds, filled_and_spread, column_from_a_row, rows_swapped_in_rounds,
        belt_of_an_object,
    ],
)  # fmt: skip
def test_local_arrays_in_loops(program):
    x = np.linspace(0.7, 1.9, 12)
    check_gradient(lambda x: program(x, 3), x)
    with astad.verified():
        gradient(program, x, 3)


def test_complex_rows_and_their_real_parts_in_one_list_are_refused():
    def total(x):
        z = x.reshape(3, 4) * (1.0 + 0.5j)
        z[:2] = [z[1].real, z[0]]
        return np.sum(z.real)

    with pytest.raises(Unsupported, match="parts of an array as numbers of several kinds"):
        gradient(total, np.linspace(0.7, 1.9, 12))
