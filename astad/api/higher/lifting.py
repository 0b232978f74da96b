"""A derivative inside a function that is being differentiated, where it has no text of its own: the
run time is Python, and is differentiated as any other program is.

`call` and `pull` of the level inside are functions that the level around calls. What the level
inside decides, by a rule, by a pair of functions, is decided here; what it computes and keeps are
values of the level around: records are tuples, the table of shadows is an object with arrays in it.
So an order more needs no rule of its own, and no level takes numbers of another for its own.

>>> import math
>>> from astad.runtime.dispatch import call
>>> y, record = call(Versions(), slope_of_sine, 0.5)
>>> y == math.cos(0.5), pull(Shadows(), record, 1.0, 1)[0] == -math.sin(0.5)
(True, True)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, MethodWrapperType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from astad.api.gradients import overwriting, pullbacks
from astad.api.variants.arguments import separated
from astad.api.variants.derived import with_text
from astad.api.variants.finishing import real_path
from astad.api.variants.generated import Loaded
from astad.api.variants.results import check_scalar
from astad.api.variants.wiring import binder_text
from astad.errors import Unsupported
from astad.rules.in_force import CUSTOM, REGISTRY
from astad.runtime import dispatch
from astad.runtime.arrays.operand_hooks import hooked
from astad.runtime.calls.custom_calls import by_custom_rule
from astad.runtime.calls.inert_modules import runs_as_it_is
from astad.runtime.core.argument_places import defaulted_of, places_of
from astad.runtime.core.full_rules import CALLED, FULL, INERT, Record, Value
from astad.runtime.core.variants import Pair, bound_arguments, compiler, variants_of
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.structures import collect, scatter, snapshot
from astad.runtime.dispatch import call, pull
from astad.runtime.formulas.formula_rules import apply_rule
from astad.runtime.iteration.let_go import close_left
from astad.runtime.operations.native_hooks import HOOKING, objects_met
from astad.runtime.unseen.severed import check_twins
from astad.tangents.unasked import callable_name
from astad.tangents.zero import has_identity, seed_of

__all__ = ["Decided", "gradients", "pullback_of", "value_and_gradients"]


class Decided:
    """A function that is run as it is: nothing that it gives is computed of numbers. Not a plain
    one, which would be written out where it is called.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def __call__(self, *args: Value) -> Any:
        return self.fn(*args)


def _decide(versions: Versions, decided: Decided, /, *args: Value) -> tuple[Value, Record]:
    return decided.fn(*args), None


CALLED[Decided] = _decide
_snapshot, _check_scalar = Decided(snapshot), Decided(check_scalar)

# --- the sweeps of the level inside, as programs


def pullback_of(f: Any, /, *args: Value, **keywords: Value) -> tuple[Value, Any]:
    """What `astad.pullback` gives, as a program."""
    y, back = _swept(f, args, keywords)
    back.guards = _guards(y, back.record, args)
    return _handed_out(f, y), back


def value_and_gradients(
    f: Any, asked: tuple[Sequence[int], bool], /, *args: Value, **keywords: Value
) -> tuple[Value, Value]:
    """Value and gradients in the arguments at the places asked for, or one of which it is said
    that it is the only one.
    """
    wanted, single = asked
    y, back = _swept(f, args, keywords)
    _check_scalar(f, y)
    bars = back.gradients(seed_of(y), wanted)
    return y, bars[wanted[0]] if single else tuple([bars[at] for at in wanted])


def gradients(
    f: Any, asked: tuple[Sequence[int], bool], /, *args: Value, **keywords: Value
) -> Value:
    return value_and_gradients(f, asked, *args, **keywords)[1]


class _Back:
    """The way back through one run: `Pullback`, as a program."""

    def __init__(
        self, f: Any, args: Sequence[Value], entries: Sequence[Value], count: int, y: Value,
        record: Record, reaches: Sequence[bool],
    ) -> None:  # fmt: skip
        self.f, self.args, self.entries, self.count = f, args, entries, count
        self.y, self.record, self.reaches = y, record, reaches
        self.guards: Any = None

    def __call__(self, y_bar: Value) -> tuple[Value, ...]:
        return self.gradients(y_bar, range(len(self.args)))

    def gradients(self, y_bar: Value, wanted: Sequence[int]) -> tuple[Value, ...]:
        if self.guards is not None:
            _check(self.guards, self.f)
        shadows = Shadows()
        local = scatter(shadows, self.y, y_bar)
        bars = pull(shadows, self.record, local, self.count)
        found: list[Value] = []
        for at, arg in enumerate(self.args):
            if at not in wanted:
                found.append(None)
                continue
            path = self.reaches[at]
            bar = collect(shadows, arg, self.entries[at], real_path(bars[at], path), path)
            found.append(real_path(bar, path))
        return tuple(found)


