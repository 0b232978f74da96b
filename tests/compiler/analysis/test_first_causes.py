"""The first unknown behind a statement that is left to the run time."""

import pytest

from astad.compiler.analysis.facts import find_facts
from astad.compiler.analysis.first_causes import find_left
from astad.compiler.analysis.space import Space
from astad.compiler.ir.kinds import FLOAT, UNKNOWN
from astad.compiler.lower.function import program_of


def causes(text, **kinds):
    program = program_of(text)
    facts = find_facts(program, kinds, list(kinds), Space({}))
    return [
        (left.line, left.depth, left.cause.sort, left.cause.what)
        for left in find_left(program, facts)
    ]


@pytest.mark.parametrize(
    ("text", "kinds", "expected"),
    [
        ("y = x * 2.0", {"x": FLOAT}, []),
        (
            "y = p.a\nz = y + x",
            {"p": UNKNOWN, "x": FLOAT},
            [(1, 0, "attribute", "p.a"), (2, 0, "attribute", "p.a")],
        ),
        ("y = p[0]", {"p": UNKNOWN}, [(1, 0, "item", "p[0]")]),
        ("y = p * x", {"p": UNKNOWN, "x": FLOAT}, [(1, 0, "parameter", "p")]),
        ("for q in p:\n    y = q.f(x)", {"p": UNKNOWN, "x": FLOAT}, [(2, 1, "method", "q.f")]),
        ("for q in p:\n    y = q * x", {"p": UNKNOWN, "x": FLOAT}, [(2, 1, "loop item", "p")]),
        ("y = f(x)", {"f": UNKNOWN, "x": FLOAT}, [(1, 0, "unknown function", "f")]),
        ("p.a = x", {"p": UNKNOWN, "x": FLOAT}, [(1, 0, "attribute store", "p.a")]),
    ],
)
def test_first_cause(text, kinds, expected):
    found = causes(text, **kinds)
    first = found[0][0] - expected[0][0] if expected else 0
    assert [(line - first, *rest) for line, *rest in found] == expected
