"""Rules of scipy.linalg as users meet them; the formulas are compared in test_registry.py."""

import warnings

import numpy as np
import pytest

import astad
from astad import gradient, pullback
from astad.errors import Unsupported
from astad.testing import check_gradient

linalg = pytest.importorskip("scipy.linalg")

A = np.array([[2.1, 0.4, -0.7], [0.3, 1.7, 0.6], [-0.5, 0.2, 2.6]])
B = np.array([0.7, -1.2, 0.4])


def test_log_density_of_a_gaussian_process_by_its_factor():
    def density(k, y):
        c = linalg.cho_factor(k + np.eye(3), lower=True)
        return -0.5 * y @ linalg.cho_solve(c, y) - np.sum(np.log(np.diag(c[0])))

    check_gradient(lambda a, y: density(a @ a.T, y), A, B)


def slopes_of_gradient(f, x, step=1e-5):
    """By differences."""
    steps = step * np.eye(len(x))
    moved = [gradient(f, x + e)[0] - gradient(f, x - e)[0] for e in steps]
    return pytest.approx(np.array(moved) / (2 * step), rel=1e-6, abs=1e-6)


def likelihood_by_factor(n, lower):
    places = np.linspace(0.0, 4.0, n)
    y = np.sin(3.0 * places)

    def loss(p):
        k = np.exp(-((places[:, None] - places) ** 2) * np.exp(p[0])) + np.exp(p[1]) * np.eye(n)
        c, is_lower = linalg.cho_factor(k, lower=lower)
        return y @ linalg.cho_solve((c, is_lower), y) + np.log(np.diag(c)).sum()

    return loss


def test_second_derivatives_of_a_gaussian_process_by_its_factor():
    f, x, v = likelihood_by_factor(3, lower=True), np.array([0.1, -1.0]), np.array([0.3, -0.7])
    found = astad.hessian(f, x)
    assert found == slopes_of_gradient(f, x)
    along = pytest.approx(found @ v)
    assert astad.jacobian(astad.grad(f), x) == pytest.approx(found)
    assert astad.hvp(f, x, v) == along
    assert gradient(lambda x: gradient(f, x)[0] @ v, x)[0] == along
    assert astad.jvp(lambda x: gradient(f, x)[0], (x,), (v,))[1] == along
    assert gradient(lambda x: astad.jvp(f, (x,), (v,))[1], x)[0] == along


@pytest.mark.parametrize("n, lower", [(3, False), (60, True)])
def test_hessian_of_a_gaussian_process_by_its_factor(n, lower):
    """60 rows are more than one block, and their entries are added by a product."""
    f, x = likelihood_by_factor(n, lower), np.array([0.1, -1.0])
    assert astad.hessian(f, x) == slopes_of_gradient(f, x)


def by_lu(p):
    return B @ linalg.lu_solve(linalg.lu_factor(A * p[0] + p[1]), B)


def by_ldl(p):
    low, d, _ = linalg.ldl(A + A.T + np.diag([p[0], p[1], p[0] * p[1]]))
    return np.sum(low) + np.sum(d)


def by_triangle(p):
    return B @ linalg.solve_triangular(A * p[0] + p[1], B, lower=True, trans="T")


@pytest.mark.parametrize("f", [by_lu, by_ldl, by_triangle])
def test_second_derivatives_through_factors_and_what_solves_with_them(f):
    x, v = np.array([1.1, 0.2]), np.array([1.0, -2.0])
    found = astad.hessian(f, x)
    assert found == slopes_of_gradient(f, x)
    assert gradient(lambda x: astad.jvp(f, (x,), (v,))[1], x)[0] == pytest.approx(found @ v)


@pytest.mark.parametrize("lower", [True, False])
def test_second_derivative_through_the_factor_of_a_band(lower):
    band = np.array([[4.0, 3.0], [0.5, 0.0]] if lower else [[0.0, 0.5], [4.0, 3.0]])

    def f(t):
        factor = linalg.cholesky_banded(band * t + 0.2, lower=lower)
        return B[:2] @ linalg.cho_solve_banded((factor, lower), B[:2])

    slope = (gradient(f, 1.1 + 1e-5)[0] - gradient(f, 1.1 - 1e-5)[0]) / 2e-5
    assert astad.hessian(f, 1.1) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("lower", [True, False])
