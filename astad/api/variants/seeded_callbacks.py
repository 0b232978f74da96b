"""Texts for `runtime/core/seeded.py`: the derivative of a callback, weighed by a seed.

The callback is captured by a function that multiplies its result with the seed, and written out in
its text; what it has captured in turn is among the operands there (`captured_functions`).

>>> _calling("2", 1)(lambda t: [t, 3.0 * t])(10.0, 1.0, 2.0)
26.0
>>> opened(print, (2.0,)) is None
True
"""

from __future__ import annotations

import functools
from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from astad import settings
from astad.api.variants.arguments import contents_of
from astad.api.variants.captured_functions import functions_of, taken_apart
from astad.api.variants.derived import with_text
from astad.api.variants.kinds_of_values import kinds_of, word_of_data
from astad.api.variants.loading import Asked, Loaded, load_or_compile, module_of
from astad.api.variants.ruled import is_ruled
from astad.code_objects import ASYNCHRONOUS, GENERATOR, STARRED
from astad.errors import AstadError
from astad.runtime.core.seeded import Place, Seeded, fits, seeds_of
from astad.runtime.core.variants import Variants, is_monitored, variants_of
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.snapshots import CELL
from astad.tangents.unasked import lookup_in_class, mro_of
from astad.tangents.zero import MADE_BY_CLASS, has_identity

__all__ = ["opened"]

MOST = 64
"""Texts of one callback that are remembered."""
_TEXTS, _AGAIN = "texts with a seed", "may be called again"
_NUMBERS = frozenset([float, int, bool, np.float64, np.int64])
Text = Callable[..., Any]


def opened(fn: Any, args: Sequence[Any]) -> Seeded | None:
    """A callback with texts for its derivatives at operands like these; None where there are none,
    or where a call may do more than to give a value.
    """
    if settings.checks or settings.only_generic or settings.budgets or is_monitored():
        return None
    fn, before = _function_behind(fn)
    if type(fn) is not FunctionType or not _is_simple(fn, len(before) + len(args)):
        return None
    count = len(before) + len(args)
    contents = contents_of(fn.__closure__ or ())
    if contents is None or not all(map(_is_flat, (*args, *[each.value for each in before]))):
        return None
    found = _behind(fn, count, contents)
    if found is None or not all(map(_is_flat, [each.value for each in found[1]])):
        return None
    standing, behind = found
    first, last = [each.value for each in before], [each.value for each in behind]
    held = [id(each) for each in _held((*first, *last))]
    if len(set(held)) < len(held):
        return None  # one list or object under two names
    if not _repeats(standing, (*first, *args, *last)):
        return None
    return Seeded(len(args), first, last, [*before, *behind], partial(_shaped, fn, count))


def _function_behind(fn: Any) -> tuple[Any, list[Place]]:
    """The function that partials, methods and objects with a ``__call__`` run, and what they put
    before its operands.
    """
    before: list[Place] = []
    while True:
        if type(fn) is partial and not fn.keywords:
            before[:0] = [Place(fn.args, at, value) for at, value in enumerate(fn.args)]
            fn = fn.func
        elif type(fn) is MethodType:
            before.insert(0, Place(fn, None, fn.__self__))
            fn = fn.__func__
        elif _is_object(fn) and type(lookup_in_class(type(fn), "__call__")) is FunctionType:
            before.insert(0, Place(fn, None, fn))
            fn = lookup_in_class(type(fn), "__call__")
        else:
            return fn, before


