"""Whole numbers of more than 4,300 digits in functions, and where they are printed."""

import sys
from fractions import Fraction

import pytest

import astad
from astad.spelling import spelled

LARGE = 10**5000
TEXT = f"""
def literal(x):
    return x * x * ({hex(LARGE)} % 7)

def negative(x):
    return x * (-{hex(LARGE)} % 7)

def bound(x):
    n = {hex(LARGE)}
    m = -n
    return x * (n % 7) + x * (m % 11)

def compared(x):
    return x * x if {hex(LARGE)} > x else -x

def in_containers(x):
    table = {{{hex(LARGE)}: x * 2.0, -{hex(LARGE)}: x}}
    pair = ({hex(LARGE)}, x)
    return table[{hex(LARGE)}] * pair[1] + (pair[0] % 7) * x

def in_a_loop(x):
    total = 0.0
    for n in ({hex(LARGE)}, -{hex(LARGE + 1)}, 2):
        total += x * (n % 9)
    return total

def by_default(x, n={hex(LARGE)}):
    return x * (n % 7)

def matched(x):
    match {hex(LARGE)} + 1:
        case {hex(LARGE + 1)}:
            return x * x
        case _:
            return x

class Field:
    order = {hex(LARGE)}

    def cost(self, x):
        return x * (self.order % 7) * float(self.order // 10**4999)

def method(x):
    return Field().cost(x)

def nested(x):
    n = {hex(LARGE)}
    def inner(v):
        return v * (n % 7)
    return inner(x) + (lambda v, k={hex(LARGE)}: v * (k % 5 + 1))(x)

def mapping_display(x):
    return sum(v * (k % 7) for k, v in {{{hex(LARGE)}: x, 3: x * x}}.items())
"""
NAMES = [
    "literal", "negative", "bound", "compared", "in_containers", "in_a_loop", "by_default",
    "matched", "method", "nested", "mapping_display",
]  # fmt: skip


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "large.py"
    path.write_text(TEXT)
    space = {"__name__": "large"}
    exec(compile(TEXT, str(path), "exec"), space)
    return space


@pytest.mark.parametrize("name", NAMES)
def test_long_literals_in_a_function(program, name):
    f, x, step = program[name], 1.25, 1e-6
    expected = (f(x + step) - f(x - step)) / (2 * step)
    assert astad.gradient(f, x) == pytest.approx((expected,), abs=1e-7)
    value, back = astad.pullback(f, x)
    assert value == f(x)
    assert back(2.0)[0] == pytest.approx(2 * expected, abs=1e-7)
    with astad.verified():
        assert astad.gradient(program[name], 1.5)[0] is not None


def test_long_globals_arguments_and_captures():
    n = LARGE + 3

    def f(x):
        return x * (LARGE % 7) + x * x * (n % 9)

    assert astad.gradient(f, 2.0) == (LARGE % 7 + 4.0 * (n % 9),)

    def g(x, k):
        return x * (k % 3)

    assert astad.gradient(g, 2.0, LARGE) == (LARGE % 3, 2.0)
    y, back = astad.pullback(g, 2.0, LARGE)
    assert (y, back(1.0)) == (2.0 * (LARGE % 3), (LARGE % 3, 2.0))
    with astad.verified():
        assert astad.gradient(lambda x, k: g(x, k) * x, 2.0, LARGE)[0] == 4.0 * (LARGE % 3)


def test_long_whole_numbers_in_exact_ones():
    def f(x):
        return Fraction(1, LARGE) * 0 + x * x

    assert astad.gradient(f, 2.0) == (4.0,)


def test_a_lower_limit_of_digits(program):
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert astad.gradient(lambda x: x * (10**700 % 7), 2.0) == (10**700 % 7,)
        assert astad.gradient(program["bound"], 2.0) == (LARGE % 7 + -LARGE % 11,)
    finally:
        sys.set_int_max_str_digits(limit)


def test_spelling_is_read_back():
    for value in (0, -1, 10**18, LARGE, -LARGE, (LARGE, -1.5, ("a", True)), (), (None,)):
        assert eval(spelled(value)) == value
    assert spelled(-0.0) == "-0.0"
