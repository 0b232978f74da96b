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
(('', 'T', False), ('', 'T', True), None)

Reverse of displays from which an array is made: the array's cotangent, element by element.

Short formulas for arrays of known rank; the general rules look at shapes.

>>> from astad.compiler.analysis.given import Knowledge, bound, signature_of
>>> from astad.compiler.ir import kinds as k
>>> from astad.compiler.ir.nodes import Const
>>> matrix = Knowledge(lambda operand: k.array(2), {}, {})
>>> signature = signature_of("a, axis=None, *, keepdims=False")
>>> given = bound(signature, ("x",), (("axis", Const(1)),), matrix)
>>> array_formulas(np.sum, given)
{'a': Formula(text='y_bar[:, None]', thin=True, takes_thin=False)}
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, given_to_rule
from astad.compiler.analysis.given import Given, bound, literal_axes, rank_of, signature_of
from astad.compiler.analysis.vocabulary import letters
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Prim, Ref, immutable
from astad.compiler.reverse_mode.bars import NONE
from astad.compiler.reverse_mode.formulas import Writer, asked_of, write
from astad.compiler.reverse_mode.sweep import Sweep, kept, shape_of
from astad.originals import builtins
from astad.rules.crossed import crossed
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


def array_formulas(fn: Any, given: Given) -> Formulas:
    """By parameter of the rule; None where the general rule serves."""
    make = _TABLE.get(id(fn))
    return make(given) if make is not None else None


PRODUCTS = {
    (2, 2): ("y_bar @ b.T", "a.T @ y_bar"),
    (1, 2): ("b @ y_bar", "np.multiply.outer(a, y_bar)"),
    (2, 1): ("np.multiply.outer(y_bar, b)", "y_bar @ a"),
    (1, 1): ("y_bar * b", "y_bar * a"),
}
"""Ranks of ``a @ b`` to the cotangents of a and of b; from ``d(ab) = da b + a db``."""


def _product_text(given: Given) -> Formulas:
    texts = PRODUCTS.get((rank_of(given, "a") or 0, rank_of(given, "b") or 0))
    return texts and {"a": Formula(texts[0]), "b": Formula(texts[1])}


def _outer(given: Given) -> Formulas:
    if rank_of(given, "a") != 1 or rank_of(given, "b") != 1:
        return None
    return {"a": Formula("y_bar @ b"), "b": Formula("a @ y_bar")}


def _cross(given: Given) -> Formulas:
    """Of two vectors; of rank 1 a written result is one with three entries."""
    if rank_of(given, "a") != 1 or rank_of(given, "b") != 1:
        return None
    return {"a": Formula("crossed(b, y_bar)"), "b": Formula("crossed(y_bar, a)")}


def _is_default(given: Given, *names: str) -> bool:
    return not any(given.has(name) for name in names)


def _spread(given: Given, part: str) -> Formulas:
    """The cotangent of a sum, with the axes it lacks where broadcasting does not add them."""
    rank, axis = rank_of(given), given.literal("axis")
    if rank is None or not _is_default(given, "dtype", "out", "initial", "where"):
        return None
    axes = tuple(range(rank)) if axis is None else literal_axes(given, rank)
    if axes is None:
        return None  # no program is known: a sum of a known kind has literal axes
    if given.literal("keepdims") or axes == tuple(range(len(axes))):
        return {"a": Formula(part, thin=True, takes_thin=True)}
    index = ", ".join("None" if at in axes else ":" for at in range(rank))
    return {"a": Formula(part.replace("y_bar", f"y_bar[{index}]"), thin=True)}


def _sum(given: Given) -> Formulas:
    return _spread(given, "y_bar")


MEAN = "y_bar / max(a.size, 1)"


def _mean(given: Given) -> Formulas:
    rank, axis = rank_of(given), given.literal("axis")
    if axis is None:
        return _spread(given, MEAN)
    axes = literal_axes(given, rank) if rank else None
    if not axes:
        return None
    count = " * ".join(f"a.shape[{each}]" for each in axes)
    return _spread(given, f"y_bar / max({count}, 1)")


def _trace(given: Given) -> Formulas:
    plain = rank_of(given) == 2 and _is_default(given, "offset", "axis1", "axis2", "dtype", "out")
    return {"a": Formula("y_bar * np.eye(a.shape[0], a.shape[1])")} if plain else None


def _reshaped(given: Given) -> Formulas:
    plain = given.literal("order") == "C" and _is_default(given, "copy")
    return {"a": Formula("y_bar.reshape(a.shape)")} if plain else None


def _back_in_shape(given: Given) -> Formulas:
    return {"a": Formula("y_bar.reshape(a.shape)")}


