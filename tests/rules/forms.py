"""A rule in every form a user's program may give it: text of functions, and their gradients.

Functions are written to a module file, so that their source is found.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import harness
import numpy as np

import astad
from astad.rules.registry import Rule
from astad.runtime.owners import may_overlap_itself

MODULES = ("math", "cmath", "operator", "statistics", "_statistics", "astad.rules", "numpy as np")
HEAD = "".join(f"import {name}\n" for name in MODULES)
HEAD += (
    "import scipy.fft, scipy.linalg, scipy.special\n\n" if "scipy.special" in sys.modules else "\n"
