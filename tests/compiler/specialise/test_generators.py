"""Generator functions gone through by one loop, which are written out in it; and those by hand, in
other calls or gone through twice, which are not.
"""

import pytest

from tests.compiler.forms import check_forms


def squares(xs):
    for x in xs:
        yield x * x


def geometric(a, r, n=4):
    for _ in range(n):
        yield a
        a = a * r


def smoothed(xs, rate):
    level = xs[0]
    for x in xs:
        level = level + rate * (x - level)
        yield level


def changes(xs):
    before = None
    for x in xs:
        if before is not None:
            yield x - before
        before = x


def three(a, b):
    yield a
    yield b * a
    yield a + b


def summed(x, y):
    t = 0.0
    for v in squares([x, y, x * y]):
        t += v
    return t


def a_generator_of_a_generator(x, y):
    t = 0.0
    for d in changes(smoothed([x, y, 1.0, x * y], 0.3)):
        t += d * d
    return t


def no_loop_in_the_generator(x, y):
    t = 1.0
    for v in three(x, y):
        t = t * v + y
    return t


def rounds_left_out(x, y):
    t = 0.0
    for v in squares([x, y, 0.5]):
        if v > 0.4:
            continue
        t += v * y
    return t


def left_by_break(x, y):
    t = 0.0
    for v in squares([x, y, 0.5, 3.0]):
        if v > 1:
            break
        t += v
    return t * x


def left_by_return(x, y):
    t = 0.0
    for v in squares([x, y, 0.5, 3.0]):
        if v > 1:
            return v * y
        t += v
    return t * x


def an_argument_bound_anew_in_the_loop(x, y):
    t = 0.0
    for v in geometric(x, y):
        x = x + v
        t = t + v * x
    return t


def an_argument_bound_anew_before_the_loop(x, y):
    g = geometric(x, y)
    x = x * 10
    t = 0.0
    for v in g:
        t += v * x
    return t


def made_anew_in_a_loop(x, y):
    t = 0.0
    for i in range(3):
        for v in geometric(x, y, n=i):
            t += v
    return t


def gone_through_twice(x, y):
    g = geometric(x, y)
    t = 0.0
    for v in g:
        t += v
    for v in g:
        t += 100
    return t


def begun_by_hand(x, y):
    g = geometric(x, y)
    a = next(g)
    t = 0.0
    for v in g:
        t += v * a
    return t


def halved(a):
    while True:
        yield a
        a = a * 0.5


def without_end(x, y):
    t = 0.0
    for v in halved(x):
        if v < 0.1:
            break
        t += v * y
    return t


def up_to(xs, limit):
    for x in xs:
        if x > limit:
            return
        yield x


def a_generator_that_returns(x, y):
    t = 0.0
    for v in up_to([x, y, 2.0, 0.1], 1.9):
        t += v
    return t


def a_loop_with_else(x, y):
    t = 0.0
    for v in geometric(x, y, 3):
        t += v
    else:
        t *= 2
    return t


def doubled(xs):
    for x in xs:
        for k in (1.0, 2.0):
            yield x * k


def from_two_loops(x, y):
    t = 0.0
    for v in doubled([x, y]):
        t += v * v
    return t


def two_loops_left_by_break(x, y):
    t = 0.0
    for v in doubled([x, y]):
        if v > 2:
            break
        t += v * v
    return t


def pairs(xs):
    for i, a in enumerate(xs):
        for b in xs[i + 1 :]:
            yield a, b


def tuples_unpacked(x, y):
    t = 0.0
    for a, b in pairs([x, y, 2.0]):
        t += a * b
    return t


def leaves(n, x):
    if n > 0:
        for v in leaves(n - 1, x * 0.5):
            yield v
        yield x


def by_recursion(x, y):
    t = 0.0
    for v in leaves(3, x):
        t = t * y + v
    return t


def two_zipped(x, y):
    t = 0.0
    for a, b in zip(squares([x, y]), geometric(x, y)):
        t += a * b
    return t


def given_to_builtins(x, y):
    return sum(squares([x, y])) + max(geometric(x, y))


def its_list_grows_in_the_loop(x, y):
    l = [x, y]
    t = 0.0
    for v in squares(l):
        if len(l) < 4:
            l.append(v)
        t += v
    return t


def comprehended(x, y):
    l = [v * 2 for v in geometric(x, y) if v > 0.3]
    return sum(l) + len(l) * x


def no_round_at_all(x, y):
    v = 5.0
    for v in geometric(x, y, 0):
        pass
    return v * x


def counted(n):
    i = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        yield i


def a_while_with_continue(x, y):
    t = 0.0
    for i in counted(5):
        t += x**i * y
    return t


def noting(seen, xs):
    for x in xs:
        seen.append(x)
        yield x * 2
    seen.append(0.0)


def a_list_that_both_see(x, y):
    seen = []
    t = 0.0
    for v in noting(seen, [x, y]):
        t += v * len(seen)
    return t + sum(seen) * len(seen)


def shifted(x, scale=2.0, *, by=0.5):
    for k in range(3):
        yield x * scale + by * k


def by_defaults_and_keywords(x, y):
    t = 0.0
    for v in shifted(x, by=y):
        t += v * v
    return t


FUSED = [
    summed,
    a_generator_of_a_generator,
    no_loop_in_the_generator,
    rounds_left_out,
    left_by_break,
    an_argument_bound_anew_before_the_loop,
    made_anew_in_a_loop,
    a_loop_with_else,
    from_two_loops,
    tuples_unpacked,
    comprehended,
    a_while_with_continue,
    by_defaults_and_keywords,
]
OTHERS = [
    an_argument_bound_anew_in_the_loop,
    no_round_at_all,
    left_by_return,
    gone_through_twice,
    begun_by_hand,
    without_end,
    a_generator_that_returns,
    two_loops_left_by_break,
    by_recursion,
    two_zipped,
    given_to_builtins,
    its_list_grows_in_the_loop,
    a_list_that_both_see,
]


@pytest.mark.parametrize("args", [(1.3, 0.7), (0.45, 2.1)])
@pytest.mark.parametrize("fn", FUSED + OTHERS, ids=lambda fn: fn.__name__)
def test_right(fn, args):
    check_forms(fn, *args)


@pytest.mark.parametrize("fn", FUSED, ids=lambda fn: fn.__name__)
def test_fused(fn):
    check_forms(fn, 1.3, 0.7, fused=True)
