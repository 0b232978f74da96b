"""Builtins that compare, call back or draw, as Python would write them: a run goes through these in
the place of compiled code, so that each comparison of numbers is a test of its own. And what
formulas call: against infinite slopes, products and quotients where there are none, and what fills
an array.
"""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import math
from typing import Any

import numpy as np

from astad.recording.numpy_in_python import IN_PYTHON
from astad.rules.formula import _kill, safe_times, times
from astad.rules.numpy.axes import repeated
from astad.rules.safe import alive, alive_sum, safe_product, safe_quotient
from astad.tangents.arrays import full
from astad.tangents.sums import sum_over

__all__ = ["EQUIVALENTS", "HELPERS", "expect_quiet", "is_same"]

HELPERS = "astad.rules.", "astad.tangents.", "astad.runtime.scipy.quantiles"
"""Where the functions are that formulas call, and texts in the place of a library's."""

_NOTHING: Any = ()
_END: Any = object()
Items = Any
COUNT_ELEMENTS: Any = vars(collections)["_count_elements"]
"""What a ``Counter`` counts by."""


def any_(items: Items) -> bool:
    for item in items:
        if item:
            return True
    return False


def all_(items: Items) -> bool:
    for item in items:
        if not item:
            return False
    return True


def max_(items: Items, key: Any = None, **default: Any) -> Any:
    return _first(items, key, _above, "max", default)


def min_(items: Items, key: Any = None, **default: Any) -> Any:
    return _first(items, key, _below, "min", default)


def _above(a: Any, b: Any) -> Any:
    return a > b


def _below(a: Any, b: Any) -> Any:
    return a < b


def _first(items: Items, key: Any, before: Any, name: str, default: Any) -> Any:
    """The first item that no other one comes before."""
    best = best_key = None
    found = False
    for item in items:
        asked = item if key is None else key(item)
        if not found or before(asked, best_key):
            best, best_key, found = item, asked, True
    if not found:
        if "default" in default:
            return default["default"]
        raise ValueError(name + "() arg is an empty sequence")
    return best


def sorted_(items: Items, *, key: Any = None, reverse: bool = False) -> Any:
    """By insertion, from the end: stable, as Python's own."""
    given = list(items)
    asked = given if key is None else [key(item) for item in given]
    expect_quiet(asked)
    if reverse:
        given, asked = given[::-1], asked[::-1]
    found: list[Any] = []
    keys: list[Any] = []
    for item, own in zip(given, asked):
        at = len(found)
        while at > 0 and own < keys[at - 1]:
            at = at - 1
        found.insert(at, item)
        keys.insert(at, own)
    return found[::-1] if reverse else found


def expect_quiet(keys: Items) -> None:
    """Python compares some of them more than once: a comparison may do no more than compare."""


def map_(fn: Any, *iterables: Items) -> Any:
    for args in zip(*iterables):
        yield fn(*args)


def filter_(keep: Any, items: Items) -> Any:
    for item in items:
        if item if keep is None else keep(item):
            yield item


def accumulate(items: Items, func: Any = None, *, initial: Any = None) -> Any:
    total, begun = initial, initial is not None
    if begun:
        yield total
    for item in items:
        if not begun:
            total, begun = item, True
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total


def chain(*iterables: Items) -> Any:
    return from_iterable(iterables)


def from_iterable(iterables: Items) -> Any:
    for items in iterables:
        for item in items:
            yield item


def takewhile(keep: Any, items: Items) -> Any:
    for item in items:
        if not keep(item):
            return
        yield item


def dropwhile(drop: Any, items: Items) -> Any:
    dropping = True
    for item in items:
        if dropping and drop(item):
            continue
        dropping = False
        yield item


def starmap(fn: Any, items: Items) -> Any:
    for args in items:
        yield fn(*args)


def reduce(fn: Any, items: Items, *initial: Any) -> Any:
    total, begun = None, False
    for value in initial:
        total, begun = value, True
    for item in items:
        if begun:
            total = fn(total, item)
        else:
            total, begun = item, True
    if not begun:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


def is_same(a: Any, b: Any) -> bool:
    """As a search in a container takes two for the same."""
    return a is b or a == b


def index(items: Items, value: Any, start: int = 0, stop: int = 2**62) -> int:
    for at in range(start, min(stop, len(items))):
        if is_same(items[at], value):
            return at
    raise ValueError("list.index(x): x not in list")


def count(items: Items, value: Any) -> int:
    found = 0
    for item in items:
        if is_same(item, value):
            found = found + 1
    return found


def remove(items: Items, value: Any) -> None:
    for at in range(len(items)):
        if is_same(items[at], value):
            items.pop(at)
            return
    raise ValueError("list.remove(x): x not in list")


def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    last = heap.pop()
    if heap:
        top = heap[0]
        heap[0] = last
        _sift_up(heap, 0)
        return top
    return last


