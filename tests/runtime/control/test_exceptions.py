import copy
import dataclasses

import pytest

from astad import value_and_grad
from astad.testing import check_gradient


class Level(Exception):
    def __init__(self, v):
        super().__init__(v)


class Doubled(Exception):
    def __init__(self, v):
        super().__init__(v * 2)


class Silent(Exception):
    def __init__(self, v):
        self.v = v


class Reduced(Exception):
    def __init__(self, v):
        super().__init__("level", v)
        self.v = v

    def __reduce__(self):
        return Reduced, (self.v,)


class Made(ValueError):
    def __new__(cls, v):
        self = super().__new__(cls, v)
        self.square = v * v
        return self

    def __init__(self, v):
        pass


@dataclasses.dataclass
class Record(Exception):
    v: float


def of_a_class(x, copied):
    return copied(Level(x * x)).args[0] * x


def that_computes(x, copied):
    return copied(Doubled(x * x)).args[0] * x


def that_keeps_it_itself(x, copied):
    made = copied(Silent(x * x))
    return made.args[0] * made.v


def that_says_how(x, copied):
    made = copied(Reduced(x * x))
    return made.args[1] * made.v


def of_a_dataclass(x, copied):
    made = copied(Record(x * x))
    return made.args[0] * made.v


def with_a_new_of_its_own(x, copied):
    made = copied(Made(x))
    return made.args[0] * made.square


def with_attributes(x, copied):
    error = ValueError("level")
    error.v = x * x
    error.add_note("seen")
    made = copied(error)
    return made.v * x * len(made.__notes__)


def with_a_list(x, copied):
    error = ValueError([x * x])
    made = copied(error)
    error.args[0][0] = 5 * x
    return made.args[0][0] * error.args[0][0]


def raised(x, copied):
    error = Level(x * x)
    error.k = x
    try:
        raise copied(error)
    except Level as caught:
        return caught.args[0] * caught.k


def raised_from_the_caught_one(x, copied):
    try:
        try:
            raise Level(x * x)
        except Level as error:
            raise copied(error).with_traceback(error.__traceback__) from error
    except Level as caught:
        return caught.args[0] * x * caught.__cause__.args[0]


def in_a_list(x, copied):
    errors = [Level(x)]
    made = copied(errors)
    return made[0].args[0] * errors[0].args[0]


def in_an_object(x, copied):
    holder = Silent(ValueError(x * x))
    return copied(holder).v.args[0] * x


def of_c(x, copied):
    stopped, left = copied(StopIteration(x * x)), copied(SystemExit(3 * x))
    return stopped.value * stopped.args[0] * left.code


def of_the_system(x, copied):
    error = OSError(2, "gone", "file")
    error.v = x
    made = copied(error)
    return made.v * x * made.errno * len(made.filename)


def of_a_group(x, copied):
    group = ExceptionGroup("all", [ValueError(x), TypeError(x * x)])
    made = copied(group)
    return made.exceptions[0].args[0] * made.exceptions[1].args[0] * group.exceptions[0].args[0]


def with_other_arguments(x, copied):
    error = ValueError(1.0)
    error.args = (x * x, 2.0)
    return copied(error).args[0] * x


def made_again(error):
    return type(error)(*error.args)


def by_answer(error):
    made, args, *state = error.__reduce__()
    again = made(*args)
    again.__setstate__(*state or [None])
    return again


@pytest.mark.order_matters  # what is known of the calls of a copy differs by which was made first
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    "f",
    [
        of_a_class,
        that_computes,
        that_keeps_it_itself,
        that_says_how,
        of_a_dataclass,
        with_a_new_of_its_own,
        with_attributes,
        with_a_list,
        raised,
        raised_from_the_caught_one,
        in_a_list,
        in_an_object,
        of_c,
        of_the_system,
        of_a_group,
        with_other_arguments,
    ],
)
def test_copies_of_exceptions(f, copied):
    assert value_and_grad(f)(1.5, copied)[0] == f(1.5, copied)
    check_gradient(lambda x: f(x, copied), 1.5)


@pytest.mark.parametrize("f", [of_a_class, that_computes, with_a_new_of_its_own])
def test_exceptions_made_again(f):
    check_gradient(lambda x: f(x, made_again), 1.5)


@pytest.mark.parametrize(
    "f", [of_a_class, that_keeps_it_itself, with_attributes, raised, of_c, of_the_system]
)
def test_exceptions_made_of_what_they_answer(f):
    check_gradient(lambda x: f(x, by_answer), 1.5)
