"""Derivatives inside a differentiated function that no text tells beforehand: programs as users
write them, each against differences of its own value.
"""

import functools
import math
import random
import types
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import astad
from astad import (
    grad,
    gradient,
    hessian,
    hessian_diag,
    hvp,
    jacobian,
    jvp,
    pullback,
    value_and_grad,
    value_and_jacobian,
    vjp,
)
from astad.api.gradients import recorded
from astad.errors import Unsupported

pytestmark = pytest.mark.order_matters


class Cubic:
    def __init__(self, w):
        self.w = w
        self.shift = 0.5

    def loss(self, x):
        return (self.w * x + self.shift) ** 3


def bound_methods_in_a_loop(w):
    model = Cubic(w)
    total = 0.0
    for k in range(3):
        total += grad(model.loss)(2.0 + k)
    return total


def twice_with_a_captured_value(x):
    return grad(grad(lambda t: t**4 * x))(x)


def squared_sum(d):
    return sum(d.values()) ** 2


def the_values_of_a_dict(x):
    slopes = gradient(squared_sum, {"a": x, "b": x * x})[0]
    return slopes["a"] * x


def views_that_were_taken_before(x):
    d = {"a": x}
    values = d.values()
    return grad(lambda p: sum(values) ** 2 * p["a"])(d)["a"]


def power(a, t, b=1.0):
    return a**2 * t**3 * b


def partials(a, t):
    fn = functools.partial(power, a, b=a)
    return grad(fn)(t) * grad(grad(fn))(0.5)


@dataclass
class Curve:
    height: float
    rate: float


def curve_at(curve, t):
    return curve.height**2 * math.exp(curve.rate * t)


def dataclasses_as_arguments(x):
    bars = gradient(curve_at, Curve(x, 0.3), x)
    return bars[0].height + bars[0].rate * x + bars[1]


def sorted_names_of_a_set(x):
    names, d = {"u", "v"}, {"u": x, "v": 2 * x}

    def loss(t):
        return sum(d[k] * t**2 for k in sorted(names)) + max(d.values()) * t

    return grad(loss)(x)


def a_try_inside(x):
    def fn(t):
        try:
            if t > 100:
                raise ValueError
            return t**3 * x
        except ValueError:
            return 0.0

    return hessian(fn, x)


def a_list_of_lambdas(x):
    return sum(grad(fn)(x) for fn in [lambda t, k=k: t**k * x for k in range(1, 4)])


def directions(x):
    y, y_dot = jvp(lambda t, u: t * u * x, (x, 2.0), (1.0, None))
    z, z_dot = jvp(lambda v: grad(lambda u: math.sin(u) * x)(v) ** 2, (x,), (1.0,))
    return y * y_dot + z * z_dot


def three_levels(x):
    return grad(grad(grad(lambda t: math.sin(t) * x)))(x)


def four_levels(x):
    return grad(lambda a: grad(lambda b: grad(lambda c: math.sin(c) * c * x)(b * a))(a))(x)


def the_classic_confusion(x):
    return grad(lambda a: a * grad(lambda b: a + b)(1.0))(x)


def a_count_of_calls(x):
    count = 0

    def fn(t):
        nonlocal count
        count += 1
        return t**3 * x

    return grad(fn)(x) * count


def newton(x):
    def fn(t):
        return t**4 - 3 * t * x

    t = 2.0
    for _ in range(6):
        t = t - grad(fn)(t) / grad(grad(fn))(t)
    return t


def greeks(s, sigma):
    def cdf(z):
        return 0.5 * (1 + math.erf(z / math.sqrt(2)))

    def price(s, sigma):
        d1 = (math.log(s / 95.0) + (0.02 + sigma * sigma / 2) * 0.7) / (sigma * math.sqrt(0.7))
        return s * cdf(d1) - 95.0 * math.exp(-0.014) * cdf(d1 - sigma * math.sqrt(0.7))

    return grad(grad(price))(s, sigma) + grad(grad(price, 0), 1)(s, sigma)


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(self.w * x + self.b)


class Network:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def objects_in_a_list_of_an_object(w, b):
    network = Network([Layer(w, b), Layer(w * w, 0.1)])
    bars = gradient(lambda n: n(0.7) ** 2, network)[0]
    return sum(layer.w + layer.b for layer in bars.layers)


