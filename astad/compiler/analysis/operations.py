"""What an operation gives: the kind of its result, and whether its derivative is written out.

Functions of numbers alone: the kind of what they give, and whether a derivative passes them.

``round(x)`` is an int and constant between its jumps; ``max(x, 0.0)`` is a float whose cotangent
is written out.

>>> number_call(round, [FLOAT], active=True), number_call(max, [FLOAT, INT], active=True)
(('plain', Kind(tag='int', rank=None)), ('inline', Kind(tag='real', rank=None)))

Kinds of arrays of bools and of ints, which carry no derivative: masks, subscripts, counts.

>>> comparison_kind([k.array(2), k.FLOAT]).text, mask_kind([k.bools(1), k.bools(2)]).text
('bools2', 'bools2')
"""

from __future__ import annotations

import functools
import math
import operator
import random
import sys
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.given import OPEN
from astad.compiler.ir import kinds as k
from astad.compiler.ir.containers import Container
from astad.compiler.ir.kinds import BOOL, FLOAT, FLOATING, INERT, INT, REAL, UNKNOWN, Kind
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Star
from astad.compiler.ir.prims import BINARY, BY_VALUE, COMPARE, IN_PLACE, UNARY
from astad.rules.formula import Rule
from astad.rules.python.of_numbers import parts_of
from astad.rules.registry import lookup
from astad.rules.safe import safe_quotient

__all__ = [
    "asks_identity",
    "asks_the_user",
    "comparison_kind",
    "formula",
    "has_own_check",
    "is_draw",
    "known_answer",
    "of_argument",
    "operator_function",
    "operator_kind",
    "row_of",
    "rule_kind",
    "shape_kind",
    "text_of",
]

# --- functions of numbers alone


def number_call(fn: Any, kinds: Sequence[Kind], *, active: bool) -> tuple[str, Kind] | None:
    """Treatment and kind of a call of a known function with operands of these kinds; None for
    other functions, and where one may be no number.
    """
    if not all(k.is_real(kind) or kind == k.COUNT for kind in kinds):
        return None
    if (jumps := _JUMPS.get(id(fn))) is not None:
        kind = jumps(kinds)
        return None if kind is None else ("plain", kind)
    if id(fn) in _DRAWN:
        return None if active else ("plain", _DRAWN[id(fn)])
    if not kinds or k.COUNT in kinds or parts_of(fn, len(kinds)) is None:
        return None
    made = _KINDS[id(fn)](kinds)
    return None if made is None else ("inline" if active else "plain", made)


def _joined(kinds: Sequence[Kind]) -> Kind:
    return functools.reduce(k.join, kinds)


_KINDS: dict[int, Callable[[Sequence[Kind]], Kind | None]] = {
    id(max): _joined,
    id(min): _joined,
    id(math.hypot): lambda kinds: FLOAT,
    id(math.log): lambda kinds: FLOAT,
    id(np.clip): lambda kinds: FLOATING if any(map(k.is_floating, kinds)) else None,
}
"""Of those whose cotangents are written out by `rules/python/of_numbers.py`."""


# --- constant between their jumps


def _rounded(kinds: Sequence[Kind]) -> Kind | None:
    if len(kinds) == 1:
        return INT
    return kinds[0] if len(kinds) == 2 and kinds[1] == INT else None


def _truncated(kinds: Sequence[Kind]) -> Kind | None:
    """An int passes its derivative on."""
    is_known = len(kinds) == 1 and (k.is_floating(kinds[0]) or kinds[0] == k.COUNT)
    return INT if is_known else None


def _stepped(kinds: Sequence[Kind]) -> Kind | None:
    """By a NumPy function, which leaves ints alone."""
    return FLOATING if len(kinds) == 1 and k.is_floating(kinds[0]) else None


def _rounded_by_numpy(kinds: Sequence[Kind]) -> Kind | None:
    return _stepped(kinds[:1]) if len(kinds) == 1 or tuple(kinds[1:]) == (INT,) else None


def _counted(kinds: Sequence[Kind]) -> Kind | None:
    return INT if kinds and all(kind == INT for kind in kinds) else None


