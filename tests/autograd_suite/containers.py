"""autograd's builtins, which are Python's own here, and its vectors of all numbers in a container.

>>> flat, back = flatten([1.0, {"a": (2.0, 3.0)}])
>>> flat, back(2 * flat)
(array([1., 2., 3.]), [np.float64(2.0), {'a': (np.float64(4.0), np.float64(6.0))}])
"""

import numpy as np


def flatten(value):
    """All numbers in a nest of containers as one vector, and the way back."""
    return flat(value), lambda vector: nested(vector, value)


def flat(value):
    kind = type(value)
    if kind is list or kind is tuple:
        return joined([flat(part) for part in value])
    if kind is dict:
        return joined([flat(value[key]) for key in sorted(value)])
    return np.ravel(value)


def joined(parts):
    return np.concatenate(parts) if parts else np.array([])


def nested(vector, like):
    """The numbers of a vector in the structure of ``like``."""
    kind = type(like)
    if kind is list or kind is tuple or kind is dict:
        keys = sorted(like) if kind is dict else range(len(like))
        ends = np.cumsum([0, *[length(like[key]) for key in keys]])
        parts = [nested(vector[ends[at] : ends[at + 1]], like[key]) for at, key in enumerate(keys)]
        return dict(zip(keys, parts, strict=True)) if kind is dict else kind(parts)
    return np.reshape(vector, np.shape(like)) if np.ndim(like) else vector[0]


def length(value):
    if type(value) in (list, tuple, dict):
        return sum(map(length, value.values() if type(value) is dict else value))
    return np.size(value)
