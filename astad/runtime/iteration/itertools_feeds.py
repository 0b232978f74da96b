"""The iterators of ``itertools`` taken apart: chain, accumulate, islice, product and their kin.

They show their state through ``__reduce__`` up to Python 3.13.
"""

from __future__ import annotations

import itertools
import operator
import sys
import warnings

from astad.runtime.core.full_rules import (
    Cotangents,
    Forward,
    Record,
    Value,
    callbacks,
    flows,
    full,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.iteration.ends import ended
from astad.runtime.iteration.iterate import (
    FEEDS,
    Feed,
    add_key,
    deliver,
    element_route,
    following,
    gather,
    iterator_of,
    leave,
    pull_call,
    steps,
    take_gathered,
    with_ends,
)
from astad.runtime.iteration.iterators import (
    POSITIONS,
    Shown,
    as_asked,
    before_end,
    drawn_by_c,
    fresh_tuple,
    iterators_of,
    one_after_another,
    pull_iterators,
    pull_one_after_another,
    route_of_last,
    shown,
    upcoming,
)
from astad.runtime.iteration.own_iterators import asked, stopped
from astad.runtime.unseen.drawn_from import state_of
from astad.tangents.add import add

__all__ = ["initial_of", "set_state"]


def set_state(iterator: Value, state: Value) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        iterator.__setstate__(state)


@full(itertools.chain)
def chain_forward(versions: Versions, *iterables: Value) -> tuple[Value, Record]:
    return itertools.chain(*iterables), None


def _chain_steps(versions: Versions, iterator: Value) -> Feed:
    source_feed = feed = active = None
    pending: list[Record] = []  # since the last element: iterables that were reached and have ended
    while True:
        state = state_of(iterator)
        if len(state) < 3:
            return
        source, *current = state[2]
        if current:
            if current[0] is not active:
                active, feed = current[0], steps(versions, current[0])
            drawn = None if feed is None else following(versions, feed)[0]
            if drawn is not None:
                yield drawn[0], one_after_another([*pending, drawn[1]])
                pending = []
                continue
            pending.append(with_ends(versions, None))
        source_feed = source_feed or steps(versions, source)
        reached = following(versions, source_feed)[0]
        if reached is None:
            before_end(versions, pending, "itertools.chain")
            set_state(iterator, (iter(()), iter(())))
            next(iterator, None)  # let it know that it is at its end
            return
        active, record = iterator_of(versions, reached[0])
        feed = steps(versions, active)
        set_state(iterator, (source, active))
        pending += [reached[1], _route_of_iter(record)]


def _route_of_iter(record: Record) -> Record:
    return None if record is None else (pull_call, record, 1)


@full(itertools.accumulate, names="iterable func")
def accumulate_forward(
    versions: Versions, iterable: Value, func: Value = None, *, initial: Value = None
) -> tuple[Value, Record]:
    iterator, record = iterator_of(versions, iterable)
    y = itertools.accumulate(as_asked(iterator), func, initial=initial)
    if not flows(initial) and record is None:
        return y, None
    return y, (pull_held, y, "total", "initial", record)


def pull_held(
    shadows: Shadows, y_bar: Value, y: Value, key: str, name: str, record: Record = None
) -> dict[str, Value]:
    """Cotangent of the operand that the fresh object `y` holds under this key."""
    held_bar = shadows.key_take(y, key)
    if record is not None:
        callbacks.pull(shadows, record, None, 1)
    return {name: held_bar}


def _accumulate_steps(versions: Versions, iterator: Value) -> Feed:
    """The running total is kept in the accumulate object, so its cotangent lies there between two
    steps."""
    inner = feed = None
    while True:
        (source, fn), total = state_of(iterator)[1:3]
        if initial_of(iterator) is not None:
            total = next(iterator)
            yield total, (add_key, iterator, "total") if flows(total) else None
            continue
        if source is not inner:
            inner, feed = source, steps(versions, source)
        drawn, end = (None, None) if feed is None else following(versions, feed)
        if drawn is None:
            return end
        v, route = drawn
        if total is None:
            set_state(iterator, v)
            yield v, (pull_total, iterator, None, flows(v), route)
            continue
        try:
            y, record, end = asked(versions, fn or operator.add, total, v)
        except BaseException:
            leave(versions, [route])
            raise
        if end is not None:
            way = (pull_total, iterator, record, False, route)
            return stopped(versions, fn, way, end)
        set_state(iterator, y)
        yield y, (pull_total, iterator, record, flows(y), route)


def initial_of(iterator: Value) -> Value:
    """The tuple with the initial value of an ``accumulate`` that has not begun: a chain is shown in
    front of its source, made anew each time.
    """
    (source, _), total = state_of(iterator)[1:3]
    if total is not None or type(source) is not itertools.chain:
        return None
    if state_of(iterator)[1][0] is source:  # the program's own
        return None
    return state_of(source)[2][0].__reduce__()[1][0][0]


def pull_total(
    shadows: Shadows, v_bar: Value, iterator: Value, record: Record, by_value: bool, route: Record
) -> None:
    if by_value:
        v_bar = add(v_bar, shadows.key_take(iterator, "total"))
    if record is None:
        deliver(shadows, route, v_bar)
        return
    operands = callbacks.pull(shadows, record, v_bar, 2)
    if operands is not None:
        shadows.key_add(iterator, "total", operands[0])
    deliver(shadows, route, None if operands is None else operands[1])


@full(itertools.islice)
def islice_forward(versions: Versions, iterable: Value, *numbers: Value) -> tuple[Value, Record]:
    iterator, record = iterator_of(versions, iterable)
    inner = shown(versions, iterator)
    return itertools.islice(inner, *numbers), record and (pull_iterators, [record])


def _islice_steps(versions: Versions, iterator: Value) -> Feed:
    _, (inner, *numbers), done = state_of(iterator)
    if len(numbers) < 3:
        return None
    if type(inner) in POSITIONS:
        yield from _islice_sequence(iterator, inner)
        return None
    if type(inner) is Shown:
        return (yield from drawn_by_c(versions, iterator, inner, route_of_last))
    wanted, stop, step = numbers
    feed = steps(versions, inner)
    skipped: list[Record] = []
    while stop is None or done < stop:
        drawn, end = following(versions, feed)
        if drawn is None:
            before_end(versions, skipped, "itertools.islice", inner)
            return end
        if done == wanted:
            wanted += step
            yield drawn[0], one_after_another([*skipped, drawn[1]])
            skipped = []
        elif drawn[1] is not None:
            skipped.append(drawn[1])
        done += 1
    if skipped:
        ended(versions, (pull_one_after_another, skipped, -1), "itertools.islice", inner)
    return None


def _islice_sequence(iterator: Value, inner: Value) -> Feed:
    """Drawn from the islice object itself, so that it stays right when the loop is left."""
    while True:
        state, (_, (_, *numbers), done) = inner.__reduce__(), state_of(iterator)
        v = next(iterator, _END)
        if v is _END:
            return
        yield v, element_route(*upcoming(state, numbers[0] - done), v)


_END = object()


def _zip_longest_steps(versions: Versions, iterator: Value) -> Feed:
    inner, fill = state_of(iterator)[1:]
    feeds = [steps(versions, iter(one) if type(one) is tuple else one) for one in inner]
    fill_route = (add_key, iterator, "fillvalue") if flows(fill) else None
    while True:
        pairs: list[tuple[Value, Record]] = []
        is_over = True
        try:
            for feed in feeds:
                drawn, _ = following(versions, feed)
                is_over = is_over and drawn is None
                pairs.append(drawn or (fill, with_ends(versions, fill_route)))
        except BaseException:
            leave(versions, [route for _, route in pairs])
            raise
        if is_over:
            before_end(versions, [route for _, route in pairs], "itertools.zip_longest")
            return
        yield fresh_tuple([v for v, _ in pairs], tuple(route for _, route in pairs))


@full(itertools.zip_longest, names="iterable")
def zip_longest_forward(
    versions: Versions, *iterables: Value, fillvalue: Value = None
) -> tuple[Value, Record]:
    iterators, record = iterators_of(versions, iterables)
    y = itertools.zip_longest(*iterators, fillvalue=fillvalue)
    if record is None and not flows(fillvalue):
        return y, None
    return y, (pull_zip_longest, y, record)


def pull_zip_longest(shadows: Shadows, y_bar: Value, y: Value, record: Record) -> dict[str, Value]:
    deliver(shadows, record, None)
    return {"fillvalue": shadows.key_take(y, "fillvalue")}


@full(itertools.repeat, names="object times")
def repeat_forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    y = itertools.repeat(*args, **keywords)
    held = args[0] if args else keywords["object"]
    return y, (pull_held, y, "object", "object") if flows(held) else None


def _repeat_steps(versions: Versions, iterator: Value) -> Feed:
    for v in iterator:
        yield v, (add_key, iterator, "object") if flows(v) else None


# --- itertools over pools: product, combinations, permutations ------------------------------------


def _pool_forward(kind: Value) -> Forward:
    def forward(versions: Versions, *iterables: Value, **repeat: Value) -> tuple[Value, Record]:
        pools = len(iterables) if kind is itertools.product else 1
        gathered = [gather(versions, iterable) for iterable in iterables[:pools]]
        y = kind(*[tuple(items) for items, _ in gathered], *iterables[pools:], **repeat)
        held = state_of(y)[1] if kind is itertools.product else [state_of(y)[1][0]]
        routes = [routes for _, routes in gathered]
        return y, (pull_pools, held[:pools], routes)

    return forward


def pull_pools(
    shadows: Shadows, y_bar: Value, pools: Value, routes: list[list[Record]]
) -> Cotangents:
    for pool, ways in zip(reversed(pools), reversed(routes), strict=True):
        take_gathered(shadows, None, pool, ways)
    return None


def _pool_steps(versions: Versions, iterator: Value) -> Feed:
    for v in iterator:
        _, pools, *indices = state_of(iterator)
        if type(iterator) is not itertools.product:
            pools = [pools[0]] * len(v)
        places = indices[0] if indices else ()
        if type(iterator) is itertools.permutations and indices:
            places = indices[0][0]
        routes = [element_route(pool, i, pool[i]) for pool, i in zip(pools, places, strict=False)]
        yield v, (take_gathered, v, routes)


for _kind in (
    itertools.product, itertools.combinations, itertools.permutations,
    itertools.combinations_with_replacement,
):  # fmt: skip
    full(_kind, order="" if _kind is itertools.product else "iterable r")(_pool_forward(_kind))
    FEEDS[_kind] = _pool_steps

if sys.version_info < (3, 14):  # later ones cannot be taken apart: a cotangent is then refused
    FEEDS.update({
        itertools.chain: _chain_steps, itertools.accumulate: _accumulate_steps,
        itertools.islice: _islice_steps, itertools.zip_longest: _zip_longest_steps,
        itertools.repeat: _repeat_steps,
    })  # fmt: skip
