"""Functions under functools.cache and lru_cache: each variable has its own part."""

import dataclasses
import enum
import functools
import importlib.util
import math
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import astad
from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


@functools.lru_cache(maxsize=8)
def scaled(x, y=2.0, *, k=1.0):
    return x * y * y * k


@functools.cache
def fibonacci(n, x):
    return x if n < 2 else fibonacci(n - 1, x) + fibonacci(n - 2, x) * x


@functools.cache
def nodes(n):
    return np.polynomial.legendre.leggauss(n)


@functools.cache
def listed(x):
    return [x * x]


class Scale:
    def __init__(self, x):
        self.x = x

    @functools.cache
    def times(self, k):
        return self.x * k


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass(frozen=True)
class Point:
    q: float
    p: float


def test_two_variables_of_the_same_value():
    def f(x, y):
        return scaled(x, y) + scaled(y, x) + scaled(x, k=y) + scaled(y, k=x) * x

    check_gradient(f, 1.5, 1.5)
    check_gradient(f, 1.5, 0.5)
    assert astad.gradient(f, 1.5, 1.5) == astad.gradient(f, 1.5, 1.5)


def test_recursion_takes_no_longer_backwards():
    check_gradient(lambda x: fibonacci(9, x), 1.1)
    assert astad.gradient(lambda x: fibonacci(40, x), 1.0)[0] > 1e8


def test_a_table_is_taken_from_pythons_own_cache():
    def f(x):
        at, weights = nodes(5)
        return np.sum(weights * np.exp(x * at))

    nodes.cache_clear()
    check_gradient(f, 0.5)
    assert nodes.cache_info().misses == 1


def test_recursion_over_captured_variables():
    def f(costs):
        @functools.cache
        def best(i, j):
            if i < 0 or j < 0:
                return 0.0
            return costs[i] * costs[j] + min(best(i - 1, j), best(i, j - 1)) * 0.5

        return best(len(costs) - 1, len(costs) - 1)

    check_gradient(f, np.array([1.0, 3.1, 2.3, 0.4]))
    check_gradient(f, [1.0, 2.5, 1.7, 3.9])


def test_what_is_handed_out_again_is_the_same_object():
    def f(x):
        first = listed(x)
        first[0] = first[0] * 2
        return listed(x)[0] * x

    assert astad.gradient(f, 1.5) == (13.5,)


def test_methods_and_cached_properties():
    class Model:
        def __init__(self, x):
            self.x = x

        @functools.cached_property
        def square(self):
            return self.x * self.x

    def f(x):
        scale, model = Scale(x), Model(x)
        y = scale.times(2) + scale.times(2) * scale.times(3)
        scale.x = x * x
        return y + scale.times(2) + scale.times(4) + model.square * model.square

    check_gradient(f, 1.5)


def test_an_int_that_was_looked_up_is_refused():
    @functools.cache
    def square(n):
        return n * n

    with pytest.raises(Unsupported):
        astad.gradient(lambda n: square(n) * square(n), 3)


@functools.cache
def half(n):
    return n * 0.5


@functools.cache
def chebyshev(n):
    return [1.0, 0.5][n] if n < 2 else chebyshev(n - 1) - chebyshev(n - 2)


class Weights:
    @functools.lru_cache(maxsize=8)  # there is one
    def weight(self, n):
        return 0.25 * n

    def at(self, x, n):
        return self.weight(n) * x * x


@pytest.mark.parametrize("f", [
    lambda x, n: half(n) * x,
    lambda x, n: np.float64(half(n)) * x,
    lambda x, n: half(n) * x + chebyshev(n) * x * x + half(n),
    Weights().at,
])  # fmt: skip
def test_an_int_that_is_held_is_not_asked(f):
    for n in (4, 4, 4, 5, 6):
        y, y_dot = astad.jvp(f, (2.0, n), (3.0, None))
        assert (y, y_dot) == pytest.approx((f(2.0, n), 3.0 * (f(2.5, n) - f(1.5, n))))
        assert y_dot == pytest.approx(3.0 * astad.grad(f)(2.0, n))
        *found, aux = astad.jvp(lambda x, n: (f(x, n), n), (2.0, n), (3.0, None), has_aux=True)
        assert (found, aux) == (pytest.approx([y, y_dot]), n)
        _, parts = astad.jvp(lambda x, n: [f(x, n), x * n], (2.0, n), (3.0, None))
        assert parts == pytest.approx([y_dot, 3.0 * n])


