import copy
from array import array

import numpy as np
import pytest

from astad import value_and_grad
from astad.testing import check_gradient


def made(x):
    of_a_list, of_a_generator = array("d", [x, 2 * x]), array("d", (v * x for v in [1.0, 2.0]))
    of_an_array, of_one = array("d", np.array([1.0, 2.0]) * x), array("d", of_a_list)
    return sum(of_a_list) * of_a_generator[1] * sum(of_an_array) * of_one[0]


def copied(x):
    a = array("d", [x, x * x])
    b, c, d = copy.copy(a), copy.deepcopy(a), a[:]
    b[0] = c[1] = d[0] = x**3
    return a[0] * b[0] * b[1] + c[0] * c[1] + d[0] * d[1]


def copied_in_a_dict(x):
    parts = {"a": array("d", [x, 2 * x])}
    again = copy.deepcopy(parts)
    again["a"][0] = 3 * x
    return parts["a"][0] * again["a"][0] * again["a"][1]


def iterators_copied(x):
    own = iter(array("d", [x, x * x, 2.0]))
    next(own)
    again = copy.copy(own)
    return next(again) * x * next(own) * next(again)


def seen_by_numpy(x):
    return np.sum(np.frombuffer(array("d", [x, 1.0])) ** 2)


def counts(x):
    a = array("i", [1, 2])
    return x * copy.copy(a)[1]


@pytest.mark.parametrize(
    "f", [made, copied, copied_in_a_dict, iterators_copied, seen_by_numpy, counts]
)
def test_arrays_of_the_standard_library(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)