def _transposed(given: Given) -> Formulas:
    return {"a": Formula("y_bar.T")} if given.literal("axes") in (None, ()) else None


def _swapped(given: Given) -> Formulas:
    return {"a": Formula("y_bar.swapaxes(axis1, axis2)")}


def _same(given: Given) -> Formulas:
    plain = _is_default(given, "dtype")
    return {"a": Formula("y_bar", thin=True, takes_thin=True)} if plain else None


_TABLE: dict[int, Callable[[Given], Formulas]] = {}


def _enter(make: Callable[[Given], Formulas], *functions: Any) -> None:
    for fn in functions:
        _TABLE[id(fn)] = make


_enter(_product_text, operator.matmul, np.dot, np.ndarray.dot)
_enter(_outer, np.outer)
_enter(_cross, np.cross, np.linalg.cross)
_enter(_sum, np.sum, np.ndarray.sum)
_enter(_mean, np.mean, np.ndarray.mean)
_enter(_trace, np.trace, np.ndarray.trace)
_enter(_reshaped, np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ndarray.flatten)
_enter(_back_in_shape, np.expand_dims, np.squeeze, np.ndarray.squeeze)
_enter(_transposed, np.transpose, np.ndarray.transpose)
_enter(_swapped, np.swapaxes, np.ndarray.swapaxes)
_enter(_same, np.copy, np.ndarray.copy)


TOTAL = Ref("astad.runtime.dispatch", "total")
FULL = Ref("astad.tangents.arrays", "full")
NO_VALUE = Ref("numpy", "_NoValue")
SHORT = {"np": np, "max": max, "crossed": crossed}
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
        if not self.thin or not k.is_array(sweep.facts.kind_of(str(node.target))):
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
    short = array_formulas(what.fn, _by_short_names(given))
    to.made = {}  # what two parts read is computed once
    found: list[tuple[str, Callable[[], Bar]]] = []
    for name, operand in given.operands.items():
        if isinstance(operand, str) and sweep.facts.is_active(operand) and name in rule.back:
            formula = (short or {}).get(SHORT_NAMES.get(name, name))
            if formula is None:
                formula, values = Formula(rule.back[name].strip()), given
                namespace = {**_BUILTINS, **rule.globals_of(formula.text), "__name__": rule.home}
            else:
                values, namespace = _by_short_names(given), SHORT
            part = functools.partial(_part, node, formula, values, namespace, bar, sweep, to)
            found.append((operand, part))
    return found


SHORT_NAMES = {"x1": "a", "x2": "b"}


def _by_short_names(given: Given) -> Given:
    """With the operands of a product called a and b."""
    operands = {SHORT_NAMES.get(name, name): value for name, value in given.operands.items()}
    return Given(operands, given.defaults, given.knowledge)


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
    found = write(formula.text, values, namespace, to)
    size = sweep.bars.sizes.get(str(incoming))
    if size is not None and formula.text == MEAN:
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
        if isinstance(operand, str | Const) and name in by_shape:
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
        part = _product((whole, others[0]), matrices, to)
    else:
        text = ",".join([out, *(terms[other] for other in names)]) + f"->{terms[at]}"
        words: dict[str, Operand] = {"optimize": Const(True)} if optimize else {}
        part = to.call(EINSUM, Const(text), whole, *others, **words)
    shape = shape_of(operands[at], node, sweep, to, after=False)
    return Bar(to.call(FITTED, part, shape), thin=False)


def _product(operands: tuple[Operand, Operand], how: tuple[str, str, bool], to: Writer) -> Operand:
    turned = [
        to.call(Prim("getattr"), operand, Const("T")) if transpose else operand
        for operand, transpose in zip(operands, how, strict=False)
    ]
    return to.call(Prim("matmul"), *(turned[::-1] if how[2] else turned))


def as_matmul(first: str, second: str, out: str) -> tuple[str, str, bool] | None:
    """How a sum over one letter is a product of matrices or vectors: 'T' for each that is
    transposed, and whether they change places. None where it is none.
    """
    summed = set(first) & set(second)
    if len(summed) != 1 or summed & set(out) or max(len(first), len(second)) > 2:
        return None
    if set(first) ^ set(second) != set(out) or not out:
        return None
    changes = out[0] in second if len(out) == 2 else first in summed
    left, right = (second, first) if changes else (first, second)
    by_left = "T" if len(left) == 2 and left[1] not in summed else ""
    by_right = "T" if len(right) == 2 and right[0] not in summed else ""
    return (by_right, by_left, True) if changes else (by_left, by_right, False)


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
    bars.state.update(
        (arg, "live")
        for arg, target in zip(node.args, targets, strict=True)
        if isinstance(arg, str) and target == bars.name(arg)
    )
    for arg, target in later:
        bars.give(arg, target, node.line, out)
