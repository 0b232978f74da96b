"""Lets the tests of this folder import its harness; the rules of SciPy are there where SciPy is."""

import cmath  # its rules are there where it is  # noqa: F401
import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
if importlib.util.find_spec("scipy"):
    import scipy.special  # noqa: F401
