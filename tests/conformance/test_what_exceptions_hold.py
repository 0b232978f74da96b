"""Numbers that leave with an exception: in ``args``, in attributes of C code, as a missing key."""

import pytest

from tests.conformance.harness import conforms


class Missing(OSError):
    def __init__(self, number, text):
        super().__init__(number, text)
        self.twice = 2 * text


class NoLevel:
    def __init__(self, size):
        self.size = size


def code_of_an_exit(x):
    try:
        raise SystemExit(x)
    except SystemExit as end:
        return end.code * x + end.args[0]


def value_of_a_stop(x):
    try:
        raise StopIteration(x)
    except StopIteration as end:
        return end.value * x


def attributes_given_by_name(x):
    try:
        raise AttributeError("no", name="b", obj=x)
    except AttributeError as error:
        y = error.obj * x
    try:
        raise NameError("no", name=x)
    except NameError as error:
        y += error.name * x
    try:
        raise ImportError("no", path=x)
    except ImportError as error:
        return y + error.path * x


def number_text_and_file(x):
    try:
        raise OSError(x, 2 * x, 3 * x)
    except OSError as error:
        return error.errno * error.strerror * error.filename + error.args[1]


def the_same_number_in_two_places(x, y):
    try:
        raise OSError(y, x, y)
    except OSError as error:
        return error.errno * error.strerror**2 + 5 * error.filename


class Worse(SyntaxError):
    def __init__(self, x):
        super().__init__("no", ["f.py", x, 2, "text"])


def place_of_a_syntax_error(x):
    place = ("f.py", x, 2 * x, "text", x * x, 5)
    try:
        raise SyntaxError("no", place)
    except SyntaxError as error:
        y = error.lineno * error.offset + error.end_lineno + error.args[1][1] + place[2]
    try:
        raise Worse(x * 3)
    except SyntaxError as error:
        return y + error.lineno * error.offset


def by_the_init_of_a_base(x):
    try:
        raise Missing(x, x * x)
    except OSError as error:
        return error.errno * error.strerror + error.args[0] * error.twice


def key_that_is_not_there(x):
    try:
        return {}[x]
    except KeyError as error:
        return error.args[0] * 3


def key_in_a_callee(x):
    table = {}
    try:
        look_up(table, 2 * x)
    except KeyError as error:
        (key,) = error.args
        return key * table["last"]


def look_up(table, key):
    try:
        return table[key] * 2.0
    finally:
        table["last"] = key


def keys_in_a_loop(xs):
    for x in xs:
        try:
            set().remove(x)
        except KeyError as error:
            xs[0] = xs[0] * error.args[0]
    return sum(xs)


def object_without_the_attribute(x):
    try:
        return NoLevel(x).level
    except AttributeError as error:
        return error.obj.size * 3 + len(error.name)


def number_without_the_attribute(x):
    try:
        return x.level
    except AttributeError as error:
        return error.obj * 3


def what_a_generator_returns(x):
    def one():
        yield 1.0
        return x * x

    drawn = one()
    next(drawn)
    try:
        next(drawn)
    except StopIteration as end:
        return end.value * 3 + end.args[0]


PROGRAMS = [
    (f, (0.7,))
    for f in [
        code_of_an_exit, value_of_a_stop, attributes_given_by_name, number_text_and_file,
        place_of_a_syntax_error, by_the_init_of_a_base, key_that_is_not_there, key_in_a_callee,
        object_without_the_attribute, number_without_the_attribute, what_a_generator_returns,
    ]
]  # fmt: skip
PROGRAMS += [(the_same_number_in_two_places, (1.0, 1.0)), (keys_in_a_loop, ([1.2, 3.0],))]


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_numbers_that_leave_with_an_exception(program, args):
    conforms(program, *args)
