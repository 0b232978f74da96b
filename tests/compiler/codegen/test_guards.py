"""A variant lets only such arguments pass as it was made for; others get one of their own."""

from fractions import Fraction

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import AstadError
from astad.runtime.core.variants import MOST


class Half(float):
    """A float that multiplies in its own way."""

    def __mul__(self, other):
        return float(self) * 0.5 * other


def test_many_kinds_of_arguments_one_after_the_other():
    def f(x, y):
        return x * y + x

    for _ in range(2):
        assert gradient(f, 1.5, 2.0) == (3.0, 1.5)
        assert gradient(f, 2, 3) == (4, 2)
        assert gradient(f, np.float64(1.5), 2) == (3.0, 1.5)
        assert gradient(f, np.float32(1.5), np.float32(2)) == (3.0, 1.5)
        assert gradient(f, Fraction(1, 2), Fraction(1, 3)) == (Fraction(4, 3), Fraction(1, 2))
        assert gradient(f, True, 2.0)[1] == 1
        x_bar, y_bar = gradient(lambda x, y: np.sum(f(x, y)), np.ones(2), np.ones((3, 2)))
        assert x_bar.tolist() == [6.0, 6.0] and y_bar.tolist() == [[1.0, 1.0]] * 3


def test_arrays_of_other_types_ranks_and_classes():
    def f(a, b):
        return np.sum(a * b)

    kinds = [
        np.ones(3),
        np.ones((2, 3)),
        np.ones((2, 3), np.float32),
        np.ones(3, int),
        np.array(2.0),
        np.ones((1, 3))[:, ::-1],
        np.asfortranarray(np.ones((2, 3))),
    ]
    for a in kinds:
        for b in kinds:
            a_bar, b_bar = pullback(f, a.copy(), b.copy())[1](1.0)
            assert np.shape(a_bar) == a.shape and np.shape(b_bar) == b.shape
            np.testing.assert_allclose(np.sum(a_bar * a), np.sum(a * b))
            np.testing.assert_allclose(np.sum(b_bar * b), np.sum(a * b))


def test_a_subclass_is_not_its_base():
    def f(x, y):
        return x * y

    assert gradient(f, 1.5, 2.0) == (2.0, 1.5)
    assert f(Half(1.5), 2.0) == 1.5
    y, _ = pullback(f, Half(1.5), 2.0)
    assert y == 1.5


def test_a_matrix_is_not_an_array():
    def f(a):
        return np.sum(a * 2.0)

    assert gradient(f, np.ones(2))[0].tolist() == [2, 2]
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    assert f(masked) == 2.0
    with pytest.raises(AstadError):
        pullback(f, masked)[1](1.0)


@pytest.mark.parametrize("name", ["range", "abs", "max", "len", "sum", "float"])
def test_a_builtin_shadowed_by_a_global_later(monkeypatch, name):
    def f(x, n):
        for _ in range(n):
            x = abs(x) * max(x, 1.0) + float(len((x, n))) + sum([x, 1.0])
        return x

    before = gradient(f, 1.5, 2)
    plain = f(1.5, 2)
    other = {
        "range": lambda n: [1],
        "abs": lambda v: v * v,
        "max": lambda v, w: v + w,
        "len": lambda v: 7,
        "sum": lambda v: v[0] * v[1],
        "float": lambda v: v * 2.0,
    }[name]
    monkeypatch.setitem(globals(), name, other)
    assert f(1.5, 2) != plain
    step = 1e-6
    expected = (f(1.5 + step, 2) - f(1.5 - step, 2)) / (2 * step)
    y, back = pullback(f, 1.5, 2)
    assert y == f(1.5, 2)
    assert back(1.0)[0] == pytest.approx(expected, rel=1e-6)
    assert gradient(f, 1.5, 2)[0] == pytest.approx(expected, rel=1e-6)
    monkeypatch.undo()
    assert gradient(f, 1.5, 2) == before


def test_more_kinds_than_variants():
    def f(*args):
        return args[0] * args[1]

    def g(x, y):
        return np.sum(x * y)

    for rank in range(1, MOST + 4):
        x = np.full((1,) * rank, 2.0)
        assert gradient(g, x, 3.0) == (x * 1.5, 2.0)


def test_a_module_function_replaced_later(monkeypatch):
    def f(x):
        return np.tanh(x) * 2.0

    assert gradient(f, 0.0) == (2.0,)
    monkeypatch.setattr(np, "tanh", np.sin)
    assert gradient(f, 0.5)[0] == pytest.approx(2.0 * np.cos(0.5))
    monkeypatch.undo()
    assert gradient(f, 0.0) == (2.0,)
