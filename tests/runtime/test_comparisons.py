"""Membership by ``__iter__``, with an ``__eq__`` that writes what it was given."""

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
