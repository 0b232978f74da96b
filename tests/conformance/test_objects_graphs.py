"""Graphs of objects with cycles, shared parts and recursion: as arguments and made inside."""

import collections
import dataclasses

import numpy as np
import pytest

from tests.conformance.programs import Programs, conforms_in_both_forms

programs = Programs()


class Node:
    def __init__(self, v, parent=None):
        self.v = v
        self.parent = parent
        self.children = []
        if parent is not None:
            parent.children.append(self)

    def total(self):
        return self.v + sum(child.total() * 0.5 for child in self.children)

    def path(self):
        return self.v if self.parent is None else self.v * self.parent.path()


def family():
    root = Node(1.5)
    left, right = Node(2.0, root), Node(0.5, root)
    Node(3.0, left)
    Node(0.7, right)
    return root


@programs.at(family())
def a_tree_with_parents_as_argument(root):
    root.children[0].v *= root.v
    leaf = root.children[1].children[0]
    leaf.parent.parent.v += leaf.v
    return root.total() * leaf.path()


@programs.at(1.3, 3)
def a_tree_made_inside(x, depth):
    root = Node(x)
    level = [root]
    for k in range(depth):
        level = [Node(node.v * x + k, node) for node in level for _ in range(2)]
    level[0].parent.v = level[-1].v * 2
    return root.total() + level[0].path()


class Link:
    __slots__ = ("v", "next", "prev")

    def __init__(self, v):
        self.v, self.next, self.prev = v, None, None


class Chain:
    def __init__(self, values=()):
        self.head = self.tail = None
        self.size = 0
        for v in values:
            self.push(v)

    def push(self, v):
        link = Link(v)
        if self.tail is None:
            self.head = link
        else:
            self.tail.next, link.prev = link, self.tail
        self.tail = link
        self.size += 1

    def pop(self):
        link = self.tail
        self.tail = link.prev
        if self.tail is not None:
            self.tail.next = None
        self.size -= 1
        return link.v

    def reverse(self):
        here = self.head
        while here is not None:
            here.next, here.prev = here.prev, here.next
            here = here.prev
        self.head, self.tail = self.tail, self.head

    def __iter__(self):
        here = self.head
        while here:
            yield here.v
            here = here.next


@programs.at([1.0, 2.0, 0.5])
def a_doubly_linked_list(values):
    chain = Chain(values)
    chain.push(values[0] * values[1])
    chain.reverse()
    last = chain.pop()
    return sum(k * v for k, v in enumerate(chain, 1)) * last * chain.size


@programs.at(Chain([1.0, 2.0, 0.5]))
def a_linked_list_as_argument(chain):
    chain.head.next.v *= chain.tail.v
    chain.push(chain.pop() ** 2)
    chain.tail.prev.prev.v += chain.head.next.v
    return sum(v * v for v in chain)


class Ring:
    def __init__(self, v):
        self.v = v
        self.next = self


@programs.at(1.2)
def a_ring_of_objects(x):
    a, b = Ring(x), Ring(x * x)
    a.next, b.next = b, a
    here = a
    for _ in range(5):
        here.v += here.next.v * 0.5
        here = here.next
    return here.next.next.v * a.v


def ring_of_three():
    rings = [Ring(1.0), Ring(2.0), Ring(0.5)]
    for k, ring in enumerate(rings):
        ring.next = rings[(k + 1) % 3]
    return rings[0]


@programs.at(ring_of_three())
def a_ring_as_argument(ring):
    ring.next.v *= ring.next.next.v
    total, here = 0.0, ring
    while True:
        total += here.v * here.next.v
        here = here.next
        if here is ring:
            return total


@programs.at([1.0, 2.0])
def a_list_that_contains_itself(values):
    loop = [values[0] * values[1]]
    loop.append(loop)
    loop[1][1][0] *= values[0]
    table = {"v": loop[0]}
    table["self"] = table
    table["self"]["self"]["v"] += values[1]
    return table["v"] * loop[1][0]


class Cell:
    def __init__(self, v, mates):
        self.v = v
        self.mates = mates
        mates.append(self)


