"""`checkpoint`: what runs twice runs in the state of the first time."""

import copy
import functools
import inspect
import math
import random

import numpy as np
import pytest

import astad
from astad import checkpoint, gradient, pullback, pullback_self, value_and_grad
from astad.errors import Unsupported

SCALE = 2.0
WEIGHTS = np.array([1.0, 2.0])
rng = np.random.default_rng(3)


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def apply(self, x):
        return np.tanh(self.w * x) + self.b

    @checkpoint
    def squared(self, x):
        return self.apply(x) ** 2


def differences(f, *args, h=1e-6):
    """Central differences by each float among the arguments."""
    found = []
    for k, arg in enumerate(args):
        ends = [f(*args[:k], arg + step, *args[k + 1 :]) for step in (h, -h)]
        found.append((ends[0] - ends[1]) / (2 * h))
    return found


def captured(x, w):
    a = x * w
    return checkpoint(lambda v: v * a * a)(x)


def captured_object(x, w):
    layer = Layer(w, x)
    return checkpoint(layer.apply)(x) * checkpoint(lambda v: layer.b * v)(x)


def by_keyword(x, k):
    return checkpoint(lambda v, *, k: v * k * k)(x, k=k) + checkpoint(lambda k: k * k)(k=x)


def loop_variable(x, y):
    for i in range(1, 4):
        y = checkpoint(lambda v: v * i * x)(y)
    return y


def layers_in_a_loop(x, w):
    layers = [Layer(w * k, 0.1) for k in range(1, 4)]
    for layer in layers:
        x = checkpoint(lambda v: layer.apply(v) * w)(x)
    return x


def rebound_after(x, n):
    g = checkpoint(lambda v: v * n)
    y = g(x)
    n = 10.0 * n
    return y + n


def nonlocal_counter(x, w):
    count = 0.0

    def step(v):
        nonlocal count
        count += 1.0
        return v * count * w

    step = checkpoint(step)
    return step(x) + step(x) * x


def iterator(x, w):
    steps = iter([w, 2.0, x])
    g = checkpoint(lambda v: v * next(steps))
    return g(x) + g(w) + g(x)


def generator_as_argument(x, w):
    def powers(v):
        for k in range(4):
            yield v**k

    return checkpoint(lambda values: sum(values) * w)(powers(x))


def list_written_inside(x, w):
    seen = []

    def step(v):
        seen.append(v * w)
        return seen[-1] * len(seen)

    step = checkpoint(step)
    return step(x) + step(x) + seen[0]


def list_written_later(x, w):
    values = [x, w]
    y = checkpoint(lambda v: v[0] * v[1])(values)
    values[0] = 7.0 * x
    values.append(w)
    return y * values[0] + values[2]


def dict_and_object_written_later(x, w):
    params, layer = {"a": x, "l": [w]}, Layer(w, x)
    y = checkpoint(lambda p, layer: p["a"] * p["l"][0] * layer.b)(params, layer)
    params["l"][0], layer.b = 5.0, w * w
    return y + params["l"][0] * layer.b


def nested(x, w):
    inner = checkpoint(lambda v: math.sin(v * w))
    outer = checkpoint(lambda v: inner(v) * inner(v + w))
    return outer(x)


def result_is_an_argument(x, w):
    a = np.array([x, w])
    b = checkpoint(lambda v: v)(a)
    return np.sum(a * 5) + np.sum(b * a * 3)


def structured_result(x, w):
    d = checkpoint(lambda v: {"a": v * w, "b": [v, np.array([v, w])], "n": "name"})(x)
    return d["a"] * d["b"][0] + d["b"][1].sum()


def caught(x, w):
    def step(v):
        if v > 0:
            raise ValueError(v * w)
        return v

    try:
        return checkpoint(step)(x)
    except ValueError as error:
        return error.args[0] * x


def through_partial_and_method(x, w):
    g = checkpoint(functools.partial(lambda a, b: a * b * b, x))
    return g(w) + Layer(w, x).squared(x)


