"""What only one arm of a branch reads is computed there."""

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

V = np.array([0.3, -1.2, 0.7, 2.0])


def source(fn, *kinds):
    parsed = [parse_kind(kind) for kind in kinds]
    return compile_function(fn, parsed, (True,) * len(kinds), fused=True).text.source


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def test_a_factor_that_only_the_careful_product_reads(forms_agree):
    forms_agree(valley, V, fused=True)
    assert "safe_product((-200.0) * " in source(valley, "ndarray1")


def sides(x, y):
    d = x - y
    if d[0] > 0:
        return np.sum(d * d * d) - np.sum(y / x)
    return np.sum(x**3 / y)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_branches_of_the_user(sign, forms_agree):
    forms_agree(sides, V + 3.0, V * sign + 0.1 + 3.0 * (sign < 0))
