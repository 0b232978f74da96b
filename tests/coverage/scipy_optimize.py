"""Calls of the names of scipy.optimize."""

import numpy as np
from scipy import optimize

M = np.array([[2.0, 0.4, 0.1], [0.5, 1.9, 0.3], [0.2, 0.6, 2.7], [0.3, 0.1, 0.5]])
TIGHT = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
SAMPLES = np.linspace(0.0, 1.0, 9)


def cube(s, a):
    return s**3 + s - a


def coupled(s, a):
    return s**3 + s * np.sum(s) - a


def bowl(s, a):
    return np.sum((s - a) ** 2) + np.sum(a * s**4)


def slope(s, a):
    return 2 * (s - a) + 4 * a * s**3


def hump(s, a):
    return (s - a) ** 2 + np.exp(a * s)


def misfit(p, d):
    return p[0] * np.exp(-p[1] * SAMPLES) - d


def curve(s, a, k):
    return a * np.exp(-k * s)


def slopes(p, d):
    e = np.exp(-p[1] * SAMPLES)
    return np.stack([e, -SAMPLES * p[0] * e], axis=1)


def curve_slopes(s, a, k):
    return np.stack([np.exp(-k * s), -s * a * np.exp(-k * s)], axis=1)


CALLS = {
    "brentq": ("optimize.brentq(cube, 0, 3, args=(x[0],))",),
    "brenth": ("optimize.brenth(cube, 0, 3, args=(x[0],))",),
    "bisect": ("optimize.bisect(lambda s: cube(s, x[0]), 0, 3)",),
    "ridder": ("optimize.ridder(cube, 0, 3, args=(x[0],))",),
    "toms748": ("optimize.toms748(cube, 0, 3, args=(x[0],))",),
    "newton": (
        "optimize.newton(cube, 0.5, args=(x[0],))",
        "optimize.newton(cube, np.ones(9), args=(x,))",
    ),
    "root_scalar": ("optimize.root_scalar(cube, args=(x[0],), bracket=(0, 3)).root",),
    "fixed_point": ("optimize.fixed_point(lambda s: np.cos(s * x) / 2, 0.4 * np.ones(9))",),
    "fsolve": ("optimize.fsolve(coupled, np.ones(9), args=(x,))",),
    "root": (
        "optimize.root(coupled, np.ones(9), args=(x,)).x",
        "optimize.root(coupled, np.ones(9), args=(x,), method='lm').x",
    ),
    "broyden1": ("optimize.broyden1(lambda s: coupled(s, x[:2]), np.ones(2), f_tol=1e-11)",),
    "anderson": ("optimize.anderson(lambda s: coupled(s, x[:2]), np.ones(2), f_tol=1e-11)",),
    "newton_krylov": (
        "optimize.newton_krylov(lambda s: coupled(s, x[:2]), np.ones(2), f_tol=1e-11)",
    ),
    "minimize": (
        "optimize.minimize(bowl, np.ones(3), (x[:3],), jac=slope, tol=1e-11).x",
        "optimize.minimize(bowl, np.ones(3), (x[:3],), 'BFGS', jac=slope, tol=1e-11).fun",
    ),
    "minimize_scalar": ("optimize.minimize_scalar(hump, args=(x[0],)).fun",),
    "least_squares": ("optimize.least_squares(misfit, [1, 1], args=(x,), **TIGHT).cost",),
    "curve_fit": ("optimize.curve_fit(curve, SAMPLES, x + 1, jac=curve_slopes, **TIGHT)[0]",),
    "leastsq": ("optimize.leastsq(misfit, [1, 1], (x + 1,), slopes, **TIGHT)[0]",),
    "lsq_linear": (
        "optimize.lsq_linear(M, x[:4]).x",
        "optimize.lsq_linear(np.arange(9.0).reshape(3, 3), x[:3]).x",
    ),
    "rosen": ("optimize.rosen(x)",),
    "rosen_der": ("optimize.rosen_der(x)",),
    "rosen_hess": ("optimize.rosen_hess(x)",),
    "rosen_hess_prod": ("optimize.rosen_hess_prod(x, x[::-1])",),
    "linear_sum_assignment": (
        "optimize.linear_sum_assignment(x.reshape(3, 3))[1]",
        "optimize.linear_sum_assignment(x.reshape(3, 3), maximize=True)[1] * x[:3]",
        "x.reshape(3, 3)[optimize.linear_sum_assignment(x.reshape(3, 3))]",
        "i, j = optimize.linear_sum_assignment(x.reshape(3, 3) ** 2)\nx.reshape(3, 3)[i, j] * j",
    ),
    "nnls": ("optimize.nnls(M, x[:4])[0]",),
    "linprog": (
        "optimize.linprog(x[:2], A_ub=[[-1, -1]], b_ub=[-1]).fun",
        "optimize.linprog([-0.3, -0.7], A_ub=[[1, 2], [3, 1]], b_ub=x[2:4]).x",
    ),
    "milp": ("optimize.milp(x[:2], bounds=optimize.Bounds(1, 4)).fun",),
}
REFUSED = {
    "nnls": "its active set is chosen in compiled code; write the objective and use minimize",
    "linprog": "which constraints are active is found in compiled code",
    "milp": "which constraints are active is found in compiled code",
}
NO_SECOND = dict.fromkeys(CALLS, "a solver's derivative is of the first order only")
