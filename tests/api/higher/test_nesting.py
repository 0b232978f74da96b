"""A gradient inside a function that is differentiated: each program against the formula of the
second or third derivative, worked out by hand, or against differences of the first.
"""

import contextlib
import functools
import io
import math
from dataclasses import dataclass

import numpy as np
import pytest

import astad
from astad import grad, gradient, pullback, value_and_grad
from astad.errors import AstadError, Unsupported

RATE = 3.0


def cube(x):
    return x * x * x


def scaled_cube(x):
    return RATE * x**3


def slope(x):
    return gradient(cube, x)[0]


def curvature(x):
    return gradient(slope, x)[0]


def rolled(x, n):
    y = 1.0
    for _ in range(n):
        if y > 10.0:
            y = math.log(y)
        y = y * x
    return y


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def differences(f, x, step=1e-6):
    return (f(x + step) - f(x - step)) / (2 * step)


def rows_by_differences(f, x, step=1e-6):
    return [(f(x + step * unit) - f(x - step * unit)) / (2 * step) for unit in np.eye(len(x))]


# --- no confusion of levels


def test_the_two_classic_cases():
    assert gradient(lambda x: x * gradient(lambda y: x + y, x)[0], 1.0) == (1.0,)
    assert gradient(lambda x: x * gradient(lambda y: x * y, x)[0], 3.0) == (6.0,)


def test_a_captured_variable_that_the_inner_function_binds_anew_and_that_is_called_twice():
    def f(x):
        held = x

        def inner(y):
            return held * y

        a = gradient(inner, 1.0)[0]
        held = held * 2.0
        return a + gradient(inner, 1.0)[0]

    assert gradient(f, 5.0) == (3.0,)


def test_two_inner_functions_over_one_captured_value():
    def f(x):
        return gradient(lambda y: x * x * y, 2.0)[0] * gradient(lambda y: x * y * y, 2.0)[0]

    assert gradient(f, 3.0) == pytest.approx((4 * 3 * 9.0,), rel=1e-14)


def stretched(a, x):
    return a * x * x


def test_one_value_for_the_inner_argument_and_what_is_captured():
    def g(f, x):
        return gradient(lambda t: f(t, x), x)[0]

    assert gradient(g, stretched, 4.0) == (None, 8.0)


def test_one_array_for_two_inner_arguments():
    def g(x):
        a, b = gradient(lambda a, b: np.sum(a * a * b), x, x)
        return np.sum(a) + 3.0 * np.sum(b)

    x = np.array([2.0, 3.0])  # 2 x x + 3 x x
    np.testing.assert_allclose(gradient(g, x)[0], 10.0 * x, rtol=1e-14)


# --- orders


def test_up_to_the_fourth_order():
    assert gradient(slope, 2.0) == (12.0,) and gradient(curvature, 2.0) == (6.0,)
    fourth = grad(grad(grad(grad(math.sin))))
    assert fourth(0.5) == pytest.approx(math.sin(0.5), rel=1e-14)
    assert grad(grad(scaled_cube))(2.0) == 36.0
    assert grad(grad(grad(scaled_cube)))(2.0) == 18.0


def test_a_third_derivative_through_a_loop():
    found = gradient(lambda x: gradient(lambda z: gradient(rolled, z, 3)[0], x)[0], 2.0)
    assert found == pytest.approx((6.0,), rel=1e-12)


def test_loops_and_branches():
    f = lambda x: gradient(rolled, x, 7)[0]
    assert gradient(f, 1.7)[0] == pytest.approx(differences(f, 1.7), rel=1e-7)


# --- ways to ask


