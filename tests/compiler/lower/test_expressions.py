"""Operators, displays, subscripts, attributes, walrus, f-strings."""

# ruff: noqa: F541, F601, F821  oddities a user may write all the same

from types import SimpleNamespace

import pytest

from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function

from .loud import Loud, say


def test_every_binary_operator(same):
    def f(a, b):
        return (
            a + b,
            a - b,
            a * b,
            a / b,
            a // b,
            a % b,
            a**b,
            a << b,
            a >> b,
            a & b,
            a | b,
            a ^ b,
        )

    assert same(f, 7, 2) == "(9, 5, 14, 3.5, 3, 1, 49, 28, 1, 2, 7, 5)"
    same(f, 7, 0)
    same(f, 7.5, 2)


def test_matrix_product(same):
    class M:
        def __matmul__(self, other):
            return 5

        def __deepcopy__(self, memo):
            return self

    def f(a):
        return a @ a

    assert same(f, M()) == "5"


def test_unary_operators_and_negative_literals(same):
    def f(x):
        return (
            -x,
            +x,
            ~x,
            not x,
            -2.0,
            -(2),
            -1j,
            -0.0,
            -True,
            +2.0,
            ~3,
            not 2.0,
            2**-1,
            -(2.0**x),
            (-2.0) ** x,
        )

    same(f, 3)


def test_every_comparison(same):
    def f(a, b, c):
        return a < b, a <= b, a > b, a >= b, a == b, a != b, a is b, a is not b, a in c, a not in c

    same(f, 1, 2, [1, 3])


def test_order_of_operands_of_in(same):
    def f(x, xs):
        return say(x) in say(xs), say(x) not in say(xs)

    same(f, 1, [1])


def test_nested_arithmetic_runs_left_to_right(same):
    def f(x):
        return say(1) + say(2) * (say(3) - x) ** say(2)

    same(f, 2)


def test_displays(same):
    def f(a, b):
        return [a, b], (a,), (), {a, b}, {a: b, "k": [a, *b]}, [*b, *b], (*b, a), {*b}

    same(f, 1, (2, 3))
    same(f, 1, [2])


def test_dict_display_with_merges(same):
    def f(d, x):
        return {"a": say(1), **d, say("b"): say(2), **{"c": x}, "a": 3}

    same(f, {"a": 0, "z": 5}, 4)


def test_star_is_iterated_before_what_follows_changes_it(same):
    def f(xs):
        return [*xs, xs.pop()], (*xs, xs.pop(), *xs)

    assert same(f, [1, 2, 3, 4]) == "([1, 2, 3, 4, 4], (1, 2, 3, 3, 1, 2))"


def test_subscripts_of_every_form(same):
    def f(a, i):
        return a[i], a[-1], a[1:], a[:i], a[::2], a[1:3:2], a[:], a[i - 1]

    same(f, [1, 2, 3, 4], 2)


def test_tuple_subscripts(same):
    def f(o, i, rest):
        return o[1, 2], o[1:, i], o[:, None], o[..., 1:2], o[0:1,], o[*rest, 1:2], o[*rest], o[()]

    same(f, Loud("o"), 3, (4, 5))


def test_attributes(same):
    def f(o):
        return o.a.b + o.c

    same(f, Loud("o"))
    same(f, 3)


def test_walrus_does_not_change_an_operand_taken_before(same):
    def f(x):
        y = x + (x := 5) * x
        z = [x, (x := x + 1), x, (x := 2)]
        return x, y, z, (x, (x := 9))[0] - x

    assert same(f, 3) == "(2, 28, [5, 6, 6, 2], -7)"


def test_walrus_in_calls_and_subscripts(same):
    def f(o, i):
        o.m(i, (i := 2), i)
        o[i : (i := 3)]
        o(i, k=(i := 4), j=i)
        (o := o.p)[i] = (i := 7)
        return o, i

    same(f, Loud("o"), 1)


def test_walrus_in_a_condition(same):
    def f(xs):
        out = []
        while (n := len(xs)) > 1:
            out.append(n)
            xs.pop()
        if (last := xs[0]) and (last := last + 1):
            out.append(last)
        return out, n

    same(f, [1, 2, 3])


def test_walrus_of_the_object_of_a_method(same):
    def f(o):
        return o.m((o := 3)), o

    same(f, Loud("o"))


def test_f_strings(same):
    def f(x, w, o):
        return (
            f"",
            f"plain",
            f"{x}",
            f"a{x!r:>8}b{{}}{x!s}{x!a}",
            f"{x:{w}.{say(2)}f}|{say(x):{say(w)}}",
            f"{x=}, {x + 1 = :.2f}",
            f"{o:abc}{o}",
            f"concat{x}ed",
            f"tab\t\\text{'nested'}{f'{x}'}",
        )

    same(f, 1.5, 10, Loud("o"))


def test_constants(same):
    def f():
        return 1, 1.5, 2j, "s", b"b", True, None, ..., 10**30, 1e400, __debug__

    same(f)


def test_global_is_read_each_time_live(same):
    def f():
        return __name__, len, say

    same(f)


def test_unbound_local_and_unknown_global(same):
    def f(x):
        if x:
            y = 1
        return y

    def g():
        return no_such_name

    same(f, 0)
    same(f, 1)
    same(g)


@pytest.mark.parametrize("x", [0, 1])
def test_expression_statements_keep_their_effects(same, x):
    def f(o, x):
        o.a
        o[1]
        o + 1
        say(x)
        x
        "text"
        o.a if x else o.b
        o and o.c
        [say(i) for i in range(2)]
        (x := say(3))
        return x

    same(f, Loud("o"), x)


def test_result_not_used_has_no_target():
    def f(o, x):
        o.append(x)

    assert show(lower_function(f)) == "o.append(x)\nreturn None"


def test_results_are_bound_straight_to_the_names_of_the_user():
    def f(a, b):
        y = a * b + 1.0
        return y

    assert show(lower_function(f)) == "t_1 = a * b\ny = t_1 + 1.0\nreturn y"


def test_fresh_names_meet_no_name_of_the_user():
    def f(a):
        t_1 = a
        return t_1 + t_1 * a.t_2

    assert (
        show(lower_function(f))
        == "t_1 = a\nt_3 = a.t_2\nt_4 = t_1 * t_3\nt_5 = t_1 + t_4\nreturn t_5"
    )


def test_lines_are_those_of_the_file():
    def f(a):
        b = (
            a +
            a * 2
        )  # fmt: skip
        return b

    first = f.__code__.co_firstlineno
    assert [node.line - first for node in lower_function(f).body] == [3, 2, 5]


def test_attribute_of_a_namespace_is_written():
    def f(o, v):
        o.x = v
        return o.x

    o = SimpleNamespace(x=0)
    assert show(lower_function(f)) == "o.x = v\nt_1 = o.x\nreturn t_1"
