"""return, raise, assert."""

import subprocess
import sys

from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function

from .loud import say


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
