"""Calls of functions that have a rule: lines of the text, or constants of it."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import types
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from astad.recording import operations
from astad.recording.equivalents import HELPERS
from astad.recording.numpy_in_python import filled_by
from astad.recording.recording import (
    INERT,
    LOST,
    NUMBERS,
    WHOLE_ARRAYS,
    Whole,
    is_array,
    is_number,
    is_of_constants,
    is_of_names,
    is_of_places,
    without_wholes,
)
from astad.recording.repeatable import acts, reads_more
from astad.recording.run import Args, Keywords, Run, name_of
from astad.rules.in_force import CUSTOM, NO_PATH, TANGENTS
from astad.rules.registry import is_zero, lookup

__all__ = [
    "SCALAR", "as_count", "expect_inert", "expect_plain", "expect_shape", "is_put_somewhere",
    "is_ruled", "leaf", "operand_of", "scalar_reduction", "spelled_function", "squeezed",
    "without_out", "word_for",
]  # fmt: skip


def is_ruled(fn: Any) -> bool:
    if id(fn) in CUSTOM:
        return True
    if isinstance(fn, type):
        return issubclass(fn, np.generic) and fn in (np.float64,)
    module = getattr(fn, "__module__", None) or ""
    if isinstance(fn, np.ufunc):
        return True
    if module in ("math", "cmath"):
        return not isinstance(fn, type)
    home = module.partition(".")[0]
    if module.startswith(HELPERS):  # Python, but for those whose row keeps gaps out of the reverse
        rule = lookup(fn)
        return rule is not None and rule.form == "structured"
    if home not in ("numpy", "scipy") or module.startswith(("numpy.random", "scipy.stats")):
        return False
    rule = lookup(fn)
    if rule is None or (rule.form == "zero" and type(fn) is types.FunctionType):
        name = getattr(fn, "__name__", "")
        return name in _CREATING and getattr(np, name, None) is fn
    return True


_CREATING = ("ones", "full", "eye", "identity", "tri")
"""Functions in Python's own text that make arrays of what is no number to follow."""


