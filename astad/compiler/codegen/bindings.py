"""Global names of a generated module: what each stands for, so that any process can bind it.

A binding is a pair of words: ``("module", "numpy")``,
``("object", "astad.runtime.dispatch:call")``, or ``("user", "")`` for the live globals of the
user's function, or those of the module named, ``("live", "")`` for the same in a guard,
``("path", "math.sin")`` for what a guard compares with, ``("copy", "f.__kwdefaults__")`` for a copy
of it; ``("names", "Point#1")`` for what the first base of a class holds, ``("held", "Point#1#x")``
for what it holds under one name.

Names and literals of generated trees.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import GENERATED, Ref

__all__ = ["Bindings", "LOAD", "PLACE", "STORE", "constant_of", "live_path", "name_of", "target_of"]

# --- names and literals of trees


LOAD, STORE = ast.Load(), ast.Store()


def name_of(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, LOAD)


def target_of(target: Any) -> ast.expr:
    """A name, or a tuple of targets."""
    if isinstance(target, str):
        return ast.Name(target, STORE)
    return ast.Tuple([target_of(part) for part in target], STORE)


def constant_of(value: Any) -> ast.expr:
    """A literal, or a tuple of such."""
    if isinstance(value, tuple):
        return ast.Tuple([constant_of(item) for item in value], LOAD)
    return ast.Constant(value)


MODULES = {"numpy": "np", "math": "math", "operator": "operator"}


def _suffixed(word: str, module: str) -> str:
    """``live_units`` for the module ``physics.units``."""
    last = re.sub(r"\W+", "_", module.rpartition(".")[2])  # a generated text's may have any signs
    return f"{word}_{last.strip('_')}" if module else word


class Bindings:
    """Gives a name to every object that generated text refers to.

    Parameters
    ----------
    names : Names
        Gives fresh names.
    plain : set of str
        Identifiers of the user's text that are no variable of the function: they may be bound
        as they are.
    roots : dict
        Names by which the user's module knows modules: ``{"np": "numpy"}``.

    ``inactive`` are parameters that carry no derivative, ``native`` the paths of builtins that the
    text relies on; ``assumed`` are all the paths that it relies on.
    """

    def __init__(
        self, names: Names, plain: Set[str] = frozenset(), roots: Mapping[str, str] | None = None
    ) -> None:
        self.names = names
        self.plain = set(plain)
        self.roots = dict(roots or {})
        self.aliases = {module: root for root, module in self.roots.items() if ":" not in root}
        self.bound: dict[str, tuple[str, str]] = {}
        self.defined: dict[str, str] = {}
        self.inactive: Set[str] = frozenset()
        self.native: Set[str] = frozenset()
        self.assumed: Set[str] = frozenset()
        self._called: dict[tuple[str, str], str] = {}
        self._written: dict[Ref, Sequence[str]] = {}

    def name(self, kind: str, what: str, wish: str) -> str:
        """The name bound to this object."""
        key = (kind, what)
        if key not in self._called:
            name = self._called[key] = wish if wish in self.plain else self.names.fresh(wish)
            self.plain.discard(name)
            self.bound[name] = key
        return self._called[key]

    def define(self, function: str) -> None:
        """Find the name of a function of the text itself."""
        self.defined[function] = self.names.fresh(function)

    def reference(self, ref: Ref) -> ast.expr:
        """``math.cos``, ``np.sum``, ``pull``."""
        if ref not in self._written:
            self._written[ref] = self._names_of(ref)
        return dotted(self._written[ref])

    def _names_of(self, ref: Ref) -> Sequence[str]:
        if ref.module == GENERATED:
            return (self.defined[ref.name],)
        top, _, rest = ref.module.partition(".")
        if top in MODULES:
            return (self._module(top), *(rest.split(".") if rest else ()), ref.name)
        return (self.name("object", f"{ref.module}:{ref.name}", ref.name),)

    def _module(self, module: str) -> str:
        wish = self.aliases.get(module) or MODULES.get(module, module.replace(".", "_"))
        return self.name("module", module, wish)

    def user_globals(self, module: str = "") -> ast.expr:
        """The user's live globals and builtins, or those of another module, as attributes."""
        return ast.Name(self.name("user", module, _suffixed("g", module)), LOAD)

    def live_globals(self, module: str = "") -> ast.expr:
        """The same for a guard: read faster, since what is not there needs no error of its own."""
        return ast.Name(self.name("live", module, _suffixed("live", module)), LOAD)

    def user_path(self, path: str) -> ast.expr:
        """``math.sin`` as the user wrote it, of an object that a guard has compared."""
        module, colon, names = path.rpartition(":")
        if "." not in names:
            return ast.Name(self.name("path", path, names), LOAD)
        first, *rest = names.split(".")
        if CAPTURED in names:
            return ast.Name(self.name("path", path, PLACE.sub("", rest[-1])), LOAD)
        root = f"{module}{colon}{first}"
        known = self.roots.get(root)
        return dotted([self._module(known) if known else self.name("path", root, first), *rest])


def dotted(names: Sequence[str]) -> ast.expr:
    """``np.linalg.inv`` of its parts."""
    found: ast.expr = ast.Name(names[0], LOAD)
    for part in names[1:]:
        found = ast.Attribute(found, part, LOAD)
    return found


CAPTURED = "__closure__"
PLACE = re.compile(rf"{CAPTURED}(\d+)_")
"""Of a captured variable in a path, as `astad/code_objects.py` spells it."""


def live_path(path: str, names: Callable[[str], ast.expr]) -> ast.expr:
    """What the path stands for now."""
    module, _, words = path.rpartition(":")
    live = names(module)
    for part in words.split("."):
        place = PLACE.match(part)
        if place is None:
            live = ast.Attribute(live, part, ast.Load())
            continue
        cells = ast.Attribute(live, CAPTURED, ast.Load())
        cell = ast.Subscript(cells, ast.Constant(int(place[1])), ast.Load())
        live = ast.Attribute(cell, "cell_contents", ast.Load())
    return live
