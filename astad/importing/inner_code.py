"""The code objects of the functions that a function makes.

>>> def outer():
...     return [lambda x: x, [lambda y: y for _ in "ab"]]
>>> [code.co_varnames for code in inner_codes(outer.__code__)]
[('x',), ('y',)]
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType

__all__ = ["inner_codes"]

_COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def is_looked_through(code: CodeType) -> bool:
    """Comprehensions before Python 3.12, class bodies, and the scopes of type parameters."""
    is_class = not code.co_flags & OPTIMIZED
    return is_class or code.co_name in _COMPREHENSIONS or code.co_name.startswith("<generic ")


OPTIMIZED = 0x1
"""Flag of the code of functions; the body of a class works on a namespace."""


def inner_codes(code: CodeType) -> Iterator[CodeType]:
    """As the compiler met them; what is no function is looked through, a generator expression too,
    which is one besides.
    """
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if is_looked_through(const):
                yield from inner_codes(const)
            if not is_looked_through(const) or const.co_name == "<genexpr>":
                yield const
