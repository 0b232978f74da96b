"""Arrays are asked themselves for sums and means: the same to the bit, errors and warnings too."""

import warnings

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.compiler.ir.kinds import FLOAT, UNKNOWN, array
from astad.compiler.pipeline import compile_function
from astad.rules import REGISTRY

X = np.random.default_rng(3).normal(size=(4, 5))


def text_of(fn, kinds):
    return compile_function(fn, kinds, (True,) * len(kinds), fused=True).text.source


def total(x):
    return np.sum(x * x) + np.mean(x)


def largest(x):
    return np.sum(np.max(x, axis=1, keepdims=True))


def second_of_a_row(x):
    return np.sum(x, axis=0)[0, 1]  # a matrix keeps two axes


def along_an_unknown_axis(x, k):
    return np.sum(np.sum(x, axis=int(k)))


def test_texts():
    text = text_of(total, [array(2)])
    assert "(x * x).sum()" in text or "= t_1.sum()" in text
    assert "mean_of(x)" in text
    assert "x.max(axis=1, keepdims=True)" in text_of(largest, [array(2)])


def test_the_generic_pair_calls_the_function():
    made = compile_function(total, [UNKNOWN], (True,), fused=False, generic=True)
    assert "np.sum" in made.text.source
    assert ".sum()" not in made.text.source


def test_the_function_is_still_tested(monkeypatch):
    assert gradient(total, X)[0].shape == X.shape
    monkeypatch.setattr(np, "sum", lambda a: 3.0 * a[0, 0])
    expected = np.full(X.shape, 1 / X.size)
    expected[0, 0] += 6 * X[0, 0]
    np.testing.assert_allclose(gradient(total, X)[0], expected)


CALLS = [
    ("sum", lambda x: np.sum(np.sum(x))),
    ("sum", lambda x: np.sum(np.sum(x, 1))),
    ("sum", lambda x: np.sum(np.sum(x, axis=(0, 1)))),
    ("sum", lambda x: np.sum(x, axis=None)),
    ("prod", lambda x: np.prod(np.prod(x, axis=-1, keepdims=True))),
    ("max", lambda x: np.max(x) * np.max(x, axis=0)[2]),
    ("min", lambda x: np.min(x) * np.min(x, 1)[2]),
    ("mean", lambda x: np.mean(np.mean(x, axis=-1))),
    ("mean", lambda x: np.mean(np.mean(x, 0, keepdims=True))),
    ("mean", lambda x: np.mean(np.mean(x, axis=(0, 1), keepdims=True))),
    ("std", lambda x: np.sum(np.std(x, axis=0, ddof=1))),
    ("var", lambda x: np.sum(np.var(x, 1, keepdims=True))),
    ("cumsum", lambda x: np.sum(np.cumsum(x) ** 2)),
    ("cumprod", lambda x: np.sum(np.cumprod(x, axis=0))),
    ("argmax", lambda x: x[np.argmax(x, axis=0)[1], 1]),
    ("argmin", lambda x: x[np.argmin(x[:, 2]), 1]),
    ("argsort", lambda x: np.sum(x[np.argsort(x[:, 0])] * np.arange(5.0))),
    ("reshape", lambda x: np.sum(np.reshape(x, (2, 10))[0])),
    ("ravel", lambda x: np.ravel(x)[7]),
    ("transpose", lambda x: np.sum(np.transpose(x) @ x)),
    ("swapaxes", lambda x: np.sum(np.swapaxes(x, 0, 1)[2] ** 2)),
    ("squeeze", lambda x: np.sum(np.squeeze(x[:1], axis=0) ** 2)),
    ("repeat", lambda x: np.sum(np.repeat(x, 2, axis=1)[:, 3])),
    ("take", lambda x: np.sum(np.take(x, [1, 1, 3], axis=0) ** 2)),
    ("trace", lambda x: np.trace(x, 1)),
    ("diagonal", lambda x: np.sum(np.diagonal(x, -1) ** 2)),
]


def test_each_method_has_a_call():
    found = {r.name.removeprefix("np.") for r in REGISTRY.values() if r.method is not None}
    assert {name for name, _ in CALLS} == {name for name in found if hasattr(np.ndarray, name)}


@pytest.mark.parametrize(("name", "fn"), CALLS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_values_to_the_bit_and_gradients(name, fn, order):
    x = np.array(X, order=order)
    value, back = value_and_grad(fn)(x)
    assert value == fn(x)
    assert type(value) is type(fn(x))
    step, slopes = 1e-6, np.empty_like(x)
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        slopes[at] = (fn(up) - fn(down)) / (2 * step)
    np.testing.assert_allclose(back, slopes, rtol=1e-6, atol=1e-7)


def test_what_is_raised_and_what_is_warned_of():
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        gradient(along_an_unknown_axis, X, 2.0)
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        gradient(lambda x: np.max(x), np.ones(0))
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        gradient(lambda x: np.mean(x), np.ones(0))
    assert "Mean of empty slice" in str(met[0].message)
    with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds"):
        gradient(lambda x: np.sum(np.mean(x, axis=3)), X)


def test_scalars_and_subclasses_are_asked_nothing_new():
    assert gradient(lambda x: np.sum(x * 2.0), 3.0) == (2.0,)
    assert "np.sum" in text_of(lambda x: np.sum(x * 2.0), [FLOAT])
    expected = np.zeros(X.shape)
    expected[:, 1] = 1.0
    np.testing.assert_array_equal(gradient(second_of_a_row, X.view(np.matrix))[0], expected)


def diagonal(x):
    return np.sum(x * np.eye(4, 5)) * np.sum(np.sum(x * np.eye(4, 5), axis=0) ** 2)


def by_all_positions(x):
    return np.sum(x, 0, None)[0] * np.mean(x, 1, None)[1] * np.sum(np.reshape(x, -1, "C") ** 2)


@pytest.mark.parametrize("fn", [diagonal, by_all_positions])
def test_what_stays_a_function_is_right_as_well(fn, forms_agree):
    forms_agree(fn, X)
