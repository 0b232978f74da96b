"""The examples of Zygote's page on its internals: rows 000.01 to 000.08."""

import ast
import math
import subprocess
import sys
import traceback

import pytest

from astad import adjoint, gradient, pullback, pullback_self


def bar(x):
    return 2 * x


def baz(a):
    return a**3


def foo(x):
    a = bar(x)
    b = baz(a)
    return b


def test_000_01_pullbacks_compose_in_reverse():
    y, back = pullback(foo, 2.0)
    assert y == 64
    assert back(1) == (96,)
    assert back(0.5) == (48,)


def test_000_02_the_worked_transform():
    (x_bar,) = gradient(lambda x: math.sin(math.cos(x)), 1)
    assert x_bar == pytest.approx(-0.7216061490634433, rel=1e-15)


def test_000_03_the_low_level_pullback_gives_the_functions_own_gradient():
    y, back = pullback_self(math.sin, 0.5)
    assert y == math.sin(0.5)
    assert back(1) == (None, 0.8775825618903728)


def test_000_04_a_closures_gradient_has_its_captured_variables():
    def make(a):
        return lambda x: x * a

    y, back = pullback_self(make(3), 2)
    own, x_bar = back(1)
    assert y == 6
    assert own.a == 2
    assert x_bar == 3


def test_000_04_two_captured_variables():
    def make(a, b):
        def line(x):
            return a * x + b

        return line

    y, back = pullback_self(make(2, 3.5), 4)
    own, x_bar = back(1)
    assert y == 11.5
    assert (own.a, own.b) == (4, 1)
    assert x_bar == 2


def test_000_05_the_generated_pair_can_be_looked_at(tmp_path):
    (tmp_path / "shown.py").write_text(
        "def bar(x):\n    return 2 * x\n\n\n"
        "def baz(a):\n    for _ in range(2):\n        a = a * a\n    return a\n\n\n"
        "def foo(x):\n    return baz(bar(x))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "astad.show", "shown.foo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tree = ast.parse(done.stdout)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(functions) >= 2
    # bar (or the product it was inlined to) stands before baz
    assert min(done.stdout.find("2 *"), 10**9) < done.stdout.find("baz") or (
        0 <= done.stdout.find("bar(") < done.stdout.find("baz(")
    )


def test_000_06_the_pullback_is_an_object_with_its_own_data():
    _, back = pullback(lambda x, y: x * math.sin(y), 2.0, 0.5)
    first, second, doubled = back(1.0), back(1.0), back(2.0)
    assert first == second
    assert doubled == (2 * first[0], 2 * first[1])


def make_bad():
    def bad(x):
        return x

    @adjoint(bad)
    def _(x):
        def back(y_bar):
            raise RuntimeError("bad")

        return x, back

    return bad


def test_000_07_an_error_inside_a_rule_shows_the_users_line():
    bad = make_bad()

    def outer(x):
        return bad(math.sin(x))  # the line to be shown

    with pytest.raises(RuntimeError, match="bad") as caught:
        gradient(outer, 1.0)
    text = "".join(traceback.format_exception(caught.value))
    line = outer.__code__.co_firstlineno + 1
    assert f"test_zygote_internals.py:{line}" in text or f'internals.py", line {line}' in text


def test_000_08_narrowing_down_by_recursion():
    _, back = pullback(math.sin, 1)
    assert back(1) == (0.5403023058681398,)
    y, back = pullback(make_bad(), 1)
    assert y == 1
    with pytest.raises(RuntimeError, match="bad"):
        back(1)
