"""Cotangents by rules that give them whole, written out in place: reductions, products, joins.

``y = np.sum(a, axis=1)`` becomes ``a_bar = y_bar[:, None]``, ``y = np.linalg.inv(a)`` the text of
its rule with the user's names.

Cotangents of arrays that a call joins: each gets its piece of the result's.

``y = np.concatenate([a, b], axis=1)`` becomes ``a_bar = y_bar[:, :n]``, ``b_bar = y_bar[:, n:]``
with ``n = a.shape[1]``.

Cotangents of the operands of ``np.einsum`` with literal subscripts: each the ``einsum`` of the
result's with the other operands, or a product of matrices where it is one.

``y = np.einsum("ij,jk->ik", a, b)`` becomes ``a_bar = y_bar @ b.T``.

>>> as_matmul("ik", "jk", "ij"), as_matmul("i", "ij", "j"), as_matmul("i", "j", "ij")
('a @ b.T', 'b.T @ a', None)

Reverse of displays from which an array is made: the array's cotangent, element by element.

Short formulas for arrays of known rank; the general rules look at shapes.

>>> from astad.compiler.analysis.given import Knowledge, bound, signature_of
>>> from astad.compiler.ir import kinds as k
>>> from astad.compiler.ir.nodes import Const
>>> matrix = Knowledge(lambda operand: k.array(2), {}, {})
>>> signature = signature_of("a, axis=None, *, keepdims=False")
>>> given = bound(signature, ("x",), (("axis", Const(1)),), matrix)
>>> array_formulas(lookup(np.sum), given)
{'a': Formula(text='y_bar[:, None]', thin=True, takes_thin=False)}
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, given_to_rule
from astad.compiler.analysis.given import Given, bound, literal_axes, rank_of, signature_of
from astad.compiler.analysis.vocabulary import letters
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Prim, Ref, immutable
from astad.compiler.reverse_mode.adjoint_accumulators import NONE
from astad.compiler.reverse_mode.formulas import Expression, Writer, asked_of, write
from astad.compiler.reverse_mode.sweep import Sweep, kept, shape_of
from astad.originals import builtins
from astad.rules.formula import Rule, names_read
from astad.rules.registry import lookup

__all__ = [
    "Bar",
    "give_elements",
    "parts_by_rule",
    "parts_of_einsum",
    "parts_of_join",
    "taken",
    "where_present",
]

# --- short formulas for arrays of known rank


@immutable
class Formula:
    """``text`` of a cotangent. ``thin``: of what broadcasts to the operand's shape; ``takes_thin``:
    so may be y_bar.
    """

    text: str
    thin: bool = False
    takes_thin: bool = False


Formulas = Mapping[str, Formula] | None


def array_formulas(rule: Rule, given: Given) -> Formulas:
    """By parameter of the rule; None where the general formulas serve."""
    ranks = [rank_of(given, name) for name in rule.back]
    for when, texts in rule.short.items():
        known, _, free = when.partition(";")
        if known == "axis":
            return _spread(given, texts[0])
        if known in ("", " ".join(map(str, ranks))) and _is_plain(rule, given, free):
            whole = [
                Formula(text, thin=text == "y_bar", takes_thin=text == "y_bar") for text in texts
            ]
            return dict(zip(rule.back, whole, strict=True))
    return None


def _is_plain(rule: Rule, given: Given, free: str) -> bool:
    """Has every optional parameter its default, but for those that are free?"""
    defaults = {str(rule.signature.star): ()} | rule.defaults
    optional = (given.operands.keys() & defaults.keys()) - set(free.replace(",", " ").split())
    values = [(given.literal(name), defaults[name]) for name in optional]
    return all(type(value) is type(default) and value == default for value, default in values)


def _spread(given: Given, part: str) -> Formulas:
    """The cotangent of a sum, with the axes it lacks where broadcasting does not add them."""
    rank, axis = rank_of(given), given.literal("axis")
    if rank is None or any(map(given.has, ("dtype", "out", "initial", "where"))):
        return None
    axes = tuple(range(rank)) if axis is None else literal_axes(given, rank)
    if axes is None or (not axes and "count" in part):
        return None  # no program is known: a sum of a known kind has literal axes
    count = "a.size" if axis is None else " * ".join(f"a.shape[{each}]" for each in axes)
    part = part.replace("count", count)
    if given.literal("keepdims") or axes == tuple(range(len(axes))):
        return {"a": Formula(part, thin=True, takes_thin=True)}
    index = ", ".join("None" if at in axes else ":" for at in range(rank))
    return {"a": Formula(part.replace("y_bar", f"y_bar[{index}]"), thin=True)}


TOTAL = Ref("astad.runtime.dispatch", "total")
FULL = Ref("astad.tangents.arrays", "full")
NO_VALUE = Ref("numpy", "_NoValue")
_BUILTINS = vars(builtins)
FEW = 1e-12
"""One over the size of a large array."""


class Bar:
    """A cotangent: its operand, and whether it may be `thin`, of fewer or shorter axes than the
    value, to whose shape it broadcasts; ``owned``: nobody else has it.
    """

    __slots__ = ("_whole", "operand", "owned", "thin")

    def __init__(self, operand: Operand, *, thin: bool, owned: bool = False) -> None:
        self.operand = operand
        self.thin = thin
        self.owned = owned
        self._whole: Operand | None = None

    def forget(self) -> None:
        """What was written has been taken back."""
        self._whole = None

    def full(self, node: Call, sweep: Sweep, to: Writer) -> Operand:
        """In the shape of the node's result; written once."""
        if not self.thin or not k.has_entries(sweep.facts.kind_of(str(node.target))):
            return self.operand
        if self._whole is None:
            shape = shape_of(str(node.target), node, sweep, to, after=True)
            self._whole = to.call(FULL, self.operand, shape)
        return self._whole


