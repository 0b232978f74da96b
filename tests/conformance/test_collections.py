"""collections, contextlib, copy, bisect, heapq, random: what stands between the numbers."""

import bisect
import collections
import contextlib
import copy
import heapq
import random
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque

import numpy as np
import pytest

from tests.conformance.harness import conforms

# --- deque ----------------------------------------------------------------------------------------


def moving_window(xs):
    window, total = deque(maxlen=2), 0.0
    for x in xs:
        window.append(x)
        total += window[0] * window[-1]
    return total


def both_ends(x, y):
    items = deque([x])
    items.appendleft(y)
    items.extend([x * y, 2.0])
    items.extendleft((y * y, x))
    return items.popleft() * items.pop() + sum(items)


def rotated(xs):
    ring = deque(xs)
    ring.rotate(1)
    first = ring[0]
    ring.rotate(-2)
    ring.insert(1, first * first)
    return ring[0] * ring[1]


def reversed_and_removed(x, y):
    items = deque([x, y, 3.0])
    items.remove(3.0)
    items.reverse()
    items[0] *= 2.0
    del items[1]
    return items[0] + len(items) * x


def breadth_first(x):
    children = {0: [1, 2], 1: [3], 2: [], 3: []}
    value, queue = {0: x}, deque([0])
    while queue:
        node = queue.popleft()
        for child in children[node]:
            value[child] = value[node] * x + child
            queue.append(child)
    return value[3] + value[2]


# --- dicts of every sort --------------------------------------------------------------------------


def grouped_sums(xs):
    sums = defaultdict(float)
    for k, x in enumerate(xs):
        sums[k % 2] += x * x
    return sums[0] * sums[1]


def grouped_lists(xs):
    groups = defaultdict(list)
    for x in xs:
        groups[x > 1.0].append(x)
    return sum(groups[True]) * sum(groups[False])


def factory_with_a_number(x):
    table = defaultdict(lambda: x * x)
    table["a"] += x
    return table["a"] * table["b"]


def missing_hook(x):
    class_ = Squares
    table = class_({1: x})
    return table[1] * table[3] + x


class Squares(dict):
    def __missing__(self, key):
        return key * key


def ordered_and_moved(x, y):
    table = OrderedDict(a=x, b=y, c=x * y)
    table.move_to_end("a")
    total = 0.0
    for value in table.values():
        total = total * 2.0 + value
    name, last = table.popitem(last=True)
    return total + last * table.popitem(last=False)[1]


def ordered_iterators(x, y):
    table = OrderedDict([("a", x), ("b", y)])
    keys, values, items = iter(table), iter(table.values()), iter(table.items())
    first = table[next(keys)] * next(values)
    for _, value in items:
        first = first * 0.5 + value
    return first + next(reversed(table.values())) ** 2


def ordered_reversed(x, y):
    table = OrderedDict(a=x, b=y)
    total = 1.0
    for name in reversed(table):
        total = total * 3.0 + table[name]
    for name, value in reversed(table.items()):
        total += value * len(name)
    return total


def counted_weights(x, y):
    counts = Counter(a=x, b=y)
    counts.update({"a": x * x})
    counts["c"] += 2.0
    counts.subtract({"b": x})
    return counts["a"] * counts["b"] + counts["missing"] + sum(counts.values())


def added_counters(x, y):
    both = Counter(a=x, b=y) + Counter(a=2.0)
    return both["a"] * both["b"] + (both | Counter(b=5.0))["b"]


def most_common(x, y):
    (name, most), *_ = Counter(a=x, b=y).most_common(1)
    return most * most * len(name)


def letters_counted(x):
    return sum(count * x**k for k, count in enumerate(Counter("abracadabra").values()))


def chained_maps(x, y):
    settings = ChainMap({"rate": x}, {"rate": 9.0, "size": y})
    inner = settings.new_child({"size": x * y})
    inner["rate"] = 2.0 * inner["rate"]
    return settings["rate"] * settings["size"] + inner["rate"] * inner["size"]


