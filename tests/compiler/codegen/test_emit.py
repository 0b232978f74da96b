"""Temporaries move into the next statement only where Python evaluates in the same order.

Statements written into the next one that binds the same name.

Conditions are written as people write them, and are true in the same cases.
"""

import math

import numpy as np
import pytest

from astad import gradient, pullback
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

from ..forms import only_generic


class Told:
    """Numbers that tell when they are used."""

    def __init__(self):
        self.said = []

    def __call__(self, name, value):
        self.said.append(name)
        return value


@pytest.fixture
def told(monkeypatch):
    made = Told()
    monkeypatch.setitem(globals(), "say", made)
    return made


say = None


def in_order(f, told, *args):
    """What the function says when it runs plainly, and in the forward sweep of each form."""
    f(*args)
    plain = list(told.said)
    for form in ("pair", "fused", "generic"):
        told.said.clear()
        if form == "fused":
            gradient(f, *args)
        elif form == "pair":
            pullback(f, *args)[1](1.0)
        else:
            with only_generic():
                pullback(f, *args)[1](1.0)
        assert told.said == plain, form


def test_operands_of_operators(told):
    def f(x):
        return say("a", x) * (say("b", x) + say("c", x) / say("d", x)) - say("e", x)

    in_order(f, told, 0.5)


def test_arguments_keywords_and_stars(told):
    def f(x):
        def g(*args, **words):
            return args[0] * words["k"]

        return g(say("a", x), *[say("b", x)], k=say("c", x), **{say("d", "m"): say("e", x)})

    in_order(f, told, 0.5)


def test_assignments_to_items(told):
    def f(x):
        items = [x, x]
        say("list", items)[say("index", 0)] = say("value", x * x)
        say("list", items)[say("index", 1)] += say("value", x)
        return items[0] * items[1]

    in_order(f, told, 0.5)


def test_displays_comparisons_and_containment(told):
    def f(x):
        a = [say("a", x), {say("b", "k"): say("c", x)}, (say("d", x), say("e", x))]
        b = say("f", x) < say("g", 2.0) < say("h", 1.0) < say("never", 0.0)
        c = say("i", 1) in say("j", [1, 2])
        return a[0] * a[1]["k"] * a[2][0] + b + c

    in_order(f, told, 0.5)


def test_conditions(told):
    def f(x):
        y = say("a", x) if say("b", x > 0) else say("c", x)
        z = say("d", 0.0) or say("e", x)
        w = say("f", x) and say("g", y * z)
        return w * y

    in_order(f, told, 0.5)


def test_loops(told):
    def f(x):
        for i in range(say("n", 2)):
            x = say("i", i) * x + say("x", x)
        while say("w", x) < 3.0:
            x = x * 2.0 + say("one", 1.0)
        return x

    in_order(f, told, 0.5)


def test_a_name_read_before_it_is_bound_again_in_one_expression(forms_agree):
    def f(x):
        y = x * 2.0
        z = y + (y := y * x) * y
        w = [x, (x := x * z), x]
        return z * w[0] + w[1] * w[2] * x

    forms_agree(f, 0.7)


def test_an_element_read_before_it_is_written_in_one_expression(forms_agree):
    def f(x):
        items = [x, x * x]
        y = items[0] + items.pop() * len(items)
        return y * sum(items)

    forms_agree(f, 0.7)


def test_a_buffer_of_what_carries_no_derivative_in_the_end(forms_agree):
    def f(x):
        if x > 0.79:
            x = x * np.array([0.15, 0.7])[:, None]
        return np.sum(x)

    forms_agree(f, 0.3)
    forms_agree(f, 1.3)


def last_of(xs, factor):
    for i in range(1, len(xs)):
        y = xs[i]
    return y * factor


