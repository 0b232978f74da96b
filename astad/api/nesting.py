"""A gradient inside a function that is being differentiated is refused by name."""

from __future__ import annotations

from types import FunctionType
from typing import Any, NoReturn

from astad.api import gradients, pullbacks
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
    """Of the modules of the reverse mode, those inside included that its functions hand out."""
    homes = gradients, pullbacks
    found = {"Pullback": pullbacks.Pullback.__call__, **vars(gradients), **vars(pullbacks)}
    own = {home.__name__ for home in homes}
    return {
        name: fn for name, fn in found.items() if type(fn) is FunctionType and fn.__module__ in own
    }


def _refuse_derived(versions: Versions, fn: Derived, /, *args: Any, **keywords: Any) -> Any:
    return _refuse(fn.made_by[0].__name__)(versions)


CALLED[Derived] = _refuse_derived
FULL.update({id(fn): _refuse(name) for name, fn in _functions().items()})