def _behind(
    fn: FunctionType, count: int, contents: tuple[Any, ...]
) -> tuple[FunctionType, list[Place]] | None:
    """The function that calls a callback, and what its text is given behind the
    operands. Where all are numbers and arrays, each for itself, they lie as they did before.
    """
    defaults, cells = fn.__defaults__ or (), fn.__closure__ or ()
    known = variants_of(fn).modules
    key = _TEXTS, count, len(defaults)
    is_plain = _is_plain(contents)
    if is_plain and key in known:
        places = [Place(None, None, None)]
        places += [Place(cell, None, value) for cell, value in zip(cells, contents, strict=True)]
        places += [Place(defaults, at, value) for at, value in enumerate(defaults)]
        return known[key], places
    one: Any = _calling("", count)(fn)
    apart = taken_apart(one, (fn,))
    if apart.fn is one:
        return None
    if is_plain:
        known[key] = apart.fn
    both = zip(apart.holders, apart.captured, strict=True)
    standing: FunctionType = apart[0]
    return standing, [
        Place(holder, None if at == CELL else at, value) for (holder, at), value in both
    ]


def _is_plain(contents: tuple[Any, ...]) -> bool:
    """Are they numbers, and arrays of which none comes twice? Else what `taken_apart` makes of them
    depends on more than their types.
    """
    arrays = [id(value) for value in contents if type(value) is np.ndarray]
    return all(type(value) in _PLAIN for value in contents) and len({*arrays}) == len(arrays)


_PLAIN = frozenset([float, int, bool, np.float64, np.int64, np.ndarray])


def _is_simple(fn: FunctionType, count: int) -> bool:
    """Is it the user's, with a text that can stand in that of another, and takes so many?"""
    code = fn.__code__
    if code.co_flags & (STARRED | GENERATOR | ASYNCHRONOUS) or code.co_kwonlyargcount:
        return False
    missing = code.co_argcount - count
    fits_in: bool = 0 <= missing <= len(fn.__defaults__ or ())
    return fits_in and not is_ruled(fn)


def _is_flat(value: Any) -> bool:
    """Is it a number, an array of such, a list of numbers, an object that holds these, or nothing
    that has a derivative?
    """
    kind = type(value)
    if kind is np.ndarray:
        return bool(value.ndim)
    if kind in (list, tuple):
        return all(type(each) in _NUMBERS for each in value)
    if value is None or kind in _NUMBERS or kind is str:
        return True
    return _is_object(value) and all(map(_is_flat, stored_in(value).values()))


def _is_object(value: Any) -> bool:
    """Is it an object whose class holds nothing that a derivative may lead to, and that can be
    copied by its attributes?
    """
    kind = type(value)
    if not has_identity(value) or not kind.__flags__ & MADE_BY_CLASS:
        return False
    return type(stored_in(value)) is dict and _holds_no_data(kind, frozenset(stored_in(value)))


def _holds_no_data(cls: type, names: frozenset[str]) -> bool:
    """Is all that the class and its bases hold under other names than these code, a number by value
    or a word?
    """
    for base in mro_of(cls)[:-1]:
        own = vars(base)
        if not base.__flags__ & MADE_BY_CLASS or _SPECIAL & own.keys() or own.get("__slots__"):
            return False
        if any(
            not (name in names or name.startswith("__") or type(each) in _WITHOUT_DATA)
            for name, each in own.items()
        ):
            return False
    return True


_SPECIAL = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__del__"})
_WITHOUT_DATA = frozenset({
    FunctionType, property, staticmethod, classmethod, float, int, bool, str, type(None),
    type(vars(ABC)["_abc_impl"]),
})  # fmt: skip


def _held(values: Iterable[Any]) -> Iterator[Any]:
    """The lists and objects among values, and in these objects."""
    for each in values:
        if type(each) in (list, tuple):
            yield each
        elif type(each) not in _PLAIN and _is_object(each):
            yield each
            inside = stored_in(each).values()
            yield from _held([part for part in inside if type(part) is not tuple])


