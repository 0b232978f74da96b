"""What is finite whenever the result is; exact zeros still meet infinities without harm."""

import numpy as np
import pytest

from astad import gradient
from astad.api.inspection.showing import Request, show_source

V, W = np.array([0.3, -1.2, 0.7]), np.array([0.5, 1.5, -0.4])


def squares(x, y):
    return np.sum((x - y**2) ** 2)


def ratio(x, y):
    d = x / y
    return np.sum(d * d) + np.mean(np.log(y * y))


def running(x, n):
    total = 0.0
    for i in range(n):
        total = total + np.sum((x * i) ** 2)
    return total


@pytest.mark.parametrize(
    "fn, args, kinds",
    [(squares, (V, W), ["ndarray1"] * 2), (ratio, (V, W), ["ndarray1"] * 2)],
)
def test_one_look_at_the_result(fn, args, kinds, forms_agree):
    forms_agree(fn, *args, fused=True)
    assert "is_finite = math.isfinite(" in show_source(Request(fn, tuple(kinds), fused=True))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_running_sums(n, forms_agree):
    forms_agree(running, V, n)


def masked(x, y):
    return np.nansum(x**2 * y) + 0.0 * np.sum(y)


def hidden(x, y):
    d = x / y
    return np.sum(np.tanh(d) * 0.0) + np.sum(np.maximum(d, -1e9)[:1])


def dead(x, y):
    d = x / y
    e = d[1:]
    return np.sum(x) + 0.0 * np.sum(e)


def cut(x, y):
    total = 0.0
    for i in range(3):
        d = x / y
        if i == 1:
            continue
        if i == 2:
            total = total + np.sum(d[:1])
            break
        total = total + np.sum(d[:1] ** 2)
    return total


def rewritten(x, y):
    d = x / y
    e = d * 1.0
    e[1:] = 0.0
    return np.sum(e)


def chosen(x, y):
    d = x / y
    if d[0] > 0:
        e = d[:1]
    else:
        e = d[:1] * 2.0
    return np.sum(e * e)


BAD = [np.inf, -np.inf, np.nan, 0.0]


@pytest.mark.parametrize("fn", [squares, ratio, masked, hidden, dead, cut, rewritten, chosen])
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinities_give_the_same_in_all_forms(fn, bad):
    """The generic pair looks at every product."""
    from astad.runtime.core.variants import forget_all

    from ..forms import only_generic

    for place in range(2):
        x, y = V.copy(), W.copy()
        (x, y)[place][1] = bad
        with only_generic():
            expected = gradient(fn, x, y)
        forget_all()
        found = gradient(fn, x, y)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, err_msg=f"{place}")
