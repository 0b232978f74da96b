"""A fixed slice of the random programs, and the fuzzer itself."""

import sys

import numpy as np
import pytest

from .differences import conclusive
from .generator import program
from .minimise import minimised
from .runner import FAULTS, body, check, load, summary

SLICE = range(150)
FAULTS_FOUND = (
    400860, 500123, 500128, 500280, 510003, 510103, 510191,
    550630, 551171, 551202, 552102, 610756, 650877,
)  # fmt: skip


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    return [check(program(seed), folder, seed) for seed in SLICE]


def test_texts_of_one_size_in_one_second_are_each_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert [load(f"x = {i}\n", tmp_path, "q9").x for i in range(8)] == list(range(8))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_program_of_the_slice_is_wrong(verdicts):
    faults = [v for v in verdicts if v.outcome in FAULTS]
    text = "\n\n".join(
        f"seed {v.seed}: {v.outcome}\n{body(program(v.seed))}\n{v.text}" for v in faults
    )
    assert not faults, f"{summary(verdicts)}\n{text}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_most_of_the_slice_is_answered(verdicts):
    right = sum(v.outcome == "right" for v in verdicts)
    assert right >= 0.8 * len(verdicts), summary(verdicts)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.order_matters  # the module has another name each time, which its classes go by
@pytest.mark.parametrize("seed", FAULTS_FOUND)
def test_programs_that_were_faults_once(seed, tmp_path):
    assert check(program(seed), tmp_path, seed).outcome not in FAULTS


def test_same_seed_gives_the_same_program():
    assert program(5) == program(5)
    assert program(5) != program(6)


def test_programs_run_and_their_differences_are_conclusive(tmp_path):
    found = []
    for seed in range(1000, 1040):
        module = load(program(seed), tmp_path, f"sound{seed}")
        found.append(conclusive(module.f, module.arguments()))
        del sys.modules[f"sound{seed}"]
    assert np.mean(found) > 0.9


def by_differences(fault):
    """A pullback that is right but for one fault: differences themselves."""
    from astad.testing.finite_differences import directional
    from astad.testing.leaves import entries_of, leaves_of

    def take(f, x):
        def back(seed):
            (entry,) = entries_of(0, leaves_of(x)[0])
            return (directional(f, (x,), {}, seed, [(entry, 1.0)]).value * fault,)

        return f(x), back

    return take


PROGRAM = """
import math
def g(x):
    a = x
    return math.sin(a)
def f(x):
    y = 0.0
    for i in range(3):
        y = y + x * i
        if i > 1:
            y = y * 1.0
    z = g(x)
    return z * y + 1.0
def arguments():
    return (0.7,)
"""


def test_wrong_gradient_is_reported_as_wrong(tmp_path):
    assert check(PROGRAM, tmp_path, take_pullback=by_differences(1.0)).outcome == "right"
    assert check(PROGRAM, tmp_path, take_pullback=by_differences(1.01)).outcome == "wrong"


def test_error_that_is_not_astads_is_a_crash(tmp_path):
    def crash(f, *args):
        raise KeyError("tmp_7")

    verdict = check(PROGRAM, tmp_path, take_pullback=crash)
    assert (verdict.outcome, verdict.reason) == ("crash", "KeyError: 'tmp_7'")


EDGE = """
import math
def f(x):
    return math.sin((0.7 - x) ** 1.5)
def arguments():
    return (0.7,)
"""


def test_program_that_is_not_defined_beside_its_point_is_inconclusive(tmp_path):
    verdict = check(EDGE, tmp_path, take_pullback=lambda f, x: (f(x), lambda y_bar: (y_bar,)))
    assert verdict.outcome == "inconclusive"
    assert verdict.reason.startswith("not defined beside its point: TypeError: must be real number")


def test_refusal_needs_its_four_parts(tmp_path):
    from astad.errors import Location, Unsupported

    def refuse(instead):
        def take(f, *args):
            raise Unsupported(Location("p.py", 3), "yield", why="no reverse", instead=instead)

        return take

    verdict = check(PROGRAM, tmp_path, take_pullback=refuse("append to a list"))
    assert verdict.outcome == "refused"
    assert verdict.reason == "Unsupported: yield: no reverse: append to a list"
    assert check(PROGRAM, tmp_path, take_pullback=refuse("")).outcome == "bad refusal"


def test_program_that_does_not_run_is_broken(tmp_path):
    assert check("def arguments(): return ()", tmp_path).outcome == "broken"


def test_faulty_program_is_made_shorter(tmp_path):
    def faulty(text):
        check(text, tmp_path)
        return "math.sin" in text and "def f" in text

    text = minimised(PROGRAM, faulty)
    assert "range" not in text
    assert len(text.splitlines()) < 12