@pytest.mark.parametrize(
    "f",
    [
        lambda x: grad(cube)(x),
        lambda x: value_and_grad(cube)(x)[1],
        lambda x: gradient(cube, x)[0],
        lambda x: grad(lambda a, b: a**3 + b, 0)(x, 1.0),
        lambda x: grad(lambda a, b: b**3 + a, 1)(1.0, x),
        lambda x: grad(lambda a, b: b**3 + a, -1)(1.0, x),
        lambda x: grad(lambda a, b: b**3 + a, (1, 0))(1.0, x)[0],
        lambda x: grad(lambda a, *, k: a**3 * k)(x, k=1.0),
        lambda x: grad(lambda a, k=1.0: a**3 * k)(x),
        lambda x: functools.reduce(lambda t, f: f(t), [grad(cube)], x),
    ],
)
def test_every_public_way(f):
    assert gradient(f, 2.0) == pytest.approx((12.0,), rel=1e-14)


def test_the_value_beside_the_gradient():
    def f(x):
        y, bar = value_and_grad(cube)(x)
        return y * bar

    assert gradient(f, 2.0) == pytest.approx((5 * 3 * 2.0**4,), rel=1e-14)


def test_defaults_and_keywords_carry_derivatives():
    assert gradient(lambda x, y: gradient(lambda a, b=y: a * a * b, x)[0], 2.0, 3.0) == (6.0, 4.0)
    assert gradient(lambda x, y: grad(lambda a, b: a * a * b)(x, b=y), 2.0, 3.0) == (6.0, 4.0)


class Model:
    def __init__(self, w):
        self.w = w

    def energy(self, x):
        return self.w * x**3

    def __call__(self, x):
        return self.w * x**2

    def force(self, x):
        return gradient(self.energy, x)[0]


def test_methods_and_callable_objects():
    assert gradient(lambda w: Model(w).force(2.0) * w, 3.0) == pytest.approx((72.0,))
    assert gradient(lambda w: gradient(Model(w), 2.0)[0], 3.0) == (4.0,)


def test_functions_with_rules():
    found = gradient(lambda x: gradient(math.sin, x)[0] + gradient(np.exp, x)[0], 0.5)
    assert found == pytest.approx((math.exp(0.5) - math.sin(0.5),), rel=1e-14)


# --- structures


@dataclass
class Pair:
    a: float
    b: float


@pytest.mark.parametrize(
    ("make", "take", "f"),
    [
        (lambda a, b: [a, b], lambda bar: bar[0], lambda v: v[0] ** 2 * v[1]),
        (lambda a, b: {"a": a, "b": b}, lambda bar: bar["a"], lambda v: v["a"] ** 2 * v["b"]),
        (lambda a, b: (a, b), lambda bar: bar[0], lambda v: v[0] ** 2 * v[1]),
        (Pair, lambda bar: bar.a, lambda v: v.a**2 * v.b),
        (lambda a, b: np.array([a, b]), lambda bar: bar[0], lambda v: v[0] ** 2 * v[1]),
        (lambda a, b: [a, b, a], lambda bar: bar[0], lambda v: sum([v[0] ** 2 * v[1]])),
    ],
)
def test_the_inner_argument_has_a_structure(make, take, f):
    def g(a, b):
        return take(gradient(f, make(a, b))[0])

    assert gradient(g, 2.0, 3.0) == pytest.approx((6.0, 4.0), rel=1e-14)


def test_arrays_of_every_rank_against_differences():
    def energy(W, x):
        return np.sum(np.tanh(W @ x) ** 2)

    def penalty(W, x):
        bar = gradient(energy, W, x)[1]
        return np.sum(bar * bar)

    rng = np.random.default_rng(1)
    W, x, d = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(3, 3))
    want = differences(lambda t: penalty(W + t * d, x), 0.0)
    assert np.vdot(gradient(penalty, W, x)[0], d) == pytest.approx(want, rel=1e-6)


# --- what people write


def test_a_gradient_penalty():
    def critic(w, x):
        return np.tanh(w @ x)

    def loss(w, x):
        norm = np.sqrt(np.sum(gradient(critic, w, x)[1] ** 2))
        return (norm - 1.0) ** 2

    w, x = np.array([0.3, -0.8]), np.array([1.1, 0.4])
    for at, unit in enumerate(np.eye(2)):
        want = differences(lambda t, unit=unit: loss(w + t * unit, x), 0.0)
        assert gradient(loss, w, x)[0][at] == pytest.approx(want, rel=1e-6)


