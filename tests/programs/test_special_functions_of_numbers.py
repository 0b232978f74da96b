"""Functions of scipy.special of Python's numbers, also where their slopes are infinite."""

import math

import numpy as np
import pytest

import astad
from astad.errors import Unsupported

special = pytest.importorskip("scipy.special")


def beta_log_likelihood(a, b):
    return (a - 1.0) * math.log(0.3) + (b - 1.0) * math.log(0.7) - special.betaln(a, b)


def entropy(p, q):
    return special.xlogy(p, q) + special.xlog1py(1.0 - p, -q)


def student(df):
    return special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df) - 0.5 * np.log(df)


def bessel(x):
    return special.jv(2, x) * special.k0(x) + special.ive(1.5, x)


def odds(p):
    return special.logit(p) * special.ndtri(p)


def raised(x, n):
    return np.power(x, n) + np.float_power(x, 0.5)


CASES = [
    (beta_log_likelihood, (1.2, 2.5)),
    (entropy, (0.4, 0.6)),
    (student, (3.5,)),
    (bessel, (1.3,)),
    (odds, (0.2,)),
    (raised, (1.7, 2.2)),
]


def is_fused(f, *args):
    return "nothing is left to the run time" in str(astad.explain(f, *args))


def numeric(f, args, at, step=1e-6):
    def moved(by):
        return f(*[x + by if k == at else x for k, x in enumerate(args)])

    return (moved(step) - moved(-step)) / (2 * step)


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_functions_of_floats_are_written_out(f, args):
    assert is_fused(f, *args)
    wanted = [numeric(f, args, at) for at in range(len(args))]
    for _ in range(4):
        assert astad.gradient(f, *args) == pytest.approx(wanted, rel=1e-7)
    value, change = astad.jvp(f, args, (1.0,) * len(args))
    assert value == f(*args)
    assert change == pytest.approx(sum(wanted), rel=1e-7)


def test_derivatives_of_their_derivatives():
    assert astad.hessian(lambda x: special.gammaln(x), 2.5) == pytest.approx(
        special.polygamma(1, 2.5)
    )
    assert astad.hessian(lambda x: special.xlogy(x, x), 0.5) == pytest.approx(2.0)
    assert astad.hessian(lambda x: np.power(x, 2.5), 1.5) == pytest.approx(3.75 * 1.5**0.5)


def test_infinite_slopes_raise_nothing_and_meet_no_cotangent_of_zero():
    assert astad.gradient(lambda p: special.entr(p), 0.0) == (math.inf,)
    assert astad.gradient(lambda p: 0.0 * special.entr(p) + p, 0.0) == (1.0,)
    assert astad.gradient(lambda p: special.logit(p) * 0.0 + p, 0.5) == (1.0,)
    assert astad.gradient(lambda p, q: special.rel_entr(p, q), 0.0, 2.0) == (-math.inf, 0.0)
    with np.errstate(all="ignore"):
        assert astad.jvp(lambda x, y: special.kl_div(x, y), (30.0, 0.0), (1.0, 0.0))[0] == math.inf
    with np.errstate(all="raise"):
        assert astad.gradient(lambda x: np.power(x, 0.5) * 2.0, 0.0) == (math.inf,)


def test_outside_of_the_domain_of_a_formula():
    with pytest.raises(Unsupported, match="formulas of its rule"):
        astad.gradient(lambda x: special.chndtrix(x, -2.5, -2.5), 0.3)
