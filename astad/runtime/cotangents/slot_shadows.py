"""Shadows of containers: slots by position or by key, for elements without identity.

An element with identity has its own shadow, found through the element, so only numbers need slots.
Lists of slots grow on demand, hence nothing here depends on what the container looks like when the
reverse sweep runs.

>>> shadows, l = SlotShadows(), [1.0, 2.0]
>>> shadows.slot_add(l, 1, 5.0)
>>> l.append(3.0); shadows.slot_add(l, 2, 7.0)
>>> shadows.unappend(l, 2), shadows.slot_take(l, 1), shadows.slot_take(l, 1)
(7.0, 5.0, None)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astad.tangents.add import add

__all__ = ["SlotShadows"]

Slots = list[Any]  # Any: cotangents of whatever kind, None for nothing
Keys = dict[Any, Any]  # Any: likewise, under the user's own keys


class SlotShadows:
    """The part of the table that holds sequences (lists, tuples, deques) and keyed stores (dicts,
    objects, cells, sets).

    Positions are counted from the front, never negative.
    """

    def __init__(self) -> None:
        self._slots: dict[int, tuple[object, Slots]] = {}
        self._keyed: dict[int, tuple[object, Keys]] = {}

    # ---------------------------------------------------------------- positions

    def slot_add(self, sequence: object, i: int, g: Any) -> None:
        """Add ``g`` to the cotangent of the element at position ``i``."""
        if g is None:
            return
        entry = self._slots.get(id(sequence))
        if entry is None:
            self._slots[id(sequence)] = (sequence, [None] * i + [g])
            return
        slots = entry[1]
        if i >= len(slots):
            slots.extend([None] * (i - len(slots)))
            slots.append(g)
        else:
            old = slots[i]
            slots[i] = g if old is None else add(old, g)

    def slot_take(self, sequence: object, i: int) -> Any:
        """The cotangent of position ``i``, which is None from then on: reverse of ``l[i] = v``."""
        entry = self._slots.get(id(sequence))
        if entry is None or i >= len(entry[1]):
            return None
        slots = entry[1]
        g = slots[i]
        slots[i] = None
        return g

    def slots_of(self, sequence: object, n: int) -> Slots:
        """A copy of the first ``n`` slots, None where nothing came."""
        entry = self._slots.get(id(sequence))
        if entry is None:
            return [None] * n
        return entry[1][:n] + [None] * (n - len(entry[1]))

    def slots_take(self, sequence: object, n: int) -> Slots:
        """The first ``n`` slots, all forgotten: reverse of making a sequence of ``n`` elements."""
        entry = self._slots.pop(id(sequence), None)
        if entry is None:
            return [None] * n
        return entry[1][:n] + [None] * (n - len(entry[1]))

    def unappend(self, sequence: object, n: int) -> Any:
        """Undo ``l.append(v)`` that put ``v`` at position ``n``: the cotangent of ``v``."""
        entry = self._slots.get(id(sequence))
        if entry is None or n >= len(entry[1]):
            return None
        g = entry[1][n]
        del entry[1][n:]
        return g

    def unextend(self, sequence: object, n: int, count: int) -> Slots:
        """Undo ``l.extend(...)`` of ``count`` elements from position ``n``: their cotangents."""
        return self.splice(sequence, n, 0, count)

    def unpop(self, sequence: object, i: int, g: Any) -> None:
        """Undo ``v = l.pop(i)`` or ``del l[i]`` (``g`` None): position ``i`` is there again, with
        cotangent ``g``."""
        self.splice(sequence, i, 1, 0)
        self.slot_add(sequence, i, g)

    def uninsert(self, sequence: object, i: int) -> Any:
        """Undo ``l.insert(i, v)``: the cotangent of ``v``; what came after moves back."""
        return self.splice(sequence, i, 0, 1)[0]

    def splice(self, sequence: object, start: int, removed: int, inserted: int) -> Slots:
        """Undo ``l[start:start + removed] = (inserted elements)``: the cotangents of those
        inserted."""
        entry = self._slots.get(id(sequence))
        if entry is None:
            return [None] * inserted
        slots = entry[1]
        found = slots[start : start + inserted]
        if start < len(slots):
            slots[start : start + inserted] = [None] * removed
        return found + [None] * (inserted - len(found))

    def undelete(self, sequence: object, positions: Sequence[int]) -> None:
        """Undo ``del l[i:j:k]``: the positions (before it, ascending) are there again, without
        cotangent."""
        for i in positions:
            self.splice(sequence, i, 1, 0)

    def unpermute(self, sequence: object, order: Sequence[int]) -> None:
        """Undo a sort or reversal after which position ``k`` held what had been at ``order[k]``."""
        entry = self._slots.get(id(sequence))
        if entry is None:
            return
        slots = entry[1]
        before: Slots = [None] * len(order)
        for k, g in enumerate(slots[: len(order)]):
            before[order[k]] = g
        slots[:] = before

    # --------------------------------------------------------------------- keys

    def key_add(self, store: object, key: Any, g: Any) -> None:
        """Add ``g`` to the cotangent under ``key`` of a dict, an object's attributes (see
        ``attribute_store``), a cell."""
        if g is None:
            return
        entry = self._keyed.get(id(store))
        if entry is None:
            self._keyed[id(store)] = (store, {key: g})
            return
        keys = entry[1]
        old = keys.get(key)
        keys[key] = g if old is None else add(old, g)

    def key_take(self, store: object, key: Any) -> Any:
        """The cotangent under ``key``, which is None from then on: reverse of ``d[key] = v``."""
        entry = self._keyed.get(id(store))
        return None if entry is None else entry[1].pop(key, None)

    def key_of(self, store: object, key: Any) -> Any:
        """The cotangent under ``key``, left there."""
        entry = self._keyed.get(id(store))
        return None if entry is None else entry[1].get(key)

    def keys_of(self, store: object) -> Keys:
        """A copy of what lies under the keys of ``store``."""
        entry = self._keyed.get(id(store))
        return {} if entry is None else dict(entry[1])

    def keys_take(self, store: object) -> Keys:
        """All that lies under the keys of ``store``, forgotten: reverse of making it."""
        entry = self._keyed.pop(id(store), None)
        return {} if entry is None else entry[1]