def test_a_triangle_that_is_not_read_has_no_derivative(lower):
    other = np.triu(np.ones((3, 3)), 1) if lower else np.tril(np.ones((3, 3)), -1)
    k = A + 3 * np.eye(3)
    for f in (
        lambda a: np.sum(linalg.cholesky(a, lower=lower)),
        lambda a: np.sum(linalg.eigvalsh(a, lower=lower) ** 2),
        lambda a: np.sum(linalg.solve(a, B, assume_a="pos", lower=lower)),
        lambda a: np.sum(linalg.solve_triangular(a, B, lower=lower)),
    ):
        (g,) = gradient(f, k)
        assert np.all(g[other > 0] == 0) and np.any(g)
        check_gradient(f, k)


def test_the_other_triangle_of_cho_factor_is_the_matrix():
    """Up to SciPy 1.17; then it is 0."""
    a = A @ A.T
    is_kept = linalg.cho_factor(a)[0][2, 0] == a[2, 0]
    (g,) = gradient(lambda a: linalg.cho_factor(a)[0][2, 0], a)
    assert g[2, 0] == is_kept and np.sum(abs(g)) == is_kept


@pytest.mark.parametrize("a", [np.eye(3), np.zeros((3, 3)), np.diag([1.0, 1.0, 2.0])])
def test_functions_of_matrices_with_equal_eigenvalues(a):
    weights = np.arange(9.0).reshape(3, 3)
    for f in (linalg.expm, linalg.sinm, linalg.sinhm, linalg.tanm):
        check_gradient(lambda a, f=f: np.sum(weights * f(a)), a)
    if np.any(a):
        for f in (linalg.sqrtm, linalg.logm, linalg.cosm):
            check_gradient(lambda a, f=f: np.sum(weights * f(a)), a)
        check_gradient(lambda a: np.sum(weights * linalg.polar(a)[0]), a)


def test_singular_values_of_a_unit_matrix_and_their_vectors():
    (g,) = gradient(lambda a: np.sum(linalg.svd(a, compute_uv=False)), np.eye(2))
    np.testing.assert_array_equal(g, np.eye(2))
    with pytest.warns(RuntimeWarning, match="are equal"):
        (g,) = gradient(lambda a: np.sum(linalg.svd(a)[0] * B[:2]), np.eye(2))
    assert np.isnan(g).any()


def test_the_projector_on_a_null_space_has_a_derivative_and_its_basis_has_none():
    def projector(a):
        n = linalg.null_space(a)
        return np.sum(np.arange(9.0).reshape(3, 3) * (n @ n.T))

    check_gradient(projector, A[:1])
    check_gradient(projector, A[:2])
    with pytest.raises(Unsupported, match="basis"):
        gradient(lambda a: np.sum(linalg.null_space(a) ** 3), A[:1])


def test_the_phase_of_a_complex_schur_basis_is_refused():
    with pytest.raises(Unsupported, match="phase"):
        gradient(lambda a: np.sum(linalg.schur(a + 1j * A.T)[1].real), A)
    check_gradient(lambda a: np.sum(abs(linalg.schur(a + 1j * A.T)[1]) * A), A)


def test_arrays_that_scipy_may_overwrite():
    def f(a):
        k = np.asfortranarray(a @ a.T + np.eye(3))
        c = linalg.cho_factor(k, lower=True, overwrite_a=True)
        x = linalg.solve(np.asfortranarray(a), B, overwrite_a=True)
        return np.sum(linalg.cho_solve(c, x)) + np.sum(np.log(np.diag(c[0])))

    check_gradient(f, A)

    def g(d):
        return np.sum(linalg.solve_banded((1, 1), abs(d) + 1, d[0] * 1.0, True, True) ** 2)

    check_gradient(g, A)


def test_what_is_left_in_an_overwritten_array_is_refused():
    def f(a):
        k = np.asfortranarray(a @ a.T + np.eye(3))
        linalg.cholesky(k, overwrite_a=True)
        return np.sum(k)

    with pytest.raises(Unsupported, match="may be overwritten"):
        gradient(f, A)


@pytest.mark.slow
def test_steady_states():
    q, r, b = np.eye(3), np.eye(2), np.array([[1.0, 0.2], [0.1, 1.0], [0.5, -0.4]])
    weights = np.arange(9.0).reshape(3, 3)
    for solve in (linalg.solve_continuous_are, linalg.solve_discrete_are):
        check_gradient(lambda a, b, s=solve: np.sum(weights * s(a, b, q, r)), 0.4 * A, b)


def test_a_root_that_is_complex_where_the_matrix_is_real():
    def f(a):
        return np.sum(np.imag(linalg.sqrtm(-(a @ a.T) - np.eye(3))) * A)

    check_gradient(f, A)


