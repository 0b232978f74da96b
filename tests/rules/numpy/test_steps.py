"""Functions without a derivative are told apart from those that have no rule."""

import numpy as np

from astad.rules import lookup


def test_steps_are_known_and_say_why():
    for fn in (np.floor, np.rint, np.round, np.isnan, np.greater, np.logical_and, np.bitwise_and):
        found = lookup(fn)
        assert found.form == "zero" and found.why
