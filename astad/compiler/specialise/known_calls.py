"""What a call gives whose operands are containers of known parts, or constants."""

from __future__ import annotations

import math
import operator
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Ref, Star
from astad.compiler.ir.prims import BINARY, COMPARE, IN_PLACE, UNARY
from astad.compiler.specialise.known_values import Roots, State, Tree
from astad.originals import builtins
from astad.rules.registry import lookup
from astad.spelling import is_key

__all__ = [
    "NOTHING", "READERS", "Entries", "constant_of", "entries_of", "is_operation", "known_result",
    "reads_alone",
]  # fmt: skip

MOST = 32
Result = Operand | Tree | None
"""An operand or a container that is the result; None where the call is made as it stands."""
SEQUENCES = ("list", "tuple", "namedtuple")
FOLDED = {"add", "sub", "mul", "floordiv", "mod", "neg", "not_", *COMPARE} - {"is_", "is_not"}


OPERATIONS = {*BINARY, *UNARY, *IN_PLACE, *COMPARE} - {"is_", "is_not"}


def is_operation(node: Call) -> bool:
    """Is it an operator whose result is known only if something is of its operands?"""
    return type(node.fn) is Prim and node.fn.name in OPERATIONS


def known_result(node: Call, state: State) -> Result:
    """The result, known before the program runs."""
    if id(node) in state.whole or node.target is None:
        return None
    operands = [arg for arg in node.args if not isinstance(arg, Star)]  # all: it is prepared
    parts = [state.part(operand) for operand in operands]
    known = [state.known(operand) for operand in operands]
    if isinstance(node.fn, Prim):
        return _of_prim(node, node.fn.name, parts, known, state)
    if isinstance(node.fn, Ref):  # written for stars
        own = getattr(builtins, node.fn.name) if node.fn.module == "builtins" else None
        rule = BUILTINS.get(id(own))
        return rule(node, parts, [None] * len(parts)) if rule and not node.keywords else None
    path = state.paths.get(str(node.fn))
    found = state.space.find(path) if path is not None else None
    if id(found) in ASKING and path is not None and not node.keywords:
        from astad.compiler.specialise.asked_objects import asked  # late: few programs ask

        answer = asked(found, node, parts, state)
        if answer is not None:
            state.assumed.add(path)
        return answer
    rule = BUILTINS.get(id(found))
    if rule is None or path is None:
        return None
    values = [item.value if isinstance(item, Const) else None for item in known]
    if node.keywords:
        result = _of_keywords(node, found, parts, values, state)
    else:
        result = rule(node, parts, values)
    if result is not None:
        state.assumed.add(path)
    return result


def _of_keywords(
    node: Call,
    found: object,
    parts: Sequence[Operand | Tree],
    values: Sequence[Any],
    state: State,
) -> Result:
    """``dict(a=x, b=y)``, ``enumerate(xs, start=1)``, ``zip(xs, ys, strict=True)``."""
    words = {word: value for word, value in node.keywords if word is not None}
    known = {word: state.known(value) for word, value in words.items()}
    if found is dict and len(parts) < 2 and len(words) == len(node.keywords):
        first = entries_of(parts[0]) if parts else []
        named = [(word, state.part(value)) for word, value in words.items()]
        return None if first is None else _dict_of([*first, *named], node)
    if found is sorted and len(parts) == 1 and words.keys() == {"reverse"}:
        option = known["reverse"]
        if not isinstance(option, Const) or type(option.value) is not bool:
            return None
        return _sorted(node, parts, values, reverse=option.value)
    option = known.get("start" if found is enumerate else "strict")
    if len(words) != 1 or not isinstance(option, Const):
        return None
    if found is enumerate and len(parts) == 1:
        return _enumerate(node, [parts[0], option], [values[0], option.value])
    if found is zip and type(option.value) is bool:
        lengths = {len(items) for items in _all_items(parts, values) or ()}
        return _zip(node, parts, values) if not option.value or len(lengths) == 1 else None
    return None


# --- operations of the language


def _of_prim(
    node: Call, name: str, parts: Sequence[Operand | Tree], known: Sequence[Any], state: State
) -> Result:
    if name in ("tuple", "list"):
        return _display(name, tuple(range(len(parts))), parts, node)
    if name == "dict":
        return _dict_display(node, parts, state)
    constants = [item.value for item in known if isinstance(item, Const)]
    if len(constants) == len(parts):
        return _of_constant_tuple(node, name, constants) or _folded(name, constants)
    first = parts[0] if parts else None
    if isinstance(first, Tree):
        return _of_tree(node, name, first, parts, known, state)
    if name == "method" and str(node.args[0]) in state.paths:
        return _of_class_method(node, parts, known, state)
    if name in ("is_", "is_not") and _is_none(known[1]) and _is_number(first, state):
        return Const(name == "is_not")
    return None


