"""Who may import whom, held as a table; and no cycle between modules.

Every import counts: at the top of a file, inside a function, for hints under ``TYPE_CHECKING``.
"""

import ast
import functools
import graphlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ALL_COMPILER = {
    "compiler.ir",
    "compiler.frontend",
    "compiler.lower",
    "compiler.analysis",
    "compiler.specialise",
    "compiler.reverse_mode",
    "compiler.tidy",
    "compiler.codegen",
}
RUNTIME = (
    "cotangents", "core", "formulas", "unseen", "text", "iteration", "operations", "containers",
    "calls", "arrays", "control", "classes", "python", "scipy",
)  # fmt: skip
"""The folders of runtime/, from the ground up: each may import those before it."""
ALL_RUNTIME = {"runtime", *(f"runtime.{name}" for name in RUNTIME)}
API = ("variants", "memory", "gradients", "rules", "higher", "inspection")
"""The folders of api/, from the ground up."""
ALL_API = {"api", *(f"api.{name}" for name in API)}
UNDER_RUNTIME = {"errors", "settings", "code_objects", "tangents", "rules", "threads"}
UNDER_API = {
    "errors", "spelling", "threads", "code_objects", "settings", "tangents", "rules", "compiler",
    "importing", "recording",
}  # fmt: skip
MAY_IMPORT = {
    "errors": set(),
    "settings": {"errors"},
    "code_objects": set(),
    "originals": set(),
    "slotted": set(),
    "shown_lines": set(),
    "spelling": set(),
    "threads": set(),
    "tangents": {"errors"},
    "rules": {"errors", "tangents", "threads"},
    **{
        f"runtime.{name}": UNDER_RUNTIME | {f"runtime.{each}" for each in RUNTIME[:k]}
        for k, name in enumerate(RUNTIME)
    },
    "runtime": UNDER_RUNTIME | ALL_RUNTIME - {"runtime"},  # what generated texts name first
    "compiler.ir": {"errors", "spelling"},
    "compiler.frontend": {"errors", "code_objects", "compiler.ir", "threads", "spelling"},
    "compiler.lower": {"errors", "compiler.ir", "compiler.frontend"},
    "compiler.analysis": {"errors", "code_objects", "compiler.ir", "rules"},
    "compiler.specialise": {
        "errors",
        "code_objects",
        "compiler.ir",
        "compiler.analysis",
        "rules",
        "spelling",
    },
    "compiler.reverse_mode": {
        "errors",
        "code_objects",
        "compiler.ir",
        "compiler.analysis",
        "rules",
    },
    "compiler.tidy": {"errors", "compiler.ir", "compiler.analysis", "spelling"},
    "compiler.codegen": {"errors", "settings", "compiler.ir", "spelling"},
    "compiler": {"errors", "code_objects", "settings", "rules"}
    | ALL_COMPILER,  # pipeline.py: the passes in order
    "recording": {
        "errors",
        "spelling",
        "code_objects",
        "tangents",
        "rules",
    }
    | ALL_RUNTIME,  # programs come as a callback
    "importing": {"errors", "settings", "threads"},  # the compiler comes as a callback from api
    **{
        f"api.{name}": UNDER_API | ALL_RUNTIME | ALL_COMPILER | {f"api.{each}" for each in API[:k]}
        for k, name in enumerate(API)
    },
    "api": UNDER_API | ALL_RUNTIME | ALL_COMPILER | ALL_API - {"api"},
    "testing": {"errors", "settings", "tangents", "rules"} | ALL_API | ALL_RUNTIME,
    "": {
        "errors",
        "settings",
        "tangents",
        "importing",
        "testing",
        "threads",
    }
    | ALL_API,  # astad/__init__.py: the public names
}
EVERYWHERE = ("originals", "slotted", "shown_lines")
"""The builtins as they were when astad was imported, data classes, lines of generated texts."""
for _name, _allowed in MAY_IMPORT.items():
    if _name not in EVERYWHERE:
        _allowed.update(EVERYWHERE)