_JUMPS: dict[int, Callable[[Sequence[Kind]], Kind | None]] = {
    id(round): _rounded,
    id(int): _truncated,
    **{
        id(fn): lambda kinds: INT if len(kinds) == 1 else None
        for fn in (math.floor, math.ceil, math.trunc)
    },
    **{id(fn): _stepped for fn in (np.floor, np.ceil, np.rint, np.trunc, np.fix, np.sign)},
    **{id(fn): _rounded_by_numpy for fn in (np.round, np.around)},
    **{
        id(fn): lambda kinds: BOOL if len(kinds) == 1 else None
        for fn in (math.isnan, math.isinf, math.isfinite)
    },
    id(math.isclose): lambda kinds: BOOL if len(kinds) == 2 else None,
    **{
        id(fn): _counted
        for fn in (math.comb, math.perm, math.gcd, math.lcm, math.factorial, math.isqrt)
    },
}

_FLOAT_DRAWS = (
    random.random, random.uniform, random.gauss, random.normalvariate, random.expovariate,
    random.betavariate, random.gammavariate, random.lognormvariate, random.triangular,
)  # fmt: skip
_DRAWN: dict[int, Kind] = {
    **{id(fn): FLOAT for fn in _FLOAT_DRAWS},
    **{id(fn): INT for fn in (random.randint, random.randrange, random.getrandbits)},
}
"""Drawn by numbers that carry no derivative: run as they are."""


def is_draw(fn: object) -> bool:
    """Does a function draw a random number?"""
    return id(fn) in _DRAWN


# --- masks, subscripts, counts


def of_argument(kind: Kind, alone: bool, wanted: bool) -> Kind:
    """What may be relied on of an argument: where somebody else may write it before it is read
    again, of a list and of an array of ints or bools nothing.
    """
    if k.path_of_function(kind) is not None:
        return INERT  # what it is, is told where its name is read
    if k.is_listing(kind):
        return kind if alone else UNKNOWN
    if not k.has_axes(kind) or k.is_array(kind):
        return kind
    if not alone:
        return UNKNOWN
    return k.counts(kind.rank or 0) if kind.tag == "ints" and not wanted else kind


def comparison_kind(kinds: Sequence[Kind]) -> Kind:
    """Of ``a < b``: a bool, a mask, or what carries no derivative in any case."""
    if all(k.is_real(kind) or kind in (BOOL, k.COUNT) for kind in kinds):
        return BOOL
    ranks = [kind.rank or 0 for kind in kinds if k.has_axes(kind)]
    whole = all(k.is_real(kind) or kind == BOOL or k.has_axes(kind) for kind in kinds)
    return k.bools(max(ranks)) if whole and all(ranks) else INERT


def mask_kind(kinds: Sequence[Kind]) -> Kind | None:
    """Of ``a & b`` of masks, or of whole numbers beside such."""
    ranks = [kind.rank or 0 for kind in kinds if kind.tag in ("bools", "counts")]
    if not ranks or not all(kind in (BOOL, INT) or _is_mask(kind) for kind in kinds):
        return None
    is_whole = any(kind == INT or _is_counted(kind) for kind in kinds)
    return k.counts(max(ranks)) if is_whole else k.bools(max(ranks))


def _is_mask(kind: Kind) -> bool:
    return kind.tag == "bools" or _is_counted(kind)


OF_ARRAYS = {"size": INT, "ndim": INT, "dtype": INERT}
ALWAYS_BOOL = ("is_", "is_not", "not_", "contains", "not_contains", "truth")
LOGICAL = ("and_", "or_", "xor", "invert")
SHIFTS = ("lshift", "rshift")
INTS = ("ints", "counts")
REAL_LETTERS = frozenset("?bhilqBHILQefdg")
"""Of the types of a ufunc."""
BY_NAME = {("i" + name.rstrip("_")): name for name in BINARY}
"""What ``iadd`` does where it changes nothing in place."""
IDENTITY = ("is_", "is_not")
HOOKED = {*COMPARE, *ALWAYS_BOOL} - {*IDENTITY}
"""Operations that call methods of the user's, if the operands have them."""
ANSWERS = {
    id(isinstance): ("plain", BOOL), id(issubclass): ("plain", BOOL), id(callable): ("plain", BOOL),
    id(len): ("dispatch", INT), id(bool): ("dispatch", BOOL), id(hasattr): ("dispatch", BOOL),
}  # fmt: skip
"""Builtins whose result carries no derivative; those dispatched call methods of the user's."""
EXACT = (FLOAT, INT, BOOL)
"""Kinds of values of one type."""
Activity = Callable[[Operand | Star], bool]


