"""Kinds of the results of functions and of methods of arrays, as the rows of the rules claim them.

A row says ``gives="reduced(a, axis, keepdims)"``: a word of the `vocabulary`, and the parameters of
the rule that it is told of; after a semicolon those that change nothing. A call that gives any
other parameter has no kind. ``parts(a, b)`` are several results, ``parts(*word(x))`` as many as the
word tells; ``one(x) or parts(...)`` has several where it has not one. ``view="a"`` names the
operands with which the result may share memory.

>>> import numpy as np
>>> arrays = Knowledge(lambda operand: k.array(2), {}, {})
>>> result_kind(np.transpose, ("x",), (), arrays)
Result(kind=Kind(tag='ndarray', rank=2), views=('x',))
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.given import Given, Knowledge, bound, signature_of
from astad.compiler.analysis.vocabulary import APART, ARRAYS, KEEPING, VOCABULARY
from astad.compiler.ir import kinds as k
from astad.compiler.ir.derived import Method
from astad.compiler.ir.kinds import Kind
from astad.compiler.ir.nodes import Const, Operand, Star
from astad.rules.formula import Rule
from astad.rules.registry import lookup
from astad.rules.signature import Signature
from astad.slotted import dataclass, replace

__all__ = [
    "Result",
    "as_method",
    "has_parts",
    "is_claimed",
    "is_reduction",
    "joins",
    "makes_array",
    "method_of",
    "operands_made_arrays",
    "part_kinds",
    "result_kind",
    "told",
    "word_of",
]


@dataclass(frozen=True, slots=True)
class Result:
    """``kind`` of a result, and the operands that it may share memory with."""

    kind: Kind
    views: tuple[str, ...] = ()


def result_kind(
    fn: Any,  # whatever a name stands for
    args: Sequence[Operand],
    keywords: Sequence[tuple[str, Operand]],
    knowledge: Knowledge,
) -> Result | None:
    """What a call of this object gives; None where nothing is claimed."""
    rule = lookup(fn)
    if rule is None or not _has_word(rule):
        return None
    given = _given(rule, args, keywords, knowledge)
    if given is None:
        return None
    kind = _claim(rule.gives).kind(given) or _kind_of_entries(rule, given)
    if kind is None:
        return None
    return Result(kind, _shared(rule, given) if k.has_axes(kind) else ())


def _kind_of_entries(rule: Rule, given: Given) -> Kind | None:
    """Where a word that tells of entries which are kept is told of whole numbers or truths: what it
    says of floats, but for what they are.
    """
    kind_of, claim = given.knowledge.kind_of, _claim(rule.gives)
    first = claim.by_word(given).operands.get("a")
    operands = first if isinstance(first, tuple) else (first,)
    kinds = {kind_of(each) for each in operands if isinstance(each, str)}
    tags = {kind.tag for kind in kinds}
    if len(tags) != 1 or not tags <= set(KEEPING.get(claim.word, ())) or given.has("dtype"):
        return None

    def as_floats(operand: Operand | Star) -> Kind:
        kind = kind_of(operand)
        return k.array(kind.rank) if kind in kinds else kind

    knowledge = replace(given.knowledge, kind_of=as_floats)
    kind = claim.kind(replace(given, knowledge=knowledge))
    if kind == k.FLOATING and tags == {"counts"}:
        return k.COUNT
    return Kind(tags.pop(), kind.rank) if kind is not None and k.is_array(kind) else None


def told(
    fn: Any,
    args: Sequence[Operand],
    keywords: Sequence[tuple[str, Operand]],
    knowledge: Knowledge,
) -> tuple[str, Given] | None:
    """The word that the row claims, and the operands by the names that the word has for them."""
    rule = lookup(fn)
    if rule is None or not _has_word(rule):
        return None
    given = _given(rule, args, keywords, knowledge)
    return None if given is None else (word_of(rule), _claim(rule.gives).by_word(given))


def operands_made_arrays(
    fn: Any, args: Sequence[Operand], keywords: Sequence[tuple[str, Operand]]
) -> frozenset[str]:
    """Operands that the row claims a kind by as arrays: a list in such a place is made one first.

    >>> sorted(operands_made_arrays(np.interp, ("t", "places", "values"), ()))
    ['places', 't', 'values']
    """
    rule = lookup(fn)
    if rule is None or not _has_word(rule) or word_of(rule) in ("summed", "averaged"):
        return frozenset()  # sums of lists are told by their kinds
    claim = _claim(rule.gives)
    given = bound(claim.signature(rule), args, keywords, NOTHING_KNOWN)
    own = [own for name, own in claim.told if name in ARRAYS and isinstance(own, str)]
    found = [] if given is None else [given.operands.get(name) for name in own]
    return frozenset(operand for operand in found if isinstance(operand, str))


NOTHING_KNOWN = Knowledge(lambda operand: k.UNKNOWN, {}, {})


def part_kinds(
    fn: Any,
    args: Sequence[Operand],
    keywords: Sequence[tuple[str, Operand]],
    knowledge: Knowledge,
) -> tuple[tuple[Kind, ...], tuple[str, ...]] | None:
    """Of a function with several results the kind of each, and their names if they have any."""
    rule = lookup(fn)
    claim = None if rule is None else _claim_of_parts(rule)
    if rule is None or claim is None:
        return None
    given = _given(rule, args, keywords, knowledge)
    if given is None:
        return None
    if claim.word != "parts":
        several = APART[claim.word][1](claim.by_word(given))
        return None if several is None else (several, ())
    kinds = [part.kind(given) for _, part in claim.parts]
    if None in kinds:
        return None
    names = tuple(name for name, _ in claim.parts if name)
    return tuple(kind for kind in kinds if kind is not None), names


def _has_word(rule: Rule) -> bool:
    """Is a kind claimed of one result?"""
    return word_of(rule) in VOCABULARY


def word_of(rule: Rule) -> str:
    """The word of the vocabulary that the row claims; "" where it claims nothing."""
    return _claim(rule.gives).word if rule.gives else ""


def as_method(name: object) -> Any:
    """The descriptor behind a method of arrays of which a row claims a kind; None for others."""
    found = getattr(np.ndarray, name, None) if isinstance(name, str) else None
    rule = None if found is None else lookup(found)
    return found if rule is not None and rule.gives else None


def method_of(fn: Any) -> Method | None:
    """The method of arrays that does what the function does.

    >>> method_of(np.repeat) == Method("repeat", 3, frozenset({"axis"}))
    True
    """
    rule = lookup(fn)
    if rule is None or rule.method is None or not hasattr(np.ndarray, fn.__name__):
        return None
    known = signature_of(rule.method)
    words = frozenset(known.parameters[known.positional_only :])
    return Method(fn.__name__, 1 + len(known.positional), words)


def makes_array(fn: Any) -> bool:
    """Does it make an array out of a shape, with nothing of its operands' values in it?"""
    rule = lookup(fn)
    return rule is not None and word_of(rule) in ("made", "matrix")