PROGRAMS = [
    captured, captured_object, by_keyword, loop_variable, layers_in_a_loop, rebound_after,
    nonlocal_counter, iterator, generator_as_argument, list_written_inside, list_written_later,
    dict_and_object_written_later, nested, result_is_an_argument, structured_result, caught,
    through_partial_and_method,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_checkpoint_changes_no_derivative(f):
    x, w = 0.7, 1.3
    found = gradient(f, x, w)
    assert np.allclose(found, differences(f, x, w), rtol=1e-7)
    value, bars = value_and_grad(f, argnums=(0, 1))(x, w)
    assert value == f(x, w) and np.allclose(bars, found, rtol=1e-14)
    y, back = pullback(f, x, w)
    assert y == value
    for _ in range(2):
        assert np.allclose(back(2.0), [2 * bar for bar in found], rtol=1e-14)


def test_its_arrays_are_as_they_were():
    def f(x):
        x = x * 1.0
        y = checkpoint(lambda v: np.sum(v * v))(x)
        x *= 3
        return y + np.sum(x)

    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [5.0, 7.0]

    def writes(x):
        x *= 2
        return np.sum(x * x)

    assert gradient(checkpoint(writes), np.ones(2))[0].tolist() == [8.0, 8.0]


def test_the_callable_has_its_own_cotangent():
    y, back = pullback_self(checkpoint(Layer(0.5, 0.25).apply), 2.0)
    own, x_bar = back(1.0)
    assert np.isclose(own.f.w, 2 / math.cosh(1.0) ** 2) and own.f.b == 1.0
    assert np.isclose(x_bar, 0.5 / math.cosh(1.0) ** 2)


def test_random_numbers_are_drawn_once():
    def noisy(x):
        return checkpoint(lambda v: v * random.random() * np.random.rand())(x) * random.random()

    def by_generator(x, given):
        return checkpoint(lambda v, g: v * g.normal() * rng.normal())(x, given)

    for f, args in ((noisy, ()), (by_generator, (np.random.default_rng(1),))):
        outcomes = []
        for differentiate in (False, True):
            random.seed(5)
            np.random.seed(5)
            rng.bit_generator.state = np.random.default_rng(3).bit_generator.state
            held = copy.deepcopy(args)
            y = value_and_grad(f)(1.0, *held)[1] if differentiate else f(1.0, *held)
            outcomes.append((y, random.random(), np.random.rand(), rng.normal()))
        assert np.allclose(*outcomes, rtol=1e-14)


def test_it_runs_again_where_nothing_changed():
    runs = []

    @astad.nondifferentiable
    def note(x):
        runs.append(float(x))

    def noted(v):
        note(v)
        return v * v * SCALE

    def plain(v):
        return v * v * SCALE

    calls = []

    def watched(v):
        print("run")
        return v * v

    assert gradient(checkpoint(plain), 3.0) == (12.0,)
    assert gradient(checkpoint(noted), 3.0) == (12.0,)
    assert not calls and len(runs) >= 1
    y, back = pullback(checkpoint(watched), 3.0)
    assert back(1.0) == (6.0,)


def test_what_it_reads_may_not_change_before_the_reverse_sweep(monkeypatch):
    y, back = pullback(checkpoint(lambda v: v * SCALE), 3.0)
    assert back(1.0) == (2.0,)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    with pytest.raises(Unsupported, match="SCALE, which it reads, was changed after the call"):
        back(1.0)

    def reads(x):
        return np.sum(WEIGHTS * x)

    y, back = pullback(checkpoint(lambda v: reads(v)), np.ones(2))
    assert back(1.0)[0].tolist() == [1.0, 2.0]
    WEIGHTS[0] = 9.0
    try:
        with pytest.raises(
            Unsupported, match="WEIGHTS, which it reads, was changed|was overwritten"
        ):
            back(1.0)
    finally:
        WEIGHTS[0] = 1.0


class Hidden:
    """A state that is not found by its name."""

    values = {"scale": 2.0}

    @staticmethod
    def read():
        return vars(Hidden)["values"]["scale"]


def test_a_state_that_is_hidden_is_seen_by_the_result():
    read = Hidden.read
    f = checkpoint(lambda v: v * read())
    y, back = pullback(f, 3.0)
    assert back(1.0) == (2.0,)
    Hidden.values["scale"] = 3.0
    try:
        with pytest.raises(Unsupported, match="gave another result|was changed after the call"):
            back(1.0)
    finally:
        Hidden.values["scale"] = 2.0


def test_arguments_overwritten_between_the_sweeps_are_seen_or_saved():
    data = [2.0, 3.0]
    y, back = pullback(checkpoint(lambda v: v[0] * v[1]), data)
    data[0] = 100.0
    assert back(1.0) == ([3.0, 2.0],)


def test_it_has_the_name_and_the_signature_of_its_function():
    def f(x, y=2.0):
        return x * y

    g = checkpoint(f)
    assert g.__name__ == "f" and str(inspect.signature(g)) == "(x, y=2.0)"
    assert functools.wraps(g)(lambda x: g(x)).__name__ == "f"
    assert copy.copy(g)(3.0) == 6.0 and copy.deepcopy(g)(3.0) == 6.0
    with pytest.raises(TypeError, match="not callable"):
        checkpoint(3.0)


def test_one_object_that_is_passed_twice():
    def product(x, y):
        return np.sum(x * y) if x is y else np.sum(x**3)

    def f(x, y):
        return checkpoint(product)(x, y)

    a = np.array([1.0, 2.0])
    assert pullback(f, a, a)[0] == 5.0
    for bar in gradient(f, a, a):
        assert bar.tolist() == [1.0, 2.0]
    assert gradient(lambda x: checkpoint(product)(x, x), a)[0].tolist() == [2.0, 4.0]


def test_one_object_that_is_passed_twice_and_written_later():
    def product(x, y):
        return np.sum(x * y) if x is y else np.sum(x**3)

    def f(x):
        z = x * 2.0
        y = checkpoint(product)(z, z)
        z[0] = 7.0
        return y + z[1]

    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [8.0, 18.0]


# --- objects that hold their own methods: each is gone through once


class OwnMethods:
    def __init__(self, w):
        self.w = w
        self.square, self.cube = self._square, self._cube
        self.steps = [self._square, self._cube]

    def _square(self, x):
        return self.w * x * x

    def _cube(self, x):
        return self.w * x * x * x

    def run(self, x):
        return self.square(x) + sum({self.cube(x): 1.0})

    def all(self, x):
        return sum([step(x) for step in self.steps]) * sum({1.0: x}.values())


def through(model, call, x):
    y, back = pullback(lambda model, x: checkpoint(call(model))(x) + sum({x: 1.0}), model, x)
    bars = back(1.0)
    return y, bars[0].w, bars[1]


def test_attributes_that_are_methods():
    found = through(OwnMethods(2.0), lambda model: model.run, 3.0)
    assert found == (18.0 + 54.0 + 3.0, 9.0 + 27.0, 12.0 + 54.0 + 1.0)


def test_a_list_of_methods():
    found = through(OwnMethods(2.0), lambda model: model.all, 3.0)
    assert found == (72.0 * 3.0 + 3.0, 36.0 * 3.0, 72.0 + 3.0 * 66.0 + 1.0)


def test_two_objects_with_methods_of_each_other():
    first, second = OwnMethods(2.0), OwnMethods(5.0)
    first.square, second.square = second._square, first._square
    found = through(first, lambda model: model.run, 3.0)
    assert found == (45.0 + 54.0 + 3.0, 27.0, 30.0 + 54.0 + 1.0)


def test_many_objects_in_a_ring():
    ring = [OwnMethods(float(at)) for at in range(30)]
    for at, model in enumerate(ring):
        model.square = ring[at - 1]._square
        model.others = [other._cube for other in ring]
    found = through(ring[3], lambda model: model.run, 2.0)
    assert found == (8.0 + 24.0 + 2.0, 8.0, 8.0 + 36.0 + 1.0)


def test_a_partial_of_a_method_and_a_closure_of_one():
    model = OwnMethods(2.0)
    model.square = functools.partial(model._square)
    model.cube = lambda x: model._cube(x)
    found = through(model, lambda model: model.run, 3.0)
    assert found == (18.0 + 54.0 + 3.0, 36.0, 12.0 + 54.0 + 1.0)


# --- second derivatives


def block(x):
    return np.tanh(x) * x


kept = checkpoint(block)


class Blocks:
    def __init__(self):
        self.one = checkpoint(self.plain)

    def plain(self, x):
        return block(x)

    @checkpoint
    def method(self, x):
        return block(x)


BLOCKS = Blocks()


def in_a_loop(x):
    for _ in range(3):
        x = kept(x) + x
    return x


@pytest.mark.parametrize(
    ("f", "plain"),
    [
        (lambda x: checkpoint(block)(x), block),
        (lambda x: kept(x), block),
        (lambda x: checkpoint(block, memory="1 MB")(x), block),
        (lambda x: checkpoint(lambda y: kept(y))(x), block),
        (lambda x: BLOCKS.one(x), block),
        (lambda x: BLOCKS.method(x), block),
        (in_a_loop, lambda x: [x := block(x) + x for _ in range(3)][-1]),
    ],
)
def test_second_derivatives_are_those_of_the_function(f, plain):
    x, v = np.array([0.3, -0.2]), np.array([1.0, 2.0])

    def total(x):
        return np.sum(f(x))

    h = 1e-4  # each entry by itself: the second differences of the plain function
    wanted = (plain(x + h) - 2.0 * plain(x) + plain(x - h)) / h**2
    close = functools.partial(np.testing.assert_allclose, rtol=1e-6, atol=1e-6)
    close(astad.hessian(total, x), np.diag(wanted))
    close(astad.hvp(total, x, v), wanted * v)
    close(astad.hessian_diag(total, x), wanted)
    close(astad.jacobian(astad.grad(total), x), np.diag(wanted))
    close(gradient(lambda x: np.sum(astad.grad(total)(x) * v), x)[0], wanted * v)


def test_an_error_in_it_is_pythons_own_there():
    with pytest.raises(TypeError, match="not callable"):
        astad.grad(lambda x: astad.grad(lambda y: checkpoint(2.0)(y))(x))(1.0)


# --- numbers that are stored in classes, or have left as text: a second run knows of them


class Shared:
    k = 1.0

    def method(self, t):
        return self.k * t

    @staticmethod
    def static(t):
        return Shared.k * t

    @classmethod
    def of_class(cls, t):
        return cls.k * t

    @property
    def stored(self):
        return Shared.k


class Derived(Shared):
    pass


SHARED = Shared()


def reads_class(t):
    return Shared.k * t


def reads_in_loop(t):
    for i in range(400):
        t = t * 0.999 + READERS[0](i) * 1e-6
    return t


READERS = [reads_class]  # called by a table: no text has it written out


def checkpointed_twice(t):
    return checkpoint(lambda u: checkpoint(reads_class)(u) * u)(t)


class_readers = pytest.mark.parametrize(
    "block",
    [
        reads_class,
        lambda t: reads_class(t),
        lambda t: Derived.k * t,
        lambda t: SHARED.stored * t,
        lambda t: [Shared.k * t, t][0],
        lambda t: Shared.k * (t * np.ones(2))[1],
        SHARED.method,
        Shared.static,
        Derived.of_class,
        functools.partial(lambda a, t: a * Shared.k * t, 3.0),
        checkpointed_twice,
    ],
)


def bound_before(block, how=setattr):
    """The block under checkpoint, of a number that was stored in the class."""

    def f(x):
        how(Shared, "k", 2.0 * x * x)
        return checkpoint(block)(x)

    return f


@class_readers
@pytest.mark.parametrize("how", [setattr, type.__setattr__])
@pytest.mark.order_matters
def test_an_attribute_of_a_class_has_its_derivative(block, how):
    f = bound_before(block, how)
    wanted = differences(f, 0.7)[0]
    for _ in range(2):
        assert gradient(f, 0.7)[0] == pytest.approx(wanted, rel=1e-7)
    assert astad.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize(
    "block", [lambda n: Shared.k * n, lambda n: sum(Shared.k * i for i in range(n + 1))]
)
@pytest.mark.order_matters
def test_an_attribute_of_a_class_has_its_derivative_where_no_argument_has(block):
    def f(x):
        Shared.k = x * x
        return checkpoint(block)(1)

    assert gradient(f, 0.7)[0] == pytest.approx(1.4)
    assert astad.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(1.4)


@pytest.mark.order_matters
def test_an_attribute_of_a_class_that_is_written_after_the_call():
    def f(x, back):
        Shared.k = 2.0 * x
        y = checkpoint(reads_class)(x)
        Shared.k = back
        return y

    assert gradient(f, 0.5, 1.0)[0] == 2.0  # the value that was there
    with pytest.raises(Unsupported, match="k, which it reads, was changed after the call"):
        gradient(f, 0.5, 7.0)


@pytest.mark.order_matters
def test_an_attribute_of_a_class_in_a_loop_that_runs_again():
    def f(x):
        Shared.k = 2.0 * x
        return checkpoint(reads_in_loop, memory="10 kB")(x)

    wanted = differences(f, 0.7)[0]
    assert wanted != pytest.approx(0.999**400, rel=1e-2)  # that of the argument alone
    assert gradient(f, 0.7)[0] == pytest.approx(wanted, rel=1e-7)


@pytest.mark.order_matters
def test_a_step_of_ints_that_a_number_was_taken_apart_into():
    def f(x):
        n, d = x.as_integer_ratio()
        return checkpoint(lambda t: n // 1 * t / d)(x)

    with pytest.raises(Unsupported, match="numbers were taken apart into ints"):
        gradient(f, 0.5)


@pytest.mark.order_matters
def test_a_number_that_is_read_out_of_text():
    def f(x):
        text = repr(2.0 * x)
        return checkpoint(lambda t: float(text) * t)(x)

    with pytest.raises(Unsupported, match="text and bytes carry no derivative"):
        gradient(f, 0.5)


@pytest.mark.order_matters
def test_a_number_that_leaves_as_text_after_the_call():
    def f(x):
        y = checkpoint(lambda t: float("0.5") * t)(x)
        return y if repr(x) else 0.0

    assert gradient(f, 0.5) == (0.5,)