def has_own_check(cls: Any) -> bool:
    """Does ``isinstance`` of it ask methods of the program's, as of a metaclass? What they do is
    for the run time to see.
    """
    meta = type(cls)
    if meta is type:
        return False
    if not issubclass(meta, type) or meta.__instancecheck__ not in _CHECKS:
        return True
    return meta.__subclasscheck__ not in _CHECKS or any(map(_has_hook, _family(cls)))


_CHECKS: list[Any] = [
    type.__instancecheck__, type.__subclasscheck__, ABCMeta.__instancecheck__,
    ABCMeta.__subclasscheck__,
]  # fmt: skip


def _family(cls: type) -> Iterator[type]:
    yield cls
    made: list[type] = type.__subclasses__(cls)
    for each in made:
        yield from _family(each)


def _has_hook(cls: type) -> bool:
    home = str(cls.__module__).partition(".")[0]
    return "__subclasshook__" in vars(cls) and home not in sys.stdlib_module_names - {"__main__"}


def asks_the_user(name: str, kinds: Sequence[Kind]) -> tuple[str, Kind] | None:
    """Treatment and kind of a comparison or the like of what may be an object of the user's."""
    if name not in HOOKED or UNKNOWN not in kinds:
        return None
    return "dispatch", BOOL if name in ALWAYS_BOOL else UNKNOWN


def asks_identity(
    name: str, args: Sequence[Operand | Star], kinds: Sequence[Kind], known: Mapping[str, object]
) -> bool:
    """Is it a test of whether two arrays, containers or objects are one? At run time one of them
    may be a copy that stands in for the other.
    """
    if name not in IDENTITY or any(type(arg) is not str or arg in known for arg in args):
        return False
    return all(
        kind == UNKNOWN
        or k.has_axes(kind)
        or k.holds_memory(kind)
        or isinstance(kind, (k.Listing, Container))
        for kind in kinds
    )


def known_answer(
    fn: Any, node: Call, kinds: Sequence[Kind], *, active: bool
) -> tuple[str, Kind] | None:
    """The same of a builtin that answers a question about its operand, or a function of numbers."""
    if node.keywords:
        return None
    found = ANSWERS.get(id(fn))
    if fn is type and len(kinds) == 1 and (kinds[0] in EXACT or k.is_array(kinds[0])):
        return "plain", INERT
    if found is None or not kinds:
        return number_call(fn, kinds, active=active)
    if fn is len and kinds == [INERT]:
        return "plain", INT  # of a text, say
    return found if found[0] == "plain" or kinds[0] == UNKNOWN else None


def operator_kind(
    name: str, args: Sequence[Operand | Star], kinds: Sequence[Kind]
) -> tuple[Kind | None, bool]:
    """Kind of a prim's result (None: not known); whether its derivative is written in place."""
    if name in ALWAYS_BOOL:
        return BOOL, False
    if name in COMPARE:
        return comparison_kind(kinds), False
    if name in IN_PLACE and k.has_axes(kinds[0]) and not k.is_array(kinds[0]):
        return None, False  # somebody else may have the mask: ``k = m; m &= x > 1.0``
    plain = BY_NAME[name] if name in IN_PLACE and not k.is_array(kinds[0]) else name
    if plain in BINARY or plain in UNARY:
        if plain in BY_VALUE:
            return _power_kind(plain, args, kinds)
        if plain in SHIFTS and not all(map(_is_whole, kinds)):
            return None, False  # of floats there is none
        if plain in LOGICAL:
            return mask_kind(kinds), False
        kind = k.arithmetic(plain, kinds)
        return (kind, plain != "floordiv") if kind != UNKNOWN else (None, False)
    if name == "getitem":
        return _item_kind(args, kinds), k.is_array(kinds[0])
    if name in ("slice", "tuple"):
        return _index_kind(name, args, kinds), False
    if name == "getattr" and k.is_any_array(kinds[0]) and isinstance(args[1], Const):
        return _attribute_kind(str(args[1].value), kinds[0]), False
    if name == "unpack" and kinds[0].tag == "shape":
        return Kind("shape"), False
    return None, False


