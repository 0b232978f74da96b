"""Arrays of objects: the operators of the elements are recorded, or a derivative is refused."""

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported


class Length:
    def __init__(self, metres, log):
        self.metres, self.log = metres, log

    def __mul__(self, other):
        self.log.append("mul")
        return Length(self.metres * other, self.log)


def held(*items):
    a = np.empty(len(items), object)
    for k, item in enumerate(items):
        a[k] = item
    return a


def test_arrays_of_unequal_lengths_in_an_array():
    def f(x):
        parts = held(x, x[:1] * 3.0) * 2.0
        return parts[0].sum() + parts[1][0]

    assert gradient(f, np.array([1.0, 5.0]))[0].tolist() == [8.0, 2.0]


def test_the_method_of_an_element_runs_once():
    log = []

    def f(x):
        return (held(Length(x, log), Length(2 * x, log)) * 3.0)[1].metres

    assert gradient(f, 1.5) == (6.0,)
    assert log == ["mul", "mul"]


def test_an_object_beside_an_array():
    def f(x):
        return (np.arange(3) * Reflected(x))[2].a

    assert gradient(f, 1.5) == (2.0,)


class Reflected:
    def __init__(self, a):
        self.a = a

    def __rmul__(self, other):
        return Reflected(other * self.a)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.dot(held(x, x), np.ones(2)).sum(),
        lambda x: (held(x, x) @ np.ones(2)).sum(),
        lambda x: np.multiply(held(x, x), 2.0, dtype=object)[0].sum(),
        lambda x: np.add.reduce(held(x, x)).sum(),
    ],
)
def test_what_compiled_code_makes_of_the_elements_is_refused(f):
    assert f(np.ones(2)) == 4.0
    with pytest.raises(Unsupported):
        gradient(f, np.ones(2))


def test_a_constant_array_of_objects_is_no_hindrance():
    def f(x):
        names = held("a", "b") + "c"
        parts = held(np.ones(2), np.ones(3))
        return x * len(names[0]) * np.dot(parts, np.ones(2)[:1].repeat(2))[0]

    with pytest.raises(ValueError, match="broadcast"):
        f(1.0)

    def g(x):
        names = held("a", "b") + "c"
        return x * len(names[0]) * np.dot(held(2.0, np.ones(3)), held(3.0, 1.0))[0]

    assert gradient(g, 1.5) == (14.0,)


def test_writes_that_are_not_followed_are_refused_at_once():
    def at(x):
        a = held(x, 2 * x)
        np.add.at(a, [0, 0], x)
        return a[0]

    with pytest.raises(Unsupported, match="array of objects"):
        gradient(at, 1.5)


def grid(e):
    a = np.empty((2, 2), object)
    a[0, 0], a[0, 1], a[1, 0], a[1, 1] = 0.5, "name", None, e
    return a


class Box:
    def __init__(self, v):
        self.v = v


ELEMENTS = {
    "item of arrays": lambda x: grid(np.array([x, 1.0])).item(1, 1)[0] * x,
    "item by number": lambda x: grid([x, 1.0]).item(3)[0] * x,
    "item from the end": lambda x: grid({"v": x}).item(-1)["v"] * x,
    "item by a tuple": lambda x: grid(Box(x)).item((1, 1)).v * x,
    "item of one": lambda x: held(Box([x])).item().v[0] * x,
    "item of a number": lambda x: grid(x).item(3) * x,
    "flat of an array": lambda x: grid(np.array([x, 1.0])).flat[3][0] * x,
    "flat of a 0-d array": lambda x: float(grid(np.array(x)).flat[-1]) * x,
    "flat of a number": lambda x: grid(x).T.flat[3] * x,
    "flat in a loop": lambda x: sum(e.v for e in grid(Box(x)).flat if type(e) is Box) * x,
    "no axes": lambda x: np.array(x, object).item() * x,
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_an_element_by_item_or_flat_is_the_object_itself(name):
    assert gradient(ELEMENTS[name], 1.5) == (3.0,)
    with pytest.raises(IndexError):
        gradient(lambda x: grid(x).item(4) * x, 1.5)
