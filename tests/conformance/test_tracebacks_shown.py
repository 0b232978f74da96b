"""Exceptions of differentiated functions: type, arguments, cause, context and the user's frames, as
in a plain run; those of the reverse sweep name the user's line.
"""

import contextlib
import functools
import math
import sys
import traceback

import numpy as np
import pytest

import astad

HERE = __file__
OURS = {"outcome", "chain"}
WAYS = {"gradient": astad.gradient, "pullback": astad.pullback}


def chain(error):
    """What a user can see of an exception and of those behind it."""
    found, seen = [], set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = [
            (frame.name, frame.lineno, frame.line)
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == HERE and frame.name not in OURS
        ]
        related = error.__cause__ is not None, error.__context__ is not None
        found.append((type(error), repr(error.args), error.__suppress_context__, related, frames))
        error = error.__cause__ or error.__context__
    return found


def outcome(way, *arguments):
    try:
        way(*arguments)
    except Exception as error:
        return chain(error)
    raise AssertionError("nothing was raised")


def deep(v):
    return math.log(v)


def middle(v):
    w = deep(v - 1.0)
    return w


class Thing:
    def __init__(self, x):
        self.x = x

    def method(self, v):
        return middle(v) * self.x

    @property
    def value(self):
        return middle(self.x)

    def __add__(self, other):
        return middle(other)

    def __getitem__(self, at):
        return middle(at)

    def __call__(self, v):
        return middle(v)


class Failing:
    def __init__(self, x):
        self.x = middle(x)


@contextlib.contextmanager
def managed(x):
    yield x


def three_levels(x):
    y = x * 2.0
    return middle(y - 10.0) + y


def tried_for_another(x):
    try:
        y = middle(x)
    except KeyError:
        y = 1.0
    return y


def raised_from(x):
    try:
        return middle(x)
    except ValueError as error:
        raise RuntimeError("bad", 3) from error


def raised_while_handling(x):
    try:
        return middle(x)
    except ValueError:
        raise RuntimeError("bad")


def raised_from_none(x):
    try:
        return middle(x)
    except ValueError:
        raise RuntimeError("bad") from None


def raised_again(x):
    try:
        return middle(x)
    except ValueError:
        raise


def raised_with_note(x):
    try:
        return middle(x)
    except ValueError as error:
        error.add_note("mine")
        raise error


def passed_by_finally(x):
    try:
        return middle(x)
    finally:
        x = 3


def replaced_in_finally(x):
    try:
        return middle(x)
    finally:
        {}["k"]


def nested(x):
    try:
        try:
            middle(x)
        finally:
            1 / 0
    except TypeError:
        pass
    return x


def while_handled(x):
    try:
        {}["q"]
    except KeyError:
        return middle(x)


def in_generator(x):
    def items():
        yield x
        yield middle(x)

    total = 0.0
    for v in items():
        total = total + v
    return total


def in_generator_with_try(x):
    def items():
        try:
            yield x
            yield x / 0
        except KeyError:
            pass

    return sum(items())


def in_method(x):
    return Thing(x).method(x)


def in_property(x):
    return Thing(x).value


def in_operator(x):
    return Thing(x) + x


def in_subscript(x):
    return Thing(x)[x]


def in_callable(x):
    return Thing(x)(x)


def in_constructor(x):
    return Failing(x).x


in_lambda = lambda x: middle(x) * 2.0


def in_lambda_of_two_lines(x):
    return (lambda v: middle(
        v))(x)  # fmt: skip


def in_loop(x):
    for i in range(3):
        x = x + middle(x - i)
    return x


def in_with(x):
    with contextlib.suppress(KeyError):
        return middle(x)


def in_manager(x):
    with managed(x) as y:
        return middle(y)


def in_key(x):
    return sorted([x, x - 5], key=lambda v: middle(v))[0]


def in_map(x):
    return sum(map(middle, [x, x - 5]))


def in_reduce(x):
    return functools.reduce(lambda a, b: middle(a - b), [x, x])


def in_partial(x):
    return functools.partial(middle)(x)


def through(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args)

    return wrapper


@through
def wrapped(x):
    return middle(x)


def shapes(x):
    a = np.array([x, x])
    return np.sum(a + np.ones(3))


def unknown_name(x):
    return x * undefined_name  # noqa: F821


def unbound(x):
    if x > 100:
        y = 1.0
    return x * y


def wrong_type(x):
    return x + "a"


def no_attribute(x):
    return x.nothing


def no_index(x):
    return [x][3]


def no_key(x):
    return {"a": x}["b"]


def too_few(x):
    a, b = [x]
    return a


def too_many_arguments(x):
    return middle(x, x)


def argument_twice(x):
    return middle(*[x], v=x)


def no_next(x):
    return next(iter([])) * x


def group(x):
    raise ExceptionGroup("both", [ValueError(x), KeyError(2)])


def in_condition(x):
    return middle(x) if x < 100 else 0.0


def in_comparison(x):
    return x if 1 > x > middle(x) else 2.0


