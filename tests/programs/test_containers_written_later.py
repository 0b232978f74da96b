"""A function reads a container, and whoever called it writes the container afterwards: cotangents
belong to what was there when it was read.
"""

import collections
import dataclasses

import numpy as np
import pytest

from astad import adjoint, pullback


def of_both(z):
    return z[0][0] * 2.0 + z[1][1] * z[1][0]


def of_dict(d):
    return d["a"][0] * 2.0 + d["b"][1]


def nested(d):
    return d["x"][0][0] * 2 + d["x"][1]["q"][1]


def of_keyword(*, d, e=3.0):
    return d["x"][0][0] * 2 * e + d["x"][1][1]


def of_star(*zs):
    return zs[0][0][0] * 2 + zs[0][1][1]


def of_two(z, w):
    return z[0][0] * 2 + w[1][1]


Pair = collections.namedtuple("Pair", "u v")


def of_pair(p):
    return p.u[0] * 2 + p.v[0][1]


@dataclasses.dataclass
class Net:
    a: object
    b: object

    def out(self):
        return of_net(self)


def of_net(net):
    return net.a[0] * 2.0 + net.b[1]


def by_rule(z):
    return z[0][0] * 2.0 + z[1][1]


@adjoint(by_rule)
def _(z):
    sizes = len(z[0]), len(z[1])

    def back(y_bar):
        a, b = map(np.zeros, sizes)
        a[0], b[1] = 2 * y_bar, y_bar
        return ([a, b],)

    return by_rule(z), back


def by_rule_that_writes(z):
    first, last = z.pop(0), z.pop()
    return first[0] * 2.0 + last[1]


@adjoint(by_rule_that_writes)
def _(z):
    def back(y_bar):
        a, b = np.zeros(3), np.zeros(3)
        a[0], b[1] = 2 * y_bar, y_bar
        return ([a, b],)

    return by_rule_that_writes(z), back


class Model:
    def __init__(self, a, b):
        self.inner, self.rows = Net(a, None), [Net(None, b)]


def by_rule_of_a_model(model):
    return model.inner.a[0] * 2.0 + model.rows[0].b[1]


@adjoint(by_rule_of_a_model)
def _(model):
    def back(y_bar):
        a, b = np.zeros(3), np.zeros(3)
        a[0], b[1] = 2 * y_bar, y_bar
        return ({"inner": {"a": a}, "rows": [{"b": b}]},)

    return by_rule_of_a_model(model), back


FOUND = [
    of_both, of_dict, nested, of_keyword, of_star, of_two, of_pair, of_net, by_rule,
    by_rule_of_a_model,
]  # fmt: skip
"""Called through it they are found at run time."""
BOTH, DICT, NESTED, KEYWORD, STAR, TWO, PAIR, NET, RULE, MODEL = range(len(FOUND))


def swapped(a, b):
    z = [a, b]
    y = FOUND[BOTH](z)
    z[0], z[1] = z[1], z[0]
    return y


def swapped_where_exceptions_are_caught(a, b):
    z = [a, b]
    y = of_both(z)
    try:
        z[0], z[1] = z[1], z[0]
    except ValueError:
        pass
    return y


def reversed_(a, b):
    z = [a, b]
    y = FOUND[BOTH](z)
    z.reverse()
    return y + FOUND[BOTH](z)


def overwritten(a, b):
    z = [a, b]
    y = FOUND[BOTH](z)
    z[1] = z[0]
    return y


def cleared(a, b):
    z = [a, b]
    y = FOUND[BOTH](z)
    z.clear()
    return y


def longer(a, b):
    z = [a, b]
    y = FOUND[BOTH](z)
    z.insert(0, 3.0)
    return y


def numbers_in_rows(a, b):
    z = [list(a), list(b)]
    y = FOUND[BOTH](z)
    z[0], z[1] = z[1], z[0]
    z[0][0] = 3.0
    z[1].clear()
    return y


def keys_swapped(a, b):
    d = {"a": a, "b": b}
    y = FOUND[DICT](d)
    d["a"], d["b"] = d["b"], d["a"]
    return y


def keys_deleted(a, b):
    d = {"a": a, "b": b}
    y = FOUND[DICT](d)
    del d["a"]
    d.clear()
    return y


def deep_down(a, b):
    d = {"x": [a, {"q": b}]}
    y = FOUND[NESTED](d)
    d["x"].reverse()
    d["x"][0]["q"] = a
    del d["x"]
    return y


def keyword(a, b):
    d = {"x": [a, b]}
    y = FOUND[KEYWORD](d=d)
    d["x"].reverse()
    return y


def star(a, b):
    z = [a, b]
    y = FOUND[STAR](z)
    z.reverse()
    return y


def two_names(a, b):
    z = [a, b]
    y = FOUND[TWO](z, z)
    z.reverse()
    return y


def in_a_tuple(a, b):
    inner = [b]
    y = FOUND[PAIR](Pair(a, inner))
    inner[0] = a
    return y


def attributes(a, b):
    net = Net(a, b)
    y = FOUND[NET](net) + net.out()
    net.a, net.b = net.b, net.a
    del net.b
    return y


def rule(a, b):
    z = [a, b]
    y = FOUND[RULE](z)
    z.reverse()
    return y


def rule_of_a_model(a, b):
    model = Model(a, b)
    y = FOUND[MODEL](model)
    model.inner.a, model.rows[0].b = b, a
    model.rows.clear()
    return y


def rule_that_writes(a, b):
    return by_rule_that_writes([a, b]) + a[1]


PROGRAMS = [
    swapped, swapped_where_exceptions_are_caught, reversed_, overwritten, cleared, longer,
    numbers_in_rows, keys_swapped, keys_deleted, deep_down, keyword, star, two_names, in_a_tuple,
    attributes, rule, rule_of_a_model,
    rule_that_writes,
]  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_against_differences(fn):
    a, b = np.array([0.663, -1.035, 0.333]), np.array([0.757, 1.044, 0.513])
    y, back = pullback(fn, a, b)
    assert y == fn(a, b)
    bars = back(1.0)
    np.testing.assert_equal(back(1.0), bars)
    for at, bar in enumerate(bars):
        slopes = np.zeros(3)
        for i in range(3):
            step = np.eye(3)[i] * 1e-6
            up, down = [[x + s * step if k == at else x for k, x in enumerate((a, b))]
                        for s in (1, -1)]  # fmt: skip
            slopes[i] = (fn(*up) - fn(*down)) / 2e-6
        np.testing.assert_allclose(bar, slopes, rtol=1e-7, atol=1e-8)


def arguments_of_the_function_itself(z):
    y = FOUND[BOTH](z)
    z[0], z[1] = z[1], z[0]
    return y


def lists_of_numbers(z):
    y = FOUND[BOTH]([[z[0]], [z[1], z[0]]])
    z.append(3.0)
    z.pop(0)
    return y


def test_of_the_arguments():
    a, b = np.array([0.5, 2.0]), np.array([3.0, 5.0])
    z = [a, b]
    _, back = pullback(arguments_of_the_function_itself, z)
    np.testing.assert_equal(back(1.0)[0], [np.array([2.0, 0.0]), np.array([5.0, 3.0])])
    assert z[0] is b
    assert pullback(lists_of_numbers, [0.5, 3.0])[1](1.0) == ([2.0 + 3.0, 0.5],)
