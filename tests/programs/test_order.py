"""No answer depends on what was differentiated before in the process."""

import os

import pytest

from astad import gradient
from astad.errors import Unsupported

from .order import differences


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process for each program")
def test_a_sample_of_programs_alone_and_in_company():
    assert list(differences([1], share=0.15)) == []


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
