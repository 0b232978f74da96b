"""Is there an obstacle to the gradient of a function? It is lowered and its pair for any arguments
is written, and nothing of it is run.

>>> def sample(x):
...     exec("y = x")
>>> print(check_function(sample).error.what)
exec() in sample
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType

import numpy as np

import astad.runtime.dispatch  # noqa: F401  (fills the tables)
from astad.api.variants.ruled import is_ruled
from astad.code_objects import parameters_of
from astad.compiler.analysis.facts import Facts
from astad.compiler.codegen.build import to_code
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.nodes import Call, Program
from astad.compiler.ir.walk import walk
from astad.compiler.lower.function import lower_function
from astad.compiler.pipeline import Compiled, compile_function
from astad.errors import AstadError, Location, Unsupported
from astad.rules.in_force import CUSTOM
from astad.rules.registry import QUICK, lookup
from astad.runtime.calls.library import INERT_MODULES
from astad.runtime.core.full_rules import CALLED, FULL, INERT
from astad.slotted import dataclass

__all__ = ["Note", "Verdict", "check_function", "fault"]

COMPILED = (BuiltinFunctionType, np.ufunc)
SILENT = INERT_MODULES | {"builtins", "posix", "nt", "gc", "thread", "signal", "atexit", "imp"}
"""Modules whose compiled functions give no numbers that depend on others smoothly."""


@dataclass(frozen=True, slots=True)
class Note:
    """What may stop a derivative at run time: a line of the user's file, and what is called."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """``error``: why it cannot be differentiated, or None; how long it took to tell."""

    error: AstadError | None
    notes: tuple[Note, ...]
    seconds: float


def check_function(fn: FunctionType) -> Verdict:
    """Compile the pair of a function for any arguments, without calling it.

    Of a function with a rule of its own nobody asks for the text.
    """
    if is_ruled(fn):
        return Verdict(None, (), 0.0)
    start = time.perf_counter()
    error: AstadError | None = None
    notes: tuple[Note, ...] = ()
    try:
        notes = tuple(_notes(_compiled(fn)))
    except AstadError as refused:
        error = refused
    except Exception as failure:  # astad's own failure is an answer too, with its place
        error = fault(fn, failure)
    return Verdict(error, notes, time.perf_counter() - start)


def fault(fn: FunctionType, failure: Exception) -> Unsupported:
    """The error that says where astad itself failed."""
    last = traceback.extract_tb(failure.__traceback__)[-1]
    place = Location(last.filename, last.lineno or 0)
    code = fn.__code__
    return Unsupported(
        Location(code.co_filename, code.co_firstlineno),
        f"compilation of {code.co_name}",
        why=f"astad itself failed, by {type(failure).__name__} at {place}",
        instead="report it together with the text of the function",
    )


def _compiled(fn: FunctionType) -> Compiled:
    count = len(parameters_of(fn.__code__).flat)
    made = compile_function(
        fn, (UNKNOWN,) * count, (True,) * count, fused=False, generic=True
    )  # past the disk cache
    to_code(made.text)
    return made


def _notes(made: Compiled) -> Iterator[Note]:
    """Calls of what is known to have no derivative, each callee once."""
    seen: set[int] = set()
    for line, path, callee in _calls(made.stages.specialised, made.stages.facts):
        why = None if id(callee) in seen else _obstacle(callee)
        seen.add(id(callee))
        if why is not None:
            yield Note(line, f"{path} {why}")


def _calls(program: Program, facts: Facts) -> Iterator[tuple[int, str, object]]:
    for node in walk(program.body):
        if isinstance(node, Call) and issubclass(type(node.fn), str) and node.fn in facts.known:
            yield node.line, facts.path[node.fn], facts.known[node.fn]


def _obstacle(callee: object) -> str | None:
    """Why no derivative passes through a known callee; None if one does, or nobody asks for one."""
    if id(callee) in CUSTOM or lookup(callee) is not None:
        return None
    refuses = getattr(FULL.get(id(callee)), "refuses", None)
    if refuses is not None:
        return str(refuses)
    if type(callee) is FunctionType:
        refused = _refused(callee) if callee.__module__ not in INERT_MODULES else None
        return None if refused is None else f"cannot be differentiated: {refused.what}"
    if not isinstance(callee, COMPILED) or type(callee) in CALLED:
        return None
    if any(id(callee) in table for table in (QUICK, FULL, INERT)):
        return None
    home = str(getattr(callee, "__module__", None) or "numpy").partition(".")[0].lstrip("_")
    return None if home in SILENT else "is compiled code without a rule"


def _refused(callee: FunctionType) -> AstadError | None:
    try:
        lower_function(callee)
    except AstadError as error:
        return error
    except Exception as failure:  # as above
        return fault(callee, failure)
    return None
