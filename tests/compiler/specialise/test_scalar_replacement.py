"""Containers that are taken apart: those made in one function, and arguments."""

import copy
import math
import traceback
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from astad import grad, gradient, pullback, value_and_grad
from astad.runtime.core.variants import forget_all, variants_of
from astad.tangents.objects import Tangent
from astad.testing import check_gradient

from ..forms import only_generic


@dataclass
class Line:
    slope: float
    offset: float
    name: str = "line"

    @property
    def doubled(self):
        return 2.0 * self.slope


@dataclass(frozen=True)
class Dense:
    w: np.ndarray
    b: np.ndarray
    scale: dict


@dataclass(slots=True)
class Slotted:
    k: float


class Guarded:
    def __init__(self, k):
        self.k = k
        self.n = 2

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        return value + 1.0 if name == "k" else value


class WithProperty:
    def __init__(self, k):
        self.__dict__["k"] = k
        self.c = 0.5

    @property
    def k(self):
        return 10.0 * self.c


class Moved(NamedTuple):
    scale: float
    shift: float


def test_unpacked_and_indexed(forms_agree):
    def f(x, y):
        t = (x * y, x)
        a, b = t
        u = (a, b, t[0])
        return u[-1] * u[1] + t[1] * u[0]

    forms_agree(f, 0.7, 1.2)


def test_parts_bound_again_before_they_are_taken(forms_agree):
    def f(x, y):
        t = (x, y)
        x = x * y
        y = x + y
        a, b = t
        return a * x + b * y

    forms_agree(f, 0.7, 1.2)


def test_in_a_loop(forms_agree):
    def f(x, y, n):
        state = (x, y)
        for i in range(n):
            a, b = state
            state = (b, a * b + 0.1)
        return state[0] * state[1]

    for n in (0, 1, 4):
        forms_agree(f, 0.7, 1.2, n)


def test_a_tuple_that_leaves(forms_agree):
    def f(x, y):
        t = (x, y)
        u = [t, t]
        a, b = t
        return a * u[1][0] + b * len(t)

    forms_agree(f, 0.7, 1.2)


def test_tuples_of_tuples(forms_agree):
    def f(x, y):
        t = ((x, y), (y * x, x))
        (a, b), c = t
        return a * c[0] + b * c[1] * t[0][1]

    forms_agree(f, 0.7, 1.2)


def test_in_one_branch(forms_agree):
    def f(x, y):
        if x > 1.0:
            t = (x, y)
        else:
            t = (y, x * x)
        a, b = t
        return a * a * b

    forms_agree(f, 0.7, 1.2)
    forms_agree(f, 1.7, 1.2)


def test_concatenated_compared_and_counted(forms_agree):
    def f(x, y):
        t = (x, y) + (x * y,)
        u = t * 2
        s = 0.0
        for v in u[1:]:
            s = s * v + v
        return s * len(u) * (1.0 if (x, y) < (y, x) else 2.0)

    forms_agree(f, 0.7, 1.2)


def test_items_bound_again_in_the_next_iteration(forms_agree):
    def f(x, n):
        s = x
        for i in range(n):
            if i > 1:
                s = s + t[0] * 0.5  # noqa: F821
            a = s * x
            if i % 2 == 0:
                t = (a, 2.0)
            s = s + t[0]
        return s * t[0]

    forms_agree(f, 0.7, 5)


# --- arguments


def layers(*shapes):
    rng = np.random.default_rng(7)
    return {
        f"layer{at}": {"W": rng.normal(size=(n, m)), "b": rng.normal(size=m)}
        for at, (n, m) in enumerate(shapes, 1)
    }


X = np.random.default_rng(3).normal(size=(4, 3))


def same_both_ways(f, *args, fused=True):
    """Gradients, keys, types and None are those of the generic pair."""
    plain = f(*copy.deepcopy(args))
    with only_generic():
        value, back = pullback(f, *args)
        expected = back(1.0)
    forget_all()
    found = gradient(f, *args)
    if fused is not None:
        assert bool(variants_of(f).fused.get(tuple(range(len(args))))) == fused
    forget_all()
    again, back = pullback(f, *args)
    for other in (value, again):
        np.testing.assert_array_equal(other, plain)
    for gradients in (found, back(1.0), back(1.0)):
        alike(gradients, expected)
    forget_all()
    return found


