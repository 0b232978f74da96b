"""Derivatives inside of functions for which the compiler has no text: reversed line by line by the
formulas of rules, against differences.
"""

import functools
import types

import numpy as np
import pytest

from astad import adjoint, dropgrad, grad, gradient, hessian, hvp, jvp, pullback, value_and_grad
from astad.errors import Unsupported

from .test_recorded_derivatives import differences, numbers_of

pytestmark = pytest.mark.order_matters


def norm_of_order_three(x):
    return np.sum(grad(lambda v: np.linalg.norm(v, ord=3))(x) ** 2)


def singular_values(x):
    return np.sum(grad(lambda v: np.sum(np.linalg.svd(v, compute_uv=False) ** 3))(x) * x)


def a_sinc(x):
    return grad(lambda t: np.sinc(t) * 3.0)(x)


def a_solve(x):
    return np.sum(grad(lambda v: np.sum(np.linalg.solve(np.eye(2) * 3 + v, v) ** 2))(x) ** 2)


def spread_and_product(x):
    return np.sum(grad(lambda v: np.var(v, ddof=1) * np.einsum("i,i", v, v))(x) ** 2)


def parts_of_a_stack(x):
    return np.sum(grad(lambda v: np.sum(np.stack([v, v**2])[:, 1:] ** 2))(x) ** 2)


def squared(x):
    return x * x


@adjoint(squared)
def squared_rule(x):
    return x * x, lambda y_bar: (2.0 * x * y_bar,)


def scaled(x, k):
    return x * k


@adjoint(scaled)
def scaled_rule(x, k):
    def back(y_bar):
        return y_bar * k, np.sum(y_bar * x)

    return x * k, back


def energy(x):
    return np.sum(squared(x) * x)


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return np.sum(scaled(x, self.w) ** 3)

    def with_a_part_held(self, t):
        return t**3 * self.w + dropgrad(t) ** 2 * self.w


def a_rule_of_arrays(x):
    return np.sum(gradient(energy, x)[0] ** 2)


def a_rule_in_a_method(x, w):
    return np.sum(grad(Model(w).loss)(x) ** 2)


def what_is_held(w):
    return grad(Model(w).with_a_part_held)(1.5) * w


def a_hessian_by_a_rule(x):
    return np.sum(hessian(energy, x))


def parts_of_a_split(x):
    first, second, third = np.array_split(x, 3)
    return np.sin(first) * second[:1] + third * first[0]


def a_pullback_of_parts(x, y_bar):
    _, back = pullback(parts_of_a_split, x)
    return np.sum(back(y_bar)[0] ** 2)


def a_tangent_of_parts(x, v):
    return np.sum(jvp(parts_of_a_split, (x,), (v,))[1] ** 2)


def slopes_of(f):
    """A maker of derivatives of one's own."""

    @functools.wraps(f)
    def slopes(x):
        y, back = pullback(f, x)
        found = back(np.ones(np.shape(y)) if np.ndim(y) else 1.0)[0]
        return {key: np.zeros_like(x[key]) if bar is None else bar for key, bar in found.items()}

    return slopes


def potential(state):
    return np.sum(np.array_split(np.sin(state["q"]), 2)[0]) * state["v"] @ state["v"]


def a_tangent_of_dicts(q, v):
    def slope(state):
        found = slopes_of(potential)(state)
        return {"q": found["q"] * state["v"], "v": [found["v"], found["unused"]]}

    state = {"q": q, "v": v, "unused": q * 2.0}
    y, dot = jvp(slope, (state,), ({"q": v, "v": q * 0.5, "unused": q * 2.0},))
    return np.sum(dot["q"] * y["q"]) + np.sum(dot["v"][0]) + np.sum(dot["v"][1])


