"""Cotangents that only hand another on are not written, and no two names share what is changed."""

import numpy as np

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def test_copies_of_the_users_are_kept_and_cotangents_need_none(forms_agree):
    def f(x):
        y = x
        z = y
        w = z * z
        u = w
        return u

    made = compile_function(f, [parse_kind("float")], [True], fused=False).text.source
    forward, pullback = made.split("def f_pullback")
    assert "y = x" in forward and "z = y" in forward
    assert "z_bar = w_bar" not in pullback and pullback.count("\n") <= 6
    forms_agree(f, 0.7)


def test_a_copy_whose_source_changes(forms_agree):
    def f(x, y, n):
        for i in range(n):
            a = x
            x = y
            y = a * 0.5
        return x * y + a

    forms_agree(f, 0.7, 1.2, 3)
    forms_agree(f, 0.7, 1.2, 4)


def test_buffers_that_are_added_to_in_place(forms_agree):
    def f(v, w, n):
        s = 0.0
        for i in range(n):
            s = s + v[i] * w[i] + v[i - 1] * s
        u = v
        for i in range(n):
            s = s + u[i] * v[n - 1 - i] * w[i]
        return s

    forms_agree(f, np.array([0.5, 1.5, 0.7]), np.array([0.4, 0.8, 1.1]), 3)


def test_slices_of_a_buffer(forms_agree):
    def f(v, x):
        a = v[1:]
        b = v[:-1]
        c = a * b + v[0]
        return np.sum(c * a) * x + np.sum(v * v)

    forms_agree(f, np.array([0.5, 1.5, 0.7]), 0.9)


def test_the_same_cotangent_for_two_operands(forms_agree):
    def f(v, w):
        a = v + w
        b = a + a
        c = b + v
        return np.sum(c * c)

    forms_agree(f, np.array([0.5, 1.5]), np.array([0.4, 0.8]))