COMMANDS = {"show", "profile", "cache", "check", "pytest_plugin"}  # know all, imported by nobody


def modules(root):
    """Module name to file, for every file of the package under `root`."""
    found = {}
    for path in sorted((root / "astad").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def layer_of(module, table=MAY_IMPORT):
    """The row of the table that a module belongs to: its longest prefix there.

    ``astad.compiler.lower.loops`` belongs to ``compiler.lower``.
    """
    parts = module.split(".")[1:]
    if parts and parts[0] in COMMANDS:
        return parts[0]
    for length in range(len(parts), -1, -1):
        name = ".".join(parts[:length])
        if name in table and (length or not parts):
            return name
    return None


def imports(module, path, known):
    """Pairs (line, imported module of astad) of one file."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in _imports_in(path):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            targets = list(_from_targets(node, package, known))
        yield from ((node.lineno, t) for t in targets if t.split(".")[0] == "astad")


@functools.cache
def _imports_in(path):
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def _from_targets(node, package, known):
    base = node.module or ""
    if node.level:
        above = package.split(".")
        above = above[: len(above) - node.level + 1]
        base = ".".join(above + ([node.module] if node.module else []))
    for alias in node.names:
        inner = f"{base}.{alias.name}"
        yield inner if inner in known else base


def breaches(root):
    """One line for every import that the table forbids."""
    known = modules(root)
    for module, path in known.items():
        here, place = layer_of(module), path.relative_to(root).as_posix()
        if here is None:
            yield f"{place}:1: {module} is in no layer of the table"
            continue
        for line, target in imports(module, path, known):
            there = layer_of(target)
            if there == here or (here in COMMANDS and there not in COMMANDS):
                continue
            if there not in MAY_IMPORT.get(here, set()):
                yield f"{place}:{line}: {here or 'astad'} may not import {there or 'astad'}"


def test_every_import_is_allowed():
    found = list(breaches(ROOT))
    assert not found, "\n" + "\n".join(found)


def test_the_table_itself_has_no_cycle():
    graphlib.TopologicalSorter(MAY_IMPORT).prepare()


def test_no_cycle_between_modules():
    known = modules(ROOT)
    graph = {
        module: {t for _, t in imports(module, path, known) if t != module}
        for module, path in known.items()
    }
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (
            "runtime/dispatch.py",
            "def call():\n    from astad.compiler import pipeline\n",
            "astad/runtime/dispatch.py:2: runtime may not import compiler",
        ),
        (
            "runtime/core/versions.py",
            "from astad.runtime.text.texts import follow\n",
            "astad/runtime/core/versions.py:1: runtime.core may not import runtime.text",
        ),
        (
            "api/memory/rounds.py",
            "def f():\n    from astad.api.inspection import showing\n",
            "astad/api/memory/rounds.py:2: api.memory may not import api.inspection",
        ),
        (
            "compiler/tidy/copies.py",
            "from ...runtime import shadows\n",
            "astad/compiler/tidy/copies.py:1: compiler.tidy may not import runtime",
        ),
        (
            "api/gradients/gradients.py",
            "import astad.show\n",
            "astad/api/gradients/gradients.py:1: api.gradients may not import show",
        ),
        (
            "helpers.py",
            "import math\n",
            "astad/helpers.py:1: astad.helpers is in no layer of the table",
        ),
    ],
)
def test_a_planted_breach_is_found(tmp_path, file, text, message):
    for name in (
        "astad",
        "compiler/pipeline",
        "runtime/shadows",
        "runtime/text/texts",
        "api/inspection/showing",
        "show",
    ):
        path = (
            tmp_path / "astad" / f"{name}.py" if name != "astad" else tmp_path / "astad/errors.py"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    planted = tmp_path / "astad" / file
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(text)
    assert list(breaches(tmp_path)) == [message]