def _is_none(known: object) -> bool:
    return isinstance(known, Const) and known.value is None


def _is_number(operand: object, state: State) -> bool:
    kind = state.leaves.get(operand) if isinstance(operand, str) else None
    return kind is not None and kind.tag in ("int", "float", "real", "ndarray")


def _folded(name: str, values: Sequence[Any]) -> Result:
    """An operation on literals."""
    if name == "slice":
        return Const(slice(*values))
    if name in ("is_", "is_not") and None in values:
        return Const((values[0] is values[1]) == (name == "is_"))
    if name == "format" and type(values[0]) in (int, str) and type(values[2]) is str:
        return _formatted(*values)
    if name == "join" and all(type(value) is str for value in values):
        return Const("".join(values))
    if name in ("contains", "not_contains") and type(values[0]) in (tuple, str):
        return _contains(name, values[0], values[1])
    small = all(type(v) in (int, bool) and abs(v) < 1 << 32 for v in values)
    words = name in ("eq", "ne") and all(type(v) is str for v in values)
    if name not in FOLDED or not (small or words):
        return None
    if name in ("floordiv", "mod") and values[1] == 0:
        return None
    return Const(getattr(operator, name)(*values))


def _of_constant_tuple(node: Call, name: str, values: Sequence[Any]) -> Result:
    """A key of a dict, or a part of it, in the place of a tuple of known parts."""
    if not values or type(values[0]) is not tuple:
        return None
    if name == "getitem" and type(values[1]) is int:
        key, count = values[1], len(values[0])
        return Const(values[0][key]) if -count <= key < count else None
    if name != "unpack":
        return None
    parts = tuple(map(Const, values[0]))
    tree = Tree("tuple", tuple(range(len(parts))), parts, frozenset({id(node)}))
    return _unpacked(node, tree, values[1], values[2])


def _formatted(value: int | str, conversion: object, spec: str) -> Result:
    """A field of an f-string, of a number or a text."""
    converted = {None: value, "s": str(value), "r": repr(value)}.get(conversion)  # type: ignore[call-overload]
    try:
        return None if converted is None else Const(format(converted, spec))
    except ValueError:
        return None  # raised where it runs


def _contains(name: str, words: Sequence[object], word: object) -> Result:
    """Is a string among others, or within another?"""
    if type(word) is not str or not all(type(each) is str for each in words):
        return None
    return Const((word in words) == (name == "contains"))


def _display(
    form: str, keys: tuple[object, ...], parts: Sequence[Operand | Tree], node: Call
) -> Result:
    if len(parts) > MOST:
        return None
    return Tree(form, keys, tuple(parts), _roots(parts, node), made=id(node))


def _dict_display(node: Call, parts: Sequence[Operand | Tree], state: State) -> Result:
    keys = [constant_of(part, state) for part in parts[::2]]
    plain = all(map(is_key, keys)) and len({*keys}) == len(keys)
    return _display("dict", tuple(keys), parts[1::2], node) if plain else None


def constant_of(part: Operand | Tree, state: State) -> object:
    """What it is, before the program runs, a tuple too. `NOTHING` where that is not known."""
    if not isinstance(part, Tree):
        known = state.known(part)
        return known.value if isinstance(known, Const) else NOTHING
    parts = tuple(constant_of(each, state) for each in part.parts) if part.form == "tuple" else ()
    is_known = part.form == "tuple" and not any(each is NOTHING for each in parts)
    return parts if is_known else NOTHING


def _roots(parts: Sequence[Operand | Tree], node: Call) -> Roots:
    return frozenset({id(node)}).union(*(part.roots for part in parts if isinstance(part, Tree)))


