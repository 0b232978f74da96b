import numpy as np
import pytest

from astad.rules import lookup
from astad.rules.numpy.methods import nested
from astad.testing import check_gradient

IN_PLACE = {
    "fill",
    "itemset",
    "partition",
    "put",
    "resize",
    "setfield",
    "setflags",
    "sort",
    "byteswap",
}
VIEWS = {"getfield", "to_device", "view"}


@pytest.mark.parametrize("kind", [np.ndarray, np.generic])
def test_every_method_that_computes_has_a_rule(kind):
    names = {
        name for name in vars(np.ndarray) if name[0] != "_" and callable(vars(np.ndarray)[name])
    }
    without = {
        name for name in names if hasattr(kind, name) and lookup(getattr(kind, name)) is None
    }
    assert without <= IN_PLACE | VIEWS | {"trace", "diagonal", "choose", "compress", "newbyteorder"}


@pytest.mark.parametrize("name", ["sum", "mean", "max", "std", "cumprod", "trace", "repeat", "dot"])
def test_a_method_has_the_formula_of_the_function(name):
    assert lookup(getattr(np.ndarray, name)).back == lookup(getattr(np, name)).back


def test_lists_with_unused_entries():
    assert nested([[1.0, None], [None, 2.0]], (2, 2)) == [[1, 0], [0, 2]]
    rule = lookup(np.ndarray.tolist)
    a = np.ones((2, 2))
    assert rule.pull(("a",))([[1.0, None], [None, 2.0]], a.tolist(), a)[0].tolist() == [
        [1, 0],
        [0, 2],
    ]


def test_one_entry_read_as_a_number():
    rule = lookup(np.ndarray.item)
    a = np.ones((2, 2))
    assert rule.pull(("a",))(3.0, 1.0, *rule.bind((a, 1, 0), {}))[0].tolist() == [[0, 0], [3, 0]]


def test_lists_of_an_array_of_which_some_items_have_no_cotangent():
    """An item that is written over, and a whole row of which nothing is read."""

    def written(x, t):
        items = x.tolist()
        items[0] = items[1] * t
        return sum(items)

    def one_row(x):
        rows = (x * x).tolist()
        return rows[1][0] * rows[1][2]

    assert check_gradient(written, np.array([0.3, 0.7, 1.1]), 0.6).outcome == "right"
    assert check_gradient(one_row, np.array([[0.3, 0.7, 1.1], [0.5, 0.2, 0.9]])).outcome == "right"
    assert check_gradient(lambda x: written(np.array(x), 0.6), [0.3, 0.7]).outcome == "right"
