"""Functions that a function has captured, in the text of that: made there of their parts, so that
they are written out as inner functions are.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> from astad.compiler.specialise.cells import open_captured
>>> from astad.compiler.specialise.prepare import names_of
>>> def line(slope):
...     return lambda x: slope * x
>>> def shifted(f):
...     return lambda x: f(x) + 1.0
>>> program = open_captured(lower_function(shifted(line(2.0))))
>>> held = {"f": HeldFunction("=f", line(2.0), (None,), 0)}
>>> made = with_functions(program, held, names_of(program))
>>> [param.name for param in made.params]
['x', 'f', 'f_slope']
>>> print(show(made))
f_slope_cell = cell_new(f_slope)
f_1 = function(('=f',), f_slope_cell)
t_2 = f_1(x)
t_3 = t_2 + 1.0
return t_3
"""

from __future__ import annotations

from collections.abc import Mapping

from astad.code_objects import HeldFunction
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Param, Prim, Program
from astad.compiler.ir.walk import renamed
from astad.compiler.specialise.cells import CAPTURED
from astad.slotted import replace

__all__ = ["with_functions"]


def with_functions(program: Program, held: Mapping[str, HeldFunction], names: Names) -> Program:
    """The program, opened, with parameters for the parts of these captured functions."""
    making = _Making(program, names)
    new = {name: making.function(name, function) for name, function in held.items()}
    body = tuple(renamed(node, new) for node in program.body)
    return replace(
        program,
        params=tuple(making.params),
        body=(*making.head, *body),
        taken=program.taken | {param.name for param in making.params},
    )


class _Making:
    def __init__(self, program: Program, names: Names) -> None:
        self.params = list(program.params)
        self.captured = [param.name for param in self.params if param.kind == CAPTURED]
        self.names = names
        self.head: list[Node] = []

    def _param(self, wish: str) -> str:
        name = self.names.fresh(wish)
        self.params.append(Param(name, CAPTURED, False))
        self.captured.append(name)
        return name

    def function(self, name: str, held: HeldFunction) -> str:
        """What stands for it, behind the statements that make it."""
        cells: list[Operand] = []
        for variable, part in zip(held.fn.__code__.co_freevars, held.parts, strict=True):
            wish = f"{name}_{variable}"
            if isinstance(part, HeldFunction):
                value = self.function(wish, part)
            elif part is None:
                value = self._param(wish)
            else:
                value = self.captured[part]
            cells.append(self.names.fresh(f"{wish}_cell"))
            self._make(cells[-1], "cell_new", (value,))
        words: tuple[tuple[str | None, Operand], ...] = ()
        if held.defaults:
            values = tuple([self._param(f"{name}_default") for _ in range(held.defaults)])
            words = (("defaults", self.names.fresh(f"{name}_defaults")),)
            self._make(words[0][1], "tuple", values)
        made = self.names.fresh(name)
        self._make(made, "function", (Const((held.path,)), *cells), words)
        return made

    def _make(
        self,
        target: Operand,
        what: str,
        args: tuple[Operand, ...],
        words: tuple[tuple[str | None, Operand], ...] = (),
    ) -> None:
        self.head.append(Call(str(target), Prim(what), args, words, 0))