def alike(found, expected):
    if isinstance(expected, float | np.floating):
        assert isinstance(found, float | np.floating)
    else:
        assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        assert list(map(type, found)) == list(map(type, expected))
        for key in expected:
            alike(found[key], expected[key])
    elif isinstance(expected, Tangent):
        alike(vars(found), vars(expected))
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            alike(a, b)
    elif expected is not None:
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


def network(params, x):
    h = x
    for name in ("layer1", "layer2"):
        layer = params[name]
        h = np.tanh(h @ layer["W"] + layer["b"])
    penalty = 0.0
    for name in params:
        penalty = penalty + np.sum(params[name]["W"] ** 2)
    return np.sum(h) + 0.1 * penalty


def test_a_nested_dict():
    same_both_ways(network, layers((3, 2), (2, 2), (2, 5)), X)
    check_gradient(network, layers((3, 2), (2, 2)), X)


def test_a_missing_key_raises_as_plain_python_does():
    for given in (layers((3, 2)), {}, {"layer1": {"W": X.T @ X}}):
        with pytest.raises(KeyError) as plain:
            network(given, X)
        for call in (gradient, pullback):
            with pytest.raises(KeyError) as found:
                call(network, given, X)
            assert found.value.args == plain.value.args
            lines = [frame.lineno for frame in traceback.extract_tb(found.value.__traceback__)]
            assert plain.traceback[-1].lineno + 1 in lines
        forget_all()


def test_other_orders_more_keys_and_other_types_have_variants_of_their_own():
    params = layers((3, 2), (2, 2))
    swapped = {"layer2": params["layer2"], "layer1": params["layer1"]}
    more = params | {"layer3": {"W": np.ones((1, 1)), "b": None, "name": "last"}}

    class Sub(dict):
        pass

    with only_generic():
        expected = [
            pullback(network, given, X)[1](1.0)
            for given in (params, swapped, more, Sub(params), OrderedDict(swapped))
        ]
    forget_all()
    for _ in range(2):
        for given, right in zip(
            (params, swapped, more, Sub(params), OrderedDict(swapped)), expected, strict=True
        ):
            alike(gradient(network, given, X), right)
    forget_all()


def test_int_keys_and_keys_that_are_equal_to_them():
    def f(d, x):
        total = 0.0
        for key in d:
            total = total + key * d[key] * x
        return total

    same_both_ways(f, {0: 2.0, 3: 1.5, -1: 4.0}, 0.5)
    expected = f({True: 2.0}, 0.5)
    for given in ({1: 2.0}, {True: 2.0}, {1.0: 2.0}):
        found = gradient(f, given, 0.5)[0]
        assert found == {1: 0.5} and type(next(iter(found))) is type(next(iter(given)))
    assert expected == 1.0


def test_the_same_array_twice_has_the_total_in_both_places():
    def f(p, x):
        return np.sum((x @ p["a"]) * (x @ p["b"])) + np.sum(p["c"])

    w = np.ones((3, 2))
    same_both_ways(f, {"a": w, "b": w, "c": w}, X, fused=False)
    same_both_ways(f, {"a": w, "b": w.copy(), "c": w[:1]}, X, fused=False)
    buffer = np.arange(12.0)
    apart = {"a": buffer[:6].reshape(3, 2), "b": buffer[6:].reshape(3, 2), "c": buffer[:0]}
    same_both_ways(f, apart, X)
    again = np.broadcast_to(1.0, (3, 2))
    same_both_ways(f, {"a": w, "b": w.copy(), "c": again}, X, fused=False)
    for given in (apart, {"a": w, "b": w, "c": w}, apart):
        with only_generic():
            expected = pullback(f, given, X)[1](1.0)
        forget_all()
        gradient(f, apart, X)
        alike(gradient(f, given, X), expected)
        forget_all()


def test_the_same_container_twice():
    def f(p, x):
        return p["a"]["k"] * x + p["b"]["k"] ** 2

    inner = {"k": 3.0}
    same_both_ways(f, {"a": inner, "b": inner}, 2.0, fused=False)
    same_both_ways(f, {"a": {"k": 3.0}, "b": {"k": 4.0}}, 2.0)


def test_one_array_in_two_arguments():
    def f(p, q, x):
        return np.sum(p["w"] * q[0] * x)

    w = np.arange(3.0)
    same_both_ways(f, {"w": w}, (w,), w)
    d = {"w": w}
    same_both_ways(f, d, [w, d], 2.0, fused=False)


