"""Fit the Lotka-Volterra equations to the hares and lynxes of Hudson Bay, 1900 to 1920.

    python examples/hare_and_lynx.py

The model is ordinary Python: a Runge-Kutta loop over floats. Its maximum likelihood on the log
scale is found by a quasi-Newton method (BFGS), written out below, with gradients from astad.
The data are pelts traded each year, in thousands, of hares (u) and of lynxes (v):

    u' = (alpha - beta v) u        v' = (-gamma + delta u) v
"""

import csv
import math
from pathlib import Path

import numpy as np

import astad

DATA = Path(__file__).parent / "data" / "hudson_bay.csv"
NAMES = ("alpha", "beta", "gamma", "delta", "hares in 1900", "lynxes in 1900", "noise", "noise")
STEPS = 10  # Runge-Kutta steps a year


def read_pelts():
    """Two lists: thousands of hare and of lynx pelts, year by year."""
    with DATA.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [float(row["hare"]) for row in rows], [float(row["lynx"]) for row in rows]


def slope(u, v, alpha, beta, gamma, delta):
    return (alpha - beta * v) * u, (-gamma + delta * u) * v


def runge_kutta(u, v, h, alpha, beta, gamma, delta):
    """The state after one step of length h, by the classical fourth-order method."""
    du1, dv1 = slope(u, v, alpha, beta, gamma, delta)
    du2, dv2 = slope(u + h / 2 * du1, v + h / 2 * dv1, alpha, beta, gamma, delta)
    du3, dv3 = slope(u + h / 2 * du2, v + h / 2 * dv2, alpha, beta, gamma, delta)
    du4, dv4 = slope(u + h * du3, v + h * dv3, alpha, beta, gamma, delta)
    u = u + h / 6 * (du1 + 2 * du2 + 2 * du3 + du4)
    v = v + h / 6 * (dv1 + 2 * dv2 + 2 * dv3 + dv4)
    return u, v


def negative_log_likelihood(theta, hares, lynxes):
    """Log-normal errors about the solution; `theta` holds logarithms of the eight parameters."""
    alpha, beta, gamma, delta, u, v, noise_u, noise_v = [math.exp(t) for t in theta]
    total = 0.0
    for year in range(len(hares)):
        if year > 0:
            for _ in range(STEPS):
                u, v = runge_kutta(u, v, 1 / STEPS, alpha, beta, gamma, delta)
        miss_u = (math.log(hares[year]) - math.log(u)) / noise_u
        miss_v = (math.log(lynxes[year]) - math.log(v)) / noise_v
        total += (miss_u**2 + miss_v**2) / 2 + math.log(noise_u) + math.log(noise_v)
    return total


def minimise(value_and_gradient, x, steps=200, tolerance=1e-5):
    """BFGS with step halving: the lowest point found, the value there, and the number of steps."""
    value, gradient = value_and_gradient(x)
    inverse = np.eye(x.size) * 0.01  # the first steps are short
    for step in range(steps):
        if np.abs(gradient).max() < tolerance:
            return x, value, step
        move = -inverse @ gradient
        new_value, new_gradient = value_and_gradient(x + move)
        while not new_value <= value + 1e-4 * (gradient @ move) and np.abs(move).max() > 1e-12:
            move = move / 2
            new_value, new_gradient = value_and_gradient(x + move)
        turn = new_gradient - gradient
        curvature = turn @ move
        if curvature > 0:
            shrink = np.eye(x.size) - np.outer(move, turn) / curvature
            inverse = shrink @ inverse @ shrink.T + np.outer(move, move) / curvature
        x, value, gradient = x + move, new_value, new_gradient
    return x, value, steps


def main():
    """Fit, print, and return the parameters by name with the value and the number of steps."""
    hares, lynxes = read_pelts()
    start = np.log([0.5, 0.02, 1.0, 0.02, hares[0], lynxes[0], 0.5, 0.5])
    value_and_gradient = astad.value_and_grad(negative_log_likelihood)
    theta, value, steps = minimise(lambda x: value_and_gradient(x, hares, lynxes), start)
    fitted = np.exp(theta)
    print(f"{steps} steps, negative log-likelihood {value:.3f}")
    for name, number in zip(NAMES, fitted, strict=True):
        print(f"{name:15s} {number:7.4f}")
    return {"theta": theta, "fitted": fitted, "value": value, "steps": steps}


if __name__ == "__main__":
    main()
