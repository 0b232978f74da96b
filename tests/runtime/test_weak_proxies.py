"""``weakref.proxy``: attributes and methods are those of the object behind it."""

import weakref

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


class Sized(Parent):
    def __len__(self):
        self.v = self.v * 2.0
        return 1

    def __getitem__(self, i):
        return self.v

    def __lt__(self, other):
        return self.v * other


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


OPERATORS = {
    "len": lambda there, x: len(there) * x,
    "item": lambda there, x: there[0],
    "comparison": lambda there, x: (there < x) * 1.0,
    "attribute": lambda there, x: len(there) * there.v,
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_through_a_proxy_are_refused(name):
    def f(x):
        parent = Sized(x)
        return OPERATORS[name](weakref.proxy(parent), x) * parent.v

    with pytest.raises(AstadError):
        gradient(f, 1.5)