def test_an_int_that_moves_is_asked():
    for _ in range(4):
        with pytest.raises(Unsupported, match="an int that was looked up"):
            astad.jvp(lambda x, n: half(n) * x, (2.0, 4), (1.0, 1.0))


def test_errors_are_pythons():
    with pytest.raises(TypeError, match="unhashable"):
        astad.gradient(lambda x: scaled([x]), 1.5)


class Held:
    def __init__(self, v):
        self.v = v


def test_object_that_was_cached_for_a_number_before():
    @functools.cache
    def made(v):
        return Held(v)

    def f(x):
        return made(x).v ** 2 * 2

    made(3.0)
    assert f(3.0) == 18.0
    for _ in range(3):
        assert gradient(f, 3.0) == (12.0,)
    assert made.cache_info() == (4, 1, None, 1)


def test_list_that_was_cached_for_a_number_before():
    @functools.lru_cache(maxsize=4)
    def made(v, n):
        return [v] * n

    made(3.0, 2)
    assert gradient(lambda x: sum(made(x, 2)) * x, 3.0) == (12.0,)
    made(3.0, 2)[0] = 1.0
    with pytest.raises(Unsupported, match="cached before the differentiation"):
        gradient(lambda x: sum(made(x, 2)), 3.0)
    assert gradient(lambda x: sum(made(3.0, 2)) * x, 3.0) == (4.0,)
    assert gradient(lambda x: sum(made(x, 2)) * x, 4.0) == (16.0,)


def test_object_that_was_cached_for_a_constant_before():
    @functools.cache
    def made(v):
        return Held(v)

    made(2.0)
    assert gradient(lambda x: made(2.0).v * x * x, 3.0) == (12.0,)
    assert gradient(lambda x: made(2.0).v * x * x, 3.0) == (12.0,)


def test_object_that_was_cached_for_a_name_before():
    @functools.cache
    def made(name, n=2):
        return Held(float(n))

    made("first")
    assert gradient(lambda x: made("first").v * x, 3.0) == (2.0,)


def test_method_that_caches_objects_for_numbers():
    class Maker:
        @functools.cache
        def made(self, v):
            return Held(v)

    maker = Maker()
    maker.made(3.0)
    for x in (3.0, 4.0, 3.0):
        assert gradient(lambda x: maker.made(x).v ** 2, x) == (2 * x,)


# --- programs with state --------------------------------------------------------------------------


POINTS = [1.5, 1.5, 0.5, 2.0, 0.5, 1.25, 1.5, 3.0, 0.75, 1.5]
PROGRAMS = dict(
    part.split("\n", 1)
    for part in Path(__file__).with_name("cached_programs.txt").read_text().split("#--- ")[1:]
)
"""Modules with a function ``f``, and ``between``, which is called before each call of that."""
HEAD = (
    "import functools, math, random\nimport numpy as np\nfrom functools import cache, lru_cache\n"
)


@pytest.fixture
def load(tmp_path):
    """A module of a program, anew each time."""
    made = []

    def loaded(text):
        path = tmp_path / "program.py"
        path.write_text(HEAD + text)
        name = f"cached_program_{len(made)}"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        made.append(name)
        spec.loader.exec_module(module)
        return module

    yield loaded
    for name in made:
        del sys.modules[name]


def state_of(module):
    found = {}
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        if hasattr(value, "cache_info"):
            found[name] = value.cache_info()
        elif isinstance(value, np.random.Generator):
            found[name] = value.bit_generator.state["state"]
        elif isinstance(value, (int, float, list, str, np.ndarray)):
            found[name] = repr(value)
    return found


