"""Calls that consume a generator expression where it is written.

What reads it to its end before it does anything else gets a list. What stops early, or acts between
two items, becomes the loop it is; anything else is refused.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = sum(f(x) for x in xs)
...     k = next((x for x in xs if x > y), None)
... ''')))
t_1 = global sum
t_2 = []
for x in xs:
    t_3 = f(x)
    value_append(t_2, t_3)
y = t_1(t_2)
k = None
for x in xs:
    t_4 = x > y
    if t_4:
        k = x
        break
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Bind, Block, Branch, Call, Const, Exit, Operand, Raise
from astad.compiler.lower.builder import Builder, holds_call
from astad.compiler.lower.called import assume, is_plain_container, keywords_of, known_name
from astad.compiler.lower.comprehensions import is_lazy, opened
from astad.compiler.lower.folds import extreme, reduced
from astad.compiler.lower.streams import Item, Stream, collect, draw, operand_of

__all__ = ["consumed"]

_READ_FIRST = frozenset(
    f"{module}.{name}"
    for module, names in {
        "builtins": "sum list tuple set frozenset dict min max sorted bytes bytearray",
        "math": "fsum prod dist sumprod",
        "collections": "Counter OrderedDict deque",
        "statistics": "fmean geometric_mean harmonic_mean mean median median_high median_low mode "
        "multimode pstdev pvariance quantiles stdev variance",
        "numpy": "fromiter",
    }.items()
    for name in names.split()
)
"""What reads its first argument to the end at once."""

_READS = {
    **dict.fromkeys(_READ_FIRST, (0,)),
    "collections.defaultdict": (1,),
    "_functools.reduce": (1,),
    "math.dist": (0, 1),
    "math.sumprod": (0, 1),
}
"""The positions of the arguments that are read to the end at once."""

_ADDS_UP = frozenset({"builtins.sum", "math.fsum", "math.prod"})
"""What adds or multiplies each item as it is drawn."""
_ADDS = frozenset({"extend", "extendleft", "update"})


def consumed(b: Builder, node: Any, target: str | None) -> Operand:
    """A call with a lazy argument."""
    name = known_name(b, node.func) or ""
    special = _SPECIAL.get(name)
    out = special(b, node, target) if special is not None else None
    if out is not None:
        assume(b, node.func)
        return out
    if name in _READS and _is_read_at_once(b, node, name):
        return _with_lists(b, node, target, by_value=name in _ADDS_UP)
    if _is_lone(node) and is_plain_container(b, node.func):
        return _with_lists(b, node, target)
    if not name and isinstance(node.func, gast.Attribute) and _is_lone(node):
        if node.func.attr == "join":
            return _with_lists(b, node, target)
        if node.func.attr in _ADDS:
            return _added(b, node)
    for arg in node.args:  # nobody knows when it asks for the items
        b.operand(arg)
    return Const(None)


def _is_lone(node: Any) -> bool:
    return len(node.args) == 1 and not node.keywords


# Read to the end first


def _is_read_at_once(b: Builder, node: Any, name: str) -> bool:
    """Whether nothing else happens between two items."""
    lazy = [place for place, arg in enumerate(node.args) if is_lazy(b, arg)]
    if any(isinstance(arg, gast.Starred) for arg in node.args):
        return False
    if not set(lazy) <= set(_READS[name]):
        return False
    if name in ("builtins.min", "builtins.max"):
        return len(node.args) == 1 and all(word.arg for word in node.keywords)
    if name == "numpy.fromiter":  # its third argument, count, makes it stop early
        return len(node.args) < 3 and {word.arg for word in node.keywords} <= {"dtype", "like"}
    if name == "math.sumprod":  # draws from both in turn
        return len(lazy) == 1 and not any(holds_call(arg) for arg in _without(node.args, lazy))
    return True


def _without(nodes: list[Any], places: list[int]) -> list[Any]:
    return [node for place, node in enumerate(nodes) if place not in places]


def _with_lists(b: Builder, node: Any, target: str | None, *, by_value: bool = False) -> Operand:
    """The call, with a list for each lazy argument; drawn when all arguments are evaluated."""
    words = [keyword.value for keyword in node.keywords]
    parts = [*node.args, *words]
    fn = b.guarded(b.operand(node.func), parts, node.lineno)
    values: list[Any] = []
    for place, arg in enumerate(node.args):
        later = parts[place + 1 :]
        values.append(_open_or_value(b, arg, later))
    keywords = keywords_of(b, node.keywords, fn, node.lineno, at_once=True)
    args = [
        collect(b, value, "list", value.line, by_value=by_value)
        if isinstance(value, Stream)
        else value
        for value in values
    ]
    return b.call(fn, args, keywords, node.lineno, target)


def _open_or_value(b: Builder, node: Any, later: Sequence[Any]) -> Stream | Operand:
    if is_lazy(b, node):
        return opened(b, node, later)
    return b.guarded(b.operand(node), later, node.lineno)


# Loops of their own


def _decided(b: Builder, node: Any, target: str | None, wanted: bool) -> Operand | None:
    """``any`` (``wanted``) and ``all`` stop at the item that decides."""
    if not _is_lone(node):
        return None
    line = node.args[0].lineno
    stream = opened(b, node.args[0])
    out = b.fitting(node, target)
    b.emit(Bind(out, Const(not wanted), line))
    found: Block = (Bind(out, Const(wanted), line), Exit("break", None, line))

    def test(item: Item) -> None:
        value = operand_of(b, item, line)
        b.emit(Branch(value, found, (), line) if wanted else Branch(value, (), found, line))

    draw(b, stream, test)
    return out


def _next(b: Builder, node: Any, target: str | None) -> Operand | None:
    """``next`` draws one item."""
    if node.keywords or len(node.args) > 2:
        return None
    line, default = node.lineno, node.args[1:]
    stream = opened(b, node.args[0], default)
    out = b.fitting(node, target)

    def take(item: Item) -> None:
        b.copy(out, operand_of(b, item, line), line)
        b.emit(Exit("break", None, line))

    def fail() -> None:
        error = b.prim("global", (Const("StopIteration"),), line)
        b.emit(Raise(error, None, line))

    if default:
        b.into(default[0], out)
    draw(b, stream, take, wanted=out, orelse=None if default else fail)
    return out


def _added(b: Builder, node: Any) -> Operand:
    """``xs.extend``, ``s.update``: each item is there before the next one is computed."""
    line = node.lineno
    o = b.operand(node.func.value)
    adder = b.prim("adder", (o, Const(node.func.attr)), line)

    def take(item: Item) -> None:
        b.emit(Call(None, adder, (operand_of(b, item, line),), (), line))

    draw(b, opened(b, node.args[0]), take)
    return Const(None)


_SPECIAL: dict[str, Callable[[Builder, Any, str | None], Operand | None]] = {
    "builtins.any": lambda b, node, target: _decided(b, node, target, True),
    "builtins.all": lambda b, node, target: _decided(b, node, target, False),
    "builtins.next": _next,
    "builtins.min": extreme,
    "builtins.max": extreme,
    "_functools.reduce": reduced,
}
