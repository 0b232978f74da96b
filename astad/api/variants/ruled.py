"""Is there a rule for a function, so that its source is not asked for?

>>> import copy
>>> is_ruled(copy.deepcopy), is_ruled(is_ruled)
(True, False)
"""

from __future__ import annotations

import sys
from types import FunctionType

from astad.api.variants.whole import whole
from astad.rules.in_force import CUSTOM, REGISTRY
from astad.rules.shipped import read_shipped

__all__ = ["LIBRARIES", "is_ruled"]

LIBRARIES = frozenset({"astad", "numpy", "scipy", *sys.stdlib_module_names})
"""Packages for functions of which astad has rules: they are read where one of theirs is met."""


def is_ruled(fn: FunctionType) -> bool:
    """Whether the user, a library or astad has a rule for this very function."""
    read_shipped()
    if id(fn) in CUSTOM or id(fn) in REGISTRY:
        return True
    home = str(fn.__globals__.get("__name__")).partition(".")[0]
    return home in LIBRARIES and _has_own_rule(fn)


def _has_own_rule(fn: FunctionType) -> bool:
    from astad.rules.registry import lookup  # late, as the whole

    return id(fn) in whole.full or lookup(fn) is not None
