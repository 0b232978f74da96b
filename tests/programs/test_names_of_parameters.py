"""Parameters that have the name of what generated text reads: of a builtin, or of the globals."""

import numpy as np
import pytest

from astad import gradient

pytestmark = pytest.mark.order_matters


class Item:
    def __init__(self, value):
        self.value = value

    def first(self):
        return self.value[0]


def of_type(type):
    return type.value * 2.0


def of_tuple(tuple):
    return tuple.value * 2.0


def of_map(map):
    return map["value"] * 2.0


def of_len(len):
    return len[0] * 2.0


def of_live(live, np_, apart):
    return live.value * np_[0] + apart["value"]


def of_globals(g, k):
    w = g.value * 1.0
    r = w.ravel()
    r[1] = k
    return w.sum() * g.first()


CASES = {
    "type": (of_type, [Item(1.0)], [2.0]),
    "tuple": (of_tuple, [Item(1.0)], [2.0]),
    "map": (of_map, [{"value": 1.0}], [2.0]),
    "len": (of_len, [[1.0]], [2.0]),
    "live": (of_live, [Item(3.0), [2.0], {"value": 1.0}], [2.0, 3.0, 1.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_parameters_that_are_containers(name):
    f, args, slopes = CASES[name]
    for _ in range(4):
        found = gradient(f, *args)
        assert [_number(bar) for bar in found] == slopes


def _number(bar):
    if isinstance(bar, list):
        return bar[0]
    return bar["value"] if isinstance(bar, dict) else bar.value


def test_the_globals_of_the_program():
    for _ in range(4):
        bar, slope = gradient(of_globals, Item(np.array([1.0, 2.0])), 0.3)
        assert bar.value.tolist() == [2.3, 0.0] and slope == 1.0


def test_a_parameter_that_is_none_and_is_deleted():
    """It ended in an AssertionError of the compiler's."""

    def f(x, flag=None):
        y = x * 2.0
        del flag
        return y * x

    assert gradient(f, 1.5) == (6.0,)


def test_a_parameter_that_is_read_behind_its_deletion():
    """It is gone there, as in the plain run, though it stands for a constant."""

    def f(x, flag=None):
        if x > 0.0:
            del flag
        return x if flag is None else x * x

    def g(x, flag=None):
        try:
            del flag
            y = flag
        except NameError:
            y = 3.0
        return x * y

    with pytest.raises(UnboundLocalError):
        gradient(f, 1.5)
    assert gradient(g, 1.5) == (3.0,)