def test_leaves_that_carry_no_derivative():
    def f(p, x):
        y = x * p["k"] if p["on"] else x
        if p["bias"] is not None:
            y = y + p["bias"]
        if p["name"] == "square":
            y = y * y
        return y * p["n"]

    p = {
        "k": 2.0,
        "on": True,
        "bias": None,
        "name": "square",
        "n": 3,
        "raw": b"x",
        "e": {},
        "l": [],
    }
    same_both_ways(f, p, 0.5)
    same_both_ways(f, p | {"on": False, "bias": 0.25, "name": "other"}, 0.5)
    same_both_ways(f, p | {"bias": np.float64(0.5)}, 0.5)


def test_empty_containers():
    def f(p, q, x):
        for _, v in p.items():
            x = x * v
        return x * (len(p) + len(q) + 1)

    same_both_ways(f, {}, (), 2.0)
    same_both_ways(f, {"a": 3.0}, [1.0, 2.0], 2.0)


def test_lists_tuples_and_namedtuples():
    def f(p, layers, x):
        h = x * p.scale + p[1]
        for i, (w, b) in enumerate(zip(layers["W"], layers["b"], strict=False)):
            h = h @ w + b
            if i < len(layers["W"]) - 1:
                h = np.tanh(h)
        first, *rest = layers["b"]
        for w in rest[::-1]:
            h = h + np.sum(w) * p.shift
        return np.sum(h) * np.sum(first)

    w = [np.full((3, 2), 0.3), np.full((2, 2), 0.7)]
    given = {"W": w, "b": (np.ones(2), np.arange(2.0))}
    same_both_ways(f, Moved(0.5, 0.25), given, X)
    check_gradient(f, Moved(0.5, 0.25), given, X)


def test_an_index_of_a_loop_over_a_range():
    def f(ws, x):
        h = x
        for i in range(len(ws)):
            h = np.tanh(h @ ws[i])
            for j in range(1, 3):
                h = h + ws[-j][0, 0] * ws[i - 1][0, 1]
        return np.sum(h)

    ws = [np.full((3, 3), 0.1 * k) for k in (1.0, 2.0, 3.0)]
    same_both_ways(f, ws, X)


def test_an_index_that_is_not_known():
    def f(ws, x, n):
        for i in range(n):
            x = x * ws[i]
        return x

    same_both_ways(f, [2.0, 3.0], 0.5, 2)  # a list of any length
    same_both_ways(f, {0: 2.0, 1: 3.0}, 0.5, 2, fused=False)
    for call in (gradient, pullback):
        with pytest.raises(IndexError, match="list index out of range"):
            call(f, [2.0, 3.0], 0.5, 3)


def test_containers_that_are_written_passed_on_or_returned():
    def written(p, x):
        p["a"] = p["a"] * x
        return p["a"] * p["b"]

    def in_callee(p, x):
        double(p)
        return p["a"] * x

    def returned(p, x):
        return {"y": p["a"] * x, "p": p}

    def stored(p, x):
        holder = [p]
        return holder[0]["a"] * x

    for f in (written, in_callee, stored):
        p = {"a": 2.0, "b": 3.0}
        plain = {"a": 2.0, "b": 3.0}
        assert gradient(f, p, 0.5)[1] is not None and f(plain, 0.5) is not None
        assert p == plain
        forget_all()
        with only_generic():
            expected = gradient(f, {"a": 2.0, "b": 3.0}, 0.5)
        alike(gradient(f, {"a": 2.0, "b": 3.0}, 0.5), expected)
        forget_all()
    p = {"a": 2.0, "b": 3.0}
    y, back = pullback(returned, p, 0.5)
    assert y["p"] is p
    alike(back({"y": 1.0}), ({"a": 0.5, "b": 0.0}, 2.0))


def double(p):
    p["a"] = 2.0 * p["a"]


def test_a_container_that_somebody_else_writes_meanwhile():
    def f(p, x):
        y = p["a"] * x
        touch()
        return y + p["a"] * x

    def g(p, q):
        q["a"] = 3.0
        return p["a"] * p["b"]

    def both(p):
        return g(p, p)

    for call in (gradient, lambda *args: pullback(*args)[1](1.0)):
        SHARED.update(a=2.0)
        assert call(f, SHARED, 0.5)[1] == 2.0 + 3.0
        forget_all()
        alike(call(both, {"a": 5.0, "b": 4.0})[0]["b"], 3.0)
        forget_all()


