"""Memos of the user's, found by numbers: right within a run, refused where an earlier run filled
them; tables and data are constants."""

import functools

import numpy as np
import pytest

from astad import dropgrad, gradient, pullback
from astad.errors import Unsupported

MEMO = {}
QUANTILES = {0.9: 1.28, 0.95: 1.645}
DATA = {}
for row in (("0.5", "2.0"), ("1.0", "3.0")):
    DATA[float(row[0])] = float(row[1])


@pytest.fixture(autouse=True)
def nothing_is_kept():
    MEMO.clear()
    yield
    MEMO.clear()


def by_membership(x):
    if x not in MEMO:
        MEMO[x] = x * x
    return MEMO[x] * 3.0


def by_get(x):
    y = MEMO.get(("square", x))
    if y is None:
        y = MEMO["square", x] = x * x
    return y * 3.0


def by_exception(x, n=2):
    try:
        return MEMO[x, n] * 3.0
    except KeyError:
        MEMO[x, n] = x**n
        return MEMO[x, n] * 3.0


def by_setdefault(x):
    return MEMO.setdefault(("set", x), x * x) * 3.0


def an_array_is_kept(x):
    key = (x, "parts")
    if key not in MEMO:
        MEMO[key] = np.array([x * x, 2 * x * x])
    return MEMO[key].sum()


def memoized(fn):
    cache = {}

    @functools.wraps(fn)
    def wrapper(*args):
        if args not in cache:
            cache[args] = fn(*args)
        return cache[args]

    return wrapper


class Model:
    def __init__(self):
        self.cache = {}

    def energy(self, x):
        cache = self.cache
        if x not in cache:
            cache[x] = 1.5 * x**2
        return cache[x] * 2.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: by_membership,
        lambda: by_get,
        lambda: by_exception,
        lambda: by_setdefault,
        lambda: an_array_is_kept,
        lambda: memoized(lambda x: 3.0 * x**2),
        lambda: Model().energy,
    ],
    ids=lambda make: "".join(make.__code__.co_names),
)
@pytest.mark.parametrize("before", ["gradient", "plain run"])
def test_an_entry_of_an_earlier_run_is_refused(make, before):
    f = make()
    if before == "gradient":
        assert gradient(f, 1.25) == (7.5,)
    else:
        f(1.25)
    with pytest.raises(Unsupported, match="test_memos.py:.*was found by the (number|key).*1.25"):
        gradient(f, 1.25)
    assert gradient(f, 0.75) == (pytest.approx(4.5),)


def test_by_the_bytes_of_an_array():
    def f(x):
        key = x.tobytes()
        if key not in MEMO:
            MEMO[key] = (x**2).sum()
        return MEMO[key]

    x = np.array([1.0, 2.0])
    assert gradient(f, x)[0].tolist() == [2.0, 4.0]
    with pytest.raises(Unsupported, match="found by the (number|bytes)"):
        gradient(f, x)


def test_what_one_run_stores_and_finds_has_its_derivative():
    def power(x, n):
        memo = {}

        def step(t, k):
            if (t, k) not in memo:
                memo[t, k] = t if k < 2 else step(t, k - 1) * step(t, k - 2)
            return memo[t, k]

        return step(x, n)

    for _ in range(2):  # x to the Fibonacci numbers 5 and 13
        assert gradient(power, 1.1, 4)[0] == pytest.approx(5 * 1.1**4)
        assert gradient(power, 1.1, 6)[0] == pytest.approx(13 * 1.1**12)


def test_a_memo_found_twice_in_the_run_that_filled_it():
    def f(x):
        return by_membership(x) + by_membership(x)

    assert gradient(f, 1.25) == (15.0,)


def test_tables_and_data_are_constants():
    def interval(x, level):
        return x * QUANTILES[level]

    def misfit(a):
        return sum((a * t - DATA[t]) ** 2 for t in DATA)

    for _ in range(2):
        assert gradient(interval, 2.0, 0.95)[0] == 1.645
        assert gradient(misfit, 1.5) == (2 * (0.75 - 2.0) * 0.5 + 2 * (1.5 - 3.0),)


LOGS = {}


def logarithm(n):
    if n not in LOGS:
        LOGS[n] = np.log(n)
    return LOGS[n]


@memoized
def weights(h, order):
    return np.full(order, h)


class Grid:
    def __init__(self):
        self.steps = {}

    def step(self, h):
        if h not in self.steps:
            self.steps[h] = h * h
        return self.steps[h]


GRID = Grid()


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x: sum(logarithm(k) * x for k in (1.0, 2.0, 4.0)), 3 * np.log(2.0)),
        (lambda x: (weights(0.5, 3) * x).sum(), 1.5),
        (lambda x: GRID.step(0.25) * x, 0.0625),
        (lambda x: MEMO.setdefault(("z", 0.5), 2.0) * x, 2.0),
        (lambda x: x * logarithm(round(x, 1)), np.log(1.5)),
    ],
)
def test_a_memo_of_constants_is_constant(f, wanted):
    for _ in range(3):
        assert gradient(f, 1.53)[0] == pytest.approx(wanted, rel=1e-15)


@pytest.mark.order_matters  # what is in a memo by now is not computed again
def test_an_entry_by_a_constant_beside_one_by_the_argument():
    def f(x):
        return logarithm(3.0) * x + by_membership(x)

    assert gradient(f, 1.25) == (pytest.approx(np.log(3.0) + 7.5),)
    with pytest.raises(Unsupported, match="by the number 1.25"):
        gradient(f, 1.25)


def test_a_dict_that_is_an_argument_has_its_own_gradient():
    def f(d, t):
        d[t] = d[t] * 2.0
        return d[t]

    assert gradient(f, {0.5: 3.0}, 0.5)[0] == {0.5: 2.0}


def test_a_constant_entry_is_read_by_dropgrad():
    def f(x):
        if x not in MEMO:
            MEMO[x] = 4.0
        return dropgrad(MEMO[x]) * x

    assert gradient(f, 1.5) == (4.0,)
    assert gradient(f, 1.5) == (4.0,)


def test_the_value_is_there_before_the_cotangent_is_asked():
    by_membership(1.5)
    y, back = pullback(by_membership, 1.5)
    assert y == 6.75
    with pytest.raises(Unsupported):
        back(1.0)
