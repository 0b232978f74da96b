"""Writes into local arrays: elements, slices, whole arrays, in straight text and in loops."""

import warnings

import numpy as np
import pytest

from astad import gradient, pullback
from astad.compiler.ir.kinds import INT, array
from astad.compiler.pipeline import compile_function
from astad.errors import Unsupported

U = np.array([0.5, -1.5, 0.25, 2.0, 1.25])
M = np.array([[0.5, -1.5, 0.25], [2.0, 1.25, -0.75]])


def agree_fused(forms_agree, f, *args):
    forms_agree(f, *args, fused=True)


def test_an_element(forms_agree):
    def f(u, x):
        w = u * 2.0
        a = w[0] * w[1]
        w[0] = x
        w[-1] = w[0] * w[1] + a
        w[1] = 3
        return np.sum(w * w * u)

    agree_fused(forms_agree, f, U, 0.7)


def test_a_slice_of_numbers_and_of_arrays(forms_agree):
    def f(u, x):
        w = u * u
        w[1:3] = x
        w[3:] = u[:2] * w[1]
        w[:1] = w[4:]
        return np.sum(w * w)

    agree_fused(forms_agree, f, U, 0.7)


def test_a_store_that_broadcasts(forms_agree):
    def f(m, v, x):
        w = m * 2.0
        w[:, 0] = x
        w[0, 1:] = v[1]
        w[1] = w[0] * v
        w[:, 1:2] = w[:, 2:] * x
        z = m * 1.0
        z[:] = v
        z[:1] = z[1:] * w[0]
        return np.sum(w * z)

    agree_fused(forms_agree, f, M, U[:3], 0.7)


def test_an_array_stored_into_itself(forms_agree):
    def f(u, x):
        w = u * x
        w[::-1] = w
        w[:] = w
        w[::-1] -= w
        return np.sum(w * w * u)

    def scaled(u, x):
        w = u * x
        w[::-1] *= w
        w[:] *= w
        return np.sum(w * w * u)

    def some(u, n):
        w = np.zeros(5)
        w[:] = w
        for _ in range(n):
            w[::-1] = w
            w += u
        return np.sum(w * w * u)

    agree_fused(forms_agree, f, U, 0.7)
    forms_agree(scaled, U, 0.7)
    for n in (0, 1, 2):
        forms_agree(some, U, n)


def test_rows_and_elements_of_a_matrix(forms_agree):
    def f(m, n):
        w = np.zeros((n, 3))
        for i in range(n):
            w[i] = m[0] * (i + 1.0)
            for j in range(3):
                w[i, j] = w[i, j] * m[1, j] + w[0, 0]
        return np.sum(w * w)

    for n in (0, 1, 3):
        agree_fused(forms_agree, f, M, n)


def test_an_array_that_is_filled(forms_agree):
    def f(x, n):
        w = np.zeros(n)
        w[0] = x
        for i in range(1, n):
            w[i] = w[i - 1] * x + np.sin(w[i - 1])
        return w[n - 1] * w[0] + np.sum(w)

    for n in (1, 2, 5):
        agree_fused(forms_agree, f, 0.7, n)


def test_added_to_elements_slices_and_rows(forms_agree):
    def f(u, m, x, n):
        w = u * x
        r = m * x
        for i in range(n):
            w[i] += w[i + 1] * x
            w[1:-1] += x * (w[2:] - 2.0 * w[1:-1] + w[:-2])
            w[:2] -= w[2:4] * u[i]
            w[2:] -= x
            r[1] += r[0] * w[:3]
            r[:, :2] -= w[3:]
        return np.sum(w * w) + np.sum(r * r)

    for n in (0, 1, 3):
        agree_fused(forms_agree, f, U, M, 0.3, n)


def test_scaled_elements_and_slices(forms_agree):
    def f(u, x, n):
        w = u * 1.0
        for i in range(n):
            w[i] *= x
            w[1:] *= u[1:] * x
            w[:2] *= w[2:4]
            w[3:] *= 0.5
            w[0] /= x + 1.0
        return np.sum(w * w)

    for n in (0, 1, 3):
        agree_fused(forms_agree, f, U, 0.7, n)


def test_whole_arrays(forms_agree):
    def f(u, m, x, n):
        w = u * 1.0
        w += u
        a = w * w
        w *= x
        r = m * 2.0
        for _ in range(n):
            w -= a * x
            w *= np.tanh(a)
            r += w[:3]
            r *= x
            r /= 1.0 + w[0] * w[0]
            w += 1
        return np.sum(w * a) + np.sum(r * r)

    for n in (0, 1, 3):
        agree_fused(forms_agree, f, U, M, 0.7, n)


def test_the_same_array_on_both_sides(forms_agree):
    def f(u, n):
        w = u * 1.0
        for _ in range(n):
            w += w
            w *= w * 0.5
            w[1:] += w[:-1]
            w[:] = w[::-1] * w
            w[:2] = w[1:3]
            w -= w[0]
        return np.sum(w * u)

    for n in (0, 1, 2):
        agree_fused(forms_agree, f, U, n)


