"""``*xs`` and ``**words``: right, and Python's own TypeError where they do not fit."""

import functools
from types import SimpleNamespace

import pytest

from astad import gradient, pullback, value_and_grad
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


class Kept:
    def __init_subclass__(cls, **words):
        cls.words = words


def sub_with_twice(x):
    class Sub(Kept, **{"a": x}, a=x):
        pass

    return Sub.words["a"]


def in_turn(*args, **words):
    """Of which the order of the words is a part."""
    return sum((i + 1) * v for i, v in enumerate([*args, *words.values()]))


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
    "twice, the words first": lambda x: scaled(x, **{"b": 2.0}, b=x),
    "no words before a name": lambda x: scaled(x, **3, b=x),
    "twice in a mapping": lambda x: scaled(x, b=1.0, **Words()),
    "twice after a mapping": lambda x: scaled(x, **Words(), b=x),
    "twice of many": lambda x: dict(**{"a": x, "b": x}, b=x, a=x),
    "no names twice": lambda x: dict(**{1: x}, **{1: x}),
    "words before the star": lambda x: scaled(*3, **4),
    "of a class": lambda x: type(Kept)("Sub", (Kept,), {}, **{"a": x}, a=x),
    "of a class statement": lambda x: sub_with_twice(x),
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


def of_a_function(x, y):
    return in_turn(**{"a": x}, b=y) + in_turn(1.0, c=y, **{"a": x * y}, b=x, **{"d": y}, e=2.0)


def of_a_method(x, y):
    class Model:
        def run(self, **words):
            return in_turn(**words, last=x)

    return Model().run(**{"a": y}, b=x * y) * Model().run(*[], **{"a": y}, b=x)


def of_an_object(x, y):
    made = SimpleNamespace(**{"a": x}, b=y)
    first, second = vars(made).values()
    return first * second**2


def of_a_dict(x, y):
    given = {"u": x}
    given.update(**{"a": x * y}, b=y)
    return in_turn(*given.values()) + in_turn(*dict({"u": x}, **{"a": y}, b=x * y).values())


def of_a_partial(x, y):
    return functools.partial(in_turn, **{"a": x}, b=y)(c=x * y, a=y)


def of_a_class(x, y):
    class Sub(Kept, **{"a": x}, b=y):
        pass

    return in_turn(**Sub.words)


def of_a_lambda(x, y):
    return (lambda **words: next(iter(words.values())))(**{"a": x * y}, b=y)


def of_what_a_later_one_changes(x, y):
    given = {"a": x}

    def change():
        given["z"] = y
        return x * y

    return in_turn(**given, b=change()) + in_turn(**given, c=y, **{"d": change()})


@pytest.mark.parametrize(
    "f",
    [
        of_a_function,
        of_a_method,
        of_an_object,
        of_a_dict,
        of_a_partial,
        of_a_class,
        of_a_lambda,
        of_what_a_later_one_changes,
    ],
)
def test_words_keep_the_order_of_the_text(f):
    assert value_and_grad(f)(1.5, 0.7)[0] == f(1.5, 0.7)
    check_gradient(f, 1.5, 0.7)


class Told:
    """A mapping that notes when it is asked."""

    def __init__(self, notes, given):
        self.notes, self.given = notes, given

    def keys(self):
        self.notes.append(self.notes[-1] * 1.5)
        return list(self.given)

    def __getitem__(self, key):
        self.notes.append(self.notes[-1] * 2.0 + 1.0)
        return self.given[key] * self.notes[-1]


def test_words_are_merged_before_what_follows_and_before_a_lone_star():
    def f(x, y):
        notes = [x]

        def note(k):
            notes.append(notes[-1] * 0.5 + k)
            return notes[-1]

        words = Told(notes, {"a": y})
        first = in_turn(**words, b=note(1.0)) + in_turn(*(note(k) for k in (2.0, 3.0)), **words)
        second = in_turn(note(4.0), *[y], **words, c=note(5.0), **{"d": note(6.0)})
        try:
            in_turn(b=note(7.0), **Told(notes, {"c": x, "b": y}), e=note(8.0))
        except TypeError:
            return first * second + in_turn(*notes)

    assert value_and_grad(f)(1.5, 0.7)[0] == f(1.5, 0.7)
    check_gradient(f, 1.5, 0.7)
