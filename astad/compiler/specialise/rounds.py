"""Bodies of loops without ``continue`` and ``break``, so that their rounds can stand one behind
another.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import program_of
>>> loop = program_of('''
... for w in ws:
...     if w < 0:
...         continue
...     x = x * w
...     if x > 9:
...         break
...     x = x + w
... ''').body[0]
>>> print(show(ending_at_end(loop.body, "left")))
t_1 = w < 0
if t_1:
    pass
else:
    x = x * w
    t_2 = x > 9
    if t_2:
        left = True
    else:
        x = x + w
"""

from __future__ import annotations

from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Node
from astad.compiler.ir.walk import breaks, falls_through

__all__ = ["ending_at_end"]


def ending_at_end(block: Block, left: str = "", ended: str = "") -> Block | None:
    """The body of a loop whose rounds all end at its end; None where it has no such form without a
    statement that is written twice. With ``left`` a ``break`` binds this name to True. Where two
    ways go on, ``ended`` is bound to True on those that do not.
    """
    hows = ("break", "continue") if left else ("continue",)
    out: list[Node] = []
    for at, node in enumerate(block):
        if isinstance(node, Exit) and node.how in hows:
            marks = [left] if node.how == "break" else []
            marks += [ended] if ended else []
            return (*out, *[Bind(mark, Const(True), node.line) for mark in marks])
        if not breaks((node,), hows):
            out.append(node)
            continue
        if not isinstance(node, Branch):
            return None  # in the else of an inner loop
        rest = block[at + 1 :]
        arms = [node.body, node.orelse]
        goes_on = [falls_through(arm) for arm in arms]
        if rest and all(goes_on) and not ended:
            return None
        if not all(goes_on):
            arms = [arm + rest * goes for arm, goes in zip(arms, goes_on, strict=True)]
            rest = ()
        made = [ending_at_end(arm, left, ended) for arm in arms]
        behind = ending_at_end(rest, left, ended)
        if made[0] is None or made[1] is None or behind is None:
            return None
        out.append(Branch(node.test, made[0], made[1], node.line))
        return (*out, Branch(ended, (), behind, node.line)) if behind else tuple(out)
    return tuple(out)