def test_what_was_read_before_a_write_is_kept(forms_agree):
    def f(u, x, n):
        w = np.tanh(u)
        total = 0.0
        for i in range(n):
            b = w[1:] * w[:-1]
            total = total + np.sum(b * b) + w @ w
            w[i] = x * w[i]
            y = np.exp(-w * w)
            w[2:] = y[2:]
            total = total + np.sum(w * y)
        return total + w @ w

    for n in (0, 1, 3):
        agree_fused(forms_agree, f, U, 0.7, n)


def test_two_values_of_one_array_in_one_place(forms_agree):
    def f(u, x):
        w = u * 1.0
        a = w[2:]
        b = w[:-2]
        c = a + b
        w[1:4] += c
        return np.sum(w[1:4] * c)

    agree_fused(forms_agree, f, U, 0.7)


def test_a_new_array_each_round(forms_agree):
    def f(u, x, n):
        total = 0.0
        for i in range(n):
            w = u * x
            w[i] = total
            total = total + np.sum(w * w) * 0.1
        return total

    for n in (0, 1, 3):
        agree_fused(forms_agree, f, U, 0.7, n)


def test_in_one_branch(forms_agree):
    def f(u, x, n):
        w = u * x
        for i in range(n):
            if u[i] > 0.0:
                w[i] = x * x
            elif i > 0:
                w[i - 1] += w[i]
            else:
                w *= x
        return np.sum(w * w)

    for n in (0, 1, 4):
        agree_fused(forms_agree, f, U, 0.7, n)
    agree_fused(forms_agree, f, -U, 0.7, 4)


def test_a_loop_left_half_way(forms_agree):
    def f(u, x, n):
        w = u * x
        for i in range(n):
            w[i] = w[i] * w[i + 1]
            if w[i] > 0.4:
                break
            if w[i] < -1.0:
                continue
            w[i + 1] += x
        k = 0
        while k < n:
            w[k] += w[0] * x
            k = k + 1
            if k > 2:
                return np.sum(w * w)
        return w[0]

    for n in (0, 1, 3, 4):
        forms_agree(f, U, 0.7, n)


def test_an_array_that_is_returned_or_handed_on(forms_agree):
    def filled(u, x):
        w = np.zeros(5)
        w[1:] = u[1:] * x
        w[0] += x
        return w

    def f(u, x):
        w = filled(u, x)
        w[1] = w[0] * x
        return np.sum(w * w)

    forms_agree(filled, U, 0.7)
    forms_agree(f, U, 0.7)


def test_views_that_outlive_a_write(forms_agree):
    def f(u, x):
        w = u * x
        v = w[1:]
        w[1] = x * x
        return np.sum(v * v) + w[0]

    def g(u, x, n):
        w = u * x
        v = w[1:]
        for i in range(n):
            w[i] = w[i] * np.sum(v)
        return np.sum(w)

    def h(u, x):
        w = u * x
        v = w[1:]
        v[0] = x
        v += u[1:]
        return np.sum(w * w)

    forms_agree(f, U, 0.7)
    forms_agree(g, U, 0.7, 3)
    forms_agree(h, U, 0.7)


def test_two_names_of_one_array(forms_agree):
    def f(u, x):
        w = u * x
        v = w
        w += u
        w[0] = x
        return np.sum(v * w)

    def g(u, x, n):
        w = u * x
        v = u * 2.0
        for i in range(n):
            w, v = v, w
            w[i] = v[i + 1] * x
        return np.sum(v * w * w)

    forms_agree(f, U, 0.7)
    forms_agree(g, U, 0.7, 3)


def test_stored_in_a_container_or_captured(forms_agree):
    def f(u, x):
        w = u * x
        kept = [w]
        w[0] = x
        return np.sum(kept[0] * w)

    def g(u, x):
        w = u * x

        def of(i):
            return w[i] * x

        w[0] = x
        return of(0) * of(1)

    forms_agree(f, U, 0.7)
    forms_agree(g, U, 0.7)


def test_masks_and_lists_of_indices(forms_agree):
    def f(u, x):
        w = u * x
        w[w < 0.0] = x
        w[[0, 0, 2]] = u[1:4]
        w[0] = w[1] * x
        return np.sum(w * w)

    forms_agree(f, U, 0.7)


def test_ints_and_bools_are_stored_and_an_array_of_ints_is_none(forms_agree):
    def f(u, x):
        w = u * x
        w[0] = True
        w[1] = 7
        c = np.zeros(3, dtype=int)
        c[0] = 2
        return np.sum(w * w) * c[0]

    forms_agree(f, U, 0.7)


def test_an_empty_array_and_an_empty_slice(forms_agree):
    def f(u, x):
        w = u * x
        w[3:3] = x
        w[5:] += x
        z = u[5:] * x
        z += x
        z[:] = 2.0
        return np.sum(w) + np.sum(z)

    agree_fused(forms_agree, f, U, 0.7)


