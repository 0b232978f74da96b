"""Rules that hand on what they were given: the result has a cotangent of its own."""

from collections import deque, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import astad
from astad import adjoint, dropgrad, gradient, hook, nondifferentiable, pullback, value_and_grad
from astad.errors import Unsupported

Pair = namedtuple("Pair", "a b")


@dataclass
class Layer:
    w: np.ndarray
    b: float

    def apply(self, x):
        return np.sum(self.w * x) + self.b


class Slotted:
    __slots__ = ("inner", "scale")

    def __init__(self, scale, inner=None):
        self.scale, self.inner = scale, inner


def through(x):
    return x


@adjoint(through)
def _(x):
    return x, lambda y_bar: (2 * y_bar,)


def head(x):
    return x[1:]


@adjoint(head)
def _(x):
    def back(y_bar):
        x_bar = np.zeros(len(x))
        x_bar[1:] = 100 * y_bar
        return (x_bar,)

    return x[1:], back


def boxed(x):
    return {"x": x, "n": 3.0}


@adjoint(boxed)
def _(x):
    return {"x": x, "n": 3.0}, lambda y_bar: (10 * y_bar["x"],)


@nondifferentiable
def checked_input(x):
    assert np.all(np.isfinite(x))
    return x


@nondifferentiable
def packed(x, name):
    return {"name": name, "x": x}


def dropped_first(x):
    return np.sum(dropgrad(x) * 3) + np.sum(x * 5)


def dropped_last(x):
    return np.sum(x * 5) + np.sum(dropgrad(x) * 3)


def dropped_between(x):
    y = x * 1.0
    a = np.sum(y * 2)
    frozen = dropgrad(y)
    b = np.sum(frozen * frozen * 7)
    return a + b + np.sum(y * 3)


def dropped_view(x):
    frozen = dropgrad(x)[1:]
    return np.sum(frozen) * 2 + np.sum(x.reshape(1, -1)) * 5


def dropped_maximum(x):
    top = dropgrad(x).max()
    x = x - top
    return np.sum(x * 5)


def nondifferentiable_argument(x):
    return np.sum(checked_input(x) * 3) + np.sum(x * 5)


def nondifferentiable_in_a_dict(x):
    made = packed(x, "first")
    return np.sum(made["x"]) * 3 + np.sum(x) * 5


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + np.sum(dropgrad(x) * k) + np.sum(x) * k
    return total + 2 * np.sum(x)


@pytest.mark.parametrize(
    "f",
    [
        dropped_first, dropped_last, dropped_between, dropped_view, dropped_maximum,
        nondifferentiable_argument, nondifferentiable_in_a_dict, in_a_loop,
    ],
)  # fmt: skip
def test_what_is_dropped_takes_no_derivative_of_other_uses(f):
    x = np.array([1.0, 2.0, 4.0])
    assert gradient(f, x)[0].tolist() == [5.0, 5.0, 5.0]
    value, bar = value_and_grad(f)(x)
    assert value == f(x) and bar.tolist() == [5.0, 5.0, 5.0]
    y, back = pullback(f, x)
    assert y == f(x) and back(2.0)[0].tolist() == [10.0, 10.0, 10.0]


def sum_of_a_list(v):
    return sum(dropgrad(v)) * 3 + sum(v) * 5


def sum_of_a_list_after(v):
    return sum(v) * 5 + sum(dropgrad(v)) * 3


@pytest.mark.parametrize("kind", [list, tuple, deque])
def test_dropgrad_of_a_sequence(kind):
    for f in (sum_of_a_list, sum_of_a_list_after):
        (bar,) = gradient(f, kind([1.0, 2.0]))
        assert list(bar) == [5.0, 5.0]


def test_dropgrad_of_dicts_and_nested_structures():
    def f(d):
        frozen = dropgrad(d)
        return frozen["a"][0] * d["a"][0] + np.sum(frozen["w"] * d["w"]) + frozen["n"]["k"] ** 2

    given = {"a": [3.0, 1.0], "w": np.array([1.0, 2.0]), "n": {"k": 4.0}}
    (bar,) = gradient(f, given)
    assert bar["a"] == [3.0, 0.0] and bar["w"].tolist() == [1.0, 2.0] and bar["n"] == {"k": 0.0}
    assert given["a"] == [3.0, 1.0]


def test_dropgrad_of_objects_records_and_namedtuples():
    def f(layer, x):
        return dropgrad(layer).apply(x) * 2 + layer.apply(x)

    layer_bar, x_bar = gradient(f, Layer(np.array([1.0, 2.0]), 0.5), np.array([3.0, 4.0]))
    assert layer_bar.w.tolist() == [3.0, 4.0] and layer_bar.b == 1.0
    assert x_bar.tolist() == [3.0, 6.0]

    def g(p):
        return dropgrad(p).a * p.b

    assert gradient(g, Pair(2.0, 3.0)) == (Pair(0.0, 2.0),)

    def h(s):
        frozen = dropgrad(s)
        return frozen.scale * s.scale + frozen.inner.scale * s.inner.scale

    (bar,) = gradient(h, Slotted(2.0, Slotted(5.0)))
    assert bar.scale == 2.0 and bar.inner.scale == 5.0