def prepared(module, i):
    if hasattr(module, "between"):
        module.between(i)
    return module.f


def difference(module, i, h=1e-6):
    """Of call i, behind those before it, in two modules of their own."""
    found = []
    for step in (h, -h):
        fresh = module()
        for k, x in enumerate(POINTS[:i]):
            prepared(fresh, k)(x)
        found.append(prepared(fresh, i)(POINTS[i] + step))
    return (found[0] - found[1]) / (2 * h)


def by_pullback(f, x):
    y, back = astad.pullback(f, x)
    return y, back(1.0)[0]


WAYS = {
    "value_and_grad": lambda f, x: astad.value_and_grad(f)(x),
    "pullback": by_pullback,
    "jvp": lambda f, x: astad.jvp(f, (x,), (1.0,)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_value_state_and_counts_are_those_of_the_plain_run(load, name, way):
    text = PROGRAMS[name]
    plain = load(text)
    expected = [(prepared(plain, i)(x), state_of(plain)) for i, x in enumerate(POINTS)]
    module, slopes = load(text), []
    for i, x in enumerate(POINTS):
        y, slope = WAYS[way](prepared(module, i), x)
        slopes.append(slope)
        assert y == pytest.approx(expected[i][0], rel=1e-13)
        assert state_of(module) == expected[i][1]
    for i, slope in enumerate(slopes):
        by_difference = difference(lambda: load(text), i)
        assert (slope or 0.0) == pytest.approx(by_difference, rel=1e-5, abs=1e-6)


class Key:
    pass


KEYS = {
    "float": 2.5, "object": Key(), "tuple": (1, "a"), "frozenset": frozenset([1]), "bool": True,
    "int": 4, "str": "s", "bytes": b"a", "class": Key, "function": len, "complex": 1j,
    "number of NumPy": np.float64(2.0), "None": None, "member": Color.RED,
}  # fmt: skip
MADE = {
    "array": (lambda: np.zeros(2), lambda c: c.__setitem__(0, c[0] + 1.0) or c.sum()),
    "list": (lambda: [0.0], lambda c: c.append(1.0) or sum(c)),
    "dict": (lambda: {"n": 0}, lambda c: c.update(n=c["n"] + 1) or c["n"]),
    "object": (lambda: Held(0.0), lambda c: setattr(c, "v", c.v + 1.0) or c.v),
    "tuple": (lambda: (np.zeros(2), 1), lambda c: c[0].__setitem__(0, c[0][0] + 1) or c[0].sum()),
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("made", MADE)
def test_what_is_kept_and_written_stays(made, key):
    make, use = MADE[made]

    @functools.cache
    def kept(key):
        return make()

    def f(x):
        return use(kept(KEYS[key])) * x

    expected = [f(1.5) for _ in range(5)]
    kept.cache_clear()
    found = [astad.value_and_grad(f)(1.5) for _ in range(5)]
    assert [y for y, _ in found] == expected
    assert [slope * 1.5 for _, slope in found] == pytest.approx(expected)
    assert kept.cache_info() == (4, 1, None, 1)


# --- ints -----------------------------------------------------------------------------------------


TABLES = {
    "leggauss": lambda n: np.polynomial.legendre.leggauss(n)[0],
    "linspace": lambda n: np.linspace(0, 1, n + 1),
    "list": lambda n: [1.0 / (i + 1) for i in range(n)],
    "arange": lambda n: np.arange(n) * 1.0,
    "ones": np.ones,
}


@pytest.mark.parametrize("name", TABLES)
def test_ints_that_are_sizes_have_no_derivative(name):
    table = functools.cache(TABLES[name])

    def f(x, n):
        return sum(np.sin(x * t) for t in table(n))

    def plain(x, n):
        return sum(np.sin(x * t) for t in TABLES[name](n))

    for n in (4, 3, 4, 4):
        slope, of_n = gradient(f, 1.5, n)
        assert slope == pytest.approx(gradient(plain, 1.5, n)[0])
        assert not of_n


def test_an_int_that_counts_is_refused_each_time():
    @functools.cache
    def rates(n):
        return np.array([1.0, 2.0]) * n

    @functools.cache
    def scaled_by(n):
        return [n * 0.5]

    for f in (lambda x, n: (rates(n) * x).sum(), lambda x, n: scaled_by(n)[0] * x):
        for _ in range(4):
            with pytest.raises(Unsupported, match="an int that was looked up"):
                astad.gradient(f, 2.0, 3)
        assert gradient(lambda x, f=f: f(x, 3), 2.0)[0] == f(1.0, 3)


# --- what the derivative comes to -----------------------------------------------------------------


def test_equal_keys_of_two_variables_have_a_part_each():
    @functools.cache
    def of_pair(t):
        return 3.0 * t[0] * t[0]

    @functools.cache
    def of_point(p):
        return p.q**2 * p.p

    def f(x, y):
        return (
            of_pair((x, 1)) + 10 * of_pair((y, 1)) + of_point(Point(x, y)) * of_point(Point(y, x))
        )

    for _ in range(4):
        check_gradient(f, 2.0, 2.0)


def test_objects_that_are_differentiated_keep_their_part():
    class Model:
        def __init__(self, w):
            self.w = w

        @functools.cache
        def layers(self):
            return {"a": [self.w * 2, np.array([self.w, 1.0])], "b": Held(self.w**2)}

    def loss(model, x):
        found = model.layers()
        return found["a"][0] * x + found["a"][1].sum() * found["b"].v

    model = Model(3.0)
    for _ in range(6):
        of_model, of_x = gradient(loss, model, 2.0)
        assert of_model.w == pytest.approx(2 * 2.0 + 9.0 + 4.0 * 6.0)
        assert of_x == 6.0
    assert Model.layers.cache_info()[:2] == (5, 1)


def test_an_object_that_has_changed_since_is_refused_where_it_counts():
    scale = Scale(2.0)
    scale.times(3)
    scale.x = 5.0
    assert gradient(lambda x: scale.times(3) * x, 2.0) == (6.0,)
    with pytest.raises(Unsupported, match="cached before the differentiation"):
        gradient(lambda s: s.times(3), scale)


def test_closures_keep_the_part_of_what_they_have_captured():
    def made(w):
        @functools.cache
        def table(n):
            return w * n

        return lambda x: table(3) * x

    h = made(2.0)
    for _ in range(4):
        assert gradient(lambda x: h(x) * x, 5.0) == (60.0,)
        assert gradient(lambda w: made(w)(5.0), 2.0) == (15.0,)


def test_caches_of_classes_builtins_and_objects_that_are_called():
    class Twice:
        def __call__(self, x):
            return 2 * x * x

    cached = [
        functools.cache(each) for each in (Held, math.sin, Twice(), functools.partial(pow, 2.0))
    ]
    made, sine, twice, power = cached

    def f(x):
        return made(x).v * sine(x) + twice(x) * x + power(x)

    for _ in range(3):
        check_gradient(f, 1.5)
    for each in cached:
        each.cache_clear()
    for _ in range(5):
        gradient(f, 1.5)
    assert [each.cache_info()[:2] for each in cached] == [(4, 1)] * 4


def test_what_is_computed_once_more_is_put_back():
    drawn, calls = np.random.default_rng(1), []

    @functools.cache
    def noisy(x):
        calls.append(x)
        return x * x + 0.0 * (drawn.normal() + random.random() + np.random.normal())

    noisy(1.5)
    random.seed(2)
    np.random.seed(3)
    before = drawn.bit_generator.state, random.getstate(), np.random.get_state()[1].tolist()
    for _ in range(3):
        assert gradient(noisy, 1.5) == (3.0,)
    after = drawn.bit_generator.state, random.getstate(), np.random.get_state()[1].tolist()
    assert after == before
    assert calls == [1.5]


def test_errors_are_kept_by_no_cache():
    @functools.cache
    def half(x):
        if x > 1:
            raise ValueError("big")
        return x / 2

    def f(x):
        try:
            return half(x) * x
        except ValueError:
            return 7 * x

    assert [gradient(f, x)[0] for x in (0.5, 2.0, 2.0, 0.5)] == [0.5, 7.0, 7.0, 0.5]
    assert half.cache_info() == (1, 3, None, 1)


def test_checkpoints_and_solvers_leave_the_counts_alone():
    @functools.cache
    def rate(name):
        return [0.5]

    def f(x):
        return astad.checkpoint(lambda y: rate("a")[0] * y * y)(x) + rate("b")[0]

    for _ in range(4):
        check = astad.value_and_grad(f)(1.5)
        assert check == (f(1.5), 1.5)
    assert rate.cache_info() == (14, 2, None, 2)


def test_second_derivatives_read_the_cache():
    drawn = np.random.default_rng(0)

    @functools.cache
    def noise(name):
        return drawn.normal(size=3)

    def f(x):
        return (x**3 * noise("a")).sum()

    f(1.0)
    for x in (1.0, 2.0, 0.5, 1.0):
        assert astad.hessian(f, x) == pytest.approx(6 * x * noise("a").sum())
    assert noise.cache_info().misses == 1


SCALE = 1.0


class Unit:
    k = 1.0

    @staticmethod
    @functools.cache
    def of_static(n):
        return Unit.k**n

    @classmethod
    @functools.cache
    def of_class(cls, n):
        return cls.k**n


@functools.cache
def of_global(n):
    return SCALE * n


def helped(n):
    return SCALE * n


@functools.cache
def of_helper(n):
    return helped(n) + 1.0


@functools.lru_cache(maxsize=4)
def of_attribute(n):
    return Unit.k * n


@functools.cache
def of_default(n, k=1.0):
    return k * n


@functools.cache
def of_function(g, n):
    return sum(g(i + 0.5) for i in range(n))


def by_scale(t):
    return SCALE * t


def through_global(x):
    global SCALE
    SCALE = x
    of_global.cache_clear()
    return of_global(2) * x + of_global(3)


def through_helper(x):
    global SCALE
    SCALE = x * x
    of_helper.cache_clear()
    return of_helper(2) + of_helper(2) * x


def through_class(x):
    Unit.k = 2 * x
    for each in (Unit.of_static, Unit.of_class, of_attribute):
        getattr(each, "__func__", each).cache_clear()
    return Unit.of_static(2) * x + Unit.of_class(3) + of_attribute(1) * x


def through_default(x):
    of_default.__wrapped__.__defaults__ = (x,)
    of_default.cache_clear()
    return of_default(3) * x


def through_function(x):
    global SCALE
    SCALE = x
    of_function.cache_clear()
    return of_function(by_scale, 2) + of_function(lambda t: x * t * t, 3) * x


@pytest.mark.order_matters
@pytest.mark.parametrize(
    "f", [through_global, through_helper, through_class, through_default, through_function]
)
def test_what_a_cached_function_reads_may_have_a_derivative(f):
    step = 1e-6
    for x in (1.3, 1.3, 0.7, 2.1, 1.3, 0.7):
        slope = (f(x + step) - f(x - step)) / (2 * step)
        assert f(x) == pytest.approx(astad.value_and_grad(f)(x)[0])
        assert gradient(f, x) == (pytest.approx(slope, rel=1e-6),)
        assert astad.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)


@functools.lru_cache(maxsize=0)
def drawn_each_time():
    return random.random()


class Box:
    pass


def by_an_object(x):
    box = Box()
    box.x = x
    return box.x * drawn_each_time()


@pytest.mark.order_matters
def test_what_no_cache_keeps_is_drawn_once_in_each_run():
    """Recordings too call no such function besides the plain run."""
    random.seed(0)
    plain = [by_an_object(1.0) for _ in range(8)]
    random.seed(0)
    assert [astad.value_and_grad(by_an_object)(1.0)[0] for _ in range(8)] == plain
