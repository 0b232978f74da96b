"""The table of derivative rules, and the one-line forms that fill it.

A rule is text. The compiler reads it, keeps only the values it names, and inlines it; the run time
compiles it to a function at first use. Names allowed in a formula: the parameters of the rule,
``y`` (the result), ``y_bar`` (its cotangent, structured rules only), and what the file of the rule
holds in its globals.

Nothing is parsed when a rule is declared: declaring the whole table costs a few milliseconds.
"""

from __future__ import annotations

import importlib
import sys
from _thread import get_ident
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from astad.rules.families import FAMILIES, modules_of
from astad.rules.formula import Examples, Rule
from astad.rules.in_force import QUICK, REGISTRY
from astad.rules.shipped import is_searched, is_waiting, read_shipped
from astad.slotted import replace
from astad.threads import after_fork, importing, keep_own

__all__ = [
    "add", "AFTER_READING", "is_zero", "Keywords", "linear", "load_with", "lookup", "QUICK",
    "read_late", "read_more", "read_waiting", "REGISTRY", "rule", "scalar", "WAITING",
    "zero",
]  # fmt: skip


class Keywords(dict[str, Any]):
    """Keyword arguments at the end of an example: ``(a, Keywords(axis=0))``."""


def lookup(fn: Any) -> Rule | None:
    """The rule of this very object, or None.

    >>> import math, astad.rules
    >>> lookup(math.sin).back
    {'x': 'cos(x)'}
    """
    found = REGISTRY.get(id(fn))
    while found is None and read_more():
        found = REGISTRY.get(id(fn))
    return found


def is_zero(fn: Any) -> bool:
    """Is there a rule that no derivative passes?"""
    found = lookup(fn)
    return found is not None and found.form == "zero"


WAITING: dict[str, Sequence[str]] = {name: modules_of(name) for name in FAMILIES}
"""Rule files still to be read, by the library they are for."""

AFTER_READING: list[Callable[[], None]] = []
"""What is done each time the rule files of a library have been read."""

_begun: set[str] = set()
"""Libraries of which some have been read."""

_reading: set[tuple[int, Hashable]] = set()
"""Threads that read rule files."""

after_fork(lambda: keep_own(_reading))


_looked: list[Any] = []
"""What `_modules` said when no rules of theirs were found to read: each call of a function without
a rule asks.
"""


def load_with(library: str, modules: Sequence[str]) -> None:
    """Leave rule files unread until the library is there and a rule is not found."""
    WAITING[library] = (*WAITING.get(library, ()), *modules)
    _looked.clear()


def read_waiting() -> bool:
    """Read the rule files of all libraries that have been imported; were there any?"""
    return _read(list(WAITING))


def read_more() -> bool:
    """Where a rule was not found: read those of Python itself, or else all; were there any?"""
    modules = _modules()
    if _looked == [modules] and is_searched():
        return False
    found = _read(["builtins"] if "builtins" in WAITING else list(WAITING))
    if modules is not None and not (found or _reading or is_waiting()):
        _looked[:] = [modules]
    return found


def _modules() -> tuple[int, str] | None:
    """How many there are, and which was imported last; None where another thread imports one."""
    try:
        return len(sys.modules), next(reversed(sys.modules))
    except RuntimeError:
        return None


def read_late() -> bool:
    """Read those of a library that were left by `load_with` when others of it had been read."""
    return _read([name for name in WAITING if name in _begun])


def _read(libraries: Sequence[str]) -> bool:
    ready = [name for name in libraries if name in sys.modules]
    if not ready:
        return read_shipped()
    thread = get_ident(), "rules"
    if thread in _reading:  # a rule file that looks up a rule
        return False
    _reading.add(thread)
    try:
        for library in ready:
            _begun.add(library)
            for module in WAITING.get(library, ()):
                importing(partial(importlib.import_module, module))
            for finish in AFTER_READING:
                finish()
            WAITING.pop(library, None)  # last: until then other threads wait for the imports
    finally:
        _reading.discard(thread)
    read_shipped()
    return True


