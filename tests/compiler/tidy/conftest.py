"""Derived programs from a few lines of text, for the tests of single passes."""

import pytest

from astad.compiler.analysis.floats import find_floats
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import FLOAT, INT
from astad.compiler.ir.lines import reversed_block
from astad.compiler.ir.names import Names
from astad.compiler.ir.text import show
from astad.compiler.lower.function import program_of


def derived(text, *, ints=(), unknown=()):
    """A reverse sweep alone; its parameters are floats but for those named."""
    program = program_of(text)
    params = tuple(param.name for param in program.params)
    kinds = {name: INT if name in ints else FLOAT for name in params if name not in unknown}
    function = Function("f", params, reversed_block(program.body))
    return find_floats(Derived((function,), False, True, frozenset(params), kinds))


@pytest.fixture
def tidied():
    """``tidied(text, passes...)``: the text after these passes, in this order."""

    def run(text, *passes, **options):
        made = derived(text, **options)
        names = Names({*made.taken, *made.floats})
        for each in passes:
            made = each(made, names) if each.__name__ == "carry_signs" else each(made)
        return show(made.functions[0].body)

    return run
