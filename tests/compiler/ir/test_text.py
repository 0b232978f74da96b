"""The text of Wengert lists."""

from astad.compiler.ir.nodes import Branch, Call, Const, Prim, Ref
from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function, program_of

LINES = """
y = -x + 2.0
y += 1
a = not y
a = y in xs
a = y not in xs
a = y is xs
a = xs[0]
xs[0] = a
del xs[0]
a = o.b
o.b = a
del o.b
a = [a, b]
a = (a,)
a = {a, b}
a = {a: b}
o.m(a, *b, k=c, **d)
"""


def test_operations_look_like_python():
    shown = show(program_of(LINES)).splitlines()
    written = [line for line in LINES.strip().splitlines() if line != "y = -x + 2.0"]
    assert shown == ["t_1 = -x", "y = t_1 + 2.0", "y = y += 1", *written[1:]]


def test_blocks_are_indented():
    text = show(
        program_of("for x in xs:\n    while f(x):\n        break\n    else:\n        pass\n")
    )
    assert text == "for x in xs:\n    while:\n        t_1 = f(x)\n    while t_1:\n        break"


def test_what_only_derived_programs_hold():
    call = Call(("y", "t_1"), Ref("math", "cos"), ("x",), (), 1)
    single = Call(("y",), Prim("unpack"), ("x", Const(1), Const(None)), (), 1)
    branch = Branch("y", (), (call,), 1)
    assert show((call, single, branch)) == (
        "y, t_1 = math.cos(x)\n"
        "y, = unpack(x, 1, None)\n"
        "if y:\n    pass\nelse:\n    y, t_1 = math.cos(x)"
    )


def test_a_finally_has_no_handler():
    def f(x, done):
        try:
            y = x * x
        finally:
            done.append(x)
        return y

    assert show(lower_function(f)).splitlines() == [
        "try:", "    y = x * x", "finally:", "    done.append(x)", "return y",
    ]  # fmt: skip
