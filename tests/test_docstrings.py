"""The examples in the docstrings of every module of astad give what they say."""

import doctest
import importlib
import linecache
import pkgutil

import pytest

import astad

MODULES = sorted(module.name for module in pkgutil.walk_packages(astad.__path__, prefix="astad."))


def imported(name):
    if ".scipy" in name:
        pytest.importorskip("scipy.special")  # a folder of tests may bear the shorter name
    return importlib.import_module(name)


@pytest.mark.parametrize("name", ["astad", *MODULES])
def test_docstring_examples(name, monkeypatch):
    module = imported(name)
    # doctest has every file of linecache looked at anew, and each test before this left some
    monkeypatch.setattr(linecache, "checkcache", lambda filename=None: None)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("name", ["astad", *MODULES])
def test_every_module_says_what_it_is(name):
    module = imported(name)
    empty = module.__file__.endswith("__init__.py") and not module.__dict__.get("__all__")
    assert module.__doc__ or empty
