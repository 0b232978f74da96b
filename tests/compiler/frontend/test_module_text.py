"""Functions of a file by name and line."""

from astad.compiler.frontend.module_text import ModuleText, module_text

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
    founds = list(module.functions("<lambda>", 8))
    assert len(module.codes(1, "<lambda>", 8)) == 2
    assert [code.co_freevars for code in module.codes(1, "step", 6)] == [()]
    compiled, lines = module.told_apart(1, [found.node for found in founds])
    assert len(set(lines)) == 2
    assert all(found.node.lineno == 8 for found in founds)


def test_a_text_is_parsed_once():
    assert module_text("walk.py", TEXT, 0) is module_text("walk.py", TEXT, 0)
    assert module_text("walk.py", TEXT + "\n", 0) is not module_text("walk.py", TEXT, 0)


def test_text_that_does_not_parse():
    assert module_text("walk.py", "def f(:", 0) is None
    assert module_text("walk.py", "x = '\0'", 0) is None
