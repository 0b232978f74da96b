"""Lines of a recorded text without a fused form: functions with rules, and what they give."""

import gc

import numpy as np
import pytest

import astad
from astad.api.gradients.recorded import why_not
from astad.rules.in_force import REGISTRY
from astad.runtime.core.variants import forget_all, variants_of

from ...recording.recorded_runs import agree

linalg = pytest.importorskip("scipy.linalg")
special = pytest.importorskip("scipy.special")

pytestmark = pytest.mark.order_matters

X = np.linspace(0.3, 1.7, 12)


@pytest.fixture(autouse=True)
def _no_recordings_of_before():
    forget_all()


def quantiles(x):
    low, high = np.quantile(x * x, [0.23, 0.71])
    return (high - low) * np.sin(x).sum()


def split(x):
    first, rest = np.split(x * 2.0, [4])
    return np.sum(first) * np.sum(rest * rest)


def beside_a_table_that_is_written(x):
    table = np.zeros((4, 12))
    table[1:3] += x * x[0]
    low, high = np.quantile(x * x, [0.23, 0.71])
    table[0] = high
    values, vectors = np.linalg.eigh(table @ table.T + np.diag(x[:4]))
    places = np.setdiff1d(np.arange(4), [1])
    return (low + values[places].sum()) * np.sum(table[places] ** 2) + np.sum(vectors[0] ** 4)


def two_uses_of_one_list(x):
    parts = np.array_split(x, 3)
    return np.sum(parts[0] * parts[1]) + np.sum(parts[2] ** 3) * parts[0][1]


def joined(x):
    a = np.outer(x, x[:3])
    return np.linalg.multi_dot([a.T, a, a.T + 1.0])[1, 2]


def twice_in_a_list(x):
    a = np.outer(x[:3], x[3:6])
    return np.sum(np.linalg.multi_dot([a, a, a]))


def reduced(x):
    return np.logaddexp.reduce(x * 3.0) + np.hypot.reduce(x) * x[0]


def accumulated(x):
    return np.sum(np.logaddexp.accumulate(x) ** 2) + np.sum(np.multiply.reduceat(x, [0, 5]) ** 2)


def masked_mean(x):
    return np.mean(x * x, where=x > 0.9) + (x**3).sum(where=x < 1.2)


def ordered(x):
    order = np.lexsort((x, np.round(x)))
    return np.sum(x[order][:4] * np.arange(4.0))


def in_bins(x):
    places = np.digitize(x, [0.5, 1.1])
    return sum(k * np.sum(x[places == k] ** 2) for k in range(3))


def of_truths(x):
    above = np.triu(np.ones((12, 12), bool), 1)
    return np.sum(np.where(above, np.outer(x, x), 0.0) ** 2)


def weights(x):
    return np.sum(np.bincount([0, 1, 1, 3] * 3, weights=x * x) ** 2)


def by_cholesky(x):
    factor = linalg.cho_factor(np.outer(x, x) + 3.0 * np.eye(12))
    return x @ linalg.cho_solve(factor, np.cos(x))


def scaled_down(x):
    return special.logsumexp(np.stack([x, x * x]), axis=0).sum() * np.float64(np.copy(x[0]))


def views_of_views(x):
    left, right = np.hsplit(x.reshape(3, 4), 2)
    return np.sum(left.T @ right) + np.trace(np.rot90(left @ right.T))


FUNCTIONS = [
    quantiles, split, two_uses_of_one_list, joined, twice_in_a_list, reduced, accumulated,
    masked_mean, ordered, in_bins, of_truths, weights, by_cholesky, scaled_down, views_of_views,
]  # fmt: skip


