"""Functions that hand on what they are given, and functions that have captured something.

``def wrapper(*args, **keywords): return f(*args, **keywords)``, as decorators write it, called with
two arguments and one keyword, is a function of three parameters.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def wrapper(*args, **words):
...     return f(*args, **words)
>>> call = Call("y", "wrapper", ("a", "b"), (("k", "c"),), 1)
>>> made, changed = handing_on(call, lower_function(wrapper))
>>> [param.name for param in made.params], changed.keywords
(['args_0', 'args_1', 'words_k'], (('words_k', 'c'),))
>>> print(show(made))
t_1 = global f
t_2 = t_1(args_0, args_1, k=words_k)
return t_2

What a function under a global name has captured is looked up behind that name.

>>> def line(slope):
...     return lambda x: slope * x
>>> print(show(with_paths(lower_function(line(2.0)), "STEEP")))
t_1 = global STEEP.__closure__0_slope
t_2 = t_1 * x
return t_2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from astad.code_objects import place_of_captured
from astad.compiler.ir.nodes import Block, Call, Const, Node, Operand, Param, Prim, Program, Star
from astad.compiler.ir.walk import bound_inside, walk, with_blocks
from astad.slotted import replace

__all__ = ["handing_on", "with_paths"]


def handing_on(call: Call, program: Program) -> tuple[Program, Call] | None:
    """The function with parameters for all that ``*args`` and ``**keywords`` take of this call, and
    the call with their names; None where it does not only hand them on.
    """
    rest = next((param.name for param in program.params if param.kind == "args"), "")
    more = next((param.name for param in program.params if param.kind == "kwargs"), "")
    named = [p.name for p in program.params if p.kind in ("positional", "keyword_only")]
    places = sum(p.kind in ("positional_only", "positional") for p in program.params)
    count = max(len(call.args) - places, 0)
    words = [word for word, _ in call.keywords if word is not None and word not in named]
    if any(isinstance(arg, Star) for arg in call.args) or not {rest, more} - {""}:
        return None
    if (count and not rest) or (words and not more) or not _only_hands_on(program, rest, more):
        return None
    parts = [f"{rest}_{at}" for at in range(count)]
    pairs = {word: f"{more}_{word}" for word in words}
    if {*parts, *pairs.values()} & (program.taken | bound_inside(*program.body)):
        return None
    params: list[Param] = []
    for param in program.params:
        if param.kind == "args":
            params += [Param(name, "positional", False) for name in parts]
        elif param.kind == "kwargs":
            params += [Param(name, "keyword_only", False) for name in pairs.values()]
        else:
            params.append(param)
    body = _expanded(program.body, rest, parts, more, pairs)
    if body is None:
        return None
    keywords = tuple((pairs.get(str(word), word), value) for word, value in call.keywords)
    taken = program.taken | {*parts, *pairs.values()}
    made = replace(program, params=tuple(params), body=body, taken=taken)
    return made, replace(call, keywords=keywords)


def _only_hands_on(program: Program, rest: str, more: str) -> bool:
    """Is each of the two read behind stars of calls alone, and never bound?"""
    if {rest, more} & bound_inside(*program.body):
        return False
    for node in walk(program.body):
        read = [name for name in node.read if name in (rest, more)]
        if not read:
            continue
        if not isinstance(node, Call) or _is_display(node):
            return False
        stars = [arg.operand for arg in node.args if isinstance(arg, Star)]
        stars += [value for word, value in node.keywords if word is None]
        if sorted(map(str, stars)) != sorted(read):
            return False
    return True


def _is_display(node: Call) -> bool:
    return isinstance(node.fn, Prim) and node.fn.name != "method"


def _expanded(
    block: Block, rest: str, parts: Sequence[str], more: str, pairs: Mapping[str, str]
) -> Block | None:
    failed = False

    def changed(inner: Block) -> list[Node]:
        nonlocal failed
        out: list[Node] = []
        for node in inner:
            if isinstance(node, Call) and not {rest, more}.isdisjoint(node.read):
                args: list[Operand | Star] = []
                for arg in node.args:
                    args += parts if arg == Star(rest) else [arg]
                own = [word for word, _ in node.keywords]
                failed = failed or not set(own).isdisjoint(pairs)  # given twice
                keywords: list[tuple[str | None, Operand]] = []
                for word, value in node.keywords:
                    keywords += pairs.items() if word is None and value == more else [(word, value)]
                node = replace(node, args=tuple(args), keywords=tuple(keywords))
            out.append(with_blocks(node, changed))
        return out

    found = tuple(changed(block))
    return None if failed else found


# --- what a global function has captured


def with_paths(program: Program, path: str) -> Program | None:
    """The program with a path in the place of each captured variable; None where it needs the cell
    itself.
    """
    found = {
        cell: f"{path}.{place_of_captured(at, name)}"
        for at, (name, cell) in enumerate(program.free)
    }
    for node in walk(program.body):
        reads_cell = isinstance(node, Call) and node.fn == Prim("cell_get")
        if not found.keys().isdisjoint(node.read) and not reads_cell:
            return None

    def changed(block: Block) -> list[Node]:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Call) and node.fn == Prim("cell_get") and node.args[0] in found:
                place = Const(found[str(node.args[0])])
                node = Call(node.target, Prim("global"), (place,), (), node.line)
            out.append(with_blocks(node, changed))
        return out

    return replace(program, free=(), body=tuple(changed(program.body)))
