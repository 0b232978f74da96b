"""What only Python 3.12 and later can read: type parameters, `type` statements, PEP 701.

The programs are a text, compiled where that is possible.
"""

import linecache

from tests.conformance.harness import conforms, only_from

TEXT = """\
import math


def twice[T: (int, float)](v: T) -> T:
    return v * v + len(twice.__type_params__)


def calls_a_generic_function(x):
    return twice(x) * x


def makes_a_generic_function(x):
    def scale[T, *Ts, **P](v: T, *more: *Ts) -> T:
        held: T = v * x
        return held + len(more)

    return scale(x, 1, 2) * len(scale.__type_params__) * len(scale.__annotations__)


def type_parameters_with_bounds(x):
    def scale[T: (int, float), S: float](v: T, w: S) -> T:
        return v * x * w

    of_t, of_s = scale.__type_params__
    return scale(x, 2.0) * len(of_t.__constraints__) * (of_s.__bound__ is float)


def type_parameter_is_seen_inside(x):
    T = 2.0

    def name_of[T](v):
        return v * len(T.__name__)

    return name_of(x) * T


def makes_a_generic_class(x):
    class Box[T]:
        scale = x * 2

        def __init__(self, v: T):
            self.v = v

        def get[S](self, other: S) -> T | S:
            return self.v * self.scale + other

    return Box(x).get(3.0) * Box[float](2.0).get(x) * len(Box.__type_params__)


def makes_type_aliases(x):
    type Number = float
    type Pair[T] = tuple[T, T]
    class Holder:
        type Own = list[Number]
        value = x * len(Own.__name__)
    return Holder.value * len(Pair.__name__) * (Number.__value__ is float)


def f_strings_in_f_strings(x):
    names = ["a", "b"]
    text = f"{f"{names[0]!r:>{len("abc")}}"} {", ".join(names)} {x * 0:{"."}{1}f}"
    lines = f"{
        len(names)  # a comment
    }\\n"
    return x * len(text) + len(lines) * x * x


def comprehensions_share_the_frame(x):
    y = x
    values = [y * v for v in (1.0, x) if (y := y * 2)]
    return sum(values) * y + [v for v in values][1]
"""
PROGRAMS = [
    "calls_a_generic_function", "makes_a_generic_function", "type_parameter_is_seen_inside",
    "type_parameters_with_bounds",
    "makes_a_generic_class", "makes_type_aliases", "f_strings_in_f_strings",
    "comprehensions_share_the_frame",
]  # fmt: skip


def module():
    name = "<syntax of 3.12>"
    linecache.cache[name] = len(TEXT), None, TEXT.splitlines(keepends=True), name
    space = {"__name__": "syntax_of_312"}
    exec(compile(TEXT, name, "exec", dont_inherit=True), space)
    return space


@only_from(3, 12)
def test_programs():
    space = module()
    for name in PROGRAMS:
        conforms(space[name], 0.7)
