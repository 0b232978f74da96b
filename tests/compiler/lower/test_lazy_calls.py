"""enumerate, zip, map, filter of a generator expression."""

import pytest

from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function

from .loud import say, told


def test_enumerate(same):
    def f(xs):
        for i, y in enumerate(say(x) for x in told(xs)):
            i += 5
            say((i, y))
        for pair in enumerate((say(x) for x in told(xs) if x > 1), start=2):
            say(pair)
        return list(enumerate((say(x) for x in xs), 7))

    same(f, [1, 2, 3])


@pytest.mark.parametrize("strict", [False, True])
def test_zip_draws_the_others_first(same, strict):
    def f(xs, ys, strict):
        for a, b, y in zip(told(xs, "a"), xs, (say(x) for x in told(ys)), strict=strict):
            say((a, b, y))
        return dict(zip("ab", (say(x) for x in told(xs))))

    same(f, [1, 2, 3], [4, 5, 6], strict)
    same(f, [1, 2, 3], [4], strict)
    same(f, [1], [4, 5, 6], False)


def test_map_and_filter(same):
    def f(xs, g):
        for y in map(say, (x + 1 for x in told(xs))):
            say(("body", y))
        for y in filter(None, (say(x) for x in told(xs))):
            if y == 2:
                break
            say(("body", y))
        for g in map(g, filter(lambda v: say(v) != 1, (x for x in told(xs)))):
            say(("body", g))
        return [*map(say, (x for x in xs))]

    same(f, [0, 1, 2, 3], lambda v: v * 2)


def test_a_function_called_map_that_is_not_the_builtin_is_not_written_out():
    def f(xs, map):
        return sum(map(abs, (x for x in xs)))

    assert "iterator(xs)" in show(lower_function(f))


@pytest.mark.parametrize(
    "case",
    [
        lambda xs: list(zip((x for x in xs), xs)),
        lambda xs: list(zip(xs, (x for x in xs if x))),
        lambda xs: list(map(max, (x for x in xs), xs)),
        lambda xs, n: list(enumerate((x for x in xs if x), n)),
        lambda xs: zip(xs, (x for x in xs)),
    ],
)
def test_what_cannot_be_written_out_in_order_is_a_generator(case):
    assert "function(('<genexpr>', 0, 0))" in show(lower_function(case))


@pytest.mark.parametrize(
    "case",
    [
        lambda xs: list(enumerate(x for x in xs if x)),
        lambda xs: [*map(abs, (x for x in xs for _ in x))],
        lambda xs: list(filter(None, (x for x in (y for y in xs)))),
        lambda xs: list(enumerate(map(abs, (x for x in xs)))),
        lambda xs: list(zip(xs, (x for x in xs))),
    ],
)
def test_what_can_be_written_out_is_no_generator(case):
    assert "function(" not in show(lower_function(case))


def test_numbers_are_counted_in_a_name():
    def f(xs):
        return [i * y for i, y in enumerate(x * x for x in xs)]

    assert show(lower_function(f)) == (
        "t_1 = -1\n"
        "t_2 = []\n"
        "for x in xs:\n"
        "    t_3 = x * x\n"
        "    t_1 = t_1 + 1\n"
        "    i = t_1\n"
        "    y = t_3\n"
        "    t_4 = i * y\n"
        "    list_append(t_2, t_4)\n"
        "return t_2"
    )


def test_what_was_taken_for_granted_is_noted():
    def f(xs):
        return sum(map(abs, (x for x in xs))), any(x for x in xs), len(xs)

    assert lower_function(f).assumed == ("map", "any")
