"""Values as vectors: numbers, arrays, and lists, tuples and dicts of such.

>>> added([1.0, {"a": 2.0}], scaled([1.0, {"a": 1.0}], 3.0))
[4.0, {'a': 5.0}]
>>> inner([1.0, 2.0], [3.0, 4.0]), inner(1j, 2j)
(11.0, 2.0)
"""

import numpy as np


def mapped(f, x, *others):
    """``f`` of each number or array, in a structure like ``x``."""
    if isinstance(x, dict):
        return {key: mapped(f, x[key], *[other[key] for other in others]) for key in x}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[mapped(f, *parts) for parts in zip(x, *others, strict=True)])
    if isinstance(x, list | tuple):
        return type(x)([mapped(f, *parts) for parts in zip(x, *others, strict=True)])
    return f(x, *others)


def leaves(x):
    """The numbers and arrays, in order."""
    if isinstance(x, dict):
        return [leaf for key in x for leaf in leaves(x[key])]
    if isinstance(x, list | tuple):
        return [leaf for part in x for leaf in leaves(part)]
    return [x]


def added(x, y):
    return mapped(lambda a, b: a + b, x, y)


def scaled(x, by):
    return mapped(lambda a: a * by, x)


def conjugated(x):
    """Of complex numbers: autograd's gradients are the conjugates of astad's."""
    return mapped(lambda a: np.conj(a) if np.iscomplexobj(a) else a, x)


def inner(x, y):
    """The real inner product."""
    if isinstance(x, dict):
        return sum([inner(x[key], y[key]) for key in x], 0.0)
    if isinstance(x, list | tuple):
        return sum([inner(a, b) for a, b in zip(x, y, strict=True)], 0.0)
    if np.iscomplexobj(x) or np.iscomplexobj(y):
        return np.sum(np.real(x) * np.real(y)) + np.sum(np.imag(x) * np.imag(y))
    return np.sum(x * y)


def filled(bar, like):
    """A gradient with zeros where astad says that no path leads."""
    if bar is None:
        return zeros(like)
    if isinstance(like, dict):
        return {key: filled(bar.get(key), like[key]) for key in like}
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*[filled(*parts) for parts in zip(bar, like, strict=True)])
    if isinstance(like, list | tuple):
        return type(like)([filled(*parts) for parts in zip(bar, like, strict=True)])
    return bar


def zeros(like):
    return mapped(lambda a: _space(a).zeros(), like)


def ones(like):
    return mapped(lambda a: _space(a).ones(), like)


def drawn(like):
    return mapped(lambda a: _space(a).randn(), like)


def shape_of(x):
    """What two values have in common that lie in one space."""
    if isinstance(x, dict):
        return dict, {key: shape_of(x[key]) for key in x}
    if isinstance(x, list | tuple):
        return type(x), [shape_of(part) for part in x]
    return np.shape(x), np.iscomplexobj(x)


class Space:
    """The space in which a value lies, with the names that autograd's tests use."""

    def __init__(self, value):
        for leaf in leaves(value):
            _check_leaf(leaf)
        self.like = value
        self.seen = shape_of(value)

    def __eq__(self, other):
        return type(other) is Space and self.seen == other.seen

    def __repr__(self):
        return f"Space({self.seen})"

    @property
    def iscomplex(self):
        return any(map(np.iscomplexobj, leaves(self.like)))

    @property
    def size(self):
        return sum(
            np.size(leaf) * (2 if np.iscomplexobj(leaf) else 1) for leaf in leaves(self.like)
        )

    @property
    def shape(self):
        return np.shape(self.like)

    def zeros(self):
        return zeros(self.like)

    def ones(self):
        return ones(self.like)

    def randn(self):
        return drawn(self.like)

    add, scalar_mul = staticmethod(added), staticmethod(scaled)
    inner_prod, covector = staticmethod(inner), staticmethod(conjugated)

    def standard_basis(self):
        flat = leaves(self.like)
        for at, leaf in enumerate(flat):
            for unit in _space(leaf).units():
                parts = iter([unit if k == at else zeros(other) for k, other in enumerate(flat)])
                yield mapped(lambda _, parts=parts: next(parts), self.like)


class _Leaf:
    def __init__(self, value):
        self.shape, self.kind = np.shape(value), np.asarray(value).dtype
        if self.kind.kind not in "fc":
            self.kind = np.dtype(float)

    def _of(self, array):
        return array.astype(self.kind) if self.shape else array.astype(self.kind)[()]

    def zeros(self):
        return self._of(np.zeros(self.shape))

    def ones(self):
        return self._of(np.full(self.shape, 1 + 1j if self.kind.kind == "c" else 1.0))

    def randn(self):
        drawn = np.array(np.random.randn(*self.shape))
        if self.kind.kind == "c":
            drawn = drawn + 1j * np.array(np.random.randn(*self.shape))
        return self._of(drawn)

    def units(self):
        for at in np.ndindex(*self.shape):
            for unit in (1.0, 1j) if self.kind.kind == "c" else (1.0,):
                made = np.zeros(self.shape, self.kind)
                made[at] = unit
                yield self._of(made)


def _space(leaf):
    return _Leaf(leaf)


def _check_leaf(leaf):
    if isinstance(leaf, np.ndarray | np.generic | float | complex | int):
        if np.asarray(leaf).dtype.kind in "fciu":
            return
    raise TypeError(f"{type(leaf).__name__} is no vector")
