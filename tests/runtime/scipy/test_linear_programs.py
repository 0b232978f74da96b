"""Linear programs: refused where a derivative is asked for, left alone where not."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported

optimize = pytest.importorskip("scipy.optimize")


def test_a_solution_has_no_derivative():
    def by_cost(c):
        return optimize.linprog(c, A_ub=[[-1, -1]], b_ub=[-1]).fun

    def by_limits(b):
        return optimize.linprog([-1.0, -2.0], A_ub=np.eye(2), b_ub=b).x.sum()

    def whole(c):
        return optimize.milp(c, integrality=1, bounds=optimize.Bounds(1, 4)).fun

    for f in (by_cost, by_limits, whole):
        with pytest.raises(Unsupported, match="linprog|milp"):
            gradient(f, np.array([0.4, 0.7]))


def test_one_of_constants_is_no_hindrance():
    def f(w):
        return w * optimize.linprog([1.0, 2.0], A_ub=[[-1, -1]], b_ub=[-1]).fun

    assert gradient(f, 3.0) == (1.0,)
