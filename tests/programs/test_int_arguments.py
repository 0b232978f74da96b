"""Programs whose arguments are ints: they have the gradient that they have of floats."""

import fractions
import statistics

import numpy as np
import pytest

from astad import gradient
from tests.compiler.forms import only_generic


def put(a, n):
    a[0] = n


def stored(n):
    a = np.arange(3)
    a[0] = n
    a[1] += n
    return np.sum(a * a) * 1.0


def filled(n):
    a = np.arange(3)
    a.fill(n)
    return np.sum(a * a) * 1.0


def by_callee(n):
    a = np.arange(3)
    put(a, n)
    return np.sum(a * a) * 1.0


def by_view(n):
    a = np.arange(4)
    b = a.reshape(2, 2).T
    b[0][1] = n
    return a[2] * 1.0


def in_object(n):
    class Box:
        pass

    box, a = Box(), np.arange(4)
    box.a = a
    box.a[1] = n
    return a[1] * 1.0


def in_place(n):
    a = np.arange(4)
    a[:2] += n
    np.multiply(a, n, out=a)
    return np.sum(a) * 1.0


def at_mask(n):
    a = np.arange(4)
    a[a > 1] = n * n
    return np.sum(a) * 1.0


def in_loop(n):
    a, s = np.arange(4), 0.0
    for i in range(4):
        s += a[i]
        a[3 - i] = n
    return s


WITH_RANGES = [
    (lambda n: np.sum(np.arange(3) * n) * 1.0, 3),
    (lambda n: np.sum((np.arange(3) + n) ** 2) * 1.0, 18),
    (lambda n: np.sum(np.arange(n, n + 3) * 2.0), 6),
    (lambda n: np.sum(np.arange(start=n, stop=9) * 1.0), 7),
    (lambda n: np.sum(np.arange(0, 4, n) * 1.0), 1),
    (lambda n: np.sum(np.arange(n) * 1.0), 0),
    (lambda n: float((np.arange(5) * n)[2]), 2),
    (lambda n: np.sum(np.where(np.arange(3) > 0, np.arange(3) * n, 1.0)), 3),
    (lambda n: np.arange(3) @ (np.arange(3) * n) * 1.0, 5),
    (stored, 10), (filled, 12), (by_callee, 4), (by_view, 1), (in_object, 1), (in_place, 14),
    (at_mask, 8), (in_loop, 2),
]  # fmt: skip


@pytest.mark.parametrize(("f", "wanted"), WITH_RANGES)
def test_arrays_of_ints_that_the_program_makes(f, wanted):
    assert [gradient(f, 2)[0] for _ in range(2)] == [wanted, wanted]
    with only_generic():
        assert gradient(f, 2) == (wanted,)


NARROW = {
    "arctan": (np.arctan, lambda x: 1 / (1 + x * x)),
    "arcsinh": (np.arcsinh, lambda x: (1 + x * x) ** -0.5),
    "quotient": (lambda x: 7.0 / x, lambda x: -7.0 / (x * x)),
    "logaddexp": (lambda x: np.logaddexp(x, 3.0), lambda x: 1 / (1 + np.exp(3.0 - x))),
}


@pytest.mark.parametrize(("dtype", "value"), [("i1", 100), ("u1", 200), ("i2", 1000), ("i8", 4e9)])
@pytest.mark.parametrize("name", NARROW)
def test_formulas_do_not_overflow_where_the_function_does_not(name, dtype, value):
    f, slope = NARROW[name]
    n = np.array([value, 3]).astype(dtype)
    wanted = slope(n.astype(float))
    for given in (n, n.tolist()) if name != "quotient" else (n,):
        (found,) = gradient(lambda x: np.sum(f(x)), given)
        np.testing.assert_allclose(found, wanted, rtol=1e-3)  # int8 gives float16
    assert gradient(f, n[0])[0] == pytest.approx(wanted[0], rel=1e-3)


def test_powers_in_place_and_under_a_mask():
    def raised(n):
        n = n * 1
        n **= 7
        return np.sum(n) * 1.0

    def masked(n):
        return np.sum(np.arctan(n, out=np.zeros(2), where=np.array([True, False])))

    assert gradient(raised, np.array([2, 1], np.uint8))[0].tolist() == [448.0, 7.0]
    found = gradient(masked, np.array([1000, 9], np.int16))[0]
    assert found.tolist() == [pytest.approx(1 / 1000001), 0.0]


