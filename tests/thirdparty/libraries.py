"""Unmodified libraries, each imported where it is installed; its tests are skipped where not."""

import importlib
import warnings

import numpy as np
import pytest

__all__ = ["library", "restore_asscalar"]


def library(name):
    """The module, imported without the warnings that old libraries have for new Pythons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(name.partition(".")[0])
        return importlib.import_module(name)


def restore_asscalar():
    """The function that NumPy 1.23 took away and colormath 3.0 calls; what takes it away again."""

    def asscalar(a):
        return a.item()

    if hasattr(np, "asscalar"):
        return lambda: None
    np.asscalar = asscalar
    return lambda: delattr(np, "asscalar")
