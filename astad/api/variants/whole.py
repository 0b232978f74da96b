"""What a gradient needs where a text from the disk cache is not enough: the dispatcher with all its
tables, and the pullback that runs by it.

A fused text that calls nothing at run time needs neither, and a program is spared 140 files. Who
needs something of them asks for it here: then all of them are read, before one is looked into.

Before a debugger steps into a derivative: what would be read on the way is read now, unseen.

The slot of what looks at a differentiation before it is done, while `settings.verify` is on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from astad.importing.debuggers import hidden
from astad.importing.debuggers import pass_over_ours as pass_over

__all__ = ["Verifier", "Whole", "pass_over_ours", "verifier", "whole"]


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


# --- before a debugger steps in -------------------------------------------------------------------


def pass_over_ours() -> None:
    """A debugger that is active goes from the user's call to the user's lines."""
    if pass_over() is not None:
        hidden(_read_all)


def _read_all() -> None:
    from astad.rules.registry import read_waiting  # late, as the whole

    whole.read()
    read_waiting()


# --- what looks at a differentiation --------------------------------------------------------------


class Verifier:
    """Filled by `testing/verifying.py`."""

    before: Callable[[str, Any, tuple[Any, ...], dict[str, Any], tuple[int, ...] | None], None]


verifier = Verifier()
