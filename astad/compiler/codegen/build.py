"""From generated functions to text, from text to functions that run.

The forward sweep is compiled under the user's file name and lines, so that tracebacks, coverage,
warnings and pdb show the user's program; the reverse sweep under a file of its own, which
``linecache`` knows. In code under the user's file the last line of an instruction is the first
plus the number of its `Spot` (0: as the one before): what the user's line alone does not tell, a
traceback finds there. No columns are given, since none would fit the user's text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from astad.compiler.codegen.printer import SAME, print_placed
from astad.compiler.codegen.trees import PLACES, STATEMENTS, children
from astad.compiler.ir.nodes import immutable

__all__ = ["GENERATED", "USER", "Made", "Piece", "Spot", "Text", "home_of", "to_code", "to_text"]

USER = "<user>"
"""Stand-in for the user's file in stored code; its lines count from the function's first."""

GENERATED = "<generated>"


def home_of(owner: str) -> str:
    """The stand-in for the file of a function, by its path; empty for the one the text is for."""
    return f"{USER} {owner}" if owner else USER


class Spot(NamedTuple):
    """Where generated text comes from.

    ``line`` is the one of the generated text, ``user`` the user's, counted from the function's
    first (0: none), ``callees`` the functions written out there, as in `ir/lines.py`; ``owner`` is
    the path of the user's function, empty for the one the text is for.
    """

    line: int
    user: int
    is_reverse: bool
    callees: tuple[tuple[str, int], ...]
    owner: str = ""


class Made(NamedTuple):
    """A generated function, the user's function it comes from, and the stand-in for its file."""

    tree: ast.FunctionDef
    owner: str
    first_line: int
    home: str


class Piece(NamedTuple):
    """One function of a text: its tree, each node with the number of its spot, its own text, how
    many lines stand before it, and how the names of the tree are written in the text.
    """

    tree: ast.FunctionDef
    source: str
    offset: int
    names: Mapping[str, str]


@immutable
class Text:
    """Generated source; ``lines`` pairs each of its lines with the user's, counted from the
    function's first (0: none).

    ``homes`` are the stand-ins for the files of the functions ``names``. ``spots`` says more than
    ``lines``, of operations too; ``pieces`` are the functions, where the text has just been made.
    """

    source: str
    lines: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    homes: tuple[str, ...]
    spots: tuple[Spot, ...] = ()
    pieces: tuple[Piece, ...] = ()


def to_text(functions: Sequence[Made], names: Sequence[Mapping[str, str]]) -> Text:
    """Print the functions, each with its ``names`` as they are to be written; each statement and
    each operation of them learns its spot.
    """
    parts: list[str] = []
    pairs: list[tuple[int, int]] = []
    pieces: list[Piece] = []
    spots: dict[Spot, int] = {}
    offset = 0
    for made, written in zip(functions, names, strict=True):
        printed, places = print_placed(made.tree, written)
        for node, place in places:
            line = node.__dict__.get("lineno", 0)
            spot = _spot(place + offset, line, made)
            if line:
                node.spot = spots.setdefault(spot, len(spots) + 1)  # type: ignore[union-attr]
            if isinstance(node, ast.stmt):
                pairs.append((spot.line, spot.user))
        parts.append(printed)
        pieces.append(Piece(made.tree, printed, offset, written))
        offset += printed.count("\n") + 1
    called = tuple(made.tree.name for made in functions)
    homes = tuple(made.home for made in functions)
    return Text("\n".join(parts), tuple(pairs), called, homes, tuple(spots), tuple(pieces))


def _spot(place: int, line: int, made: Made) -> Spot:
    user = line - made.first_line + 1 if line else 0
    is_reverse, callees = getattr(line, "is_reverse", False), getattr(line, "callees", ())
    return Spot(place, user, is_reverse, callees, made.owner)


def to_code(text: Text) -> CodeType:
    """One code object that defines all; forward sweeps run under the user's files and lines."""
    module = compile(ast.Module([], []), GENERATED, "exec")
    consts: list[CodeType] = []
    for piece, file in zip(text.pieces or _read(text), text.homes, strict=True):
        source: ast.Module | str = "\n" * piece.offset + piece.source
        if file != GENERATED:
            _move_lines(piece, text.spots)
            source = ast.Module([piece.tree], [])
        code = compile(source, file, "exec", dont_inherit=True, optimize=0)
        consts += [const for const in code.co_consts if isinstance(const, CodeType)]
    return module.replace(co_consts=(*consts, None))


def _read(text: Text) -> Iterator[Piece]:
    """The functions of a text that was stored, where only statements know their spots."""
    by_line: dict[int, int] = {}
    for number, spot in enumerate(text.spots, start=1):
        by_line.setdefault(spot.line, number)
    lines = text.source.split("\n")
    for made in ast.parse(text.source).body:
        assert isinstance(made, ast.FunctionDef)
        for node in ast.walk(made):
            if isinstance(node, ast.stmt) and node.lineno in by_line:
                node.spot = by_line[node.lineno]  # type: ignore[attr-defined]
        first = made.lineno - 1
        yield Piece(made, "\n".join(lines[first : made.end_lineno]), first, SAME)


def _move_lines(piece: Piece, spots: Sequence[Spot]) -> None:
    """Give every node the user's line; what has none takes that of the node around it, or of the
    statement before. Names become what is written for them.
    """
    tree, names = piece.tree, piece.names
    places = [_place(1, 0)]
    places += [_place(max(spot.user, 1), number) for number, spot in enumerate(spots, start=1)]
    last = places[0]
    left: list[tuple[Any, dict[str, int]]] = [(tree, last)]  # any node: all have a line
    while left:
        node, place = left.pop()
        held, kind = node.__dict__, type(node)
        number = held.get("spot", 0)
        if number:
            place = places[number]
        if kind in STATEMENTS and node is not tree:
            place = last = place if number else last
        held.update(place)
        if kind is ast.Attribute:
            # one over several lines would be taken for one of a chain, and its last line be shown
            held["end_lineno"] = held["lineno"]
        elif kind in PLACES:
            held[PLACES[kind]] = names[held[PLACES[kind]]]
        for child in children(node)[::-1]:
            if type(child) is ast.Name:  # nearly half of all: they have no spot of their own
                held = child.__dict__
                held.update(place)
                # a node may stand in two places, and is renamed once
                held["id"] = held.get("written") or held.setdefault("written", names[held["id"]])
            else:
                left.append((child, place))


def _place(line: int, number: int) -> dict[str, int]:
    """The attributes of a node of this spot, at this line of the user's."""
    end = line + number
    return {"lineno": line, "end_lineno": end, "col_offset": -1, "end_col_offset": -1}
