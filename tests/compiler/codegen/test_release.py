"""Arrays are let go when nobody reads them any more; what is computed stays the same."""

import ast
import tracemalloc

import numpy as np

from astad import gradient
from astad.compiler.codegen.release import release_arrays


def released(text, arrays=("x",)):
    made = ast.parse(text).body[0]
    release_arrays(made, set(arrays))
    return ast.unparse(made)


def test_each_name_after_its_last_reading():
    text = """
def f(x):
    a = x * x
    b = a + x
    c = b - a
    d = c * c
    n = d.shape
    e = d * 2.0
    g = e + 1.0
    return (g, n)
"""
    assert released(text).splitlines()[3:8] == [
        "    c = b - a",
        "    del a, b",
        "    d = c * c",
        "    del c",
        "    n = d.shape",
    ]


def test_what_both_arms_bind_is_let_go_and_slices_of_arguments_are_not():
    text = """
def f(x, s):
    v = x[1:, None]
    if s:
        a = v * v
        b = 1.0
    else:
        a = v + 1.0
    c = a * v
    d = c * 2.0
    e = d + 1.0
    g = e * e
    return g
"""
    lines = released(text).splitlines()
    assert "    del a" in lines and not any("v" in line for line in lines if "    del" in line)


def test_numbers_parameters_and_what_a_loop_or_branch_binds_are_left():
    text = """
def f(x, s):
    t = s * 2.0
    n = x.shape
    u = t + 1.0
    for i in range(3):
        v = x * u
        w = v * v
    if u > 0:
        z = x + x
    q = z * w
    return q * u
"""
    assert "del" not in released(text)


def test_what_is_kept_of_iterations_goes_after_the_reverse_loop():
    text = """
def f(x):
    kept_1 = []
    y = x * 1.0
    for i in range(3):
        kept_1.append(y)
        y = y * y
    g = y * 2.0
    for y in reversed(kept_1):
        g = g * y
    h = g + g
    i = h * h
    j = i @ i
    return j
"""
    assert "    del kept_1, y" in released(text).splitlines()


def test_gradient_of_a_chain_needs_the_memory_of_a_few_arrays(forms_agree):
    def chain(x):
        a = x + 1.0
        b = a * 0.5
        c = b - 2.0
        d = c * 3.0
        e = d + 0.1
        f = e * 0.2
        g = f - 0.4
        h = g * 1.5
        i = h + 0.3
        j = i * 0.7
        return np.sum(j)

    forms_agree(chain, np.array([0.3, -0.4, 0.7]))
    x = np.ones(20_000)
    gradient(chain, x)
    tracemalloc.start()
    gradient(chain, x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 7 * x.nbytes


def test_views_and_aliases_of_what_is_let_go(forms_agree):
    def f(x):
        a = x * 2.0
        v = a[1:]
        w = a[:-1]
        b = v * w
        c = b + b
        same = c
        d = same * v
        return np.sum(d) + np.sum(c)

    forms_agree(f, np.array([0.3, -0.4, 0.7, 1.1]))


def test_an_exception_half_way_is_the_users():
    def f(x):
        a = x * 2.0
        b = a + 1.0
        c = b * b
        d = c @ np.ones(5)
        return d

    try:
        gradient(f, np.ones(3))
    except ValueError as error:
        assert "matmul" in str(error)


def test_numbers_read_out_of_arrays_are_left():
    text = """
def f(x):
    a = x[0]
    b = x[1]
    c = a * b
    c_bar = x[2]
    b_bar = c_bar * a
    d = x * 2.0
    e = d * 2.0
    f = e * 2.0
    return f + b_bar
"""
    made = ast.parse(text).body[0]
    release_arrays(made, {"x"}, {"a", "b", "c"})
    assert "del" not in ast.unparse(made)
    assert "del a, c_bar" in released(text)


def test_what_the_user_lets_go_is_let_go_once():
    def spread(x):
        w = x * 2.0
        z = w * w
        del w
        return np.sum(z * z)

    assert gradient(spread, np.ones(2))[0].tolist() == [64.0, 64.0]
