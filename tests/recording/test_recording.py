"""Ints that are differentiated, in runs that are recorded."""

import collections
import fractions
import functools
import math

import numpy as np
import pytest

import astad
from astad.api.gradients.recorded import why_not
from astad.api.variants.whole import whole
from astad.runtime.core.variants import variants_of

from .recorded_runs import agree, opaque, same

pytestmark = pytest.mark.order_matters


def followed(f, *calls):
    """A run at the first arguments is recorded; gradients there and elsewhere are the pair's."""
    for args in (*[calls[0]] * 4, *calls):
        y, back = whole.run(f, args, {}, self_too=False)
        expected = whole.of_scalar(f, back, args, tuple(range(len(args))))
        found, bars = astad.value_and_grad(f, argnums=tuple(range(len(args))))(*args)
        assert type(found) is type(y) is type(f(*args))
        assert found == y
        assert same([*map(number, bars)], [*map(number, expected)]), (bars, expected)
    assert variants_of(f).recorded.made, why_not(f)


def left_to_the_pair(f, *args):
    for _ in range(4):
        y, back = whole.run(f, args, {}, self_too=False)
        expected = whole.of_scalar(f, back, args, tuple(range(len(args))))
        assert same([*map(number, astad.gradient(f, *args))], [*map(number, expected)])
    assert not variants_of(f).recorded.made
    return why_not(f)


def number(bar):
    return None if bar is None else [*map(float, np.ravel(bar))]


def test_products_powers_and_roots():
    def f(n, x):
        return n * opaque(x) + math.sqrt(n) * x**n - 2 * n / x + (n**2 + n) * x

    followed(f, (3, 2.0), (3, 0.5), (2, 0.5), (7, 0.5))


def test_a_count_that_is_a_factor_too():
    def mean(n, x):
        total = 0.0
        for k in range(n):
            total += opaque(x) ** k
        return total * n / (n + 1)

    followed(mean, (3, 2.0), (4, 0.5), (3, 0.5))


def test_a_count_of_what_is_repeated_that_is_a_factor_too():
    def repeated(n, x):
        return sum([opaque(x)] * n) * n + (n * (x, 2.0 * x))[-1] * len("ab" * n)

    followed(repeated, (3, 2.0), (4, 0.5), (3, 0.5))


def test_its_type_is_int():
    def f(n, x):
        if type(n) is int and isinstance(n, int) and not isinstance(n, bool) and n is not None:
            return n * opaque(x)
        return 0.0 * x

    followed(f, (3, 2.0), (4, 2.0))


def test_comparisons_and_signs():
    def f(n, x):
        if n > 2 and n == 3 and n < 10.0 * opaque(x) and not n <= x:
            return -n * x + (+n) * 2.0
        return n - x if n else x

    followed(f, (3, 2.0), (3, 5.0), (0, 2.0), (-3, 2.0))


def test_functions_of_numpy_and_of_math():
    def f(n, x):
        return np.power(n, 1.5) * opaque(x) + np.sqrt(n) + math.log(n) - float(n) * np.float64(n)

    followed(f, (3, 2.0), (2, 3.0))


def test_an_index_has_no_derivative():
    def f(n, xs):
        return xs[n] * n * opaque(2.0) + xs[-n]

    followed(f, (1, [2.0, 3.0, 5.0]), (2, [2.0, 3.0, 5.0]))


def test_arrays_times_an_int():
    def f(n, a):
        return np.sum(n * opaque(a) + a**n)

    followed(f, (3, np.array([1.0, 2.0])), (2, np.array([1.0, 2.0, 3.0])))


def test_a_call_of_a_function_and_of_a_method():
    Rate = collections.namedtuple("Rate", "of")

    class Scale:
        def __mul__(self, n):
            return n * 3.0

    def scaled(n, x, *, by=2):
        return n * by * x

    def f(n, x):
        return scaled(n, opaque(x), by=n) + Rate(n).of * x + Scale() * n

    followed(f, (3, 2.0), (2, 2.0))


def test_an_int_that_is_a_literal_as_well():
    def f(n, x):
        return 3 * opaque(x) + n * x * 3 + 3**n

    followed(f, (3, 2.0), (4, 2.0))


@functools.lru_cache
def doubled(n):
    return 2.0 * n


def as_key(n, x):
    return sum(key * value for key, value in {n: opaque(x)}.items())


def as_text(n, x):
    return float(f"{n}") * opaque(x) + n


def halved(n, x):
    return n // 2 * opaque(x) + n


def rest(n, x):
    return n % 2 * opaque(x) + n


def shifted(n, x):
    return (n << 1) * opaque(x)


def attribute_of_it(n, x):
    return n.numerator * opaque(x)


def in_an_array(n, x):
    return np.sum(np.array([n, opaque(x)]))


