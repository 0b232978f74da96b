"""The check of the lowering tests: the Wengert list does what the function does."""

import contextlib
import copy
import io
import re

import pytest

from astad.compiler.lower.function import lower_function

from .interpreter import run


def outcome(call, args, keywords):
    """Result or exception, what was printed, and the arguments as the call left them."""
    args, keywords = copy.deepcopy((args, keywords))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = call(*args, **keywords)
        except Exception as error:
            result = type(error), _message(error), repr(error.__cause__)
    return repr(result), printed.getvalue(), repr((args, keywords))


def _message(error):
    """Without the number of a variable of a comprehension that had to be renamed."""
    text = str(error)
    return re.sub(r"_\d+'", "'", text) if isinstance(error, NameError) else text


@pytest.fixture
def same():
    """``same(fn, *args)``: run both ways, compare, give what came out as text."""

    def check(fn, *args, **keywords):
        program = lower_function(fn)
        plain = outcome(fn, args, keywords)
        lowered = outcome(lambda *a, **k: run(program, fn, *a, **k), args, keywords)
        assert lowered == plain
        return plain[0]

    return check
