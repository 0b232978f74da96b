"""What a checkpoint, a hook or a rule of the user's hands out in two places at once has one
cotangent, not two."""

import numpy as np
import pytest

from astad import adjoint, checkpoint, gradient, hook

W = np.arange(6.0).reshape(3, 2)


def close_to_differences(f, x, h=1e-6):
    (found,) = gradient(f, x)
    wanted = (f(x + h) - f(x - h)) / (2 * h)
    assert found == pytest.approx(wanted, rel=1e-7)


def recurrent_cell(x):
    @checkpoint
    def cell(h, u):
        h = np.tanh(x * h + u)
        return h, h

    h, total = np.zeros(2), 0.0
    for u in (0.1, 0.2, 0.4):
        h, out = cell(h, u)
        total += float(out.sum())
    return total


def a_list_twice(x):
    p, q = checkpoint(lambda v: (lambda kept: (kept, kept))([v * v, v]))(x)
    p[1] *= 2.0
    return p[0] * q[0] * q[1]


def a_list_at_two_depths(x):
    def cell(u):
        a = [u]
        return {"out": a, "state": {"h": (a,)}}

    r = checkpoint(cell)(x)
    return r["out"][0] * r["state"]["h"][0][0]


def an_array_and_a_part_of_it(x):
    def cell(u):
        a = np.array([u, 2.0 * u, u * u])
        return a, a[::-1], a[1:]

    p, q, r = checkpoint(cell)(x)
    return float(p @ q + r.sum() * p[2])


def a_part_before_the_whole(x):
    def cell(u):
        a = np.array([u, 2.0 * u, u * u])
        return a[1:2], a

    p, q = checkpoint(cell)(x)
    return float(p[0] * q.sum())


class Node:
    def __init__(self, v, parent=None):
        self.v, self.parent, self.children = v, parent, []


def a_child_that_knows_its_parent(x):
    def make(u):
        root = Node(u)
        root.children.append(Node(u * 2.0, root))
        return root

    root = checkpoint(make)(x)
    root.v *= x
    return root.children[0].parent.v * root.children[0].v


def an_object_beside_what_it_holds(x):
    def make(u):
        node = Node(u)
        node.children = [u * 3.0]
        return node, [node], node.children

    node, nodes, children = checkpoint(make)(x)
    node.v *= x
    children.append(x)
    return nodes[0].v * sum(nodes[0].children)


def numbers_in_one_tuple(x):
    def cell(u):
        a = (u, 2.0 * u)
        return a, a

    p, q = checkpoint(cell)(x)
    return p[0] * q[1]


def a_hook_on_two_places(x):
    a = np.array([x, 1.0])
    both = hook(lambda bar: bar, {"a": a, "b": a})
    return float(both["a"][0] * both["b"][0] * a[0])


def twice(v):
    kept = [v]
    return kept, kept


@adjoint(twice)
def rule_for_twice(v):
    return twice(v), lambda bar: (bar[0][0] + bar[1][0],)


def a_rule_with_one_list_twice(x):
    p, q = twice(x)
    return p[0] * q[0] + p[0]


@pytest.mark.parametrize(
    "f",
    [
        recurrent_cell,
        a_list_twice,
        a_list_at_two_depths,
        an_array_and_a_part_of_it,
        a_part_before_the_whole,
        a_child_that_knows_its_parent,
        an_object_beside_what_it_holds,
        numbers_in_one_tuple,
        a_hook_on_two_places,
        a_rule_with_one_list_twice,
    ],
)
def test_the_places_share_one_cotangent(f):
    close_to_differences(f, 0.7)


def test_what_is_broadcast():
    def f(x):
        rows, _ = checkpoint(lambda u: (np.broadcast_to(u * 2.0, (3, 2)), 1.0))(x)
        return (rows * W).sum()

    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [12.0, 18.0]


def test_windows_that_overlap():
    def f(x):
        windows, first = checkpoint(
            lambda u: (np.lib.stride_tricks.sliding_window_view(u * 2.0, 2), u[0])
        )(x)
        return (windows * np.arange(2.0)).sum() + first

    assert gradient(f, np.array([1.0, 2.0, 3.0]))[0].tolist() == [1.0, 2.0, 2.0]