def test_lists_of_rows_are_matrices():
    (g,) = gradient(lambda a: linalg.det(a), [[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_allclose(g, [[5.0, -3.0], [-2.0, 1.0]])


def test_single_precision_is_kept():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (linalg.expm, linalg.inv, linalg.cholesky, linalg.eigvalsh):
            (g,) = gradient(lambda a, f=f: np.sum(f(a)), (A @ A.T).astype(np.float32))
            assert g.dtype == np.float32


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_what_no_phase_of_generalised_vectors_changes(kind):
    def f(a, b):
        w, v = linalg.eigh(a, b, type=kind)
        return np.sum(np.arange(1.0, 10.0).reshape(3, 3) * np.abs(v) ** 2) + w[1]

    a = np.array([[2.0, 0.3 + 0.1j, 0.2], [0.3 - 0.1j, 3.0, 0.1j], [0.2, -0.1j, 4.5]])
    b = np.array([[1.0, 0.1j, 0.2], [-0.1j, 2.0, 0.3 - 0.2j], [0.2, 0.3 + 0.2j, 1.5]])
    assert check_gradient(f, a, b).outcome == "right"
    with pytest.raises(Unsupported, match="phase"):
        gradient(lambda a: np.sum(linalg.eigh(a, b, type=kind)[1].real ** 2), a)


def slope_of_values(a, b, weights):
    """The derivative of a weighted sum of finite eigenvalues, and what the pullback says of it."""
    rng = np.random.default_rng(3)
    by_a, by_b = rng.normal(size=a.shape), rng.normal(size=b.shape) * (b != 0)
    y, back = pullback(linalg.eigvals, a, b)
    a_bar, b_bar = back(np.where(np.isfinite(y), weights, 0.0))

    def moved(t):
        w = linalg.eigvals(a + t * by_a, b + t * by_b)
        w = w[np.isfinite(w)]
        near = [w[np.argmin(abs(w - value))] for value in y[np.isfinite(y)]]
        return np.sum(np.conj(weights[np.isfinite(y)]) * near).real

    said = np.sum(np.conj(a_bar) * by_a) + np.sum(np.conj(b_bar) * by_b)
    return (moved(1e-6) - moved(-1e-6)) / 2e-6, said.real


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_values_of_a_pencil_whose_second_matrix_may_be_singular(seed, zeros):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(4, 4)), np.diag([1.0, -2.0, 0.5, 3.0])
    b[:zeros] = 0.0
    weights = rng.normal(size=4) + 1j * rng.normal(size=4)
    expected, said = slope_of_values(a, b, weights)
    assert said == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_an_infinite_value_has_no_derivative():
    a, b = np.array([[1.0, 2.0], [3.0, 5.0]]), np.diag([1.0, 0.0])
    y, back = pullback(linalg.eigvals, a, b)
    assert np.isinf(y).any()
    assert all(np.isnan(bar).all() for bar in back(np.ones(2, complex)))


def test_sum_of_equal_values_of_a_pencil():
    rng = np.random.default_rng(1)
    basis, b, by = (rng.normal(size=(4, 4)) for _ in range(3))
    a = b @ basis @ np.diag([2.0, 2.0, 2.0, 3.0]) @ np.linalg.inv(basis)

    def trace(a, b):
        return linalg.eigvals(a, b).sum().real

    a_bar, b_bar = gradient(trace, a, b)
    inverse = np.linalg.inv(b)  # the sum is the trace of inv(B) A
    assert a_bar == pytest.approx(inverse.T, rel=1e-8)
    assert b_bar == pytest.approx(-(inverse @ a @ inverse).T, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", ["pbsv", "ptsv"])
def test_what_lapack_leaves_without_a_solution(name):
    solve = linalg.get_lapack_funcs(name, dtype=float)
    band = np.array([[1.0, 1.0, 1.0], [5.0, 5.0, 0.0]])

    def f(scale, read):
        given = (band[0] * scale, band[1, :-1]) if name == "ptsv" else (band * scale,)
        *_, x, info = solve(*given, np.ones(3)) if name == "ptsv" else solve(*given, np.ones(3), 1)
        return np.sum(x) if read or info == 0 else scale * scale

    assert gradient(f, 3.0, False)[0] == 6.0
    with pytest.raises(Unsupported, match="not positive definite"):
        gradient(f, 3.0, True)


def test_determinants_of_single_numbers_are_a_view_of_them():
    def scaled(a):
        a = 1.0 * a
        linalg.det(a)[...] *= 3.0
        return np.sum(a**2)

    def written(a):
        y = linalg.det(a)
        a[0] = 5.0
        return np.sum(y**2)

    a = np.array([2.0, 3.0]).reshape(2, 1, 1)
    assert gradient(scaled, a.copy())[0].ravel().tolist() == [36.0, 54.0]
    assert gradient(written, a.copy())[0].ravel().tolist() == [0.0, 6.0]
