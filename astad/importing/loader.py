"""Load a module that mentions astad: as always, with a look before and a look after.

The module is executed untouched, by Python's own loader, from its own .pyc, and is left with
Python's own loader in ``__loader__`` and ``__spec__``. The hook only makes early and cheap what
would happen anyway at the first gradient: it remembers the text that is running, and has decorated
functions compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import decode_source
from types import CodeType, ModuleType
from typing import Any

from astad import settings

__all__ = ["ObservingLoader", "Slots", "slots"]


class Slots:
    """What is called for each observed module; empty until the compiler is wired in.

    Attributes
    ----------
    remember : function (file, text) or None
        Called before the module runs, with its source.
    compile_decorated : function (module) or None
        Called after a module ran that Python had to compile. Whatever it raises is dropped: the
        import goes on.
    """

    remember: Callable[[str, str], None] | None = None
    compile_decorated: Callable[[ModuleType], None] | None = None


slots = Slots()


class ObservingLoader(SourceFileLoader):
    """Python's own loader, which tells ``slots`` about the module it executes."""

    def __init__(self, ordinary: SourceFileLoader, source: bytes) -> None:
        super().__init__(ordinary.name, ordinary.path)
        self._ordinary = ordinary
        self._source = source
        self._is_new = False

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module as Python does; afterwards nothing of ours is left in it."""
        self._step_back(module)
        self._remember()
        try:
            super().exec_module(module)
        except BaseException as error:
            if error.__traceback__ is not None:
                # without this frame Python shows the import as if there were no hook
                error.__traceback__ = error.__traceback__.tb_next
            raise
        if self._is_new:
            self._compile_decorated(module)

    # typeshed has the static method of another loader; Python's versions differ in the arguments
    def source_to_code(self, *arguments: Any, **options: Any) -> CodeType:  # type: ignore[override]
        """Called where Python has no bytecode file of this text: astad then has none either.

        Where it has one, what was decorated was compiled along with it; should it be lost, it is
        compiled at the first gradient.
        """
        self._is_new = True
        code: CodeType = super().source_to_code(*arguments, **options)
        return code

    def _step_back(self, module: ModuleType) -> None:
        module.__loader__ = self._ordinary
        if module.__spec__ is not None:
            module.__spec__.loader = self._ordinary

    def _remember(self) -> None:
        if slots.remember is not None:
            try:
                slots.remember(self.path, decode_source(self._source))
            except Exception:  # a file that cannot be decoded: Python says so better in a moment
                settings.report()

    def _compile_decorated(self, module: ModuleType) -> None:
        if slots.compile_decorated is not None:
            try:
                slots.compile_decorated(module)
            except Exception:  # the first gradient meets the same error, and raises it there
                settings.report()
