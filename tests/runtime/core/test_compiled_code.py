"""Code of compiled packages: what the error says, and what their objects keep.

Of Cython: parts of SciPy; of mypyc: mypy, with its texts beside.
"""

import numpy as np
import pytest

import astad
from astad.errors import Unsupported

KDTree = pytest.importorskip("scipy.spatial").cKDTree
special = pytest.importorskip("scipy.special.cython_special")
nodes = pytest.importorskip("mypy.nodes")
if nodes.__file__.endswith(".py"):
    pytest.skip("mypy is not compiled here", allow_module_level=True)

TREE = KDTree(np.array([[1.0, 2.0], [3.0, 4.0]]))


def points(x):
    return np.array([[x, 1.0], [2.0, x]])


def kept_number(x):
    return nodes.FloatExpr(x).value * 2.0


def by_method(x):
    return KDTree(points(x)).query([0.0, 0.0])[0]


def copied(x):
    return np.sum(KDTree(points(x), copy_data=True).data ** 2)


def computed(x):
    return KDTree(points(x)).maxes[0] * x


def as_argument(tree, x):
    return tree.query([x, x])[0]


@pytest.mark.parametrize(
    "f, file",
    [
        (lambda x: special.gamma(x) * 2.0, "cython_special"),
        (kept_number, "nodes"),
        (by_method, "_ckdtree"),
        (copied, "_ckdtree"),
        (computed, "_ckdtree"),
        (lambda x: as_argument(TREE, x), "_ckdtree"),
    ],
    ids=lambda f: getattr(f, "__name__", f),
)
def test_the_error_says_that_it_is_compiled_and_where(f, file):
    f(2.0)
    for way in (astad.gradient, lambda f, x: astad.pullback(f, x)[1](1.0)):
        with pytest.raises(Unsupported) as caught:
            way(f, 2.0)
        error = caught.value
        assert str(error).startswith("test_compiled_code.py:")
        assert error.why.startswith(f"it is compiled code, of {file}.")
        assert ("import nodes.py, which lies beside it" in error.instead) == (file == "nodes")


def test_a_function_of_a_compiled_module_itself():
    with pytest.raises(
        Unsupported, match=r"^test_compiled_code\.py:\d+: gamma: .*cython_special\."
    ):
        astad.gradient(special.gamma, 2.0)


def test_what_it_gives_back_as_it_was_handed_in_is_right():
    def held(x):
        display = nodes.ListExpr([x, 2.0 * x])
        return display.items[1] * x

    def appended(x):
        display = nodes.ListExpr([])
        display.items.append(x)
        return display.items[0] * 3.0

    def set_anew(x):
        display = nodes.ListExpr([])
        display.items = [x * x]
        return display.items[0]

    def of_the_same_memory(x):
        tree = KDTree(points(x))
        return np.sum(tree.data * [[1.0, 2.0], [3.0, 4.0]])

    assert astad.gradient(held, 3.0) == (12.0,)
    assert astad.gradient(appended, 3.0) == (3.0,)
    assert astad.gradient(set_anew, 3.0) == (6.0,)
    assert astad.gradient(of_the_same_memory, 3.0) == (5.0,)


def test_constants_in_objects_of_compiled_classes():
    display = nodes.ListExpr([2.0, 3.0])

    def f(x):
        return np.sum(TREE.data * x) + TREE.maxes[0] * x + display.items[1] * x

    assert astad.gradient(f, 2.0) == (16.0,)
