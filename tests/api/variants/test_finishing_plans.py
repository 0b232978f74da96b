from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import astad
from astad import Tangent
from astad.api.variants.finishing import finished
from astad.api.variants.finishing_plans import Unplanned, plan_of
from astad.api.variants.kinds_of_values import kinds_of


@dataclass
class Wheel:
    radius: float
    spokes: int = 8
    name: str = "front"


@dataclass
class Bike:
    mass: float
    wheel: Wheel


class Pair(NamedTuple):
    x: float
    y: float


NOTHING = {"radius": None, "spokes": None, "name": None}
GIVEN = [
    ([{"a": 2.0, "b": 3.0}], [{"a": 1.0, "b": 0.0}]),
    ([{"a": 2.0, "n": 3, "on": True}], [{"a": 1.0, "n": None, "on": None}]),
    ([Wheel(1.0)], [{"radius": 2.0, "spokes": None, "name": None}]),
    ([Wheel(1.0)], [NOTHING]),
    ([Bike(9.0, Wheel(1.0))], [{"mass": None, "wheel": {**NOTHING, "radius": 0.0}}]),
    ([Bike(9.0, Wheel(1.0))], [{"mass": 1.0, "wheel": NOTHING}]),
    ([[Wheel(1.0), Wheel(2.0)]], [[NOTHING, {**NOTHING, "radius": 1.0}]]),
    ([[1.0, 2], (3.0, None)], [[1.0, None], (None, None)]),
    ([Pair(1.0, 2.0), 2.0], [(1.0, 0.0), None]),
    ([{"p": [1.0, Pair(2.0, 3.0)]}], [{"p": [1.0, (None, 1.0)]}]),
]  # fmt: skip


def same(a, b):
    assert type(a) is type(b)
    if isinstance(a, dict | Tangent):
        assert list(a) == list(b)
        return all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@pytest.mark.parametrize(("args", "bars"), GIVEN)
def test_a_plan_gives_what_looking_at_the_arguments_gives(args, bars):
    reaches = [bar is not None for bar in bars]
    plan = plan_of(args, kinds_of(args, open_=False), reaches)
    assert same(plan(bars), finished(bars, args, reaches))


@pytest.mark.parametrize(
    "arg", [np.ones(2), {"w": np.ones(2)}, [1.0] * 40, np.float64(2.0), {1.0}, [np.float64(1.0)]]
)
def test_what_has_no_plan(arg):
    assert plan_of([arg], kinds_of([arg], open_=True), [True]) is None


def test_cotangents_of_other_types_are_finished_one_by_one():
    arg = {"a": 2.0, "wheel": Wheel(1.0)}
    plan = plan_of([arg], kinds_of([arg]), [True])
    for bar in (
        {"a": np.float64(1.0), "wheel": NOTHING},
        {"a": 1.0, "wheel": {**NOTHING, "radius": np.float64(1.0)}},
        None,
    ):
        with pytest.raises(Unplanned):
            plan([bar])


def test_the_user_never_gets_numbers_of_numpy_for_floats():
    def through_arrays(bike, x):
        return np.sum(np.array([bike.mass, x]) * np.array([bike.wheel.radius, 2.0]))

    for _ in range(3):
        bar, slope = astad.gradient(through_arrays, Bike(9.0, Wheel(3.0)), 1.0)
        assert type(bar.mass) is type(bar.wheel.radius) is type(slope) is float
        assert (bar.mass, bar.wheel.radius, slope) == (3.0, 9.0, 2.0)
        assert bar.wheel.spokes is bar.wheel.name is None


def test_gradients_are_apart_from_call_to_call():
    def f(bike):
        return bike.mass * bike.wheel.radius

    bike = Bike(9.0, Wheel(3.0))
    first, second = (astad.gradient(f, bike)[0] for _ in range(2))
    first.wheel.radius = first.mass = 0.0
    assert (second.mass, second.wheel.radius, bike.mass) == (3.0, 9.0, 9.0)