def test_three_steps_of_an_inner_descent():
    def inner(w, rate):
        for _ in range(3):
            w = w - rate * gradient(lambda v: (v - 2.0) ** 2, w)[0]
        return w

    rate = 0.1  # w3 = 2 + (w - 2) (1 - 2 rate)**3
    found = gradient(inner, 5.0, rate)
    assert found == pytest.approx(((1 - 2 * rate) ** 3, -6.0 * 3.0 * (1 - 2 * rate) ** 2))


def test_newton_steps():
    def root(a):
        x = 1.0
        for _ in range(6):
            f = lambda t: t * t - a
            x = x - f(x) / gradient(f, x)[0]
        return x

    assert gradient(root, 2.0)[0] == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-10)


def test_hamiltonian_flow():
    def energy(q, p, k):
        return 0.5 * p * p + 0.5 * k * q * q

    def flow(k):
        q, p = 1.0, 0.0
        for _ in range(20):
            dq, dp, _ = gradient(energy, q, p, k)
            p = p - 0.05 * dp if False else p - 0.05 * dq
            q = q + 0.05 * p
        return q

    assert gradient(flow, 2.0)[0] == pytest.approx(differences(flow, 2.0), rel=1e-6)


def test_gamma_and_vanna_of_an_option():
    def price(s, vol):
        d1 = (math.log(s / 100.0) + 0.5 * vol * vol) / vol
        cdf = lambda z: 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))
        return s * cdf(d1) - 100.0 * cdf(d1 - vol)

    gamma, vanna = gradient(lambda s, vol: gradient(price, s, vol)[0], 110.0, 0.3)
    d1 = (math.log(1.1) + 0.045) / 0.3
    density = math.exp(-d1 * d1 / 2) / math.sqrt(2 * math.pi)
    assert gamma == pytest.approx(density / (110.0 * 0.3), rel=1e-12)
    assert vanna == pytest.approx(-density * (d1 - 0.3) / 0.3, rel=1e-12)


# --- control flow and effects around it


def test_in_branches_try_recursion_and_comprehensions():
    def tower(x, n):
        return cube(x) if n == 0 else gradient(lambda t: tower(t, n - 1), x)[0]

    def f(x):
        total = 0.0
        if x < 0:
            total = gradient(cube, x)[0]
        try:
            total += gradient(lambda t: t / 0.0, x)[0]
        except ZeroDivisionError:
            total += slope(x)
        return total + sum([gradient(cube, x * k)[0] for k in (1.0, 2.0)])

    assert gradient(f, 2.0) == pytest.approx((12.0 + 12.0 + 48.0,), rel=1e-14)
    assert gradient(tower, 2.0, 0)[0] == 12.0


def test_what_it_prints_and_writes_is_printed_and_written_once():
    log = []

    def noisy(x):
        print("inner", x)
        log.append(1)
        return x * x

    def f(x):
        return gradient(noisy, x)[0]

    with contextlib.suppress(AstadError), contextlib.redirect_stdout(io.StringIO()) as out:
        assert gradient(f, 2.0) == (2.0,)
        assert (out.getvalue(), log) == ("inner 2.0\n", [1])


def test_a_generator_that_takes_gradients():
    def slopes(x):
        for k in (1.0, 2.0):
            yield gradient(cube, x * k)[0]

    assert gradient(lambda x: sum(slopes(x)), 2.0) == pytest.approx((60.0,), rel=1e-14)


def test_a_zero_cotangent_that_moves():
    def g(c):
        return gradient(lambda x: c * x**3, 2.0)[0]

    assert gradient(g, 0.0) == (12.0,)
    x = np.array([1.0, 2.0])
    g = lambda c: np.sum(gradient(lambda v: c * np.sum(np.sqrt(v)), x)[0])
    assert gradient(g, 0.0)[0] == pytest.approx(0.5 + 0.5 / math.sqrt(2.0), rel=1e-14)


# --- state


