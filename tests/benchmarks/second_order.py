"""Forward mode and second derivatives: times over the plain run, and over a gradient."""

import numpy as np

import astad

from .measure import in_turns, median_ratio


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def field(x, y, a, b):
    return a * x - x * y, x * y - b * y


def runge_kutta(x, y, a, b, h, n):
    for _ in range(n):
        kx, ky = field(x, y, a, b)
        mx, my = field(x + 0.5 * h * kx, y + 0.5 * h * ky, a, b)
        x = x + h * mx
        y = y + h * my
    return x * y


def stencil(u, c, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def log_sum(x):
    return np.log(np.sum(np.exp(x)))


def network(x, a, b):
    return np.sum(np.tanh(b @ np.tanh(a @ x)))


R = np.random.default_rng(0)
LAYERS = R.normal(size=(30, 100)) / 10, R.normal(size=(20, 30)) / 5
PROGRAMS = {
    "power, 1000 rounds": (power, (1.001, 1000)),
    "Runge-Kutta, 500 steps": (runge_kutta, (1.0, 2.0, 1.1, 0.4, 0.01, 500)),
    "stencil, n = 1000": (stencil, (R.normal(size=1000), 0.1, 50)),
    "Rosenbrock, n = 10": (rosenbrock, (R.normal(size=10),)),
    "Rosenbrock, n = 1000": (rosenbrock, (R.normal(size=1000),)),
    "log-sum-exp, n = 100": (log_sum, (R.normal(size=100),)),
    "network, n = 100": (network, (R.normal(size=100), *LAYERS)),
}
HESSIANS = ("Rosenbrock, n = 10", "log-sum-exp, n = 100", "network, n = 100")


def print_table(only, budget):
    print(f"{'':24}  jvp / plain   gradient / plain   hvp / gradient   hessian / gradient")
    for name, (f, args) in PROGRAMS.items():
        if only and not any(part in name for part in only):
            continue
        x = args[0]
        v = np.ones_like(x) if np.ndim(x) else 1.0
        held = [None] * (len(args) - 1)
        slope = astad.grad(f)
        calls = {
            "plain": lambda: f(*args),
            "jvp": lambda: astad.jvp(f, args, (v, *held)),
            "gradient": lambda: slope(*args),
            "hvp": lambda: astad.hvp(f, x, v, *args[1:]),
        }
        if name in HESSIANS:
            calls["hessian"] = lambda: astad.hessian(f, *args)
        rounds = in_turns(calls, budget)
        ratios = [
            median_ratio(rounds, "jvp", "plain"),
            median_ratio(rounds, "gradient", "plain"),
            median_ratio(rounds, "hvp", "gradient"),
        ]
        line = f"{name:24}  {ratios[0]:11.1f}   {ratios[1]:16.1f}   {ratios[2]:14.1f}"
        if "hessian" in calls:
            line += f"   {median_ratio(rounds, 'hessian', 'gradient'):18.1f}"
        print(line)
