"""What is looked up in a module is data of a known kind."""

import types

import numpy as np

constants = types.ModuleType("constants")
constants.WEIGHTS = np.array([1.0, 2.0, 0.5])
constants.GAIN = 2.0


def test_arrays_and_numbers_of_another_module(forms_agree):
    def f(x):
        return np.sum(constants.WEIGHTS * x) * constants.GAIN * x[0]

    forms_agree(f, np.array([0.5, 1.5, -0.4]), fused=True)
