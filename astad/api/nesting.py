"""A gradient inside a function that is being differentiated is refused by name."""

from __future__ import annotations

from types import FunctionType
from typing import Any, NoReturn

from astad.api import reverse_mode
from astad.api.derived import Derived
from astad.errors import Unsupported
from astad.runtime.full_rules import CALLED, FULL
from astad.runtime.versions import Versions


def _refuse(name: str) -> Any:
    def forward(versions: Versions, /, *args: Any, **keywords: Any) -> NoReturn:
        raise Unsupported(
            f"astad.{'gradient' if name.startswith('_') else name}",
            "a call inside a function that is being differentiated",
            why="derivatives of derivatives are not taken yet",
            instead="call it outside, or write the inner derivative out",
        )

    forward.refuses = "is not differentiated inside another function"  # type: ignore[attr-defined]
    return forward


def _functions() -> dict[str, FunctionType]:
    """Of the module of the reverse mode, those inside included that its functions hand out."""
    found = {"Pullback": reverse_mode.Pullback.__call__, **vars(reverse_mode)}
    return {
        name: fn
        for name, fn in found.items()
        if type(fn) is FunctionType and fn.__module__ == reverse_mode.__name__
    }


def _refuse_derived(versions: Versions, fn: Derived, /, *args: Any, **keywords: Any) -> Any:
    return _refuse(fn.made_by[0].__name__)(versions)


CALLED[Derived] = _refuse_derived
FULL.update({id(fn): _refuse(name) for name, fn in _functions().items()})
