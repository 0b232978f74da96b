"""Data that a function captures or finds among its globals: read by name, specialised by kind."""

import numpy as np
import pytest

import astad
from astad.testing import check_gradient

MATRIX = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0]])
SCALE = 2.0
TIED = np.array([1.0, 2.0, 3.0])


def of_globals(w):
    return SCALE * np.sum((MATRIX @ w) ** 2)


def forms(f):
    """Names of the functions that were generated for it."""
    from astad.runtime.core.variants import variants_of

    return [
        made.text.source.split("(")[0] for each in variants_of(f).fused.values() for made in each
    ]


def test_globals_are_no_reason_for_dispatch():
    w = np.array([0.5, 1.0, -1.0])
    expected = 4.0 * MATRIX.T @ (MATRIX @ w)
    np.testing.assert_allclose(astad.gradient(of_globals, w)[0], expected, rtol=1e-14)
    assert forms(of_globals) == ["def of_globals_gradient"]


def test_globals_that_are_bound_anew(monkeypatch):
    w = np.array([0.5, 1.0, -1.0])
    before = len(forms(of_globals))
    for scale in (1.0, 3.0, 5.0):
        monkeypatch.setitem(globals(), "SCALE", scale)
        expected = 2.0 * scale * MATRIX.T @ (MATRIX @ w)
        np.testing.assert_allclose(astad.gradient(of_globals, w)[0], expected, rtol=1e-14)
    assert len(forms(of_globals)) <= max(before, 1)  # the value of a float is none of the text's
    for other in (np.ones((4, 3)), np.ones(3), np.ones((2, 3), np.float32), [[1.0, 2.0, 3.0]]):
        monkeypatch.setitem(globals(), "MATRIX", other)
        matrix = np.asarray(other)
        expected = 10.0 * matrix.T @ np.atleast_1d(matrix @ w) if matrix.ndim > 1 else None
        if expected is None:
            expected = 10.0 * matrix * (matrix @ w)
        np.testing.assert_allclose(astad.gradient(of_globals, w)[0], expected, rtol=1e-6)


def test_closures():
    def of(matrix, scale, label):
        def f(w):
            if label == "plain":
                return scale * np.sum(matrix @ w)
            return scale * np.sum((matrix @ w) ** 2)

        return f

    w = np.array([0.5, 1.0, -1.0])
    for scale in (1.0, 2.0, np.float64(3.0), 4):
        for label in ("plain", "square"):
            check_gradient(of(MATRIX, scale, label), w)
    check_gradient(of(MATRIX.T, 2.0, "square"), np.array([0.5, 1.0]))
    f = of(MATRIX, 2.0, "square")
    both = astad.value_and_grad(f)
    assert [both(w)[0] for _ in range(3)] == [f(w)] * 3
    assert forms(f) != []


def test_a_float_closure_takes_the_short_way_with_its_own_data():
    def of(a):
        return lambda x: a * x * x

    first, second = (astad.grad(of(a)) for a in (2.0, 3.0))
    assert [first(1.5), second(1.5), first(1.5), second(1.5)] == [6.0, 9.0, 6.0, 9.0]


def test_a_captured_variable_bound_later_or_anew():
    def f(x):
        return x * later

    with pytest.raises(NameError, match="later"):
        astad.gradient(f, 2.0)
    later = 3.0
    assert astad.gradient(f, 2.0) == (3.0,)
    later = 5.0
    assert astad.gradient(f, 2.0) == (5.0,)
    later = np.array([1.0, 2.0])
    np.testing.assert_array_equal(astad.pullback(f, 2.0)[1](np.ones(2))[0], 3.0)


def test_the_argument_is_also_the_captured_array():
    """One object under two names: the total, as everywhere."""

    def of(captured):
        return lambda w: np.sum(w * captured)

    w = np.array([1.0, 2.0, 3.0])
    for captured, expected in ((w, 2 * w), (w[:], 2 * w), (w[::-1], 2 * w[::-1]), (w + 0, w)):
        f = of(captured)
        for _ in range(2):
            np.testing.assert_array_equal(astad.gradient(f, w)[0], expected)


def of_tied(w):
    return np.sum(w * TIED)


def test_the_argument_is_also_a_global_array():
    apart = TIED + 0.0
    for w, expected in ((TIED, 2 * TIED), (apart, TIED), (TIED[:], 2 * TIED), (apart, TIED)):
        np.testing.assert_array_equal(astad.gradient(of_tied, w)[0], expected)


def test_a_closure_that_writes_its_variable():
    def counter():
        calls = 0

        def f(x):
            nonlocal calls
            calls += 1
            return x * x

        return f, lambda: calls

    f, calls = counter()
    assert astad.gradient(f, 3.0) == (6.0,)
    assert calls() == 1


def test_defaults_and_keywords():
    def f(w, matrix=MATRIX, *, scale=2.0):
        return scale * np.sum((matrix @ w) ** 2)

    w = np.array([0.5, 1.0, -1.0])
    for args, words in (
        ((), {}),
        ((), {"scale": 3.0}),
        ((), {"matrix": MATRIX + 1.0}),
        ((np.ones((1, 3)),), {"scale": np.float64(0.5)}),
    ):
        expected = astad.pullback(f, w, *args, **words)[1](1.0)
        for found, each in zip(astad.gradient(f, w, *args, **words), expected, strict=True):
            np.testing.assert_allclose(found, each, rtol=1e-14)
    assert forms(f) != []
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        astad.gradient(f, w, other=1.0)


def test_the_argument_is_also_a_default():
    array = np.array([1.0, 2.0, 3.0])

    def f(w, other=array):
        return np.sum(w * other)

    generic = astad.pullback(f, array)[1](1.0)[0]
    for _ in range(2):
        np.testing.assert_array_equal(astad.gradient(f, array)[0], generic)
        np.testing.assert_array_equal(astad.gradient(f, array + 1.0)[0], array)


def test_a_captured_number_under_a_name_that_is_bound_again():
    def scaled_by(k):
        def f(x):
            y = k
            y = y * x
            return y * x + k

        return f

    f = scaled_by(2.5)
    assert astad.gradient(f, 1.3)[0] == pytest.approx(6.5)
    assert forms(f) == ["def f_gradient"]
    y, back = astad.pullback_self(f, 1.3)
    own, x_bar = back(1.0)
    assert (y, own.k, x_bar) == (pytest.approx(6.725), pytest.approx(2.69), pytest.approx(6.5))
