"""What a gradient needs where a text from the disk cache is not enough: the dispatcher with all its
tables, and the pullback that runs by it.

A fused text that calls nothing at run time needs neither, and a program is spared 140 files. Who
needs something of them asks for it here: then all of them are read, before one is looked into.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Whole", "whole"]


class Whole:
    """The slots; a first question for one reads what fills them."""

    params: type | None = None
    """`Params`, once its file has been read: nobody has any before."""
    read: Callable[[], None]
    """Filled by `astad/__init__.py`."""
    run: Callable[..., tuple[Any, Any]]
    """The pullback of a call; this and what follows is filled by `api/public.py`."""
    of_scalar: Callable[..., tuple[Any, ...]]
    """The gradients by such a pullback."""
    full: dict[int, Any]
    """The table of the functions that have more than a formula."""

    def __getattr__(self, name: str) -> Any:
        if name not in ("run", "of_scalar", "full"):
            raise AttributeError(name)
        self.read()
        return self.__dict__[name]


whole = Whole()
