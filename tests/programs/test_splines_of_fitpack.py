"""``splev``, ``splint`` and the classes of splines over FITPACK, in the places and coefficients."""

import numpy as np
import pytest

from tests.programs.ways import check_ways

interpolate = pytest.importorskip("scipy.interpolate")

PLACES = np.linspace(0, 1, 8)
KNOTS, COEFFICIENTS, _ = interpolate.splrep(PLACES, np.sin(3 * PLACES))
TCK = KNOTS, COEFFICIENTS, 3
CURVE = interpolate.splprep([np.cos(3 * PLACES), np.sin(3 * PLACES)], s=0)[0]
SMOOTH = interpolate.InterpolatedUnivariateSpline(PLACES, np.sin(3 * PLACES))

OF_A_NUMBER = [
    lambda s: float(interpolate.splev(s, TCK)) ** 2,
    lambda s: float(interpolate.splev(s, TCK, der=1)) ** 2,
    lambda s: sum(float(v) ** 3 for v in interpolate.splev(s, CURVE)),
    lambda s: interpolate.splint(-1.0, s, TCK) + interpolate.splint(s, 2.0, TCK) ** 2,
    lambda s: float(SMOOTH(s)) * float(SMOOTH.derivative()(s)) + SMOOTH.integral(0.1, s),
]


@pytest.mark.parametrize("f", OF_A_NUMBER)
def test_at_a_number(f):
    check_ways(f, 0.3)


@pytest.mark.parametrize("ext", [0, 1, 3])
@pytest.mark.parametrize("der", [0, 1, 3])
def test_also_outside_of_the_knots(ext, der):
    def f(x):
        return np.sum(interpolate.splev(x, TCK, der=der, ext=ext) ** 2)

    check_ways(f, np.array([-0.2, 0.4, 1.2]), rtol=1e-5)


def test_in_the_coefficients():
    def f(c, x):
        return np.sum(interpolate.splev(x, (KNOTS, c, 3)) ** 2) + interpolate.splint(
            0.2, x[0], (KNOTS, c, 3)
        )

    check_ways(f, COEFFICIENTS, np.array([0.5, 0.6]))


GRID = interpolate.RegularGridInterpolator(
    (np.linspace(0, 1, 3), np.linspace(0, 1, 4)), np.sin(np.arange(12.0)).reshape(3, 4)
)

ON_A_GRID = [
    lambda s: GRID([[s, 0.4]])[0] ** 2,
    lambda s: float(GRID((s, 0.4))) ** 2,
    lambda s: GRID([s, 0.4])[0] ** 2,
    lambda s: np.sum(GRID([(s, 0.4), (0.3, s * s)]) ** 2),
    lambda s: np.sum(GRID(([s, 0.2], np.array([0.3, s]))) ** 2),
    lambda s: np.sum(GRID((s, np.array([0.3, 0.7]))) ** 2),
]


@pytest.mark.parametrize("f", ON_A_GRID)
def test_points_of_a_grid_one_by_one(f):
    check_ways(f, 0.3)
