"""A fixed slice of the random programs with everything."""

import collections

import pytest

from .everything import program_with_everything
from .runner import FAULTS, body, check, summary

SLICE = range(40)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_program_of_the_slice_is_wrong(tmp_path):
    verdicts = [check(program_with_everything(seed), tmp_path, seed) for seed in SLICE]
    faults = [v for v in verdicts if v.outcome in FAULTS]
    text = "\n\n".join(
        f"seed {v.seed}: {v.outcome}\n{body(program_with_everything(v.seed))}\n{v.text}"
        for v in faults
    )
    assert not faults, f"{summary(verdicts)}\n{text}"
    right = sum(v.outcome == "right" for v in verdicts)
    assert right >= 0.8 * len(verdicts), summary(verdicts)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [902277])
def test_programs_that_were_faults_once(seed, tmp_path):
    assert check(program_with_everything(seed), tmp_path, seed).outcome not in FAULTS


@pytest.mark.slow
def test_a_program_that_does_not_end(tmp_path):
    """It may catch what Python raises, as a fuzzed one does."""
    text = """
def f(x, y):
    while True:
        try:
            x = x * y
        except Exception:
            pass


def arguments():
    return 1.0, 2.0
"""
    assert check(text, tmp_path).outcome == "endless"


def test_the_slice_has_all_of_it():
    words = (
        "class C", "super().step", "nonlocal", "written(", "turned(", "delegates(", ".send(",
        "except* ", "match ", "Gauge(", ".double =",
    )  # fmt: skip
    functions = [program_with_everything(seed).rpartition("def f(")[2] for seed in SLICE]
    found = collections.Counter(word for text in functions for word in words if word in text)
    assert set(found) == set(words), found
