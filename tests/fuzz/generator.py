"""A random program: the text of a module with a function `f` and the arguments to call it with.

The same seed gives the same text. Helper functions come first, so that every call ends; values are
kept small, so that differences are sharp.
"""

import random
from random import Random

from .kinds import (
    FLOAT,
    Helper,
    Variable,
    array,
    count,
    dict_of,
    function_of,
    list_of,
    object_of,
    tuple_of,
)
from .statements import Statements

HEADER = '''"""Program {seed}."""

import collections
import dataclasses
import functools
import math
import operator

import numpy as np

SCALE = 0.7
TABLE = np.array([0.4, -0.8, 1.1])
FOUND = globals()
CONFIG = {{"gain": 0.9, "mode": "a"}}
Pair = collections.namedtuple("Pair", "u v")


@dataclasses.dataclass
class Point:
    x: float
    y: float

    def moved(self, t):
        return Point(self.x + math.sin(t), self.y * 0.8)


class Box:
    def __init__(self, x, w):
        self.x = x
        self.w = w

    def step(self, t):
        self.x = 0.5 * self.x + math.sin(t)
        self.w[0] += 0.5 * self.x
        return self

    def __call__(self, t):
        return math.tanh(self.x * t) + self.w.sum()
'''

BOX = object_of("Box", x=FLOAT, w=array(3))
LIBRARY = {
    Helper("write_first", (array(3), FLOAT), FLOAT): """
def write_first(a, t):
    before = a[0] * a[1]
    a[0] = math.tanh(t * a[2])
    a[1:] *= 0.5 + a[0]
    return before + a.sum()
""",
    Helper("tail", (array(3),), array(2)): """
def tail(a):
    return a[::-1][1:]
""",
    Helper("same", (array(3),), array(3)): """
def same(a):
    return a
""",
    Helper("both", (FLOAT, array(3)), tuple_of(FLOAT, array(3))): """
def both(t, a):
    return t * a[0], a * t
""",
    Helper("total", (FLOAT,), FLOAT, ("scale",), True): """
def total(first, *rest, scale=0.5, **options):
    t = first
    for r in rest:
        t = math.tanh(t * scale + r)
    return t + sum(options.values())
""",
    Helper("walk", (list_of(FLOAT, 2),), FLOAT): """
def walk(l, i=0):
    if i >= len(l):
        return 0.1
    return l[i] ** 2 + 0.5 * walk(l, i + 1)
""",
    Helper("even", (FLOAT, count(5)), FLOAT): """
def even(t, n):
    if n == 0:
        return t
    return math.sin(odd(t, n - 1))


def odd(t, n):
    return t * 0.5 if n == 0 else t * even(t, n - 1)
""",
    Helper("twice", (function_of(FLOAT, FLOAT), FLOAT), FLOAT): """
def twice(g, t):
    return math.tanh(g(math.tanh(g(t))))
""",
    Helper("collect", (array(3), FLOAT), list_of(FLOAT, 3)): """
def collect(a, t):
    out = []
    for e in a:
        out.append(math.sin(e * t))
        if len(out) > 1:
            out[-1] = out[-1] + out[0]
    return out
""",
    Helper("descend", (array(3), count(3)), FLOAT): """
def descend(a, i):
    if i <= 0:
        return a[0] * a[-1]
    a[i] = math.sin(a[i] + a[i - 1])
    return descend(a, i - 1) + a[i]
""",
    Helper("make_adder", (FLOAT,), function_of(FLOAT, FLOAT)): """
def make_adder(step):
    state = step

    def add(t):
        nonlocal state
        state = math.sin(state + t)
        return state * step

    return add
""",
    Helper("first_or", (dict_of(a=FLOAT, b=FLOAT), FLOAT), FLOAT, ("other",)): """
def first_or(d, t, *, other=0.3):
    d["a"] = d["a"] * t
    return d.get("a", other) + d.get("missing", other)
""",
    Helper("move_box", (BOX, FLOAT), BOX): """
def move_box(box, t):
    for _ in range(2):
        box = box.step(t)
    return box
""",
    Helper("norm_of", (object_of("Point", x=FLOAT, y=FLOAT),), FLOAT): """
def norm_of(p):
    return math.sqrt(1.0 + p.x**2 + p.y**2)
""",
}  # fmt: skip

PARAMETERS = [
    FLOAT, FLOAT, FLOAT, array(3), array(3), array(4), array(2, 3), array(3, 2), count(5),
    list_of(FLOAT, 3), list_of(array(3), 2), tuple_of(FLOAT, FLOAT, FLOAT),
    tuple_of(FLOAT, array(3)), dict_of(a=FLOAT, b=FLOAT), dict_of(w=array(3), b=FLOAT),
    object_of("Point", x=FLOAT, y=FLOAT), object_of("Pair", u=FLOAT, v=array(3)), BOX,
    dict_of(rows=list_of(array(2), 2), k=FLOAT),
]  # fmt: skip
RESULTS = [FLOAT] * 6 + [
    array(3),
    tuple_of(FLOAT, array(3)),
    list_of(FLOAT, 2),
    dict_of(a=FLOAT, b=FLOAT),
]


