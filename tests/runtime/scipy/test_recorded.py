"""What the functions that a solver calls store: kept alone it is as it was, read again an error."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")


def by_a_callback(x):
    seen = []
    optimize.minimize(lambda z: (z[0] - 1) ** 2, [0.0], callback=lambda z: seen.append(z[0] * x))
    return seen[-1] * x


def by_an_equation(x):
    seen = []

    def equation(z):
        seen.append(x)
        return z - 1.0

    optimize.brentq(equation, 0.0, 3.0)
    return seen[0] * seen[-1]


def by_an_integrand(x):
    class Noting:
        last = 0.0

        def __call__(self, t):
            self.last = x * x
            return t

    noting = Noting()
    integrate.quad(noting, 0.0, 1.0)
    return noting.last


def by_a_slope(x):
    last = 0.0

    def slope(t, y):
        nonlocal last
        last = x * x
        return -y

    integrate.odeint(slope, [1.0], [0.0, 1.0], tfirst=True)
    return last


def by_a_residual_into_an_array(x):
    kept = np.zeros(3)

    def residual(z):
        kept[1] = x * x
        return z - 1.0

    optimize.least_squares(residual, [0.0])
    return kept[1]


CALLED_BACK = [
    by_a_callback, by_an_equation, by_an_integrand, by_a_slope,
    by_a_residual_into_an_array,
]  # fmt: skip


@pytest.mark.parametrize("f", CALLED_BACK, ids=lambda f: f.__name__)
def test_what_a_callback_stores_and_is_read_again_is_refused(f):
    assert f(3.0) == pytest.approx(9.0)
    with pytest.raises(Unsupported, match=r"^test_recorded.py:\d+: .*has stored"):
        gradient(f, 3.0)


def test_a_history_that_is_only_kept_changes_nothing():
    seen = []

    def f(a):
        count = [0]

        def equation(z):
            count[0] += 1
            seen.append(z * a)
            return z * z - a

        root = optimize.brentq(equation, 0.0, 3.0)
        assert len(seen) >= count[0] > 3
        return (
            root * a
            + optimize.minimize(
                lambda z: (z[0] - a) ** 2, [0.0], callback=lambda z: seen.append(z[0])
            ).x[0]
        )

    assert gradient(f, 2.0)[0] == pytest.approx(1.5 * 2**0.5 + 1.0, rel=1e-5)


def test_what_a_callback_stores_of_constants_is_a_constant():
    def f(a):
        seen = []
        optimize.brentq(lambda z: seen.append(z) or z - 1.0, 0.0, 3.0)
        return seen[-1] * a

    assert gradient(f, 2.0)[0] == pytest.approx(1.0)
