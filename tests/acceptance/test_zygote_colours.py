"""A colour difference through code that was not written for differentiation: row 001.09."""

import colorsys
import math

import pytest

from astad import gradient

# sRGB primaries and white D65; CIELAB with the exact rational constants of CIE 15.
RGB_TO_XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE = (0.95047, 1.0, 1.08883)


def linear(c):
    if c > 0.04045:
        return ((c + 0.055) / 1.055) ** 2.4
    return c / 12.92


def lab_curve(t):
    if t > 216 / 24389:
        return t ** (1 / 3)
    return (24389 / 27 * t + 16) / 116


def lab(rgb):
    channels = [linear(c) for c in rgb]
    xyz = [sum(a * c for a, c in zip(row, channels)) for row in RGB_TO_XYZ]
    fx, fy, fz = (lab_curve(value / white) for value, white in zip(xyz, WHITE))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def hue(a, b):
    angle = math.degrees(math.atan2(b, a))
    return angle if angle >= 0 else angle + 360


def ciede2000(one, two):
    """CIE 142-2001, in the order of Sharma, Wu and Dalal 2005."""
    L1, a1, b1 = lab(one)
    L2, a2, b2 = lab(two)
    mean_c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = hue(a1, b1), hue(a2, b2)
    dh = h2 - h1
    if dh > 180:
        dh -= 360
    elif dh < -180:
        dh += 360
    dL, dC = L2 - L1, c2 - c1
    dH = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(dh / 2))
    mean_l, mean_c = (L1 + L2) / 2, (c1 + c2) / 2
    mean_h = (h1 + h2) / 2
    if abs(h1 - h2) > 180:
        mean_h = mean_h + 180 if mean_h < 180 else mean_h - 180
    t = (
        1
        - 0.17 * math.cos(math.radians(mean_h - 30))
        + 0.24 * math.cos(math.radians(2 * mean_h))
        + 0.32 * math.cos(math.radians(3 * mean_h + 6))
        - 0.20 * math.cos(math.radians(4 * mean_h - 63))
    )
    turn = 30 * math.exp(-(((mean_h - 275) / 25) ** 2))
    rc = 2 * math.sqrt(mean_c**7 / (mean_c**7 + 25**7))
    sl = 1 + 0.015 * (mean_l - 50) ** 2 / math.sqrt(20 + (mean_l - 50) ** 2)
    sc, sh = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    rt = -math.sin(math.radians(2 * turn)) * rc
    return math.sqrt((dL / sl) ** 2 + (dC / sc) ** 2 + (dH / sh) ** 2 + rt * (dC / sc) * (dH / sh))


RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
RED_BAR = (0.4590887719632896, -9.598786801605689, 14.181383399012862)
GREEN_BAR = (-1.7697549557037275, 28.88472330558805, -0.044793892637761346)


def test_001_09_a_plain_routine():
    assert ciede2000(RED, GREEN) == pytest.approx(86.60825446459702, rel=2e-5)
    red_bar, green_bar = gradient(ciede2000, RED, GREEN)
    assert red_bar == pytest.approx(RED_BAR, rel=2e-5)
    assert green_bar == pytest.approx(GREEN_BAR, rel=2e-5)


def test_001_09_an_unmodified_package():
    library = pytest.importorskip("basic_colormath")
    one, two = (200, 40, 60), (30, 150, 90)
    assert library.get_delta_e(one, two) == pytest.approx(69.62861423072474, rel=1e-13)
    one_bar, two_bar = gradient(library.get_delta_e, one, two)
    assert one_bar == pytest.approx((0.04079338095, -0.15195413227, 0.12398631715), rel=1e-9)
    assert two_bar == pytest.approx((-0.05456199359, 0.24630745343, -0.10979766510), rel=1e-9)


def test_001_09_the_standard_library():
    def f(r, g, b):
        h, l, s = colorsys.rgb_to_hls(r, g, b)
        return h + 2.0 * l + 3.0 * s

    slopes = gradient(f, 0.6, 0.3, 0.2)
    assert slopes == pytest.approx((2.7708333333333335, 0.4166666666666667, -4.9375), rel=1e-14)
