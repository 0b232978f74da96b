"""Compiled functions that fill an argument: the rule of their result, written into that array.

>>> from scipy.ndimage import _nd_image
>>> from astad.rules.registry import read_waiting
>>> from astad.runtime.core.full_rules import FULL
>>> _ = read_waiting()  # the rules of a library are read when one is looked up
>>> out = np.zeros(3)
>>> forward = FULL[id(_nd_image.uniform_filter1d)]
>>> y, record = forward(Versions(), np.array([1.0, 2.0, 6.0]), 3, 0, out, 0, 0.0, 0)
>>> y, out.tolist()
(None, [1.333..., 3.0, 4.666...])
"""

from __future__ import annotations

import numpy as np  # noqa: F401  (of the example)

from astad.rules.formula import Rule
from astad.rules.registry import AFTER_READING, lookup
from astad.rules.scipy.filling import KERNELS, RETURNING
from astad.runtime.core.full_rules import FULL, Cotangents, Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.formula_rules import apply_rule
from astad.runtime.formulas.rule_pulls import pull_overwritten

__all__: list[str] = []


def _by_rule_of_result(compiled: Value, rule: Rule) -> None:
    place = rule.parameters.index("out")

    @full(compiled)
    def forward(versions: Versions, *args: Value, out: Value = None) -> tuple[Value, Record]:
        in_place = len(args) == place and out is None
        args = (*args, args[0] if in_place else out) if len(args) == place else args
        out = args[place]
        if out.dtype.kind not in "fc" and args[0].dtype.kind in "fc":  # cut to whole numbers
            versions.writing(out)
            return compiled(*args), (pull_overwritten, out)
        y, record = apply_rule(versions, rule, args, {})
        if in_place and record is not None:
            record = (pull_in_place, record)
        return y if rule.fn.__name__ in RETURNING else None, record


def pull_in_place(shadows: Shadows, y_bar: Value, record: tuple[Value, ...]) -> Cotangents:
    """Of a function that fills its first argument, which has one operand less than its rule."""
    found: Cotangents = record[0](shadows, y_bar, *record[1:])
    return None if found is None else found[:-1]


def declare_kernels() -> None:
    """Give those that have a rule by now theirs."""
    for compiled, filled in KERNELS:
        rule = lookup(filled)
        if rule is not None and id(compiled) not in FULL:
            _by_rule_of_result(compiled, rule)


declare_kernels()
AFTER_READING.append(declare_kernels)  # libraries read later have kernels as well
