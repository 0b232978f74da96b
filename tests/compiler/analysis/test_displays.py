"""Which lists are written out only for np.array, and what array that makes."""

import numpy as np
import pytest

from astad import gradient
from astad.compiler.analysis.facts import find_facts
from astad.compiler.analysis.space import Space
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.lower.function import lower_function
from astad.compiler.specialise.prepare import names_of, prepare
from astad.testing import check_gradient


def kind_of_y(f, *kinds):
    space = Space(f.__globals__)
    lowered = lower_function(f)
    program = prepare(lowered, names_of(lowered), space)
    given = {
        param.name: parse_kind(kind) for param, kind in zip(program.params, kinds, strict=True)
    }
    return find_facts(program, given, list(given), space).kind_of("y").text


def of_numbers(a, b):
    y = np.array([a, 2 * b, 1])
    return y


def of_a_tuple(a, b):
    y = np.array((a, b))
    return y


def of_rows(a, b):
    y = np.array([[a, b], [0, 1]])
    return y


def ragged(a, b):
    y = np.array([[a, b], [0]])
    return y


def of_ints(a, b):
    y = np.array([1, 2])
    return a * b * y


def of_whole_rows(a, b):
    y = np.array([[[1, -1], [True, 2]], [[3, 4], [5, 6]]])
    return a * b * y


def of_truths(a, b):
    y = np.asarray([(True, False), (False, False)])
    return a * b * y


def ragged_ints(a, b):
    y = np.array([[1, 2], [3]])
    return a * b * y


def ints_as_doubles(a, b):
    y = np.array([[1, 2], [3, 4]], dtype=float)
    return a * b * y


def doubles_by_name(a, b):
    y = np.array([a, b, 1], dtype=np.float64)
    return y


def of_a_large_int(a, b):
    y = np.array([1, 4611686018427387904])
    return a * b * y


def used_twice(a, b):
    items = [a, b]
    y = np.array(items)
    return y, items


def with_a_dtype(a, b):
    y = np.array([a, b], dtype=np.float32)
    return y


def starred(a, b):
    y = np.array([*a, b])
    return y


@pytest.mark.parametrize(
    ("f", "kind"),
    [
        (of_numbers, "ndarray1"), (of_a_tuple, "ndarray1"), (of_rows, "ndarray2"),
        (ragged, "unknown"), (of_ints, "counts1"), (used_twice, "unknown"),
        (with_a_dtype, "unknown"), (starred, "unknown"),
        (of_whole_rows, "counts3"), (of_truths, "bools2"), (ragged_ints, "unknown"),
        (ints_as_doubles, "ndarray2"), (doubles_by_name, "ndarray1"), (of_a_large_int, "unknown"),
    ],
)  # fmt: skip
def test_kind_of_the_array(f, kind):
    assert kind_of_y(f, "float", "float") == kind


def test_ints_alone_make_no_array_of_doubles():
    assert kind_of_y(of_a_tuple, "int", "int") == "unknown"
    assert kind_of_y(of_a_tuple, "int", "float") == "unknown"  # the int may not fit in 64 bits


def row_of_a_computed_int(a):
    return np.sum(np.array([[2 * 1], [a * 2.0]]))


def three_levels(a):
    return np.sum(np.array([[[1, 2]], [[3, a]]]) * a)


def tuple_of_rows(a):
    n = int(a)
    return np.sum(np.array(([a, 2.0], (n, 1.0 * a))) ** 2)


def rows_of_unequal_kinds(a):
    return np.sum(np.array([[1.0, a], [len("ab"), a * a]])[1] * np.array([a, 3.0]))


@pytest.mark.parametrize(
    "f", [row_of_a_computed_int, three_levels, tuple_of_rows, rows_of_unequal_kinds]
)
def test_a_row_that_is_written_out_beside_one_that_is_not(f):
    check_gradient(f, 3.25)
    check_gradient(f, np.float64(3.25))


def test_ragged_displays_are_refused_as_numpy_does():
    def rows_of_unequal_lengths(x):
        return np.sum(np.array([[x, 1.0], [2.0]]))

    def rows_and_numbers(x):
        return np.sum(np.array([[x, 1.0], 2.0]))

    for fn in (rows_of_unequal_lengths, rows_and_numbers):
        with pytest.raises(ValueError, match="inhomogeneous shape"):
            gradient(fn, 1.5)


def read_in_rounds(a, b):
    rows = [b, a * b]
    for _ in range(2):
        a = a + 0.1 * np.linalg.norm(np.array(rows))
    return a


def nested_and_read_in_rounds(a, b):
    rows, k = [[b, a * b], [a, 1.0]], 0
    while k < 3:
        y = np.array(rows)
        a = a + 0.1 * np.sum(y**2)
        k += 1
    return a


def joined_in_rounds(a, b):
    parts = [np.array([a, b]), np.array([a * b, 1.0])]
    for k in range(3):
        a = a + 0.1 * np.sum(np.concatenate(parts) ** 2) + np.sum(np.stack(parts)[k % 2])
    return a


def joined_in_a_loop_inside(a, b):
    total = 0.0
    for k in range(2):
        parts = [np.array([a, b * k]), np.array([a * b, 1.0])]
        for _ in range(2):
            total = total + np.sum(np.hstack(parts) ** 2) * a
    return total


def read_in_one_arm(a, b):
    y, rows = 0.0, [b, a * b]
    for k in range(3):
        pair = [a, b * k]
        if k == 1:
            y = y + np.sum(np.array(pair) ** 2)
    if a > 0.0:
        y = y + np.sum(np.array(rows) ** 2)
    return y


ROUNDS = [
    read_in_rounds, nested_and_read_in_rounds, read_in_one_arm, joined_in_rounds,
    joined_in_a_loop_inside,
]  # fmt: skip


@pytest.mark.parametrize("f", ROUNDS)
def test_a_list_that_each_round_of_a_loop_reads(f, forms_agree):
    forms_agree(f, 1.3, 0.7)
    forms_agree(f, -1.3, 0.7)
