"""Second derivatives where a component, a cotangent or a tangent is exactly 0: the first derivative
is 0 there by a rule of its own, and changes nevertheless. Each against a formula worked out by
hand.
"""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import astad
from astad import grad, gradient, hessian, hessian_diag, hvp, jacobian, jvp
from astad.errors import AstadError, Unsupported

pytestmark = pytest.mark.order_matters

POINT = np.array([0.0, 2.0])


def of_length(x):
    """The hessian of the length of a vector."""
    size = np.sqrt(np.sum(x * x))
    return np.eye(len(x)) / size - np.outer(x, x) / size**3


LENGTHS = {
    "of a row": lambda x: np.sum(np.linalg.norm(x[None, :], axis=1)),
    "of a column": lambda x: np.sum(np.linalg.norm(x[:, None], axis=0)),
    "order 2": lambda x: np.linalg.norm(x, 2),
    "frobenius": lambda x: np.linalg.norm(x[None, :], "fro"),
    "keepdims": lambda x: np.sum(np.linalg.norm(x[None, :], axis=-1, keepdims=True)),
    "vector_norm": lambda x: np.linalg.vector_norm(x),
    "matrix_norm": lambda x: np.linalg.matrix_norm(x[None, :]),
    "plain": lambda x: np.linalg.norm(x),
}


@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
def test_the_hessian_of_a_length_where_a_component_is_zero(length):
    wanted = of_length(POINT)
    v = np.array([1.0, -0.5])
    assert hessian(length, POINT) == pytest.approx(wanted, abs=1e-12)
    assert hvp(length, POINT, v) == pytest.approx(wanted @ v, abs=1e-12)
    assert hessian_diag(length, POINT) == pytest.approx(np.diag(wanted), abs=1e-12)
    assert jacobian(grad(length), POINT) == pytest.approx(wanted, abs=1e-12)
    assert gradient(lambda x: jvp(length, (x,), (v,))[1], POINT)[0] == pytest.approx(
        wanted @ v, abs=1e-12
    )


def test_the_square_of_a_length_and_a_chain_along_an_axis():
    rows = np.array([[0.0, 2.0]])
    second = hessian(lambda x: np.sum(np.linalg.norm(x, axis=1) ** 2), rows)
    assert second.reshape(2, 2) == pytest.approx(2 * np.eye(2))

    def springs(x):
        return np.sum((np.linalg.norm(x[1:] - x[:-1], axis=1) - 1.0) ** 2)

    chain = np.array([[0.0, 0.0], [1.5, 0.0]])
    block = 2 * np.diag([1.0, 0.5 / 1.5])  # stiff along the spring, by its tension across
    found = hessian(springs, chain)
    assert found[0, :, 0] == pytest.approx(block)
    assert found[0, :, 1] == pytest.approx(-block)


def test_distances_and_singular_values():
    distance = pytest.importorskip("scipy.spatial.distance")
    linalg = pytest.importorskip("scipy.linalg")
    wanted = of_length(POINT)
    assert hessian(lambda x: distance.euclidean(x, np.zeros(2)), POINT) == pytest.approx(wanted)
    origin = np.zeros((1, 2))
    assert hessian(lambda x: distance.cdist(x[None, :], origin)[0, 0], POINT) == pytest.approx(
        wanted
    )
    assert hessian(lambda x: distance.minkowski(x, origin[0], 2), POINT) == pytest.approx(wanted)
    found = gradient(lambda x: jvp(linalg.norm, (x,), (np.array([1.0, 0.0]),))[1], POINT)[0]
    assert found == pytest.approx(wanted[0])
    a, b = 3.0, 2.0
    second = hessian(lambda x: np.linalg.norm(x, 2), np.diag([a, b]))
    assert second[0, 1, 0, 1] == pytest.approx(a / (a * a - b * b))
    assert second[0, 1, 1, 0] == pytest.approx(b / (a * a - b * b))


def log_of_square(x):
    return np.log(1.0 + x * x)