def a_pullback_of_dicts(q, v):
    y, back = pullback(lambda s: slopes_of(potential)(s), {"q": q, "v": v, "unused": q * 2.0})
    bars = back({"q": v, "v": q, "unused": None})[0]
    return np.sum(bars["q"] * y["v"]) + np.sum(bars["v"] ** 2)


def two_pullbacks_of_one_name(q, v):
    total = 0.0
    for k in range(2):
        _, back = pullback(
            lambda s: slopes_of(potential)(s)["q"] * (k + 1.0), {"q": q, "v": v, "unused": q * 2.0}
        )
        total += np.sum(back(q * v)[0]["v"]) + np.sum(back(v)[0]["q"])
    return total


TURN = 1.0 + 2.0j
"""A complex number of the module."""


def power_of(z):
    return np.sum(np.abs(z * TURN + z * z * 1j) ** 2)


def complex_values_inside(x):
    return np.sum(grad(power_of)(x) * np.sin(x))


def a_spectrum_inside(x):
    return np.sum(grad(lambda t: np.sum(np.abs(np.fft.fft(t * t)) ** 3))(x) ** 2)


def a_gradient_by_complex_arrays(a, b):
    bar = grad(lambda z: np.sum(np.real(z * np.sin(z)) * np.abs(z)))(a + 1j * b)
    return np.sum(np.real(bar) * a + np.imag(bar) ** 2)


def entries_of_complex_arrays(a, b):
    def f(z):
        return np.linalg.norm((z * z)[1:], ord=3) + np.abs((TURN * z)[0]) ** 3

    bar = grad(f)(a + 1j * b)
    return np.sum(np.real(bar) ** 2 + np.imag(bar) ** 3)


def a_complex_result_that_nothing_is_asked_of(a, b):
    z = a + 1j * b
    y, back = pullback(lambda z: (TURN * z * z, z[::2] * 2.0, np.linalg.norm(z, ord=3)), z)
    (bar,) = back((None, y[1] * 1j, y[2]))
    return np.sum(np.real(bar * np.conj(bar) * TURN))


def a_gradient_by_a_complex_number(a, b):
    bar = grad(lambda z: (z * z.conjugate() * z).imag)(complex(a, b))
    return bar.real * a + bar.imag**2


def a_pullback_of_complex_results(a, b):
    y, back = pullback(lambda z: TURN * z * z, a + 1j * b)
    return np.sum(np.abs(back(np.conj(y) * (1.0 - 0.5j))[0]) ** 2)


def a_tangent_of_complex_numbers(a, b):
    z = a + 1j * b
    y, dot = jvp(lambda z: np.exp(z) * np.conj(z), (z,), (z * 1j + 0.5,))
    return np.sum(np.real(dot * np.conj(y)))


def thrice_with_complex_numbers(x):
    def slope(t):
        return grad(lambda t: np.sum(np.real(np.exp(1j * t * t))))(t)

    return np.sum(jvp(slope, (x,), (x * x,))[1] ** 2)


def values_put_by_a_mask(x):
    def f(t):
        out = np.zeros(t.shape)
        inside = t > 0.4
        np.place(out, inside, np.sin(t[inside]) * t[inside])
        out[~inside] = np.split(t, 3)[0] ** 2
        return np.sum(out**2)

    return np.sum(grad(f)(x) ** 2)


def rows_written_one_by_one(x):
    def f(t):
        table = np.zeros((3, 3))
        for k in range(3):
            table[k] = np.split(t, 3)[k] * (k + 1.0)
            table[k, 0] = table[k, 0] * table[0, 1] if k else t[0] ** 2
        return np.sum(table**3)

    return np.sum(grad(f)(x) ** 2)


def a_view_of_what_is_written(x):
    def f(t):
        out = np.split(t, 3)[0] * 1.0
        first = out[:1]
        out[0] = t[1] ** 2
        return np.sum(first * out)

    return np.sum(grad(f)(x) ** 2)


