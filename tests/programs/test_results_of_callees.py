"""Callees that give tuples, lists, dicts and objects, from several returns and from within loops,
and callees that take ``**keywords``.
"""

import math

import pytest

from tests.compiler.forms import check_forms


def first_above(x, limit):
    for i in range(10):
        x = x * 1.5
        if x > limit:
            return x, i
    return x, -1


def a_tuple_from_a_loop(x, y):
    a, b = first_above(x, 5.0)
    return a * y * b


def tuples_from_a_loop_in_a_loop(x, y):
    t = 0.0
    for k in range(4):
        v, n = first_above(x + k * 0.1, 2.0 + y)
        t += v * n
    return t


def above_or_none(x, limit):
    for i in range(3):
        if x > limit:
            return x, i
        x = x * 1.4


def a_tuple_or_nothing(x, y):
    r = above_or_none(x, 1.0)
    return y if r is None else r[0] * y + r[1]


def first_pair(x, y):
    for i in range(3):
        for j in range(3):
            if i * x > j * y + 0.5:
                return i * x, j * y
    return x, y


def a_tuple_from_two_loops(x, y):
    a, b = first_pair(x, y)
    return a * x + b * y


def left_or_returned(x, y):
    for i in range(5):
        x = x * 1.3
        if x > 2:
            break
        if y > 2:
            return x, y, i
    return x * 2, y, 9


def a_tuple_from_a_loop_with_break(x, y):
    a, b, c = left_or_returned(x, y)
    return a * b + c * x


def grown_past_six(x, y):
    while x < 10:
        x = x * 1.7 + y
        if x > 6:
            return x, 1.0
    return x, 2.0


def a_tuple_from_a_while(x, y):
    a, b = grown_past_six(x, y)
    return a * b * y


def returned_or_else(x, y):
    for i in range(3):
        if x > 1.2:
            return x, y
    else:
        x = x * 5
    return x, y * 2


def a_tuple_from_a_loop_with_else(x, y):
    a, b = returned_or_else(x, y)
    return a * b


def squares_up_to_two(xs):
    out = []
    for v in xs:
        if v > 2:
            return out, v
        out.append(v * v)
    return out, 0.0


def a_list_that_a_loop_left(x, y):
    o, v = squares_up_to_two([x, y, x * y, 2.5])
    return sum(o) + v * x


def classified(x):
    if x < 0.5:
        return {"s": x, "w": 1.0}
    elif x < 1.0:
        return {"s": x * x, "w": 2.0}
    return {"s": math.sin(x), "w": x}


def a_dict_of_three_returns(x, y):
    d = classified(x)
    e = classified(y)
    return d["s"] * e["w"] + e["s"] * d["w"]


def listed(x, n):
    if n > 2:
        return [x, x * x, 1.0]
    return [x, 2.0 * x, n * x]


def lists_changed_by_the_caller(x, y):
    l = listed(x, 3)
    m = listed(y, 1)
    l[0] = m[1]
    return sum(l) * m[2]


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def sorted(self):
        if self.x > self.y:
            return self.x * 2.0, self.y
        return self.y, self.x


def made(x, y):
    if x > y:
        return Vector(x, y)
    return Vector(y, x * 2)


def objects_of_two_returns(x, y):
    v = made(x, y)
    w = made(y, x)
    a, b = v.sorted()
    return a * b + w.x * v.y


def square_if_large(x):
    if x > 1.0:
        return x * x, True
    return None, False


def none_beside_a_flag(x, y):
    v, ok = square_if_large(x)
    w, too = square_if_large(y)
    return (v * y if ok else y) + (w * x if too else x)


def powers_and_their_sum(x, n):
    if n == 0:
        return x, 1.0
    a, b = powers_and_their_sum(x * 0.9, n - 1)
    return a * x, b + a


def a_tuple_by_recursion(x, y):
    a, b = powers_and_their_sum(x, 4)
    return a * y + b


def in_order(x, y):
    r = (x, y)
    if x > y:
        r = (y, x)
    elif y > 3:
        return 0.0, y
    return r


def a_tuple_bound_first(x, y):
    a, b = in_order(x, y)
    c = in_order(y, x)
    return a * 2 + b * 3 + c[0] * c[1]


def one_pair_twice(x):
    p = (x, x * 2)
    return p, p


def a_tuple_of_one_tuple_twice(x, y):
    (a, b), q = one_pair_twice(x)
    return a * b * q[1] * y


def positive(x):
    if x < 0:
        raise ValueError(f"bad {x}")
    if x > 1:
        return x, 1
    return x * x, 0


def a_callee_that_may_raise(x, y):
    a, b = positive(x)
    c, d = positive(y)
    return a * c + b * d * x


def of_floats(x, y):
    if type(x) is float and type(y) is not int:
        return x * y
    return 0.0


def types_asked(x, y):
    return of_floats(x, y) + (x if type(x) is type(y) else 0.0)


def scaled(*args, **words):
    return args[0] * words.get("s", 1.0) + words.get("t", 0.0) * len(args)


def keywords_asked_with_defaults(x, y):
    return scaled(x, s=y) + scaled(x, y, t=x) + scaled(y)


def with_the_rest(x, *, f=2.0, **rest):
    return x * f + sum(rest.values())


def keywords_summed(x, y):
    return with_the_rest(x, f=y) + with_the_rest(y, g=x * y, h=x)


def by_place_alone(x, /, **rest):
    return x * rest["x"]


def a_keyword_named_as_a_parameter(x, y):
    return by_place_alone(x, x=y)


def doubling_a(**words):
    words["a"] = words["a"] * 2
    return words["a"] + words["b"]


def keywords_changed_in_the_callee(x, y):
    d = {"a": x, "b": y}
    return doubling_a(**d) + d["a"] + doubling_a(a=y, b=x)


FUSED = [
    a_tuple_from_a_loop,
    tuples_from_a_loop_in_a_loop,
    a_tuple_from_a_loop_with_else,
    a_list_that_a_loop_left,
    a_dict_of_three_returns,
    lists_changed_by_the_caller,
    objects_of_two_returns,
    none_beside_a_flag,
    a_tuple_of_one_tuple_twice,
    keywords_asked_with_defaults,
    a_keyword_named_as_a_parameter,
]
OTHERS = [
    a_callee_that_may_raise,
    types_asked,
    a_tuple_or_nothing,
    a_tuple_from_two_loops,
    a_tuple_from_a_loop_with_break,
    a_tuple_from_a_while,
    a_tuple_by_recursion,
    a_tuple_bound_first,
    keywords_summed,
    keywords_changed_in_the_callee,
]


@pytest.mark.parametrize("args", [(1.3, 0.7), (0.4, 2.1)])
@pytest.mark.parametrize("fn", FUSED + OTHERS, ids=lambda fn: fn.__name__)
def test_right(fn, args):
    check_forms(fn, *args)


@pytest.mark.parametrize("fn", FUSED, ids=lambda fn: fn.__name__)
def test_fused(fn):
    check_forms(fn, 1.3, 0.7, fused=True)