def _of_tree(
    node: Call,
    name: str,
    tree: Tree,
    parts: Sequence[Operand | Tree],
    known: Sequence[Any],
    state: State,
) -> Result:
    values = [constant_of(part, state) for part in parts]
    if name == "getitem":
        may_be_known = not isinstance(parts[1], Tree) or tree.form == "dict"
        if values[1] is NOTHING and may_be_known and state.wish():
            return tree.parts[0] if tree.parts else None  # the walk is done again
        return _item(node, tree, values[1])
    if name == "getattr" and tree.form in ("namedtuple", "object"):
        return tree.parts[tree.keys.index(values[1])] if values[1] in tree.keys else None
    if name == "unpack":
        return _unpacked(node, tree, values[1], values[2])
    if name in ("contains", "not_contains") and tree.form == "dict" and is_key(values[1]):
        return Const((values[1] in tree.keys) == (name == "contains"))
    if name in ("contains", "not_contains") and tree.form in ("list", "tuple"):
        words = [part.value if isinstance(part, Const) else None for part in tree.parts]
        return _contains(name, words, values[1])
    if name in ("is_", "is_not"):
        return Const(name == "is_not") if _is_none(known[1]) else _same(name, tree, parts[1])
    if name == "or_" and tree.form == "dict":
        other = parts[1]
        if not isinstance(other, Tree) or other.form != "dict":
            return None
        return _dict_of([*_pairs(tree), *_pairs(other)], node)
    if name in ("add", "mul") and tree.form in ("list", "tuple"):
        return _joined(node, name, tree, parts[1], values[1])
    if name == "method" and tree.form == "namedtuple" and values[1] == "_replace":
        return _replaced(node, tree, len(parts), state)
    if name == "method" and tree.form == "dict" and not node.keywords:
        return _of_dict_method(node, tree, parts, values)
    if name == "method" and tree.form == "list" and values[1:] == ["copy"] and not node.keywords:
        return _display("list", tree.keys, tree.parts, node)
    return None


def _of_class_method(
    node: Call, parts: Sequence[Operand | Tree], known: Sequence[Any], state: State
) -> Result:
    """``dict.fromkeys(keys, value)``: all keys have the one value."""
    path, name = state.paths[str(node.args[0])], known[1]
    if state.space.find(path) is not dict or name != Const("fromkeys") or node.keywords:
        return None
    keys = _all_items(parts[2:3], [known[2].value if isinstance(known[2], Const) else None])
    if len(parts) not in (3, 4) or not keys:
        return None
    state.assumed.add(path)
    value = parts[3] if len(parts) == 4 else Const(None)
    return _dict_of([(constant_of(key, state), value) for key in keys[0]], node)


def _same(name: str, one: Tree, other: object) -> Const | None:
    """``one is other``: what is changed, or has attributes, goes by one name, whoever binds it."""
    if not isinstance(other, Tree) or not other.name or not one.name:
        return None
    return Const((one.name == other.name) == (name == "is_"))


def _replaced(node: Call, tree: Tree, given: int, state: State) -> Tree | None:
    """``p._replace(x=1.0)`` of a record."""
    words = {word: state.part(value) for word, value in node.keywords if word is not None}
    if given != 2 or len(words) != len(node.keywords) or not set(words) <= set(tree.keys):
        return None
    cls: Any = state.space.find(tree.cls)
    if not isinstance(cls, type) or not _is_replaced_as_usual(cls):
        return None
    state.rely(tree.cls, *_REPLACING)
    state.assumed.add(f"{tree.cls}._make.__func__")
    both = zip(tree.keys, tree.parts, strict=True)
    parts = tuple(words.get(str(key), part) for key, part in both)
    roots = tree.roots.union(*(part.roots for part in parts if isinstance(part, Tree)))
    return Tree(tree.form, tree.keys, parts, roots, tree.cls)


_REPLACING = ("_replace", "_make", "_fields")


def _is_replaced_as_usual(cls: type) -> bool:
    """Are the methods those that ``collections.namedtuple`` writes?"""
    found: Any = cls
    same: bool = found._replace.__code__ is _USUAL._replace.__code__
    return same and found._make.__func__.__code__ is _USUAL._make.__func__.__code__


_USUAL: Any = type("Usual", (namedtuple("Pair", "first"),), {})


def _joined(node: Call, name: str, tree: Tree, other: Operand | Tree, times: object) -> Result:
    """``a + b`` of two lists or two tuples, ``a * 3`` of one."""
    if name == "add":
        alike = isinstance(other, Tree) and other.form == tree.form
        both = (*tree.parts, *other.parts) if isinstance(other, Tree) and alike else ()
        return _display(tree.form, tuple(range(len(both))), both, node) if alike else None
    if type(times) is not int or len(tree.parts) * times > MOST:
        return None
    parts = tree.parts * times
    return _display(tree.form, tuple(range(len(parts))), parts, node)


NOTHING = object()
"""In the place of a constant that is not known."""


