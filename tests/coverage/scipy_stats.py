"""Calls of the names of scipy.stats: distributions by their methods, descriptions of samples."""

import numpy as np
from scipy import stats

w = np.linspace(1.0, 2.0, 9)
cov = np.array([[1.2, 0.3, 0.1], [0.3, 0.9, 0.2], [0.1, 0.2, 1.5]])
k = np.array([0, 1, 2, 3, 4, 1, 2, 3, 5])
ALL = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
FUNCTIONS = ("logpdf", "cdf", "ppf")


def calls_of(name, shapes="", loc="loc=-0.1", functions=FUNCTIONS):
    """In the variable, and in location and scale."""
    given = f"{shapes}, " if shapes else ""
    return tuple(
        f"stats.{name}.{fn}({part})"
        for fn in functions
        for part in (f"x, {given}{loc}, scale=1.3", f"0.31, {given}loc=x - 0.9, scale=x + 1.0")
    )


CALLS = {
    "norm": (*calls_of("norm", functions=ALL), "stats.norm(x, w).logpdf(0.4)"),
    "expon": calls_of("expon"),
    "uniform": ("stats.uniform.logpdf(0.5, 0.1 * x, w)", "stats.uniform.ppf(x, x, w)"),
    "cauchy": calls_of("cauchy"),
    "logistic": calls_of("logistic"),
    "laplace": calls_of("laplace"),
    "gumbel_r": calls_of("gumbel_r"),
    "gumbel_l": calls_of("gumbel_l"),
    "lognorm": calls_of("lognorm", "0.8"),
    "weibull_min": (*calls_of("weibull_min", "1.4"), "stats.weibull_min.logpdf(w, x + 1)"),
    "pareto": ("stats.pareto.logpdf(x + 1.5, 2.1)", "stats.pareto.ppf(x, 2.1, scale=x)"),
    "gamma": (*calls_of("gamma", "2.0", functions=ALL), "stats.gamma.logpdf(w, x + 1)"),
    "beta": (*calls_of("beta", "1.7, 2.3"), "stats.beta.logpdf(0.3, x + 1, w)"),
    "chi2": (*calls_of("chi2", "3.0"), "stats.chi2.logpdf(w, x + 1)"),
    "t": (*calls_of("t", "3.0"), "stats.t.logpdf(w, x + 1)"),
    "f": (*calls_of("f", "3.0, 5.0"), "stats.f.logpdf(w, x + 1, 4.0)"),
    "skewnorm": (*calls_of("skewnorm", "2.0"), "stats.skewnorm.cdf(w, x)"),
    "truncnorm": calls_of("truncnorm", "-1.0, 2.0", functions=("logpdf", "cdf")),
    "vonmises": calls_of("vonmises", "1.3", functions=("pdf", "logpdf")),
    "rayleigh": calls_of("rayleigh"),
    "maxwell": calls_of("maxwell"),
    "poisson": ("stats.poisson.pmf(k, x)", "stats.poisson.logpmf(k, x)"),
    "binom": (
        "stats.binom.pmf(k, 6, x)",
        "stats.binom.logpmf(k, 6, x)",
        "stats.binom.cdf(k, 6, x)",
        "stats.binom.sf(k, 6, x)",
    ),
    "geom": ("stats.geom.pmf(k + 1, x)", "stats.geom.cdf(k + 1, x)", "stats.geom.logsf(k + 1, x)"),
    "nbinom": ("stats.nbinom.logpmf(k, 3.5, x)", "stats.nbinom.cdf(k, 3.5, x)"),
    "bernoulli": ("stats.bernoulli.logpmf(1, x)", "stats.bernoulli.pmf(k > 1, x)"),
    "betabinom": ("stats.betabinom.logpmf(k, 6, x, w)", "stats.betabinom.cdf(2, 6, x[0], 2.0)"),
    "multivariate_normal": (
        "stats.multivariate_normal.logpdf(x[:3], x[3:6], cov)",
        "stats.multivariate_normal.pdf(x.reshape(3, 3), np.zeros(3), cov)",
    ),
    "dirichlet": ("stats.dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), x[:3])",),
    "gmean": ("stats.gmean(x)", "stats.gmean(x.reshape(3, 3), axis=1)"),
    "hmean": ("stats.hmean(x)",),
    "pmean": ("stats.pmean(x, 3)",),
    "zscore": ("stats.zscore(x)", "stats.zscore(x.reshape(3, 3), axis=1, ddof=1)"),
    "gzscore": ("stats.gzscore(x)",),
    "zmap": ("stats.zmap(x, w)",),
    "skew": ("stats.skew(x)", "stats.skew(x, bias=False)"),
    "kurtosis": ("stats.kurtosis(x)",),
    "moment": ("stats.moment(x, 3)",),
    "variation": ("stats.variation(x)",),
    "sem": ("stats.sem(x)",),
    "tmean": ("stats.tmean(x)",),
    "tvar": ("stats.tvar(x)",),
    "tstd": ("stats.tstd(x)",),
    "trim_mean": ("stats.trim_mean(x, 0.2)",),
    "gstd": ("stats.gstd(x)",),
    "circmean": ("stats.circmean(x)",),
    "circvar": ("stats.circvar(x)",),
    "circstd": ("stats.circstd(x)",),
    "median_abs_deviation": ("stats.median_abs_deviation(x)",),
    "entropy": ("stats.entropy(x)", "stats.entropy(x, w)"),
    "differential_entropy": ("stats.differential_entropy(x)",),
    "linregress": ("stats.linregress(w, x).slope", "stats.linregress(x, w).intercept_stderr"),
    "theilslopes": ("stats.theilslopes(x, w)[0]",),
    "boxcox": ("stats.boxcox(x, 0.5)",),
    "yeojohnson": ("stats.yeojohnson(x, 0.4)",),
    "yeojohnson_llf": ("stats.yeojohnson_llf(0.5, x)",),
    "wasserstein_distance": ("stats.wasserstein_distance(x, w)",),
    "energy_distance": ("stats.energy_distance(x, w)",),
    "describe": ("stats.describe(x).variance",),
    "gaussian_kde": ("stats.gaussian_kde(w)(x)",),
}
REFUSED = {
    "gaussian_kde": "its sum over the samples is compiled; write it with exp and logsumexp",
}
NO_SECOND = dict.fromkeys(CALLS, "as costly as all first orders; the special functions are asked")