SHARED = {"a": 2.0}


def touch():
    SHARED["a"] = SHARED["a"] + 1.0


def test_only_what_is_asked_for():
    def f(p, q, x):
        return p["a"] * q["a"] * x

    p, q = {"a": 2.0}, {"a": 3.0}
    assert grad(f, 1)(p, q, 0.5) == {"a": 1.0}
    assert value_and_grad(f, (2, 0))(p, q, 0.5) == (3.0, (6.0, {"a": 1.5}))
    assert grad(f, 0)(p, {"a": np.float64(3.0)}, 0.5) == {"a": 1.5}


def test_no_path_to_a_container():
    def f(p, q, x):
        return x * len(p) + (q["a"] > 1.0)

    same_both_ways(f, {"a": 2.0}, {"a": 2.0, "b": [1.0]}, 0.5)

    def g(p, x):
        for v in p:
            if v is None:
                x = x * 2.0
        return x

    same_both_ways(g, [None, 1.0], 0.5)


def test_the_target_of_a_loop_after_it():
    def f(p, x):
        for name in p:
            x = x * p[name]
        for k, v in p.items():
            x = x + v * len(k)
        return x * p[name] * v * len(k)

    same_both_ways(f, {"a": 2.0, "bc": 3.0}, 0.5)
    with pytest.raises(UnboundLocalError):
        gradient(f, {}, 0.5)


def test_a_part_that_is_written():
    def f(p, x):
        w = p["w"]
        y = np.sum(w * x)
        w[0] = 2.0 * w[1]
        w *= x
        return y + np.sum(w * p["w"])

    p = {"w": np.array([1.0, 2.0, 3.0])}
    with only_generic():
        expected = gradient(f, copy.deepcopy(p), 0.5)
    for call in (gradient, lambda *args: pullback(*args)[1](1.0)):
        forget_all()
        mine, plain = copy.deepcopy(p), copy.deepcopy(p)
        alike(tuple(call(f, mine, 0.5)), expected)
        f(plain, 0.5)
        np.testing.assert_array_equal(mine["w"], plain["w"])


def test_gradients_share_no_memory():
    def f(p, x):
        return np.sum(p["a"] + p["b"]) + np.sum(p["c"] * p["d"]) + np.sum(x)

    names = "abcd"
    p = {name: np.ones(3) for name in names}
    for call in (gradient, lambda *args: pullback(*args)[1](1.0)):
        found, x_bar = call(f, p, np.ones(3))
        arrays = [*found.values(), x_bar, *p.values()]
        for at, a in enumerate(arrays):
            a += 1.0 if at < 5 else 0.0
            assert not any(np.shares_memory(a, b) for b in arrays[at + 1 :])
        forget_all()


# --- objects


def test_dataclasses_and_plain_objects():
    def f(line, dense, x):
        h = np.tanh(x @ dense.w + dense.b) * dense.scale["k"]
        return np.sum(h) * line.slope

    dense = Dense(np.full((3, 2), 0.3), np.arange(2.0), {"k": 2.0, "unused": 1.0, "name": "a"})
    found = same_both_ways(f, Line(0.5, 0.25), dense, X)
    assert found[0].offset is None and found[0].name is None
    assert found[1].scale["unused"] == 0.0
    check_gradient(f, Line(0.5, 0.25), dense, X)


def test_objects_in_containers_and_containers_in_objects():
    def f(models, x):
        total = 0.0
        for model in models["all"]:
            total = total + model.slope * x
        return total * models["first"].scale["k"]

    dense = Dense(np.ones(1), np.ones(1), {"k": 2.0})
    same_both_ways(f, {"all": [Line(0.5, 1.0), Line(0.25, 2.0)], "first": dense}, 0.5)
    tied = Line(0.5, 1.0)
    same_both_ways(f, {"all": [tied, tied], "first": dense}, 0.5, fused=False)


def test_one_object_in_two_places():
    def f(a, b, x):
        return a.slope * b.slope * b.slope * x

    def g(a, x):
        return np.sum(a.w * x) + np.sum(a.b)

    line = Line(0.5, 1.0)
    same_both_ways(f, line, line, 2.0, fused=None)
    same_both_ways(f, line, Line(0.5, 1.0), 2.0)
    w = np.arange(3.0)
    same_both_ways(g, Dense(w, w.copy(), {}), np.ones(3))
    same_both_ways(g, Dense(w, w.copy(), {}), w, fused=None)


