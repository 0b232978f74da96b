"""What the user's global names stand for while a function is compiled.

Names of a program that stand for the user's globals: modules, functions, numbers, arrays.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, ClassVar

import numpy as np

from astad.code_objects import CAPTURED, captured_at
from astad.compiler.ir.kinds import FLOAT, Kind, is_array, is_listing
from astad.compiler.ir.nodes import Call, Const, Prim, Program
from astad.compiler.ir.outline import outline
from astad.originals import builtins, is_original
from astad.rules.in_force import has_custom_rule, module_named
from astad.rules.registry import lookup

__all__ = ["Space", "find_known", "reads_lists"]

OF_CLASSES = (FunctionType, MethodType, property, float, int)
"""What is known of the attributes of a class."""
DATA = (list, np.ndarray, float, int, complex, str, type(None))
"""Types of data that others may take the place of, of which a text may make more."""
OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__")
OF_METHODS = ((property, "fget"), (MethodType, "__func__"))
"""Where the functions of properties and of class methods lie."""


class Space:
    """Names of one function's globals and builtins, as they stand when the function is compiled.

    ``assumed`` collects every dotted path the compiler relied on, with the object it stood for: the
    guards. ``met`` collects the paths of data of which it relied on the kind alone, by
    ``kind_of``; ``instances`` by the path of a class the attributes of which it relied on that
    they lie in the instances; ``silent`` by the path of a logger the level from which on it is to
    be silent. ``Space.nothing`` stands for what is not found.

    Numbers that a class holds are known only where ``class_numbers``: anybody may write them;
    ``numbers`` are the paths of those that were found.

    ``written`` holds, by the id of a namespace, the namespace and the names in it that have held
    numbers with a derivative, or that a program binds anew: these are no constants. ``is_rebound``
    tells so of a class or function; nothing is known of that. ``derivatives`` makes functions that
    compute gradients, as `compiler/specialise/nested.py` asks for them; all are filled by whoever
    has a program compiled.

    ``no_kind``: paths of data of no kind that is known. With other data there the text may be
    another.

    ``held``: functions that the program has captured and that are written out in it, by the paths
    that they have there.

    ``catches``: what the text raises may be caught by who called it. ``again``: the gradient that
    is written is itself differentiated.
    """

    nothing = object()
    written: ClassVar[Mapping[int, tuple[Any, Collection[str]]]] = {}
    is_rebound: ClassVar[Any] = None
    derivatives: ClassVar[Any] = None

    def __init__(
        self, namespace: Mapping[str, Any], kind_of: Callable[[object], Kind] | None = None
    ) -> None:
        self.namespace = namespace
        self.kind_of = kind_of
        self.assumed: dict[str, object] = {}
        self.met: dict[str, Kind] = {}
        self.instances: dict[str, dict[str, None]] = {}
        self.silent: dict[str, int] = {}
        self.class_numbers = True
        self.catches = False
        self.again = False
        self.held: Mapping[str, FunctionType] = {}
        self.numbers: dict[str, None] = {}
        self.no_kind: dict[str, None] = {}

    def find(self, path: str) -> object:
        """The object of a dotted path of modules, of the code or defaults of a function, or of
        a method, or ``nothing``, as it is too for a class or function to which the program binds
        anew. Behind the name of another module and a colon stands a path of its own globals.
        """
        module, _, names = path.rpartition(":")
        head, *rest = names.split(".")
        home = module_named(module) if module else None
        if module and home is None:
            return Space.nothing  # it has been removed from there since the path was written
        namespace = vars(home) if home is not None else self.namespace
        if self._is_written(namespace, head):
            return Space.nothing
        found = namespace[head] if head in namespace else self._builtin(head)
        moves = Space.is_rebound
        for name in rest:
            if moves is not None and moves(found):
                return Space.nothing
            if name.startswith(CAPTURED):
                whole = self.kind_of is not None  # else somebody may write the cell
                found = captured_at(found, name, Space.nothing) if whole else Space.nothing
                if isinstance(found, (int, float)):
                    self.numbers[path] = None
                    return found if self.class_numbers and name == rest[-1] else Space.nothing
                continue
            if name == "__mro__" and type(found) is type:
                return found.__mro__ if name == rest[-1] else Space.nothing
            if issubclass(type(found), ModuleType):
                if self._is_written(vars(found), name):
                    return Space.nothing
                found = getattr(found, name, Space.nothing)
                continue
            of_code = name in OF_FUNCTIONS and type(found) is FunctionType
            of_class = issubclass(type(found), type) or (type(found), name) in OF_METHODS
            if not (of_code or of_class):
                return Space.nothing
            if issubclass(type(found), type) and not _is_of_class(found, name):
                return Space.nothing
            found = getattr(found, name, Space.nothing)
            if of_class and not issubclass(type(found), OF_CLASSES):
                return Space.nothing  # no program is known: what is asked for is a function
            if of_class and isinstance(found, (int, float)):
                self.numbers[path] = None
                return found if self.class_numbers and name == rest[-1] else Space.nothing
        return Space.nothing if moves is not None and moves(found) else found

    def _builtin(self, name: str) -> Any:  # whatever it stands for
        """What a builtin name stands for; one that was bound anew is looked up where it is read."""
        return getattr(builtins, name, Space.nothing) if is_original(name) else Space.nothing

    def builtins_assumed(self) -> list[str]:
        """The paths of builtins, among those assumed and what these begin with, that no global of
        their module hides."""
        found = dict[str, None]()
        for path in self.assumed:
            module, colon, names = path.rpartition(":")
            head = names.partition(".")[0]
            home = module_named(module)
            namespace = vars(home) if home is not None else {} if module else self.namespace
            if hasattr(builtins, head) and head not in namespace:
                found[f"{module}{colon}{head}"] = None
        return [*found]

    def forget_class_numbers(self) -> None:
        """From now on they are not known."""
        self.class_numbers = False
        for path in self.numbers:
            self.assumed.pop(path, None)

    def rely(self, cls: str, names: Iterable[str]) -> None:
        """Take it that instances of the class hold these attributes themselves."""
        self.instances.setdefault(cls, {}).update(dict.fromkeys(names))

    def rely_on_silence(self, path: str, level: int) -> None:
        """Take it that the logger writes nothing of this level."""
        self.silent[path] = min(level, self.silent.get(path, level))

    def _is_written(self, namespace: Mapping[str, Any], name: str) -> bool:
        known = Space.written.get(id(namespace)) if Space.written else None
        return known is not None and known[0] is namespace and name in known[1]

    def assume(self, path: str) -> object:
        if path in self.assumed:
            return self.assumed[path]
        found = self.find(path)
        if found is not Space.nothing:
            self.assumed[path] = found
        return found

    def data_at(self, path: str) -> Kind | None:
        """The kind of an array under this path, or of a float or a list of numbers under a name of
        the module's own; None for all else (a constant like math.pi is known by value), or if kinds
        of data are not asked for.
        """
        if self.kind_of is None:
            return None
        kind = self.kind_of(found := self.find(path))
        is_own = "." not in path.rpartition(":")[2]
        if is_array(kind) or (is_own and (kind == FLOAT or is_listing(kind))):
            return kind
        if any(type(found) is each for each in DATA) or CAPTURED in path:
            self.no_kind[path] = None
        return None


def _is_of_class(cls: type, name: str) -> bool:
    """Does the class hold it, or one of its bases, and its metaclass nothing of that name? Then to
    look it up runs nothing of the user's.
    """
    meta = type(cls)
    if meta is not type and any(name in vars(each) for each in type.mro(meta)):
        return False
    raw = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    return issubclass(type(raw), (*OF_CLASSES, staticmethod, classmethod))


# --- names of a program


LOOKUPS = GLOBAL, GETATTR = Prim("global"), Prim("getattr")


def find_known(
    program: Program,
    space: Space,
    paths: dict[str, str],
    known: dict[str, object],
    data: dict[str, tuple[str, Kind]],
) -> None:
    """What global names stand for, through attributes of modules: its path, and the object itself,
    or of data the kind.
    """
    found_in = outline(program)
    lookups = [call for call in found_in.calls if call.fn in LOOKUPS]
    again = _looked_up_again(program, [n for n in lookups if n.target not in found_in.once])
    for node in lookups:
        is_one = node.target in found_in.once or node.target in again
        path = _path(node, paths) if is_one else None
        if path is None or not isinstance(node.target, str):
            continue
        if (kind := space.data_at(path)) is not None:
            data.setdefault(node.target, (path, kind))
        elif _is_stable(found := space.find(path)):
            paths.setdefault(node.target, path)
            known.setdefault(node.target, found)


def reads_lists(program: Program, space: Space) -> bool:
    """Is a list of numbers among the user's globals that it reads?"""
    if space.kind_of is None:
        return False
    paths = [_path(node, {}) for node in outline(program).calls_of("global")]
    kinds = [space.data_at(path) for path in paths if path is not None]
    return any(kind is not None and is_listing(kind) for kind in kinds)


