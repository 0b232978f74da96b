"""Functions of NumPy whose results are known by what they are told: they are written out."""

import numpy as np
import pytest

import astad

V = np.array([0.7, 1.3, 0.9, 1.8, 1.1])
M = np.array([[0.7, 1.3, 0.9, 1.8], [1.1, 0.6, 1.4, 1.2], [0.8, 1.7, 0.5, 1.6]])


def is_fused(f, *args):
    return "nothing is left to the run time" in str(astad.explain(f, *args))


def differences(f, x, step=1e-6):
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        moved = np.zeros(x.shape)
        moved[at] = step
        out[at] = (f(x + moved) - f(x - moved)) / (2 * step)
    return out


def copied_and_written(v):
    w = np.array(v, dtype=float)
    w[0] = w[1] * w[0]
    return np.sum(w**2) + np.sum(np.array(v) * v)


def copied_counts(v):
    return np.sum(v * np.array(np.arange(5)) + np.array(v > 1.0) * v)


def slopes_by_axis(m):
    down, along = np.gradient(m)
    return np.sum(down * along**2)


def slope_along_one(m):
    return np.sum(np.gradient(m, 0.1, axis=1, edge_order=2) ** 3) + np.sum(np.gradient(m)[0])


def slope_of_a_vector(v):
    places = np.array([0.0, 0.4, 1.0, 1.3, 2.1])
    return np.sum(v * np.gradient(v, 0.3) ** 2) + np.sum(np.gradient(v, places) ** 3)


def chosen_by_places(m):
    i, j = np.where(m > 1.0)
    (k,) = np.nonzero(m[0] > 0.8)
    return np.sum(m[i, j] ** 2) + np.sum(m[0][k]) + m[1][np.where(m[1] > 1.0)[0][0]]


def places_as_a_subscript(m):
    return np.sum(m[np.where(m > 1.0)] ** 2) * np.sum(m[np.nonzero(m < 1.0)])


def by_two_vectors(v):
    u = np.cos(np.arange(5.0))
    return np.cov(v, u)[0, 1] / np.var(v) + np.corrcoef(v * v, u)[0, 1]


def found_in_a_table(v):
    edges = np.array([0.0, 0.5, 1.0, 1.5])
    heights = v[:4] ** 2
    i = np.searchsorted(edges, v[1])
    return heights[i] * np.sum(heights[np.searchsorted(edges, v, side="right") - 1])


CASES = [
    (by_two_vectors, V),
    (found_in_a_table, V),
    (copied_and_written, V),
    (copied_counts, V),
    (slopes_by_axis, M),
    (slope_along_one, M),
    (slope_of_a_vector, V),
    (chosen_by_places, M),
    (places_as_a_subscript, M),
]


@pytest.mark.parametrize("f, x", CASES, ids=[f.__name__ for f, _ in CASES])
def test_they_are_written_out(f, x):
    assert is_fused(f, x)
    wanted = differences(f, x)
    for given in (x, np.asfortranarray(x), x.copy()):
        np.testing.assert_allclose(astad.gradient(f, given)[0], wanted, rtol=1e-5, atol=1e-7)
    assert astad.gradient(f, x.astype(np.float32))[0].dtype == np.float32
    change = astad.jvp(f, (x,), (np.ones_like(x),))[1]
    np.testing.assert_allclose(change, np.sum(wanted), rtol=1e-6)


@pytest.mark.parametrize("f, x", CASES, ids=[f.__name__ for f, _ in CASES])
def test_products_with_their_second_derivatives(f, x):
    by, step = np.cos(np.arange(x.size)).reshape(x.shape), 1e-5
    ends = [astad.gradient(f, x + way * step * by)[0] for way in (1, -1)]
    wanted = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(astad.hvp(f, x, by), wanted, rtol=1e-4, atol=1e-5)


def test_a_copy_is_no_view():
    def first(v):
        w = np.array(v)
        v[0] = 5.0 * v[1]
        return w[0] * v[0]

    assert astad.gradient(first, np.array([2.0, 3.0]))[0].tolist() == [15.0, 10.0]


def test_no_places_and_no_entries():
    assert astad.gradient(places_as_a_subscript, np.zeros((0, 3)))[0].shape == (0, 3)
    none = astad.gradient(lambda v: np.sum(v[np.where(v > 100.0)[0]]) + v[0], V)[0]
    assert none.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_places_of_which_the_number_is_asked_as_well():
    def mean_of_large(m):
        at = np.where(m > 1.0)
        return np.sum(m[at]) / len(at[0])

    wanted = (M > 1.0) / np.sum(M > 1.0)
    np.testing.assert_allclose(astad.gradient(mean_of_large, M)[0], wanted)


SQUARE = np.frompyfunc(lambda v: v * v, 1, 1)


def contracted_beside_a_call(u):
    return np.einsum("i,i->", u, u, optimize=True) * SQUARE(u).sum()


def contracted_and_handed_out(u):
    return {"loss": np.einsum("i,i->", u, u, optimize=True), "u": 2.0 * u}


def contracted_into_an_array(u):
    y = np.empty(2)
    y[0], y[1] = np.einsum("i,i->", u, u, optimize="greedy"), SQUARE(u).sum()
    return y


def contracted_twice(u):
    return np.einsum("i,i->", u, u, optimize=True) + np.einsum("i->", u)


@pytest.mark.parametrize(
    "f, seed, wanted",
    [
        (contracted_beside_a_call, 1.0, [20.0, 40.0]),
        (contracted_and_handed_out, {"loss": 1.0, "u": np.zeros(2)}, [2.0, 4.0]),
        (contracted_into_an_array, np.array([1.0, 3.0]), [8.0, 16.0]),
        (contracted_twice, 1.0, [3.0, 5.0]),
    ],
)
def test_a_contraction_in_an_order_of_its_own_gives_an_array_without_axes(f, seed, wanted):
    """Which was taken for a number: its cotangent is found by the array that it is."""
    for _ in range(3):
        _, back = astad.pullback(f, np.array([1.0, 2.0]))
        np.testing.assert_allclose(back(seed)[0], wanted)