def reduced_by_ufuncs(x):
    def f(t):
        parts = np.split(t, 2)
        return np.add.reduce(parts[0] * parts[1]) * np.multiply.reduce(parts[0])

    return np.sum(grad(f)(x) ** 2)


def entries_by_their_places(x):
    def f(t):
        rows = np.split(t, 3)
        return np.sum(rows[0] * t[[0, 0]] ** 3) + np.sum(np.sin(t)[::-1][[1, 1, 2]] * t[[5, 5, 5]])

    return np.sum(grad(f)(x) ** 2)


def blocks_by_their_places(m):
    def f(m):
        part = np.hsplit(m, 1)[0]
        return np.sum(part[[0, 1], :][:, [1, 1]] ** 3 * part[0, 1:][[0, 0]])

    return np.sum(grad(f)(m) ** 2)


def a_named_tuple_of_arrays(m):
    def f(m):
        found = np.linalg.eigh(m @ m.T)
        return np.sum(np.split(found.eigenvalues, 2)[0] ** 2) * found[0][1]

    return np.sum(grad(f)(m) ** 2)


def filled_before(x):
    def f(t):
        out = np.empty(3)
        out.fill(np.split(t, 3)[0][0])
        out[0] += t[1] ** 2
        out[1:] = out[1:] * t[:2]
        return np.sum(out**3)

    return np.sum(grad(f)(x) ** 2)


def axes_that_are_ranges(m):
    def f(m):
        return np.sum(np.tensordot(np.hsplit(m, 1)[0], m, axes=[range(0, 1), range(1, 2)]) ** 2)

    return np.sum(grad(f)(m) ** 2)


TRIPLE, PAIR = np.array([0.3, 0.5, 1.1]), np.array([1.0, 0.5])
SIX = np.linspace(0.2, 1.4, 6)
MATRIX = np.array([[1.0, 0.3], [0.2, 2.0]])
PROGRAMS = [
    (norm_of_order_three, TRIPLE), (singular_values, MATRIX), (a_sinc, 0.7), (a_solve, MATRIX),
    (spread_and_product, TRIPLE), (parts_of_a_stack, TRIPLE), (a_rule_of_arrays, PAIR),
    (a_rule_in_a_method, PAIR, 0.7), (what_is_held, 1.3), (a_hessian_by_a_rule, PAIR),
    (a_pullback_of_parts, SIX, PAIR), (a_tangent_of_parts, SIX, 2.0 - SIX),
    (a_tangent_of_dicts, TRIPLE, 1.0 - TRIPLE), (a_pullback_of_dicts, TRIPLE, 1.0 - TRIPLE),
    (two_pullbacks_of_one_name, TRIPLE, 1.0 - TRIPLE),
    (complex_values_inside, TRIPLE), (a_spectrum_inside, TRIPLE),
    (a_gradient_by_complex_arrays, TRIPLE, 1.3 - TRIPLE),
    (entries_of_complex_arrays, TRIPLE, 1.3 - TRIPLE),
    (a_complex_result_that_nothing_is_asked_of, TRIPLE, 1.3 - TRIPLE),
    (a_gradient_by_a_complex_number, 0.7, 0.4),
    (a_pullback_of_complex_results, TRIPLE, 1.3 - TRIPLE),
    (a_tangent_of_complex_numbers, TRIPLE, 1.3 - TRIPLE), (thrice_with_complex_numbers, TRIPLE),
    (values_put_by_a_mask, TRIPLE), (rows_written_one_by_one, np.linspace(0.2, 1.1, 9)),
    (reduced_by_ufuncs, SIX), (entries_by_their_places, SIX), (blocks_by_their_places, MATRIX),
    (a_named_tuple_of_arrays, MATRIX), (filled_before, TRIPLE), (axes_that_are_ranges, MATRIX),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0].__name__)
