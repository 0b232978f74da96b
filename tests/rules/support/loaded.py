"""Imports the modules whose rules are there where they are: cmath, and those of SciPy if it is."""

import importlib
import importlib.util

from astad.rules.families import FAMILIES

for library in FAMILIES:
    if not library.startswith("scipy") or importlib.util.find_spec("scipy"):
        importlib.import_module(library)
