"""The passes in order: the table of contents of the compiler."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType

from astad.code_objects import HeldFunction, writes_captured
from astad.compiler.analysis.attempts import Allowed, find_allowed
from astad.compiler.analysis.facts import Facts, find_facts
from astad.compiler.analysis.paths import TO_RESULT, find_paths, reached_as_zero, reached_at_times
from astad.compiler.analysis.space import Space
from astad.compiler.callees import Callees, Unit
from astad.compiler.callees import asked as asked_of
from astad.compiler.codegen.build import Text
from astad.compiler.compiled import Compiled, Stages
from astad.compiler.ir.containers import Container
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.flow import live_at_head
from astad.compiler.ir.kinds import INERT, NOTHING, UNKNOWN, Kind, is_array, is_literal
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Call, Const, Prim, Program
from astad.compiler.ir.outline import is_taped, outline
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY
from astad.compiler.lower.function import lower_function
from astad.compiler.printing import Part, print_parts
from astad.compiler.reverse_mode.adjoint_accumulators import may_be_none
from astad.compiler.reverse_mode.regroup import regroup, regroup_held
from astad.compiler.reverse_mode.sweeps import to_fused, to_pair
from astad.compiler.reverse_mode.taped import to_taped
from astad.compiler.specialise.attempts import with_attempts
from astad.compiler.specialise.cells import OUTSIDE, open_captured, with_held, with_own_cells
from astad.compiler.specialise.first_rounds import write_first_rounds
from astad.compiler.specialise.folded_sums import fold_sums
from astad.compiler.specialise.foreign import foreign_home, named_from, named_functions
from astad.compiler.specialise.inline import Lower, inline_calls
from astad.compiler.specialise.nested import Derivatives, callees_take, takes_gradients, with_marks
from astad.compiler.specialise.plain_floats import on_plain_floats
from astad.compiler.specialise.prepare import names_of, prepare
from astad.compiler.specialise.scalar_replacement import TakenApart, take_apart
from astad.compiler.specialise.truths import ask_truths
from astad.compiler.specialise.webs import name_apart, rename_rebound
from astad.compiler.summaries import Chain, relied_on, relied_on_by, summary_of
from astad.compiler.tidy.attempts import write_attempts
from astad.compiler.tidying import shortened
from astad.rules.registry import lookup
from astad.slotted import dataclass, replace

__all__ = ["Compiled", "Stages", "compile_function"]


def compile_function(
    fn: FunctionType,
    kinds: Sequence[Kind],
    wanted: Sequence[bool],
    *,
    fused: bool,
    generic: bool = False,
    taped: bool = False,
    kind_of: Callable[[object], Kind] | None = None,
    only_fused: bool = False,
    exact: bool = False,
    checked: bool = False,
    again: bool = False,
    forward: str = "",
    held: Sequence[str] = (),
    functions: Mapping[str, HeldFunction] | None = None,
) -> Compiled:
    """The pair, or where possible and asked for the fused form, of a function for arguments of
    these kinds.

    Fused, the contents of the cells of a closure are arguments after its own, and ``kind_of``
    gives the kinds of arrays among the globals. ``only_fused``: in place of a pair nothing is
    written. ``taped`` asks for the pair that keeps what it did where an exception ends it; a
    program with ``try`` has no other. ``exact``: not a tentative variant. ``checked``: the taped
    pair, which looks at each cotangent as it is formed. ``again``: the fused form is itself
    differentiated, not run. ``forward``: in its place, the form that carries
    tangents along: 'tangent' one, 'tangents' many at once, 'value' none. ``held``: globals whose
    contents are arguments behind all others, fused. ``functions``: captured variables that hold
    functions, whose parts are arguments behind all others; an own name for each.
    """
    lower = functools.cache(lower_function)  # callees are met several times
    asked = _Asked(
        fn,
        kinds,
        wanted,
        fused,
        generic,
        kind_of,
        only_fused,
        exact,
        checked,
        again,
        forward,
        lower,
        tuple(held),
        functions or {},
    )
    lowered: Program | None = lower(fn)
    if taped or checked:
        return _taped(asked)
    if lowered is not None and is_taped(lowered):
        lowered, asked = _attempted(lowered, asked), replace(asked, exact=True)
    may_open = (True, False) if not forward or any(_is_held(asked)) else (False,)
    for opens in may_open if lowered is not None else ():
        assert lowered is not None
        made = _compiled(asked, lowered, opens)
        if made is not None and not (forward and opens and made.form == "none"):
            return made
    return _taped(asked)


def _is_held(given: _Asked) -> Iterator[bool]:
    """For each container among the arguments whether no tangent of it is asked for."""
    for kind, is_wanted in zip(given.kinds, given.wanted, strict=False):
        if isinstance(kind, Container):
            yield not is_wanted


@dataclass(frozen=True, slots=True)
class _Asked:
    fn: FunctionType
    kinds: Sequence[Kind]
    wanted: Sequence[bool]
    fused: bool
    generic: bool
    kind_of: Callable[[object], Kind] | None
    only_fused: bool
    exact: bool
    checked: bool
    again: bool
    forward: str
    lower: Lower
    held: tuple[str, ...]
    functions: Mapping[str, HeldFunction]


def _attempted(lowered: Program, given: _Asked) -> Program | None:
    """Each ``try`` as a branch, where something is known that it may be specialised for."""
    if given.generic or all(kind == UNKNOWN for kind in given.kinds):
        return None
    return with_attempts(lowered, names_of(lowered))


def _taped(given: _Asked) -> Compiled:
    fn, lowered = given.fn, given.lower(given.fn)
    names = names_of(lowered)
    space = Space(fn.__globals__)
    space.class_numbers, space.catches = False, True
    program = _prepared(lowered, names, space)
    reach = _reach(program, fn, given.lower)
    params = {param.name: UNKNOWN for param in program.params}
    taken = TakenApart(program, (UNKNOWN,) * len(params), ())
    facts = find_facts(program, params, params, space)
    asking = ask_truths(program, facts, names)
    if asking is not None:  # of what may be an object of the user's
        program, facts = asking, find_facts(asking, params, params, space)
    if given.fused and given.only_fused:
        return _nothing(lowered, facts, taken, space, reach)
    derived = to_taped(program, facts, tuple(params), names, checked=given.checked)
    stages = Stages(lowered, program, facts, derived, derived)
    parts = [Part("", program, facts, derived, names)]
    return _printed("taped", stages, parts, taken, space, reach, tentative=False)


def _compiled(given: _Asked, lowered: Program, opens: bool) -> Compiled | None:
    marked = _marked(given, lowered)
    plain = lowered if marked is None else marked
    owned = _owned(given, plain)
    for special in (owned, marked):
        made = None
        if special is not None:
            made = _compiled_as(given, special, opens, bare=special is owned)
        if made is not None and made.form not in ("none", "pair"):
            return made
    return _compiled_as(given, lowered, opens)


def _owned(given: _Asked, lowered: Program) -> Program | None:
    """With cells of its own in the place of those that its functions share with it, where none of
    these writes one."""
    if given.generic or not given.fused or open_captured(lowered) is not None:
        return None
    code = given.fn.__code__
    if writes_captured(code, code.co_freevars):
        return None
    return with_own_cells(lowered, names_of(lowered))


def _compiled_as(
    given: _Asked, lowered: Program, opens: bool, *, bare: bool = False
) -> Compiled | None:
    """``opens``: containers among the arguments may be taken apart; then there is no result where
    somebody might write them meanwhile; nor where what a ``try`` does may be seen half done;
    ``bare``: nor where a function that it makes is left.
    """
    fn, (lowered, fused) = given.fn, _with_captured(given, lowered)
    begun = _begun(given, lowered, fused, opens=opens, bare=bare)
    if begun is None:
        return None
    names, space, own, taken = begun
    reach = None if given.generic else _reach(own, fn, given.lower)
    program, wanted = taken.program, given.wanted[: len(lowered.params)]
    params, asked = _kinds_inside(taken), taken.asked(wanted)

    def find(program: Program, *, alone: bool) -> tuple[Callees, Facts]:
        return _found(program, params, asked, space, given, alone=alone)

    first = find(program, alone=fused)
    if reach is None:  # the program is its own; but numbers of classes are known to it alone
        reach = _reach(own, fn, given.lower, None if space.numbers else first[1])
    alone = functools.partial(find, alone=fused)
    program, callees, facts = _settled(program, first, names, alone)
    tried = _tried(given, program, callees, facts, asked, names, find) if fused else None
    program, callees, facts, derived = tried or (program, callees, facts, None)
    allowed = find_allowed(program, facts)
    if allowed is None and fused and taken.whole:
        return _nothing(lowered, facts, taken, space, reach)  # to be told as of any length
    if allowed is None or (program.opened and _is_unsafe(given, program, facts)):
        if facts.dispatches and given.fused and given.only_fused:  # nor is there one left whole
            return _nothing(lowered, facts, taken, space, reach)
        return None
    if given.forward:
        found = program, callees, facts, asked, taken, space, reach, names, allowed
        return _tangent(given.forward, lowered, *found)
    if fused and derived is None:
        derived = to_fused(program, facts, asked, names)
    if derived is None and given.fused and given.only_fused:
        return _nothing(lowered, facts, taken, space, reach)
    if fused and derived is None:
        space.kind_of, space.met = None, {}
        callees, facts = find(program, alone=False)
    form = "fused" if derived else "pair"
    derived = derived or to_pair(program, facts, asked, names)  # forward sweep and reverse sweep
    derived = regroup(derived, program, wanted, names)  # containers, as the user has them
    tidied = write_attempts(shortened(derived, names, again=given.again), allowed)
    if tidied is None:
        return None  # no program is known: what tidying moves out of a ``try``
    stages = Stages(lowered, program, facts, derived, tidied)
    parts = [Part("", program, facts, tidied, names), *map(_part, callees.used(facts))]
    return _printed(form, stages, parts, taken, space, reach, tried is not None, given.again)


def _begun(
    given: _Asked, lowered: Program, fused: bool, *, opens: bool, bare: bool
) -> tuple[Names, Space, Program, TakenApart] | None:
    """The program, prepared, and for its kinds. Where a container is left whole nothing tells what
    a star before it hands over.
    """
    kinds = given.kinds[: len(lowered.params)]
    may_have_stars = opens and not given.generic and any(isinstance(k, Container) for k in kinds)
    for stars in (True, False) if may_have_stars else (False,):
        names = names_of(lowered)
        space = Space(given.fn.__globals__, given.kind_of if fused else None)
        space.held = {one.path: one.fn for each in given.functions.values() for one in each.all()}
        space.class_numbers, space.again = not given.generic, given.again
        starred, relied = lowered, set[int]()
        if stars:
            from astad.compiler.specialise.star_arguments import with_star_arguments  # late: so too

            starred, relied = with_star_arguments(lowered, kinds, names)
        own = _prepared(named_functions(starred, kinds, names), names, space)
        taken = _taken(given, own, kinds, names, space, opens=opens, bare=bare)
        if taken is None or (given.functions and _makes_held(taken.program)):
            return None
        if relied.isdisjoint(taken.whole):
            return names, space, own, taken
    return None


def _makes_held(program: Program) -> bool:
    """Is a captured function left that something else is done with than to call it?"""
    return any(
        isinstance(node.args[0], Const) and str(node.args[0].value)[:3] == "('="
        for node in outline(program).calls_of("function")
    )


def _taken(
    given: _Asked,
    program: Program,
    kinds: Sequence[Kind],
    names: Names,
    space: Space,
    *,
    opens: bool,
    bare: bool,
) -> TakenApart | None:
    """The program for its kinds; None where more is left in it than may be."""
    if given.generic:
        return TakenApart(program, tuple(kinds), ())
    written = _with_gradients(program, names, space, given)
    if written is None:
        return None
    taken = _specialised(written, kinds, names, space, given.fn, given.lower, opens=opens)
    if any(outline(taken.program).calls_of("list", "tuple")):
        from astad.compiler.specialise.listed_operands import with_arrays  # late: many have none

        taken = replace(taken, program=with_arrays(taken.program, names, space))
    has_functions = bare and any(outline(taken.program).calls_of("function"))
    return None if has_functions else taken


def _kinds_inside(taken: TakenApart) -> dict[str, Kind]:
    """The kinds of the parameters as the analyses know them: a literal is inert, and tells nothing
    of a variable that is bound anew before it is read.
    """
    both = zip(taken.program.params, taken.kinds, strict=True)
    found = {param.name: INERT if is_literal(kind) else kind for param, kind in both}
    if any(map(is_literal, taken.kinds)):
        read = live_at_head(taken.program.body)
        anew = outline(taken.program).bound.keys() - read
        found |= {name: NOTHING for name in anew if found.get(name) == INERT}
    return found


def _with_captured(given: _Asked, lowered: Program) -> tuple[Program, bool]:
    """With what it has captured as parameters, where it is to be fused; and whether it may be."""
    if not given.fused or not lowered.free:
        return _holding(lowered, given), given.fused
    opened = open_captured(lowered)
    if opened is not None and given.functions:
        from astad.compiler.specialise.held_functions import with_functions  # late: few need it

        opened = with_functions(opened, given.functions, names_of(opened))
    return _holding(opened or lowered, given), opened is not None


def _holding(lowered: Program, given: _Asked) -> Program:
    """With what globals hold as parameters too."""
    return with_held(lowered, given.held) if given.held else lowered


def _tangent(
    form: str,
    lowered: Program,
    program: Program,
    callees: Callees,
    facts: Facts,
    asked: Sequence[str],
    taken: TakenApart,
    space: Space,
    reach: tuple[tuple[bool, ...], tuple[Chain, ...]],
    names: Names,
    allowed: Allowed,
) -> Compiled:
    """The form that carries tangents along, with those of the callees, or nothing."""
    nothing = functools.partial(_nothing, lowered, facts, taken, space, reach)
    # late: few ask for it
    from astad.compiler.analysis.repeatable import is_repeatable
    from astad.compiler.forward_mode.tangents import kind_of_result, to_tangent, to_value

    many = form == "tangents"
    if form == "value":
        derived = to_value(program, facts, names)
        every = [(program, facts), *((unit.program, unit.facts) for unit in callees.used(facts))]
        times = "again" if all(is_repeatable(*each) for each in every) else "once"
        form = f"value {kind_of_result(program, facts)} {times}"
    else:
        derived = to_tangent(program, facts, asked, names, many=many)
    tidied = None if derived is None else write_attempts(shortened(derived, names), allowed)
    if derived is None or tidied is None:
        return nothing()
    tidied = regroup_held(tidied, program)
    if tidied is None:
        return nothing()
    parts = [Part("", program, facts, tidied, names)]
    for unit in callees.used(facts):
        own = unit.names.copy()
        made = to_tangent(unit.program, unit.facts, asked_of(unit), own, unit.known, many=many)
        if made is None:
            return nothing()
        parts.append(Part(unit.callee.path, unit.program, unit.facts, shortened(made, own), own))
    stages = Stages(lowered, program, facts, derived, tidied)
    return _printed(form, stages, parts, taken, space, reach, tentative=False)


def _is_unsafe(given: _Asked, program: Program, facts: Facts) -> bool:
    """May containers among the arguments be written while their parts go by names? Or is there a
    part of an object that has a gradient in some runs only, and the text cannot tell in which?
    """
    if _may_write_containers(program, facts):
        return True
    at_times = reached_at_times(program, facts)
    if not at_times or given.forward:
        return False
    parts = at_times.intersection(param.name for param in program.params)
    is_told = all(may_be_none(name, facts) for name in at_times)
    return given.again or not is_told or not parts.isdisjoint(reached_as_zero(program, facts))


READING = {*BINARY, *UNARY, *COMPARE, "tuple", "list", "dict", "slice", "unpack", "format", "join"}
"""Operations that write none of their operands."""


def _may_write_containers(program: Program, facts: Facts) -> bool:
    """Is anything called, with a derivative, that could write what it is not even given?"""
    text = outline(program)
    given = [param.name for param in program.params]
    found = [str(node.target) for node in text.calls_of("global") if node.target not in facts.known]
    strange = any(facts.kind_of(name) == UNKNOWN for name in (*given, *found))
    return any(
        facts.treatment.get(id(node)) == "dispatch" and not _is_harmless(node, facts, strange)
        for node in text.calls
    )


def _is_harmless(node: Call, facts: Facts, strange: bool) -> bool:
    """Numbers and arrays come of it, or what has been made here; an operator on an object of the
    user's may do anything.
    """
    operands_known = all(facts.kind_of(arg) != UNKNOWN for arg in node.args)
    if isinstance(node.fn, Prim):
        return operands_known or (node.fn.name in READING and not strange)
    known = facts.known.get(str(node.fn))
    return lookup(known) is not None and (operands_known or not strange)


def _settled(
    program: Program,
    first: tuple[Callees, Facts],
    names: Names,
    find: Callable[[Program], tuple[Callees, Facts]],
) -> tuple[Program, Callees, Facts]:
    """What is known where each use of a name has its own, and tests of objects are asked for;
    ``first`` is what is known of the program as it is.
    """
    callees, facts = first
    apart = name_apart(program, facts, names)
    if apart is not None and (found := find(apart))[1].less_dispatched(facts):
        program, (callees, facts) = apart, found
    asking = ask_truths(program, facts, names)
    if asking is not None:  # of what may be an object of the user's
        return asking, *find(asking)
    return program, callees, facts


def _found(
    program: Program,
    params: Mapping[str, Kind],
    asked: Sequence[str],
    space: Space,
    given: _Asked,
    *,
    alone: bool,
    may_leave: bool = True,
) -> tuple[Callees, Facts]:
    """Kinds, activity, treatment of each call, together with those of the callees.

    ``may_leave``: if it is alone, it may stop half-way for another text, which runs it all anew.
    """
    opened = functools.partial(_opened, given)
    may_leave = may_leave and alone
    callees = Callees(space, opened, alone=alone, may_leave=may_leave)
    look = None if given.generic else callees.look
    facts = callees.settle(
        program,
        lambda: find_facts(
            program, params, asked, space, alone=alone, may_leave=may_leave, tells=alone, look=look
        ),
    )
    if may_leave and facts.leaves and callees.draw(facts):
        return _found(program, params, asked, space, given, alone=alone, may_leave=False)
    if facts.dispatches and space.class_numbers and space.numbers:
        space.forget_class_numbers()  # whoever is called may write them
        return _found(program, params, asked, space, given, alone=alone, may_leave=may_leave)
    return callees, facts


def _tried(
    given: _Asked,
    program: Program,
    callees: Callees,
    facts: Facts,
    asked: Sequence[str],
    names: Names,
    find: Callable[..., tuple[Callees, Facts]],
) -> tuple[Program, Callees, Facts, Derived] | None:
    """The fused form that has numbers in the place of variables that may be None, that works on
    Python floats in the place of arrays, or that begins a loop with an array where the user, or a
    sum, begins with a number, if there may be one.
    """
    if given.exact or given.forward or callees.draw(facts):
        return None  # what a tentative text has drawn is drawn again by the next
    without_none = _with_optionals(program, facts, names)
    if without_none is not None:
        called, known = find(without_none, alone=True)
        derived = to_fused(without_none, known, asked, names)
        if derived is not None:
            return without_none, called, known, derived
    folded = fold_sums(program, facts) if facts.dispatches else None
    sums = folded.sums if folded else ()
    if folded is not None:
        program, (_, facts) = folded.program, find(folded.program, alone=True)
    changed = None if folded else on_plain_floats(program, facts, names)
    changed = changed or write_first_rounds(program, facts, names)
    if changed is None:
        return None
    callees, facts = find(changed, alone=True)
    if not all(is_array(facts.kind_of(name)) for name in sums):
        return None
    derived = to_fused(changed, facts, asked, names)
    return None if derived is None else (changed, callees, facts, derived)


def _with_optionals(program: Program, facts: Facts, names: Names) -> Program | None:
    """With numbers in the place of variables that are None or a number, if there are any."""
    nothing = any(type(n) is Bind and n.source == Const(None) for n in outline(program).nodes)
    if not nothing or not facts.dispatches:
        return None
    # late: few need it
    from astad.compiler.specialise.optionals import find_optionals, with_optionals

    found = find_optionals(program, facts)
    return with_optionals(program, found, names) if found else None


def _reach(
    program: Program, fn: FunctionType, lower: Lower, facts: Facts | None = None
) -> tuple[tuple[bool, ...], tuple[Chain, ...]]:
    """For each parameter whether a derivative can reach it, as the user's own text tells, not as
    what became of it does: the same in all variants. And what that relies on. ``facts``: those of
    the program for arguments of any kind, where they are known.
    """
    if not any(param.kind in OUTSIDE for param in program.params):
        # studied once for all variants and callers
        found = summary_of(fn, program, lower, facts)
        found = (TO_RESULT,) * len(program.params) if found is None else found
        return _to_the_result(found), relied_on_by(fn)
    params = {param.name: UNKNOWN for param in program.params}
    facts = find_facts(program, params, params, Space(fn.__globals__))
    return _to_the_result(find_paths(program, facts, summary_of)), relied_on(facts)


def _to_the_result(found: Sequence[int]) -> tuple[bool, ...]:
    return tuple([each & TO_RESULT > 0 for each in found])


def _containers(program: Program, kinds: Sequence[Kind]) -> list[str]:
    """Parameters of a known structure."""
    both = zip(program.params, kinds, strict=True)
    return [param.name for param, kind in both if isinstance(kind, Container)]


def _nothing(
    lowered: Program,
    facts: Facts,
    taken: TakenApart,
    space: Space,
    reach: tuple[tuple[bool, ...], tuple[Chain, ...]],
) -> Compiled:
    """Where no fused form is possible and nothing else was asked for."""
    empty = Derived((), shadows=False, local_result=False, taken=taken.program.taken)
    stages = Stages(lowered, taken.program, facts, empty, empty)
    return _described(
        "none", Text("", (), (), ()), {}, stages, taken, space, reach, tentative=False
    )


def _printed(
    form: str,
    stages: Stages,
    parts: Sequence[Part],
    taken: TakenApart,
    space: Space,
    reach: tuple[tuple[bool, ...], tuple[Chain, ...]],
    tentative: bool,
    again: bool = False,
) -> Compiled:
    apart = _apart(stages.specialised, stages.facts, space)
    text, bound = print_parts(
        parts,
        taken.plain,
        space,
        apart,
        fused=form not in ("pair", "taped"),
        releases=form == "fused" and not again,
    )
    return _described(form, text, bound, stages, taken, space, reach, tentative=tentative)


def _described(
    form: str,
    text: Text,
    bound: Mapping[str, tuple[str, str]],
    stages: Stages,
    taken: TakenApart,
    space: Space,
    reach: tuple[tuple[bool, ...], tuple[Chain, ...]],
    *,
    tentative: bool,
) -> Compiled:
    derived = stages.tidied
    return Compiled(
        form,
        text,
        bound,
        (*space.assumed, *space.met),
        derived.shadows,
        derived.local_result,
        reach[0],
        tuple(sorted({*reach[1], *relied_on(stages.facts), *((path,) for path in space.no_kind)})),
        taken.whole,
        tentative,
        stages,
    )


def _prepared(lowered: Program, names: Names, space: Space) -> Program:
    program = prepare(lowered, names, space)  # one form of call, one return where possible
    for path in program.assumed:
        space.assume(path)
    return program


def _marked(given: _Asked, lowered: Program) -> Program | None:
    """With marks for the inner functions of which derivatives are taken; None where there are
    none.
    """
    maker = Space.derivatives
    if maker is None or given.generic or not given.fused:
        return None
    return with_marks(lowered, Space(given.fn.__globals__), names_of(lowered), maker)


def _with_gradients(program: Program, names: Names, space: Space, given: _Asked) -> Program | None:
    """Derivatives that the program takes of known functions as calls of functions; None where one
    of an inner function that has a mark is left.
    """
    maker = Space.derivatives
    if maker is None:
        return program
    kinds = given.kinds[: len(program.params)]
    if not takes_gradients(program, space, maker):
        if not callees_take(program, space, maker):
            return program
        program = inline_calls(program, names, space, given.lower, [], given.fn)
        if not takes_gradients(program, space, maker):
            return program
    found = Derivatives(program, given.fn, space, names, maker)
    for _ in range(MOST_ROUNDS):
        look, own = Space(space.namespace, space.kind_of), names.copy()
        look.held = space.held
        guessed = found.guessed(own)
        if guessed is None:
            break
        containers = _containers(guessed, kinds)
        guessed = inline_calls(guessed, own, look, given.lower, containers, given.fn)
        taken = take_apart(guessed, kinds, own, look, given.lower, arguments=False)
        params = _kinds_inside(taken)
        _, facts = _found(taken.program, params, tuple(params), look, given, alone=False)
        if not found.written(taken.program, facts):
            break
    return found.program if found.is_whole else None


MOST_ROUNDS = 8
"""In each the derivatives are written whose arguments are known, by what was written before."""


def _specialised(
    program: Program,
    kinds: Sequence[Kind],
    names: Names,
    space: Space,
    fn: FunctionType,
    lower: Lower,
    *,
    opens: bool,
) -> TakenApart:
    """The program as the analyses for certain kinds expect it."""
    containers = _containers(program, kinds) if opens else []
    # small callees, straight or given a container
    program = inline_calls(program, names, space, lower, containers, fn)
    # containers into names
    taken = take_apart(program, kinds, names, space, lower, arguments=opens)
    return replace(taken, program=rename_rebound(taken.program, names))  # a name for each value


def _apart(program: Program, facts: Facts, space: Space) -> list[tuple[str, str]]:
    """Arrays that are differentiated beside arrays that are captured or global: what is one object
    under two names would have one cotangent.
    """
    kinds = [(param, facts.kind_of(param.name)) for param in program.params]
    captured = [param.name for param, kind in kinds if param.kind in OUTSIDE and is_array(kind)]
    asked = [param.name for param, kind in kinds if param.name in facts.active and is_array(kind)]
    found = [path for path, kind in space.met.items() if is_array(kind)]
    return [(name, other) for name in asked for other in (*captured, *found) if name != other]


def _opened(
    given: _Asked, fn: FunctionType, kinds: Sequence[Kind], space: Space
) -> tuple[Program, Names]:
    """A callee as the analyses expect it."""
    lowered = named_from(given.lower(fn), foreign_home(fn, space.namespace) or "")
    names = names_of(lowered)
    if is_taped(lowered):
        return lowered, names  # it has the one form that it has
    program = _prepared(lowered, names, space)
    asked = replace(given, fn=fn, kinds=tuple(kinds), held=())
    program = _with_gradients(program, names, space, asked) or program
    whole = (UNKNOWN,) * len(program.params)  # containers among its arguments stay whole
    return _specialised(program, whole, names, space, fn, given.lower, opens=False).program, names


def _part(unit: Unit) -> Part:
    """The pair of a callee."""
    assert unit.derived is not None
    tidied = shortened(unit.derived, unit.written)
    return Part(unit.callee.path, unit.program, unit.facts, tidied, unit.written)