def heapify(heap: Any) -> None:
    for at in reversed(range(len(heap) // 2)):
        _sift_up(heap, at)


def _sift_down(heap: Any, start: int, at: int) -> None:
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


def _sift_up(heap: Any, at: int) -> None:
    end, start = len(heap), at
    item = heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _sift_down(heap, start, at)


def safe_product_(g: Any, factor: Any) -> Any:
    return _finite(g * factor)


def safe_quotient_(g: Any, numerator: Any, denominator: Any) -> Any:
    if not np.all(np.not_equal(denominator, 0.0)):
        raise ZeroDivisionError("a slope that is infinite")
    return _finite(g * numerator / denominator)


def alive_(product: Any, g: Any, *values: Any) -> Any:
    return _finite(product)


def alive_sum_(product: Any, g: Any, *values: Any) -> Any:
    return np.sum(_finite(product))


def safe_times_(y_bar: Any, d: Any, over: Any = None) -> Any:
    if over is not None and not np.all(np.not_equal(over, 0.0)):
        raise ZeroDivisionError("a slope that is infinite")
    return _finite(times(y_bar, d, over))


def kill_(cause: Any, product: Any) -> Any:
    return _finite(product)


def full_(g: Any, shape: Any) -> Any:
    if isinstance(g, np.ndarray):
        return g if g.shape == shape else np.broadcast_to(g, shape)
    return np.ones(shape) * g


def _finite(product: Any) -> Any:
    if not np.all(np.isfinite(product)):
        raise OverflowError("a slope that is infinite")
    return product


def heapreplace(heap: Any, item: Any) -> Any:
    top = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return top


def heappushpop(heap: Any, item: Any) -> Any:
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _sift_up(heap, 0)
    return item


def bisect_left(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> int:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            end = middle
    return lo


def bisect_right(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> int:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            end = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def count_elements(mapping: Any, items: Items) -> None:
    for item in items:
        mapping[item] = mapping.get(item, 0) + 1


def groupby(iterable: Items, key: Any = None) -> Any:
    """As Python's documentation has it: a group ends where the next one is asked for."""
    iterator = iter(iterable)
    value = own = None
    exhausted = False

    def grouper(target: Any) -> Any:
        nonlocal value, own, exhausted
        yield value
        for value in iterator:
            own = value if key is None else key(value)
            if own is not target and own != target:
                return
            yield value
        exhausted = True

    try:
        value = next(iterator)
    except StopIteration:
        return
    own = value if key is None else key(value)
    while not exhausted:
        target = own
        group = grouper(target)
        yield target, group
        if own is target or own == target:
            for _ in group:
                pass


def pairwise(items: Items) -> Any:
    begun, last = False, None
    for item in items:
        if begun:
            yield last, item
        begun, last = True, item


def compress(data: Items, selectors: Items) -> Any:
    for item, chosen in zip(data, selectors):
        if chosen:
            yield item


def cycle(items: Items) -> Any:
    kept = []
    for item in items:
        yield item
        kept.append(item)
    while kept:
        for item in kept:
            yield item


def zip_longest(*iterables: Items, fillvalue: Any = None) -> Any:
    left = [iter(each) for each in iterables]
    while True:
        row = [next(each, _END) for each in left]
        if all_([item is _END for item in row]):
            return
        yield tuple([fillvalue if item is _END else item for item in row])


def sum_over_(g: Any, axis: Any, *, keepdims: bool = False) -> Any:
    """By NumPy's own sum: how an array lies in memory is nothing to a text."""
    return g.sum(axis=axis, keepdims=keepdims)


def dist(p: Any, q: Any, /) -> Any:
    first, second = (*p,), (*q,)
    if len(first) != len(second):
        raise ValueError("both points must have the same number of dimensions")
    return math.hypot(*[a - b for a, b in zip(first, second, strict=True)])


EQUIVALENTS: dict[Any, Any] = {
    **IN_PYTHON,
    safe_product: safe_product_, safe_quotient: safe_quotient_, alive: alive_,
    alive_sum: alive_sum_, sum_over: sum_over_, full: full_, repeated: full_,
    safe_times: safe_times_, _kill: kill_,
    math.dist: dist, any: any_, all: all_, max: max_, min: min_, sorted: sorted_, map: map_,
    filter: filter_,
    itertools.accumulate: accumulate, itertools.chain: chain,
    itertools.chain.from_iterable: from_iterable, itertools.takewhile: takewhile,
    itertools.dropwhile: dropwhile, itertools.starmap: starmap, functools.reduce: reduce,
    list.index: index, list.count: count, list.remove: remove,
    heapq.heappush: heappush, heapq.heappop: heappop, heapq.heapify: heapify,
    heapq.heapreplace: heapreplace, heapq.heappushpop: heappushpop,
    bisect.bisect_left: bisect_left, bisect.bisect_right: bisect_right,
    bisect.insort_left: insort_left, bisect.insort_right: insort_right,
    COUNT_ELEMENTS: count_elements, itertools.groupby: groupby, itertools.pairwise: pairwise,
    itertools.compress: compress, itertools.cycle: cycle, itertools.zip_longest: zip_longest,
}  # fmt: skip
