"""Make arrays of the lists that functions of NumPy and SciPy are handed where these make them.

>>> import numpy as np
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> from astad.compiler.specialise.prepare import names_of, prepare
>>> def largest(x):
...     return np.max([x, 2.0])
>>> space, lowered = Space(globals()), lower_function(largest)
>>> program = prepare(lowered, names := names_of(lowered), space)
>>> print(show(with_arrays(program, names, space)))
t_1 = global np
t_2 = [x, 2.0]
t_4 = t_1.max
t_5 = global numpy:array
t_6 = t_5(t_2)
t_3 = t_4(t_6)
return t_3

The list is a display that nothing else reads, so that nobody can change it in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from astad.compiler.analysis.displays import loops_around, makes_array_of_list
from astad.compiler.analysis.result_kinds import operands_made_arrays
from astad.compiler.analysis.space import Space, find_known
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Block, Call, Const, Node, Prim, Program, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import with_blocks
from astad.slotted import replace

__all__ = ["with_arrays"]

GLOBAL, ARRAY = Prim("global"), Const("numpy:array")


def with_arrays(program: Program, names: Names, space: Space) -> Program:
    """The program with ``np.array`` of each such list in its place."""
    text = outline(program)
    lists = {
        str(node.target): node
        for node in text.calls_of("list", "tuple")
        if node.target in text.once and text.read[str(node.target)] == 1 and node.args
        if not any(isinstance(arg, Star) for arg in node.args)
    }
    if not any(isinstance(node.fn, str) and lists.keys() & node.read for node in text.calls):
        return program
    known: dict[str, object] = {}
    find_known(program, space, {}, known, {})
    around = loops_around(program)
    found: dict[int, frozenset[str]] = {}
    for node in text.calls:
        if isinstance(node.fn, str) and lists.keys() & node.read:
            made = _made_arrays(node, known.get(node.fn)) & lists.keys()
            here = [name for name in made if around(lists[name]) == around(node)]
            found |= {id(node): frozenset(here)} if here else {}
    return replace(program, body=_with_arrays(program.body, found, names)) if found else program


def _made_arrays(node: Call, fn: Any) -> frozenset[str]:
    """Operands of which the function makes arrays before it does anything else with them."""
    if isinstance(fn, np.ufunc):
        return frozenset(arg for arg in node.args[: fn.nin] if isinstance(arg, str))
    home = (getattr(fn, "__module__", None) or "").partition(".")[0]
    if home not in ("numpy", "scipy") or makes_array_of_list(fn):
        return frozenset()
    args = tuple(arg for arg in node.args if not isinstance(arg, Star))
    words = tuple((word, value) for word, value in node.keywords if word is not None)
    return operands_made_arrays(fn, args, words) if len(args) == len(node.args) else frozenset()


def _with_arrays(block: Block, found: Mapping[int, frozenset[str]], names: Names) -> Block:
    out: list[Node] = []
    for node in block:
        if not isinstance(node, Call) or id(node) not in found:
            out.append(with_blocks(node, lambda inner: _with_arrays(inner, found, names)))
            continue
        new: dict[object, str] = {}
        for name in [name for name in node.read if name in found[id(node)]]:
            fn, new[name] = names.numbered("t"), names.numbered("t")
            out.append(Call(fn, GLOBAL, (ARRAY,), (), node.line))
            out.append(Call(new[name], fn, (name,), (), node.line))
        args = tuple(new.get(arg, arg) for arg in node.args)
        words = tuple((word, new.get(value, value)) for word, value in node.keywords)
        out.append(replace(node, args=args, keywords=words))
    return tuple(out)
