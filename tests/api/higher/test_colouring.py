"""Colourings of patterns: sums of a colour can be taken apart, and the colours are few."""

import itertools
import time

import numpy as np
import pytest

from astad.api.higher.colouring import colours_of_columns, colours_of_star


def count(colours):
    return int(colours.max()) + 1


def band(n, width):
    return [(i, j) for i in range(n) for j in range(max(0, i - width), min(n, i + width + 1))]


def arrow(n, hub):
    return sorted(
        {(i, i) for i in range(n)} | {(hub, i) for i in range(n)} | {(i, hub) for i in range(n)}
    )


def star(pairs, n):
    return colours_of_star(*np.transpose(pairs), n)


def columns(pairs, shape):
    return colours_of_columns(*np.transpose(pairs), shape)


@pytest.mark.parametrize("seed", range(60))
def test_columns_of_a_colour_have_no_row_in_common(seed):
    random = np.random.default_rng(seed)
    matrix = random.random(random.integers(1, 12, size=2)) < random.random() * 0.6
    colours = colours_of_columns(*np.nonzero(matrix), matrix.shape)
    assert [colour < 0 for colour in colours] == [not column.any() for column in matrix.T]
    for colour in range(count(colours)):
        assert matrix[:, colours == colour].sum(axis=1).max() == 1


@pytest.mark.parametrize("seed", range(120))
def test_no_path_of_four_has_two_colours(seed):
    random = np.random.default_rng(seed)
    n = random.integers(1, 12)
    matrix = random.random((n, n)) < random.random()
    matrix |= matrix.T
    colours = colours_of_star(*np.nonzero(matrix), n)
    assert [colour < 0 for colour in colours] == [not row.any() for row in matrix]
    beside = matrix & ~np.eye(n, dtype=bool)
    for b, c in np.argwhere(beside):
        assert colours[b] != colours[c]
        for a, d in itertools.product(np.flatnonzero(beside[b]), np.flatnonzero(beside[c])):
            if len({a, b, c, d}) == 4:
                assert len({colours[each] for each in (a, b, c, d)}) > 2, (a, b, c, d)


def test_a_band_has_as_many_colours_as_it_is_wide():
    for width in range(4):
        assert count(columns(band(40, width), (40, 40))) == 2 * width + 1
        assert count(star(band(40, width), 40)) <= 2 * width + 1
    assert count(star(band(40, 1), 40)) == 3


@pytest.mark.parametrize("hub", [0, 17, 29])
def test_an_arrow_has_two_colours_as_a_star_and_all_as_columns(hub):
    assert count(star(arrow(30, hub), 30)) == 2
    assert count(columns(arrow(30, hub), (30, 30))) == 30


def test_without_an_entry_there_is_no_colour():
    assert columns(np.zeros((0, 2), int), (3, 2)).tolist() == [-1, -1]
    assert star(np.zeros((0, 2), int), 2).tolist() == [-1, -1]
    assert star([(1, 1)], 3).tolist() == [-1, 0, -1]
    assert star(np.zeros((0, 2), int), 0).size == 0


def test_a_row_that_is_full_gives_each_column_a_colour():
    found = columns([(0, 0), (0, 1), (0, 2), (1, 2)], (2, 3))
    assert sorted(found.tolist()) == [0, 1, 2]


def test_the_fullest_first_where_that_is_better():
    # a crown: in the order of the columns each pair would have a colour of its own
    n = 8
    pairs = []
    for row, (i, j) in enumerate((i, j) for i in range(n) for j in range(n) if i != j):
        pairs += [(row, 2 * i), (row, 2 * j + 1)]
    assert count(columns(pairs, (n * (n - 1), 2 * n))) <= n


@pytest.mark.timing
def test_ten_thousand_rows_take_a_moment():
    pairs = np.transpose(band(10_000, 1))
    start = time.perf_counter()
    colours_of_columns(*pairs, (10_000, 10_000))
    colours_of_star(*pairs, 10_000)
    assert time.perf_counter() - start < 1.0
