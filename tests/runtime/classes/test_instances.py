"""Attributes of plain instances, and all that only looks like one."""

import functools

import numpy as np

import astad


class Plain:
    pass


def test_attribute_written_and_read():
    def f(x):
        o = Plain()
        o.x = x * x
        o.x = o.x * x
        return o.x

    held = {"f": f}
    assert astad.gradient(lambda x: held["f"](x), 2.0) == (12.0,)


class Watched:
    limit = 3.0

    def __init__(self, x):
        self.x = x

    @property
    def twice(self):
        return 2.0 * self.x

    @twice.setter
    def twice(self, v):
        self.x = v / 2.0

    @functools.cached_property
    def cube(self):
        return self.x**3


def test_properties_and_class_attributes_are_no_plain_attributes():
    def f(x):
        o = Watched(x)
        o.twice = o.twice * x + o.limit
        o.limit = o.x
        return o.limit * o.cube + o.cube

    held = {"f": f}
    found = astad.gradient(lambda x: held["f"](x), 0.7)[0]
    near = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    assert np.isclose(found, near, rtol=1e-6)


def test_a_property_added_to_the_class_later_counts():
    class Growing:
        def __init__(self, x):
            self.x = x

    def f(x):
        return held["make"](x).x

    held = {"make": Growing}
    assert astad.gradient(f, 2.0) == (1.0,)
    Growing.x = property(
        lambda self: 5.0 * self.__dict__["y"], lambda self, v: vars(self).update(y=v)
    )
    assert astad.gradient(f, 2.0) == (5.0,)
    del Growing.x

    def tripled(self, name):
        y = object.__getattribute__(self, name)
        return 3.0 * y if name == "x" else y

    Growing.__getattribute__ = tripled
    assert astad.gradient(f, 2.0) == (3.0,)


def test_slots_and_modules():
    class Slotted:
        __slots__ = ("x",)

    def f(x):
        o = held["make"]()
        o.x = x * x
        return o.x

    held = {"make": Slotted}
    assert astad.gradient(f, 3.0) == (6.0,)
