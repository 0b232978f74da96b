"""Calls decided at run time: by a rule, from source, or refused with a remedy.

``call`` gives the result and a record of how to go back; ``pull`` goes back.

>>> import operator
>>> from astad.runtime.cotangents.shadows import Shadows
>>> from astad.runtime.core.versions import Versions
>>> y, record = call(Versions(), operator.mul, 2.0, 5.0)
>>> y, tuple(pull(Shadows(), record, 3.0, 2))
(10.0, (15.0, 6.0))
"""

from __future__ import annotations

from collections.abc import Sequence
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)

import numpy as np

from astad.code_objects import ASYNCHRONOUS
from astad.errors import AstadError
from astad.rules.formula import Rule
from astad.rules.in_force import CUSTOM, QUICK, REGISTRY
from astad.rules.registry import lookup, read_more
from astad.runtime import (  # noqa: F401  (fill the table)
    language,
    scipy,
)
from astad.runtime.arrays import (  # noqa: F401  (fill the table)
    array_layout,
    placing,
)
from astad.runtime.arrays.finalized_arrays import MAKING, finalize
from astad.runtime.arrays.operand_hooks import apply_with_hooks, hooked
from astad.runtime.calls import (  # noqa: F401  (fill the table)
    cached_calls,
    library,
)
from astad.runtime.calls.cached_calls import reads_state
from astad.runtime.calls.custom_calls import by_custom_rule, total
from astad.runtime.calls.inert_modules import runs_as_it_is
from astad.runtime.calls.type_checkers import rule_of_checker
from astad.runtime.classes import (  # noqa: F401  (fill the table)
    class_checks,
    classes,
    data_classes,
    enum_calls,
    generic_classes,
    instances,
    slots_by_hand,
)
from astad.runtime.classes.construction import construct
from astad.runtime.containers import (  # noqa: F401  (fill the table)
    heaps,
)
from astad.runtime.control import (  # noqa: F401  (fill the table)
    context_variables,
    exception_groups,
    installed_hooks,
    threads,
)
from astad.runtime.core.argument_places import defaulted_of, part_at, places_of
from astad.runtime.core.depth import DEEP, come_back, go_down
from astad.runtime.core.full_rules import (
    CALLED,
    FULL,
    INERT,
    Cotangents,
    Record,
    Value,
    callbacks,
    descriptor_of,
    flows,
    has_arrived,
    opaque,
    python_method,
    raise_in_pythons_words,
)
from astad.runtime.core.paths_of_records import PATHS, paths_of
from astad.runtime.core.stand_ins import asked_of
from astad.runtime.core.variants import (
    Pair,
    bound_arguments,
    compiler,
    run_forward,
    run_known,
    run_taped,
    variants_of,
)
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.formula_rules import apply_rule
from astad.runtime.hashed_copies import check_hashed
from astad.runtime.iteration import (  # noqa: F401  (fill the table)
    container_iterators,
    generators,
    own_iterators,
)
from astad.runtime.operations import (  # noqa: F401  (fill the table)
    exact_numbers,
    number_methods,
)
from astad.runtime.operations.class_attributes import BOUND
from astad.runtime.operations.dataclass_methods import rule_of_made
from astad.runtime.operations.native_hooks import (
    HOOKING,
    objects_met,
    run_asking,
    run_rule_asking,
    run_with_hooks,
)
from astad.runtime.python import (  # noqa: F401  (fill the table)
    executed,
    functional,
)
from astad.runtime.text import (  # noqa: F401  (fill the table)
    open_files,
    text_calls,
)
from astad.runtime.text.texts import READING, TEXTS, follow, is_text
from astad.runtime.unseen.debuggers import call_inert
from astad.runtime.unseen.unrecorded import hooks_of, run_unrecorded
from astad.runtime.unseen.writing_code import QUIET
from astad.tangents.zero import has_identity, is_of_structures

__all__ = ["add_part", "add_slot", "call", "pull", "total"]


