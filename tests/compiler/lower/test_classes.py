"""What Python itself puts into the namespace of a class that a function makes."""

import sys

from astad import gradient, pullback


def test_annotations_are_there_where_the_text_has_some():
    def f(x):
        class Point:
            if x > 0.0:
                left: float = x * 3.0
            right: float

        class Empty:
            if x < 0.0:
                left: float

        return Point.left, sorted(Point.__annotations__), "__annotations__" in vars(Empty)

    value, back = pullback(f, 1.5)
    assert value == f(1.5)
    assert back((2.0, None, None)) == (6.0,)


def test_attributes_that_methods_write_are_listed_from_313_on():
    def f(x):
        class Walk:
            def __init__(self):
                self.here = x

            def on(self, other):
                self.there = other.way = self.here * 2.0
                return self.there

        return Walk, getattr(Walk, "__static_attributes__", None)

    (_, listed), _ = pullback(f, 1.5)
    assert listed == f(1.5)[1]
    assert listed == (("here", "there") if sys.version_info >= (3, 13) else None)

    def g(x):
        walk = f(x)[0]()
        return walk.on(walk) * x

    assert gradient(g, 1.5) == (6.0,)


def test_a_docstring():
    def f(x):
        class Point:
            """A point.

            It has a weight.
            """

            weight = x

        return Point.weight * x if Point.__doc__.startswith("A point.\n") else x

    assert gradient(f, 1.5) == (3.0,)
