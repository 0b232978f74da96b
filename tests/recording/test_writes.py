"""What a recorded run writes outside stands there after each gradient as after a plain run."""

import collections
import copy
import math
import sys
import types

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.runtime.core.variants import forget_all, variants_of

from .recorded_runs import opaque

pytestmark = pytest.mark.order_matters

X = np.linspace(-1.0, 1.0, 12).reshape(4, 3)


class Model:
    def __init__(self):
        self.calls, self.last, self.total = 0, None, 0.0
        self.losses, self.seen, self.recent = [], {}, collections.deque(maxlen=3)


def attributes(model, w):
    r = X @ w
    model.last, model.again, model.twice = r, r, 2.0 * r
    model.calls += 1
    return np.sum(r * r)


def histories(model, w):
    loss = np.sum((X @ w) ** 2)
    model.losses.append(float(loss))
    model.recent.append(loss)
    model.losses.extend([loss, 2.0])
    model.seen["last"] = loss
    model.seen["calls"] = model.seen.get("calls", 0) + 1
    return loss


def activations(model, w):
    model.layers, h = [w], w
    for _ in range(3):
        h = np.tanh(h)
        model.layers.append(h)
    model.cache = {"out": h, "of": (w, "tanh")}
    return np.sum(model.layers[-1] * model.cache["out"])


def counts(model, w):
    model.calls += 2
    model.before, model.calls = model.calls, model.calls - 1
    model.losses.append(model.calls)
    return np.sum(opaque(w[0]) * w)


def overwritten(model, w):
    model.last = w[0]
    model.last = model.last * 2.0
    for k in range(3):
        model.losses.append(k * w[1])
    return model.last * np.sum(w)


def best_so_far(model, w):
    loss = np.sum(w * w)
    if "loss" not in model.seen or loss < model.seen["loss"]:
        model.seen["loss"], model.seen["w"] = loss, w.copy()
    return loss


WRITING = [attributes, histories, activations, counts, overwritten, best_so_far]