def call(versions: Versions, fn: Value, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    """``fn(*args, **keywords)`` and the record of how to go back through it."""
    key = id(fn)
    if key in CUSTOM:
        return by_custom_rule(versions, fn, args, keywords)
    known = QUICK.get(key)
    if known is not None and known[0] == len(args) and not keywords:
        found: tuple[Value, Record] | None = known[1](versions, *args)
        if found is not None:
            return found
    if key in HOOKING and (objects := objects_met(versions, key, args)):
        return run_with_hooks(fn, objects, versions, args, keywords)
    if key in FULL:
        if versions.stand_ins:
            check_hashed(versions, fn, args)
        try:
            y, record = FULL[key](versions, *args, **keywords)
        except TypeError as error:
            raise_in_pythons_words(error, fn, args, keywords)
            raise
        if versions.departed and key in READING:
            record = follow(versions, fn, y, record, args, keywords)
        if issubclass(type(y), np.ndarray) and type(y) is not np.ndarray and key in MAKING:
            record = finalize(y, record, args)
        return y, record
    if key in INERT:
        if versions.written:
            versions.settle()
        if versions.stand_ins:
            args = asked_of(versions, fn, args)
        if keywords or versions.installed or not QUIET.issuperset(map(type, args)):
            return run_asking(versions, fn, args, keywords)
        y = fn(*args, **keywords)
        if versions.departed or type(y) in TEXTS:
            return y, follow(versions, fn, y, None, args, keywords)
        return y, None
    rule = REGISTRY.get(key)
    if rule is not None:
        return _ruled(versions, rule, args, keywords)
    if read_more():
        return call(versions, fn, *args, **keywords)
    kind = type(fn)
    if kind is FunctionType:
        return _compiled(versions, fn, args, keywords)
    if kind is MethodType:
        return _without_first(*call(versions, fn.__func__, fn.__self__, *args, **keywords), fn)
    if kind is BuiltinFunctionType or kind is MethodWrapperType:
        return _builtin(versions, fn, args, keywords)
    if kind in CALLED:
        return CALLED[kind](versions, fn, *args, **keywords)
    return _other(versions, fn, args, keywords)


def _ruled(
    versions: Versions, rule: Rule, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """By a one-line rule; what left by it as text or in structures is noted."""
    if rule.form == "zero" and versions.stand_ins:
        args = asked_of(versions, rule.fn, args)
    own = hooked((*args, *keywords.values()) if keywords else args)
    by_rule = apply_rule if own is None else apply_with_hooks
    if rule.form == "zero" and by_rule is apply_rule:
        y, record = run_rule_asking(versions, rule, args, keywords)
    else:
        y, record = by_rule(versions, rule, args, keywords)
    if record is None and any(map(is_of_structures, (y, *args))):
        record = opaque(f"{rule.name} of structures", y, (*args, *keywords.values()))
    if versions.departed or y is None or is_text(y):
        given_away = y is None and record is None
        record = follow(versions, rule.fn, y, record, args, keywords, keeps=given_away)
    if issubclass(type(y), np.ndarray) and type(y) is not np.ndarray:
        record = finalize(y, record, (*args, *keywords.values()))
    return y, record


def pull(shadows: Shadows, record: Record, y_bar: Value, n: int) -> Sequence[Value]:
    """Cotangents of the ``n`` operands of a call; None where no part is handed over by value."""
    if record is not None:
        parts: Cotangents = record[0](shadows, y_bar, *record[1:])
        if parts is not None:
            return parts
    return _NONE[n] if n < len(_NONE) else (None,) * n


_NONE = tuple((None,) * n for n in range(8))


def add_part(shadows: Shadows, value: Value, bar: Value) -> None:
    """Move a local part into the shadow."""
    if bar is not None:
        shadows.add(value, bar)


def add_slot(shadows: Shadows, a: Value, index: Value, part: Value) -> None:
    """Add a part of the element or slice of an array to its shadow; None where nothing came."""
    if part is not None:
        shadows.index_add(a, index, part)


callbacks.call = call
callbacks.pull = pull


# --- compiled from source


def _compiled(
    versions: Versions, fn: FunctionType, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    versions.depth = depth = versions.depth + 1
    try:
        if depth >= DEEP:
            go_down(versions, depth)
        if versions.budget is not None:
            fn = compiler.in_rounds(fn)
        watched = versions.calls is not None
        known = None if keywords or watched else run_known(fn, args, versions)
        if known is not None:
            held = known[2].held(args) if known[2].opened else args
            return known[0], (_pull_compiled, *known, held, None, None)
        return _newly_compiled(versions, fn, args, keywords)
    finally:
        versions.depth = depth - 1
        if depth == DEEP:
            come_back(versions)


def _newly_compiled(
    versions: Versions, fn: FunctionType, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    if runs_as_it_is(fn, args, keywords):
        if versions.written:
            versions.settle()
        given = (*args, *keywords.values())
        y, refusing = run_unrecorded(
            versions,
            f"{fn.__module__}.{fn.__qualname__}",
            lambda: call_inert(fn, args, keywords),
            given,
            hooks_of(fn.__module__),
        )
        record = opaque(fn.__qualname__, y, given) if any(map(flows, given)) else None
        return y, refusing(follow(versions, fn, y, record, args, keywords, keeps=True))
    flat, code = bound_arguments(fn, args, keywords), fn.__code__  # which the call may replace
    refused: AstadError | None = None
    try:
        if versions.catching:
            y, kept, pair = _run_caught(versions, fn, flat, args, keywords)
        elif versions.calls is not None:
            y, kept, pair = _run_apart(versions, fn, flat)
        else:
            y, kept, pair = run_forward(fn, flat, versions)
    except AstadError as error:
        if getattr(error, "of_code", None) != id(code):
            raise
        refused = error
    if refused is not None:  # outside of the handler: what it raises has no context of astad's
        made = rule_of_made(fn) or rule_of_checker(fn)
        if made is not None:
            return made(versions, fn, *args, **keywords)
        return _plain_if_harmless(versions, fn, args, keywords, refused)
    held = pair.held(flat) if pair.opened else flat
    if len(args) == code.co_argcount == len(flat) and not keywords:
        return y, (_pull_compiled, y, kept, pair, held, None, None)
    places = places_of(code, flat, args, keywords)
    return y, (_pull_compiled, y, kept, pair, held, places, defaulted_of(fn, code, flat, places))


def _run_apart(
    versions: Versions, fn: FunctionType, flat: tuple[Value, ...]
) -> tuple[Value, Value, Pair]:
    """What the step of a caller collects is not for the loops of its callees."""
    calls, versions.calls = versions.calls, None
    try:
        return run_forward(fn, flat, versions)
    finally:
        versions.calls = calls


def _run_caught(
    versions: Versions,
    fn: FunctionType,
    flat: tuple[Value, ...],
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> tuple[Value, Value, Pair]:
    """With a tape; where the function raises, what is on it is left for whoever called."""
    outer, versions.tape = versions.tape, None
    calls, versions.calls = versions.calls, None
    raised, code = True, fn.__code__
    try:
        out = run_taped(fn, flat, versions)
        raised = False
        return out
    finally:
        versions.calls = calls
        if calls is not None and versions.tape is not None:
            places = places_of(code, flat, args, keywords)
            defaulted = defaulted_of(fn, code, flat, places)
            pair = variants_of(fn).taped
            made = (_pull_compiled, None, versions.tape, pair, flat, places, defaulted)
            calls.append(Call((made, (*args, *keywords.values())), raised))
        versions.tape = outer


def _plain_if_harmless(
    versions: Versions,
    fn: FunctionType,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    error: AstadError,
) -> tuple[Value, Record]:
    """A function that cannot be compiled runs as it is where it can write nothing; its derivative
    is an error.
    """
    given = (*args, *keywords.values())
    may_write = any(has_identity(value) and not _is_quiet(value) for value in given)
    # what is asynchronous gives no value yet, and only code like itself could wait for it
    waits = fn.__code__.co_flags & ASYNCHRONOUS and any(map(flows, given))
    if fn.__closure__ or may_write or waits:
        versions.refused = error  # whatever the program does about it
        raise error
    y = fn(*args, **keywords)
    if not any(flows(value) for value in given) and (has_identity(y) or not reads_state(fn)):
        # what has identity has its shadow, wherever it comes from
        return y, follow(versions, fn, y, None, args, keywords, keeps=True)
    return y, (_pull_refused, y, error)


def _is_quiet(value: Value) -> bool:
    """Has no contents that a derivative could pass through."""
    return issubclass(type(value), (type, FunctionType, ModuleType, BuiltinFunctionType))


def _pull_refused(shadows: Shadows, y_bar: Value, y: Value, error: AstadError) -> None:
    captured = y.__closure__ or () if type(y) is FunctionType else ()
    if y_bar is not None or has_arrived(shadows, y, *captured):
        raise error


def _pull_compiled(
    shadows: Shadows,
    y_bar: Value,
    y: Value,
    kept: Value,
    pair: Value,
    flat: tuple[Value, ...],
    places: Value,
    defaulted: Value,
) -> Cotangents:
    """Through the pullback; parts of operands with identity go to their shadows."""
    if has_identity(y):
        if pair.local_result and issubclass(type(y), np.ndarray):
            y_bar = total(shadows, y, y_bar)
        elif y_bar is not None:
            shadows.add(y, y_bar)
            y_bar = None
    elif y_bar is None and pair.local_result:
        if not pair.shadows:
            return None
        y_bar = 0
    shadows.depth = depth = shadows.depth + 1
    try:
        if depth >= DEEP:
            go_down(shadows, depth)
        bars = list(pair.pullback(kept, y_bar, shadows))
    finally:
        shadows.depth = depth - 1
        if depth == DEEP:
            come_back(shadows)
    for at, (value, bar) in enumerate(zip(flat, bars, strict=True)):
        if type(bar) is int and not bar:  # the zero of a specialised text is None here
            bars[at] = None
        elif bar is not None and type(value) is not float and has_identity(value):
            shadows.add(value, bar)
            bars[at] = None
    if places is None:
        return bars
    for at, holder, key in defaulted:
        if bars[at] is not None:
            shadows.slot_add(holder, key, bars[at]) if issubclass(
                type(holder), tuple
            ) else shadows.key_add(holder, key, bars[at])
    return [part_at(shadows, bars, place) for place in places]


def _paths_of_compiled(record: tuple[Value, ...], count: int) -> Sequence[bool]:
    pair, places = record[3], record[5]
    if places is None:
        return pair.reaches  # type: ignore[no-any-return]
    return [type(place) is not int or pair.reaches[place] for place in places]


PATHS[_pull_compiled] = _paths_of_compiled

# --- other callables


def _without_first(y: Value, record: Record, method: Value = None) -> tuple[Value, Record]:
    """A bound method's own object is no operand of the call."""
    return y, None if record is None else (_pull_rest, record, method)


def _pull_rest(shadows: Shadows, y_bar: Value, record: tuple[Value, ...], method: Value) -> Value:
    """The part of a number to which a method is bound waits under the method, for where it was
    fetched.
    """
    parts = record[0](shadows, y_bar, *record[1:])
    if parts is None:
        return None
    if parts[0] is not None and method is not None:
        shadows.key_add(method, BOUND, parts[0])
    return parts[1:]


PATHS[_pull_rest] = lambda record, count: paths_of(record[1], count + 1)[1:]


def _builtin(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """A method of a builtin type by its descriptor, else a compiled function without a rule."""
    of_module = issubclass(type(fn.__self__), ModuleType) and type(fn) is not MethodWrapperType
    if fn.__self__ is not None and not of_module:
        found, owner = descriptor_of(fn)
        if owner is not None and (
            id(found) in FULL or lookup(found) is not None or id(found) in CUSTOM
        ):
            y, record = call(versions, found, owner, *args, **keywords)
            return y, None if record is None else (_pull_rest, record, fn)
        if found is not None and id(found) in INERT:
            y, record = run_asking(versions, found, (owner, *args), keywords)
            return y, None if record is None else (_pull_rest, record, None)
    return library.run_watched(versions, fn, args, keywords)


def _other(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    if issubclass(type(fn), type):
        return construct(versions, fn, args, keywords)
    method = python_method(type(fn), "__call__")
    if method is not None:
        return _without_first(*call(versions, method, fn, *args, **keywords))
    base = next((each for each in type(fn).__mro__ if each in CALLED), None)
    if base is not None:
        return CALLED[base](versions, fn, *args, **keywords)
    if issubclass(type(fn), BuiltinFunctionType):  # of a method that asks for its class
        return _builtin(versions, fn, args, keywords)
    return library.run_watched(versions, fn, args, keywords)