def an_object_that_is_called(w):
    return grad(Network([Layer(w, 0.2), Layer(w * w, 0.1)]))(0.7) ** 2


def one_object_captured_and_given(x):
    box = types.SimpleNamespace(w=x)
    box = Layer(x, 0.0)
    return grad(lambda o: o.w**2 * box.w)(box).w


def updates_of_a_dict(state, x):
    def energy(s):
        return s["pos"] ** 2 * s["mass"] + math.sin(s["vel"]) * x

    slopes = grad(energy)(state)
    return energy({k: state[k] - 0.1 * slopes[k] for k in state})


def momentum(x):
    history, w, v = [], 1.0, 0.0
    for _ in range(5):
        v = 0.9 * v - 0.02 * grad(lambda w: (w * w - x) ** 2)(w)
        w = w + v
        history.append(w)
    return sum(history) + max(history)


def branches_that_differ_by_round(x):
    def fn(t):
        total = 0.0
        for i in range(3):
            if t > i:
                total += t**i * x
            else:
                total -= t
        return total

    a, b, c = [grad(fn)(v) for v in (0.5, 1.5, 2.5)]
    return a * b * c


def a_cache_inside(a):
    @functools.lru_cache(maxsize=None)
    def fib(n):
        return a if n < 2 else fib(n - 1) + fib(n - 2) * a

    return fib(6) * grad(lambda t: t * t * a)(2.0)


def a_generator_inside(x):
    def powers(t):
        for k in range(3):
            yield t**k * x

    return grad(lambda t: sum(powers(t)))(x)


def an_iterator_that_was_begun(x):
    w = [x, 2 * x]
    it = iter(w)
    return grad(lambda ws: next(it) * ws[0] * ws[1])(w)[0]


def tuples_in_tuples(x):
    slopes = grad(lambda p: p[0] ** 2 * p[1][0])((x, [x * 2]))
    return slopes[0] + slopes[1][0]


def nothing_that_moves(x):
    slope = grad(lambda t: 5.0)(x)
    return x if slope is None else x * 2 + slope


def branches_by_a_slope(x):
    return x**2 if grad(lambda t: t**2)(x) > 2.0 else grad(lambda t: t**3)(x)


def defaults(x):
    def fn(t, *, k=x):
        return t**2 * k

    return grad(fn)(x) + grad(fn)(x, k=x * x)


def penalty(w, x):
    slopes = gradient(lambda v: np.sum(np.tanh(w @ v)), x)[0]
    return (np.sqrt(np.sum(slopes**2)) - 1.0) ** 2


def hamiltonian(q, p):
    def energy(q, p):
        return 0.5 * np.sum(p * p) + np.sum(np.cos(q))

    for _ in range(3):
        p = p - 0.05 * grad(energy, 0)(q, p)
        q = q + 0.1 * grad(energy, 1)(q, p)
    return np.sum(q * q)


def pulled_back(x):
    y, back = pullback(lambda t: np.array([t[0] * t[1], t[1] ** 3]), x)
    return np.sum(back(np.array([1.0, 2.0]))[0] ** 2) + y[0]


def pulled_back_from_a_tuple(x):
    y, back = vjp(lambda t, u: (t * u, t**2), x, x * 2)
    a, b = back((1.0, y[0]))
    return a * b


def score_matching(x):
    def log_density(v):
        return -np.sum(v**4) * 0.25 + np.sum(np.sin(v * x))

    at = np.array([0.5, -0.3])
    slopes = gradient(log_density, at)[0]
    return 0.5 * np.sum(slopes * slopes) + np.trace(hessian(log_density, at))


def all_second_derivatives(x):
    diagonal = hessian_diag(lambda v: np.sum(v**3) * v[0], x)
    y, rows = value_and_jacobian(lambda v: v * v[0], x)
    product = hvp(lambda v: np.sum(np.exp(v) * v[0]), x, x * 0.5)
    return np.sum(diagonal) + np.sum(rows) + np.sum(y) + np.sum(product)


def a_jacobian(x):
    rows = jacobian(lambda v: np.array([v[0] * v[1], v[1] ** 2, x[0] * v[0]]), x * 1.0)
    return np.linalg.det(rows.T @ rows + np.eye(2))


