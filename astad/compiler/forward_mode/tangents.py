"""Forward mode: a program of which everything is known becomes one that carries tangents along.

Beside each name that moves stands its tangent, ``y_dot`` beside ``y``, bound wherever the name is
bound, so that it is there whenever the name is. What is written in place is written in the tangent
first, since that reads the old values.

>>> from astad.compiler.ir.nodes import Const
>>> ZERO
Const(value=0.0)
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from astad.compiler.analysis.callees import Known
from astad.compiler.analysis.complex_kinds import meets_complex
from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.iterator_recognition import WALK, Leaf
from astad.compiler.analysis.symbolic_shapes import Extents, find_extents
from astad.compiler.analysis.writes import is_update
from astad.compiler.forward_mode.calls import EXPANDED, About, Unwritten, tangent_of_call
from astad.compiler.forward_mode.moved import find_moved
from astad.compiler.ir import kinds as k
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import DISPLAYED, PARTS
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    GENERATED,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Ref,
    Star,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.reverse_mode.formulas import Writer
from astad.slotted import replace

__all__ = ["kind_of_result", "tangent_ref", "to_tangent", "to_value"]

ZERO = Const(0.0)
ADD, GETITEM, LIST, MUL, SETITEM, SLICE, TUPLE = map(
    Prim, ("add", "getitem", "list", "mul", "setitem", "slice", "tuple")
)
ZEROS_LIKE = Ref("numpy", "zeros_like")
ZEROS_OF = Ref("astad.rules.pushed", "zeros_of")
ZIP, LEN, REVERSED = (Ref("builtins", name) for name in ("zip", "len", "reversed"))
NUMPY_FLOAT = Ref("numpy", "float64")
AUGMENT = Prim("augment")
CHANGES = tuple(map(Prim, ("setattr", "delattr", "delitem")))
"""Of objects at run time: nothing else knows of their tangents."""
NEVER_FAIL = tuple(map(Prim, ("add", "sub", "mul", "neg")))
"""Operations on numbers that raise nothing, and whose results no tangent reads."""
SUMS = ("iadd", "isub")


def tangent_ref(known: Known, many: bool) -> Ref:
    """The form of a callee that carries tangents along."""
    return Ref(GENERATED, f"{known.stem}_tangent" + "s" * many)


def to_tangent(
    program: Program,
    facts: Facts,
    moved: Sequence[str],
    names: Names,
    known: Known | None = None,
    *,
    many: bool = False,
) -> Derived | None:
    """``f_tangent(x, x_dot, n) -> (y, y_dot)``, a tangent behind each parameter that is ``moved``;
    None where something is found only at run time, or has no tangent that can be written.
    ``known``: of a callee, which is called by its name; ``many``: each tangent is an array of
    tangents, along a first axis of its own.
    """
    last = program.body[-1] if program.body else None
    exits = [node for node in outline(program).nodes if type(node) is Exit]
    is_single = sum(node.how == "return" for node in exits) == 1
    result = last.value if type(last) is Exit and is_single else None
    if facts.dispatches or facts.for_debugger or program.free or not isinstance(result, str):
        return None
    if not (k.is_real(facts.kind_of(result)) or k.is_array(facts.kind_of(result))):
        return None
    try:
        writer = _Tangents(program, facts, find_moved(program, facts, result), names)
        if many:
            writer.begin_many(moved[0], program)
        body = writer.held([param.name for param in program.params if param.name not in moved])
        body += writer.block(program.body[:-1])
        assert last is not None
        body += writer.result(result, program, last.line)
    except Unwritten:
        return None
    params: list[str] = []
    for param in program.params:
        params.append(param.name)
        if param.name in moved:
            params.append(writer.name(param.name))
    stem = program.name if program.name.isidentifier() else "lambda_"
    name = f"{stem}_tangent" + "s" * many
    name = names.fresh(name) if known is None else tangent_ref(known, many).name
    made = Function(name, tuple(params), tuple(body))
    called = {
        name: Ref("math", fn.__name__)  # type: ignore[attr-defined]
        for name, fn in facts.known.items()
        if getattr(fn, "__module__", "") == "math"
    }
    return Derived((made,), False, True, program.taken, dict(facts.kind), called)


def to_value(program: Program, facts: Facts, names: Names) -> Derived | None:
    """``f_value(x, c) -> y``: the program itself, which captures nothing any more: what it had
    captured comes behind its arguments.
    """
    if facts.for_debugger or program.free:
        return None
    stem = program.name if program.name.isidentifier() else "lambda_"
    params = tuple(param.name for param in program.params)
    made = Function(names.fresh(f"{stem}_value"), params, program.body)
    return Derived((made,), False, True, program.taken, dict(facts.kind))


def kind_of_result(program: Program, facts: Facts) -> str:
    """Where it ends in one place."""
    exits = [node for node in outline(program).nodes if type(node) is Exit and node.how == "return"]
    value = exits[0].value if len(exits) == 1 else None
    return facts.kind_of(value).text if value is not None else "unknown"


class _Tangents:
    """Writes statement by statement."""

    def __init__(self, program: Program, facts: Facts, moved: Set[str], names: Names) -> None:
        self.facts = facts
        self.moved = moved
        self.names = names
        self.extents: Extents = find_extents(program, facts)
        self.first = ""
        self.dots: dict[str, str] = {}
        self.twins: dict[str, str] = {}
        once = outline(program).once
        self.slices = {
            node.target: node
            for node in outline(program).calls_of("slice")
            if isinstance(node.target, str) and node.target in once
        }
        self.tuples = {
            node.target: node
            for node in outline(program).calls_of("tuple")
            if isinstance(node.target, str) and node.target in once
        }
        written = [node for node in outline(program).calls if self._writes(node)]
        self.writes = bool(written)
        if self.writes and self._looks_through(program):
            raise Unwritten

    def begin_many(self, first: str, program: Program) -> None:
        """Many tangents at once, as many as ``first`` has; of numbers in a loop, where an operation
        on an array takes longer than some on numbers, one after the other is faster.
        """
        self.first = self.name(first)
        loops = [node for node in outline(program).nodes if isinstance(node, (Loop, While))]
        bound = frozenset[str]().union(*[node.all_bound for node in loops])
        if any(k.is_real(self.facts.kind_of(name)) for name in bound & self.moved):
            raise Unwritten

    def _writes(self, node: Call) -> bool:
        is_store = node.fn is SETITEM or is_update(node, self.facts.kind)
        return is_store and node.args[0] in self.moved

    def _looks_through(self, program: Program) -> bool:
        """Is there a view of an array that moves, other than a slice? Whether it shares memory
        depends on how the array lies in memory, and its tangent may lie in another way.
        """
        text = outline(program)
        copied = {
            node.args[0]
            for node in text.calls_of("method")
            if node.args[1] == Const("copy") and text.read[str(node.args[0])] == 1
        }
        return any(
            node.fn is not GETITEM
            and node.target not in copied
            and not self.moved.isdisjoint(self.facts.views[id(node)])
            for node in text.calls
            if self.facts.views.get(id(node))
        )

    def name(self, of: str) -> str:
        if of not in self.dots:
            self.dots[of] = self.names.fresh(f"{of}_dot")
        return self.dots[of]

    def dot(self, operand: Operand | Star) -> str | None:
        """The tangent of what moves."""
        moves = isinstance(operand, str) and operand in self.moved
        return self.name(operand) if moves else None  # type: ignore[arg-type]

    # --- statements

    def held(self, params: Sequence[str]) -> list[Node]:
        """Zeros for parameters that are held, and bound to what moves later."""
        out: list[Node] = []
        for name in params:
            if name in self.moved:
                self._still(name, 0, out)
        return out

    def block(self, block: Block) -> list[Node]:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Call):
                self._call(node, out)
            elif isinstance(node, Bind):
                self._bind(node, out)
            elif isinstance(node, Branch):
                arms = (tuple(self.block(node.body)), tuple(self.block(node.orelse)))
                out.append(Branch(node.test, *arms, node.line))
            elif isinstance(node, While):
                head, body = tuple(self.block(node.head)), tuple(self.block(node.body))
                orelse = tuple(self.block(node.orelse))
                out.append(While(head, node.test, body, orelse, node.line))
            elif isinstance(node, Loop):
                self._loop(node, out)
            elif isinstance(node, Exit) and node.how == "return":
                raise Unwritten
            elif isinstance(node, Exit) or type(node).__name__ == "Raise":
                out.append(node)
            else:
                raise Unwritten
        return out

    def _bind(self, node: Bind, out: list[Node]) -> None:
        out.append(node)
        if node.target in self.moved:
            source = self.dot(node.source)
            if source is None:
                self._still(node.target, node.line, out)
            else:
                out.append(Bind(self.name(node.target), source, node.line))

    def _still(self, name: str, line: int, out: list[Node]) -> None:
        """A name that moves elsewhere is bound to what does not."""
        zero = self._zero(name, Writer(self.names, out, line))
        out.append(Bind(self.name(name), zero, line))

    def _zero(self, operand: Operand, to: Writer) -> Operand:
        kind = self.facts.kind_of(operand)
        if k.is_array(kind) or kind.tag in DISPLAYED:
            given = (self.first, operand) if self.first else (operand,)
            return to.call(ZEROS_OF if self.first else ZEROS_LIKE, *given)
        if isinstance(kind, k.Listing) and k.is_real(kind.item):
            return to.call(MUL, to.call(LIST, ZERO), to.call(LEN, operand))
        if not k.is_real(kind):
            raise Unwritten
        return ZERO

    def _call(self, node: Call, out: list[Node]) -> None:
        treatment = self.facts.treatment[id(node)]
        if treatment == "merged":
            return  # belongs to another statement
        if self.facts.kind_of(str(node.target)).tag in DISPLAYED:
            self._display(node, out)
            return
        made = self.facts.unpackings.get(id(node))
        if made is not None and node is made.whole and self._has_items(node.args[0]):
            self._unpack(node, out)
        elif id(node) in self.facts.augmented and node.fn is not SETITEM:
            out.append(node)  # what is read first, since that may raise: the other is merged
        elif id(node) in self.facts.augmented:
            self._store(node, out)
        elif is_update(node, self.facts.kind) and treatment in ("plain", "inline"):
            self._update(node, out)
        elif treatment == "plain" and self._may_write(node):
            if node.fn is SETITEM:
                self._store(node, out)
            else:
                self._list_written(node, out)
        elif node.fn in CHANGES:
            raise Unwritten
        elif treatment == "plain":
            out.append(node)
            if isinstance(node.target, str) and node.target in self.moved:
                if node.fn is LIST and not node.args:
                    out.append(replace(node, target=self.name(node.target)))
                else:
                    self._still(node.target, node.line, out)
        elif treatment == "pair":
            self._callee(node, out)
        elif treatment != "inline" or self.facts.tested.get(id(node)) == "threes":
            raise Unwritten
        elif node.fn is SETITEM:
            self._store(node, out)
        elif made is not None:
            raise Unwritten
        else:
            self._value(node, out)

    def _may_write(self, node: Call) -> bool:
        """What is plain may be written by it under another name of what moves."""
        is_method = node.fn is Prim("method") or node.fn is Prim("list_append")
        return (node.fn is SETITEM or is_method) and node.args[0] in self.moved

    def _display(self, node: Call, out: list[Node]) -> None:
        """``[a, b]`` that some function joins: beside it the tangents, with zeros for what stands
        still.
        """
        out.append(node)
        assert isinstance(node.target, str) and isinstance(node.fn, Prim)
        items = [item for item in node.args if not isinstance(item, Star)]
        if len(items) < len(node.args) or node.keywords:
            raise Unwritten
        if not any(map(self._twin, items)):
            return
        to = Writer(self.names, out, node.line)
        dots = [self._twin(item) or self._zero(item, to) for item in items]
        self.twins[node.target] = to.call(node.fn, *dots)

    def _twin(self, item: Operand | Star) -> str | None:
        """The tangent of an item, or of a display in a display."""
        found = self.twins.get(item) if isinstance(item, str) else None
        return found or self.dot(item)

    def _callee(self, node: Call, out: list[Node]) -> None:
        """``y, y_dot = g_tangent(x, x_dot, n)``."""
        known, callee = self.facts.about[id(node)], self.facts.callees[id(node)]
        if known.leaves or not isinstance(node.target, str):
            raise Unwritten
        args: list[Operand] = []
        to = Writer(self.names, out, node.line)
        for arg, moves in zip(node.args, callee.active, strict=True):
            assert not isinstance(arg, Star)
            args.append(arg)
            if moves:
                args.append(self.dot(arg) or self._zero(arg, to))
        dot = self.dot(node.target) or self.names.numbered("t")
        fn = tangent_ref(known, bool(self.first))
        out.append(Call((node.target, dot), fn, tuple(args), (), node.line))

    def _unpack(self, node: Call, out: list[Node]) -> None:
        """``x, y = v``."""
        source, whole = node.args[0], self.facts.unpackings[id(node)]
        kind = self.facts.kind_of(source)
        assert isinstance(source, str)
        out.append(Bind(whole.targets, source, node.line))  # type: ignore[arg-type]
        dot = self.dot(source)
        targets = tuple(self.name(name) for name in whole.targets)
        if dot is not None:
            parts = self._by_item(dot, kind, Writer(self.names, out, node.line))
            out.append(Bind(targets, parts, node.line))  # type: ignore[arg-type]
            return
        for name in whole.targets:
            if name in self.moved:
                self._still(name, node.line, out)

    def _has_items(self, source: Operand | Star) -> bool:
        kind = self.facts.kind_of(source)
        return k.is_array(kind) or k.is_listing(kind)

    def _by_item(self, dot: str, kind: k.Kind, to: Writer) -> str:
        """What gives the tangents item by item."""
        if not self.first or not k.is_array(kind):
            return dot
        return to.call(Ref("numpy", "moveaxis"), dot, Const(1), Const(0))

    def _store(self, node: Call, out: list[Node]) -> None:
        """``a[i] = v`` and ``a[i] += v``: in the tangent first."""
        whole, index = node.args[0], node.args[1]
        if k.is_complex(self.facts.kind_of(whole)):
            raise Unwritten
        triple, dot = self.facts.augmented.get(id(node)), self.dot(whole)
        to = Writer(self.names, out, node.line)
        place, axes = self._place(index, whole, to) if dot is not None else (ZERO, 0)
        if triple is None:
            if dot is not None:
                part = self._in_axes(node.args[2], axes, to) or ZERO
                to.out.append(replace(node, args=(dot, place, part)))
            out.append(node)
            return
        fn, value = triple.works.fn, triple.value
        assert isinstance(fn, Prim) and isinstance(whole, str) and not isinstance(index, Star)
        if dot is not None and fn.name in SUMS:
            if (more := self._in_axes(value, axes, to)) is not None:
                grown = (dot, place, Const(fn.name), more)
                out.append(Call(None, AUGMENT, grown, (), node.line))
        elif dot is not None:
            old, part = to.call(GETITEM, whole, index), to.call(GETITEM, dot, place)
            new = self._scaled(fn, old, part, value, axes, to)
            place, _ = self._place(index, whole, to)
            out.append(Call(None, SETITEM, (dot, place, new), (), node.line))
        out.append(Call(None, AUGMENT, (whole, index, Const(fn.name), value), (), node.line))

    def _update(self, node: Call, out: list[Node]) -> None:
        """``x += v`` of a whole array."""
        old, value = node.args
        assert isinstance(old, str) and isinstance(node.fn, Prim) and isinstance(node.target, str)
        name, dot, to = node.fn.name, self.dot(old), Writer(self.names, out, node.line)
        axes = self.facts.kind_of(old).rank or 0
        if dot is not None and name in SUMS:
            if (part := self._in_axes(value, axes, to)) is not None:
                args = (dot, Const(name), part)
                out.append(Call(None, Prim("update"), args, (), node.line))
        elif dot is not None:
            new = self._scaled(node.fn, old, dot, value, axes, to)
            out.append(Call(None, SETITEM, (dot, Const(...), new), (), node.line))
        out.append(Call(None, Prim("update"), (old, Const(name), value), (), node.line))
        if node.target != old:
            out.append(Bind(node.target, old, node.line))
            if dot is not None:
                out.append(Bind(self.name(node.target), dot, node.line))

    def _scaled(
        self,
        fn: Prim,
        old: Operand,
        dot: Operand,
        value: Operand | Star,
        axes: int,
        to: Writer,
    ) -> Operand:
        """The tangent of ``old * value`` or of ``old / value``."""
        assert not isinstance(value, Star)
        moves = self._in_axes(value, axes, to)
        if fn.name == "imul":
            new: Operand = to.call(MUL, dot, value)
            return to.call(ADD, new, to.call(MUL, old, moves)) if moves is not None else new
        if fn.name == "itruediv" and moves is None:
            return to.call(Prim("truediv"), dot, value)
        raise Unwritten

    def _value(self, node: Call, out: list[Node]) -> None:
        """A call that gives a value."""
        target = node.target
        if self._is_of_lists(node):
            self._list(node, out)
            return
        names = [name for name in (target, *node.args) if isinstance(name, str)]
        if meets_complex(node, self.facts) or any(self._is_parts(name) for name in names):
            raise Unwritten
        assert isinstance(target, str)
        if target not in self.moved:
            out.append(node)
            return
        to = Writer(self.names, out, node.line)
        about = About(
            self.facts, self.extents, self._twin, self._index, self.twins, bool(self.first)
        )
        is_number = all(k.is_real(self.facts.kind_of(name)) for name in (target, *node.args))
        if target in node.args and node.fn in NEVER_FAIL and is_number:
            # before, for the tangent reads what the name has stood for
            made = tangent_of_call(node, target, about, to)
            out += [Bind(self.name(target), made, node.line), node]
            return
        own = node
        if target in node.args:
            own = replace(node, target=self.names.fresh(f"{target}_new"))
            self.facts.kind[str(own.target)] = self.facts.kind_of(target)
        out.append(own)
        if self.facts.tested.get(id(node)) == "complex":
            leave = Prim("leave_if_complex")
            out.append(Call(None, leave, (str(own.target),), (), node.line))
        made = tangent_of_call(node, str(own.target), about, to)
        is_new = k.is_array(self.facts.kind_of(target)) and id(node) not in self.facts.views
        if is_new and self.writes and made in self.dots.values():
            made = to.call(Prim("method"), made, Const("copy"))
        out.append(Bind(self.name(target), made, node.line))
        if own is not node:
            out.append(Bind(target, str(own.target), node.line))

    def _in_axes(self, value: Operand | Star, axes: int, to: Writer) -> str | None:
        """The tangent of a value that goes into a place of so many axes."""
        dot = self.dot(value)
        rank = 0 if k.is_real(self.facts.kind_of(value)) else self.facts.kind_of(value).rank
        if dot is None or not self.first or rank == axes:
            return dot
        if rank is None or rank > axes:
            raise Unwritten
        return to.call(EXPANDED, dot, Const(axes - rank))

    def _index(self, index: Operand | Star, whole: Operand | Star, to: Writer) -> Operand:
        """The same place in the tangent."""
        return self._place(index, whole, to)[0]

    def _place(
        self, index: Operand | Star, whole: Operand | Star, to: Writer
    ) -> tuple[Operand, int]:
        """The same place in the tangent, and how many axes it has where there are many."""
        kind = self.facts.kind_of(whole)
        if not self.first or not k.is_array(kind):
            return self._again(index, to), 0
        made = self.tuples.get(index) if isinstance(index, str) else None
        items = made.args if made is not None else (index,)
        axes, every = kind.rank or 0, to.call(SLICE, *[Const(None)] * 3)
        places: list[Operand] = [every]
        for item in items:
            own = self.facts.kind_of(item)
            is_slice = item in self.slices
            is_one = own == k.INT and not is_slice
            if isinstance(item, Star) or not (is_one or is_slice or item == Const(...)):
                raise Unwritten
            axes -= is_one
            places.append(self._again(item, to))
        return to.call(TUPLE, *places), axes

    def _again(self, index: Operand | Star, to: Writer) -> Operand:
        """An index for the second time: a slice is written anew, where it stands."""
        assert not isinstance(index, Star)
        made = self.slices.get(index) if isinstance(index, str) else None
        if made is None or not all(isinstance(end, Const) for end in made.args):
            return index
        return to.call(SLICE, *made.args)  # type: ignore[arg-type]

    def _is_parts(self, name: str) -> bool:
        return self.facts.kind_of(name) is PARTS

    # --- lists of numbers

    def _is_of_lists(self, node: Call) -> bool:
        """Does it make, read or write a list of numbers?"""
        kinds = [self.facts.kind_of(name) for name in (node.target, *node.args) if name is not None]  # type: ignore[arg-type]
        return any(map(k.is_listing, kinds))

    def _list(self, node: Call, out: list[Node]) -> None:
        """The same operation on the list of tangents, which is in step with the list."""
        moved = [arg for arg in node.args if self.dot(arg) is not None]
        if node.target is None:
            self._list_written(node, out)
            return
        assert isinstance(node.target, str)
        if node.target not in self.moved:
            out.append(node)
            return
        known = self.facts.known.get(str(node.fn))
        is_same = node.fn in (LIST, TUPLE) or (node.fn is ADD and len(moved) == 2)
        is_same = is_same or node.fn is GETITEM or known in (sum, list, reversed, tuple)
        is_number = node.fn in (LIST, TUPLE)
        if not is_same or node.keywords or any(isinstance(arg, Star) for arg in node.args):
            raise Unwritten
        args = [self.dot(arg) for arg in node.args]
        if is_number:
            to = Writer(self.names, out, node.line)
            same: list[Operand] = [
                dot or self._zero(arg, to)  # type: ignore[arg-type]
                for arg, dot in zip(node.args, args, strict=True)
            ]
        else:
            if args[0] is None or (known is sum and len(args) != 1):
                raise Unwritten
            same = [arg if dot is None else dot for arg, dot in zip(node.args, args, strict=True)]  # type: ignore[misc]
        dotted = replace(node, target=self.name(node.target), args=tuple(same))
        out += [dotted, node] if node.target in node.args else [node, dotted]

    def _list_written(self, node: Call, out: list[Node]) -> None:
        """``xs.append(v)``, and a step of a comprehension."""
        dot, value = self.dot(node.args[0]), node.args[-1]
        is_append = node.fn is Prim("list_append") or (
            node.fn is Prim("method") and node.args[1] == Const("append") and len(node.args) == 3
        )
        if not is_append or isinstance(value, Star):
            raise Unwritten
        out.append(node)
        if dot is not None:
            part = self.dot(value) or self._zero(value, Writer(self.names, out, node.line))
            out.append(replace(node, args=(dot, *node.args[1:-1], part)))

    # --- loops

    def _loop(self, node: Loop, out: list[Node]) -> None:
        walk = self.facts.walks[id(node)]
        leaves = [leaf for leaf in walk.leaves if leaf.source and leaf.source in self.moved]
        body, orelse = tuple(self.block(node.body)), tuple(self.block(node.orelse))
        target, iterable = node.target, node.iterable
        if walk.calls and self.facts.kind_of(iterable) == WALK:
            target = walk.targets
        still: list[Node] = []
        for leaf in walk.leaves:
            if leaf not in leaves and leaf.name in self.moved:
                self._still(leaf.name, node.line, still)
        if leaves:
            to = Writer(self.names, out, node.line)
            beside = [self._beside(leaf, to) for leaf in leaves]
            iterable = to.call(ZIP, iterable, *beside)
            target = (target, *(self.name(leaf.name) for leaf in leaves))
        out.append(Loop(target, iterable, (*still, *body), orelse, node.line))

    def _beside(self, leaf: Leaf, to: Writer) -> Operand:
        """What gives the tangents of the items of one source."""
        kind = self.facts.kind_of(leaf.source) if leaf.source is not None else k.UNKNOWN
        dot = self.dot(leaf.source) if leaf.source is not None else None
        if dot is None or not (k.is_array(kind) or k.is_listing(kind)):
            raise Unwritten
        dot = self._by_item(dot, kind, to)
        return to.call(REVERSED, dot) if leaf.backwards else dot

    # --- the end

    def result(self, result: str, program: Program, line: int) -> list[Node]:
        out: list[Node] = []
        to = Writer(self.names, out, line)
        dot: Operand | None = self.dot(result)
        if dot is None:
            is_array = k.is_array(self.facts.kind_of(result))
            dot = self._zero(result, to) if is_array else ZERO
        value: Operand = to.call(NUMPY_FLOAT, result) if program.boxed else result
        out.append(Exit("return", to.call(TUPLE, value, dot), line))
        return out
