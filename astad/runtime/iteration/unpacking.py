"""``a, *b, c = value``: a tuple of the parts, each drawn in Python's order."""

from __future__ import annotations

import itertools

from astad.runtime.core.full_rules import (
    Cotangents,
    Record,
    Value,
    callbacks,
    full,
    name_in_errors,
    python_method,
)
from astad.runtime.core.versions import Call, Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.iterate import (
    SOURCES,
    InStep,
    behind_end,
    deliver,
    gather,
    is_iterable,
    iterate,
    iterator_of,
    steps,
    take_gathered,
)

__all__ = ["unpack"]


def unpack(value: Value, count: int, star: int | None) -> tuple[Value, ...]:
    """The `count` parts of ``a, *b, c = value``; `star` is the index of the starred one.

    >>> unpack([1, 2, 3, 4], 3, 1)
    (1, [2, 3], 4)
    """
    if star is None:
        return _exactly(list(_at_most(value, count + 1)), count, value)
    iterator = iter(value)
    first = list(_at_most(iterator, star)) if star else []
    return _starred([*first, *iterator], count, star)  # which asks an iterator for one again


def _at_most(value: Value, n: int) -> list[Value]:
    found = []
    for item in value:
        found.append(item)
        if len(found) == n:
            break
    return found


def _exactly(items: list[Value], count: int, value: Value) -> tuple[Value, ...]:
    if len(items) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    return tuple(items)


def _starred(items: list[Value], count: int, star: int) -> tuple[Value, ...]:
    after = count - 1 - star
    if len(items) < count - 1:
        raise ValueError(
            f"not enough values to unpack (expected at least {count - 1}, got {len(items)})"
        )
    end = len(items) - after
    return (*items[:star], items[star:end], *items[end:])


@full(unpack)
def unpack_forward(
    versions: Versions, value: Value, count: int, star: int | None
) -> tuple[Value, Record]:
    if star is None and type(value) is tuple:
        return _exactly(list(value), count, value) if len(value) != count else value, None
    _check_iterable(value)
    if star is not None:
        end: list[Call] = []
        items, routes = _gathered(versions, value, star, end)
        y = _starred(items, count, star)
        return y, behind_end((pull_starred, y, routes, star) if any(routes) else None, end)
    if type(value) in SOURCES:
        found = [*itertools.islice(iterate(versions, value), count + 1)]
        y, routes = _exactly([v for v, _ in found], count, value), [route for _, route in found]
        return y, (take_gathered, y, routes) if any(routes) else None
    with InStep(versions, value) as drawn:
        y = _exactly([*itertools.islice(drawn, count + 1)], count, value)
    routes = [route for _, route in drawn.handed]
    return y, (pull_unpacked, y, routes) if any(routes) else None


def pull_unpacked(shadows: Shadows, y_bar: Value, y: Value, routes: list[Record]) -> Cotangents:
    """Behind the elements lies what was done to find their end."""
    for route in reversed(routes[len(y) :]):
        deliver(shadows, route, None)
    return take_gathered(shadows, None, y, routes[: len(y)])


def _gathered(
    versions: Versions, value: Value, star: int, end: list[Call]
) -> tuple[list[Value], list[Record]]:
    """All items and routes; an iterator of the user's is asked for an iterator once more before
    the rest is drawn, as Python does.
    """
    if python_method(type(value), "__iter__") is None:
        return gather(versions, value, end=end)
    iterator, made = iterator_of(versions, value)
    if python_method(type(iterator), "__iter__") is None:
        items, routes = gather(versions, iterator, end=end)
        before: list[Record] = []
    else:
        drawn = list(itertools.islice(steps(versions, iterator), star))
        before = [route for _, route in drawn]
        rest, routes = gather(versions, iterator, end=end)
        items, routes = [*(item for item, _ in drawn), *rest], [*before, *routes]
    if made is not None and routes:
        routes[0] = (pull_first, routes[0], made)
    return items, routes


def pull_first(shadows: Shadows, v_bar: Value, route: Record, made: Record) -> None:
    """Back to the first element, then through the call that made the iterator."""
    deliver(shadows, route, v_bar)
    callbacks.pull(shadows, made, None, 1)


def _check_iterable(value: Value) -> None:
    if not is_iterable(type(value)):
        raise TypeError(f"cannot unpack non-iterable {name_in_errors(type(value))} object")


def pull_starred(
    shadows: Shadows, y_bar: Value, y: Value, routes: list[Record], star: int
) -> Cotangents:
    middle = len(routes) - (len(y) - 1)
    slots = shadows.slots_take(y, len(y))
    slots[star : star + 1] = shadows.slots_take(y[star], middle)
    for g, route in zip(reversed(slots), reversed(routes), strict=True):
        deliver(shadows, route, g)
    return None