SLOPES = {
    "sqrt": (np.sqrt, 0.5 / math.sqrt(0.4)),
    "log": (np.log, 1 / 0.4),
    "log1p": (np.log1p, 1 / 1.4),
    "log2": (np.log2, 1 / (0.4 * math.log(2))),
    "log10": (np.log10, 1 / (0.4 * math.log(10))),
    "arcsin": (np.arcsin, 1 / math.sqrt(1 - 0.16)),
    "arctanh": (np.arctanh, 1 / (1 - 0.16)),
    "cbrt": (np.cbrt, 0.4 ** (-2 / 3) / 3),
    "reciprocal": (np.reciprocal, -1 / 0.16),
    "math.pow": (lambda x: math.pow(x, 2), 0.8),
    "power of a float": (lambda x: x**2.0, 0.8),
    "quotient": (lambda x: 1.0 / np.float64(x), -1 / 0.16),
}


@pytest.mark.parametrize(("fn", "slope"), SLOPES.values(), ids=SLOPES)
def test_a_jvp_is_linear_in_its_tangent_at_zero(fn, slope):
    def along(t):
        return jvp(fn, (0.4,), (t,))[1]

    assert grad(along)(0.0) == pytest.approx(slope)
    assert jvp(along, (0.0,), (1.0,))[1] == pytest.approx(slope)
    of_arrays = jvp(lambda t: jvp(fn, (0.4,), (t,))[1] * 2, (0.0,), (0.5,))[1]
    assert of_arrays == pytest.approx(slope)


def test_the_derivative_of_a_jvp_where_the_inner_slope_is_zero():
    def along(x):
        return jvp(log_of_square, (x,), (1.0,))[1]

    assert grad(along)(0.0) == pytest.approx(2.0)
    assert jvp(along, (0.0,), (1.0,))[1] == pytest.approx(2.0)

    def waves(x):
        return np.sqrt(1 + x * x) * np.log(2 + x)

    laplacian = jvp(lambda x: jvp(waves, (x,), (1.0,))[1], (0.0,), (1.0,))[1]
    assert laplacian == pytest.approx(math.log(2) - 0.25)


def test_sensitivities_that_begin_with_zero():
    def rate(y, k):
        return -k * np.sqrt(y)

    def by_jvp(k, s):
        y = 1.0
        for _ in range(3):
            dy, ds = jvp(rate, (y, k), (s, 1.0))
            y, s = y + 0.1 * dy, s + 0.1 * ds
        return s

    def by_hand(k, s):
        y = 1.0
        for _ in range(3):
            dy, ds = -k * math.sqrt(y), -math.sqrt(y) - k * 0.5 / math.sqrt(y) * s
            y, s = y + 0.1 * dy, s + 0.1 * ds
        return s

    found = gradient(by_jvp, 0.5, 0.0)
    assert found == pytest.approx(gradient(by_hand, 0.5, 0.0))
    assert found[1] == pytest.approx(0.92497488562)


@pytest.mark.parametrize(("n", "wanted"), [(0, 0.0), (1, 0.0), (2, 2.0), (3, 0.0), (2.0, 2.0)])
def test_powers_at_zero_whose_exponent_is_a_name(n, wanted):
    powers = [lambda x: x**n, lambda x: math.pow(x, n), lambda x: pow(x, n)]
    for power in powers[: 2 + (type(n) is int)]:
        assert grad(grad(power))(0.0) == wanted
        assert grad(lambda x, f=power: jvp(f, (x,), (1.0,))[1])(0.0) == wanted
        assert jvp(lambda x, f=power: jvp(f, (x,), (1.0,))[1], (0.0,), (1.0,))[1] == wanted
    assert hessian(lambda x: np.float64(x) ** n, 0.0) == wanted
    assert hessian(lambda x: np.power(x, n), np.float64(0.0)) == wanted
    assert hessian(lambda x: np.sum(x**n), np.zeros(1))[0, 0] == wanted


def test_a_power_at_zero_by_base_and_exponent():
    found = grad(lambda x: jvp(lambda z, n: z**n, (x, 2), (1.0, 0.0))[1])(0.0)
    assert found == 2.0
    with pytest.raises(Unsupported, match="at a point where the first has a formula of its own"):
        grad(lambda x: jvp(lambda z, n: z**n, (x, 1.0), (1.0, 1.0))[1])(0.0)
    assert grad(grad(lambda x, n=1.5: x**n))(0.0) == math.inf


