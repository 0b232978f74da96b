"""Calls of the names of numpy that sum, average, order and accumulate."""

import numpy as np

NAMESPACE = "numpy"

other = np.linspace(0.3, 2.9, 9)
mask = np.array([True, False, True, True, False, True, False, True, True])
square = mask.reshape(3, 3)
hole = np.where(mask, 0.0, np.nan)
M = "x.reshape(3, 3)"


def over(name, *more):
    """Calls of a reduction: all, one axis, all axes, kept dimensions, one number."""
    return (
        f"np.{name}(x)",
        f"np.{name}({M}, axis=0)",
        f"np.{name}({M}, axis=-1, keepdims=True)",
        f"np.{name}({M}, axis=(0, 1))",
        f"np.{name}({M}.T, 1, out=np.zeros(3))",
        *more,
    )


def around(name, *more):
    """The same with nan in half of the places."""
    return over(name, f"np.{name}(x + hole)", f"np.{name}({M} + hole.reshape(3, 3), axis=0)", *more)


def along(name, *more):
    """Calls of an accumulation."""
    return (
        f"np.{name}(x)",
        f"np.{name}({M}, axis=0)",
        f"np.{name}({M}, axis=1)",
        f"np.{name}({M}, axis=1, out=np.zeros((3, 3)))",
        *more,
    )


