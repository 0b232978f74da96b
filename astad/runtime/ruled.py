"""Is there a rule for a function, so that its source is not asked for?

>>> import math
>>> is_ruled(math.sin), is_ruled(is_ruled)
(True, False)
"""

from __future__ import annotations

from typing import Any

from astad.rules.custom import CUSTOM
from astad.rules.registry import REGISTRY, lookup
from astad.rules.shipped import read_shipped
from astad.runtime.full_rules import FULL

__all__ = ["is_ruled"]

LIBRARIES = frozenset({"numpy", "scipy", "math", "statistics"})
"""Packages that astad has rules for, some of them still to be read."""


def is_ruled(fn: Any) -> bool:
    """Whether the user, a library or astad has a rule for this very callable."""
    read_shipped()
    if (getattr(fn, "__module__", None) or "").partition(".")[0] in LIBRARIES:
        lookup(fn)
    key = id(fn)
    return key in CUSTOM or key in REGISTRY or key in FULL
