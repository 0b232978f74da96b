import numpy as np
import pytest

from astad.rules import lookup


@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"])
@pytest.mark.parametrize("x", [-2.5, -0.4, 0.3, 3.0])
def test_along_the_real_line_on_either_side_of_the_cut(name, x):
    fn = getattr(np.emath, name)
    h = 1e-6
    wanted = (fn(x + h) - fn(x - h)) / (2 * h)
    found = lookup(fn).push(("x",))((1.0,), fn(x), x)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