def test_powers_of_ints_with_negative_exponents():
    special = pytest.importorskip("scipy.special")
    assert gradient(lambda n: np.sum(np.float_power(n, [-2, -1])), np.array([2, 3]))[
        0
    ].tolist() == pytest.approx([-0.25, -1 / 9])
    assert gradient(lambda n, m: special.boxcox(n, m), 2, -3) == pytest.approx(
        gradient(lambda n, m: special.boxcox(n, m), 2.0, -3.0)
    )


POWERS_OF_INTS = {
    "boxcox": (lambda s: s.boxcox, 10, 30),
    "boxcox of a negative exponent": (lambda s: s.boxcox, 2, -3),
    "boxcox1p": (lambda s: s.boxcox1p, 9, 30),
    "inv_boxcox1p": (lambda s: s.inv_boxcox1p, 9, 3),
    "xlogy": (lambda s: s.xlogy, 3 * 10**9, 7),
}


@pytest.mark.parametrize("name", POWERS_OF_INTS)
def test_numpy_computes_with_ints_as_the_machine_does_in_no_call(name):
    """The third call of a rule has a text of its own, in which ``np.power(10, 29)`` is no float."""
    special = pytest.importorskip("scipy.special")
    of, *ints = POWERS_OF_INTS[name]
    fn = of(special)
    wanted = pytest.approx(gradient(lambda x, y: fn(x, y), *map(float, ints)), rel=1e-12)
    for _ in range(4):
        assert gradient(lambda x, y: fn(x, y), *ints) == wanted


CAST = {
    "astype": lambda n: np.sum(n.astype(np.int32) * n),
    "asarray": lambda n: np.sum(np.asarray(n, dtype=np.int32) * n),
    "by elements": lambda n: np.sum(np.array([n[0], n[1], n[2]], dtype=int) * n),
    "full": lambda n: np.sum(np.full(3, n, dtype=int) * n),
    "full_like": lambda n: np.sum(np.full_like(np.zeros(3), n, dtype=int) * n),
    "objects": lambda n: np.sum(n.astype(object).astype(int) * n),
    "there and back": lambda n: np.sum(n.astype(float).astype(int) * n),
    "vectorize": lambda n: np.sum(np.vectorize(lambda u: u * u)(n)),
    "einsum": lambda n: np.einsum("i,i,i->", n, n, np.ones(3, int), dtype=int),
    "view": lambda n: np.sum(n[0].view(np.ndarray) * n[:1]) + n[1] ** 2 + n[2] ** 2,
}


@pytest.mark.parametrize("name", CAST)
def test_ints_cast_to_ints(name):
    cast = CAST[name]
    for _ in range(2):
        assert gradient(cast, np.array([2, 3, 4]))[0].tolist() == [4.0, 6.0, 8.0]


def test_of_ints_and_floats_only_the_ints_go_through():
    def made(n, x):
        return np.sum(np.array(((n, x), (x, n)), dtype=int) * 2)

    def of_objects(n, x):
        return np.sum(np.array([n, x], dtype=object).astype(int))

    assert gradient(made, 3, 4.5) == (4.0, 0.0)
    assert gradient(of_objects, 3, 4.5) == (1.0, 0.0)


@pytest.mark.parametrize(
    "f",
    [
        statistics.mean, statistics.variance, statistics.pvariance, statistics.harmonic_mean,
        lambda data: statistics.variance(data, statistics.mean(data)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("data", [[7, 3, 2], [8, 3, 2], [5, 1, 3], [1, 2, 6, 7]])
def test_statistics_that_are_whole_numbers(f, data):
    found = gradient(f, data)[0]
    assert list(map(float, found)) == pytest.approx(gradient(f, list(map(float, data)))[0])


def test_statistics_of_numpy_ints_round():
    data = [np.int64(7), np.int64(3), np.int64(3)]
    assert statistics.mean(data) == 4
    assert gradient(statistics.mean, data)[0] == [0, 0, 0]


def test_statistics_of_fractions():
    data = [fractions.Fraction(7, 2), fractions.Fraction(1, 2)]
    assert gradient(statistics.mean, data)[0] == [fractions.Fraction(1, 2)] * 2


@pytest.mark.parametrize("bins", [3, [0, 2, 5, 9]])
@pytest.mark.parametrize("limits", [None, (1, 6)])
def test_weights_of_a_histogram(bins, limits):
    data, scale = np.array([0.5, 2.5, 3.5, 8.0]), np.array([1.0, 2.0, 4.0])

    def f(w):
        return np.sum(np.histogram(data, bins, limits, weights=w)[0] * scale)

    w = np.array([3, 1, 4, 2])
    assert gradient(f, w)[0].tolist() == gradient(f, w * 1.0)[0].tolist()
