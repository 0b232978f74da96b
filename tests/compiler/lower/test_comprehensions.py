"""Comprehensions: results, scopes, captured variables, order."""

from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function
from astad.testing import check_gradient

from .loud import say


def test_list_set_and_dict(same):
    def f(xs):
        return (
            [x * 2 for x in xs],
            {x % 2 for x in xs},
            {x: say(x + 1) for x in xs if x > 1 if x < 4},
        )

    same(f, [1, 2, 3, 4])


def test_nested_loops_and_conditions(same):
    def f(xs):
        return [(x, y) for x in say(xs) if say(x) for y in range(say(x)) if y != 1]

    same(f, [0, 1, 3])


def test_comprehension_in_a_comprehension(same):
    def f(rows):
        total = [[x + len(row) for x in row] for row in rows]
        flat = [x for row in [[x for x in row] for row in rows] for x in row]
        return total, flat

    same(f, [[1], [2, 3], []])


def test_variables_do_not_leak_and_do_not_overwrite(same):
    def f(x, xs):
        y = [x for x in xs]
        x = [x for x in xs if x]
        z = [x for _ in [0] for x in x]
        return x, y, z

    same(f, 7, [0, 1, 2])


def test_result_named_like_something_read_inside(same):
    def f(xs):
        y = [1]
        y = [x + y[0] for x in xs]
        y = {k: y for k in y}
        return y

    same(f, [1, 2])


def test_unpacking_targets(same):
    def f(pairs):
        return [a * b for a, b in pairs], {k: v for k, (v, *_) in zip("ab", pairs)}

    same(f, [(1, 2), (3, 4)])


def test_target_that_is_a_subscript(same):
    def f(xs, d):
        return [d["x"] for d["x"] in xs], d

    same(f, [1, 2], {})


def test_walrus_binds_in_the_function(same):
    def f(xs):
        total = 0
        sums = [total := total + x for x in xs]
        last = [[(best := y) for y in range(x)] for x in xs]
        return sums, total, best, last

    same(f, [1, 2, 3])


def test_walrus_into_a_captured_name(same):
    def f(xs):
        last = None
        get = lambda: last
        out = [(last := x, get()) for x in xs]
        return out, get()

    same(f, [1, 2])


def test_lambdas_share_the_variable_of_one_comprehension(same):
    def f(xs, a):
        gs = [lambda y: (x, y, a) for x in xs]
        hs = [[lambda: (i, j) for j in range(2)] for i in range(2)]
        ks = [lambda x=x: x for x in xs]
        return [g(1) for g in gs], [h() for row in hs for h in row], [k() for k in ks]

    same(f, [1, 2], 5)


def test_captured_variable_next_to_an_equal_name_outside(same):
    def f(x, xs):
        outer = lambda: x
        gs = [lambda: x for x in xs]
        x = 9
        return outer(), [g() for g in gs]

    assert same(f, 1, [2, 3]) == "(9, [3, 3])"


def test_first_iterable_belongs_to_the_scope_around(same):
    def f(x):
        return [x for x in x], [(x, y) for x in x for y in [x]]

    same(f, [1, 2])


def test_errors_inside(same):
    def f(xs):
        return [1 / x for x in xs]

    same(f, [1, 0])
    same(f, 3)


def test_a_name_used_nowhere_else_keeps_its_spelling():
    def f(xs):
        ys = [i * 2 for i in xs]
        return sum(i for i in ys)

    assert show(lower_function(f)) == (
        "ys = []\n"
        "for i in xs:\n"
        "    t_1 = i * 2\n"
        "    list_append(ys, t_1)\n"
        "t_2 = global sum\n"
        "t_3 = []\n"
        "for i in ys:\n"
        "    value_append(t_3, i)\n"
        "t_4 = t_2(t_3)\n"
        "return t_4"
    )


def test_a_lazy_call_of_another_beside_a_list():
    def f(xs, ys):
        s = 0.0
        for y, (i, x) in zip(ys, enumerate(x * x for x in xs)):
            s = s + y * x * (i + 1)
        for y, z in zip(ys, map(abs, (-x for x in xs))):
            s = s + y * z
        return s

    check_gradient(f, [1.0, 2.0], [3.0, 4.0])