class Function(Statements):
    """The writer of one function."""

    def __init__(self, random, helpers, name, parameters, size):
        self.random = random
        self.extra = Random(hash(random.getstate()[1]))  # what was drawn before stays as it was
        self.helpers = helpers
        self.parameters = parameters
        self.scope = {n: Variable(k, fixed=k.name == "int") for n, k in parameters.items()}
        self.own = set(parameters)
        self.lines, self.depth, self.base, self.loops = [], 1, 1, 0
        self.counter, self.budget, self.helper_calls = 0, size, 6
        self.name = name
        self.result = None

    def bind(self, name, kind):
        super().bind(name, kind)
        self.own.add(name)

    def write(self, kind, size):
        """The text of the whole function, its result of this kind."""
        self.result = lambda: self.value(kind, 1) or self.display(kind, 1)
        self.statements(size)
        self.put(f"return {self.last(kind)}")
        header = f"def {self.name}({', '.join(self.parameters)}):"
        return "\n".join([header, *self.lines]) + "\n"

    def last(self, kind):
        """A result that depends on much of what was computed."""
        if kind == FLOAT:
            return self.summed()
        if kind.name == "array":
            names = self.of_kind(kind)
            return (
                self.pick(names)
                if names and self.chance(0.7)
                else f"{self.array(kind.shape)} * {self.summed()}"
            )
        if kind.name == "tuple":
            return "(" + "".join(self.last(k) + ", " for k in kind.parts) + ")"
        if kind.name == "dict":
            return "{" + ", ".join(f"{k!r}: {self.last(v)}" for k, v in kind.parts) + "}"
        if kind.name == "list":
            return "[" + ", ".join(self.last(kind.parts[0]) for _ in range(kind.size)) + "]"
        return self.value(kind) or self.display(kind, 1)

    def summed(self):
        """A weighted sum over the variables in scope."""
        terms = []
        for name in self.random.sample(sorted(self.scope), len(self.scope)):
            kind = self.scope[name].kind
            text = name if kind == FLOAT else self.part_of(name, kind)
            if kind.name == "array":
                text = f"np.sum({name} * {name})" if self.chance(0.5) else f"{name}.sum()"
            if text and len(terms) < 7:
                terms.append(f"{self.number()} * {text}")
        return "(" + " + ".join(terms) + ")" if terms else self.number()


def helper_functions(rng):
    """Some functions of the library and some random ones, each with its text."""
    helpers, texts = [], []
    for helper in rng.sample(list(LIBRARY), rng.randint(2, 6)):
        helpers.append(helper)
        texts.append(LIBRARY[helper].strip("\n") + "\n")
    for k in range(rng.randint(0, 2)):
        kinds = [rng.choice(PARAMETERS) for _ in range(rng.randint(1, 3))]
        result = rng.choice(RESULTS)
        parameters = {f"x{i}": kind for i, kind in enumerate(kinds)}
        name = f"helper{k}"
        function = Function(rng, list(helpers), name, parameters, 7)
        texts.append(function.write(result, rng.randint(2, 4)))
        helpers.append(Helper(name, tuple(kinds), result))
    return helpers, texts


def literal(rng, kind):
    """The text of an argument."""
    if kind == FLOAT:
        return repr(round(rng.choice((-1, 1)) * rng.uniform(0.2, 1.4), 3))
    if kind.name == "int":
        return str(rng.randrange(1, kind.size))
    if kind.name == "array":
        rows = [
            literal(rng, array(*kind.shape[1:]) if len(kind.shape) > 1 else FLOAT)
            for _ in range(kind.shape[0])
        ]
        text = "[" + ", ".join(rows).replace("np.array(", "").replace(")", "") + "]"
        return f"np.array({text})"
    if kind.name == "list":
        return "[" + ", ".join(literal(rng, kind.parts[0]) for _ in range(kind.size)) + "]"
    if kind.name == "tuple":
        return "(" + "".join(literal(rng, k) + ", " for k in kind.parts) + ")"
    if kind.name == "dict":
        return "{" + ", ".join(f"{k!r}: {literal(rng, v)}" for k, v in kind.parts) + "}"
    return f"{kind.tag}({', '.join(literal(rng, k) for _, k in kind.parts)})"


def program(seed, size=12):
    """The text of a module with ``f`` and ``arguments()``.

    Parameters
    ----------
    seed : int
    size : int
        About how many statements ``f`` has.
    """
    rng = random.Random(seed)
    helpers, texts = helper_functions(rng)
    kinds = [FLOAT] + [rng.choice(PARAMETERS) for _ in range(rng.randint(1, 4))]
    parameters = dict(zip("xyzuvw", kinds))
    function = Function(rng, helpers, "f", parameters, size + rng.randint(0, 6))
    texts.append(function.write(rng.choice(RESULTS), rng.randint(3, 7)))
    values = ", ".join(literal(rng, kind) for kind in kinds)
    texts.append(f"def arguments():\n    return ({values},)\n")
    return HEADER.format(seed=seed) + "\n\n" + "\n\n".join(texts)
