"""pymap3d (geodesics) and astral (the sun's position)."""

import datetime

import pytest
from libraries import library

from astad.testing import check_gradient

vincenty = library("pymap3d.vincenty")
pymap3d = library("pymap3d")
astral = library("astral")
sun = library("astral.sun")

AFTERNOON = datetime.datetime(2024, 5, 17, 15, 30, tzinfo=datetime.UTC)


def distance(latitude, longitude, to_latitude, to_longitude):
    return vincenty.vdist(latitude, longitude, to_latitude, to_longitude)[0]


def height_after_a_step(east, north):
    latitude, longitude, altitude = pymap3d.enu2geodetic(east, north, 3.0, 46.0, 8.0, 500.0)
    return altitude + 1e3 * latitude - 1e2 * longitude


def zenith(latitude, longitude):
    here = astral.Observer(latitude, longitude, 0.0)
    return sun.zenith(here, AFTERNOON, with_refraction=False)


OBJECTIVES = {
    "geodesic": (distance, (10.0, 20.0, 10.8, 21.7)),
    "local coordinates": (height_after_a_step, (1200.0, -700.0)),
    "zenith": (zenith, (51.5, -0.13)),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_agrees_with_differences(name):
    objective, args = OBJECTIVES[name]
    check_gradient(objective, *args, rtol=1e-5)
