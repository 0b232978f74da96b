"""Rules written out in place, each against the generic pair and differences, in every form."""

import re
import warnings

import numpy as np
import pytest

from astad import gradient
from astad.runtime.variants import variants_of

from ..numpy_calls import CLAIMED, KINDS, SUBSCRIPTS, function_of, text_of

DISPATCHED = ("take(v, [", "reshape(a, (n", "sinc", "polyval", "arange(0, x", "atleast",
              "axis=()", "full(n", "full((", "full_like", "linspace", "broadcast_to", "n - n",
              "zeros([")  # fmt: skip


def arguments():
    rng = np.random.default_rng(7)
    base = rng.uniform(0.5, 1.5, (3, 3))
    return {
        "v": rng.uniform(0.5, 1.5, 3),
        "u": rng.uniform(0.5, 1.5, 3),
        "a": rng.uniform(0.5, 1.5, (3, 3)),
        "b": np.array(rng.uniform(0.5, 1.5, (3, 3)), order="F"),
        "m": base + 3 * np.eye(3),
        "q": base @ base.T + 3 * np.eye(3),
        "t": rng.uniform(0.5, 1.5, (3, 3, 3)),
        "x": 1.25,
        "r": np.float64(0.5),
        "n": 3,
    }


def case(expression):
    """The function, a weighted sum of the result, and its arguments; None where it raises."""
    text, given = text_of(expression), arguments()
    names = [name for name in KINDS if re.search(rf"(?<![\w.]){name}(?!\w)", text)]
    try:
        plain = eval(text, {"np": np, **given})
    except ValueError:
        return None
    result = "np.sum(np.sin(y))" if np.ndim(plain) else "np.sin(y)"
    return function_of(expression, names, result), [given[name] for name in names]


@pytest.mark.parametrize(
    "expression", [each for each in CLAIMED + SUBSCRIPTS if "empty" not in each]
)
def test_every_form_agrees(forms_agree, expression):
    found = case(expression)
    if found is None:
        pytest.skip("not for square arrays")
    fn, args = found
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if not expression.startswith("linalg.cholesky"):  # differences leave the symmetric ones
            forms_agree(fn, *args)
        gradient(fn, *args)
    if not any(each in expression for each in DISPATCHED):
        assert any(variants_of(fn).fused.values())


def test_cholesky_of_what_stays_symmetric(forms_agree):
    def f(a):
        low = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(3))
        return np.sum(np.sin(low)) + np.sum(np.log(np.diag(low)))

    forms_agree(f, arguments()["a"], fused=True)


SHAPES = [(3,), (1,), (2, 3), (1, 3), (2, 1), (1, 1), (4, 2, 3), (4, 1, 1), (0,), (2, 0), (0, 3)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions_of_every_shape(forms_agree, shape):
    a = np.random.default_rng(1).uniform(0.5, 1.5, shape)

    def last(a):
        return np.sum(np.sin(a * np.sum(a, axis=-1, keepdims=True)))

    def first(a):
        s = np.sum(a, axis=0)
        return np.sum(a * a * s) + np.sum(s * 3.0)

    def whole(a):
        return np.sum(a) * 2.0 + np.sum(a + a) + np.sum(-a) + np.mean(np.zeros(2) + 1.0)

    for f in (last, first, whole):
        forms_agree(f, a)


@pytest.mark.parametrize("first", SHAPES, ids=str)
@pytest.mark.parametrize("second", SHAPES, ids=str)
def test_sums_of_what_broadcasts(forms_agree, first, second):
    """The cotangent of a sum stays a number until it meets an array."""
    rng = np.random.default_rng(2)
    a, b = rng.uniform(0.5, 1.5, first), rng.uniform(0.5, 1.5, second)
    try:
        np.broadcast_shapes(first, second)
    except ValueError:
        return

    def added(a, b):
        return np.sum(a + b) + np.sum(2.0 * (a - b)) + np.sum(np.sum(a + b, keepdims=True))

    def multiplied(a, b):
        return np.sum(a * b) + np.sum(-(a * b), axis=None, keepdims=True)[(0,) * (a * b).ndim]

    forms_agree(added, a, b)
    forms_agree(multiplied, a, b)


def test_a_cotangent_that_two_arrays_share_is_not_written(forms_agree):
    def f(a, b):
        c = a + b
        d = np.concatenate([c, a])
        e = d.reshape(2, -1).T
        return np.sum(e * e) + np.sum(c[1:] * a[:-1]) + np.sum(d)

    rng = np.random.default_rng(3)
    forms_agree(f, rng.uniform(0.5, 1.5, 3), rng.uniform(0.5, 1.5, 3), fused=True)


def test_views_in_a_loop(forms_agree):
    def f(a, n):
        s = np.zeros(2)
        for _ in range(n):
            s = s + np.sum(a.T, axis=0) * s + a[0]
            a = np.swapaxes(a, 0, 1) * 0.5
        return np.sum(s)

    for trips in (0, 1, 3):
        forms_agree(f, np.array([[0.5, 1.0], [1.5, 2.0]]), trips)


def test_a_list_that_is_joined_twice(forms_agree):
    def f(a, b):
        parts = [a, b]
        return np.sum(np.sin(np.concatenate(parts))) + np.sum(np.stack(parts) ** 3)

    forms_agree(f, np.array([1.0, 2.0]), np.array([3.0, 4.0]))


def test_items_bound_anew_between_display_and_join(forms_agree):
    def f(a, b):
        parts = (a, b)
        a = a[:1] * 2.0
        return np.sum(np.sin(np.concatenate(parts))) + np.sum(a)

    forms_agree(f, np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]))


def test_a_gradient_of_an_array_is_an_array():
    def f(a):
        return np.sum(a * 2.0)

    assert gradient(f, np.ones(2))[0].tolist() == [2, 2]
    assert gradient(f, np.ones((2, 1)))[0].tolist() == [[2], [2]]
