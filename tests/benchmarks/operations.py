"""What each elementary operation costs that generated code is made of.

Nanoseconds, the least of several rounds, the empty loop taken off.
"""

import timeit

SETUP = """
import math, numpy as np
from numpy import ndarray
x, y, n = 1.5, -0.7, 3
s, t = np.float64(x), np.float64(y)
a, b, out = np.linspace(0.1, 1.0, 10), np.linspace(1.0, 2.0, 10), np.ones(10)
m = np.ones((32, 64))
big, other, total = np.ones(100_000), np.ones(100_000), np.ones(100_000)
l = [0.1] * 10
kept = []
def callee(x): return x
def maker(x):
    def inner(): return x
    return inner
"""
OPERATIONS = {
    "floats": ["x * y + x", "s * t + s", "x ** 2", "x * x", "math.exp(x)", "np.exp(x)"],
    "calls": ["callee(x)", "callee(*(x,))", "maker(x)", "(x, y, n)", "x, y = y, x"],
    "guards": ["type(x) is float", "type(a) is ndarray", "isinstance(a, ndarray)", "a.ndim == 1",
               "a.shape == b.shape", "a.dtype"],
    "elements": ["a[n]", "a[n] = x", "a[n] += x", "l[n]", "l[n] += x", "a[1:-1]", "a.tolist()",
                 "np.array([x, y])"],
    "recording": ["kept.append(x); kept.pop()", "kept.append((x, y)); kept.pop()"],
    "small arrays": ["a + b", "np.add(a, b, out)", "out *= 1.0", "np.zeros(10)", "np.zeros_like(a)",
                     "np.empty(10)", "a.copy()", "a @ b", "np.sum(a)", "a.sum()",
                     "np.add.reduce(a)", "np.where(a > 0.5, a, b)", "a[:, None] * b",
                     "np.outer(a, b)"],
    "reductions": ["np.sum(m, 0)", "m.sum(0)", "np.add.reduce(m, 0)",
                   "np.broadcast_to(x, (32, 64))"],
    "large arrays": ["big + other", "np.add(big, other, total)", "big ** 2",
                     "big * big", "big ** 3", "big * big * big", "np.zeros_like(big)",
                     "big @ other",
                     "np.sum(big * other)"],
}  # fmt: skip


def nanoseconds(statement, rounds=5):
    """Of one run of a statement."""
    timer = timeit.Timer(statement, SETUP)
    count, taken = timer.autorange()
    count = max(1, int(count * 0.02 / taken))
    empty = min(timeit.Timer("pass").repeat(rounds, count)) / count
    return 1e9 * (min(timer.repeat(rounds, count)) / count - empty)


def print_operations():
    for title, statements in OPERATIONS.items():
        print(f"\n{title}")
        for statement in statements:
            print(f"    {statement:<32}{nanoseconds(statement):>10.0f} ns")
