"""The rules of hessian, hvp, jacobian, jvp, pullback and their like inside a function that is
differentiated.

Each is a call of a text over gradients (`api/higher/compositions.py`), made for the structures that
are there. What runs the function more often than once is refused where that would be seen.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any  # whatever a function takes

import numpy as np

from astad.api.gradients import pullbacks
from astad.api.higher import directions, jacobians, second_order
from astad.api.higher.compositions import Composer, Unwritten
from astad.api.higher.gradient_modules import gradient_module
from astad.api.higher.how import How
from astad.api.higher.nesting import (
    RUNS_AGAIN,
    Inner,
    followed,
    is_first,
    or_recorded,
    refused,
)
from astad.api.memory.checkpointing import RunApart
from astad.api.variants.argument_numbers import among, positions_of
from astad.api.variants.derived import with_text
from astad.api.variants.leaves import LIST, NUMBER, Attribute, Leaf, check_apart, leaves_of
from astad.api.variants.leaves import directions as directions_of
from astad.api.variants.results import split_value
from astad.errors import Unsupported, WrongCall
from astad.rules.in_force import TANGENTS
from astad.runtime.core.full_rules import FOLLOWED, FULL, Cotangents, Record, Value
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.tangents.add import add
from astad.tangents.unasked import callable_name
from astad.tangents.zero import is_number


class _Asked:
    """A call of one of them for ``f``: what is written for it, and run in its place."""

    def __init__(
        self, name: str, versions: Versions, f: Any, args: Sequence[Any], keywords: Any = None
    ) -> None:
        self.name, self.versions, self.f = name, versions, f
        self.args, self.keywords = tuple(args), keywords or {}
        self.inner = Inner(How(name), f, self.args, self.keywords, rebinds=versions.rebinds)
        self.head: list[str] = []
        self.copies: list[str] = []
        self.beside: list[tuple[str, Value]] = []
        self.pair: Value = None
        self.pair_record: Record = None
        self.seen = list(self.inner.values)
        self._check_apart(())

    def refused(self) -> Unsupported:
        return refused(How(self.name), self.f)

    def among(self, argnums: Any, has_aux: bool) -> Composer:
        """What writes the derivatives by the arguments that ``argnums`` chooses."""
        positions, single = positions_of(self.f, argnums)
        return self.by(among(self.f, positions, self.args, {}), single, has_aux)

    def by(self, wanted: Sequence[int], single: bool, first: bool) -> Composer:
        asked = [self.inner.places[at] for at in wanted]
        self._check_apart(asked)
        try:
            return Composer(
                self.inner.fn, gradient_module, self.inner.values, asked, single=single, first=first
            )
        except Unwritten:
            raise self.refused() from None

    def _check_apart(self, asked: Sequence[int]) -> None:
        """An array that comes twice among the arguments is a copy in the second place; what is
        captured is one object with its derivative.
        """
        self.copies = []
        for at, value in enumerate(self.inner.values):
            if not is_first(value, self.inner.values[:at]):
                if at >= self.inner.count or (asked and at not in asked):
                    raise self.refused()
                self.copies.append(f"p_{at + 1} = np.array(p_{at + 1})")

    def looked_at(self, has_aux: bool = False) -> Value:
        """What the function gives, in a run of its own: it may run again. Of a pair the first; the
        second comes back beside what is written.

        Raises
        ------
        Unsupported : if it writes what outlives it, or draws random numbers.
        """
        ran = RunApart(self.versions, self.f, self.args, self.keywords)
        y, record = ran.made
        # a result that shares memory with a copy would not be the argument, which it is outside
        may_run_again = ran.is_apart if has_aux or self.copies else ran.may_run_again
        if record is not None and not may_run_again:
            error = Unsupported(
                f"astad.{self.name}", f"a call for {callable_name(self.f)} inside a function that "
                "is being differentiated",
                why=RUNS_AGAIN,
                instead="let it write nothing, and be given what it draws, or call it outside",
            )  # fmt: skip
            error.is_inside = ran.has_written  # a run that is recorded now would be another
            raise error
        if not has_aux:
            return y
        if ran.is_apart:
            ran.inner.join()
        first, aux = split_value(self.f, y)
        self.beside = [("aux", aux)]
        self.pair, self.pair_record = y, record
        return first

    def part(self, at: str, leaf: Leaf, part: Any) -> tuple[str | None, Any]:
        """The expression of a part of a direction, which lies at ``at``, and one of its kind."""
        if part is None:
            return None, None
        if leaf.kind is LIST:
            return f"[0.0 if part is None else part for part in {at}]", part
        if leaf.kind is NUMBER:
            return at, part
        is_plain = type(part) is np.ndarray and part.dtype == np.float64
        own = part if is_plain else np.asarray(part, float)
        if not is_plain:
            at = f"np.asarray({at}, dtype=float)"
        elif not is_first(part, self.seen):
            at = f"np.array({at})"
        self.seen.append(own)
        return at, own

    def vector(self, made: Composer, at: str, v: Any) -> tuple[list[str | None], list[Any]]:
        """The expressions of the parts of a vector that lies at ``at``, and values of their kinds.

        Raises
        ------
        WrongCall : as outside, if it is of another structure.
        """
        check_apart(self.f, made.leaves, made.x)
        wrong = functools.partial(second_order._wrong_vector, self.f)
        parts = directions_of(made.x, v, made.leaves, wrong)
        both = zip(made.leaves, parts, strict=True)
        found = [self.part(f"{at}{leaf.text}", leaf, part) for leaf, part in both]
        return [text for text, _ in found], [value for _, value in found]

    def run(
        self,
        made: Composer,
        write: Callable[[], list[str]],
        public: Sequence[tuple[str, Value]],
        *,
        given: bool = True,
    ) -> tuple[Value, Record]:
        """Call what is written; ``public``: names and values of the other operands of the call;
        ``given``: its arguments are operands too.
        """
        try:
            lines = [*self.head, *self.copies, *write()]
        except Unwritten:
            raise self.refused() from None
        if self.beside:
            lines[-1] = f"return ({lines[-1].removeprefix('return ')}, aux)"
        order = list(self.inner.places if given else [])
        order += [at for at in range(len(self.inner.values)) if at not in order]
        others = [*public, *self.beside]
        names = [name for name, _ in others] + [f"p_{at + 1}" for at in order]
        operands = [value for _, value in others] + [self.inner.values[at] for at in order]
        out, record = call(self.versions, made.function(self.name, names, lines), *operands)
        return out, (_pull_inner, record, self, len(others), order)


def _pull_inner(
    shadows: Shadows,
    y_bar: Value,
    record: Record,
    asked: _Asked,
    count: int,
    order: Sequence[int],
) -> Cotangents:
    """For the other operands, and then for the arguments of the function."""
    bars = list(pull(shadows, record, y_bar, count + len(order)))
    by_place = dict(zip(order, bars[count:], strict=True))
    found = list(asked.inner.deliver(shadows, [by_place[at] for at in range(len(order))]) or ())
    if asked.beside:
        aux_bar = bars[count - 1]
        if aux_bar is not None:
            shadows.slot_add(asked.pair, 1, aux_bar)
        more = pull(shadows, asked.pair_record, None, len(found))
        found = [add(a, b) for a, b in zip(found, more, strict=True)]
    return [*bars[: count - len(asked.beside)], *found]


def _by_name(shadows: Shadows, y_bar: Value, record: Record, others: int) -> Cotangents:
    """In the order of the call's operands: the function, its first argument, others, the rest."""
    assert record is not None
    bars = list(record[0](shadows, y_bar, *record[1:]))
    return [None, *bars[others : others + 1], *bars[:others], *bars[others + 1 :]]