def test_a_global_that_changes_between_calls(monkeypatch):
    f = lambda x: gradient(scaled_cube, x)[0]
    assert gradient(f, 2.0) == (36.0,)
    monkeypatch.setitem(globals(), "RATE", 5.0)
    assert gradient(f, 2.0) == (60.0,)
    monkeypatch.setitem(globals(), "scaled_cube", lambda x: x**4)
    assert gradient(f, 2.0) == (48.0,)


def test_a_global_array_that_changes_between_calls():
    space = {"w": np.array([1.0, 2.0]), "np": np}

    exec_made = _made("def f(x):\n    return np.sum(w * x * x)\n", space)
    g = lambda x: np.sum(gradient(exec_made, x)[0])
    x = np.array([1.0, 1.0])
    np.testing.assert_allclose(gradient(g, x)[0], [2.0, 4.0])
    space["w"] = np.array([3.0, 5.0])
    np.testing.assert_allclose(gradient(g, x)[0], [6.0, 10.0])


def _made(text, space, name="f"):
    import linecache

    file = f"<made for a test {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), space)
    return space[name]


def test_functions_of_one_name_in_one_module():
    def make(power):
        return _made(f"def h(x):\n    return x**{power}\n", {"__name__": __name__}, "h")

    cubed, fourth = make(3), make(4)
    assert gradient(lambda x: gradient(cubed, x)[0], 2.0) == (12.0,)
    assert gradient(lambda x: gradient(fourth, x)[0], 2.0) == (48.0,)
    assert gradient(lambda x: gradient(cubed, x)[0], 2.0) == (12.0,)


def test_another_function_in_the_place_of_gradient(monkeypatch):
    def f(x):
        return gradient(cube, x)[0]

    assert gradient(f, 2.0) == (12.0,)
    real = gradient
    monkeypatch.setitem(globals(), "gradient", lambda g, x: (g(x),))
    assert real(f, 2.0) == (12.0,)  # of cube itself


def test_ints_bools_and_callees_among_the_globals_that_change(monkeypatch):
    space = {"P": 2, "FLAG": True}
    texts = (
        "def callee(t):\n    return t**2\n",
        "def other(t):\n    return t**5\n",
        "def power(t):\n    return t**P\n",
        "def chosen(t):\n    return t**3 if FLAG else t**5\n",
        "def called(t):\n    return callee(t) * t\n",
    )
    for text in texts:
        _made(text, space, text[4 : text.index("(")])
    fs = [space[name] for name in ("power", "chosen", "called")]
    slopes = [lambda x, f=f: gradient(f, x)[0] for f in fs]
    assert [gradient(f, 2.0)[0] for f in slopes] == [2.0, 12.0, 12.0]
    space.update(P=3, FLAG=False, callee=space["other"])
    assert [gradient(f, 2.0)[0] for f in slopes] == [12.0, 160.0, 480.0]
    assert [astad.hessian(f, 2.0) for f in fs] == [12.0, 160.0, 480.0]


EXPONENT = 2


def to_the_power(t):
    return t**EXPONENT


def power_slope_of(x):
    return grad(to_the_power)(x)


def test_a_whole_number_of_the_module_that_changes(monkeypatch):
    assert value_and_grad(power_slope_of)(2.0) == (4.0, 2.0)
    monkeypatch.setitem(globals(), "EXPONENT", 3)
    assert value_and_grad(power_slope_of)(2.0) == (12.0, 12.0)
    monkeypatch.setitem(globals(), "EXPONENT", 2)
    assert value_and_grad(power_slope_of)(2.0) == (4.0, 2.0)


# --- where the first derivative is a special case


def test_a_cotangent_of_zero_and_a_base_of_zero():
    found = gradient(lambda c: gradient(lambda t: c * math.pow(t, 2), 1.5)[0], 0.0)
    assert found == (3.0,)
    assert astad.hessian(lambda x: x**2, 0.0) == 2.0
    assert astad.hessian(lambda x: x**2.0, 0.0) == 2.0
    assert astad.hessian(lambda x: x**1.5, 0.0) == math.inf
    for f, at in ((math.sqrt, 0.0), (math.asin, 1.0)):
        with pytest.raises(Unsupported, match="at a point where the first has a formula of its"):
            astad.hessian(f, at)
    assert astad.hessian(lambda x: x**2.5, 4.0) == 2.5 * 1.5 * 2.0
    assert astad.hessian(math.sqrt, 4.0) == -0.25 / 8.0


