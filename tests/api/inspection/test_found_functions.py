"""Every function of a module is found, and nothing of it is run."""

import importlib
import sys

import pytest

from astad.api.inspection.found_functions import functions_of

TEXT = """
import functools
from dataclasses import dataclass
from math import sqrt
from os.path import join


def plain(x):
    return x


def outer(x):
    def inner(y):
        return lambda z: x + y + z

    class Local:
        def method(self):
            return [v for v in (x,)]

    return inner


square = lambda x: x * x
again = plain


def kept(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args)

    return wrapper


def hidden(fn):
    def replacement(*args):
        return fn(*args)

    return replacement


@kept
def wrapped(x):
    return x


@hidden
def covered(x):
    return x


@functools.lru_cache
def cached(x):
    return x


@functools.singledispatch
def chosen(x):
    return x


partly = functools.partial(lambda a, b: a + b, 1.0)


class Loud(type):
    def __getattribute__(cls, name):
        raise AssertionError("user code ran")

    def __instancecheck__(cls, other):
        raise AssertionError("user code ran")


class Quiet(metaclass=Loud):
    @property
    def __class__(self):
        raise AssertionError("user code ran")

    @property
    def __dict__(self):
        raise AssertionError("user code ran")

    def __getattr__(self, name):
        raise AssertionError("user code ran")

    def loud(self):
        return 1.0


quiet = Quiet()


@dataclass
class Point:
    x: float

    @property
    def doubled(self):
        return 2 * self.x

    @doubled.setter
    def doubled(self, value):
        self.x = value / 2

    @classmethod
    def at(cls, x):
        return cls(x)

    @staticmethod
    def half(x):
        return x / 2

    @functools.cached_property
    def root(self):
        return sqrt(self.x)

    class Inner:
        def deep(self):
            return 0.0
"""

EXPECTED = {
    "plain", "outer", "outer.<locals>.inner", "outer.<locals>.inner.<locals>.<lambda>",
    "outer.<locals>.Local.method", "<lambda>", "kept", "kept.<locals>.wrapper", "hidden",
    "hidden.<locals>.replacement", "wrapped", "covered", "cached", "chosen",
    "Loud.__getattribute__", "Loud.__instancecheck__", "Quiet.__class__", "Quiet.__dict__",
    "Quiet.__getattr__", "Quiet.loud", "Point.doubled", "Point.at", "Point.half", "Point.root",
    "Point.Inner.deep",
}  # fmt: skip


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "found_here.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("found_here")
    del sys.modules["found_here"]


def test_functions_methods_wrapped_ones_and_those_inside_others(module):
    found = functions_of(module)
    assert {each.name for each in found} == EXPECTED
    names = [each.name for each in found]
    assert names.count("plain") == 1  # under two names
    assert names.count("Point.doubled") == 2  # getter and setter
    assert names.count("<lambda>") == 2
    assert {each.file for each in found} == {module.__file__}
    assert [each.line for each in found] == sorted(each.line for each in found)


def test_what_is_imported_belongs_to_another_module(module):
    assert not {"join", "wraps", "dataclass"} & {each.name for each in functions_of(module)}


def test_a_frozen_module_has_the_file_that_holds_its_text():
    import os

    found = {each.name: each for each in functions_of(os)}
    assert found["makedirs"].file == os.__file__


def test_a_module_that_python_has_compiled_away_has_none():
    assert functions_of(sys) == []
