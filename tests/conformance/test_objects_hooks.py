"""Every hook that a class may define is used by some program; and all operators at once."""

import sys

import numpy as np
import pytest

from astad.testing.copies import copy_of
from tests.conformance import (
    test_objects,
    test_objects_graphs,
    test_objects_lookup,
    test_objects_operators,
    test_objects_protocols,
    test_objects_records,
    test_objects_subclasses,
)
from tests.conformance.programs import Programs, conforms_in_both_forms

programs = Programs()


class Every:
    """Each operator gives something of its own."""

    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return self.v + 2 * o

    def __radd__(self, o):
        return self.v + 3 * o

    def __iadd__(self, o):
        self.v += 4 * o
        return self

    def __sub__(self, o):
        return self.v - 2 * o

    def __rsub__(self, o):
        return 3 * o - self.v

    def __isub__(self, o):
        return Every(self.v - 4 * o)

    def __mul__(self, o):
        return 2 * self.v * o

    def __rmul__(self, o):
        return 3 * self.v * o

    def __imul__(self, o):
        self.v *= 4 * o
        return self

    def __truediv__(self, o):
        return 2 * self.v / o

    def __rtruediv__(self, o):
        return 3 * o / self.v

    def __itruediv__(self, o):
        self.v /= 4 * o
        return self

    def __floordiv__(self, o):
        return 5 * self.v / o

    def __rfloordiv__(self, o):
        return 6 * o / self.v

    def __ifloordiv__(self, o):
        self.v = 7 * self.v / o
        return self

    def __mod__(self, o):
        return self.v * self.v + o

    def __rmod__(self, o):
        return self.v * self.v - o

    def __imod__(self, o):
        self.v = self.v**2 * o
        return self

    def __divmod__(self, o):
        return self.v * o, o

    def __rdivmod__(self, o):
        return self.v, self.v * o

    def __pow__(self, o):
        return self.v**3 * o

    def __rpow__(self, o):
        return self.v**2 * o

    def __ipow__(self, o):
        self.v = self.v**o
        return self

    def __matmul__(self, o):
        return self.v * o * 0.5

    def __rmatmul__(self, o):
        return self.v * o * 0.25

    def __imatmul__(self, o):
        self.v *= o * 0.125
        return self

    def __lshift__(self, o):
        return self.v + o * 0.5

    def __rlshift__(self, o):
        return self.v + o * 0.25

    def __ilshift__(self, o):
        self.v += o * 0.125
        return self

    def __rshift__(self, o):
        return self.v - o * 0.5

    def __rrshift__(self, o):
        return self.v - o * 0.25

    def __irshift__(self, o):
        self.v -= o * 0.125
        return self

    def __and__(self, o):
        return self.v * o * o

    def __rand__(self, o):
        return self.v * self.v * o

    def __iand__(self, o):
        self.v *= o * o
        return self

    def __or__(self, o):
        return self.v + o * o

    def __ror__(self, o):
        return self.v * self.v + o

    def __ior__(self, o):
        self.v += o * o
        return self

    def __xor__(self, o):
        return self.v - o * o

    def __rxor__(self, o):
        return self.v * self.v - 2 * o

    def __ixor__(self, o):
        self.v -= o * o
        return self

    def __neg__(self):
        return self.v * -2

    def __pos__(self):
        return self.v * 2

    def __invert__(self):
        return 1 / self.v

    def __abs__(self):
        return self.v * 5


@programs.at(1.7, 0.6)
def every_operator(x, y):
    e = Every(x)
    plain = (e + y) * (e - y) + e * y + e / y + e // y + e % y + e**y + (e @ y) + (e << y)
    plain += (e >> y) * (e & y) + (e | y) * (e ^ y) + sum(divmod(e, y))
    other = (y + e) * (y - e) + y * e + y / e + y // e + y % e + y**e + (y @ e) + (y << e)
    other += (y >> e) * (y & e) + (y | e) * (y ^ e) + sum(divmod(y, e))
    return plain * other + (-e) * (+e) + (~e) * abs(e)


@programs.at(1.7, 0.6)
def every_operator_in_place(x, y):
    e = first = Every(x)
    e += y
    e -= y
    e *= y
    e /= y
    e //= y
    e %= y
    e @= y
    e **= 2
    e <<= y
    e >>= x
    e &= y
    e |= y
    e ^= x
    return e.v * first.v


class Quantity:
    """Answers NumPy itself."""

    def __init__(self, values, unit):
        self.values, self.unit = values, unit

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if method != "__call__" or ufunc not in (np.multiply, np.exp, np.add):
            return NotImplemented
        plain = [each.values if isinstance(each, Quantity) else each for each in inputs]
        return Quantity(ufunc(*plain, **keywords), self.unit * 2)


@programs.at(np.array([0.5, 1.5]), 1.2)
def an_object_that_answers_ufuncs(a, x):
    q = Quantity(a * x, x)
    product = np.multiply(2.0, q)
    total = np.exp(product).values
    return np.sum(total) * product.unit + np.sum(np.add(a, q).values)


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_operators_at_once(program, args, options):
    conforms_in_both_forms(program, args, options)


BINARY = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split()
HOOKS = (
    *(f"__{each}{name}__" for name in BINARY for each in ("", "r", "i")),
    *"__divmod__ __rdivmod__ __neg__ __pos__ __invert__ __abs__ __round__ __floor__".split(),
    *"__ceil__ __trunc__ __float__ __int__ __complex__ __index__ __bool__ __array__".split(),
    *"__array_ufunc__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__ __hash__ __str__".split(),
    *"__format__ __len__ __iter__ __next__ __reversed__ __contains__ __getitem__".split(),
    *"__setitem__ __delitem__ __missing__ __enter__ __exit__ __call__ __new__".split(),
    *"__init__ __post_init__ __getattr__ __getattribute__ __setattr__ __delattr__".split(),
    *"__get__ __set__ __delete__ __copy__ __deepcopy__ __getstate__ __setstate__".split(),
    "__class_getitem__",
)
ONCE = ("__set_name__", "__init_subclass__")
"""Hooks that run when a class is made."""


def tables():
    homes = (
        test_objects, test_objects_graphs, test_objects_lookup, test_objects_operators,
        test_objects_protocols, test_objects_records, test_objects_subclasses,
    )  # fmt: skip
    return [*(home.programs for home in homes), programs]


def test_every_hook_is_used_by_a_program():
    called = set()

    def look(frame, event, arg):
        if event == "call" and "conformance" in frame.f_code.co_filename:
            called.add(frame.f_code.co_name)

    for entry in [entry for table in tables() for entry in table if not entry.marks]:
        program, args, _ = entry.values
        given = copy_of(list(args))
        sys.setprofile(look)
        try:
            program(*given)
        finally:
            sys.setprofile(None)
    assert sorted(set(HOOKS) - called) == []
    made = {name for kind in (test_objects_lookup.Positive, test_objects_lookup.Shape)
            for name in vars(kind)}  # fmt: skip
    assert made >= set(ONCE)


def test_there_are_many_programs():
    assert len({entry.values[0] for table in tables() for entry in table}) >= 120
