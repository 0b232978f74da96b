"""Operations whose result is complex or real, whole or not, by the values of their operands: what
was recorded at some values is left at others.
"""

import collections
import enum
import math

import numpy as np
import pytest

import astad
from astad import grad, pullback
from astad.runtime.core.variants import forget_all, variants_of

from .recorded_runs import (
    agree,
    expect_recorded,
    opaque,
    recorded,
    recorded_backwards,
    refused,
)

pytestmark = pytest.mark.order_matters

REAL = np.array([[1.0, 0.2], [0.3, 2.0]])
TURNING = np.array([[1.0, 2.2], [-2.3, 2.0]])


def a_root_and_its_parts(x):
    y = x**0.5 * 3
    return y.real + 2 * y.imag


def a_root_bound_anew(x):
    y = x
    y **= 1.5
    return abs(y) + (3 * y).imag


def an_exponent_that_is_followed(x):
    y = (x + 0.1) ** (x * 0.3 + 0.11)
    return y.real + y.imag


def by_a_builtin(x):
    return pow(x, 0.25).real * 2.0


def first_eigenvalue(a):
    return (np.linalg.eigvals(a)[0] * 2).real


def complex_eigenvalues(a):
    total = 0.0
    for each in np.linalg.eigvals(a):
        total += each.real
        if isinstance(each, complex) and each.imag > 0:
            total = total + each.imag
    return total


def eigenvalues_and_vectors(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.abs(w) ** 2) + np.max(w.real) + np.sum(np.abs(v) ** 4)


def zeros_of_a_polynomial(a):
    z = np.roots([1.0, a[0, 0], a[0, 1] ** 2])
    return np.sum(np.abs(z) ** 2) + 3.0 * np.max(np.imag(z))


def a_logarithm_of_a_matrix(a):
    linalg = pytest.importorskip("scipy.linalg")
    found = linalg.logm(a @ a)
    return np.sum(found.real**2) + np.sum(np.imag(found) ** 2)


def roots_of_either_sign(a):
    s = np.emath.sqrt(a[:, 0])
    return np.sum(np.abs(s) ** 2 * np.array([1.0, 2.0])) + np.sum(np.real(s * (1 + 1j)))


def logarithms_of_either_sign(a):
    found = np.emath.log(a[1])
    return (found * found).real.sum() + np.imag(found).sum()


NUMBERS = (2.0, 2.0, 1.5, -2.0, 2.0, -1.2, 0.7)
MATRICES = (REAL, REAL, 2 * REAL, TURNING, REAL, 2 * TURNING, REAL)
OF_NUMBERS = (
    a_root_and_its_parts,
    a_root_bound_anew,
    an_exponent_that_is_followed,
    by_a_builtin,
)
OF_MATRICES = (
    first_eigenvalue,
    complex_eigenvalues,
    eigenvalues_and_vectors,
    zeros_of_a_polynomial,
    a_logarithm_of_a_matrix,
    roots_of_either_sign,
    logarithms_of_either_sign,
)


def slopes(f, x):
    """By central differences."""
    step, x = 1e-6, np.asarray(x)
    units = np.eye(x.size).reshape(-1, *x.shape)
    return [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in units]


@pytest.mark.parametrize("f", OF_NUMBERS)
def test_complex_by_the_value_of_a_number(f):
    for x in NUMBERS:
        y, back = pullback(f, x)
        assert y == pytest.approx(f(x)) and type(y) is type(f(x))
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        assert back(1.0)[0] == pytest.approx(slope, rel=1e-6)
        assert astad.jvp(f, (x,), (1.0,)) == pytest.approx((f(x), slope), rel=1e-6)


