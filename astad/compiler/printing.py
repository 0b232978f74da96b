"""A derived program and the pairs of its callees as one text, with the meaning of global names."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.space import Space
from astad.compiler.codegen.bindings import Bindings
from astad.compiler.codegen.build import GENERATED, Made, Text, home_of, to_text
from astad.compiler.codegen.emit import emit_function
from astad.compiler.codegen.guards import guard
from astad.compiler.codegen.release import release_arrays
from astad.compiler.codegen.trees import Numbers
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.kinds import BOOL, Kind, holds_memory, is_real
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Program
from astad.compiler.ir.outline import outline
from astad.rules.in_force import is_generated
from astad.slotted import dataclass

__all__ = ["Part", "print_parts"]

BACKWARDS = (1, 3)
"""Forward sweep, pullback; of a generator its body and the body's reverse too."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one function of the user's became; ``owner`` is its path in the globals of the function
    that the text is for, empty for this one itself.
    """

    owner: str
    program: Program
    facts: Facts
    derived: Derived
    names: Names


def print_parts(
    parts: Sequence[Part],
    params: Mapping[str, Kind],
    space: Space,
    apart: Sequence[tuple[str, str]],
    *,
    fused: bool,
    releases: bool = True,
) -> tuple[Text, dict[str, tuple[str, str]]]:
    """The text of all, behind the guard of the first, and the bindings of its global names; it
    ``releases`` arrays as soon as they are not needed any more.
    """
    bindings, native = _bindings(parts, space), space.builtins_assumed()
    bindings.native, bindings.assumed = frozenset(native), space.assumed.keys()
    for path in native:  # under its own name, by which the text finds it as it is now
        bindings.name("path", path, path.rpartition(":")[2])
    made: list[Made] = []
    for part in parts:
        paths, lasting = _paths(part.facts, space), _lasting(part)
        for number, function in enumerate(part.derived.functions):
            tree = emit_function(
                function,
                paths=paths,
                taken=part.program.taken,
                bindings=bindings,
                # the forward sweep of a pair is read as a list of operations
                nested=fused or bool(part.owner) or number in BACKWARDS,
                is_text=number in BACKWARDS,
                lasting=lasting,
            )
            if part.owner or number > 1:
                tree.name = bindings.defined[function.name]
            home = GENERATED if number in BACKWARDS else home_of(part.owner)
            made.append(Made(tree, part.owner, part.program.line, home))
    if fused and releases:
        kinds = parts[0].facts.kind
        held = {name for name, kind in kinds.items() if holds_memory(kind)}
        numbers = {name for name, kind in kinds.items() if is_real(kind)}
        release_arrays(made[0].tree, held, numbers)  # the pair's locals end with its forward sweep
    bindings.inactive = {param.name for param in parts[0].program.params} - parts[0].facts.active
    made[0].tree.body[:0] = guard(
        params,
        parts[0].program.opened,
        _tested(space, native),
        native,
        space.met,
        _classes(space),
        apart,
        bindings,
        fused=fused,
        silent=space.silent,
    )
    return to_text(made, _names(parts, bindings)), dict(bindings.bound)


def _tested(space: Space, native: Sequence[str]) -> list[str]:
    """The paths that the guard looks at; ``native`` are those of builtins."""
    return [path for path in space.assumed if path in native or not is_generated(path)]


def _lasting(part: Part) -> set[str]:
    """Names of numbers and bools."""
    kinds = {**part.facts.kind, **part.derived.kinds}
    return {name for name, kind in kinds.items() if is_real(kind) or kind == BOOL}


def _classes(space: Space) -> dict[str, tuple[type, list[str]]]:
    """Classes whose instances are relied on to hold some attributes, by their paths."""
    found = {path: (space.find(path), [*names]) for path, names in space.instances.items()}
    return {path: (cls, names) for path, (cls, names) in found.items() if isinstance(cls, type)}


def _names(parts: Sequence[Part], bindings: Bindings) -> list[Numbers]:
    """How names are written, for each function: temporaries are numbered by pairs."""
    found: list[Numbers] = []
    for part in parts:
        own = Numbers({*part.program.taken, *bindings.bound, *bindings.defined.values()})
        found += [own] * len(part.derived.functions)
    return found


def _variables(program: Program) -> set[str]:
    params = {param.name for param in program.params} | {cell for _, cell in program.free}
    opened = {container.name for container in program.opened}
    return params | opened | outline(program).bound.keys()


def _bindings(parts: Sequence[Part], space: Space) -> Bindings:
    """Global names that are a variable in none of the functions; those of the functions first."""
    plain = [part.program.taken - _variables(part.program) for part in parts]
    taken = [part.names.taken for part in parts]
    everywhere = {
        name
        for name in frozenset[str]().union(*plain)
        if all(name in own or name not in all_ for own, all_ in zip(plain, taken, strict=True))
    }
    names = parts[0].names if len(parts) == 1 else Names(frozenset[str]().union(*taken))
    roots = {root: module for part in parts for root, module in _modules(part.facts, space).items()}
    bindings = Bindings(names, everywhere, roots)
    for number, part in enumerate(parts):
        for function in part.derived.functions[0 if number else 2 :]:
            bindings.define(function.name)
    return bindings


def _paths(facts: Facts, space: Space) -> dict[str, str]:
    """Names that stand for what a guard has compared, and for modules on the way to that."""
    known = {*space.assumed}
    for path in space.assumed:
        known.update([path[:at] for at, sign in enumerate(path) if sign == "."])
    return {name: path for name, path in facts.path.items() if path in known}


def _modules(facts: Facts, space: Space) -> dict[str, str]:
    """Names by which the user's module knows the modules that the program reads."""
    roots = {_root(path) for path in facts.path.values()}
    found: dict[str, str] = {}
    for root in sorted(roots):
        known: Any = space.find(root)
        name = known.__name__ if issubclass(type(known), ModuleType) else ""
        if name and sys.modules.get(name) is known:
            found[root] = name
    return found


def _root(path: str) -> str:
    module, colon, names = path.rpartition(":")
    return f"{module}{colon}{names.partition('.')[0]}"
