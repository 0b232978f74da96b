"""What programs ask of objects whose class is known: the answer is known before they run."""

from dataclasses import dataclass

import pytest

import astad


class Shape:
    def __init__(self, size, label="shape"):
        self.size = size
        self.label = label

    def area(self):
        return self.size**2


class Circle(Shape):
    def area(self):
        return 3.0 * self.size**2


@dataclass
class Load:
    weight: float


def by_class(shape, x):
    if not isinstance(shape, Shape):
        raise TypeError(f"no shape: {shape!r}")
    if isinstance(shape, (Load, Circle)):
        return shape.size * x**2
    return shape.area() * x


def by_attribute(thing, x):
    if hasattr(thing, "size"):
        return thing.size * x
    return getattr(thing, "weight", 2.0) * getattr(thing, "count", 3.0) * x


def of_containers(values, x):
    if isinstance(values, dict):
        return values["a"] * x
    if isinstance(values, (list, tuple)):
        return values[0] * x
    return values * x


GIVEN = [
    (by_class, Shape(2.0), (4.0 * 1.5, 4.0)),
    (by_class, Circle(2.0), (2.25, 6.0)),
    (by_attribute, Shape(2.0), (1.5, 2.0)),
    (by_attribute, Load(2.0), (4.5, 6.0)),
]


@pytest.mark.parametrize(("f", "thing", "slopes"), GIVEN)
def test_objects(f, thing, slopes):
    assert astad.explain(f, thing, 1.5).form == "fused"
    for _ in range(3):
        bar, slope = astad.gradient(f, thing, 1.5)
        assert (next(iter(vars(bar).values())), slope) == slopes


def test_containers():
    for values, bar in [({"a": 2.0}, {"a": 1.5}), ([2.0], [1.5]), ((2.0,), (1.5,))]:
        assert astad.explain(of_containers, values, 1.5).form == "fused"
        assert astad.gradient(of_containers, values, 1.5) == (bar, 2.0)


def test_an_object_of_another_class_is_refused_by_the_program():
    with pytest.raises(TypeError, match="no shape"):
        astad.gradient(by_class, Load(1.0), 1.5)


def test_attributes_that_a_class_is_given_later(monkeypatch):
    assert astad.gradient(by_attribute, Load(2.0), 1.5)[1] == 6.0
    monkeypatch.setattr(Load, "count", 5.0, raising=False)
    assert astad.gradient(by_attribute, Load(2.0), 1.5)[1] == 10.0
    monkeypatch.setattr(Load, "size", 7.0, raising=False)
    assert astad.gradient(by_attribute, Load(2.0), 1.5)[1] == 7.0
    monkeypatch.undo()
    assert astad.gradient(by_attribute, Load(2.0), 1.5)[1] == 6.0


def test_a_class_that_gets_another_base():
    class Plain:
        pass

    class Other(Plain):
        def __init__(self, size):
            self.size = size

    def asked(thing, x):
        return thing.size * x if isinstance(thing, Shape) else x

    assert astad.gradient(asked, Other(2.0), 1.5)[1] == 1.0
    Other.__bases__ = (Plain, Shape)
    assert astad.gradient(asked, Other(2.0), 1.5)[1] == 2.0


def test_classes_that_answer_for_themselves():
    class Answering(type):
        def __instancecheck__(cls, thing):
            return thing.size > 1.0

    class Large(metaclass=Answering):
        pass

    def asked(thing, x):
        return thing.size * x if isinstance(thing, Large) else x

    assert astad.gradient(asked, Shape(2.0), 1.5)[1] == 2.0
    assert astad.gradient(asked, Shape(0.5), 1.5)[1] == 1.0
