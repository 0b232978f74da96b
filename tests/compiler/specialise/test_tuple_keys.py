"""Dicts whose keys are tuples and other constants are taken apart as those with texts are."""

from dataclasses import dataclass

import numpy as np
import pytest

import astad
from astad import gradient
from astad.testing import check_gradient


@dataclass
class Model:
    rates: dict
    scale: float


def by_literals(T):
    total = 0.0
    for i in range(40):
        total += T[(0, 1)] * T[1, 2] * 0.1 * i
    return total


def by_ranges(T):
    total = 0.0
    for i in range(3):
        for j in range(3):
            if (i, j) in T:
                total += T[i, j] ** 2 * (i + 1) + T.get((j, i + 1), 0.5) ** 3
    return total


def by_items(T):
    total = 0.0
    for (name, k), value in T.items():
        total += value**2 * (k if name == "N" else -k)
    for key in T:
        total += T[key] * T[key[0], key[-1]] * len(key)
    return total


def of_a_display(x):
    table = {("a", 1): x, ("b", 2): x * x}
    table["c", 3] = x**3
    table[("a", 1)] += 1.0
    total = 0.0
    for (_, k), value in table.items():
        total += value * k
    return total + table.get(("d", 4), x) + len(table)


def of_nested(model):
    total = 0.0
    for key in ((0, 1), (1, 0)):
        layer = model.rates[key]
        total += model.scale * layer["w"][key[0]] ** 2 + layer.get(("b", 0), 0.0) ** 3
    return total


def by_words(T):
    total = 0.0
    for k in "NVN":
        for other in ("N", "V"):
            total += np.exp(T[k, other]) * T[(other, k)]
    return total


def by_times(flows):
    value = flows.get(2.5, 0.0) ** 2
    for t, flow in flows.items():
        value += flow**2 * np.exp(-0.1 * t)
    return value


def by_tuples_in_tuples(T):
    total = 0.0
    for (name, (i, j)), value in T.items():
        total += value**2 * (i - j) * (2.0 if name == "N" else 1.0)
    return total + T["N", (0, 1)] * T[("V", (2, -1))]


def nested():
    layers = {(0, 1): {"w": [1.0, 2.0]}, (1, 0): {"w": [3.0, 4.0], ("b", 0): 5.0}}
    return Model(layers, 0.5)


CASES = {
    "literals": (by_literals, {(0, 1): 2.0, (1, 2): 3.0}),
    "ranges": (by_ranges, {(0, 0): 2.0, (1, 2): 3.0, (2, 1): 0.5}),
    "items": (by_items, {("N", 2): 2.0, ("V", -3): 3.0, ("N", True): 0.5}),
    "display": (of_a_display, 2.0),
    "times": (by_times, {0.5: 2.0, 2.5: 3.0, -1.5: 0.5}),
    "tuples in tuples": (by_tuples_in_tuples, {("N", (0, 1)): 2.0, ("V", (2, -1)): 3.0}),
    "words": (by_words, {(a, b): 0.1 * ord(a) - 0.05 * ord(b) for a in "NV" for b in "NV"}),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name):
    f, x = CASES[name]
    check_gradient(f, x)
    assert name == "words" or "nothing is left to the run time" in str(astad.explain(f, x))
    bars = gradient(f, x)[0]
    assert astad.pullback(f, x)[1](1.0)[0] == pytest.approx(bars)
    ones = dict.fromkeys(x, 1.0) if isinstance(x, dict) else 1.0
    whole = sum(bars.values()) if isinstance(x, dict) else bars
    assert astad.jvp(f, (x,), (ones,)) == pytest.approx((f(x), whole))


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name):
    f, x = CASES[name]
    h = 1e-5
    if not isinstance(x, dict):
        slopes = [gradient(f, x + h)[0], gradient(f, x - h)[0]]
        assert astad.hessian(f, x) == pytest.approx((slopes[0] - slopes[1]) / (2 * h), rel=1e-5)
        return
    found = astad.hessian(f, x)
    for key in x:
        above = gradient(f, {**x, key: x[key] + h})[0]
        below = gradient(f, {**x, key: x[key] - h})[0]
        expected = {other: (above[other] - below[other]) / (2 * h) for other in x}
        assert found[key] == pytest.approx(expected, rel=1e-5, abs=1e-6)
        unit = {other: float(other is key) for other in x}
        assert astad.hvp(f, x, unit) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_a_dataclass_that_holds_such_dicts():
    bars = gradient(of_nested, nested())[0]
    assert bars.scale == 1.0**2 + 4.0**2
    assert bars.rates == {
        (0, 1): {"w": [1.0, 0.0]},
        (1, 0): {"w": [0.0, 4.0], ("b", 0): 75.0},
    }
    found = astad.hessian(of_nested, nested()).rates[1, 0]
    assert found["b", 0].rates[1, 0]["b", 0] == 30.0
    assert found["w"][1].scale == 8.0


