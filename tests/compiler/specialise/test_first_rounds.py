"""A loop that makes an array of a number is one text of arrays, its first round before it."""

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.api.variants.wiring import kinds_of
from astad.compiler.ir.containers import read_kind
from astad.compiler.pipeline import compile_function

W, X = np.arange(1.0, 13.0).reshape(4, 3) / 7.0, np.array([0.3, -0.7, 1.1])


def form_of(fn, *args):
    kinds = [read_kind(kind) for kind in kinds_of(args, open_=True)]
    return compile_function(fn, kinds, [True] * len(args), fused=True).form


def of_rows(w, x):
    s = 0.0
    for row in w:
        s = s + row * x
    return np.sum(s * s)


def of_indices(w, x):
    s = 0
    for i in range(len(w)):
        s += w[i] * x * i
    return s @ s


def backwards_by_two(w, x):
    s, factor = 0.0, 1.0
    for i in range(len(w) - 1, -1, -2):
        s -= w[i] * x * factor
        factor = factor * 1.3
    return np.sum(s**2)


def of_two_names(w, x):
    speed = 0.0
    place = 0.0
    for row in w:
        speed = 0.9 * speed - row * x
        place = place + 0.1 * speed
    return np.sum(place * speed)


def in_a_loop(w, x):
    total = 0.0
    for j in range(2):
        s = 0
        for i in range(j, len(w)):
            s += w[i] * x**j
        total = total + s
    return np.sum(total * total)


def last_of(count, end):
    """A function that calls itself stays one of its own."""
    if count > end:
        return last_of(end, end)
    return range(end - count, end)


def of_the_last_rows(w, x):
    s = 0.0
    for i in last_of(1, len(w)):
        s = s + w[i] * x
    return np.sum(s * s)


def around(centre, n):
    if centre >= n:
        return around(centre - n, n)
    return range(max(centre - 1, 0), min(centre + 2, n))


def of_neighbours(w, x):
    total = 0.0
    for i in around(1, len(w)):
        total = total - np.tanh(w[i] * x)
    return total @ total


def in_the_rounds_of_another(w, x):
    total = 0.0
    for k in range(2):
        s = 0.0
        for i in last_of(1, len(w) - k):
            s = s + w[i] * x
        total = total + s * s
    return np.sum(total)


def upto(n, step):
    if step < 1:
        return upto(n, -step)
    return range(0, n, step)


class Mesh:
    def __init__(self, w):
        self.w = w

    def coarse(self):
        return upto(len(self.w) - 2, 2)


def of_a_mesh(w, x):
    mesh, s = Mesh(w), 0.0
    for i in mesh.coarse():
        s = s + (mesh.w[i + 1] - mesh.w[i]) * x
    return np.sum(s * s)


def of_starred_bounds(w, x):
    bounds, s = (1, len(w)), 0.0
    for i in range(*bounds):
        s = s + w[i] * x
    return np.sum(s * s)


@pytest.mark.parametrize(
    "fn",
    [
        of_the_last_rows,
        of_neighbours,
        in_the_rounds_of_another,
        of_a_mesh,
        of_starred_bounds,
    ],
)
def test_a_range_that_a_function_returns(fn, forms_agree):
    """Its own arguments are no bounds."""
    forms_agree(fn, W, X)
    value, _ = value_and_grad(fn, argnums=(0, 1))(W, X)
    assert value == fn(W, X)


def test_a_range_with_a_start_that_a_function_returns():
    value, (w_bar, x_bar) = value_and_grad(of_the_last_rows, argnums=(0, 1))(W, X)
    s = W[3] * X
    np.testing.assert_allclose(value, s @ s)
    np.testing.assert_allclose(w_bar, [0 * X, 0 * X, 0 * X, 2 * s * X])
    np.testing.assert_allclose(x_bar, 2 * s * W[3])


def whose_bound_changes(w, x):
    s, n = 0.0, len(w)
    for i in range(n):
        n = 2
        s += w[i] * x
    return np.sum(s * s) * n


def whose_rows_change(w, x):
    s = 0.0
    rows = w * 2.0
    for row in rows:
        rows = x * 3.0
        s = s + row * rows
    return np.sum(s * s)


