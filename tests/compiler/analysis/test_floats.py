"""Which names of a derived program are proved floats."""

from astad import gradient
from astad.compiler.analysis.floats import find_floats
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import BOOL, FLOAT, INT
from astad.compiler.ir.lines import reversed_block, reversed_line
from astad.compiler.ir.nodes import Call, Ref
from astad.compiler.lower.function import program_of
from tests.compiler.forms import check_forms


def floats(text, **kinds):
    program = program_of(text)
    params = tuple(param.name for param in program.params)
    function = Function("f", params, reversed_block(program.body))
    found = find_floats(Derived((function,), False, True, frozenset(params), kinds)).floats
    return {name for name in found if len(name) == 1}


def test_what_floats_give():
    found = floats("a = x * n\nb = n / n\nc = -a\nd = n + 1\ne = n * n\nf = x ** n", x=FLOAT, n=INT)
    assert found == {"x", "a", "b", "c", "f"}


def test_powers():
    text = "a = x ** n\nb = x ** p\nc = x ** True\nd = n ** x\ne = x ** x\nf = x ** 2.0"
    assert floats(text, x=FLOAT, n=INT, p=BOOL) == {"x", "a", "b", "c"}


def test_a_power_that_is_there_or_not():
    def scaled(x, n):
        is_steep, s = n > 2, 0.0
        for _ in range(n):
            s = s + x**is_steep
        return s * x**True

    for n in (2, 3):
        check_forms(scaled, 1.3, n)
    assert gradient(scaled, 1.5, 3)[0] == 9.0


def test_what_comes_from_something_unknown_is_not_one():
    text = "a = 0.0\nfor i in r:\n    b = a\n    a = a + u\nc = b * x\nd = x * 2"
    assert floats(text, x=FLOAT) == {"x", "d"}


def test_a_loop_of_floats_is_one():
    text = "a = 0.0\nfor i in r:\n    a = a * x + 1.0\nb = a"
    assert floats(text, x=FLOAT) == {"x", "a", "b"}


def test_functions_that_give_something_else():
    known = {"a": Ref("math", "sin"), "b": Ref("math", "floor"), "c": Ref("numpy", "isfinite")}
    body = tuple(Call(name, fn, ("x",), (), reversed_line(1)) for name, fn in known.items())
    made = Derived((Function("f", ("x",), body),), False, True, frozenset("x"), {"x": FLOAT})
    assert find_floats(made).floats == {"x", "a"}
