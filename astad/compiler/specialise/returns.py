"""Early returns become values of branches, so that one return ends the function.

>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> print(show(merge_returns(program_of('''
... if x > 0:
...     return x
... return -x
... ''').body, Names("x"), 1)))
t_1 = x > 0
if t_1:
    result = x
else:
    t_2 = -x
    result = t_2
return result
"""

from __future__ import annotations

from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Loop, Node, Try, While
from astad.compiler.ir.walk import walk

__all__ = ["merge_returns"]


def merge_returns(body: Block, names: Names, line: int) -> Block:
    """Early returns of arms become values of the branches, if no statement is written twice."""
    if _count_returns(body) < 2:
        return body
    returned_inside = any(
        _count_returns((node,)) for node in walk(body) if isinstance(node, Loop | While | Try)
    )
    if returned_inside or not _can_merge(body):
        return body
    result = names.fresh("result")
    return (*_merged(body, result), Exit("return", result, line))


def _merged(body: Block, result: str) -> Block:
    out: list[Node] = []
    for at, node in enumerate(body):
        if isinstance(node, Exit):
            value = node.value if node.value is not None else Const(None)
            return (*out, Bind(result, value, node.line))
        if isinstance(node, Branch) and _count_returns((node,)):
            rest = body[at + 1 :]
            first, second = (
                _merged(arm if _returns_always(arm) else arm + rest, result)
                for arm in (node.body, node.orelse)
            )
            return (*out, Branch(node.test, first, second, node.line))
        out.append(node)
    return tuple(out)


def _can_merge(body: Block) -> bool:
    """Does every branch that returns leave at most one arm going on?"""
    for at, node in enumerate(body):
        if isinstance(node, Branch) and _count_returns((node,)):
            arms = (node.body, node.orelse)
            if body[at + 1 :] and not any(map(_returns_always, arms)):
                return False
            if not all(map(_can_merge, arms)):
                return False
    return True


def _returns_always(body: Block) -> bool:
    last = body[-1] if body else None
    if isinstance(last, Exit):
        return last.how == "return"
    return isinstance(last, Branch) and all(map(_returns_always, (last.body, last.orelse)))


def _count_returns(body: Block) -> int:
    return [node.how for node in walk(body) if type(node) is Exit].count("return")
