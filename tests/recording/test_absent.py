"""What a run did not find may be there later: names, attributes of functions; and what a partial
holds may be another.
"""

import builtins
import functools

import pytest

from .recorded_runs import agree, opaque, recorded

pytestmark = pytest.mark.order_matters


def rate_or_square(x):
    try:
        return NOT_YET * opaque(x)
    except NameError:
        return x * opaque(x)


def in_a_callee(x):
    return rate_or_square(x) + 1.0


def helper(x):
    return opaque(x)


class Tool:
    def use(self, x):
        return opaque(x)

    @staticmethod
    def plain(x):
        return opaque(x)


TOOL = Tool()


def by_hasattr(x):
    return 5 * helper(x) if hasattr(helper, "fast") else x * helper(x)


def by_a_default(x):
    return helper(x) * x * getattr(helper, "fast", 1.0)


def by_an_exception(x):
    try:
        return helper(x) * helper.fast
    except AttributeError:
        return helper(x) * x


def of_a_bound_method(x):
    return 5 * helper(x) if hasattr(TOOL.use, "fast") else x * helper(x)


def of_a_static_method(x):
    return 5 * helper(x) if hasattr(Tool.plain, "fast") else x * helper(x)


def of_several(x):
    total = 0.0
    for fn in (helper, Tool.plain):
        total = total + fn(x) * x * getattr(fn, "fast", 1.0)
    return total


@pytest.mark.parametrize("f", [rate_or_square, in_a_callee])
@pytest.mark.parametrize("space", [globals(), vars(builtins)], ids=["a global", "a builtin"])
def test_a_name_that_is_bound_later(f, space, monkeypatch):
    recorded(f, 2.0)
    before = agree(f, 2.0)
    monkeypatch.setitem(space, "NOT_YET", 7.0)
    assert agree(f, 2.0) != before
    monkeypatch.delitem(space, "NOT_YET")
    assert agree(f, 2.0) == before


@pytest.mark.parametrize(
    ("f", "fn"),
    [
        (by_hasattr, helper),
        (by_a_default, helper),
        (by_an_exception, helper),
        (of_a_bound_method, Tool.use),
        (of_a_static_method, Tool.plain),
        (of_several, helper),
    ],
)
def test_an_attribute_that_a_function_has_later(f, fn, monkeypatch):
    recorded(f, 2.0)
    before = agree(f, 2.0)
    monkeypatch.setattr(fn, "fast", 3.0, raising=False)
    assert agree(f, 2.0) != before
    monkeypatch.delattr(fn, "fast")
    assert agree(f, 2.0) == before


def base(x, c, b=1.0):
    return c * opaque(x) ** 2 * b


PART = functools.partial(base, c=3.0)
TABLE = {"part": functools.partial(base, c=2.0)}
TWICE = functools.partial(PART, b=2.0)


def a_partial(x):
    return PART(x)


def one_in_a_dict(x):
    return TABLE["part"](x) * x


def one_of_one(x):
    return TWICE(x)


def mapped(x):
    return sum(map(PART, [x, 2 * x]))


def an_argument(x, part):
    return part(x) * x


@pytest.mark.parametrize(
    ("f", "part"),
    [(a_partial, PART), (one_in_a_dict, TABLE["part"]), (one_of_one, TWICE), (mapped, PART)],
)
def test_keywords_of_a_partial_that_change_in_place(f, part):
    kept = dict(part.keywords)
    recorded(f, 2.0)
    before = agree(f, 2.0)
    part.keywords["b"] = 5.0
    try:
        assert agree(f, 2.0) != before
    finally:
        part.keywords.clear()
        part.keywords.update(kept)
    assert agree(f, 2.0) == before


def test_a_partial_that_is_filled_anew():
    part = functools.partial(base, c=3.0)

    def f(x):
        return part(x) * x

    recorded(f, 2.0)
    before = agree(f, 2.0)
    part.__setstate__((base, (), {"c": 4.0}, None))
    assert agree(f, 2.0) != before


def test_a_partial_as_an_argument():
    for c in (3.0, 3.0, 3.0, 4.0):
        part = functools.partial(base, c=c)
        agree(an_argument, 2.0, part, wanted=(0,))
        part.keywords["c"] = 9.0
        agree(an_argument, 2.0, part, wanted=(0,))