def test_attributes_that_some_runs_leave_untouched():
    def f(line, x, n):
        y = line.slope * x
        if n > 1:
            y = y + line.offset
        for _ in range(n):
            y = y * x
        return y

    for n in (0, 1, 2):
        same_both_ways(f, Line(0.5, 0.25), 2.0, n, fused=True)

    def g(line, x, n):
        for _ in range(n):
            x = x * x
        return x * line.slope * line.offset

    same_both_ways(g, Line(0.5, 0.25), 2.0, 2)


def test_properties_and_other_ways_to_an_attribute():
    def through_property(line, x):
        return line.doubled * line.offset * x

    def reading(model, x):
        return model.k * x

    same_both_ways(through_property, Line(0.5, 0.25), 2.0, fused=True)
    for model in (Slotted(2.0), Guarded(2.0), WithProperty(2.0)):
        same_both_ways(reading, model, 0.5, fused=False)


def test_objects_that_no_derivative_comes_to():
    def f(line, holder, x):
        steps = int(line.slope * 4.0)
        return x * steps + holder["k"] * holder["line"].offset * (holder["other"].slope > 0.0)

    holder = {"k": 2.0, "line": Line(0.5, 0.25), "other": Line(1.0, 2.0)}
    same_both_ways(f, Line(0.5, 0.25), holder, 2.0, fused=None)

    def g(dense, x):
        return x * len(dense.scale) + dense.w[0]

    same_both_ways(g, Dense(np.ones(2), np.ones(1), {"k": 2.0}), 2.0)


def test_objects_of_another_class_or_with_other_attributes():
    def f(line, x):
        return line.slope * x

    class Local:
        def __init__(self):
            self.slope = 3.0

    more = Line(0.5, 0.25)
    more.extra = np.ones(2)
    for given in (Line(0.5, 0.25), more, Local(), Line(0.5, 0.25)):
        assert gradient(f, given, 2.0)[0].slope == 2.0
        assert pullback(f, given, 2.0)[1](1.0)[0].slope == 2.0
    assert list(gradient(f, more, 2.0)[0]) == ["slope", "offset", "name", "extra"]


def test_an_object_that_is_written():
    def f(line, x):
        y = line.slope * x
        line.slope = 2.0 * y
        return y * line.slope

    for call in (gradient, lambda *args: pullback(*args)[1](1.0)):
        line = Line(0.5, 0.25)
        found = call(f, line, 2.0)
        assert line.slope == 2.0 and found[0].slope == 8.0
        forget_all()


def test_tied_parts_in_the_pair():
    def f(p, x):
        return x @ p["a"] + x @ p["b"]

    w, x = np.arange(3.0), np.ones(3)
    y, back = pullback(f, {"a": w, "b": w}, x)
    found = back(1.0)[0]
    np.testing.assert_array_equal(found["a"], 2 * x)
    np.testing.assert_array_equal(found["b"], 2 * x)
    assert not np.shares_memory(found["a"], found["b"])


# --- made in the function


def test_a_state_that_goes_round_a_loop(forms_agree):
    def f(x, v, n):
        state = {"x": x, "v": v, "t": (0.0, [x])}
        for i in range(n):
            old = state
            state = {
                "x": old["x"] + 0.1 * old["v"],
                "v": old["v"] - 0.1 * old["x"] * old["t"][1][0],
                "t": (old["t"][0] + 0.1, [old["v"]]),
            }
        return state["x"] * state["v"] + state["t"][0] * state["t"][1][0]

    for n in (0, 1, 4):
        forms_agree(f, 0.7, 1.2, n, fused=True)


def test_two_containers_that_change_places(forms_agree):
    def f(x, y, n):
        p, q = (x, y), (y, x * y)
        for _ in range(n):
            p, q = q, p
            p = (p[1], p[0] * 0.5)
        return p[0] * q[1] + p[1] * p[1] * q[0]

    for n in (0, 1, 2, 5):
        forms_agree(f, 0.7, 1.2, n)