def counted(w, x):
    s = 0.0
    for i, row in enumerate(w, 2):
        s += row * x * i
    return np.sum(s * s)


def beside_each_other(w, x):
    s, n = 0.0, len(x)
    for i, (row, number) in enumerate(zip(w, w[:, 0] * 2.0), n):
        row = np.tanh(row * x)
        s = s - row * number * i
    return s @ s


def in_each_other(w, x):
    total = 0.0
    for row in w:
        s = 0.0
        for other in w:
            s = s + row * other
        total = total + s * x
    return total @ total


FUSED = [
    of_rows,
    of_indices,
    backwards_by_two,
    of_two_names,
    in_a_loop,
    whose_bound_changes,
    counted,
    beside_each_other,
    in_each_other,
]


@pytest.mark.parametrize("fn", FUSED)
def test_the_first_round_is_written_out(fn, forms_agree):
    assert form_of(fn, W, X) == "fused"
    forms_agree(fn, W, X)


def left_early(w, x):
    s = 0.0
    for row in w:
        s = s + row * x
        if s[0] > 1.0:
            break
    return np.sum(s)


def read_in_a_branch(w, x):
    s = 0.0
    for row in w:
        if row[0] > 0.5:
            s = s + row * x
        s = s + x
    return np.sum(s * s)


def read_before(w, x):
    s = 2.0
    x = x * s
    for row in w:
        s = s + row * x
    return np.sum(s)


def of_a_parameter(w, x, s):
    for row in w:
        s = s + row * x
    return np.sum(s * s)


def under_its_own_name(w, x):
    s = 0.0
    for v, w in zip(w, w):
        s = s + v * w * x
    return np.sum(s * s)


def whose_count_begins_with_an_item(w, x):
    s, n = 0.0, 3
    for i, (n, row) in enumerate(zip(w[:, 1], w), n):
        s = s + row * x * i * n
    return np.sum(s * s)


def unbound_in_between(w, x):
    s = 0.0
    for row in w:
        t = row * x + s
        del s
        s = t
    return s @ s


def test_other_loops_are_as_they_were(forms_agree):
    for fn in (
        left_early,
        read_in_a_branch,
        read_before,
        whose_rows_change,
        under_its_own_name,
        unbound_in_between,
    ):
        forms_agree(fn, W, X)
    forms_agree(whose_count_begins_with_an_item, W, X)
    forms_agree(of_a_parameter, W, X, 0.5)


def test_a_loop_without_a_round_gives_the_number(forms_agree):
    def f(w, x):
        s = 0.5
        for row in w:
            s = s + row * x
        return s

    assert gradient(lambda w, x: np.sum(f(w, x)), W, X)[1] is not None
    w_bar, x_bar = gradient(f, np.zeros((0, 3)), X)
    assert w_bar is None or not np.any(w_bar)
    assert x_bar is None or not np.any(x_bar)
    forms_agree(lambda w, x: np.sum(f(w, x)), np.zeros((0, 3)), X)


def test_a_range_that_starts_with_a_bool_counts(forms_agree):
    def f(w, x, start):
        s = 0.0
        for i in range(start, 3):
            s = s + w[i] * x
        return np.sum(s * s)

    forms_agree(f, W, X, True)


def of_a_range_whose_end_is_bound_anew(w, x, n):
    s = 0.0
    rounds = range(n)
    if x[0] > 0.0:
        n = 1
    for i in rounds:
        s = s + w[i] * x * n
    return np.sum(s * s)


def test_a_range_whose_end_is_bound_anew(forms_agree):
    forms_agree(of_a_range_whose_end_is_bound_anew, W, X, 3)
    forms_agree(of_a_range_whose_end_is_bound_anew, W, -X, 3)


def test_names_of_one_kind_keep_their_start(forms_agree):
    def f(w, x):
        s, count = 0.0, 0
        for row in w:
            s = s + row * x
            count = count + 1
        return np.sum(s * s) / count

    kinds = [read_kind(kind) for kind in kinds_of((W, X), open_=True)]
    text = compile_function(f, kinds, [True, True], fused=True).text.source
    assert text.count("count = count + 1") == 2
    forms_agree(f, W, X)
