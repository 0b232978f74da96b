"""What nobody reads is not computed in the reverse sweep, and all of the user's statements are."""

import numpy as np

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def text(fn, *kinds, wanted=None, fused=False):
    parsed = [parse_kind(kind) for kind in kinds]
    return compile_function(fn, parsed, wanted or [True] * len(kinds), fused=fused).text.source


def test_the_users_statements_all_stay():
    def f(x, y):
        unused = x / y
        x * y
        return x * 2.0

    forward, pullback = text(f, "float", "float").split("def f_pullback")
    assert "unused = x / y" in forward and "x * y\n" in forward
    assert "/" not in pullback


def test_an_array_nobody_reads(forms_agree):
    def f(v, x):
        w = v * x
        u = np.sum(w * w)
        return np.sum(v) * x

    assert "w_bar" not in text(f, "ndarray1", "float")
    forms_agree(f, np.array([0.5, 1.5]), 0.7)
