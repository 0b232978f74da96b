"""What a value is, in a form that `==` compares: contents, types, and which objects are one.

>>> a = [1.0]
>>> graph([a, a]) == graph([[1.0], [1.0]]), graph([a, a]) == graph([[1.0]] * 2)
(False, True)
>>> graph(0.0) == graph(-0.0), graph(object()) == graph(object())
(False, True)
"""

import collections
import functools
import types

import numpy as np

from astad.testing.copies import owner_of
from astad.testing.leaves import attributes_of

ATOMS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, np.generic)


def graph(*values, loose=()):
    """All of what is reached from the values, objects numbered as they are met.

    The arrays in ``loose``, and what they are views of, are told by their content alone: a result
    that was kept is handed out as a copy.
    """
    return _Walk().value((*values, *_free(loose)))


class _Free(tuple):
    """Values whose arrays have no identity."""

    __slots__ = ()


def _free(loose):
    return (_Free(loose),) if loose else ()


class _Walk:
    def __init__(self):
        self.numbers = {}
        self.held = []
        self.loose = False

    def value(self, value):
        if isinstance(value, ATOMS):
            return type(value).__name__, repr(value)
        if isinstance(value, np.ndarray):
            return self.array(value)
        if isinstance(value, types.ModuleType | type):
            return "name", getattr(value, "__qualname__", value.__name__)
        known = self.numbers.get(id(value))
        if known is not None and not isinstance(value, tuple | frozenset):
            return "again", known
        return type(value).__qualname__, self.number(value), *self.parts(value)

    def number(self, value):
        self.held.append(value)  # so that its id stays its own
        return self.numbers.setdefault(id(value), len(self.numbers))

    def array(self, value):
        content = value.dtype.str, value.shape, [self.value(v) for v in value.ravel().tolist()]
        if self.loose:
            return "array", content
        owner = owner_of(value)
        number = self.number(owner)
        start = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        return "array", content, number, start, value.strides

    def parts(self, value):
        if isinstance(value, _Free):
            self.loose = True
            found = [self.value(v) for v in value]
            self.loose = False
            return found
        if isinstance(value, dict):
            inside = [(self.value(key), self.value(part)) for key, part in value.items()]
        elif isinstance(value, list | tuple | collections.deque):
            inside = [self.value(part) for part in value]
        elif isinstance(value, set | frozenset):
            inside = sorted(repr(self.value(part)) for part in value)
        else:
            return self.object(value)
        return [*inside, *self.object(value)]

    def object(self, value):
        if isinstance(value, BaseException):
            return [self.value(value.args), self.value(vars(value))]
        if isinstance(value, types.FunctionType):
            cells = [_content(cell) for cell in value.__closure__ or ()]
            return [value.__qualname__, self.value(cells), self.value(value.__defaults__)]
        if isinstance(value, types.MethodType):
            return [value.__func__.__qualname__, self.value(value.__self__)]
        if isinstance(value, functools.partial):
            return [self.value(part) for part in (value.func, value.args, value.keywords)]
        attributes = attributes_of(value)
        if attributes:
            return [(name, self.value(part)) for name, part in sorted(attributes.items())]
        plain = type(value).__repr__ is object.__repr__ or " at 0x" in repr(value)
        return [] if plain else [repr(value)]


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return "empty cell"
