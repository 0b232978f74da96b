"""What the user's global names stand for while a function is compiled."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["Space"]


class Space:
    """Names of one function's globals and builtins, as they stand when the function is compiled.

    ``assumed`` collects every dotted path the compiler relied on, with the object it stood for: the
    guards. ``Space.nothing`` stands for what is not found.
    """

    nothing = object()

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self.namespace = namespace
        self.assumed: dict[str, object] = {}

    def find(self, path: str) -> object:
        """The object of a dotted path of modules, or of the code of a function, or ``nothing``."""
        head, *rest = path.split(".")
        found = self.namespace.get(head, getattr(builtins, head, Space.nothing))
        for name in rest:
            of_code = name == "__code__" and isinstance(found, FunctionType)
            if not (of_code or isinstance(found, ModuleType)):
                return Space.nothing
            found = getattr(found, name, Space.nothing)
        return found

    def assume(self, path: str) -> object:
        found = self.find(path)
        if found is not Space.nothing:
            self.assumed[path] = found
        return found
