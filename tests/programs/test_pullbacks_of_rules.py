"""Second order: the pullbacks of NumPy's rules are programs too, and have the right derivatives."""

import numpy as np
import pytest

from astad import gradient
from astad.rules.numpy.averages import data_back as avg_data
from astad.rules.numpy.averages import weights_back
from astad.rules.numpy.axes import spread
from astad.rules.numpy.cholesky import cholesky_back
from astad.rules.numpy.cumulative import cumprod_back, cumsum_back, prod_back
from astad.rules.numpy.decompositions import qr_back, svd_back
from astad.rules.numpy.einsum import einsum_back
from astad.rules.numpy.extremes import extreme_back, ptp_back
from astad.rules.numpy.fft import irfft_back, rfft_back, transformed_back
from astad.rules.numpy.finite_differences import diff_back, trapezoid_back
from astad.rules.numpy.indexing import chosen_back, selected_back, trace_back
from astad.rules.numpy.interpolation import interp_back
from astad.rules.numpy.joining import (
    concatenated_back,
    repeated_back,
    split_back,
    tiled_back,
)
from astad.rules.numpy.linalg import adjugate, pinv_back, solve_bar, solve_matrix, solve_right
from astad.rules.numpy.matrix_powers import multi_dot_back, power_change
from astad.rules.numpy.norms import slope, slope_back
from astad.rules.numpy.padding import array_back
from astad.rules.numpy.polynomials import coefficients_back, fit_bars
from astad.rules.numpy.products import H, dot_first, inner_first, matmul_first
from astad.rules.numpy.quantiles import data_back
from astad.rules.numpy.reductions import per_deviation, var_back
from astad.rules.numpy.scatter import scattered
from astad.rules.numpy.slopes import gradient_back, spacings_back
from astad.rules.numpy.sorting import from_order, unique_back
from astad.rules.numpy.spectra import general_back, hermitian_back
from astad.rules.numpy.statistics import corrcoef_bar, cov_back
from astad.rules.numpy.tensor_products import convolve_back, cross_back, kron_back, tensordot_first
from astad.rules.numpy.ufunc_methods import accumulate_back, reduce_back, running_back

POINT = np.array([1.0, 2.0, 3.5])
W = np.array([0.3, -1.0, 0.7])
W2 = np.outer(W, W + 1)
STEP = 1e-5


def M(x):
    return np.outer(x, x) + np.diag(x)


def norm_part(y_bar, a, ord):
    y = np.linalg.norm(a, ord)
    return slope_back(y_bar, slope(a, y, ord, None), a, y, ord, None)