def _is_whole(kind: Kind) -> bool:
    return kind in (INT, BOOL) or not (k.is_real(kind) or k.is_array(kind))


def _attribute_kind(name: str, kind: Kind) -> Kind | None:
    return Kind("shape", kind.rank) if name == "shape" else OF_ARRAYS.get(name)


def _power_kind(
    name: str, args: Sequence[Operand | Star], kinds: Sequence[Kind]
) -> tuple[Kind | None, bool]:
    """A power with a whole literal exponent keeps its base's kind.

    Of numbers, one with a broken exponent may turn complex, which is no kind of ours.
    """
    exponent = args[1].value if isinstance(args[1], Const) else None
    keeps = k.is_real(kinds[0]) or k.is_array(kinds[0]) or _is_counted(kinds[0])
    if type(exponent) is int and exponent >= 0 and keeps:
        return kinds[0], True
    if k.COUNT in kinds and any(map(k.is_floating, kinds)):
        return FLOATING, True  # one of the two is NumPy's, whose powers stay real
    if any(k.has_axes(kind) for kind in kinds):
        kind = k.arithmetic(name, kinds)
        return (kind, True) if kind != UNKNOWN else (None, False)
    if k.is_real(kinds[0]) and kinds[1] == INT:
        return (FLOAT if kinds[0] == FLOAT else REAL), True
    return None, False


def _is_counted(kind: Kind) -> bool:
    """Whole numbers of NumPy that carry no derivative."""
    return kind == k.COUNT or kind.tag == "counts"


def _item_kind(args: Sequence[Operand | Star], kinds: Sequence[Kind]) -> Kind | None:
    if kinds[0].tag == "shape" and kinds[1] == INT:
        return INT
    by = args[1].value if isinstance(args[1], Const) else OPEN
    index = k.index(0, 1) if by is None else k.index(0, 0) if by is ... else kinds[1]
    return k.subscripted(kinds[0], index) if k.has_axes(kinds[0]) else None


def shape_kind(
    name: str, node: Call, kinds: Sequence[Kind], made: Mapping[str, Call]
) -> Kind | None:
    """Kind of ``(2,) + x.shape`` and of ``x.shape[1:]``; ``made`` are the displays and slices that
    alone bind a name.

    >>> pair = Call("p", Prim("tuple"), (Const(2), Const(3)), (), 1)
    >>> node = Call("y", Prim("add"), ("p", "s"), (), 1)
    >>> shape_kind("add", node, [k.index(2, 0), Kind("shape", 1)], {"p": pair}).text
    'shape3'
    """
    if not kinds or kinds[0].tag not in ("shape", "index"):
        return None
    if name == "getitem" and kinds[0].tag == "shape" and kinds[0].rank:
        part = made.get(str(node.args[1]))
        bounds = part.args if part is not None and part.fn == Prim("slice") else [OPEN]
        literals: list[Any] = [each.value for each in bounds if isinstance(each, Const)]
        if len(literals) == len(bounds):
            return Kind("shape", len(range(kinds[0].rank)[slice(*literals)]) or None)
        return None
    if name not in ("add", "iadd"):
        return None
    lengths = [_length(arg, kind, made) for arg, kind in zip(node.args, kinds, strict=True)]
    known = [length for length in lengths if length]
    return Kind("shape", sum(known)) if len(known) == len(lengths) else None


def _length(operand: Operand | Star, kind: Kind, made: Mapping[str, Call]) -> int | None:
    """Of a shape, or of a tuple of ints."""
    if kind.tag == "shape":
        return kind.rank
    display = made.get(operand) if isinstance(operand, str) else None
    if display is None or display.fn != Prim("tuple"):
        return None
    return len(display.args) if kind == k.index(len(display.args), 0) else None


