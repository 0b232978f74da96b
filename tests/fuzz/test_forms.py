"""A fixed slice of random programs by every form of their derivatives; what compares them."""

import numpy as np
import pytest

from ..compiler.switches import PASSES
from .equivalence import check_forms, same_fault, text_of
from .forms import ALL, identical
from .minimise import minimised
from .numeric import numeric_program
from .points import nasty
from .runner import body, load

SLICE = range(9000, 9024)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_all_forms_of_the_slice_do_the_same(tmp_path):
    for seed in SLICE:
        source = text_of(seed)
        verdict = check_forms(source, tmp_path, seed)
        assert verdict.outcome == "right", f"seed {seed}\n{body(source)}\n{verdict.text}"


@pytest.mark.slow
def test_numeric_programs_at_times_have_a_fused_form(tmp_path):
    from astad.api.gradients.gradients import value_and_grad
    from astad.runtime.core.variants import variants_of

    found = []
    for seed in range(30):
        module = load(numeric_program(seed), tmp_path, f"numeric{seed}")
        args = module.arguments()
        if isinstance(module.f(*module.arguments()), float):
            value_and_grad(module.f, tuple(range(len(args))))(*args)
            found.append(any(variants_of(module.f).fused.values()))
    assert np.mean(found) >= 0.1


def test_passes_that_can_be_left_out_are_found():
    assert {"inline_calls", "take_apart", "drop_copies", "drop_dead_code"} <= set(PASSES)
    assert "prepare" not in PASSES
    assert {"fused without drop_copies", "without rule_kind"} <= {form.name for form in ALL}


PROGRAM = """
import math
def f(x, y):
    a = x * 2.0
    if a > 0.0:
        a = math.sin(a)
    b = y + 1.0
    return a * b * y
def arguments():
    return (0.7, 1.5)
"""


def test_form_that_differs_is_named_and_its_program_made_shorter(tmp_path, monkeypatch):
    from astad import settings
    from astad.compiler import pipeline

    monkeypatch.setattr(settings, "verify", False)  # it would find the fault first

    def wrong(program, names):
        from astad.compiler.ir.nodes import Call, Prim
        from astad.slotted import replace

        def swapped(node):
            if isinstance(node, Call) and node.fn == Prim("add"):
                return replace(node, fn=Prim("sub"))
            return node

        return replace(program, body=tuple(map(swapped, program.body)))

    assert check_forms(PROGRAM, tmp_path).outcome == "right"
    monkeypatch.setattr(pipeline, "rename_rebound", wrong)
    verdict = check_forms(PROGRAM, tmp_path)
    assert verdict.outcome == "forms differ"
    assert "at its point, pair: the value is" in verdict.text
    text = minimised(PROGRAM, same_fault(verdict, 0, tmp_path))
    assert "sin" not in text and "+" in text


def test_values_are_compared_to_the_last_bit():
    assert identical((0.1 + 0.2, [np.arange(3.0)]), (0.30000000000000004, [np.arange(3.0)]))
    assert identical(float("nan"), float("nan"))
    assert not identical(0.0, -0.0)
    assert not identical(np.array([0.0]), np.array([-0.0]))
    assert not identical(1.0, np.float64(1.0))
    assert not identical(1, 1.0)
    assert not identical((1.0,), [1.0])
    assert not identical(np.zeros(1), np.zeros((1, 1)))


def test_nasty_points_are_drawn_from_the_seed():
    args = (0.5, np.array([0.4, -0.3]), {"a": 1.2}, [0.1, 0.2])
    drawn = [nasty(args, seed) for seed in range(300)]
    assert all(map(identical, drawn, [nasty(args, seed) for seed in range(30)]))
    assert any(not identical(point, args) for point in drawn)
    assert any(isinstance(point[0], int) for point in drawn)
    assert any(np.isinf(np.asarray(point[1], float)).any() for point in drawn)
