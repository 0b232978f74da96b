"""What the reverse sweep reads is what the forward sweep saw: overwritten names, written arrays."""

import linecache

import numpy as np
import pytest

from astad import gradient, settings
from astad.compiler.reverse_mode.residuals import Residuals


def test_an_array_written_after_it_was_used(forms_agree):
    def f(v, x):
        w = v * x
        a = np.sum(w * w)
        w[0] = x
        b = np.sum(w * w)
        w[1:] = w[:-1] * a
        return a * b + np.sum(w * w * w)

    forms_agree(f, np.array([0.5, 1.5, 0.7]), 0.8)


def test_an_argument_written_after_it_was_used(forms_agree):
    def f(v, x):
        a = np.sum(v * v)
        v[0] = a * x
        v[1] += v[0] * v[2]
        v *= x
        return np.sum(np.sin(v)) * a

    forms_agree(f, np.array([0.5, 1.5, 0.7]), 0.8)


def test_a_view_written_through_its_owner(forms_agree):
    def f(v, x):
        w = v * 1.0
        tail = w[1:]
        a = np.sum(tail * tail)
        w[2] = x * a
        tail[0] = tail[1] * x
        return np.sum(w * w) + a * np.sum(tail)

    forms_agree(f, np.array([0.5, 1.5, 0.7]), 0.8)


def test_writes_in_a_loop(forms_agree):
    def f(v, x, n):
        w = np.zeros(n)
        w[0] = x
        for i in range(1, n):
            w[i] = w[i - 1] * v[i] + x
        return np.sum(w * w)

    forms_agree(f, np.array([0.5, 1.5, 0.7, 0.9]), 0.8, 4)


def test_an_array_updated_in_place_in_a_loop(forms_agree):
    def f(v, x, n):
        w = v.copy()
        s = 0.0
        for i in range(n):
            s = s + np.sum(w * v)
            w += v * x
            w *= 0.7
            w[i % 3] -= s
        return s + np.sum(w * w)

    forms_agree(f, np.array([0.5, 1.5, 0.7]), 0.8, 4)


def test_in_place_on_two_names_for_one_array(forms_agree):
    def f(v, x):
        a = v * x
        b = a
        b += v
        c = a * b
        a[0] = c[1]
        return np.sum(b * c)

    forms_agree(f, np.array([0.5, 1.5, 0.7]), 0.8)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_list_changed_in_a_loop(forms_agree, n):
    def f(x, n):
        items = [x, x * x]
        for i in range(n):
            items[i % 2] = items[0] * items[1] + x
            items.append(items[-1] * 0.5)
            if i == 2:
                items.pop()
        return sum(items) * items[0]

    forms_agree(f, 0.8, n)


def test_a_dict_changed_in_a_loop(forms_agree):
    def f(x, y):
        d = {"a": x, "b": y}
        for i in range(3):
            d["a"] = d["a"] * d["b"]
            d["c"] = d.get("c", x) + d["a"]
        return d["c"] * d["b"]

    forms_agree(f, 0.8, 1.1)


def test_values_of_an_outer_loop_read_in_an_inner_one(forms_agree):
    def f(x, n):
        s = x
        for i in range(n):
            a = s * x
            b = a + i
            for j in range(n):
                s = s + a * b * 0.1
                for k in range(2):
                    s = s * 0.9 + a * j * k
            x = x * 0.9
        return s * x

    forms_agree(f, 0.8, 3)


def test_values_from_before_the_loop_rebound_after_it(forms_agree):
    def f(x, n):
        a = x * x
        b = a + 1.0
        for i in range(n):
            x = x * a * b
        a = x
        b = a * x
        for i in range(n):
            x = x + a * b
        a = b
        return a * x

    forms_agree(f, 0.6, 3)


@pytest.mark.parametrize("x", [0.5, 1.2])
def test_a_value_kept_in_one_arm_and_rebound_in_the_other(forms_agree, x):
    def f(x, y):
        a = x * y
        if x > 1.0:
            b = a * a
            a = b + x
        else:
            b = x
            a = a * b
        c = a * b
        a = c
        if x < 1.0:
            c = a * c
            a = a + 1.0
        return a * c

    forms_agree(f, x, 0.7)


def test_a_branch_in_a_loop_that_rebinds_what_a_later_branch_reads(forms_agree):
    def f(x, n):
        a = x
        for i in range(n):
            if i % 2:
                b = a * x
                a = b + 0.1
            if i % 3 == 0:
                c = a * a
                a = c * 0.9
            a = a * x + i * 0.1
        return a

    forms_agree(f, 0.8, 5)


def test_a_deep_nest_with_one_name(forms_agree):
    def f(x, n):
        for i in range(n):
            x = x * x
            for j in range(n):
                x = x * 0.9 + x * x * 0.1
                if j % 2:
                    x = x * 1.1
                    for k in range(2):
                        x = x - x * x * 0.05
                        if k > 0 and x > 1.0:
                            x = x * 0.5
                            break
        return x * x

    forms_agree(f, 0.8, 3)


def test_twice_as_many_writes_in_a_loop_take_four_times_the_looks_at_most(monkeypatch):
    looks = []
    plain = Residuals._is_after
    monkeypatch.setattr(
        Residuals, "_is_after", staticmethod(lambda *given: looks.append(1) or plain(*given))
    )
    monkeypatch.setattr(settings, "cache", False)
    counts = []
    for n in (20, 40):
        lines = [f"        u[{i % 5}] *= a\n        u = np.tanh(u)\n" for i in range(n)]
        head = "def f(a):\n    u = np.ones(5)\n    for k in range(3):\n"
        text, file = head + "".join(lines) + "    return np.sum(u)\n", f"<writes {n}>"
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        space = {"np": np}
        exec(compile(text, file, "exec"), space)
        looks.clear()
        gradient(space["f"], 0.9)
        counts.append(len(looks))
    assert 0 < counts[1] <= 4.5 * counts[0]