def _may_be_float(kind: Kind) -> bool:
    """An end that may carry a derivative: ``np.mgrid[a:b:5j]``."""
    return kind.tag in ("float", "real", "floating", "complex", "unknown")


def _index_kind(name: str, args: Sequence[Operand | Star], kinds: Sequence[Kind]) -> Kind | None:
    """Of a slice with int bounds, or of a tuple of ints, slices and None."""
    none = [isinstance(arg, Const) and arg.value is None for arg in args]
    rest = [isinstance(arg, Const) and arg.value is ... for arg in args]
    given = [
        INT if kind == k.COUNT else kind
        for kind, *left_out in zip(kinds, none, rest, strict=True)
        if not any(left_out)
    ]
    if name == "slice":
        whole = all(kind == INT for kind in given)
        return k.index(1, 1) if whole else None if any(map(_may_be_float, given)) else INERT
    masks = [kind.rank for kind in given if kind.tag == "bools" and kind.rank]
    known = sum(kind in (INT, k.index(1, 1)) or kind.tag in INTS for kind in given)
    if not args or known + len(masks) < len(given):
        return None
    left = sum(none) + given.count(k.index(1, 1))
    ranks = [kind.rank or 0 for kind in given if kind.tag in INTS] + [1] * len(masks)
    if ranks:  # a mask stands for as many arrays of places as it has axes
        return k.fancy(len(given) - len(masks) + sum(masks), left + max(ranks))
    return k.index(len(given), left, rest=any(rest))


def rule_kind(
    fn: Any, node: Call, kinds: Sequence[Kind], is_active: Activity
) -> tuple[Kind | None, bool]:
    """The same for a call of a known function."""
    rule = lookup(fn)
    if is_exception(fn) and not node.keywords and not any(map(is_active, node.args)):
        return INERT, False
    if node.keywords:
        return None, False
    numbers = all(k.is_real(kind) or kind == k.COUNT for kind in kinds)
    if fn in (float, np.float64) and len(kinds) == 1 and numbers:
        return (FLOAT if fn is float else FLOATING), _is_inlined(fn, node, kinds, is_active)
    if fn is abs and len(kinds) == 1 and (numbers or _is_counted(kinds[0]) or k.is_array(kinds[0])):
        return kinds[0], _is_inlined(fn, node, kinds, is_active)
    if rule is None or rule.form != "scalar":
        return None, False
    if not kinds or not all(map(_is_number_or_array, kinds)):
        return None, False
    if isinstance(fn, np.ufunc) and (len(kinds) != fn.nin or not _stays_real(fn)):
        return None, False  # one more is where the result is to be written
    return _scalar_kind(fn, kinds), _is_inlined(fn, node, kinds, is_active)


def _is_number_or_array(kind: Kind) -> bool:
    return k.is_real(kind) or k.has_axes(kind) or kind == k.COUNT


def _stays_real(fn: np.ufunc) -> bool:
    """Is the result for real operands real?"""
    loops = (types.split("->") for types in fn.types)
    return any(REAL_LETTERS.issuperset(a) and REAL_LETTERS.issuperset(y) for a, y in loops)


def _scalar_kind(fn: Any, kinds: Sequence[Kind]) -> Kind | None:
    if getattr(math, getattr(fn, "__name__", ""), None) is fn:
        return FLOAT if not any(map(k.has_axes, kinds)) else None
    if not isinstance(fn, np.ufunc):
        return _product_kind(kinds) if _is_product(fn) else None
    if any(map(_is_counted, kinds)):
        return _kind_beside_counts(fn, tuple(kinds))
    if any(k.has_axes(kind) for kind in kinds):
        kind = k.arithmetic("add", kinds)
        return kind if k.is_array(kind) else None
    return FLOATING if any(map(k.is_floating, kinds)) else REAL