@programs.at(0.9)
def objects_that_share_a_list_of_each_other(x):
    mates = []
    a, b = Cell(x, mates), Cell(x * 2, mates)
    for cell in a.mates:
        cell.v = sum(mate.v for mate in cell.mates) * x
    b.mates[0].v += 1.0
    return a.v * b.v


shared = Ring(1.5)


@programs.at([shared, shared, Ring(0.5)])
def one_object_in_two_places(rings):
    rings[0].v *= 2
    rings[1].v += rings[2].v
    rings[2].next.v *= rings[0].v
    return rings[1].v * rings[2].v


@dataclasses.dataclass(eq=False)
class Neuron:
    bias: float
    inputs: list = dataclasses.field(default_factory=list)
    out: float = 0.0

    def fire(self):
        self.out = self.bias + sum(w * other.out for other, w in self.inputs)
        self.out = self.out if self.out > 0 else 0.1 * self.out
        return self.out


@programs.at([0.3, -0.2, 0.5], 0.8)
def a_recurrent_net_of_objects(biases, w):
    neurons = [Neuron(b) for b in biases]
    for k, neuron in enumerate(neurons):
        neuron.inputs = [(neurons[k - 1], w), (neurons[(k + 1) % 3], w * w)]
    for _ in range(3):
        for neuron in neurons:
            neuron.fire()
    return sum(neuron.out**2 for neuron in neurons)


class Tree:
    def __init__(self, key, weight):
        self.key, self.weight = key, weight
        self.left = self.right = None

    def insert(self, key, weight):
        side = "left" if key < self.key else "right"
        below = getattr(self, side)
        if below is None:
            setattr(self, side, Tree(key, weight))
        else:
            below.insert(key, weight)

    def walk(self, depth=0):
        if self.left:
            yield from self.left.walk(depth + 1)
        yield self.weight, depth
        if self.right:
            yield from self.right.walk(depth + 1)


@programs.at([3.0, 1.0, 2.0, 5.0], 0.7)
def a_search_tree(keys, x):
    root = Tree(keys[0], x)
    for key in keys[1:]:
        root.insert(key, key * x)
    return sum(weight * (depth + 1) ** 2 for weight, depth in root.walk())


class Account:
    registry = {}

    def __init__(self, name, money):
        self.name, self.money = name, money
        self.log = collections.deque(maxlen=2)
        type(self).registry[name] = self

    def pay(self, other, part):
        moved = self.money * part
        self.money -= moved
        Account.registry[other].money += moved
        self.log.append(moved)
        return self


@programs.at(10.0, 0.3)
def objects_found_in_a_registry(x, part):
    Account.registry.clear()
    Account("a", x).pay("a", part).pay("a", part)
    Account("b", x * x)
    Account.registry["b"].pay("a", part).pay("a", part * part)
    a, b = Account.registry["a"], Account.registry["b"]
    return a.money * b.money + sum(b.log) * a.log[-1]


class Simulation:
    def __init__(self, n, x):
        self.bodies = [Node(x * (k + 1)) for k in range(n)]
        self.at = np.linspace(0.0, 1.0, n) * x
        self.clock = 0.0

    def step(self, dt):
        for k, body in enumerate(self.bodies):
            body.v += dt * self.at[k]
            self.at[k] = self.at[k] * 0.5 + body.v
        self.clock += dt
        return self


@programs.at(0.6, 0.1)
def a_simulation_of_many_objects(x, dt):
    world = Simulation(4, x)
    for _ in range(3):
        world.step(dt).step(dt * 2)
    return np.sum(world.at) * world.clock + world.bodies[2].v


class Visitor:
    def visit(self, node, depth):
        method = getattr(self, f"visit_{type(node).__name__.lower()}", self.generic)
        return method(node, depth)

    def visit_node(self, node, depth):
        return node.v * depth + sum(self.visit(child, depth + 1) for child in node.children)

    def visit_ring(self, ring, depth):
        return ring.v**depth

    def generic(self, node, depth):
        return float(node)


@programs.at(1.1)
def a_visitor(x):
    root = Node(x)
    Node(x * 2, root).children += [Ring(x), x * x]
    return Visitor().visit(root, 1)


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_graphs(program, args, options):
    conforms_in_both_forms(program, args, options)
