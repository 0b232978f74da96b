"""Elementwise rules written out: the call, and the way back through it, in one short function each.

For Python numbers, float64 numbers and float64 arrays alone; any other operand is left to
`apply_rule`. Made when a rule first meets numbers, forgotten when another rule is declared.

>>> import operator, astad.rules
>>> from astad.rules.registry import lookup
>>> from astad.runtime.formulas.formula_rules import apply_rule
>>> from astad.runtime.cotangents.shadows import Shadows
>>> y, record = apply_rule(None, lookup(operator.mul), (2.0, 5.0), {})
>>> count, quick = QUICK[id(operator.mul)]
>>> y, (pull, *data) = quick(None, 2.0, 5.0)
>>> y, pull(Shadows(), 3.0, *data)
(10.0, (15.0, 6.0))
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad.rules.formula import Rule
from astad.rules.in_force import made_once
from astad.rules.registry import QUICK
from astad.rules.safe import alive, safe_product
from astad.runtime.core.full_rules import FULL
from astad.runtime.core.listings import deliver
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.rule_plans import OF_NUMPY, OF_SCIPY, PLAIN, REAL, plan_of, product_text
from astad.runtime.formulas.rule_pulls import pull_direct, pull_floats
from astad.tangents.arrays import sum_to_shape

__all__ = ["QUICK", "learn"]

Step = Callable[..., Any]

ARRAYS: frozenset[type] = REAL | {np.ndarray}
FLOAT64 = np.dtype(np.float64)
FAILURES = (ZeroDivisionError, OverflowError, ValueError)
"""At a pole: there the general way gives inf or nan."""

_OPERATORS = {
    id(getattr(operator, name))
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "abs")
} | {id(abs)}
"""The rules of these decide alone where all operands are numbers or arrays."""

_NUMBERS = """
def quick(versions, {params}):
    if {plain}:
        y = fn({params})
        if type(y) in REAL:
            return y, (pull_plain, y, {params})
    elif {real}:
        y = fn({params})
        if type(y) in REAL:
            return y, ({pull_real}, y, {params})
    else:
        return {others}
    return y, record(versions, rule, ({params},), {{}}, y)

def pull_plain(shadows, y_bar, y, {params}):
    if type(y_bar) in REAL:
        try:
            return {floats},
        except FAILURES:
            pass
    return pull_floats(shadows, y_bar, plan, y, ({params},))

def pull_general(shadows, y_bar, y, {params}):
    return pull_floats(shadows, y_bar, plan_of(rule, ({params},), {{}}), y, ({params},))
"""

_DOUBLES = """
def pull_real(shadows, y_bar, y, {params}):
    if type(y_bar) in REAL:
        try:
            return {doubles},
        except FAILURES:
            pass
    return pull_general(shadows, y_bar, y, {params})

def arrays(versions, {params}):
    if not ({arrays}) or not ({are_double}):
        return None
    y = fn({params})
    if type(y) is ndarray and y.dtype is FLOAT64:
        return y, (pull_arrays, y, {y_held}, {held}, {params})
    return y, record(versions, rule, ({params},), {{}}, y)

def pull_arrays(shadows, y_bar, _y, y, {params}, {targets}):
    if y_bar is not None or shadows._refused:
        plan = plan_of(rule, ({targets},), {{}})
        return pull_direct(shadows, y_bar, plan, _y, y, [{params}], ({targets},))
    y_bar = shadows.take_array(_y)
    if y_bar is None:
        return None
    if type(y) is list:
        y = y[0]
    {unboxed}
    return {delivered},