@functools.cache
def _kind_beside_counts(fn: np.ufunc, kinds: tuple[Kind, ...]) -> Kind | None:
    """Of a function of arrays, of which some hold whole numbers: by the dtype that NumPy finds.

    >>> _kind_beside_counts(np.sqrt, (k.counts(2),)).text
    'ndarray2'
    >>> _kind_beside_counts(np.maximum, (k.counts(1), INT)).text
    'counts1'
    """
    if fn.nout != 1 or not {kind.tag for kind in kinds} <= _DTYPES.keys():
        return None
    ranks = [kind.rank for kind in kinds if k.has_axes(kind)]
    if not all(ranks):
        return None
    try:
        found = fn.resolve_dtypes((*(_DTYPES[kind.tag] for kind in kinds), None))[-1]
    except TypeError:
        return None  # NumPy raises it as the program runs
    rank = max([rank or 0 for rank in ranks], default=0)
    if found == np.float64:
        return k.array(rank) if rank else FLOATING
    if found == np.int64:
        return k.counts(rank) if rank else k.COUNT
    return None


_DTYPES: Mapping[str, Any] = {
    "ndarray": np.dtype(np.float64), "counts": np.dtype(np.int64), "bools": np.dtype(np.bool_),
    "floating": np.dtype(np.float64), "float": float, "int": int, "count": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
}  # fmt: skip
"""What NumPy finds the dtype of a result by: of Python's numbers their types alone."""


def _is_product(fn: Any) -> bool:
    """Does its row claim the kind of a product of its operands?"""
    rule = lookup(fn)
    return fn is safe_quotient or (rule is not None and rule.gives.startswith("combined("))


def _product_kind(kinds: Sequence[Kind]) -> Kind | None:
    if all(map(k.is_real, kinds)):  # a quotient of floats by 0 is one of NumPy's
        is_float = len(kinds) == 2 and all(kind == FLOAT for kind in kinds)
        return FLOAT if is_float else FLOATING if k.is_floating(kinds[0]) else None
    kind = k.arithmetic("mul", kinds)
    return kind if k.is_array(kind) else None


def _is_inlined(fn: Any, node: Call, kinds: Sequence[Kind], is_active: Activity) -> bool:
    """Has every active operand a formula that may be written out?"""
    return all(
        formula(fn, place, kinds) is not None
        for place, arg in enumerate(node.args)
        if is_active(arg)
    )


def formula(fn: Any, place: int, kinds: Sequence[Kind]) -> str | None:
    """Text of the partial derivative with respect to the operand at ``place``."""
    return text_of(lookup(fn), place, kinds)


def text_of(rule: Rule | None, place: int, kinds: Sequence[Kind]) -> str | None:
    """The same by a row."""
    if rule is None or rule.form != "scalar" or place >= len(rule.parameters):
        return None  # no program is known: who asks has found such a rule
    if isinstance(rule.fn, np.ufunc) and all(kind == INT for kind in kinds):
        return None  # formulas of ints are computed with floats: the run time converts them
    exact = all(kind in (INT, FLOAT, BOOL) for kind in kinds)
    return rule.inline(rule.parameters[place], "float" if exact else "array", len(kinds))


def row_of(fn: Any, args: Sequence[Operand | Star], *, of_arrays: bool = True) -> Rule | None:
    """The row of a function as it is applied: with a literal exponent a power has one of its own.

    >>> row_of(operator.pow, ("x", Const(3))).back
    {'x1': '3 * x1**2'}
    """
    rule = lookup(fn)
    if rule is None or rule.at_literal is None or not isinstance(args[-1], Const):
        return rule
    return rule.at_literal(args[-1].value, of_arrays) or rule


_AS_SHIPPED = dict(vars(operator))
"""What programs put into the module in their place is not what an operator does."""


def operator_function(name: str) -> Callable[..., Any]:
    """``operator.mul`` for 'mul' and for 'imul'."""
    return _AS_SHIPPED[BY_NAME.get(name, name)]  # type: ignore[no-any-return]


def is_exception(fn: Any) -> bool:
    """Does the call make an exception of Python's own?"""
    return isinstance(fn, type) and issubclass(fn, Exception) and fn.__module__ == "builtins"
