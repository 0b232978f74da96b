"""Sums of arrays that are made for them are added as they come; all other sums stay sums."""

import numpy as np
import pytest

from astad import gradient

from .test_first_rounds import W, X, form_of


def of_rows(w, x):
    return np.sum(sum(row * x for row in w) ** 2)


def of_indices(w, x):
    return np.sum(sum(w[i] * x**i for i in range(len(w))) * x)


def of_a_list(w, x):
    t = sum([np.tanh(row * x) * i for i, row in enumerate(w)])
    return t @ t


@pytest.mark.parametrize("fn", [of_rows, of_indices, of_a_list])
def test_arrays_are_added_as_they_come(fn, forms_agree):
    assert form_of(fn, W, X) == "fused"
    forms_agree(fn, W, X)


def with_a_start(w, x):
    return np.sum(sum((row * x for row in w), 0.5) ** 2)


def of_some(w, x):
    return np.sum(sum(row * x for row in w if row[0] > 0.5) ** 2)


def of_one_array_that_changes(w, x):
    """The list holds one array many times, as it is in the end."""
    h, hs = x * 1.0, []
    for row in w:
        h += row
        hs.append(h)
    return np.sum(sum(hs) * x)


def of_floats(w, x):
    """Python 3.12 adds these with what is lost in rounding."""
    return sum(row[0] * x[1] for row in w) * sum(float(v) for v in x)


def of_lists(w, x):
    return sum(([v * x[0], v] for v in w[:, 0]), [])[2]


def read_again(w, x):
    rows = [row * x for row in w]
    return np.sum(sum(rows) * rows[0])


@pytest.mark.parametrize(
    "fn", [with_a_start, of_some, of_one_array_that_changes, of_floats, of_lists, read_again]
)
def test_other_sums_are_as_they_were(fn, forms_agree):
    forms_agree(fn, W, X)


def test_a_sum_of_nothing_is_zero(forms_agree):
    forms_agree(of_rows, np.zeros((0, 3)), X)


def test_a_sum_that_python_refuses_is_refused():
    def of_nothing(w, x):
        return np.sum(sum() * x)

    def of_three(w, x):
        rows = [*w]
        return np.sum(sum((row * x for row in rows), 0, 1) * np.sum([row * x for row in w]))

    for fn in (of_nothing, of_three):
        with pytest.raises(TypeError, match="sum"):
            gradient(fn, W, X)


def mean_of(w, x, act):
    terms = []
    for row in w:
        terms.append(act(row * x))
    return sum(terms) / len(terms)


def sum_where(w, x, act):
    terms = [act(row * x) for row in w]
    total = x
    if x[0] > 0.0:
        total = sum(terms)
    return total * x


def test_lists_that_are_asked_for_more_or_not_always_summed(forms_agree):
    def f(w, x):
        return np.sum(mean_of(w, x, np.tanh) ** 2)

    def g(w, x):
        return np.sum(sum_where(w, x, np.sin) ** 2)

    def h(w, x):
        sum(row * x for row in w)
        return np.sum(sum(row * x for row in w) ** 2)

    for fn in (f, g, h):
        forms_agree(fn, W, X)
        forms_agree(fn, W, -X)