PROGRAMS = [
    three_levels, tried_for_another, raised_from, raised_while_handling, raised_from_none,
    raised_again, raised_with_note, passed_by_finally, replaced_in_finally, nested, while_handled,
    in_generator, in_generator_with_try, in_method, in_property, in_operator,
    in_subscript, in_callable, in_constructor, in_lambda, in_lambda_of_two_lines, in_loop, in_with,
    in_manager, in_key, in_map, in_reduce, in_partial, wrapped, shapes, unknown_name, unbound,
    wrong_type, no_attribute, no_index, no_key, too_few, too_many_arguments, argument_twice,
    no_next, group, in_condition, in_comparison,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_an_exception_is_that_of_the_plain_run(program, way):
    for x in (0.5, 0.5, 0.25):  # compiled, then by what is there
        assert outcome(WAYS[way], program, x) == outcome(program, x)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_and_while_a_tracer_is_active(program):
    expected = outcome(program, 0.5)
    before = sys.gettrace()
    sys.settrace(lambda *event: None)
    try:
        found = outcome(astad.gradient, program, 0.5)
    finally:
        sys.settrace(before)
    assert found == expected


ASSERTING = """\
def asserted(x):
    y = x * x
    assert y > 1e9, ("message", 2)
    return y
"""


def test_an_assertion(tmp_path):
    """In a file of its own: pytest rewrites those that stand here."""
    path, space = tmp_path / "asserting.py", {}
    path.write_text(ASSERTING)
    exec(compile(ASSERTING, str(path), "exec"), space)
    for way in WAYS.values():
        with pytest.raises(AssertionError) as caught:
            way(space["asserted"], 2.0)
        assert caught.value.args == (("message", 2),)
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.filename, last.lineno, last.name) == (str(path), 3, "asserted")


# --- the reverse sweep ----------------------------------------------------------------------------


def unruly(v):
    return v * 1.0


@astad.adjoint(unruly)
def _unruly(v):
    def back(y_bar):
        raise ArithmeticError("back", 2) from KeyError("cause")

    return v * 1.0, back


def beneath(v):
    w = unruly(v - 1.0)  # the line
    return w


class Rough:
    def __init__(self, x):
        self.x = x

    def method(self, v):
        return beneath(v) * self.x

    @property
    def value(self):
        return beneath(self.x)

    def __add__(self, other):
        return beneath(other)

    def __call__(self, v):
        return beneath(v)


def back_in_callee(x):
    return beneath(x * 3.0) * 2.0


def back_in_method(x):
    return Rough(x).method(x)


def back_in_property(x):
    return Rough(x).value


def back_in_operator(x):
    return Rough(x) + x


def back_in_callable(x):
    return Rough(1)(x)


back_in_lambda = lambda x: beneath(x) * 2.0


def back_in_comprehension(x):
    return sum([beneath(x - i) for i in range(3)])


def back_after_try(x):
    try:
        y = beneath(x)
    except KeyError:
        y = 1.0
    return y


def back_before_an_exception(x):
    try:
        y = beneath(x * 2)
        raise ValueError(y)
    except ValueError as error:
        y = error.args[0] * 2
    return y


def back_in_generator(x):
    def items():
        yield x
        yield beneath(x)

    total = 0.0
    for v in items():
        total = total + v
    return total


def back_in_with(x):
    with contextlib.suppress(KeyError):
        return beneath(x)


def back_in_map(x):
    return sum(map(beneath, [x, x - 5]))


def back_in_reduce(x):
    return functools.reduce(lambda a, b: beneath(a - b), [x, x])


def back_in_partial(x):
    return functools.partial(beneath)(x)


@through
def back_in_wrapped(x):
    return beneath(x)


def back_in_inner(x):
    def inner(y):
        return beneath(y)

    return inner(x)


def back_in_loop(x):
    for i in range(3):
        if i == 1:
            x = x + beneath(x)
    return x


BACK = [
    back_in_callee, back_in_method, back_in_property, back_in_operator, back_in_callable,
    back_in_lambda, back_in_comprehension, back_after_try, back_before_an_exception,
    back_in_generator, back_in_with, back_in_map, back_in_reduce, back_in_partial, back_in_wrapped,
    back_in_inner, back_in_loop,
]  # fmt: skip
LINE = beneath.__code__.co_firstlineno + 1


@pytest.mark.parametrize("program", BACK, ids=lambda each: each.__name__)
def test_an_exception_of_the_reverse_sweep_names_the_users_line(program):
    _, back = astad.pullback(program, 3.0)
    for run in (lambda: back(1.0), lambda: back(1.0), lambda: astad.gradient(program, 3.0)):
        with pytest.raises(ArithmeticError) as caught:
            run()
        error = caught.value
        assert error.__notes__ == [f"in the reverse sweep of test_tracebacks_shown.py:{LINE}"]
        assert (error.args, repr(error.__cause__)) == (("back", 2), "KeyError('cause')")


def test_a_line_of_the_reverse_sweep_that_holds_two_of_the_users_names_both():
    def steep(x):
        y = x * 2.0
        return math.ldexp(y, 1500)

    _, back = astad.pullback(steep, 1e-200)
    with pytest.raises(OverflowError) as caught:
        back(1.0)
    (note,) = caught.value.__notes__
    line = steep.__code__.co_firstlineno + 2
    assert note.endswith(f"test_tracebacks_shown.py:{line}")
