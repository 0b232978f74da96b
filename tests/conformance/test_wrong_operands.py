"""A builtin that is called with operands it does not take: Python's own words, which a program may
read.
"""

import pytest

from astad import gradient, pullback
from astad.testing import check_gradient

CALLS = [
    lambda x: sum(),
    lambda x: sum(x, x, x),
    lambda x: sum(x=x),
    lambda x: sum([x], begin=x),
    lambda x: abs(),
    lambda x: abs(x, x),
    lambda x: round(),
    lambda x: pow(x),
    lambda x: divmod(x),
    lambda x: sorted(),
    lambda x: list(map()),
    lambda x: list(filter(x)),
    lambda x: list(enumerate()),
    lambda x: list(reversed()),
    lambda x: len([x], [x]),
    lambda x: iter(),
    lambda x: next(),
    lambda x: any(),
    lambda x: float(x, x),
    lambda x: [x].append(),
    lambda x: [x].pop(1, 2),
    lambda x: {"a": x}.get(),
]


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_the_message_is_that_of_python(place):
    f = CALLS[place]
    with pytest.raises(TypeError) as plain:
        f(1.5)
    for run in (lambda: pullback(f, 1.5), lambda: gradient(f, 1.5)):
        with pytest.raises(TypeError) as found:
            run()
        assert str(found.value) == str(plain.value)
        assert found.value.__context__ is None


def by_a_caught_message(x):
    try:
        return abs()
    except TypeError as error:
        return x * len(str(error))


def by_what_it_was_raised_in(x):
    try:
        raise KeyError
    except KeyError:
        try:
            return next()
        except TypeError as error:
            return x * len(error.args[0]) * isinstance(error.__context__, KeyError)


class Sums:
    def __init__(self, first):
        self.first, self.failed = first, []

    def add(self, *terms, **words):
        try:
            return sum(*terms, **words)
        except TypeError as error:
            self.failed.append(str(error))
            return self.first


def by_a_class(x):
    sums = Sums(x * x)
    total = sums.add([x, x], start=2.0) + sums.add() + sums.add([x], begin=1.0)
    return total + x * sum(map(len, sums.failed))


@pytest.mark.parametrize("f", [by_a_caught_message, by_what_it_was_raised_in, by_a_class])
def test_programs_that_go_on(f):
    check_gradient(f, 1.3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: complex(real=x, imag=2 * x).imag,
        lambda x: complex(imag=x).imag * x,
        lambda x: round(number=x * 3) * x,
        lambda x: float() + x * x + int() + abs(complex()),
    ],
)
def test_conversions_without_operands_or_by_keyword(f):
    check_gradient(f, 1.3)
