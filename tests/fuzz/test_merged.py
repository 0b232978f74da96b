"""A fixed slice of random programs in which one name stands for two variables."""

import ast

import pytest

from .equivalence import text_of
from .generator import program
from .merged import merged
from .runner import FAULTS, body, check, check_all

SLICE = range(60)


SOURCE = """
def f(x, n):
    i = 2
    for j in range(n):
        x = x + i * j
    return x
"""


def names_of(text):
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def test_one_name_stands_for_two_variables():
    found = [names_of(merged(SOURCE, seed)) for seed in range(40)]
    assert names_of(SOURCE) not in found
    assert any("i" not in names for names in found)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("write, judge", [(program, check), (text_of, check_all)])
def test_no_program_of_the_slice_is_wrong(write, judge, tmp_path):
    ran = 0
    for seed in SLICE if judge is check else SLICE[:15]:
        source = merged(write(seed), seed)
        verdict = judge(source, tmp_path, seed)
        if verdict.outcome == "broken":
            continue  # it fails without astad as well
        ran += 1
        assert verdict.outcome not in FAULTS, f"seed {seed}\n{body(source)}\n{verdict.text}"
    assert ran > 5
