"""Kinds: what a value is known to be, inferred over the Wengert list, never bet.

A kind is proved by a guard at the head of a variant, by a literal, or by the closure rules
below. What is not proved is `UNKNOWN`, and an operation on it goes through the dispatcher.

>>> join(FLOAT, INT).text, join(FLOAT, array(2)).text, arithmetic("mul", [FLOAT, array(2)]).text
('real', 'unknown', 'ndarray2')
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from astad.compiler.ir.prims import BY_VALUE, PLAIN
from astad.slotted import dataclass

__all__ = [
    "BOOL", "COMPLEX", "COUNT", "DISPLAYED", "FLOAT", "FLOATING", "HOLDING", "INERT", "INT",
    "ITEMS", "LISTED", "NOTHING", "PARTS", "RANGE", "REAL", "UNKNOWN", "WITH_AXES", "Kind",
    "Listing", "Row", "arithmetic", "array", "bools", "complex_list", "complexes", "counts",
    "fancy", "floats", "function_at", "has_axes", "has_entries", "has_rows", "holds_memory",
    "index", "ints", "is_any_array", "is_array", "is_complex", "is_fancy", "is_floating",
    "is_listing", "is_literal", "is_real", "join", "literal", "makes_copy",
    "parse_kind", "path_of_function", "subscripted", "value_of",
]  # fmt: skip


_KINDS: dict[tuple[str, int | None], Kind] = {}


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Kind:
    """``tag`` is 'int', 'float', 'floating' (float or np.float64), 'real' (any of int, float,
    np.float64), 'ndarray' (exactly ndarray of float64), 'floats' (a list display of numbers from
    which np.array makes such an array), 'bool', 'range', 'shape' (of an array: a tuple of ints),
    'index', 'ints' (exactly ndarray of int64, an index), 'counts' (the same that carries no
    derivative in arithmetic either), 'count' (an np.int64 out of these), 'bools' (exactly ndarray
    of bool), 'fancy' (an index with ints in it), 'inert' (carries no derivative), 'complexes'
    (exactly ndarray of complex128, of known rank), 'complex' (complex or np.complex128),
    'complex list' (a list display from which np.array makes an array of these), 'items' (a
    display that only a call reads which joins its items), 'parts' (the tuple of results of a known
    function) or 'unknown';
    ``rank`` belongs to arrays, their shapes and 'floats', None when not known; of an index it is 16
    times the axes it takes, plus those it leaves.
    'nothing' is below all: the result of a function of which no return is known yet.

    There is one object for each: the compiler compares them all the time.
    """

    tag: str
    rank: int | None = None

    def __new__(cls, tag: str, rank: int | None = None) -> Kind:
        found = _KINDS.get((tag, rank))
        if found is None:
            found = object.__new__(cls)
            object.__setattr__(found, "tag", tag)
            object.__setattr__(found, "rank", rank)
            found = _KINDS.setdefault((tag, rank), found)
        return found

    @property
    def text(self) -> str:
        return self.tag if self.rank is None else f"{self.tag}{self.rank}"


_NOTHING = Kind("nothing")
_LISTINGS: dict[tuple[str, Kind], Listing] = {}


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Listing(Kind):
    """A list, or with the tag 'tupled' a tuple, of any length, all of whose items are numbers of
    the kind ``item``, or rows: listings themselves; 'nothing' where no item is known yet.

    >>> Listing("listed", item=FLOAT).text, Listing("tupled", item=INT).text
    ('[float, ...]', '(int, ...)')
    """

    item: Kind = _NOTHING

    def __new__(cls, tag: str, rank: None = None, item: Kind = _NOTHING) -> Listing:
        found = _LISTINGS.get((tag, item))
        if found is None:
            found = object.__new__(cls)
            for name, value in (("tag", tag), ("rank", None), ("item", item)):
                object.__setattr__(found, name, value)
            found = _LISTINGS.setdefault((tag, item), found)
        return found

    @property
    def text(self) -> str:
        return f"[{self.item.text}, ...]" if self.tag == "listed" else f"({self.item.text}, ...)"


_ROWS: dict[tuple[Kind, ...], Row] = {}


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Row(Listing):
    """A tuple of as many numbers as there are ``parts``, each of its own kind.

    >>> Row((INT, FLOAT)).text, join(Row((INT, FLOAT)), Row((INT, INT))).text
    ('(int, float)', '(real, ...)')
    """

    parts: tuple[Kind, ...] = ()

    def __new__(cls, parts: tuple[Kind, ...]) -> Row:
        found = _ROWS.get(parts)
        if found is None:
            found = object.__new__(cls)
            item = functools.reduce(join, parts) if parts else _NOTHING
            fields = {"tag": "tupled", "rank": None, "item": item, "parts": parts}
            for name, value in fields.items():
                object.__setattr__(found, name, value)
            found = _ROWS.setdefault(parts, found)
        return found

    @property
    def text(self) -> str:
        return f"({', '.join(part.text for part in self.parts)})"


INT, FLOAT, REAL, BOOL = Kind("int"), Kind("float"), Kind("real"), Kind("bool")
FLOATING, NOTHING, COMPLEX = Kind("floating"), _NOTHING, Kind("complex")
INERT, RANGE, UNKNOWN = Kind("inert"), Kind("range"), Kind("unknown")
ITEMS, PARTS, COUNT = Kind("items"), Kind("parts"), Kind("count")
LISTED = ("floats", "complex list")
"""Tags of lists that are written out to make an array of them."""
DISPLAYED = ("items", *LISTED)
"""Tags of lists that are written out for one call alone, which takes them apart."""

WITH_AXES = ("ndarray", "ints", "counts", "bools")
HOLDING = ("ndarray", "complexes", "parts")
"""Tags of arrays, and of what holds memory which others may have a part of."""

_NAMED = {
    "int": INT,
    "float": FLOAT,
    "float64": REAL,
    "real": REAL,
    "bool": BOOL,
    "inert": INERT,
    "unknown": UNKNOWN,
    "None": Kind("None"),
    "True": Kind("True"),
    "False": Kind("False"),
}


def literal(value: str | bool | None) -> Kind:
    """Of a part of a container that is known to be this very value."""
    return Kind(repr(value))


def is_literal(kind: Kind) -> bool:
    return kind.tag in ("None", "True", "False") or kind.tag[0] in "'\""


def value_of(kind: Kind) -> str | bool | None:
    """What a literal's kind stands for.

    >>> value_of(literal("dense")), value_of(literal(True))
    ('dense', True)
    """
    found: str | bool | None = ast.literal_eval(kind.tag)
    return found


def function_at(path: str) -> Kind:
    """Of an argument that is known to be this very function.

    >>> path_of_function(function_at("math:sin")), path_of_function(FLOAT)
    ('math:sin', None)
    """
    return Kind(f"{FUNCTION}({path!r})")


def path_of_function(kind: Kind) -> str | None:
    """Where a function that is an argument is found; None for another kind."""
    tag = kind.tag
    return tag[len(FUNCTION) + 2 : -2] if tag.startswith(f"{FUNCTION}(") else None


FUNCTION = "function"


def array(rank: int | None = None) -> Kind:
    return Kind("ndarray", rank)


def parse_kind(text: str) -> Kind:
    """The kind a user names: ``float``, ``int``, ``float64``, ``ndarray``, ``ndarray2`` (of rank
    2), ``inert``; ``None``, ``True``, ``False`` stand for themselves, inside containers.

    >>> parse_kind("ndarray2")
    Kind(tag='ndarray', rank=2)
    """
    if text in _NAMED:
        return _NAMED[text]
    if text.startswith("ints") and text[4:].isdigit():
        return ints(int(text[4:]))
    if text.startswith("bools") and text[5:].isdigit():
        return bools(int(text[5:]))
    if text.startswith("ndarray") and (text[7:].isdigit() or text == "ndarray"):
        return array(int(text[7:]) if text[7:] else None)
    raise KeyError(text)


def ints(rank: int) -> Kind:
    """Exactly ndarray of int64, of this rank: an index."""
    return Kind("ints", rank)


def fancy(taken: int, left: int) -> Kind:
    """Of a subscript with arrays of ints in it: so many axes taken, so many left."""
    return Kind("fancy", 16 * taken + left)


def is_fancy(kind: Kind) -> bool:
    """Does a subscript of this kind make a copy, and may it name a place twice?"""
    return kind.tag in ("ints", "counts", "fancy")


def makes_copy(kind: Kind) -> bool:
    """Does a subscript of this kind make a copy, and no view?"""
    return is_fancy(kind) or kind.tag == "bools"


def counts(rank: int) -> Kind:
    """Like `ints`, of what no derivative goes to: made here, or not differentiated."""
    return Kind("counts", rank)


def bools(rank: int) -> Kind:
    """Exactly ndarray of bool: a mask."""
    return Kind("bools", rank)


def has_axes(kind: Kind) -> bool:
    """An array of floats, ints or bools, of rank 1 at least where the rank is known."""
    return kind.tag in WITH_AXES


def complexes(rank: int) -> Kind:
    """Exactly ndarray of complex128, of this rank, at least 1."""
    return Kind("complexes", rank)


def is_complex(kind: Kind) -> bool:
    return kind.tag in ("complexes", "complex")


def has_entries(kind: Kind) -> bool:
    """Is it an array of floats or of complex numbers?"""
    return kind.tag in ("ndarray", "complexes")


def holds_memory(kind: Kind) -> bool:
    """Is it an array, of floats or of complex numbers, which others may write or have a view of, or
    a tuple of such?
    """
    return kind.tag in HOLDING


def floats(rank: int) -> Kind:
    """Of a list display: of numbers (rank 1), or of equally long displays of these (rank 2)."""
    return Kind("floats", rank)


def complex_list(rank: int) -> Kind:
    """The same with complex numbers among them."""
    return Kind("complex list", rank)


def index(taken: int, left: int, *, rest: bool = False) -> Kind:
    """Of a subscript made of ints, slices and None: so many axes taken, so many left. ``rest``: it
    has an Ellipsis, so that nothing left is an array of rank 0, a view, and not a number.
    """
    return Kind("index", 16 * taken + left + (_REST if rest and not left else 0))


_REST = 1024


def subscripted(kind: Kind, by: Kind) -> Kind | None:
    """Kind of an array's element or view; None where the rank is not known.

    >>> subscripted(array(2), index(2, 1)).text, subscripted(array(1), INT).text
    ('ndarray1', 'floating')
    """
    if kind.rank is None or by not in (INT, BOOL, COUNT) and by.tag not in SUBSCRIPTS:
        return None
    taken, left = (1, 0) if by.rank is None else (1, by.rank)
    rest = False
    if by.tag in ("index", "fancy") and by.rank is not None:
        rest = by.rank >= _REST
        taken, left = divmod(by.rank % _REST, 16)
    elif by.tag == "bools":
        taken, left = left, 1
    if by == BOOL or taken > kind.rank:
        return None
    rank = kind.rank - taken + left
    if rest and not rank:
        return None
    if kind.tag in ("ints", "counts", "bools"):
        return Kind(kind.tag, rank) if rank else COUNT if kind.tag == "counts" else None
    if kind.tag == "complexes":
        return complexes(rank) if rank else COMPLEX
    return array(rank) if rank else FLOATING


SUBSCRIPTS = ("index", "fancy", "ints", "counts", "bools")


def is_real(kind: Kind) -> bool:
    return kind.tag in ("int", "float", "floating", "real")


def is_floating(kind: Kind) -> bool:
    return kind.tag in ("float", "floating")


def is_array(kind: Kind) -> bool:
    return kind.tag == "ndarray"


def is_any_array(kind: Kind) -> bool:
    """Of numbers, real or complex, of whole numbers or truths."""
    return kind.tag in WITH_AXES or kind.tag in HOLDING


def is_listing(kind: Kind) -> bool:
    return isinstance(kind, Listing)


def has_rows(kind: Kind) -> bool:
    """Is it a list or tuple of lists or tuples?"""
    return isinstance(kind, Listing) and isinstance(kind.item, Listing)


def join(a: Kind, b: Kind) -> Kind:
    """The least kind above both."""
    if a == b or b == NOTHING:
        return a
    if a == NOTHING:
        return b
    if is_real(a) and is_real(b):
        return FLOATING if is_floating(a) and is_floating(b) else REAL
    if is_array(a) and is_array(b) and 0 not in (a.rank, b.rank):  # of rank 0, arithmetic makes
        return array(None)  # a number
    if a.tag == b.tag == "shape":
        return Kind("shape")
    if isinstance(a, Listing) and isinstance(b, Listing) and a.tag == b.tag:
        item = join(a.item, b.item)
        return Listing(a.tag, item=item) if item != UNKNOWN else UNKNOWN
    carries_none = {"bool", "range", "inert", "index", "shape", "count"}
    return INERT if a.tag in carries_none and b.tag in carries_none else UNKNOWN


def arithmetic(op: str, kinds: Sequence[Kind]) -> Kind:
    """Kind of an arithmetic operation's result; 'bool' counts as int where Python's arithmetic
    says so.
    """
    return _arithmetic(op, tuple(kinds))


@functools.lru_cache(maxsize=4096)
def _arithmetic(op: str, kinds: tuple[Kind, ...]) -> Kind:
    if any(has_axes(kind) for kind in kinds):
        return _array_arithmetic(op, kinds)
    plain = [INT if kind == BOOL else kind for kind in kinds]
    if COUNT in plain:
        return _count_arithmetic(op, plain)
    if not all(is_real(kind) for kind in plain):
        return UNKNOWN
    if FLOATING in plain:
        return FLOATING
    if REAL in plain:
        return FLOATING if FLOAT in plain or op == "truediv" else REAL
    if op == "truediv" or FLOAT in plain:
        return FLOAT
    return INT if op in _WHOLE else UNKNOWN


def _count_arithmetic(op: str, kinds: Sequence[Kind]) -> Kind:
    """With an np.int64: beside whole numbers another one, but for what divides."""
    if not all(kind == COUNT or is_real(kind) for kind in kinds) or REAL in kinds:
        return UNKNOWN
    if any(map(is_floating, kinds)) or op == "truediv":
        return FLOATING if op in (*_WHOLE, "truediv") else UNKNOWN
    return COUNT if op in _WHOLE else UNKNOWN


_WHOLE = ("add", "sub", "mul", "neg", "pos", "floordiv", "mod")
"""Operations of whole numbers that give whole numbers."""


def _array_arithmetic(op: str, kinds: Sequence[Kind]) -> Kind:
    if op not in PLAIN and op not in BY_VALUE and op not in ("mod", "floordiv"):
        return UNKNOWN
    numbers = (BOOL, COUNT)
    if not all(_is_smooth(kind) or is_real(kind) or kind in numbers for kind in kinds):
        return UNKNOWN
    ranks = [kind.rank for kind in kinds if has_axes(kind)]
    if None in ranks:
        plain = all(is_array(kind) or is_real(kind) or kind == BOOL for kind in kinds)
        return array(None) if plain else UNKNOWN
    rank = max(rank for rank in ranks if rank is not None)
    if rank == 0:
        return UNKNOWN  # NumPy turns rank 0 into a scalar
    return _of_dtypes(op, kinds, rank)


def _is_smooth(kind: Kind) -> bool:
    """An array that arithmetic takes; `ints` may be asked for a derivative."""
    return kind.tag in ("ndarray", "counts", "bools")


def _of_dtypes(op: str, kinds: Sequence[Kind], rank: int) -> Kind:
    """Of floats among arrays of ints and bools, or of whole numbers alone."""
    if any(is_array(kind) or is_floating(kind) for kind in kinds):
        return array(rank)
    if REAL in kinds or op in BY_VALUE:
        return UNKNOWN
    if op == "truediv":
        return array(rank)
    is_whole = any(kind in (INT, COUNT) or kind.tag == "counts" for kind in kinds)
    if is_whole:
        return counts(rank)
    return bools(rank) if op in ("add", "mul") else UNKNOWN  # "or" and "and" of truths
