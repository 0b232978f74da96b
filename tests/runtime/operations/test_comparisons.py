"""Membership by ``__iter__``, with an ``__eq__`` that writes what it was given."""

import numpy as np
import pytest

from astad import gradient
from astad.testing import check_gradient


class Row:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


class Product:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        self.x = self.x * other
        return False


def test_elements_that_the_item_takes_in():
    def f(x, y):
        product = Product(x)
        assert product not in Row([y, x * y, 2.0])
        return product.x

    check_gradient(f, 1.5, 0.5)


class Version:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return other is not None and self.number == getattr(other, "number", other)

    def __lt__(self, other):
        return self.number < other.number


def test_none_beside_an_object_of_a_class_with_comparisons_of_its_own():
    def chosen(x, wanted=None):
        version = Version(x)
        if wanted == version or version == wanted:
            return x
        if wanted != version and version != wanted:
            return version.number**2
        return 0.0

    assert chosen(3.0) == 9.0
    assert gradient(chosen, 3.0) == (6.0,)
    assert gradient(chosen, 3.0, 3.0) == (1.0, None)

    def unordered(x, other=None):
        try:
            return x if other >= Version(x) else 2 * x
        except TypeError as error:
            assert "NoneType" in str(error)
            return x * x

    assert gradient(unordered, 3.0) == (6.0,)
    assert gradient(lambda x: x * len([v for v in (None, Version(x)) if v is not None]), 2.0) == (
        1,
    )
    assert gradient(lambda x: x * [None, Version(x)].index(Version(x)), 2.0) == (1,)
    assert gradient(lambda x: x * (None in [Version(x)]) + x * x, 2.0) == (4.0,)


def test_wrong_truth_is_told_in_the_words_of_python():
    class Own:
        pass

    for given in (np.bool_(True), np.float64(1.0), 1, Own(), None):
        kind = type("Asked", (), {"__bool__": lambda self, given=given: given})
        with pytest.raises(TypeError) as plain:
            bool(kind())
        with pytest.raises(TypeError) as caught:
            gradient(lambda x, kind=kind: x if kind() else 2 * x, 1.0)
        assert str(caught.value) == str(plain.value)
