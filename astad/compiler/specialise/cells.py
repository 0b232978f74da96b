"""Cells that no function holds any longer become plain names.

>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def f(x):
...     scale = 2.0
...     unused = lambda: scale
...     return scale * x
>>> program = lower_function(f)
>>> print(show(dissolved(program, Names(program.taken))))
scale = 2.0
t_2 = scale * x
return t_2

Captured variables as parameters after the function's own, where it only reads them.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def line(slope):
...     def f(x):
...         return slope * x
...     return f
>>> opened = open_captured(lower_function(line(2.0)))
>>> [param.name for param in opened.params]
['x', 'slope']
>>> print(show(opened))
t_2 = slope * x
return t_2
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial

from astad.compiler.ir.flow import binds_before_it_reads
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Block, Call, Const, Node, Param, Prim, Program, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import binds, bound_inside, reads, walk, with_blocks, with_operands
from astad.slotted import replace

__all__ = [
    "HELD",
    "OUTSIDE",
    "WRITERS",
    "dissolved",
    "open_captured",
    "with_held",
    "with_own_cells",
]

READS = ("cell_get", "cell_get_local")
CELLS = (*READS, "cell_new", "cell_set")
WRITERS = (Prim("cell_set"), Prim("cell_clear"))


def dissolved(program: Program, names: Names) -> Program | None:
    """The program without cells of its own; None where a function still holds one, or a variable
    might be read before it is bound.
    """
    body = _without_unused(program.body)
    calls = [node for node in walk(body) if isinstance(node, Call) and isinstance(node.fn, Prim)]
    if any(node.fn in (Prim("function"), Prim("cell_clear")) for node in calls):
        return None
    cells = {str(node.target) for node in calls if node.fn == Prim("cell_new")}
    params = {param.name for param in program.params}
    used = params | bound_inside(*body) | {name for node in walk(body) for name in reads(node)}
    variables: dict[str, str] = {}
    for cell in sorted(cells):
        wish = re.sub(r"_cell(_\d+)?$", "", cell)
        is_own = wish in program.taken and wish not in used  # the user's own name for it
        variables[cell] = wish if is_own else names.fresh(wish)
        used.add(variables[cell])
    variables.update(_cells_of_parameters(body, calls, params))
    plain = _plain(body, variables)
    count = Counter(name for node in walk(plain) for name in binds(node))
    steady = {name for name in variables.values() if count[name] <= (name not in params)}
    copies = {name for name in count if count[name] == 1 and name not in program.taken}
    made = replace(program, body=_direct(plain, steady, copies, {}))
    return made if binds_before_it_reads(made, set(variables.values())) else None


def _cells_of_parameters(
    body: Block, calls: Sequence[Call], params: Set[str]
) -> Iterator[tuple[str, str]]:
    """Cells that can go by the name of the parameter they start from: nothing else uses it, or
    neither of the two ever changes. What is written out may have been handed a name of its caller.
    """
    times = Counter(name for node in walk(body) for name in reads(node))
    bound = bound_inside(*body)
    written = {str(node.args[0]) for node in calls if node.fn in WRITERS}
    for node in calls:
        first, cell = node.args[0] if node.args else None, str(node.target)
        if node.fn != Prim("cell_new") or first not in params or first in bound:
            continue
        if times[str(first)] == 1 or cell not in written:
            yield cell, str(first)


def _direct(block: Block, steady: Set[str], copies: Set[str], new: dict[str, str]) -> Block:
    """Temporaries for variables that never change go by the variables' own names."""
    out: list[Node] = []
    for node in block:
        if isinstance(node, Bind) and node.source in steady and node.target in copies:
            new[node.target] = str(node.source)
            continue
        if not new.keys().isdisjoint(reads(node)):
            node = with_operands(node, lambda read: new.get(str(read), read))
        out.append(with_blocks(node, lambda inner: _direct(inner, steady, copies, new)))
    return tuple(out)


def _name_of(node: Node) -> str:
    return node.fn.name if isinstance(node, Call) and isinstance(node.fn, Prim) else ""


def _without_unused(body: Block) -> Block:
    """Without functions that nobody reads, and without writes to cells that nobody holds."""
    count = 0
    while count != (count := sum(1 for _ in walk(body))):
        body = _cleaned(body, *_used(body))
    return body


def _used(body: Block) -> tuple[set[str], set[str]]:
    """The names that are read, and those among them that are read as cells, or by a function."""
    read: set[str] = set()
    held: set[str] = set()
    for node in walk(body):
        name = _name_of(node)
        if name in ("function", "cell_clear") or name in READS:
            held.update(reads(node))
        elif name == "cell_set":
            read.update(reads(node)[1:])
        else:
            read.update(reads(node))
    return read | held, held


def _cleaned(block: Block, read: set[str], held: set[str]) -> Block:
    out: list[Node] = []
    for node in block:
        name = _name_of(node)
        if name in ("function", "cell_new", *READS) and read.isdisjoint(binds(node)):
            continue
        if name == "cell_set" and held.isdisjoint(reads(node)[:1]):
            continue
        out.append(with_blocks(node, lambda inner: _cleaned(inner, read, held)))
    return tuple(out)


def _plain(block: Block, variables: Mapping[str, str]) -> Block:
    out: list[Node] = []
    for node in block:
        name = _name_of(node)
        if not isinstance(node, Call) or name not in CELLS:
            out.append(with_blocks(node, lambda inner: _plain(inner, variables)))
            continue
        cell = str(node.target if name == "cell_new" else node.args[0])
        if cell not in variables:
            out.append(node)  # one of the function's own captured variables
        elif name in READS:
            assert isinstance(node.target, str)
            out.append(Bind(node.target, variables[cell], node.line))
        else:
            content = node.args if name == "cell_new" else node.args[1:]
            if content and content[0] != variables[cell]:
                assert not isinstance(content[0], Star)
                out.append(Bind(variables[cell], content[0], node.line))
    return tuple(out)


