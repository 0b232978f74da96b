"""From what a command is given to modules: a package, a module, a file.

>>> [module.__name__ for module in modules_of("colorsys", []).found]
['colorsys']
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

from astad.api.inspection.named_functions import NotFound
from astad.slotted import dataclass, field

__all__ = ["Modules", "modules_of"]


@dataclass(slots=True)
class Modules:
    """The modules that could be imported; name and reason of each that could not."""

    found: list[ModuleType] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str) -> ModuleType | None:
        """Import a module, what it prints goes to the standard error stream."""
        try:
            with contextlib.redirect_stdout(sys.stderr):
                module = importlib.import_module(name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # modules leave by sys.exit and by pytest.skip as well
            self.failed.append((name, in_one_line(error)))
            return None
        self.found.append(module)
        return module


def in_one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def modules_of(target: str, left_out: Sequence[str]) -> Modules:
    """The module or package, and all modules inside the package but those named ``__main__``, which
    are programs, and those that are left out, by their full name, with all that is inside them.

    Raises
    ------
    NotFound : if there is no such module or file, or if it cannot be imported.
    """
    name = _name_of_file(target) if _is_path(target) else target
    modules = Modules()
    if not _exists(name):
        raise NotFound(f"no module named {name}")
    if modules.add(name) is None:
        raise NotFound(f"importing {name} raised {modules.failed[0][1]}")
    for inner in _inside(modules.found[0], left_out):
        modules.add(inner)
    modules.found[1:] = [each for each in modules.found[1:] if each is not modules.found[0]]
    return modules


def _is_path(target: str) -> bool:
    return target.endswith(".py") or os.sep in target or (os.altsep or os.sep) in target


def _exists(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return all(name.split(".")) and importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, AttributeError, ValueError):  # no such package, or it is none
        return False
    except Exception:  # raised by the package around it: importing it will say so
        return True


def _inside(module: ModuleType, left_out: Sequence[str]) -> Iterator[str]:
    """Names of the modules inside a package, packages before what is inside them."""
    for _, name, is_package in pkgutil.iter_modules(vars(module).get("__path__", ())):
        full = f"{module.__name__}.{name}"
        if name == "__main__" or full in left_out:
            continue
        yield full
        package = sys.modules.get(full) if is_package else None
        if package is not None:
            yield from _inside(package, left_out)


# --- files ----------------------------------------------------------------------------------------


def _name_of_file(path: str) -> str:
    """The name under which a file, or the folder of a package, is imported; its folder is put where
    modules are looked for.
    """
    full = os.path.abspath(path)
    if os.path.isdir(full):
        full = os.path.join(full, "__init__.py")
    if not os.path.isfile(full):
        raise NotFound(f"no file named {path}")
    folder, base = os.path.split(full)
    names = [] if base == "__init__.py" else [base.removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        names.insert(0, name)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = ".".join(names)
    return name if len(names) > 1 or _is_at(name, full) else _loaded(name, full)


def _is_at(name: str, path: str) -> bool:
    """Would an import of this name take the file?"""
    if name in sys.modules:
        found = vars(sys.modules[name]).get("__file__")
    else:
        importlib.invalidate_caches()
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
        found = spec.origin if spec is not None else None
    return isinstance(found, str) and os.path.realpath(found) == os.path.realpath(path)


def _loaded(name: str, path: str) -> str:
    """Load a file whose name is that of another module, or no name at all; the name it got."""
    free = f"<{name}>"
    spec = importlib.util.spec_from_file_location(free, path)
    if spec is None or spec.loader is None:
        raise NotFound(f"{path} is no file of Python's")
    module = importlib.util.module_from_spec(spec)
    sys.modules[free] = module
    try:
        with contextlib.redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except Exception as error:
        raise NotFound(f"importing {path} raised {in_one_line(error)}") from error
    return free