def _of_containers(shadows: Shadows, y_bar: Value, record: Record, count: int) -> Cotangents:
    """Of `jvp`: the arguments of the function are no operands of the call."""
    assert record is not None
    return [None, *record[0](shadows, y_bar, *record[1:])[:count]]


# --- second derivatives


def hvp_forward(
    versions: Versions,
    f: Any,
    x: Any,
    v: Any,
    /,
    *args: Any,
    argnums: Any = 0,
    has_aux: bool = False,
) -> tuple[Value, Record]:
    asked = _Asked("hvp", versions, f, (x, *args))
    if has_aux:
        asked.looked_at(has_aux)
    made = asked.among(argnums, has_aux)
    _check_real(f, made)
    vectors, values = asked.vector(made, "v", v)
    y, record = asked.run(made, lambda: made.hvp(vectors, values), [("v", v)])
    return y, (_by_name, record, 1)


def hessian_forward(
    versions: Versions, f: Any, x: Any, /, *args: Any,
    argnums: Any = 0, has_aux: bool = False, sparsity: Any = None,
) -> tuple[Value, Record]:  # fmt: skip
    if sparsity is not None:
        raise _sparse("hessian")
    return _second("hessian", versions, f, (x, *args), argnums, has_aux)


def hessian_diag_forward(
    versions: Versions, f: Any, x: Any, /, *args: Any, argnums: Any = 0, has_aux: bool = False
) -> tuple[Value, Record]:
    return _second("hessian_diag", versions, f, (x, *args), argnums, has_aux)


