"""What every iteration computes anew stands before the loop, where nobody can tell."""

import pytest

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.compiler.tidy.loop_invariants import hoist_invariants


def source(fn, *kinds):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind != "int" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=True).text.source


def test_before_the_loop_and_out_of_two(tidied):
    text = """
        for a in r:
            for b in r:
                s = (x * 0.5) * b + s
    """
    made = tidied(text, hoist_invariants, unknown=("r",))
    assert made.splitlines()[0] == "t_1 = x * 0.5"


def test_not_what_may_raise_or_changes(tidied):
    text = """
        for a in r:
            s = x / y + s
            y = y * 2.0
            s = s + x ** 3
            s = s + u * 2.0
    """
    made = tidied(text, hoist_invariants, unknown=("r", "u")).splitlines()
    assert made[0] == "for a in r:"


def test_a_division_that_never_runs_does_not_raise(forms_agree):
    def f(x, y, n):
        s = x
        for i in range(n):
            s = s * (x / y) + y / 3.0
        return s

    assert gradient(f, 2.0, 0.0, 0) == (1.0, 0.0, None)
    with pytest.raises(ZeroDivisionError):
        gradient(f, 2.0, 0.0, 1)
    forms_agree(f, 2.0, 0.7, 3)


def test_both_sweeps_use_one_value(forms_agree):
    def f(x, h, n):
        for i in range(n):
            x = x + h / 6.0 * x * x
        return x

    assert source(f, "float", "float", "int").count("h / 6.0") == 1
    forms_agree(f, 0.7, 0.1, 4)
    forms_agree(f, 0.7, 0.1, 0)


def test_a_name_bound_only_in_a_branch_before(forms_agree):
    def f(x, n):
        if n > 1:
            c = x * 2.0
        s = x
        for i in range(n - 1):
            s = s * (c * 0.5)
        return s

    forms_agree(f, 0.7, 3)
    assert gradient(f, 0.7, 1) == (1.0, None)
