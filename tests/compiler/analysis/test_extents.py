"""Shapes that are equal for certain are not compared, and no others go uncompared."""

import numpy as np
import pytest

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds, fused=True):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind.startswith("ndarray") or kind == "float" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=fused).text.source


def vector(n, start=0.3):
    return np.linspace(start, start + 1.0, n)


def test_slices_that_leave_out_as_many(forms_agree):
    def f(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2 * x[: -2 + 1])

    def g(x):
        return np.sum(x[2:] * x[1:-1] * x[:-2])

    def h(x):
        return np.sum(x[1:][1:] * x[2:])

    for fn in (f, g, h):
        text = source(fn, "ndarray1")
        assert ".shape ==" not in text and "sum_to_shape" not in text
        for n in (0, 1, 2, 3, 7):
            forms_agree(fn, vector(n))


def test_slices_that_leave_out_more(forms_agree):
    def f(x):
        return np.sum(x[1:] * x[:1])

    def g(x, n):
        return np.sum(x[:n] * x[n:])

    assert "sum_to_shape" in source(f, "ndarray1")
    assert "sum_to_shape" in source(g, "ndarray1", "int")
    for n in (1, 2, 3, 7):
        forms_agree(f, vector(n))
    for n in (1, 2, 4):
        forms_agree(g, vector(4), n) if n != 4 else None
        forms_agree(g, vector(n + 1), n)


def test_two_arguments_may_differ(forms_agree):
    def f(x, y):
        t = 2.0 * x
        u = np.exp(y)
        return np.sum(t * x + u * y) + np.sum(t * u)

    assert source(f, "ndarray1", "ndarray1").count(".shape ==") == 2
    for n, m in ((3, 3), (3, 1), (1, 3), (1, 1), (0, 0), (0, 1)):
        forms_agree(f, vector(n), vector(m))


def test_what_subscripts_have_told(forms_agree):
    def f(s, p):
        return np.sum(s + np.array([s[0] * p[0], p[1] * s[1]]))

    def g(s, p):
        return np.sum(s + np.array([s[0] * p[0], p[1] * s[0]]))

    assert "sum_to_shape" not in source(f, "ndarray1", "ndarray1")
    assert "sum_to_shape" in source(g, "ndarray1", "ndarray1")
    forms_agree(f, vector(2), vector(3))
    for n in (1, 2):
        forms_agree(g, vector(n), vector(3))


def test_new_axes_are_summed_without_asking(forms_agree):
    def f(a, b):
        d = a[:, None, :] - a[None, :, :]
        return np.sum(d * d * b[:, None]) + np.sum(b[:, None] * b[None, :])

    text = source(f, "ndarray2", "ndarray1")
    assert "keepdims=True" in text
    for n, m in ((3, 2), (1, 2), (2, 1), (1, 1), (0, 2)):
        forms_agree(f, np.linspace(0.1, 1.2, n * m).reshape(n, m), vector(n))


def test_a_name_that_a_loop_makes_longer(forms_agree):
    def f(x, y, n):
        s = x
        for i in range(n):
            s = s * y
        return np.sum(s * x)

    for n in (0, 1, 3):
        for one, two in ((1, 3), (3, 1), (3, 3), (1, 1)):
            forms_agree(f, vector(one), vector(two), n)


def test_a_name_that_a_loop_keeps(forms_agree):
    def f(x, n):
        s = x
        c = np.zeros(x.shape[0])
        for i in range(n):
            c = c * 0.5 + np.tanh(s)
            s = s * x + c
        return np.sum(s + c)

    text = source(f, "ndarray1", "int")
    assert ".shape ==" not in text and "_shape" not in text
    for n in (0, 1, 3):
        for length in (0, 1, 4):
            forms_agree(f, vector(length), n)


def test_a_row_and_a_column_change_places_in_a_loop(forms_agree):
    def f(x, n):
        a = x[None, :]
        b = x[:, None]
        t = 0.0
        for i in range(n):
            t = t + np.sum(a * b * (i + 1.0))
            a, b = b, a
        return t + np.sum(a * x)

    for n in (0, 1, 2, 3):
        for length in (1, 3):
            forms_agree(f, vector(length), n)


def test_either_arm(forms_agree):
    def f(x, y, n):
        if n > 1:
            s = x[:1]
        else:
            s = x
        return np.sum(s * y * x)

    for n in (1, 2):
        for length in (1, 3):
            forms_agree(f, vector(length), vector(length), n)


def test_what_only_one_arm_has_told(forms_agree):
    def f(x, y, n):
        t = 0.0
        if n > 1:
            t = x[1] + y[1]
        return t * np.sum(x * y) + np.sum(x + y)

    forms_agree(f, vector(3), vector(3), 2)
    for one, two in ((1, 3), (3, 1), (1, 1)):
        forms_agree(f, vector(one), vector(two), 1)


def test_products_tell_that_inner_lengths_are_equal(forms_agree):
    def f(a, b, v):
        return np.sum(a @ v * v) + np.sum((a @ b) * (b.T @ a.T).T)

    text = source(f, "ndarray2", "ndarray2", "ndarray1")
    assert "sum_to_shape(" in text  # a @ v and v may be of different lengths
    a = np.linspace(0.1, 1.2, 9).reshape(3, 3)
    forms_agree(f, a, a + 0.5, vector(3))
    forms_agree(f, a[:1], a + 0.5, vector(3))


def test_an_array_that_somebody_may_reshape_is_asked():
    def f(x, y):
        t = 2.0 * x
        t.resize((2, 2), refcheck=False)
        return np.sum(t * y) + np.sum(t * (2.0 * t))

    with pytest.raises(Exception, match="resize"):
        gradient(f, vector(4), np.ones((2, 2)))


def test_the_same_array_twice(forms_agree):
    def f(x, y):
        return np.sum((x - y) * x)

    x = vector(3)
    assert gradient(f, x, x)[0].shape == (3,)
    forms_agree(f, x, x[:1])