def taken(node: Call, sweep: Sweep, out: list[Node]) -> tuple[Operand | None, str | None]:
    """The whole cotangent of a result at its definition, what lies in its shadow included, and what
    is known of it.
    """
    assert isinstance(node.target, str)
    state = sweep.bars.state.get(node.target)
    bar = sweep.bars.take(node.target)
    if node.target not in sweep.facts.shared:
        return bar, state
    result = sweep.value(node.target, node, after=True)
    total = sweep.names.numbered("total")
    out.append(Call(total, TOTAL, (sweep.shadows, result, bar or NONE), (), node.line))
    sweep.uses_shadows = True
    return total, "maybe"


def where_present(
    node: Call,
    bar: Operand,
    state: str | None,
    give: Callable[[Bar, list[Node]], None],
    sweep: Sweep,
    out: list[Node],
) -> None:
    """What ``give`` writes of a result's cotangent; under a test where that may be None."""
    whole = Bar(bar, thin=state in ("maybe", "thin"), owned=state == "owned")
    if state != "maybe":
        give(whole, out)
        return
    test = Writer(sweep.names, out, node.line).call(Prim("is_not"), bar, NONE)
    sweep.bars.branch(test, lambda arm: give(whole, arm), lambda arm: None, node.line, out)


def parts_by_rule(
    node: Call, what: Applied, rule: Rule, bar: Bar, sweep: Sweep, to: Writer
) -> list[tuple[str, Callable[[], Bar]]]:
    """Each active operand and its part, in the order of the parameters."""
    given = given_to_rule(what, rule, sweep.facts.knowledge)
    assert given is not None
    short = array_formulas(rule, given) or {}
    to.made = {}  # what two parts read is computed once
    found: list[tuple[str, Callable[[], Bar]]] = []
    for name, operand in given.operands.items():
        if isinstance(operand, str) and sweep.facts.is_active(operand) and name in rule.back:
            formula = short.get(name) or Formula(rule.back[name].strip())
            namespace = {**_BUILTINS, **rule.globals_of(formula.text), "__name__": rule.home}
            part = functools.partial(_part, node, formula, given, namespace, bar, sweep, to)
            found.append((operand, part))
    return found


def _part(
    node: Call,
    formula: Formula,
    given: Given,
    namespace: Mapping[str, Any],
    bar: Bar,
    sweep: Sweep,
    to: Writer,
) -> Bar:
    incoming = bar.operand if formula.takes_thin else bar.full(node, sweep, to)
    values = {"y_bar": incoming, **_values(node, formula.text, given, sweep, to)}
    thin = formula.thin or (formula.takes_thin and bar.thin)
    found = write(Expression(formula.text, values, namespace), to)
    size = sweep.bars.sizes.get(str(incoming))
    if size is not None and "a.size" in formula.text:
        sweep.bars.note_size(str(found), size * FEW)
    return Bar(found, thin=thin)