@pytest.mark.parametrize("f", OF_MATRICES)
def test_complex_by_the_values_of_an_array(f):
    for a in MATRICES:
        y, back = pullback(f, a)
        assert y == pytest.approx(f(a)) and type(y) is type(f(a))
        assert back(1.0)[0].ravel() == pytest.approx(slopes(f, a), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("f", [roots_of_either_sign, logarithms_of_either_sign])
def test_complex_by_value_inside(f):
    def steepness(a):
        return np.sum(np.abs(grad(f)(a)) ** 2)

    for a in (REAL, REAL, np.array([[-1.5, 0.4], [2.0, -0.6]]), REAL):
        y, (bar,) = astad.value_and_grad(steepness, (0,))(a)
        assert y == pytest.approx(steepness(a))
        assert bar.ravel() == pytest.approx(slopes(steepness, a), rel=1e-5, abs=1e-7)


def test_powers_of_whole_numbers():
    def f(n, x):
        k = n * 2
        y = k**k
        return y * x if type(y) is int else y * x * x

    for n in (1, 1, 1, -1, 1, -2):
        y, back = pullback(f, n, 1.5)
        assert y == f(n, 1.5)
        assert back(1.0)[1] == pytest.approx((f(n, 1.5 + 1e-6) - f(n, 1.5 - 1e-6)) / 2e-6)


def floored(y, v):
    y //= v
    return y


def wrapped(y, v):
    y %= v
    return y


def raised(y, v):
    y **= v
    return y


def wrapped_by_itself(y, v):
    y %= y[::-1] + 0.3
    y %= y[1]
    return y


def raised_by_itself(y, v):
    y **= y[::-1]
    return y


def squared(y, v):
    y = y.reshape(2, 2)
    y @= y + v
    return y


def raised_in_part(y, v):
    z = y[1:]
    z **= v
    y %= 5.0
    return y


CHANGING = [floored, wrapped, raised, wrapped_by_itself, raised_by_itself, squared, raised_in_part]


@pytest.mark.parametrize("change", CHANGING)
def test_an_array_is_changed_by_any_operator(change):
    forget_all()  # the others have the same code

    def f(x, v):
        y = change(x * opaque(2.0), v)
        return np.sum(y * x.reshape(y.shape))

    for x in ([1.3, 2.7, 0.9, 3.1], [1.3, 2.7, 0.9, 3.1], [2.3, 1.7, 1.9, 4.1]):
        agree(f, np.array(x), 1.7)
    assert any(made.tentative for made in variants_of(f).fused[0, 1])


@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 3, 1), (3, 1)])
@pytest.mark.parametrize("way", ["method", "function", "of an axis"])
def test_axes_of_one_entry_are_left_out(shape, way):
    def f(x):
        k = opaque(2.0)
        y = np.sin(x) * k
        if way == "of an axis":
            z = np.squeeze(y, axis=len(shape) - 1 if shape != (1, 3, 1) else (0, 2))
        else:
            z = y.squeeze() if way == "method" else np.squeeze(y)
        return np.sum(np.float64(z[0]) * z if z.ndim else np.float64(z) * z)

    recorded(f, np.full(shape, 0.7))
    agree(f, np.full(shape, 1.1))
    agree(f, np.full((*shape[:-1], 1) if shape[-1] == 1 else (2, 1), 1.2))


def test_what_is_computed_in_passing_is_another_after_a_write(monkeypatch):
    monkeypatch.setattr("astad.api.gradients.recorded.FREE", 0)
    monkeypatch.setattr("astad.api.gradients.worthwhile.BASELINE", 0.0)
    forget_all()

    def f(x):
        y, total = np.zeros(1), 0.0
        for i in range(3):
            y[0] = float(y.squeeze()) * 0.9 + opaque(x) * i
            total = total + float(y.squeeze()) * x
        return total

    for x in (1.5, 1.5, 1.5, 1.5, 2.0, 0.5):
        agree(f, x)


class Leaf:
    __match_args__ = ("value",)

    def __init__(self, value):
        self.value = value


class Node:
    __match_args__ = ("word", "left", "right")

    def __init__(self, word, left, right):
        self.word, self.left, self.right = word, left, right


def computed(tree, x):
    match tree:
        case Leaf(v):
            return v
        case "x":
            return x
        case Node("+", left, right):
            return computed(left, x) + computed(right, x)
        case Node("*", left=left, right=right):
            return computed(left, x) * computed(right, x)
        case [*items]:
            return sum(computed(item, x) for item in items)
        case {"sin": inner}:
            return opaque(computed(inner, x))
        case float(v) | int(v):
            return v * x
    raise TypeError(tree)