"""


def fits_none(*operands: Any) -> None:
    """Stands where a rule has no short form."""


def learn(rule: Rule, record: Step) -> None:
    """Put the short form of a rule into the table, or that there is none; ``record`` makes the
    record of a result of any kind.
    """
    plan = plan_of(rule, (1.0,) * len(rule.parameters), {})
    has_full_rule = id(rule.fn) in FULL and id(rule.fn) not in _OPERATORS
    if plan.pull_plain is None or has_full_rule or not rule.is_own:
        QUICK[id(rule.fn)] = (-1, fits_none)
        return
    names = plan.names
    floats = _cotangents(rule, names, "float")
    doubles = [] if rule.zero_safe else _cotangents(rule, names, "array")
    scope: dict[str, Any] = {"__name__": __name__}
    for name in names:
        for kind in ("float", "array") if doubles else ("float",):
            scope.update(rule.globals_of(str(rule.inline(name, kind))))
    scope.update(
        fn=rule.fn, rule=rule, plan=plan, plan_of=plan_of, record=record, pull_floats=pull_floats,
        pull_direct=pull_direct, brought=_brought, ndarray=np.ndarray, FLOAT64=FLOAT64,
        PLAIN=PLAIN, REAL=REAL, ARRAYS=ARRAYS, FAILURES=FAILURES, alive=alive,
        safe_product=safe_product,
    )  # fmt: skip
    texts = _texts(rule, names, floats, doubles)
    # of arrays these make an array that shares memory with none of them
    fresh = bool(doubles) and (isinstance(rule.fn, np.ufunc) or id(rule.fn) in _OPERATORS)
    other_kinds = f"arrays(versions, {texts['params']})" if fresh else "None"
    text = (_NUMBERS + (_DOUBLES if doubles else "")).format(**texts, others=other_kinds)
    made_once(lambda: exec(text, scope))
    QUICK[id(rule.fn)] = (len(names), scope["quick"])


def _texts(
    rule: Rule, names: Sequence[str], floats: Sequence[str], doubles: Sequence[str]
) -> dict[str, str]:
    reads = rule.needs(tuple(names)) | rule.needs_shape(tuple(names))
    are = [f"(type({name}) is not ndarray or {name}.dtype is FLOAT64)" for name in names]
    held = [
        f"(versions.keep({name}) if type({name}) is ndarray else {name})" if name in reads else name
        for name in (*names, "y")
    ]
    unboxed = [f"{n} = {n}[0] if type({n}) is list else {n}" for n in names]
    both = zip(names, _cotangents(rule, names, "array", whole=True), strict=False)
    return {
        "params": ", ".join(names),
        "targets": ", ".join(f"{name}_of" for name in names),
        "plain": _numbers(rule, names, "PLAIN"),
        "real": _numbers(rule, names, "REAL"),
        "arrays": " and ".join(f"type({name}) in ARRAYS" for name in names),
        "are_double": " and ".join(are),
        "pull_real": "pull_real" if doubles else "pull_general",
        "floats": ", ".join(floats),
        "doubles": ", ".join(doubles),
        "held": ", ".join(held[:-1]),
        "y_held": held[-1] if "y" in reads else "None",
        "unboxed": "; ".join(unboxed),
        "delivered": ", ".join(f"brought(shadows, {n}_of, {text}, rule)" for n, text in both),
    }


def _numbers(rule: Rule, names: Sequence[str], kinds: str) -> str:
    """The test that all are of these kinds. NumPy's functions compute with ints alone as the
    machine does, which wraps around: there one of them has to be something else, or each.
    """
    tests = [f"type({name}) in {kinds}" for name in names]
    if rule.name.startswith(OF_NUMPY):
        every = " and " if rule.name.startswith(OF_SCIPY) else " or "
        tests.append(f"({every.join(f'type({name}) is not int' for name in names)})")
    return " and ".join(tests)


def _cotangents(rule: Rule, names: Sequence[str], kind: str, *, whole: bool = False) -> list[str]:
    """``y_bar * x2``, one text for each parameter; empty if one cannot be written out. ``whole``:
    of arrays, of which some entries may not be used.
    """
    found = []
    reads = rule.needs(tuple(names))
    values = ", ".join(name for name in (*names, "y") if name in reads)
    for name in names:
        text = rule.inline(name, kind)
        if text is None:
            return []
        plain = {"1": "y_bar", "-1": "-y_bar"}.get(text.strip())
        product = product_text(rule, text) if kind == "float" else f"y_bar * ({text})"
        if rule.selects and kind == "array":
            product = f"safe_product({text}, y_bar)"
        elif whole and values:
            product = f"alive({product}, y_bar, {values})"
        found.append(plain or product)
    return found


def _brought(shadows: Shadows, operand: Any, bar: Any, rule: Rule) -> Any:
    """The cotangent of a number, for which an array may be summed; that of an array goes to its
    shadow.
    """
    if type(operand) is np.ndarray:
        if bar.shape == operand.shape:
            shadows.add_array(operand, bar)
            return None
        bar = sum_to_shape(bar, operand.shape)
    elif type(bar) is np.ndarray:
        bar = bar.sum()
    return deliver(shadows, operand, bar, rule.name)
