"""The changes that mutation testing makes."""

import ast
import doctest
import importlib
import os
import subprocess
import sys

import pytest

from . import mutants


@pytest.mark.parametrize("name", ["mutants", "__main__"])
def test_the_examples(name):
    module = importlib.import_module(f"tests.mutation.{name}")
    found = doctest.testmod(module)
    assert found.attempted
    assert found.failed == 0


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


@pytest.mark.skipif(sys.version_info < (3, 12), reason="lines are noted by sys.monitoring")
def test_a_change_is_noticed_by_the_texts_it_changes(tmp_path):
    (tmp_path / "program.py").write_text("def f(x):\n    return x * x\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", CHANGED, str(tmp_path)],
        cwd=mutants.ROOT, env={**os.environ, "PYTHONPATH": str(mutants.ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["noticed", "not", "reached"], done.stderr


CHANGED = """
import runpy, sys
from astad.compiler.ir.kinds import FLOAT
from tests.mutation import mutants, texts

f = runpy.run_path(sys.argv[1] + "/program.py")["f"]
kept = [(f, [FLOAT], [True], {"fused": True})]
texts.WORKERS = 1
reaching = texts._Reaching(kept, texts._reach(kept, 0))
changes = mutants.drawn(1, 10**6)
meets = [each for each in changes if "sweeps" in each.place and reaching.of(each)]
meets = [each for each in meets if each.what.startswith("removed: out")][:1]
misses = [each for each in changes if "lower/patterns" in each.place][:1]
for _, outcome in texts._outcomes(meets + misses, reaching, texts._functions(), 0):
    print(outcome)
"""
