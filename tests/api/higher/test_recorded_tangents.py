"""Forward mode and second derivatives of what one run did, and when they are what they were."""

import collections
import contextlib
import math
import operator
import types

import numpy as np
import pytest

import astad
from astad.api.gradients import recorded
from astad.api.variants.leaves import anywhere, leaves_of, read
from astad.errors import Unsupported, WrongCall
from astad.runtime.core.variants import variants_of

pytestmark = pytest.mark.order_matters

PRICES = {"tea": 2.0, "cake": 3.5}
FUNCTIONS = {"square": lambda x: x * x, "wave": math.sin}
STATE = types.SimpleNamespace(k=2.0, mode="square", limit=2.0, rates=[1.0, 3.0])


def opaque(x):
    with contextlib.nullcontext(x) as y:
        return y


class Leaf:
    def __init__(self, value):
        self.value = value

    def at(self, x):
        return self.value * x


class Node(Leaf):
    def __init__(self, op, left, right):
        self.op, self.left, self.right = op, left, right

    def at(self, x):
        return self.op(self.left.at(x), self.right.at(x))


TREE = Node(operator.mul, Leaf(2.0), Node(operator.add, Leaf(0.5), Node(max, Leaf(1.0), Leaf(3.0))))


def by_words(order, tip):
    total = 0.0
    for word in order.split():
        total = total + PRICES[word] * tip**3
    return total


def by_a_tree(x):
    return opaque(TREE.at(x)) * x


def by_a_queue(x, y):
    queue = collections.deque([x, y, x * y])
    total = 0.0
    while queue:
        total = total + opaque(queue.popleft()) ** 2 * len("tea")
    return total


def by_state(x):
    y = FUNCTIONS[STATE.mode](opaque(x)) * STATE.k
    if y > STATE.limit:
        y = y * x
    for rate in STATE.rates:
        y = y + rate * x * x
    return y


def by_a_dict(p, words):
    total = 0.0
    for word in words.split():
        total = total + p[word]["w"] ** 2 * p[word]["b"][0] + math.exp(p[word]["b"][1])
    return opaque(total)


def by_an_object(tree, x):
    return opaque(tree.at(x)) * tree.left.value


def by_arrays(p, x):
    return float(opaque(np.sum(np.tanh(p["w"] @ x) * p["v"])))


def by_a_list(values):
    stack = [*values]
    while len(stack) > 1:
        stack.append(opaque(stack.pop()) * stack.pop() + len(stack))
    return stack[0]


def by_an_array(a, k):
    return opaque(np.sum(a * a * a)) * k


TREES = Node(operator.mul, Leaf(2.0), Node(operator.add, Leaf(0.5), Leaf(1.0)))
PROGRAMS = [
    (by_words, ("tea cake tea", 1.5)), (by_a_tree, (1.5,)), (by_a_queue, (1.5, 0.5)),
    (by_state, (1.5,)), (by_a_list, ([1.5, 0.5, 2.0],)), (by_an_object, (TREES, 1.5)),
    (by_a_dict, ({"a": {"w": 2.0, "b": [1.0, 0.5]}, "c": {"w": 3.0, "b": [0.1, 0.2]}}, "a c a")),
    (by_arrays, ({"w": np.eye(3) + 0.1, "v": np.arange(3.0)}, np.array([0.1, 0.2, 0.3]))),
    (by_an_array, (np.array([1.0, 2.0]), 1.5)),
]  # fmt: skip


def moving(args):
    return [at for at, arg in enumerate(args) if not isinstance(arg, str)]


def along(args):
    places = moving(args)
    return [anywhere(arg) if at in places else None for at, arg in enumerate(args)]


def product(f, x, bar, v):
    found = [(read(bar, leaf), read(v, leaf)) for leaf in leaves_of(f, x)]
    return sum(float(np.vdot(a, b)) for a, b in found if a is not None)


def check_tangent(f, args):
    v = along(args)
    y, y_dot = astad.jvp(f, args, v)
    bars = astad.gradient(f, *args)
    assert y == pytest.approx(f(*args), rel=1e-13)
    expected = sum(product(f, args[at], bars[at], v[at]) for at in moving(args))
    assert y_dot == pytest.approx(expected, rel=1e-10)


