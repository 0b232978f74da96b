"""Which arrays have one shape, followed through the text with symbols for lengths.

In ``t = 2.0 * x; y = t - x[1:]`` t has the shape of x, and x[1:] has another. What is found holds
where the statements run: names that a loop binds anew have lengths of their own in each iteration.

Lengths of what one statement gives, from those of its operands.

A value is the lengths of an array, the length that an int stands for, the items of a tuple, a
slice, or nothing known.

Lengths of axes: a number, or a symbol for one that nobody knows.

Two axes with the same symbol are equally long. What has run tells more: after ``a @ b`` the inner
lengths are equal; ``s[1]`` tells that s has two elements at least, so that ``s + np.array([x, y])``
tells that it has two.

>>> lengths = Lengths()
>>> n, m = lengths.new(), lengths.new()
>>> lengths.less(lengths.less(n, 1), 1) == lengths.less(n, 2)
True
>>> lengths.broadcast([(n,), (1,)]) == (n,), lengths.broadcast([(n,), (m,)]) == (n,)
(True, False)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, applied
from astad.compiler.analysis.displays import find_fixed_lists
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.given import OPEN, Given
from astad.compiler.analysis.result_kinds import told
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
    Try,
    While,
    immutable,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.compiler.ir.walk import bound_inside, falls_through
from astad.slotted import dataclass, field

__all__ = ["Extents", "find_extents"]

# --- lengths of axes


@immutable
class _Symbol:
    number: int


Dim = int | _Symbol
Dims = tuple[Dim, ...]


class Lengths:
    """The symbols, and what the statements so far have told of them."""

    def __init__(self) -> None:
        self.count = 0
        self.made: dict[Hashable, _Symbol] = {}
        self.same: dict[_Symbol, Dim] = {}
        self.least: dict[_Symbol, int] = {}
        self.shorter: dict[_Symbol, tuple[Dim, int]] = {}

    def new(self) -> _Symbol:
        self.count += 1
        return _Symbol(self.count)

    def fresh(self, rank: int) -> Dims:
        return tuple(self.new() for _ in range(rank))

    def find(self, dim: Dim) -> Dim:
        """What stands for all that are equal to it."""
        while isinstance(dim, _Symbol) and dim in self.same:
            dim = self.same[dim]
        return dim

    def find_all(self, dims: Dims) -> Dims:
        return tuple(self.find(dim) for dim in dims)

    def of(self, *key: Hashable) -> _Symbol:
        """The same symbol whenever the same is computed from the same."""
        if key not in self.made:
            self.made[key] = self.new()
        return self.made[key]

    def less(self, dim: Dim, number: int) -> Dim:
        """The length without so many elements, 0 if there are fewer."""
        dim = self.find(dim)
        if isinstance(dim, int):
            return max(dim - number, 0)
        if not number:
            return dim
        base, gone = self.shorter.get(dim, (dim, 0))
        made = self.of("less", base, gone + number)
        self.shorter[made] = (base, gone + number)
        return made

    # -- what has run tells

    def is_at_least(self, dim: Dim, number: int) -> None:
        dim = self.find(dim)
        if isinstance(dim, _Symbol):
            self.least[dim] = max(self.least.get(dim, 0), number)

    def are_equal(self, a: Dim, b: Dim) -> None:
        a, b = self.find(a), self.find(b)
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, _Symbol) and a != b:
            self.is_at_least(b, self.least.get(a, 0))
            self.same[a] = b

    def broadcast(self, shapes: Sequence[Dims]) -> Dims:
        """The shape of what an operation on arrays of these shapes gives."""
        rank = max(len(shape) for shape in shapes)
        out: list[Dim] = [1] * rank
        for shape in shapes:
            for at, dim in enumerate(shape, rank - len(shape)):
                out[at] = self._together(out[at], self.find(dim))
        return tuple(out)

    def _together(self, a: Dim, b: Dim) -> Dim:
        a = self.find(a)
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        if self._is_long(a) and self._is_long(b):
            self.are_equal(a, b)
            return self.find(a)
        known = [dim for dim in (a, b) if isinstance(dim, int) and dim > 1]
        if known:
            return known[0]  # the other is as long, or of length 1
        return self.of("broadcast", frozenset([a, b]))

    def _is_long(self, dim: Dim) -> bool:
        """Is it certain not to be 1?"""
        return dim != 1 if isinstance(dim, int) else self.least.get(dim, 0) > 1

    def learned(self) -> tuple[dict[_Symbol, Dim], dict[_Symbol, int]]:
        """What has been told so far, to be handed to `forget`."""
        return dict(self.same), dict(self.least)

    def forget(self, learned: tuple[dict[_Symbol, Dim], dict[_Symbol, int]]) -> None:
        """Know no more than at that time."""
        self.same, self.least = dict(learned[0]), dict(learned[1])


# --- what one statement gives


@immutable
class Items:
    """Of a tuple or a list."""

    values: tuple[Any, ...]  # Any: a value


@immutable
class Slice:
    start: Any  # a value
    stop: Any
    step: Any


NONE = "None"
"""What the literal stands for; a value that is not known is None."""
Value = Dims | Dim | Items | Slice | str | None
Env = Mapping[str, Value]

OPERATORS = {name: getattr(operator, name) for name in (*BINARY, *UNARY, *COMPARE)}
APPLIED = {*OPERATORS, "method", "getattr"}


def may_reshape(node: Node, facts: Facts) -> bool:
    """May somebody give an array another shape in place here, or leave half-way and go on?

    Of a program without dispatched statements: the others are known to leave shapes alone, but
    callees are not looked into.
    """
    return isinstance(node, Try) or id(node) in facts.callees


class Rules:
    """What each operation gives; what it tells goes into ``lengths``. ``fixed`` are lists that keep
    the items of their display.
    """

    def __init__(self, facts: Facts, lengths: Lengths, fixed: Set[str] = frozenset()) -> None:
        self.facts = facts
        self.lengths = lengths
        self.fixed = fixed

    def value(self, operand: Operand | Star, env: Env) -> Value:
        if isinstance(operand, Const):
            return _constant(operand.value)
        value = env.get(operand) if isinstance(operand, str) else None
        is_int = value is None and self.facts.kind_of(operand) == k.INT
        return self.lengths.new() if is_int else value

    def result(self, node: Call, env: Env) -> Value:
        """None where nothing is known."""
        if isinstance(node.fn, Prim):
            args = [self.value(arg, env) for arg in node.args]
            own = self._of_language(node, node.fn.name, args)
            if own is not None or node.fn.name not in APPLIED:
                return own
        what = applied(node, self.facts.known)
        if what is None:
            return None
        return self._applied(what, [self.value(arg, env) for arg in what.args], env)

    # -- the language

    def _of_language(self, node: Call, name: str, args: Sequence[Value]) -> Value:
        if name == "slice":
            return Slice(*args)
        if name == "tuple" or (name == "list" and node.target in self.fixed):
            return Items(tuple(args))
        if name == "unpack":
            return self._unpacked(node, args[0])
        if name == "getattr" and isinstance(node.args[1], Const):
            return self._attribute(node.args[1].value, args[0])
        if name == "getitem":
            is_mask = self.facts.kind_of(node.args[1]).tag == "bools"
            return None if is_mask else self._item(args[0], args[1])
        if name in IN_PLACE:
            return args[0] if isinstance(args[0], tuple) else None
        return self._number(name, args)

    def _unpacked(self, node: Call, value: Value) -> Value:
        count = node.args[1].value if isinstance(node.args[1], Const) else None
        if isinstance(value, tuple) and isinstance(count, int):  # with a star it is dispatched
            self.lengths.are_equal(value[0], count)
        return value if isinstance(value, Items) else None

    def _attribute(self, name: object, value: Value) -> Value:
        if not isinstance(value, tuple):
            return None
        if name == "shape":
            return Items(value)
        return value[0] if name == "size" and len(value) == 1 else None

    def _number(self, name: str, args: Sequence[Value]) -> Value:
        """The same symbol for what is computed from the same ints."""
        if name not in ("add", "sub", "mul", "floordiv") or not all(map(_is_length, args)):
            return None
        found = [self.lengths.find(arg) for arg in args]  # type: ignore[arg-type]
        return self.lengths.of(name, *found)

    # -- subscripts

    def _item(self, value: Value, index: Value) -> Value:
        if isinstance(value, Items):
            is_known = isinstance(index, int) and -len(value.values) <= index < len(value.values)
            return value.values[index] if is_known else None  # type: ignore[index]
        if not isinstance(value, tuple):
            return None
        parts = index.values if isinstance(index, Items) else (index,)
        taken = [at for at, part in enumerate(parts) if isinstance(part, tuple)]
        if len(taken) > 1:
            return None  # several arrays of ints
        left, out = list(value), list[Dim]()
        for part in parts:
            if part == NONE:
                out.append(1)
                continue
            if not (isinstance(part, (Slice, tuple)) or _is_length(part)):
                return None
            length = left.pop(0)
            if isinstance(part, tuple) and not _goes_first(parts, taken[0]):
                out += part
            elif isinstance(part, Slice):
                out.append(self._sliced(length, part))
            elif isinstance(part, int):
                self.lengths.is_at_least(length, part + 1 if part >= 0 else -part)
        first = parts[taken[0]] if taken and _goes_first(parts, taken[0]) else ()
        return (*first, *out, *left)

    def _sliced(self, length: Dim, part: Slice) -> Dim:
        start = 0 if part.start == NONE else part.start
        stop = 0 if part.stop == NONE else part.stop
        if part.step in (NONE, 1) and type(start) is type(stop) is int and start >= 0 >= stop:
            if part.stop == NONE or stop:
                return self.lengths.less(length, start - stop)
            return 0
        parts = (part.start, part.stop, part.step)
        if not all(each == NONE or _is_length(each) for each in parts):
            return self.lengths.new()
        return self.lengths.of("slice", self.lengths.find(length), *parts)

    # -- functions

    def _applied(self, what: Applied, args: Sequence[Value], env: Env) -> Value:
        fn, first = what.fn, args[0] if args else None
        if fn is len:
            return first[0] if isinstance(first, tuple) and first else None
        claim = told(fn, what.args, what.keywords, self.facts.knowledge)
        if claim is not None and claim[0] in SHAPES:
            word, given = claim
            return SHAPES[word](self, given, lambda name: self._operand(given, name, env))
        is_elementwise = isinstance(fn, np.ufunc) or fn in OPERATORS.values()
        return self.elementwise(what.args, args) if is_elementwise and not what.keywords else None

    def _operand(self, given: Given, name: str, env: Env) -> Value:
        operand = given.operands.get(name)
        if isinstance(operand, tuple):
            return Items(tuple(self.value(part, env) for part in operand))
        return None if operand is None else self.value(operand, env)

    def elementwise(self, operands: Sequence[Operand], args: Sequence[Value]) -> Value:
        shapes = [arg for arg in args if isinstance(arg, tuple)]
        kinds = [self.facts.kind_of(operand) for operand in operands]
        plain = all(
            k.is_real(kind) or kind == k.BOOL or isinstance(arg, tuple)
            for kind, arg in zip(kinds, args, strict=True)
        )
        return self.lengths.broadcast(shapes) if shapes and plain else None


def _constant(value: object) -> Value:
    if value is None:
        return NONE
    if isinstance(value, tuple):
        return Items(tuple(map(_constant, value)))
    return value if type(value) is int else None


def _is_length(value: object) -> bool:
    return value is not None and not isinstance(value, (tuple, str, Items, Slice))


def _length_or_lengths(value: Value) -> Value:
    """Of an array made in the shape that the value is."""
    if _is_length(value):
        return (value,)  # type: ignore[return-value]
    known = isinstance(value, Items) and all(map(_is_length, value.values))
    return value.values if known and isinstance(value, Items) else None


def _of_display(value: Value) -> Value:
    """Of an array made of a display; where its items are numbers, the kinds tell."""
    if not isinstance(value, Items):
        return None
    inner = {len(item.values) if isinstance(item, Items) else -1 for item in value.values}
    if len(inner) != 1:
        return None
    return (len(value.values), *(inner - {-1}))


def _goes_first(parts: Sequence[Value], at: int) -> bool:
    """Are the axes of the array of ints at this place in a subscript the first of the result?

    They are where a slice or a new axis stands between the array and an int, which is spread to
    the shape of the array: ``x[0, :, i]``, but neither ``x[:, 0, i]`` nor ``x[:, i]``.
    """
    spread = [place for place, part in enumerate(parts) if _is_length(part) or place == at]
    return spread[-1] - spread[0] >= len(spread)


# --- shapes by the words in which the rows claim what a function gives

Operands = Callable[[str], Value]
"""The value of the operand that a word has under a name."""


def _same(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    return a if isinstance(a, tuple) else _of_display(a)


def _like(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    return a if isinstance(a, tuple) and not given.has("shape") else None


def _made(rules: Rules, given: Given, value: Operands) -> Value:
    return _length_or_lengths(value("shape"))


def _matrix(rules: Rules, given: Given, value: Operands) -> Value:
    n = value("n")
    return (n, n) if _is_length(n) and not given.has("m") else None  # type: ignore[return-value]


def _stacked(rules: Rules, given: Given, value: Operands) -> Value:
    return None if given.has("axis") else _of_display(value("arrays"))


def _gathered(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("arrays")
    return a if isinstance(a, tuple) else _of_display(a)


def _reduced(rules: Rules, given: Given, value: Operands) -> Value:
    dims, number, keep = value("a"), given.literal("axis"), given.literal("keepdims")
    axes = number if isinstance(number, tuple) else (number,)
    is_known = number is not OPEN and all(type(each) is int for each in axes)
    if not isinstance(dims, tuple) or not is_known:
        return None
    gone = {each % len(dims) for each in axes}
    if keep:
        return tuple(1 if at in gone else dim for at, dim in enumerate(dims))
    return tuple(dim for at, dim in enumerate(dims) if at not in gone)


def _product(rules: Rules, given: Given, value: Operands) -> Value:
    a, b = value("a"), value("b")
    if not (isinstance(a, tuple) and isinstance(b, tuple) and {len(a), len(b)} <= {1, 2}):
        return None
    rules.lengths.are_equal(a[-1], b[0])
    return (*a[:-1], *b[1:])


def _chosen(rules: Rules, given: Given, value: Operands) -> Value:
    return rules.elementwise([*given.operands.values()], [*map(value, given.operands)])


def _solution(rules: Rules, given: Given, value: Operands) -> Value:
    a, b = value("a"), value("b")
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return None
    rules.lengths.are_equal(a[0], a[1])
    rules.lengths.are_equal(a[0], b[0])
    return b


def _squares(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    if isinstance(a, tuple):
        rules.lengths.are_equal(a[-1], a[-2])
    return a if isinstance(a, tuple) else None


def _transposed(rules: Rules, given: Given, value: Operands) -> Value:
    a = value("a")
    return a[::-1] if isinstance(a, tuple) and given.literal("axes") in (None, ()) else None


def _swapped(rules: Rules, given: Given, value: Operands) -> Value:
    dims, first, second = value("a"), value("axis1"), value("axis2")
    if not isinstance(dims, tuple) or not isinstance(first, int) or not isinstance(second, int):
        return None
    if not {first, second} <= set(range(-len(dims), len(dims))):
        return None
    out = list(dims)
    out[first], out[second] = out[second], out[first]
    return tuple(out)


SHAPES: dict[str, Callable[[Rules, Given, Operands], Value]] = {
    "averaged": _reduced, "beside": _same, "chosen": _chosen, "extreme": _reduced,
    "gathered": _gathered, "like": _like, "made": _made, "matrix": _matrix, "moved": _same,
    "product": _product, "reduced": _reduced, "same": _same, "solution": _solution,
    "squares": _squares, "stacked": _stacked, "summed": _reduced, "swapped": _swapped,
    "transposed": _transposed, "triangle": _same,
}  # fmt: skip


@dataclass(slots=True)
class Extents:
    """``at`` has, by ``id`` of the statement, the lengths of its arrays: of operands before it, of
    the result after it; ``whole`` the parameters that keep their arrays, by lengths; ``final`` the
    lengths of names that one statement binds, and of parameters.
    """

    at: dict[int, Mapping[tuple[str, bool], Dims]] = field(default_factory=dict)
    whole: dict[Dims, str] = field(default_factory=dict)
    final: dict[str, Dims] = field(default_factory=dict)

    def of(self, node: object, name: str, *, after: bool = False) -> Dims | None:
        return self.at.get(id(node), {}).get((name, after))

    def are_one(self, node: object, names: Iterable[str]) -> bool:
        """Have these operands the same shape for certain?"""
        found = {self.of(node, name) for name in names}
        return len(found) == 1 and None not in found

    def repeated(self, node: Call, name: str) -> tuple[int, ...] | None:
        """Axes of the result along which this operand is repeated; None where nothing tells.

        An axis of the operand that has length 1 is repeated unless the result's has too: to sum
        along it does no harm.
        """
        whole = self.of(node, str(node.target), after=True)
        own = self.of(node, name)
        if whole is None or own is None:
            return None
        lacks = len(whole) - len(own)
        pairs = list(zip(own, whole[lacks:], strict=True))
        if any(a not in (b, 1) for a, b in pairs):
            return None
        return (*range(lacks), *(at for at, (a, b) in enumerate(pairs, lacks) if a != b))


def find_extents(program: Program, facts: Facts) -> Extents:
    """Of a program in which nobody gives an array another shape in place."""
    kinds = facts.kind.values()
    if facts.dispatches or not any(map(k.is_array, kinds)):
        return Extents()
    if any(may_reshape(node, facts) for node in outline(program).nodes):
        return Extents()
    walker = _Walker(facts, find_fixed_lists(program, facts.known))
    times = outline(program).bound
    params = {param.name for param in program.params}
    for param in program.params:
        kind = facts.kind_of(param.name)
        if k.has_axes(kind) and kind.rank:
            dims = walker.lengths.fresh(kind.rank)
            walker.env[param.name] = dims
            if param.name not in times:
                walker.found.whole[dims] = param.name
        elif kind == k.INT:
            walker.env[param.name] = walker.lengths.new()
    walker.block(program.body)
    for name in walker.env:
        found = walker.dims(name)
        if found is not None and times[name] == (name not in params):
            walker.found.final[name] = found
    return walker.found


class _Walker:
    """``env`` has what is known of the names where the walk stands, ``bound`` what each name that
    the loop at hand binds has been bound to.
    """

    def __init__(self, facts: Facts, fixed: Set[str]) -> None:
        self.facts = facts
        self.lengths = Lengths()
        self.rules = Rules(facts, self.lengths, fixed)
        self.env: dict[str, Value] = {}
        self.found = Extents()
        self.bound: list[dict[str, set[Value]]] = []

    def block(self, body: Block) -> None:
        for node in body:
            if isinstance(node, Call):
                self._call(node)
            elif isinstance(node, Bind):
                self._bind(node.target, self.rules.value(node.source, self.env))
            elif isinstance(node, Branch):
                self._branch(node)
            elif isinstance(node, (Loop, While)):
                self._loop(node)

    def _call(self, node: Call) -> None:
        value = self.rules.result(node, self.env)
        self._note(node, after=False)
        if isinstance(node.target, str):
            self._bind(node.target, value)
            self._note(node, after=True)

    def _note(self, node: Call, *, after: bool) -> None:
        """The statement has run: what it tells holds of its operands as well."""
        names = [node.target] if after else node.read
        at = dict(self.found.at.get(id(node), {})) if after else {}
        for name in names:
            dims = self.dims(str(name))
            if dims is not None:
                at[str(name), after] = dims
        if at:
            self.found.at[id(node)] = at

    def dims(self, name: str) -> Dims | None:
        value = self.env.get(name)
        if not k.has_axes(self.facts.kind_of(name)) or not isinstance(value, tuple):
            return None
        return self.lengths.find_all(value)

    def _bind(self, name: str, value: Value) -> None:
        kind = self.facts.kind_of(name)
        if k.has_axes(kind) and (not isinstance(value, tuple) or len(value) != kind.rank):
            value = self.lengths.fresh(kind.rank) if kind.rank else None
        self.env[name] = value
        for names in self.bound:
            if name in names:
                names[name].add(self._settled(value))

    def _settled(self, value: Value) -> Value:
        return self.lengths.find_all(value) if isinstance(value, tuple) else value

    def _branch(self, node: Branch) -> None:
        start, learned = self.env, self.lengths.learned()
        ends = []
        for arm in (node.body, node.orelse):
            self.env = dict(start)
            self.block(arm)
            if falls_through(arm):
                ends.append(self.env)
            self.lengths.forget(learned)
        self.env = ends[0] if ends else dict(start)
        for name in bound_inside(node):
            if len(ends) == 2 and ends[0].get(name) != ends[1].get(name):
                self._renew(name)

    def _renew(self, name: str) -> None:
        kind = self.facts.kind_of(name)
        is_known = k.has_axes(kind) and kind.rank
        self.env[name] = self.lengths.fresh(kind.rank or 0) if is_known else None

    def _loop(self, node: Loop | While) -> None:
        """A name keeps its lengths where every statement of the loop that binds it gives it
        the same again.
        """
        changed = bound_inside(node)
        start, learned = dict(self.env), self.lengths.learned()
        before = sorted(name for name in changed if self.env.get(name) is not None)
        loose: set[str] = set()
        while True:
            self.env = {name: value for name, value in start.items() if name not in changed}
            for name in before:
                self.env[name] = start[name]
                if name in loose:
                    self._renew(name)
            moved = self._moved(node, {name: self.env[name] for name in before}) - loose
            self.lengths.forget(learned)
            if not moved:
                break
            loose |= moved
        self.env = start
        for name in sorted(changed):
            if name in loose or name not in before:
                self._renew(name)
        self.block(node.orelse)
        for name in bound_inside(*node.orelse):
            self._renew(name)  # it does not run after a break
        self.lengths.forget(learned)

    def _moved(self, node: Loop | While, head: Mapping[str, Value]) -> set[str]:
        """Names that an iteration gives other lengths than they have at its head."""
        self.bound.append({name: set() for name in head})
        self._target(node)
        self.block((*node.head, *node.body) if isinstance(node, While) else node.body)
        found = self.bound.pop()
        return {
            name
            for name, value in head.items()
            if {self._settled(each) for each in found[name]} - {self._settled(value)}
        }

    def _target(self, node: Loop | While) -> None:
        """A row of an array, or something else."""
        if isinstance(node, Loop) and isinstance(node.target, str):
            rows = self.dims(str(node.iterable))
            self._bind(node.target, rows[1:] if rows else None)
