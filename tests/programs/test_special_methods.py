"""Special methods that are no plain functions: caches, partial methods, properties, descriptors."""

import copy
import functools
import math

import pytest

import astad
from astad import gradient


class Bound:
    """A descriptor as users write them."""

    def __init__(self, fn):
        self.fn = fn

    def __get__(self, o, kind=None):
        return self if o is None else functools.partial(self.fn, o)


def by_property(fn):
    return property(lambda self: lambda *args: fn(self, *args))


WAYS = [functools.lru_cache, astad.checkpoint, functools.partialmethod, Bound, by_property]


def check(f, right):
    h = 1e-6
    assert abs((f(3.0 + h) - f(3.0 - h)) / (2 * h) - right) < 1e-4
    assert gradient(f, 3.0) == (right,)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_operators_and_conversions(way):
    class Rate:
        def __init__(self, v):
            self.v = v

        __call__ = way(lambda self, x: self.v * x)
        __add__ = way(lambda self, x: self.v * x)
        __radd__ = way(lambda self, x: self.v * x)
        __iadd__ = way(lambda self, x: Rate(self.v * x))
        __matmul__ = way(lambda self, other: self.v * other.v)
        __abs__ = way(lambda self: self.v * 2)
        __invert__ = way(lambda self: self.v * 2)
        __round__ = way(lambda self: self.v * 2)
        __floor__ = way(lambda self: self.v * 2)
        __float__ = way(lambda self: self.v * 2)

    def in_place(x):
        rate = Rate(x)
        rate += x
        return rate.v

    for f in (lambda x: Rate(x)(x), lambda x: Rate(x) + x, lambda x: x + Rate(x), in_place):
        check(f, 6.0)
    check(lambda x: Rate(x) @ Rate(x), 6.0)
    for fn in (abs, round, math.floor, float, lambda rate: ~rate):
        check(lambda x, fn=fn: fn(Rate(x)) * x, 12.0)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_attributes_and_items(way):
    class Asked:
        def __init__(self, v):
            self.v = v

        __getattr__ = way(lambda self, name: self.v * 2)
        __getitem__ = way(lambda self, key: self.v * key)
        __reversed__ = way(lambda self: [self.v * 2])
        __copy__ = way(lambda self: Asked(self.v * 2))
        __delitem__ = way(lambda self, key: vars(self).__setitem__("v", self.v * 2))

    def deleted(x):
        asked = Asked(x)
        del asked[0]
        return asked.v * x

    check(lambda x: Asked(x).anything * x, 12.0)
    check(lambda x: Asked(x)[x], 6.0)
    check(lambda x: sum(reversed(Asked(x))) * x, 12.0)
    if way not in (Bound, by_property):  # `copy` fetches it of the class
        check(lambda x: copy.copy(Asked(x)).v * x, 12.0)
    if way is not astad.checkpoint:
        check(deleted, 12.0)


@pytest.mark.parametrize("way", [functools.lru_cache, functools.partialmethod, Bound, by_property])
def test_attribute_writes(way):
    class Doubling:
        __setattr__ = way(lambda self, name, v: vars(self).__setitem__(name, v * 2))

        def __init__(self, v):
            self.v = v

    class Field:
        __set__ = way(lambda self, o, v: vars(o).__setitem__("v", v * 2))

    class Holder:
        field = Field()
        __delattr__ = way(lambda self, name: vars(self).__setitem__("v", self.v * 2))

    def written(x):
        holder = Holder()
        holder.field = x
        return holder.v * x

    def deleted(x):
        holder = Holder()
        vars(holder)["v"] = x
        del holder.anything
        return holder.v * x

    check(lambda x: Doubling(x).v * x, 12.0)
    check(written, 12.0)
    check(deleted, 12.0)


def test_iterators_and_missing_keys():
    class Series:
        def __init__(self, v):
            self.v = v

        __iter__ = functools.lru_cache(lambda self: iter([self.v, self.v**2]))

    class Powers:
        def __init__(self, v):
            self.v, self.n = v, 0

        def step(self):
            self.n += 1
            if self.n > 2:
                raise StopIteration
            return self.v**self.n

        __iter__ = Bound(lambda self: self)
        __next__ = functools.partialmethod(step)

    class Defaults(dict):
        __hash__ = object.__hash__
        __missing__ = functools.lru_cache(lambda self, key: self["a"] * 2)

    check(lambda x: sum(Series(x)), 7.0)
    check(lambda x: sum(v for v in Powers(x)), 7.0)
    check(lambda x: Defaults(a=x)["z"] * x, 12.0)


def test_constructors_by_caches():
    def new(cls, v):
        made = object.__new__(cls)
        made.v = v * 2
        return made

    class Made:
        __new__ = functools.lru_cache(new)

    class Initialised:
        __init__ = functools.partialmethod(lambda self, v: vars(self).update(v=v * 2))

    assert gradient(lambda x: Made(x).v * x, 3.0) == (12.0,)
    check(lambda x: Initialised(x).v * x, 12.0)


def test_what_is_not_bound_to_the_object():
    def f(x):
        class Scaled:
            def __call__(self):
                return x * 2

        class Loose:
            __abs__ = Scaled()
            __neg__ = staticmethod(lambda: x * x)
            __pos__ = classmethod(lambda cls: x * x)
            __call__ = [x, 2 * x].__getitem__
            __invert__ = staticmethod(functools.partial(lambda a: a * a, x))

        loose = Loose()
        return abs(loose) + -loose + +loose + loose(1) + ~loose

    check(f, 22.0)


def test_method_of_another_object():
    def f(x):
        class Other:
            def __init__(self, v):
                self.v = v

            def doubled(self):
                return self.v * 2

        class Borrowing:
            __neg__ = Other(x).doubled

        return -Borrowing() * x

    check(f, 12.0)