def moved(x, v, h):
    """``x + h v``, and of an object one that is like it."""
    if isinstance(x, (float, np.ndarray)):
        return x + h * v
    if isinstance(x, list):
        return [moved(*each, h) for each in zip(x, v, strict=True)]
    if isinstance(x, dict):
        return {key: moved(x[key], v[key], h) for key in x}
    if not isinstance(x, Leaf):
        return x
    made = object.__new__(type(x))
    for name, part in vars(x).items():
        setattr(made, name, moved(part, getattr(v, name, None), h))
    return made


def check_product(f, args):
    """Against differences of gradients."""
    v, places = along(args), tuple(moving(args))

    def slope(h):
        given = [moved(arg, v[at], h) if at in places else arg for at, arg in enumerate(args)]
        bars = astad.gradient(f, *given)
        return sum(product(f, args[at], bars[at], v[at]) for at in places)

    found = astad.hvp(f, args[0], tuple(v[at] for at in places), *args[1:], argnums=places)
    expected = (8 * (slope(1e-4) - slope(-1e-4)) - (slope(2e-4) - slope(-2e-4))) / 12e-4
    own = sum(product(f, args[at], bar, v[at]) for at, bar in zip(places, found, strict=True))
    assert own == pytest.approx(expected, rel=1e-6, abs=1e-7)


def made(f):
    about = variants_of(f).recorded
    return 0 if about is None else about.made


def copied(f):
    """The same function with nothing known of it."""
    return types.FunctionType(f.__code__.replace(), f.__globals__, f.__name__)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_tangents_are_those_of_the_gradient(f, args):
    f = copied(f)
    for _ in range(8):
        check_tangent(f, args)
    assert made(f), variants_of(f).recorded.why
    by_text = [each for key, each in variants_of(f).tangents.items() if "product" not in key]
    assert any(by_text), (variants_of(f).tangents, variants_of(f).recorded.why)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_products_with_hessians_are_those_of_differences(f, args):
    f = copied(f)
    for _ in range(3):
        check_product(f, args)


@pytest.mark.parametrize("first", [check_tangent, check_product])
def test_one_text_serves_for_all(first):
    f = copied(by_a_tree)
    for _ in range(3):
        first(f, (1.5,))
    for _ in range(3):
        check_tangent(f, (1.5,))
        check_product(f, (1.5,))
    assert made(f) == 1
    assert len(variants_of(f).recorded.texts) == 1


@pytest.mark.parametrize("change", [
    lambda: setattr(STATE, "k", 3.0), lambda: setattr(STATE, "mode", "wave"),
    lambda: setattr(STATE, "limit", 100.0), lambda: STATE.rates.append(5.0),
    lambda: setattr(STATE, "rates", [7.0]), lambda: STATE.rates.__setitem__(0, 9.0),
    lambda: FUNCTIONS.update(square=lambda x: x**4), lambda: setattr(STATE, "k", np.float64(4.0)),
])  # fmt: skip
@pytest.mark.parametrize("check", [check_tangent, check_product])
def test_what_lies_outside_is_another(monkeypatch, change, check):
    new = types.SimpleNamespace(k=2.0, mode="square", limit=2.0, rates=[1.0, 3.0])
    monkeypatch.setitem(globals(), "STATE", new)
    monkeypatch.setitem(globals(), "FUNCTIONS", dict(FUNCTIONS))
    f = copied(by_state)
    for x in (1.5, 1.5, 1.5, 0.3):
        check(f, (x,))
    change()
    for x in (1.5, 0.3, 1.5, 1.7):
        check(f, (x,))


@pytest.mark.parametrize("args", [
    ({"a": {"w": 2.0, "b": [1.0, 0.5]}}, "a"),
    ({"a": {"w": 2.0, "b": [1.0, 0.5, 7.0]}, "d": {"w": 1.0, "b": [3.0, 1.0]}}, "d a"),
    ({"c": {"w": 2.0, "b": [1.0, 0.5]}, "a": {"b": [0.0, 0.0], "w": 0.0}}, "c a"),
    (collections.OrderedDict(a={"w": 2.0, "b": [1.0, 0.5]}, c={"w": 1.0, "b": [0.1, 0.2]}), "a c"),
])  # fmt: skip
def test_arguments_of_another_structure(args):
    f = copied(by_a_dict)
    known = {"a": {"w": 2.0, "b": [1.0, 0.5]}, "c": {"w": 3.0, "b": [0.1, 0.2]}}
    for _ in range(3):
        check_tangent(f, (known, "a c"))
        check_product(f, (known, "a c"))
    for _ in range(3):
        check_tangent(f, args)


