"""What an object of a class of the user's is made of, and which function answers for it.

Only for classes whose instances are plain: made by ``object.__new__``, attributes where Python puts
them.

>>> class Point:
...     def __init__(self, x):
...         self.x = x
...     @property
...     def twice(self):
...         return 2 * self.x
>>> is_plain(Point), answering(Point, "Point", "twice")[0]
(True, 'Point.twice.fget')

Which function of the user's answers a call that meets an object made here.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Sequence
from dis import get_instructions
from types import FunctionType
from typing import Any

from astad.compiler.analysis.space import Space
from astad.compiler.ir.containers import ALONE, OF_TUPLES, RECORDS
from astad.compiler.ir.nodes import Call, Const, Operand, Prim, Star
from astad.compiler.ir.prims import BINARY, UNARY
from astad.compiler.specialise.known_values import State, Tree
from astad.originals import builtins

__all__ = ["answered", "fields_of", "is_namedtuple", "raw_attribute", "set_by_bases"]

OPERATORS = {name: f"__{name.rstrip('_')}__" for name in (*BINARY, *UNARY, "getitem")}
del OPERATORS["not_"]  # asks `__bool__`, then `__len__`
"""Operations of the language, and the methods that answer for their first operand."""

REFLECTED = {name: f"__r{name.rstrip('_')}__" for name in BINARY}
"""And the methods that answer for their second, where the first is a number."""

ASKING = {id(builtins.len): "__len__", id(builtins.abs): "__abs__"}
"""Builtins that ask a method of their operand, and give what it gives."""
OWN = ("__getattr__", "__del__", "__init_subclass__", "__set_name__")
Answer = tuple[str, FunctionType, bool]
"""Path, function, whether it takes the object as its first argument."""


def is_plain(cls: Any) -> bool:
    """Is an instance nothing but its attributes?"""
    if type(cls) is not type or issubclass(cls, BaseException):
        return False
    made_by: Any = cls.__new__
    set_by: Any = cls.__setattr__
    read_by: Any = cls.__getattribute__
    plain = made_by is object.__new__ and read_by is object.__getattribute__
    frozen = dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    plain = plain and (set_by is object.__setattr__ or frozen)
    return plain and not any(raw_attribute(cls, name) for name in ("__getattr__", "__del__"))


def is_namedtuple(cls: Any) -> bool:
    """Does a call bind fields, by the ``__new__`` that ``namedtuple`` wrote, and nothing else?"""
    new: Any = getattr(cls, "__new__", None)
    init: Any = cls.__init__
    is_record = type(cls) is type and issubclass(cls, tuple) and hasattr(cls, "_fields")
    written = type(new) is FunctionType and new.__module__.startswith("namedtuple_")
    if not (is_record and written and init is object.__init__):
        return False
    usual = all(raw_attribute(cls, name) is tuple.__dict__[name] for name in OF_TUPLES)
    fields = all(type(raw_attribute(cls, name)) is _FIELD for name in cls._fields)
    return usual and fields and raw_attribute(cls, "__del__") is None


_FIELD = type(namedtuple("Pair", "first").__dict__["first"])
"""What reads a field of a named tuple."""


def path_of(cls: str, space: Space) -> str:
    """Where a class named ``module:Class`` is found, by the name alone if it is the user's module;
    empty if it is not, or is not plain.
    """
    module, _, name = cls.partition(":")
    path = name if module == space.namespace.get("__name__") else cls
    found: Any = space.find(path)
    is_one = isinstance(found, type) and (is_plain(found) or is_namedtuple(found))
    return path if is_one else ""


def raw_attribute(cls: type, name: str) -> Any:
    """The attribute of a class as it stands there, or None."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def answering(cls: type, path: str, name: str) -> Answer | None:
    """The function behind a method, a static method or a property of a class."""
    raw = raw_attribute(cls, name)
    if type(raw) is FunctionType:
        return f"{path}.{name}", raw, True
    if type(raw) is staticmethod and type(raw.__func__) is FunctionType:
        return f"{path}.{name}", raw.__func__, False
    if type(raw) is property and type(raw.fget) is FunctionType:
        return f"{path}.{name}.fget", raw.fget, True
    return None


def set_by_bases(cls: type) -> list[str]:
    """Names of attributes that the constructors of its bases set, and perhaps some more."""
    inits = [base.__dict__.get("__init__") for base in cls.__mro__[1:]]
    codes = [init.__code__ for init in inits if type(init) is FunctionType]
    return [
        str(step.argval)
        for code in codes
        for step in get_instructions(code)
        if step.opname == "STORE_ATTR"
    ]


def fields_of(cls: Any) -> list[tuple[str, bool, Any]] | None:
    """Of a dataclass whose ``__init__`` is the one made for it the fields: name, whether it has a
    default, the default, list or dict where each object gets a new one; None where more is done
    than to set them.
    """
    if not dataclasses.is_dataclass(cls):
        return None
    found: Any = cls
    init = raw_attribute(found, "__init__")
    if "__post_init__" in init.__code__.co_names:
        return None
    words, values = init.__code__.co_varnames[: init.__code__.co_argcount], init.__defaults__ or ()
    defaults = dict(zip(words[len(words) - len(values) :], values, strict=True))
    fields = []
    for field in cls.__dataclass_fields__.values():
        kind = field._field_type  # type: ignore[attr-defined]
        if kind is dataclasses._FIELD_CLASSVAR:  # type: ignore[attr-defined]
            continue
        factory = field.default_factory
        made = factory is not dataclasses.MISSING and factory not in (list, dict)
        if kind is not dataclasses._FIELD or made or not field.init or field.kw_only:  # type: ignore[attr-defined]
            return None
        default = factory if factory in (list, dict) else defaults.get(field.name)
        fields.append((field.name, field.name in defaults, default))
    return fields if [name for name, *_ in fields] == [*words[1:]] else None


