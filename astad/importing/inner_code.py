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


def inner_codes(code: CodeType) -> Iterator[CodeType]:
    """As the compiler met them; comprehensions, which before Python 3.12 have code of their own,
    are looked through.
    """
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_name in _COMPREHENSIONS:
                yield from inner_codes(const)
            else:
                yield const
