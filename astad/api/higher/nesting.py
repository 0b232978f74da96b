"""A gradient inside a function that is being differentiated.

The inner gradient is a function with a text of its own (`api/higher/gradient_modules.py`), called
like any of the user's: values carry nothing that one level could take for another's. What the inner
function has captured is an argument of that function which is not differentiated inside and is
outside.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

from astad.api.gradients import gradients, pullbacks, sweeps
from astad.api.gradients.params import Params
from astad.api.higher import jacobians
from astad.api.higher.gradient_modules import gradient_module
from astad.api.higher.how import How
from astad.api.variants.argument_numbers import among, positions_of
from astad.api.variants.arguments import contents_of
from astad.api.variants.captured_functions import taken_apart
from astad.api.variants.derived import Derived, as_function, calling
from astad.api.variants.ruled import is_ruled
from astad.errors import Unsupported
from astad.rules.in_force import has_custom_rule
from astad.rules.registry import lookup
from astad.runtime.core.argument_places import defaulted_of, part_at, places_of
from astad.runtime.core.full_rules import CALLED, FOLLOWED, FULL, Cotangents, Record, Value
from astad.runtime.core.variants import bound_arguments
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import are_apart
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.tangents.unasked import callable_name, lookup_in_class
from astad.tangents.zero import has_identity


class Inner:
    """A call for a derivative: the function in it without captured variables, and its operands.

    Attributes
    ----------
    fn : function
    values : tuple
        Of its parameters, and behind them what it has captured; the parts of captured functions
        come last.
    places : list of int
        Of each operand of the call among them.
    """

    def __init__(
        self,
        how: How,
        f: Any,
        args: tuple[Value, ...],
        keywords: dict[str, Value],
        *,
        rebinds: bool,
    ) -> None:
        if any(type(arg) is Params for arg in args):
            raise Unsupported(
                f"astad.{how.name}", "a gradient by parameters inside a function that is being "
                "differentiated",
                why="a derivative of a derivative is taken by arguments",
                instead="hand the parameters to the inner function as arguments",
            )  # fmt: skip
        fn, own = _function(f, len(args))
        if fn is None or rebinds:
            raise refused(how, f)
        everything = (*own, *args)
        flat = bound_arguments(fn, everything, keywords)
        captured = contents_of(fn.__closure__) if fn.__closure__ else ()
        places = places_of(fn.__code__, flat, everything, keywords)
        if captured is None or not all(isinstance(place, int) for place in places):
            raise refused(how, f)
        apart = taken_apart(fn, captured)
        self.fn: FunctionType = apart[0]
        self.count = len(flat)
        self.values = (*flat, *apart.captured)
        self.holders = apart.holders
        self.defaulted = defaulted_of(fn, fn.__code__, flat, places)
        self.places = places[len(own) :]

    def deliver(self, shadows: Shadows, bars: Sequence[Value]) -> Cotangents:
        """To the operands of the call; what came to a captured variable or a default waits where it
        lies.
        """
        found = [(*held, bar) for held, bar in zip(self.holders, bars[self.count :], strict=True)]
        found += [(holder, key, bars[at]) for at, holder, key in self.defaulted]
        for holder, key, bar in found:
            if bar is not None:
                of_tuple = issubclass(type(holder), tuple)
                (shadows.slot_add if of_tuple else shadows.key_add)(holder, key, bar)
        return [part_at(shadows, list(bars), place) for place in self.places]


def nested(
    versions: Versions, f: Any, how: How, args: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, Record]:
    """What ``how`` says of ``f``, and the record of how to go back to arguments and keywords."""
    inner = Inner(how, f, args, keywords, rebinds=versions.rebinds)
    wanted = range(len(args)) if how.places is None else among(f, how.places, args, keywords)
    asked = [inner.places[at] for at in wanted]
    given, copies = _apart(versions, inner.values, asked)
    if given is None:
        raise refused(how, f)
    found = gradient_module(inner.fn, given, how.of(tuple(asked)))
    if found is None:
        raise refused(how, f)
    out, record = call(versions, found.run, *given)
    return out, (_pull_nested, record, copies, inner)


def _function(f: Any, count: int) -> tuple[FunctionType | None, tuple[Value, ...]]:
    """The function that a callable is for so many arguments, and what it puts before them."""
    if type(f) is MethodType:
        fn, own = _function(f.__func__, count + 1)
        return (fn if has_identity(f.__self__) else None), (f.__self__, *own)
    if type(f) is Derived:
        return as_function(f, count), ()
    if type(f) is FunctionType and not is_ruled(f):
        return f, ()
    if lookup(f) is not None or has_custom_rule(f):
        return calling(f, count), ()
    call = lookup_in_class(type(f), "__call__")
    if type(call) is FunctionType and has_identity(f):
        return _function(MethodType(call, f), count)
    return None, ()


def _apart(
    versions: Versions, values: Sequence[Value], asked: Sequence[int]
) -> tuple[tuple[Value, ...] | None, list[tuple[int, Record]]]:
    """Each array in one place only: an argument that comes again is a copy, made by an operation of
    the program around, since a plain one would lose its derivative. None where an array that is
    held is one that a gradient is asked for: that has the total.
    """
    found: list[Value] = []
    copies: list[tuple[int, Record]] = []
    for at, value in enumerate(values):
        if not is_first(value, found):
            if at not in asked:
                return None, []
            value, record = call(versions, np.array, value)
            copies.append((at, record))
        found.append(value)
    return tuple(found), copies


def is_first(value: Value, before: Sequence[Value]) -> bool:
    """Is it no array, or one whose memory none of these shares?"""
    if not issubclass(type(value), np.ndarray):
        return True
    others = [each for each in before if issubclass(type(each), np.ndarray)]
    return all(are_apart(value, each) for each in others)


def _pull_nested(
    shadows: Shadows,
    y_bar: Value,
    record: Record,
    copies: Sequence[tuple[int, Record]],
    inner: Inner,
) -> Cotangents:
    bars = list(pull(shadows, record, y_bar, len(inner.values)))
    for at, copied in copies:
        bars[at] = pull(shadows, copied, bars[at], 1)[0]
    return inner.deliver(shadows, bars)


# --- the public functions


def gradient_forward(
    versions: Versions, f: Any, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    y, record = nested(versions, f, How("gradient"), args, keywords)
    return y, (_pull_with_function, record)


def _pull_with_function(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    """The function itself is an operand here; what it holds has come to where that lies."""
    assert record is not None
    return [None, *record[0](shadows, y_bar, *record[1:])]


def derived_forward(
    versions: Versions, derived: Derived, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    maker, f, argnums = derived.made_by
    places, single = positions_of(f, argnums)
    return nested(versions, f, How(maker.__name__, places, single), args, keywords)


def make_forward(maker: Callable[..., Any]) -> Callable[..., tuple[Value, Record]]:
    """The rule of `grad` and `value_and_grad`: what they give holds the function itself."""

    def forward(versions: Versions, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        return maker(*args, **keywords), None

    return forward


def or_recorded(fn: Any, forward: Callable[..., tuple[Value, Record]]) -> Any:
    """The rule of a public function that records the call where there is no text for it; None for
    the call of what `grad` has given, of which nobody asks for a cotangent.
    """
    name = "derived" if fn is None else fn.__name__

    def rule(versions: Versions, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        try:
            return forward(versions, *args, **keywords)
        except Unsupported as error:
            if versions.rebinds:
                raise
            from astad.api.higher.nested_runs import by_recording, why_not  # late: few need them

            if error.is_inside:  # what is recorded now would be another run
                error.is_inside = False
                raise _with_reason(error, why_not(followed(name), args, keywords)) from None
            found = by_recording(versions, fn, followed(name), args, keywords)
            if isinstance(found, str):
                raise _with_reason(error, found) from None
            y, record = found
            return y, (_behind, record, 1 if fn is None else 0)

    return rule


def _with_reason(error: Unsupported, reason: str) -> Unsupported:
    """The same where no run tells either."""
    if not error.is_inside:
        why = f"{error.why}, nor can a run of it be recorded: {reason}"
        why = why if error.why in (NO_TEXT, RUNS_AGAIN) else error.why
        error = Unsupported(error.where, error.what, why=why, instead=error.instead)
        error.is_inside, error.reason = True, reason
    return error


def _behind(shadows: Shadows, y_bar: Value, record: Record, own: int) -> Cotangents:
    assert record is not None
    return [*record[0](shadows, y_bar, *record[1:])][own:]


NO_TEXT = (
    "a derivative of a derivative needs the inner gradient as one text, and for this function and "
    "these arguments there is none"
)
RUNS_AGAIN = (
    "this function writes what outlives it, draws random numbers, or gives what is no structure of "
    "numbers, and it runs more than once"
)


def refused(how: How, f: Any) -> Unsupported:
    return Unsupported(
        f"astad.{how.name}", f"a call for {callable_name(f)} inside a function that is being "
        "differentiated",
        why=NO_TEXT,
        instead="let the inner function take and return numbers, arrays, or containers of these, "
        "or call it outside",
    )  # fmt: skip


def _refusing(name: str) -> Any:
    def forward(versions: Versions, /, *args: Any, **keywords: Any) -> NoReturn:
        raise Unsupported(
            f"astad.{'gradient' if name.startswith('_') else name}",
            "a call inside a function that is being differentiated",
            why="a derivative of a derivative is that of a function called inside as well",
            instead="call astad.gradient, pullback, jvp, jacobian or hessian inside, or call this "
            "outside",
        )

    forward.refuses = "is not differentiated inside another function"  # type: ignore[attr-defined]
    return forward


def _functions() -> dict[str, FunctionType]:
    """Of the modules of the reverse mode, those inside included that its functions hand out."""
    homes = gradients, pullbacks, sweeps
    found = {"Pullback": sweeps.Pullback.__call__}
    found |= {name: fn for home in homes for name, fn in vars(home).items()}
    own = {home.__name__ for home in homes}
    return {
        name: fn for name, fn in found.items() if type(fn) is FunctionType and fn.__module__ in own
    }


@functools.cache
def followed(name: str) -> Callable[..., Any]:
    """How a recorded run goes through a call for a derivative."""

    def follow(run: Any, /, *args: Value, **keywords: Value) -> Value:
        from astad.api.higher import recorded_derivatives  # late: few programs have such calls

        return recorded_derivatives.FOLLOWED[name](run, *args, **keywords)

    return follow


CALLED[Derived] = or_recorded(None, derived_forward)
FOLLOWED[id(Derived)] = followed("derived")
FOLLOWED[id(gradients.gradient)] = followed("gradient")
FULL.update({id(fn): _refusing(name) for name, fn in _functions().items()})
FULL[id(jacobians.wirtinger)] = _refusing("wirtinger")
FULL[id(gradients.gradient)] = or_recorded(gradients.gradient, gradient_forward)
for _maker in (gradients.grad, gradients.value_and_grad):
    FULL[id(_maker)] = make_forward(_maker)
    FOLLOWED[id(_maker)] = followed(_maker.__name__)
