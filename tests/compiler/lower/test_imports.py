"""import statements inside functions."""

# ruff: noqa: F401, I001  the imports are what is tested


def test_imports_of_every_form(same):
    def f(x):
        import math
        import os.path
        import os.path as p
        import xml.dom.minidom as m
        from math import cos, sin as s
        from collections import abc

        return math.pi, os.sep, p.join("a", "b"), m.__name__, cos(x), s(x), abc.__name__

    same(f, 0.5)


def test_missing_module(same):
    def f():
        import no_such_module

    same(f)


def test_import_into_a_captured_name(same):
    def f(x):
        import math
        from math import sin

        return (lambda: math.cos(x) + sin(x))()

    same(f, 0.5)
