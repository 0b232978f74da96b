"""Functions with a parameter ``y``, which in a formula is the result: formulas call it otherwise.

>>> signature = KnownAsY("values, x=None", {}, "values")
>>> signature.bind((), {"y": 1.0})
[1.0, None]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from astad.rules.formula import Rule
from astad.rules.signature import Signature

__all__ = ["known_as_y"]


class KnownAsY(Signature):
    """A signature of which one parameter is ``y`` to the caller.

    Parameters
    ----------
    text, namespace
        As of `Signature`.
    name : str
        The parameter, as the formulas call it.
    """

    __slots__ = ("name", "source")

    def __init__(self, text: str, namespace: Mapping[str, Any], name: str) -> None:
        self.name = name
        self.source = text, namespace

    def __getattr__(self, field: str) -> Any:
        """Parse at the first need of a field, not when the rule is declared."""
        if field not in Signature.__slots__:
            raise AttributeError(field)
        super().__init__(*self.source)
        return getattr(self, field)

    def bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> list[Any]:
        """As of `Signature`."""
        return super().bind(args, self.renamed(keywords))

    def unknown(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> list[str]:
        """As of `Signature`."""
        return super().unknown(args, self.renamed(keywords))

    def call_arguments(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """As of `Signature`."""
        args, keywords = super().call_arguments(values)
        return args, {"y" if key == self.name else key: keywords[key] for key in keywords}

    def renamed(self, keywords: Mapping[str, Any]) -> dict[str, Any]:
        """The keywords as the formulas call them."""
        return {self.name if key == "y" else key: keywords[key] for key in keywords}


def known_as_y(rule: Rule, name: str) -> None:
    """Let callers say ``y`` for a parameter of a rule."""
    rule._signature = KnownAsY(rule.signature_text, rule.namespace, name)
