"""Programs whose steps lie on a tape: with ``try``, and generators.

>>> from astad.compiler.lower.function import program_of
>>> is_taped(program_of("yield x")), is_taped(program_of("y = x"))
(True, False)
"""

from __future__ import annotations

from astad.compiler.ir.nodes import Prim, Program, Try
from astad.compiler.ir.outline import outline

__all__ = ["YIELD", "is_generator", "is_taped"]

YIELD = Prim("yield")


def is_taped(program: Program) -> bool:
    """Is there a ``try``, or is it a generator? Such a program has neither specialised variants nor
    a fused form, and is not written out in another.
    """
    found = outline(program)
    return Try in found.sorts or bool(found.calls_of("yield"))


def is_generator(program: Program) -> bool:
    return bool(outline(program).calls_of("yield"))
