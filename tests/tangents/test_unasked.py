"""Classes and objects that do not like to be asked for what they have not: astad asks for nothing
for which the plain program does not ask.
"""

import functools

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.testing import check_gradient

asked = []


class Strict(type):
    def __getattr__(cls, name):
        asked.append(name)
        raise KeyError(name)


class Table(type):
    """Names that are not there are looked up in a table."""

    def __new__(meta, name, bases, space, **words):
        made = super().__new__(meta, name, bases, space)
        made.scaled = {k: 2 * v for k, v in space.items() if isinstance(v, float)}
        return made

    def __getattr__(cls, name):
        asked.append(name)
        return cls.scaled[name[2:]]

    def __call__(cls, *values):
        made = super().__call__(*values)
        made.table = cls.scaled
        return made

    def __add__(cls, other):
        return cls.scaled["rate"] + other

    def __iter__(cls):
        return iter(cls.scaled.values())


class Watching(type):
    def __getattribute__(cls, name):
        return type.__getattribute__(cls, name)


class Number(metaclass=Strict):
    scale = 2.0

    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        asked.append(name)
        raise KeyError(name)

    def __mul__(self, other):
        return self.value * other

    def __call__(self, other):
        return self.value * other * self.scale

    def __iter__(self):
        return iter([self.value, self.value * 2])

    def __getitem__(self, i):
        return self.value * (i + 1)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __lt__(self, other):
        return self.value < other.value

    def __float__(self):
        return float(self.value)


class Row(list, metaclass=Strict):
    pass


class Pair(tuple, metaclass=Strict):
    pass


class Words(dict, metaclass=Strict):
    pass


class Failed(Exception, metaclass=Strict):
    pass


class Slots(metaclass=Strict):
    __slots__ = ("value",)

    def __getattr__(self, name):
        asked.append(name)
        raise KeyError(name)


class Twice(metaclass=Strict):
    def __get__(self, o, owner):
        return o.value * 2

    def __getattr__(self, name):
        asked.append(name)
        raise KeyError(name)


class Described(metaclass=Strict):
    twice = Twice()

    def __init__(self, value):
        self.value = value


class Steps(metaclass=Strict):
    def __init__(self, value):
        self.value, self.count = value, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        if self.count > 3:
            raise StopIteration
        return self.value * self.count


class Watched(metaclass=Watching):
    def __init__(self, value):
        self.value = value


def operators(x):
    return Number(x) * x + Number(x)(x)


def loops(x):
    return sum(Number(x)) + sum(v * x for v in Steps(x)) + next(Steps(x))


def unpacking_and_items(x):
    first, second = Number(x)
    return first * second * Number(x)[2]


def context_manager(x):
    with Number(x) as number:
        return number.value * x


def ordered(x):
    return sorted([Number(x * 2), Number(x)])[0].value * max([Number(x), Number(1.0)]).value


def by_float(x):
    return float(Number(x)) * x


def in_arrays(x):
    return float((np.array([1.0, x]) * Number(x).value).sum())


def containers(x):
    row, pair, words = Row([x, 2.0]), Pair((x, 2.0)), Words(a=x)
    row.append(x * 2)
    return sum(row) * sum(pair) * words["a"]


def exceptions(x):
    try:
        raise Failed(x, 2.0)
    except Failed as failed:
        return failed.args[0] * x


def slots(x):
    made = Slots()
    made.value = x * 2
    return made.value * x


def descriptor(x):
    return Described(x).twice * x


def functions(x):
    double = Number(x)
    return sum(map(double, [x, 2.0])) + functools.partial(double, x)()


def subclass_made_in_it(x):
    class Made(Number):
        factor = x

    return Made(x).value * Made.factor


def names_of_a_table(x):
    class Made(metaclass=Table):
        rate = x

        def __init__(self, value):
            self.value = value * self.rate

    made = Made(x)
    return made.value + made.table["rate"] + (Made + x) + sum(Made) + Made.s_rate


PROGRAMS = [
    operators, loops, unpacking_and_items, context_manager, ordered, by_float, in_arrays,
    containers, exceptions, slots, descriptor, functions, subclass_made_in_it, names_of_a_table,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_nothing_is_asked_beside(program):
    asked.clear()
    value = program(3.0)
    plain = asked[:]
    asked.clear()
    assert value_and_grad(program)(3.0)[0] == value
    assert asked == plain
    check_gradient(program, 1.5)


def test_arguments_are_not_asked():
    def value_of(o):
        return o.value**2

    asked.clear()
    for made in (Number(3.0), Described(3.0), Watched(3.0)):
        (found,) = gradient(value_of, made)
        assert found.value == 6.0
    assert not asked


def test_class_whose_metaclass_reads_its_attributes():
    def total(x):
        class Made(Watched):
            gain = x

        Made.other = Made.gain * 2
        return Made(x).value * Made.gain * Made.other

    check_gradient(total, 1.5)
    (found,) = gradient(lambda cls: cls.gain**2, Watching("Made", (), {"gain": 3.0}))
    assert found.gain == 6.0


def test_super_of_a_class_that_answers_for_others():
    class Abstract:
        @classmethod
        def scale(cls):
            return 2.0

    class Judge(type):
        def __subclasscheck__(cls, other):
            raise TypeError("nobody is asked")

    class Made(Abstract, metaclass=Judge):
        @classmethod
        def scaled(cls, x):
            return super().scale() * x * x

    assert gradient(lambda x: Made.scaled(x), 3.0) == (12.0,)
