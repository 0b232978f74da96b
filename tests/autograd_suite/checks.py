"""autograd's checks: each derivative against differences, forward and reverse, to the order asked.

>>> check_grads(lambda a, b: np.sin(a) * b, argnum=(0, 1))(0.5, 2.0)
"""

import itertools
import os

from astad.errors import Unsupported

from .operators import of_one, pulled_back, pushed, vjp_and_value
from .spaces import Space, added, conjugated, drawn, inner, scaled

__all__ = ["check_equivalent", "check_grads", "combo_check", "quick_grad_check", "scalar_close"]

ORDER = int(os.environ.get("ASTAD_AUTOGRAD_ORDER", "2"))
"""The highest order that is checked."""
COMPLEX = "derivatives of derivatives of complex numbers alone are refused"
REFUSED = []
"""What a test has met of derivatives of derivatives of complex numbers."""
STEP = TOLERANCE = 1e-6
"""Those of autograd."""


def scalar_close(a, b):
    return abs(a - b) < TOLERANCE or abs(a - b) / abs(a + b) < TOLERANCE


def name_of(f):
    return getattr(f, "__name__", "[unknown name]")


def by_differences(f, x, v):
    ahead, behind = f(added(x, scaled(v, STEP / 2))), f(added(x, scaled(v, -STEP / 2)))
    return scaled(added(ahead, scaled(behind, -1.0)), 1.0 / STEP)


def check_vjp(f, x):
    vjp, y = vjp_and_value(f, x)
    v, y_bar = drawn(x), drawn(y)
    x_bar = conjugated(vjp(conjugated(y_bar)))
    assert Space(x_bar) == Space(x), f"{Space(x_bar)} for {Space(x)}"
    exact, numeric = inner(v, x_bar), inner(y_bar, by_differences(f, x, v))
    assert scalar_close(numeric, exact), (
        f"Derivative (VJP) check of {name_of(f)} failed at {x}: {exact}, by differences {numeric}"
    )


def check_jvp(f, x, is_derivative):
    """Of a derivative along one direction of its result alone: where forward mode has no text it
    takes a sweep for each number of that, and in each of them the derivative inside does.
    """
    v, what = drawn(x), f"jvp of {name_of(f)} at {x}"
    if not is_derivative:
        check_equivalent(pushed(f, x, v), by_differences(f, x, v), what)
        return
    w = drawn(f(x))
    exact, numeric = pushed(lambda x: inner(f(x), w), x, v), inner(by_differences(f, x, v), w)
    assert scalar_close(numeric, exact), f"{what}: {exact}, by differences {numeric}"


def check_equivalent(x, y, what="values"):
    assert Space(x) == Space(y), f"{what}: {Space(x)} and {Space(y)}"
    v = drawn(x)
    assert scalar_close(inner(x, v), inner(y, v)), f"{what}: {x} and {y}"


def check_at(f, x, modes, order, is_derivative=False):
    if "fwd" in modes:
        check_jvp(f, x, is_derivative)
        if order > 1:
            again(lambda x, v: pushed(f, x, v), f"jvp_{name_of(f)}", (x, drawn(x)), modes, order)
    if "rev" in modes:
        check_vjp(f, x)
        if order > 1:
            at = x, drawn(f(x))
            again(lambda x, v: pulled_back(f, x, v), f"vjp_{name_of(f)}", at, modes, order)


def again(slope, name, at, modes, order):
    """The same of a derivative, in the point and in the direction. That of complex numbers is
    noted where it is refused, so that the rest of the test runs; the test fails in the end.
    """

    def of_both(xv):
        return slope(xv[0], xv[1])

    of_both.__name__ = name
    try:
        check_at(of_both, at, modes, order - 1, is_derivative=True)
    except Unsupported as error:
        if not Space(at).iscomplex:
            raise
        REFUSED.append(str(error))


def check_grads(f, argnum=0, modes=("fwd", "rev"), order=2):
    assert all(mode in ("fwd", "rev") for mode in modes)

    def check(*args, **keywords):
        unary, x = of_one(f, argnum, args, keywords)
        if unary is not f:
            unary.__name__ = name_of(f)
        check_at(unary, x, modes, min(order, ORDER))

    return check


def combo_check(f, *args, **options):
    """All combinations of arguments and of keywords."""

    def check(*choices, **keywords):
        pairs = [[(key, value) for value in values] for key, values in keywords.items()]
        for given in itertools.product(*choices):
            for named in itertools.product(*pairs):
                check_grads(f, *args, **options)(*given, **dict(named))

    return check


def quick_grad_check(f, x, extra_args=(), kwargs={}, **_):
    check_grads(lambda x: f(x, *extra_args, **kwargs), modes=["rev"], order=1)(x)
