"""What a package offers: its modules, its public functions and classes, its tests."""

import importlib
import importlib.metadata
import importlib.util
import inspect
import pathlib
import pkgutil
import random
import re
import sys
import types
import warnings
from dataclasses import dataclass

STANDARD = (
    "builtins math cmath statistics fractions decimal numbers colorsys datetime itertools "
    "functools bisect heapq operator collections copy array struct json pickle string textwrap "
    "calendar random contextlib enum dataclasses types graphlib reprlib pprint difflib queue timeit"
).split()
SKIPPED_PART = re.compile(
    r"^(numba.*|vectorized|test_.*|tests?|testing|conftest|setup|__main__|_?vendor|externals?|"
    r"bench(marks?)?|distutils|f2py|examples?|demos?|gui|cli|plot(s|ting)?|docs?)$"
)
SKIPPED = {
    "chemicals.units", "fluids.units", "ht.units",  # their imports take minutes
    "scipy.special.cython_special",  # kernels for Cython, of which scipy.special has the functions
}  # fmt: skip
UNSAFE = re.compile(
    r"(^|_)(exit|quit|kill|fork|sleep|system|input|remove|unlink|breakpoint|open|download|plot|"
    r"show|help|print|test|tests|get_include|bench|main|repeat|count|cycle|memmap|save|savetxt|"
    r"savez|tofile)(_|$)"
)


@dataclass
class Package:
    """A distribution: its name and version, the modules that its import gives, its test files."""

    name: str
    version: str
    roots: list
    tests: list


def package_named(name, sources=None):
    """The installed package of this name, a distribution's or a module's; ``stdlib``: Python's own.

    ``sources``: a folder of unpacked source distributions, in which tests are looked for as well.
    """
    if name == "stdlib":
        folder = pathlib.Path(importlib.util.find_spec("statistics").origin).parent / "test"
        tests = [folder / f"test_{module}.py" for module in STANDARD]
        version = ".".join(map(str, sys.version_info[:3]))
        return Package(
            "stdlib", version, list(STANDARD), [path for path in tests if path.is_file()]
        )
    known = importlib.metadata.packages_distributions()
    roots = [module for module, owners in known.items() if normal(name) in map(normal, owners)]
    if not roots and (name in known or importlib.util.find_spec(name)):
        roots, name = [name], known.get(name, [name])[0]
    roots = sorted(root for root in roots if not re.search(SKIPPED_PART, root))
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = ""
    return Package(name, version, roots, list(test_files(name, roots, sources)))


def normal(name):
    """The name of a distribution as indices compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_files(name, roots, sources):
    """The test files beside the modules of a package, and in its source distribution."""
    folders = []
    for root in roots:
        spec = importlib.util.find_spec(root)
        folders += list(spec.submodule_search_locations or []) if spec else []
    if sources:
        folders += [
            str(path) for path in pathlib.Path(sources).iterdir()
            if path.is_dir() and normal(path.name).startswith(normal(name) + "-")
        ]  # fmt: skip
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            if re.match(r"tests?_|.*_tests?\.py$|tests?\.py$", path.name):
                yield path


def modules_of(package, at_most):
    """The modules of a package that can be imported; tests and demonstrations left out."""
    for root in package.roots:
        pending = [root]
        while pending:
            name = pending.pop(0)
            module = None
            with at_most(30):
                module = imported(name)
            if module is None:
                continue
            yield module
            if package.name != "stdlib":
                for each in pkgutil.iter_modules(getattr(module, "__path__", [])):
                    inner = f"{name}.{each.name}"
                    if (
                        not each.name.startswith("_")
                        and not SKIPPED_PART.match(each.name)
                        and inner not in SKIPPED
                    ):
                        pending.append(inner)


def imported(name):
    """A module, or None if it cannot be imported here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except (Exception, SystemExit):  # an optional dependency, a script
        return None


def callables_of(modules):
    """Public functions and classes, each once: pairs of (module, path) and the object."""
    names = [module.__name__ for module in modules]
    roots = {name.partition(".")[0] for name in names}
    found, seen = [], set()
    for module in sorted(modules, key=lambda each: each.__name__.count(".")):
        listed = getattr(module, "__all__", None)
        for name in sorted(vars(module)):
            value = vars(module)[name]
            public = name in listed if listed is not None else not name.startswith("_")
            if not public or not callable(value) or UNSAFE.search(name) or identity(value) in seen:
                continue
            try:
                home = getattr(value, "__module__", None) or module.__name__
            except Exception:  # what stands for an optional package that is not installed
                continue
            if (
                isinstance(home, str)
                and home.partition(".")[0].lstrip("_") in {r.lstrip("_") for r in roots}
                and (not is_exception(value))
            ):
                seen.add(identity(value))
                found.append(((module.__name__, name), value))
    return found


def identity(value):
    return id(value)


def is_exception(value):
    return isinstance(value, type) and issubclass(value, BaseException)


def code_of(value):
    """The code object that runs for a function, None for a compiled one."""
    value = getattr(value, "_implementation", value)  # of a function that NumPy dispatches
    try:
        value = inspect.unwrap(value)
    except (ValueError, TypeError):
        return None
    return getattr(value, "__code__", None) if isinstance(value, types.FunctionType) else None


def methods_of(owner):
    """The methods that a class itself defines: name, kind, function."""
    for name, value in list(vars(owner).items()):
        kind = "static" if isinstance(value, staticmethod) else "plain"
        kind = "class" if isinstance(value, classmethod) else kind
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, types.FunctionType) and not re.match(
            r"__(repr|str|del|setattr|getattr|getattribute|eq|hash|new|reduce|getstate|setstate|copy|deepcopy)",
            name,
        ):
            yield name, kind, value


def in_random_order(items, seed=0):
    """The items in an order that is the same each time."""
    items = list(items)
    random.Random(seed).shuffle(items)
    return items
