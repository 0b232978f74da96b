"""The table as a whole: containers of arrays, whole cotangents, what is there."""

import functools
from collections import deque

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import MissingRule, RuleError, Unsupported
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import snapshot
from astad.tangents.objects import Tangent
from astad.tangents.refused import Refused


def refused():
    return Refused(MissingRule("f", "call of f", why="no rule", instead="hold it constant"))


class Model:
    def __init__(self, w, b):
        self.w, self.b = w, b


def test_a_container_as_it_was():
    w, v, shadows = np.zeros(2), np.zeros(2), Shadows()
    inner, model = {"n": 1.0}, Model(w, 2.0)
    l = [w, 1.0, inner, model]
    node = snapshot(l)
    l[0], model.w = v, v
    l.pop()
    inner.clear()
    shadows.add(node, [np.ones(2), 5.0, {"n": 6.0}, {"w": np.ones(2), "b": 7.0}])
    np.testing.assert_array_equal(shadows.take(w), [2.0, 2.0])
    assert shadows.take(v) is None
    assert shadows.take(l) == [None, 5.0, None]
    assert shadows.take(inner) == {"n": 6.0}
    assert shadows.take(vars(model)) == {"b": 7.0}
    with pytest.raises(RuleError, match="for a list of 4 elements"):
        shadows.add(node, [None, 1.0, None])


def test_structures_are_added_to_elements_and_slots():
    w, shadows = np.zeros(2), Shadows()
    l, d, m = [w, 1.0], {"w": w, "n": 1.0, "text": "a"}, Model(w, 2.0)
    shadows.add(l, (np.ones(2), 5.0))
    shadows.add(deque(l), [np.ones(2), None])
    shadows.add(d, {"w": np.ones(2), "n": 6.0, "text": None})
    shadows.add(m, Tangent(w=np.ones(2), b=7.0))
    shadows.add(m, {"b": 1.0})
    shadows.add(m, None)
    assert shadows.take(w).tolist() == [4, 4] and shadows.take(w) is None
    assert shadows.take(l) == [None, 5.0] and shadows.take(l) is None
    assert shadows.take(d) == {"n": 6.0} and shadows.take(d) is None
    assert shadows.take(vars(m)) == {"b": 8.0}


def test_has_tells_what_is_there():
    a, l, d, m, shadows = np.zeros(3), [1.0], {}, Model(1.0, 2.0), Shadows()
    assert not any(map(shadows.has, (a, l, d, m)))
    shadows.add(a[1:], np.ones(2))
    shadows.slot_add(l, 0, 1.0)
    shadows.key_add(d, "k", 1.0)
    shadows.key_add(vars(m), "w", 1.0)
    assert all(map(shadows.has, (a, a[:1], l, d, m)))
    shadows.take(l)
    shadows.key_take(d, "k")
    assert not shadows.has(l) and not shadows.has(d)


def test_refused_reaches_all_that_an_object_holds():
    w, loop = np.zeros(2), [1.0]
    loop.append(loop)
    m, shadows, r = Model(w, {"k": 1.0, "loop": loop}), Shadows(), refused()
    shadows.add(m, r)
    assert (
        shadows.take(w) is r and shadows.key_of(m.b, "k") is r and shadows.slot_take(loop, 0) is r
    )
    assert shadows.refused_at(m) is r and shadows.has(m)
    with pytest.raises(MissingRule):
        shadows.add(iter([1.0]), refused())


def test_numbers_in_arrays_of_objects_have_their_cotangents_side_by_side():
    a, shadows = np.array([[1.0, 2.0]], object), Shadows()
    shadows.add(a, np.array([[3.0, 4.0]]))
    shadows.add(a[0], np.array([1.0, 2j]))
    assert shadows.take(a).tolist() == [[4.0, 4.0 + 2j]] and shadows.take(a) is None
    row = np.ones(1)
    mixed = np.array([2.0, None], object)
    mixed[1] = row
    part = np.array([5.0, None], object)
    part[1] = np.array([6.0])
    shadows.add(mixed, part)
    assert shadows.take(mixed).tolist() == [5.0, 0.0] and shadows.take(row).tolist() == [6.0]


def test_tables_are_independent():
    a, first, second = np.zeros(1), Shadows(), Shadows()
    first.add(a, np.ones(1))
    assert second.take(a) is None and first.take(a) is not None


def test_hundred_temporaries_with_reused_ids():
    shadows = Shadows()
    for k in range(100):
        shadows.add(np.zeros(2), np.full(2, float(k)))
    assert shadows.take(np.zeros(2)) is None
    with pytest.raises(Unsupported):
        shadows.add(np.zeros(2).view([("x", float)]), np.ones(2))


def test_what_compiled_code_makes_of_a_function_refuses_what_that_has_captured():
    optimize = pytest.importorskip("scipy.optimize._zeros")

    def f(a, **words):
        g = functools.partial(lambda t, b: t * t - b * a, b=words.get("b", 2.0))
        return optimize._brentq(g, 0.0, 9.0, 1e-12, 1e-12, 100, (), False, True)

    with pytest.raises(Unsupported, match="_brentq"):
        gradient(f, 2.0)
    with pytest.raises(Unsupported, match="_brentq"):
        gradient(lambda b: f(2.0, b=b), 2.0)


class Cached(property):
    """A property that keeps its value in the object, under its own name."""

    def __init__(self, method):
        self.name, self.method = method.__name__, method
        super().__init__(self.read)

    def read(self, holder):
        if self.name not in holder.__dict__:
            holder.__dict__[self.name] = self.method(holder)
        return holder.__dict__[self.name]


class Circle:
    def __init__(self, radius):
        self.radius = radius
        self.area  # asked for once, and kept

    @Cached
    def area(self):
        return 3.0 * self.radius**2


class Listed:
    """What it holds in slots is given out as a dict."""

    __slots__ = ("s", "t")

    def __init__(self, s, t):
        self.s, self.t = s, t

    @property
    def __dict__(self):
        return {"s": self.s, "t": self.t}


def test_the_cotangent_of_slots_that_a_property_lists():
    point, back = pullback(Listed, 2.0, 3.0)
    assert vars(point) == {"s": 2.0, "t": 3.0}
    assert back(Tangent(s=1.0, t=5.0)) == (1.0, 5.0)
    assert gradient(lambda s, t: Listed(s, t).s * Listed(s, t).t, 2.0, 3.0) == (3.0, 2.0)


def test_the_cotangent_of_what_a_property_has_kept_in_the_object():
    circle, back = pullback(Circle, 2.0)
    assert vars(circle) == {"radius": 2.0, "area": 12.0}
    assert back(Tangent(radius=0.0, area=1.0)) == (12.0,)
    assert back(Tangent(radius=5.0, area=2.0)) == (29.0,)
    assert gradient(lambda radius: Circle(radius).area, 2.0) == (12.0,)
    circles, back = pullback(lambda x: [Circle(x), Circle(2 * x)], 1.0)
    assert back([Tangent(area=1.0), {"area": 1.0}]) == (30.0,)
    (bar,) = gradient(lambda circle: circle.area * circle.radius, circle)
    assert (bar.area, bar.radius) == (2.0, 12.0)


def test_a_refusal_reaches_the_lists_in_an_array_of_objects():
    """What compiled code wrote, of the numbers in them, may be what was there before."""
    rows = np.empty(2, object)
    rows[:] = [1.5], [2.5, 3.5]
    shadows = Shadows()
    given = refused()
    shadows.add(rows, given)
    assert [shadows.slots_take(row, len(row)) for row in rows] == [[given], [given, given]]
