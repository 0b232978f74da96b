"""What the families of syntax share."""

import gast
import pytest

from astad.compiler.ir.text import show
from astad.compiler.lower.builder import holds_call, mentions
from astad.compiler.lower.function import lower_function


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


def test_what_a_statement_leaves_behind_has_no_name():
    def f(xs, ys):
        """What f is."""
        ...
        xs.extend(2.0 * y for y in ys)
        ys.append(3.0)
        return xs

    text = show(lower_function(f).body)
    assert "= None" not in text
    assert "What" not in text
