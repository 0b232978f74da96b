"""An iteration keeps what the reverse sweep reads of it, and an idle one nothing."""

import math

import numpy as np

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds, fused=True):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind != "int" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=fused).text.source


def root(a, b):
    x = 3.0
    it = 0
    while True:
        f = x * x * x - a * x - b
        if abs(f) < 1e-12:
            break
        x = x - f / (3.0 * x * x - a)
        it = it + 1
        if it > 50:
            break
    return x


def test_newtons_method_records_nothing_for_the_last_test(forms_agree):
    for fused in (True, False):
        text = source(root, "float", "float", fused=fused)
        assert "left" not in text and "None" not in text[60:]
    forms_agree(root, 2.0, 5.0)


def test_an_exit_at_each_place(forms_agree):
    def f(x, y, n):
        s = 0.0
        for i in range(n):
            t = x * y
            if t > 8.0:
                break
            s = s + t * s + x
            if s > 3.0:
                x = x * 0.5
                continue
            x = x * y
        return s * x

    for n in (0, 1, 3, 9):
        forms_agree(f, 1.3, 1.1, n)
    forms_agree(f, 8.0, 1.1, 4)


def test_a_loop_left_before_anything_was_recorded():
    assert gradient(root, 0.0, 27.0) == (0.0, 0.0)


def test_loops_in_loops_with_exits(forms_agree):
    def f(x, y, n):
        s = x
        for i in range(n):
            k = 0
            while k < 5:
                s = s * y + x
                if s > 4.0:
                    s = s - 3.0 * y
                    break
                k = k + 1
            if s < 0.0:
                break
            s = s + math.sin(s)
        return s

    for n in (0, 1, 2, 3):
        forms_agree(f, 0.7, 1.2, n)


def test_equal_fields_are_kept_once(forms_agree):
    def f(x, n):
        s = 0.0
        for i in range(n):
            a = math.sin(x)
            b = math.sin(x)
            s = s + a * b * s
            x = x + s * a
        return s + x

    assert source(f, "float", "int").count("math.sin(x") == 1
    forms_agree(f, 0.4, 4)


def test_what_is_walked_beside_an_index_has_one_record_an_iteration(forms_agree):
    """Left out, the others would go to the elements of other iterations."""

    def f(y, least):
        s = 1.0
        for i in range(y.shape[0]):
            if y[i] > least:
                continue
            s += y[i] * y[i]
        return s

    y = np.array([-1.3, 0.9, -0.5, 0.7, 0.2, -0.1])
    for least in (0.3, -0.7, 2.0, -2.0):
        forms_agree(f, y, least)


def test_an_index_that_was_a_number_before_its_loop_is_kept(forms_agree):
    """The name is bound once outside of loops, and yet another thing in each iteration."""

    def f(w, x):
        i = 0
        s = w[i] * x
        for i in range(1, len(w)):
            s = s + w[i] * x * x
        return np.sum(s * s)

    forms_agree(f, np.arange(1.0, 13.0).reshape(4, 3), np.array([0.3, -0.7, 1.1]))