TREES = {
    "nodes": Node("+", Leaf(2.0), Node("*", "x", "x")),
    "items": [Node("*", Leaf(0.5), "x"), {"sin": "x"}, 3.0, Leaf(1.5), 2],
    "inside": {"sin": [Node("*", left={"sin": "x"}, right=Leaf(3.0)), "x"]},
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_patterns_of_classes(tree):
    forget_all()
    recorded(computed, tree, 0.7)
    for x in (0.7, 1.2, -0.4):
        agree(computed, tree, x)


def test_attributes_that_patterns_take_by_place_are_asked(monkeypatch):
    forget_all()
    tree = Node("+", Leaf(2.0), Node("*", "x", {"sin": Leaf(0.3)}))
    tree.other = "x"
    recorded(computed, tree, 0.7)
    monkeypatch.setattr(Node, "__match_args__", ("word", "right", "other"))
    for _ in range(4):
        agree(computed, tree, 0.7)
    monkeypatch.setattr(Node, "__match_args__", ("word",))
    for _ in range(3):
        with pytest.raises(TypeError, match="accepts 1 positional sub-pattern"):
            astad.gradient(computed, tree, 0.7)
    monkeypatch.undo()
    agree(computed, tree, 0.7)
    monkeypatch.setattr(Leaf, "__match_args__", ("x",))
    for _ in range(3):
        with pytest.raises(TypeError, match="Leaf"):
            astad.gradient(computed, tree, 0.7)


class Optional:
    def __init__(self, **parts):
        vars(self).update(parts)


def found(v, x):
    match v:
        case Optional(a=a, b=float(b)):
            return opaque(a) * b * x
        case {"a": a, "b": b}:
            return opaque(a) + b * x * x
        case Optional(a=a):
            return opaque(a) * x
        case {"a": a}:
            return opaque(a) - x
    return x


def test_what_a_pattern_finds_may_be_gone():
    forget_all()
    recorded(found, Optional(a=2.0, b=3.0), 0.7)
    for parts in ({"a": 2.0, "b": 3.0}, {"a": 2.0}, {"b": 1.0}, {}, {"b": 2, "a": 3.0}):
        for _ in range(4):
            agree(found, Optional(**parts), 0.7)
            agree(found, dict(parts), 0.7)
    agree(found, Optional(a=2.5, b=3.5), 0.7)


class Level(enum.IntEnum):
    LOW, HIGH = 1, 3


class Own(enum.IntEnum):
    ONE = 1

    def __mul__(self, other):
        return 10.0 * other

    __rmul__ = __mul__


def test_members_of_an_enum_of_whole_numbers():
    def f(x):
        y = opaque(x) * Level.HIGH + math.exp(Level.LOW * 0.1) * 2.0**Level.HIGH * x
        return (y if Level.HIGH > Level.LOW else x) + Own.ONE * x + x * Own.ONE

    recorded_backwards(f, 1.3)


def test_keys_as_sets():
    def f(x):
        parts = {"a": opaque(x), "b": x * x}
        total = 2.0 * x if parts.keys() == {"a", "b"} else x
        for key in sorted(parts.keys() & {"a"} | parts.keys() - {"a"}):
            total = total * parts[key]
        return total

    recorded(f, 1.3)


@pytest.mark.parametrize("limit", [0.9, 1.4])
def test_errors_of_operations_on_numbers(limit):
    """They are raised where they are raised by the program: at these numbers, not at others."""

    def f(x, z):
        total = opaque(x)
        try:
            total = total / (z - z) if x > limit else total / z
        except ZeroDivisionError as error:
            total = total + x * len(str(error))
        try:
            return total + math.sqrt(x - 1.0)
        except ValueError:
            return total * z

    for x in (0.7, 1.2, 1.7, 0.7, 1.2, 1.7):
        recorded_backwards(f, x, 2.5)


def test_an_error_of_a_power():
    def f(x):
        try:
            y = math.exp(700.0 * x)
        except OverflowError:
            y = 2.0
        return opaque(x) * y

    for x in (0.1, 1.3, 0.2, 1.4):
        agree(f, x)
        agree(f, x)


def test_sets_that_are_filled_as_the_plain_run_fills_them():
    def f(x, z):
        values = {"alpha": opaque(x), "beta": x * z, "gamma": z, "delta": x - z}
        others = {"beta": z * z, "zeta": x}
        total, names = 0.0, set(values) | set(others)
        for name in values.keys() | others.keys():
            total = 1.1 * total + values.get(name, x) * others.get(name, z)
        for name in set("gamma delta beta alpha gamma".split()):
            total = 0.9 * total + values[name]
        left = set(names)
        left.discard("beta")
        left.add("eta")
        order = [name for name in left if name != "alpha"]
        while left:
            total = total * 0.8 + values.get(left.pop(), x)
        return total * len(order)

    recorded(f, 1.3, 0.4)


def test_questions_to_sets_whatever_their_order():
    def f(x):
        asked, known = set("yzx"), {"x", "y", "z", "w"}
        total = opaque(x) if asked <= known and asked.issubset(known) else x * x
        return total if known.isdisjoint("ab") and not known < asked else 3.0 * total

    recorded(f, 1.3)


def test_an_array_and_a_list():
    def f(x):
        shifted = (np.cos(x) - [1, 0.5, 0.0]) * [x[0], 2.0, x[1]]
        return float(opaque(1.0) * (shifted**2).sum() + ([1.0, 2.0, 3.0] * x)[1])

    recorded(f, np.array([0.3, 0.5, 0.7]))


class Place(enum.IntEnum):
    LOW = 0
    HIGH = 2

    def weigh(self, v):
        return (self.value + 1) * v


def test_members_of_an_enum_of_whole_numbers_as_places():
    def f(x):
        found, row = np.zeros(3), [x[0], x[1], opaque(x[2])]
        for level in Place:
            found[level] = level.weigh(x[level]) * row[level]
        return float(found.sum())

    recorded(f, np.array([0.3, 0.5, 0.7]))


def test_what_goes_into_a_container_item_by_item():
    def f(x):
        weights, parts = {"a": opaque(x)}, []
        weights.update((name, x * k) for k, name in enumerate("bc", 1))
        parts.extend(v * v for v in weights.values())
        counts = collections.Counter()
        counts.update(name for name in "abca")
        return sum(parts) * counts["a"]

    recorded(f, 1.3)


def test_a_subscript_that_is_an_array_in_an_array_without_axes():
    def f(x):
        total = np.zeros(())
        total[()] = x[0] * opaque(x[1])
        total[np.array(True)] = total * x[2]
        return float(total)

    for _ in range(4):
        agree(f, np.array([0.3, 0.5, 0.7]))


@pytest.mark.parametrize("v", [np.array([1.0, 2.0]), np.array([1.0])])
def test_float_of_an_array(v):
    def f(x):
        try:
            return opaque(float(x)) * 2.0
        except TypeError:
            return float((opaque(1.0) * x * x).sum())

    for given in (v, np.append(v, 3.0), v):
        agree(f, given)
        agree(f, given)


def test_a_truth_takes_a_number_or_leaves_it():
    def f(x):
        total = np.asarray(opaque(x[0]) * x[1])
        bound, is_low = np.asarray(x[2]), np.asarray(total < x[2])
        total[is_low] = bound[is_low]
        return float(total) * bound[~is_low].size + float(total)

    for x in ([0.3, 0.5, 0.7], [0.3, 0.5, 0.1], [0.4, 0.5, 0.7], [0.4, 0.5, 0.1]):
        for _ in range(2):
            agree(f, np.array(x))


def test_arrays_of_none_and_of_names():
    def f(x):
        last = np.array([[None] * 2]).T
        shown = np.atleast_2d(np.array(["a", "b", "c"]))
        total = opaque(x[0]) if last.shape == (2, 1) and last[0, 0] is None else x[1]
        return total * x[1] if shown.T.shape == (3, 1) else total

    recorded(f, np.array([0.3, 0.5]))


def test_places_of_numbers_in_lists():
    def f(x):
        rest, order = [opaque(v) for v in x], 0.0
        while rest:
            at = rest.index(min(rest))
            order = order * 0.5 + rest.pop(at) * (at + 1)
        found = [x[0] * x[1], x[2]]
        found.remove(found[1])
        return order * found[0] * found.count(found[0])

    recorded(f, np.array([0.9, 0.5, 0.7]))


def test_a_set_united_in_place_with_constants_has_an_order_of_its_own():
    def f(x):
        total, names = opaque(x), set("beta gamma delta".split())
        names |= {"alpha", "omega", "zeta", "kappa"}
        for name in names:
            total = total * 0.9 + len(name) * x
        return total

    for _ in range(5):
        agree(f, 1.3)
    assert "whose order may be another" in refused(f, 1.3)


def complex_arrays_changed_in_place(x):
    r = x * np.eye(3, dtype=complex)
    v = np.exp(1j * opaque(x) * np.arange(3))
    r += 2.0 * np.outer(v, v.conj())
    r /= x
    r -= np.eye(3) * x
    return np.abs(r @ v).sum()


def by_two_names(x):
    z = np.ones(4, dtype=complex)
    z *= opaque(x)
    w = z
    w += 1j * x
    w *= 2.0
    return np.abs(z).sum() + np.real(w).sum()


def in_a_loop(x):
    z = np.zeros(3, dtype=complex)
    for k in range(4):
        z += np.exp(1j * opaque(x) * k) * np.arange(3)
        z *= 0.5
    return np.abs(z + 1).sum()


def through_a_part(x):
    z = np.zeros(3, dtype=complex)
    part = z[1:]
    part += 1j * opaque(x)
    z += x
    part *= 2
    return np.abs(z + 1).sum()


@pytest.mark.parametrize(
    "f", [complex_arrays_changed_in_place, by_two_names, in_a_loop, through_a_part]
)
def test_complex_arrays_that_are_changed_in_place(f):
    step = 1e-6
    for x in (1.3, 1.3, 1.3, 0.7, 2.1, 0.4):
        slope = (f(x + step) - f(x - step)) / (2 * step)
        assert astad.gradient(f, x) == (pytest.approx(slope, rel=1e-6),)
    if f is not through_a_part:
        expect_recorded(f)
