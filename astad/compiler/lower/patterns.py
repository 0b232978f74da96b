"""match: each pattern becomes tests one inside the other; names are bound where all of it fits.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     match shape:
...         case (r,):
...             area = r * r
...         case _:
...             area = 0.0
... ''')))
t_1 = False
t_2 = is_sequence(shape)
if t_2:
    t_3 = has_length(shape, 1, False)
    if t_3:
        t_4 = unpack(shape, 1, None)
        t_5 = t_4[0]
        t_6 = t_5
        t_1 = True
if t_1:
    r = t_6
    area = r * r
else:
    area = 0.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Bind, Branch, Const, Operand, Ref
from astad.compiler.lower.branches import tested
from astad.compiler.lower.builder import Builder, StatementTable
from astad.slotted import dataclass, field

__all__ = ["STATEMENTS"]

MISSING = Ref("astad.runtime.control.patterns", "MISSING")
Then = Callable[[], None]
"""Writes what is done where a pattern fits."""


@dataclass(slots=True)
class _Case:
    """The tests of one case; ``held`` has the name that holds what each of the user's stands for
    once all fits.
    """

    b: Builder
    line: int
    held: dict[str, str] = field(default_factory=dict)

    def fits(self, pattern: Any, subject: Operand, then: Then) -> None:
        """Write the tests of a pattern, and ``then`` inside the last of them."""
        TESTS[type(pattern).__name__](self, pattern, subject, then)

    def only_if(self, test: Operand, then: Then) -> None:
        self.b.emit(Branch(test, self.b.writing(then), (), self.line))

    def hold(self, name: str, value: Operand) -> None:
        """One name for all alternatives of a pattern."""
        if name not in self.held:
            self.held[name] = self.b.temp()
        self.b.emit(Bind(self.held[name], value, self.line))

    def prim(self, name: str, *args: Operand) -> str:
        return self.b.prim(name, args, self.line)

    def all_fit(self, pairs: list[tuple[Any, Callable[[], Operand]]], then: Then) -> None:
        """Patterns with what each is matched against, read only when those before it fit."""
        if not pairs:
            then()
            return
        (pattern, read), *others = pairs
        if is_wildcard(pattern):
            self.all_fit(others, then)
        else:
            self.fits(pattern, read(), lambda: self.all_fit(others, then))


def _match(b: Builder, node: Any) -> None:
    subject = b.operand(node.subject)
    if any(case.guard is not None for case in node.cases):
        subject = b.kept(subject, node.lineno)  # names are bound before the guard is asked
    _cases(b, node.cases, subject, node.lineno)


def _cases(b: Builder, cases: list[Any], subject: Operand, line: int) -> None:
    if not cases:
        return
    first, *others = cases
    if is_wildcard(first.pattern) and first.guard is None:
        b.statements(first.body)
        return
    line = getattr(first.pattern, "lineno", line)
    case, found = _Case(b, line), b.temp()
    b.emit(Bind(found, Const(False), line))
    case.fits(first.pattern, subject, lambda: b.emit(Bind(found, Const(True), line)))

    def bind() -> None:
        for name, value in case.held.items():
            b.bind(name, value, line)

    def ask() -> None:
        bind()
        b.emit(Bind(found, tested(b, first.guard), first.guard.lineno))

    def take() -> None:
        if first.guard is None:
            bind()
        b.statements(first.body)

    if first.guard is not None:
        b.emit(Branch(found, b.writing(ask), (), line))
    taken = b.writing(take)
    b.emit(Branch(found, taken, b.writing(lambda: _cases(b, others, subject, line)), line))


def is_wildcard(pattern: Any) -> bool:
    return isinstance(pattern, gast.MatchAs) and pattern.name is None


# --- kinds of patterns ----------------------------------------------------------------------------


def _value(case: _Case, pattern: Any, subject: Operand, then: Then) -> None:
    case.only_if(case.prim("eq", subject, case.b.operand(pattern.value)), then)


def _singleton(case: _Case, pattern: Any, subject: Operand, then: Then) -> None:
    case.only_if(case.prim("is_", subject, Const(pattern.value)), then)


def _as(case: _Case, pattern: Any, subject: Operand, then: Then) -> None:
    def take() -> None:
        if pattern.name is not None:
            case.hold(pattern.name, subject)
        then()

    if pattern.pattern is None:
        take()
    else:
        case.fits(pattern.pattern, subject, take)


def _or(case: _Case, pattern: Any, subject: Operand, then: Then) -> None:
    b, found = case.b, case.b.temp()
    b.emit(Bind(found, Const(False), case.line))

    def found_it() -> None:
        b.emit(Bind(found, Const(True), case.line))

    def alternatives(left: list[Any]) -> None:
        case.fits(left[0], subject, found_it)
        if left[1:]:
            rest = b.writing(lambda: alternatives(left[1:]))
            b.emit(Branch(found, (), rest, case.line))

    alternatives(pattern.patterns)
    case.only_if(found, then)


def _sequence(case: _Case, pattern: Any, subject: Operand, then: Then) -> None:
    stars = [i for i, p in enumerate(pattern.patterns) if isinstance(p, gast.MatchStar)]
    count = len(pattern.patterns)
    star = stars[0] if stars else None

    def items() -> None:
        parts = case.prim("unpack", subject, Const(count), Const(star))

        def item(at: int) -> Callable[[], Operand]:
            return lambda: case.prim("getitem", parts, Const(at))

        pairs = [(inner(p), item(at)) for at, p in enumerate(pattern.patterns)]
        case.all_fit(pairs, then)

    def long_enough() -> None:
        least = Const(count - len(stars))
        case.only_if(case.prim("has_length", subject, least, Const(bool(stars))), items)

    case.only_if(case.prim("is_sequence", subject), long_enough)


def inner(pattern: Any) -> Any:
    """``*rest`` takes whatever it gets."""
    if isinstance(pattern, gast.MatchStar):
        return gast.MatchAs(None, pattern.name)
    return pattern


def _mapping(case: _Case, pattern: Any, subject: Operand, then: Then) -> None:
    """All keys are asked for by ``subject.get`` before any pattern inside is tried."""
    b, count = case.b, len(pattern.keys)

    def entries() -> None:
        keys = [b.operand(key) for key in pattern.keys]

        def rest() -> None:
            if pattern.rest is not None:
                left = case.prim("dict")
                b.effect("dict_merge", (left, subject), case.line)
                for key in keys:
                    b.effect("delitem", (left, key), case.line)
                case.hold(pattern.rest, left)
            then()

        def inside(values: list[Operand]) -> None:
            reads = [lambda value=value: value for value in values]
            case.all_fit(list(zip(pattern.patterns, reads, strict=True)), rest)

        if not all(isinstance(key, Const) for key in keys):
            b.effect("different_keys", keys, case.line)
        _values(case, keys, [], subject, inside)

    def long_enough() -> None:
        if count:
            case.only_if(case.prim("has_length", subject, Const(count), Const(True)), entries)
        else:
            entries()

    case.only_if(case.prim("is_mapping", subject), long_enough)


def _values(
    case: _Case,
    keys: list[Operand],
    values: list[Operand],
    subject: Operand,
    then: Callable[[list[Operand]], None],
) -> None:
    """Write the question for each key, and ``then`` where all have a value."""
    if len(values) == len(keys):
        then(values)
        return
    key = keys[len(values)]
    found = case.prim("method", subject, Const("get"), key, MISSING)
    case.only_if(
        case.prim("is_not", found, MISSING),
        lambda: _values(case, keys, [*values, found], subject, then),
    )


def _class(case: _Case, pattern: Any, subject: Operand, then: Then) -> None:
    b = case.b
    cls = b.kept(b.operand(pattern.cls), case.line)
    count = len(pattern.patterns)

    def attributes() -> None:
        named = [Const(name) for name in pattern.kwd_attrs]
        names: list[Operand] = [
            case.prim("positional_attribute", cls, Const(count), Const(at), *named)
            for at in range(count)
        ]
        names += named
        patterns = [*pattern.patterns, *pattern.kwd_patterns]
        _attributes(case, list(zip(names, patterns, strict=True)), subject, then)

    case.only_if(case.prim("is_instance", subject, cls), attributes)


def _attributes(
    case: _Case, pairs: list[tuple[Operand, Any]], subject: Operand, then: Then
) -> None:
    if not pairs:
        then()
        return
    (name, pattern), *others = pairs
    b, value = case.b, case.b.temp()

    def read() -> None:
        b.call(Ref("builtins", "getattr"), (subject, name, MISSING), (), case.line, value)

    if isinstance(name, Const):
        read()
    else:  # of float, str and the like the one positional pattern is for the object itself
        itself = case.prim("is_", name, Const(None))
        same = (Bind(value, subject, case.line),)
        b.emit(Branch(itself, same, b.writing(read), case.line))

    def fits() -> None:
        case.fits(pattern, value, lambda: _attributes(case, others, subject, then))

    case.only_if(case.prim("is_not", value, MISSING), fits)


TESTS: dict[str, Callable[[_Case, Any, Operand, Then], None]] = {
    "MatchValue": _value,
    "MatchSingleton": _singleton,
    "MatchAs": _as,
    "MatchOr": _or,
    "MatchSequence": _sequence,
    "MatchMapping": _mapping,
    "MatchClass": _class,
}
STATEMENTS: StatementTable = {"Match": _match}