# --- captured variables as parameters


CAPTURED, HELD = "captured", "held"
OUTSIDE = CAPTURED, HELD
"""Parameters that stand for captured variables and for what globals hold."""


def open_captured(program: Program) -> Program | None:
    """The program whose caller hands over the contents of the cells; None where it needs the cells
    themselves: to write them, or for a function of its own.
    """
    cells = {cell: name for name, cell in program.free}
    for node in walk(program.body):
        if not cells.keys().isdisjoint(reads(node)) and not _is_read(node):
            return None
    params = tuple(Param(name, CAPTURED, False) for name in cells.values())
    temporaries = outline(program).single - program.taken
    body = _opened(program.body, cells, temporaries, {})
    return replace(program, params=program.params + params, free=(), body=body)


def with_own_cells(program: Program, names: Names) -> Program | None:
    """The program with cells of its own for what its functions share with it and it has captured
    itself; None where there is no such cell, or one that it writes. For whoever sees to it that no
    such function is left: then nobody tells the cells apart.

    >>> from astad.compiler.ir.text import show
    >>> from astad.compiler.lower.function import lower_function
    >>> from astad.compiler.specialise.prepare import names_of
    >>> def line(slope):
    ...     return lambda x: (lambda y: slope * y)(x)
    >>> program = lower_function(line(2.0))
    >>> print(show(with_own_cells(program, names_of(program))))
    t_3 = cell_get(slope_cell, 'slope')
    slope_cell_1 = cell_new(t_3)
    t_1 = function(('<lambda>', 0, 0), slope_cell_1)
    t_2 = t_1(x)
    return t_2
    """
    cells = {cell: name for name, cell in program.free}
    nodes = [node for node in walk(program.body) if isinstance(node, Call)]
    shared = {
        str(arg) for node in nodes if node.fn == Prim("function") for arg in node.args
    } & cells.keys()
    others = [node for node in walk(program.body) if not _is_read(node)]
    if not shared or any(
        not shared.isdisjoint(reads(node))
        and not (isinstance(node, Call) and node.fn == Prim("function"))
        for node in others
    ):
        return None
    new: dict[str, str] = {}
    head: list[Node] = []
    for cell in sorted(shared):
        value, new[cell] = names.numbered("t"), names.fresh(f"{cell}_1")
        head.append(Call(value, Prim("cell_get"), (cell, Const(cells[cell])), (), 0))
        head.append(Call(new[cell], Prim("cell_new"), (value,), (), 0))

    def block(nodes: Block) -> Block:
        out: list[Node] = []
        for node in nodes:
            if isinstance(node, Call) and node.fn == Prim("function"):
                args = tuple([new.get(str(arg), arg) for arg in node.args])
                node = replace(node, args=args)
            out.append(with_blocks(node, block))
        return tuple(out)

    return replace(program, body=(*head, *block(program.body)))


def with_held(program: Program, held: Sequence[str]) -> Program:
    """The program whose caller hands over what these globals hold, as more parameters.

    >>> from astad.compiler.ir.text import show
    >>> from astad.compiler.lower.function import lower_function
    >>> held = with_held(lower_function(lambda x: x * TABLE[0]), ["TABLE"])
    >>> [param.name for param in held.params]
    ['x', 'TABLE']
    >>> print(show(held))
    t_2 = TABLE[0]
    t_3 = x * t_2
    return t_3
    """
    params = tuple(Param(name, HELD, False) for name in held)
    temporaries = outline(program).single - program.taken
    body = _opened(program.body, dict.fromkeys(held, ""), temporaries, {}, _global)
    taken = program.taken | set(held)
    return replace(program, params=program.params + params, body=body, taken=taken)


def _is_read(node: Node) -> bool:
    return isinstance(node, Call) and node.fn == Prim("cell_get")


def _cell(node: Node, cells: Mapping[str, str]) -> str:
    """The variable whose cell is read here; empty where none is."""
    if not isinstance(node, Call) or not _is_read(node) or not isinstance(node.args[0], str):
        return ""
    return cells.get(node.args[0], "")


def _global(node: Node, held: Mapping[str, str]) -> str:
    """The global that is looked up here, if it is held."""
    if not isinstance(node, Call) or node.fn != Prim("global"):
        return ""
    assert isinstance(node.args[0], Const)
    path = str(node.args[0].value)
    return path if path in held else ""


def _opened(
    block: Block,
    cells: Mapping[str, str],
    temporaries: Set[str],
    new: dict[str, str],
    read_by: Callable[[Node, Mapping[str, str]], str] = _cell,
) -> Block:
    """The block without reads of cells; ``new`` has the parameters that temporaries stand for.
    ``read_by``: the parameter whose content a statement reads.
    """
    out: list[Node] = []
    for node in block:
        param = read_by(node, cells)
        if not param:
            node = with_operands(node, lambda read: new.get(str(read), read))
            inside = partial(
                _opened, cells=cells, temporaries=temporaries, new=new, read_by=read_by
            )
            out.append(with_blocks(node, inside))
            continue
        assert isinstance(node, Call)
        assert isinstance(node.target, str)
        if node.target in temporaries:
            new[node.target] = param
        else:
            out.append(Bind(node.target, param, node.line))
    return tuple(out)
