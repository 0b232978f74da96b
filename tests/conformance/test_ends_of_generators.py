"""What a generator does after its last value, and at once when a loop over it is left."""

import contextlib

import numpy as np
import pytest

from tests.conformance.harness import conforms


def halves(state, n=3):
    for _ in range(n):
        yield state["x"] / 2
    state["x"] = state["x"] ** 2


def changed_at_the_end(x):
    state = {"x": x}
    total = 0.0
    for half in halves(state):
        if half > 100.0:
            continue
        total = total + half * state["x"]
    else:
        total *= state["x"]
    return total * state["x"]


def one_loop_after_another(x):
    state = {"x": x}
    total = 1.0
    for _ in range(2):
        for half in halves(state, 2):
            total = total + half * state["x"]
            state["x"] *= 1.1
    for half in halves(state, 0):
        total *= half
    return total * state["x"]


def drawn_by_comprehensions(x):
    state = {"x": x}
    total = sum(half * state["x"] for half in halves(state))
    return total + sum([half * state["x"] for half in halves(state)]) * state["x"]


class Tree:
    def __init__(self, value, *below):
        self.value, self.below, self.seen = value, below, 0.0

    def walk(self):
        yield self
        for tree in self.below:
            yield from tree.walk()
        self.seen = self.seen + self.value


def objects_that_walk(x):
    tree = Tree(x, Tree(2 * x, Tree(x**2)), Tree(3.0))
    total = 0.0
    for part in tree.walk():
        total += part.value
        part.value *= 1.5
    for part in tree.walk():
        total += part.seen * part.value
        if part.value > 4:
            break
    return total + tree.seen * tree.below[0].seen


def left_at_once(x):
    log = []

    def steps():
        try:
            for i in range(5):
                yield x * i
        finally:
            log.append(x * 10 + len(log))

    total = 0.0
    for k in range(3):
        for step in steps():
            total += step
            if step > 2 and k != 1:
                break
        else:
            total += log[-1]
        total *= log[-1] + 1
    return total


def left_within_a_context(x):
    state = {"depth": x}

    @contextlib.contextmanager
    def deeper():
        state["depth"] *= 2
        yield state["depth"]
        state["depth"] -= x

    def walk(n):
        with deeper() as depth:
            for i in range(n):
                yield depth * i

    out = []
    for step in walk(4):
        out.append(step)
        if len(out) == 2:
            break
    for step in walk(2):
        out.append(step * state["depth"])
    return sum(out) * state["depth"]


def left_and_held_elsewhere(x):
    log, held = [1.0], []

    def steps():
        try:
            yield x
            yield 2 * x
        finally:
            log.append(x)

    def begin():
        held.append(steps())
        return held[0]

    for first in begin():
        break
    second = next(held[0])
    y = first * second * log[-1]
    held[0].close()
    return y * log[-1]


def array_changed_at_the_end(xs):
    def parts(a):
        for i in range(0, len(a), 2):
            yield a[i : i + 2]
        a[0] = a[1] * 2

    total = 0.0
    for part in parts(xs):
        total += part.sum() * xs[0]
    xs[1] = xs[0] * total
    xs *= 2
    return xs @ xs


def left_by_return(x):
    def halves(t):
        for k in range(3):
            t = t * 0.5 + k
            yield t

    def first(t, least):
        for v in halves(t):
            for w in halves(v):
                if w > least:
                    return {"v": v * w, "w": w}
        return {"v": t}

    return first(x, 0.5)["v"] + first(x, 1.2)["w"] + first(x, 99.0)["v"]


class Sorted:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right

    def __iter__(self):
        return self.below(self)

    def below(self, node):
        if node is not None:
            for v in self.below(node.left):
                yield v
            yield node.v
            for v in self.below(node.right):
                yield v


def tree_of(x):
    return Sorted(x, Sorted(2 * x, None, Sorted(x * x)), Sorted(3 * x))


def in_order(root):
    def go(node):
        if node:
            yield from go(node.left)
            yield node.v
            yield from go(node.right)

    return go(root)


def recursive_closure_summed(x):
    return sum(v * v for v in in_order(tree_of(x)))


def recursive_closure_in_a_loop(x):
    total = 0.0
    for k, v in enumerate(in_order(tree_of(x))):
        total += k * v * v
    return total


def recursive_method_by_iter(x):
    return sum(v * v for v in tree_of(x)) + max(tree_of(x))


def recursive_orders(x):
    def orders(items):
        if not items:
            yield ()
        for n, item in enumerate(items):
            for rest in orders(items[:n] + items[n + 1 :]):
                yield (item, *rest)

    return sum(a * b**2 for a, b, _ in orders([x, 2 * x, x * x]))


def recursive_leaves_of_lists(x):
    def leaves(nested):
        for each in nested:
            if isinstance(each, list):
                yield from leaves(each)
            else:
                yield each

    return sum(v * k for k, v in enumerate(leaves([x, [x * x, [2 * x]], 3.0 * x])))


def recursive_and_writes_behind_its_values(x):
    log = []

    def go(node):
        if node:
            yield from go(node.left)
            yield node.v
            yield from go(node.right)
            log.append(node.v * x)

    return sum(v * v for v in go(tree_of(x))) * sum(log)


PROGRAMS = [
    changed_at_the_end, one_loop_after_another, drawn_by_comprehensions, objects_that_walk,
    left_at_once, left_within_a_context, left_and_held_elsewhere, left_by_return,
    recursive_closure_summed, recursive_closure_in_a_loop, recursive_method_by_iter,
    recursive_orders, recursive_leaves_of_lists, recursive_and_writes_behind_its_values,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_end_of_a_generator(program):
    conforms(program, 1.3)


def test_array_that_a_generator_changes_at_its_end():
    conforms(array_changed_at_the_end, np.array([0.5, 1.5, -0.7, 2.0]))