def _looked_up_again(program: Program, lookups: Sequence[Call]) -> set[str]:
    """Temporaries that each round of a loop that was written out binds to the same lookup.

    Of those ``lookups`` whose name others bind too.
    """
    seen: dict[str, set[tuple[object, ...]]] = {}
    times: Counter[str] = Counter()
    for node in lookups:
        if isinstance(node.target, str):
            seen.setdefault(node.target, set()).add((node.fn, *node.args))
            times[node.target] += 1
    bound = outline(program).bound
    return {
        name
        for name, what in seen.items()
        if times[name] > 1 and len(what) == 1 and times[name] == bound[name]
        if name not in program.taken
    }


def _path(node: Call, paths: dict[str, str]) -> str | None:
    """The dotted path of what a call looks up among the user's globals."""
    word = node.args[0 if node.fn is GLOBAL else 1]
    assert isinstance(word, Const)
    if node.fn is GLOBAL:
        return str(word.value)
    owner = paths.get(str(node.args[0]))
    return None if owner is None else f"{owner}.{word.value}"


def _is_stable(found: object) -> bool:
    if has_custom_rule(found) and not (type(found) is FunctionType and lookup(found) is None):
        return False  # astad knows it by itself, but the user's rule is the one in force
    stable = (ModuleType, BuiltinFunctionType, FunctionType, type, np.ufunc, float, int)
    return issubclass(type(found), stable) or lookup(found) is not None or is_logger(found)


def is_logger(found: object) -> bool:
    """Is it what `logging.getLogger` gives?"""
    logging = sys.modules.get("logging")
    return logging is not None and type(found) is logging.Logger