def by_minors(a):
    """The hessian of a determinant."""
    n = len(a)
    found = np.zeros((n,) * 4)
    for i, j, k, m in np.ndindex(found.shape):
        if i != k and j != m:
            unit = np.delete(np.delete(a, [i, k], 0), [j, m], 1)
            sign = (-1) ** (i + j + (k - (k > i)) + (m - (m > j)))
            found[i, j, k, m] = sign * np.linalg.det(unit)
    return found


@pytest.mark.parametrize(
    "a",
    [
        np.zeros((2, 2)), np.zeros((3, 3)), np.diag([0.0, 2.0]), np.diag([2.0, 0.0, 0.0]),
        np.array([[1.0, 2.0], [2.0, 4.0]]), np.eye(3), np.diag([1.0, 2.0, 0.0, 0.0]),
    ],
    ids=lambda a: f"rank {np.linalg.matrix_rank(a)} of {len(a)}",
)  # fmt: skip
def test_the_determinant_is_a_polynomial_at_singular_matrices_too(a):
    wanted = by_minors(a)
    v = np.linspace(-1.0, 1.0, a.size).reshape(a.shape)
    along = np.einsum("ijkl,kl", wanted, v)
    assert hessian(np.linalg.det, a) == pytest.approx(wanted, abs=1e-12)
    assert hvp(np.linalg.det, a, v) == pytest.approx(along, abs=1e-12)
    found = gradient(lambda a: jvp(np.linalg.det, (a,), (v,))[1], a)[0]
    assert found == pytest.approx(along, abs=1e-12)
    stacked = gradient(lambda s: np.sum(np.linalg.det(s) ** 2), np.stack([a, 2 * a]))[0]
    assert np.all(np.isfinite(stacked))


@pytest.mark.parametrize("root", [np.sqrt, math.sqrt, np.cbrt, lambda x: x**0.5])
def test_the_slope_of_a_root_at_zero_has_no_derivative(root):
    def along(x):
        return jvp(root, (x,), (1.0,))[1]

    try:
        assert grad(along)(0.0) == -math.inf
    except AstadError as error:
        assert "a derivative of a derivative" in str(error)


SCRIPT = """
import astad
from astad import grad

SCALE = 2.0

def f(x):
    return SCALE * x**3

def df(x):
    return grad(f)(x)

def helper(x):
    return SCALE * x

def g(x):
    return helper(x) ** 3

def dg(x):
    return astad.gradient(g, x)[0]

found = [
    astad.hessian(df, 1.5), grad(grad(grad(f)))(1.5), grad(grad(df))(1.5), astad.hvp(df, 1.5, 1.0),
    astad.jacobian(grad(df), 1.5), grad(lambda x: grad(lambda y: grad(f)(y))(x))(1.5),
]
assert all(abs(each - 12.0) < 1e-12 for each in found), found
SCALE = 3.0
assert abs(astad.hessian(df, 1.5) - 18.0) < 1e-12
assert abs(astad.hessian(dg, 1.0) - 162.0) < 1e-9
print("right")
"""


