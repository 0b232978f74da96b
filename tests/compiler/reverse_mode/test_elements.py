"""Arrays made of elements, elements of arrays that a loop carries."""

import numpy as np
import pytest

from astad import gradient

X = np.array([0.5, -1.5, 0.25])


def test_an_array_of_numbers(forms_agree):
    def f(a, b):
        v = np.array([a * b, 2.0, a, 1, a])
        return np.sum(v * v * v)

    forms_agree(f, 0.5, -1.5, fused=True)
    forms_agree(f, np.float64(0.5), -1.5)


def test_an_array_of_rows(forms_agree):
    def f(a, b, v):
        m = np.array([[a, -b], [0, 1], [b, a * b]])
        return np.sum(m @ v)

    forms_agree(f, 0.5, -1.5, X[:2], fused=True)


def test_a_row_is_made_elsewhere(forms_agree):
    def f(a, b):
        row = [a, b]
        m = np.array([row, row])
        return np.sum(m * m)

    forms_agree(f, 0.5, -1.5)


def test_an_array_of_ints_and_floats(forms_agree):
    def f(a, n):
        v = np.array([n, a])
        w = np.array([n, n])
        return v[0] * v[1] + w[1] // 2

    forms_agree(f, 0.5, 3)


def test_an_array_made_in_one_branch(forms_agree):
    def f(a, v):
        w = v
        if a > 0.0:
            w = np.array([a, a * a, v[1]])
        return w[0] * w[1] + w[2]

    forms_agree(f, 0.5, X)
    forms_agree(f, -0.5, X)


def test_an_array_that_is_returned(forms_agree):
    def f(a, b):
        return np.array([a * b, b])

    forms_agree(f, 0.5, -1.5)


def test_infinities_and_zeros_in_an_array():
    def f(a, b):
        v = np.array([a, b])
        return v[0] * b + v[1] * a

    assert gradient(f, 1.0, np.inf) == (np.inf, 2.0)
    assert np.isnan(gradient(f, np.nan, 1.0)[1])


def test_an_array_goes_round_and_is_read_by_element(forms_agree):
    def f(s, h, n):
        for _ in range(n):
            k = np.array([s[1], -s[0]])
            s = s + h * k
        return s[0] * s[1]

    for n in (0, 1, 4):
        forms_agree(f, X[:2], 0.1, n, fused=True)


def test_an_array_goes_round_and_changes_its_length(forms_agree):
    def f(s, n):
        total = 0.0
        for _ in range(n):
            total = total + s[0] * s[-1]
            s = s[1:] * s[:-1]
        return total

    for n in (0, 1, 3):
        forms_agree(f, np.array([0.5, -1.5, 0.25, 2.0, 1.1]), n, fused=True)


def test_an_array_goes_round_and_is_read_in_the_loop_alone(forms_agree):
    def f(s, n):
        total = 0.0
        for i in range(n):
            t = s * s
            if i > 1:
                total = total + t[0] * s[1]
            s = np.array([s[1], t[0]])
        return total

    for n in (0, 1, 4):
        forms_agree(f, X[:2], n, fused=True)


def test_an_array_bound_in_a_loop_and_read_after_it(forms_agree):
    def f(v, n):
        for i in range(n):
            w = v * (i + 1.0)
        return w[0] * w[1]

    forms_agree(f, X, 3, fused=True)


def test_a_loop_left_half_way(forms_agree):
    def f(s, n):
        for i in range(n):
            s = s * 0.5 + s[0]
            if s[1] > 0.2 and i > 1:
                break
            if s[2] > 10.0:
                return s[1]
        else:
            s = s[1:] * 2.0
        return s[0] * s[1]

    for n in (0, 1, 2, 5):
        forms_agree(f, X, n)
    forms_agree(f, 40.0 * X, 5)


def test_an_array_bound_in_one_branch_and_read_in_a_later_one(forms_agree):
    def f(v, n):
        if n > 0:
            w = v * 2.0
        total = v[0]
        if n > 0:
            total = total + w[1] * w[2]
        return total

    forms_agree(f, X, 0)
    forms_agree(f, X, 1)


def test_two_names_of_one_cotangent(forms_agree):
    def f(v, n):
        for _ in range(n):
            a = v * 2.0
            b = a + v
            v = b + a
            v = v + a[0] + b[1]
        return v[0] * v[1]

    forms_agree(f, X, 2, fused=True)


def test_an_empty_array_goes_round(forms_agree):
    def f(v, x, n):
        for _ in range(n):
            v = v * x + v[:0].sum() * 0.0 + v[0:1] * x
        return np.sum(v) + x

    forms_agree(f, np.zeros(0), 0.5, 2)
    forms_agree(f, X[:1], 0.5, 2)


def test_an_array_taken_apart(forms_agree):
    def f(s, n):
        x, y = s
        total = x
        for _ in range(n):
            a, b, *_ = np.array([x * y, y, x])
            x, y = np.array([a - y, x * 0.5])
            s = s * x
            y, y = s
            total = total + x * y * b
        return total * s[0]

    for n in (0, 1, 3):
        forms_agree(f, X[:2], n)


def test_an_array_taken_apart_in_a_loop(forms_agree):
    def f(s, h, n):
        for _ in range(n):
            x, y = s
            s = s + h * np.array([y, -x * x])
        x, y = s
        return x * y

    for n in (0, 1, 4):
        forms_agree(f, X[:2], 0.1, n, fused=True)


def test_a_part_under_a_name_of_any_kind(forms_agree):
    def f(s, n):
        x = None
        for _ in range(n):
            if x is not None:
                s = s * x
            x, y = s
        return s[0] if x is None else x * y

    for n in (0, 1, 2):
        forms_agree(f, X[:2], n)


def test_an_array_and_its_name_taken_apart(forms_agree):
    def f(s):
        s, t = s
        return s * t

    def g(s):
        (a, b), c = s[:2], s[2]
        return a * b + c

    forms_agree(f, X[:2])
    forms_agree(g, X)


@pytest.mark.parametrize("count", [1, 3])
def test_too_many_or_too_few_parts(count):
    def f(s):
        x, y = s
        return x * y

    with pytest.raises(ValueError) as plain:
        f(X[:count])
    with pytest.raises(ValueError) as found:
        gradient(f, X[:count])
    assert str(found.value) == str(plain.value)


def test_rows_taken_apart(forms_agree):
    def f(m):
        a, b = m
        return a @ b + a[0]

    forms_agree(f, np.array([[0.5, 1.5], [0.25, 2.0]]))
