"""import inside a function.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(program_of('''
...     import os.path as p
...     from math import sin, cos as c
... ''')))
t_1 = import('os.path', None, 0)
p = import_from(t_1, 'path')
t_2 = import('math', ('sin', 'cos'), 0)
sin = import_from(t_2, 'sin')
c = import_from(t_2, 'cos')
"""

from __future__ import annotations

from typing import Any  # trees: gast ships no types

import gast

from astad.compiler.ir.nodes import Const
from astad.compiler.lower.builder import Builder, StatementTable

__all__ = ["STATEMENTS"]


def _import(b: Builder, node: Any) -> None:
    for alias in node.names:
        first, *inner = alias.name.split(".")
        name, line = alias.asname or first, node.lineno
        direct = b.direct(gast.Name(name, gast.Store(), None, None))
        args = (Const(alias.name), Const(None), Const(0))
        parts = inner if alias.asname else []
        value = b.prim("import", args, line, None if parts else direct)
        for index, part in enumerate(parts):
            last = index + 1 == len(parts)
            value = b.prim("import_from", (value, Const(part)), line, direct if last else None)
        b.bind(name, value, line)


def _import_from(b: Builder, node: Any) -> None:
    names = tuple(alias.name for alias in node.names)
    args = (Const(node.module or ""), Const(names), Const(node.level or 0))
    module = b.prim("import", args, node.lineno)
    for alias in node.names:
        name = alias.asname or alias.name
        direct = b.direct(gast.Name(name, gast.Store(), None, None))
        value = b.prim("import_from", (module, Const(alias.name)), node.lineno, direct)
        b.bind(name, value, node.lineno)


STATEMENTS: StatementTable = {"Import": _import, "ImportFrom": _import_from}
