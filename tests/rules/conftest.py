"""Lets the tests of this folder import its harness; the rules of SciPy are there where SciPy is."""

import sys
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parent / "support")
)  # not this folder: one in it is called scipy

import loaded  # noqa: F401