def test_programs_agree_with_differences(program):
    f, *args = program
    for _ in range(3):
        y, bars = value_and_grad(f, tuple(range(len(args))))(*args)
        assert float(y) == pytest.approx(float(f(*args)), rel=1e-12)
        assert numbers_of(bars) == pytest.approx(differences(f, tuple(args)), rel=2e-6, abs=1e-7)


def test_what_shows_a_later_write_is_right_or_refused():
    try:
        found = gradient(a_view_of_what_is_written, TRIPLE)
    except Unsupported:
        return
    assert found[0] == pytest.approx(differences(a_view_of_what_is_written, (TRIPLE,)), rel=2e-6)


SCALE = 2.0


class Rates:
    rate = 1.5


POWERS = {"cube": lambda x: x**3}


def scaled_cube(x):
    return POWERS["cube"](x) * SCALE * Rates.rate


def slope_of_scaled_cube(x):
    return grad(scaled_cube)(x)


def slope_after_a_global_is_bound(x):
    global SCALE
    before, SCALE = SCALE, x * x
    slope = grad(scaled_cube)(x)
    SCALE = before
    return slope


def slope_after_a_class_is_given(x):
    before, Rates.rate = Rates.rate, x * 2.0
    try:
        return grad(scaled_cube)(x)
    finally:
        Rates.rate = before


def test_numbers_of_modules_and_classes(monkeypatch):
    for scale, rate in ((2.0, 1.5), (3.0, 1.5), (3.0, -0.5), (2.0, 1.5)):
        monkeypatch.setitem(globals(), "SCALE", scale)
        monkeypatch.setattr(Rates, "rate", rate)
        for f in (
            slope_of_scaled_cube,
            slope_after_a_global_is_bound,
            slope_after_a_class_is_given,
        ):
            for _ in range(3):
                try:
                    found = gradient(f, 1.3)
                except Unsupported:
                    assert f is slope_after_a_class_is_given
                    continue
                assert found == pytest.approx(differences(f, (1.3,)), rel=1e-6)


def a_branch_in_a_pullback(x):
    def f(t):
        above = t > np.mean(t)
        return (np.sum(t[above] ** 3) + np.sum(t[np.nonzero(t)] ** 2)) * t

    y, back = pullback(f, x)
    return np.sum(back(y)[0]) * y[0]


def two_seeds_for_one_pullback(x):
    def f(t):
        out = np.zeros(3)
        out[[0, 2]] = np.split(t, 3)[1] ** 2
        return out * t

    _, back = pullback(f, x)
    return np.sum(back(x)[0] * back(np.sin(x))[0]) + np.sum(back(x)[0])


@pytest.mark.parametrize("f", [a_branch_in_a_pullback, two_seeds_for_one_pullback])
def test_pullbacks_of_other_ways_and_seeds(f):
    """The first ones go another way than those that follow."""
    for x in ([1.0, 2.0, 0.5], [0.3, -1.1, 2.2], [1.5, 0.2, 0.1], [1.0, 2.0, 0.5], [0.4, 1.0, 0.1]):
        for _ in range(2):
            (found,) = gradient(f, np.array(x))
            assert found == pytest.approx(differences(f, (np.array(x),)), rel=2e-6, abs=1e-7)


class Box:
    pass


def parts_of_a_namespace(x):
    m = types.SimpleNamespace(a=x[0], b=[x[1]])
    m.b.append(m.a**2)
    m.a, m.c = m.b
    return m.a**2 * m.c * x[2]


def an_attribute_of_a_class(x):
    Box.shared = x[0] ** 2
    return Box.shared * x[1]


def an_attribute_taken_away(x):
    box = Box()
    box.w = x[1]
    v = box.w * 2
    del box.w
    return v**2 * x[0]


def an_item_taken_out(x):
    items = list(x * 1.0)
    del items[0]
    return sum(v * v for v in items)


