"""Who owns the memory of an array, and where in it a view lies.

A view has no shadow of its own: its shadow is the same view of the shadow of its owner.

>>> a = np.arange(6.0)
>>> owner_of(a[1:].reshape(5, 1)) is a
True
>>> memory_positions(a[::-2], address_of(a), 8)
array([5, 3, 1])

Whether a result is fresh, or an operand under another name: then both have one shadow and
nothing moves.

>>> a = np.zeros((2, 3))
>>> aliases_any(np.ravel(a), (a,)), aliases_any(np.ravel(a.T), (a,)), aliases_any(a, (a,))
(True, False, True)
"""

from __future__ import annotations

import contextlib
import gc
import weakref
from _thread import _local as _ThreadLocal
from collections.abc import Iterable, Iterator, Sequence
from types import MemberDescriptorType
from typing import Any, TypeAlias

import numpy as np
from numpy import may_share_memory, ndarray

from astad.errors import NoPlainNumbers
from astad.tangents.unasked import dict_of, has_in_class
from astad.tangents.zero import MADE_BY_CLASS, has_identity

__all__ = [
    "PROXIES", "Array", "Severed", "address_of", "aliases_any", "are_apart", "attribute_store",
    "class_dict", "extent_of", "fresh_parts", "has_numbers", "is_namespace", "mapping_of",
    "may_overlap_itself", "memory_of", "memory_positions", "numbers_in", "object_of", "owner_of",
    "shadow_dtype", "shows_memory_of_others", "slots_of", "stored_in", "with_elements",
    "with_its_parts",
]  # fmt: skip

Array: TypeAlias = (
    "np.ndarray[Any, Any]"  # Any: of whatever shape and dtype the user's program makes
)


def owner_of(a: Array) -> object:
    """The object at the end of the chain of bases: an array that owns its memory, or the exporter
    of a buffer.

    ``as_strided`` puts an object between view and owner that is no array, so ``.base`` of any
    object is followed; two ``np.frombuffer`` over the same bytes meet in these bytes. An array
    that Cython makes is its own base: the memoryview that answers for it has it as its base.
    """
    found: object = a
    following: object = a.base
    foreign: list[object] = []
    while following is not None:
        if isinstance(following, np.ndarray):
            found, following = following, following.base
        elif any(following is each for each in foreign):
            break
        else:
            found = following
            foreign.append(found)
            following = found.obj if isinstance(found, memoryview) else getattr(found, "base", None)
    return found


def shows_memory_of_others(owner: object) -> bool:
    """Does it tell NumPy of memory by ``__array_interface__``: who knows whose? So may what has a
    ``__getattr__``.
    """
    kind = type(owner)
    if issubclass(kind, (np.ndarray, np.generic, Severed, type)):
        return False
    if has_in_class(kind, "memview") and not kind.__flags__ & MADE_BY_CLASS:
        return False  # an array that Cython makes, whose memory is its own
    store = stored_in(owner)
    own = store if type(store) is dict else {}
    return any(
        name in own or has_in_class(kind, name)
        for name in ("__array_interface__", "__array_struct__", "__getattr__")
    )


class Severed:
    """Owner of a view that has a shadow of its own, though its memory is that of an array."""

    __slots__ = ("__array_interface__", "memory", "original")

    def __init__(self, a: Array, memory: object) -> None:
        self.__array_interface__ = {**a.__array_interface__, "data": (address_of(a), True)}
        self.memory = memory  # held as long as the view is
        self.original = a


def memory_of(a: Array) -> object:
    """The owner of the memory itself, also of a severed view."""
    owner = owner_of(a)
    return owner.memory if type(owner) is Severed else owner


_NUMERIC = frozenset("bBhHiIlLqQfd")  # the other types of array.array are letters


def has_numbers(memory: Any) -> bool:  # Any: an array.array, a memoryview
    """Is it memory of numbers? A memoryview of bytes is a kind of text."""
    if issubclass(type(memory), memoryview):
        from array import array  # late: few use it

        return issubclass(type(memory.obj), (np.ndarray, array))
    return memory.typecode in _NUMERIC


def numbers_in(memory: Any) -> Array:  # Any: the same
    """An array over the memory, not to be held: while it lives an ``array.array`` cannot grow.

    >>> from array import array
    >>> numbers_in(array("d", [1.0, 2.0]))
    array([1., 2.])
    """
    if issubclass(type(memory), memoryview):
        return np.asarray(memory)
    return np.frombuffer(memory, memory.typecode) if len(memory) else np.zeros(0, memory.typecode)


def address_of(a: Array) -> int:
    """Address of the first element (of index zero, which is not the lowest where a stride is
    negative)."""
    address: int = a.__array_interface__["data"][0]
    return address


