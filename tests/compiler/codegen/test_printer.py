"""Generated trees, printed and read again, are the same trees."""

import ast

import pytest

from astad.compiler.codegen.printer import print_tree

EXPRESSIONS = [
    "a[1:, :]", "a[1:2:3]", "a[...]", "a[:, None]", "a[1,]", "a[(1, 2)]", "a[b][c]", "a[-1]",
    "a[i, j]", "a[()]", "a[b[0]:c[1]]", "a ** b ** c", "(a ** b) ** c", "(-a) ** b", "-a ** b",
    "a - b - c", "a - (b - c)", "a / (b * c)", "a / b * c", "a * (b / c)", "a @ b @ c",
    "a @ (b @ c)", "a // b % c", "a % (b // c)", "a << b | c & d ^ e", "(a | b) & c",
    "(a << b) + c", "a << b + c", "not a", "(not a) == b", "not a == b", "a < b", "a is not b",
    "a not in b", "(a < b) + c", "a and (b or c)", "(a and b) or c", "a if b else c",
    "(a if b else c) + d", "a + (b if c else d)", "f(a, *b, k=c, **d)", "f(a + b, c=d * e)",
    "f(*a)", "f(a if b else c)", "a.b.c(d).e", "(a + b).c", "(a + b)[c]", "(-a)[b]", "(a + b)(c)",
    "(a + b)[c:].d", "(not a)[b]", "(a < b)[c]", "(-a).b", "1.0.real", "(1).real", "a, b", "(a,)",
    "()", "[a, *b]", "{a, b}", "{a: b, **c}", "{}", "'a\\n\\'\"'", "b'x'", "...", "1e308", "1j",
    "0.1", "True", "None", "10 ** 20", "~a + b", "~(a + b)", "- - a", "-(-a)", "f(a)[b]",
    "f'{a!r:>{b}} {{}}'", "lambda: 1",
]  # fmt: skip
STATEMENTS = [
    "a = b", "a, b = b, a", "a, (b, c) = d", "a, = b", "a[i] = b", "a.b = c", "a[i] += b",
    "del a", "del a[i]", "return", "return a, b", "return a,", "return (a, b), c", "raise a",
    "raise a from b", "raise", "pass", "f(a)", "if a:\n    b\nelif c:\n    d\nelse:\n    e",
    "if a:\n    b\nelse:\n    if c:\n        d\n    e", "if not a:\n    b",
    "for a, b in c:\n    break\nelse:\n    d", "for (a, b), c in d:\n    continue",
    "while a < b:\n    c\nelse:\n    d", "while True:\n    break", "def f(a, b):\n    return a",
]  # fmt: skip


def same(text):
    tree = ast.parse(text)
    assert ast.dump(ast.parse(print_tree(tree))) == ast.dump(tree), print_tree(tree)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions(text):
    same(text)
    same(f"x = {text}")
    same(f"x = f({text}) ** ({text})")


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text):
    body = text.replace("\n", "\n        ")
    same(f"def g(a):\n    for z in y:\n        {body}")


@pytest.mark.parametrize("value", [-2.0, -1, float("-inf"), float("inf"), -0.0, 1e-320, -(10**30)])
def test_numbers_that_have_no_literal(value):
    tree = ast.Expression(ast.BinOp(ast.Constant(value), ast.Pow(), ast.Constant(2)))
    assert eval(print_tree(tree)) == value**2
    assert repr(eval(print_tree(ast.Expression(ast.Constant(value))))) == repr(value)


def test_nan():
    assert eval(print_tree(ast.Expression(ast.Constant(float("nan"))))) != 0