DATA = np.array([[0.5, -0.2], [1.0, 0.3], [-0.4, 0.8]])


def a_list_of_layers(rate, layers):
    def loss(layers):
        h = DATA
        for w, b in layers:
            h = np.tanh(h @ w + b)
        return np.mean(h**2)

    for _ in range(2):
        slopes = gradient(loss, layers)[0]
        layers = [(w - rate * gw, b - rate * gb) for (w, b), (gw, gb) in zip(layers, slopes)]
    return loss(layers)


LAYERS = [
    (np.array([[0.3, -0.5, 0.2], [0.7, 0.1, -0.4]]), np.array([0.1, 0.0, -0.2])),
    (np.array([[0.5], [-0.3], [0.8]]), np.array([0.05])),
]
PAIR, TRIPLE = np.array([0.3, 0.5]), np.array([0.3, 0.5, 1.1])
MATRIX = np.array([[0.3, -0.5], [0.7, 0.1], [0.2, 0.9]])

PROGRAMS = [
    (bound_methods_in_a_loop, 1.3), (twice_with_a_captured_value, 1.2), (the_values_of_a_dict, 0.7),
    (views_that_were_taken_before, 1.3), (partials, 1.2, 0.8), (dataclasses_as_arguments, 0.9),
    (sorted_names_of_a_set, 0.8), (a_try_inside, 1.1), (a_list_of_lambdas, 1.1), (directions, 0.7),
    (three_levels, 0.7), (four_levels, 0.7), (the_classic_confusion, 0.7), (a_count_of_calls, 1.3),
    (newton, 1.3), (greeks, 100.0, 0.3), (objects_in_a_list_of_an_object, 0.7, 0.3),
    (an_object_that_is_called, 0.7), (one_object_captured_and_given, 1.3),
    (updates_of_a_dict, {"pos": 1.0, "vel": 0.5, "mass": 2.0}, 0.3), (momentum, 2.0),
    (branches_that_differ_by_round, 1.1), (a_cache_inside, 0.6), (a_generator_inside, 0.6),
    (an_iterator_that_was_begun, 1.3), (tuples_in_tuples, 1.3), (nothing_that_moves, 1.3),
    (branches_by_a_slope, 1.3), (branches_by_a_slope, 0.3), (defaults, 1.3),
    (penalty, MATRIX, PAIR), (hamiltonian, PAIR, TRIPLE[1:]), (pulled_back, PAIR),
    (pulled_back_from_a_tuple, 1.3), (score_matching, 0.7), (all_second_derivatives, TRIPLE),
    (a_jacobian, PAIR), (a_list_of_layers, 0.1, LAYERS),
]  # fmt: skip


def mapped(x, at_number):
    if isinstance(x, dict):
        return {key: mapped(part, at_number) for key, part in x.items()}
    if isinstance(x, list | tuple):
        return type(x)([mapped(part, at_number) for part in x])
    return at_number(x)


def numbers_of(x):
    """All numbers of a structure in one array; None counts as zero."""
    found = []
    mapped(x, lambda part: found.extend(np.ravel(0.0 if part is None else part)))
    return np.array(found, float)


def with_numbers(x, numbers):
    left = iter(numbers)

    def filled(part):
        if isinstance(part, float):
            return float(next(left))
        return np.array([next(left) for _ in range(part.size)]).reshape(part.shape)

    return mapped(x, filled)


def differences(f, args):
    """Central, of fourth order."""
    at = numbers_of(args)
    found = []
    for k in range(at.size):
        step = 1e-3 * max(1.0, abs(at[k]))
        values = []
        for times in (1, -1, 2, -2):
            moved = at.copy()
            moved[k] += times * step
            values.append(float(f(*with_numbers(args, moved))))
        a, b, c, d = values
        found.append((8 * (a - b) - (c - d)) / (12 * step))
    return np.array(found)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0].__name__)
def test_programs_agree_with_differences_in_each_run(program):
    f, *args = program
    places = tuple(range(len(args)))
    for scale in (1.0, 1.0, 1.01, 1.02):
        given = with_numbers(tuple(args), numbers_of(tuple(args)) * scale)
        y, bars = value_and_grad(f, places)(*given)
        assert float(y) == pytest.approx(float(f(*given)), rel=1e-12)
        expected = differences(f, given)
        found = numbers_of(tuple(mapped(bar, lambda part: part) for bar in bars))
        if found.size < expected.size:  # None stands for a whole argument
            found = np.concatenate(
                [
                    numbers_of(bar) if bar is not None else np.zeros(numbers_of(arg).size)
                    for bar, arg in zip(bars, given, strict=True)
                ]
            )
        assert found == pytest.approx(expected, rel=2e-6, abs=1e-7)