@functools.lru_cache(maxsize=256)
def _calling(shape: str, count: int) -> Callable[[Any], Any]:
    """What makes, of a callback of so many operands, the function that weighs its result; without a
    shape the one that hands it on.
    """
    given = ", ".join(f"x_{at}" for at in range(count))
    if not shape:
        seeds, lines = "", [f"return f({given})"]
    elif shape == "number":
        seeds, lines = "seed, ", [f"return seed * f({given})"]
    elif shape == "array":
        seeds, lines = "seed, ", [f"return np.sum(seed * f({given}))"]
    else:
        names = [f"seed_{at}" for at in range(int(shape))]
        seeds = "".join(f"{name}, " for name in names)
        parts = " + ".join(f"{name} * y[{at}]" for at, name in enumerate(names))
        lines = [f"y = f({given})", f"return {parts}"]
    head = f"def weighing(f):\n    def weighed({seeds}{given}):\n"
    text = head + "".join(f"        {line}\n" for line in lines) + "    return weighed\n"
    return with_text(text, f"a callback of {count}, {shape}", np=np)


def _shaped(fn: FunctionType, count: int, shape: str, operands: Sequence[Any]) -> Text | None:
    """The text for results of a shape, if there is one for such operands."""
    known: dict[Any, Text | None] = variants_of(fn).modules.setdefault(_TEXTS, {})
    is_plain = _is_plain(contents_of(fn.__closure__ or ()) or ())
    key = shape, count, *_key(operands)
    if is_plain and key in known:
        return known[key]
    if len(known) >= MOST:
        known.clear()
    made: Any = _calling(shape, count)(fn)
    apart = taken_apart(made, (fn,))
    standing: FunctionType = apart[0]
    texts: dict[Any, Text | None] = variants_of(standing).modules.setdefault(_TEXTS, {})
    if key not in texts:
        texts[key] = _made(standing, operands, len(seeds_of(shape)))
    if is_plain:
        known[key] = texts[key]
    return texts[key]


def _made(fn: FunctionType, operands: Sequence[Any], seeds: int) -> Text | None:
    loaded = _loaded(fn, variants_of(fn), operands, "", seeds)
    if loaded is None or loaded.form != "fused" or loaded.tentative or loaded.whole:
        return None
    if loaded.shadows or _reads_data(loaded):
        return None
    return loaded.functions[0]


def _reads_data(loaded: Loaded) -> bool:
    """Does it read arrays or lists among the globals, to which a derivative may lead?"""
    return any(
        module_of(text.__globals__.get(name)) is not None
        for text in loaded.functions
        for name in text.__code__.co_names
    )


def _key(operands: Sequence[Any]) -> tuple[Any, ...]:
    """What tells operands of one text from those of another; faster than words for all."""
    return tuple([_NUMBERS_AS_TYPES.get(type(each)) or _word(each) for each in operands])


_NUMBERS_AS_TYPES: dict[type, Any] = {kind: kind for kind in _NUMBERS}


def _word(value: Any) -> Any:
    if type(value) is np.ndarray:
        return value.dtype, value.ndim
    return kinds_of((value,), open_=True)


def _repeats(fn: FunctionType, operands: Sequence[Any]) -> bool:
    """May it be called more often than the solver does, seen by nobody? Its text as a value asks
    whether all that it calls is what it was.
    """
    variants = variants_of(fn)
    known: dict[Any, Text | None] = variants.modules.setdefault(_AGAIN, {})
    key = _key(operands)
    if key not in known:
        loaded = _loaded(fn, variants, operands, "value", 0)
        is_again = loaded is not None and loaded.form.endswith(" again")
        known[key] = loaded.functions[0] if loaded is not None and is_again else None
    text = known[key]
    return text is not None and fits(text, operands)


def _loaded(
    fn: FunctionType, variants: Variants, operands: Sequence[Any], form: str, seeds: int
) -> Loaded | None:
    kinds = kinds_of(operands, open_=True)
    if "unknown" in kinds or (kinds, form) in variants.no_fused:
        return None
    wanted = [not form and at >= seeds for at in range(len(operands))]
    asked = Asked(
        kinds, wanted, fused=True, word_of=word_of_data, exact=True,
        forward=form, functions=functions_of(fn),
    )  # fmt: skip
    try:
        return load_or_compile(fn, asked)
    except AstadError:
        variants.no_fused.add((kinds, form))
        return None
