"""What ``except`` and ``with`` ask.

>>> catches(KeyError("a"), (ValueError, LookupError))
True
>>> import contextlib
>>> of_class(contextlib.nullcontext(2.0), "__enter__")()
2.0

Exceptions made: what they are given is in ``args`` and in the attributes that C code sets.

>>> SystemExit(2.0).code, StopIteration(3.0).value, OSError(4, "why", "where").filename
(2.0, 3.0, 'where')
"""

from __future__ import annotations

from collections.abc import Sequence

from astad.originals import builtins
from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    flows,
    full,
    lookup_in_class,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import stored_in
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.add import add

__all__ = ["catches", "make_exception", "of_class"]


def catches(exc: BaseException, types: Value) -> bool:
    """Whether ``except types`` catches an exception."""
    parts = types if issubclass(type(types), tuple) else (types,)
    for part in parts:
        if not (issubclass(type(part), type) and issubclass(part, BaseException)):
            what = "catching classes that do not inherit from BaseException is not allowed"
            raise TypeError(what)
    return any(part in type(exc).__mro__ for part in parts)


def of_class(o: Value, name: str) -> Value:
    """A method of the object's class, bound to it, as ``with`` looks it up."""
    found = lookup_in_class(type(o), name)
    if found is None:
        missing = " (missed __exit__ method)" if name == "__exit__" else ""
        raise TypeError(
            f"{type(o).__name__!r} object does not support the context manager protocol{missing}"
        )
    bind = getattr(type(found), "__get__", None)
    return found if bind is None else bind(found, o, type(o))


# --- exceptions made ------------------------------------------------------------------------------


Links = tuple[tuple[str, int], ...]
"""Attributes of an exception, and the operand that each of them is."""

EXCEPTIONS = [
    each
    for each in vars(builtins).values()
    if isinstance(each, type) and issubclass(each, BaseException)
]
_ATTRIBUTES: dict[type[BaseException], tuple[str, ...]] = {
    SystemExit: ("code",),
    StopIteration: ("value",),
    ImportError: ("msg",),
    OSError: ("errno", "strerror", "filename", "", "filename2"),
}
"""Those that are set to what is given at their place."""
_PLACE = ("filename", "lineno", "offset", "text", "end_lineno", "end_offset")
"""Those that a SyntaxError sets to what is in its second operand."""