def test_parts_that_are_containers_and_change_places(forms_agree):
    def leaps(x, v, y, w, n):
        state = ((x, v), (y, w))
        for _ in range(n):
            (x, v), other = state
            state = ((x + 0.1 * v, v * x), other)
            state = (state[1], state[0])
        (x, v), (y, w) = state
        return x * v + 3.0 * y * w * w

    def turns(x, y, z, n):
        state = {"a": [x, y], "b": [y, z], "c": [z * x, x]}
        for _ in range(n):
            state = {"a": state["b"], "b": state["c"], "c": state["a"]}
        return state["a"][0] * state["b"][1] + 2.0 * state["c"][0]

    for n in (0, 1, 2, 5):
        forms_agree(leaps, 1.3, 0.7, 0.4, 0.9, n)
        forms_agree(turns, 1.3, 0.7, 0.4, n)


def test_a_container_left_by_break_and_continue(forms_agree):
    def f(x, n):
        p = {"a": x, "b": 1.0}
        for i in range(n):
            if i == 1:
                continue
            p = {"a": p["a"] * x, "b": p["b"] + p["a"]}
            if p["b"] > 2.0:
                break
            p = {"a": p["b"], "b": p["a"]}
        return p["a"] * p["b"]

    for n in (0, 1, 2, 3, 6):
        forms_agree(f, 0.8, n)


def test_a_container_of_one_arm_only(forms_agree):
    def f(x, y):
        p = [x, y]
        if x > y:
            p = [y, x, x]
        q = p if x < 1.0 else (x, x)
        return q[0] * q[-1] * len(p)

    forms_agree(f, 0.7, 1.2)
    forms_agree(f, 1.7, 1.2)


@pytest.mark.parametrize("key", ["a", "b", "c", 1, 2.0, (1, 2)])
def test_dicts_asked_for_a_key_that_is_not_known(key, forms_agree):
    def f(x, y, key):
        rates = {"a": x, "b": x * y, 1: y}
        total = rates["a"] * rates[1]
        if key in rates:
            total = total + rates["b"]
        return total * y if key not in rates else total

    forms_agree(f, 0.7, 1.2, key)


def test_lists_that_grow_or_are_written(forms_agree):
    def f(x, y):
        items = [x, y]
        items.append(x * y)
        pair = [x, y]
        pair[0] = y
        return items[2] * pair[0] + items[0] * len(items)

    forms_agree(f, 0.7, 1.2)


def test_loops_over_short_displays(forms_agree):
    def f(x, y):
        total = 0.0
        for a, b in ((x, 2.0), (y, total), (x * y, 0.5)):
            total = total * b + a
            x = x + total
        for k in (1, 2, 3):
            if k == 2:
                continue
            total = total + x**k
        for v in [total, x]:
            if v > 100.0:
                return v
            total = v * total
        return total

    forms_agree(f, 0.7, 1.2)


def test_views_zips_and_copies(forms_agree):
    def f(x, y):
        d = dict(a=x, b=y)
        e = dict(d)
        pairs = zip(d.values(), e.values())
        total = 0.0
        for a, b in pairs:
            total = total + a * b
        for a, b in pairs:
            total = total + 100.0
        for i, v in enumerate(reversed(list(e.values())), start=2):
            total = total + i * v
        return total + d.get("c", x) * e.get("b", x) * ("a" in d) * ("c" not in e)

    forms_agree(f, 0.7, 1.2)


def test_a_shadowed_builtin(forms_agree):
    def f(x, y):
        def enumerate(items):
            return [(2.0, item) for item in items]

        total = 0.0
        for i, v in enumerate((x, y)):
            total = total + i * v
        return total

    forms_agree(f, 0.7, 1.2)


def test_a_name_that_nothing_binds_any_more():
    def skipped(p, x):
        for _ in p["none"]:
            last = x
        return last * x

    def folded(p, x):
        if "scale" in p:
            y = p["scale"] * x
        return y

    for f in (skipped, folded):
        with pytest.raises(UnboundLocalError) as plain:
            f({"none": []}, 0.5)
        for call in (gradient, pullback):
            with pytest.raises(UnboundLocalError) as found:
                call(f, {"none": []}, 0.5)
            assert str(found.value) == str(plain.value)
    same_both_ways(folded, {"scale": 2.0}, 0.5)


def test_nothing_comes_after_a_break_that_is_always_taken():
    def f(x):
        n, s = 3, x
        while n > 0:
            n -= 1
            if True or s > 0.91:
                break
            k = 3
            while k > 0:
                k -= 1
                s = s * x
        return s * x

    assert check_gradient(f, 0.5).outcome == "right"