# --- what a function inside leaves behind


def a_list_that_is_read_after(x):
    kept = []

    def fn(t):
        kept.append(t * t)
        return t**3 * x

    return grad(fn)(x) + kept[0]


def a_variable_that_is_read_after(x):
    last = 0.0

    def fn(t):
        nonlocal last
        last = t * x
        return t**3

    return grad(fn)(x) * last


def a_buffer_that_is_read_after(x):
    buffer = np.zeros(3)

    def fn(t):
        buffer[0] = t
        return t**2 * buffer[0] * x

    return grad(fn)(x) + buffer[0]


def an_attribute_that_is_read_after(x):
    layer = Layer(x, 0.0)

    def fn(t):
        layer.w = t * 2
        return t**3 * layer.w

    return grad(fn)(x) * layer.w


def its_own_argument(x):
    a = np.array([x, 2 * x])

    def fn(t):
        t[0] = 3.0
        return np.sum(t**2)

    return grad(fn)(a)[1] + a[0]


def a_view_of_its_argument(x):
    a = np.array([x, 2 * x])
    v = a[:1]
    return grad(lambda t: np.sum(t**2) * v[0])(a)[0]


@pytest.mark.parametrize(
    "f",
    [
        a_list_that_is_read_after,
        a_variable_that_is_read_after,
        a_buffer_that_is_read_after,
        an_attribute_that_is_read_after,
        its_own_argument,
        a_view_of_its_argument,
    ],
)
def test_what_a_function_inside_leaves_behind_is_right_or_refused(f):
    for _ in range(3):
        try:
            (bar,) = gradient(f, 1.3)
        except Unsupported as error:
            assert error.where and error.what and error.why and error.instead
        else:
            assert bar == pytest.approx(differences(f, (1.3,))[0], rel=1e-6)


# --- what stands around may change between two runs


def test_a_function_that_is_bound_anew_is_followed():
    space = {"grad": grad}
    exec("def inner(t): return t**3", space)

    def program(x):
        return grad(space["inner"])(x) * x

    for _ in range(3):
        assert gradient(program, 1.3) == pytest.approx((9 * 1.3**2,))
    space["inner"] = lambda t: t**2
    for _ in range(3):
        assert gradient(program, 1.3) == pytest.approx((4 * 1.3,))


def test_a_method_and_a_constant_of_a_class_that_change_are_followed():
    class Model:
        rate = 2.0

        def loss(self, t):
            return t**3 * self.rate

    model = Model()

    def program(x):
        return grad(model.loss)(x) * x

    for _ in range(3):
        assert gradient(program, 1.3) == pytest.approx((18 * 1.3**2,))
    Model.rate = 3.0
    for _ in range(3):
        assert gradient(program, 1.3) == pytest.approx((27 * 1.3**2,))
    Model.loss = lambda self, t: t**2 * self.rate
    for _ in range(3):
        assert gradient(program, 1.3) == pytest.approx((12 * 1.3,))


def test_another_way_through_an_inner_function_is_another_text():
    model = Cubic(2.0)

    def branching(t):
        return model.loss(t) if t > 1.0 else t**2

    def program(x):
        return grad(branching)(x)

    for x, expected in ((1.5, 6 * 3.5 * 4), (0.5, 2.0), (1.5, 6 * 3.5 * 4), (0.5, 2.0)):
        assert gradient(program, x) == pytest.approx((expected,))


def test_numbers_of_the_object_of_a_method_keep_their_derivative_where_nothing_is_recorded(capsys):
    """A print keeps the program around from being recorded; the call inside is."""

    def program(w):
        model = Cubic(w)
        slope = grad(model.loss)(2.0)
        print("slope")
        return slope

    for w in (1.3, 1.4, 1.5):
        u = 2 * w + 0.5
        assert gradient(program, w) == pytest.approx((3 * u**2 + 12 * u * w,))
    assert capsys.readouterr().out == "slope\n" * 3


