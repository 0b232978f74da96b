"""The import hook: one finder, which asks the others and notes the modules that mention astad.

All other modules, and all that come with a loader other than Python's own (pytest's, those of
archives, of frozen applications, of other hooks), are imported as if there were no hook.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from collections.abc import Hashable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType

from astad import settings
from astad.importing.loader import ObservingLoader
from astad.threads import after_fork, keep_own

__all__ = [
    "AstadFinder",
    "import_hook",
    "install",
    "install_if_wanted",
    "is_installed",
    "uninstall",
]

# never looked at: they cannot use astad, or are astad
_PASSED = sys.stdlib_module_names | {"astad", "gast", "astunparse", "numpy", "scipy"}


class AstadFinder:
    """Finds what the finders after it find; a module that mentions astad gets our loader."""

    def __init__(self) -> None:
        self._searching: set[tuple[int, Hashable]] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module, or None: go on without us."""
        if fullname.partition(".")[0] in _PASSED:
            return None
        search = (get_ident(), fullname)
        if search in self._searching:  # another hook that asks all finders, as we do
            return None
        self._searching.add(search)
        try:
            spec = self._ask_others(fullname, path, target)
        finally:
            self._searching.discard(search)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            _observe(spec, spec.loader)
        return spec

    def _ask_others(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        finders = list(sys.meta_path)
        # those before us have been asked already
        after = finders[finders.index(self) + 1 :] if self in finders else ()
        for finder in after:
            find_spec = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find_spec(fullname, path, target) if find_spec else None
            if spec is not None:
                return spec
        return None


def _observe(spec: ModuleSpec, ordinary: SourceFileLoader) -> None:
    try:
        source = ordinary.get_data(ordinary.path)
    except OSError:  # Python has its own words for it
        return
    if b"astad" in source:
        spec.loader = ObservingLoader(ordinary, source)


def install() -> None:
    """Put the hook first in ``sys.meta_path``; once, however often it is called."""
    if not is_installed():
        # one that an earlier copy of this module left behind would call into that copy
        sys.meta_path[:] = [finder for finder in sys.meta_path if not _is_like_ours(finder)]
        sys.meta_path.insert(0, _finder)


def install_if_wanted() -> None:
    """``install()``, unless ``ASTAD_HOOK=0``."""
    if settings.hook:
        install()


def import_hook(on: bool) -> None:
    """Turn the import hook on or off; ``ASTAD_HOOK=0`` turns it off from the start.

    Without it every gradient is the same: modules that mention astad are then not looked at while
    they are imported, but at the first gradient.

    Examples
    --------
    >>> import astad
    >>> astad.import_hook(False)
    >>> astad.import_hook(True)
    """
    (install if on else uninstall)()


def uninstall() -> None:
    """Take the hook out; ``sys.meta_path`` is then as if it had never been there."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not _finder]


def is_installed() -> bool:
    """True while the hook stands in ``sys.meta_path``."""
    return any(finder is _finder for finder in sys.meta_path)


def _is_like_ours(finder: object) -> bool:
    kind = type(finder)
    return (kind.__module__, kind.__qualname__) == (__name__, AstadFinder.__qualname__)


_finder = AstadFinder()
after_fork(lambda: keep_own(_finder._searching))
