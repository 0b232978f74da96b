"""Numbers that an exception carries out of code of the user's which compiled code calls."""

import bisect
import functools
import heapq
import json

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


class Raising:
    def __init__(self, x):
        self.x = x

    def fail(self, *_):
        raise ValueError("no", self.x * 3)

    __lt__ = __eq__ = __repr__ = __format__ = __hash__ = __index__ = fail


CALLS = {
    "sorted": lambda k: sorted([k, k]),
    "min": lambda k: min([k, k]),
    "sort": lambda k: [k, k].sort(),
    "heapify": lambda k: heapq.heapify([k, k]),
    "bisect": lambda k: bisect.bisect([k], k),
    "in a list": lambda k: 1 in [k],
    "hash": lambda k: hash(k),
    "key of a dict": lambda k: {k: 1},
    "in a set": lambda k: {k},
    "repr": lambda k: repr(k),
    "str": lambda k: str(k),
    "f-string": lambda k: f"{k}",
    "percent": lambda k: "%s" % k,
    "format": lambda k: "{}".format(k),
    "print": lambda k: print(k),
    "index": lambda k: [1.0][k],
    "range": lambda k: range(k),
    "cmp_to_key": lambda k: sorted([k, k], key=functools.cmp_to_key(lambda a, b: a.fail())),
    "json": lambda k: json.dumps({1: object()}, default=k.fail),
    "call of a method": lambda k: k.fail.__call__(3),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_right_or_refused(call):
    def f(x):
        try:
            call(Raising(x))
        except ValueError as error:
            return error.args[1] * x
        return 0.0

    assert f(1.5) == 6.75
    try:
        assert gradient(f, 1.5) == pytest.approx((9.0,))
    except Unsupported as refused:
        assert "exception" in str(refused) and "test_taped.py" in str(refused)


class OfLists(Raising):
    def __lt__(self, other):
        raise ValueError([self.x * 3])


class WithAttribute(Raising):
    def __lt__(self, other):
        error = ValueError("no")
        error.value = self.x * 2
        raise error


@pytest.mark.parametrize(
    ("kind", "read"), [(OfLists, lambda e: e.args[0][0]), (WithAttribute, lambda e: e.value)]
)
def test_in_a_list_or_an_attribute(kind, read):
    def f(x):
        try:
            sorted([kind(x), kind(x)])
        except ValueError as error:
            return read(error) * x
        return 0.0

    with pytest.raises(Unsupported, match="a number that an exception carried out"):
        gradient(f, 1.5)


class Itself(Raising):
    def __lt__(self, other):
        raise ValueError(self)


class WithoutNumbers(Raising):
    def __lt__(self, other):
        raise NotImplementedError("not ordered")


def the_object_itself(x):
    k = Itself(x)
    try:
        sorted([k, k])
    except ValueError as error:
        return min(error.args[0].x, k.x) * k.x
    return 0.0


def no_number(x):
    k = WithoutNumbers(x)
    try:
        sorted([k, k])
    except NotImplementedError:
        return k.x * x
    return 0.0


def by_an_operator(x):
    try:
        return Raising(x) == 3
    except ValueError as error:
        return error.args[1] * x / 3


@pytest.mark.parametrize(
    "f", [no_number, by_an_operator, the_object_itself], ids=lambda f: f.__name__
)
def test_right(f):
    assert gradient(f, 1.5) == pytest.approx((3.0,))


def low(v, w=2.0):
    if v > 0:
        raise ValueError("low", v * w)
    return v


def retried(f):
    @functools.wraps(f)
    def inner(*args, **keywords):
        for _ in range(3):
            try:
                return f(*args, **keywords)
            except ValueError as error:
                args = (args[0] - error.args[1] * 0.1, *args[1:])
        return args[0]

    return inner


def in_a_wrapper(x):
    return retried(low)(x) * retried(low)(x, w=x) * retried(low)(x, x * x)


def by_stars(x):
    try:
        return low(*[x], **{"w": x})
    except ValueError as error:
        return error.args[1] * x


def by_a_key(x):
    try:
        return max([x, 2 * x], key=low)
    except ValueError as error:
        return error.args[1] * x


@pytest.mark.parametrize("f", [in_a_wrapper, by_stars, by_a_key], ids=lambda f: f.__name__)
def test_arguments_that_lie_in_an_operand(f):
    check_gradient(f, 1.5)