def _second(
    name: str, versions: Versions, f: Any, args: tuple[Any, ...], argnums: Any, has_aux: bool
) -> tuple[Value, Record]:
    asked = _Asked(name, versions, f, args)
    asked.looked_at(has_aux)
    made = asked.among(argnums, has_aux)
    _check_real(f, made)
    check_apart(f, made.leaves, made.x)
    y, record = asked.run(made, made.hessian if name == "hessian" else made.diagonal, [])
    return y, (_by_name, record, 0)


def _check_real(f: Any, made: Composer) -> None:
    for leaf in made.leaves:
        if leaf.is_complex:
            raise second_order._refused(f, made.places[0], leaf.value)


# --- first derivatives


def jacobian_forward(
    versions: Versions, f: Any, x: Any, /, *args: Any,
    argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, sparsity: Any = None,
) -> tuple[Value, Record]:  # fmt: skip
    if sparsity is not None:
        raise _sparse("jacobian")
    return _first("jacobian", versions, f, (x, *args), argnums, has_aux, holomorphic)


def value_and_jacobian_forward(
    versions: Versions, f: Any, x: Any, /, *args: Any,
    argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False,
) -> tuple[Value, Record]:  # fmt: skip
    return _first("value_and_jacobian", versions, f, (x, *args), argnums, has_aux, holomorphic)


def _first(
    name: str, versions: Versions, f: Any, args: tuple[Any, ...], argnums: Any, has_aux: bool,
    holomorphic: bool,
) -> tuple[Value, Record]:  # fmt: skip
    asked = _Asked(name, versions, f, args)
    if holomorphic:
        raise asked.refused()
    result = asked.looked_at(has_aux)
    made = asked.among(argnums, has_aux)
    _check_result(f, result)
    value = name == "value_and_jacobian"
    y, record = asked.run(made, lambda: made.jacobian(result, value=value), [])
    return y, (_by_name, record, 0)


def _check_result(f: Any, y: Any) -> None:
    """Refuse what has no derivative, as outside."""
    leaves = leaves_of(f, y, lambda value: jacobians._refused_result(f, value))
    if not leaves:
        raise jacobians._refused_result(f, y)
    for leaf in leaves:
        jacobians.check_result(f, leaf)


def jvp_forward(
    versions: Versions, f: Any, primals: Any, tangents: Any, /, *, has_aux: bool = False
) -> tuple[Value, Record]:
    directions._moves(f, primals, tangents)
    if id(f) in TANGENTS and not has_aux:
        held = {
            at: is_number(x) or issubclass(type(x), np.ndarray)
            for at, (x, v) in enumerate(zip(primals, tangents, strict=True))
            if v is None
        }
        rule = _calling_rule(TANGENTS[id(f)][1], len(primals), tuple(held.items()))
        y, record = call(versions, rule, primals, tangents)
        return y, (_pull_rule, record)
    asked = _Asked("jvp", versions, f, primals)
    operands = [("primals", primals), ("tangents", tangents)]
    asked.head = [f"p_{place + 1} = primals[{at}]" for at, place in enumerate(asked.inner.places)]
    moved = [at for at, each in enumerate(tangents) if each is not None]
    if not has_aux and moved:
        try:
            ran = _in_forward_mode(asked, tangents, moved, operands)
            return ran[0], (_of_containers, ran[1], 2)
        except Unwritten:
            pass
    result = asked.looked_at(has_aux)
    _check_result(f, result)
    made = asked.by(moved, False, has_aux)
    vectors, values = _tangents(asked, made, tangents, moved)
    y, record = asked.run(made, lambda: made.jvp(result, vectors, values), operands, given=False)
    return y, (_of_containers, record, 2)


@functools.lru_cache(maxsize=256)
def _calling_rule(rule: Any, count: int, held: tuple[tuple[int, bool], ...]) -> Any:
    """A tangent rule of the user's is a function like any other at the level around; ``held``: the
    arguments without a tangent, and whether zero is one.
    """
    words = {at: f"0.0 * primals[{at}]" if is_plain else "None" for at, is_plain in held}
    primals = "".join(f"primals[{at}], " for at in range(count))
    tangents = "".join(f"{words.get(at, f'tangents[{at}]')}, " for at in range(count))
    text = f"def by_rule(primals, tangents):\n    return rule(({primals}), ({tangents}))\n"
    return with_text(text, f"by a tangent rule {id(rule)} {count} {held}", rule=rule)