def test_dropgrad_of_a_closure_and_of_a_bound_method():
    def f(w, x):
        scaled = lambda v: w * v
        return dropgrad(scaled)(x) + scaled(x)

    assert gradient(f, 3.0, 2.0) == (2.0, 6.0)

    def g(layer, x):
        return dropgrad(layer.apply)(x) + layer.b

    bar, _ = gradient(g, Layer(np.array([1.0]), 0.5), np.array([3.0]))
    assert bar.b == 1.0 and (bar.w is None or bar.w.tolist() == [0.0])


def test_a_hook_sees_its_own_use_alone():
    def f(x):
        return np.sum(hook(lambda g: 10 * g, x) * 3) + np.sum(x * 5)

    def after(x):
        return np.sum(x * 5) + np.sum(hook(lambda g: 10 * g, x) * 3)

    for each in (f, after):
        assert gradient(each, np.ones(2))[0].tolist() == [35.0, 35.0]


def test_hooks_on_dicts_lists_tuples_and_objects():
    def of_dict(d):
        y = hook(lambda g: {k: 10 * v for k, v in g.items()}, d)
        return y["a"] * 3 + d["a"] * 5

    assert gradient(of_dict, {"a": 1.0}) == ({"a": 35.0},)

    def of_list(v):
        y = hook(lambda g: [10 * each for each in g], v)
        return v[0] * 5 + y[0] * 3 + y[1]

    assert gradient(of_list, [1.0, 2.0]) == ([35.0, 10.0],)
    assert gradient(lambda a, b: of_list((a, b)), 1.0, 2.0) == (35.0, 10.0)

    def of_object(layer):
        y = hook(lambda g: astad.Tangent(b=10 * g.b), layer)
        return y.b * 3 + layer.b * 5

    assert gradient(of_object, Layer(np.ones(1), 1.0))[0].b == 35.0


def test_a_hook_that_writes_into_its_cotangent():
    def halved(g):
        g *= 0.5
        return g

    def f(x):
        y = x * 1.0
        return np.sum(hook(halved, y) * 4) + np.sum(y)

    seed = np.ones(2)
    y, back = pullback(lambda x: hook(halved, x) + x, np.ones(2))
    for _ in range(2):
        assert back(seed)[0].tolist() == [1.5, 1.5] and seed.tolist() == [1.0, 1.0]
    assert gradient(f, np.ones(2))[0].tolist() == [3.0, 3.0]


def test_showgrad_of_an_array_shows_this_use_alone(capsys):
    def f(x):
        y = astad.showgrad(x)
        return np.sum(y * 3) + np.sum(x * 5)

    assert gradient(f, np.ones(2))[0].tolist() == [8.0, 8.0]
    assert "[3. 3.]" in capsys.readouterr().out


def test_an_adjoint_rule_that_returns_its_argument_a_part_or_a_container_of_it():
    x = np.array([1.0, 2.0])
    assert gradient(lambda x: np.sum(through(x)) + np.sum(x) * 5, x)[0].tolist() == [7.0, 7.0]
    assert gradient(lambda x: 5 * np.sum(x) + np.sum(through(x)), x)[0].tolist() == [7.0, 7.0]
    assert gradient(lambda x: np.sum(head(x)) + np.sum(x) * 5, x)[0].tolist() == [5.0, 105.0]
    assert gradient(lambda x: x[1] * 5 + head(x)[0], x)[0].tolist() == [0.0, 105.0]
    found = gradient(lambda x: np.sum(boxed(x)["x"] * x), x)[0]
    assert found.tolist() == [11.0, 22.0]


def test_the_result_shares_the_memory_as_in_the_plain_program():
    def f(x):
        y = x * 2
        frozen = dropgrad(y)
        y[0] = 7.0 * x[1]
        return np.sum(frozen) + np.sum(y) + frozen[0] * x[0]

    x = np.array([1.0, 2.0])
    assert f(x) == 18.0 + 18.0 + 14.0
    value, bar = value_and_grad(f)(x)
    assert value == f(x)
    assert bar.tolist() == [14.0, 2.0 + 7.0]  # frozen[0] is a constant


def test_a_write_through_the_result_is_refused():
    def through_dropped(x):
        y = dropgrad(x)
        y[0] = 5.0
        return np.sum(x)

    def through_hooked(x):
        y = hook(lambda g: g, x)
        y += 1.0
        return np.sum(x)

    def to_the_original(x):
        x = x * 1.0
        y = hook(lambda g: g, x)
        x[0] = 5.0
        return np.sum(x * y)

    for f in (through_dropped, through_hooked, to_the_original):
        with pytest.raises(
            Unsupported, match="a write to an array that it handed on as its result"
        ):
            gradient(f, np.ones(2))


def test_a_container_written_after_it_was_dropped_is_refused():
    def f(v, x):
        frozen = dropgrad(v)
        v.append(x)
        return frozen[-1] * x

    def g(layer, x):
        frozen = dropgrad(layer)
        layer.b = x
        return frozen.b * x

    for each, held in ((f, lambda: [1.0]), (g, lambda: Layer(np.ones(1), 1.0))):
        with pytest.raises(Unsupported, match="a write to a .* of which it handed on the result"):
            gradient(each, held(), 2.0)
        with pytest.raises(Unsupported, match="of which it handed on"):
            pullback(each, held(), 2.0)


def test_a_buffer_from_a_function_without_derivative_may_be_written():
    @nondifferentiable
    def buffer(x):
        return np.zeros_like(x)

    def f(x):
        out = buffer(x)
        out[0] = x[0] * 3
        return np.sum(out)

    assert gradient(f, np.ones(2))[0].tolist() == [3.0, 0.0]