def test_what_lies_in_containers_keeps_its_derivative_where_nothing_is_recorded(capsys):
    def program(x, y):
        state = {"a": [x, y], "box": Layer(x * y, 0.5)}
        slopes = grad(lambda s: sum(s["a"]) ** 2 * s["box"].w)(state)
        print("slopes")
        return slopes["a"][0] * slopes["box"].w

    for x in (1.3, 1.4, 1.5):
        found = gradient(program, x, 0.7)
        assert found == pytest.approx(
            (
                2 * x * 0.7 * 3 * (x + 0.7) ** 2 + 2 * 0.7 * (x + 0.7) ** 3,
                2 * x * 0.7 * 3 * (x + 0.7) ** 2 + 2 * x * (x + 0.7) ** 3,
            )
        )
    assert capsys.readouterr().out == "slopes\n" * 3


# --- what an adversary has found: right, or refused

TABLE = {"mul": lambda a, b: a * b, "pow": lambda a, b: a**b}


def right_or_refused(f, args, expected):
    """Value and gradient by the last argument that is a float."""
    at = max(k for k, arg in enumerate(args) if isinstance(arg, float))
    try:
        found = value_and_grad(f, at)(*args)
    except Unsupported as error:
        assert error.where and error.what and error.why and error.instead
        return False
    assert found == pytest.approx(expected)
    return True


def a_captured_int(n, x):
    return grad(lambda y: TABLE["mul"](n, y * y))(x)


def an_int_in_an_object(o, x):
    return grad(lambda y: o.w * y * y)(x)


def an_int_in_a_list(ks, x):
    return grad(lambda y: np.sum(np.array(ks) * y**2))(x)


@pytest.mark.parametrize(
    ("f", "first", "expected"),
    [
        (a_captured_int, 3, 4.0),
        (an_int_in_an_object, Layer(3, 0.0), 4.0),
        (an_int_in_a_list, [1.5, 3], [4.0, 4.0]),
    ],
)
def test_a_derivative_by_an_int_is_right_or_refused(f, first, expected):
    for _ in range(3):
        assert right_or_refused(f, (first, 2.0), (f(first, 2.0), f(first, 1.0)))
        try:
            bar = gradient(f, first, 2.0)[0]
        except Unsupported:
            continue
        assert (bar.w if f is an_int_in_an_object else bar) == pytest.approx(expected)


class Scaled:
    def __init__(self, w):
        self.w = w

    def size(self, t):
        return abs(self.w) ** 2 * t**2

    def whole(self, t):
        return float(self.w) * t**2


@pytest.mark.parametrize("w", [1 + 2j, np.complex128(1 + 2j), Fraction(1, 2), np.float32(0.5), 3])
def test_a_derivative_by_another_number_is_right_or_refused(w):
    name = "size" if isinstance(w, complex) else "whole"

    def program(w):
        return grad(getattr(Scaled(w), name))(1.5)

    expected = 6 * w if name == "size" else 3.0
    for _ in range(3):
        try:
            (bar,) = gradient(program, w)
        except Unsupported as error:
            assert error.where and error.what and error.why and error.instead
        else:
            assert complex(bar) == pytest.approx(complex(expected))


def a_list_that_is_captured_and_given(x):
    ps = [x]
    return grad(lambda q: q[0] ** 2 * ps[0])(ps)[0]


def a_dict_that_is_captured_and_given(x):
    ps = {"a": x}
    return grad(lambda q: q["a"] ** 2 * ps["a"])(ps)["a"]


@pytest.mark.parametrize(
    "f", [a_list_that_is_captured_and_given, a_dict_that_is_captured_and_given]
)
def test_a_container_that_is_captured_and_given_has_the_total(f):
    for _ in range(3):
        assert right_or_refused(f, (3.0,), (27.0, 18.0))


def test_second_derivatives_by_a_list_that_the_function_holds():
    ps = [3.0]

    def f(q):
        return q[0] ** 2 * ps[0]

    for _ in range(3):
        assert gradient(f, ps) == ([27.0],)
        assert hessian(f, ps) == [[18.0]]
        assert hvp(f, ps, [1.0]) == [18.0]


