"""Code objects: their flags, and those of the functions that a function makes.

The flags are those of `inspect`, whose import takes longer than that of all astad.

>>> def outer():
...     return [lambda x: x, [lambda y: y for _ in "ab"]]
>>> [code.co_varnames for code in inner_codes(outer.__code__)]
[('x',), ('y',)]

The parameters of a function, in the order in which its pair takes them flat.

>>> def f(a, /, b, *rest, c=1.0, **more): ...
>>> found = parameters_of(f.__code__)
>>> found.plain, found.rest, found.only, found.more
(('a', 'b'), 'rest', ('c',), 'more')
>>> parameters_of(f.__code__).flat
('a', 'b', 'rest', 'c', 'more')
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from types import CodeType, FunctionType
from typing import Any

__all__ = [
    "ASYNCHRONOUS", "CAPTURED", "GENERATOR", "OPTIMIZED", "STARRED", "HeldFunction", "Parameters",
    "captured_at", "codes_in", "inner_codes", "names_in", "own_names", "parameters_of",
    "place_of_captured", "writes_captured", "writes_own_captured",
]  # fmt: skip

OPTIMIZED = 0x001
"""Of functions; the body of a class works on a namespace."""
REST, MORE = 0x004, 0x008
STARRED = REST | MORE
"""Of a function with ``*rest`` or ``**more``."""
GENERATOR = 0x020
ASYNCHRONOUS = 0x080 | 0x100 | 0x200
"""Of coroutines (also those that a decorator made of generators) and asynchronous generators."""
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def is_looked_through(code: CodeType) -> bool:
    """Comprehensions before Python 3.12, class bodies, and the scopes of type parameters."""
    is_class = not code.co_flags & OPTIMIZED
    return is_class or code.co_name in COMPREHENSIONS or code.co_name.startswith("<generic ")


def names_in(code: CodeType) -> set[str]:
    """The names of globals and attributes that code reads, of the functions inside as well.

    >>> def outer():
    ...     return lambda x: len(x.parts)
    >>> sorted(names_in(outer.__code__))
    ['len', 'parts']
    """
    return set[str]().union(*map(own_names, codes_in(code)))


def own_names(code: CodeType) -> list[str]:
    """The names of globals and attributes that code itself reads, as a source can spell them.

    What pytest makes of an ``assert`` reads its own modules by ``@pytest_ar``, and from these all
    tests can be reached.

    >>> def outer():
    ...     return lambda x: len(x.parts)
    >>> own_names(outer.__code__), own_names(outer().__code__)
    ([], ['len', 'parts'])
    """
    return [name for name in code.co_names if name.isidentifier()]


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code, and all that stands in it: of functions, comprehensions and classes.

    >>> def outer():
    ...     return lambda x: x
    >>> [each.co_name for each in codes_in(outer.__code__)]
    ['outer', '<lambda>']
    """
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from codes_in(const)


def inner_codes(code: CodeType) -> Iterator[CodeType]:
    """Of the functions a function makes, as the compiler met them.

    What has a code object and is no function is looked through. A generator expression is a
    function besides.
    """
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if is_looked_through(const):
                yield from inner_codes(const)
            if not is_looked_through(const) or const.co_name == "<genexpr>":
                yield const


def writes_captured(code: CodeType, names: Collection[str]) -> bool:
    """Does a function that is made there write one of these variables of the function around?

    >>> def outer(a, b):
    ...     def inner():
    ...         def count():
    ...             nonlocal a
    ...             a = b
    ...         return count
    ...     return inner
    >>> inner = outer(1, 2).__code__
    >>> writes_captured(inner, ["a"]), writes_captured(inner, ["b"])
    (True, False)
    """
    import dis  # late: the compiler alone asks

    for inner in code.co_consts:
        if not isinstance(inner, CodeType):
            continue
        own = {name for name in names if name in inner.co_freevars}
        if own and any(
            step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in own
            for step in dis.get_instructions(inner)
        ):
            return True
        if writes_captured(inner, own):
            return True
    return False


