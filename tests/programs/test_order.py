"""No answer depends on what was differentiated before in the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from astad import gradient
from astad.errors import Unsupported

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process for each program")
def test_a_sample_of_programs_alone_and_in_company():
    """In a fresh process, from which those that are alone are forked."""
    text = "from tests.programs.order import differences\nprint(list(differences([1], share=0.15)))"
    run = [sys.executable, "-W", "ignore", "-c", text]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip().splitlines()[-1:] == ["[]"], done.stdout + done.stderr


def test_divmod_of_ints_after_a_number_was_taken_apart():
    def remainder(x):
        q, r = divmod(int(x), 2)
        return q * x + r

    def taken_apart(x):
        n, d = x.as_integer_ratio()
        return divmod(n, 2)[0] / d

    for _ in range(2):
        with pytest.raises(Unsupported, match="a step function of ints"):
            gradient(taken_apart, 2.25)
        assert gradient(remainder, 3.0) == (1.0,)