def test_a_whole_exponent_that_the_inner_function_captures():
    def f(x, n):
        return gradient(lambda t: t**n, x)[0]

    want = 1.1 + 2.0 * 1.1 * math.log(1.1)  # of n x**(n - 1) in n
    for x in (1.1, np.float64(1.1)):
        assert gradient(f, x, 2)[1] == pytest.approx(want, rel=1e-14)


# --- of the same kind as outside


def test_the_inner_gradient_has_the_kind_that_it_has_outside():
    seen = []

    def f(x, inner):
        bar = gradient(inner, x)[0]
        seen.append((type(bar), repr(bar)))
        return bar * 1.0

    for inner in (lambda t: np.sin(t), lambda t: t * np.sum(np.ones(2)), math.sin):
        seen.clear()
        assert f(1.0, inner) == value_and_grad(f)(1.0, inner)[0]
        assert seen[0] == seen[1]


def test_a_dict_of_gradients_has_the_keys_of_numbers():
    def f(w):
        (bar,) = gradient(lambda q: (q["w"] - 1.0) ** 2, {"w": w, "n": 3})
        return sum([v * w for v in bar.values()])

    assert value_and_grad(f)(3.0) == (12.0, 10.0)


def test_builtins_that_the_inner_function_reads_as_values():
    def f(v):
        return np.sum(np.asarray(v, dtype=float) ** 2)

    np.testing.assert_array_equal(astad.hessian(f, np.ones(2)), 2.0 * np.eye(2))

    def g(t):
        try:
            return math.log(-t)
        except ValueError:
            return t**3

    with contextlib.suppress(AstadError):
        assert astad.hessian(g, 1.2) == pytest.approx(7.2)


def test_an_array_that_is_captured_and_the_argument_has_the_total_or_is_refused():
    v = np.array([1.5, 2.5])
    kept = [
        lambda v: np.sum(grad(lambda u: np.sum(u * v))(v)),
        lambda v: np.sum(grad(lambda u: np.sum(u[:1] * v[1:]))(v)),
        lambda v: np.sum(grad(lambda u, k=v: np.sum(u * k))(v)),
        lambda v: np.sum(grad(lambda u, k: np.sum(u * k))(v, k=v)),
    ]
    for f in kept:
        with pytest.raises(Unsupported):
            value_and_grad(f)(v)


def weighted_roots(x, counts):
    """A run of it is recorded: no text tells which kind the roots have."""
    return np.sum(np.emath.sqrt(x[0] * x[1] - counts) * (1 + 1j)).real


def weighted_pairs(x, counts):
    pair = np.array([x[0] + 0j, x[1] * np.exp(1j * x[0])])
    return np.real(np.conj(pair) @ (pair * counts[:2]))


def counted_steps(x, counts):
    return weighted_roots(x, counts) * x[0] if counts[0] == 1 else x[1] ** 3


@pytest.mark.parametrize("f", [weighted_roots, weighted_pairs, counted_steps])
@pytest.mark.parametrize("kind", [int, np.int32, float])
def test_a_recorded_run_with_an_array_that_is_held(f, kind):
    x = np.array([0.3, 0.5])
    for counts in (np.array([1, 2, 3], kind), np.array([1, 4, 2], kind), np.array([2, 4, 2], kind)):

        def slope(x, counts=counts):
            return gradient(lambda x: f(x, counts), x)[0]

        rows = rows_by_differences(slope, x)
        np.testing.assert_allclose(astad.hessian(f, x, counts), rows, rtol=1e-5, atol=1e-7)
        v = np.array([1.0, -2.0])
        np.testing.assert_allclose(astad.hvp(f, x, v, counts), v @ rows, rtol=1e-5, atol=1e-7)


