"""What a program may bind anew while it runs: attributes of classes, functions and modules that a
text would otherwise read by their paths.

Read off the code of the program and of all that it leads to, before a text is looked for. A store
whose owner has a path is taken as it stands; of others, in a helper that is given the class, every
class that the program leads to is taken, where it has a method of that name. A store into the first
argument of a method goes into an instance, and counts for nothing.

>>> class Spring:
...     __module__ = "springs"
...     def force(self, x): return -x
>>> def softened(x):
...     Spring.force = lambda self, x: -0.5 * x
...     return Spring().force(x)
>>> softened.__module__ = "springs"
>>> from astad.runtime.core.rebound import is_rebound
>>> note_rebinding(FunctionType(softened.__code__, {"Spring": Spring, "__name__": "springs"}))
>>> is_rebound(Spring)
True
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from opcode import opmap
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from astad.api.variants.ruled import LIBRARIES
from astad.code_objects import codes_in, own_names
from astad.originals import builtins
from astad.runtime.core.rebound import OF_FUNCTIONS, behind_raw, is_part, note_rebound
from astad.runtime.core.variants import forget_all, note_written
from astad.runtime.cotangents.snapshots import is_full
from astad.tangents.unasked import lookup_in_class, mro_of
from astad.tangents.zero import MADE_BY_CLASS

if TYPE_CHECKING:
    from dis import Instruction

__all__ = ["note_rebinding"]

MOST = 2000
"""Functions that are looked at."""
_SETTING = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_NAMESPACES = frozenset({"globals", "vars", "__dict__", "__globals__"})
_FILLING = frozenset({"update", "pop", "setdefault", "__setitem__", "__delitem__"})
_OWN_OF_OBJECTS = frozenset({
    "__annotations__", "__class__", "__dict__", "__doc__", "__module__", "__name__", "__qualname__",
    "__wrapped__",
})  # fmt: skip
"""Names that are set on objects and functions, and answer for no operation."""
_SPECIAL = frozenset(
    name
    for kind in (object, type, float, list, dict, FunctionType)
    for name in (*dir(kind), "__bool__", "__getattr__", "__setattr__", "__delattr__")
    if name[:2] == name[-2:] == "__"
) - (_OWN_OF_OBJECTS | OF_FUNCTIONS)


def note_rebinding(fn: FunctionType, given: Sequence[Any] = ()) -> None:
    """Take note of what the program may bind anew, ``given`` these arguments; what was compiled
    before goes.
    """
    program = _Program(fn, given)
    if program.stores or program.items or program.globals:
        program.note()
    if program.found:
        forget_all()


# --- one code object ------------------------------------------------------------------------------


class _Store(NamedTuple):
    """``A.B.m = v``: the words before the last, of which the first is a variable of the function's
    own if ``is_local``; the name is None where it is computed.
    """

    chain: tuple[str, ...]
    is_local: bool
    name: str | None


class _Stores(NamedTuple):
    attributes: tuple[_Store, ...]
    globals: tuple[str, ...]
    items: bool


_known: WeakKeyDictionary[CodeType, _Stores] = WeakKeyDictionary()


def _stores_in(code: CodeType) -> _Stores:
    found = _known.get(code)
    if found is None:
        found = _known[code] = _stores_of(code)
    return found


def _stores_of(code: CodeType) -> _Stores:
    names = set(code.co_names)
    done = set(code.co_code[::2])
    items = not done.isdisjoint(_ITEMS) or not names.isdisjoint(_FILLING)
    told = _SETTING | {"__defaults__", "__kwdefaults__"}
    if done.isdisjoint(_ATTRIBUTES) and names.isdisjoint(told):
        return _Stores((), (), items)
    from dis import get_instructions  # late: most code stores no attribute

    steps = [step for step in get_instructions(code) if step.opname not in _SILENT]
    found = [each for at in range(len(steps)) for each in _store_at(steps, at)]
    bound = [s.argval for s in steps if s.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")]
    return _Stores(tuple(found), tuple(bound), items)


_ITEMS = {opmap[name] for name in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE") if name in opmap}
_ATTRIBUTES = {
    opmap[name] for name in ("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL")
}
_SILENT = ("CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "PUSH_NULL")
_VARIABLES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")


def _store_at(steps: list[Instruction], at: int) -> Iterator[_Store]:
    step = steps[at]
    if step.opname in ("STORE_ATTR", "DELETE_ATTR"):
        yield _Store(*_before(steps, at), step.argval)
    elif step.opname.startswith("LOAD_") and step.argval in _SETTING:
        chain, is_local, end = _behind(steps, at + 1)
        told = steps[end] if end < len(steps) else None
        is_known = told is not None and told.opname == "LOAD_CONST" and type(told.argval) is str
        yield _Store(chain, is_local, told.argval if is_known and told is not None else None)
    elif step.opname == "LOAD_ATTR" and step.argval in ("__defaults__", "__kwdefaults__"):
        yield _Store(*_before(steps, at), step.argval)


def _before(steps: list[Instruction], at: int) -> tuple[tuple[str, ...], bool]:
    """The words of the owner that was loaded just before; none where it was computed."""
    words: list[str] = []
    at -= 1
    while at >= 0 and steps[at].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        words.append(steps[at].argval)
        at -= 1
    word = _variable(steps[at], -1) if at >= 0 else None
    if word is None:
        return (), True
    return (word, *words[::-1]), steps[at].opname not in _VARIABLES


def _behind(steps: list[Instruction], at: int) -> tuple[tuple[str, ...], bool, int]:
    """The words of the owner that is loaded next, and where they end."""
    word = _variable(steps[at], 0) if at < len(steps) else None
    if word is None:
        return (), True, len(steps)
    words, is_local = [word], steps[at].opname not in _VARIABLES
    at += 1
    while at < len(steps) and steps[at].opname in ("LOAD_ATTR", "LOAD_METHOD"):
        words.append(steps[at].argval)
        at += 1
    return tuple(words), is_local, at


def _variable(step: Instruction, which: int) -> str | None:
    if step.opname in _VARIABLES:
        return str(step.argval)
    if not step.opname.startswith("LOAD_FAST"):
        return None
    return str(step.argval[which] if type(step.argval) is tuple else step.argval)


def _strings_in(code: CodeType) -> frozenset[str]:
    """What names may be made of: constants, also in tuples of such, and names of keywords."""
    found: set[str] = set()
    for const in code.co_consts:
        if type(const) is str and const.isidentifier():
            found.add(const)
        elif type(const) is tuple:
            found.update([each for each in const if type(each) is str and each.isidentifier()])
    return frozenset(found)


# --- all that a function leads to -----------------------------------------------------------------


class _Program:
    """The functions, classes and modules of the user's that a function leads to, and what they
    store.
    """

    def __init__(self, fn: FunctionType, given: Sequence[Any]) -> None:
        self.functions: dict[int, FunctionType] = {}
        self.classes: dict[int, type] = {}
        self.spaces: dict[int, dict[str, Any]] = {}
        self.methods: set[int] = set()
        self.containers: set[int] = set()
        self.words: set[str] = set()
        self.stores: list[tuple[FunctionType, _Store]] = []
        self.globals: list[tuple[FunctionType, str]] = []
        self.fills = self.asks_spaces = self.found = False
        self.waiting: list[FunctionType] = []
        self.values: list[tuple[Any, Sequence[str]]] = [(value, ()) for value in given]
        self._take(fn)
        while self.waiting or self.values:
            while self.values:
                self._visit(*self.values.pop())
            if self.waiting:
                self._look_into(self.waiting.pop())

    @property
    def items(self) -> bool:
        """May it write a namespace as a dict?"""
        return self.fills and self.asks_spaces

    def _take(self, fn: FunctionType) -> None:
        if id(fn) not in self.functions and len(self.functions) < MOST:
            self.functions[id(fn)] = fn
            self.waiting.append(fn)

    def _look_into(self, fn: FunctionType) -> None:
        space = fn.__globals__
        self.spaces[id(space)] = space
        for code in codes_in(fn.__code__):
            stores = _stores_in(code)
            self.stores += [(fn, each) for each in stores.attributes]
            self.globals += [(fn, name) for name in stores.globals]
            self.fills |= stores.items
            self.asks_spaces |= not _NAMESPACES.isdisjoint(code.co_names)
            names = own_names(code)
            for name in names:
                found = space[name] if name in space else sys.modules.get(name)
                self.values.append((found, names))
        for cell in fn.__closure__ or ():
            if is_full(cell):
                self.values.append((cell.cell_contents, own_names(fn.__code__)))
        words = fn.__kwdefaults__ or {}
        self._look_at(*(fn.__defaults__ or ()), *words.values(), vars(fn).get("__wrapped__"))

    def _look_at(self, *values: Any) -> None:
        self.values += [(value, ()) for value in values]

    def _visit(self, value: Any, names: Sequence[str]) -> None:
        """``names`` are those by which its parts may be asked for."""
        kind = type(value)
        if kind is FunctionType:
            if _is_users(value.__module__):
                self._take(value)
        elif issubclass(kind, ModuleType):
            if _is_users(value.__name__):
                self.spaces[id(vars(value))] = vars(value)
                self._look_at(*[vars(value).get(name) for name in names])
        elif issubclass(kind, type):
            self._visit_class(value)
        elif kind is MethodType:
            self._look_at(value.__func__, value.__self__)
        elif kind is partial:
            self._look_at(value.func, *value.args, *value.keywords.values())
        elif kind is list or kind is tuple or kind is dict:
            self._visit_container(value)
        elif kind is str:
            self.words.add(value)
        elif kind.__flags__ & MADE_BY_CLASS:
            self._visit_class(kind)
        elif kind is _CACHE:
            self._look_at(value.__wrapped__)

    def _visit_container(self, value: Any) -> None:
        if id(value) in self.containers:
            return
        self.containers.add(id(value))
        if type(value) is dict and "__builtins__" in value:
            self.asks_spaces = True
            return
        if type(value) is dict:
            self._look_at(*islice(value, _MOST_ITEMS), *islice(value.values(), _MOST_ITEMS))
        else:
            self._look_at(*value[:_MOST_ITEMS])

    def _visit_class(self, cls: type) -> None:
        if (
            id(cls) in self.classes
            or not cls.__flags__ & MADE_BY_CLASS
            or not _is_users(cls.__module__)
        ):
            return
        self.classes[id(cls)] = cls
        for raw in list(vars(cls).values()):
            for fn in behind_raw(raw):
                self._take(fn)
                if type(raw) is not classmethod and not issubclass(cls, type):
                    self.methods.add(id(fn))
            if issubclass(type(raw), type):
                self._visit_class(raw)
        for base in (*cls.__bases__, type(cls)):
            self._visit_class(base)

    # -- what is noted

    def note(self) -> None:
        """Take note of all that may be bound anew."""
        strings = self.words.union(
            *[_strings_in(c) for fn in self.functions.values() for c in codes_in(fn.__code__)]
        )
        held = {str(s.name) for fn, s in self.stores if self._is_of_instance(fn, s)}
        anywhere: set[str] = set()
        for fn, store in self.stores:
            if self._is_of_instance(fn, store):
                continue
            owner = _owner(fn, store)
            names = strings if store.name is None else (store.name,)
            if owner is None:
                anywhere.update(names)
            else:
                self._note_of(owner, names, held)
        self._note_anywhere(anywhere)
        for fn, name in self.globals:
            self._note_global(fn.__globals__, name)
        if self.items:
            for space in self.spaces.values():
                for name in strings:
                    self._note_global(space, name)

    def _is_of_instance(self, fn: FunctionType, store: _Store) -> bool:
        first = fn.__code__.co_varnames[:1] if fn.__code__.co_argcount else ()
        return id(fn) in self.methods and store.is_local and store.chain == first

    def _note_of(self, owner: Any, names: Iterable[str], held: set[str]) -> None:
        """Names that are bound on what a path stands for."""
        if issubclass(type(owner), ModuleType):
            for name in names:
                self._note_global(vars(owner), name)
        elif type(owner) is FunctionType:
            self._note(owner, OF_FUNCTIONS.intersection(names))
        elif issubclass(type(owner), type):
            self._note(owner, [name for name in names if _answers(owner, name, held)])

    def _note_anywhere(self, names: set[str]) -> None:
        """Names that are bound on something, perhaps a class."""
        special = names & _SPECIAL
        for cls in self.classes.values():
            own = [name for name in names & vars(cls).keys() if _is_bound_once(vars(cls)[name])]
            self._note(cls, [*own, *special])
        of_functions = names & OF_FUNCTIONS
        if of_functions:
            for fn in self.functions.values():
                self._note(fn, of_functions)
        for space in self.spaces.values():
            for name in names & space.keys():
                self._note_global(space, name)

    def _note(self, owner: Any, names: Iterable[str]) -> None:
        for name in names:
            self.found |= note_rebound(owner, name)

    def _note_global(self, space: dict[str, Any], name: str) -> None:
        value = space.get(name, getattr(builtins, name, None))
        if not is_part(value) and not issubclass(type(value), ModuleType):
            return
        self.found |= note_written(space, name)


def _is_users(module: Any) -> bool:
    return type(module) is not str or (
        module == "__main__" or module.partition(".")[0] not in LIBRARIES
    )


_MOST_ITEMS = 50
_CACHE = type(lru_cache(lambda: None))


def _owner(fn: FunctionType, store: _Store) -> Any:
    """What the words before the name stand for now; None where that is not known."""
    if store.is_local:
        return None
    first, *rest = store.chain
    if first in fn.__code__.co_freevars:
        cell = (fn.__closure__ or ())[fn.__code__.co_freevars.index(first)]
        found = cell.cell_contents if is_full(cell) else None
    else:
        found = fn.__globals__.get(first)
    for word in rest:
        if not issubclass(type(found), (ModuleType, type)) and type(found) is not FunctionType:
            return None
        found = getattr(found, word, None)
    return found.__func__ if type(found) is MethodType else found


def _answers(cls: Any, name: str, held: set[str]) -> bool:
    """Is it asked of the class, or held by its instances? A number that a class counts in is
    neither.
    """
    if name[:2] == name[-2:] == "__":
        return name not in _OWN_OF_OBJECTS
    is_known = is_part(lookup_in_class(cls, name)) or name in held
    return is_known or any(name in _fields(base) for base in mro_of(cls))


def _fields(cls: type) -> Iterable[str]:
    return vars(cls).get("__annotations__", ()) if cls.__flags__ & MADE_BY_CLASS else ()


def _is_bound_once(raw: Any) -> bool:
    """The same, of what a store into an instance does not reach."""
    if type(raw) is property:
        return raw.fset is None
    return is_part(raw) and not hasattr(type(raw), "__set__")