def writes_own_captured(code: CodeType) -> bool:
    """Does a function, or one that it makes, write a variable that it has captured?

    >>> def outer(a):
    ...     def count():
    ...         nonlocal a
    ...         a += 1
    ...     return count, lambda: a
    >>> [writes_own_captured(fn.__code__) for fn in outer(1)]
    [True, False]
    """
    import dis  # late: the compiler alone asks

    written = {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname in ("STORE_DEREF", "DELETE_DEREF")
    }
    return not written.isdisjoint(code.co_freevars) or writes_captured(code, code.co_freevars)


class HeldFunction:
    """A function that another has captured, whose parts are operands of the other in its place.

    Attributes
    ----------
    path : str
        Its name in the text of the other: ``=f``, and ``=f.g`` for what that has captured in turn.
    fn : function
        One of this code and these globals, with nothing in its cells.
    parts : tuple
        For each captured variable a `HeldFunction`, or None where its content is an operand, or the
        place of that among what the other has captured and the operands before.
    defaults : int
        How many it has; each is an operand too, behind what is captured.
    """

    __slots__ = ("defaults", "fn", "parts", "path")

    def __init__(
        self,
        path: str,
        fn: FunctionType,
        parts: tuple[HeldFunction | int | None, ...],
        defaults: int,
    ) -> None:
        self.path = path
        self.fn = fn
        self.parts = parts
        self.defaults = defaults

    def all(self) -> Iterator[HeldFunction]:
        """This one, and those that it has captured."""
        yield self
        for part in self.parts:
            if isinstance(part, HeldFunction):
                yield from part.all()


# --- captured variables, as parts of a path -------------------------------------------------------

CAPTURED = "__closure__"
"""So begins the place of a captured variable in a path; its number and its name follow."""


def place_of_captured(at: int, name: str) -> str:
    """
    >>> place_of_captured(0, "scale")
    '__closure__0_scale'
    """
    return f"{CAPTURED}{at}_{name}"


@functools.lru_cache(maxsize=4096)
def _captured_place(place: str) -> tuple[int, str]:
    at, _, name = place.removeprefix(CAPTURED).partition("_")
    return int(at) if at else -1, name


def captured_at(fn: object, place: str, missing: Any) -> Any:
    """What a function has captured there; ``missing`` where it has no such variable, or nothing is
    in it.

    >>> scale = (lambda s: lambda x: s * x)(2.0)
    >>> captured_at(scale, "__closure__0_s", None), captured_at(scale, "__closure__1_t", None)
    (2.0, None)
    """
    at, name = _captured_place(place)
    if type(fn) is not FunctionType or fn.__closure__ is None or at < 0:
        return missing
    if fn.__code__.co_freevars[at : at + 1] != (name,):
        return missing
    try:
        return fn.__closure__[at].cell_contents
    except ValueError:
        return missing


# --- parameters -----------------------------------------------------------------------------------


# Written out, as all that a warm process makes: a `NamedTuple` takes 0.2 ms to make.


class Parameters:
    """Names: before the stars, ``*rest``, those passed by keyword only, ``**more``."""

    __slots__ = ("more", "only", "plain", "rest")

    def __init__(
        self, plain: tuple[str, ...], rest: str | None, only: tuple[str, ...], more: str | None
    ) -> None:
        self.plain = plain
        self.rest = rest
        self.only = only
        self.more = more

    @property
    def flat(self) -> tuple[str, ...]:
        """All of them, in order."""
        rest = () if self.rest is None else (self.rest,)
        return (*self.plain, *rest, *self.only, *(() if self.more is None else (self.more,)))


def parameters_of(code: CodeType) -> Parameters:
    """The parameters of a function with this code."""
    first, second = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    starred = iter(code.co_varnames[second:])
    rest = next(starred) if code.co_flags & REST else None
    more = next(starred) if code.co_flags & MORE else None
    return Parameters(code.co_varnames[:first], rest, code.co_varnames[first:second], more)
