import warnings

import numpy as np
import pytest

import astad
from astad.rules import lookup
from astad.rules.numpy.spectra import inverse_gaps


def test_the_warning_names_the_pair():
    with pytest.warns(RuntimeWarning, match="eigenvalues 1 and 2 are equal"):
        found = inverse_gaps(np.array([1.0, 3.0, 3.0]), "eigenvalue")
    assert np.isnan(found[1, 2])
    assert np.isnan(found[2, 1])
    assert found[0].tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("fn", [np.linalg.eigh, np.linalg.eig])
def test_values_alone_divide_by_no_gap(fn):
    rule = lookup(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = rule.bind((np.eye(2),), {})
        assert np.array_equal(
            rule.pull(("a",))((np.ones(2), None), fn(np.eye(2)), *values)[0], np.eye(2)
        )


def test_a_vector_through_its_projector_does_not_depend_on_the_phase():
    a = np.array([[2.0, 1j, 0.3], [-1j, 3.0, 0.5j], [0.3, -0.5j, 4.0]])
    w, v = np.linalg.eigh(a)
    weight = np.array([[1.0, 0.2, 0.0], [0.0, 2.0, 0.0], [0.1, 0.0, 3.0]])
    seed = np.zeros((3, 3), complex)
    seed[:, 0] = (weight + weight.T) @ v[:, 0]  # of v[:, 0].conj() @ weight @ v[:, 0]
    found = lookup(np.linalg.eigh).pull(("a",))((None, seed), (w, v), a, "L")[0]
    h, along = 1e-6, np.array([[0.3, 0, 0], [1.0 - 2j, 0.1, 0], [0.5j, 0.2, 0.7]])

    def value(t):
        vector = np.linalg.eigh(a + t * along)[1][:, 0]
        return (vector.conj() @ weight @ vector).real

    np.testing.assert_allclose(
        np.sum(found.conj() * along).real, (value(h) - value(-h)) / (2 * h), rtol=1e-6
    )


def rotated(values, seed=3):
    """A symmetric matrix of these eigenvalues, which come out equal to rounding at best."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))
    a = q @ np.diag(values) @ q.T
    return (a + a.T) / 2


WEIGHTS = np.arange(1.0, 17.0).reshape(4, 4) / 8


def of_spectrum(f):
    def function(a):
        w, v = np.linalg.eigh(a)
        return np.sum(WEIGHTS * (v @ np.diag(f(w)) @ v.T))

    return function


@pytest.mark.parametrize("f", [np.exp, np.sqrt, np.log, lambda w: w * w])
@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-12])
def test_eigenvalues_that_are_equal_to_rounding_give_nan_and_not_noise(f, gap):
    with pytest.warns(RuntimeWarning, match="are equal"):
        (bar,) = astad.gradient(of_spectrum(f), rotated([1.0, 1.0 + gap, 2.0, 3.0]))
    assert np.isnan(bar).any()


def test_a_function_that_is_zero_at_the_identity_has_a_slope_there():
    with pytest.warns(RuntimeWarning, match="are equal"):
        (bar,) = astad.gradient(of_spectrum(np.log), np.eye(4))
    assert np.isnan(bar[1, 0])


def test_eigenvalues_a_little_apart_have_a_derivative():
    a = rotated([1.0, 1.0 + 1e-6, 2.0, 3.0])
    (bar,) = astad.gradient(of_spectrum(np.exp), a)
    h, e = 1e-5, np.zeros((4, 4))
    e[2, 1] = e[1, 2] = h
    f = of_spectrum(np.exp)
    assert abs(bar[2, 1] - (f(a + e) - f(a - e)) / (2 * h)) < 1e-6


def test_the_leading_vector_of_a_matrix_of_low_rank():
    x = np.random.default_rng(5).normal(size=(2, 4))

    def loading(x):
        w, v = np.linalg.eigh(x.T @ x)
        return np.sum(v[:, -1] ** 2 * np.arange(4.0)) * w[-1]

    (bar,) = astad.gradient(loading, x)
    h, e = 1e-6, np.zeros((2, 4))
    e[1, 2] = h
    assert abs(bar[1, 2] - (loading(x + e) - loading(x - e)) / (2 * h)) < 1e-7


def test_singular_values_that_are_equal_to_rounding():
    q = np.linalg.qr(np.random.default_rng(7).normal(size=(4, 4)))[0]

    def grown(a):
        u, s, vt = np.linalg.svd(a)
        return np.sum(WEIGHTS * (u @ np.diag(np.exp(s)) @ vt))

    with pytest.warns(RuntimeWarning, match="singular values 2 and 3 are equal"):
        (bar,) = astad.gradient(grown, rotated([3.0, 2.0, 1.0, 1.0]) @ q)
    assert np.isnan(bar).any()
