"""Let a program work on the floats of its arrays, where that gives the same to the bit.

``for v in x: s = s + v * v`` becomes::

    leave_unless_usual()
    x_items = x.tolist()
    leave_if_empty(x_items)
    for v in x_items:
        s = s + v * v
    leave_unless_finite(s)

and its result is boxed where it was an np.float64.

The loop runs four times as fast on the floats of ``x.tolist()``. That changes nothing if sums,
differences, products, quotients and whole powers are all that is done, if each loop runs at least
once (else s might be no np.float64), and if the result is finite: what overflows or is invalid, of
which NumPy would warn, makes all that is computed from it not finite. Whatever raises is run once
more the ordinary way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from astad.compiler.analysis.findings import Facts
from astad.compiler.ir import kinds as k
from astad.compiler.ir.flow import Backward
from astad.compiler.ir.kinds import BOOL, INT, RANGE, Kind
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
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
    Star,
)
from astad.compiler.ir.prims import BY_VALUE, COMPARE
from astad.compiler.ir.walk import reads, walk, with_blocks, with_operands
from astad.slotted import dataclass, field, replace

__all__ = ["on_plain_floats"]

# --- does it give the same?


SUMS = ("add", "sub", "mul", "neg", "pos", "iadd", "isub", "imul")
QUOTIENTS = ("truediv", "itruediv")
COUNTING = ("floordiv", "mod", "ifloordiv", "imod")
QUIET = ("global", "getattr", "slice")
PYTHON, NUMPY, EITHER = "python", "numpy", "either"


@dataclass(frozen=True, slots=True)
class Elements:
    """``arrays`` are the parameters that are read element by element; ``boxed``: the result is an
    np.float64.
    """

    arrays: tuple[str, ...]
    boxed: bool


def find_elements(program: Program, facts: Facts) -> Elements | None:
    """None where the program is not of that kind, or does not read elements in a loop."""
    names = [param.name for param in program.params if facts.kind_of(param.name) == k.array(1)]
    nodes = list(walk(program.body))
    loops = [node for node in nodes if isinstance(node, Loop)]
    if not names or not loops or not isinstance(program.body[-1], Exit):
        return None
    study = _Study(facts, set(names))
    if not all(study.is_allowed(node) for node in nodes[:-1]):
        return None
    types = {param.name: study.type_of(param.name) for param in program.params}
    study.types_after(program.body, types)
    result = program.body[-1].value
    type_ = types.get(str(result), PYTHON)
    if type_ == EITHER or not study.read or not _all_covered(program.body, study.floats):
        return None
    return Elements(tuple(name for name in names if name in study.read), type_ == NUMPY)


@dataclass(slots=True)
class _Study:
    """``read`` are the arrays that elements are read of, ``floats`` the operations, by ``id``,
    whose result may be an np.float64.
    """

    facts: Facts
    arrays: set[str]
    read: set[str] = field(default_factory=set)
    floats: set[int] = field(default_factory=set)

    # -- what may be done

    def is_allowed(self, node: Node) -> bool:
        if isinstance(node, Loop):
            return self._walks(node) and not node.orelse
        if isinstance(node, Branch):
            return self.facts.kind_of(node.test) in (BOOL, k.INERT) or _is_real(self, node.test)
        if isinstance(node, Bind):
            return _is_real(self, node.source)
        return isinstance(node, Call) and self._may_be_called(node)

    def _walks(self, node: Loop) -> bool:
        """Through ranges, arrays and lists of numbers."""
        sources = self.facts.walks[id(node)].sources
        for source in sources:
            kind = self.facts.kind_of(source)
            if source in self.arrays:
                self.read.add(str(source))
            elif kind != RANGE and not k.is_listing(kind):
                return False
        return bool(sources)

    def _may_be_called(self, node: Call) -> bool:
        if self.facts.treatment.get(id(node)) == "merged":
            return True
        kinds = [self.facts.kind_of(arg) for arg in node.args]
        if isinstance(node.fn, Prim):
            return self._may_be_done(node, node.fn.name, kinds)
        known = self.facts.known.get(str(node.fn))
        if known is len or known is range or known in (zip, enumerate, reversed):
            return all(arg in self.arrays or kind != k.UNKNOWN for arg, kind in _pairs(node, kinds))
        of_math = getattr(math, getattr(known, "__name__", ""), None) is known
        return of_math and all(map(k.is_real, kinds))

    def _may_be_done(self, node: Call, name: str, kinds: list[Kind]) -> bool:
        if name in QUIET:
            return name != "getattr" or node.args[0] not in self.arrays
        if name == "getitem":
            if node.args[0] in self.arrays and kinds[1] == INT:
                self.read.add(str(node.args[0]))
                return True
            return k.is_listing(kinds[0]) and kinds[1] == INT
        if name in COUNTING:
            return all(kind == INT for kind in kinds)
        if name in BY_VALUE:
            return k.is_real(kinds[0]) and _is_whole(node.args[1])
        known = name in SUMS or name in QUOTIENTS or name in COMPARE or name == "not_"
        return known and all(k.is_real(kind) or kind == BOOL for kind in kinds)

    # -- which values are np.float64

    def type_of(self, name: str) -> str:
        return PYTHON if self.facts.kind_of(name) in (k.FLOAT, INT, BOOL) else EITHER

    def types_after(self, block: Block, types: dict[str, str]) -> None:
        """Go through a block; ``types`` is what is known at its head, then at its end."""
        for node in block:
            if isinstance(node, Bind):
                types[node.target] = self._type(node.source, types)
            elif isinstance(node, Call) and isinstance(node.target, str):
                types[node.target] = self._result(node, types)
            elif isinstance(node, Branch):
                other = dict(types)
                self.types_after(node.body, types)
                self.types_after(node.orelse, other)
                _join(types, other)
            elif isinstance(node, Loop):
                self._loop(node, types)

    def _loop(self, node: Loop, types: dict[str, str]) -> None:
        """It runs at least once."""
        for leaf in self.facts.walks[id(node)].leaves:
            types[leaf.name] = NUMPY if leaf.source in self.arrays else self.type_of(leaf.name)
        self.types_after(node.body, types)
        while True:
            again = dict(types)
            self.types_after(node.body, again)
            before = dict(types)
            _join(types, again)
            if types == before:
                return

    def _type(self, operand: Operand | Star, types: dict[str, str]) -> str:
        return types.get(operand, PYTHON) if isinstance(operand, str) else PYTHON

    def _result(self, node: Call, types: dict[str, str]) -> str:
        if self.facts.treatment.get(id(node)) == "merged":
            return types.get(str(node.target), PYTHON)
        if not isinstance(node.fn, Prim):
            return PYTHON
        if node.fn.name == "getitem":
            return NUMPY if node.args[0] in self.arrays else self.type_of(str(node.target))
        if node.fn.name not in (*SUMS, *QUOTIENTS, *BY_VALUE):
            return PYTHON
        found = {self._type(arg, types) for arg in node.args}
        type_ = NUMPY if NUMPY in found else EITHER if EITHER in found else PYTHON
        if type_ != PYTHON:
            self.floats.add(id(node))
        return type_


def _pairs(node: Call, kinds: list[Kind]) -> Iterable[tuple[Operand | Star, Kind]]:
    return zip(node.args, kinds, strict=True)


def _is_real(study: _Study, operand: Operand) -> bool:
    return k.is_real(study.facts.kind_of(operand))


def _is_whole(exponent: Operand | Star) -> bool:
    """Is a power with it finite for what is finite alone?"""
    return isinstance(exponent, Const) and type(exponent.value) is int and exponent.value >= 1


def _join(types: dict[str, str], other: dict[str, str]) -> None:
    for name in {*types, *other}:
        if types.get(name, PYTHON) != other.get(name, PYTHON):
            types[name] = EITHER


class _Covered(Backward):
    """The names of which the values show in the result where they are not finite: on every way they
    go into a sum, difference, product, numerator or base that is covered, or are the result itself.
    """

    must = True

    def __init__(self, floats: set[int]) -> None:
        super().__init__()
        self.floats = floats
        self.is_all = True
        """Is each of these operations covered?"""

    def step(self, node: Bind | Call, facts: set[str]) -> None:
        is_covered = node.target in facts
        self.is_all &= is_covered or id(node) not in self.floats
        facts.difference_update(node.bound)
        if is_covered:
            facts.update([name for name in node.read if _carries_on(node, name)])

    def before(self, node: Node, before: set[str], after: set[str]) -> set[str]:
        """A loop runs at least once."""
        if isinstance(node, Loop):
            before = self.block(node.body, before) or set()
            before.difference_update(node.bound)
        return before


def _all_covered(body: Block, floats: set[int]) -> bool:
    covered = _Covered(floats)
    covered.block(body[:-1], {*body[-1].read})
    return covered.is_all


def _carries_on(node: Bind | Call, name: str) -> bool:
    """Is the result not finite where this operand is not?"""
    if isinstance(node, Bind):
        return node.source == name
    if not isinstance(node.fn, Prim):
        return False
    if node.fn.name in SUMS:
        return name in node.args
    return node.fn.name in (*QUOTIENTS, *BY_VALUE) and node.args[0] == name


def on_plain_floats(program: Program, facts: Facts, names: Names) -> Program | None:
    """None where arrays it shall be."""
    found = find_elements(program, facts)
    if found is None:
        return None
    new = {name: names.fresh(f"{name}_items") for name in found.arrays}
    line = program.body[0].line
    head: list[Node] = [Call(None, Prim("leave_unless_usual"), (), (), line)]
    for name, items in new.items():
        head.append(Call(items, Prim("method"), (name, Const("tolist")), (), line))
    *body, last = _block(program.body, new, facts)
    assert isinstance(last, Exit)
    if isinstance(last.value, str):
        body.append(Call(None, Prim("leave_unless_finite"), (last.value,), (), last.line))
    return replace(program, body=(*head, *body, last), boxed=found.boxed)


def _block(block: Block, new: Mapping[str, str], facts: Facts) -> list[Node]:
    out: list[Node] = []
    for node in block:
        if isinstance(node, Loop):
            for source in dict.fromkeys(facts.walks[id(node)].sources):
                items = new.get(source, source) if isinstance(source, str) else source
                out.append(Call(None, Prim("leave_if_empty"), (items,), (), node.line))
        if not new.keys().isdisjoint(reads(node)):
            node = with_operands(node, lambda o: new.get(o, o) if isinstance(o, str) else o)
        out.append(with_blocks(node, lambda inner: _block(inner, new, facts)))
    return out