def test_nothing_reads_what_was_written(forms_agree):
    def f(u, x):
        w = u * x
        a = w[0]
        w[0] = x * x
        w += u
        return a

    agree_fused(forms_agree, f, U, 0.7)
    assert gradient(f, U, 0.7)[1] == 0.5


def test_none_where_only_a_write_leads_on():
    def f(u, x, y):
        w = np.zeros(3)
        w[0] = x
        w[1] = 2.0
        return np.sum(w) + np.sum(u) * 0

    u_bar, x_bar, y_bar = gradient(f, U, 0.7, 0.1)
    assert (x_bar, y_bar) == (1.0, None)
    assert not u_bar.any()


def test_infinities_leave_what_was_overwritten():
    def f(u, x):
        w = u * 1.0
        w[0] = x
        return np.sum(w * w)

    u = U.copy()
    u[0] = np.inf
    u_bar, x_bar = gradient(f, u, 0.7)
    assert u_bar[0] == 0.0 and x_bar == 1.4


@pytest.mark.parametrize("index", [7, -9])
def test_errors_are_those_of_the_plain_run(index):
    def f(u, i):
        w = u * 2.0
        w[i] += 1.0
        return w[0]

    with pytest.raises(IndexError) as plain:
        f(U, index)
    with pytest.raises(IndexError) as found:
        gradient(f, U, index)
    assert str(found.value) == str(plain.value)


def test_the_place_is_looked_up_before_the_value_is_computed():
    def f(m, i, log):
        w = m * 2.0
        w[i] += np.sum(w[[log.append(1) or 0]])
        return w[0, 0]

    log = []
    with pytest.raises(IndexError):
        gradient(f, M, 5, log)
    assert not log


def test_lengths_that_do_not_fit():
    def f(u):
        w = u * 2.0
        w[1:] = u
        return w[0]

    def g(u):
        w = u * 2.0
        w += u[:2]
        return w[0]

    for function in (f, g):
        with pytest.raises(ValueError) as plain:
            function(U)
        with pytest.raises(ValueError) as found:
            gradient(function, U)
        assert str(found.value) == str(plain.value)


def test_the_pullback_may_be_called_again():
    def f(u, x, n):
        w = u * x
        for i in range(n):
            w[1:] += w[:-1] * x
            w[i] = w[i] * w[i + 1]
        return np.sum(w * w)

    y, back = pullback(f, U, 0.7, 3)
    first, second = back(1.0), back(1.0)
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1] == second[1]


def test_an_array_filled_and_taken_apart(forms_agree):
    def f(u, n):
        w = u[:3] * 1.0
        total = 0.0
        for _ in range(n):
            x, y, z = w
            w[0] = y * z
            w[1:] += x
            total = total + x * y
        return total + w[2]

    for n in (0, 1, 3):
        agree_fused(forms_agree, f, U, n)


def test_what_is_returned_may_be_changed_afterwards():
    def f(u, x, n):
        w = np.zeros((n, 5))
        w[0] = u
        for i in range(1, n):
            w[i] = w[i - 1] * w[i - 1] * x
        return w

    y, back = pullback(f, U, 0.7, 3)
    seed = np.cos(np.arange(15.0)).reshape(3, 5)
    expected = back(seed.copy())
    y[:] = 7.0
    for part, wanted in zip(back(seed)[:2], expected, strict=False):
        np.testing.assert_array_equal(part, wanted)
    assert not np.shares_memory(expected[0], seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from NumPy 2.5 on
        y.shape = (15,)
    with pytest.raises(Unsupported, match="was given another shape in place"):
        back(seed)


def test_arrays_filled_by_callees(forms_agree):
    def slope(u, k):
        d = np.zeros(5)
        d[1:-1] = k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        for i in range(2):
            d[i] += u[i] * k
        return d

    def f(u, k, n):
        for _ in range(n):
            d = slope(u, k)
            u = u + 0.1 * d
            d[0] = k
            u = u + d * u
        return np.sum(u * u)

    forms_agree(slope, U, 0.7)
    for n in (0, 1, 3):
        forms_agree(f, U, 0.7, n)


def test_a_view_that_is_read_in_one_branch_of_an_array_written_later(forms_agree):
    def f(u, x):
        w = u * x
        if x > 1.0:
            w[:3] *= w[:3] * u[1:4]
        w[2:4] -= u[2:4]
        return np.sum(w * u)

    agree_fused(forms_agree, f, U, 0.7)
    agree_fused(forms_agree, f, U, 1.7)


def test_a_buffer_is_made_once_and_not_in_each_iteration():
    def f(u, n):
        w = u * 1.0
        for i in range(1, n):
            w[i] = w[i] * w[i - 1]
        return np.sum(w)

    made = compile_function(f, (array(1), INT), (True, True), fused=True)
    head, _, body = made.text.source.partition("in zip(reversed(")
    assert "w_bar = owned(" in head and "owned" not in body
