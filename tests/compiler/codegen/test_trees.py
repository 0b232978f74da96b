"""

Temporaries are numbered as they are read; names of the user's keep theirs.
"""

import ast
import re

from astad.compiler.codegen.trees import children, names_in
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

TEXT = """
def f(x, y):
    for i in range(x):
        y[i, 1:] += g(x, *y, k={x: y}) if x < i else -x.shape[0]
    return [x, (y, None)]
"""


def test_everything_below_a_node_but_operators_and_contexts():
    plain = (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop)
    for node in ast.walk(ast.parse(TEXT)):
        expected = [part for part in ast.iter_child_nodes(node) if not isinstance(part, plain)]
        assert children(node) == expected


def test_keys_that_are_left_out_are_no_children():
    display = ast.parse("{**a, b: c}", mode="eval").body
    assert [part.id for part in children(display)] == ["b", "a", "c"]


def test_names_and_parameters_in_the_order_of_the_text():
    made = ast.parse(TEXT).body[0]
    names = [node.arg if isinstance(node, ast.arg) else node.id for node in names_in(made)]
    assert names[:5] == ["x", "y", "i", "range", "x"] and names[-2:] == ["x", "y"]


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
