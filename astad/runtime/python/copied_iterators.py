"""What an iterator answers to ``__reduce__``, and takes by ``__setstate__``: a copy is made of it.

What the iterator holds by itself goes back to where it is noted in the iterator; what lies in the
containers that it goes over needs no way. The program sees its own objects there, not those that
astad has put in their place.

>>> from astad.runtime.dispatch import call
>>> from astad.runtime.cotangents.shadows import Shadows
>>> table, shadows = {"a": 2.5}, Shadows()
>>> (_, (held,)), record = call(Versions(), iter(table.values()).__reduce__)
>>> shadows.slot_add(held, 0, 3.0)
>>> record[0](shadows, None, *record[1:])
>>> held, shadows.key_take(table, "a")
([2.5], 3.0)
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence

from astad.runtime.arrays import (  # noqa: F401  (they fill FEEDS)
    flat_iterators,
    typed_arrays,
)
from astad.runtime.core.full_rules import Cotangents, Record, Value, flows, full, opaque
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration import (  # noqa: F401  (they fill FEEDS)
    drawn_again,
    generators,
)
from astad.runtime.iteration.container_iterators import ordered_routes_left, routes_left
from astad.runtime.iteration.iterate import FEEDS, take_gathered
from astad.runtime.iteration.iterators import Shown
from astad.runtime.iteration.itertools_feeds import initial_of
from astad.runtime.python import (  # noqa: F401  (they fill FEEDS)
    functional,
)
from astad.runtime.python.drawn_by_c import Asked

__all__ = ["REDUCED_ITERATORS"]

Places = list[tuple[Value, int, str]]
"""Numbers in the answer: tuple, place in it, and the key under which the iterator holds each."""


def _of_count(y: Value, iterator: Value) -> Places:
    return [(y[1], at, key) for at, key in enumerate(("now", "step")[: len(y[1])])]


def _of_repeat(y: Value, iterator: Value) -> Places:
    return [(y[1], 0, "object")]


def _of_zip_longest(y: Value, iterator: Value) -> Places:
    return [(y, 2, "fillvalue")]


def _of_accumulate(y: Value, iterator: Value) -> Places:
    if len(y) == 2:  # a total that is None
        return []
    initial = None if initial_of(iterator) is None else y[1][0]
    if initial is None:
        return [(y, 2, "total")]
    return [(initial.__reduce__()[2][0].__reduce__()[1][0][0], 0, "total")]


_HELD: dict[type, Callable[[Value, Value], Places]] = {
    itertools.accumulate: _of_accumulate,
    itertools.count: _of_count,
    itertools.repeat: _of_repeat,
    itertools.zip_longest: _of_zip_longest,
}
_SET = {itertools.accumulate: "total", itertools.zip_longest: "fillvalue"}
"""Where they hold the number that is the whole of the state which they take."""
_NONE: dict[Value, Value] = {}
_LISTED: dict[type, Callable[[Value, list[Value]], list[Record]]] = {
    **{
        type(each): routes_left
        for view in (_NONE, _NONE.values(), _NONE.items())
        for each in (iter(view), reversed(view))
    },
    type(iter(set())): routes_left,
    type(iter(OrderedDict())): ordered_routes_left,
}
"""They answer with a list of what is left."""


def _rule_of_reduce(kind: Value) -> None:
    reduce = vars(kind)["__reduce__"]

    @full(reduce)
    def forward(versions: Versions, iterator: Value) -> tuple[Value, Record]:
        y = _as_given(reduce(iterator))
        if kind in _LISTED:
            (left,) = y[1]
            return y, (take_gathered, left, _LISTED[kind](iterator, left))
        if kind is itertools.groupby and len(y) > 2 and any(map(flows, y[2])):
            return y, opaque("a copy of a groupby that has begun", y)
        places = _HELD[kind](y, iterator) if kind in _HELD else []
        held = [place for place in places if flows(place[0][place[1]])]
        return y, (pull_reduced, iterator, held) if held else None


def _as_given(part: Value) -> Value:
    """Without what astad has put in the place of the program's own iterators and functions."""
    if issubclass(type(part), Shown):
        return part.iterator
    if issubclass(type(part), Asked):
        return part.fn
    if type(part) is tuple and any(type(v) is tuple or _is_put(v) for v in part):
        parts = tuple(map(_as_given, part))
        return part if all(map(_is_same, parts, part)) else parts
    return part


def _is_put(v: Value) -> bool:
    return issubclass(type(v), (Shown, Asked))


def _is_same(one: Value, other: Value) -> bool:
    return one is other


def pull_reduced(shadows: Shadows, y_bar: Value, iterator: Value, held: Places) -> Cotangents:
    for holder, at, key in held:
        shadows.key_add(iterator, key, shadows.slot_take(holder, at))
    return None


def _rule_of_setstate(kind: Value) -> None:
    setstate = vars(kind)["__setstate__"]

    @full(setstate)
    def forward(versions: Versions, iterator: Value, state: Value) -> tuple[None, Record]:
        setstate(iterator, state)
        if kind in _SET and flows(state):
            return None, (pull_set, iterator, _SET[kind])
        return None, None


def pull_set(shadows: Shadows, y_bar: Value, iterator: Value, key: str) -> Sequence[Value]:
    return None, shadows.key_take(iterator, key)


REDUCED_ITERATORS = frozenset(kind for kind in FEEDS if "__reduce__" in vars(kind))
"""Types of iterators of which a copy is made by what they answer."""
for _kind in REDUCED_ITERATORS:
    _rule_of_reduce(_kind)
    if "__setstate__" in vars(_kind):
        _rule_of_setstate(_kind)
for _kind in (type(iter(deque())), type(reversed(deque()))):

    @full(_kind)
    def _goes_on(versions: Versions, *args: Value, kind: Value = _kind) -> tuple[Value, Record]:
        """As one of a deque answers: with its own type, the deque and a place."""
        return kind(*args), None