def _item(node: Call, tree: Tree, key: object) -> Result:
    if tree.form == "dict":
        return tree.parts[tree.keys.index(key)] if is_key(key) and key in tree.keys else None
    if tree.form not in SEQUENCES:
        return None
    count = len(tree.parts)
    if isinstance(key, slice) and all(type(b) in (int, type(None)) for b in _bounds(key)):
        form = "list" if tree.form == "list" else "tuple"
        return _like(form, tree.parts[key], tree, node) if key.step != 0 else None
    if isinstance(key, int) and type(key) in (int, bool) and -count <= key < count:
        return tree.parts[key]
    return None


def _bounds(key: slice) -> tuple[object, object, object]:
    return key.start, key.stop, key.step


def _like(form: str, parts: Sequence[Operand | Tree], tree: Tree, node: Call) -> Tree:
    keys = tuple(range(len(parts)))
    return Tree(form, keys, tuple(parts), tree.roots | {id(node)}, made=id(node))


def _unpacked(node: Call, tree: Tree, count: Any, star: Any) -> Result:
    items = tree.items()
    if items is None or type(count) is not int:
        return None
    if star is None:
        return _like("tuple", items, tree, node) if len(items) == count else None
    after = count - star - 1
    if len(items) < count - 1:
        return None
    rest = _like("list", items[star : len(items) - after], tree, node)
    return _like("tuple", (*items[:star], rest, *items[len(items) - after :]), tree, node)


def _of_dict_method(
    node: Call, tree: Tree, parts: Sequence[Operand | Tree], values: Sequence[Any]
) -> Result:
    name, given = values[1], len(parts) - 2
    if name in ("keys", "values", "items") and not given:
        keys = tuple(Const(key) for key in tree.keys)
        if name != "items":
            return _like("view", keys if name == "keys" else tree.parts, tree, node)
        pairs = zip(keys, tree.parts, strict=True)
        return _like("view", [_like("tuple", pair, tree, node) for pair in pairs], tree, node)
    if name in ("get", "setdefault") and given in (1, 2) and is_key(values[2]):
        if values[2] in tree.keys:
            return tree.parts[tree.keys.index(values[2])]
        default = parts[3] if given == 2 else Const(None)
        return default if name == "get" else None
    if name == "pop" and given == 2 and is_key(values[2]) and values[2] not in tree.keys:
        return parts[3]
    return _dict_of(_pairs(tree), node) if name == "copy" and not given else None


# --- builtins


def _len(node: Call, parts: Sequence[Operand | Tree], values: Sequence[Any]) -> Result:
    if len(parts) == 1 and type(values[0]) in (str, tuple):
        return Const(len(values[0]))
    tree = parts[0] if len(parts) == 1 else None
    sized = isinstance(tree, Tree) and tree.form not in ("object", "iterator")
    return Const(len(tree.parts)) if sized else None  # type: ignore[union-attr]


def _range(node: Call, parts: Sequence[Operand | Tree], values: Sequence[Any]) -> Result:
    plain = 0 < len(values) < 4 and all(type(value) is int for value in values)
    return Const(range(*values)) if plain and (len(values) < 3 or values[2]) else None


def _all_items(
    parts: Sequence[Operand | Tree], values: Sequence[Any]
) -> list[tuple[Operand | Tree, ...]] | None:
    """What a loop over each operand gives."""
    found = []
    for part, value in zip(parts, values, strict=True):
        items = part.items() if isinstance(part, Tree) else None
        if isinstance(value, (tuple, range)) and len(value) <= MOST:
            items = tuple(Const(item) for item in value)
        if items is None:
            return None
        found.append(items)
    return found


def _zip(node: Call, parts: Sequence[Operand | Tree], values: Sequence[Any]) -> Result:
    items = _all_items(parts, values)
    if not items:
        return None
    roots = _roots(parts, node)
    rounds = [Tree("tuple", tuple(range(len(r))), r, roots) for r in zip(*items, strict=False)]
    return Tree("iterator", tuple(range(len(rounds))), tuple(rounds), roots)


def _enumerate(node: Call, parts: Sequence[Operand | Tree], values: Sequence[Any]) -> Result:
    items = _all_items(parts[:1], values[:1])
    start = values[1] if len(values) == 2 else 0
    if not items or len(values) > 2 or type(start) is not int:
        return None
    roots = _roots(parts, node)
    rounds = [
        Tree("tuple", (0, 1), (Const(at), part), roots) for at, part in enumerate(items[0], start)
    ]
    return Tree("iterator", tuple(range(len(rounds))), tuple(rounds), roots)


def _reversed(node: Call, parts: Sequence[Operand | Tree], values: Sequence[Any]) -> Result:
    items = _all_items(parts, values) if len(parts) == 1 else None
    if not items or (isinstance(parts[0], Tree) and parts[0].form == "iterator"):
        return None
    return Tree("iterator", tuple(range(len(items[0]))), items[0][::-1], _roots(parts, node))


