"""The parameters of a rule, from text: ``"a, axis=None, *, keepdims=False"``.

>>> signature = Signature("a, axis=None, *xs, keepdims=False", {})
>>> signature.parameters
('a', 'axis', '*xs', 'keepdims')
>>> signature.bind((5.0, 0, 1, 2), {"keepdims": True})
[5.0, 0, (1, 2), True]
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Signature"]

_UFUNC_KEYWORDS = {"casting", "order", "dtype", "subok", "signature", "sig", "extobj"}
"""Keywords every ufunc takes, which change no derivative."""


class Signature:
    """Names, defaults and kinds of the parameters of a rule.

    Parameters
    ----------
    text : str
        As between the parentheses of a ``def``.
    namespace : mapping
        Where the defaults are evaluated.
    """

    __slots__ = ("defaults", "parameters", "positional", "positional_only", "required", "star")

    def __init__(self, text: str, namespace: Mapping[str, Any]) -> None:
        tree = ast.parse(f"def f({text}): pass").body[0]
        assert isinstance(tree, ast.FunctionDef)
        arguments = tree.args
        positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        keyword_only = [a.arg for a in arguments.kwonlyargs]
        self.positional_only = len(arguments.posonlyargs)
        self.positional = tuple(positional)
        self.star = arguments.vararg.arg if arguments.vararg else None
        middle = ["*" + self.star] if self.star else []
        self.parameters = (*positional, *middle, *keyword_only)
        values: dict[str, ast.expr] = {}
        if arguments.defaults:
            values.update(
                zip(positional[-len(arguments.defaults) :], arguments.defaults, strict=True)
            )
        for name, value in zip(keyword_only, arguments.kw_defaults, strict=True):
            if value is not None:
                values[name] = value
        scope = dict(namespace)
        self.defaults = {name: eval(ast.unparse(value), scope) for name, value in values.items()}
        self.required = len(positional) - len(arguments.defaults)

    def bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> list[Any]:
        """One value per parameter, in order; the one of ``*xs`` is a tuple.

        Keywords the signature doesn't name are left out: the function has run with them already.
        """
        if not keywords and self.star is None and len(args) == len(self.parameters):
            return list(args)
        count = len(self.positional)
        given = dict(zip(self.positional, args, strict=False))
        given.update(keywords)
        values: list[Any] = []
        for name in self.parameters:
            if name[0] == "*":
                values.append(tuple(args[count:]))
            else:
                values.append(given[name] if name in given else self.defaults.get(name))
        return values

    def unknown(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> list[str]:
        """Names of what was given beyond the signature and may change the derivative."""
        extra = [k for k in keywords if k not in self.parameters and k not in _UFUNC_KEYWORDS]
        if self.star is None and any(a is not None for a in args[len(self.positional) :]):
            extra.append("out")
        return extra

    def call_arguments(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """``args, keywords`` with which the function gives the result for these values.

        Values left at their default are not passed, so that a text's ``keepdims=False`` may stand
        for NumPy's own "not given".
        """
        args: list[Any] = []
        keywords: dict[str, Any] = {}
        by_position = True
        for place, (name, value) in enumerate(zip(self.parameters, values, strict=True)):
            if name[0] == "*":
                args.extend(value)
                by_position = False
            elif name in self.defaults and value is self.defaults[name]:
                by_position = False
            elif by_position and place < len(self.positional) or place < self.positional_only:
                args.append(value)
            else:
                keywords[name] = value
        return args, keywords
