"""Modules without derivatives: what hands a number on, or calls the user, is differentiated."""

import inspect
import re
import reprlib
import string
import typing

import pytest

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