def is_claimed(fn: Any) -> bool:
    """Is the kind of its result claimed? It changes none of its operands then."""
    rule = None if fn is None else lookup(fn)
    return rule is not None and bool(rule.gives)


def has_parts(fn: Any) -> bool:
    """Has it several results?"""
    rule = None if fn is None else lookup(fn)
    return rule is not None and _claim_of_parts(rule) is not None


def _claim_of_parts(rule: Rule) -> _Claim | None:
    """What is claimed of several results."""
    claim = _claim(rule.gives) if rule.gives else None
    if claim is None or claim.word == "parts" or claim.word in APART:
        return claim
    return claim.otherwise


def is_reduction(fn: Any) -> bool:
    """Does it take axes away, or all of them?"""
    rule = None if fn is None else lookup(fn)
    return rule is not None and word_of(rule) in ("averaged", "extreme", "reduced", "summed")


JOINING = ("gathered", "joined", "stacked", "in_a_row", "in_rows", "in_depth", "in_columns")


def joins(fn: Any, of: Kind = k.ITEMS) -> bool:
    """Does it join the arrays of a display: ``np.concatenate([a, b])``? Of an array it does not:
    ``np.array(a)``.
    """
    rule = lookup(fn)
    return rule is not None and word_of(rule) in JOINING and not k.has_axes(of)


# --- what a row says


