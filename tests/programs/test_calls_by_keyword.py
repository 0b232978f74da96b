"""Functions of Python's that are called by keyword, in an order of the user's own."""

import decimal
import itertools
import re
from collections import OrderedDict, namedtuple
from decimal import Decimal
from functools import cmp_to_key, partial

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from tests.conformance.programs import Programs
from tests.programs.everywhere import right_everywhere

programs = Programs()


class Growing:
    def __init__(self, rate):
        self.rate = rate

    def __pow__(self, time, scale=1.0):
        return self.rate * time * time * (scale or 1.0)


@programs.at(1.3, 0.8)
def a_power_with_its_exponent_first(x, y):
    return pow(exp=x, base=y) + pow(exp=y, base=x, mod=None)


@programs.at(1.3, 0.8)
def a_power_with_its_parts_filled_in_at_two_times(x, y):
    return partial(pow, exp=x)(base=y) * partial(partial(pow, mod=None, exp=2), base=x)()


@programs.at(1.3, 0.8)
def a_power_of_an_object(x, y):
    return pow(exp=y, base=Growing(x)) + pow(mod=y, exp=x, base=Growing(y))


@programs.at(1.3, 0.8)
def a_power_of_whole_numbers(x, y):
    return pow(mod=5, exp=2, base=7) * x * pow(2, exp=3, mod=None) * y


@programs.at(1.3, 0.8)
def pairs_of_a_pool(x, y):
    made = (
        itertools.combinations(iterable=[x, y, 2.0], r=2),
        itertools.combinations(r=2, iterable=(k * y for k in (x, 1.0, y))),
        itertools.permutations(r=2, iterable=(x, y)),
        itertools.permutations(iterable=[y, x * y]),
        itertools.combinations_with_replacement(r=2, iterable=[x, y]),
    )
    return sum(k * a * a * b for k, pairs in enumerate(made, start=1) for a, b, *_ in pairs)


@programs.at(1.3, 0.8)
def streams(x, y):
    total = sum(k * v for k, v in enumerate(start=1, iterable=[x, y]))
    total += sum(itertools.compress(selectors=[1, 0, 1], data=[x, y, x * y]))
    total *= sum(itertools.islice(itertools.count(step=x, start=y), 3))
    total += sum(itertools.accumulate(func=lambda a, b: a * b, initial=y, iterable=[x, y]))
    return total * sum(itertools.repeat(times=2, object=x)) + total_of(start=y, iterable=[x])


def total_of(iterable, start=0):
    total = start
    for each in iterable:
        total = total + each
    return total


@programs.at(1.3, 0.8)
def dicts_and_records(x, y):
    shared = OrderedDict.fromkeys(value=x, iterable="ab")
    Pair = namedtuple(field_names="low high", typename="Pair", defaults=[y])
    pair = Pair(high=shared["a"], low=y)
    return pair.low * pair.low * pair.high * Pair(low=x).high + dict(b=x, a=y)["a"]


@programs.at(1.3, 0.8)
def a_key_made_of_a_comparison(x, y):
    least = sorted([x, y], key=cmp_to_key(mycmp=lambda a, b: (a > b) - (a < b)))[0]
    return least * complex(imag=x, real=y).imag * max([], default=y)


@programs.at(1.3, 0.8)
def texts(x, y):
    found = [*re.finditer(string="1.5 1", pattern="1"), *re.compile("1").finditer(string="1")]
    return float(re.sub(string="1.5", repl="2", pattern="1")) * x * y * len(found)


@programs.at(1.3, 0.8)
def functions_of_numpy(x, y):
    clipped = np.clip(a_max=2.0, a_min=y, a=x) * np.interp(fp=[y, x], xp=[0.0, 2.0], x=x)
    chosen = np.where([True, False], x, y) + np.add(1.0, y, dtype=float)
    return float(clipped + np.dot(b=[x, y], a=chosen))


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_operands_by_keyword(program, args, options):
    right_everywhere(program, *args, **options)


A, B = Decimal(3), Decimal(2)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x, y: x.fma(third=x, other=y), (3, 3)),
        (lambda x, y: x.max(other=y) * y, (2, 3)),
        (lambda x, y: x.copy_sign(other=-y), (-1, 0)),
        (lambda x, y: x.remainder_near(context=None, other=y), (1, -2)),
        (lambda x, y: decimal.Context(prec=20).power(b=y, a=x), (6, 9 * A.ln())),
        (lambda x, y: decimal.Context(prec=20).power(x, modulo=None, b=y), (6, 9 * A.ln())),
    ],
)
def test_decimal_numbers(program, expected):
    found = gradient(program, A, B)
    assert found == pytest.approx(expected)
    assert {*map(type, found)} == {Decimal}


def test_a_power_of_decimal_numbers_by_a_modulus_is_refused():
    def program(x):
        return decimal.Context(prec=20).power(x, 2, modulo=Decimal(5)) * x

    with pytest.raises(Unsupported, match=r"Decimal\.power with a modulus"):
        gradient(program, A)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: pow(x),
        lambda x: pow(base=x),
        lambda x: pow(x, 2, exp=3),
        lambda x: pow(x, 2, power=3),
        lambda x: itertools.combinations(iterable=[x]),
        lambda x: complex(x, imag=2.0, real=1.0),
    ],
)
def test_what_python_does_not_take_is_said_in_its_words(program):
    with pytest.raises(TypeError) as plain:
        program(1.5)
    with pytest.raises(TypeError) as ours:
        gradient(program, 1.5)
    assert str(ours.value) == str(plain.value)