def scalar(
    fn: Callable[..., Any],
    *formulas: str | None,
    source: str,
    domain: str = "",
    zero_safe: bool = False,
    selects: bool = False,
    missing: dict[str, str] | None = None,
    parameters: str = "",
    on_floats: Sequence[str | None] | None = None,
    on_arrays: Sequence[str | None] | None = None,
    refuse: str = "",
    also: Sequence[Callable[..., Any]] = (),
    examples: Examples | None = None,
    gives: str = "",
    view: str = "",
    entries: str = "whole",
    finite: str = "",
    complexes: str = "",
    regular: str = "",
    at_literal: Callable[[Any, bool], Rule | None] | None = None,
    at_points: Sequence[str] | None = None,
    kink: str = "",
    namespace: dict[str, Any] | None = None,
) -> Rule:
    """Declare an elementwise function by its derivatives, one per parameter; None for one without.

    The parameters are called ``x``, or ``x1, x2``, unless `parameters` names them. For a complex
    function which is not holomorphic but real, the formula d is the one with ``dy = real(d dx)``.
    `also`: other functions of the same parameters and formulas; `namespace`: what the formulas
    name, that of the file that calls if left out.
    """
    names: Sequence[str]
    if parameters:
        names = [part.partition("=")[0].strip(" /") for part in parameters.split(",")]
    elif len(formulas) == 1:
        names, parameters = ("x",), "x"
    else:
        names = [f"x{i + 1}" for i in range(len(formulas))]
        parameters = ", ".join(names)

    def by_name(texts: Sequence[str | None] | None) -> dict[str, Any]:
        return dict(zip(names, texts, strict=False)) if texts else {}

    back = {name: text for name, text in zip(names, formulas, strict=False) if text is not None}
    made = Rule(
        fn, "scalar", parameters, back, "", source, domain, zero_safe, selects, missing or {},
        sys._getframe(1).f_globals if namespace is None else namespace,
        "", refuse, by_name(on_floats), by_name(on_arrays), examples,
        gives, view, entries, finite, complexes, regular, at_literal,
    )  # fmt: skip
    made.at_points, made.kink = by_name(at_points), kink
    return add(made, also)


def zero(
    *functions: Callable[..., Any],
    why: str,
    gives: str = "",
    method: str | None = None,
    asks: str = "",
) -> None:
    """Declare functions whose derivative is zero, or whose result is no number, and why."""
    namespace = sys._getframe(1).f_globals
    for fn in functions:
        made = Rule(fn, "zero", "*args", {}, namespace=namespace, why=why, gives=gives)
        made.method, made.asks = method, asks
        add(made)


def linear(
    fn: Callable[..., Any],
    parameters: str,
    *,
    source: str,
    dot: str = "",
    domain: str = "",
    missing: dict[str, str] | None = None,
    refuse: str = "",
    also: Sequence[Callable[..., Any]] = (),
    examples: Examples | None = None,
    gives: str = "",
    view: str = "",
    entries: str = "",
    finite: str = "",
    complexes: str = "",
    method: str | None = None,
    short: dict[str, tuple[str, ...]] | None = None,
    **back: str,
) -> Rule:
    """Declare a function linear in each parameter with a formula, the others held.

    The tangent, unless given, is the sum of `fn` with one of them replaced by its tangent; so of a
    function with a constant part (``initial=``) it must be given.
    """
    made = Rule(
        fn, "linear", parameters, back, dot, source, domain, missing=missing or {},
        namespace=sys._getframe(1).f_globals, refuse=refuse, examples=examples,
        gives=gives, view=view, entries=entries, finite=finite, complexes=complexes,
        method=method, short=short or {},
    )  # fmt: skip
    return add(made, also)


def rule(
    fn: Callable[..., Any],
    parameters: str,
    *,
    source: str,
    dot: str = "",
    domain: str = "",
    missing: dict[str, str] | None = None,
    refuse: str = "",
    on_arrays: dict[str, str | None] | None = None,
    also: Sequence[Callable[..., Any]] = (),
    examples: Examples | None = None,
    gives: str = "",
    view: str = "",
    entries: str = "",
    finite: str = "",
    complexes: str = "",
    method: str | None = None,
    short: dict[str, tuple[str, ...]] | None = None,
    **back: str,
) -> Rule:
    """Declare a function by its cotangents: formulas in ``y_bar``, ``y`` and the parameters.

    In ``dot``, the tangent of a parameter that has none is an array of zeros.
    """
    made = Rule(
        fn, "structured", parameters, back, dot, source, domain, missing=missing or {},
        namespace=sys._getframe(1).f_globals, refuse=refuse, examples=examples,
        on_arrays=on_arrays or {}, gives=gives, view=view, entries=entries, finite=finite,
        complexes=complexes, method=method, short=short or {},
    )  # fmt: skip
    return add(made, also)


def add(made: Rule, also: Sequence[Callable[..., Any]] = ()) -> Rule:
    """Put it in force, for `also` as well."""
    if WAITING and not made.is_own:
        read_waiting()  # what is declared later counts
    REGISTRY[id(made.fn)] = made
    QUICK.pop(id(made.fn), None)
    for fn in also:
        REGISTRY[id(fn)] = replace(made, fn=fn, _compiled={})
        QUICK.pop(id(fn), None)
    return made
