"""Loops under a memory budget: time over the forward sweep, the plain run and the gradient that
keeps all; peak memory.
"""

import math
import time
import tracemalloc

import numpy as np

import astad


def logistic(r, x, n):
    for _ in range(n):
        x = r * x * (1.0 - x)
    return x


def while_logistic(r, x, n):
    k = 0
    while k < n:
        x = r * x * (1.0 - x)
        k += 1
    return x


def pendulum(q, p, g, h, n):
    for _ in range(n):
        a1, b1 = p, -g * math.sin(q)
        a2, b2 = p + 0.5 * h * b1, -g * math.sin(q + 0.5 * h * a1)
        a3, b3 = p + 0.5 * h * b2, -g * math.sin(q + 0.5 * h * a2)
        a4, b4 = p + h * b3, -g * math.sin(q + h * a3)
        q += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        p += h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
    return q * p


def heat(u, c, n):
    for _ in range(n):
        inner = u[1:-1] + c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = np.concatenate([u[:1], inner, u[-1:]])
    return np.sum(u * u)


def heat_in_place(u, c, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def network(W, xs):
    h = np.zeros(W.shape[0])
    for x in xs:
        h = np.tanh(W @ h + x)
    return h @ h


R = np.random.default_rng(0)
U = np.linspace(0.0, 1.0, 10_000) ** 2
PROGRAMS = {
    "logistic map, 1e6 rounds": (logistic, (2.7, 0.3, 1_000_000), "100 MB"),
    "logistic map, 1e6 rounds, while": (while_logistic, (2.7, 0.3, 1_000_000), "100 MB"),
    "logistic map, 1e6 rounds, 1 MB": (logistic, (2.7, 0.3, 1_000_000), "1 MB"),
    "logistic map, 1e6 rounds, 100 kB": (logistic, (2.7, 0.3, 1_000_000), "100 kB"),
    "pendulum, 1e5 steps": (pendulum, (0.5, 0.1, 9.81, 0.001, 100_000), "10 MB"),
    "heat, 1e4 steps of 1e4": (heat, (U, 0.1, 10_000), "100 MB"),
    "heat in place, 1e4 steps of 1e4": (heat_in_place, (U, 0.1, 10_000), "100 MB"),
    "network of 200, 5000 inputs": (
        network, (R.normal(size=(200, 200)) / 20.0, R.normal(size=(5000, 200))), "5 MB",
    ),
}  # fmt: skip
SHARE = {"heat, 1e4 steps of 1e4": 10, "heat in place, 1e4 steps of 1e4": 10}
"""What would keep gigabytes is timed on that share of the rounds without a budget."""


def print_table(only, budget):
    print(f"{'program':34} {'budget':>7}  over forward  over plain  over gradient  peak MB")
    for name, (f, args, size) in PROGRAMS.items():
        if only and not any(part in name for part in only):
            continue
        times, peak = measured(f, args, size, SHARE.get(name, 1), budget)
        bounded = times["bounded"]
        ratios = [bounded / times[each] for each in ("forward", "plain", "gradient")]
        print(f"{name:34} {size:>7}  {ratios[0]:12.2f}  {ratios[1]:10.2f}  {ratios[2]:13.2f}"
              f"  {peak / 1e6:7.2f}")  # fmt: skip


def measured(f, args, size, share, budget):
    """The least of the times in turn, by what was run; and the peak of a bounded gradient."""
    fewer = (*args[:-1], args[-1] // share) if share > 1 else args

    def bounded():
        with astad.memory(size):
            astad.gradient(f, *args)

    runs = {
        "plain": (lambda: f(*args), 1),
        "forward": (lambda: astad.pullback(f, *fewer), share),
        "gradient": (lambda: astad.gradient(f, *fewer), share),
        "bounded": (bounded, 1),
    }
    times = dict.fromkeys(runs, math.inf)
    end = time.perf_counter() + 4 * budget
    for turn in range(50):
        for name, (run, times_more) in runs.items():
            start = time.perf_counter()
            run()
            times[name] = min(times[name], (time.perf_counter() - start) * times_more)
        if turn and time.perf_counter() > end:
            break
    tracemalloc.start()
    bounded()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return times, peak
