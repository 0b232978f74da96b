"""Calls on arrays of objects: numbers, arrays of unequal lengths, lists, objects of a class."""

from fractions import Fraction

import numpy as np

NAMESPACE = "numpy (arrays of objects)"

A = "y = held(x[:3], x[3:5] * 2, x[5:])\n"
B = "y = held(Value(x[0]), Value(x[1] * x[2]))\n"
N = "y = np.array([x[0], 2 * x[1], 3], dtype=object)\n"


def held(*items):
    """An array with these objects, of one axis."""
    a = np.empty(len(items), object)
    for k, item in enumerate(items):
        a[k] = item
    return a


class Value:
    """A number with operators of its own."""

    def __init__(self, a):
        self.a = a

    def __mul__(self, other):
        return Value(self.a * (other.a if isinstance(other, Value) else other))

    __rmul__ = __mul__

    def __add__(self, other):
        return Value(self.a + (other.a if isinstance(other, Value) else other))

    __radd__ = __add__

    def __neg__(self):
        return Value(-self.a)

    def __lt__(self, other):
        return self.a < other.a

    def __ge__(self, other):
        return self.a >= other.a

    def __le__(self, other):
        return self.a <= other.a

    def exp(self):
        return Value(np.exp(self.a))


class Slotted:
    """The same without a dict."""

    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a

    def __mul__(self, other):
        return Slotted(self.a * other)


CALLS: dict[str, tuple[str, ...]] = {
    "operators of arrays": (
        A + "y * 2.0",
        A + "y * y - y",
        A + "2.0 - y / x[2]",
        A + "-y",
        A + "(y + x[0]) ** 2",
        A + "np.add(y, np.arange(3.0))",
        A + "y.reshape(3, 1) * np.array([1.0, 2.0])",
        "held(x[:3], x[3:6]) * 3 * held(x[6:], 2.0)",
    ),
    "operators in place": (
        A + "y *= 2.0\ny",
        A + "v = y[::-1]\nv += x[1]\ny",
        A + "np.multiply(y, y, out=y)\ny",
        A + "y[0] *= x[4]\ny * y",
        B + "y += y\ny[1].a",
        N + "y *= y\ny",
        N + "np.multiply(y, y, out=y)\ny",
    ),
    "sums of arrays": (
        "held(x[:3], x[3:6]).sum() * x[6:]",
        "np.sum(held(x[:3], x[3:6]))",
        "np.cumsum(held(x[:3], x[3:6], x[6:]))",
        "np.prod(held(x[:3], x[3:6], 2.0))",
    ),
    "joined": (
        A + "np.concatenate(y)",
        A + "np.hstack(y)",
        "np.vstack(held(x[:3], x[3:6]))",
        "np.stack(held(x[:3], x[3:6]))[1]",
        "np.array(held(x[:3], x[3:6]).tolist())",
        A + "np.concatenate(list(y)) ** 2",
    ),
    "moved": (
        A + "y.copy()[1]",
        A + "y[::-1].tolist()[0]",
        B + "np.sort(y)[0].a",
        B + "np.max(y).a",
        B + "np.concatenate([y, y])[2].a",
        B + "np.where([True, False], y, y * 2)[1].a",
        "held(Value(x[0]), x[1]).copy()[1]",
    ),
    "objects of a class": (
        B + "(y * 2)[1].a",
        B + "(-y.reshape(2, 1) * np.ones(2))[1, 0].a",
        B + "(np.arange(2.0) + y)[1].a",
        B + "np.exp(y)[1].a",
        B + "np.maximum(y, Value(0.3))[0].a",
        B + "np.sum(y).a",
        "(np.arange(3) * Value(x[0]))[2].a",
        "(np.asanyarray(Value(x[0])) * x[1]).a",
        "np.add(np.ones(2), Value(x[0]))[1].a",
        "(held(Slotted(x[0]), Slotted(x[1])) * x[2])[1].a",
    ),
    "lists": (
        "(held([x[0]], [x[1], x[2]]) + held([x[3]], [x[4]]))[1]",
        "(held([x[0]], [x[1]]) * 2)[1]",
    ),
    "numbers": (
        N + "y * y",
        N + "np.dot(y, y)",
        N + "np.prod(y) + y.sum()",
        N + "(y * np.arange(3.0))[1]",
        "float((np.array([Fraction(1, 2), x[0]], dtype=object) * 2)[1])",
        "(np.array([x[0], 'text'], dtype=object) * 2)[0]",
        "(np.array([x[0], True], dtype=object) * 2).sum()",
    ),
    "frompyfunc": (
        A + "np.frompyfunc(lambda v: v * v, 1, 1)(y)",
        A + "np.vectorize(np.sum, otypes=[float])(y)",
        B + "np.frompyfunc(lambda v: v.a * v.a, 1, 1)(y)",
    ),
}
REFUSED_CALLS: dict[str, tuple[str, ...]] = {
    "operators of arrays": (
        A + "np.multiply(y, 2.0, dtype=object)",
        A + "np.multiply.outer(y, [1.0, 2.0])",
        "held(x[:3], x[3:6]) @ np.ones(2)",
        "np.dot(held(x[:3], x[3:6]), np.ones(2))",
        "np.einsum('i,i', held(x[:3], x[3:6]), [1.0, 2.0])",
    ),
    "operators in place": (
        A + "np.add.at(y, [0, 0], 2.0)\ny",
        N + "np.add.at(y, [0, 0], x[1])\ny",
        N + "np.multiply(y, y, where=[True, False, True], out=y)\ny",
    ),
    "sums of arrays": ("np.mean(held(x[:3], x[3:6]))", "np.add.reduce(held(x[:3], x[3:6]))"),
    "moved": ("np.concatenate([held(Value(x[0]), x[1])] * 2)[1]",),
}
NO_SECOND = {"objects of a class": "asked by the tests of objects"}