CASES = {
    "spread": lambda x: np.sum(spread(x, (3, 2), 1) * np.ones((3, 2)) * x[0]),
    "prod": lambda x: np.sum(prod_back(x[0], x) * W),
    "prod0": lambda x: np.sum(prod_back(x[2], x - 1.0) * W),
    "cumprod": lambda x: np.sum(cumprod_back(x, x - 1.0) * W),
    "cumsum": lambda x: np.sum(cumsum_back(x * x, (3,), None) * W),
    "var": lambda x: np.sum(var_back(x[0], x, None, 0, True) * W),
    "std": lambda x: np.sum(var_back(per_deviation(x[0], np.std(x)), x, None, 0, True) * W),
    "max": lambda x: np.sum(extreme_back(x[0] ** 2, np.max(x), x, None) * W),
    "ptp": lambda x: np.sum(ptp_back(x[0] ** 2, x, None) * W),
    "median": lambda x: np.sum(data_back(x[0] ** 2, x, 0.3, None, "linear", np.quantile) * W),
    "dot": lambda x: np.sum(dot_first(M(x), (3, 3), M(x)) * W2),
    "matmul": lambda x: np.sum(matmul_first(x, (3, 3), x) * W2),
    "inner": lambda x: np.sum(inner_first(M(x), (3, 3), M(x)) * W2),
    "tensordot": lambda x: np.sum(tensordot_first(M(x), (3, 3), M(x), 1) * W2),
    "kron": lambda x: np.sum(kron_back(np.kron(x, x), x, (3,), True) * W),
    "cross": lambda x: np.sum(cross_back(x, x * x, x**3, (-1, -1, -1), True) * W),
    "conv": lambda x: np.sum(convolve_back(np.convolve(x, x), (3,), x, "full") * W),
    "einsum": lambda x: np.sum(einsum_back(x, "ij,j->i", (M(x), x), False)[1] * W),
    "adjugate": lambda x: np.sum(adjugate(M(x), np.linalg.det(M(x))) * W2),
    "pinv": lambda x: np.sum(
        pinv_back(M(x)[:2], M(x)[:, :2], np.linalg.pinv(M(x)[:, :2])) * W2[:, :2]
    ),
    "solve": lambda x: np.sum(
        solve_matrix(solve_bar(x, M(x), 1), np.linalg.solve(M(x), x), (3, 3), 1) * W2
    ),
    "solveb": lambda x: np.sum(solve_right(solve_bar(x, M(x), 1), (3,)) * W),
    "power": lambda x: np.sum(power_change(H(M(x)), 3, M(x)) * W2),
    "multi": lambda x: np.sum(multi_dot_back(M(x), [M(x), M(x), M(x)])[1] * W2),
    "norm": lambda x: np.sum(norm_part(x[0], x, None) * W),
    "norm3": lambda x: np.sum(norm_part(x[0], x, 3) * W),
    "normf": lambda x: np.sum(norm_part(x[0], M(x), "nuc") * W2),
    "eigh": lambda x: np.sum(hermitian_back(np.linalg.eigh(M(x)), (x, M(x)), "L") * W2),
    "eig": lambda x: np.real(np.sum(general_back(np.linalg.eig(M(x)), (x, M(x))) * W2)),
    "svd": lambda x: np.sum(svd_back(np.linalg.svd(M(x)), (M(x), x, M(x))) * W2),
    "chol": lambda x: np.sum(cholesky_back(np.linalg.cholesky(M(x)), M(x), False) * W2),
    "qr": lambda x: np.sum(qr_back(M(x), np.linalg.qr(M(x)), (M(x), M(x)), "reduced") * W2),
    "rfft": lambda x: np.sum(rfft_back(np.fft.rfft(x**2), (3,), None, -1, None) * W),
    "fft": lambda x: np.sum(
        transformed_back(np.fft.fft(x**2), (3,), None, np.fft.ifft, -1).real * W
    ),
    "irfft": lambda x: np.sum(irfft_back(x**2, (2,), -1, None).real * W[:2]),
    "diff": lambda x: np.sum(diff_back(np.diff(x) ** 2, x, 1, -1, None, None)[0] * W),
    "trap": lambda x: np.sum(trapezoid_back(x[0], x**2, x, 1.0, -1)[1] * W),
    "grad": lambda x: np.sum(gradient_back(x**2, (3,), (x,), None, 1) * W),
    "gradx": lambda x: np.sum(spacings_back(x**2, x**3, (x,), None, 1)[0] * W),
    "interp": lambda x: np.sum(
        interp_back(x[:1] ** 2, np.array([1.5]), x, x**2, (None, None), None)[1] * W
    ),
    "trace": lambda x: np.sum(trace_back(x[0] ** 2, (3, 3), 0, 0, 1) * W2),
    "choose": lambda x: np.sum(chosen_back(x**2, np.array([0, 1, 0]), [x, x], "raise")[0] * W),
    "select": lambda x: np.sum(selected_back(x**2, [x > 1.5, x > 0], [x, x])[1] * W),
    "scatter": lambda x: np.sum(scattered(x**2, np.array([0, 0, 1]), (3,)) * W),
    "concat": lambda x: np.sum(concatenated_back(np.concatenate([x, x]) ** 2, [x, x])[1] * W),
    "tile": lambda x: np.sum(tiled_back(np.tile(x, 2) ** 2, (3,), 2) * W),
    "repeat": lambda x: np.sum(repeated_back(np.repeat(x, 2) ** 2, (3,), 2, None) * W),
    "split": lambda x: np.sum(split_back(list(np.split(x**2, 3)), np.split(x, 3), 0) * W),
    "pad": lambda x: np.sum(array_back(np.pad(x, 1) ** 2, (3,), 1, "edge", "even") * W),
    "sort": lambda x: np.sum(from_order(x**2, (3,), np.argsort(x), -1) * W),
    "unique": lambda x: np.sum(unique_back(x**2, x, False, None, True) * W),
    "reduce": lambda x: np.sum(
        reduce_back(np.logaddexp.reduce(x), x[0], np.logaddexp, x, 0, None, True) * W
    ),
    "accum": lambda x: np.sum(
        accumulate_back(np.logaddexp.accumulate(x), x, np.logaddexp, x, 0) * W
    ),
    "running": lambda x: np.sum(running_back(x**2, np.maximum.accumulate(x), x) * W),
    "cov": lambda x: np.sum(cov_back(M(x)[:2, :2], np.stack([x, x**2]), np.ones(3) / 2) * W2[:2]),
    "corr": lambda x: np.sum(
        corrcoef_bar(np.corrcoef(x, x**2), M(x)[:2, :2], np.stack([x, x**2])) * W2[:2]
    ),
    "polyval": lambda x: np.sum(coefficients_back(x**2, x, 3) * W),
    "polyfit": lambda x: np.sum(fit_bars(np.polyfit(x, x**3, 1), x[:2], x, x**3, 1, None)[0] * W),
    "avg": lambda x: np.sum(
        weights_back(np.average(x**2, weights=x), x[0], x**2, x, None, False) * W
    ),
    "avgd": lambda x: np.sum(avg_data(x[0], (3,), x, None, False) * W),
}


@pytest.mark.parametrize("name", CASES)
def test_pullback_of_a_rule_agrees_with_differences(name):
    f = CASES[name]
    wanted = [(f(POINT + STEP * e) - f(POINT - STEP * e)) / (2 * STEP) for e in np.eye(3)]
    atol = 1e-6 * (1 + np.max(np.abs(wanted)))
    np.testing.assert_allclose(gradient(f, POINT)[0], wanted, rtol=1e-5, atol=atol)
