"""Functions of numbers alone: written out, and the same as through the dispatcher everywhere."""

import math
import random
import re

import numpy as np
import pytest

from astad import gradient, pullback

from ..forms import only_generic

ONE = [
    lambda x, y, z: max(x, y),
    lambda x, y, z: min(x, y) * z,
    lambda x, y, z: max(x, y, z) - min(x, y, z),
    lambda x, y, z: max(x, 0.0) + min(1, y) * max(z, z),
    lambda x, y, z: max(x, y, z, 0.5) * min(x, y, z, 0.5, 1),
    lambda x, y, z: math.hypot(x, y) + math.hypot(x, y, z) + math.hypot(x),
    lambda x, y, z: math.log(x + 3.0, y + 4.0),
    lambda x, y, z: np.clip(x, y, z) + np.clip(x, 0, 1) * z,
    lambda x, y, z: round(x) * y + round(y, 1) * x + int(z * 3.0) * x,
    lambda x, y, z: math.floor(x) * y + math.ceil(y) * z - math.trunc(z) * x,
    lambda x, y, z: np.floor(x) * y + np.sign(y) * z - np.ceil(z) * x + np.rint(x) + np.trunc(y),
    lambda x, y, z: x if math.isnan(y) or math.isclose(x, y) else z * math.isfinite(y),
    lambda x, y, z: math.comb(5, 2) * x + math.factorial(3) * math.gcd(12, 18) * y,
    lambda x, y, z: float(x) * np.float64(y),
]
POINTS = [
    (0.7, 1.3, -2.1), (1.3, 0.7, 0.7), (0.5, 0.5, 0.5), (2.0, 2.0, 1.0), (0.0, -0.0, 0.5),
    (np.float64(0.7), 1.3, np.float64(1.3)), (2, 1.5, 2), (1.5, 2, 1), (-0.3, 0.0, 1.0),
]  # fmt: skip


@pytest.mark.parametrize("fn", ONE)
@pytest.mark.parametrize("point", POINTS)
def test_the_same_in_every_form(fn, point):
    y, back = pullback(fn, *point)
    with only_generic():
        expected_y, expected = pullback(fn, *point)
    assert y == expected_y and type(y) is type(expected_y)
    assert back(1.7) == expected(1.7)
    assert gradient(fn, *point) == expected(1.0)


@pytest.mark.parametrize("fn", ONE)
def test_against_differences(fn, forms_agree):
    forms_agree(fn, 0.713, 1.307, -2.104)


@pytest.mark.parametrize("larger", [max, min])
@pytest.mark.parametrize(
    "point", [(math.nan, 1.0, 2.0), (1.0, math.nan, 2.0), (2.0, 2.0, math.nan)]
)
def test_a_nan_gets_what_python_chose(larger, point):
    for fn in (lambda x, y, z: larger(x, y) + z, lambda x, y, z: larger(x, y, z)):
        found = pullback(fn, *point)[1](3.0)
        with only_generic():
            assert found == pullback(fn, *point)[1](3.0)


def test_equal_elements_of_an_array_share():
    """Comparisons of NumPy numbers are no ints: they do not add up."""
    (found,) = gradient(lambda a: max(a[0], a[1], a[2]), np.array([3.0, 3.0, 1.0]))
    assert found.tolist() == [0.5, 0.5, 0]


def test_a_cotangent_bound_anew_at_the_end_of_a_loop_is_carried(forms_agree):
    """Its first value is a parameter of the pullback, read further up in the same loop."""

    def clipped_total(a, u):
        total = 0.0
        for i in range(a.shape[0]):
            for j in range(2):
                total = total + a[i] * a[i - j]
            total = max(total, u)
        return total

    forms_agree(clipped_total, np.array([0.4, -0.7, 1.1, 0.9]), 0.35)


def test_drawn_numbers_are_constant():
    def f(x, n):
        total = 0.0
        for _ in range(n):
            total += x * random.uniform(0.5, 1.0) + random.randint(1, 3)
        return total

    random.seed(3)
    drawn = sum(random.uniform(0.5, 1.0) + 0 * random.randint(1, 3) for _ in range(5))
    random.seed(3)
    assert gradient(f, 2.0, 5)[0] == pytest.approx(drawn, rel=1e-14)


def test_what_python_raises_is_raised():
    for fn, args in [
        (lambda x: round(x), (math.inf,)),
        (lambda x: int(x) * x, (math.nan,)),
        (lambda x: math.factorial(-1) * x, (1.0,)),
        (lambda x: math.log(x, 1.0), (2.0,)),
    ]:
        with pytest.raises(Exception) as plain:
            fn(*args)
        with pytest.raises(type(plain.value), match=re.escape(str(plain.value))):
            gradient(fn, *args)
