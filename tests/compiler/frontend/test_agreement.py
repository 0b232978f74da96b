"""Comparison of a compiled text with a running function."""

import pytest

from astad.compiler.frontend.agreement import agrees


def code_of(text):
    known = {}
    exec(compile(text, "<agreement>", "exec"), known)
    return known["f"].__code__


TEXT = "def f(x, *rest, k=1):\n    y = lambda z: z + x\n    return y(1.0), {2, 3}, rest, k\n"


def test_a_text_agrees_with_itself_wherever_it_stands():
    assert agrees(code_of(TEXT), code_of("\n\n" + TEXT))


@pytest.mark.parametrize(
    "old, new",
    [
        ("1.0", "1"),
        ("1.0", "True"),
        ("1.0", "-1.0"),
        ("{2, 3}", "{2, 4}"),
        ("z + x", "z - x"),
        ("z + x", "z"),
        ("*rest", "rest"),
        ("*rest, k", "rest, *, k"),
        ("k=1", "k=1, **more"),
        ("return", "return not"),
        ("return", "yield"),
    ],
)
def test_any_other_program_disagrees(old, new):
    assert not agrees(code_of(TEXT.replace(old, new)), code_of(TEXT))


def test_zeros_of_both_signs_differ_and_nan_is_itself():
    plus, minus = code_of("def f(): return 0.0"), code_of("def f(): return -0.0")
    assert not agrees(plus, minus)
