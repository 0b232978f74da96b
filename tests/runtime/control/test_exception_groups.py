import copy

import pytest

from astad import value_and_grad
from astad.testing import check_gradient


class Group(ExceptionGroup):
    def __new__(cls, message, errors, weight=None):
        self = super().__new__(cls, message, errors)
        self.weight = weight
        return self

    def derive(self, errors):
        return Group(self.message, errors, self.weight)


def split(x):
    one, other = Group("all", [ValueError(x), TypeError(x * x)], x).split(ValueError)
    return one.exceptions[0].args[0] * other.exceptions[0].args[0] * one.weight * other.weight


def split_within(x):
    inner = Group("inner", [TypeError(x * x), ValueError(3 * x)], x)
    one, other = Group("all", [ValueError(x), inner], 2 * x).split(ValueError)
    found = one.exceptions[1]
    return found.exceptions[0].args[0] * found.weight * other.weight


def chosen_by_a_function(x):
    group = Group("all", [ValueError(x), TypeError(x * x)], 2 * x)
    group.add_note("seen")
    part = group.subgroup(lambda error: isinstance(error, TypeError))
    return part.weight * part.exceptions[0].args[0] * len(part.__notes__)


def all_of_it(x):
    group = Group("all", [ValueError(x), TypeError(x * x)], 2 * x)
    part, rest = group.split(Exception)
    return part.weight * x * (part is group) * (rest is None)


def caught_in_parts(x):
    y = 1.0
    try:
        raise Group("all", [ValueError(x), TypeError(x * x)], 3 * x)
    except* ValueError as group:
        y = y * group.exceptions[0].args[0] * group.weight
    except* TypeError as group:
        y = y * group.exceptions[0].args[0] * x * group.weight
    return y


def caught_in_part(x):
    y = 1.0
    try:
        try:
            raise Group("all", [ValueError(x), TypeError(x * x)], 3 * x)
        except* ValueError as group:
            y = y * group.exceptions[0].args[0] * group.weight
    except Group as rest:
        y = y * rest.weight * rest.exceptions[0].args[0]
    return y


def raised_again_in_part(x):
    y = 1.0
    try:
        try:
            raise Group("all", [ValueError(x), TypeError(x * x)], 3 * x)
        except* ValueError as group:
            y = y * group.weight
            raise
    except Group as rest:
        y = y * rest.weight * rest.exceptions[0].args[0]
    return y


def copied(x):
    group = Group("all", [ValueError(x), TypeError(x * x)], 2 * x)
    one, other = copy.copy(group), copy.deepcopy(group)
    return one.weight * one.exceptions[0].args[0] * other.weight * other.exceptions[1].args[0]


def what_is_no_condition(x):
    try:
        Group("all", [ValueError(x)], x).subgroup(3)
    except TypeError as error:
        return x * len(str(error))


@pytest.mark.parametrize(
    "f",
    [
        split,
        split_within,
        chosen_by_a_function,
        all_of_it,
        caught_in_parts,
        caught_in_part,
        raised_again_in_part,
        copied,
        what_is_no_condition,
    ],
)
def test_groups_that_say_what_a_part_of_them_is(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)