def one_that_raises(x):
    def inner(y):
        if y > 1.5:
            raise ValueError("far")
        return sum(c * y**3 * x for c in [1.0])

    try:
        return grad(inner)(x)
    except ValueError:
        return x**2


def one_that_asserts(x):
    def inner(y):
        assert y < 1.5
        return y**3 * x

    try:
        return grad(inner)(x)
    except AssertionError:
        return x**2


def one_that_catches(x):
    def inner(y):
        try:
            return TABLE["pow"](y, 3) * math.sqrt(1.5 - y) * x
        except ValueError:
            return y * x

    return grad(inner)(x)


@pytest.mark.parametrize("f", [one_that_raises, one_that_asserts, one_that_catches])
def test_an_exception_is_no_reason_to_take_it_for_granted(f):
    for x in (2.0, 2.0, 2.0, 1.0, 1.2, 2.0):
        right_or_refused(f, (x,), (f(x), differences(f, (x,))[0]))


def tagged(order):
    def f(y):
        return y * y

    f.order = order
    return f


def attributes_of_a_captured_function(x, order):
    f = tagged(order)
    return grad(lambda y: f(y) * getattr(f, "order", 1.0))(x)


def identity_of_a_captured_function(x):
    def f(y):
        return y * y

    same = f
    return grad(lambda y: f(y) * (2.0 if f is same else 1.0))(x)


def a_function_as_a_key(x):
    def f(y):
        return y * y * x

    table = {f: 3.0}
    return grad(lambda y: f(y) * table.get(f, 1.0))(x)


def test_a_captured_function_is_itself():
    for _ in range(3):
        right_or_refused(attributes_of_a_captured_function, (1.0, 3.0), (6.0, 2.0))
        right_or_refused(identity_of_a_captured_function, (1.0,), (4.0, 4.0))
        right_or_refused(a_function_as_a_key, (1.0,), (6.0, 12.0))
        f = tagged(3)
        assert hessian(lambda y: f(y) ** getattr(f, "order", 1), 1.0) == pytest.approx(30.0)


def tied_objects(tied, x):
    a = Layer([x], 0.0)
    p = {"a": a, "b": a if tied else Layer([x], 0.0)}
    return grad(lambda p: TABLE["pow"](p["a"].w[0], 2) * p["b"].w[0])(p)["a"].w[0]


def tied_arrays(tied, x):
    w = np.array([x, 1.0])
    p = [w, w if tied else w.copy()]
    return grad(lambda p: TABLE["pow"](p[0], 2) @ p[1])(p)[0][0]


def tied_arrays_in_objects(tied, x):
    w = np.array([x, 2.0])
    a, b = Layer(w, 0.0), Layer(w if tied else w.copy(), 0.0)
    return grad(lambda a: np.sum(TABLE["pow"](a.w, 2) * b.w))(a).w[0]


@pytest.mark.parametrize("f", [tied_objects, tied_arrays, tied_arrays_in_objects])
def test_what_is_tied_in_one_call_only(f):
    expected = {False: (2.0, 4.0), True: (3.0, 6.0)}
    for tied in (False, True, False, True, True, False):
        right_or_refused(f, (tied, 1.0), expected[tied])


def test_errors_of_the_function_inside_are_its_own():
    def missing(w, p):
        return w * w * p["rate"]

    def caught(x, p):
        try:
            return astad.grad(missing)(x, p) * x
        except KeyError:
            return x * 5.0

    def by_user(w, table):
        for name in table:
            if name not in ("a", "b"):
                raise ValueError(name)
            w = w * table[name]
        return w

    def caught_too(x, table):
        try:
            return astad.grad(by_user)(x, table) * x
        except ValueError as error:
            return x * len(str(error))

    for _ in range(3):
        assert astad.gradient(caught, 2.0, {}) == (5.0, {})
        assert astad.gradient(caught_too, 2.0, {"long": 1.0})[0] == 4.0
        assert astad.gradient(caught, 2.0, {"rate": 3.0})[0] == 24.0
        with pytest.raises(KeyError, match="rate"):
            astad.gradient(lambda x: astad.grad(missing)(x, {}) * x, 2.0)


