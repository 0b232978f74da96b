"""if, conditional expressions, and/or, chained comparisons.

return, raise, assert.
"""

import itertools
import subprocess
import sys

import pytest

from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function

from .loud import Loud, Truth, say


@pytest.mark.parametrize("x", range(5))
def test_if_elif_else(same, x):
    def f(x):
        if say(x) == 0:
            y = 1
        elif say(x) == 1:
            return "one"
        elif x == 2:
            pass
        else:
            y = 3
            if x == 4:
                y = 5
        return y

    same(f, x)


@pytest.mark.parametrize("a, b, c", list(itertools.product([0, 1], [0, 2], [0, 3])))
def test_and_or_not_as_values(same, a, b, c):
    def f(a, b, c):
        x = a and b or c
        a = a and say(b) and say(a)
        b = say(a or b) or say(b and c) or (not b)
        if a and not b or c:
            return x, a, b, 1
        return x, a, b, not (a or b)

    same(f, a, b, c)


@pytest.mark.parametrize("a, b", list(itertools.product([0, 1], [0, 2])))
def test_conditional_expressions(same, a, b):
    def f(a, b):
        a = (b if a else a) + (say(1) if b else say(2) if a else say(3))
        b = b if a else b
        return a if b else b, a

    same(f, a, b)


@pytest.mark.parametrize("a", range(4))
def test_chained_comparisons_evaluate_each_operand_once(same, a):
    def f(a):
        b = say(0) < say(a) < say(2) <= say(2)
        a = 0 <= a < 2 != a
        c = 1 in [a, 1] == [a, 1]
        return a, b, c, (say(3) < say(a) < say(1 // 0)), 1 < 2 < a if a else b

    same(f, a)


def test_chained_comparison_gives_the_object_of_the_operator(same):
    def f(o):
        return o < o < say(o), o.a < (o := o.b) < o

    same(f, Loud("o"))


@pytest.mark.parametrize("x", [0, 1])
def test_name_bound_in_one_branch_only(same, x):
    def f(x):
        if x:
            y = 1
        return y

    same(f, x)


def test_code_after_branches_that_all_leave_is_dropped(same):
    def f(x):
        if x:
            return 1
        else:
            raise ValueError(x)
        return 2

    same(f, 0)
    same(f, 1)


@pytest.mark.parametrize("values", list(itertools.product([0, 1], repeat=3)))
def test_each_part_of_a_condition_is_asked_once(same, values):
    def f(a, b, c):
        n = 0
        if a and b:
            n += 1
        if a or b and not c:
            n += 2
        elif not (a or b) or not c:
            n += 4
        if a < b < c:
            n += 8
        if True and a and 1 or 0 or (d := b) and d:
            n += 16
        while n < 40 and (a or not b):
            n += 32
        return n if a and b else -n, [i for i in (1, 2) if a or b and c if not c]

    same(f, *map(Truth, values))


def test_a_condition_is_a_branch_in_a_branch():
    def f(a, b):
        if a and 0 < b < 2:
            return 1
        return 2

    assert show(lower_function(f)) == (
        "if a:\n"
        "    t_2 = 0 < b\n"
        "    if t_2:\n"
        "        t_1 = b < 2\n"
        "    else:\n"
        "        t_1 = False\n"
        "else:\n"
        "    t_1 = False\n"
        "if t_1:\n"
        "    return 1\n"
        "return 2"
    )


def test_return_anywhere(same):
    def f(x):
        if x:
            for i in range(3):
                while True:
                    if i == x:
                        return i, x
                    break
        return

    same(f, 0)
    same(f, 2)
    same(f, 5)


def test_function_that_falls_off_its_end(same):
    def f(x):
        """Only a docstring."""

    def g(x):
        x + 1

    assert same(f, 1) == same(g, 1) == "None"
    assert show(lower_function(f)) == "return None"


def test_statements_after_a_return_are_dropped():
    def f(x):
        return x
        x = 2

    assert show(lower_function(f)) == "return x"


def test_raise(same):
    def f(x):
        if x == 0:
            raise ValueError
        if x == 1:
            raise ValueError(say(x)) from KeyError(say(2))
        if x == 2:
            raise ValueError("a") from None
        if x == 3:
            raise x

    for x in range(5):
        same(f, x)


def test_bare_raise_with_nothing_to_raise_again(same):
    def f():
        raise

    same(f)


def outer(x):
    assert x, f"no {say(x)}"
    assert x > 1
    return x


def test_assert():
    text = show(lower_function(outer))
    assert text.startswith("if x:\n    pass\nelse:\n")
    assert "raise t_" in text


def test_assert_is_dropped_under_optimisation(tmp_path):
    (tmp_path / "checked.py").write_text("def f(x):\n    assert x > 1, 'small'\n    return x\n")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import checked\n"
        "from astad.compiler.ir.text import show\n"
        "from astad.compiler.lower.function import lower_function\n"
        "print(show(lower_function(checked.f)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "return x\n"