def test_break_in_a_loop_that_is_written_out_twice():
    """Each copy leaves its own loop: a statement that stood in both once kept for the other."""

    def f(x, y):
        for i in reversed(range(2)):
            n = 4
            while n > 0 and (w := y[-2] / (2.0 + sum([t * 0.5 for t in y[1:]]) ** 2)) < 0.9:
                n -= 1
                y = np.sin(y * (w + w + i))
            else:
                y = y * math.cos(x)
        return np.sum(y * y) + x

    assert check_gradient(f, 0.8, np.array([-1.0, 1.3, -0.9])).outcome == "right"


class TestStringsThatTheTextNames:
    """A configuration by strings decides branches and keys when the text is written."""

    @staticmethod
    def run(config, x):
        for layer in config["layers"]:
            if layer["kind"] == "dense":
                x = x @ layer["W"]
            elif layer["kind"] in ("tanh", "it's"):
                x = np.tanh(layer["scale"] * x)
            else:
                x = x * 2.0
        return (x**2).sum()

    def config(self, *kinds):
        rng = np.random.default_rng(0)
        layers = [
            {"kind": kind, "W": rng.normal(size=(3, 3))}
            if kind == "dense"
            else {"kind": kind, "scale": 0.5}
            for kind in kinds
        ]
        return {"name": "no string of the text", "layers": layers}

    @pytest.mark.parametrize(
        "kinds", [("dense", "tanh", "dense"), ("tanh",), ("it's", "other"), ("dense", 'a "b"')]
    )
    def test_in_every_form(self, kinds, forms_agree):
        named = {"dense", "tanh", "it's"}.issuperset(kinds)  # others are strings of any value
        forms_agree(self.run, self.config(*kinds), np.ones((2, 3)) * 0.4, fused=named)

    def test_another_string_is_another_text(self):
        x = np.ones((2, 3)) * 0.4
        for kinds in (("dense", "tanh"), ("tanh", "dense"), ("dense", "tanh"), ("it's", "x")):
            config = self.config(*kinds)
            assert check_gradient(lambda c, x: self.run(c, x), config, x).outcome == "right"

    @pytest.mark.order_matters
    def test_a_subclass_of_str_is_asked_itself(self):
        class Loud(str):
            def __eq__(self, other):
                return other == "tanh"

            __hash__ = str.__hash__

        config = self.config("tanh")
        config["layers"][0]["kind"] = Loud("dense")
        bar, _ = gradient(self.run, config, np.ones((2, 3)) * 0.4)
        assert bar["layers"][0]["scale"] != 0


def test_rounds_of_which_the_first_returns_or_raises(forms_agree):
    def first(x, y):
        for v in (x, y):
            return v * v
        return x

    def first_above(x, y):
        for v in (x, y):
            if v > 1.0:
                return v * v
            raise ValueError(v)

    for fn in (first, first_above):
        forms_agree(fn, 1.5, 2.0)
    with pytest.raises(ValueError, match="0.5"):
        gradient(first_above, 0.5, 2.0)


def test_literals_that_are_worked_out(forms_agree):
    def strict_in_another_way(x, y):
        s = 0.0
        for a, b in zip((x, y), (y, x), strict=1):
            s = s + a * a * b
        return s

    def never_divided(x, y):
        blocks = 0
        if y > 5.0:
            return x * (3 // blocks)
        return x * y

    def of_a_long_tuple(x, y):
        steps = (x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, y)
        return steps[0] * steps[5] * steps[-1]

    def by_a_part_of_a_name(x, y):
        name = "sinh"
        if "h" in name:
            z = x * x * y
        else:
            z = x
        return z

    for fn in (strict_in_another_way, never_divided, of_a_long_tuple, by_a_part_of_a_name):
        forms_agree(fn, 1.5, 2.0)
    with pytest.raises(ZeroDivisionError):
        gradient(never_divided, 1.5, 6.0)


def test_a_loop_over_a_literal_that_has_no_items(forms_agree):
    def over_a_number(x, n):
        if n > 0:
            for _ in 3:
                x = x * 2.0
        return x * x

    def over_nothing(x, n):
        t = (x, 2.0 * x)
        for i in None if n > 0 else range(2):
            x = x * t[i]
        return x

    def over_what_is_none(x, n):
        rates = None
        while n > 0:
            for rate in rates:
                x = x * rate
        return x * x

    for fn in (over_a_number, over_nothing, over_what_is_none):
        forms_agree(fn, 1.5, 0)
        with pytest.raises(TypeError, match="not iterable"):
            gradient(fn, 1.5, 1)