def _swept(f: Any, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value, _Back]:
    given = _apart(args)
    entries = [_snapshot(arg) for arg in given]
    versions = Versions()
    y, record = call(versions, f, *given, **keywords)
    _finish(versions)
    count = len(given) + len(keywords)
    reaches = _reaches(f, record, y, given, count)
    return y, _Back(f, given, entries, count, y, record, reaches)


def _apart(args: tuple[Value, ...]) -> tuple[Value, ...]:
    """Each memory in one argument only: what comes again is a copy, made by the program."""
    given: list[Value] = []
    for at, arg in enumerate(args):
        given.append(arg.copy() if _comes_again(args, at) else arg)
    return tuple(given)


def _handed_out(f: Any, y: Value) -> Value:
    """The user may write into the result."""
    if isinstance(y, np.ndarray):
        return y.copy()
    kind = type(y)
    if kind is tuple or kind is list:
        return kind([_handed_out(f, part) for part in y])
    if kind is dict:
        return {key: _handed_out(f, part) for key, part in y.items()}
    _check_result(f, y)
    return y


# --- what is decided, not computed


@Decided
def _comes_again(args: Sequence[Value], at: int) -> bool:
    others = [arg for k, arg in enumerate(args) if k < at]
    found, copies = separated((*others, args[at]))
    if found[-1] is args[at]:
        return False
    if len(copies) == 1 and issubclass(type(args[at]), np.ndarray):
        return True
    raise Unsupported(
        "astad.pullback", "one object in two arguments inside a function that is differentiated",
        why="each place has a derivative of its own, and so has what lies in it",
        instead="hand it over once and use it twice inside",
    )  # fmt: skip


@Decided
def _reaches(f: Any, record: Record, y: Value, args: Sequence[Value], count: int) -> Sequence[bool]:
    """Per argument, whether its text leads to the result."""
    return pullbacks.reaches_of(f, record, y, args, count)


@Decided
def _guards(y: Value, record: Record, args: Sequence[Value]) -> Any:
    return overwriting.handed_out(snapshot(y), record, [snapshot(arg) for arg in args])[1]


@Decided
def _check(guards: Any, f: Any) -> None:
    guards.check(callable_name(f))


@Decided
def _finish(versions: Versions) -> None:
    """What is left to say when the function has returned."""
    if versions.refused is not None:
        raise versions.refused
    close_left(versions)
    check_twins(versions.twins)


@Decided
def _check_result(f: Any, y: Value) -> None:
    if has_identity(y):
        raise Unsupported(
            "astad.pullback", f"a result of type {type(y).__name__} of {callable_name(f)} inside "
            "a function that is being differentiated",
            why="the program may write into it before the pullback is called",
            instead="return numbers, arrays, or lists, tuples and dicts of such",
        )  # fmt: skip


# --- `call` of the level inside, for the level around


