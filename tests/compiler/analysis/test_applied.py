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
    "conj into, by place": lambda x, w, b: x.conj(b) + b,
    "conjugate into, by place": lambda x, w, b: x.conjugate(b) * b,
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


def test_conjugates_written_into_an_array(forms_agree):
    def f(x, w):
        z = x * (1.0 + 2.0j)
        b = z * 0.0
        c = z.conj(b)
        return np.sum(np.real(b * c) * w)

    forms_agree(f, X, W)


def test_where_a_range_begins(forms_agree):
    def f(a):
        return np.sum(np.arange(a, 3.0) ** 2)

    def g(x, n):
        return np.sum(x[:n] * np.arange(n, 2 * n)) + np.sum(x * np.arange(n, n + 4))

    forms_agree(f, 0.3)
    forms_agree(g, X, 4)


def test_letters_that_one_operand_alone_has(forms_agree):
    def f(a, x):
        return np.sum(np.einsum("ij,k->k", a, x) ** 2)

    def g(a, x):
        return np.sum(np.einsum("ii,i->i", a[:3], x) ** 2)

    a = np.arange(1.0, 13.0).reshape(4, 3) / 7
    forms_agree(f, a, X)
    forms_agree(g, a, W[:3].copy())


def test_arrays_given_one_by_one(forms_agree):
    def f(x):
        return np.sum(np.atleast_2d(x) * np.atleast_2d(x * x))

    forms_agree(f, X)
