"""The tables of calls beside this file, one namespace each or a part of one.

A table has ``CALLS: dict[str, tuple[str, ...]]``: for a name, calls that are expressions in ``x``
(or statements of which the last is an expression) and in what else the file defines. It may have

- ``REFUSED: dict[str, str]``: names that raise an error of astad, and why;
- ``REFUSED_CALLS: dict[str, tuple[str, ...]]``: further calls of names that are right, in forms
  that raise an error of astad;
- ``NOT_ASKED: dict[str, str]``: listed names without a call, and why;
- ``NAMESPACE``: where the names live, else the file's name with dots for underscores;
- ``X``: the input, else nine numbers between 0.18 and 0.87;
- ``INPUTS: dict[str, array]``: inputs of single names;
- ``NO_SECOND: dict[str, str]``: names whose second order is not compared, and why.

A table that cannot be imported because its library is absent is left out, and so is a name that
this version of the library does not have.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import itertools
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from astad import gradient
from astad.errors import AstadError

from .verdicts import GOOD, PROGRAM, Verdict, judge, text_of, weights_of

FOLDER = Path(__file__).parent
_FOLDER = tempfile.TemporaryDirectory(prefix="astad-coverage-")  # of the modules with the calls
_NUMBERS = itertools.count()
NOT_TABLES = {"__init__", "runner", "tables", "verdicts", "listed"}
X = np.array([0.3137, 0.7241, 0.5519, 0.1873, 0.8611, 0.4437, 0.6653, 0.2579, 0.5081])


@dataclasses.dataclass
class Name:
    """One name of a table with the verdicts on its calls."""

    namespace: str
    name: str
    reason: str
    verdicts: list[Verdict]
    refused: list[Verdict]

    @property
    def word(self) -> str:
        """One word for all its calls."""
        words = {v.word for v in self.verdicts}
        if any(v.word != "refused" for v in self.refused):
            return "right in spite of REFUSED_CALLS"
        bad = sorted(words - {*GOOD, "refused"}) or (["wrong"] if self.second_fails else [])
        if bad:
            return bad[0]
        if self.reason:
            return "refused" if words <= {"refused"} else "right in spite of REFUSED"
        if "refused" in words:
            return "refused without a reason"
        return "none" if words == {"none"} else "right"

    @property
    def second_fails(self) -> bool:
        """Whether a second derivative was wrong or ended in an error that is not astad's."""
        return any(v.second in ("wrong", "failed") for v in self.verdicts)

    @property
    def second(self) -> str:
        """What became of the second order, empty where it was not asked."""
        return next((v.second for v in self.verdicts if v.second), "")


def table_names() -> list[str]:
    """The files that are tables."""
    names = sorted(path.stem for path in FOLDER.glob("*.py"))
    return [n for n in names if n not in NOT_TABLES and not n.startswith("test_")]


def load(name: str) -> ModuleType | None:
    """A table, or None where its library is absent."""
    try:
        return importlib.import_module(f"{__package__}.{name}")
    except ImportError as error:
        if not error.name or error.name.startswith("tests"):
            raise
        return None


def namespace_of(table: ModuleType) -> str:
    """Where the names of a table live."""
    return getattr(table, "NAMESPACE", table.__name__.rpartition(".")[2].replace("_", "."))


def is_here(namespace: str, name: str) -> bool:
    """Whether this version of the library has the name; what is no name of a module is."""
    home = sys.modules.get(namespace)
    return home is None or not name.isidentifier() or hasattr(home, name)


def judged(table: ModuleType, only: str = "", with_second: bool = True) -> Iterator[Name]:
    """Every name of a table, judged; ``only`` is a name."""
    names = [
        name for name in table.CALLS if only in ("", name) and is_here(namespace_of(table), name)
    ]
    module = written(table, names)
    inputs, refused = getattr(table, "INPUTS", {}), getattr(table, "REFUSED", {})
    no_second = getattr(table, "NO_SECOND", {})
    arrays = {key: value.copy() for key, value in arrays_of(table)}
    for place, name in enumerate(names):
        x = np.array(inputs.get(name, getattr(table, "X", X)), float)
        verdicts = []
        for k, call in enumerate(calls_of(table, name)):
            wanted = with_second and k == 0 and has_second_order()
            second = module.of_gradient if wanted else None
            second = None if name in no_second else second
            verdicts.append(judge(call, getattr(module, f"f{place}_{k}_sum"), x, second))
        n = len(table.CALLS[name])
        changed = [
            key for key, value in arrays_of(table) if value.tobytes() != arrays[key].tobytes()
        ]
        assert not changed, f"{name}: a call writes into {changed}, which other calls read"
        yield Name(namespace_of(table), name, refused.get(name, ""), verdicts[:n], verdicts[n:])
    for name, reason in refused.items():
        if name not in table.CALLS and only in ("", name):
            yield Name(namespace_of(table), name, reason, [], [])


def arrays_of(table: ModuleType) -> Iterator[tuple[str, Any]]:
    """The arrays that the calls of a table share."""
    for key, value in vars(table).items():
        if isinstance(value, np.ndarray):
            yield key, value


def calls_of(table: ModuleType, name: str) -> tuple[str, ...]:
    """The calls of a name, and after them those that are refused."""
    more: tuple[str, ...] = getattr(table, "REFUSED_CALLS", {}).get(name, ())
    assert isinstance(table.CALLS[name], tuple) and isinstance(more, tuple), f"{name}: a tuple"
    return (*table.CALLS[name], *more)


@functools.cache
def has_second_order() -> bool:
    """Whether astad takes derivatives of derivatives of such sums."""
    module = written(types.ModuleType("none"), [])
    try:
        gradient(module.of_gradient, X.copy(), module.weighted, X)
    except AstadError:
        return False
    return True


def written(table: ModuleType, names: list[str]) -> ModuleType:
    """A module with a function for each call, so that their source is found."""
    text = PROGRAM + "\n\n"
    for place, name in enumerate(names):
        calls = enumerate(calls_of(table, name))
        text += "".join(text_of(f"f{place}_{k}", call) for k, call in calls)
    path = Path(_FOLDER.name) / f"calls_{next(_NUMBERS)}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    own: dict[str, Any] = {k: v for k, v in vars(table).items() if not k.startswith("__")}
    own |= {"_np": np, "_weights": weights_of, "_gradient": gradient}
    vars(module).update(own)
    spec.loader.exec_module(module)
    return module
