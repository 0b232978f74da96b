"""Ask for a gradient in every way that there is, and compare with differences or with a formula."""

import numpy as np

from astad import gradient, pullback, settings
from tests.compiler.forms import differences


def check_ways(f, *args, wanted=None, rtol=1e-6, atol=1e-8):
    """``gradient``, called twice, and ``pullback``, each also by the variants for any arguments.

    ``wanted``: a gradient for each argument, where differences of floats will not do.
    """
    y = f(*args)
    if wanted is None:
        wanted = differences(f, args, 1.0)
    for generic in (False, True):
        settings.only_generic = generic
        try:
            found = [gradient(f, *args), gradient(f, *args)]
            again, back = pullback(f, *args)
            assert type(again) is type(y)
            np.testing.assert_array_equal(again, y)
            found.append(back(1.0))
        finally:
            settings.only_generic = False
        for each in found:
            for g, expected in zip(each, wanted, strict=True):
                _compare(g, expected, rtol, atol)


def _compare(g, expected, rtol, atol):
    """None, of what is not differentiated, is right where nothing is expected; else it is zero."""
    if expected is None:
        return
    g = np.zeros(np.shape(expected)) if g is None else g
    assert np.shape(g) == np.shape(expected)
    np.testing.assert_allclose(g, expected, rtol=rtol, atol=atol)
