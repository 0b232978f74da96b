"""chemicals, ht (heat exchangers) and PsychroLib (moist air)."""

import pytest
from libraries import library

from astad.testing import check_gradient

vapour = library("chemicals.vapor_pressure")
exchangers = library("ht.hx")
air = library("psychrolib")

METHANE = (140.0, 190.53, 4599000.0, -6.02242, 1.26652, -0.5707, -1.366)


def heat_and_outlet(hot, cold, conductance):
    found = exchangers.effectiveness_NTU_method(
        mh=hot, mc=cold, Cph=4180.0, Cpc=1900.0, subtype="counterflow", Thi=420.0, Tci=290.0,
        UA=conductance,
    )  # fmt: skip
    return found["Q"] * 1e-4 + found["Tco"]


def relative_humidity(dry, wet, pressure):
    air.SetUnitSystem(air.SI)
    return air.GetRelHumFromTWetBulb(dry, wet, pressure)


OBJECTIVES = {
    "vapour pressure": (vapour.Wagner, METHANE),
    "heat exchanger": (heat_and_outlet, (5.2, 1.45, 3000.0)),
    "humidity": (relative_humidity, (27.0, 19.0, 98000.0)),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_agrees_with_differences(name):
    objective, args = OBJECTIVES[name]
    check_gradient(objective, *args, rtol=1e-5)