def test_a_number_in_an_error_of_the_function_inside_is_not_lost():
    def told(w, p):
        if len(p) < 1:
            raise ValueError(w * 3.0)
        return w * p["rate"]

    def f(x, p):
        try:
            return astad.grad(told)(x, p) * x
        except ValueError as error:
            return error.args[0] * x

    for _ in range(3):
        with pytest.raises(Unsupported):
            astad.gradient(f, 2.0, {})


# --- derivatives that are zero, and are derived on


def nth(f, order):
    for _ in range(order):
        f = grad(f)
    return f


ARRAY = np.array([1.0, 2.0])
LINEAR = {
    "3 t": lambda t: 3.0 * t,
    "t": lambda t: t,
    "t + 1": lambda t: t + 1.0,
    "t ** 1": lambda t: t**1,
    "[t][0]": lambda t: [t][0],
    "abs": lambda t: abs(t),
    "max": lambda t: max(t, 0.0) * 2,
    "of an array": lambda t: np.sum(ARRAY * t),
    "t t": lambda t: t * t if t > 9.0 else 9.0 * t,
}


@pytest.mark.parametrize("name", LINEAR)
def test_what_is_linear_has_zeros_at_any_order(name):
    f = LINEAR[name]
    for order in (2, 3, 4, 5):
        assert nth(f, order)(2.0) == 0.0
        assert type(nth(f, order)(2.0)) in (float, np.float64)
    assert hessian(grad(f), 2.0) == 0.0
    assert jvp(nth(f, 2), (2.0,), (1.0,)) == (0.0, 0.0)
    assert hvp(nth(f, 2), 2.0, 1.0) == 0.0
    for order in (2, 3):
        assert grad(lambda x: x * nth(f, order)(2.0) + x)(3.0) == 1.0
        assert grad(lambda x: x * nth(f, order)(x) + x)(3.0) == 1.0
    assert nth(f, 3)(np.float64(2.0)) == 0.0


def test_so_has_what_is_of_some_degree_one_order_above():
    assert [nth(lambda t: t * t, order)(2.0) for order in (2, 3, 4, 5)] == [2.0, 0.0, 0.0, 0.0]
    assert [nth(lambda t, k: t * k, order)(2.0, 3.0) for order in (1, 2, 3, 4)] == [3.0, 0, 0, 0]
    assert grad(lambda t: pullback(lambda s: 3.0 * s, t)[1](1.0)[0] * t)(2.0) == 3.0
    assert nth(lambda t: jvp(lambda s: 3.0 * s, (t,), (1.0,))[1], 3)(2.0) == 0.0
    assert nth(lambda t: 3.0 * t, 3)(math.inf) == 0.0


def test_arrays_of_zeros_are_derived_on():
    def total(f):
        return lambda a: np.sum(grad(f)(a))

    def f(a):
        return np.sum(ARRAY * a)

    x = np.array([3.0, 4.0])
    for _ in range(4):
        f = total(f)
        assert np.array_equal(grad(f)(x), np.zeros(2))
        assert np.array_equal(hessian(f, x), np.zeros((2, 2)))


# --- functions with attributes


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args):
        return 2 * f(*args)

    return wrapper


def scaled(f):
    @functools.wraps(f)
    def wrapper(x, n=1):
        return wrapper.scale * f(x)

    wrapper.scale = 2.0
    return wrapper


def cube(x):
    return x**3


def by_itself(x):
    return x**3 * by_itself.scale


by_itself.scale = 2.0


@pytest.mark.parametrize("f", [doubled(cube), scaled(cube), by_itself, scaled(doubled(cube))])
def test_functions_with_attributes_have_derivatives_of_any_order(f):
    factor = f(1.0)
    assert hessian(f, 3.0) == 18.0 * factor
    assert [nth(f, order)(3.0) for order in (2, 3, 4)] == [18.0 * factor, 6.0 * factor, 0.0]
    assert np.isclose(grad(lambda x: x * grad(f)(x))(3.0), 81.0 * factor)
    if hasattr(f, "scale"):
        f.scale *= 2.0
        assert nth(f, 2)(3.0) == 36.0 * factor
        f.scale /= 2.0


def test_attributes_of_functions_have_derivatives():
    def f(s):
        def g(x):
            return g.scale * x**3

        g.scale = s
        return nth(g, 2)(3.0)

    assert grad(f)(2.0) == 18.0


