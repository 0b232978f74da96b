"""Literal factors are drawn together where the product stays the same to the bit."""

import math

from astad import gradient
from astad.compiler.tidy.algebra import shorten_products
from astad.compiler.tidy.dead_code import drop_dead_code


def test_a_power_of_two_goes_into_the_next_factor(tidied):
    text = """
        a = g * 0.5
        b = 1.1 * a
        c = b * 3.0
        d = c * 4
        return d
    """
    made = tidied(text, shorten_products, drop_dead_code)
    assert made.splitlines()[:2] == ["b = g * 0.55", "d = b * 12.0"]


def test_other_literals_stay_apart(tidied):
    text = """
        a = g * 0.1
        b = a * 3.0
        return b
    """
    assert "b = a * 3.0" in tidied(text, shorten_products, drop_dead_code)


def test_not_past_a_new_value(tidied):
    text = """
        a = g * 0.5
        g = g + 1.0
        b = a * 3.0
        return b, g
    """
    assert "b = a * 3.0" in tidied(text, shorten_products, drop_dead_code)


def test_bits_of_a_chain():
    def f(x):
        return math.erf(0.5 * x) * 0.25

    assert gradient(f, 0.3) == (0.25 * 1.1283791670955126 * math.exp(-(0.15 * 0.15)) * 0.5,)