def test_arrays_of_another_shape_or_in_two_places():
    def f(a, b):
        return opaque(np.sum(a * a * b)) * len("tea")

    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for _ in range(3):
        check_tangent(f, (a, b))
        check_product(f, (a, b))
    for x, y in [(np.ones(3), np.ones(3)), (np.ones((2, 2)), b), (a, np.ones(1))]:
        check_tangent(f, (x, y))
        check_product(f, (x, y))
    one = np.ones(2)
    by_a, by_b = astad.hvp(f, a, (one, one), a, argnums=(0, 1))
    np.testing.assert_allclose(by_a, 12 * a)
    np.testing.assert_allclose(by_b, 6 * a)
    assert astad.jvp(f, (a, a), (one, None))[1] == pytest.approx(3 * 2 * 5.0)


def test_methods_defaults_and_captured_variables():
    class Shop:
        def __init__(self, rate):
            self.rate = rate

        def bill(self, tip, tax=1.5):
            return opaque(tip) ** 3 * self.rate * tax

    for rate in (2.0, 3.0, 5.0):
        shop = Shop(rate)
        for _ in range(3):
            assert astad.jvp(shop.bill, (2.0,), (1.0,)) == (12.0 * rate, 18.0 * rate)
            assert astad.jvp(shop.bill, (2.0, 1.0), (1.0, 1.0)) == (8.0 * rate, 20.0 * rate)
            assert astad.hvp(shop.bill, 2.0, 1.0) == 18.0 * rate
            assert astad.hessian(shop.bill, 2.0) == 18.0 * rate
            assert astad.hvp(shop.bill, 2.0, 1.0, 1.0, argnums=1) == 0.0

    def scaled(k):
        return lambda x: opaque(x) ** 2 * k * PRICES["tea"]

    for k in (1.0, 2.0, 1.0, 4.0):
        for _ in range(3):
            assert astad.jvp(scaled(k), (3.0,), (1.0,)) == (18.0 * k, 12.0 * k)
            assert astad.hvp(scaled(k), 3.0, 1.0) == 4.0 * k


def test_more_ways_than_are_kept():
    f = copied(by_words)
    for count in range(1, 12):
        order = " ".join(["tea"] * count)
        for _ in range(3):
            assert astad.jvp(f, (order, 1.0), (None, 1.0)) == (2.0 * count, 6.0 * count)
            assert astad.hvp(f, order, 1.0, 1.0, argnums=1) == 12.0 * count
    assert made(f) <= recorded.MOST


def test_hessians_of_structures_and_arrays():
    f = copied(by_a_list)
    for _ in range(3):  # values[0] * (values[1] * values[2] + 1) + 0
        found = astad.hessian(f, [1.5, 0.5, 2.0])
        np.testing.assert_allclose(found, [[0.0, 2.0, 0.5], [2.0, 0.0, 1.5], [0.5, 1.5, 0.0]])
    g = copied(by_an_array)
    for _ in range(3):
        found = astad.hessian(g, np.array([1.0, 2.0]), 1.5)
        np.testing.assert_allclose(found, np.diag([9.0, 18.0]))
        np.testing.assert_allclose(astad.hessian_diag(g, np.array([1.0, 2.0]), 1.5), [9.0, 18.0])


def test_what_is_written_is_written_once_a_call():
    log = []

    def f(x):
        STATE.limit = 7.0
        return opaque(x) ** 2 * PRICES["tea"]

    def g(x):
        log.append(1)
        return opaque(x) ** 2 * PRICES["tea"]

    for count in range(1, 6):
        STATE.limit = 2.0
        assert astad.jvp(f, (3.0,), (1.0,)) == (18.0, 12.0)
        assert STATE.limit == 7.0
        assert astad.jvp(g, (3.0,), (1.0,)) == (18.0, 12.0)
        assert len(log) == count
    STATE.limit = 2.0


def test_wrong_tangents_are_wrong_behind_a_recording_too():
    f = copied(by_a_dict)
    p = {"a": {"w": 2.0, "b": [1.0, 0.5]}}
    for _ in range(3):
        check_tangent(f, (p, "a"))
    for wrong in (
        {"a": {"w": 1.0, "b": [1.0]}}, {"a": {"w": 1.0}}, {"a": {"w": "1", "b": [1.0, 2.0]}},
        {}, 1.0,
    ):  # fmt: skip
        with pytest.raises(WrongCall):
            astad.jvp(f, (p, "a"), (wrong, None))
    held = {"a": {"w": 1.0, "b": None}}
    assert astad.jvp(f, (p, "a"), (held, None))[1] == pytest.approx(4.0)
    held = {"a": {"w": None, "b": [None, 1.0]}}
    assert astad.jvp(f, (p, "a"), (held, None))[1] == pytest.approx(math.exp(0.5))


