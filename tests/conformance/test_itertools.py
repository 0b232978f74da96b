"""itertools, all of it; map, filter, zip, enumerate, reversed, iter."""

import itertools
import operator
from collections import deque

import numpy as np
import pytest

from tests.conformance.harness import conforms


def chained(xs, y):
    total = 0.0
    for k, v in enumerate(itertools.chain(xs, [y, y * y], (3.0,))):
        total += k * v * v
    return total


def chained_from_iterable(rows):
    return sum(v * v for v in itertools.chain.from_iterable(rows))


def chained_generators(x):
    return list(itertools.chain((k * x for k in (1.0, 2.0)), (x**k for k in (2, 3))))[2] * x


def accumulated(xs):
    sums = list(itertools.accumulate(xs))
    return sums[-1] * sums[1]


def accumulated_products(xs):
    return sum(itertools.accumulate(xs, operator.mul))


def accumulated_with_a_function(xs, y):
    decayed = itertools.accumulate(xs, lambda total, v: 0.5 * total + v * y, initial=y)
    return sum(decayed)


def combined(xs):
    return sum(a * b for a, b in itertools.combinations(xs, 2))


def combined_with_replacement(xs):
    return sum(a * b * b for a, b in itertools.combinations_with_replacement(xs, 2))


def permuted(xs):
    return sum(a / b for a, b in itertools.permutations(xs, 2))


def products(xs, ys):
    return sum(x * y**2 for x, y in itertools.product(xs, ys))


def repeated_product(x, y):
    return sum(a * b * c for a, b, c in itertools.product((x, y), repeat=3))


def counted(x, step):
    numbers = itertools.count(x, step)
    first = next(numbers)
    second = next(numbers)
    return first * second * next(numbers)


def counted_in_zip(xs, start):
    return sum(v * n for v, n in zip(xs, itertools.count(start)))


def cycled(xs, ys):
    return sum(x * w * w for x, w in zip(xs, itertools.cycle(ys)))


def cycled_generator(x):
    around = itertools.cycle(x**k for k in (1, 2, 3))
    return sum(next(around) * k for k in range(1, 6))


def grouped(xs):
    total = 0.0
    for negative, group in itertools.groupby(xs, lambda v: v < 0):
        part = sum(group)
        total += -part if negative else part * part
    return total


def grouped_by_kind(xs):
    out = {}
    for kind, group in itertools.groupby((x * 2.0 for x in xs), key=lambda v: int(v) % 2):
        out[kind] = out.get(kind, 0.0) + sum(v * v for v in group)
    return out[0] * out[1]


def groups_partly_read(x):
    pairs = [("a", x), ("a", x * x), ("b", 2.0 * x), ("b", 3.0), ("c", x**3)]
    firsts = [next(group)[1] for _, group in itertools.groupby(pairs, operator.itemgetter(0))]
    return firsts[0] * firsts[1] + firsts[2]


def sliced(xs):
    return sum(itertools.islice(xs, 1, None, 2))


def sliced_generator(x):
    powers = (x**k for k in itertools.count(1))
    first = list(itertools.islice(powers, 2))
    return sum(first) * next(powers)


def pairs(xs):
    return sum((b - a) ** 2 for a, b in itertools.pairwise(xs))


def pairs_of_a_generator(x):
    return sum(b * a for a, b in itertools.pairwise(x**k for k in (1, 2, 3)))


def repeated(x):
    return sum(v * k for k, v in enumerate(itertools.repeat(x, 4)))


def repeated_in_map(xs, y):
    return sum(map(pow, xs, itertools.repeat(y)))


def starmapped(xs, ys):
    return sum(itertools.starmap(lambda a, b: a * b * b, zip(xs, ys)))


def taken_while(xs):
    rising = itertools.takewhile(lambda v: v < 2.5, (x * x for x in xs))
    return sum(rising)


def dropped_while(xs):
    return sum(v**3 for v in itertools.dropwhile(lambda v: v < 1.2, xs))


def dropped_of_a_generator(xs):
    lazy = (x * x for x in xs)
    rest = itertools.dropwhile(lambda v: v < 1.2, lazy)
    return next(rest) * next(rest)


def forked(xs):
    one, other = itertools.tee(x * x for x in xs)
    next(other)
    return sum(a * b for a, b in zip(one, other))


def forked_three_times(x):
    a, b, c = itertools.tee([x, 2.0 * x, 3.0], 3)
    return sum(a) * next(b) + next(c) * next(c)


