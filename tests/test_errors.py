"""`astad.errors` has every class that astad raises on purpose."""

import importlib
import pickle
import pkgutil

import pytest

import astad
from astad import errors


def subclasses(cls):
    for each in cls.__subclasses__():
        yield each
        yield from subclasses(each)


def test_every_error_of_astad_is_exported():
    for module in pkgutil.walk_packages(astad.__path__, "astad."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:  # an optional library
                continue
    found = {each for each in subclasses(errors.AstadError) if each.__module__.startswith("astad")}
    assert {each.__name__ for each in found} <= set(errors.__all__)
    for each in found:
        assert getattr(errors, each.__name__) is each


@pytest.mark.parametrize("name", sorted(set(errors.__all__) - {"Location"}))
def test_each_is_made_of_four_parts_and_pickles(name):
    error = getattr(errors, name)("f", "what", why="why", instead="instead")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "f: what: why: instead"