def same_state(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(map(same_state, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same_state(a[key], b[key]) for key in a)
    return same_state(vars(a), vars(b)) if hasattr(a, "__dict__") else a == b


def points(count):
    return [np.array([0.3, -0.5, 0.4]) * (1.0 + 0.05 * k * (-1) ** k) for k in range(count)]


@pytest.fixture(autouse=True)
def _no_recordings_of_before():
    forget_all()


def gradient(f, w):
    return astad.gradient(f, w)[0]


def pulled(f, w):
    return astad.pullback(f, w)[1](1.0)[0]


def along(f, w):
    return astad.jvp(f, (w,), (np.ones(3),))[1]


@pytest.mark.parametrize("derivative", [gradient, pulled, along])
@pytest.mark.parametrize("program", WRITING)
def test_state_is_that_of_the_plain_run(program, derivative):
    ours, plain = Model(), Model()

    def run(w):
        return program(ours, w)

    for w in points(9):
        found = derivative(run, w)
        slope = plain_slope(program, plain, w)
        program(plain, w)
        assert same_state(ours, plain)
        np.testing.assert_allclose(np.sum(found), slope, rtol=1e-5, atol=1e-8)


def plain_slope(program, model, w):
    at = [program(copy.deepcopy(model), w + step) for step in (1e-6, -1e-6)]
    return (at[0] - at[1]) / 2e-6


@pytest.mark.parametrize("program", WRITING)
def test_their_runs_are_recorded(program):
    model = Model()

    def run(w):
        return program(model, w)

    for w in points(6):
        astad.gradient(run, w)
    about = variants_of(run).recorded
    assert about.made, about.why


@pytest.mark.parametrize("program", WRITING)
def test_models_in_turn(program):
    """What was recorded of one does not write into another."""
    ours, plain = [Model(), Model()], [Model(), Model()]
    for k, w in enumerate(points(10)):
        astad.value_and_grad(program, argnums=1)(ours[k % 2], w)
        program(plain[k % 2], w)
        assert same_state(ours[0], plain[0]) and same_state(ours[1], plain[1])


def test_a_list_that_two_objects_share():
    def f(a, b, x):
        a.losses.append(x)
        b.losses.append(2.0 * x)
        a.last, b.last = x, 3.0 * x
        return opaque(x) * a.last

    for shared in (False, True):
        a, b = Model(), Model()
        for k in range(8):
            if shared and k == 4:
                b.losses = a.losses
            astad.value_and_grad(f, argnums=2)(a, b, 1.0 + k)
            assert (a.last, b.last) == (1.0 + k, 3.0 + 3.0 * k)
            assert a.losses[-2:] == [1.0 + k, 2.0 + 2.0 * k] or a.losses is not b.losses
        assert len(a.losses) + len(b.losses) == (24 if shared else 16)


def test_one_object_in_two_places():
    def f(a, b, x):
        a.last, b.last = x, 2.0 * x
        return opaque(x) * a.last

    a, b = Model(), Model()
    for k in range(8):
        other = b if k < 5 else a
        assert f(a, other, 3.0) == (9.0 if k < 5 else 18.0)
        assert astad.gradient(lambda x, b=other: f(a, b, x), 3.0) == (6.0 if k < 5 else 12.0,)


def test_a_run_that_fails_has_written_what_it_has():
    def f(model, x):
        model.calls += 1
        model.last = x
        if x > 1.0:
            raise ValueError(f"{x} is too much")
        model.losses.append(x)
        return opaque(x) * x

    ours, plain = Model(), Model()
    for x in (0.5, 0.6, 0.7, 1.5, 0.4, 2.0, 0.3):
        told = []
        for run in (lambda x: f(plain, x), lambda x: astad.gradient(lambda x: f(ours, x), x)):
            try:
                run(x)
            except ValueError as error:
                told.append(str(error))
        assert len(told) in (0, 2) and len({*told}) < 2
        assert same_state(ours, plain)


def test_what_hooks_and_properties_do_is_done_once():
    class Watched:
        def __init__(self):
            object.__setattr__(self, "set", [])

        def __setattr__(self, name, v):
            self.set.append(name)
            object.__setattr__(self, name, v)

        @property
        def rate(self):
            return self._rate

        @rate.setter
        def rate(self, v):
            self._rate = 2.0 * v

    o = Watched()

    def f(x):
        o.last = x
        o.rate = x
        return opaque(x) * o.rate

    for k in range(6):
        assert astad.gradient(f, 3.0) == (12.0,)
        assert (o.last, o._rate, o.set) == (3.0, 6.0, ["last", "rate", "_rate"] * (k + 1))


USES = {
    "as a step": lambda n, x: x * n,
    "as a size": lambda n, x: x * len([0.0] * n),
    "as an index": lambda n, x: [x, 2.0 * x, 3.0 * x][n % 3],
    "in a test": lambda n, x: x if n > 4 else 2.0 * x,
    "in a sum": lambda n, x: x * sum([n, 1]) + max(n, 3),
    "in an array": lambda n, x: x * np.arange(n).size + np.sum(np.full(n, x)),
    "as a float": lambda n, x: float(n) * x,
    "as a text": lambda n, x: x * len(f"{n}{n!r}" + str(n) + "%d" % n),
    "as a key": lambda n, x: {1: x, 2: 2.0 * x}.get(n, 3.0 * x),
    "as a truth": lambda n, x: x if n else 2.0 * x,
    "as a range": lambda n, x: sum(x for _ in range(n)),
    "by its type": lambda n, x: x if type(n) is int and isinstance(n, int) else 2.0 * x,
    "as a power": lambda n, x: x**n,
    "by its bits": lambda n, x: x * n.bit_length(),
}


@pytest.mark.parametrize("use", USES)
def test_a_count_that_is_used(use):
    model = types.SimpleNamespace(calls=0)

    def f(x, used=USES[use]):
        model.calls += 1
        return opaque(x) * used(model.calls, x)

    for calls in range(1, 10):
        assert astad.value_and_grad(f, argnums=0)(0.7)[0] == pytest.approx(
            0.7 * USES[use](calls, 0.7), rel=1e-14
        )
        assert type(model.calls) is int and model.calls == calls


def test_globals_and_captured_variables():
    seen = 0

    def g(x):
        nonlocal seen
        seen += 1
        return opaque(x) * x

    for k in range(6):
        assert astad.gradient(counted, 2.0) == (12.0,)
        assert astad.gradient(g, 2.0) == (4.0,)
        assert (CALLS, LAST, seen) == (k + 1, 6.0, k + 1)


CALLS, LAST = 0, None


def counted(x):
    global CALLS, LAST
    CALLS += 1
    LAST = 3.0 * x
    return opaque(x) * LAST


def test_arrays_are_whose_they_were():
    """The argument itself is put there, and no array that another gradient writes to."""
    model = Model()

    def f(w):
        model.of, model.out = w, np.exp(w)
        model.same = model.out
        return opaque(w[0]) * np.sum(model.out)

    kept = []
    for w in points(6):
        astad.gradient(f, w)
        assert model.of is w and model.same is model.out
        kept.append((model.out, np.exp(w)))
    for found, expected in kept:
        np.testing.assert_array_equal(found, expected)


def test_views_are_views():
    model = Model()

    def f(w):
        z = 2.0 * w
        model.z, model.first = z, z[:1]
        return opaque(w[0]) * np.sum(z)

    for w in points(5):
        astad.gradient(f, w)
        assert np.shares_memory(model.z, model.first)


def test_equal_writes_by_two_places_of_one_object():
    def f(a, b, x):
        a.calls += 1
        b.calls += 1
        return x * x

    a = Model()
    with pytest.raises(Unsupported, match="a write to an argument that is passed twice"):
        astad.gradient(f, a, a, 3.0)


def test_second_derivatives_of_what_changes_with_each_run_are_refused():
    model = types.SimpleNamespace(total=0.0)

    def f(x):
        model.total += x[0]
        return x[0] * model.total * x[1]

    for _ in range(4):
        with pytest.raises(Unsupported, match="from outside is written to"):
            astad.hessian(f, np.array([0.5, 0.25]))


def test_no_text_keeps_what_it_was_given():
    model = Model()

    def f(w):
        model.last = np.exp(w)
        return opaque(w[0]) * np.sum(w)

    for w in points(6):
        astad.gradient(f, w)
    count = sys.getrefcount(model.last)
    assert count == 2


def test_a_list_whose_append_is_another():
    class Doubled(list):
        def append(self, v):
            super().append(2.0 * v)

    log = Doubled()

    def f(x):
        log.append(x)
        return opaque(x) * x

    for _ in range(6):
        astad.gradient(f, 1.0)
    assert log == [2.0] * 6


def test_the_type_of_what_is_the_largest():
    model = types.SimpleNamespace(limit=np.float64(0.3), best=None)

    def f(x):
        model.best = max(opaque(x), model.limit)
        return x * x

    for x in (0.9, 0.8, 0.9, 0.9, 0.2, 0.9, 0.1):
        astad.gradient(f, x)
        assert type(model.best) is type(max(x, model.limit))


def test_a_rule_that_runs_another_text_meanwhile():
    """What the one has handed over is not what the other puts outside."""
    model, log = types.SimpleNamespace(last=None), []

    def inner(x):
        log.append(100.0 * x)
        return opaque(x) * x

    def ruled(x):
        return x * x

    @astad.adjoint(ruled)
    def _(x):
        return x * x, lambda y_bar: y_bar * astad.gradient(inner, x)[0]

    def f(x):
        model.last = 3.0 * x
        return opaque(x) * ruled(x)

    for k in range(12):
        x = 1.0 + 0.1 * k
        astad.gradient(f, x)
        assert model.last == 3.0 * x


class Account:
    count, total, rate = 0, 0.0, 0.5

    def __init__(self, balance):
        Account.count += 1
        self.balance, self.number = balance, Account.count
        type(self).total += 2.0

    def grow(self):
        self.balance = self.balance * (1.0 + Account.rate)
        return self


class Savings(Account):
    total = 1.0


def counted_by_a_class(x):
    return Account(x).grow().balance * math.sin(Savings(x * x).grow().balance)


def set_by_the_run(x):
    Account.rate = 0.1 * x
    balance = Account(x).grow().balance
    Account.rate = 0.5
    return balance * balance


def left_set(x):
    Account.rate = 2.0 * x
    return Account(x).grow().balance * opaque(x)


@pytest.mark.parametrize("f", [counted_by_a_class, set_by_the_run, left_set])
def test_numbers_of_a_class(f):
    first = {cls: dict(vars(cls)) for cls in (Account, Savings)}

    def state():
        return [(cls.total, vars(cls).keys(), cls.count, cls.rate) for cls in first]

    def back():
        for cls, entries in first.items():
            for name in ("count", "total", "rate"):
                if name in entries:
                    setattr(cls, name, entries[name])

    h = 1e-6
    try:
        for x in (1.3, 1.4, 1.5, 1.6, 0.7):
            found = []
            for at in (x + h, x - h, x):
                back()
                found.append(f(at))
            after = state()
            back()
            bar = astad.gradient(f, x)[0]
            assert state() == after
            assert bar == pytest.approx((found[0] - found[1]) / (2 * h), rel=1e-6)
    finally:
        back()
    assert variants_of(f).recorded.made, variants_of(f).recorded.why


def test_an_attribute_that_a_class_gains_or_that_is_a_function():
    class Base:
        seen = None

    def f(x):
        Base.read = lambda self: 2.0 * x
        return Base().read() * opaque(x)

    def g(x):
        Base.new = x
        return Base.new * opaque(x)

    for x in (1.3, 0.7, 0.9, 1.1):
        assert astad.gradient(f, x)[0] == pytest.approx(4.0 * x)
        assert astad.gradient(g, x)[0] == pytest.approx(2.0 * x)
        assert Base.new == x


@pytest.mark.parametrize("kind", [list, collections.deque])
def test_a_list_that_is_put_into_itself(kind):
    def f(xs):
        ys = kind(2.0 * x for x in xs)
        xs.extend(xs)
        ys.extend(ys)
        return opaque(xs[0]) * xs[3] + ys[1] * ys[2]

    for _ in range(5):
        xs = kind([1.5, 2.5])
        bars = astad.gradient(f, xs)[0]
        assert [*xs] == [1.5, 2.5] * 2
        assert [*bars][:2] == [2.5 + 4.0 * 2.5, 1.5 + 4.0 * 1.5]