def _values(node: Call, text: str, given: Given, sweep: Sweep, to: Writer) -> dict[str, Operand]:
    """Names of the formula to what they stand for; shapes and ranks of operands by themselves."""
    by_value, by_shape = names_read(text)
    values: dict[str, Operand] = {}
    for name in sorted((by_value | by_shape) & {*given.operands, *given.defaults, "y"}):
        operand = node.target if name == "y" else given.operands.get(name)
        if name in by_value or _asks_more(name, text):
            values[name] = _value(name, operand, node, given, sweep, to)
        if isinstance(operand, (str, Const)) and name in by_shape:
            after = name == "y"
            values[f"{name}.ndim"] = Const(sweep.facts.kind_of(operand).rank or 0)
            values[f"{name}.shape"] = shape_of(operand, node, sweep, to, after=after)
    return values


def _value(name: str, operand: Any, node: Call, given: Given, sweep: Sweep, to: Writer) -> Operand:
    if name == "y":
        return kept(operand, node, sweep, to, after=True)
    if name not in given.operands:
        default = given.defaults[name]
        return NO_VALUE if default is np._NoValue else Const(default)
    if isinstance(operand, tuple):
        items = [kept(item, node, sweep, to, after=False) for item in operand]
        return to.call(Prim("tuple"), *items)
    return kept(operand, node, sweep, to, after=False)


@functools.cache
def _asks_more(name: str, text: str) -> bool:
    """Is more asked of the operand than its shape and rank?

    >>> _asks_more("a", "spread(y_bar, shape(a))"), _asks_more("a", "y_bar / a.size")
    (False, True)
    """
    tree = ast.parse(text, mode="eval")
    little = {id(found[0]) for node in ast.walk(tree) if (found := asked_of(node)) is not None}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return any(id(node) not in little for node in names)


# --- arrays that a call joins


def parts_of_join(
    node: Call, what: Applied, bar: Bar, sweep: Sweep, to: Writer
) -> list[tuple[str, Callable[[], Bar]]]:
    """Each item and its piece; that of one which is not active is dead code."""
    knowledge = sweep.facts.knowledge
    items = knowledge.items(what.args[0]) or ()
    made = knowledge.displays[str(what.args[0])]
    stacks, axis, rank = _axis(what, sweep)
    whole = bar.full(node, sweep, to)
    found: list[tuple[str, Callable[[], Bar]]] = []
    start: Operand = Const(0)
    for number, item in enumerate(items):
        is_last = number == len(items) - 1
        is_number = not knowledge.kind_of(item).rank
        stop: Operand = Const(None)
        if not stacks and not is_last:
            length: Operand = Const(1)
            if not is_number:
                shape = shape_of(item, made, sweep, to, after=False)
                length = to.call(Prim("getitem"), shape, Const(axis))
            stop = length if start == Const(0) else to.call(Prim("add"), start, length)
        if isinstance(item, str):
            first = Const(None) if start == Const(0) else start
            place: tuple[Operand, ...] = (first, stop, Const(None))
            if stacks or is_number:
                place = (Const(number) if stacks else start,)
            found.append((item, functools.partial(_piece, whole, place, axis, to)))
        start = stop
    return found


def _piece(whole: Operand, place: tuple[Operand, ...], axis: int, to: Writer) -> Bar:
    """``whole[:, first:stop]`` or ``whole[:, number]``, with as many colons as there are axes
    before this one.
    """
    every = [to.call(Prim("slice"), *[Const(None)] * 3) for _ in range(axis)]
    own = place[0] if len(place) == 1 else to.call(Prim("slice"), *place)
    index = to.call(Prim("tuple"), *every, own) if every else own
    return Bar(to.call(Prim("getitem"), whole, index), thin=False)


def _axis(what: Applied, sweep: Sweep) -> tuple[bool, int, int]:
    """Is there a new axis, which one it is, and how many axes the result has."""
    knowledge = sweep.facts.knowledge
    items = knowledge.items(what.args[0]) or ()
    rank = knowledge.kind_of(items[0]).rank or 0
    if what.fn in (np.vstack, np.column_stack):
        axis = 0 if what.fn is np.vstack else 1
        return rank == 1, axis, max(rank, 2)
    if what.fn is np.dstack:
        return rank == 2, 2, 3
    if what.fn is np.hstack:
        rank = max(rank, 1)
        return False, min(rank - 1, 1), rank
    stacks = what.fn in (np.stack, np.array)
    given = bound(signature_of("arrays, axis=0"), what.args, what.keywords, knowledge)
    assert given is not None
    axes = literal_axes(given, rank + stacks)
    assert axes is not None
    return stacks, axes[0], rank + stacks


# --- einsum


EINSUM = Ref("numpy", "einsum")
FITTED = Ref("astad.rules.numpy.einsum", "fitted")


