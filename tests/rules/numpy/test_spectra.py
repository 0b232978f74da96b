import warnings

import numpy as np
import pytest

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
