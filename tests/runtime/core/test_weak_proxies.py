"""``weakref.proxy``: attributes, methods and operators are those of the object behind it."""

import copy
import weakref

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.errors import AstadError
from astad.testing import check_gradient


class Child:
    def __init__(self, parent):
        self.parent = weakref.proxy(parent)

    def scaled(self):
        return self.parent.v * 2.0


class Parent:
    def __init__(self, v):
        self.v = v
        self.children = [Child(self), Child(self)]

    def times(self, k=1.0):
        return self.v * k

    @property
    def square(self):
        return self.v**2


class Callable(Parent):
    def __call__(self, k=2.0):
        return self.v * k


def reads(x):
    parent = Parent(x)
    return parent.children[0].scaled() * x


def writes(x):
    parent = Parent(x)
    parent.children[1].parent.v = x * x
    parent.children[0].parent.v += x
    return parent.v * parent.children[1].scaled()


def methods(x):
    parent = Parent(x)
    there = weakref.proxy(parent)
    later = there.times
    return there.times(k=x) * later() + there.square


def names(x):
    parent = Parent(x)
    there = weakref.proxy(parent)
    setattr(there, "w", x * x)
    kept = getattr(parent, "w") * hasattr(there, "w")
    del there.w
    return kept + getattr(there, "w", there.v) + vars(there)["v"] * isinstance(there, Parent)


def patterns(x):
    parent = Parent(x)
    match weakref.proxy(parent):
        case Parent(v=v):
            return v * parent.v
    return 0.0


def references(x):
    parent = Parent(x)
    there = weakref.ref(parent)
    there().v = x * x
    known = weakref.WeakValueDictionary(p=parent)
    return there().v * parent.v + known["p"].v


def calls(x):
    parent = Callable(x)
    there = weakref.proxy(parent)
    return there() * there(x) + there(k=3.0)


@pytest.mark.parametrize("f", [reads, writes, methods, names, patterns, references, calls])
def test_attributes_through_a_proxy(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)


def test_a_proxy_that_comes_in():
    def f(parent):
        return parent.children[0].scaled() * parent.v

    parent = Parent(3.0)
    assert gradient(f, parent)[0].v == 12.0


class Vector:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        return Vector(self.v * (other.v if isinstance(other, Vector) else other))

    def __rmul__(self, other):
        return Vector(self.v * other * 2)

    def __add__(self, other):
        return self.v + other

    def __radd__(self, other):
        return self.v * 3 + other

    def __iadd__(self, other):
        self.v = self.v + other
        return self

    def __neg__(self):
        return -self.v

    def __abs__(self):
        return abs(self.v) * 2

    def __float__(self):
        return self.v * 3.0

    def __pow__(self, n):
        return self.v**n

    def __matmul__(self, other):
        return self.v * other

    def __divmod__(self, other):
        return self.v * 2, other * self.v

    def __getitem__(self, i):
        return self.v * (i + 1)

    def __setitem__(self, i, w):
        self.v = w * (i + 1)

    def __delitem__(self, i):
        self.v = self.v * i

    def __contains__(self, w):
        return w == self.v

    def __len__(self):
        return 3

    def __bool__(self):
        return False

    def __iter__(self):
        yield self.v
        yield self.v * self.v

    def __reversed__(self):
        yield self.v * 5

    def __lt__(self, other):
        return self.v * other

    def method(self, w):
        return self.v * w


class Numbers(list):
    pass


class Names(dict):
    pass


def added(there, o, x):
    return (there + x) * (x + there)


def added_in_place(there, o, x):
    there += x
    return o.v * there.v * (there is o)


def written_by_item(there, o, x):
    there[1] = x * x
    return o.v * there[1]


def deleted_by_item(there, o, x):
    del there[3]
    return o.v * x


def gone_through(there, o, x):
    total = 0.0
    for v in there:
        total += v * x
    a, b = there
    return total * a * b * sum(there) * max(there) * sum([*there])


def gone_through_in_pairs(there, o, x):
    return dict(zip(there, there, strict=True))[x] * x


def handed_on(there, o, x):
    def twice(v):
        return v[0] * 2

    return twice(there) * sum(map(there.method, [x, 1.0]))


THROUGH = {
    "times": lambda there, o, x: (there * 2).v * x,
    "times, reflected": lambda there, o, x: (2 * there).v * x,
    "times itself": lambda there, o, x: (there * there).v,
    "power": lambda there, o, x: there**2 * (there @ x),
    "divmod": lambda there, o, x: divmod(there, x)[0] * divmod(there, 2.0)[1],
    "sign": lambda there, o, x: -there * abs(there) * float(there),
    "item": lambda there, o, x: there[0] * there[1],
    "len": lambda there, o, x: len(there) * x * o.v,
    "truth": lambda there, o, x: (1.0 if there else 2.0) * x * (x in there),
    "comparison": lambda there, o, x: (there < x) * 1.0,
    "backwards": lambda there, o, x: next(reversed(there)) * x,
    "method": lambda there, o, x: there.method(x) * there.v,
    "copy": lambda there, o, x: copy.copy(there).v * copy.deepcopy(there).v,
}


@pytest.mark.parametrize(
    "f",
    [
        *(pytest.param(f, id=name) for name, f in THROUGH.items()),
        added,
        added_in_place,
        written_by_item,
        deleted_by_item,
        gone_through,
        gone_through_in_pairs,
        handed_on,
    ],
)
def test_operators_through_a_proxy(f):
    def program(x):
        o = Vector(x)
        return f(weakref.proxy(o), o, x)

    assert value_and_grad(program)(1.5)[0] == program(1.5)
    check_gradient(program, 1.5)


def a_list(x):
    numbers = Numbers([x, x * x])
    there = weakref.proxy(numbers)
    del there[0]
    there.append(3 * x)
    there += [x]
    return there[0] * there[1] * numbers[2] * sum(there) * sorted(there)[0] * there[:1][0]


def a_dict(x):
    names = Names(a=x, b=x * x)
    there = weakref.proxy(names)
    there["c"] = x
    return sum(there.values()) * there["a"] * ("a" in there) * sum(dict(there).values())


def arguments(x):
    names, numbers = Names(a=x, b=x * x), Numbers([x, 2.0])

    def f(a, b):
        return a * b

    return f(**weakref.proxy(names)) * f(*weakref.proxy(numbers))


def an_array(x):
    a = np.array([1.0, 2.0]) * x
    there = weakref.proxy(a)
    return np.sum(there * there + there[0]) * (3 * there)[1]


def with_a_callback(x):
    o = Vector(x)
    there = weakref.proxy(o, lambda there: None)
    return (there * x).v * there.v


def an_iterator(x):
    class Doubling:
        def __init__(self, v):
            self.v = v

        def __iter__(self):
            return self

        def __next__(self):
            self.v = self.v * 2
            return self.v

    o = Doubling(x)
    there = weakref.proxy(o)
    return next(there) * next(there) * weakref.ref(o)().v


def a_method(x):
    o = Vector(x)
    method = weakref.WeakMethod(o.method)
    found = method()
    o.v = x * x
    return found(x) * (method == weakref.WeakMethod(o.method))


@pytest.mark.parametrize(
    "f", [a_list, a_dict, arguments, an_array, with_a_callback, an_iterator, a_method]
)
def test_what_is_referred_to(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)


def test_compiled_code_is_not_given_a_proxy():
    def f(x):
        a = np.array([1.0, 2.0]) * x
        there = weakref.proxy(a)
        return np.dot(there, there)

    with pytest.raises(AstadError):
        gradient(f, 1.5)
