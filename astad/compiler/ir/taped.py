"""Programs whose steps lie on a tape: with ``try``, and generators.

>>> from astad.compiler.lower.function import program_of
>>> is_taped(program_of("yield x")), is_taped(program_of("y = x"))
(True, False)
"""

from __future__ import annotations

from astad.compiler.ir.nodes import Call, Prim, Program, Try
from astad.compiler.ir.walk import walk

__all__ = ["YIELD", "is_generator", "is_taped"]

YIELD = Prim("yield")


def is_taped(program: Program) -> bool:
    """Is there a ``try``, or is it a generator? Such a program has neither specialised variants nor
    a fused form, and is not written out in another.
    """
    return is_generator(program) or any(isinstance(node, Try) for node in walk(program.body))


def is_generator(program: Program) -> bool:
    return any(isinstance(node, Call) and node.fn == YIELD for node in walk(program.body))
