"""The tangent of a call whose rule is known: each slope times the tangent of its operand.

``y = sin(x)`` has ``y_dot = x_dot * cos(x)``; a linear function is applied to the tangents, and
any other rule gives its tangent at run time.
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any  # a function that a program applies

import numpy as np

from astad.compiler.analysis.applied import Applied, applied
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.operations import row_of, text_of
from astad.compiler.analysis.result_kinds import joins
from astad.compiler.analysis.symbolic_shapes import Extents
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Ref, Star
from astad.compiler.reverse_mode.elementwise import (
    IS_REGULAR,
    NAMESPACE,
    Factor,
    once_more,
    regular_operand,
    way_to_multiply,
)
from astad.compiler.reverse_mode.formulas import (
    Expression,
    Writer,
    names_in,
    write,
    write_guarded,
    write_if,
    write_poles_guarded,
    write_product,
    write_safely,
)
from astad.rules.formula import Rule
from astad.rules.in_force import value_of
from astad.rules.python import of_numbers
from astad.rules.registry import lookup
from astad.slotted import dataclass, replace

__all__ = ["EXPANDED", "About", "Unwritten", "tangent_of_call"]

ADD, GETITEM, NEG = Prim("add"), Prim("getitem"), Prim("neg")
PUSHED = Ref("astad.rules.pushed", "pushed")
SPREAD = Ref("astad.rules.pushed", "spread")
EXPANDED = Ref("astad.rules.pushed", "expanded")
PUSHED_ALL = Ref("astad.rules.pushed", "pushed_all")
SPREAD_ALL = Ref("astad.rules.pushed", "spread_all")
JOINED_ALL = Ref("astad.rules.pushed", "joined_all")
Dot = Callable[[Operand | Star], str | None]


class Unwritten(Exception):
    """There is no tangent that can be written out: another way serves."""


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a program: ``dot`` tells the tangent of an operand that moves, ``index`` the
    place in it of an index into what it is the tangent of, ``twins`` the tangents of displays;
    ``many``: each tangent is an array of tangents, along a first axis of its own.
    """

    facts: Facts
    extents: Extents
    dot: Dot
    index: Callable[[Operand | Star, Operand | Star, Writer], Operand]
    twins: Mapping[str, str]
    many: bool

    def rank(self, operand: Operand | Star) -> int:
        kind = self.facts.kind_of(operand)
        if not k.is_real(kind) and (not k.is_array(kind) or kind.rank is None):
            raise Unwritten
        return kind.rank or 0


def tangent_of_call(node: Call, y: str, about: About, to: Writer) -> Operand:
    """``y`` is what the call has given.

    Raises
    ------
    Unwritten : where the rule says nothing of a tangent.
    """
    what = applied(node, about.facts.known)
    if what is None:
        raise Unwritten
    if node.fn is GETITEM:
        whole = about.dot(node.args[0])
        if whole is None or about.dot(node.args[1]) is not None:
            raise Unwritten
        return to.call(GETITEM, whole, about.index(node.args[1], node.args[0], to))
    texts = of_numbers.parts_of(what.fn, len(node.args), along=True)
    numbers = node.args[1:] if what.fn is value_of else node.args  # behind what the rule returned
    if texts is not None and all(map(k.is_real, map(about.facts.kind_of, numbers))):
        return _sum(_of_numbers(node, texts, y, about.dot, to), to)
    rule = lookup(what.fn)
    if rule is None:
        raise Unwritten
    if rule.form == "scalar" and what.args == node.args and not node.keywords:
        return _elementwise(node, what.fn, y, about, to)
    is_linear = rule.form == "linear" and (not rule.dot or joins(what.fn) or what.fn is np.einsum)
    still = _without_derivative(what, rule, about.dot)
    if still and (about.many or not is_linear or what.args != node.args):
        raise Unwritten
    if still:
        return _linear(node, lambda arg: None if arg in still else about.dot(arg), to)
    if about.many:
        return along_first_axis(node, what, y, about, to)
    if is_linear or _is_plain_sum(what):
        return _linear(node, about.dot, to)
    return _at_run_time(what, y, about, to)


def _without_derivative(what: Applied, rule: Rule, dot: Dot) -> set[Operand | Star]:
    """Operands that move and of which the result has no derivative: a shape is asked of them.

    Raises
    ------
    Unwritten : where one is an operand in another place as well, or the derivative is missing.
    """
    plain = itertools.takewhile(lambda name: not name.startswith("*"), rule.parameters)
    both = zip(plain, what.args, strict=False)
    moving = [(name, arg) for name, arg in both if dot(arg) is not None]
    still: set[Operand | Star] = {arg for name, arg in moving if name not in rule.back}
    named = [name for name, arg in moving if arg in still]
    if any(name in rule.back or name in rule.missing for name in named):
        raise Unwritten
    return still


def _sum(parts: Sequence[Operand], to: Writer) -> Operand:
    if not parts:
        raise Unwritten
    whole = parts[0]
    for part in parts[1:]:
        whole = _added(whole, part, to)
    return whole


def _added(whole: Operand, part: Operand, to: Writer) -> Operand:
    """``a + b``, and ``a - b`` where the part was just written as ``-b``."""
    last = to.out[-1] if to.out else None
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
        parts.append(write(Expression(text, values, NAMESPACE), to))
    return parts


