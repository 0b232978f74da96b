"""Rules of scipy.spatial.distance: cdist, pdist, squareform, directed_hausdorff; and of
scipy.spatial.minkowski_distance.

Every distance is symmetric, so that its slope in the first point is all that is needed. Distances
of two points, and those by a function of the user's, are differentiated from their source.

>>> import numpy
>>> a, b = numpy.array([[0.0, 0.0]]), numpy.array([[3.0, 4.0], [0.0, 0.0]])
>>> rows_back(a, b, numpy.array([[5.0, 0.0]]), numpy.ones((1, 2)), "euclidean")
array([[-0.6, -0.8]])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import asarray, log, ndim, sign, sqrt, where
from scipy.spatial import distance, minkowski_distance

from astad.rules.numpy.renamed import known_as_y
from astad.rules.numpy.samples import imaginary, positive, real
from astad.rules.registry import Keywords, rule
from astad.tangents.arrays import sum_to_shape

__all__ = ["rows_back"]

Slope = Callable[..., Any]


def divided(a: Any, b: Any) -> Any:
    """``a / b``, and 0 where b is 0."""
    none = np.equal(b, 0)
    return where(none, 0.0, a / where(none, 1, b))


# slopes of the distances y from u to the rows of v, in u: a row for each


def euclidean(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    return divided(w * (u - v), y[:, None])


def sqeuclidean(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    return 2 * w * (u - v)


def seuclidean(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    return divided((u - v) / asarray(options["V"]), y[:, None])


def mahalanobis(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    metric = asarray(options["VI"])
    return divided((u - v) @ (metric + metric.T) / 2, y[:, None])


def cityblock(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    return w * sign(u - v)


def chebyshev(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    """Ties share."""
    hits = np.equal(w * abs(u - v), y[:, None])
    return hits * w * sign(u - v) / np.maximum(np.sum(hits, axis=1, keepdims=True), 1)


def minkowski(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    size = abs(u - v)
    ratio = divided(size, y[:, None])
    if options["p"] >= 2:  # smooth where a difference is 0
        return w * divided(u - v, y[:, None]) * ratio ** (options["p"] - 2)
    return where(size == 0, 0.0, w * where(size == 0, 1.0, ratio) ** (options["p"] - 1)) * sign(
        u - v
    )


def canberra(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    whole = abs(u) + abs(v)
    return w * (divided(sign(u - v), whole) - divided(abs(u - v) * sign(u), whole * whole))


def braycurtis(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    whole = np.sum(w * abs(u + v), axis=1, keepdims=True)
    return w * divided(sign(u - v) - y[:, None] * sign(u + v), whole)


def cosine(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    length = sqrt(np.sum(w * u * u))
    lengths = sqrt(np.sum(w * v * v, axis=1, keepdims=True))
    return -w * (v / (length * lengths) - (1 - y[:, None]) * u / length**2)


def correlation(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    share = w / np.sum(w)
    g = cosine(u - u @ share, v - (v @ share)[:, None], y, w, options)
    return g - share * np.sum(g, axis=1, keepdims=True)


def jensenshannon(u: Any, v: Any, y: Any, w: Any, options: Any) -> Any:
    p, q = u / np.sum(u), v / np.sum(v, axis=1, keepdims=True)
    g = divided(log(2 * p / (p + q)), 4 * y[:, None])
    return (g - np.sum(where(p > 0, g, 0.0) * p, axis=1, keepdims=True)) / np.sum(u)


SLOPES: dict[str, Slope] = {
    f.__name__: f
    for f in (
        euclidean, sqeuclidean, seuclidean, mahalanobis, cityblock, chebyshev, minkowski, canberra,
        braycurtis, cosine, correlation, jensenshannon,
    )
}  # fmt: skip
STEPS = {
    "hamming", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule",
    "kulczynski1", "sokalmichener", "matching",
}  # fmt: skip
"""Of bits, or of counts: constant between their jumps."""


def name_of(metric: str) -> str:
    """The distance behind an abbreviation."""
    short = metric.lower()
    info = getattr(distance, "_METRIC_ALIAS", {}).get(short)
    return str(getattr(info, "canonical_name", short))


def is_covered(metric: Any, V: Any, VI: Any) -> bool:
    """Is there a slope? Not where the scale is made of the points themselves."""
    if not isinstance(metric, str):
        return False
    name = name_of(metric)
    scale = {"seuclidean": V, "mahalanobis": VI}.get(name, 0)
    return scale is not None and (name in SLOPES or name in STEPS)


def rows_back(a: Any, b: Any, y: Any, g: Any, metric: str, w: Any = None, **options: Any) -> Any:
    """Cotangent of the points `a`, from that of their distances `y` to the points `b`."""
    name = name_of(metric)
    a, b = asarray(a, float), asarray(b, float)
    if name in STEPS:
        return np.zeros(a.shape)
    if name == "sqeuclidean" and w is None:
        return 2 * (np.sum(g, axis=1)[:, None] * a - g @ b)
    if name == "euclidean" and w is None:
        share = divided(g, y)
        columns = [np.sum(share * (u[:, None] - v), axis=1) for u, v in zip(a.T, b.T, strict=True)]
        return np.array(columns).T.reshape(a.shape)
    weights = 1.0 if w is None else asarray(w)
    if name == "correlation" or name == "cosine":
        weights = np.ones(a.shape[1]) if w is None else weights
    slope = SLOPES[name]
    rows = [g[i] @ slope(a[i], b, y[i], weights, options) for i in range(len(a))]
    return np.array(rows).reshape(a.shape)


WORDS = "w=None, V=None, VI=None, p=2.0"
OPTIONS = "w, V=V, VI=VI, p=p"
REFUSED = "not is_covered(metric, V, VI)"
MISSING = {
    "w": "of weights", "V": "of variances", "VI": "of a metric", "p": "of an exponent"
}  # fmt: skip
SOURCE = "the definition of each distance; 0 at its kinks, ties share"
EVERY = [
    *[(name, {}) for name in SLOPES if name not in ("seuclidean", "mahalanobis", "jensenshannon")],
    ("seuclidean", {"V": positive(3)}),
    ("mahalanobis", {"VI": np.eye(3) + 0.1}),
    ("minkowski", {"p": 3.0, "w": positive(3)}),
    ("cosine", {"w": positive(3)}),
    ("hamming", {}),
]
rule(
    distance.cdist,
    f"XA, XB, metric='euclidean', *, out=None, {WORDS}",
    XA=f"rows_back(XA, XB, y, y_bar, metric, {OPTIONS})",
    XB=f"rows_back(XB, XA, y.T, y_bar.T, metric, {OPTIONS})",
    refuse=REFUSED,
    missing=MISSING,
    gives="outer(XA, XB); metric",
    source=SOURCE,
    examples=lambda: [
        *[(real(3, 3), real(2, 3, seed=1), n, Keywords(words)) for n, words in EVERY],
        (positive(3, 3), positive(2, 3, seed=1), "jensenshannon"),
    ],
)


def squared(d: Any, count: int) -> Any:
    """The symmetric matrix of the distances of pairs."""
    m = np.zeros((count, count))
    m[np.triu_indices(count, 1)] = d
    return m + m.T


def pairs_back(x: Any, y: Any, g: Any, metric: str, w: Any, **options: Any) -> Any:
    """Cotangent of the points in ``pdist``."""
    if np.size(g) == 0:  # of a single point there are no pairs
        return np.zeros(np.shape(x))
    count = len(x)
    return rows_back(x, x, squared(y, count), squared(g, count), metric, w, **options)


rule(
    distance.pdist,
    f"X, metric='euclidean', *, out=None, {WORDS}",
    X=f"pairs_back(X, y, y_bar, metric, {OPTIONS})",
    refuse=REFUSED,
    missing=MISSING,
    gives="row(X); metric",
    source=SOURCE,
    examples=lambda: [
        *[(real(4, 3), n, Keywords(words)) for n, words in EVERY if n != "hamming"],
        (positive(4, 3), "jensenshannon"),
    ],
)


def square_back(y_bar: Any, x: Any) -> Any:
    """Cotangent of a vector of distances, or of a matrix of which the upper triangle is read."""
    if ndim(x) == 1:
        return (y_bar + y_bar.T)[np.triu_indices(len(y_bar), 1)] if np.size(x) else np.zeros(0)
    g = np.zeros(np.shape(x))
    if np.size(y_bar):
        g[np.triu_indices(len(x), 1)] = y_bar
    return g


rule(
    distance.squareform,
    "X, force='no', checks=True",
    X="square_back(y_bar, X)",
    source="each distance stands twice in the matrix; of a matrix the upper triangle is read",
    examples=lambda: [(real(6),), (squared(real(6), 4), "no", False)],
)


def farthest_back(y_bar: Any, u: Any, v: Any, y: Any) -> Any:
    """Cotangent of the points `u` in the distance of one of them from one of `v`."""
    g = np.zeros(np.shape(u))
    if y_bar[0] is not None and y[0]:
        g[y[1]] = y_bar[0] * (asarray(u)[y[1]] - asarray(v)[y[2]]) / y[0]
    return g


rule(
    distance.directed_hausdorff,
    "u, v, rng=None, *, seed=None",
    u="farthest_back(y_bar, u, v, y)",
    v="farthest_back(y_bar, v, u, (y[0], y[2], y[1]))",
    source="the distance of the two points that are its ends",
    examples=lambda: [(real(3, 2), real(4, 2, seed=1))],
)


def steps_between(x: Any, others: Any) -> Any:
    """As SciPy takes them: of doubles, of narrower numbers too."""
    kind = np.result_type(asarray(x).dtype, asarray(others).dtype, np.float64)
    return asarray(x).astype(kind) - asarray(others).astype(kind)


def apart_back(g: Any, x: Any, others: Any, y: Any, p: Any) -> Any:
    """Cotangent of points `x`, from that of their distances `y` to others, pair by pair."""
    u = steps_between(x, others)
    rows, slope = u.reshape(-1, u.shape[-1]), minkowski if p < np.inf else chebyshev
    found = slope(rows, 0.0, np.ravel(y), 1.0, {"p": p}).reshape(u.shape)
    return sum_to_shape(np.expand_dims(g, -1) * found, np.shape(x))


def exponent_back(g: Any, x: Any, others: Any, y: Any, p: Any) -> Any:
    """Cotangent of the exponent: of ``log(y) = log(sum(size**p)) / p``."""
    if p == np.inf:
        return 0.0
    size = abs(steps_between(x, others))
    shares = divided(size, np.expand_dims(y, -1)) ** p
    logs = log(where(size == 0, 1.0, size))
    change = np.sum(shares * logs, axis=-1) - log(where(np.equal(y, 0), 1.0, y))
    return np.sum(g * y * change) / p


known_as_y(
    rule(
        minkowski_distance,
        "x, others, p=2.0",
        x="apart_back(y_bar, x, others, y, p)",
        others="apart_back(y_bar, others, x, y, p)",
        p="exponent_back(y_bar, x, others, y, p)",
        source=SOURCE,
        examples=lambda: [
            *[(real(4, 3), real(2, 1, 3, seed=1), p) for p in (1, 2, 3.5, 1.5, np.inf)],
            (real(3), real(4, 3, seed=1)),
            (real(3), real(3, seed=1), 3),
            (imaginary(2, 3), real(3), 3.0),
        ],
    ),
    "others",
)
