"""match with every kind of pattern; what is taken out of the subject carries its derivative."""

import collections
import dataclasses
import enum
import math

import pytest

from astad import gradient
from astad.testing import check_gradient


@dataclasses.dataclass
class Circle:
    r: float


@dataclasses.dataclass
class Box:
    w: float
    h: float = 2.0


class Pair:
    __match_args__ = ("left", "right")

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @property
    def product(self):
        return self.left * self.right


class Unit(enum.Enum):
    METRE = 1.0
    FOOT = 0.3048


def area(shape):
    match shape:
        case Circle(r):
            return math.pi * r * r
        case Box(w, h=h) if w > h:
            return 3 * w * h
        case Box(w=w, h=float(h)):
            return w * h
        case Pair(left=Circle(r), right=other):
            return r * area(other)
        case (first, *rest):
            return area(first) + sum(area(each) for each in rest)
        case {"side": s, "angle": a, **more}:
            return s * s * math.sin(a) * len(more)
        case float(x) | (int(x)):
            return x * x
        case None:
            return 0.0
        case _:
            return -1.0


SHAPES = {
    "class": lambda x: Circle(x),
    "guard true": lambda x: Box(x * 10),
    "guard false": lambda x: Box(x, x * 3),
    "inside": lambda x: Pair(Circle(x), Box(x)),
    "sequence": lambda x: [x, Circle(x), Box(x)],
    "tuple": lambda x: (x, (x * 2, x)),
    "mapping": lambda x: {"side": x, "angle": x * x, "name": 1, "other": 2},
    "ordered": lambda x: collections.OrderedDict(side=x, angle=x, name=x),
    "itself": lambda x: x,
}


@pytest.mark.parametrize("name", SHAPES)
def test_area_of_shapes(name):
    make = SHAPES[name]
    assert check_gradient(lambda x: area(make(x)) * x, 0.7).outcome == "right"


def test_what_does_not_match():
    assert gradient(lambda x: area("text") * x, 0.7) == (-1.0,)
    assert gradient(lambda x: area(None) * x, 0.7) == (0.0,)
    assert gradient(lambda x: area({"side": x}) * x, 0.7) == (-1.0,)


def convert(x, unit):
    match unit:
        case Unit.METRE:
            y = x
        case Unit.FOOT:
            y = x * Unit.FOOT.value
        case "inch" | "in" as name:
            y = x * 0.0254 * len(name)
        case [Unit.METRE | Unit.FOOT as u, float() as k]:
            y = x * k * u.value
    return y * y


@pytest.mark.parametrize("unit", [Unit.METRE, Unit.FOOT, "inch", "in", [Unit.FOOT, 2.0]])
def test_values_and_alternatives(unit):
    assert check_gradient(convert, 0.7, unit, argnums=0).outcome == "right"


def steps(x, commands):
    """In a loop with break and continue; the name of a capture is bound again and again."""
    position, speed = x, 1.0
    for command in commands:
        match command:
            case ["go", t]:
                position = position + speed * t * x
            case ["faster", by] if by > 1:
                speed = speed * by * x
                continue
            case ["faster", by]:
                by = by * x
            case ["stop"]:
                break
            case [_, *_, last]:
                position = position * last
        position = position * 1.01
    return position * speed


def test_in_a_loop():
    commands = [["go", 2.0], ["faster", 3.0], ["faster", 0.5], ["turn", 1, 2, 1.5], ["go", 1.0]]
    commands += [["stop"], ["go", 100.0]]
    assert check_gradient(steps, 0.7, commands).outcome == "right"


def test_no_name_is_bound_where_only_a_part_fits():
    def f(x):
        a = x
        match [x * 2, "no"]:
            case [a, 1.0]:
                return 0.0
            case [float(a), str()]:
                pass
        return a * x

    assert check_gradient(f, 0.7).outcome == "right"


def test_captured_by_an_inner_function():
    def f(x):
        match {"a": x * x}:
            case {"a": value}:
                return (lambda t: t * value)(x)

    assert check_gradient(f, 0.7).outcome == "right"


def test_a_property_is_read_once_and_a_missing_attribute_does_not_fit():
    def f(x):
        match Pair(x, x * 3):
            case Pair(missing=_):
                return 0.0
            case Pair(product=p):
                return p * x

    assert check_gradient(f, 0.7).outcome == "right"


def test_errors_are_those_of_python():
    def too_many(x):
        match Circle(x):
            case Circle(a, b):
                return a * b
        return x

    def no_class(x):
        kind = 3.0
        match x:
            case kind():
                return x

    for f in (too_many, no_class):
        with pytest.raises(TypeError) as plain:
            f(0.5)
        with pytest.raises(TypeError) as ours:
            gradient(f, 0.5)
        assert str(ours.value).split()[:4] == str(plain.value).split()[:4]  # 3.13 says "a class"


def test_mappings_of_which_no_key_is_asked():
    def all_of_it(d, x):
        match d:
            case {**rest}:
                return rest["a"] * x

    def any_mapping(d, x):
        match d:
            case {} as whole:
                return whole["a"] * x

    for f in (all_of_it, any_mapping):
        assert gradient(f, {"a": 2.0}, 1.5) == ({"a": 1.5}, 2.0)
