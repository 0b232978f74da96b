"""Transforms of scipy.fft: what may destroy its input does not; fht is differentiated as written.

>>> from scipy import fft
>>> from astad.runtime.full_rules import FULL
>>> x = np.array([1.0 + 0j, 2.0])
>>> y, record = FULL[id(fft.fft)](Versions(), x, overwrite_x=True)
>>> y is x, y
(False, array([ 3.+0.j, -1.+0.j]))
"""

from __future__ import annotations

import numpy as np  # noqa: F401  (of the example)
from scipy import fft
from scipy.fft import _fftlog_backend

from astad.rules.registry import Rule, lookup
from astad.rules.scipy.fft import TRANSFORMS
from astad.runtime.formula_rules import apply_rule
from astad.runtime.full_rules import Record, Value, callbacks, full
from astad.runtime.operand_hooks import apply_with_hooks, hooked
from astad.runtime.versions import Versions

__all__: list[str] = []


def _keeping_its_input(rule: Rule) -> None:
    """``overwrite_x`` allows to destroy the input, which the reverse sweep may read: not used."""
    place = rule.parameters.index("overwrite_x")

    @full(rule.fn)
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        if len(args) > place:
            args = (*args[:place], False, *args[place + 1 :])
        if "overwrite_x" in keywords:
            keywords["overwrite_x"] = False
        if hooked(args) is not None:
            return apply_with_hooks(versions, rule, args, keywords)
        return apply_rule(versions, rule, args, keywords)


for _fn in TRANSFORMS:
    _rule = lookup(_fn)
    assert _rule is not None
    _keeping_its_input(_rule)


def _from_source(multimethod: Value, written: Value) -> None:
    @full(multimethod)
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        return callbacks.call(versions, written, *args, **keywords)


_from_source(fft.fht, _fftlog_backend.fht)
_from_source(fft.ifht, _fftlog_backend.ifht)
