"""Faults that programs nobody had tuned have shown, each in its smallest form."""

import dataclasses
import enum

import numpy as np
import pytest

from tests.conformance.harness import conforms


class Rated:
    rate = 2.0

    def __init__(self, size):
        self.size = size

    def worth(self):
        return self.size * self.rate


class Level(enum.Enum):
    LOW = 1.5
    HIGH = 2.5


def class_attribute_bound_after_it_was_read(x):
    rated = Rated(x)
    y = rated.worth()
    Rated.rate = 1.2
    return y + rated.worth()


def class_attribute_behind_one_of_the_object(x):
    rated = Rated(x)
    y = rated.worth()
    Rated.rate = x
    rated.rate = 7.0
    y += rated.worth()
    del rated.rate
    return y + rated.worth()


def class_of_its_own_given_an_empty_list(x):
    class Log:
        def __init__(self, entries):
            self.entries = entries

    entries = []
    log = Log(entries)
    entries.append(x)
    return log.entries[0] * x


def method_given_an_empty_list(x):
    entries = []
    add = [x].extend
    add(entries)
    return x * x + len(entries)


def members_of_an_enum_in_a_list(x):
    first, second = Level
    y = list(Level)[1].value * x + max(Level, key=lambda level: level.value).value * x
    return y + [*Level][0].value * x + first.value * second.value * x + next(iter(Level)).value * x


def attributes_of_members(x):
    for level in Level:
        level.weight = x * level.value
    y = sum(level.weight for level in list(Level)) * Level.LOW.weight
    for level in reversed(Level):
        del level.weight
    return y


def defaults_of_a_dataclass_of_its_own(x):
    @dataclasses.dataclass
    class Box:
        width: float = x
        height: float = dataclasses.field(default=x * x)

    @dataclasses.dataclass(slots=True)
    class Thin:
        depth: float = x

    return Box().width * Box(2.0).height + Thin().depth * Box.width + Box.height


PROGRAMS = [
    defaults_of_a_dataclass_of_its_own,
    class_attribute_bound_after_it_was_read, class_attribute_behind_one_of_the_object,
    class_of_its_own_given_an_empty_list, method_given_an_empty_list,
    members_of_an_enum_in_a_list, attributes_of_members,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_unseen_program(program):
    conforms(program, 1.2)


def view_of_one_entry(x):
    entry = x[0, ...]
    entry += x[1]
    x[1] = entry * 2
    return entry * x.sum()


def written_under_a_view_of_one_entry(x):
    entry = x.reshape(1, 3)[..., 0, 1]
    x[1] = x[0] * 2
    np.add(entry, x[2], out=entry)
    entry[...] = entry * x[0]
    return entry * x[1] + x.sum()


def entries_by_ellipsis(x):
    y = np.zeros(3)
    y[1, ...] = x[0, ...] * x[..., 2]
    y[..., 2] += x[1]
    return y @ x


@pytest.mark.parametrize(
    "program", [view_of_one_entry, written_under_a_view_of_one_entry, entries_by_ellipsis]
)
def test_views_of_rank_0(program):
    conforms(program, np.array([0.5, 1.5, -0.7]))