def test_the_slope_by_an_array_of_ints_of_a_recorded_run_is_refused():
    x = np.array([0.3, 0.5])
    with pytest.raises(AstadError):
        gradient(lambda x: np.sum(gradient(weighted_roots, x, np.array([1, 2]))[0]), x)


def state_of_a_spin(t):
    psi = np.array([np.cos(t[0]) + 0j, np.sin(t[0]) * np.exp(1j * t[1])])
    return np.real(np.conj(psi) @ np.array([[1.0, 0.5], [0.5, -1.0]]) @ psi)


def row_of_phases(t):
    rows = np.array([[np.exp(1j * t[0]), t[1] + 0j], [t[0] * t[1] + 0j, 2.0 + 0j]])
    return np.abs(np.sum(rows @ rows)) ** 2


def pair_of_phases(t):
    both = np.stack([np.exp(1j * t), t * (1 + 1j)])
    z = np.asarray((both[0, 0] * t[1], both[1, 1]))
    return np.sum(np.abs(z[0] * z[1] + z) ** 2)


@pytest.mark.parametrize("f", [state_of_a_spin, row_of_phases, pair_of_phases])
def test_arrays_made_of_complex_numbers(f):
    t = np.array([0.3, 0.5])
    rows = rows_by_differences(lambda t: gradient(f, t)[0], t)
    np.testing.assert_allclose(astad.hessian(f, t), rows, rtol=1e-5, atol=1e-7)
    total = gradient(lambda t: np.sum(gradient(f, t)[0]), t)[0]
    np.testing.assert_allclose(total, np.sum(rows, axis=0), rtol=1e-5, atol=1e-7)


def phase_and_size(t):
    return np.sum(np.abs(np.exp(1j * t) + t) ** 2)


def sine(t):
    return np.sin(t) * t


def sine_of_its_number(t):
    return np.sin(t[()]) * t.item() + t


def list_of_powers(t):
    return np.sum(np.array([t, t * t, t**3]))


@pytest.mark.parametrize("f", [phase_and_size, sine, sine_of_its_number, list_of_powers])
def test_an_array_without_axes(f):
    for at in (0.3, 1.1):
        expected = differences(lambda t: gradient(f, t)[0], np.array(at))
        found = astad.hessian(f, np.array(at))
        assert found == pytest.approx(expected, rel=1e-6)
        assert astad.hvp(f, np.array(at), np.array(2.0)) == pytest.approx(2 * expected, rel=1e-6)
        bar = gradient(lambda t: gradient(f, t)[0] * 2.0, np.array(at))[0]
        assert type(bar) is np.ndarray
        assert bar == pytest.approx(2 * expected, rel=1e-6)


def test_a_derivative_as_an_argument():
    assert gradient(lambda f, x: f(x) * x, grad(cube), 2.0)[1] == 36.0


# --- refused


def test_what_has_no_text_of_its_gradient_is_refused_by_name():
    def odd(x):
        return float(sum(x * v for v in {1.0, 2.0}))

    with pytest.raises(Unsupported, match="a call for .*odd inside a function that is being"):
        gradient(lambda x: gradient(odd, x)[0] * x, 2.0)
    _, back = pullback(cube, 3.0)
    with pytest.raises(Unsupported, match="a call inside a function"):
        gradient(lambda x: back(x)[0], 2.0)
    with pytest.raises(Unsupported, match=r"astad\.pullback"):
        gradient(lambda x: pullback(odd, x)[1](1.0)[0], 2.0)


def test_a_result_that_is_no_scalar_raises_as_outside():
    with pytest.raises((TypeError, AstadError)):
        gradient(lambda x: np.sum(gradient(lambda v: v * v, x)[0]), np.ones(2))


# --- numbers are of the type that they have outside


def by_ufunc(x):
    return np.sqrt(x)


def type_of_slope(f):
    def program(x):
        slope = gradient(f, x)[0]
        return slope * (2.0 if type(slope) is float else 3.0)

    return program


def times(factor):
    return lambda x: x * x * factor


