"""Lists that change while a loop goes through them, forwards, backwards and beside each other."""

import itertools

import numpy as np
import pytest

from tests.programs.everywhere import right_everywhere


def appended_behind(x):
    l = [x, x * 2, x * 3]
    s = 0.0
    for v in reversed(l):
        l.append(v * 2)
        s += v * len(l)
    return s + l[-1]


def popped_behind(x):
    l = [x, x * 2, x * 3, x * x]
    s = 0.0
    for v in reversed(l):
        s += v * len(l)
        if len(l) > 2:
            l.pop()
    return s


def written_behind(x):
    l = [x, x * 2, x * 3]
    s = 0.0
    for v in reversed(l):
        l[0] = l[0] * v
        s += v
    return s


def cleared(x):
    l = [x, x * 2, x * 3]
    s = 0.0
    for v in reversed(l):
        s += v
        l.clear()
    return s


def inserted_before(x):
    l = [x, x * 2, x * 3]
    s = 0.0
    for v in reversed(l):
        s = s * 1.1 + v
        if len(l) < 8:
            l.insert(0, v * 1.5)
    return s


def beside_itself_backwards(x):
    l = [x, x * 2, x * 3]
    s = 0.0
    for a, b in zip(l, reversed(l)):
        s += a * b
        if len(l) < 6:
            l.append(a + b)
    return s


def counted_while_it_grows(x):
    l = [x]
    s = 0.0
    for i, v in enumerate(l):
        s += v * i
        if i < 4:
            l.append(v * x)
    return s