def make_exception(
    versions: Versions, cls: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """``cls(*args, **keywords)`` of an exception: its operands are in ``args``, and what its own
    ``__init__`` makes of them."""
    init = python_method(cls, "__init__")
    links: Links = ()
    if init is None:
        y, record = cls(*args, **keywords), None
        links = _links(y, args, keywords)
    else:
        y = cls.__new__(cls, *args, **keywords)
        _, record = callbacks.call(versions, init, y, *args, **keywords)
    placed = _is_placed(y, args)
    if record is None and not links and not placed and not any(map(flows, args)):
        return y, None
    held = y if links or placed else y.args  # not the exception itself, where that can be
    return y, (pull_exception, held, args, record, len(args) + len(keywords), links)


def pull_exception(
    shadows: Shadows,
    y_bar: Value,
    held: Value,
    args: tuple[Value, ...],
    record: Record,
    n: int,
    links: Links,
) -> Cotangents:
    found = callbacks.pull(shadows, record, None, n + 1)
    operands = list(found[1:]) if found is not None else [None] * n
    _take_args(shadows, held.args if isinstance(held, BaseException) else held, args, operands)
    _take_links(shadows, held, links, operands)
    _take_place(shadows, held, args)
    return operands


@full(*(kind.__init__ for kind in EXCEPTIONS))
def init_exception(
    versions: Versions, exc: Value, /, *args: Value, **keywords: Value
) -> tuple[None, Record]:
    """What the ``__init__`` of an exception calls: the operands are in ``args`` from now on."""
    base = next(kind for kind in type(exc).__mro__ if kind in EXCEPTIONS)
    base.__init__(exc, *args, **keywords)
    links = _links(exc, args, keywords)
    placed = _is_placed(exc, args)
    if not links and not placed and not any(map(flows, args)):
        return None, None
    held = exc if links or placed else None
    return None, (pull_init_exception, exc.args, args, len(keywords), held, links)


@full(*(kind.__new__ for kind in EXCEPTIONS))
def new_exception(
    versions: Versions, cls: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """What a ``__new__`` of the user's calls: the operands are in ``args``, until ``__init__``."""
    base = next((kind for kind in cls.__mro__ if kind in EXCEPTIONS), BaseException)
    y = base.__new__(cls, *args, **keywords)
    if not any(map(flows, args)):
        return y, None
    return y, (pull_init_exception, y.args, args, len(keywords), None, ())


def pull_init_exception(
    shadows: Shadows,
    y_bar: Value,
    held: Value,
    args: tuple[Value, ...],
    words: int,
    exc: Value,
    links: Links,
) -> Cotangents:
    operands: list[Value] = [None] * (len(args) + words)
    _take_args(shadows, held, args, operands)
    _take_links(shadows, exc, links, operands)
    _take_place(shadows, exc, args)
    return [None, *operands]


def _rule_of_reduce(kind: Value) -> None:
    reduce = vars(kind)["__reduce__"]

    @full(reduce)
    def forward(versions: Versions, exc: Value) -> tuple[Value, Record]:
        """What a copy is made of: the arguments and the attributes themselves, or copies of them
        with what C code keeps.
        """
        y = reduce(exc)
        store, state = stored_in(exc), y[2] if len(y) > 2 else None
        places = [] if y[1] is exc.args else [at for at, v in enumerate(y[1]) if flows(v)]
        keys = [] if state is None or state is store else [k for k in state if flows(state[k])]
        return y, (pull_reduced, exc, y, places, keys) if places or keys else None


def pull_reduced(
    shadows: Shadows, y_bar: Value, exc: Value, y: Value, places: list[int], keys: list[str]
) -> None:
    names = next((_ATTRIBUTES[kind] for kind in type(exc).__mro__ if kind in _ATTRIBUTES), ())
    for at in places:
        g = shadows.slot_take(y[1], at)
        if at < len(exc.args) and exc.args[at] is y[1][at]:
            shadows.slot_add(exc.args, at, g)
        else:
            shadows.key_add(exc, names[at], g)
    for key in keys:
        store = stored_in(exc)
        shadows.key_add(store if key in store else exc, key, shadows.key_take(y[2], key))


@full(BaseException.__setstate__)
def set_exception_state(versions: Versions, exc: Value, state: Value) -> tuple[Value, Record]:
    return callbacks.call(versions, take_state, exc, state)


def take_state(exc: Value, state: Value) -> None:
    """As ``BaseException.__setstate__``."""
    if state is not None:
        if not isinstance(state, dict):
            raise TypeError("state is not a dictionary")
        for name, value in state.items():
            setattr(exc, name, value)


for _kind in EXCEPTIONS:
    if "__reduce__" in vars(_kind):
        _rule_of_reduce(_kind)


def _links(exc: Value, args: Sequence[Value], keywords: dict[str, Value]) -> Links:
    """Attributes that are numbers: of the place, or of the name of an operand."""
    if type(exc).__init__ in _PLAIN and not keywords:
        return ()
    names = next((_ATTRIBUTES[kind] for kind in type(exc).__mro__ if kind in _ATTRIBUTES), ())
    places = [*names[: len(args)], *[""] * (len(args) - len(names)), *keywords]
    given = (*args, *keywords.values())
    return tuple(
        (name, at)
        for at, (name, v) in enumerate(zip(places, given, strict=True))
        if name and flows(v) and getattr(exc, name, None) is v
    )


_PLAIN = (BaseException.__init__, Exception.__init__)


def _take_args(
    shadows: Shadows, held: Value, args: tuple[Value, ...], operands: list[Value]
) -> None:
    if all(mine is given for mine, given in zip(held, args, strict=False)):
        for at, g in enumerate(shadows.slots_take(held, len(held))[: len(args)]):
            operands[at] = add(operands[at], g)


def _take_links(shadows: Shadows, exc: Value, links: Links, operands: list[Value]) -> None:
    for name, at in links:
        operands[at] = add(operands[at], shadows.key_take(exc, name))


def _is_placed(exc: Value, args: Sequence[Value]) -> bool:
    """Is it a SyntaxError that is told where, in a tuple or list?"""
    return isinstance(exc, SyntaxError) and len(args) == 2 and isinstance(args[1], (tuple, list))


def _take_place(shadows: Shadows, exc: Value, args: Sequence[Value]) -> None:
    if _is_placed(exc, args):
        for at, name in enumerate(_PLACE[: len(args[1])]):
            shadows.slot_add(args[1], at, shadows.key_take(exc, name))
