"""Complex arrays: which operations make or read them, and whether their derivative is written out.

They are known only where nothing but such operations meets them: none is written, handed on or
dispatched (`facts.find_facts` gives them up otherwise). So the cotangent of one is a value like
that of a number. A real operand of an operation gets the real part of its cotangent.

>>> facts = Facts({"z": k.complexes(1), "x": k.array(1)}, {"z", "x"})
>>> complex_result(Call("y", Prim("mul"), ("x", "z"), (), 1), facts, True)
('inline', Result(kind=Kind(tag='complexes', rank=1), views=()))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, applied, is_scalar_text, is_written_out
from astad.compiler.analysis.findings import Facts
from astad.compiler.analysis.given import Knowledge
from astad.compiler.analysis.operations import row_of
from astad.compiler.analysis.result_kinds import Result, result_kind
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import COMPLEX, FLOATING, Kind
from astad.compiler.ir.nodes import Call, Operand, Prim, Star
from astad.compiler.ir.prims import BINARY, IN_PLACE, UNARY
from astad.rules.formula import Rule
from astad.rules.registry import lookup

__all__ = ["MAKING", "complex_result", "how_complex", "meets_complex"]

PRIMS = {*BINARY, *UNARY, *IN_PLACE, "getitem", "getattr", "method"}
MAKING = ("made", "made of reals", "taken", "number")
"""What the row of a function says by which complex numbers begin or end."""

Answer = tuple[str, Result] | None


def meets_complex(node: Call, facts: Facts) -> bool:
    """Is an operand, the result or a cotangent complex?"""
    if isinstance(node.fn, str) and how_complex(facts.known.get(node.fn)) == "taken":
        return True  # back from a real array to a real one, by way of complex numbers
    return any(k.is_complex(facts.kind_of(arg)) for arg in (*node.args, str(node.target)))


def how_complex(fn: Any) -> str:
    """What its row says of complex numbers.

    >>> how_complex(np.sum), how_complex(np.fft.fft), how_complex(None)
    ('kept', 'made', '')
    """
    rule = None if fn is None else lookup(fn)
    return "" if rule is None else rule.complexes


def complex_result(node: Call, facts: Facts, active: bool) -> Answer:
    """Treatment and result of a statement with a complex operand or result; None for others, and
    for those that are not written out.
    """
    if not _may_be_one(node, facts):
        return None
    what = applied(node, facts.known)
    if what is None:
        return None
    kinds = [facts.kind_of(arg) for arg in what.args]
    if isinstance(node.fn, Prim) and node.fn.name in IN_PLACE and k.holds_memory(kinds[0]):
        return None
    rule = row_of(what.fn, what.args)
    views: tuple[Any, ...] = ()
    if node.fn == Prim("getitem"):
        kind, written, views = _item(kinds), True, what.args[:1]
    elif rule is None:
        return None
    elif rule.form != "scalar":
        return _by_rule(what, rule, kinds, facts, active)
    elif what.keywords:
        return None
    else:
        kind, written = _elementwise(what, rule, kinds), _has_texts(what, rule, facts)
        views = what.args if rule.view else ()
    if kind is None or (active and not written):
        return None
    shared = tuple(map(str, views)) if kind.rank else ()
    return ("inline" if active else "plain"), Result(kind, shared)


def _by_rule(
    what: Applied, rule: Rule, kinds: Sequence[Kind], facts: Facts, active: bool
) -> Answer:
    """Of a linear or structured rule: a transform between real and complex arrays, or what gives
    complex numbers where it would give real ones for real arrays of these ranks.
    """
    if active and not is_written_out(what, facts.knowledge, facts.is_active):
        return None
    if rule.complexes == "kept":
        found = _as_of_real(what, facts)
    else:
        kind = _transformed(rule.complexes, kinds[0])
        found = None if kind is None else Result(kind)
    return None if found is None else ("inline" if active else "plain", found)


def _as_of_real(what: Applied, facts: Facts) -> Result | None:
    def real(operand: Operand | Star) -> Kind:
        kind = facts.kind_of(operand)
        if kind.tag == "complex":
            return FLOATING
        return k.array(kind.rank) if kind.tag == "complexes" else kind

    if any(word == "dtype" for word, _ in what.keywords):
        return None
    knowledge = Knowledge(real, facts.known, facts.displays)
    found = result_kind(what.fn, what.args, what.keywords, knowledge)
    if found is None:
        return None
    rank = found.kind.rank
    return Result(k.complexes(rank) if rank else COMPLEX, found.views)


def _may_be_one(node: Call, facts: Facts) -> bool:
    if isinstance(node.fn, Prim) and node.fn.name not in PRIMS:
        return False
    if isinstance(node.fn, str) and how_complex(facts.known.get(node.fn)) in MAKING:
        return True
    return any(k.is_complex(facts.kind_of(arg)) for arg in node.args)


def _item(kinds: Sequence[Kind]) -> Kind | None:
    """A number or a part of a complex array."""
    if kinds[0].tag != "complexes":
        return None
    return k.subscripted(kinds[0], kinds[1])


def _transformed(how: str, first: Kind) -> Kind | None:
    """Of a Fourier transform: as many axes as before."""
    if first.tag not in ("ndarray", "complexes") or not first.rank:
        return None
    if how == "made" or (how == "made of reals" and k.is_array(first)):
        return k.complexes(first.rank)
    return k.array(first.rank) if how == "taken" else None


def _elementwise(what: Applied, rule: Rule, kinds: Sequence[Kind]) -> Kind | None:
    if not all(map(_is_known, kinds)):
        return None
    ranks = [kind.rank for kind in kinds if k.is_any_array(kind)]
    if None in ranks or 0 in ranks:
        return None
    rank = max((rank or 0 for rank in ranks), default=0)
    if rule.complexes == "number":
        return None if ranks else COMPLEX
    if rule.complexes == "real":
        return (k.array(rank) if rank else FLOATING) if len(kinds) == 1 else None
    if not (rule.complexes == "kept" or _is_complex_ufunc(what.fn, rule, kinds)):
        return None
    return k.complexes(rank) if rank else COMPLEX


def _is_known(kind: Kind) -> bool:
    """A number or an array: complex, real, or of whole numbers and truths that carry no
    derivative.
    """
    is_whole = kind.tag in ("count", "counts", "bools")
    return is_whole or k.is_complex(kind) or k.is_real(kind) or k.is_array(kind)


def _is_complex_ufunc(fn: Any, rule: Rule, kinds: Sequence[Kind]) -> bool:
    """Does it give complex numbers for complex ones?"""
    given = isinstance(fn, np.ufunc) and len(kinds) == fn.nin and fn.nout == 1
    return given and "D" * fn.nin + "->D" in fn.types and rule.is_own


def _has_texts(what: Applied, rule: Rule, facts: Facts) -> bool:
    """Is the derivative in each active operand an expression?"""
    names = zip(rule.parameters, what.args, strict=False)
    active = [name for name, arg in names if facts.is_active(arg)]
    return all(name in rule.back and is_scalar_text(rule.back[name]) for name in active)