def leaf(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """A line that calls it, where it gives an array or is given a number that is followed."""
    recording = run.recording
    args, keywords = without_out(fn, args, keywords)
    filled = _filled(run, fn, args, keywords)
    if filled is not NotImplemented:
        return filled
    recording.use(*args, *keywords.values())
    moves = id(fn) in CUSTOM and _reads_more(run, fn, [*args, *keywords.values()])
    args = [operand_of(run, _drawn_whole(run, fn, arg)) for arg in args]
    keywords = {name: operand_of(run, value) for name, value in keywords.items()}
    keywords, overwritten = _without_overwriting(run, args, keywords)
    args, keywords = _with_counts(fn, args, keywords)
    plain = [without_wholes(arg) for arg in args] if _takes_wholes(fn) else args
    expect_plain(run, fn, [*plain, *keywords.values()])
    if fn is np.float64 and len(args) == 1 and type(args[0]) is np.float64:
        return args[0]
    scalar = SCALAR.get(fn.__name__)
    if scalar is not None and type(fn) is not type:
        y = scalar(run, fn, *args, **keywords)
        if y is not NotImplemented:
            return y
    if fn is np.einsum and any(map(recording.is_doubled, args)):
        recording.refuse(WHOLE_ARRAYS)  # it adds them up in another order
    y = operations.computed(run, fn, *plain, **keywords)
    if fn in (np.empty, np.empty_like) and is_of_constants(y):
        y[...] = 0  # what lies there may be anything, and the text says what
    is_followed = type(y) in (float, np.float64) or is_array(y)
    if not is_followed and any(type(arg) is Whole for arg in args):
        recording.refuse(f"{name_of(fn)} of an int that is differentiated")
    if isinstance(y, np.ndarray) and any(y is arg for arg in args):
        if id(fn) in CUSTOM:
            recording.refuse(f"{name_of(fn)} gives its argument")
        return y
    given = [*args, *keywords.values()]
    follows = moves or recording.holds_followed(given)
    if not follows and not _makes_array(y):
        return recording.fresh(y) if is_of_names(y) else recording.keep(y)
    if not moves and not recording.holds_moving(given) and (kept := _settled(run, y, args)):
        return kept[0]
    word = recording.constant_word if is_zero(fn) else recording.word
    parts = _words_of_doubles(run, fn, args) or [word_for(run, fn, arg, word) for arg in args]
    parts += [f"{name}={word(value)}" for name, value in keywords.items()]
    text = f"{spelled_function(run, fn)}({', '.join(parts)})"
    made = recording.result(text, y, again=follows, moves=moves)
    recording.ruled = recording.ruled or id(fn) in CUSTOM
    for a in overwritten:
        recording.words[id(recording.keep(a))] = LOST
    if not _is_of_known_kind(fn):
        operations.expect_kind(run, made)
    return made


def _reads_more(run: Run, fn: Any, given: Sequence[Any]) -> bool:
    """Of a function with a rule of the user's, which is not followed: may it give something else
    for the same arguments? It runs more than once, and may do nothing that is seen.
    """
    behind = [fn, *[v for v in given if isinstance(v, types.FunctionType)]]
    if id(fn) not in NO_PATH:  # there the rule is the function itself
        behind += [CUSTOM[id(fn)][1], *TANGENTS.get(id(fn), ())[1:]]
    if any(map(acts, behind)):
        run.recording.refuse(f"{name_of(fn)} may do what is seen, or draw what is another")
    return any(map(reads_more, behind))


def _filled(run: Run, fn: Any, args: Args, keywords: Keywords) -> Any:
    """What ``out=`` makes of a function of one result, which is put into an array of floats."""
    recording = run.recording
    if _is_filling(fn, args, keywords):
        return run.call(filled_by, fn, recording.fresh([*args]), **keywords)
    if _is_given_out(fn, keywords):
        others = {name: v for name, v in keywords.items() if name != "out"}
        made = recording.fresh(functools.partial(fn, **others))
        return run.call(filled_by, made, recording.fresh([*args]), keywords["out"])
    if is_put_somewhere(fn, keywords) or isinstance(fn, np.ufunc) and len(args) > fn.nin:
        recording.refuse(f"{name_of(fn)} with out= or where=")
    return NotImplemented


def _is_filling(fn: Any, args: Args, keywords: Keywords) -> bool:
    """Is it a ufunc of one result, which it puts into an array of floats?"""
    out: Any = keywords.get("out")
    is_plain = isinstance(fn, np.ufunc) and fn.nout == 1 and len(args) == fn.nin
    is_own = is_array(out) and out.dtype == np.float64
    is_masked = keywords.get("where") is not True
    return is_plain and is_own and is_masked and {*keywords} <= {"out", "where"}


def _is_given_out(fn: Any, keywords: Keywords) -> bool:
    """Does a function of NumPy's put its one result into an array of floats?"""
    out: Any = keywords.get("out")
    is_own = is_array(out) and out.dtype == np.float64 and out.ndim > 0
    return is_own and type(fn) is type(np.sum) and "where" not in keywords and id(fn) not in CUSTOM


def _without_overwriting(
    run: Run, args: Args, keywords: Keywords
) -> tuple[Keywords, list[np.ndarray[Any, Any]]]:
    """The text overwrites none of its arrays; those that the function may overwrite nobody reads
    any more.
    """
    asked = {name for name, v in keywords.items() if name.startswith("overwrite_") and v is True}
    overwritten: list[np.ndarray[Any, Any]] = []
    for arg in args:
        if asked and is_array(arg):
            operations.expect_own(run, arg)
            overwritten += [arg, *run.recording.sharing(arg)]
    return {name: v for name, v in keywords.items() if name not in asked}, overwritten


def is_put_somewhere(fn: Any, keywords: Keywords) -> bool:
    """Does it write into an array, or leave entries as the memory was before? A reduction takes
    what ``where`` tells.
    """
    return "out" in keywords or ("where" in keywords and isinstance(fn, np.ufunc))


def _is_of_known_kind(fn: Any) -> bool:
    """Do the operands tell whether the result is complex? Those of eigenvalues do not. Of a rule of
    the user's it is supposed: a test of what it gives would make it run more often.
    """
    if _takes_wholes(fn) or id(fn) in CUSTOM:
        return True
    rule = lookup(fn)
    return rule is not None and bool(rule.gives or rule.complexes)


def _takes_wholes(fn: Any) -> bool:
    """Is an int a number to it, and not a count or a place?"""
    return isinstance(fn, np.ufunc) or fn is np.float64 or _is_of_math(fn)


def _is_of_math(fn: Any) -> bool:
    return getattr(fn, "__module__", None) == "math"


def without_out(fn: Any, args: Args, keywords: Keywords) -> tuple[Args, Keywords]:
    """Without an ``out`` that is None, a ``where`` that is True, and last arguments that are what
    they would be anyway: nothing is written to.
    """
    if isinstance(fn, np.ufunc):
        args = args[: fn.nin] if all(arg is None for arg in args[fn.nin :]) else args
    else:
        usual = _usual(fn)
        while args and len(args) <= len(usual) and _is_usual(args[-1], usual[len(args) - 1]):
            args = args[:-1]
    left_out = {"out": None, "where": True}
    kept = {
        name: v for name, v in keywords.items() if name not in left_out or v is not left_out[name]
    }
    return args, kept


@functools.cache
def _usual(fn: Any) -> tuple[Any, ...]:
    """The defaults of the positional parameters of a function of NumPy's or SciPy's."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(each.default for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD)


def _is_usual(v: Any, default: Any) -> bool:
    return type(v) is type(default) and type(v) in INERT and v == default


def word_for(run: Run, fn: Any, v: Any, word_of: Callable[[Any], str] | None = None) -> str:
    """An int with a derivative is a double to a function of NumPy, which gives one."""
    word = (word_of or run.recording.word)(v)
    return f"np.float64({word})" if type(v) is Whole and isinstance(fn, np.ufunc) else word


def _words_of_doubles(run: Run, fn: Any, args: Args) -> list[str] | None:
    """A ufunc is given numbers of NumPy's where its slope is written out for these alone: it is
    what it is for Python's.
    """
    rule, followed = lookup(fn), run.recording.is_followed
    if rule is None or not isinstance(fn, np.ufunc) or len(args) != fn.nin:
        return None
    if not all(type(arg) in (float, int, bool) for arg in args):
        return None
    names = [name for name, arg in zip(rule.parameters, args, strict=False) if followed(arg)]
    if all(rule.inline(name, "float", len(args)) is not None for name in names):
        return None
    return [
        f"np.float64({run.recording.word(arg)})" if followed(arg) else run.recording.word(arg)
        for arg in args
    ]


def _copysign(run: Run, fn: Any, a: Any, b: Any) -> Any:
    """By the sign of ``b``, which carries no derivative: the size of ``a``, or less than zero."""
    if not all(type(each) in (float, np.float64, int) for each in (a, b)):
        return NotImplemented
    if not run.recording.is_followed(b) or not (b > 0.0 or b < 0.0):
        return NotImplemented
    word, y, is_up = run.recording.word(a), fn(a, b), b > 0.0
    run.recording.expect(f"({run.recording.word(b)} {'>' if is_up else '<'} 0.0)", True)
    if not run.recording.is_followed(a):
        return run.recording.keep(y)
    kind = "np.float64" if type(y) is np.float64 else "float"
    return run.recording.result(f"{kind}({'' if is_up else '-'}abs({word}))", y)


def _with_more_axes(run: Run, fn: Any, v: Any, **keywords: Any) -> Any:
    """``np.array(v, ndmin=2)`` of a number, or of an array that has fewer axes."""
    if not {*keywords} <= {"copy", "subok", "ndmin", "dtype"} or type(v) not in NUMBERS:
        return NotImplemented
    y = fn(v, **keywords)
    if y.dtype != np.float64 or np.ndim(v) == y.ndim:
        return NotImplemented
    if not is_array(v):
        return _named(run, f"np.full({y.shape!r}, {run.recording.word(v)})", y)
    if v.dtype != y.dtype or not np.may_share_memory(v, y):
        return NotImplemented
    expect_shape(run, v)
    return run.recording.result(f"{run.recording.word(v)}.reshape({y.shape!r})", y)


def _scalar_array(run: Run, fn: Any, v: Any, *rest: Any, **keywords: Any) -> Any:
    """``np.asarray`` of a number: an array without axes, which the text has as a number."""
    if "ndmin" in keywords and not rest:
        return _with_more_axes(run, fn, v, **keywords)
    is_one = type(v) in (float, np.float64) or is_number(v)
    if not is_one or not run.recording.is_followed(v):
        return NotImplemented
    if any(kind not in (float, np.float64, None) for kind in (*rest, *keywords.values())):
        return NotImplemented
    y = fn(v, *rest, **keywords)
    if y is v:
        return y
    return _named(run, f"np.float64({run.recording.word(v)})", y) if y.ndim == 0 else NotImplemented


def _scalar_choice(run: Run, fn: Any, test: Any, *parts: Any) -> Any:
    """``np.where`` of a truth that is known."""
    if type(test) not in (bool, np.bool_) or len(parts) != 2:
        return NotImplemented
    if not all(type(part) in (float, np.float64, int) for part in parts):
        return NotImplemented
    chosen = parts[0] if test else parts[1]
    return _named(run, f"np.float64({run.recording.word(chosen)})", fn(test, *parts))


def scalar_reduction(run: Run, fn: Any, v: Any, *rest: Any, **keywords: Any) -> Any:
    """``np.sum`` and the like of a number: the number; a sum begins with 0.0, and is never -0.0."""
    is_one = type(v) in (float, np.float64) or is_number(v)
    if not is_one or not run.recording.is_followed(v):
        return NotImplemented
    if any(given is not None for given in (*rest, *keywords.values())):
        return NotImplemented
    y = fn(v, *rest, **keywords)
    if type(y) is not np.float64 or not (y == v or v != v):
        return NotImplemented
    word = run.recording.word(v)
    adds = fn.__name__ in ("sum", "mean")
    return run.recording.result(f"np.float64({word} + 0.0)" if adds else f"np.float64({word})", y)


def _named(run: Run, text: str, y: Any) -> Any:
    name = run.recording.name()
    run.recording.say(f"{name} = {text}")
    return run.recording.array(y, name)


def _one_entry(run: Run, fn: Any, *args: Any) -> Any:
    """``np.atleast_1d``: of a number an array of one."""
    made = [_entry(run, fn, arg) for arg in args]
    return made[0] if len(made) == 1 else run.recording.fresh(type(fn(*args))(made))


def _entry(run: Run, fn: Any, v: Any) -> Any:
    if is_array(v) and v.ndim:
        return v
    if type(v) in (list, tuple) and v:
        return run.call(np.array, v)
    if type(v) not in NUMBERS:
        run.recording.refuse(f"np.atleast_1d of a {type(v).__name__}")
    return _named(run, f"np.array([{run.recording.word(v)}])", fn(v))


def _broadcast(run: Run, fn: Any, *args: Any) -> Any:
    """``np.broadcast_arrays`` of arrays of one shape, and of numbers."""
    shapes = {arg.shape for arg in args if is_array(arg)} - {()}
    if len(shapes) != 1 or any(type(arg) not in NUMBERS for arg in args):
        return NotImplemented
    shape = shapes.pop()
    for arg in args:
        expect_shape(run, arg)
    parts = []
    for arg in args:
        if is_array(arg) and arg.ndim:
            parts.append(arg)
        else:
            text = f"np.full({shape!r}, {run.recording.word(arg)})"
            parts.append(_named(run, text, np.full(shape, arg)))
    return run.recording.fresh(type(fn(*args))(parts))


def _count_of_list(run: Run, fn: Any, v: Any, *rest: Any, **keywords: Any) -> Any:
    """Axes, and numbers, of a list of numbers: the text is for lists as long as this."""
    if rest or keywords or type(v) not in (list, tuple):
        return NotImplemented
    if not all(type(each) in (float, np.float64, int) for each in v):
        return NotImplemented
    return run.recording.keep(fn(v))


def _squeezed(run: Run, fn: Any, a: Any, *rest: Any, **keywords: Any) -> Any:
    return squeezed(run, a, *rest, **keywords) if is_array(a) else NotImplemented


SCALAR: dict[str, Callable[..., Any]] = {
    "asarray": _scalar_array, "array": _scalar_array, "asanyarray": _scalar_array,
    "where": _scalar_choice, "copysign": _copysign, "atleast_1d": _one_entry,
    "broadcast_arrays": _broadcast, "ndim": _count_of_list, "size": _count_of_list,
    "squeeze": _squeezed,
    **dict.fromkeys(("sum", "prod", "mean", "max", "min", "amax", "amin"), scalar_reduction),
}  # fmt: skip


def _with_counts(fn: Any, args: Args, keywords: Keywords) -> tuple[list[Any], dict[str, Any]]:
    """Ints with a derivative are ints where the function has none, as in shapes: they are the same
    in every run of the text.
    """
    rule = lookup(fn)
    if rule is not None and rule.form == "zero" or fn is np.arange and len(args) == 1:
        return [*map(as_count, args)], {name: as_count(v) for name, v in keywords.items()}
    if rule is None or rule.signature.star or isinstance(fn, np.ufunc):
        return [*args], {**keywords}
    counting = {*rule.parameters} - rule.back.keys() - rule.missing.keys()
    named = itertools.zip_longest(rule.parameters[: len(args)], args)
    by_place = [as_count(v) if name in counting else v for name, v in named]
    return by_place, {name: as_count(v) if name in counting else v for name, v in keywords.items()}


def as_count(v: Any) -> Any:
    if type(v) is tuple and any(type(part) is Whole for part in v):
        return tuple(map(as_count, v))
    return without_wholes(v)


def expect_shape(run: Run, v: Any) -> None:
    """The text is for arrays of this shape."""
    if is_array(v) and v.ndim:
        run.attribute(v, "shape")


def expect_plain(run: Run, fn: Any, operands: Sequence[Any]) -> None:
    """Compiled code asks nobody of the user's what such an operand is."""
    if fn in (np.shares_memory, np.may_share_memory):
        run.recording.refuse("a question about memory")
    for v in operands:
        if type(v) in (list, tuple):
            expect_plain(run, fn, v)
        elif type(v) not in (*NUMBERS, *INERT, slice, type) and not isinstance(v, np.dtype):
            run.recording.refuse(f"{name_of(fn)} of a {type(v).__name__}")


def expect_inert(run: Run, fn: Any, *operands: Any) -> None:
    """A count, a place or the like: nothing that is followed, and no object that tells it."""
    for v in operands:
        if type(v) not in INERT:
            run.recording.refuse(f"{name_of(fn)} of a {type(v).__name__}")


def _drawn_whole(run: Run, fn: Any, v: Any) -> Any:
    """What ``math.fsum`` and its like take out of an iterator, in a list."""
    if not _is_of_math(fn) or type(v) not in operations.LAZY:
        return v
    return run.recording.fresh([*operations.iterate(run, v)])


def operand_of(run: Run, v: Any) -> Any:
    if type(v) is range:
        v = [*v]
    if type(v) is np._CopyMode:
        return {0: False, 1: True}.get(v.value)
    if type(v) in (list, tuple, deque):
        held = operations.held(run, v)
        made = list if type(v) is deque else type(v)
        return run.recording.fresh(made([operand_of(run, part) for part in held]))
    return v


def _settled(run: Run, y: Any, args: Args) -> tuple[Any, ...]:
    """An array, or some, of constants, as one; nothing where it is none of numbers, or a part of
    what was given.
    """
    parts = y if type(y) is tuple else (y,)
    kept = is_of_constants if len(run.recording.levels) == 1 else is_of_places
    if not parts or not all(map(kept, parts)):
        return ()
    given = [arg for arg in args if isinstance(arg, np.ndarray)]
    if any(np.may_share_memory(v, arg) for v in parts for arg in given):
        return ()
    made = tuple(run.recording.fresh(v if v.base is None else v.copy()) for v in parts)
    return (run.recording.fresh(made),) if type(y) is tuple else made


def _makes_array(y: Any) -> bool:
    """Of numbers, which the text has to make anew."""
    if isinstance(y, np.ndarray):
        return not is_of_names(y) and (y.ndim > 0 or y.dtype.kind not in "fib")
    return isinstance(y, tuple) and any(map(_makes_array, y))


def spelled_function(run: Run, fn: Any) -> str:
    """The function under a name that the text may use."""
    module = getattr(fn, "__module__", None)
    name = fn.__name__
    if module == "math" and getattr(math, name, None) is fn:
        return f"math.{name}"
    if fn is np.float64:
        return "np.float64"
    for path, home in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft)):
        if getattr(home, name, None) is fn:
            return f"{path}.{name}"
    return run.recording.constant(fn)


def squeezed(run: Run, a: Any, axis: Any = None) -> Any:
    """The text says which axes go: it has the kind of what is left from that."""
    expect_shape(run, a)
    recording = run.recording
    y = operations.computed(run, np.squeeze, a, axis)
    if y is a or y.ndim == a.ndim:
        return recording.result(f"{recording.word(a)}[...]", y)
    if not y.ndim:
        return recording.result(f"{recording.word(a)}[{', '.join('0' * a.ndim)}]", y)
    given = range(a.ndim) if axis is None else np.atleast_1d(axis)
    gone = tuple(int(at) for at in given if a.shape[at] == 1)
    return recording.result(
        f"np.squeeze({recording.word(a)}, {gone[0] if len(gone) == 1 else gone})", y
    )