def _elementwise(node: Call, fn: Any, y: str, about: About, to: Writer) -> Operand:
    dot, extents = about.dot, about.extents
    kinds = [about.facts.kind_of(arg) for arg in node.args]
    rule = row_of(fn, node.args, of_arrays=k.is_array(kinds[0]))
    if rule is None or rule.form != "scalar":
        raise Unwritten
    if fn is operator.mul and node.args[0] == node.args[1]:
        x = node.args[0]
        moved = dot(x)
        if moved is None or isinstance(x, Star):
            raise Unwritten
        return write_product(moved, Expression("2 * x", {"x": x}, {}), to)
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
        if about.many and arrays:
            more = max(map(about.rank, node.args)) - about.rank(arg)
            own = to.call(EXPANDED, own, Const(more)) if more else own
        fills |= place in full or not read.isdisjoint({rule.parameters[at] for at in full} | {"y"})
        parts.append(_product(node, fn, rule, place, text, own, y, about, to))
    whole = _sum(parts, to)
    return whole if fills else to.call(SPREAD_ALL if about.many else SPREAD, whole, y)


def _product(
    node: Call,
    fn: Any,
    rule: Rule,
    place: int,
    text: str,
    own: str,
    y: str,
    about: About,
    to: Writer,
) -> Operand:
    values: dict[str, Operand] = {"y": y}
    for name, operand in zip(rule.parameters, node.args, strict=False):
        assert not isinstance(operand, Star)
        values[name] = operand
    kinds = [about.facts.kind_of(arg) for arg in node.args]
    multiply = way_to_multiply(fn, rule, text, kinds)
    if about.many and multiply in (write_guarded, write_poles_guarded):
        multiply = write_safely  # each tangent for itself
    if text in values and isinstance(values[text], Const):
        multiply = write_product  # a literal is finite
    elif about.facts.again:
        text, multiply = once_more(rule, place, text, multiply, kinds, along=True)
    namespace = rule.globals_of(text)
    if multiply is write_safely and any(map(k.is_array, kinds)):
        factor = Factor(text, rule.parameters, namespace, multiply, rule.regular)
        asked = regular_operand(node, factor)
        if asked is not None:  # where it is finite, so is the slope
            tested = y if asked == node.target else asked
            multiply = functools.partial(write_if, to.call(IS_REGULAR, tested))
    return multiply(own, Expression(text, values, namespace), to)


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


def _at_run_time(what: Applied, y: str, about: About, to: Writer) -> Operand:
    """``pushed(np.linalg.inv, (0,), (a_dot,), y, a)``."""
    places = [at for at, arg in enumerate(what.args) if about.dot(arg) is not None]
    if not places or any(about.dot(value) is not None for _, value in what.keywords):
        raise Unwritten
    dots = to.call(Prim("tuple"), *[str(about.dot(what.args[at])) for at in places])
    args = (Const(tuple(places)), dots, y, *what.args)
    fn = PUSHED_ALL if about.many else PUSHED
    return to.call(fn, _ref(what.fn), *args, **dict(what.keywords))


# --- many tangents at once


def along_first_axis(node: Call, what: Applied, y: str, about: About, to: Writer) -> Operand:
    """Of a function that knows axes: those of the operand are one further; where nothing else is
    known, tangent by tangent.
    """
    first, words = what.args[0], dict(what.keywords)
    if joins(what.fn, about.facts.kind_of(first)):
        twin = about.dot(first)
        if twin is None or any(about.dot(arg) is not None for arg in what.args[1:]):
            raise Unwritten
        return to.call(JOINED_ALL, _ref(what.fn), twin, *what.args[1:], **words)
    dot = about.dot(first)
    if what.fn in REDUCE and dot is not None and len(what.args) < 3 and words.keys() <= AXES:
        axis = what.args[1] if len(what.args) == 2 else words.pop("axis", Const(None))
        number = axis.value if isinstance(axis, Const) else ...
        rank = about.rank(first)
        if number is None:
            return to.call(REDUCE[what.fn], dot, axis=Const(tuple(range(1, rank + 1))), **words)
        if type(number) is int:
            moved = Const(number + 1 if number >= 0 else number)
            return to.call(REDUCE[what.fn], dot, axis=moved, **words)
    if what.fn in PRODUCTS and len(what.args) == 2 and not words:
        ranks = [about.rank(arg) for arg in what.args]
        if max(ranks) < 3 and min(ranks) > 0:
            return _sum(_products(what.args, ranks, about.dot, to), to)
    if node.fn is Prim("method") and node.args[1] == Const("copy") and dot is not None:
        return to.call(Prim("method"), dot, Const("copy"))
    if what.fn is np.broadcast_to and dot is not None:
        more = about.rank(str(node.target)) - about.rank(first)
        return to.call(SPREAD_ALL, to.call(EXPANDED, dot, Const(more)) if more else dot, y)
    if what.fn is np.transpose and len(what.args) == 1 and not words and dot is not None:
        ends = Const(-1), Const(-2)
        return dot if about.rank(first) < 2 else to.call(Ref("numpy", "swapaxes"), dot, *ends)
    return _at_run_time(what, y, about, to)


def _products(args: Sequence[Operand], ranks: Sequence[int], dot: Dot, to: Writer) -> list[Operand]:
    """Of vectors and matrices."""
    parts: list[Operand] = []
    (a, b), matmul = args, Prim("matmul")
    if (a_dot := dot(a)) is not None:
        parts.append(to.call(matmul, a_dot, b))
    if (b_dot := dot(b)) is not None and ranks[1] == 1:
        other = a if ranks[0] == 1 else to.call(Prim("getattr"), a, Const("T"))
        parts.append(to.call(matmul, b_dot, other))
    elif b_dot is not None:
        parts.append(to.call(matmul, a, b_dot))
    return parts


PRODUCTS = (operator.matmul, np.matmul, np.dot)
AXES = {"axis", "keepdims"}
REDUCE = {
    np.sum: Ref("numpy", "sum"),
    np.ndarray.sum: Ref("numpy", "sum"),
    np.mean: Ref("numpy", "mean"),
    np.ndarray.mean: Ref("numpy", "mean"),
}


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