def forked_branch_copied(x):
    import copy

    a, _ = itertools.tee(k * x for k in (1.0, 2.0, 3.0))
    next(a)
    b = copy.copy(a)
    return next(a) * sum(b)


def zipped_longest(xs, ys, fill):
    return sum(a * b for a, b in itertools.zip_longest(xs, ys, fillvalue=fill))


def compressed(xs):
    return sum(v * v for v in itertools.compress(xs, [1, 0, True, 0]))


def compressed_by_a_test(x):
    values = (x * k for k in (1.0, 2.0, 3.0))
    kept = itertools.compress(values, (v > 0 for v in (1, -1, 1)))
    return next(kept) * next(kept)


def filtered_false(xs):
    return sum(v * v for v in itertools.filterfalse(lambda v: v < 1.0, xs))


def written_out_batches(xs):
    rows = iter(xs)
    total = 0.0
    while batch := tuple(itertools.islice(rows, 2)):
        total += batch[0] * batch[-1]
    return total


def mapped_over_two(xs, ys):
    return sum(map(lambda a, b: a * b + a, xs, ys))


def mapped_lazily(x):
    seen = []

    def note(v):
        seen.append(v * x)
        return v * v

    lazy = map(note, [x, 2.0, 3.0])
    first = next(lazy)
    return first + sum(seen)


def filtered_by_none(x, y):
    return sum(filter(None, [x, 0.0, y * y, 0]))


def zipped_strictly(xs, ys):
    return sum(a * b for a, b in zip(xs, ys, strict=True))


def zipped_too_short(xs, ys):
    try:
        return sum(a * b for a, b in zip(xs, ys, strict=True))
    except ValueError:
        return xs[0] * ys[0]


def unzipped(xs):
    left, right = zip(*[(x, x * x) for x in xs])
    return sum(left) * right[0]


def enumerated_from(xs):
    return sum(k * v for k, v in enumerate(xs, start=3))


def reversed_list(xs):
    total = 0.0
    for v in reversed(xs):
        total = total * xs[0] + v
    return total


def reversed_deque(x):
    items = deque([x, x * x, 3.0])
    return sum(k * v for k, v in enumerate(reversed(items), 1))


def reversed_dict(x):
    table = {"a": x, "b": x * x}
    total = 1.0
    for name in reversed(table):
        total = total * 2.0 + table[name]
    return total


def iterator_shared_by_two_loops(xs):
    source = iter(xs)
    total = 0.0
    for v in source:
        total += v
        if v > 1.2:
            break
    for v in source:
        total += v * v
    return total


def sentinel_stops_it(x):
    count = 0

    def step():
        nonlocal count
        count += 1
        return count * x if count < 4 else "end"

    values = list(iter(step, "end"))
    return values[0] * values[2] + count


def popped_until_none(x):
    queue = deque([x, x * x, 2.0, None])
    total = 0.0
    try:
        for v in iter(queue.popleft, None):
            total += v * x
    finally:
        total *= x
    return total


def any_and_all(xs):
    factor = 2.0 if any(x > 1.9 for x in xs) else 1.0
    if all(map(lambda v: v > 0, xs)):
        factor *= xs[0]
    return factor * xs[1]


def sorted_with_a_key(xs):
    ordered = sorted(xs, key=lambda v: -abs(v))
    return ordered[0] * 2.0 + ordered[-1] ** 2


def sorted_generator_backwards(x):
    values = sorted((x * k for k in (2.0, 1.0, 3.0)), reverse=True)
    return values[0] * values[1] - values[2]


def smallest_with_key_and_default(x):
    nearest = min([x, 2.0 * x, 5.0], key=lambda v: abs(v - 2.5))
    return nearest * max([], default=x * x)


def largest_of_objects(x, y):
    name, value = max({"a": x, "b": y * y}.items(), key=operator.itemgetter(1))
    return value * (2.0 if name == "a" else 3.0)


def summed_from_a_start(xs, y):
    return sum((x * x for x in xs), y * y)


def summed_lists(x, y):
    joined = sum([[x], [y, x * y]], [])
    return joined[0] * joined[2]


def summed_arrays(a):
    return np.sum(sum([a, a * a], np.ones(2)))


def multiplied_by_reduce_of_chain(x):
    from functools import reduce

    return reduce(operator.mul, itertools.chain([x], map(lambda k: x + k, range(1, 3))))


