"""Modules without derivatives: what hands a number on, or calls the user, is differentiated."""

import enum
import inspect
import random
import re
import reprlib
import string
import typing

import pytest

from astad import gradient, pullback
from astad.tangents.objects import Tangent
from tests.conformance.harness import conforms

Meters = typing.NewType("Meters", float)


class Holder:
    def __init__(self, value):
        self.value = value


class Noting(string.Formatter):
    def format_field(self, value, spec):
        self.noted = value
        return ""


class Short(reprlib.Repr):
    def repr_float(self, value, level):
        self.noted = value * level
        return ""


def types_that_hand_on(x):
    return typing.cast(float, x) * Meters(x)


def bound_arguments(x):
    bound = inspect.signature(lambda a, *b, c=1.0, **d: a).bind(x, 2 * x, 3 * x, e=x)
    bound.apply_defaults()
    first, *more = bound.args
    return first * bound.arguments["b"][1] + sum(more) + bound.kwargs["e"] * bound.kwargs["c"]


def members(x):
    o = Holder(x)
    found = dict(inspect.getmembers(o, lambda value: isinstance(value, float)))
    return found["value"] * inspect.getattr_static(o, "value")


def methods_of_the_user(x):
    formatter, short = Noting(), Short()
    formatter.format("{}", x)
    short.repr(x * x)
    return formatter.noted * short.noted


def function_for_each_match(x):
    t = [x]
    text = re.sub(r"\d", lambda m: t.append(t[-1] * int(m.group())) or "q", "1a2b3")
    text, n = re.compile("q").subn(lambda m: str(t.append(x)), text)
    return sum(t) * n * len(text)


PROGRAMS = [
    types_that_hand_on, bound_arguments, members, methods_of_the_user, function_for_each_match,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_number_handed_on(program):
    conforms(program, 0.7)


def test_members_of_an_enumeration_hold_what_they_are_given():
    for kind in (enum.member, enum.nonmember):
        made, back = pullback(lambda x, kind=kind: kind(3.0 * x), 2.0)
        assert made.value == 6.0
        assert back(Tangent(value=1.0)) == (3.0,)
        assert gradient(lambda x, kind=kind: kind(x * x).value, 2.0) == (4.0,)


def test_the_number_that_a_random_generator_keeps():
    r = random.Random(1)
    r.gauss_next = 0.5
    bar, mean_bar, deviation_bar = gradient(random.Random.gauss, r, 1.0, 2.0)
    assert (bar.gauss_next, mean_bar, deviation_bar) == (2.0, 1.0, 0.5)
    r.gauss_next = 0.25
    (bar,) = gradient(lambda pair: pair[0].gauss(0.0, pair[1]) ** 2, (r, 4.0))
    assert (bar[0].gauss_next, bar[1]) == (8.0, 0.5)
