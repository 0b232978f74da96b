"""Texts that only an exception is given: what leaves the program with it carries no derivative.

>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     if x < 0.0:
...         raise ValueError(f"{x} is negative")
...     y = f"{x}"
... ''')
>>> sorted(find_raised(program))
['t_3', 't_4']
"""

from __future__ import annotations

from astad.compiler.ir.nodes import Prim, Program, Raise
from astad.compiler.ir.outline import outline

__all__ = ["find_raised"]

PIECES = (Prim("format"), Prim("join"))


def find_raised(program: Program) -> set[str]:
    """Names of the texts that nothing reads but a call which makes an exception to be raised."""
    text = outline(program)
    if Raise not in text.sorts or not {"format", "join"} & text.prims.keys():
        return set()
    exceptions = {node.exc for node in text.nodes if type(node) is Raise}
    found = set[str]()
    for node in reversed(text.calls):
        made_to_be_raised = node.target in exceptions and text.read[str(node.target)] == 1
        if made_to_be_raised or (node.fn in PIECES and node.target in found):
            named = {arg for arg in node.args if isinstance(arg, str) and arg in text.once}
            found |= {arg for arg in named if text.read[arg] == 1}
    return found