PROGRAMS = [
    (chained, ([1.0, 2.0], 0.5)),
    (chained_from_iterable, ([[1.0, 2.0], [3.0]],)),
    (chained_generators, (1.3,)),
    (accumulated, ([1.0, 2.0, 3.0],)),
    (accumulated_products, ([1.5, 2.0, 0.7],)),
    (accumulated_with_a_function, ([1.5, 2.0, 0.7], 0.4)),
    (combined, ([1.5, 2.0, 0.7],)),
    (combined_with_replacement, ([1.5, 2.0, 0.7],)),
    (permuted, ([1.5, 2.0, 0.7],)),
    (products, ([1.5, 2.0], [0.7, 3.0])),
    (repeated_product, (1.5, 0.3)),
    (counted, (1.5, 0.25)),
    (counted_in_zip, ([1.5, 2.0], 0.25)),
    (cycled, ([1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 2.0])),
    (cycled_generator, (1.2,)),
    (grouped, ([1.0, 2.0, -1.0, -0.5, 3.0],)),
    (grouped_by_kind, ([1.1, 1.2, 1.6, 0.3],)),
    (groups_partly_read, (1.2,)),
    (sliced, ([1.0, 2.0, 3.0, 4.0],)),
    (sliced_generator, (1.2,)),
    (pairs, ([1.0, 2.0, 4.0],)),
    (pairs_of_a_generator, (1.2,)),
    (repeated, (1.2,)),
    (repeated_in_map, ([1.2, 2.0], 2.5)),
    (starmapped, ([1.2, 2.0], [3.0, 0.5])),
    (taken_while, ([0.5, 1.5, 2.0, 0.1],)),
    (dropped_while, ([0.5, 1.5, 0.2],)),
    (dropped_of_a_generator, ([0.5, 1.5, 0.2],)),
    (forked, ([0.5, 1.5, 0.2],)),
    (forked_three_times, (1.2,)),
    (forked_branch_copied, (1.2,)),
    (zipped_longest, ([1.0, 2.0, 3.0], [4.0], 0.5)),
    (compressed, ([1.0, 2.0, 3.0, 4.0],)),
    (compressed_by_a_test, (1.2,)),
    (filtered_false, ([0.5, 1.5, 0.2, 3.0],)),
    (written_out_batches, ([0.5, 1.5, 0.2],)),
    (mapped_over_two, ([0.5, 1.5], [2.0, 3.0, 4.0])),
    (mapped_lazily, (1.2,)),
    (filtered_by_none, (1.2, 0.4)),
    (zipped_strictly, ([0.5, 1.5], [2.0, 3.0])),
    (zipped_too_short, ([0.5, 1.5], [2.0])),
    (unzipped, ([0.5, 1.5],)),
    (enumerated_from, ([0.5, 1.5],)),
    (reversed_list, ([0.5, 1.5, 2.0],)),
    (reversed_deque, (1.2,)),
    (reversed_dict, (1.2,)),
    (iterator_shared_by_two_loops, ([0.5, 1.5, 2.0],)),
    (sentinel_stops_it, (1.2,)),
    (popped_until_none, (1.2,)),
    (any_and_all, ([1.2, 2.0],)),
    (sorted_with_a_key, ([1.2, -2.0, 0.4],)),
    (sorted_generator_backwards, (1.2,)),
    (smallest_with_key_and_default, (1.2,)),
    (largest_of_objects, (1.2, 0.4)),
    (summed_from_a_start, ([1.2, 0.4], 0.7)),
    (summed_lists, (1.2, 0.4)),
    (summed_arrays, (np.array([1.2, 0.4]),)),
    (multiplied_by_reduce_of_chain, (1.2,)),
]


@pytest.mark.parametrize(("program", "args"), PROGRAMS)
def test_iteration(program, args):
    conforms(program, *args)


@pytest.mark.skipif(not hasattr(itertools, "batched"), reason="new in Python 3.12")
def test_batched():
    def batches(xs):
        total = 0.0
        for batch in itertools.batched(xs, 2):
            total += batch[0] * batch[-1]
        return total

    def batches_of_a_generator(xs):
        first, *others = itertools.batched((x * x for x in xs), 2)
        return first[0] * first[1] + sum(others[0])

    conforms(batches, [1.0, 2.0, 3.0])
    conforms(batches_of_a_generator, [1.0, 2.0, 3.0])
