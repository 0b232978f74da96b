"""What the generator knows of each variable, so that the program it writes runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of value.

    name : float, int, array, list, tuple, dict, object, function
    shape : of an array
    parts : of a tuple one kind each; of a list its element's kind; of a dict and an object pairs
        (key, kind); of a function its parameters' kinds, then its result's
    size : a list has at least this many elements; an int is below it and not negative
    tag : the class of an object
    """

    name: str
    shape: tuple = ()
    parts: tuple = ()
    size: int = 0
    tag: str = ""


FLOAT = Kind("float")


def count(below):
    return Kind("int", size=below)


def array(*shape):
    return Kind("array", shape)


def list_of(kind, size):
    return Kind("list", parts=(kind,), size=size)


def tuple_of(*kinds):
    return Kind("tuple", parts=kinds)


def dict_of(**kinds):
    return Kind("dict", parts=tuple(kinds.items()))


def object_of(tag, **kinds):
    return Kind("object", parts=tuple(kinds.items()), tag=tag)


def function_of(*kinds):
    return Kind("function", parts=kinds)


@dataclass
class Variable:
    """A name in scope. A fixed one is not rebound; a frozen one is iterated over just now."""

    kind: Kind
    fixed: bool = False
    frozen: bool = False


@dataclass(frozen=True)
class Helper:
    """A function of the module: how to call it, and whether it writes its arguments."""

    name: str
    parameters: tuple
    result: Kind
    keywords: tuple = ()
    star: bool = False