def _handed_out(a: Array) -> Array:
    """The array that a foreign owner gave out, of which ``a`` is a view."""
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def with_its_parts(a: Array) -> Array:
    """The array of complex numbers of which `a` holds real or imaginary parts, in the memory of a
    foreign owner; else ``a``.

    >>> with_its_parts(np.frombuffer(bytes(16), complex).imag)
    array([0.+0.j])
    """
    whole = _handed_out(a)
    parts = whole.dtype.kind == "c" and a.dtype.kind == "f" and 2 * a.itemsize == whole.itemsize
    return whole if parts else a


def extent_of(a: Array, owner: object) -> tuple[int, int]:
    """First address and one past the last of the memory that ``owner``, the owner of ``a``, gives
    access to."""
    if isinstance(owner, np.ndarray):
        return np.lib.array_utils.byte_bounds(owner)
    try:
        seen = np.frombuffer(owner, np.uint8)  # type: ignore[call-overload]  # any exporter; asked by trying
    except (TypeError, ValueError, BufferError):
        # a foreign object: what its own array covers is all that is known
        return np.lib.array_utils.byte_bounds(_handed_out(a))
    start = address_of(seen)
    return start, start + seen.size


def may_overlap_itself(a: Array) -> bool:
    """True if two indices may name the same memory. May be True without need, is never False
    wrongly.

    >>> may_overlap_itself(np.broadcast_to(1.0, (3,))), may_overlap_itself(np.eye(3).T[::-1, 1:])
    (True, False)
    """
    flags = a.flags
    if flags.c_contiguous or flags.f_contiguous:
        return False
    reach = a.itemsize
    for stride, count in sorted(
        (abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1
    ):
        if stride < reach:
            return True
        reach += stride * (count - 1)
    return False


def memory_positions(a: Array, start: int, itemsize: int) -> Array:
    """For each element of ``a`` its position in a flat buffer.

    Parameters
    ----------
    a : ndarray
    start : int
        Address of the first item of the buffer.
    itemsize : int
        Bytes per item of the buffer.

    Returns
    -------
    ndarray of intp, of the shape of ``a``
    """
    positions = np.full(a.shape, (address_of(a) - start) // itemsize, np.intp)
    for axis, (stride, count) in enumerate(zip(a.strides, a.shape, strict=True)):
        steps = np.arange(count) * (stride // itemsize)
        positions += steps.reshape((count,) + (1,) * (a.ndim - axis - 1))
    return positions


_SHADOW_DTYPES: dict[np.dtype[Any], np.dtype[Any]] = {}


def shadow_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of cotangents: float64 for integers and bools, the same (in native byte order) for
    float and complex.

    Raises
    ------
    Unsupported : for structures, text and dates.

    >>> shadow_dtype(np.dtype(np.int32)), shadow_dtype(np.dtype(np.float32))
    (dtype('float64'), dtype('float32'))
    """
    found = _SHADOW_DTYPES.get(dtype)
    if found is None:
        if dtype.kind in "biu":
            found = np.dtype(np.float64)
        elif dtype.kind == "O":
            found = np.dtype(np.complex128)  # of the numbers it holds, which may be complex
        elif dtype.kind in "fc":
            found = dtype.newbyteorder("=")
        else:
            raise NoPlainNumbers(
                f"array of dtype {dtype}",
                "derivative through an array that does not hold plain numbers",
                why="a cotangent needs float or complex items of its own",
                instead="use one array of float dtype per field, or a list of the objects",
            )
        _SHADOW_DTYPES[dtype] = found
    return found


def attribute_store(obj: object, name: str) -> object:
    """What an attribute's cotangent is keyed by: the instance's ``__dict__`` where it holds the
    attribute, else ``obj``.

    So ``self.x``, ``vars(self)["x"]`` and, of a module, its global ``x`` are one slot; and the
    items of a subclass of dict do not mix with its attributes.
    """
    if type(obj) is dict:
        return obj
    try:
        store = _own_dict(obj)
    except AttributeError:
        return obj
    if issubclass(type(obj), type):
        return class_dict(obj)
    for base in type(obj).__mro__:
        if name in base.__dict__:
            return obj if has_in_class(type(base.__dict__[name]), "__set__") else store
    return store


def class_dict(cls: Any) -> Any:  # Any: a class, and what it holds
    """The dict of a class, which ``cls.__dict__`` gives out in a proxy made anew each time."""
    held = gc.get_referents(dict_of(cls))
    return next(each for each in held if issubclass(type(each), dict))  # ctypes has its own kind


def mapping_of(view: Any) -> Any:  # Any: a view, an iterator or a proxy of a dict
    """The dict behind it (what a view tells as its ``mapping`` is only a proxy)."""
    return next((o for o in gc.get_referents(view) if issubclass(type(o), dict)), None)


def is_namespace(value: object) -> bool:
    """Is it the names of a module, or a copy of them? From there all of the program is reached."""
    return type(value) is dict and "__builtins__" in value


def stored_in(obj: object) -> Any:  # Any: a dict, or whatever a class gives out under that name
    """The ``__dict__`` of an object, without asking a ``__getattribute__`` of the user's; None
    where it has none."""
    try:
        return _own_dict(obj)
    except (AttributeError, TypeError):
        return dict_of(obj) if issubclass(type(obj), type) else None


def _own_dict(obj: object) -> Any:
    """Of a ``threading.local`` that of this thread."""
    if issubclass(type(obj), _ThreadLocal):
        read: Any = _ThreadLocal.__getattribute__
        return read(obj, "__dict__")
    return object.__getattribute__(obj, "__dict__")


def slots_of(obj: object) -> list[tuple[str, object]]:
    """What lies in the ``__slots__`` of an object, under the names by which code finds it."""
    cls = type(obj)
    members = _slots.get(cls)
    if members is None:
        members = _slots[cls] = _members_of(cls)
    found: list[tuple[str, object]] = []
    for name, member in members:
        with contextlib.suppress(AttributeError):  # empty
            found.append((name, member.__get__(obj, cls)))
    return found


def _members_of(cls: type) -> tuple[tuple[str, MemberDescriptorType], ...]:
    kinds = [kind for kind in cls.__mro__ if "__slots__" in kind.__dict__]
    members = [each for kind in kinds for each in kind.__dict__.items()]
    return tuple([(name, each) for name, each in members if type(each) is MemberDescriptorType])


_slots: weakref.WeakKeyDictionary[type, tuple[tuple[str, MemberDescriptorType], ...]]
_slots = weakref.WeakKeyDictionary()


# --- proxies --------------------------------------------------------------------------------------

PROXIES = frozenset(weakref.ProxyTypes)
"""Types of what ``weakref.proxy`` gives."""


class _Behind:
    """``Behind() @ proxy``: a proxy on the right of an operator steps aside for its object, and no
    code of the user's runs.
    """

    def __matmul__(self, other: Any) -> Any:
        return NotImplemented if type(other) in PROXIES else other


_BEHIND = _Behind()


def object_of(o: Any) -> Any:
    """The object behind a proxy, or the object itself; ReferenceError where it is gone."""
    return _BEHIND @ o if type(o) in PROXIES else o


def are_apart(a: ndarray, b: ndarray) -> bool:
    """Is it certain that no write to one is seen in the other?

    >>> a = ndarray(3)
    >>> are_apart(a, ndarray(3)), are_apart(a, a), are_apart(a, a[1:])
    (True, False, False)
    """
    if a.base is None and b.base is None:
        return a is not b
    return not may_share_memory(a, b)


# --- aliases --------------------------------------------------------------------------------------


def aliases_any(y: Array, operands: Sequence[Any]) -> bool:
    """True if ``y`` is one of the operands or shares its owner; lists of arrays are looked into."""
    if y.base is None:
        for a in operands:
            if a is y or (
                issubclass(type(a), np.ndarray) and a.base is not None and owner_of(a) is y
            ):
                return True
        return any(issubclass(type(a), (list, tuple)) and aliases_any(y, a) for a in operands)
    owner = owner_of(y)
    for a in operands:
        if issubclass(type(a), np.ndarray):
            if a is owner or (a.base is not None and owner_of(a) is owner):
                return True
        elif issubclass(type(a), (list, tuple)):
            if aliases_any(y, a):
                return True
        elif a is owner and not shows_memory_of_others(a):
            return True
    return False


def fresh_parts(y: Sequence[Any], operands: Sequence[Any]) -> tuple[bool, ...]:
    """For each part of a tuple or list result whether a cotangent of it must be asked for: numbers,
    fresh arrays, lists of such."""
    if any(issubclass(type(a), np.ndarray) and a.dtype.kind == "O" for a in operands):
        operands = list(with_elements(operands))
    return tuple(_is_fresh(part, operands) for part in y)


def with_elements(operands: Iterable[Any]) -> Iterator[Any]:
    """The operands, and what the lists and the arrays of objects among them hold."""
    for a in operands:
        yield a
        if issubclass(type(a), (list, tuple)):
            yield from with_elements(a)
        elif issubclass(type(a), np.ndarray) and a.dtype.kind == "O":
            yield from a.flat


def _is_fresh(part: Any, operands: Sequence[Any]) -> bool:
    if issubclass(type(part), np.ndarray):
        return not aliases_any(part, operands)
    if type(part) is list:
        return not any(part is operand for operand in operands)
    return not has_identity(part)