@pytest.mark.parametrize(
    "f", [by_ufunc, times(np.float64(3.0)), lambda x: np.exp(x), lambda x: x * np.float64(3.0)]
)
def test_the_inner_gradient_of_a_float_is_a_float(f):
    program = type_of_slope(f)
    step = 1e-6
    slopes = [gradient(f, at)[0] for at in (1.5 + step, 1.5 - step)]
    assert all(type(each) is float for each in slopes)
    assert program(1.5) == 2.0 * gradient(f, 1.5)[0]
    found = gradient(program, 1.5)[0]
    assert (found or 0.0) == pytest.approx((slopes[0] - slopes[1]) / step, abs=1e-8)


def test_a_slope_of_zero_divides_as_outside():
    def program(x):
        return 1.0 / gradient(lambda y: np.square(y), x)[0]

    with pytest.raises(ZeroDivisionError):
        program(0.0)
    with pytest.raises(ZeroDivisionError):
        gradient(program, 0.0)


def starred(x, *more, scale=2.0):
    return scale * x**3 + sum(more)


def with_its_name(derived, x):
    return derived * x**3


def test_derivatives_of_functions_with_starred_parameters():
    def program(x):
        return grad(starred)(x, 1.0, 2.0, scale=x)

    for _ in range(3):
        assert gradient(program, 1.3) == pytest.approx((9.0 * 1.3**2,))
        assert gradient(grad(starred), 1.3) == pytest.approx((12.0 * 1.3,))
        assert gradient(grad(lambda x: grad(starred)(x)), 1.3) == pytest.approx((12.0,))


def test_a_parameter_by_the_name_that_a_text_would_use():
    inner = grad(with_its_name, 1)

    def program(x):
        return grad(inner, 1)(x, x)

    assert gradient(program, 1.3) == pytest.approx((12.0 * 1.3,))


@pytest.mark.parametrize(
    "name",
    [
        "logistic",
        "by_name",
        "with_functions_of_numpy",
        "with_functions_of_python",
        "through_an_own_function",
    ],
)
def test_functions_of_a_module_that_is_not_the_callers(name):
    """A function of compiled code there has no module of its own."""
    pytest.importorskip("scipy.special")
    from tests.programs import smooth_steps

    f = getattr(smooth_steps, name)
    v, u = np.array([0.31, 0.72]), np.array([1.0, -0.5])
    slope = lambda at: astad.gradient(f, at)[0]
    wanted = (slope(v + 1e-5 * u) - slope(v - 1e-5 * u)) / 2e-5
    near = functools.partial(np.testing.assert_allclose, desired=wanted, rtol=1e-7)
    near(astad.hvp(lambda a: f(a), v, u))
    near(astad.hessian(lambda a: f(a) * 1.0, v) @ u)
    near(astad.gradient(lambda a: np.sum(astad.gradient(lambda b: f(b), a)[0] * u), v)[0])


@pytest.mark.order_matters
def test_what_one_derivative_of_a_derivative_refuses_is_not_remembered_of_another():
    """Their texts are the same: they call what they were made for."""

    def of_what_is_captured(x, y):
        return grad(grad(lambda z: math.sin(z * y) * z**3))(x)

    def alone(x):
        return grad(grad(lambda z: math.sin(z) * z**3))(x)

    with contextlib.suppress(Unsupported):
        gradient(of_what_is_captured, 1.3, 0.7)
    near = (alone(1.3 + 1e-5) - alone(1.3 - 1e-5)) / 2e-5
    assert gradient(alone, 1.3) == pytest.approx((near,), rel=1e-8)


@pytest.mark.slow  # its text is long: half a minute of compiling
def test_a_jacobian_of_a_jacobian_inside():
    weights = np.arange(8.0).reshape(2, 2, 2)

    def program(q):
        return np.sum(astad.jacobian(lambda z: astad.jacobian(lambda y: y**3, z), q) * weights)

    np.testing.assert_allclose(gradient(program, np.array([0.3, 0.7]))[0], [0.0, 42.0])
