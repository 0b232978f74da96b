"""Shadows of arrays: one buffer per owner of memory; a view's shadow is the same view of its
owner's.

>>> shadows, a = ArrayShadows(), np.zeros(4)
>>> shadows.add_array(a[1:], 2.0)
>>> shadows.index_add(a, [0, 0], 5.0)
>>> shadows.take_array(a)
array([10.,  2.,  2.,  2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from astad.errors import NoPlainNumbers, Unsupported
from astad.runtime.cotangents.owners import (
    Array,
    address_of,
    extent_of,
    may_overlap_itself,
    memory_positions,
    owner_of,
    shadow_dtype,
    with_its_parts,
)
from astad.tangents.arrays import project
from astad.tangents.refused import Refused

__all__ = ["ArrayShadows", "is_basic", "may_repeat"]

_FLOAT64 = np.dtype(np.float64)
_BASIC: frozenset[type] = frozenset([
    int, slice, type(None), type(Ellipsis), np.int64, np.int32, np.int16, np.int8, np.uint8,
    np.uint64,
])  # fmt: skip


class _Buffer:
    """The shadow of one owner.

    Attributes
    ----------
    owner : object
        Held, so that its id stays its own.
    g : ndarray
        The cotangent; of the shape of an owner that is an array, else flat.
    ours : bool
        False: ``g`` belongs to someone else too and must not be changed.
    flat : ndarray or None
        ``g`` once it is laid out in memory as the owner is, as one axis. From then on ``g`` is
        never replaced, since generated text may hold it.
    """

    __slots__ = ("dtype", "flat", "g", "ours", "owner", "start")

    def __init__(self, owner: object, g: Array, ours: bool) -> None:
        self.owner = owner
        self.g = g
        self.ours = ours
        self.flat: Array | None = None
        self.start = 0  # address of the owner's first item
        self.dtype = g.dtype  # of the items of the owner; set with start


class ArrayShadows:
    """The part of the table that holds arrays. Cotangents may be numbers or arrays that
    broadcast."""

    def __init__(self) -> None:
        self._buffers: dict[int, _Buffer] = {}
        self._refused: dict[int, tuple[object, Refused]] = {}

    def add_array(self, a: Array, g: Any) -> None:  # Any: number or array
        """Add ``g`` to the cotangent of ``a``."""
        if type(g) is Refused:
            owner = owner_of(a)
            self._refused[id(owner)] = (owner, g)
            return
        if self._refused and self.refused_of(a) is not None:
            return
        if (
            type(g) is not np.ndarray
            or g.dtype is not _FLOAT64
            or a.dtype is not _FLOAT64
            or g.shape != a.shape
        ):
            g = project(g, a)
            shadow_dtype(a.dtype)
        if a.base is not None:
            try:
                self._add_to_view(a, g)
            except NoPlainNumbers as error:
                self._refuse_owner(a, error)
            return
        buffer = self._buffers.get(id(a))
        if buffer is None:
            self._buffers[id(a)] = _Buffer(_plain(a), g, False)
        elif buffer.ours:
            buffer.g += g
        else:  # the first partial may be shared with others, so the second makes a new array
            buffer.g = np.add(buffer.g, g, out=np.empty_like(a, buffer.g.dtype, subok=False))
            buffer.ours = True

    def _refuse_owner(self, a: Array, error: Unsupported) -> None:
        """The owner of a view is of structures, constant perhaps: the error waits there."""
        owner = owner_of(a)
        self._refused[id(owner)] = (owner, Refused(error))

    def _add_to_view(self, a: Array, g: Array) -> None:
        owner = owner_of(_plain(a))
        if id(owner) not in self._buffers and _covers(a, owner):
            assert isinstance(owner, np.ndarray)
            whole = g.reshape(owner.shape) if a.flags.c_contiguous else g.T.reshape(owner.shape)
            self._buffers[id(owner)] = _Buffer(_plain(owner), whole, False)
            return
        if not may_overlap_itself(a):
            view = self.of(a)
            view += g
            return
        repeated = tuple(k for k, n in enumerate(a.shape) if n > 1 and a.strides[k] == 0)
        if repeated:
            g = g.sum(axis=repeated, keepdims=True)
            a = a[tuple(slice(0, 1) if k in repeated else slice(None) for k in range(a.ndim))]
        if may_overlap_itself(a):
            buffer = self._laid_out(a, owner)
            np.add.at(_flat_for(buffer, a), _positions(buffer, a), g)
        else:
            view = self.of(a)
            view += g

    def of(self, a: Array) -> Array:
        """The shadow of ``a``, to be added into in place; a view of the owner's. Zeros if nothing
        came yet.

        Of an array that overlaps itself (``broadcast_to``, windows) add single elements only, else
        use ``add``.
        """
        if self._refused and (refused := self.refused_of(a)) is not None:
            refused.ask()
        if a.base is None:
            buffer = self._buffers.get(id(a))
            if buffer is not None and buffer.flat is not None:
                return buffer.g
            return self._laid_out(a, a).g
        return _view(self._laid_out(a, owner_of(a)), a)

    def refused_of(self, a: Array) -> Refused | None:
        """The cotangent that cannot be had, if one reached the memory of ``a``."""
        entry = self._refused.get(id(owner_of(a)))
        return None if entry is None else entry[1]

    def take_array(self, a: Array) -> Array | Refused | None:
        """The whole cotangent of ``a``, which starts anew at None; None if nothing came."""
        if self._refused and (refused := self.refused_of(a)) is not None:
            return refused
        if a.base is None:
            buffer = self._buffers.pop(id(a), None)
            return None if buffer is None else buffer.g
        owner = owner_of(a)
        buffer = self._buffers.get(id(owner))
        if buffer is None:
            return None
        if _covers(a, owner):
            del self._buffers[id(owner)]
            g = buffer.g
            return g.reshape(a.shape) if a.flags.c_contiguous else g.reshape(a.T.shape).T
        found: Array | None = self.take_slot(a, ...)
        return found

    def read(self, a: Array) -> Array | Refused | None:
        """The cotangent of ``a`` as it stands, not to be changed; None if nothing came."""
        if self._refused and (refused := self.refused_of(a)) is not None:
            return refused
        if a.base is None:
            buffer = self._buffers.get(id(a))
            return None if buffer is None else buffer.g
        return self.of(a) if id(owner_of(a)) in self._buffers else None

    def hand_over(self, a: Array) -> bool:
        """True, once, if what ``read`` gives for ``a`` belongs to nobody but the table: it may be
        given away."""
        buffer = self._buffers.get(id(a))
        if buffer is None or not buffer.ours:
            return False
        buffer.ours = False
        return True

    def take_slot(
        self, a: Array, index: Any
    ) -> Any:  # Any: whatever NumPy takes as index, number or array
        """The cotangent of what ``a[index] = v`` wrote, these slots set to zero; None if ``a`` has
        no cotangent.

        Where the index names a slot twice, the last write won, so only its place gets the slot's
        cotangent.
        """
        owner = a if a.base is None else owner_of(a)
        if self._refused and id(owner) in self._refused:
            return self._refused[id(owner)][1]
        if id(owner) not in self._buffers:
            return None
        view = self.of(a)
        found = view[index]
        if not isinstance(found, np.ndarray):
            view[index] = 0.0
            return found
        if a.base is not None and may_overlap_itself(a):
            buffer = self._laid_out(a, owner)
            places = _positions(buffer, a)[index]
            flat = _flat_for(buffer, a)
            g = _last_only(np.empty(flat.shape, np.intp), places, found)
            flat[places] = 0.0
            return g
        if may_repeat(index):
            order = np.arange(found.size).reshape(found.shape)
            marker = np.empty(a.shape, np.intp)
            marker[index] = order
            g = np.where(marker[index] == order, found, found.dtype.type(0))
        else:
            g = found.copy() if is_basic(index) else found
        view[index] = 0.0
        return g

    def index_add(self, a: Array, index: Any, g: Any) -> None:  # Any: as ``take_slot``
        """Add ``g`` to the cotangent of what ``a[index]`` read, repeated indices counted as often
        as they occur."""
        if type(g) is Refused or (self._refused and self.refused_of(a) is not None):
            self.add_array(a, g if type(g) is Refused else self.refused_of(a))
            return
        try:
            view = self.of(a)
        except NoPlainNumbers as error:
            self._refuse_owner(a, error)
            return
        if (
            view.dtype.kind != "c"
            and isinstance(g, (complex, np.complexfloating, np.ndarray))
            and np.iscomplexobj(g)
        ):
            g = g.real
        if a.base is not None and may_overlap_itself(a):
            buffer = self._laid_out(a, owner_of(a))
            np.add.at(_flat_for(buffer, a), _positions(buffer, a)[index], g)
        elif may_repeat(index):
            np.add.at(view, index, g)
        else:
            view[index] += g

    def _laid_out(self, a: Array, owner: object) -> _Buffer:
        """The buffer of the owner of ``a``, ours and laid out in memory as the owner is."""
        buffer = self._buffers.get(id(owner))
        if buffer is None:
            if isinstance(owner, np.ndarray):
                g = np.zeros_like(_plain(owner), shadow_dtype(owner.dtype), subok=False)
            else:
                low, high = extent_of(a, owner)
                whole = with_its_parts(a)
                g = np.zeros((high - low) // whole.itemsize, shadow_dtype(whole.dtype))
            self._buffers[id(owner)] = buffer = _Buffer(owner, g, True)
        if buffer.flat is None:
            _lay_out(buffer, a)
        return buffer


def _lay_out(buffer: _Buffer, a: Array) -> None:
    """Make ``buffer.g`` ours, in the owner's layout, and note where the owner's memory starts."""
    owner, g = buffer.owner, buffer.g
    if isinstance(owner, np.ndarray):
        if not buffer.ours or not _same_layout(g, owner):
            buffer.g = np.empty_like(owner, g.dtype, subok=False)
            buffer.g[...] = g
            buffer.ours = True
        buffer.dtype = owner.dtype
        buffer.start = 0  # asked for when the first view comes
    else:
        low, _ = extent_of(a, owner)
        a = with_its_parts(a)
        buffer.dtype = a.dtype
        buffer.start = low + (address_of(a) - low) % a.itemsize
    buffer.flat = buffer.g.ravel(order="K")


def _same_layout(g: Array, owner: Array) -> bool:
    if owner.flags.c_contiguous:
        return g.flags.c_contiguous
    scale = g.itemsize // owner.itemsize
    return g.strides == tuple(scale * stride for stride in owner.strides)


def _flat(buffer: _Buffer) -> Array:
    assert buffer.flat is not None
    return buffer.flat


def _start(buffer: _Buffer) -> int:
    if buffer.start == 0:
        assert isinstance(buffer.owner, np.ndarray)
        buffer.start = np.lib.array_utils.byte_bounds(buffer.owner)[0]
    return buffer.start


def _view(buffer: _Buffer, a: Array) -> Array:
    """The part of the buffer that corresponds to the view ``a`` of its owner."""
    _plain(a)
    flat = _flat(buffer)
    dtype = flat.dtype
    if a.dtype != buffer.dtype:
        dtype = _flat_for(buffer, a).dtype
    if a.size == 0:
        return np.zeros(a.shape, dtype)
    itemsize = buffer.dtype.itemsize
    offset = address_of(a) - _start(buffer)
    if offset % a.itemsize:
        raise _other_kind(buffer.dtype, a.dtype)
    scale = flat.itemsize // itemsize
    strides = a.strides if scale == 1 else tuple(scale * stride for stride in a.strides)
    try:
        return np.ndarray(a.shape, dtype, flat, scale * offset, strides)
    except (ValueError, TypeError):
        raise Unsupported(
            "view of an array",
            "derivative through memory that two objects own",
            why="the view reaches beyond what its owner is known to cover",
            instead="copy the array where the foreign library hands it out",
        ) from None


def _flat_for(buffer: _Buffer, a: Array) -> Array:
    """The flat buffer in items like those of ``a``: real and imaginary parts, where it is of
    these.
    """
    flat, owner = _flat(buffer), buffer.dtype
    if a.dtype == owner:
        return flat
    if owner.kind != "c" or a.dtype.kind != "f" or 2 * a.itemsize != owner.itemsize:
        raise _other_kind(owner, a.dtype)
    return flat.view(flat.real.dtype)


def _positions(buffer: _Buffer, a: Array) -> Array:
    """Place of each element of ``a`` in the flat buffer of `_flat_for`."""
    return memory_positions(a, _start(buffer), a.itemsize)


def _last_only(marker: Array, places: Array, found: Array) -> Array:
    """``found`` where a place is written for the last time, else zero."""
    order = np.arange(found.size).reshape(found.shape)
    marker[places.reshape(-1)] = order.reshape(-1)
    return np.where(marker[places] == order, found, found.dtype.type(0))


def _covers(a: Array, owner: object) -> bool:
    """True if ``a`` is a reshape or transpose of the whole of its owner."""
    if not isinstance(owner, np.ndarray) or a.size != owner.size or not owner.flags.c_contiguous:
        return False
    flags = a.flags
    return (flags.c_contiguous or flags.f_contiguous) and a.dtype == owner.dtype


def is_basic(index: Any) -> bool:  # Any: an index
    """True for an index of integers, slices, None and Ellipsis: it gives a view or one element."""
    if type(index) in _BASIC:
        return True
    return type(index) is tuple and all(type(part) in _BASIC for part in index)


def may_repeat(index: Any) -> bool:  # Any: an index
    """True for an index that may name one element twice: one with an array or list of integers in
    it.

    >>> may_repeat((0, slice(None))), may_repeat([True, False]), may_repeat((0, np.arange(2)))
    (False, False, True)
    """
    if is_basic(index):
        return False
    parts = index if type(index) is tuple else (index,)
    return any(type(part) not in _BASIC and np.asarray(part).dtype.kind in "iu" for part in parts)


def _plain(a: Array) -> Array:
    """``a``, if its elements are what its memory holds."""
    if type(a) is not np.ndarray and any(
        kind.__name__ == "MaskedArray" for kind in type(a).__mro__
    ):
        raise Unsupported(
            "masked array",
            "derivative through np.ma.MaskedArray",
            why="its operations read the mask besides the numbers",
            instead="multiply by the mask, or use np.where",
        )
    return a


def _other_kind(owner: np.dtype[Any], view: np.dtype[Any]) -> Unsupported:
    return Unsupported(
        f"view of dtype {view} on memory of dtype {owner}",
        "derivative through .view() to another dtype",
        why="the bits of one kind have no derivative as numbers of the other",
        instead="convert with astype, or use .real and .imag",
    )
