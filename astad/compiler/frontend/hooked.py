"""What an import hook made of a file, where that is not what the file says.

pytest rewrites asserts, so that a failure shows the operands; type checkers put checks between the
statements. The loader of the module is asked for the tree once more: what it hands to `compile` is
the text that runs.

>>> hooked_text({"__loader__": None}, "walk.py", "x = 1", 0) is None
True
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Any  # loaders are foreign code

from astad.compiler.frontend.module_text import ModuleText, kept_text

__all__ = ["hook_of", "hooked_text", "is_of_asserts"]

_OWN = ("importlib", "_frozen_importlib", "zipimport", "astad.")


def hook_of(space: dict[str, object]) -> str | None:
    """The name of what imported a module, where it is no loader of Python's own."""
    kind = type(_loader(space))
    if kind.__module__ == "builtins" or kind.__module__.startswith(_OWN):
        return None
    return f"{kind.__module__}.{kind.__qualname__}"


def is_of_asserts(space: dict[str, object]) -> bool:
    """Whether pytest imported the module: what it changes are asserts, which mean the same."""
    return "@pytest_ar" in space


def hooked_text(space: dict[str, object], file: str, text: str, flags: int) -> ModuleText | None:
    """The text of a module as its import hook had it compiled; None where there is no hook, or the
    tree cannot be had from it.
    """
    if hook_of(space) is None or space.get("__file__") != file:
        return None

    def parse() -> ModuleText | None:
        try:
            tree = _tree(_loader(space), file, text.encode())
        except (RecursionError, MemoryError):  # of the moment: not to be remembered
            raise
        except Exception:  # foreign code: whatever fails in it means that there is no tree
            return None
        return ModuleText.of_tree(file, tree, flags) if tree is not None else None

    return kept_text(("hooked", file, flags, text), parse)


def _loader(space: dict[str, object]) -> Any:
    return getattr(space.get("__spec__"), "loader", None) or space.get("__loader__")


def _tree(loader: Any, file: str, data: bytes) -> ast.Module | None:
    rewrite = _function("rewrite_asserts", type(loader).__module__)
    if rewrite is not None:
        tree = ast.parse(data, file)
        rewrite(tree, data, file, loader.config)
        return tree
    if not isinstance(loader, SourceFileLoader):
        return None  # a hook that loads from elsewhere: out of a zip file
    return _compiled_by(loader, file, data)


def _function(name: str, module: str) -> Callable[..., None] | None:
    """pytest's own, from the module of its loader."""
    return getattr(sys.modules.get(module), name, None)


class _Recorder(SourceFileLoader):
    """What a hook's loader reaches by ``super().source_to_code``."""

    trees: list[ast.Module]

    def source_to_code(  # type: ignore[override]
        self, data: Any, path: Any, *args: Any, **options: Any
    ) -> CodeType:
        if isinstance(data, ast.Module):
            self.trees.append(data)
        return super().source_to_code(data, path, *args, **options)


def _compiled_by(loader: SourceFileLoader, file: str, data: bytes) -> ast.Module | None:
    """The tree that a loader's ``source_to_code`` hands on; it runs as a copy that sees another
    `compile`, so that nothing of the hook's module is changed.
    """
    kind = type(loader)
    found = next(vars(each)["source_to_code"] for each in kind.__mro__ if _has(each))
    method = getattr(found, "__func__", found)
    if not isinstance(method, FunctionType):
        return None  # written in C
    trees: list[ast.Module] = []

    def spying(source: Any, *args: Any, **options: Any) -> Any:
        made = compile(source, *args, **options)
        if isinstance(source, ast.Module) and isinstance(made, CodeType):
            trees.append(source)
        return made

    space = {**method.__globals__, "compile": spying}
    copy = FunctionType(
        method.__code__, space, method.__name__, method.__defaults__, method.__closure__
    )
    copy.__kwdefaults__ = method.__kwdefaults__
    remade: Any = type(found)(copy) if found is not method else copy
    spy_kind: Any = type(kind.__name__, (kind, _Recorder), {"source_to_code": remade})
    spy = spy_kind.__new__(spy_kind)
    spy.__dict__.update(vars(loader), trees=trees)
    spy.source_to_code(data, file)
    return trees[-1] if trees else None


def _has(kind: type) -> bool:
    return "source_to_code" in vars(kind)
