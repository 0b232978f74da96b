"""For each parameter of a known function, where its text leads from it: to the result, into another
parameter.

Callees of callees are studied together, to the least fixed point: recursion alone makes no path.

>>> def half(x, n): return 0.5 * x
>>> summary_of(half)
(1, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
from astad.slotted import dataclass

__all__ = ["Chain", "Summary", "relied_on", "relied_on_by", "summary_of"]

Summary = tuple[int, ...] | None
Lower = Callable[[FunctionType], Program]
Chain = tuple[str, ...]
"""A path in the globals of a function, then one in those of the function found there, and so on."""

MOST = 60
"""Functions that one leads to, itself among them, if it is studied together with all of them. One
that leads to more is studied alone, and for its callers it counts as a path: by the program, not by
what was studied before.
"""


@dataclass(slots=True)
class _Study:
    """A callee with what its text relies on, by path, functions as references: one that calls
    itself goes all the same. ``summary`` is None where the text is not known. ``callees`` are those
    that were asked for it; ``is_large``: it leads to more than `MOST`.
    """

    code: CodeType
    globals: dict[str, object]
    held: dict[str, object]
    summary: Summary
    callees: tuple[ref[FunctionType], ...]
    is_large: bool

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
    """For each parameter where the text of the function leads from it; None where it is not known.

    ``program``: its own, prepared, where the caller has it, with the ``facts`` for arguments of any
    kind; ``lower`` gives those of others.
    """
    if not _is_fresh(fn, set()):
        own = (program, facts) if program is not None and facts is not None else None
        _Studying(lower, {fn: own} if own else {}, {fn: program}).study(fn)
    return _studies[fn].summary


class _Studying:
    """Studies functions; ``texts`` are those of which the facts are known, ``given`` the programs
    of others.
    """

    def __init__(
        self,
        lower: Lower,
        texts: dict[FunctionType, tuple[Program, Facts] | None],
        given: dict[FunctionType, Program | None],
    ) -> None:
        self.lower, self.texts, self.given = lower, texts, given
        self.callees: dict[FunctionType, list[FunctionType]] = {}
        self.whole: dict[FunctionType, Summary] = {}  # of those that ask for none

    def study(self, fn: FunctionType) -> _Study:
        """The function's study, and where it is not large those of all that it leads to."""
        if _is_fresh(fn, set()):
            return _studies[fn]
        reached = self._reached(fn)
        if reached is not None:
            self._study_together(reached)
        else:
            text = self._text(fn)
            summary = None if text is None else find_paths(*text, self._of_callee)
            self._keep(fn, summary, is_large=True)
        return _studies[fn]

    def _of_callee(self, fn: FunctionType) -> Summary:
        """Of what a large function calls."""
        if not _is_fresh(fn, set()) and self._reached(fn) is None:
            return None
        study = self.study(fn)
        return None if study.is_large else study.summary

    def _text(self, fn: FunctionType) -> tuple[Program, Facts] | None:
        if fn not in self.texts:
            self.texts[fn] = _studied(fn, self.given.get(fn), self.lower)
        return self.texts[fn]

    def _callees(self, fn: FunctionType) -> list[FunctionType]:
        if fn not in self.callees:
            asked: dict[FunctionType, None] = {}
            text = self._text(fn)
            if text is not None:
                passes = find_paths(*text, lambda callee: asked.update({callee: None}))
                if not asked:
                    self.whole[fn] = passes
            self.callees[fn] = list(asked)
        return self.callees[fn]

    def _reached(self, fn: FunctionType) -> list[FunctionType] | None:
        """What the function leads to, itself first; None if that is too much."""
        reached, waiting = {fn: None}, [fn]
        while waiting:
            each = waiting.pop(0)
            study = _studies[each] if _is_fresh(each, set()) else None
            if study is not None and study.is_large:
                return None
            known = self._callees(each) if study is None else _there(study.callees)
            new = [callee for callee in known if callee not in reached]
            reached.update(dict.fromkeys(new))
            waiting += new
            if len(reached) > MOST:
                return None
        return list(reached)

    def _study_together(self, reached: list[FunctionType]) -> None:
        """The least fixed point of their summaries: recursion alone makes no path."""
        fresh = {fn for fn in reached if _is_fresh(fn, set())}
        found: dict[FunctionType, Summary] = {fn: _studies[fn].summary for fn in fresh}
        askers: dict[FunctionType, dict[FunctionType, None]] = {}
        new = [fn for fn in reached if fn not in fresh]
        for fn in new:
            text = self._text(fn)
            found[fn] = None if text is None else (0,) * len(text[0].params)
            found[fn] = self.whole.get(fn, found[fn])
            for callee in self._callees(fn):
                askers.setdefault(callee, {})[fn] = None
        waiting = dict.fromkeys(fn for fn in new if found[fn] is not None and fn not in self.whole)
        while waiting:
            fn = next(iter(waiting))
            del waiting[fn]
            text = self._text(fn)
            assert text is not None
            passes = find_paths(*text, found.__getitem__)
            if passes != found[fn]:
                found[fn] = passes
                waiting.update(askers.get(fn, {}))
        for fn in new:
            self._keep(fn, found[fn], is_large=False)

    def _keep(self, fn: FunctionType, summary: Summary, *, is_large: bool) -> None:
        text, held = self._text(fn), {}
        if text is not None:
            held = {path: _held(text[1].known[name]) for name, path in text[1].path.items()}
        callees = tuple(map(ref, self._callees(fn)))
        _studies[fn] = _Study(fn.__code__, fn.__globals__, held, summary, callees, is_large)


def _there(callees: Iterable[ref[FunctionType]]) -> list[FunctionType]:
    return [fn for each in callees if (fn := each()) is not None]


def _held(value: object) -> object:
    return ref(value) if type(value) is FunctionType else value


def _studied(
    fn: FunctionType, program: Program | None, lower: Lower
) -> tuple[Program, Facts] | None:
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
    study = _studies[fn]
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
