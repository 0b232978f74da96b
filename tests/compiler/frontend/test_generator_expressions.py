"""Generator expressions that are handed to functions of the user's."""

from astad.testing import check_gradient


def squares_of(values):
    total = 0.0
    while True:
        v = next(values, None)
        if v is None:
            return total
        total = total + v * v


def test_names_that_the_compiler_would_take():
    def f(xs):
        items = xs[0]
        return squares_of(items * x for x in xs)

    def g(items):
        return squares_of(items * k for items in items for k in (1.0, 2.0))

    check_gradient(f, [1.0, 2.0])
    check_gradient(g, [1.0, 2.0])