@pytest.mark.parametrize(
    ("f", "degree"),
    [
        (parts_of_a_namespace, 5), (an_attribute_of_a_class, 3), (an_attribute_taken_away, 3),
        (an_item_taken_out, 2),
    ],
)  # fmt: skip
def test_changes_of_objects_inside(f, degree):
    """Along its argument a homogeneous function changes by its degree times itself (Euler)."""
    x = np.array([0.5, -1.2, 2.0])
    (slope,) = gradient(f, x)
    assert slope == pytest.approx(differences(f, (x,)), rel=1e-6)
    assert jvp(f, (x,), (x,)) == pytest.approx((f(x), degree * f(x)))
    try:
        assert gradient(lambda t: jvp(f, (t,), (t,))[1], x)[0] == pytest.approx(degree * slope)
        inner = jvp(lambda t: jvp(f, (t,), (t,))[1], (x,), (x,))
        assert inner == pytest.approx((degree * f(x), degree**2 * f(x)))
    except Unsupported:
        assert f is an_attribute_of_a_class


ARRAYS_OF_NUMBERS = {
    "array": lambda z: np.array(z),
    "asarray of a tuple": lambda z: np.asarray((z[0] * z[1], z[1], 1.0)),
    "stack": lambda z: np.stack(z),
    "rows": lambda z: np.array([[z[0], z[1]], [z[1], 2 * z[0]]]),
    "products": lambda z: np.array([each * each for each in z], dtype=complex),
    "concatenate": lambda z: np.concatenate([np.array([z[0]]), np.array([z[1], z[0]])]),
    "outer": lambda z: np.outer(z, z),
    "real parts": lambda z: np.array([z[0].real, z[1].imag, 2.0]),
}


@pytest.mark.parametrize("made", ARRAYS_OF_NUMBERS.values(), ids=ARRAYS_OF_NUMBERS)
def test_an_array_of_complex_numbers_in_a_list_or_tuple(made):
    def energy(z):
        return np.sum(np.abs(made(z)) ** 4)

    def slope(z):
        bars = grad(energy)(z)
        return bars[0].real ** 2 + bars[1].imag ** 3

    z, h = [0.5 + 1j, 0.3 + 0.5j], 1e-5

    def moved(at, by):
        return slope([each + by * (at == k) for k, each in enumerate(z)])

    wanted = [
        sum(unit * (moved(at, h * unit) - moved(at, -h * unit)) / (2 * h) for unit in (1, 1j))
        for at in range(2)
    ]
    assert gradient(slope, z)[0] == pytest.approx(wanted, rel=1e-5)
    assert gradient(slope, tuple(z))[0] == pytest.approx(tuple(wanted), rel=1e-5)


def largest_by_smallest(x):
    found = x.tolist()
    return max(found) * min(found) + max(found[0], 2.0 * x[1], 0.5) ** 2


@pytest.mark.parametrize("x", [[1.0, 2.0, -3.0], [3.0, 0.2, 0.3], [0.1, 0.2, 9.3]])
def test_the_largest_and_the_smallest_of_a_list(x):
    x, v = np.array(x), np.array([1.0, -1.0, 0.5])
    expected = differences(lambda p: gradient(largest_by_smallest, p)[0] @ v, (x,))
    for _ in range(3):
        assert hvp(largest_by_smallest, x, v) == pytest.approx(expected, abs=1e-5)


def test_where_max_has_a_choice_the_second_derivative_is_that_of_the_shared_slope():
    x, v = np.array([2.0, 2.0]), np.array([1.0, 0.0])
    of_a_list, of_two = lambda x: max(x.tolist()) ** 2, lambda x: max(x[0], x[1]) ** 2
    for f in (of_a_list, of_two):
        assert hvp(f, x + v, v) == pytest.approx([2.0, 0.0])
        assert gradient(f, x) == (pytest.approx([2.0, 2.0]),)
        assert hvp(f, x, v) == pytest.approx([0.5, 0.5])  # of (x[0] / 2 + x[1] / 2) ** 2
