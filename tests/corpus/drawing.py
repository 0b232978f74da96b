"""Draw arguments for public functions, and keep the calls that give a number.

Each function is tried in a fork of this process with a fixed list of plans: a kind of argument for
each of its parameters, first one kind for all, then mixtures. The first few plans whose plain run
gives the same numbers twice are calls of the corpus.
"""

import inspect
import random
import types
import zlib

import numpy as np

from astad.testing.copies import copy_of
from astad.testing.leaves import leaves_of, same
from astad.testing.randomness import with_same_randomness

from .calls import Call, size
from .limits import TooLong, at_most, in_child
from .recording import silent

EACH, MOST_EACH = 8, 24
"""How many drawn calls of one function are kept; of a package with few functions, at most."""
MIXTURES, REPEATED = 14, 3
NUMBERS = {"small": (-2.0, 2.0), "unit": (0.1, 0.9), "medium": (1.0, 10.0), "large": (20.0, 300.0)}
ALONE = ("medium", "unit", "small", "vector", "matrix", "list", "large", "complex", "pair")
MIXED = (
    "medium",
    "unit",
    "small",
    "large",
    "int",
    "medium",
    "vector",
    "matrix",
    "list",
    "unit vector",
)


def drawn(kind, rng):
    """An argument of one kind."""
    if kind in NUMBERS:
        return round(rng.uniform(*NUMBERS[kind]), 4)
    if kind == "int":
        return rng.randint(1, 5)
    if kind == "complex":
        return complex(drawn("small", rng), drawn("unit", rng))
    if kind == "list":
        return [drawn("medium", rng) for _ in range(4)]
    if kind == "pair":
        return (drawn("medium", rng), drawn("unit", rng))
    if kind == "unit vector":
        return np.array([drawn("unit", rng) for _ in range(3)])
    if kind == "vector":
        return np.array([drawn("medium", rng) for _ in range(3)])
    return np.array([[drawn("medium", rng) for _ in range(3)] for _ in range(3)])


def plans(name, function):
    """Lists of kinds, with a generator of random numbers for each."""
    seed = zlib.crc32(name.encode())
    counts = arities(function)
    lists = [[kind] * count for count in counts for kind in ALONE if count]
    rng = random.Random(seed + 1)
    for _ in range(MIXTURES):
        count = rng.choice(counts)
        if count > 1:
            lists.append([rng.choice(MIXED) for _ in range(count)])
    for k, kinds in enumerate(lists):
        for again in range(REPEATED):
            yield kinds, random.Random(seed + REPEATED * k + again)


def arities(function):
    """How many positional arguments to draw: those required, also those with a float as default."""
    if type(function).__name__ == "ufunc":
        return [function.nin]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):  # a builtin without signature
        return [1, 2, 3]
    at = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in at)
    more = required
    for p in at[required:]:
        if type(p.default) is not float:
            break
        more += 1
    varied = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    found = {required, more, 2 if varied and not required else required}
    return sorted(count for count in found if 0 < count <= 12) or [0]


def succeeding(name, function, most=EACH):
    """The numbers of the plans that give floats, the same twice; at most so many."""
    found = []
    for number, (kinds, rng) in enumerate(plans(name, function)):
        args = [drawn(kind, rng) for kind in kinds]
        works = False
        with silent(), at_most(1.0):
            works = gives_floats(function, args)
        if works:
            found.append(number)
        if len(found) == most:
            break
    return found


def gives_floats(function, args):
    """Whether a call gives finite floats, and equal ones when it is repeated."""
    try:
        first, again = (with_same_randomness(function, *copy_of(args)) for _ in range(2))
        if not size(first) or not same(first, again):
            return False
        leaves = [np.asarray(leaf.value) for leaf in leaves_of(first)]
        floats = [leaf for leaf in leaves if leaf.dtype.kind in "fcO"]
        return any(np.all(np.isfinite(np.asarray(leaf, complex))) for leaf in floats)
    except TooLong:
        raise
    except BaseException:
        return False


def draw(callables, enough=120):
    """Calls of public functions with drawn arguments, at most ``enough``."""
    calls = []
    each = max(EACH, min(MOST_EACH, int(2 * enough / max(len(callables), 1))))
    for (module, path), function in callables:
        if len(calls) >= enough:
            break
        if isinstance(function, types.GenericAlias):
            continue
        name = f"{module}.{path}"
        outcome, numbers = in_child(lambda: succeeding(name, function, each), 20)
        if outcome != "done" or not numbers:
            continue
        for number, (kinds, rng) in enumerate(plans(name, function)):
            args = [drawn(kind, rng) for kind in kinds]
            if number in numbers:
                calls.append(Call(module, path, args))
    return calls