def counted_backwards(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for i, v in enumerate(reversed(l)):
        s += v * (i + 1)
        l.append(v)
        l[0] = v * x
    return s


def beside_itself(x):
    l = [x, x * 2]
    s = 0.0
    for a, b in zip(l, l):
        s += a * b
        if len(l) < 5:
            l.append(a * x)
    return s


def mapped_while_it_grows(x):
    l = [x, x * 2]
    s = 0.0
    for a in map(lambda v: v * x, l):
        s += a
        if len(l) < 5:
            l.append(a)
    return s


def mapped_backwards(x):
    l = [x, x * 2]
    s = 0.0
    for a in map(lambda v: v * x, reversed(l)):
        s += a
        if len(l) < 5:
            l.append(a)
            l[0] = a * 2
    return s


def by_a_generator_expression(x):
    l = [x, 2 * x, 3 * x]

    def f(v):
        l.append(v)
        l[0] = v * x
        return v

    return sum((f(v) for v in reversed(l)))


def sliced_while_it_grows(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in itertools.islice(l, 1, None):
        s += v
        if len(l) < 6:
            l.append(v * x)
    return s


def in_pairs_while_it_grows(x):
    l = [x, 2 * x]
    s = 0.0
    for a, b in itertools.pairwise(l):
        s += a * b
        if len(l) < 6:
            l.append(b * x)
    return s


def chained_while_it_grows(x):
    l = [x, 2 * x]
    k = [3 * x]
    s = 0.0
    for a in itertools.chain(l, k):
        s += a
        if len(k) < 4:
            k.append(a * x)
    return s


def beside_a_range(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for i, v in zip(range(10), reversed(l)):
        s += v * i
        l.append(v * i)
    return s + l[-1]


def drawn_by_hand(x):
    l = [x, 2 * x, 3 * x]
    it = reversed(l)
    s = 0.0
    while True:
        v = next(it, None)
        if v is None:
            break
        l.insert(0, v)
        s += v * len(l)
        if len(l) > 7:
            break
    return s


def backwards_twice(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in reversed(l):
        for w in reversed(l):
            s += v * w
        l.pop()
    return s


def removed_behind(x):
    l = [x, 2 * x, 3 * x, 4 * x]
    s = 0.0
    for v in reversed(l):
        if v > 2.5 * x:
            l.remove(v)
        s += v
    return s * len(l)


def a_row_that_grows(x):
    r = [[x, 2 * x], [3 * x]]
    s = 0.0
    for v in reversed(r[0]):
        r[0].append(v * x)
        s += v * len(r[0])
    return s + r[0][-1]


def rows_that_grow(x):
    r = [[x, 2 * x], [3 * x]]
    s = 0.0
    for row in r:
        for v in reversed(row):
            row.append(v * x)
            s += v * len(row)
    return s + r[0][-1]


def appended_in_an_arm(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in reversed(l):
        if v > 2 * x:
            l.append(v * x)
        s += v * len(l)
    return s * l[-1]


def a_parameter_that_grows(x):

    def f(l):
        s = 0.0
        for v in reversed(l):
            l.append(v * 2)
            s += v * len(l)
        return s

    return f([x, 2 * x, 3 * x])


def appended_by_a_function(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0

    def add(v):
        l.append(v * 2)

    for v in reversed(l):
        add(v)
        s += v * len(l)
    return s


def appended_in_a_loop(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in reversed(l):
        for k in range(2):
            l.append(v * k)
        s += v * len(l)
    return s + l[-1]


def left_early(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in reversed(l):
        l.append(v * x)
        s += v * len(l)
        if len(l) > 4:
            break
    return s + l[-1]


def counted_in_pairs(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for i, (a, b) in enumerate(zip(reversed(l), l)):
        l.append(a * b * i)
        s += a * len(l)
        if i > 1:
            break
    return s + l[-1]


def into_another_list(x):
    l = [x, 2 * x, 3 * x]
    o = []
    s = 0.0
    for v in reversed(l):
        o.append(v * x)
    for w in reversed(o):
        s = s * 0.5 + w
    return s


def bound_anew_backwards(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in reversed(l):
        l = l + [v * x]
        s += v
    return s + l[-1] + l[3]


def bound_anew_beside_another(x):
    l = [x, 2 * x, 3 * x]
    k = [x, x, x]
    s = 0.0
    for v, w in zip(l, k):
        l = [w] + k
        k = k + [v]
        s += v * w
    return s + l[0] + k[-1]


def bound_to_another_list(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in l:
        l = [v * x, s]
        s += v
    return s + l[-1] * l[0]


def bound_anew_as_counted(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for i, v in enumerate(l):
        l = [v * i]
        s += v * v
    return s + l[0]


def bound_to_a_slice(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in reversed(l):
        l = l[1:]
        s += v * v
    return s


def grown_in_place(x):
    l = [x, 2 * x, 3 * x]
    s = 0.0
    for v in reversed(l):
        l += [v * x]
        s += v * v
    return s + l[-1]


def an_array_backwards(x):
    a = np.array([x, 2 * x, 3 * x])
    s = 0.0
    for v in reversed(a):
        s += v
        a[0] = v * x
    return s


def grown_before_it_is_drawn(x):
    l = [x, 2 * x, 3 * x]
    r = reversed(l)
    l[2] = x * x
    l.append(5.0)
    return sum(r)


WALKED = [
    appended_behind,
    popped_behind,
    written_behind,
    cleared,
    inserted_before,
    beside_itself_backwards,
    counted_while_it_grows,
    counted_backwards,
    beside_itself,
    mapped_while_it_grows,
    mapped_backwards,
    by_a_generator_expression,
    sliced_while_it_grows,
    in_pairs_while_it_grows,
    chained_while_it_grows,
    beside_a_range,
    drawn_by_hand,
    backwards_twice,
    removed_behind,
    a_row_that_grows,
    rows_that_grow,
    appended_in_an_arm,
    a_parameter_that_grows,
    appended_by_a_function,
    appended_in_a_loop,
    left_early,
    counted_in_pairs,
    into_another_list,
    bound_anew_backwards,
    bound_anew_beside_another,
    bound_to_another_list,
    bound_anew_as_counted,
    bound_to_a_slice,
    grown_in_place,
    an_array_backwards,
    grown_before_it_is_drawn,
]


@pytest.mark.parametrize("program", WALKED, ids=lambda program: program.__name__)
def test_lists_that_change_as_they_are_walked(program):
    right_everywhere(program, 1.3)
