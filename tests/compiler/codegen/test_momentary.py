"""Statements written into the next one that binds the same name."""

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


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
