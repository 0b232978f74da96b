import copy
import copyreg
from collections import OrderedDict, defaultdict, deque, namedtuple
from operator import add, getitem, mul, setitem

import numpy as np
import pytest

from astad import value_and_grad
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.testing import check_gradient


class Node:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Holder:
    def __init__(self, x, rest):
        self.x, self.rest = x, rest


def test_copy_of_a_list_is_another_list(check):
    def program(do, l):
        c = do(copy.copy, l)
        d = do(list.copy, l)
        do(setitem, c, 0, do(mul, do(getitem, l, 0), do(getitem, l, 1)))
        return do(mul, do(getitem, c, 0), do(add, do(getitem, l, 0), do(getitem, d, 0)))

    check(program, [1.5, 2.5])


def test_deepcopy_of_nested_data(check):
    def program(do, data):
        c = do(copy.deepcopy, data)
        a = do(getitem, c, 0)
        do(setitem, a, 0, do(getitem, do(getitem, c, 1), 0))
        old = do(getitem, do(getitem, data, 0), 0)
        return do(mul, do(getitem, a, 0), do(mul, do(getitem, a, 1), old))

    check(program, [np.array([1.5, 2.5]), [3.0]], expected=[[7.5, 4.5, 3.75]])


def test_objects(check):
    def program(do, o, x):
        shallow, deep = do(copy.copy, o), do(copy.deepcopy, o)
        do(setattr, shallow, "x", do(mul, do(getattr, shallow, "x"), x))
        do(setitem, do(getattr, shallow, "rest"), 0, x)  # shared with the original
        first = do(mul, do(getattr, shallow, "x"), do(getattr, o, "x"))
        second = do(mul, do(getattr, deep, "x"), do(getitem, do(getattr, deep, "rest"), 0))
        return do(mul, do(mul, first, second), do(getitem, do(getattr, o, "rest"), 0))

    check(program, Holder(2.0, [3.0, 5.0]), 1.5)


def test_slots_and_numbers():
    node = Node(2.0)
    for fn in (copy.copy, copy.deepcopy):
        made, record = call(Versions(), fn, node)
        y, read = call(Versions(), getattr, made, "x")
        shadows = Shadows()
        pull(shadows, read, 3.0, 2)
        pull(shadows, record, None, 1)
        assert shadows.key_take(node, "x") == 3.0
    y, record = call(Versions(), copy.deepcopy, 2.0, {})
    assert list(pull(Shadows(), record, 3.0, 2)) == [3.0, None]


def test_a_class_that_copies_itself(check, written):
    class Scaled:
        def __init__(self, x):
            self.x = x

        @written
        def __copy__(do, self):
            made = do(object.__new__, Scaled)
            do(setattr, made, "x", do(mul, do(getattr, self, "x"), 3.0))
            return made

    def program(do, o):
        return do(mul, do(getattr, do(copy.copy, o), "x"), do(getattr, o, "x"))

    check(program, Scaled(2.0))


def test_a_class_with_a_state_of_its_own(check, written):
    class Odd:
        def __init__(self, x):
            self.x = x

        @written
        def __getstate__(do, self):
            return do(dict, x=do(mul, do(getattr, self, "x"), 3.0))

    def program(do, pair):
        made = do(copy.deepcopy, do(copy.copy, pair))
        return do(mul, do(getattr, made, "x"), do(getattr, pair, "x"))

    check(program, Odd(2.0))


def test_arrays(check):
    def program(do, a, x):
        b = do(copy.deepcopy, do(getitem, a, slice(1, None)))
        c = do(copy.copy, a)
        do(setitem, a, 1, x)
        return do(np.sum, do(mul, b, do(add, do(getitem, c, slice(1, None)), do(getitem, a, 1))))

    check(program, np.array([2.0, 3.0, 5.0]), 1.5)


# Objects that say how they are copied, and that refer to themselves or to each other


class Parent:
    def __init__(self, v):
        self.v = v
        self.children = [Child(self, v * v)]

    def __setstate__(self, state):
        self.__dict__.update(state)


class Child:
    def __init__(self, parent, v):
        self.parent, self.v = parent, v

    def __getstate__(self):
        return dict(self.__dict__)


class Tree:
    """Its state is a tuple."""

    def __init__(self, v, parent=None):
        self.v, self.parent, self.below = v, parent, []
        if parent is not None:
            parent.below.append(self)

    def __getstate__(self):
        return self.v, self.parent, self.below

    def __setstate__(self, state):
        self.v, self.parent, self.below = state


class Scaled:
    """What it takes over is twice as large."""

    def __init__(self, v):
        self.v = v

    def __setstate__(self, state):
        self.v = state["v"] * 2.0


class Slotted:
    __slots__ = ("__hidden", "me", "v")

    def __init__(self, v):
        self.v, self.__hidden, self.me = v, v * v, self

    def hidden(self):
        return self.__hidden

    def __setstate__(self, state):
        for name, value in state[1].items():
            setattr(self, name, value if name == "me" else value * 3.0)


class Unfilled:
    def __setstate__(self, state):
        raise AssertionError("there is no state")


class Filled:
    """Made by ``__reduce__``, with items and entries that contain it."""

    def __init__(self):
        self.items, self.entries = [], {}

    def append(self, v):
        self.items.append(v)

    def __setitem__(self, key, v):
        self.entries[key] = v

    def __reduce__(self):
        return Filled, (), {"me": self}, iter(self.items), iter(self.entries.items())


class Cooperative:
    def __init__(self, v):
        self.v, self.me = v, self

    def __getstate__(self):
        return {**super().__getstate__(), "v": self.v * 2.0}

    def __reduce_ex__(self, protocol):
        return super().__reduce_ex__(protocol)


