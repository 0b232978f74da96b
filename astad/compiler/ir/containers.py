"""Kinds of containers: what each part is, under literal keys in their order.

>>> from astad.compiler.ir.kinds import array
>>> layer = Container("dict", keys=("W", "b"), parts=(array(2), array(1)))
>>> layer.text, Container("tuple", keys=(0,), parts=(layer,)).text
("{'W': ndarray2, 'b': ndarray1}", "({'W': ndarray2, 'b': ndarray1},)")
>>> read_kind("[float, {'W': ndarray2, 3: None}]").parts[1].keys
('W', 3)
"""

from __future__ import annotations

import ast

from astad.compiler.ir.kinds import (
    FUNCTION,
    Kind,
    Listing,
    Row,
    function_at,
    literal,
    parse_kind,
)
from astad.slotted import dataclass
from astad.spelling import Key, is_key, spelled

__all__ = [
    "ALONE",
    "OF_TUPLES",
    "RECORDS",
    "Container",
    "holds_objects",
    "read_kind",
    "split_kinds",
    "word_of_key",
]

RECORDS = ("namedtuple", "object")
ALONE = "__subclasses__"
"""Among what is relied on of a class: that no other is derived from it."""
OF_TUPLES = ("__iter__", "__getitem__", "__len__", "__contains__")
"""What a named tuple has of tuples: a class that has its own is no record."""


@dataclass(frozen=True, slots=True)
class Container(Kind):
    """``tag`` is 'dict', 'list', 'tuple', 'namedtuple' or 'object', the exact type; ``keys`` are
    the dict's keys, the positions, or the names of the fields or attributes; ``cls`` of a record
    is ``module:Class``.
    """

    keys: tuple[Key, ...] = ()
    parts: tuple[Kind, ...] = ()
    cls: str = ""

    def __new__(cls, /, *parts: object, **named: object) -> Container:
        return object.__new__(cls)  # each its own, compared by its fields

    @property
    def text(self) -> str:
        parts = [part.text for part in self.parts]
        if self.tag == "dict":
            pairs = zip(self.keys, parts, strict=True)
            return "{" + ", ".join(f"{spelled(key)}: {part}" for key, part in pairs) + "}"
        if self.tag in RECORDS:
            named = [f"{key}={part}" for key, part in zip(self.keys, parts, strict=True)]
            return f"{self.tag}({', '.join([repr(self.cls), *named])})"
        if self.tag == "list":
            return f"[{', '.join(parts)}]"
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def holds_objects(kind: Kind) -> bool:
    """Is it, or holds it, an object with attributes?"""
    if not isinstance(kind, Container):
        return False
    return kind.tag == "object" or any(map(holds_objects, kind.parts))


def read_kind(text: str) -> Kind:
    """The kind with this ``text``: a word, or a display with words for values.

    Raises
    ------
    KeyError : for a text that is none.
    """
    if text[:1] not in "{[(" and "(" not in text:
        return parse_kind(text)
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        raise KeyError(text) from None
    return _kind(tree.body)


def split_kinds(text: str) -> tuple[str, ...]:
    """The kinds of a list with commas between them.

    >>> split_kinds("float, {'W': ndarray2, 'b': float},int")
    ('float', "{'W': ndarray2, 'b': float}", 'int')
    """
    try:
        tree = ast.parse(f"[{text}]", mode="eval").body
    except (SyntaxError, ValueError):
        return tuple(word.strip() for word in text.split(","))
    assert isinstance(tree, ast.List)
    return tuple(ast.unparse(part) for part in tree.elts)


def _kind(node: ast.expr) -> Kind:
    if isinstance(node, ast.Name):
        return parse_kind(node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bool, type(None))):
        return literal(node.value)
    if isinstance(node, ast.Dict):
        keys = tuple(_key(key) for key in node.keys)
        return Container("dict", keys=keys, parts=tuple(map(_kind, node.values)))
    if isinstance(node, (ast.List, ast.Tuple)) and _is_open(node):
        return Listing("listed" if isinstance(node, ast.List) else "tupled", item=_item(node))
    if isinstance(node, (ast.List, ast.Tuple)):
        tag = "list" if isinstance(node, ast.List) else "tuple"
        places = tuple(range(len(node.elts)))
        return Container(tag, keys=places, parts=tuple(map(_kind, node.elts)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RECORDS:
        names = tuple(str(word.arg) for word in node.keywords)
        parts = tuple(_kind(word.value) for word in node.keywords)
        return Container(node.func.id, keys=names, parts=parts, cls=str(_key(node.args[0])))
    if isinstance(node, ast.Call) and ast.unparse(node.func) == FUNCTION:
        return function_at(str(_key(node.args[0])))
    raise KeyError(ast.unparse(node))


def _item(node: ast.List | ast.Tuple) -> Kind:
    """What each item of an open list is: a number, or a row of them."""
    found = _kind(node.elts[0])
    return Row(found.parts) if isinstance(found, Container) and found.tag == "tuple" else found


def _is_open(node: ast.List | ast.Tuple) -> bool:
    """Is it written ``[float, ...]``, of any length?"""
    last = node.elts[-1] if len(node.elts) == 2 else None
    return isinstance(last, ast.Constant) and last.value is ...


def word_of_key(key: object) -> str:
    """What a part under this key is called behind the name of the container.

    >>> word_of_key("W"), word_of_key((0, 1)), word_of_key(-1), word_of_key("a b")
    ('W', '0_1', 'item', 'item')
    """
    parts = key if isinstance(key, tuple) else (key,)
    word = "_".join(part if isinstance(part, str) else spelled(part) for part in parts)
    return word if f"_{word}".isidentifier() and len(word) <= LONGEST else "item"


LONGEST = 40
"""Letters of a key that stands in a name."""


def _key(node: ast.expr | None) -> Key:
    """A literal key; -1 is no constant to the parser."""
    try:
        found: object = ast.literal_eval(node) if node is not None else ...
    except ValueError:
        found = ...
    if is_key(found):
        return found
    raise KeyError(ast.unparse(node) if node is not None else "**")
