import copy
import itertools
import operator
from collections import OrderedDict, deque

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.errors import Unsupported
from astad.testing import check_gradient

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
"""Python 3.12 and 3.13 give it for each copy in itertools."""


class Scaled:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, i):
        if i > 3:
            raise IndexError
        return self.x * (i + 1)


class Growing:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        self.x = self.x * 1.5
        return self.x


def square(v):
    return v * v


def is_positive(v):
    return v > 0


MADE = {
    "list": lambda x: iter([x, 2 * x, x * x, 3.0]),
    "tuple": lambda x: iter((x, 2 * x, x * x, 3.0)),
    "keys": lambda x: iter({x: 1, 2 * x: 2, 5 * x: 3}),
    "values": lambda x: iter({1: x, 2: 2 * x, 3: x * x}.values()),
    "items": lambda x: iter({1: x, 2: 2 * x, 3: x * x}.items()),
    "values, backwards": lambda x: reversed({1: x, 2: 2 * x, 3: x * x}.values()),
    "ordered values": lambda x: iter(OrderedDict({1: x, 2: 2 * x, 3: x * x}).values()),
    "ordered items": lambda x: iter(OrderedDict({1: x, 2: 2 * x, 3: x * x}).items()),
    "ordered, backwards": lambda x: reversed(OrderedDict({1: x, 2: 2 * x, 3: x * x}).values()),
    "ordered keys": lambda x: iter(OrderedDict({x: 1, 2 * x: 2, 5 * x: 3})),
    "set": lambda x: iter({x}),
    "deque": lambda x: iter(deque([x, 2 * x, x * x])),
    "array": lambda x: iter(np.array([1.0, 2.0, 4.0]) * x),
    "reversed list": lambda x: reversed([x, 2 * x, x * x]),
    "reversed tuple": lambda x: reversed((x, 2 * x, x * x)),
    "by item": lambda x: iter(Scaled(x)),
    "of a class": Growing,
    "until": lambda x: iter([x, 2 * x, x, x * x, 3 * x, -1.0].pop, 7.0),
    "enumerate": lambda x: enumerate([x, 2 * x, x * x]),
    "enumerate values": lambda x: enumerate({1: x, 2: 2 * x, 3: x * x}.values()),
    "zip": lambda x: zip([x, 2 * x, x * x], {1: x, 2: 3 * x, 3: x}.values(), strict=False),
    "map": lambda x: map(square, [x, 2 * x, x * x]),
    "filter": lambda x: filter(is_positive, [x, -x, 2 * x, x * x]),
    "accumulate": lambda x: itertools.accumulate([x, 2 * x, x * x, x], operator.mul),
    "accumulate, initial": lambda x: itertools.accumulate([x, 2 * x, x * x], initial=3 * x),
    "accumulate a chain": lambda x: itertools.accumulate(itertools.chain([x * x], [x, 2 * x])),
    "chain": lambda x: itertools.chain([x, 2 * x], [x * x], [x, x]),
    "combinations": lambda x: itertools.combinations([x, 2 * x, x * x], 2),
    "with replacement": lambda x: itertools.combinations_with_replacement([x, x * x], 2),
    "compress": lambda x: itertools.compress([x, x * x, 3 * x, x, x], [1, 0, 1, 1, 1]),
    "count": lambda x: itertools.count(x, 2 * x),
    "count by one": lambda x: itertools.count(x),
    "cycle": lambda x: itertools.cycle([x, 2 * x, 3.0]),
    "cycle of two": lambda x: itertools.cycle([x, 3 * x]),
    "cycle of a map": lambda x: itertools.cycle(map(square, [x, 2.0])),
    "dropwhile": lambda x: itertools.dropwhile(is_positive, [x, -x * x, x, -3 * x, x]),
    "filterfalse": lambda x: itertools.filterfalse(is_positive, [-x, x, -x * x, -2 * x]),
    "islice": lambda x: itertools.islice([x, 2 * x, x * x, 3 * x, x], 1, 5),
    "islice by two": lambda x: itertools.islice({1: x, 2: 2 * x, 3: x * x}.values(), 0, 3, 2),
    "permutations": lambda x: itertools.permutations([x, 2 * x, x * x], 2),
    "product": lambda x: itertools.product([x, x * x], [3 * x, 2.0]),
    "repeat": lambda x: itertools.repeat(x, 4),
    "starmap": lambda x: itertools.starmap(operator.mul, [(x, 2 * x), (x * x, x), (x, x)]),
    "takewhile": lambda x: itertools.takewhile(is_positive, [x, x * x, 2 * x, -x]),
    "zip_longest": lambda x: itertools.zip_longest([x, 2 * x, x], [x], fillvalue=x * x),
}


def size(v, x):
    return v if not isinstance(v, tuple) else sum(part * part + part for part in v)