def _copied(form: str) -> Callable[[Call, Sequence[Operand | Tree], Sequence[Any]], Result]:
    def of(node: Call, parts: Sequence[Operand | Tree], values: Sequence[Any]) -> Result:
        items = _all_items(parts, values) if len(parts) == 1 else None
        return _display(form, tuple(range(len(items[0]))), items[0], node) if items else None

    return of


Entries = list[tuple[object, Operand | Tree]]
"""Keys of a dict and what it holds under them."""


def _pairs(tree: Tree) -> Entries:
    return list(zip(tree.keys, tree.parts, strict=True))


def entries_of(given: Operand | Tree) -> Entries | None:
    """Keys and values of a dict, or of pairs, as ``dict`` takes them; None where not known."""
    if isinstance(given, Tree) and given.form == "dict":
        return _pairs(given)
    items = given.items() if isinstance(given, Tree) else None
    found: Entries = []
    for pair in items if items is not None else (None,):
        is_pair = isinstance(pair, Tree) and pair.form in ("tuple", "list")
        if not is_pair or len(pair.parts) != 2:  # type: ignore[union-attr]
            return None
        key, value = pair.parts  # type: ignore[union-attr]
        found.append((_literal(key), value))
    return found


def _literal(part: Operand | Tree) -> object:
    """A literal, a tuple of such too; `NOTHING` for anything else."""
    if isinstance(part, Tree):
        parts = tuple(map(_literal, part.parts))
        return parts if part.form == "tuple" and NOTHING not in parts else NOTHING
    return part.value if isinstance(part, Const) else NOTHING


def _dict_of(entries: Entries, node: Call) -> Result:
    """A new dict: of entries under one key the last counts, in the place of the first."""
    if not all(is_key(key) for key, _ in entries):
        return None
    found = dict(entries)
    return _display("dict", tuple(found), tuple(found.values()), node)


def _dict(node: Call, parts: Sequence[Operand | Tree], values: Sequence[Any]) -> Result:
    """A copy of a dict, or one of pairs."""
    entries = entries_of(parts[0]) if len(parts) == 1 else None
    return _dict_of(entries, node) if entries is not None else None


def _sorted(
    node: Call,
    parts: Sequence[Operand | Tree],
    values: Sequence[Any],
    *,
    reverse: bool = False,
) -> Result:
    """Of literals, or of tuples that begin with a literal each, no two the same."""
    items = _all_items(parts, values) if len(parts) == 1 else None
    if items is None:
        return None
    firsts = [_first(item) for item in items[0]]
    types = {*map(type, firsts)}
    if len({type(item) for item in items[0]}) != 1:
        return None
    if types not in ({str}, {int}) or len({*firsts}) < len(firsts):
        return None
    order = sorted(range(len(firsts)), key=firsts.__getitem__, reverse=reverse)
    return _display("list", tuple(range(len(order))), [items[0][at] for at in order], node)


def _first(item: Operand | Tree) -> Any:
    if isinstance(item, Tree) and item.form == "tuple" and item.parts:
        item = item.parts[0]
    return item.value if isinstance(item, Const) else None


BUILTINS: dict[int, Callable[[Call, Sequence[Operand | Tree], Sequence[Any]], Result]] = {
    id(builtins.len): _len, id(builtins.range): _range, id(builtins.zip): _zip,
    id(builtins.enumerate): _enumerate, id(builtins.reversed): _reversed,
    id(builtins.list): _copied("list"), id(builtins.tuple): _copied("tuple"),
    id(builtins.dict): _dict, id(builtins.sorted): _sorted,
}  # fmt: skip


ASKING = frozenset(map(id, (builtins.isinstance, builtins.hasattr, builtins.getattr)))
READERS = frozenset(map(id, (
    builtins.sum, builtins.max, builtins.min, builtins.any, builtins.all, builtins.sorted,
    builtins.len, math.fsum, math.prod, math.dist,
)))  # fmt: skip
"""Functions that look at a list that they are given and keep nothing of it."""


def reads_alone(found: object, *, views: bool = False) -> bool:
    """Is it one of those, or one of NumPy, which takes a list for an array (no `shuffle` does)?
    With ``views``: and does it go through the values of a dict as through a list?
    """
    is_numpy = getattr(found, "__module__", "") in ("numpy", "numpy.linalg", "numpy.fft")
    return id(found) in READERS or (not views and is_numpy and lookup(found) is not None)
