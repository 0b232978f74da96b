"""Complex arrays: which operations make or read them, and whether their derivative is written out.

They are known only where nothing but such operations meets them: none is written, handed on or
dispatched (`facts.find_facts` gives them up otherwise). So the cotangent of one is a value like
that of a number. A real operand of an operation gets the real part of its cotangent.

>>> facts = Facts({"z": k.complexes(1), "x": k.array(1)}, {"z", "x"})
>>> complex_result(Call("y", Prim("mul"), ("x", "z"), (), 1), facts, True)
('inline', Result(kind=Kind(tag='complexes', rank=1), views=()))
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, applied, is_scalar_text, is_written_out
from astad.compiler.analysis.findings import Facts
from astad.compiler.analysis.given import Knowledge
from astad.compiler.analysis.result_kinds import Result, result_kind
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import COMPLEX, FLOATING, Kind
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Star
from astad.compiler.ir.prims import BINARY, IN_PLACE, UNARY
from astad.rules.registry import lookup

__all__ = ["FROM_REAL", "TRANSFORMS", "complex_result", "is_among", "meets_complex"]

REAL_VALUED: tuple[Any, ...] = (np.abs, abs, np.real, np.imag, np.angle)
VIEWS: tuple[Any, ...] = (np.real, np.imag)
OPERATORS: tuple[Any, ...] = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos,
)  # fmt: skip
_FFT = np.fft
TO_COMPLEX: tuple[Any, ...] = (
    _FFT.fft, _FFT.ifft, _FFT.fft2, _FFT.ifft2, _FFT.fftn, _FFT.ifftn,
)  # fmt: skip
FROM_REAL: tuple[Any, ...] = (_FFT.rfft, _FFT.ihfft, _FFT.rfft2, _FFT.rfftn)
TO_REAL: tuple[Any, ...] = (_FFT.irfft, _FFT.hfft, _FFT.irfft2, _FFT.irfftn)
SAME: tuple[Any, ...] = (_FFT.fftshift, _FFT.ifftshift, np.conj)
PRIMS = {*BINARY, *UNARY, *IN_PLACE, "getitem", "getattr", "method"}
_ARRAY = np.ndarray
_AS_REAL: tuple[Any, ...] = (
    np.sum, np.mean, np.cumsum, np.transpose, np.reshape, np.ravel, np.copy, np.roll, np.flip,
    np.expand_dims, np.squeeze, np.swapaxes, np.dot, np.vdot, np.inner, np.outer, np.kron,
    np.matmul, operator.matmul, np.diag, np.trace, np.linalg.inv, np.linalg.solve, np.linalg.det,
    _ARRAY.sum, _ARRAY.mean, _ARRAY.reshape, _ARRAY.ravel, _ARRAY.flatten, _ARRAY.transpose,
    _ARRAY.swapaxes, _ARRAY.copy, _ARRAY.dot,
)  # fmt: skip
AS_REAL = frozenset(map(id, _AS_REAL))
"""Made for complex arrays as they are for real ones, but for the dtype."""
TRANSFORMS = frozenset(map(id, (*TO_COMPLEX, *FROM_REAL, *TO_REAL, *SAME)))

Answer = tuple[str, Result] | None


def meets_complex(node: Call, facts: Facts) -> bool:
    """Is an operand, the result or a cotangent complex?"""
    if isinstance(node.fn, str) and is_among(facts.known.get(node.fn), TO_REAL):
        return True  # back from a real array to a real one, by way of complex numbers
    return any(k.is_complex(facts.kind_of(arg)) for arg in (*node.args, str(node.target)))


def is_among(fn: Any, functions: Iterable[Any]) -> bool:
    """Is it one of these very objects?"""
    return any(fn is each for each in functions)


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
    if node.fn == Prim("getitem"):
        kind, written = _item(kinds), True
    elif id(what.fn) in TRANSFORMS:
        kind = _transformed(what, kinds)
        written = is_written_out(what, facts.knowledge, facts.is_active)
    elif id(what.fn) in AS_REAL:
        return _as_of_real(what, facts, active)
    elif what.keywords:
        return None
    else:
        kind, written = _elementwise(what, kinds), _has_texts(what, facts)
    if kind is None or (active and not written):
        return None
    reads = node.fn == Prim("getitem") or is_among(what.fn, VIEWS)
    views = (str(what.args[0]),) if reads and kind.rank else ()
    return ("inline" if active else "plain"), Result(kind, views)


def _as_of_real(what: Applied, facts: Facts, active: bool) -> Answer:
    """What gives complex numbers where it would give real ones for real arrays of these ranks."""

    def real(operand: Operand | Star) -> Kind:
        kind = facts.kind_of(operand)
        return k.array(kind.rank) if kind.tag == "complexes" else kind

    if any(word == "dtype" for word, _ in what.keywords):
        return None
    knowledge = Knowledge(real, facts.known, facts.displays)
    fn = np.matmul if what.fn is operator.matmul else what.fn
    found = result_kind(fn, what.args, what.keywords, knowledge)
    written = is_written_out(what, facts.knowledge, facts.is_active)
    if found is None or (active and not written):
        return None
    rank = found.kind.rank
    kind = k.complexes(rank) if rank else COMPLEX
    return ("inline" if active else "plain"), Result(kind, found.views)


def _may_be_one(node: Call, facts: Facts) -> bool:
    if isinstance(node.fn, Prim) and node.fn.name not in PRIMS:
        return False
    if id(facts.known.get(node.fn) if isinstance(node.fn, str) else None) in TRANSFORMS:
        return True
    return any(k.is_complex(facts.kind_of(arg)) for arg in node.args)


def _item(kinds: Sequence[Kind]) -> Kind | None:
    """A number or a part of a complex array."""
    if kinds[0].tag != "complexes":
        return None
    found = k.subscripted(kinds[0], kinds[1])
    if found is None:
        return None
    return k.complexes(found.rank) if found.rank else COMPLEX


def _transformed(what: Applied, kinds: Sequence[Kind]) -> Kind | None:
    """Of a Fourier transform and its like: as many axes as before."""
    first, fn = kinds[0], what.fn
    if fn is np.conjugate and first.tag == "complex":
        return COMPLEX
    if first.tag not in ("ndarray", "complexes") or not first.rank:
        return None
    if is_among(fn, TO_COMPLEX) or (is_among(fn, FROM_REAL) and k.is_array(first)):
        return k.complexes(first.rank)
    if is_among(fn, TO_REAL):
        return k.array(first.rank)
    return first if first.tag == "complexes" else None


def _elementwise(what: Applied, kinds: Sequence[Kind]) -> Kind | None:
    if not all(k.is_complex(kind) or k.is_real(kind) or k.is_array(kind) for kind in kinds):
        return None
    ranks = [kind.rank for kind in kinds if k.holds_memory(kind)]
    if None in ranks or 0 in ranks:
        return None
    rank = max((rank or 0 for rank in ranks), default=0)
    if is_among(what.fn, REAL_VALUED):
        return (k.array(rank) if rank else FLOATING) if len(kinds) == 1 else None
    plain = is_among(what.fn, OPERATORS) or _is_power(what, kinds)
    if not (plain or _is_complex_ufunc(what.fn, kinds)):
        return None
    return k.complexes(rank) if rank else COMPLEX


def _is_power(what: Applied, kinds: Sequence[Kind]) -> bool:
    """With a whole literal exponent."""
    exponent = what.args[-1]
    whole = isinstance(exponent, Const) and type(exponent.value) is int and exponent.value >= 0
    return what.fn is operator.pow and whole and k.is_complex(kinds[0])


def _is_complex_ufunc(fn: Any, kinds: Sequence[Kind]) -> bool:
    """Does it give complex numbers for complex ones?"""
    given = isinstance(fn, np.ufunc) and len(kinds) == fn.nin and fn.nout == 1
    rule = lookup(fn) if given else None
    return rule is not None and "D" * fn.nin + "->D" in fn.types and rule.is_own


def _has_texts(what: Applied, facts: Facts) -> bool:
    """Is the derivative in each active operand an expression?"""
    if what.fn is operator.pow:
        return not facts.is_active(what.args[1])
    rule = lookup(what.fn)
    if rule is None or rule.form != "scalar":
        return False
    names = zip(rule.parameters, what.args, strict=False)
    active = [name for name, arg in names if facts.is_active(arg)]
    return all(name in rule.back and is_scalar_text(rule.back[name]) for name in active)
