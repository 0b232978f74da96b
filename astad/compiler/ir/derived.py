"""A derived program: the functions that one of the user's becomes, before they are printed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from operator import attrgetter, is_

from astad.compiler.ir.kinds import Kind
from astad.compiler.ir.nodes import Block, Outlined, Ref, immutable
from astad.slotted import field

__all__ = ["Derived", "Function", "Method"]


@immutable
class Function(Outlined):
    """One generated function."""

    name: str
    params: tuple[str, ...]
    body: Block


@immutable
class Method:
    """Of arrays, called like a function: it takes ``most`` operands by position, the array among
    them, and ``words`` as keywords.
    """

    name: str
    most: int
    words: frozenset[str]


@immutable
class Derived:
    """The generated functions of a program, forward first.

    ``shadows`` tells whether the table of shadows is read, ``local_result`` whether the
    result's cotangent is handed over by value even where it is an array, ``taken`` the user's
    names. ``kinds`` has what is proved of the names of the forward sweep, ``called`` those that
    stand for a function of ``math``, ``floats`` the names that hold a Python float whenever they
    are read, ``numbers`` those that hold a number: no array, nothing that is changed in place.
    ``seed`` is the parameter by which the cotangent of a result that is a number comes. ``steady``
    are arrays whose elements nobody changes while a name stands for them; ``shapes`` has, of arrays
    of floats of a fused form, something that is equal for equal shapes, ``ufuncs`` names of such
    functions and how many operands they take, ``sums`` names of those that reduce an array.
    ``numpy`` has, of names that stand for a function of NumPy, what it is called there, and
    ``methods`` the methods of arrays that do the same.
    """

    functions: tuple[Function, ...]
    shadows: bool
    local_result: bool
    taken: frozenset[str]
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    called: Mapping[str, Ref] = field(default_factory=dict)
    floats: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    seed: str = ""
    steady: frozenset[str] = frozenset()
    shapes: Mapping[str, Hashable] = field(default_factory=dict)
    ufuncs: Mapping[str, int] = field(default_factory=dict)
    sums: frozenset[str] = frozenset()
    numpy: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, Method] = field(default_factory=dict)

    def with_bodies(self, change: Callable[[Function], Block]) -> Derived:
        """With another body for each function; itself where all stay."""
        made = [(function, change(function)) for function in self.functions]
        functions = tuple(
            [f if body is f.body else Function(f.name, f.params, body) for f, body in made]
        )
        if all(map(is_, functions, self.functions)):
            return self
        return Derived(functions, *OTHERS(self))


OTHERS = attrgetter(*Derived.__match_args__[1:])
"""All but the functions: ``replace`` takes longer than a small pass."""
