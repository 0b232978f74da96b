"""The changes that mutation testing makes."""

import ast
import doctest

import pytest

from . import mutants


def test_the_example():
    assert doctest.testmod(mutants).failed == 0


@pytest.mark.slow
def test_same_seed_gives_the_same_changes_and_each_is_a_program():
    drawn = mutants.drawn(seed=5, count=40)
    assert [str(each) for each in drawn] == [str(each) for each in mutants.drawn(5, 40)]
    for each in drawn:
        before = (mutants.ROOT / each.place).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(each.changed)) != ast.dump(ast.parse(before)), each


def test_a_change_stays_inside_its_statement():
    text = (
        "def f(a):\n    if (\n        a and\n        b\n    ):\n        return 'é' != a\n    g(a)\n"
    )
    changed = [each.changed for each in mutants.mutants_of(text, "x.py")]
    assert len(changed) == 5
    assert [each.count("g(a)") for each in changed] == [1, 1, 1, 1, 0]
    for each in changed:
        ast.parse(each)
