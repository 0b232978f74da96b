"""For each parameter of a known function, whether its text leads from it to the result.

Callees of callees are studied together, to the least fixed point: recursion alone makes no path.

>>> def half(x, n): return 0.5 * x
>>> summary_of(half)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType
from weakref import WeakKeyDictionary, ref

from astad.compiler.analysis.facts import Facts, find_facts
from astad.compiler.analysis.paths import find_paths
from astad.compiler.analysis.space import Space
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.nodes import Program
from astad.compiler.lower.function import lower_function
from astad.compiler.specialise.prepare import names_of, prepare
from astad.errors import AstadError

__all__ = ["Chain", "Summary", "relied_on", "relied_on_by", "summary_of"]

Summary = tuple[bool, ...] | None
Lower = Callable[[FunctionType], Program]
Chain = tuple[str, ...]
"""A path in the globals of a function, then one in those of the function found there, and so on."""

MOST = 60
"""Callees studied for one call; what lies behind them counts as a path."""


@dataclass(slots=True)
class _Study:
    """A callee with what its text relies on, by path, functions as references: one that calls
    itself goes all the same. ``summary`` is None where the text is not known.
    """

    code: CodeType
    globals: dict[str, object]
    held: dict[str, object]
    summary: Summary

    @property
    def known(self) -> dict[str, object]:
        """What the text relies on, by path; None for a function that is gone."""
        return {path: each() if type(each) is ref else each for path, each in self.held.items()}


_studies: WeakKeyDictionary[FunctionType, _Study] = WeakKeyDictionary()


def summary_of(
    fn: FunctionType,
    program: Program | None = None,
    lower: Lower = lower_function,
    facts: Facts | None = None,
) -> Summary:
    """For each parameter whether the text of the function leads from it to the result; None where
    it is not known. ``program``: its own, prepared, where the caller has it, with the ``facts`` for
    arguments of any kind; ``lower`` gives those of others.
    """
    if _is_fresh(fn, set()):
        return _studies[fn].summary
    programs: dict[FunctionType, tuple[Program, Facts] | None] = {}
    found: dict[FunctionType, Summary] = {}
    askers: dict[FunctionType, dict[FunctionType, None]] = {}
    waiting: dict[FunctionType, None] = {}  # to be gone through, in order

    def look(callee: FunctionType, asker: FunctionType | None = None) -> Summary:
        if callee not in programs and _is_fresh(callee, set()):
            return _studies[callee].summary
        if callee not in programs:
            own = (program, facts) if callee is fn else (None, None)
            programs[callee] = known = (
                _studied(callee, *own, lower) if len(programs) < MOST else None
            )
            found[callee] = None if known is None else (False,) * len(known[0].params)
            waiting.update({callee: None} if known is not None else {})
        if asker is not None:
            askers.setdefault(callee, {})[asker] = None
        return found[callee]

    look(fn)
    while waiting:
        callee = next(iter(waiting))
        del waiting[callee]
        known = programs[callee]
        assert known is not None
        passes = find_paths(*known, partial(look, asker=callee))
        if passes != found[callee]:
            found[callee] = passes
            waiting.update(askers.get(callee, {}))
    for callee, known in programs.items():
        by_path = (
            {}
            if known is None
            else {path: _held(known[1].known[name]) for name, path in known[1].path.items()}
        )
        _studies[callee] = _Study(callee.__code__, callee.__globals__, by_path, found[callee])
    return found[fn]


def _held(value: object) -> object:
    return ref(value) if type(value) is FunctionType else value


def _studied(
    fn: FunctionType, program: Program | None, facts: Facts | None, lower: Lower
) -> tuple[Program, Facts] | None:
    if program is not None and facts is not None:
        return program, facts
    space = Space(fn.__globals__)
    if program is None:
        try:
            program = lower(fn)
        except AstadError:
            return None
        program = prepare(program, names_of(program), space)
    params = {param.name: UNKNOWN for param in program.params}
    return program, find_facts(program, params, params, space)


def _is_fresh(fn: FunctionType, seen: set[FunctionType]) -> bool:
    """Was the function studied, and does all that it relied on still stand?"""
    if fn in seen:
        return True
    seen.add(fn)
    study = _studies.get(fn)
    if study is None or study.code is not fn.__code__:
        return False
    space = Space(study.globals)
    return all(
        space.find(path) is known
        and (type(known) is not FunctionType or known not in _studies or _is_fresh(known, seen))
        for path, known in study.known.items()
    )


def relied_on(facts: Facts) -> tuple[Chain, ...]:
    """Chains to all that the callees of a program, and theirs, rely on; each followed once."""
    return tuple(sorted(_chains(facts.path, facts.known, (), set())))


def relied_on_by(fn: FunctionType) -> tuple[Chain, ...]:
    """The same for a function whose summary has been asked for."""
    study = _studies.get(fn)
    if study is None:
        return ()
    own = {path: path for path in study.known}
    return tuple(sorted(_chains(own, study.known, (), {fn})))


def _chains(
    paths: dict[str, str], known: dict[str, object], prefix: Chain, seen: set[FunctionType]
) -> Iterator[Chain]:
    for path, fn in sorted(
        {path: known[name] for name, path in paths.items()}.items(), key=lambda pair: pair[0]
    ):
        if prefix or type(fn) is FunctionType:
            yield (*prefix, path)
        study = _studies.get(fn) if type(fn) is FunctionType and fn not in seen else None
        if study is not None:
            assert type(fn) is FunctionType
            seen.add(fn)
            yield from _chains(
                {path: path for path in study.known}, study.known, (*prefix, path), seen
            )
