"""Python asks an object for its length before it makes a list of it: what that does counts."""

import pytest

from astad import grad, value_and_grad


class Counted:
    """Sums up the first number each time when it is asked for its length."""

    def __init__(self, numbers):
        self.numbers, self.asked, self.total = numbers, 0, 0.0

    def __iter__(self):
        return iter(self.numbers)

    def __len__(self):
        self.asked += 1
        self.total = self.total + self.numbers[0] ** 2
        return len(self.numbers)


class Vague(Counted):
    """Has no length to tell, and says so after it has counted."""

    def __len__(self):
        self.asked += 1
        raise TypeError("no length")


def listed(o):
    return sum(list(o))


def starred(o):
    first, *rest = [*o]
    return first + sum(rest)


def as_tuple(o):
    return tuple(o)[0] * tuple(o)[1]


def extended(o):
    xs = [1.0]
    xs.extend(o)
    xs += o
    return sum(xs)


def handed_on(o):
    return max(*o) + sum(v for v in [*o, *o])


WAYS = [listed, starred, as_tuple, extended, handed_on]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_length_is_asked_for_as_python_does(way):
    def f(x):
        o = Counted([x, 2.0 * x])
        return way(o) * o.total + o.asked

    for x in (1.5, 0.7):
        y, slope = value_and_grad(f)(x)
        assert y == f(x)
        assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)


def test_a_hint_in_place_of_a_length():
    class Only:
        def __init__(self, numbers):
            self.numbers, self.total = numbers, 0.0

        def __iter__(self):
            return iter(self.numbers)

        def __length_hint__(self):
            self.total = self.total + self.numbers[1]
            return 7

    def f(x):
        o = Only([x, x * x])
        return sum(list(o)) * o.total

    assert grad(f)(1.5) == pytest.approx(3 * 1.5**2 + 4 * 1.5**3)


def test_who_has_no_length_to_tell_is_listed_all_the_same():
    def f(x):
        o = Vague([x, x * x])
        return sum(list(o)) * o.asked

    assert value_and_grad(f)(1.5) == (1.5 + 2.25, pytest.approx(1 + 3.0))


@pytest.mark.order_matters
def test_errors_of_a_length_are_the_users():
    class Broken(Counted):
        def __len__(self):
            return -1

    for run in (listed, grad(lambda x: listed(Broken([x])))):
        with pytest.raises(ValueError, match=r"__len__\(\) should return >= 0"):
            run(Broken([1.0]) if run is listed else 1.5)


def test_what_asks_for_no_length():
    def f(x):
        o = Counted([x, 2.0 * x])
        a, b = o
        return (a + b + sum(o) + sum([v for v in o])) * (1.0 + o.total)

    assert value_and_grad(f)(1.5) == (f(1.5), pytest.approx(9.0))