def test_the_next_call_has_other_keys():
    def f(T):
        total = 0.0
        for (i, j), value in T.items():
            total += value**2 * (10 * i + j)
        return total

    def expected(T):
        return {(i, j): 2 * value * (10 * i + j) for (i, j), value in T.items()}

    calls = [{(0, 1): 2.0, (2, 0): 3.0}, {(2, 0): 3.0, (0, 1): 2.0}, {(1, 1): 2.0, (2, 0): 3.0}]
    calls += [{(0, 1): 2.0}, {(0, 1): 2.0, (2, 0): 3.0, (5, 5): 1.0}, {(0, 1.5): 1.0}]
    for T in calls * 3:
        assert gradient(f, T) == (expected(T),)
        assert list(gradient(f, T)[0]) == list(T)
        assert astad.jvp(f, (T,), (T,))[1] == pytest.approx(2 * f(T))


def test_keys_that_are_equal_and_of_other_types():
    def f(T):
        total = 0.0
        for key, value in T.items():
            first = key[0] if type(key) is tuple else key
            is_other = first is True or type(first) is float
            if type(key) is tuple and type(key[1]) is tuple:
                total += sum(type(part) is bool for part in key[1]) * value
            total += value**2 * (3.0 if is_other else 1.0)
        return total

    keys = [((1, "a"), 2.0), ((True, "a"), 6.0), ((1.0, "a"), 6.0), ((np.int64(1), "a"), 2.0)]
    keys += [(("a", (1, True)), 2.0), (("a", (1, 1)), 2.0), (("a", (True, 1.0)), 2.0)]
    keys += [(0.0, 6.0), (-0.0, 6.0), (1.0, 6.0), ((-0.0, 1), 6.0), ((0, 1), 2.0)]
    keys += [
        (np.float64(1.0), 2.0),
        (True, 6.0),
        (1, 2.0),
        (None, 2.0),
        ((1, "a"), 2.0),
        ((True, "a"), 6.0),
    ]
    for key, slope in keys * 3:
        bars = gradient(f, {key: 1.0, ("b", 2): 2.0})[0]
        inner = key[1] if type(key) is tuple and type(key[1]) is tuple else ()
        assert bars == {key: slope + [*map(type, inner)].count(bool), ("b", 2): 4.0}
        assert type(next(iter(bars))) is type(key)
        if type(key) is tuple:
            assert type(next(iter(bars))[0]) is type(key[0])


def test_a_key_that_is_not_there_is_pythons_error():
    def f(T, x):
        return T[0, 1] * x if x < 2.0 else T[1, 1] * x

    assert gradient(f, {(0, 1): 3.0}, 1.5) == ({(0, 1): 1.5}, 3.0)
    for _ in range(3):
        with pytest.raises(KeyError, match=r"\(1, 1\)"):
            gradient(f, {(0, 1): 3.0}, 2.5)