def test_rules_that_are_declared_later_are_in_force():
    def double(x):
        return 2.0 * x

    def f(order, tip):
        return double(by_words(order, tip))

    for _ in range(3):
        assert astad.jvp(f, ("tea", 1.0), (None, 1.0)) == (4.0, 12.0)
    astad.adjoint(double)(lambda x: (2.0 * x, lambda y_bar: (10.0 * y_bar,)))
    for _ in range(4):
        assert astad.jvp(f, ("tea", 1.0), (None, 1.0)) == (4.0, 60.0)


def test_gradients_are_recorded_where_forward_mode_was_in_vain():
    def f(x):
        return opaque(np.sum(np.sort(x)[::2] * x[:2])) * PRICES["tea"]

    x = np.array([3.0, 1.0, 2.0])
    for _ in range(4):
        with contextlib.suppress(Unsupported):
            astad.hvp(f, x, np.ones(3))
    for _ in range(3):
        found = astad.gradient(f, x)[0]
    np.testing.assert_allclose(found, [2.0 * (1.0 + 1.0), 2.0 * (3.0 + 3.0), 0.0], atol=20.0)
    assert variants_of(f).fused.get((0,))


def fused(x, y):
    return scaled(x) ** 2 * y * POWER + math.sin(x)


def scaled(x):
    return 3.0 * x


POWER = 2.0


@pytest.mark.parametrize(("name", "value"), [
    ("POWER", 5.0), ("scaled", lambda x: x * x), ("POWER", np.float64(4.0)), ("POWER", 3),
    ("math", types.SimpleNamespace(sin=math.cos)),
])  # fmt: skip
def test_what_a_gradient_by_its_text_relies_on_is_another(monkeypatch, name, value):
    for _ in range(3):
        check_product(fused, (1.2, 0.7))
        assert astad.hvp(fused, 1.2, 1.0, 0.7) == pytest.approx(36.0 * 0.7 - math.sin(1.2))
    monkeypatch.setitem(globals(), name, value)
    for _ in range(3):
        check_product(fused, (1.2, 0.7))
        h = 1e-5
        ahead, behind = astad.gradient(fused, 1.2 + h, 0.7), astad.gradient(fused, 1.2 - h, 0.7)
        found = astad.hvp(fused, 1.2, 1.0, 0.7)
        assert found == pytest.approx((ahead[0] - behind[0]) / (2 * h), rel=1e-6)


def test_products_by_several_arguments_of_which_some_are_held():
    def f(a, x, n, b):
        return np.sum(a**n) * x + b * x**2

    a = np.array([1.0, 2.0, 3.0])
    for _ in range(3):
        u, v = astad.hvp(f, a, (np.ones(3), 0.5), 2.0, 3, 4.0, argnums=(0, 1))
        np.testing.assert_allclose(u, 6.0 * a * 2.0 + 0.5 * 3.0 * a**2)
        assert v == pytest.approx(3.0 * np.sum(a**2) + 0.5 * 8.0)
        assert astad.hvp(f, a, (1.0, 0.5), 2.0, 3, 4.0, argnums=(1, 3)) == (10.0, 4.0)
        assert astad.hvp(f, a, (0.5, 1.0), 2.0, 3, 4.0, argnums=(3, 1)) == (4.0, 10.0)
        assert astad.hvp(f, a, [1.0], 2.0, 3, 4.0, argnums=(1,)) == (8.0,)


def with_attempts(x, n):
    total = 0.0
    for at in range(n):
        try:
            total = total + math.sqrt(x - at)
        except ValueError:
            total = total * 2.0
    return total


def test_where_no_run_is_recorded_a_fused_gradient_gives_the_tangent(capsys):
    def f(x, n):
        print("run")
        return with_attempts(x, n) * x

    for g in (with_attempts, f):
        for _ in range(4):
            capsys.readouterr()
            y, y_dot = astad.jvp(g, (1.5, 4), (2.0, None))
            runs = capsys.readouterr().out.count("run")
            assert runs == (g is f)
            assert (y, y_dot) == pytest.approx((g(1.5, 4), 2.0 * astad.gradient(g, 1.5, 4)[0]))
        with pytest.raises(TypeError, match="interpreted as an integer"):
            astad.jvp(g, (1.5, 4.0), (2.0, None))