def rounded(n, x):
    return abs(n) * opaque(x) + max(n, x)


@pytest.mark.parametrize(
    "f",
    [as_key, halved, rest, attribute_of_it, in_an_array, rounded],
)
def test_what_is_left_to_the_pair(f):
    assert left_to_the_pair(f, 3, 2.0)


def test_where_no_derivative_comes_an_int_is_a_constant():
    for n in (3, 3, 3, 3, 4):
        assert agree(shifted, n, 2.0)
    assert variants_of(shifted).recorded.made


def test_text_and_caches_are_refused_as_ever():
    for _ in range(4):
        with pytest.raises(astad.errors.AstadError):
            astad.gradient(as_text, 3, 2.0)

    def f(n, x):
        return doubled(n) * opaque(x)

    for _ in range(4):
        doubled.cache_clear()
        with pytest.raises(astad.errors.AstadError):
            astad.gradient(f, 3, 2.0)


WEIGHTS = {"H": 1.008, "C": 12.011}


def flat(bar):
    """The numbers in a gradient."""
    if isinstance(bar, dict):
        bar = [*bar.values()]
    if isinstance(bar, (list, tuple)):
        return [number for part in bar for number in flat(part)]
    return [] if bar is None else [*map(float, np.ravel(bar))]


def followed_inside(f, *calls):
    for args in (*[calls[0]] * 4, *calls):
        y, back = whole.run(f, args, {}, self_too=False)
        expected = whole.of_scalar(f, back, args, tuple(range(len(args))))
        found, bars = astad.value_and_grad(f, argnums=tuple(range(len(args))))(*args)
        assert found == y
        assert [*map(type, bars)] == [*map(type, expected)]
        assert same(flat(bars), flat(expected)), (bars, expected)
    assert variants_of(f).recorded.made, why_not(f)


def test_ints_in_lists():
    def dot(a, b):
        return sum(map(lambda x, y: x * y, a, b))

    three = [1, 2, 3], [0.5, 2.0, 3.0]
    followed_inside(dot, ([10, 15], [0.65, 0.8]), ([10, 16], [0.5, 0.8]), three)


def test_ints_in_dicts():
    def weight(atoms, scale):
        return sum(WEIGHTS[name] * count for name, count in atoms.items()) * opaque(scale)

    followed_inside(weight, ({"H": 12, "C": 6}, 2.0), ({"H": 2, "C": 6}, 3.0))


def test_ints_in_nested_containers():
    def f(p, x):
        return p[0][1] * opaque(x) + p[1]["n"] ** 2 * x + x ** p[0][0]

    followed_inside(f, (([2, 3], {"n": 4}), 1.5), (([2, 3], {"n": 5}), 1.5))


def test_ints_that_are_places_and_factors():
    def f(places, xs):
        return sum(xs[at] * at for at in places) * opaque(1.0)

    followed_inside(f, ([0, 2], [2.0, 3.0, 5.0]), ([1, 2], [2.0, 3.0, 5.0]))


def test_one_int_in_two_lists():
    def f(p, q, x):
        return (p[0] * 3 + q[0] * 5) * opaque(x)

    followed_inside(f, ([3], [3], 2.0), ([3], [5], 2.0))


class Count:
    def __init__(self, n):
        self.n = n


@pytest.mark.parametrize(
    "held, factor",
    [
        (3, lambda held: held),
        ([2, 3], lambda held: held[0]),
        ((2, 3.5), lambda held: held[0]),
        ({"n": 2}, lambda held: held["n"]),
        (Count(2), lambda held: held.n),
        ([Count(2)], lambda held: held[0].n),
        (np.array([2, 3]), lambda held: held[0]),
        ([np.array([2, 3])], lambda held: held[0][1]),
        (np.int64(3), lambda held: held),
        ([np.int64(3)], lambda held: held[0]),
        (fractions.Fraction(1, 2), lambda held: held),
    ],
)
def test_a_slope_that_is_zero_where_the_run_is_recorded(held, factor):
    def f(held, x):
        return opaque(x) * factor(held)

    for x in (0.0, 0.0, 0.0, 0.0, 1.0, 3.0):
        y, back = whole.run(f, (held, x), {}, self_too=False)
        expected = whole.of_scalar(f, back, (held, x), (0, 1))
        assert repr(inside(astad.gradient(f, held, x))) == repr(inside(expected))


def inside(bars):
    """Numbers and attributes, as floats."""
    if isinstance(bars, (list, tuple)):
        return [inside(part) for part in bars]
    if isinstance(bars, dict):
        return {key: inside(part) for key, part in bars.items()}
    if isinstance(bars, astad.Tangent):
        return {name: inside(bars[name]) for name in bars}
    return None if bars is None else np.ravel(np.asarray(bars, float)).tolist()
