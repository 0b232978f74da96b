"""Lists written out only to make an array of them: ``np.array([a, b])``.

First operands that nothing else reads: shapes of arrays that are made, displays of arrays that
are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

import numpy as np

from astad.compiler.analysis.result_kinds import joins, makes_array
from astad.compiler.analysis.structure import study
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import INERT, Kind
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Program, Star
from astad.compiler.ir.outline import outline

__all__ = [
    "array_of_display",
    "display_kind",
    "displays_joined",
    "find_fixed_lists",
    "find_number_lists",
    "is_plain_array",
    "loops_around",
    "makes_array_of_list",
    "names_of_shapes",
]

DISPLAYS = ("list", "tuple")
KindOf = Callable[[Operand | Star], Kind]
LARGEST = 2**62


def find_number_lists(program: Program, known: Mapping[str, object]) -> dict[str, Call]:
    """Displays read once, by ``np.array``, ``np.asarray``, or a display that is."""
    text = outline(program)
    found: dict[str, Call] = {}
    made = {
        node.target: node
        for node in text.calls_of(*DISPLAYS)
        if isinstance(node.target, str) and _is_plain(node)
        if node.target in text.once and text.read[node.target] == 1
    }
    if not made:
        return found
    around = loops_around(program)
    for node in reversed(text.calls):
        if not _takes_display(node, known, found):
            continue
        for arg in node.args:
            display = made.get(arg) if isinstance(arg, str) else None
            if display is None or not isinstance(arg, str):
                continue
            if around(display) == around(node) or _is_literal(display, made):
                found[arg] = display
    return found


def loops_around(program: Program) -> Callable[[Node], tuple[int, ...]]:
    """Tells of a statement the loops whose rounds run it.

    What a list gets from a round that reads it has to be added up, so that one which is made before
    the loop is a list like any other:
    ``rows = [a, b]`` and ``for i in range(n): y += f(np.array(rows))``.
    """
    structure = study(program)
    return lambda node: structure.loops[structure.at(node)]


def _is_literal(display: Call, displays: Mapping[str, Call]) -> bool:
    """Is there nothing in a display but literals?"""
    return _literals(display, displays) is not None


def find_fixed_lists(program: Program, known: Mapping[str, object]) -> set[str]:
    """List displays that nobody can change: read once, by a function of NumPy or by a display that
    is. Another name, ``ys = xs``, or a container might be the way of a change.
    """
    text = outline(program)
    found: set[str] = set()
    if not text.calls_of("list"):
        return found
    for node in reversed(text.calls):
        is_display = isinstance(node.fn, Prim) and node.fn.name in DISPLAYS
        if node.target in found if is_display else _is_of_numpy(node, known):
            names = [arg for arg in node.args if isinstance(arg, str)]
            found.update(name for name in names if text.read[name] == 1 and name in text.once)
    return found


def _is_of_numpy(node: Call, known: Mapping[str, object]) -> bool:
    fn = known.get(node.fn) if isinstance(node.fn, str) else None
    return isinstance(fn, np.ufunc) or (getattr(fn, "__module__", None) or "").startswith("numpy")


def _is_plain(node: Call) -> bool:
    return bool(node.args) and not any(isinstance(arg, Star) for arg in node.args)


def _takes_display(node: Call, known: Mapping[str, object], found: Mapping[str, Call]) -> bool:
    is_array = isinstance(node.fn, str) and makes_array_of_list(known.get(node.fn))
    return (is_array and is_plain_array(node, known)) or node.target in found


def is_plain_array(node: Call, known: Mapping[str, object]) -> bool:
    """Is a call of np.array told nothing but the list, and perhaps that doubles, or complex numbers
    of such, are wanted?
    """
    if len(node.args) != 1:
        return False
    if all(_is_of_no_use(word, value) for word, value in node.keywords):
        return True
    return of_doubles(node, known) or of_complexes(node, known)


def _is_of_no_use(word: str | None, value: Operand) -> bool:
    """Is an option given by which np.array makes the same of a list?"""
    if not isinstance(value, Const):
        return False
    if word == "ndmin":
        return type(value.value) is int and value.value <= 1
    return value.value is None and word == "dtype" or word == "copy" and value.value in (None, True)


def of_doubles(node: Call, known: Mapping[str, object]) -> bool:
    """``np.array(xs, dtype=float)``"""
    return _wanted(node, known, (float, np.float64))


def of_complexes(node: Call, known: Mapping[str, object]) -> bool:
    """``np.array(xs, dtype=complex)``"""
    return _wanted(node, known, (complex, np.complex128))


def _wanted(node: Call, known: Mapping[str, object], dtypes: tuple[type, ...]) -> bool:
    words = [word for word, _ in node.keywords]
    wanted = [known.get(value) for _, value in node.keywords if isinstance(value, str)]
    return words == ["dtype"] and any(each is dtype for each in wanted for dtype in dtypes)


def makes_array_of_list(fn: object) -> bool:
    """Does a function make a new array of a list of numbers, as ``np.array(xs)`` does?"""
    return any(fn is each for each in (np.array, np.asarray, np.asanyarray))


def display_kind(node: Call, displays: Mapping[str, Call], kind_of: KindOf) -> Kind | None:
    """Kind of such a display: what np.array makes of it holds doubles for certain, or complex
    numbers, or it is made of literal whole numbers and truths; None if not.
    """
    if whole_display(node, displays) is not None:
        return INERT
    if all(arg in displays for arg in node.args):
        rows = [displays[str(arg)] for arg in node.args]
        items = [item for row in rows for item in row.args]
        if len({len(row.args) for row in rows}) != 1:
            return None
        return _made_of(items, kind_of, 2)
    if any(arg in displays for arg in node.args):
        return None
    return _made_of(node.args, kind_of, 1)


def _made_of(items: Sequence[Operand | Star], kind_of: KindOf, rank: int) -> Kind | None:
    """The kind of a display of these."""
    if _makes_doubles(items, kind_of):
        return k.floats(rank)
    known = [kind_of(item) for item in items]
    if k.COMPLEX not in known:
        return None
    rest = [item for item, kind in zip(items, known, strict=True) if kind != k.COMPLEX]
    fits = all(k.is_floating(kind_of(item)) or _is_small(item) for item in rest)
    return k.complex_list(rank) if fits else None


def whole_display(node: Call, displays: Mapping[str, Call]) -> Kind | None:
    """Kind of the array that np.array makes of literal whole numbers and truths, in rows of equal
    lengths to any depth.
    """
    shape, items = _literals(node, displays) or ((), [])
    if not items or not {type(item) for item in items} <= {int, bool}:
        return None
    return k.counts(len(shape)) if int in map(type, items) else k.bools(len(shape))


def _literals(
    node: Call, displays: Mapping[str, Call]
) -> tuple[tuple[int, ...], list[object]] | None:
    """Lengths of the rows of a display, and the literals in it; None if there is anything else."""
    if all(map(_is_small, node.args)):
        return (len(node.args),), [arg.value for arg in node.args if isinstance(arg, Const)]
    inner = [displays.get(arg) if isinstance(arg, str) else None for arg in node.args]
    rows = [None if each is None else _literals(each, displays) for each in inner]
    found = [row for row in rows if row is not None]
    if len(found) != len(rows) or len({shape for shape, _ in found}) != 1:
        return None
    return (len(rows), *found[0][0]), [item for _, items in found for item in items]


def _makes_doubles(items: Sequence[Operand | Star], kind_of: KindOf) -> bool:
    """Numbers of double precision, and literals beside at least one of them."""
    doubles = [k.is_floating(kind_of(item)) for item in items]
    return any(doubles) and all(
        is_double or _is_small(item) for item, is_double in zip(items, doubles, strict=True)
    )


def _is_small(item: Operand | Star) -> bool:
    if not isinstance(item, Const):
        return False
    value = item.value
    return type(value) in (float, bool) or (type(value) is int and abs(value) < LARGEST)


def array_of_display(
    node: Call, kind: Kind, displays: Mapping[str, Call], known: Mapping[str, object]
) -> Kind | None:
    """Kind of ``np.array(display)``, where the display is of this kind."""
    complex_ones = of_complexes(node, known)
    if kind == INERT and node.args[0] in displays:
        made = whole_display(displays[str(node.args[0])], displays)
        if made is not None and complex_ones:
            return k.complexes(made.rank or 0)
        return k.array(made.rank) if made is not None and of_doubles(node, known) else made
    if kind.tag == "complex list":
        return None if of_doubles(node, known) else k.complexes(kind.rank or 0)
    if kind.tag != "floats":
        return None
    return k.complexes(kind.rank or 0) if complex_ones else k.array(kind.rank)


# --- first operands


def names_of_shapes(program: Program, known: Mapping[str, object]) -> set[str]:
    """Names that are read once, as the shape of an array that is made."""
    return _first_operands(program, {name for name, fn in known.items() if makes_array(fn)})


def displays_joined(program: Program, known: Mapping[str, object]) -> set[str]:
    """Names that are read once, by a call that joins the arrays in them, in the rounds of the same
    loop.
    """
    found = _first_operands(program, {name for name, fn in known.items() if joins(fn)})
    if not found:
        return found
    text, around = outline(program), loops_around(program)
    made = {node.target: around(node) for node in text.calls if node.target in found}
    reading = [(node, name) for node in text.calls for name in node.read if name in made]
    return found - {name for node, name in reading if around(node) != made[name]}


def _first_operands(program: Program, functions: Set[str]) -> set[str]:
    """First operands of the calls of these, as far as nothing else reads them."""
    text = outline(program)
    calls = [node for node in text.calls if node.fn in functions] if functions else []
    first = [node.args[0] for node in calls if node.args]
    return {name for name in first if isinstance(name, str) and text.read[name] == 1}
