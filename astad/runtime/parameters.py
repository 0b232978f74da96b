"""The parameters of a function, in the order in which its pair takes them flat.

>>> def f(a, /, b, *rest, c=1.0, **more): ...
>>> parameters_of(f.__code__)
Parameters(plain=('a', 'b'), rest='rest', only=('c',), more='more')
>>> parameters_of(f.__code__).flat
('a', 'b', 'rest', 'c', 'more')
"""

from __future__ import annotations

from types import CodeType
from typing import NamedTuple

from astad.code_objects import MORE, REST

__all__ = ["Parameters", "parameters_of"]


class Parameters(NamedTuple):
    """Names: before the stars, ``*rest``, those passed by keyword only, ``**more``."""

    plain: tuple[str, ...]
    rest: str | None
    only: tuple[str, ...]
    more: str | None

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
