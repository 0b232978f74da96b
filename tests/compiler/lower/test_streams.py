"""Generator expressions drawn where they are written: the order in which things happen.

enumerate, zip, map, filter of a generator expression.
"""

import pytest

from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function

from .loud import say, told


def test_body_of_a_for_statement_runs_between_two_items(same):
    def f(xs):
        for y in (say(x) for x in told(xs) if x != 2):
            say(("body", y))

    same(f, [1, 2, 3])


@pytest.mark.parametrize("last", [1, 2, 9])
def test_break_continue_and_else(same, last):
    def f(xs, last):
        for y in (say(x) for x in told(xs)):
            if y == last:
                break
            if y == 2:
                continue
            say(("body", y))
        else:
            say("else")
        return y

    same(f, [1, 2, 3], last)
    same(f, [], last)


@pytest.mark.parametrize("last", [1, 2, 9])
def test_break_leaves_all_loops_of_the_expression(same, last):
    def f(xs, last):
        for y, z in (say((x, w)) for x in told(xs) if x > 1 for w in told([x, 1]) for _ in "ab"):
            if z == last:
                break
            if z == 3:
                continue
            say("body")
        else:
            say("else")

    same(f, [1, 2, 3], last)


def test_break_of_an_inner_loop_stays_there(same):
    def f(xs):
        for y in (x for x in xs):
            for z in (u for u in told([y, y + 1]) for _ in "a"):
                if z == 3:
                    break
            else:
                say("inner")
            say((y, z))

    same(f, [1, 2, 3])


def test_expressions_on_expressions(same):
    def f(xs):
        for y in (say(x + 1) for x in (say(z * 2) for z in told(xs)) if x != 4):
            say(("body", y))
        for a in (x + z for x in (p * q for p in xs for q in xs) for z in xs):
            say(a)
        return [w + y for w in xs for y in (say(x + w) for x in told(xs))]

    same(f, [1, 2, 3])


def test_body_may_use_the_names_of_the_expression(same):
    def f(xs):
        for y in (x + z for x in xs for z in xs):
            w = [x for x in (z for z in (1, 2))]
            say((y, w))
        for x in (x + 1 for x in xs):
            x = say(x) * 10
        for xs in (x for x in xs):
            say(xs)
        return x, xs

    same(f, [1, 2])


def test_body_changes_what_the_expression_reads(same):
    def f(xs, a):
        for y in (x + a for x in xs):
            a = say(y)
            if len(xs) < 5:
                xs.append(a)
        for a in (a + u for u in xs):
            say(a)
        return xs

    same(f, [1, 2], 1)


def test_functions_made_in_the_expression_see_its_variable(same):
    def f(xs):
        fs = []
        for g in (lambda: x for x in xs):
            fs.append(g)
            say(g())
        return [g() for g in fs], tuple(g() for g in (lambda: x for x in xs))

    same(f, [1, 2, 3])


def test_targets_of_every_form(same):
    def f(o, d, xs):
        for o.a, d["k"] in ((x, x) for x in xs):
            say(d)
        for (a, *b), c in (([x, x + 1, x], x) for x in xs):
            say((a, b, c))
        for a, *b in enumerate(x for x in xs):
            say((a, b))
        for *a, b, c in zip(xs, (x for x in xs)):
            say((a, b, c))

    from .loud import Loud

    same(f, Loud("o"), {}, [1, 2])


@pytest.mark.parametrize(
    "f",
    [
        lambda xs: [a + b + c for a, b, c in enumerate(x for x in xs)],
        lambda xs: [a for (a,) in zip(xs, (x for x in xs))],
        lambda xs: [a for a, *_, b, c in enumerate(x for x in xs)],
    ],
)
def test_more_or_fewer_targets_than_there_are_values(same, f):
    assert "ValueError" in same(f, [1, 2])


def test_first_iterable_is_asked_at_once(same):
    def f(x):
        return list(y for y in x)

    same(f, 3)

    def g(xs):
        return sum(1 / x for x in xs)

    same(g, [1, 0])


def test_a_walrus_changes_neither_iterable_nor_result(same):
    def f(xs):
        return sum((x for x in xs), (xs := 3)), xs, sum((v := x) for x in (1, 2)), v

    same(f, [1, 2])


def test_a_loop_over_one_expression_is_one_loop():
    def f(xs, total):
        for y in (x * x for x in xs):
            total = total + y

    assert show(lower_function(f)).startswith(
        "for x in xs:\n    y = x * x\n    total = total + y\n"
    )


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