# --- which function answers a call


Answered = tuple[Sequence[Operand | Star], str]
"""The operands of the call that answers, and the path of the function or class."""


def answered(node: Call, state: State) -> Answered | None:
    """The operands of the call that answers, and the path of the function or class."""
    if isinstance(node.fn, Prim):
        return _of_prim(node, node.fn.name, state)
    known = state.known(node.fn)
    if isinstance(known, Tree):
        return _method(known, "__call__", (node.fn, *node.args), state)
    path = state.paths.get(str(node.fn))
    found = state.space.find(path) if path is not None else None
    if path is None or found is Space.nothing:
        return None
    if id(found) in ASKING and len(node.args) == 1 and not node.keywords:
        asked = state.known(node.args[0])
        if isinstance(asked, Tree) and asked.cls:
            answer = _method(asked, ASKING[id(found)], node.args, state)
            if answer is not None:
                state.assumed.add(path)
            return answer
    if isinstance(found, type):
        return (node.args, path) if is_plain(found) or is_namedtuple(found) else None
    handed = [*node.args, *(value for _, value in node.keywords)]
    trees = [state.known(arg) for arg in handed]
    has_object = any(isinstance(tree, Tree) and tree.cls for tree in trees)
    return (node.args, path) if has_object and type(found) is FunctionType else None


def _of_prim(node: Call, name: str, state: State) -> Answered | None:
    tree = state.known(node.args[0]) if node.args else None
    if name == "method" and str(node.args[0]) in state.paths:
        return _of_class(node, state.paths[str(node.args[0])], state)
    if not isinstance(tree, Tree) or not tree.cls:
        return _reflected(node, name, state) if name in REFLECTED else None
    cls: Any = state.space.find(tree.cls)
    if name in ("method", "getattr") and isinstance(node.args[1], Const):
        word = str(node.args[1].value)
        if word in tree.keys:
            return None
        if name == "method":
            return _method(tree, word, (node.args[0], *node.args[2:]), state)
        is_property = type(raw_attribute(cls, word)) is property
        return _method(tree, word, node.args[:1], state) if is_property else None
    in_place = name in ("iadd", "isub", "imul")
    special = OPERATORS.get(name[1:] if in_place else name)
    if special is None or node.keywords or (in_place and raw_attribute(cls, f"__{name}__")):
        return None
    found = _method(tree, special, node.args, state)
    if found is not None and in_place:
        state.rely(tree.cls, f"__{name}__")  # Python asks it first
    return found


def _reflected(node: Call, name: str, state: State) -> Answered | None:
    """``2.0 * v``: a float or an int leaves it to the object."""
    tree = state.known(node.args[1])
    if not isinstance(tree, Tree) or not tree.cls or not state.is_plain_number(node.args[0]):
        return None
    return _method(tree, REFLECTED[name], (node.args[1], node.args[0]), state)


def _method(tree: Tree, name: str, args: Sequence[Operand | Star], state: State) -> Answered | None:
    """``args`` begin with the object."""
    cls: Any = state.space.find(tree.cls)
    found = answering(cls, tree.cls, name) if isinstance(cls, type) else None
    if found is None:
        return None
    path, fn, takes_object = found
    if name in REFLECTED.values() and "NotImplemented" in fn.__code__.co_names:
        return None
    if name in OPERATORS.values() and not _asks_it_first(cls, fn, tree.cls, args[1:], state):
        return None
    state.rely(tree.cls, name, *(("__getattr__",) if path.endswith(".fget") else ()))
    return (args if takes_object else args[1:]), path


def _asks_it_first(
    cls: type, fn: FunctionType, path: str, others: Sequence[Operand | Star], state: State
) -> bool:
    """Is it this method that Python asks, and no other? An object of a class derived from this one
    is asked before: where the other operand may be such an object, there must be no such class.
    """
    known = [state.known(other) for other in others]
    records = [one for one in known if isinstance(one, Tree) and one.form in RECORDS]
    kinds = [state.space.find(one.cls) for one in records]
    if "NotImplemented" in fn.__code__.co_names or any(kind is not cls for kind in kinds):
        return False
    if all(map(state.is_no_object, others)):
        return True
    if cls.__subclasses__():
        return False
    state.rely(path, ALONE)
    return True


def _of_class(node: Call, path: str, state: State) -> Answered | None:
    """``C.made(x)`` of a class or static method."""
    cls: Any = state.space.find(path)
    if not isinstance(cls, type) or not isinstance(node.args[1], Const):
        return None
    name, rest = str(node.args[1].value), node.args[2:]
    raw = raw_attribute(cls, name)
    if type(raw) is classmethod and type(raw.__func__) is FunctionType:
        return (node.args[0], *rest), f"{path}.{name}.__func__"
    is_plain_function = type(raw) is staticmethod or type(raw) is FunctionType
    found = answering(cls, path, name) if is_plain_function else None
    return None if found is None else (rest, found[0])
