"""Calls: of functions, of methods, of ``super()``.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = o.scale(x, *rest, by=2.0)
...     z = o.scale(f(x))
... ''')))
y = o.scale(x, *rest, by=2.0)
t_1 = o.scale
t_2 = f(x)
z = t_1(t_2)

Calls that consume a generator expression where it is written.

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

reduce, and min and max with a key, of a lazy value: the function runs between two items.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     y = max((f(x) for x in xs), key=lambda p: p.norm())
... ''')))
t_1 = function(('<lambda>', 1, 0))
t_3 = False
for x in xs:
    t_4 = f(x)
    if t_3:
        t_5 = t_1(t_4)
        t_6 = t_5 > t_2
        if t_6:
            y = t_4
            t_2 = t_5
    else:
        t_3 = True
        y = t_4
        t_2 = t_1(y)
if t_3:
    pass
else:
    t_7 = global max
    y = t_7((), key=t_1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Operand,
    Prim,
    Raise,
    Star,
)
from astad.compiler.lower.builder import Builder, ExpressionTable, holds_call
from astad.compiler.lower.called import (
    assume,
    is_plain_container,
    is_quiet,
    keywords_of,
    known_name,
    needs_dict,
)
from astad.compiler.lower.comprehensions import is_lazy, opened
from astad.compiler.lower.streams import Item, Stream, collect, draw, operand_of

__all__ = ["EXPRESSIONS"]

# --- reduce, min and max of a lazy value


TakeOne = Callable[[Operand], None]


def reduced(b: Builder, node: Any, target: str | None) -> Operand | None:
    """``reduce(f, lazy)`` or ``reduce(f, lazy, start)``; None where a list serves."""
    if node.keywords or len(node.args) not in (2, 3) or not is_lazy(b, node.args[1]):
        return None
    function, lazy, *start = node.args
    if not start and is_quiet(b, function):
        return None
    line = node.lineno
    fn = b.kept(b.operand(function), line)
    stream = opened(b, lazy, start)
    out = b.fitting(node, target)

    def take(value: Operand) -> None:
        b.call(fn, (out, value), (), line, out)

    def none() -> None:
        b.call(b.operand(node.func), (fn, Const(())), (), line, out)

    if start:
        b.into(start[0], out)
        draw(b, stream, lambda item: take(operand_of(b, item, line)))
    else:
        _draw_from_first(b, stream, lambda value: b.copy(out, value, line), take, none)
    return out


def extreme(b: Builder, node: Any, target: str | None) -> Operand | None:
    """``min`` and ``max`` with a key; None where a list serves."""
    words = {word.arg: word.value for word in node.keywords}
    fits = len(node.args) == 1 and "key" in words and set(words) <= {"key", "default"}
    if not fits or is_quiet(b, words["key"]):
        return None
    line, later = node.lineno, list(words.values())
    stream = opened(b, node.args[0], later)
    named = zip(words, b.operands(later), strict=True)
    keywords = [(word, b.kept(value, line)) for word, value in named]
    key_of = _key(b, words["key"], dict(keywords)["key"])
    out, best = b.fitting(node, target), b.temp()
    prim = "lt" if known_name(b, node.func) == "builtins.min" else "gt"

    def first(value: Operand) -> None:
        b.copy(out, value, line)
        key_of(out, best)

    def take(value: Operand) -> None:
        found = key_of(value, b.temp())
        test = b.prim(prim, (found, best), line)

        def replace() -> None:
            b.copy(out, value, line)
            b.emit(Bind(best, found, line))

        b.emit(Branch(test, b.writing(replace), (), line))

    def none() -> None:
        b.call(b.operand(node.func), (Const(()),), keywords, line, out)

    _draw_from_first(b, stream, first, take, none)
    return out


def _key(b: Builder, node: Any, fn: Operand) -> Callable[[Operand, str], str]:
    """Writes the key of a value into a name; a variable may hold None, and the key is the value."""
    line = node.lineno

    def call(value: Operand, target: str) -> str:
        return b.call(fn, (value,), (), line, target)

    def call_unless_none(value: Operand, target: str) -> str:
        test = b.prim("is_", (fn, Const(None)), line)
        called = b.writing(lambda: b.call(fn, (value,), (), line, target))
        b.emit(Branch(test, (Bind(target, value, line),), called, line))
        return target

    return call if isinstance(node, gast.Lambda) or known_name(b, node) else call_unless_none


def _draw_from_first(
    b: Builder, stream: Stream, first: TakeOne, take: TakeOne, none: Callable[[], None]
) -> None:
    """Draw every item, the first one otherwise; ``none`` writes what is done if there is none."""
    found, line = b.temp(), stream.line
    b.emit(Bind(found, Const(False), line))

    def either(item: Item) -> None:
        value = operand_of(b, item, line)

        def begin() -> None:
            b.emit(Bind(found, Const(True), line))
            first(value)

        later = b.writing(lambda: take(value))
        b.emit(Branch(found, later, b.writing(begin), line))

    draw(b, stream, either)
    b.emit(Branch(found, (), b.writing(none), line))


# --- calls that consume a generator expression


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


def _call(b: Builder, node: Any, target: str | None) -> Operand:
    if _is_bare_super(b, node):
        return _super(b, node, target)
    if any(is_lazy(b, arg) for arg in node.args):
        return consumed(b, node, target)
    func = node.func
    runs_code = needs_dict(node.keywords) or any(map(holds_call, _values(node)))
    if isinstance(func, gast.Attribute) and not runs_code:
        args, keywords = _arguments(b, func.value, node)
        args.insert(1, Const(func.attr))
        return b.call(Prim("method"), args, keywords, node.lineno, target)
    args, keywords = _arguments(b, func, node)
    fn = args.pop(0)
    assert not isinstance(fn, Star)
    return b.call(fn, args, keywords, node.lineno, target)


def _values(node: Any) -> list[Any]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _arguments(
    b: Builder, first: Any, node: Any
) -> tuple[list[Operand | Star], list[tuple[str | None, Operand]]]:
    """Evaluate ``first``, the positional and the keyword arguments, in this order."""
    if node.keywords and len(node.args) == 1 and isinstance(node.args[0], gast.Starred):
        return _lone_star(b, first, node)
    words = [keyword.value for keyword in node.keywords]
    later = [node] if needs_dict(node.keywords) else words  # a merge runs code, as a call does
    args = b.operands([first, *node.args], later)
    return args, keywords_of(b, node.keywords, args[0], node.lineno)


def _lone_star(
    b: Builder, first: Any, node: Any
) -> tuple[list[Operand | Star], list[tuple[str | None, Operand]]]:
    """``f(*xs, k=v)``: Python evaluates v before it draws the items of xs."""
    star, line = node.args[0], node.lineno
    words = [keyword.value for keyword in node.keywords]
    fn = b.guarded(b.operand(first), [star, *words], line)
    stream = opened(b, star.value, words)
    lazy = stream.items is not None
    keywords = keywords_of(b, node.keywords, fn, line, at_once=lazy)
    rest = collect(b, stream, "list", star.lineno) if lazy else stream.source
    return [fn, Star(rest)], keywords


def _is_bare_super(b: Builder, node: Any) -> bool:
    """``super()`` in a method: Python finds the class and the instance by looking at the frame."""
    plain = isinstance(node.func, gast.Name) and node.func.id == "super"
    bare = not node.args and not node.keywords and b.place("super") is None
    return plain and bare and "__class__" in b.scope.free and bool(b.params)


def _super(b: Builder, node: Any, target: str | None) -> Operand:
    line = node.lineno
    with b.scoped(()):
        args = [b.read("super", line), b.read("__class__", line), b.read(b.params[0], line)]
    return b.call(args[0], args[1:], (), line, target)


EXPRESSIONS: ExpressionTable = {"Call": _call}
