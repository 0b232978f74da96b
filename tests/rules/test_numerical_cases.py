"""The numerical cases of single rules that must come out right; also dtypes and layouts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import harness
import numpy as np
import pytest
from exemptions import reason

from astad.rules import REGISTRY, lookup
from astad.rules.formula import Rule
from astad.tangents.arrays import project

NAN, INF = math.nan, math.inf


def derivative(
    fn: Callable[..., Any], *args: Any, wrt: int = 0, y_bar: Any = None, **keywords: Any
) -> Any:
    """Cotangent of one argument for a seed of ones, or for `y_bar`, by the rule of `fn`."""
    rule = lookup(fn)
    assert rule is not None
    with np.errstate(all="ignore"):
        y = fn(*args, **keywords)
    values = rule.bind(args, keywords)
    name = rule.parameters[wrt].lstrip("*")
    seed = np.ones(np.shape(y), np.result_type(y, np.float16)) if y_bar is None else y_bar
    return project(rule.pull((name,))(seed, y, *values)[0], args[wrt])


def tangent(fn: Callable[..., Any], x_dot: Any, *args: Any, **keywords: Any) -> Any:
    """Tangent of the result for a tangent of the first argument."""
    rule = lookup(fn)
    assert rule is not None
    with np.errstate(all="ignore"):
        y = fn(*args, **keywords)
    return rule.push((rule.parameters[0],))((x_dot,), y, *rule.bind(args, keywords))


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


NORMS = [
    (lambda: derivative(np.linalg.norm, np.zeros(3)), [0, 0, 0]),
    (
        lambda: derivative(np.linalg.norm, np.array([[3.0, 4.0], [0.0, 0.0]]), axis=1),
        [[0.6, 0.8], [0, 0]],
    ),
    (lambda: derivative(np.linalg.norm, np.zeros(3), 1), [0, 0, 0]),
    (lambda: derivative(np.linalg.norm, np.array([2.0, -2.0, 1.0]), np.inf), [0.5, -0.5, 0]),
    (lambda: derivative(np.linalg.norm, np.zeros((2, 2)), "nuc"), np.zeros((2, 2))),
    (lambda: derivative(np.linalg.norm, np.zeros((2, 2)), 2), np.zeros((2, 2))),
    (lambda: derivative(np.linalg.norm, np.eye(2), 2), np.eye(2) / 2),
    (lambda: derivative(np.linalg.norm, np.zeros(2), 3), [0, 0]),
    (lambda: derivative(np.linalg.vector_norm, np.zeros((2, 2))), np.zeros((2, 2))),
]
POINTS = [
    (lambda: derivative(np.sqrt, 0.0), INF),
    (lambda: derivative(np.sqrt, 0.0, y_bar=0.0), 0),
    (lambda: derivative(np.log, 0.0, y_bar=0.0), 0),
    (lambda: derivative(np.abs, 0.0), 0),
    (lambda: derivative(np.abs, 0j), 0),
    (lambda: derivative(np.abs, 3 + 4j), 0.6 + 0.8j),
    (lambda: derivative(np.angle, 0j), 0),
    (lambda: derivative(np.arctan2, 0.0, 0.0), 0),
    (lambda: derivative(np.hypot, 0.0, 0.0), 0),
    (lambda: derivative(np.sinc, 0.0), 0),
    (lambda: derivative(np.clip, np.array([0.0, 0.5, 1.0, 2.0]), 0.0, 1.0), [1, 1, 1, 0]),
    (lambda: derivative(np.maximum, np.array([0.0]), 0.0), [0.5]),
    (lambda: derivative(np.logaddexp, -INF, -INF), 0.5),
    (lambda: derivative(np.logaddexp, INF, 1.0), 1),
    (lambda: derivative(np.logaddexp, INF, 1.0, wrt=1), 0),
    (lambda: derivative(np.logaddexp, 0.0, 1000.0, wrt=1), 1),
]
POWERS = [
    (lambda: derivative(np.power, 0.0, 0.0), 0),
    (lambda: derivative(np.power, 0.0, 1.0), 1),
    (lambda: derivative(np.power, 0.0, 2.0), 0),
    (lambda: derivative(np.power, 0.0, 0.5), INF),
    (lambda: derivative(np.power, -2.0, 3.0), 12),
    (lambda: derivative(np.power, -2.0, 3.0, wrt=1), NAN),
    (lambda: derivative(np.power, 0.0, 2.0, wrt=1), 0),
    (lambda: derivative(np.power, 0.0, 0.0, wrt=1), 0),
]
ENTRIES = [
    (lambda: derivative(np.prod, np.array([2.0, 0.0, 3.0])), [0, 6, 0]),
    (lambda: derivative(np.prod, np.array([2.0, 0.0, 0.0])), [0, 0, 0]),
    (lambda: derivative(np.cumprod, np.array([2.0, 0.0, 3.0])), [1, 8, 0]),
    (lambda: derivative(np.std, np.full(3, 2.5)), [0, 0, 0]),
    (
        lambda: derivative(np.sort, np.array([2.0, 1.0, 1.0]), y_bar=np.array([1.0, 2.0, 3.0])),
        [3, 1, 2],
    ),
    (lambda: derivative(np.median, np.array([4.0, 1.0, 2.0, 3.0])), [0, 0, 0.5, 0.5]),
    (lambda: derivative(np.nanmax, np.array([1.0, NAN, 3.0])), [0, 0, 1]),
    (lambda: derivative(np.nansum, np.array([1.0, NAN])), [1, 0]),
    (lambda: derivative(np.nanprod, np.array([2.0, NAN, 3.0])), [3, 0, 2]),
]
MATRICES = [
    (lambda: derivative(np.linalg.svdvals, np.eye(2)), np.eye(2)),
    (lambda: derivative(np.linalg.svd, np.eye(2), compute_uv=False), np.eye(2)),
    (lambda: derivative(np.linalg.eigvalsh, np.eye(2)), np.eye(2)),
    (lambda: derivative(np.linalg.det, np.array([[1.0, 2.0], [2.0, 4.0]])), [[4, -2], [-2, 1]]),
    (lambda: derivative(np.linalg.det, np.zeros((2, 2))), np.zeros((2, 2))),
    (
        lambda: derivative(np.linalg.det, np.array([np.eye(2), np.diag([3.0, 0.0])])),
        [np.eye(2), [[0, 0], [0, 3]]],
    ),
]


@pytest.mark.parametrize("case, wanted", [*NORMS, *POINTS, *POWERS, *ENTRIES, *MATRICES])
def test_point_where_a_formula_could_fail(case: Callable[[], Any], wanted: Any) -> None:
    same(case(), wanted)


@pytest.mark.parametrize("fn", [np.max, np.amax, np.nanmax, np.ndarray.max])
def test_ties_of_a_maximum_share_evenly(fn: Any) -> None:
    same(derivative(fn, np.array([2.0, 5.0, 5.0])), [0, 0.5, 0.5])
    same(tangent(fn, np.array([1.0, 2.0, 4.0]), np.array([2.0, 5.0, 5.0])), 3)


@pytest.mark.parametrize("fn", [np.max, np.min, np.ndarray.max])
def test_maximum_with_a_nan_puts_nan_on_the_nan_alone(fn: Any) -> None:
    same(derivative(fn, np.array([1.0, NAN, 3.0])), [0, NAN, 0])


def test_partition_follows_its_own_permutation() -> None:
    a = np.array([5.0, 1.0, 4.0, 1.0, 3.0])
    order = np.argpartition(a, 2)
    same(derivative(np.partition, a, 2, y_bar=np.arange(5.0))[order], np.arange(5.0))


def test_variance_without_freedom_stays_nan() -> None:
    rule = lookup(np.var)
    assert rule is not None
    assert np.isnan(rule.pull(("a",))(1.0, NAN, *rule.bind((np.ones(1),), {"ddof": 1}))[0]).all()


def test_eigenvectors_of_equal_values_are_nan_with_a_warning() -> None:
    y = np.linalg.eigh(np.eye(2))
    rule = lookup(np.linalg.eigh)
    assert rule is not None
    with pytest.warns(RuntimeWarning, match="eigenvalues 0 and 1 are equal"):
        found = rule.pull(("a",))((np.ones(2), np.ones((2, 2))), y, np.eye(2), "L")[0]
    assert np.isnan(found).any()
    same(rule.pull(("a",))((np.ones(2), None), y, np.eye(2), "L")[0], np.eye(2))


def test_singular_vectors_of_equal_values_are_nan_with_a_warning() -> None:
    y = np.linalg.svd(np.eye(2))
    rule = lookup(np.linalg.svd)
    assert rule is not None
    values = rule.bind((np.eye(2),), {})
    with pytest.warns(RuntimeWarning, match="singular values 0 and 1 are equal"):
        found = rule.pull(("a",))((np.ones((2, 2)), None, None), y, *values)[0]
    assert np.isnan(found).any()
    same(rule.pull(("a",))((None, np.ones(2), None), y, *values)[0], np.eye(2))


def test_triangle_that_is_read_gets_the_cotangent() -> None:
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    found = derivative(np.linalg.eigvalsh, a, y_bar=np.array([1.0, 0.0]))
    same(found[[1, 0], [0, 1]], [-2 / math.sqrt(5), 0])
    found = derivative(np.linalg.cholesky, np.array([[2.0, 1.0], [1.0, 4.0]]))
    same(found[[1, 0], [0, 1]], [math.sqrt(0.5) - 0.5 / math.sqrt(3.5), 0])


def test_pseudoinverse_of_lower_rank_keeps_the_rank() -> None:
    row = np.array([1.0, -2.0])
    a, along = np.outer([1.0, 2.0, 3.0], row), np.outer([0.5, 1.0, -1.0], row)  # all of rank 1
    seed = np.arange(6.0).reshape(2, 3)
    h = 1e-4
    moved = (np.linalg.pinv(a + h * along) - np.linalg.pinv(a - h * along)) / (2 * h)
    found = derivative(np.linalg.pinv, a, y_bar=seed)
    np.testing.assert_allclose(np.sum(found * along), np.sum(moved * seed), rtol=1e-6)


# dtypes and layouts: what every rule must keep

LIKE = [
    each
    for each in REGISTRY.values()
    if each.form != "zero" and each.examples and not reason(each, "layouts").startswith("a kernel")
]


def changed(value: Any, how: Callable[[Any], Any]) -> Any:
    """`value` with each array of floats changed."""
    if isinstance(value, (list, tuple)):
        return type(value)(changed(each, how) for each in value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return how(value)
    return value


def single(a: Any) -> Any:
    return a.astype(np.float32 if a.dtype.kind == "f" else np.complex64)


def in_fortran_order(a: Any) -> Any:
    return np.array(a, order="F")


def reversed_in_memory(a: Any) -> Any:
    """The same entries, every second one of a larger array, from its end."""
    if a.ndim == 0:
        return a
    whole = np.zeros([2 * n for n in a.shape], a.dtype)
    view = whole[tuple(slice(None, None, -2) for _ in a.shape)]
    view[...] = a
    return view


def cotangents(rule: Rule, args: Any, keywords: Any, seed: Any) -> list[Any]:
    """Leaves of the cotangents of all arguments that take one, as delivered."""
    values = rule.bind(args, keywords)
    names = [name.lstrip("*") for name in rule.parameters]
    wanted = tuple(
        n for n, v in zip(names, values, strict=True) if n in rule.back and harness.is_smooth(v)
    )
    for value in values:
        harness.freeze(value)
    with np.errstate(all="ignore"):
        y = rule.fn(*args, **keywords)
    found = rule.pull(wanted)(fit_seed(seed, y), y, *values)
    bars = [harness.fitted(g, values[names.index(n)]) for n, g in zip(wanted, found, strict=True)]
    return harness.leaves(bars)


def fit_seed(seed: Any, y: Any) -> Any:
    """The seed in the dtype of the result."""
    if seed is None or isinstance(seed, (list, tuple)):
        return seed and type(seed)([fit_seed(a, b) for a, b in zip(seed, y, strict=True)])
    return np.asarray(seed).astype(np.asarray(y).dtype)


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")  # of single precision, always
@pytest.mark.parametrize("rule", LIKE, ids=lambda rule: rule.name)
def test_layout_and_precision_of_arguments(rule: Rule) -> None:
    for _, (args, keywords) in harness.cases(rule):
        with np.errstate(all="ignore"):
            seed = harness.direction(rule.fn(*args, **keywords), np.random.default_rng(0))
        wanted = cotangents(rule, args, keywords, seed)
        ways = [] if reason(rule, "precision") else [(single, 2e-2)]
        if not reason(rule, "layouts"):
            ways += [(in_fortran_order, 1e-8), (reversed_in_memory, 1e-8)]
        for how, tolerance in ways:
            here = changed(args, how), changed(keywords, how)
            if not harness.has_value(rule, *here):
                continue
            found = cotangents(rule, *here, seed)
            for a, b in zip(found, wanted, strict=True):
                np.testing.assert_allclose(
                    a, b, rtol=tolerance, atol=tolerance * (1 + np.max(np.abs(b), initial=0))
                )