@dataclass(frozen=True, slots=True)
class _Claim:
    """``told``: parameters of the vocabulary's word to those of the rule, or to literals; ``free``:
    those of the rule that change nothing; ``parts``: of several results, each with its name;
    ``parameters``: those of the calls that it is claimed of, where the rule has others;
    ``otherwise`` is claimed of several results where there is not one.
    """

    parameters: str
    word: str
    told: tuple[tuple[str, str | Const], ...]
    free: frozenset[str]
    parts: tuple[tuple[str, _Claim], ...]
    otherwise: _Claim | None = None

    @property
    def names(self) -> frozenset[str]:
        """All parameters of the rule that a call may give."""
        inner = [part.names for _, part in self.parts]
        inner += [self.otherwise.names] if self.otherwise is not None else []
        own = [own for _, own in self.told if isinstance(own, str)]
        return self.free.union(own, *inner)

    def signature(self, rule: Rule) -> Signature:
        return signature_of(self.parameters) if self.parameters else rule.signature

    def kind(self, given: Given) -> Kind | None:
        return VOCABULARY[self.word][1](self.by_word(given))

    def by_word(self, given: Given) -> Given:
        """The operands by the names that the word has for them."""
        signature, _ = VOCABULARY.get(self.word) or APART[self.word]
        operands: dict[str, Any] = {}
        defaults = dict(signature_of(signature).defaults)
        for name, own in self.told:
            if isinstance(own, Const):
                operands[name] = own
                continue
            default = given.defaults.get(own, np._NoValue)
            if default is not np._NoValue:
                defaults[name] = default
            if own in given.operands:
                operands[name] = given.operands[own]
        return Given(operands, defaults, given.knowledge)


@functools.cache
def _claim(text: str) -> _Claim:
    """
    >>> _claim("reduced(m, axis); order").told, sorted(_claim("reduced(m, axis); order").names)
    ((('a', 'm'), ('axis', 'axis')), ['axis', 'm', 'order'])
    """
    parameters, _, text = text.rpartition("->")
    head, _, rest = text.partition(";")
    free = frozenset(name.strip() for name in rest.split(",") if name.strip())
    return _claim_of(parameters.strip(), ast.parse(head.strip(), mode="eval").body, free)


def _claim_of(parameters: str, tree: ast.expr, free: frozenset[str]) -> _Claim:
    if isinstance(tree, ast.BoolOp):
        one, several = (_claim_of(parameters, each, free) for each in tree.values)
        return replace(one, otherwise=several)
    assert isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name), ast.unparse(tree)
    word = tree.func.id
    if word == "parts" and any(isinstance(each, ast.Starred) for each in tree.args):
        return _claim_of(parameters, tree.args[0].value, free)  # type: ignore[attr-defined]
    if word == "parts":
        named = [("", each) for each in tree.args]
        named += [(str(each.arg), each.value) for each in tree.keywords]
        parts = tuple((name, _claim_of("", each, frozenset())) for name, each in named)
        return _Claim(parameters, word, (), free, parts)
    names = signature_of((VOCABULARY.get(word) or APART[word])[0]).parameters
    assert len(tree.args) <= len(names), ast.unparse(tree)
    told = [(name.lstrip("*"), _own(each)) for name, each in zip(names, tree.args, strict=False)]
    told += [(str(each.arg), _own(each.value)) for each in tree.keywords]
    return _Claim(parameters, word, tuple(told), free, ())


def _own(tree: ast.expr) -> str | Const:
    return Const(tree.value) if isinstance(tree, ast.Constant) else ast.unparse(tree)


def _given(
    rule: Rule,
    args: Sequence[Operand],
    keywords: Sequence[tuple[str, Operand]],
    knowledge: Knowledge,
) -> Given | None:
    """The operands of a call that gives none but the parameters of the claim."""
    claim = _claim(rule.gives)
    given = bound(claim.signature(rule), args, keywords, knowledge)
    if given is None:
        return None
    left_out = [name for name, operand in given.operands.items() if operand == ()]
    named = given.operands.keys() - set(left_out)
    return given if named <= claim.names else None


def _shared(rule: Rule, given: Given) -> tuple[str, ...]:
    found: list[Any] = []
    for name in rule.view.split():
        operand = given.operands.get(name)
        found += operand if isinstance(operand, tuple) else [operand]
    return tuple(operand for operand in found if isinstance(operand, str))
