"""Arrays of ints as subscripts: places named twice, axes mixed with slices, numbers and None."""

import numpy as np
import pytest

from astad import gradient, pullback, value_and_grad

rng = np.random.default_rng(5)
A = rng.uniform(0.5, 1.5, (4, 3))
T = rng.uniform(0.5, 1.5, (4, 3, 2))
V = rng.uniform(0.5, 1.5, 5)
ROWS = np.array([0, 1, 1, 3, 1])
COLUMNS = np.array([2, 0, 0, 1, -3])
TABLE = np.array([[0, 1], [1, 1], [2, 0]])


def gathered(a, rows):
    return np.sum(np.sin(a[rows]))


def paired(a, rows, columns):
    return np.sum(np.sin(a[rows, columns])) + np.mean(a[rows, columns] * 2.0)


def after_slice(a, table):
    b = a * 2.0
    return np.sum(np.sin(b[:, table]) * 3.0)


def mixed(t, rows, columns):
    return np.sum(t[rows, :, None, 1] ** 2) + np.sum(np.sin(t[0, columns]))


def looped(v, rows, n):
    s = v
    for _ in range(n):
        s = s + np.sin(v[rows]) * v[0]
    return np.sum(s * s)


CASES = [
    (gathered, A, ROWS), (gathered, V, TABLE), (gathered, A, TABLE), (gathered, A, ROWS[:0]),
    (paired, A, ROWS, COLUMNS), (after_slice, A, TABLE), (mixed, T, ROWS, COLUMNS),
    (looped, V, ROWS, 3), (looped, V, ROWS, 0),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_every_form_agrees(forms_agree, case):
    fn, *args = case
    floats = [each for each in args if isinstance(each, np.ndarray) and each.dtype.kind == "f"]
    rest = args[1:]
    forms_agree(lambda a: fn(a, *rest), *floats)
    y, back = pullback(fn, *args)
    value, found = value_and_grad(fn)(*args)
    assert value == y
    np.testing.assert_allclose(found, back(1.0)[0], rtol=1e-12)
    assert str(gradient(fn, *args)[1:]) == str(back(1.0)[1:])


def test_an_index_outside_is_the_error_of_numpy():
    for rows in (np.array([0, 9]), np.array([[5]])):
        with pytest.raises(IndexError, match="out of bounds"):
            gradient(gathered, A, rows)


@pytest.mark.parametrize("kind", [np.int32, np.uint8, bool, float])
def test_other_kinds_of_index_are_as_before(kind):
    index = np.array([1, 0, 1, 1]).astype(kind)
    if kind is float:
        with pytest.raises(IndexError):
            gradient(gathered, A, index)
        return
    np.testing.assert_allclose(gradient(gathered, A, index)[0], reference(index))


def reference(index):
    found = np.zeros_like(A)
    np.add.at(found, index, np.cos(A[index]))
    return found


def test_an_index_that_counts_too(forms_agree):
    def f(a, rows):
        return np.sum(a[rows]) + np.sum(rows * 0.5)

    found = gradient(f, A, ROWS)
    np.testing.assert_allclose(found[0].sum(), 15.0)
    np.testing.assert_allclose(found[1], np.full(5, 0.5))


def test_an_index_written_before_the_pullback_runs():
    rows = ROWS.copy()
    y, back = pullback(gathered, A, rows)
    rows[:] = 0
    np.testing.assert_allclose(back(1.0)[0], reference(ROWS))


def test_a_write_through_an_index_that_names_a_place_twice(forms_agree):
    def f(x, y):
        z = np.zeros(4)
        z[np.array([1, 1])] = np.array([x, y])
        z[np.array([2, 3])] += x * y
        return np.sum(z * z)

    forms_agree(f, 1.5, 2.5)
