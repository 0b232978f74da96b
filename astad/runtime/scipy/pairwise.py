"""Distances of all pairs by a function of the user's, which is called with a record."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

from astad.errors import Unsupported
from astad.rules.registry import lookup
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.formula_rules import apply_rule

__all__: list[str] = []


def by_function(fn: Any, by_source: Any, count: int) -> None:
    """Where the metric is callable, SciPy's own loop over the pairs is differentiated.

    Parameters
    ----------
    fn, by_source : callable
        What users call, and the loop.
    count : int
        Arrays of points.
    """
    rule = lookup(fn)
    assert rule is not None

    @full(fn)
    def forward(versions: Versions, /, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        metric = args[count] if len(args) > count else keywords.get("metric", "euclidean")
        if not callable(metric):
            return apply_rule(versions, rule, args, keywords)
        words = dict(keywords, metric=metric)
        points = [*args[:count], *[words.pop(n) for n in rule.parameters[len(args) : count]]]
        out = words.pop("out", None)
        if out is not None or not all(map(is_plain, points)):
            raise Unsupported(
                rule.name,
                "distances by a function into out=, or of points that are no float arrays",
                why="the loop over the pairs is followed for arrays of floats",
                instead="convert the points, and use what the call returns",
            )
        y, record = callbacks.call(versions, by_source, *points, out=None, **words)
        return y, (pull_distances, record, args, keywords, tuple(words), count)


def is_plain(points: Value) -> bool:
    return issubclass(type(points), np.ndarray) and points.dtype == np.float64 and points.ndim == 2


def pull_distances(
    shadows: Shadows, y_bar: Value, record: Record, args: Value, keywords: Value, words: Value,
    count: int,
) -> Cotangents:  # fmt: skip
    parts = callbacks.pull(shadows, record, y_bar, count + 1 + len(words))
    if parts is None:
        return None
    found = dict(zip(words, parts[count + 1 :], strict=True))
    found.update(zip(("XA", "XB") if count == 2 else ("X",), parts, strict=False))
    names = [*(("XA", "XB", "metric") if count == 2 else ("X", "metric"))][: len(args)]
    return [found.get(name) for name in (*names, *keywords)]


if hasattr(distance, "_cdist_callable") and hasattr(distance, "_pdist_callable"):
    by_function(distance.cdist, distance._cdist_callable, 2)
    by_function(distance.pdist, distance._pdist_callable, 1)
