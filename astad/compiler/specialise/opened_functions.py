"""The text of functions that are written out for the objects they are handed.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def half(o, x):
...     return 0.5 * x
>>> texts = Texts(Names({"a", "b", "y"}), Space(globals()), lower_function)
>>> asked = texts.asked(Call("y", "", ("a", "b"), (), 1), half, "half")
>>> print(show(texts.written_out(Call("y", "", ("a", "b"), (), 1), asked)))
y = 0.5 * b
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

from astad.compiler.analysis.space import Space
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Call, Node, Program
from astad.compiler.ir.outline import is_taped
from astad.compiler.ir.walk import kept, walk
from astad.compiler.specialise.bases import without_super
from astad.compiler.specialise.foreign import foreign_home, named_from
from astad.compiler.specialise.prepare import merge_returns, names_of, prepare
from astad.compiler.specialise.written_out import (
    Callee,
    Given,
    belongs_to_frame,
    defaulted,
    is_contained,
    literal_defaults,
    matched,
    written_out,
)
from astad.errors import AstadError
from astad.rules.in_force import has_custom_rule
from astad.rules.registry import lookup
from astad.slotted import dataclass, replace

__all__ = ["Asked", "Lower", "Texts"]

Lower = Callable[[FunctionType], Program]


@dataclass(frozen=True, slots=True)
class Asked:
    """A function to be written out, with what its parameters take, and what that relies on."""

    path: str
    cls: str
    fn: FunctionType
    given: Given
    assumed: tuple[str, ...]

    @property
    def guards(self) -> tuple[str, ...]:
        """What is taken for granted: the function, and its code, which reloaders replace; and that
        a property is that very one, since a class derived from it may ask others.
        """
        owner = (self.path.removesuffix(".fget"),) if self.path.endswith(".fget") else ()
        return *owner, self.path, f"{self.path}.__code__", *self.assumed


class Texts:
    """Functions of the user's, each lowered once."""

    def __init__(self, names: Names, space: Space, lower: Lower) -> None:
        self.names = names
        self.space = space
        self.lower = lower
        self.programs: dict[tuple[str, str], Program | None] = {}

    def may_be_opened(self, fn: FunctionType) -> bool:
        """A function of the user's, of whatever module, without closure but for ``super``, that no
        rule stands for.
        """
        own = foreign_home(fn, self.space.namespace) is not None
        own = own and fn.__code__.co_freevars in ((), ("__class__",))
        return own and lookup(fn) is None and not has_custom_rule(fn)

    def asked(self, call: Call, fn: FunctionType, path: str, cls: str = "") -> Asked | None:
        """``cls``: the path of the class of the object that is the first argument, if known."""
        program = self._program(path, fn, cls)
        if program is None:
            return None
        defaults = literal_defaults(fn, program.params)
        given = matched(call, program.params, defaults)
        if given is None:
            return None
        of_defaults = defaulted(path, program.params, given, defaults)
        return Asked(path, cls, fn, given, (*of_defaults, *program.assumed))

    def _program(self, path: str, fn: FunctionType, cls: str) -> Program | None:
        """Ready to be written out; None where it cannot stand in another text."""
        key = (path, cls if fn.__closure__ else "")  # to whom super() goes is told by the class
        if key not in self.programs:
            self.programs[key] = None
            try:
                lowered = self.lower(fn)
            except AstadError:
                return None
            if is_taped(lowered):
                return None
            home = foreign_home(fn, self.space.namespace) or ""
            lowered, names = named_from(lowered, home), names_of(lowered)
            if lowered.free and cls:
                of_base = without_super(lowered, fn, cls, self.space, names, home)
                lowered = of_base or lowered
            program = prepare(lowered, names, self.space)
            body = merge_returns(program.body, names_of(program), program.line, loops=True)
            program = replace(program, body=kept(program.body, body))
            fits = not lowered.free and not any(map(belongs_to_frame, walk(program.body)))
            if fits and is_contained(program, path):
                self.programs[key] = program
        return self.programs[key]

    def written_out(self, call: Call, asked: Asked) -> list[Node]:
        """Parameters bound to the arguments, locals renamed, the result bound to the target."""
        program = self._program(asked.path, asked.fn, asked.cls)
        assert program is not None
        return written_out(call, Callee(asked.path, program, asked.given), self.names)[0]
