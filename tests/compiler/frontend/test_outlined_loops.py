"""The text of a function whose loops are functions of their own, and that it is read as it runs."""

import ast
from textwrap import dedent
from types import FunctionType

import pytest

from astad.compiler.frontend.outlined_loops import outlined
from astad.compiler.frontend.parse import read, rewritten
from astad.errors import Unsupported


def text_of(source):
    node = ast.parse(dedent(source)).body[0]
    made = outlined(node, "walk.py", "astad.api.memory.rounds")
    return None if made is None else ast.unparse(made)


def of_loop(source):
    """The function of the rounds, and the call."""
    made = ast.parse(text_of(source)).body[0]
    rounds = next(each for each in made.body if isinstance(each, ast.FunctionDef))
    call = made.body[made.body.index(rounds) + 1]
    return ast.unparse(rounds), ast.unparse(call)


def test_function_without_a_loop():
    assert text_of("def f(x):\n    return [x for _ in 'ab']") is None


def test_temporary_variables_are_no_part_of_the_state():
    rounds, call = of_loop("""
        def f(u, c, n):
            for k in range(n):
                d = u[1:] - u[:-1]
                e = d * c
                u = u.copy()
                u[1:] += e
            return u.sum()
    """)
    assert call == "left_1, u = in_rounds('range', rounds_1, range(n), (u,), (), (), (c,))"
    assert rounds.splitlines()[0] == "def rounds_1(first, last, u, c):"
    assert rounds.splitlines()[-1] == "    return (0, u)"


def test_variables_by_what_is_done_to_them():
    _, call = of_loop("""
        def f(a, b, c, d, e, xs):
            for x in xs:
                a = a + x
                b[0] = a
                c.append(a)
                g(d, out=e)
            return a
    """)
    assert call == "left_1, a = in_rounds('items', rounds_1, xs, (a,), (b, e), (c, d), ())"


def test_while_and_break():
    rounds, call = of_loop("""
        def f(x):
            while x > 1.0:
                x = 0.5 * x
                if x == 3.0:
                    break
            return x
    """)
    assert call == "left_1, x = in_rounds('while', rounds_1, None, (x,), (), (), ())"
    assert rounds == dedent("""\
        def rounds_1(first, last, x):
            left_1 = 0
            for at in range(first, last):
                if not x > 1.0:
                    left_1 = 3
                    break
                x = 0.5 * x
                if x == 3.0:
                    left_1 = 1
                    break
            return (left_1, x)""")


def test_return_else_and_names_that_are_taken():
    assert text_of("""
        def f(first, rounds_1):
            for at in range(0, 9, 2):
                if first > 2.0:
                    return first
                first = first * 2.0
            else:
                first = rounds_1
            return first
    """) == dedent("""\
        def f(first, rounds_1):
            from astad.api.memory.rounds import in_rounds

            def rounds_1_(first_, last, items, first):
                for at in range(first_, last, items):
                    if first > 2.0:
                        return (2, first)
                    first = first * 2.0
                return (0, first)
            ran_1 = in_rounds('steps', rounds_1_, range(0, 9, 2), (first,), (), (), ())
            if ran_1[0] == 2:
                return ran_1[1]
            left_1, first = ran_1
            if left_1 == 0:
                first = rounds_1
            return first""")


def test_variable_that_is_bound_in_the_loop_alone():
    made = text_of("""
        def f(xs):
            for x in xs:
                y = x
            return y
    """)
    assert "y = unbound" in made
    assert "if y is unbound:\n        del y" in made


def test_breaks_of_inner_loops_stay():
    rounds, _ = of_loop("""
        def f(x, n):
            for _ in range(n):
                for k in range(5):
                    if k > x:
                        break
                    x = x * 0.9
            return x
    """)
    assert "left" not in rounds


def over(x, n):
    y = x
    for k in range(n):
        y = y * x + sum(z * k for z in (x, y))
    for _ in range(n):
        y = (lambda z: z * y)(x)
    return y


def test_rewritten_function_runs_and_is_read_with_the_lines_of_the_file():
    code = rewritten(over, lambda node, file: outlined(node, file, "astad.api.memory.rounds"))
    made = FunctionType(code, over.__globals__, "over")
    assert made(0.5, 6) == over(0.5, 6)
    tree, _ = read(made)
    assert (tree.file, tree.line, tree.qualname) == (__file__, over.__code__.co_firstlineno, "over")
    rounds = [each for each in code.co_consts if getattr(each, "co_name", "").startswith("rounds")]
    first = over.__code__.co_firstlineno
    assert [each.co_firstlineno - first for each in rounds] == [2, 4]
    for each in rounds:
        inner, _ = read(FunctionType(each, over.__globals__, each.co_name))
        assert inner.line == each.co_firstlineno


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("try:\n    LOOP\nfinally:\n    x = 1", "walk.py:3: a loop inside try or with"),
        ("with closing(x):\n    LOOP", "walk.py:3: a loop inside try or with"),
        ("g = lambda: x\nLOOP", "walk.py:3: a loop with x, which an inner function has captured"),
        (
            "if x:\n    d = 1\nfor k in x:\n    x = x + d",
            "which d may be bound or not, .*: bind d before",
        ),
        ("for k in x:\n    x = locals()", r"walk.py:3: locals\(\) in a loop"),
        ("global z\nfor k in x:\n    z = k", "binds z, a variable outside of the function"),
    ],
)
def test_refused(body, message):
    body = body.replace("LOOP", "for k in range(3): x = x * k")
    source = "def f(x):\n" + "\n".join(f"    {line}" for line in body.splitlines())
    with pytest.raises(Unsupported, match=message):
        text_of(source)


def test_what_passes():
    for body in ("with np.errstate(all='ignore'):\n    LOOP", "g = lambda x: x\nLOOP",
                 "y = sum(x for _ in 'ab')\nLOOP"):  # fmt: skip
        body = body.replace("LOOP", "for k in range(3): x = x * k")
        assert text_of("def f(x):\n" + "\n".join(f"    {line}" for line in body.splitlines()))


def test_function_of_an_earlier_loop_that_lives_on():
    with pytest.raises(Unsupported, match="walk.py:5: a loop with y, which an inner function has"):
        text_of("""
        def f(x, y, fs):
            for k in range(3):
                fs.append(lambda: y)
            for k in range(3):
                y = y * x
            return fs[0]()
        """)