class Registered:
    def __init__(self, v):
        self.v = v


copyreg.pickle(Registered, lambda o: (Registered, (o.v * 3.0,)))


class Doubled(tuple):
    def __getnewargs__(self):
        return (tuple(v * 2.0 for v in self),)


class Number:
    def __init__(self, v):
        self.v = v

    def __deepcopy__(self, memo):
        return self.v * 3.0


class Asked:
    """Counts what it is asked for."""

    def __init__(self, v):
        self.v, self.count = v, [0]

    def __getattr__(self, name):
        self.__dict__.setdefault("count", [0])[0] += 1
        raise AttributeError(name)


class Failure(Exception):
    def __init__(self, v, part):
        super().__init__(v, part)
        self.part = part


class Weighted(float):
    pass


Pair = namedtuple("Pair", "first second")


def of_parent_and_child(x):
    made = copy.deepcopy(Parent(x))
    made.v = x**3
    child = made.children[0]
    return (child.parent is made) * x + child.parent.v * child.v


def of_a_tree(x):
    root = Tree(x)
    made = copy.deepcopy(Tree(x * x, Tree(2.0 * x, root)))
    made.parent.parent.v = x**3
    return made.v * made.parent.v + made.parent.parent.v + (made.parent.below[0] is made) * root.v


def of_slots(x):
    one = Slotted(x)
    deep, shallow = copy.deepcopy(one), copy.copy(one)
    return deep.v * deep.hidden() + (deep.me is deep) * x + (shallow.me is one) * shallow.v


def of_items_and_entries(x):
    one = Filled()
    one.items, one.entries = [x, one], {"k": x * x, "one": one}
    deep, shallow = copy.deepcopy(one), copy.copy(one)
    same = (deep.items[1] is deep) + (deep.entries["one"] is deep) + (shallow.me is one)
    return deep.items[0] * deep.entries["k"] + same * x + shallow.items[0]


def of_what_object_answers(x):
    made = copy.deepcopy(Cooperative(x))
    return (made.me is made) * x + made.v * copy.copy(Cooperative(x * x)).v


def of_what_is_registered(x):
    return copy.copy(Registered(x)).v * copy.deepcopy([Registered(x)])[0].v


def of_a_tuple_with_arguments(x):
    return copy.copy(Doubled([x, 1.0]))[0] * copy.deepcopy(Doubled([1.0, x * x]))[1]


def of_one_without_a_state(x):
    return isinstance(copy.deepcopy([Unfilled(), x])[0], Unfilled) * copy.deepcopy(Number(x))


def of_numbers_that_are_copies(x):
    one = Number(x)
    made = copy.deepcopy([one, one, {"a": one}, (1.0, one)])
    return made[0] * made[1] + made[2]["a"] * made[3][1]


def of_questions(x):
    one = Asked(x)
    made = copy.deepcopy(one), copy.copy(one)
    return sum((i + x) * each.count[0] * each.v for i, each in enumerate((one, *made)))


def of_numbers_with_attributes(x):
    one = Weighted(x)
    one.weight, one.parts = x * x, [x]
    deep, shallow = copy.deepcopy(one), copy.copy(one)
    deep.parts[0] = x**3
    return deep * deep.weight * deep.parts[0] + shallow.weight * shallow.parts[0]


def in_sequences(x):
    made = copy.deepcopy(deque([Scaled(x), x], maxlen=2))
    made.append(x * x)
    pair = copy.deepcopy(Pair(Scaled(x), x))
    return made[0] * made[1] + pair.first.v * pair.second


def in_sets(x):
    one = Scaled(x)
    total = 0.0
    for each in (*copy.deepcopy({one}), *copy.deepcopy(frozenset([one]))):
        total = total * x + each.v
    return total


def in_dicts(x):
    lists = defaultdict(list, k=[Scaled(x)])
    made = copy.deepcopy(lists)
    made["z"].append(x)
    ordered = copy.deepcopy(OrderedDict(b=Scaled(x), a=x))
    ordered.move_to_end("b")
    return made["k"][0].v * made["z"][0] + list(ordered.values())[1].v * len(lists)


def in_an_exception(x):
    one = Failure(x, Scaled(x))
    deep, shallow = copy.deepcopy(one), copy.copy(one)
    return deep.part.v * deep.args[0] + (deep.args[1] is deep.part) * x + shallow.part.v


def in_a_tuple_that_contains_itself(x):
    inner = [Scaled(x)]
    whole = (inner, x)
    inner.append(whole)
    made = copy.deepcopy(whole)
    return (made[0][1] is made) * x + made[0][0].v * made[1]


def in_a_tuple_that_is_there_twice(x):
    whole, plain = (Scaled(x), 1.0), (1.0, x)
    made = copy.deepcopy([whole, whole, plain])
    made[0][0].v = x**3
    return made[1][0].v + (made[0] is made[1]) * x + (made[2] is plain) * x * x


@pytest.mark.parametrize(
    "f",
    [
        of_parent_and_child,
        of_a_tree,
        of_slots,
        of_items_and_entries,
        of_what_object_answers,
        of_what_is_registered,
        of_a_tuple_with_arguments,
        of_one_without_a_state,
        of_numbers_that_are_copies,
        of_questions,
        of_numbers_with_attributes,
        in_sequences,
        in_sets,
        in_dicts,
        in_an_exception,
        in_a_tuple_that_contains_itself,
        in_a_tuple_that_is_there_twice,
    ],
)
def test_copies_of_objects_that_say_how(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)
