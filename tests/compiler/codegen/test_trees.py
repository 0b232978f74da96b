import ast

from astad.compiler.codegen.trees import children, names_in

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