def _pull_rule(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    return [None, *pull(shadows, record, y_bar, 2)]


def _in_forward_mode(
    asked: _Asked, tangents: Any, moved: Sequence[int], operands: list[tuple[str, Value]]
) -> tuple[Value, Record]:
    """Of arguments that are numbers and arrays, or tuples, dicts and lists that hold such.

    Raises
    ------
    Unwritten : where forward mode has no text for it.
    """
    made = asked.by(moved, False, False)
    if any(leaf.kind is LIST or any(map(_is_attribute, leaf.path)) for leaf in made.leaves):
        raise Unwritten
    seen = list(asked.seen)
    vectors, _ = _tangents(asked, made, tangents, moved)
    try:
        lines = made.tangent(vectors, asked.looked_at)
    except Unwritten:
        asked.seen = seen
        raise
    return asked.run(made, lambda: lines, operands, given=False)


def _is_attribute(step: Any) -> bool:
    return type(step) is Attribute


def _tangents(
    asked: _Asked, made: Composer, tangents: Any, moved: Sequence[int]
) -> tuple[list[str | None], list[Any]]:
    """Of the leaves of the arguments that move."""

    def wrong(leaf: Leaf | None, v: Any) -> WrongCall:
        at = moved[leaf.path[0]] if leaf is not None else moved[0]
        return directions._wrong_tangent(asked.f, at, leaf, v)

    parts = directions_of(made.x, tuple(tangents[at] for at in moved), made.leaves, wrong)
    found = []
    for leaf, part in zip(made.leaves, parts, strict=True):
        inside = leaf._replace(path=leaf.path[1:]).text
        found.append(asked.part(f"tangents[{moved[leaf.path[0]]}]{inside}", leaf, part))
    return [text for text, _ in found], [value for _, value in found]


def pullback_forward(
    versions: Versions, f: Any, /, *args: Any, **keywords: Any
) -> tuple[Value, Record]:
    y, record = _pullback("pullback", versions, f, args, keywords, False)
    return y, (_by_name, record, 0)


def vjp_forward(
    versions: Versions, f: Any, /, *args: Any, has_aux: bool = False
) -> tuple[Value, Record]:
    y, record = _pullback("vjp", versions, f, args, {}, has_aux)
    return y, (_by_name, record, 0)


def _pullback(
    name: str, versions: Versions, f: Any, args: tuple[Any, ...], keywords: Any, has_aux: bool
) -> tuple[Value, Record]:
    asked = _Asked(name, versions, f, args, keywords)
    result = asked.looked_at(has_aux)
    _check_result(f, result)
    made = asked.by(range(len(args)), False, has_aux)
    return asked.run(made, lambda: made.pullback(result), [])


def _sparse(name: str) -> Unsupported:
    return Unsupported(
        f"astad.{name}", "sparsity inside a function that is being differentiated",
        why="its entries are read by their places out of sums, by code that has no derivative",
        instead="leave sparsity out, or call it outside",
    )  # fmt: skip


def _with_words(forward: Callable[..., tuple[Value, Record]]) -> Any:
    """The same where keywords of the call count among its operands: none has a derivative."""

    def rule(versions: Versions, /, *args: Any, **keywords: Any) -> tuple[Value, Record]:
        y, record = forward(versions, *args, **keywords)
        return y, (_and_words, record, len(keywords)) if keywords else record

    return rule


def _and_words(shadows: Shadows, y_bar: Value, record: Record, count: int) -> Cotangents:
    assert record is not None
    return [*record[0](shadows, y_bar, *record[1:]), *[None] * count]


_RULES: dict[Any, Callable[..., tuple[Value, Record]]] = {
    second_order.hvp: hvp_forward, second_order.hessian: hessian_forward,
    second_order.hessian_diag: hessian_diag_forward, jacobians.jacobian: jacobian_forward,
    jacobians.value_and_jacobian: value_and_jacobian_forward, directions.jvp: jvp_forward,
}  # fmt: skip
for _fn, _rule in _RULES.items():
    FULL[id(_fn)] = or_recorded(_fn, _with_words(_rule))
    FOLLOWED[id(_fn)] = followed(_fn.__name__)
FULL[id(directions.vjp)] = or_recorded(directions.vjp, _with_words(vjp_forward))
FULL[id(pullbacks.pullback)] = or_recorded(pullbacks.pullback, pullback_forward)
FOLLOWED[id(directions.vjp)] = followed("vjp")
FOLLOWED[id(pullbacks.pullback)] = followed("pullback")
