"""Quantiles of scipy.stats as they are differentiated: the ends of the support are met only where a
probability is 0 or 1. And `_cdf` without a formula, element by element.

At an infinite end the derivative in the scale is infinite; where no probability is 0 or 1 nothing
of it may be met, or zero times infinity makes a nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import _distn_infrastructure, rv_continuous, rv_discrete

from astad.runtime.core.full_rules import FOLLOWED, Record, Value, callbacks, full
from astad.runtime.core.versions import Versions

__all__: list[str] = []

argsreduce = _distn_infrastructure.argsreduce
Array = Any
"""An array, or a number that stands for one."""


def ppf(self: Any, q: Array, *args: Array, **kwds: Array) -> Array:
    """`rv_continuous.ppf`."""
    shapes, loc, scale = self._parse_args(*args, **kwds)
    q, loc, scale = np.asarray(q), np.asarray(loc), np.asarray(scale)
    shapes = tuple([np.asarray(each) for each in shapes])
    return quantiles(self, self._ppf, (q == 0, q == 1), q, shapes, loc, scale)


def isf(self: Any, q: Array, *args: Array, **kwds: Array) -> Array:
    """`rv_continuous.isf`."""
    shapes, loc, scale = self._parse_args(*args, **kwds)
    q, loc, scale = np.asarray(q), np.asarray(loc), np.asarray(scale)
    shapes = tuple([np.asarray(each) for each in shapes])
    return quantiles(self, self._isf, (q == 1, q == 0), q, shapes, loc, scale)


def quantiles(
    self: Any, inverse: Any, ends: Any, q: Array, shapes: Any, loc: Array, scale: Array
) -> Array:
    """``inverse`` where the probability is inside; the ends of the support where `ends` say so."""
    low, high = self._get_support(*shapes)
    valid = self._argcheck(*shapes) & (scale > 0) & (loc == loc)
    at_low, at_high = valid & ends[0], valid & ends[1]
    inside = valid & ((0 < q) & (q < 1))
    output = np.full(np.shape(inside), fill_value=self.badvalue)
    if np.any(at_low):
        where, by, to = argsreduce(at_low, low, scale, loc)
        np.place(output, at_low, where * by + to)
    if np.any(at_high):
        where, by, to = argsreduce(at_high, high, scale, loc)
        np.place(output, at_high, where * by + to)
    if np.any(inside):
        reduced = argsreduce(inside, q, *shapes, scale, loc)
        by, to = reduced[-2], reduced[-1]
        np.place(output, inside, inverse(*reduced[:-2]) * by + to)
    if output.ndim == 0:
        return output[()]
    return output


def numeric_cdf(self: Any, x: Array, *shapes: Array) -> Array:
    """`_cdf` where there is no formula: the density is integrated, or its values are summed."""
    columns = [np.ravel(each) for each in np.broadcast_arrays(x, *shapes)]
    found = [self._cdf_single(*[c[k] for c in columns]) for k in range(columns[0].size)]
    return np.array(found).reshape(np.broadcast_shapes(*[np.shape(each) for each in (x, *shapes)]))


def frozen(self: Any, dist: Any, *args: Array, **kwds: Array) -> None:
    """``__init__`` of a distribution with its parameters."""
    self.args = args
    self.kwds = kwds
    self.dist = another(dist)
    shapes, _, _ = self.dist._parse_args(*args, **kwds)
    self.a, self.b = self.dist._get_support(*shapes)


def another(dist: Any) -> Any:
    """The same distribution as an object of its own: SciPy writes its methods anew."""
    return dist.__class__(**dist._updated_ctor_param())


@full(another)
def another_forward(versions: Versions, dist: Value) -> tuple[Value, Record]:
    return another(dist), None


def another_recorded(run: Any, dist: Value) -> Value:
    """It holds nothing with a derivative; each run has the same."""
    if not (run.outside.is_outside(dist) and run.outside.place(dist).fixed):
        run.recording.refuse(f"a {type(dist).__name__} that may be another")
    return run.recording.keep(another(dist))


FOLLOWED[id(another)] = another_recorded


def _written(fn: Value, text: Value) -> None:
    @full(fn)
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        return callbacks.call(versions, text, *args, **keywords)


def _written_in_runs(fn: Value, text: Value) -> None:
    """In recorded runs, too."""
    _written(fn, text)
    FOLLOWED[id(fn)] = lambda run, *args, **keywords: run.function(text, args, keywords)


_written_in_runs(_distn_infrastructure.rv_frozen.__init__, frozen)
_written(rv_continuous.ppf, ppf)
_written(rv_continuous.isf, isf)
_written(rv_continuous._cdf, numeric_cdf)
_written(rv_discrete._cdf, numeric_cdf)
