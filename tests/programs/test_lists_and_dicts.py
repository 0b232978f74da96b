"""Lists, tuples and dicts: built, read, written, grown, shrunk."""

import time

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient


def test_lists_of_lists_built_in_a_loop():
    def f(x, y):
        rows = []
        for i in range(4):
            r = [x * i, y + i, x * y]
            r[0] = r[0] * r[-1]
            rows.append(r)
            if i == 2:
                rows.pop()
        s = 0.0
        for r in rows:
            s = s + r[0] * r[1] + r[2]
        return s

    check_gradient(f, 1.3, -0.7)


def test_recursion_over_a_list():
    def f(l, i=0):
        if i == len(l):
            return 0.0
        return l[i] ** 2 + 2 * f(l, i + 1)

    assert gradient(f, [1.0, 2.0, 3.0]) == ([2.0, 8.0, 24.0],)
    check_gradient(f, [1.0, 2.0, 3.0])


def test_every_method_that_moves_elements():
    def f(x, y):
        l = [x, y, x * y]
        l.insert(1, x + y)
        l.reverse()
        l.extend([y * y, x])
        a = l.pop()
        b = l.pop(1)
        l += [a * b]
        del l[0]
        l[1:2] = [x * 3, y * 4]
        l.append(l[0])
        total = 0.0
        for i, v in enumerate(l):
            total = total + (i + 1) * v * v
        return total

    check_gradient(f, 1.2, -0.7)


def test_slices_sums_and_copies_of_lists():
    def f(l):
        m = l[1:] + [l[0] * 2] * 2
        n = sorted(l)
        c = list(m)
        c[0] = c[0] * n[-1]
        return sum(c) + n[0] * m[0] + max(l) * min(l)

    check_gradient(f, [0.5, -1.0, 2.0])


def test_dict_items_written_and_read():
    def f(d, x):
        d["a"] = d["a"] * x
        d["new"] = x * x
        e = dict(d, a=d["new"] + 1.0)
        total = e.get("a", 0.0) * d["b"] + e.pop("new")
        for key, value in d.items():
            if key != "b":
                total += value * x
        return total

    check_gradient(f, {"a": 1.5, "b": -0.5}, 0.7)


def test_dict_argument_comes_back_with_every_differentiable_key():
    def f(p):
        return (p["W"] * p["x"]).sum()

    p = {"W": np.array([1.0, 2.0]), "x": 3.0, "name": "layer", "unused": 1.0}
    (bar,) = gradient(f, p)
    assert bar["W"].tolist() == [3.0, 3.0]
    assert bar["x"] == 3.0
    check_gradient(f, p)


def test_tuple_unpacked_starred_and_swapped():
    def f(t, x):
        a, *rest = t
        *front, last = rest
        a, last = last * x, a
        (p, q), r = (a, x), last
        return p * q + r * sum(front)

    check_gradient(f, (1.0, 2.0, 3.0, 4.0), 0.5)


def sum_of_squares(t):
    s = 0.0
    for i in range(len(t)):
        s = s + t[i] * t[i]
    return s


def test_tuple_of_many_floats_indexed_in_a_loop():
    t = tuple(float(i % 7) for i in range(10000))
    (bar,) = gradient(sum_of_squares, t)
    assert type(bar) is tuple
    assert bar == tuple(2 * v for v in t)


@pytest.mark.timing
def test_tuple_of_many_floats_indexed_in_a_loop_is_linear():
    t = tuple(float(i % 7) for i in range(10000))
    gradient(sum_of_squares, t)
    start = time.perf_counter()
    gradient(sum_of_squares, t)
    assert time.perf_counter() - start < 2.0  # quadratic would be over a minute


@pytest.mark.parametrize("n", [2000, 4000])
def test_element_loop_over_an_array(n):
    def f(a):
        s = 0.0
        for i in range(len(a)):
            s = s + a[i] * a[i]
        return s

    a = np.linspace(-1.0, 1.0, n)
    (bar,) = gradient(f, a)
    assert np.allclose(bar, 2 * a, rtol=1e-14)
    start = time.perf_counter()
    gradient(f, a)
    assert time.perf_counter() - start < 1.0


def test_comprehensions_and_generator_expressions():
    def f(x, l):
        squares = [v * v * x for v in l if v > 0]
        table = {k: v * x for k, v in zip("abc", l)}
        nested = [[v * w for w in l] for v in squares]
        total = sum(v * x for v in squares) + sum(table.values()) + nested[0][1]
        return total + max(w for row in nested for w in row)

    check_gradient(f, 0.8, [1.0, -2.0, 3.0])


def test_list_of_arrays_grown_in_a_loop_and_stacked():
    def f(x):
        history = [x]
        for i in range(3):
            history.append(np.sin(history[-1]) * (i + 1))
        return np.stack(history)[::2].sum() + history[1] @ history[2]

    check_gradient(f, np.array([0.4, -1.1]))


def test_nested_structure_as_result():
    def f(x, a):
        return {"loss": x * a.sum(), "parts": [a * x, (x, a[0])]}

    check_gradient(f, 1.5, np.array([1.0, -2.0]))
