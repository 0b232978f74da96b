"""Functions of a file by name and line."""

import ast
from dataclasses import replace

from astad.compiler.frontend.module_text import WHOLE, ModuleText, module_text

TEXT = """\
import os

class Walk:
    scale = lambda self, x: x

    @property
    @staticmethod
    def step(x): return (lambda: x, lambda y: x + y)

    class Inner:
        def step(self): return 1

@Walk
def step(x, y=lambda: 2): pass
"""


def test_functions_at_a_line_with_the_class_around_them():
    module = ModuleText.parse("walk.py", TEXT, 0)

    def found(name, line):
        return [(each.class_name, each.statement) for each in module.functions(name, line)]

    assert found("step", 6) == [("Walk", 1)]
    assert found("step", 8) == []
    assert found("<lambda>", 8) == [("Walk", 1), ("Walk", 1)]
    assert found("<lambda>", 4) == [("Walk", 1)]
    assert found("step", 11) == [("Inner", 1)]
    assert found("step", 13) == [(None, 2)]
    assert found("<lambda>", 14) == [(None, 2)]
    assert found("step", 1) == found("step", 99) == []


def test_codes_and_lambdas_told_apart():
    module = ModuleText.parse("walk.py", TEXT, 0)
    (step,) = module.functions("step", 6)
    assert [code.co_varnames for code in module.codes_of(step)] == [("x",)]
    founds = list(module.functions("<lambda>", 8))
    for found, code in zip(founds, module.told_apart(1, [each.node for each in founds])):
        assert [arg.arg for arg in found.node.args.args] == list(code.co_varnames)
        assert code.co_firstlineno == found.node.lineno == 8
        assert code in module.codes_of(found)


def test_whole_file_in_place_of_a_statement():
    module = ModuleText.parse("walk.py", TEXT, 0)
    (step,) = module.functions("step", 13)
    (code,) = module.codes_of(replace(step, statement=WHOLE))
    assert code.co_varnames == ("x", "y")


def test_a_text_is_parsed_once():
    assert module_text("walk.py", TEXT, 0) is module_text("walk.py", TEXT, 0)
    assert module_text("walk.py", TEXT + "\n", 0) is not module_text("walk.py", TEXT, 0)


def test_text_that_does_not_parse():
    assert module_text("walk.py", "def f(:", 0) is None
    assert module_text("walk.py", "x = '\0'", 0) is None


TWO_ON_A_LINE = """
def f(xs):
                                  return sum(x for x in xs), sum(
        y for y in xs
    )
"""


def test_functions_of_one_line_that_end_left_of_where_they_start():
    module = ModuleText.parse("walk.py", TWO_ON_A_LINE, 0)
    (found,) = module.functions("f", 2)
    inner = [node for node in ast.walk(found.node) if isinstance(node, ast.GeneratorExp)]
    first, second = module.told_apart(0, inner)
    assert (first.co_varnames[1], second.co_varnames[1]) == ("x", "y")
