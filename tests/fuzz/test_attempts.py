"""A fixed slice of the random programs with exceptions, contexts and generators."""

import collections

import pytest

from .attempts import program_with_attempts
from .runner import FAULTS, body, check, summary

SLICE = range(40)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_program_of_the_slice_is_wrong(tmp_path):
    verdicts = [check(program_with_attempts(seed), tmp_path, seed) for seed in SLICE]
    faults = [v for v in verdicts if v.outcome in FAULTS]
    text = "\n\n".join(
        f"seed {v.seed}: {v.outcome}\n{body(program_with_attempts(v.seed))}\n{v.text}"
        for v in faults
    )
    assert not faults, f"{summary(verdicts)}\n{text}"
    right = sum(v.outcome == "right" for v in verdicts)
    assert right >= 0.8 * len(verdicts), summary(verdicts)


def test_the_slice_has_all_of_it():
    words = ("try:", "finally:", "raise Stop", "with scaled", "with Held", "in waves", "in filled")
    functions = [program_with_attempts(seed).rpartition("def f(")[2] for seed in SLICE]
    found = collections.Counter(word for text in functions for word in words if word in text)
    assert set(found) == set(words), found
