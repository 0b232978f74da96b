"""Arrays changed in place: indices of every kind, methods, functions that place and copy."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient
from tests.conformance.programs import Programs, conforms_in_both_forms

PROGRAMS = Programs()


def vector(n=5):
    return np.array([1.3, -0.4, 2.2, 0.7, -1.6, 0.9, 3.1])[:n]


def matrix(n=3, m=4):
    return np.cos(np.arange(1.0, n * m + 1)).reshape(n, m) + 2.0


@PROGRAMS.at(vector(), 0.5)
def elements_and_slices_written(a, v):
    a[0] = a[1] * v
    a[1:3] = v
    a[-2:] = a[:2] * a[3]
    a[::2] *= v
    a[...] += a[0]
    return np.sum(a * a)


@PROGRAMS.at(matrix())
def rows_columns_and_corners(a):
    a[0] = a[1] * a[2]
    a[:, 1] = a[:, 0] ** 2
    a[1:, 2:] *= a[0, 0]
    a[-1, ::-2] = a[0, :2]
    a[2, 3] -= a[0, 1]
    return np.sum(a * np.arange(12.0).reshape(3, 4))


@PROGRAMS.at(matrix(), vector(4))
def rows_broadcast_into_blocks(a, row):
    a[:] = row * a[0, 0]
    a[1:] = a[0] + row
    a[:, None, 1] = row[2]
    a[:, [0, 2]] = a[:, :1]
    return np.sum(a * a)


@PROGRAMS.at(vector(), np.array([0.5, 0.25, 0.125]))
def repeated_indices_last_one_wins(a, v):
    i = np.array([1, 3, 1])
    a[i] = v
    a[[0, 0, 2]] = a[i] * 2
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(vector())
def repeated_indices_augmented_count_once(a):
    i = [0, 0, 2]
    a[i] += a[1:4]
    a[i] *= 2.0
    return np.sum(a**2)


@PROGRAMS.at(vector())
def masks_written_read_and_reused(a):
    low = a < 0
    a[low] = a[~low][: np.count_nonzero(low)] * 2
    a[low] *= a[0]
    low[0] = True
    a[low] -= 1.0
    return np.sum(a[low] ** 2) + np.prod(a)


@PROGRAMS.at(matrix(), vector(3))
def masks_of_rows_and_of_elements(a, v):
    rows = np.array([True, False, True])
    a[rows] = a[1]
    a[rows, 1] = v[:2]
    a[a > 2.5] = v[2]
    a[rows, :2] **= 2
    return np.sum(a * np.arange(12.0).reshape(3, 4))


@PROGRAMS.at(matrix())
def tuples_of_index_arrays(a):
    i, j = np.array([0, 1, 2]), np.array([3, 0, 1])
    a[i, j] = a[j[:, None] // 2, i].sum(axis=0)
    a[np.ix_([0, 2], [1, 3])] += a[1, 0]
    a[..., 2] = a[i, j]
    return np.sum(a**2)


@PROGRAMS.at(vector())
def an_index_array_that_changes_afterwards(a):
    i = np.array([0, 1])
    a[i] = a[i + 2] * 2
    i[:] = 4
    a[i] = a[0]
    i += -1
    return np.sum(a * a) + a[i[0]]


@PROGRAMS.at(vector(), 0.5)
def fill_then_write_then_fill(a, v):
    y = a[0] * a[1]
    a.fill(v)
    a[2] = y
    z = np.sum(a)
    a[1:3].fill(z * v)
    return np.sum(a) + y


@PROGRAMS.at(vector())
def sorted_in_place_then_used(a):
    first = a[0]
    a.sort()
    a[0] *= first
    a[::-1].sort()
    return np.sum(a * np.arange(5.0) ** 2)


@PROGRAMS.at(matrix())
def sorted_along_axes(a):
    a.sort(axis=0)
    a[1].sort()
    a[:, 2].sort(kind="stable")
    b = a.copy()
    b.sort(axis=None) if False else b.T.sort()
    return np.sum(a * b * np.arange(12.0).reshape(3, 4))


@PROGRAMS.at(vector(7))
def partitioned_in_place(a):
    a.partition(3)
    middle = a[3]
    a[:3].sort()
    a[4:].partition(1)
    return middle * a[0] + a[5] ** 2 + a[2]


@PROGRAMS.at(vector(), 0.5, np.array([2.0, 3.0]))
def put_and_its_kin(a, v, w):
    np.put(a, [0, 2], w)
    a.put([1, 3], [v, v * w[0]])
    np.put(a, [6, -1], v * v, mode="wrap")
    np.put(a, [9], w[1] ** 2, mode="clip")
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(vector(), np.array([2.0, 3.0]))
def placed_and_masked(a, w):
    np.place(a, a < 0, w)
    np.putmask(a, a > 2.5, a * w[0])
    np.place(a, [False, False, True, True, True], w[:1])
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(matrix(), np.array([[0.5], [0.25], [0.125]]))
def put_along_an_axis(a, v):
    i = np.argmax(a, axis=1)[:, None]
    np.put_along_axis(a, i, v, axis=1)
    np.put_along_axis(a, np.array([[0, 1, 0, 2]]), a[1, 1] * 2, 0)
    return np.sum(a**2 * np.arange(12.0).reshape(3, 4))


@PROGRAMS.at(matrix(4, 3), np.array([0.5, 0.25, 0.125]))
def diagonals_filled(a, v):
    np.fill_diagonal(a, v)
    b = a[:3] * 2
    np.fill_diagonal(b, a[3, 0])
    np.fill_diagonal(b.T[1:], [b[0, 0], v[0] * v[1]])
    np.fill_diagonal(a, v[1], wrap=True)
    return np.sum(a * a) + np.sum(b**3)


@PROGRAMS.at(vector(), vector()[::-1].copy())
def copied_with_and_without_where(a, b):
    np.copyto(a[1:], b[:-1])
    np.copyto(b, a * 2, where=a > 0)
    np.copyto(a, b[0], where=[True, False, False, True, False])
    np.copyto(dst=b, src=a, casting="no")
    return np.sum(a * b) + b[1] ** 2


@PROGRAMS.at(matrix(), vector(4))
def copied_by_broadcast_with_a_mask(a, row):
    np.copyto(a, row, where=np.array([[True], [False], [True]]))
    np.copyto(a.T, a[0, 0], where=row[:, None] > 1)
    return np.sum(a * a)


@PROGRAMS.at(vector())
def flat_iterator_written(a):
    b = np.outer(a[:2], a[2:])
    b.flat[3] = a[0] * a[1]
    b.flat[[0, 2]] = b[1, 1]
    b.flat[4:] = a[:2]
    y = sum(t * t for t in b.flat)
    b.T.flat = a[0]
    return y + np.sum(b)


@PROGRAMS.at(matrix())
def element_loops_by_ndindex_and_ndenumerate(a):
    total = 0.0
    for i, j in np.ndindex(a.shape):
        a[i, j] = a[i, j] * a[i - 1, j] / 4
    for (i, j), v in np.ndenumerate(a):
        total += v * (i + 2 * j)
        a[i, j] = total
    return total + np.sum(a)


@PROGRAMS.at(matrix())
def rows_written_while_walked(a):
    for k, row in enumerate(a):
        row *= k + 1
        row[k] = a[0, 0]
        a[-1] += row
    for row in a.T:
        row[0] = row[1] * row[2]
    return np.sum(a**2)


@PROGRAMS.at(vector())
def shifted_onto_itself(a):
    a[1:] = a[:-1]
    a[0] *= 2
    a[:-1] += a[1:]
    a[:] = a[::-1]
    a[2:] -= a[:-2]
    return np.sum(a * np.arange(1.0, 6.0))


@PROGRAMS.at(matrix(3, 3))
def transposed_onto_itself(a):
    a += a.T
    a[:] = a.T[::-1]
    a *= a.T
    a -= a[0]
    a[0] += a[:, 0]
    return np.sum(a * np.arange(9.0).reshape(3, 3))


@PROGRAMS.at(vector())
def every_operator_in_place(a):
    b = a
    b += 1.5
    b -= a[0] / 2
    b *= a[::-1]
    b /= 1 + a**2
    b **= 2
    b[1:] %= 0.3
    b[:2] //= 1e9
    b += a
    b[0] = 2.0
    b @= np.diag([1.0, 2.0, 3.0, 4.0, 5.0])
    return np.sum(b) + a[3] ** 2


@PROGRAMS.at(vector())
def operators_in_place_with_itself(a):
    b = a[1:3]
    y = np.sum(a**2)
    a *= a
    b /= b[0]
    a -= a
    a += b[1] * y
    return np.sum(a) + y


@PROGRAMS.at(matrix(), 0.3)
def matrix_product_in_place(a, v):
    b = a[:, :3] * v
    b @= b
    a[:, 1:] @= b
    return np.sum(a)


@PROGRAMS.at(vector(3), 2.0)
def zero_dimensional_array_as_a_cell(a, v):
    cell = np.array(0.0)
    cell[()] = v
    cell += a[0]
    cell[...] = cell * a[1]
    cell *= v
    held = cell
    cell -= 1
    return held[()] * a[2] + cell.item()


@PROGRAMS.at(vector())
def integer_array_takes_floors(a):
    counts = np.zeros(3, int)
    counts[0] = 2.7
    counts[1:] += 3
    counts[counts > 2] = 5
    a[counts[0]] *= counts[1]
    return np.sum(a * a)


@PROGRAMS.at(vector(), 1.5)
def floats_stored_in_narrow_arrays_scale(a, v):
    b = np.zeros(4, np.complex128)
    b[:2] = a[:2] + 1j * a[2]
    b[2] = v
    b.imag[3] = v * a[0]
    b.real[1:] *= a[1]
    b[0] = b[0].conjugate() * b[3]
    return np.sum(np.abs(b) ** 2)


@PROGRAMS.at(vector())
def a_residual_overwritten_later(a):
    b = np.sin(a)
    c = a * b
    d = np.exp(b)
    a[:] = 0.0
    b[1:] = 5.0
    d *= c
    c.fill(2.0)
    return np.sum(d) + np.sum(b * c)


@PROGRAMS.at(vector())
def matrix_reused_and_changed_between(a):
    m = np.outer(a, a)
    v = a
    for k in range(3):
        v = m @ v / 10
        m[k] += v
        m[:, k] *= 0.5
    return np.sum(v * v)


@PROGRAMS.at(vector(), 3)
def time_stepping_in_two_buffers(a, steps):
    old, new = a.copy(), np.empty_like(a)
    for _ in range(steps):
        new[1:-1] = 0.25 * old[:-2] + 0.5 * old[1:-1] + 0.25 * old[2:]
        new[0], new[-1] = old[0] * 2, old[-1] ** 2
        old, new = new, old
    return np.sum(old * new)


@PROGRAMS.at(matrix(4, 4))
def gauss_elimination_with_row_swaps(a):
    n = len(a)
    det = 1.0
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
            det = -det
        det = det * a[k, k]
        a[k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k])
    return det


@PROGRAMS.at(vector(4))
def rows_swapped_by_tuple_are_views(a):
    m = np.outer(a, a + 1)
    m[0], m[1] = m[1], m[0]
    m[2], m[3] = m[3].copy(), m[2].copy()
    a[0], a[1] = a[1], a[0]
    return np.sum(m * np.arange(16.0).reshape(4, 4)) + a[0]


@PROGRAMS.at(matrix())
def written_through_every_method_of_viewing(a):
    a.T[0] *= 2
    a.reshape(2, 6)[1, 3:] = a[0, 0]
    a.ravel()[5] += a[1, 1]
    a.swapaxes(0, 1)[1, 2] = a[0, 3] ** 2
    a[None, :, :, None][0, 2, 1, 0] = a[2, 2]
    np.squeeze(a[:, :1])[1] *= 3
    np.moveaxis(a, 0, 1)[3] -= a[1, 0]
    np.expand_dims(a, 0)[0, 0, 0] = a[2, 0]
    np.atleast_3d(a)[1, 1, 0] = a[2, 1] * 2
    np.diagonal(a)
    np.flip(a, 1)[0, 0] = a[1, 2]
    np.rot90(a)[0, 1] *= a[0, 0]
    next(iter(np.split(a, 3)))[0, 2] = 7 * a[1, 3]
    np.broadcast_to(a, (2, 3, 4))
    a.view()[2, 3] = a[2, 2] * a[0, 1]
    np.asarray(a)[0, 1] += 1
    return np.sum(a**2)


@PROGRAMS.at(matrix())
def copies_are_not_written_through(a):
    a.flatten()[0] = 100.0
    a.T.ravel()[1] = 100.0
    a.T.reshape(-1)[2] = 100.0
    a[[0, 1]][0, 0] = 100.0
    a[a > 0][3] = 100.0
    np.array(a)[1] = 100.0
    a.astype(float)[2] = 100.0
    np.ascontiguousarray(a.T)[0] = 100.0
    np.concatenate([a, a])[0] = 100.0
    (+a)[0] = 100.0
    a.copy().fill(0.0)
    return np.sum(a**3)


@PROGRAMS.at(matrix())
def reshape_that_is_a_copy_or_a_view(a):
    total = 0.0
    for b in (a, a.T, a[:, ::2], np.asfortranarray(a)):
        flat = b.reshape(-1)
        flat[1] = flat[0] * 3
        total = total + np.sum(flat * flat) + b.sum()
    return total


@PROGRAMS.at(vector())
def shape_of_a_mask_set_by_attribute(a):
    low = a[:4] < 0
    y = np.sum(a[:4][low] ** 2)
    low.shape = (2, 2)
    low[0, 0] = True
    a.shape = (5,)
    return y + np.sum(np.where(low, np.outer(a[:2], a[:2]), 1.0))


@PROGRAMS.at(vector())
def item_methods(a):
    a.itemset(0, 2.0) if hasattr(a, "itemset") else a.__setitem__(0, 2.0)
    a.__setitem__(slice(1, 3), a.__getitem__(3))
    return a.item(1) * a.item(4) + np.sum(a)


@PROGRAMS.at(vector(), 2.0)
def lists_assigned_into_arrays(a, v):
    a[:3] = [v, v * a[3], a[4]]
    a[[0, 1]] = (a[2], v)
    b = np.zeros((2, 2))
    b[:] = [[a[0], v], [1.0, a[1]]]
    b[0] = 3, v
    return np.sum(a * a) + np.sum(b**2)


@PROGRAMS.at(vector(), 2.0)
def arrays_of_objects_carried_but_not_differentiated(a, v):
    names = np.array(["x", "long", None], dtype=object)
    names[0] = "other"
    names[1:] = ["k", "m"]
    return a[len(names[0]) - 1] * v + a[len(names)]


@PROGRAMS.at(np.zeros(0), np.zeros((0, 3)), 2.0)
def empty_arrays_written(a, b, v):
    a[:] = v
    a += a
    a.sort()
    b[...] = v
    b[:, 1] *= 2
    np.copyto(a, v)
    return np.sum(a) + np.sum(b) + v * v


@PROGRAMS.at(np.array([1.5, -2.0], np.float32), 0.7)
def single_precision_stays(a, v):
    b = a * np.float32(2)
    b[0] *= v
    b += a
    a[1] = b[0]
    return np.sum(a * b)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: setattr(b, "shape", (2, 2)), "an array of which .shape is assigned"),
        (lambda b: setattr(b, "dtype", np.int64), "an array of which .dtype is assigned"),
        (lambda b: b.resize(2), "an array that changes its own size"),
        (lambda b: b.setfield(1.0, np.float32), "bytes of float64 written as float32"),
        (lambda b: b.byteswap(inplace=True), "a call that writes into its argument"),
    ],
)
def test_refused(change, message):
    def f(a):
        b = a[:4] * 2
        b[0] = a[1]
        change(b)
        return np.sum(b) * a[0]

    with pytest.raises(Unsupported, match=message):
        gradient(f, vector())


@pytest.mark.parametrize(("program", "args", "options"), PROGRAMS)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)


@pytest.mark.parametrize("shape", [-1, (-1,), 4, (4,), [4]])
def test_a_shape_that_is_assigned_and_is_the_same(shape):
    def f(x):
        y = x * 2
        y.shape = shape
        return np.sum(y * y)

    check_gradient(f, np.array([1.0, 2.0, 3.0, 4.0]))


def test_a_shape_that_does_not_fit():
    def f(x):
        y = x * 2
        try:
            y.shape = (3, 2)
        except ValueError:
            return np.sum(y * y)
        return 0.0

    check_gradient(f, np.array([1.0, 2.0, 3.0, 4.0]))