def call_forward(
    around: Versions, versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """As `call` decides, by functions with a text that compute with the values around."""
    return call(around, _way(versions, fn, args, keywords), versions, fn, *args, **keywords)


def _way(
    versions: Versions, fn: Value, args: tuple[Value, ...], keywords: dict[str, Value]
) -> Callable[..., tuple[Value, Record]]:
    key = id(fn)
    if key in CUSTOM:
        return _by_custom_rule
    if key in HOOKING and objects_met(versions, key, args):
        return _by_rest
    if key in FULL:
        return _by_full_rule
    if key in INERT or type(fn) is Decided:
        return _as_it_is
    if key in REGISTRY:
        given = (*args, *keywords.values())
        return _by_rest if hooked(given) is not None else _by_rule
    if type(fn) is FunctionType and not runs_as_it_is(fn, args, keywords):
        return _by_pair
    return _by_rest


def _by_custom_rule(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    return by_custom_rule(versions, fn, args, keywords)


def _by_full_rule(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    return FULL[id(fn)](versions, *args, **keywords)


def _as_it_is(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    return fn(*args, **keywords), None


def _by_rule(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    return apply_rule(versions, REGISTRY[id(fn)], args, keywords)


def _by_pair(
    versions: Versions, fn: FunctionType, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    _check_fit(fn, args, keywords)
    flat, code = _binder(fn)(*args, **keywords), fn.__code__
    given = (versions, fn.__closure__, *flat) if fn.__closure__ else (versions, *flat)
    pair = _pair_of(fn, versions)
    out = _run(versions, fn, pair, given)
    if out is NotImplemented:
        pair = _pair_of(fn, versions, True)
        out = _run(versions, fn, pair, given)
    y, kept = out
    if len(args) == code.co_argcount == len(flat) and not keywords:
        return y, (dispatch._pull_compiled, y, kept, pair, flat, None, None)
    places = places_of(code, flat, args, keywords)
    defaulted = defaulted_of(fn, code, flat, places)
    return y, (dispatch._pull_compiled, y, kept, pair, flat, places, defaulted)


def _run(
    versions: Versions, fn: FunctionType, pair: Pair, given: tuple[Value, ...]
) -> tuple[Value, Value]:
    """The forward sweep; what an exception leaves behind is not recorded."""
    if not versions.catching:
        return pair.forward(*given)  # type: ignore[no-any-return]
    outer, versions.tape = versions.tape, None
    calls, versions.calls = versions.calls, None
    try:
        out = pair.forward(*given)
    except Exception as error:
        raise _of_exception(fn) from error
    versions.tape, versions.calls = outer, calls
    return out  # type: ignore[no-any-return]


@Decided
def _of_exception(fn: FunctionType) -> Unsupported:
    return Unsupported(
        callable_name(fn), "an exception, in a gradient in a function that is being differentiated",
        why="what had run when it was raised is recorded by another way than a call",
        instead="take the derivative of a function that raises nothing",
    )  # fmt: skip


def _by_rest(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    kind = type(fn)
    if kind is MethodType:
        y, record = call(versions, fn.__func__, fn.__self__, *args, **keywords)
        return dispatch._without_first(y, record, fn)
    if kind is BuiltinFunctionType or kind is MethodWrapperType:
        return dispatch._builtin(versions, fn, args, keywords)
    if kind in CALLED:
        return CALLED[kind](versions, fn, *args, **keywords)
    _refuse_hooks(versions, fn, args)
    if kind is FunctionType:
        return dispatch._newly_compiled(versions, fn, args, keywords)
    return dispatch._other(versions, fn, args, keywords)


@Decided
def _refuse_hooks(versions: Versions, fn: Value, args: tuple[Value, ...]) -> None:
    if id(fn) in REGISTRY or id(fn) in HOOKING:
        raise Unsupported(
            "astad.gradient", f"a call of {callable_name(fn)} with objects that have hooks for it, "
            "inside a gradient in a function that is being differentiated",
            why="what a hook computes is recorded by another way than a call",
            instead="call the method of the object itself",
        )  # fmt: skip


@Decided
def _check_fit(fn: FunctionType, args: Sequence[Value], keywords: dict[str, Value]) -> None:
    """Python's own error where the arguments do not fit."""
    bound_arguments(fn, args, keywords)


_BINDERS: WeakKeyDictionary[CodeType, FunctionType] = WeakKeyDictionary()


@Decided
def _binder(fn: FunctionType) -> FunctionType:
    """Gives the arguments flat, in the order of the parameters, and has a text."""
    made = _BINDERS.get(fn.__code__)
    if made is None:
        made = with_text(binder_text(fn), f"binding of {fn.__qualname__}")
        _BINDERS[fn.__code__] = made
    bind = FunctionType(made.__code__, made.__globals__, "bind", fn.__defaults__)
    bind.__kwdefaults__ = fn.__kwdefaults__
    return bind


# --- pairs with a text that can be read again


_PAIRS: WeakKeyDictionary[CodeType, dict[tuple[int, bool], Pair]] = WeakKeyDictionary()


@Decided
def _pair_of(fn: FunctionType, versions: Versions, again: bool = False) -> Pair:
    """The pair for any arguments, whose forward sweep runs under the file of its own text."""
    known = _PAIRS.setdefault(fn.__code__, {})
    key = id(fn.__globals__), bool(versions.catching)
    if again or key not in known:
        variants = variants_of(fn)
        taped = versions.catching
        made = compiler.taped(fn, variants) if taped else compiler.pair(fn, variants, None)
        known[key] = _read_again(made)
    return known[key]


def _read_again(pair: Pair) -> Pair:
    text: Loaded = pair.text
    space = dict(pair.pullback.__globals__)
    exec(compile(text.source, text.file, "exec"), space)
    made = [value for value in space.values() if type(value) is FunctionType]
    own = [fn for fn in made if fn.__code__.co_filename == text.file]
    forward = next(fn for fn in own if fn.__name__.endswith("_forward"))
    back = next(fn for fn in own if fn.__name__.endswith("_pullback"))
    return Pair(forward, back, pair.local_result, pair.shadows, pair.reaches, text)


FULL[id(call)] = call_forward


def slope_of_sine(x: float) -> Value:
    """An example."""
    return gradients(math.sin, ((0,), True), x)