def parts_of_einsum(
    node: Call, what: Applied, bar: Bar, sweep: Sweep, to: Writer
) -> list[tuple[str, Callable[[], Bar]]]:
    """Each active operand and its part."""
    rule = lookup(what.fn)
    assert rule is not None
    given = given_to_rule(what, rule, sweep.facts.knowledge)
    assert given is not None
    found = letters(given)
    assert found is not None
    optimize = given.literal("optimize") is True
    operands = given.operands["operands"]
    return [
        (
            operand,
            functools.partial(_einsum_part, node, at, operands, found, optimize, bar, sweep, to),
        )
        for at, operand in enumerate(operands)
        if isinstance(operand, str) and sweep.facts.is_active(operand)
    ]


def _einsum_part(
    node: Call,
    at: int,
    operands: tuple[Operand, ...],
    found: tuple[list[str], str],
    optimize: bool,
    bar: Bar,
    sweep: Sweep,
    to: Writer,
) -> Bar:
    terms, out = found
    whole = bar.full(node, sweep, to)
    names = [other for other in range(len(operands)) if other != at]
    others = [kept(operands[other], node, sweep, to, after=False) for other in names]
    matrices = as_matmul(out, terms[names[0]], terms[at]) if len(names) == 1 else None
    if matrices is not None:
        part = write(Expression(matrices, {"a": whole, "b": others[0]}, {}), to)
    else:
        text = ",".join([out, *(terms[other] for other in names)]) + f"->{terms[at]}"
        words: dict[str, Operand] = {"optimize": Const(True)} if optimize else {}
        part = to.call(EINSUM, Const(text), whole, *others, **words)
    shape = shape_of(operands[at], node, sweep, to, after=False)
    return Bar(to.call(FITTED, part, shape), thin=False)


def as_matmul(first: str, second: str, out: str) -> str | None:
    """A sum over one letter as a product of the matrices or vectors a and b. None where it is
    none.
    """
    summed = set(first) & set(second)
    if len(summed) != 1 or summed & set(out) or max(len(first), len(second)) > 2:
        return None
    if set(first) ^ set(second) != set(out) or not out:
        return None
    pairs = [(first, "a"), (second, "b")]
    if out[0] in second if len(out) == 2 else first in summed:
        pairs.reverse()
    (left, a), (right, b) = pairs
    by_left = ".T" if len(left) == 2 and left[1] not in summed else ""
    by_right = ".T" if len(right) == 2 and right[0] not in summed else ""
    return f"{a}{by_left} @ {b}{by_right}"


# --- displays


def give_elements(node: Call, bar: Operand, sweep: Sweep, out: list[Node]) -> None:
    """``t = [a, b]``: the cotangent of t is a list, of which each element has its part.

    What has no cotangent yet is bound to its part as the list is taken apart.
    """
    bars = sweep.bars
    targets: list[str] = []
    later: list[tuple[str, str]] = []
    for arg in node.args:
        if not isinstance(arg, str) or arg not in sweep.facts.active:
            targets.append(sweep.unused)
        elif arg in bars.state or bars.name(arg) in targets:
            targets.append(sweep.names.numbered("t"))
            later.append((arg, targets[-1]))
        else:
            targets.append(bars.name(arg))
    out.append(Bind(tuple(targets), bar, node.line))  # type: ignore[arg-type]
    if sweep.facts.kind_of(str(node.target)).tag == "complex list":
        reals = _real_parts(node, targets, sweep, out)
        later = [(arg, reals.get(target, target)) for arg, target in later]
    bars.state.update(
        (arg, "live")
        for arg, target in zip(node.args, targets, strict=True)
        if isinstance(arg, str) and target == bars.name(arg)
    )
    for arg, target in later:
        bars.give(arg, target, node.line, out)


REAL_ITEMS = Ref("astad.tangents.lists", "real_items")


def _real_parts(node: Call, targets: list[str], sweep: Sweep, out: list[Node]) -> dict[str, str]:
    """Of a display with complex numbers in it: a real one, and a row of such, has the real part of
    its cotangent. The new names of those that have no name of a cotangent yet.
    """
    found: dict[str, str] = {}
    to = Writer(sweep.names, out, node.line)
    for arg, target in zip(node.args, targets, strict=True):
        kind = sweep.facts.kind_of(arg)
        if target == sweep.unused or k.is_complex(kind) or kind.tag == "complex list":
            continue
        if k.is_real(kind):
            part = to.call(Prim("getattr"), target, Const("real"))
        else:
            part = to.call(REAL_ITEMS, target)
        if target == sweep.bars.name(str(arg)):
            out.append(Bind(target, part, node.line))
        else:
            found[target] = part
    return found
