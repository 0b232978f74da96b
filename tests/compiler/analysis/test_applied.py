"""Calls with arguments that the function's rule refuses are never written out by it."""

import numpy as np
import pytest

X, W = np.array([0.3, 0.9, 0.2, 1.7]), np.array([1.0, 2.0, 3.0, 0.5])
Q = {"method": "inverted_cdf"}
CALLS = {
    "clip into": lambda x, w, b: np.clip(x, 0.25, 1.0, out=b) + b,
    "clip into, by place": lambda x, w, b: x.clip(0.25, 1.0, b) + b,
    "concatenate into": lambda x, w, b: np.concatenate([x[:2], w[2:]], out=b) + b,
    "choose into": lambda x, w, b: np.choose([0, 1, 0, 1], [x, w], out=b),
    "convolve": lambda x, w, b: np.convolve(x, w, "same" if b[0] == 0.0 else "full"),
    "cumsum into": lambda x, w, b: np.cumsum(x, out=b) + b,
    "cumsum into, by place": lambda x, w, b: x.cumsum(0, None, b) + b,
    "dot into": lambda x, w, b: np.dot(x, w, out=b[:1].reshape(())),
    "fit": lambda x, w, b: np.polyfit(w, x, 1, full=True)[0],
    "fit with a limit": lambda x, w, b: np.polyfit(w, x, 1, rcond=1e-9),
    "geomspace of ints": lambda x, w, b: np.geomspace(x[0], 9.3, 4, dtype=int) * x[1],
    "histogram": lambda x, w, b: np.histogram(x, bins=4, weights=x, density=True)[0],
    "linspace of ints": lambda x, w, b: np.linspace(x[0], 9.3, 5, dtype=int) * x[1],
    "linspace of int64": lambda x, w, b: np.linspace(x[0], 9.3, 5, dtype=np.int64) * x[1],
    "mean into": lambda x, w, b: np.mean(x, out=b[:1].reshape(())) * x,
    "median": lambda x, w, b: np.median(x * 1.0, overwrite_input=True) * x,
    "nan_to_num": lambda x, w, b: np.nan_to_num(x * w, copy=False),
    "pad, odd": lambda x, w, b: np.pad(x, 2, mode="reflect", reflect_type="odd"),
    "pad, a ramp": lambda x, w, b: np.pad(x, (1, 2), mode="linear_ramp"),
    "percentile": lambda x, w, b: np.percentile(x, 30, weights=w, **Q) * x,
    "polynomial": lambda x, w, b: np.polyval(w, x),
    "polynomials with zeros": lambda x, w, b: np.polymul(np.concatenate([b, x]), w),
    "quantile": lambda x, w, b: np.quantile(x * 1.0, 0.3, overwrite_input=True) * x,
    "take into": lambda x, w, b: np.take(x, [1, 2], out=b[:2]) * b[1],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_arguments_that_a_rule_refuses(call, forms_agree):
    def f(x, w):
        b = np.zeros(4)
        y = call(x, w, b)
        return np.sum(y * y) * w[1]

    forms_agree(f, X, W)
