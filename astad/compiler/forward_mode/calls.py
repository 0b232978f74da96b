"""The tangent of a call whose rule is known: each slope times the tangent of its operand.

``y = sin(x)`` has ``y_dot = x_dot * cos(x)``; a linear function is applied to the tangents, and
any other rule gives its tangent at run time.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any  # a function that a program applies

import numpy as np

from astad.compiler.analysis.applied import Applied, applied
from astad.compiler.analysis.extents import Extents
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.operations import row_of, text_of
from astad.compiler.analysis.result_kinds import joins
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Ref, Star
from astad.compiler.reverse_mode.elementwise import (
    IS_REGULAR,
    NAMESPACE,
    Factor,
    regular_operand,
    way_to_multiply,
)
from astad.compiler.reverse_mode.formulas import (
    Writer,
    names_in,
    write,
    write_if,
    write_product,
    write_safely,
)
from astad.rules.formula import Rule
from astad.rules.python import of_numbers
from astad.rules.registry import lookup

__all__ = ["Unwritten", "tangent_of_call"]

ADD, GETITEM, NEG = Prim("add"), Prim("getitem"), Prim("neg")
PUSHED = Ref("astad.rules.pushed", "pushed")
SPREAD = Ref("astad.rules.pushed", "spread")
Dot = Callable[[Operand | Star], str | None]
Again = Callable[[Operand | Star, Writer], Operand]


class Unwritten(Exception):
    """There is no tangent that can be written out: another way serves."""


def tangent_of_call(
    node: Call, y: str, dot: Dot, again: Again, facts: Facts, extents: Extents, to: Writer
) -> Operand:
    """``y`` is what the call has given, ``dot`` tells the tangent of an operand that moves,
    ``again`` an index for the second time.

    Raises
    ------
    Unwritten : where the rule says nothing of a tangent.
    """
    what = applied(node, facts.known)
    if what is None:
        raise Unwritten
    if node.fn is GETITEM:
        whole = dot(node.args[0])
        if whole is None or dot(node.args[1]) is not None:
            raise Unwritten
        return to.call(GETITEM, whole, again(node.args[1], to))
    texts = of_numbers.parts_of(what.fn, len(node.args))
    if texts is not None and all(map(k.is_real, map(facts.kind_of, node.args))):
        return _sum(_of_numbers(node, texts, y, dot, to), to)
    rule = lookup(what.fn)
    if rule is None:
        raise Unwritten
    if rule.form == "scalar" and what.args == node.args and not node.keywords:
        return _elementwise(node, what.fn, y, dot, facts, extents, to)
    if rule.form == "linear" and (not rule.dot or joins(what.fn) or what.fn is np.einsum):
        return _linear(node, dot, to)
    if _is_plain_sum(what):
        return _linear(node, dot, to)
    return _at_run_time(what, y, dot, to)


def _sum(parts: Sequence[Operand], to: Writer) -> Operand:
    if not parts:
        raise Unwritten
    whole = parts[0]
    for part in parts[1:]:
        whole = _added(whole, part, to)
    return whole


def _added(whole: Operand, part: Operand, to: Writer) -> Operand:
    """``a + b``, and ``a - b`` where the part was just written as ``-b``."""
    last = to.out[-1]
    if isinstance(last, Call) and last.target == part and last.fn is NEG:
        del to.out[-1]
        assert not isinstance(last.args[0], Star)
        return to.call(Prim("sub"), whole, last.args[0])
    return to.call(ADD, whole, part)


def _of_numbers(node: Call, texts: Sequence[str], y: str, dot: Dot, to: Writer) -> list[Operand]:
    parts: list[Operand] = []
    for arg, text in zip(node.args, texts, strict=True):
        own = dot(arg)
        if own is None:
            continue
        values: dict[str, Operand] = {"y_bar": own, "y": y}
        for name, operand in zip(of_numbers.NAMES, node.args, strict=False):
            assert not isinstance(operand, Star)
            values[name] = operand
        parts.append(write(text, values, NAMESPACE, to))
    return parts


def _elementwise(
    node: Call, fn: Any, y: str, dot: Dot, facts: Facts, extents: Extents, to: Writer
) -> Operand:
    kinds = [facts.kind_of(arg) for arg in node.args]
    rule = row_of(fn, node.args, of_arrays=k.is_array(kinds[0]))
    if rule is None or rule.form != "scalar":
        raise Unwritten
    if fn is operator.mul and node.args[0] == node.args[1]:
        x = node.args[0]
        moved = dot(x)
        if moved is None or isinstance(x, Star):
            raise Unwritten
        return write_product(moved, "2 * x", {"x": x}, {}, to)
    arrays = [at for at, kind in enumerate(kinds) if k.has_axes(kind)]
    names = {str(node.args[at]) for at in arrays}
    alike = len(arrays) < 2 or extents.are_one(node, sorted(names))
    full = {at for at in arrays if alike or extents.repeated(node, str(node.args[at])) == ()}
    fills, parts = not arrays, list[Operand]()
    for place, arg in enumerate(node.args):
        own = dot(arg)
        if own is None:
            continue
        text = text_of(rule, place, kinds)
        if text is None:
            raise Unwritten
        read = names_in(text)
        fills |= place in full or not read.isdisjoint({rule.parameters[at] for at in full} | {"y"})
        parts.append(_product(node, fn, rule, text, kinds, own, y, to))
    whole = _sum(parts, to)
    return whole if fills else to.call(SPREAD, whole, y)


def _product(
    node: Call,
    fn: Any,
    rule: Rule,
    text: str,
    kinds: Sequence[k.Kind],
    own: str,
    y: str,
    to: Writer,
) -> Operand:
    values: dict[str, Operand] = {"y": y}
    for name, operand in zip(rule.parameters, node.args, strict=False):
        assert not isinstance(operand, Star)
        values[name] = operand
    multiply, namespace = way_to_multiply(fn, rule, text, kinds), rule.globals_of(text)
    if text in values and isinstance(values[text], Const):
        multiply = write_product  # a literal is finite
    if multiply is write_safely and any(map(k.is_array, kinds)):
        factor = Factor(text, rule.parameters, namespace, multiply, rule.regular)
        asked = regular_operand(node, factor)
        if asked is not None:  # where it is finite, so is the slope
            tested = y if asked == node.target else asked
            multiply = functools.partial(write_if, to.call(IS_REGULAR, tested))
    return multiply(own, text, values, namespace, to)


def _linear(node: Call, dot: Dot, to: Writer) -> Operand:
    """The same call with the tangent in the place of each operand that moves, added."""
    if any(dot(value) is not None for _, value in node.keywords):
        raise Unwritten
    parts: list[Operand] = []
    for place, arg in enumerate(node.args):
        own = dot(arg)
        if own is None:
            continue
        target = to.names.numbered("t")
        args = (*node.args[:place], own, *node.args[place + 1 :])
        to.out.append(replace(node, target=target, args=args))
        parts.append(target)
    return _sum(parts, to)


def _is_plain_sum(what: Applied) -> bool:
    """A sum that begins with nothing else, of all entries."""
    words = {word for word, _ in what.keywords}
    return (
        what.fn in (np.sum, np.ndarray.sum) and len(what.args) < 3 and words <= {"axis", "keepdims"}
    )


def _at_run_time(what: Applied, y: str, dot: Dot, to: Writer) -> Operand:
    """``pushed(np.linalg.inv, (0,), (a_dot,), y, a)``."""
    places = [at for at, arg in enumerate(what.args) if dot(arg) is not None]
    if not places or any(dot(value) is not None for _, value in what.keywords):
        raise Unwritten
    dots = to.call(Prim("tuple"), *[str(dot(what.args[at])) for at in places])
    args = (Const(tuple(places)), dots, y, *what.args)
    return to.call(PUSHED, _ref(what.fn), *args, **dict(what.keywords))


def _ref(fn: Any) -> Ref:
    """How generated text names the function of a rule."""
    home, name = _home_of(fn)
    if not home:
        raise Unwritten
    return Ref(home, name)


def _home_of(fn: Any) -> tuple[str, str]:
    name, own = getattr(fn, "__name__", ""), sys.modules.get(str(getattr(fn, "__module__", None)))
    for module in (operator, np, np.linalg, np.ndarray, own):
        if module is not None and getattr(module, name, None) is fn:
            return "numpy.ndarray" if module is np.ndarray else module.__name__, name
    return "", ""
