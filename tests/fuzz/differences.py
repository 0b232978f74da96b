"""A program's own derivatives by differences: is the point a good one, without astad?"""

import numpy as np

from astad.testing.copies import copy_of
from astad.testing.finite_differences import directional
from astad.testing.leaves import entries_of, leaves_of
from astad.testing.randomness import with_same_randomness
from astad.testing.seeds import random_cotangent


def conclusive(f, args, rtol=1e-6):
    """Whether every difference is exact to this part of the largest one."""
    y = with_same_randomness(f, *copy_of(list(args)))
    seed = random_cotangent(y, np.random.default_rng(0))
    found = [
        directional(f, args, {}, seed, [(entry, 1.0)], rtol=rtol / 20, atol=rtol / 100)
        for i, arg in enumerate(args)
        for leaf in leaves_of(arg)
        for entry in entries_of(i, leaf)
        if not isinstance(entry.value, (int, np.integer))
    ]
    largest = max((abs(d.value) for d in found), default=0.0)
    return all(d.error <= rtol * max(largest, 1e-3) for d in found)