@pytest.mark.parametrize("of", [np.array, list])
def test_a_pullback_that_adds_to_a_buffer_comes_before_the_element_is_read(of, forms_agree):
    """``b[3] += f_pullback(kept, g, b)`` would lose what the pullback adds to the element."""

    def one(xs):
        return np.sin(last_of(xs, xs[3]))

    def many(xs):
        s = 0.0
        for i in range(4):
            s = s + last_of(xs, xs[i]) ** 2
        return s

    def of_a_view(xs):
        ys = xs[1:]
        return last_of(xs, ys[2]) + last_of(ys, xs[3])

    for fn in (one, many, of_a_view):
        forms_agree(fn, of([0.7, -0.8, -1.1, -0.9]))


def test_comparisons_that_are_compared(forms_agree):
    def f(x, y):
        while (x < y) is (y < 9.0):
            x = x * 2.0
        else:
            x = x * y
        return x * y

    forms_agree(f, 1.3, 4.0)
    forms_agree(f, 1.3, 1.0)


def test_a_product_and_a_sum_in_one_statement(forms_agree):
    def f(x, n):
        acc = 0.0
        p = 1.0
        for i in range(n):
            acc = acc + p / (i + 1.0)
            p = p * x
        return acc

    kinds = [parse_kind("float"), parse_kind("int")]
    text = compile_function(f, kinds, [True, False], fused=True).text.source
    assert "p_bar = p_bar * x + 1.0 / (i + 1.0)" in text
    forms_agree(f, 0.7, 5)


def test_a_value_read_in_between_is_written_before():
    def f(x, y):
        a = x * y
        b = a * a + x
        return b * a + x * b

    x, y = 0.7, 1.3
    a, b = x * y, (x * y) ** 2 + x
    b_bar = a + x
    a_bar = b + b_bar * 2.0 * a
    found = gradient(f, x, y)
    assert abs(found[0] - (b + b_bar + a_bar * y)) < 1e-12
    assert abs(found[1] - a_bar * x) < 1e-12


def test_statements_of_the_user_stay_as_they_are(forms_agree):
    def f(x, rate, n):
        y = x
        for _ in range(n):
            y = y * x
            y = y + rate
            if y > 3.0:
                y = y * 0.5
                y = y - rate
        return y

    kinds = [parse_kind("float"), parse_kind("float"), parse_kind("int")]
    text = compile_function(f, kinds, [True, True, False], fused=True).text.source
    lines = [line.strip() for line in text.splitlines()]
    start = lines.index("y = y * x")
    assert lines[start + 1] == "y = y + rate"
    start = lines.index("y = y * 0.5")
    assert lines[start + 1] == "y = y - rate"
    forms_agree(f, 1.2, 0.3, 6)


def source(fn, *kinds):
    return compile_function(
        fn, [parse_kind(kind) for kind in kinds], [True] * len(kinds), fused=True
    ).text.source


def test_chains_and_conjunctions():
    def f(x, y):
        if 0 < x < 1 and (y > 2.0 or y < -2.0):
            return x * y
        return x - y

    text = source(f, "float", "float")
    assert "0 < x < 1 and (y > 2.0 or y < -2.0)" in text
    for x in (-1.0, 0.0, 0.5, 1.0, math.nan):
        for y in (-3.0, -2.0, 0.0, 2.5, math.nan):
            inside = 0 < x < 1 and (y > 2.0 or y < -2.0)
            assert gradient(f, x, y) == ((y, x) if inside else (1.0, -1.0))


def test_a_loop_with_its_test_at_the_head():
    def f(x, c):
        while x * c < 10.0:
            x = x * 2.0 + c
        return x

    assert "while x * c < 10.0:" in source(f, "float", "float")
    assert gradient(f, 1.0, 1.0) == (8.0, 7.0)


def test_the_value_of_a_comparison_is_the_users():
    def f(x, y):
        both = x > 0 and y
        return x * both

    assert gradient(f, 2.0, 3.0) == (3.0, 2.0)
    assert gradient(f, -2.0, 3.0)[0] == 0


def test_endless_loops_that_ask_for_a_sign():
    def f(x, n):
        while True:
            if -n:
                break
            x = x * x
            n = n + 1
        return x

    assert gradient(f, 1.5, 0) == (3.0, None)
