"""unyt: numbers with units, a subclass of ndarray."""

import pytest
from libraries import library

from astad.testing import check_gradient

unyt = library("unyt")


def kinetic_energy(mass, speed):
    energy = 0.5 * unyt.unyt_quantity(mass, "kg") * unyt.unyt_quantity(speed, "km/hr") ** 2
    return float(energy.to("J").value)


OBJECTIVES = {"kinetic energy": (kinetic_energy, (1200.0, 54.0))}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_agrees_with_differences(name):
    objective, args = OBJECTIVES[name]
    check_gradient(objective, *args, rtol=1e-5)
