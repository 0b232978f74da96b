"""colormath and the standard library's colorsys."""

import colorsys

import pytest
from libraries import library, restore_asscalar

from astad.testing import check_gradient

objects = library("colormath.color_objects")
conversions = library("colormath.color_conversions")
differences = library("colormath.color_diff")


@pytest.fixture(autouse=True, scope="module")
def asscalar():
    take_away = restore_asscalar()
    yield
    take_away()


def difference_from_leaf_green(red, green, blue):
    leaf = conversions.convert_color(objects.sRGBColor(0.1, 0.9, 0.2), objects.LabColor)
    seen = conversions.convert_color(objects.sRGBColor(red, green, blue), objects.LabColor)
    return differences.delta_e_cie2000(seen, leaf)


def plain_difference(lightness, a, b):
    one, other = objects.LabColor(lightness, a, b), objects.LabColor(40.0, 12.0, -7.0)
    return differences.delta_e_cie1976(one, other) + differences.delta_e_cie1994(one, other)


def luminance_of_a_chromaticity(x, y):
    xyz = conversions.convert_color(objects.xyYColor(x, y, 0.3), objects.XYZColor)
    return xyz.xyz_x * xyz.xyz_z + xyz.xyz_y


def hue_lightness_saturation(red, green, blue):
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    return hue + 2.0 * lightness + 3.0 * saturation


OBJECTIVES = {
    "difference of two colours": (difference_from_leaf_green, (0.9, 0.12, 0.07)),
    "difference in Lab": (plain_difference, (52.0, 30.0, 11.0)),
    "chromaticity": (luminance_of_a_chromaticity, (0.31, 0.34)),
    "hue": (hue_lightness_saturation, (0.31, 0.62, 0.17)),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_agrees_with_differences(name):
    objective, args = OBJECTIVES[name]
    check_gradient(objective, *args, rtol=1e-5)
