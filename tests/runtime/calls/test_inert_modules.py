"""Modules without derivatives: what hands a number on, or calls the user, is differentiated."""

import enum
import functools
import inspect
import io
import json
import pprint
import random
import re
import reprlib
import string
import textwrap
import threading
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


class Units(json.JSONDecoder):
    """Quantities that are written with their unit."""

    def __init__(self, scale):
        super().__init__(object_hook=self.convert, parse_float=lambda text: float(text) * scale)
        self.scale = scale

    def convert(self, found):
        return found["m"] * self.scale if "m" in found else found


def hook_of_json(x):
    return json.loads('{"a": 2}', object_hook=lambda d: {"a": d["a"] * x})["a"] * x


def pairs_of_json(x):
    text = '[{"a": 2, "b": {"a": 1.5, "b": null}}, []]'
    found, empty = json.loads(text, object_pairs_hook=lambda p: {k: v and (x, v) for k, v in p})
    return found["a"][1] * found["a"][0] + found["b"][1]["a"][0] * x + len(empty)


def numbers_of_json(x):
    file = io.StringIO('{"a": 2, "b": [3.0, NaN]}')
    found = json.load(
        file, parse_int=lambda s: int(s) * x, parse_float=lambda s: float(s) * x**2,
        parse_constant=lambda s: x,
    )  # fmt: skip
    return found["a"] * found["b"][0] * found["b"][1]


def decoder_of_the_user(x):
    found, end = Units(x).raw_decode('{"length": {"m": 2.5}, "list": [1.5, 2]} more')
    return found["length"] * sum(found["list"]) * end


def class_of_decoder(x):
    class Scaled(json.JSONDecoder):
        def decode(self, text):
            return super().decode(text)["a"] * x

    return json.loads('{"a": 2}', cls=Scaled) * x


def fields_of_a_formatter(x):
    formatter = string.Formatter()
    first, _ = formatter.get_field("v[0]", (), {"v": [x * 2]})
    return first * formatter.get_value(0, (x,), {}) * formatter.convert_field(x, None)


def scanner_of_the_user(x):
    env = {"x": x, "y": [x * x]}
    rules = [
        (r"\d+", lambda scanner, token: float(token)),
        (r"x", lambda scanner, token: env[token]),
        (r"y", lambda scanner, token: env[token][0]),
        (r"\s+", None),
    ]
    (a, b, c), rest = re.Scanner(rules).scan("2 x y ?")
    return a * b * c * len(rest)


def defaults_of_a_signature(x):
    def f(a, b=x * 2, *, c: "float" = x * x):
        return a

    found = inspect.signature(f).parameters
    spec = inspect.getfullargspec(f)
    both = spec.defaults[0] * spec.kwonlydefaults["c"]
    return found["b"].default * found["c"].default * both


def defaults_that_are_bound(x):
    bound = inspect.signature(lambda a, b=x * 2: a).bind(2.0)
    bound.apply_defaults()
    return bound.arguments["b"] * x


def signature_of_a_partial(x):
    f = functools.partial(lambda a, b: a, b=x * 2)
    return inspect.signature(f).parameters["b"].default * x


def parameter_of_the_user(x):
    found = inspect.Parameter("a", inspect.Parameter.KEYWORD_ONLY, default=x * 2)
    return found.default * found.replace(default=x * x).default


def text_that_is_wrapped_and_printed(x):
    class Wrapper(textwrap.TextWrapper):
        def _split(self, text):
            self.noted = 2 * x
            return [text]

    class Printer(pprint.PrettyPrinter):
        def format(self, value, context, levels, level):
            self.noted = x * value
            return "text", True, False

    wrapper, printer = Wrapper(), Printer()
    wrapper.wrap("a b")
    printer.pformat(3.0)
    return wrapper.noted * printer.noted


def thread_that_is_run_here(x):
    out = []
    thread = threading.Thread(target=lambda n: out.append(n * x), args=(x,))
    thread.run()
    condition = threading.Condition()
    with condition:
        condition.wait_for(lambda: out.append(x * x) or True)
    return out[0] * out[1]


PROGRAMS = [
    hook_of_json, pairs_of_json, numbers_of_json, decoder_of_the_user, class_of_decoder,
    fields_of_a_formatter, scanner_of_the_user, defaults_of_a_signature, defaults_that_are_bound,
    signature_of_a_partial, parameter_of_the_user, thread_that_is_run_here,
    text_that_is_wrapped_and_printed,
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


def test_variables_of_a_closure_that_are_looked_at():
    def f(x):
        y = x * 2
        return inspect.getclosurevars(lambda: y).nonlocals["y"] * x

    assert gradient(f, 1.3) == (pytest.approx(4 * 1.3),)
    inert = gradient(lambda x: len(inspect.signature(lambda a, b=2.0: x).parameters) * x, 1.3)
    assert inert == (2.0,)
    inert = gradient(lambda x: json.loads('{"a": 2}', object_hook=Holder).value["a"] * x, 1.3)
    assert inert == (2.0,)
