"""Give the generated functions of a program whose containers were taken apart the user's arguments.

``f_pullback`` returns ``{'W': params_W_bar, 'b': params_b_bar}`` in the place of two cotangents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from astad.compiler.ir.containers import Container
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import Kind, is_literal
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Program, Star
from astad.slotted import replace

__all__ = ["regroup", "regroup_held"]


def regroup(derived: Derived, program: Program, wanted: Sequence[bool], names: Names) -> Derived:
    """The functions with containers for parameters, and for cotangents of such.

    ``wanted`` tells for each parameter of the user's whether a fused function returns its own.
    """
    if not program.opened:
        return derived
    forward, *rest = derived.functions
    leaves = {leaf for one in program.opened for leaf in one.leaves}
    users = _params(program, leaves)
    own = len(forward.params) - len(program.params)
    forward = replace(forward, params=(*forward.params[:own], *users))
    if rest:
        back = _regrouped(rest[0], program, users, names, -2)
        return replace(derived, functions=(forward, back))
    asked = [name for name, is_wanted in zip(users, wanted, strict=True) if is_wanted]
    return replace(derived, functions=(_regrouped(forward, program, asked, names, -3),))


def regroup_held(derived: Derived, program: Program) -> Derived | None:
    """The same of a function that carries tangents along, where no container has one: else None."""
    if not program.opened:
        return derived
    (forward, *rest) = derived.functions
    leaves = {leaf for one in program.opened for leaf in one.leaves}
    own = {param.name for param in program.params}
    dots: dict[str, list[str]] = {}
    last = ""
    for name in forward.params:
        if name in own:
            last = name
        else:
            dots.setdefault(last, []).append(name)
    if not leaves.isdisjoint(dots):
        return None
    params = [part for name in _params(program, leaves) for part in (name, *dots.get(name, ()))]
    made = replace(forward, params=tuple(params))
    return replace(derived, functions=(made, *rest))


def _params(program: Program, leaves: Collection[str]) -> list[str]:
    """The names that the user's function takes, in order."""
    plain = [param.name for param in program.params if param.name not in leaves]
    for one in program.opened:
        plain.insert(one.at, one.name)
    return plain


def _regrouped(
    function: Function, program: Program, asked: Sequence[str], names: Names, at: int
) -> Function:
    """With displays before the tuple of cotangents, which stands at this place of the body."""
    packed = function.body[at]
    assert isinstance(packed, Call) and packed.fn == Prim("tuple")
    bars = iter(packed.args)
    opened = {one.name: one for one in program.opened}
    made: list[Node] = []
    grouped = [
        _display(opened[name].kind, bars, names, packed.line, made)
        if name in opened
        else next(bars)
        for name in asked
    ]
    body = (*function.body[:at], *made, replace(packed, args=tuple(grouped)))
    return replace(function, body=(*body, *function.body[at + 1 :]))


def _display(
    kind: Kind, bars: Iterator[Operand | Star], names: Names, line: int, made: list[Node]
) -> Operand | Star:
    """The cotangents in the order of the parts; None where there is none at all."""
    if not isinstance(kind, Container):
        return Const(None) if is_literal(kind) else next(bars)
    parts = [_display(part, bars, names, line, made) for part in kind.parts]
    if kind.tag != "object" and all(part == Const(None) for part in parts):
        return Const(None)
    name = names.numbered("t")
    if kind.tag in ("dict", "object"):
        pairs = zip(kind.keys, parts, strict=True)
        items = tuple(item for key, part in pairs for item in (Const(key), part))
        made.append(Call(name, Prim("dict"), items, (), line))
    else:
        form = "list" if kind.tag == "list" else "tuple"
        made.append(Call(name, Prim(form), tuple(parts), (), line))
    return name
