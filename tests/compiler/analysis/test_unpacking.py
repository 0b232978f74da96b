"""Which statements take an array apart as one operation."""

from astad.compiler.analysis.unpacking import find_unpackings
from astad.compiler.lower.function import program_of


def targets(text):
    found = {unpacking.targets for unpacking in find_unpackings(program_of(text)).values()}
    return sorted(found)


def test_parts_of_a_name():
    assert targets("x, y = v") == [("x", "y")]
    assert targets("if a:\n    x, y = v\nelse:\n    x, z = v") == [("x", "y"), ("x", "z")]


def test_what_is_more_than_that():
    assert targets("x, *y = v") == []
    assert targets("x, v = v") == []
