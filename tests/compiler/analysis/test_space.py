"""What is known of the globals of a function."""

import sys

from astad import gradient
from astad.compiler.ir.kinds import FLOAT
from astad.compiler.pipeline import compile_function

this = sys.modules[__name__]
rate = 1.0


def half(v):
    return 0.5 * v


def kept_there(x):
    global rate
    rate = x * x
    return rate * half(x)


def of_the_module(x):
    return this.half(x) * x + this.half(x * x)


def test_a_number_kept_in_a_module_leaves_its_other_names_known():
    assert gradient(kept_there, 3.0) == (1.5 * 9.0,)
    text = compile_function(of_the_module, [FLOAT], [True], fused=True).text.source
    assert "0.5" in text and "call(" not in text