def user_containers(x, y):
    table, items = UserDict(a=x), UserList([x, y])
    table["b"] = y * y
    items.append(table["a"] * table["b"])
    return items[-1] + items[0] * len(items)


Point = collections.namedtuple("Point", "x y", defaults=[1.0])


def named_fields(x, y):
    p = Point(x, y)
    q = p._replace(x=p.y * p.y)
    a, b = q
    return a * b + Point(x).y * p[0] + sum(q._asdict().values())


def named_from_iterable(xs):
    p = Point._make(xs)
    return p.x * p.y + Point(*xs).x


# --- contextlib -----------------------------------------------------------------------------------


@contextlib.contextmanager
def scaled(state, by):
    before = state["x"]
    state["x"] = before * by
    try:
        yield state["x"]
    finally:
        state["x"] = before


def inside_a_context(x, y):
    state = {"x": x}
    with scaled(state, y) as inside:
        total = inside * state["x"]
    return total + state["x"]


def suppressed(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = y * 2.0
        y = y / 0.0
    return y * x


def stack_of_contexts(x):
    state = {"x": x}
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(scaled(state, 2.0))
        second = stack.enter_context(scaled(state, x))
        stack.callback(state.update, y=1.0)
        total = first * second
    return total + state["x"] * state["y"]


def decorated_by_a_context(x):
    @contextlib.contextmanager
    def quiet():
        yield

    @quiet()
    def square(v):
        return v * v

    return square(x)


def closed_and_null(x):
    with contextlib.nullcontext(x * x) as value, contextlib.closing(Door()) as door:
        total = value * door.width
    return total + door.width


class Door:
    width = 2.0

    def close(self):
        self.width = 3.0


# --- copy -----------------------------------------------------------------------------------------


def shallow_copies(x, y):
    rows = [[x], [y]]
    other = copy.copy(rows)
    other[0][0] *= y
    other[1] = [1.0]
    return rows[0][0] * rows[1][0] + other[1][0]


def deep_copies(x, y):
    tree = {"a": [x, {"b": y}], "c": np.array([1.0, 2.0])}
    other = copy.deepcopy(tree)
    other["a"][1]["b"] *= x
    other["c"][0] = y
    return tree["a"][1]["b"] * other["a"][1]["b"] + np.sum(other["c"] * tree["c"])


def copied_object(x):
    first = Holder(x)
    second, third = copy.copy(first), copy.deepcopy(first)
    second.x *= 2.0
    second.items.append(x)
    third.items.append(5.0)
    return first.x * second.x + sum(first.items) * sum(third.items)


class Holder:
    def __init__(self, x):
        self.x = x
        self.items = [x * x]


def own_copy_hook(x):
    shared = [x]
    other = copy.copy(Keeps(shared, x))
    other.shared.append(other.x)
    return sum(shared) * x


class Keeps:
    def __init__(self, shared, x):
        self.shared = shared
        self.x = x

    def __copy__(self):
        return Keeps(self.shared, self.x * 2.0)


# --- bisect, heapq, random ------------------------------------------------------------------------


def interpolated(xs, ys, x):
    k = min(max(bisect.bisect_right(xs, x), 1), len(xs) - 1)
    t = (x - xs[k - 1]) / (xs[k] - xs[k - 1])
    return ys[k - 1] * (1 - t) + ys[k] * t


def inserted_in_order(xs):
    ordered = []
    for x in xs:
        bisect.insort(ordered, x)
    return ordered[0] * 2.0 + ordered[1] ** 2


def bisected_by_key(x):
    table = [("a", 1.0), ("b", x), ("c", 3.0)]
    k = bisect.bisect_left(table, 2.0, key=lambda entry: entry[1])
    return table[k][1] * x + table[k - 1][1]


def heap_of_numbers(xs):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
    first = heapq.heappop(heap)
    second = heapq.heapreplace(heap, first * 10.0)
    return first * second + heapq.heappushpop(heap, 0.1) * heap[0]


def heapified(xs):
    heap = [x * x for x in xs]
    heapq.heapify(heap)
    return heapq.heappop(heap) * 3.0 + heapq.heappop(heap)


def smallest_and_largest(xs):
    low, high = heapq.nsmallest(2, xs), heapq.nlargest(1, xs, key=lambda v: v)
    return low[0] * low[1] + high[0] ** 2


def merged(xs, ys):
    total = 0.0
    for x in heapq.merge(xs, ys):
        total = total * 0.5 + x
    return total


def shortest_path(weights):
    edges = {"s": [("a", 0), ("b", 1)], "a": [("t", 2)], "b": [("a", 3), ("t", 4)], "t": []}
    queue, done = [(0.0, "s")], {}
    while queue:
        distance, node = heapq.heappop(queue)
        if node in done:
            continue
        done[node] = distance
        for other, k in edges[node]:
            heapq.heappush(queue, (distance + weights[k], other))
    return done["t"] ** 2


def random_with_a_seed(x):
    source = random.Random(7)
    total = 0.0
    for _ in range(3):
        total += source.gauss(0.0, 1.0) * x + x * x * source.random()
    return total * source.choice([1.0, 2.0]) + source.uniform(0.0, 1.0)


def shuffled(xs):
    order = list(range(len(xs)))
    random.Random(3).shuffle(order)
    total = 0.0
    for k in order:
        total = total * 2.0 + xs[k]
    return total


def sampled(xs):
    chosen = random.Random(5).sample(range(len(xs)), 2)
    return xs[chosen[0]] * xs[chosen[1]] ** 2


PROGRAMS = [
    (moving_window, ([1.0, 2.0, 3.0],)),
    (both_ends, (1.2, 0.7)),
    (reversed_and_removed, (1.2, 0.7)),
    (breadth_first, (1.2,)),
    (grouped_sums, ([1.0, 2.0, 3.0],)),
    (grouped_lists, ([0.5, 2.0, 3.0],)),
    (factory_with_a_number, (1.2,)),
    (missing_hook, (1.2,)),
    (ordered_and_moved, (1.2, 0.7)),
    (ordered_iterators, (1.2, 0.7)),
    (ordered_reversed, (1.2, 0.7)),
    (counted_weights, (1.2, 0.7)),
    (added_counters, (1.2, 0.7)),
    (most_common, (1.2, 0.7)),
    (letters_counted, (1.2,)),
    (chained_maps, (1.2, 0.7)),
    (user_containers, (1.2, 0.7)),
    (named_fields, (1.2, 0.7)),
    (named_from_iterable, ([1.2, 0.7],)),
    (inside_a_context, (1.2, 0.7)),
    (suppressed, (1.2,)),
    (stack_of_contexts, (1.2,)),
    (decorated_by_a_context, (1.2,)),
    (closed_and_null, (1.2,)),
    (shallow_copies, (1.2, 0.7)),
    (deep_copies, (1.2, 0.7)),
    (copied_object, (1.2,)),
    (own_copy_hook, (1.2,)),
    (interpolated, ([0.0, 1.0, 3.0], [2.0, 5.0, 1.0], 1.7)),
    (inserted_in_order, ([2.0, 1.0, 3.0],)),
    (bisected_by_key, (2.5,)),
    (heap_of_numbers, ([2.0, 1.0, 3.0],)),
    (heapified, ([2.0, 1.0, 3.0],)),
    (smallest_and_largest, ([2.0, 1.0, 3.0],)),
    (merged, ([1.0, 3.0], [2.0, 4.0])),
    (shortest_path, ([4.0, 1.0, 1.0, 0.5, 9.0],)),
    (random_with_a_seed, (1.2,)),
    (shuffled, ([2.0, 1.0, 3.0],)),
    (sampled, ([2.0, 1.0, 3.0],)),
]


@pytest.mark.parametrize(("program", "args"), PROGRAMS)
def test_collection(program, args):
    conforms(program, *args)