WHERE = f"({M}, axis=0, where=square, initial=0.6)"
CALLS: dict[str, tuple[str, ...]] = {
    "sum": over(
        "sum",
        "np.sum(x, initial=3.0)",
        "np.sum(x, where=mask)",
        "np.sum(x, initial=x[0])",
        "np.sum(x * 1j)",
        "np.sum([x[0], x[1]])",
        "np.sum(x, dtype=np.float64)",
        "np.sum(x[2])",
        f"np.sum({M}, axis=(0,), where=square, keepdims=True)",
    ),
    "prod": over("prod", f"np.prod{WHERE}", "np.prod(x * (1 + 2j))", "np.prod(x, initial=x[1])"),
    "max": over("max", f"np.max{WHERE}", "np.max(x, initial=0.3)"),
    "amax": over("amax", f"np.amax{WHERE}"),
    "min": over("min", f"np.min{WHERE}", "np.min(x, initial=x[0])"),
    "amin": over("amin", f"np.amin{WHERE}"),
    "mean": over("mean", "np.mean(x, where=mask)", "np.mean(x * (1 + 2j))", "np.mean([x[0], 2.0])"),
    "std": over(
        "std",
        "np.std(x, ddof=1)",
        "np.std(x, where=mask)",
        "np.std(x * (1 + 2j))",
        "np.std(x, correction=1)",
        "np.std(x, mean=np.mean(x, keepdims=True))",
    ),
    "var": over(
        "var",
        "np.var(x, ddof=1)",
        "np.var(x, where=mask)",
        "np.var(x * (1 + 2j))",
        f"np.var({M}, axis=1, correction=1)",
        "np.var(x, mean=np.mean(x, keepdims=True))",
    ),
    "ptp": over("ptp"),
    "median": over(
        "median",
        "np.median(x[:8])",
        "np.median(x[:8].reshape(2, 4), axis=1)",
        "np.median(x * 1, overwrite_input=True)",
    ),
    "average": (
        "np.average(x)",
        "np.average(x, weights=other)",
        "np.average(other, weights=x)",
        f"np.average({M}, axis=0, weights=x[:3])",
        f"np.average({M}, axis=1, weights={M}, returned=True)",
        f"np.average({M}, axis=0, keepdims=True)",
    ),
    "cumsum": along("cumsum", "np.cumsum(x * 1j)", "np.cumsum(x, dtype=np.float64)"),
    "cumprod": along("cumprod", "np.cumprod(x * (1 + 1j))"),
    "cumulative_sum": (
        "np.cumulative_sum(x)",
        "np.cumulative_sum(x, include_initial=True)",
        f"np.cumulative_sum({M}, axis=1)",
    ),
    "cumulative_prod": (
        "np.cumulative_prod(x)",
        "np.cumulative_prod(x, include_initial=True)",
        f"np.cumulative_prod({M}, axis=0)",
    ),
    "nansum": around("nansum", "np.nansum(x + hole, initial=2.0)", "np.nansum(x, where=mask)"),
    "nanprod": around("nanprod", "np.nanprod(x + hole, where=mask)"),
    "nanmax": around("nanmax", "np.nanmax(x + hole, initial=0.1, where=mask)"),
    "nanmin": around("nanmin"),
    "nanmean": around("nanmean", "np.nanmean(x + hole, where=~mask | (x > 0.4))"),
    "nanstd": around("nanstd", "np.nanstd(x + hole, ddof=1)"),
    "nanvar": around("nanvar", "np.nanvar(x + hole, ddof=1)", "np.nanvar(x * 1j + hole)"),
    "nanmedian": around("nanmedian"),
    "nancumsum": along("nancumsum", "np.nancumsum(x + hole)"),
    "nancumprod": along("nancumprod", "np.nancumprod(x + hole)"),
    "diff": (
        "np.diff(x)",
        "np.diff(x, n=2)",
        f"np.diff({M}, axis=0)",
        "np.diff(x, prepend=0.0, append=x[0])",
        "np.diff(x, n=0)",
    ),
    "ediff1d": (
        "np.ediff1d(x)",
        "np.ediff1d(x, to_begin=x[3], to_end=[1.0, 2.0])",
        f"np.ediff1d({M})",
    ),
    "trapezoid": (
        "np.trapezoid(x)",
        "np.trapezoid(x, other)",
        "np.trapezoid(other, x)",
        "np.trapezoid(x, dx=0.3)",
        f"np.trapezoid({M}, axis=0)",
        f"np.trapezoid({M}, x[:3], axis=1)",
        "np.trapezoid(x, dx=x[0])",
    ),
    "cov": (
        f"np.cov({M})",
        "np.cov(x)",
        "np.cov(x, other)",
        f"np.cov({M}, rowvar=False, bias=True)",
        f"np.cov({M}, ddof=0)",
        f"np.cov({M}, fweights=[1, 2, 1])",
        f"np.cov({M}, aweights=x[:3])",
        f"np.cov({M} * (1 + 2j) + 1j * {M} ** 2)",
    ),
    "corrcoef": (f"np.corrcoef({M})", "np.corrcoef(x, other)", f"np.corrcoef({M}, rowvar=False)"),
    "bincount": (
        "np.bincount([0, 1, 1], weights=x[:3])",
        "np.bincount([0, 5, 1], x[:3], minlength=8)",
    ),
    "histogram": (
        "np.histogram([0.1, 0.2, 0.9], bins=2, weights=x[:3])[0]",
        "np.histogram(x, bins=3)",
        "np.histogram(x, bins=[0.1, 0.5, 0.9], weights=x)",
        "np.histogram(x, bins=3, density=True)",
        "np.histogram(other, bins=3, range=(0.0, x[0] + 2))",
    ),
    "histogram2d": (
        "np.histogram2d(x, other, bins=2)",
        "np.histogram2d(other, other, bins=[[0, 1, 3], [0, 2, 3]], weights=x)[0]",
        "np.histogram2d(other, x, bins=2, density=True)[0]",
    ),
    "histogramdd": (
        f"np.histogramdd({M}, bins=2)[1]",
        "np.histogramdd([other, other], bins=2, weights=x)[0]",
        "np.histogramdd((other, x), bins=(2, 3), density=True)[0]",
    ),
    "histogram_bin_edges": (
        "np.histogram_bin_edges(x, bins=4)",
        "np.histogram_bin_edges(x, bins='sqrt')",
        "np.histogram_bin_edges(x, bins=3, range=(0.0, 2.0)) * x[0]",
        "np.histogram_bin_edges(x, bins=x[:3] * [1, 2, 3])",
    ),
}
QUANTILES = "linear lower higher nearest midpoint median_unbiased hazen weibull inverted_cdf"
for _name, _q in (("quantile", 0.3), ("percentile", 30.0)):
    for _form in (_name, "nan" + _name):
        CALLS[_form] = (
            f"np.{_form}(x, {_q})",
            f"np.{_form}({M}, [{_q}, {_q * 2.1}], axis=0)",
            f"np.{_form}({M}, {_q}, axis=1, keepdims=True)",
            f"np.{_form}(other**2, x[0] * {_q})",
            *(f"np.{_form}(x, {_q}, method='{method}')" for method in QUANTILES.split()),
            f"np.{_form}(x, {_q}, weights=np.arange(1, 10), method='inverted_cdf')",
            f"np.{_form}(x, {_q}, out=np.zeros(()))",
        )
    CALLS["nan" + _name] = (*CALLS["nan" + _name], f"np.nan{_name}(x + hole, {_q})")