def mixed(x, make, copied, drawn):
    """Draws in turn from a copy of an iterator and the iterator itself."""
    own = make(x)
    total = 1.0
    for _ in range(drawn):
        total = total * size(next(own), x)
    other = copied(own)
    for k in range(2):
        total = total * 1.5 + (k + 2) * size(next(other, x), x) ** 2
        total = total * 1.5 + (k + 5) * size(next(own, x), x) ** 2
    return total


@pytest.mark.order_matters
@pytest.mark.parametrize("drawn", [0, 1])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("kind", MADE)
def test_copies_of_iterators(kind, copied, drawn):
    def f(x):
        return mixed(x, MADE[kind], copied, drawn)

    if "array" in kind and copied is copy.deepcopy:
        pytest.skip("a copy of the array, as Python makes it")
    assert value_and_grad(f)(1.7)[0] == f(1.7)
    check_gradient(f, 1.7)


def by_hand(x):
    made, args, state = iter([x, 2 * x, x * x]).__reduce__()
    again = made(*args)
    again.__setstate__(state + 1)
    return next(again) * next(again)


def of_a_cycle_by_hand(x):
    cycle = itertools.cycle([x, 2 * x, 3.0])
    next(cycle)
    made, args, state = cycle.__reduce__()
    again = made(*args)
    again.__setstate__(state)
    return next(again) + 3 * next(again) + 5 * next(again) + 7 * next(cycle)


def totals_set_by_hand(x):
    totals = itertools.accumulate([x, 2 * x, x], operator.mul)
    next(totals)
    totals.__setstate__(x**3)
    return next(totals) * next(totals)


def that_a_list_holds_too(x):
    values = [x, 2 * x]
    parts = copy.deepcopy([values, iter(values)])
    parts[0][0] = x**3
    return next(parts[1]) * values[0]


def of_an_object(x):
    one = Growing(x)
    one.turns = itertools.cycle([x, 2 * x])
    next(one.turns)
    two, three = copy.copy(one), copy.deepcopy(one)
    return next(two.turns) * next(three.turns) * next(one.turns) * next(three.turns)


def of_a_list_that_grows(x):
    values = [x, 2 * x]
    own = iter(values)
    one, two = copy.copy(own), copy.deepcopy(own)
    values.append(x * x)
    return sum(one) * sum(two) * sum(own)


def of_a_map_with_a_captured_number(x):
    made = copy.deepcopy(map(lambda v: v * x, [x, 2.0]))
    return next(made) * next(made)


def of_one_iterator_that_is_there_twice(x):
    own = iter({1: x, 2: 3 * x, 3: x * x, 4: 5 * x}.values())
    made = copy.deepcopy(zip(own, own, strict=False))
    (a, b), (c, d) = made
    return a * b * b + c * d * next(own)


def over_a_dict_in_pairs(x):
    own = iter({1: x, 2: 3 * x, 3: x * x, 4: 5 * x}.values())
    return sum(a * a * b for a, b in zip(own, own, strict=False))


def over_a_dict_by_hand_in_a_loop(x):
    own, total = iter({1: x, 2: 3 * x, 3: x * x, 4: 5 * x}.values()), 0.0
    for v in own:
        total += v * v * next(own)
    return total


@pytest.mark.parametrize(
    "f",
    [
        by_hand,
        of_a_cycle_by_hand,
        totals_set_by_hand,
        that_a_list_holds_too,
        of_an_object,
        of_a_list_that_grows,
        of_a_map_with_a_captured_number,
        of_one_iterator_that_is_there_twice,
        over_a_dict_in_pairs,
        over_a_dict_by_hand_in_a_loop,
    ],
)
def test_copies_of_iterators_in_programs(f):
    assert value_and_grad(f)(1.7)[0] == f(1.7)
    check_gradient(f, 1.7)


def test_iterators_of_tee_share_what_they_drew():
    def f(x):
        one, _ = itertools.tee([x])
        return next(copy.deepcopy(one))

    with pytest.raises(Unsupported, match=r"copy\.deepcopy: a deep copy of an iterator of"):
        gradient(f, 2.0)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("make", [lambda x: itertools.pairwise([x]), lambda x: (v for v in [x])])
def test_what_python_does_not_copy(make, copied):
    def f(x):
        try:
            copied(make(x))
        except TypeError as error:
            return x * len(str(error))

    assert gradient(f, 2.0) == (f(1.0),)


def test_a_copied_cycle_is_one_of_pythons():
    def f(x):
        made = copy.copy(itertools.cycle([x, 2 * x]))
        return x * isinstance(made, itertools.cycle)

    assert gradient(f, 2.0) == (1.0,)


def test_every_iterator_that_can_be_copied_has_a_rule():
    """Whatever has been imported first: the rules are made of the table of iterators."""
    from astad.runtime.core.full_rules import FULL
    from astad.runtime.iteration.iterate import FEEDS
    from astad.runtime.python.copied_iterators import REDUCED_ITERATORS

    known = {kind for kind in FEEDS if "__reduce__" in vars(kind)}
    assert known == REDUCED_ITERATORS
    assert all(id(vars(kind)["__reduce__"]) in FULL for kind in known)
