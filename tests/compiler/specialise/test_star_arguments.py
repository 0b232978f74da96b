"""Calls with ``*args`` and ``**words`` of captured tuples, lists and dicts, in derivatives of
derivatives: against formulas worked out by hand.
"""

import math

import numpy as np
import pytest

from astad import grad, gradient, jvp
from astad.errors import Unsupported

pytestmark = pytest.mark.order_matters


def bound(fun, before, behind, words):
    return lambda x: fun(*before, x, *behind, **words)


def powered(a, x, k, scale=1.0):
    return scale * (a + x) ** 3 * k


def second(f):
    return lambda x: grad(f)(x)


def test_a_list_before_and_a_tuple_behind():
    f = bound(powered, [1.0], (2.0,), {})  # 2 (1 + x)**3
    assert gradient(second(f), 2.0) == pytest.approx((36.0,))
    assert jvp(second(f), (2.0,), (0.5,))[1] == pytest.approx(18.0)


def test_words_of_a_dict():
    f = bound(powered, (), (2.0,), {"k": 3.0, "scale": 0.5})
    assert gradient(second(f), 1.0) == pytest.approx((1.5 * 6 * 3.0,))
    assert jvp(lambda x: jvp(f, (x,), (x,))[1], (1.0,), (1.0,))[1] == pytest.approx(
        1.5 * (3 * 9.0 + 6 * 3.0)
    )


def test_a_function_of_numpy():
    f = bound(np.arctan2, [2.0], [], {})
    assert gradient(second(f), 3.0) == pytest.approx((4 * 3.0 / 13.0**2,))
    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    power = bound(np.power, (), (2.0,), {})
    found = jvp(lambda x: jvp(power, (x,), (w,))[1], (x,), (w,))[1]
    np.testing.assert_allclose(found, 2 * w * w)


def test_other_lengths_and_keys_are_other_texts():
    def total(*parts, **words):
        return sum(part * part for part in parts) * words.get("by", 1.0)

    for before, words, expected in (
        ([], {}, 2.0),
        ([1.0], {}, 2.0),
        ([1.0, 2.0], {"by": 3.0}, 6.0),
        ([], {"by": 2.0}, 4.0),
    ):
        try:
            found = gradient(second(bound(total, before, [], words)), 1.5)
        except Unsupported:
            continue
        assert found == pytest.approx((expected,))
    fits = [second(bound(math.hypot, [1.0] * count, [], {})) for count in (1, 2, 3, 1)]
    for f, count in zip(fits, (1, 2, 3, 1), strict=True):
        expected = count / (count + 4.0) ** 1.5
        try:
            assert gradient(f, 2.0) == pytest.approx((expected,))
        except Unsupported:
            assert count > 1


def test_what_the_containers_hold_keeps_its_derivative():
    def outer(x, a, k):
        return grad(bound(powered, [a], (k,), {}))(x)  # 3 k (a + x)**2

    assert gradient(outer, 2.0, 1.0, 2.0) == pytest.approx((36.0, 36.0, 27.0))


def test_a_list_that_is_written_is_refused_or_right():
    def outer(x):
        held = [1.0]

        def f(x):
            held.append(x)
            return sum([part * part for part in held[:1]]) + math.hypot(*held)

        return grad(f)(x)

    for _ in range(3):
        try:
            (bar,) = gradient(outer, 2.0)
        except Unsupported:
            continue
        assert bar == pytest.approx(5**-0.5 - 4 * 5**-1.5)


def test_words_given_twice_are_an_error():
    f = lambda x, words: powered(1.0, x, k=2.0, **words)
    with pytest.raises((TypeError, Unsupported)):
        gradient(lambda x: grad(f)(x, {"k": 3.0}), 2.0)
