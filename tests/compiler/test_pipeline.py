"""The pipeline as a whole: long functions, the same text always, what each stage hands on."""

import ast
import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.lower.function import lower_function
from astad.compiler.pipeline import compile_function

ROOT = Path(__file__).resolve().parents[2]
STEPS = ("x = x * y + 0.1", "y = math.sin(x) - y * y", "z = x / (y + 2.0)", "x = x + z * 0.5")


def function(text, folder, name="f"):
    """A function of a module of its own."""
    path = folder / f"long_{abs(hash(text))}.py"
    path.write_text(text)
    space = {"__name__": path.stem}
    exec(compile(text, str(path), "exec"), space)
    return space[name]


def long_function(count, folder):
    lines = [f"    {STEPS[at % 4]}\n" for at in range(count)]
    return function("import math\n\n\ndef f(x, y):\n" + "".join(lines) + "    return x\n", folder)


def compiled(fn, *kinds, fused=False):
    parsed = [parse_kind(kind) for kind in kinds]
    generic = set(kinds) == {"unknown"}
    return compile_function(fn, parsed, [True] * len(kinds), fused=fused, generic=generic)


def expression_of_many_terms(count, folder):
    terms = " + ".join(f"x * {at + 1}.0" for at in range(count))
    return function(f"def f(x):\n    return {terms}\n", folder)


@pytest.mark.parametrize("kinds", [("float", "float"), ("unknown", "unknown")], ids=str)
@pytest.mark.parametrize("fused", [False, True])
def test_a_thousand_statements(tmp_path, kinds, fused):
    made = compiled(long_function(1000, tmp_path), *kinds, fused=fused)
    ast.parse(made.text.source)
    assert made.form == ("fused" if fused and kinds[0] == "float" else "pair")


def test_a_long_sum_in_one_expression(tmp_path):
    made = compiled(expression_of_many_terms(150, tmp_path), "float", fused=True)
    ast.parse(made.text.source)


@pytest.mark.timing
@pytest.mark.parametrize("kind", ["float", "unknown", "ndarray1"])
def test_the_time_is_linear_in_the_length(tmp_path, kind):
    def seconds(count):
        fn = long_function(count, tmp_path)
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            compiled(fn, kind, kind)
            best = min(best, time.process_time() - start)
        return best

    seconds(20)
    assert seconds(1000) < 1.5 * 5 * seconds(200)


@pytest.mark.slow
def test_a_thousand_statements_are_right(tmp_path, forms_agree):
    forms_agree(long_function(1000, tmp_path), 0.3, 0.2, rtol=1e-5)


def test_the_text_is_the_same_every_time(tmp_path):
    fn = long_function(30, tmp_path)
    first, second = compiled(fn, "float", "float"), compiled(fn, "float", "float")
    assert first.text.source == second.text.source
    assert first.text.spots == second.text.spots
    assert first.bound == second.bound


@pytest.mark.slow
def test_the_text_does_not_depend_on_the_hash_seed(tmp_path):
    (tmp_path / "seeded.py").write_text(
        "import numpy as np\n\n\ndef f(a, b, c, d, n):\n"
        "    for i in range(n):\n        a, b = b * c, a + d\n        if np.sum(a) > i:\n"
        "            c, d = d, c * a\n            continue\n        s = {'p': a, 'q': b}\n"
        "        d = s['p'] + np.max(c)\n    return np.sum(a * b + c * d)\n"
    )
    program = (
        "from astad.compiler.ir.kinds import parse_kind\n"
        "from astad.compiler.pipeline import compile_function\nimport seeded\n"
        "for kind in ('unknown', 'float', 'ndarray1'):\n"
        "    made = compile_function(seeded.f, [parse_kind(kind)] * 4 + [parse_kind('int')],"
        " [True] * 5, fused=False, generic=kind == 'unknown')\n"
        "    print(made.text.source, sorted(made.bound.items()), made.guarded)\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1 and "f_pullback" in texts.pop()


def test_the_stages_hand_programs_on():
    def f(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    stages = compiled(f, "float", "int").stages
    assert stages.lowered == lower_function(f)
    assert [function.name for function in stages.derived.functions] == ["f_forward", "f_pullback"]
    assert {name for name in "xyn" if name in stages.facts.active} == {"x", "y", "n"}


def test_what_is_not_wanted_is_not_computed():
    def f(x, y):
        return np.sin(x) * np.cos(y)

    kinds = [parse_kind("float")] * 2
    both = compile_function(f, kinds, (True, True), fused=True).text.source
    one = compile_function(f, kinds, (True, False), fused=True).text.source
    assert "np.sin(y)" in both and "np.cos(x)" in both
    assert "np.sin(y)" not in one and "np.cos(x)" in one


@pytest.mark.parametrize("kinds", [("float", "int"), ("unknown", "unknown")], ids=str)
def test_no_closure_and_no_object_per_iteration_but_the_record(kinds):
    def f(x, n):
        y = 1.0
        for i in range(n):
            y = y * x + i
        return y

    tree = ast.parse(compiled(f, *kinds).text.source)
    inner = [
        node
        for made in tree.body
        for node in ast.walk(made)
        if node is not made and isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef)
    ]
    assert inner == []


def test_nothing_is_written_where_only_a_fused_form_would_serve():
    def f(x):
        return [x, x]  # no number: the pair must serve

    kinds = [parse_kind("float")]
    made = compile_function(f, kinds, [True], fused=True, only_fused=True)
    assert (made.form, made.text.source) == ("none", "")
    assert compile_function(f, kinds, [True], fused=True).form == "pair"
    assert compile_function(f, kinds, [True], fused=False, only_fused=True).form == "pair"


@pytest.mark.slow
def test_the_trees_of_a_compilation_go_without_the_garbage_collector(tmp_path):
    fn = long_function(50, tmp_path)
    compiled(fn, "float", "float", fused=True)
    gc.collect()
    gc.disable()
    try:
        compiled(fn, "float", "float", fused=True)
        left = gc.collect()
    finally:
        gc.enable()
    assert left < 500  # thousands, when a sweep was held in a ring
