"""Temporaries are numbered as they are read; names of the user's keep theirs."""

import re

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def test_in_the_order_of_the_text_without_gaps():
    def f(x, y):
        a = (x * y + x) * (x - y)
        return a * (x * y) / (x + y * (x - y))

    text = compile_function(f, [parse_kind("float")] * 2, [True] * 2, fused=True).text.source
    numbers = [int(number) for number in re.findall(r"t_(\d+)", text)]
    seen = list(dict.fromkeys(numbers))
    assert seen == list(range(1, len(seen) + 1))


def test_a_name_of_the_users_is_not_taken(forms_agree):
    def f(t_1, t_3):
        t_2 = t_1 * t_3
        return (t_2 + t_1 * t_3) * (t_2 - t_1)

    text = compile_function(f, [parse_kind("float")] * 2, [True] * 2, fused=True).text.source
    assert text.startswith("def f_gradient(t_1, t_3):") and "t_2 = t_1 * t_3" in text
    forms_agree(f, 0.7, 1.3)