def differences(f, x, v):
    h = 1e-6
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_fused_form_that_gives_what_differences_give(f):
    for k in range(6):
        agree(f, X + 0.01 * k)
    made = [each for known in variants_of(f).fused.values() for each in known]
    assert any(each.text is not None for each in made), why_not(f)
    v = np.cos(np.arange(12.0))
    (bar,) = astad.gradient(f, X)
    assert bar @ v == pytest.approx(differences(f, X, v), rel=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize(
    "other",
    [X[::-1].copy(), X[::-1], np.sin(5.0 * X) + 1.1, np.asfortranarray(X), X[:12:1] * 0.4 + 0.9],
    ids=["turned", "turned view", "mixed", "other order", "narrow"],
)
def test_other_arguments_afterwards(f, other):
    for _ in range(5):
        astad.gradient(f, X)
    agree(f, other)
    agree(f, X)


def counted(x):
    values, counts = np.unique(np.round(x, 1), return_counts=True)
    return np.sum(values**2) * len(counts)


def test_another_count_goes_another_way():
    for _ in range(5):
        agree(counted, X)
    agree(counted, np.repeat(X[:3], 4))
    agree(counted, X[:5])


def test_the_text_calls_a_function_for_each_kind_of_line():
    def f(x):
        y = np.logaddexp.reduce(x)
        z = np.logaddexp.reduce(x * x)
        return y * z

    for _ in range(5):
        astad.gradient(f, X)
    (text,) = variants_of(f).recorded.texts
    source = text.forms[-1].__globals__
    assert "line_1" in source and "line_2" not in source


def test_rules_go_with_the_functions_that_they_are_of():
    def f(x):
        return np.logaddexp.reduce(x) * x[0]

    for _ in range(5):
        astad.gradient(f, X)
    line = variants_of(f).recorded.texts[0].forms[-1].__globals__["line_1"]
    key = id(line)
    assert key in REGISTRY
    del line, f
    forget_all()
    gc.collect()
    assert key not in REGISTRY


def test_second_derivatives_and_directions_are_of_the_plain_text():
    v = np.cos(np.arange(12.0))
    for f in (weights, by_cholesky, split):
        for _ in range(4):
            astad.gradient(f, X)
        h = 1e-5
        slope = (astad.gradient(f, X + h * v)[0] - astad.gradient(f, X - h * v)[0]) / (2 * h)
        assert astad.hvp(f, X, v) == pytest.approx(slope, rel=1e-5, abs=1e-6)
        assert astad.jvp(f, (X,), (v,))[1] == pytest.approx(differences(f, X, v), rel=1e-6)


def by_truths(x):
    return sum(v * v if up else v for up, v in zip((x > 1.0).tolist(), x, strict=True))


def by_ranks(x):
    return sum(x[k] * (n + 1) for n, k in enumerate(np.lexsort((x,)).tolist()))


def grouped(x, labels):
    groups = {}
    for label, v in zip(labels.tolist(), x, strict=True):
        groups.setdefault(label, []).append(v)
    return sum(np.prod(v) * (label + 1) for label, v in groups.items())


def by_strides(x):
    y = x.strides[0] * x
    kept = {"k": y}
    return sum(np.sum(kept[key] ** 2) for key in kept)


NAMES = np.array(["a", "b", "c"])


def by_names(x):
    return sum(v * ord(name) for name, v in zip(NAMES.tolist(), x, strict=False))


def test_what_only_tests_ask_is_asked_each_time():
    labels = np.array([0, 1, 0] * 4)
    for _ in range(6):
        agree(by_truths, X)
        agree(by_ranks, X)
        agree(grouped, X, labels, wanted=(0,))
        agree(by_strides, X)
        agree(by_names, X)
    for other in (X[::-1].copy(), np.sin(5.0 * X) + 1.0):
        agree(by_truths, other)
        agree(by_ranks, other)
    agree(grouped, X, np.array([4, 4, 2] * 4), wanted=(0,))
    agree(by_strides, np.repeat(X, 2)[::2])
    kept = NAMES.copy()
    NAMES[:] = ["x", "y", "z"]
    try:
        agree(by_names, X)
        assert astad.jvp(by_names, (X,), (X,))[0] == by_names(X)
    finally:
        NAMES[:] = kept


def same_or_not(x, y):
    t = np.zeros(12)
    v = t[1:]
    v[:] = x[1:]
    return np.sum(t * x) if x is y else np.sum(t * y) * 5.0


def test_whether_two_arrays_are_one():
    y = X + 1.0
    for _ in range(6):
        agree(same_or_not, X, y)
    value, _ = astad.value_and_grad(same_or_not, argnums=(0, 1))(X, X)
    assert value == same_or_not(X, X)


def test_lists_are_no_operands():
    def f(p, quantiles):
        best = np.argpartition(p, 5)[:5]
        return quantiles[0] * p[best].sum() + quantiles[1]

    for k in range(6):
        agree(f, X + 0.01 * k, [0.1, 0.5])