def test_a_function_that_comes_twice_or_holds_itself():
    def power(c):
        return lambda x: c * x**3

    def product(f, g):
        return lambda x: f(x) * g(x)

    def again(c):
        def f(x, n=3):
            return c if n == 0 else x * f(x, n - 1)

        return f

    def f(c):
        one = power(c)
        return nth(product(one, one), 2)(3.0)

    assert f(1.0) == 30.0 * 3.0**4
    assert np.isclose(grad(f)(1.0), 60.0 * 3.0**4)
    assert grad(lambda c: nth(again(c), 2)(1.0))(2.0) == 6.0


def test_a_function_that_counts_its_calls_does_so():
    def f(x):
        f.calls += 1
        return x**3

    f.calls = 0
    try:
        assert nth(f, 2)(3.0) == 18.0
    except Unsupported:
        return
    assert f.calls == 1


# --- attributes that nobody reads


class Layers:
    def __init__(self, seed, act, meta):
        rng = np.random.default_rng(seed)
        self.layers = [rng.normal(size=(2, 2)) for _ in range(2)]
        self.act, self.meta = act, meta


def through(model, x):
    for w in model.layers:
        x = (np.tanh if model.act == "tanh" else np.sin)(w @ x)
    return np.mean((x - 0.3) ** 2)


@pytest.mark.parametrize("meta", [{"sizes": (2, 2)}, (1, 2), [3]])
def test_ints_that_are_not_read_do_not_have_each_product_recorded_anew(meta, monkeypatch):
    count = []
    told = recorded._told
    monkeypatch.setattr(recorded, "_told", lambda *a, **k: count.append(a[0]) or told(*a, **k))
    x = np.array([0.1, 0.2])
    for act, held in (("tanh", None), ("sin", None), *[("tanh", meta), ("sin", meta)] * 3):
        hessian(through, Layers(0, act, held), x)
    before = len(count)
    for act in ("tanh", "sin", "tanh"):
        model = Layers(1, act, meta)
        found = hessian(through, model, x)
        assert np.isclose(found.layers[0].layers[0][0, 0, 0, 0], second(model, x), rtol=1e-4)
    assert len(count) == before


def second(model, x, h=1e-4):
    """The second difference by the first entry of the first layer."""
    values = []
    for step in (h, 0.0, -h):
        other = Layers(1, model.act, model.meta)
        other.layers[0][0, 0] += step
        values.append(through(other, x))
    return (values[0] - 2.0 * values[1] + values[2]) / h**2


class Held:
    def __init__(self, a, meta):
        self.a, self.meta = a, meta


@pytest.mark.parametrize("meta", [(2, 3), [2, 3], {0: 2, 1: 3}])
def test_ints_that_are_read_keep_their_derivatives(meta):
    def by_value(m):
        return m.a**3 * m.meta[0]

    def by_count(m):
        return sum([m.a**3 for _ in range(m.meta[0])])

    for f, bar in ((by_value, 12.0), (by_count, None)):
        for _ in range(3):
            m = Held(2.0, meta)
            found = grad(lambda m, f=f: grad(f)(m).a)(m)
            assert found.a == 24.0
            assert bar is None or found.meta[0] == bar
            assert bar is not None or found.meta is None


# --- objects that nobody can make anew


class _Float(float):
    pass


class _Int(int):
    pass


class _Closed:
    """It hands out no dict of its attributes."""

    def __init__(self):
        object.__setattr__(self, "rate", 2.0)

    def __getattribute__(self, name):
        if name == "__dict__":
            raise ValueError(name)
        return object.__getattribute__(self, name)


class _Model:
    def __init__(self, rate, held):
        self.rate, self.held = rate, held

    def loss(self, y):
        return y**3 * self.rate


@pytest.mark.parametrize(
    "held",
    [
        random.Random(1),
        functools.partial(pow, exp=3),
        functools.lru_cache(abs),
        _Float(2.0),
        _Int(2),
        [random.Random(1)],
        {"a": functools.partial(pow, exp=2)},
        _Closed(),
    ],
    ids=lambda held: type(held).__name__,
)
def test_a_model_may_hold_what_object_new_cannot_make(held):
    def f(x):
        return astad.grad(_Model(x, held).loss)(x)

    for x in (0.7, 0.4, 0.7):
        assert astad.gradient(f, x)[0] == pytest.approx(9 * x * x)
