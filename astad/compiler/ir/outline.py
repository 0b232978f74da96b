"""All statements of a text in order, and how often names are read and bound.

Made once for each program and each generated function: most passes start from it, and what a text
does not hold costs them nothing.

>>> from astad.compiler.lower.function import program_of
>>> found = outline(program_of('''
...     y = x * x
...     if y > 0.0:
...         y = sin(y)
... '''))
>>> len(found.nodes), found.read["x"], sorted(found.once), len(found.calls_of("mul"))
(4, 2, ['t_1'], 1)

Programs whose steps lie on a tape: with ``try``, and generators.

>>> from astad.compiler.lower.function import program_of
>>> is_taped(program_of("yield x")), is_taped(program_of("y = x"))
(True, False)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

from astad.compiler.ir.derived import Function
from astad.compiler.ir.nodes import Call, Node, Prim, Program, Ref, Try, walk

__all__ = ["Outline", "YIELD", "is_generator", "is_taped", "is_yield", "outline"]

Found = TypeVar("Found")


class _Part(Generic[Found]):
    """As `functools.cached_property`, without the lock that it has in Python 3.11, one for all
    objects: a process forked while another thread holds it would wait for ever.
    """

    def __init__(self, find: Callable[[Any], Found]) -> None:
        self.find = find

    def __get__(self, whole: Any, kind: type) -> Found:
        found = vars(whole)[self.find.__name__] = self.find(whole)
        return found


class Outline:
    """Each part is found out when it is first asked for.

    ``read`` and ``bound`` count by name, ``single`` has the names that one statement alone binds,
    ``once`` those of them that are no parameters; ``prims`` are the calls of each operation of the
    language, ``refs`` those of functions that generated text calls, by their names; ``sorts`` the
    types of the nodes.
    """

    def __init__(self, text: Program | Function) -> None:
        self.nodes = tuple(walk(text.body))
        self.params = text.params

    @_Part
    def sorts(self) -> frozenset[type[Node]]:
        return frozenset(map(type, self.nodes))

    @_Part
    def calls(self) -> tuple[Call, ...]:
        return tuple([node for node in self.nodes if type(node) is Call])

    @_Part
    def read(self) -> Mapping[str, int]:
        return Counter(chain.from_iterable([node.read for node in self.nodes]))

    @_Part
    def bound(self) -> Mapping[str, int]:
        return Counter(chain.from_iterable([node.bound for node in self.nodes]))

    @_Part
    def single(self) -> frozenset[str]:
        return frozenset([name for name, times in self.bound.items() if times == 1])

    @_Part
    def once(self) -> frozenset[str]:
        return self.single.difference(
            [param if isinstance(param, str) else param.name for param in self.params]
        )

    @_Part
    def prims(self) -> Mapping[str, Sequence[Call]]:
        found: dict[str, list[Call]] = defaultdict(list)
        for call in self.calls:
            if type(call.fn) is Prim:
                found[call.fn.name].append(call)
        return {**found}

    @_Part
    def refs(self) -> Mapping[str, Sequence[Call]]:
        found: dict[str, list[Call]] = defaultdict(list)
        for call in self.calls:
            if type(call.fn) is Ref:
                found[call.fn.name].append(call)
        return {**found}

    def calls_of(self, *names: str) -> tuple[Call, ...]:
        """The calls of these operations; those of one in the order of the text."""
        return tuple([call for name in names for call in self.prims.get(name, ())])

    def calls_to(self, ref: Ref) -> list[Call]:
        """The calls of this function, in the order of the text."""
        return [call for call in self.refs.get(ref.name, ()) if call.fn == ref]


def outline(text: Program | Function) -> Outline:
    """The one outline of a program, or of a function."""
    try:
        return text.outline  # type: ignore[return-value]
    except AttributeError:
        found = Outline(text)
        object.__setattr__(text, "outline", found)  # a note: the text stays equal to itself
        return found


# --- programs whose steps lie on a tape


YIELD = Prim("yield")


def is_taped(program: Program) -> bool:
    """Is there a ``try``, or is it a generator? Such a program has neither specialised variants nor
    a fused form, and is not written out in another.
    """
    found = outline(program)
    return Try in found.sorts or bool(found.calls_of("yield"))


def is_yield(node: Node) -> bool:
    return isinstance(node, Call) and node.fn == YIELD


def is_generator(program: Program) -> bool:
    return bool(outline(program).calls_of("yield"))
