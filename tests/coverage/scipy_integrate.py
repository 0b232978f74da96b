"""Calls of the names of scipy.integrate."""

import numpy as np
from scipy import integrate

t = np.array([0.0, 0.3, 0.5, 1.1, 1.7, 1.9, 2.2, 2.4, 3.0])
TIGHT = {"rtol": 1e-10, "atol": 1e-10}


def swing(s, y, a, b):
    return np.array([y[1], -a * np.sin(y[0]) - b * y[1]])


CALLS = {
    "trapezoid": ("integrate.trapezoid(x * x, t)", "integrate.trapezoid(x.reshape(3, 3), axis=0)"),
    "cumulative_trapezoid": ("integrate.cumulative_trapezoid(x * x, t, initial=0)",),
    "simpson": ("integrate.simpson(x * x, x=t)", "integrate.simpson(x[:8], dx=0.3)"),
    "cumulative_simpson": ("integrate.cumulative_simpson(x * x, x=t, initial=0)",),
    "romb": ("integrate.romb(x * x, dx=0.3)",),
    "fixed_quad": ("integrate.fixed_quad(lambda s: np.exp(-x[0] * s), 0, x[1], n=6)[0]",),
    "quad": (
        "integrate.quad(lambda s: np.exp(-x[0] * s), x[1], 2.0)[0]",
        "integrate.quad(lambda s, a: np.exp(-a * s), x[1], np.inf, args=(x[2],))[0]",
    ),
    "dblquad": (
        "integrate.dblquad(lambda v, u: x[0] * u * v * v, 0, 2, 0, lambda u: x[1] * u)[0]",
    ),
    "tplquad": ("integrate.tplquad(lambda w, v, u: x[0] * u * v * w, 0, 2, 0, 1, 0, x[1])[0]",),
    "nquad": ("integrate.nquad(lambda v, u: x[0] * u * v * v, [[0, 2], [0, x[1]]])[0]",),
    "quad_vec": ("integrate.quad_vec(lambda s: np.exp(-s * x), 0, 2)[0]",),
    "tanhsinh": ("integrate.tanhsinh(lambda s: np.exp(-x[0] * s), 0, 1).integral",),
    "odeint": (
        "integrate.odeint(swing, x[:2], t, (x[2], x[3]), tfirst=True, rtol=1e-10, atol=1e-10)",
    ),
    "solve_ivp": (
        "integrate.solve_ivp(swing, (0, 3), x[:2], t_eval=t, args=(x[2], x[3]), **TIGHT).y",
        "integrate.solve_ivp(swing, (0, 3), x[:2], 'Radau', t, args=(x[2], x[3]), **TIGHT).y",
        "integrate.solve_ivp(swing, (0, 3), x[:2], 'LSODA', t, args=(x[2], x[3]), **TIGHT).y",
    ),
}
