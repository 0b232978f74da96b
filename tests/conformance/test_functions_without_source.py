"""Functions whose text is not to be found run as they are: a derivative through what they return is
an error, however deep it lies, and never zero.
"""

import numpy as np
import pytest

from astad import gradient
from astad.errors import NoSource


class Holder:
    def __init__(self, held):
        self.held = held


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


def without_source(text):
    space = {"Holder": Holder, "Slotted": Slotted}
    exec(text, space)
    fn = space["made"]
    fn.__code__ = fn.__code__.replace(co_name="<made>", co_qualname="<made>")
    return fn


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("def made(*args):\n    return args", lambda y: y[0]),
        ("def made(*args):\n    return (args,)", lambda y: y[0][0]),
        ("def made(x):\n    return [[x], 1.0]", lambda y: y[0][0]),
        ("def made(x):\n    return {'a': {'b': (x, 2.0)}}", lambda y: y["a"]["b"][0]),
        ("def made(x):\n    return {'a': [[[[(x,)]]]]}", lambda y: y["a"][0][0][0][0][0]),
        ("def made(x):\n    return ([], (x * 2.0, 'name'))", lambda y: y[1][0]),
        ("def made(x):\n    return [[Holder([x])]]", lambda y: y[0][0].held[0]),
        ("def made(x):\n    return [Slotted({'a': x})]", lambda y: y[0].held["a"]),
        (
            "def made(x):\n    h = Holder(x)\n    h.me = h\n    return [h]",
            lambda y: y[0].me.held,
        ),
    ],
)
@pytest.mark.parametrize("x", [3.0, np.float64(3.0), np.array([1.0, 2.0])])
def test_a_number_in_a_container_that_it_returns(text, read, x):
    made = without_source(text)
    with pytest.raises(NoSource, match="<made>"):
        gradient(lambda x: np.sum(read(made(x)) * 2), x)


def test_what_carries_no_derivative_passes():
    made = without_source("def made(x):\n    return [('name', 'b'), {'k': 'v'}]")
    assert gradient(lambda x: x * len(made(x)[0][0]), 2.0) == (4.0,)