@pytest.mark.parametrize(("x", "v", "expected"), [
    ([("tea", 2.0, [1.0])], [(None, 1.0, [0.5])], 1.5),
    ([("tea", 2.0, [1.0])], [(None, 1.0, [None])], 1.0),
    ([("tea", 2.0, [1.0]), ()], [(None, 1.0, [0.5]), None], 1.5),
    ([("tea", 2.0, [1.0]), {}], [(None, 1.0, [0.5]), {}], 1.5),
    ([("tea", 2.0, [1.0]), "cake"], [(None, 1.0, [0.5]), None], 1.5),
])  # fmt: skip
def test_directions_of_structures(x, v, expected):
    def f(x):
        return opaque(x[0][1]) * len(x[0][0]) / 3.0 + x[0][2][0]

    for _ in range(4):
        assert astad.jvp(f, (x,), (v,)) == (3.0, expected)
    for wrong in ([(None, 1.0)], [(1.0, 1.0, [0.5])] * 3, [(None, "1", [0.5])], [[None, [1.0]]]):
        with pytest.raises(WrongCall):
            astad.jvp(f, (x,), (wrong,))


def test_arrays_in_a_structure_that_share_memory():
    def f(p):
        return float(opaque(np.sum(p["a"] ** 2 * p["b"])))

    a, b, one = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones(2)
    for _ in range(4):
        found = astad.jvp(f, ({"a": a, "b": b},), ({"a": one, "b": one},))
        assert found == pytest.approx((19.0, 27.0))
    for p in ({"a": a, "b": a}, {"a": a, "b": a[::-1]}, {"a": np.broadcast_to(2.0, 2), "b": b}):
        with pytest.raises(Unsupported, match="two places"):
            astad.jvp(f, (p,), ({"a": one, "b": one},))


SEEN = []
LAST = types.SimpleNamespace(x=None)


def kept_as_it_is(x, w):
    SEEN.append(x)
    return (x * w) ** 3


def kept_by_an_object(x, w):
    LAST.x = x
    SEEN.append(LAST.x)
    return math.sin(x * w) ** 3 + w


def kept_in_a_tuple(x, w):
    SEEN.append((x, 1))
    return w * x if w > 0 else x


def kept_in_a_list(x, w):
    SEEN.append([x])
    return w * w * w * x + w


def kept_with_one_more(x, w):
    SEEN.append(x + 1)
    return (x * w) ** 3 + w


def kept_by_name(x, w):
    SEEN.append(type(x).__name__)
    return np.sin(x * w) ** 3 + w


def kept_of_a_list(x, w):
    SEEN.append(x[0])
    return (x[0] * w) ** 3 + w


def kept_of_a_dict(x, w):
    SEEN.append(x["a"])
    return (x["a"] * w) ** 3 + w


HOLDERS = {kept_of_a_list: lambda v: [v], kept_of_a_dict: lambda v: {"a": v}}


@pytest.mark.parametrize("body", [
    kept_as_it_is, kept_by_an_object, kept_in_a_tuple, kept_in_a_list, kept_with_one_more,
    kept_by_name, kept_of_a_list, kept_of_a_dict,
])  # fmt: skip
@pytest.mark.parametrize("xs", [
    (2.0, 2.0, 2, 2, 10**17 + 1), (2, 2.0, 2, 2), (2.0,) * 5 + (2, 2), (2, 2, 2, 2.0, 2.0, 2, 2.0),
])  # fmt: skip
@pytest.mark.parametrize("v", [None, 0.1])
def test_an_int_is_none_of_the_floats_of_earlier_calls(body, xs, v):
    f = types.FunctionType(body.__code__.replace(), globals())
    held = HOLDERS.get(body, lambda x: x)
    SEEN.clear()
    for x in xs:
        expected = (body(held(x), 0.5), SEEN.pop())[1]
        dot = held(v) if type(x) is float and v is not None else None
        along = astad.jvp(f, (held(x), 0.5), (dot, 1.0))
        assert [repr(each) for each in SEEN] == [repr(expected)]
        SEEN.clear()
        slope = astad.grad(body, argnums=1)(held(x), 0.5) if dot is None else None
        SEEN.clear()
        assert slope is None or along[1] == pytest.approx(slope)
