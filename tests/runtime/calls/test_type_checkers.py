"""Functions that beartype checks, by its decorator and by its import hook."""

import importlib

import numpy as np
import pytest

import astad
from astad.errors import NoSource, Unsupported

beartype = pytest.importorskip("beartype").beartype
door = pytest.importorskip("beartype.door")
Violation = pytest.importorskip("beartype.roar").BeartypeCallHintViolation

HOOKED = """\
import math
from dataclasses import dataclass

import numpy as np

RATE: float = 2.0

def square(x: float) -> float:
    return x * x

def plain(x):
    return x * x * 3.0

def local(x: float, n: int = 3) -> float:
    total: float = 0.0
    for k in range(n):
        part: float = x * k
        total += part * RATE
    return total * x

@dataclass
class Layer:
    weight: float

    def apply(self, x: float) -> float:
        return self.weight * x * x

def layered(x: float) -> float:
    layer: Layer = Layer(x)
    return layer.apply(x)

def nested(x: float) -> float:
    def inner(v: float) -> float:
        scaled: float = v * x
        return scaled * v

    return inner(x) + inner(2 * x)

def array(a: np.ndarray) -> float:
    b: np.ndarray = a * a
    return float(np.sum(b))

def starred(*xs: float, scale: float = 2.0) -> float:
    return sum(x * scale for x in xs)

def wrong_local(x: float) -> float:
    y: int = x
    return y * y

def wrong_result(x: float) -> int:
    return x * x
"""


@pytest.fixture(scope="module")
def hooked(tmp_path_factory):
    from beartype.claw import beartype_package

    folder = tmp_path_factory.mktemp("hooked")
    (folder / "hooked_by_beartype").mkdir()
    (folder / "hooked_by_beartype" / "__init__.py").write_text("")
    (folder / "hooked_by_beartype" / "core.py").write_text(HOOKED)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        beartype_package("hooked_by_beartype")
        yield importlib.import_module("hooked_by_beartype.core")


@pytest.mark.parametrize(
    "name, args, expected",
    [
        ("square", (2.0,), (4.0,)),
        ("plain", (2.0,), (12.0,)),
        ("local", (2.0,), (24.0,)),
        ("local", (2.0, 4), (48.0, None)),
        ("layered", (2.0,), (12.0,)),
        ("nested", (2.0,), (60.0,)),
        ("starred", (1.0, 2.0), (2.0, 2.0)),
    ],
)
def test_functions_under_the_import_hook(hooked, name, args, expected):
    f = getattr(hooked, name)
    assert astad.gradient(f, *args) == expected
    value, back = astad.pullback(f, *args)
    assert value == f(*args)
    assert back(2.0) == tuple(None if part is None else 2.0 * part for part in expected)


def test_arrays_under_the_import_hook(hooked):
    assert astad.gradient(hooked.array, np.array([1.0, 3.0]))[0].tolist() == [2.0, 6.0]
    with pytest.raises(Violation):
        astad.gradient(hooked.array, [1.0, 3.0])


@pytest.mark.parametrize("name", ["wrong_local", "wrong_result"])
def test_what_the_checks_find_is_raised(hooked, name):
    f = getattr(hooked, name)
    with pytest.raises(Exception) as plain:
        f(2.0)
    with pytest.raises(type(plain.value)) as caught:
        astad.gradient(f, 2.0)
    assert str(caught.value) == str(plain.value)


@beartype
class Model:
    def __init__(self, weight: float, names: list[str]) -> None:
        self.weight = weight
        self.names = names

    @property
    def double(self) -> float:
        return 2 * self.weight

    @staticmethod
    def square(v: float) -> float:
        return v * v

    @classmethod
    def make(cls, weight: float) -> "Model":
        return cls(weight, ["a", "b"])

    def cost(self, x: float, *, k: int = 2) -> float:
        return self.square(x) * self.double * k

    def __call__(self, x: float) -> float:
        return self.cost(x, k=3)


def test_methods_of_a_checked_class():
    def f(weight):
        model = Model.make(weight)
        return model(2.0) + model.cost(3.0) + model.double

    assert f(1.5) == 93.0
    assert astad.gradient(f, 1.5) == (62.0,)
    model = Model(1.5, ["a"])
    assert astad.gradient(model, 2.0) == (36.0,)
    assert astad.gradient(model.cost, 2.0) == (24.0,)
    assert astad.gradient(lambda m: m(2.0), model)[0].weight == 24.0


@beartype
def total(xs: list[float], ys: tuple[float, ...] = ()) -> float:
    return sum(x * x for x in xs) + sum(ys)


@beartype
def fill(a: np.ndarray, x: float) -> None:
    a[0] = x * x


@beartype
def scaled(x: float | None, by: dict[str, float]) -> float:
    return (x or 1.0) * by["a"]


def test_containers_and_writes_through_checked_functions():
    def filled(x):
        a = np.zeros(2)
        fill(a, x)
        return a[0] * x

    assert astad.gradient(total, [1.0, 2.0]) == ([2.0, 4.0],)
    assert astad.gradient(total, [1.0], (2.0,)) == ([2.0], (1.0,))
    assert astad.gradient(scaled, 2.0, {"a": 3.0}) == (3.0, {"a": 2.0})
    assert astad.gradient(filled, 2.0) == (12.0,)
    with pytest.raises(Violation):
        astad.gradient(total, ["a"])


def test_a_violation_that_the_program_catches():
    def f(x):
        try:
            return total([x]) + total("a")
        except Violation:
            return x * 3

    assert astad.gradient(f, 2.0) == (3.0,)


def test_checks_that_are_called():
    def f(x):
        if door.is_bearable(x, float):
            door.die_if_unbearable([x], list[float])
            return x * x
        return x

    assert astad.gradient(f, 2.0) == (4.0,)


def test_a_checked_function_made_in_a_differentiated_one():
    def f(x):
        @beartype
        def part(v: float) -> float:
            return v * x

        return part(x) + part(3.0)

    assert astad.gradient(f, 2.0) == (7.0,)


def test_a_checked_generator_is_refused_with_the_line():
    def f(x):
        @beartype
        def parts(n: int):
            for k in range(n):
                yield x * k

        return sum(parts(3))

    with pytest.raises((NoSource, Unsupported), match=r"^test_type_checkers\.py:\d+: "):
        astad.gradient(f, 2.0)
