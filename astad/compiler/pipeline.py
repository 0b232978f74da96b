"""The passes in order: the table of contents of the compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from astad.compiler.analysis.certain import depends_on_run
from astad.compiler.analysis.effects import may_write_containers
from astad.compiler.analysis.facts import Facts, find_facts
from astad.compiler.analysis.floats import find_floats
from astad.compiler.analysis.paths import find_paths
from astad.compiler.analysis.space import Space
from astad.compiler.analysis.structure import study
from astad.compiler.codegen.bindings import Bindings
from astad.compiler.codegen.build import Text, to_text
from astad.compiler.codegen.emit import emit_function
from astad.compiler.codegen.guards import guard
from astad.compiler.codegen.release import release_arrays
from astad.compiler.ir.containers import Container
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.kinds import UNKNOWN, Kind, is_array, is_real
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Program
from astad.compiler.lower.function import lower_function
from astad.compiler.reverse_mode.regroup import regroup
from astad.compiler.reverse_mode.sweeps import to_fused, to_pair
from astad.compiler.specialise.captured import CAPTURED, open_captured
from astad.compiler.specialise.inline import inline_calls
from astad.compiler.specialise.prepare import names_of, prepare
from astad.compiler.specialise.rename import rename_rebound
from astad.compiler.specialise.take_apart import TakenApart, take_apart
from astad.compiler.summaries import Chain, relied_on, summary_of
from astad.compiler.tidy.algebra import shorten_products
from astad.compiler.tidy.common import share_common
from astad.compiler.tidy.constants import fold_constants
from astad.compiler.tidy.copies import drop_copies
from astad.compiler.tidy.dead_code import drop_dead_code
from astad.compiler.tidy.signs import carry_signs

__all__ = ["Compiled", "Stages", "compile_function"]


@dataclass(frozen=True, slots=True)
class Stages:
    """What each pass handed to the next, for `python -m astad.show --stage`."""

    lowered: Program
    specialised: Program
    facts: Facts
    derived: Derived
    tidied: Derived


@dataclass(frozen=True, slots=True)
class Compiled:
    """What one compilation gives: text and what its global names stand for.

    ``form`` is 'fused' or 'pair'; ``bound`` maps each global name of the text to what it stands
    for; ``guarded`` holds the dotted paths of the user's globals that the guard compares;
    ``inlined`` the paths of functions whose text is in this one; ``reaches`` tells for each
    parameter whether a derivative can reach it at all, and ``relied_on`` which callees, and
    callees of theirs, were looked at to tell; ``whole`` are the places of containers that were
    not taken apart.
    """

    form: str
    text: Text
    bound: Mapping[str, tuple[str, str]]
    guarded: tuple[str, ...]
    inlined: tuple[str, ...]
    shadows: bool
    local_result: bool
    reaches: tuple[bool, ...]
    relied_on: tuple[Chain, ...]
    whole: tuple[int, ...]
    stages: Stages


def compile_function(
    fn: FunctionType,
    kinds: Sequence[Kind],
    wanted: Sequence[bool],
    *,
    fused: bool,
    generic: bool = False,
    kind_of: Callable[[object], Kind] | None = None,
) -> Compiled:
    """The pair, or where possible and asked for the fused form, of a function for arguments of
    these kinds.

    Fused, the contents of the cells of a closure are arguments after its own, and ``kind_of``
    gives the kinds of arrays among the globals.
    """
    for opens in (True, False):
        made = _compiled(fn, kinds, wanted, fused, generic, kind_of, opens)
        if made is not None:
            break
    assert made is not None
    return made


def _compiled(
    fn: FunctionType,
    kinds: Sequence[Kind],
    wanted: Sequence[bool],
    fused: bool,
    generic: bool,
    kind_of: Callable[[object], Kind] | None,
    opens: bool,
) -> Compiled | None:
    """``opens``: containers among the arguments may be taken apart; then there is no result where
    somebody might write them meanwhile.
    """
    lowered = lower_function(fn)  # source to Wengert list
    if fused and lowered.free:
        opened = open_captured(lowered)
        lowered, fused = opened or lowered, opened is not None
        kinds, wanted = kinds[: len(lowered.params)], wanted[: len(lowered.params)]
    names = names_of(lowered)
    space = Space(fn.__globals__, kind_of if fused else None)
    program = prepare(lowered, names, space)  # one form of call, one return where possible
    for path in program.assumed:
        space.assume(path)
    taken = TakenApart(program, tuple(kinds), (), is_changed=False)
    inlined: tuple[str, ...] = ()
    reach = _reach(program, fn)
    if not generic:
        containers = _containers(program, kinds) if opens else []
        program, inlined = inline_calls(
            program, names, space, lower_function, containers
        )  # small callees, straight or given a container
        taken = take_apart(program, kinds, names, space, arguments=opens)  # containers into names
        program = rename_rebound(taken.program, names)  # a name of its own for each value
    params = {param.name: kind for param, kind in zip(program.params, taken.kinds, strict=True)}
    asked = taken.asked(wanted)
    facts = find_facts(
        program, params, asked, space, alone=fused
    )  # kinds, activity, treatment of each call
    unsafe = may_write_containers(program, facts) or depends_on_run(program, facts)
    if program.opened and unsafe:
        return None
    derived = to_fused(program, facts, asked, names) if fused else None
    if fused and derived is None:
        space.kind_of, space.met = None, {}
        facts = find_facts(program, params, asked, space)
    form = "fused" if derived else "pair"
    derived = derived or to_pair(program, facts, asked, names)  # forward sweep and reverse sweep
    derived = regroup(derived, program, wanted, names)  # containers, as the user has them
    stages = Stages(lowered, program, facts, derived, _tidied(derived, names))
    return _print(form, stages, taken, space, inlined, names, reach)


def _reach(program: Program, fn: FunctionType) -> tuple[tuple[bool, ...], tuple[Chain, ...]]:
    """For each parameter whether a derivative can reach it, as the user's own text tells, not as
    what became of it does: the same in all variants. And what that relies on.
    """
    params = {param.name: UNKNOWN for param in program.params}
    facts = find_facts(program, params, params, Space(fn.__globals__))
    return find_paths(program, facts, summary_of), relied_on(facts)


def _containers(program: Program, kinds: Sequence[Kind]) -> list[str]:
    """Parameters of a known structure."""
    both = zip(program.params, kinds, strict=True)
    return [param.name for param, kind in both if isinstance(kind, Container)]


def _tidied(derived: Derived, names: Names) -> Derived:
    derived = find_floats(derived)  # names that hold a Python float
    derived = fold_constants(derived)  # seeds, zeros that were never added to
    derived = drop_copies(derived)
    derived = share_common(derived)  # what is computed twice
    derived = drop_copies(derived)
    derived = shorten_products(derived)  # literal factors
    derived = carry_signs(derived, names)  # a minus goes into the addition behind it
    return drop_dead_code(derived)


def _print(
    form: str,
    stages: Stages,
    taken: TakenApart,
    space: Space,
    inlined: tuple[str, ...],
    names: Any,
    reach: tuple[tuple[bool, ...], tuple[Chain, ...]],
) -> Compiled:
    program, facts, derived = stages.specialised, stages.facts, stages.tidied
    plain = program.taken - set(study(program).bindings)
    bindings = Bindings(names, plain, _modules(facts, space))
    paths = _paths(facts, space)
    made = [
        emit_function(
            function,
            paths=paths,
            taken=program.taken,
            bindings=bindings,
            # the forward sweep of a pair is read as a list of operations
            nested=form == "fused" or number > 0,
        )
        for number, function in enumerate(derived.functions)
    ]
    if form == "fused":
        held = {name for name, kind in facts.kind.items() if is_array(kind)}
        numbers = {name for name, kind in facts.kind.items() if is_real(kind)}
        release_arrays(made[0], held, numbers)  # the pair's locals end with its forward sweep
    apart = _apart(program, facts, space)
    assumed, opened = tuple(space.assumed), program.opened
    made[0].body[:0] = guard(
        taken.plain, opened, assumed, space.met, apart, bindings, fused=form == "fused"
    )
    text = to_text(made, program.line)
    return Compiled(
        form,
        text,
        dict(bindings.bound),
        (*space.assumed, *space.met),
        inlined,
        derived.shadows,
        derived.local_result,
        reach[0],
        tuple(sorted({*reach[1], *relied_on(facts)})),
        taken.whole,
        stages,
    )


def _apart(program: Program, facts: Facts, space: Space) -> list[tuple[str, str]]:
    """Arrays that are differentiated beside arrays that are captured or global: what is one object
    under two names would have one cotangent.
    """
    kinds = [(param, facts.kind_of(param.name)) for param in program.params]
    captured = [param.name for param, kind in kinds if param.kind == CAPTURED and is_array(kind)]
    asked = [param.name for param, kind in kinds if param.name in facts.active and is_array(kind)]
    found = [path for path, kind in space.met.items() if is_array(kind)]
    return [(name, other) for name in asked for other in (*captured, *found) if name != other]


def _modules(facts: Facts, space: Space) -> dict[str, str]:
    """Names by which the user's module knows the modules that the program reads."""
    roots = {path.partition(".")[0] for path in facts.path.values()}
    found = {root: space.find(root) for root in sorted(roots)}
    return {
        root: module.__name__ for root, module in found.items() if isinstance(module, ModuleType)
    }


def _paths(facts: Facts, space: Space) -> dict[str, str]:
    """What names stand for among the user's globals, as far as it was relied on."""
    return {
        name: path
        for name, path in facts.path.items()
        if path in space.assumed or _is_prefix(path, space)
    }


def _is_prefix(path: str, space: Space) -> bool:
    """Is it a module on the way to something assumed?"""
    return any(assumed.startswith(path + ".") for assumed in space.assumed)
