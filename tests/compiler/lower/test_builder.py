"""What the families of syntax share."""

import gast
import pytest

from astad.compiler.lower.builder import holds_call, mentions


@pytest.mark.parametrize(
    "text, runs",
    [
        ("x", False),
        ("x.a[1:, y] + -z", False),
        ("lambda: f(x)", False),
        ("[x, {y: z}, (*a,)]", False),
        ("f(x)", True),
        ("x + y[f(1)]", True),
        ("[x for x in y]", True),
        ("(x := 1)", True),
        ("f'{x()}'", True),
    ],
)
def test_holds_call(text, runs):
    assert holds_call(gast.parse(text, mode="eval").body) is runs


def test_mentions():
    node = gast.parse("lambda: x.y + [z for z in w]", mode="eval").body
    assert [mentions(node, name) for name in "xyzwv"] == [True, False, True, True, False]
