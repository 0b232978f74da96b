"""Random programs of the numeric kind: what the compiler specialises, put to the test.

Floats, arrays, element loops, stencils, matrices, small helpers, recursion, dicts of parameters,
lists that are built; few objects and no surprises, so that most operations are written out.
"""

import random

from .generator import RESULTS, Function, literal
from .kinds import FLOAT, Helper, array, count, dict_of, list_of, tuple_of
from .numeric_statements import NumericStatements

HEADER = '''"""Program {seed}."""

import functools
import math
import operator
from math import sin, tanh

import numpy as np

SCALE = 0.7
TABLE = np.array([0.4, -0.8, 1.1])
CONFIG = {{"gain": 0.9, "mode": "a"}}
'''

LIBRARY = {
    Helper("half", (FLOAT,), FLOAT): """
def half(t):
    return 0.5 * t
""",
    Helper("logistic", (FLOAT,), FLOAT): """
def logistic(t):
    e = math.exp(-abs(t))
    return 1.0 / (1.0 + e) if t > 0 else e / (1.0 + e)
""",
    Helper("clipped", (FLOAT, FLOAT), FLOAT, ("low",)): """
def clipped(t, high, low=-1.0):
    if t > high + 3.0:
        return high * t
    elif t < low:
        t = low + 0.1 * t
    return t * t
""",
    Helper("power", (FLOAT, count(5)), FLOAT): """
def power(t, n):
    y = 1.0
    for _ in range(n):
        y = y * t
    return y
""",
    Helper("newton", (FLOAT,), FLOAT): """
def newton(t):
    y, rounds = 1.0, 0
    while abs(y * y - (1.5 + t * t)) > 1e-9:
        y = 0.5 * (y + (1.5 + t * t) / y)
        rounds += 1
        if rounds > 6:
            break
    return y
""",
    Helper("rotated", (FLOAT, FLOAT, FLOAT), tuple_of(FLOAT, FLOAT)): """
def rotated(a, b, t):
    c, s = math.cos(t), math.sin(t)
    return c * a - s * b, s * a + c * b
""",
    Helper("fib", (FLOAT, count(5)), FLOAT): """
def fib(t, n):
    if n < 2:
        return t * n + 0.1
    return SCALE * fib(t, n - 1) + fib(t, n - 2) * 0.5
""",
    Helper("even", (FLOAT, count(5)), FLOAT): """
def even(t, n):
    if n == 0:
        return t
    return sin(odd(t, n - 1))


def odd(t, n):
    return t * 0.5 if n == 0 else t * even(t, n - 1)
""",
    Helper("bisect", (FLOAT, FLOAT, count(4)), FLOAT): """
def bisect(a, b, depth):
    m = 0.5 * (a + b)
    if depth == 0:
        return (b - a) * math.cos(m)
    return bisect(a, m, depth - 1) + bisect(m, b, depth - 1)
""",
    Helper("softened", (array(3),), array(3)): """
def softened(v):
    e = np.exp(v - v.max())
    return e / e.sum()
""",
    Helper("layer", (array(3, 2), array(2), array(3)), array(3)): """
def layer(w, v, b):
    return np.tanh(w @ v + b)
""",
    Helper("horner", (array(4), FLOAT), FLOAT): """
def horner(c, t):
    y = c[0]
    for i in range(1, len(c)):
        y = y * t * 0.5 + c[i]
    return y
""",
    Helper("smoothed", (array(4), count(4)), array(4)): """
def smoothed(u, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u
""",
    Helper("scaled_in_place", (array(3), FLOAT), FLOAT): """
def scaled_in_place(v, t):
    v *= tanh(t)
    v[0] = v[1] * t
    return v.sum()
""",
    Helper("norm", (array(2, 3),), FLOAT): """
def norm(m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += m[i, j] ** 2
    return math.sqrt(1.0 + total)
""",
    Helper("affine", (dict_of(w=array(3), b=FLOAT), array(3)), FLOAT): """
def affine(p, v):
    return p["w"] @ v + p["b"]
""",
    Helper("spread", (tuple_of(FLOAT, FLOAT),), FLOAT): """
def spread(pair):
    a, b = pair
    return (a - b) ** 2
""",
    Helper("gathered", (list_of(FLOAT, 3), FLOAT), FLOAT): """
def gathered(values, t):
    total, weight = 0.0, 1.0
    for v in values:
        total += weight * v
        weight *= 0.5 * sin(t)
    return total + values[0] * values[-1]
""",
}  # fmt: skip

PARAMETERS = [
    FLOAT, FLOAT, FLOAT, array(3), array(3), array(4), array(2, 3), array(3, 2), array(2), array(5),
    count(5), list_of(FLOAT, 3), tuple_of(FLOAT, FLOAT), dict_of(w=array(3), b=FLOAT),
    dict_of(a=FLOAT, b=FLOAT, c=FLOAT), dict_of(W=array(3, 2), b=array(3), s=FLOAT),
    tuple_of(array(3), FLOAT), list_of(array(3), 2), array(3, 3),
]  # fmt: skip


class NumericFunction(NumericStatements, Function):
    """The writer of one function of the numeric kind."""

    finds = False


def helper_functions(rng, plain, kinds_of_parameters):
    """Some functions of the library and at times a random one, each with its text."""
    fitting = [h for h in LIBRARY if not plain or all(k.name in PLAIN for k in h.parameters)]
    helpers = rng.sample(fitting, min(len(fitting), rng.randint(0, 5)))
    texts = [LIBRARY[helper].strip("\n") + "\n" for helper in helpers]
    for k in range(rng.choice([0, 0, 1, 2])):
        kinds = [rng.choice(kinds_of_parameters) for _ in range(rng.randint(1, 3))]
        result = FLOAT if plain else rng.choice([FLOAT, array(3), tuple_of(FLOAT, array(3))])
        parameters = {f"x{i}": kind for i, kind in enumerate(kinds)}
        function = NumericFunction(rng, list(helpers), f"helper{k}", parameters, 6)
        function.plain = plain
        texts.append(function.write(result, rng.randint(1, 4)))
        helpers.append(Helper(f"helper{k}", tuple(kinds), result))
    return helpers, texts


PLAIN = ("float", "int", "array")
CHOICES = [
    (True, [FLOAT, FLOAT, FLOAT, count(5)]),
    (True, [kind for kind in PARAMETERS if kind.name in PLAIN]),
    (False, PARAMETERS),
]
"""Whether a program is plain, and the kinds of its parameters."""


def numeric_program(seed, size=10):
    """The text of a module with ``f`` and ``arguments()``, as `generator.program` gives it."""
    rng = random.Random(f"numeric {seed}")
    plain, parameters = rng.choice(CHOICES)
    helpers, texts = helper_functions(rng, plain, parameters)
    kinds = [rng.choice(parameters) for _ in range(rng.randint(1, 4))]
    named = dict(zip("xyzuvw", kinds))
    function = NumericFunction(rng, helpers, "f", named, size + rng.randint(0, 6))
    function.plain = plain
    result = rng.choice(RESULTS) if rng.random() < 0.25 and not plain else FLOAT
    texts.append(function.write(result, rng.randint(1, 6)))
    values = ", ".join(literal(rng, kind) for kind in kinds)
    texts.append(f"def arguments():\n    return ({values},)\n")
    return HEADER.format(seed=seed) + "\n\n" + "\n\n".join(texts)