def test_tables_that_are_handed_on_or_written():
    def by_rows(T, n):
        best = {(0, 0): T[0, 0]}
        for i in range(1, n):
            for j in range(i + 1):
                left = best.get((i - 1, j), 0.0)
                right = best.get((i - 1, j - 1), 0.0)
                best[i, j] = T.get((i, j), 1.0) * (left + 2.0 * right)
        return sum(best[n - 1, j] * (j + 1) for j in range(n))

    def written(T):
        T[1, 1] = T[0, 0] ** 2
        T[(0, 0)] *= 3.0
        return T[1, 1] * T[0, 0]

    def kept(T):
        key = (0, 0) if T[0, 0] > 1.0 else (1, 0)
        pair = [key, T[key] ** 2]
        return pair[1] * T[pair[0]]

    for x in (0.5, 2.0):
        T = {(0, 0): x, (1, 0): 3.0, (2, 2): 0.5}
        check_gradient(by_rows, T, 4)
        check_gradient(kept, T)
        assert gradient(written, {(0, 0): x})[0][0, 0] == pytest.approx(9.0 * x**2)


def test_a_table_of_arrays_and_texts():
    def f(T, x):
        for key in ((0, "w"), (1, "w")):
            x = np.tanh(T[key] @ x + T[key[0], "b"]) if T["kind"] == "dense" else x
        return np.sum(x)

    T = {"kind": "dense", (0, "b"): 0.1, (1, "b"): np.ones(2)}
    T |= {(0, "w"): np.eye(2), (1, "w"): np.array([[1.0, 2.0], [0.5, 1.0]])}
    check_gradient(f, T, np.array([0.3, -0.2]))
    assert (gradient(f, {**T, "kind": "none"}, np.ones(2))[1] == 1.0).all()


def test_a_table_of_many_entries_is_that_of_a_recorded_run():
    def f(T, n):
        total = 0.0
        for i in range(n):
            for j in range(n):
                total += T[i, j] * T[j, i + 1] * (1.0 if T[i, 0] > 1.5 else 3.0)
        return total

    def table(seed, size):
        draw = np.random.default_rng(seed).uniform
        return {(i, j): float(draw(1, 2)) for i in range(size) for j in range(size + 1)}

    def differences(T, n, h=1e-6):
        return {
            key: (f({**T, key: T[key] + h}, n) - f({**T, key: T[key] - h}, n)) / (2 * h)
            for key in T
        }

    for seed, size, n in (
        (0, 5, 5),
        (0, 5, 5),
        (0, 5, 5),
        (0, 5, 5),
        (1, 5, 5),
        (0, 5, 4),
        (2, 6, 5),
    ):
        T = table(seed, size)
        expected = pytest.approx(differences(T, n), abs=1e-6)
        assert gradient(f, T, n)[0] == expected
        assert gradient(f, dict(reversed(T.items())), n)[0] == expected
        assert list(gradient(f, T, n)[0]) == list(T)
    del T[0, 0]
    with pytest.raises(KeyError, match=r"\(0, 0\)"):
        gradient(f, T, 5)
    others = {(float(i), j): value for (i, j), value in table(0, 5).items()}
    bars = gradient(f, others, 5)[0]
    assert bars == pytest.approx(differences(others, 5), abs=1e-6)
    assert {type(i) for i, _ in bars} == {float}


def test_words_for_a_table_of_many_entries():
    def f(rates, path):
        value = 1.0
        for a, b in zip(path, path[1:], strict=False):
            value *= rates[a, b] + 0.1 * rates.get((b, a), 1.0)
        return value

    names = "abcdef"
    rates = {(a, b): 0.5 + 0.01 * ord(a) - 0.004 * ord(b) for a in names for b in names if a != b}
    for path in ("abcd", "abcd", "abcd", "abcd", "fedcba", "abab"):
        check_gradient(f, rates, path)
