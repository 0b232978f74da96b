"""Subscripts that are changed after they were used: the reverse sweep has them as they were."""

import numpy as np
import pytest


def values():
    return np.array([1.3, -0.4, 2.2, 0.7, -1.6])


def mask_written(a):
    low = a < 0
    y = np.sum(a[low] ** 2)
    low[0] = True
    return y + np.sum(a[low])


def indices_of_a_sort_moved(a):
    i = np.argsort(a)
    b = a[i] * np.arange(5.0)
    i += 1
    i %= 5
    return np.sum(b * b * a[i])


def indices_that_are_numbers_as_well(a):
    i = np.arange(5)
    b = a[i] * i
    i[0] = 3
    return np.sum(b * b * a[i] * i)


def part_of_a_tuple(a):
    i = np.arange(5)
    m = np.outer(a, a)
    b = m[i, 1] ** 2
    i[0] = 3
    return np.sum(b * m[1, i])


def tuple_under_a_name(a):
    i = np.arange(5)
    m = np.outer(a, a)
    t = (i, 1)
    b = m[t] ** 2
    i[0] = 3
    m[t] = 3.0
    i[1] = 2
    return np.sum(b * m[t]) + np.sum(m**2)


def mask_combined_in_place(a):
    low = a < 0
    low |= a > 2
    y = np.sum(a[low] ** 2)
    low &= a > 2
    z = np.sum(np.where(low, a * a, a))
    low ^= True
    return y * z + np.sum(a[low])


def written_in_a_loop(a):
    i = np.arange(5)
    y = 0.0
    for k in range(3):
        y += np.sum(a[i] * i)
        i[k] = k + 1
    return y * y


def places_of_stores_written_in_a_loop(a):
    i = np.arange(5)
    b = np.zeros(5)
    for k in range(3):
        b[i] = a * k
        i[k] = k + 1
    i *= 0
    return np.sum(b * b)


def exponents_written(a):
    w = np.where(a > 0, 1, 2)
    b = a * w
    w[0] = 7
    c = a**w
    w += 1
    return np.sum(b * c)


def written_through_a_view(a):
    i = np.arange(3)
    j = i[1:]
    b = a[i] ** 2
    j[:] = 4
    return np.sum(b)


def written_by_an_inner_function(a):
    i = np.arange(3)

    def move(k):
        i[k] = 4
        return 2.0

    b = a[i] ** 2
    c = b * move(1)
    return np.sum(c)


def never_written(a):
    i = np.arange(3)
    return np.sum(a[i] ** 2)


@pytest.mark.parametrize(
    "program",
    [
        mask_written,
        indices_of_a_sort_moved,
        indices_that_are_numbers_as_well,
        part_of_a_tuple,
        tuple_under_a_name,
        mask_combined_in_place,
        written_in_a_loop,
        places_of_stores_written_in_a_loop,
        exponents_written,
        written_through_a_view,
        written_by_an_inner_function,
        never_written,
    ],
)
def test_subscript_as_it_was(forms_agree, program):
    forms_agree(program, values())


def test_arguments_that_are_subscripts(forms_agree):
    def moved(a, i):
        b = a[i]
        i[0] = 2
        c = a[i] * b
        i += 1
        return np.sum(c * c) + a[i[0]]

    forms_agree(moved, values(), np.array([0, 1, 3]))


def places():
    """Of no kind that is known."""
    found = np.array([1, 0, 3, 2, 4])
    found[found[:1]] = 0
    found[0] = 1
    return found


def along_an_axis(a):
    i, b = places(), a.copy()
    s = np.take_along_axis(a, i, axis=0)
    b[i[:1]] = 5.0
    i[0] = 3
    return s[0] * b[0] + s[1] * 3 + b[1]


def along_an_axis_moved_in_place(a):
    i, b = places(), a.copy()
    s = np.take_along_axis(a, i, axis=0)
    b[i[:1]] = 5.0
    i += 1
    i %= 4
    return s[0] * b[0] + s[1] * 3 + b[1] + s @ b[i]


def repeated(a):
    i, b = places(), a.copy()
    s = np.repeat(a, i)
    b[i[:1]] = 5.0
    i[:] = 2
    return s[0] * b[0] + s @ np.arange(float(len(s)))


def rolled(a):
    by, b = [1], a.copy()
    s = np.roll(a, by)
    for at in ([0], [2]):
        b[at] = 5.0
        by[0] = by[0] + at[0]
    return s[0] * b[0] + s @ np.arange(5.0)


def padded(a):
    widths, b = [[1, 2]], a.copy()
    s = np.pad(a, widths, mode="reflect")
    for at in ([0], [2]):
        b[at] = 5.0
        widths[0][0] = 0
    return s[0] * b[0] + s @ np.arange(8.0)


def split(a):
    ends, b = [2], a.copy()
    s, t = np.split(a, ends)
    for at in ([0], [2]):
        b[at] = 5.0
        ends[0] = 4
    return s[0] * b[0] + t @ np.arange(3.0)


def written_by_others(a):
    def moved(i):
        i[0] = 3

    i = places()
    s = np.take_along_axis(a, i, axis=0)
    [moved][len(a) - 5](i)
    return s[0] * 2 + s[1] * 3


@pytest.mark.parametrize(
    "program",
    [
        along_an_axis,
        along_an_axis_moved_in_place,
        repeated,
        rolled,
        padded,
        split,
        written_by_others,
    ],
)
def test_other_operands_as_they_were(forms_agree, program):
    forms_agree(program, values())
