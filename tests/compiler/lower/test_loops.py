"""for and while with break, continue, else."""

import pytest

from .loud import say


@pytest.mark.parametrize("stop", [0, 2, 9])
def test_for_with_break_continue_and_else(same, stop):
    def f(xs, stop):
        out = []
        for x in say(xs):
            if x == 1:
                continue
            if x == stop:
                break
            out.append(x)
        else:
            out.append("else")
        return out, x

    same(f, [1, 0, 2, 1, 3], stop)


@pytest.mark.parametrize("n", [0, 3, 6])
def test_while_with_break_continue_and_else(same, n):
    def f(n):
        out = []
        while say(n) > 0 and len(out) < 5:
            n -= 1
            if n == 2:
                continue
            if n == 4:
                break
            out.append(n)
        else:
            out.append("else")
        return out, n

    same(f, n)


def test_nested_loops_that_leave_at_several_places(same):
    def f(rows, stop):
        seen = []
        for row in rows:
            for x in row:
                if x == stop:
                    return "found", seen
                if x < 0:
                    break
                seen.append(x)
            else:
                seen.append("row")
                continue
            seen.append("broken")
        return seen

    rows = [[1, 2], [3, -1, 4], [5]]
    same(f, rows, 5)
    same(f, rows, 9)


def test_while_true(same):
    def f(x):
        while True:
            x += 1
            if x > 5:
                return x

    def g(x):
        while 1:
            x += 1
            if x > 5:
                break
        return x

    def h(x):
        while x:
            return x

    same(f, 1)
    same(g, 1)
    same(h, 0)
    same(h, 1)


def test_loop_target_of_every_form(same):
    def f(xs, d, o):
        for i, (a, *b) in enumerate(xs):
            d[i] = a, b
        for d["last"] in xs:
            pass
        for o[0], o[1] in xs:
            pass
        for x in x_list(xs):
            pass
        return d, o, x

    same(f, [(1, 2), (3, 4)], {}, [0, 0])


def x_list(xs):
    return [x[0] for x in xs]


def test_iterable_is_evaluated_once(same):
    def f(xs):
        for x in xs:
            xs = xs + [x]
            x = 0
        for xs in xs:
            pass
        return xs, x

    same(f, [1, 2])


def test_list_that_grows_while_it_is_walked(same):
    def f(xs):
        for x in xs:
            if len(xs) < 5:
                xs.append(x)
        return xs

    same(f, [1, 2])


def test_empty_loop_leaves_the_name_unbound(same):
    def f(xs):
        for x in xs:
            pass
        return x

    same(f, [])
    same(f, [1])


def test_half_consumed_iterator(same):
    def f(xs):
        it = iter(xs)
        for x in it:
            if x == 2:
                break
        return list(it)

    same(f, [1, 2, 3, 4])


def test_loop_variable_that_an_inner_function_captures(same):
    def f(xs):
        gs = []
        for x in xs:
            gs.append(lambda: x)
        for i, x in enumerate(xs):
            gs.append(lambda y=i: (x, y))
        return [g() for g in gs]

    same(f, [1, 2])


def test_comprehension_and_conditional_in_the_test_of_while(same):
    def f(xs):
        while any(x > 3 for x in xs) if xs else False:
            xs = [x - 1 for x in xs]
        return xs

    same(f, [1, 5])
    same(f, [])
