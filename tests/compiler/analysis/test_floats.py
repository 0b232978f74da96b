"""Which names of a derived program are proved floats."""

from astad.compiler.analysis.floats import find_floats
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import FLOAT, INT
from astad.compiler.ir.lines import reversed_block
from astad.compiler.lower.function import program_of


def floats(text, **kinds):
    program = program_of(text)
    params = tuple(param.name for param in program.params)
    function = Function("f", params, reversed_block(program.body))
    found = find_floats(Derived((function,), False, True, frozenset(params), kinds)).floats
    return {name for name in found if len(name) == 1}


def test_what_floats_give():
    found = floats("a = x * n\nb = n / n\nc = -a\nd = n + 1\ne = n * n\nf = x ** n", x=FLOAT, n=INT)
    assert found == {"x", "a", "b", "c", "f"}


def test_what_comes_from_something_unknown_is_not_one():
    text = "a = 0.0\nfor i in r:\n    b = a\n    a = a + u\nc = b * x\nd = x * 2"
    assert floats(text, x=FLOAT) == {"x", "d"}


def test_a_loop_of_floats_is_one():
    text = "a = 0.0\nfor i in r:\n    a = a * x + 1.0\nb = a"
    assert floats(text, x=FLOAT) == {"x", "a", "b"}
