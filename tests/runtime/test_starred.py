"""``*xs`` and ``**words``: right, and Python's own TypeError where they do not fit."""

import pytest

from astad import gradient, pullback
from astad.testing import check_gradient


def scaled(a, b=2.0):
    return a * b


class Scale:
    def __init__(self, a):
        self.a = a

    def by(self, b):
        return self.a * b


class Words:
    def keys(self):
        return ["b"]

    def __getitem__(self, key):
        return 3.0


class Numbers:
    def __iter__(self):
        return iter([1.0, 2.0])


WRONG = {
    "star": lambda x: scaled(*3),
    "star with keyword": lambda x: scaled(*3, b=x),
    "words": lambda x: scaled(x, **3),
    "none": lambda x: scaled(*None),
    "no words": lambda x: scaled(**None),
    "second": lambda x: scaled(x, *3),
    "display": lambda x: [x, *3],
    "tuple": lambda x: (x, *3),
    "set": lambda x: {x, *3},
    "dict": lambda x: {"a": x, **3},
    "names": lambda x: scaled(x, **{1: 2.0}),
    "twice": lambda x: scaled(x, b=1.0, **{"b": 2.0}),
    "twice in words": lambda x: scaled(**{"a": x}, **{"a": 1.0}),
    "by position and name": lambda x: scaled(x, **{"a": 1.0}),
    "builtin": lambda x: len(*3),
    "builtin words": lambda x: max(**3),
    "builtin twice": lambda x: sorted([x], key=None, **{"key": None}),
    "method": lambda x: Scale(x).by(*3),
    "method twice": lambda x: Scale(x).by(b=1.0, **{"b": 2.0}),
    "class": lambda x: Scale(*3),
    "class words": lambda x: Scale(**3),
    "number": lambda x: x(*3),
    "lambda": lambda x: (lambda a: a)(*3),
    "missing": lambda x: scaled(*()),
    "missing keyword": lambda x: (lambda a, *, c: a)(*[x]),
    "too many": lambda x: scaled(*[x, x, x]),
    "unknown": lambda x: scaled(x, **{"z": x}),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_those_of_python(name):
    f = WRONG[name]
    with pytest.raises(TypeError) as plain:
        f(2.5)
    for run in (lambda: gradient(f, 2.5), lambda: pullback(f, [2.5][0])):
        with pytest.raises(TypeError) as found:
            run()
        assert str(found.value) == str(plain.value)


def test_starred_arguments_of_all_kinds():
    def f(x, y):
        given = {"b": y}
        one = scaled(*[x]) * scaled(x, **given) + scaled(*(v for v in (x, y)))
        two = scaled(x, **Words()) + scaled(*Numbers()) * x + Scale(*(x,)).by(**given)
        return one + two + sum([*[x, y], *Numbers()]) * sum((x, *[y]))

    check_gradient(f, 1.5, 0.7)