@pytest.mark.parametrize("way", ["script", "module"])
def test_third_derivatives_in_a_script_that_reads_its_globals(tmp_path, way):
    (tmp_path / "third.py").write_text(SCRIPT)
    how = ["third.py"] if way == "script" else ["-m", "third"]
    ran = subprocess.run(
        [sys.executable, *how],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert ran.stdout == "right\n", ran.stderr


def test_derivatives_inside_are_answered_while_each_cotangent_is_checked():
    w = np.array([0.5, 1.5])

    def by_pullback(w):
        return np.sum(astad.pullback(lambda z: z**3, w)[1](np.ones(2))[0])

    def by_vjp(w):
        _, back = astad.vjp(lambda z: z**3, w)
        return np.sum(back(np.ones(2))[0])

    def by_value(w):
        y, _ = astad.pullback(lambda z: z * z * z, w)
        return np.sum(y)

    def by_jacobian(w):
        return np.sum(jacobian(lambda z: z**3, w))

    def by_hessian(w):
        return np.sum(hessian(lambda z: np.sum(z**4), w)) / 4

    for f in (by_pullback, by_vjp, by_jacobian, by_value, by_hessian):
        plain = gradient(f, w)[0]
        with astad.checked():
            assert gradient(f, w)[0] == pytest.approx(plain)


def test_what_was_looked_at_is_differentiated_as_before():
    w = np.array([0.5, 1.5])

    def h(w):
        return np.sum(hessian(lambda z: np.sum(z**4), w))

    for look in ("profile", "explain", "profile"):
        str(getattr(astad, look)(h, w))
    assert gradient(h, w)[0] == pytest.approx([12.0, 36.0])
    assert astad.why_none(h, w) is not None


# --- roots of squares at 0: what is 0 times infinity is 1 beside it


def sprung(p):
    return math.sqrt((p[0] - p[2]) ** 2 + (p[1] - p[3]) ** 2) ** 2


def kernel(x):
    return np.sum(np.exp(-(np.sqrt((x[:, None] - x[None, :]) ** 2) ** 2)))


ROOTS = [
    (lambda x: np.sqrt(x @ x) ** 2, np.zeros(2)),
    (lambda x: math.sqrt(x[0] ** 2 + x[1] ** 2) ** 2, np.zeros(2)),
    (lambda x: np.exp(-(np.sqrt(np.sum(x**2)) ** 2) / 2), np.zeros(2)),
    (lambda x: 1 - np.cos(np.sqrt(np.sum(x**2))), np.zeros(2)),
    (lambda x: np.sum((x**2) ** 0.5 * (x**2) ** 0.5), np.zeros(2)),
    (lambda x: math.pow(x * x, 0.5) ** 2, 0.0),
    (lambda x: (x * x) ** 0.5 * (x * x) ** 0.5, 0.0),
    (lambda x: np.sqrt(x * x) ** 2, np.float64(0.0)),
    (sprung, np.ones(4)),
]


@pytest.mark.parametrize(("f", "at"), ROOTS)
@pytest.mark.parametrize("again", range(3))
def test_the_square_of_a_root_where_it_is_zero_is_refused(f, at, again):
    with pytest.raises(AstadError):
        hessian(f, at)
    with pytest.raises(AstadError):
        hvp(f, at, np.ones_like(at) if np.ndim(at) else 1.0)
    with pytest.raises(AstadError):
        gradient(lambda x: np.sum(gradient(f, x)[0]), at)
    beside = at + 0.5 if np.ndim(at) == 0 else at + np.linspace(0.3, 0.7, np.size(at))
    (ahead,), (behind,) = (gradient(f, beside + step) for step in (1e-6, -1e-6))
    v = np.ones_like(beside) if np.ndim(at) else 1.0
    assert hvp(f, beside, v) == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-6)
    assert np.all(np.equal(gradient(f, at)[0], 0.0))


def test_a_distance_that_nobody_uses_and_one_kept_from_zero():
    points = np.array([[0.0, 0.0], [1.0, 0.2], [0.3, 1.1]])

    def squares(p):
        return np.sum((p[:, None] - p[None]) ** 2, axis=-1)

    def energy(p):
        distances = np.sqrt(squares(p) + np.eye(3))
        return np.sum((1.0 / distances - np.eye(3)) ** 2)

    def guarded(p):
        near = squares(p) == 0
        return np.sum(np.where(near, 0.0, 1.0 / np.where(near, 1.0, squares(p))))

    found, wanted = hessian(energy, points), hessian(guarded, points)
    assert found == pytest.approx(wanted, rel=1e-10)
    for at in (np.zeros(2), np.array([0.3, 1.0])):  # that of each point to itself is 0
        with pytest.raises(AstadError, match="a second np.where"):
            hessian(kernel, at)
    with pytest.raises(AstadError, match="a second np.where"):
        hessian(lambda p: np.sum(np.where(squares(p) > 0, np.exp(-np.sqrt(squares(p))), 0)), points)
