"""Print docs/rules.md from the registry: ``python docs/make_rules.py > docs/rules.md``."""

import cmath  # its rules are read where it is  # noqa: F401
import re
import statistics  # its rules as well  # noqa: F401
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.fft
    ("scipy.linalg.", "scipy.linalg"),
