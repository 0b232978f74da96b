"""What each statement is: its kind, whether it carries a derivative, and how it is differentiated.

A call is ``plain`` (nothing flows through it), ``inline`` (its rule's formula is written out)
or ``dispatch`` (rule or source are found at run time). Names of unknown kind always count as
active; numbers and local
arrays only where an active operand reaches them.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from astad.compiler.analysis.operations import method_kind, operator_kind, rule_kind, rule_of
from astad.compiler.analysis.structure import (
    blocks,
    bound_once,
    operands,
    read_otherwise_than_as_index,
    returned_names,
    steady_names,
)
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import INERT, INT, RANGE, REAL, UNKNOWN, Kind
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
)

__all__ = ["Facts", "Space", "find_facts"]

QUIET = ("global", "import", "import_from", "format", "join", "forget", "cell_new", "function")
STATELESS = ("tuple", "list", "set", "dict")


class Space:
    """Names of one function's globals and builtins, as they stand when the function is compiled.

    ``assumed`` collects every dotted path the compiler relied on, with the object it stood for:
    the guards.
    """

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self.namespace = namespace
        self.assumed: dict[str, object] = {}

    def find(self, path: str) -> object:
        """The object of a dotted path of modules, or ``Space.nothing``."""
        head, *rest = path.split(".")
        found = self.namespace.get(head, getattr(builtins, head, Space.nothing))
        for name in rest:
            if not isinstance(found, ModuleType):
                return Space.nothing
            found = getattr(found, name, Space.nothing)
        return found

    def assume(self, path: str) -> object:
        found = self.find(path)
        if found is not Space.nothing:
            self.assumed[path] = found
        return found

    nothing = object()


@dataclass(slots=True)
class Facts:
    """``kind`` and ``active`` by name, ``treatment`` by ``id`` of the call, ``known`` objects by
    name; ``shared`` arrays have a part of their cotangent in a shadow, ``indexed`` ones are
    read by element or slice, into
    one buffer. ``for_debugger``: the text asks for one, which must find the user's frame and
    lines.
    """

    kind: dict[str, Kind]
    active: set[str]
    treatment: dict[int, str] = field(default_factory=dict)
    path: dict[str, str] = field(default_factory=dict)
    known: dict[str, object] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    indexed: set[str] = field(default_factory=set)
    for_debugger: bool = False

    def kind_of(self, operand: Operand | Star) -> Kind:
        if isinstance(operand, str):
            return self.kind.get(operand, UNKNOWN)
        if isinstance(operand, Const):
            return kind_of_constant(operand.value)
        return UNKNOWN

    def is_active(self, operand: Operand | Star) -> bool:
        name = operand.operand if isinstance(operand, Star) else operand
        return isinstance(name, str) and name in self.active

    @property
    def dispatches(self) -> bool:
        return "dispatch" in self.treatment.values()


def kind_of_constant(value: object) -> Kind:
    kinds = {bool: k.BOOL, int: INT, float: k.FLOAT}
    return kinds.get(type(value), INERT if not isinstance(value, complex) else UNKNOWN)


def find_facts(
    program: Program,
    params: Mapping[str, Kind],
    wanted: Iterable[str],
    space: Space,
    *,
    alone: bool = False,
) -> Facts:
    """Kinds and treatments to a fixed point: kinds only go up, so a few rounds suffice.

    ``alone`` tells that nobody else can write the arrays which come in or go out before the
    reverse sweep has run.
    """
    facts = Facts(kind=dict(params), active={name for name in wanted if _may_carry(params[name])})
    for _, cell in program.free:
        facts.kind[cell] = UNKNOWN
        facts.active.add(cell)
    _find_known(program.body, space, facts, bound_once(program.body) - set(params))
    values = read_otherwise_than_as_index(program.body)
    studied = _Study(facts, space, steady_names(program, params), values)
    while studied.round(program.body):
        pass
    _find_shared(program, facts, alone and not facts.dispatches)
    return facts


def _may_carry(kind: Kind) -> bool:
    return kind.tag in ("int", "float", "real", "ndarray", "unknown")


def _find_known(block: Block, space: Space, facts: Facts, once: set[str]) -> None:
    """Modules, functions and numbers that global names stand for, through attributes of modules."""
    for node in block:
        if isinstance(node, Call) and node.target in once and isinstance(node.fn, Prim):
            assert isinstance(node.target, str)
            path = None
            if node.fn.name == "global" and isinstance(node.args[0], Const):
                path = str(node.args[0].value)
            elif (
                node.fn.name == "getattr"
                and node.args[0] in facts.path
                and isinstance(node.args[1], Const)
            ):
                path = f"{facts.path[node.args[0]]}.{node.args[1].value}"
            found = space.find(path) if path else Space.nothing
            if path and _is_stable(found) and node.target not in facts.path:
                facts.path[node.target], facts.known[node.target] = path, found
        for part in blocks(node):
            _find_known(part, space, facts, once)


def _is_stable(found: object) -> bool:
    stable = (ModuleType, BuiltinFunctionType, FunctionType, type, np.ufunc, float, int)
    return isinstance(found, stable) or rule_of(found) is not None


@dataclass(slots=True)
class _Study:
    facts: Facts
    space: Space
    steady: set[str]
    values: set[str]
    changed: bool = False

    def round(self, block: Block) -> bool:
        """One walk over the program; true when a kind or an activity has risen."""
        self.changed = False
        self._block(block)
        return self.changed

    def _block(self, block: Block) -> None:
        for node in block:
            self._node(node)
            for part in blocks(node):
                self._block(part)

    def _node(self, node: Node) -> None:
        if isinstance(node, Bind):
            self._raise(
                node.target, self.facts.kind_of(node.source), self.facts.is_active(node.source)
            )
        elif isinstance(node, Call):
            self._call(node)
        elif isinstance(node, Loop):
            self._loop(node)

    def _loop(self, node: Loop) -> None:
        kind = self.facts.kind_of(node.iterable)
        element = {"range": INT, "shape": INT}.get(kind.tag, UNKNOWN)
        if k.is_array(kind) and kind.rank == 1:
            element = REAL
        assert isinstance(node.target, str)
        self._raise(node.target, element, self.facts.is_active(node.iterable))

    def _raise(self, name: str, kind: Kind, active: bool) -> None:
        before = self.facts.kind.get(name)
        after = kind if before is None else k.join(before, kind)
        if after != before:
            self.facts.kind[name] = after
            self.changed = True
        if (after == UNKNOWN or (active and _may_carry(after))) and name not in self.facts.active:
            self.facts.active.add(name)
            self.changed = True

    def _call(self, node: Call) -> None:
        treatment, kind = self._treat(node)
        if treatment == "inline" and node.target is None:
            treatment = "plain"  # nobody reads the result
        if (
            treatment == "inline"
            and isinstance(node.target, str)
            and self.facts.kind.get(node.target) == UNKNOWN
        ):
            treatment = "dispatch"  # elsewhere the name stands for anything
        self.facts.treatment[id(node)] = treatment
        if isinstance(node.target, str):
            known = self.facts.known.get(node.target)
            if known is not None and treatment == "plain":
                kind = kind_of_constant(known) if isinstance(known, int | float) else INERT
                if isinstance(known, int | float):
                    self.space.assume(self.facts.path[node.target])
            active = treatment != "plain" and any(
                self.facts.is_active(operand) for operand in operands(node)
            )
            self._raise(node.target, kind, active)

    def _treat(self, node: Call) -> tuple[str, Kind]:
        args = [self.facts.kind_of(arg) for arg in node.args]
        active = any(self.facts.is_active(operand) for operand in operands(node))
        if isinstance(node.fn, Prim):
            return self._treat_prim(node, node.fn.name, args, active)
        known = self.facts.known.get(node.fn) if isinstance(node.fn, str) else None
        if known is None or any(isinstance(arg, Star) for arg in node.args):
            return "dispatch", UNKNOWN
        return self._treat_known(node, known, args, active)

    def _treat_prim(
        self, node: Call, name: str, args: list[Kind], active: bool
    ) -> tuple[str, Kind]:
        if name in QUIET and not (name == "cell_new" and active):
            return "plain", INERT if name in ("format", "join") else UNKNOWN
        if name == "getattr" and isinstance(node.target, str) and node.target in self.facts.known:
            self.space.assume(self.facts.path[node.target])
            return "plain", UNKNOWN
        kind, inlines = operator_kind(name, node.args, args)
        if name == "getitem" and active and node.args[0] not in self.steady:
            inlines = False  # its buffer would change its shape from round to round
        if kind is not None and (not active or inlines):
            return ("inline" if active else "plain"), kind
        if active and name == "tuple" and node.target in self.values:
            return "dispatch", UNKNOWN  # of ints, but not only an index
        if kind is not None and kind.tag in ("bool", "inert", "shape", "index"):
            return "plain", kind
        if name == "method":
            return "dispatch", method_kind(node, args)
        if not active and name in STATELESS:
            return "plain", UNKNOWN
        return "dispatch", kind or UNKNOWN

    def _treat_known(
        self, node: Call, known: Any, args: list[Kind], active: bool
    ) -> tuple[str, Kind]:
        assert isinstance(node.fn, str)
        path = self.facts.path[node.fn]
        if is_debugger(known):
            self.facts.for_debugger = True
            self.space.assume(path)
            return "plain", INERT
        if known is range and not node.keywords and all(kind in (INT, k.BOOL) for kind in args):
            self.space.assume(path)
            return "plain", RANGE
        if known is len and args and args[0].tag in ("ndarray", "shape", "range", "unknown"):
            self.space.assume(path)
            return "plain", INT
        kind, inlines = rule_kind(known, node, args, lambda operand: self.facts.is_active(operand))
        if kind is None or (active and not inlines):
            return "dispatch", kind or UNKNOWN
        self.space.assume(path)
        return ("inline" if active else "plain"), kind


def is_debugger(known: Any) -> bool:
    """``breakpoint``, ``pdb.set_trace`` and the like: they look at the frame that calls them."""
    is_set_trace = getattr(known, "__name__", "") == "set_trace"
    return known is breakpoint or (
        is_set_trace and known.__module__ in ("pdb", "ipdb", "pudb", "_pytest.debugging")
    )


def _find_shared(program: Program, facts: Facts, alone: bool) -> None:
    """Arrays that somebody else may write: met by a dispatched statement, come in or gone out, or
    a view of such.
    """
    copies: list[tuple[str, str]] = []
    _collect_shared(program.body, facts, copies)
    if not alone:
        outside = {param.name for param in program.params} | returned_names(program.body)
        facts.shared.update(name for name in outside if k.is_array(facts.kind.get(name, UNKNOWN)))
    grew = True
    while grew:
        before = len(facts.shared)
        for a, b in copies:
            if a in facts.shared or b in facts.shared:
                facts.shared.update((a, b))
        grew = len(facts.shared) > before


def _collect_shared(block: Block, facts: Facts, copies: list[tuple[str, str]]) -> None:
    def is_array(name: object) -> bool:
        return isinstance(name, str) and k.is_array(facts.kind.get(name, UNKNOWN))

    for node in block:
        if isinstance(node, Bind) and is_array(node.target) and isinstance(node.source, str):
            copies.append((node.target, node.source))
        elif (
            isinstance(node, Call)
            and node.fn == Prim("getitem")
            and facts.treatment.get(id(node)) == "inline"
        ):
            assert isinstance(node.args[0], str)
            facts.indexed.add(node.args[0])
            if is_array(node.target) and isinstance(node.target, str):
                copies.append((node.target, node.args[0]))  # a view
        elif isinstance(node, Call) and facts.treatment.get(id(node)) == "dispatch":
            facts.shared.update(name for name in (*operands(node), node.target) if is_array(name))  # type: ignore[misc]
        elif isinstance(node, Loop) and is_array(node.iterable):
            facts.shared.add(node.iterable)  # type: ignore[arg-type]
        for part in blocks(node):
            _collect_shared(part, facts, copies)
