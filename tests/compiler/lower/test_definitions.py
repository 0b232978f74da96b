"""Inner functions, captured variables, decorators, defaults.

What Python itself puts into the namespace of a class that a function makes.
"""

import sys

from astad import gradient, pullback
from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function

from .loud import say


def test_inner_function_reads_what_is_bound_later(same):
    def f(x):
        def g(y):
            return x * y + z

        z = 1
        a = g(2)
        z = 10
        x = 5
        return a, g(2)

    same(f, 3)


def test_nonlocal_writes_are_seen(same):
    def f(n):
        total = 0

        def add(v):
            nonlocal total
            total += v

        for i in range(n):
            add(i)
            total *= 2
        return total

    same(f, 4)


def test_the_function_is_a_closure_itself(same):
    def make(k):
        count = 0

        def f(x):
            nonlocal count
            count = count + 1
            g = lambda: k * x + count
            count += 1
            return g(), k, count

        return f

    def g(x):
        f = make(x)
        return f(1), f(2)

    same(g, 3)
    f = make(3)
    program = lower_function(f)
    assert program.free == (("count", "count_cell"), ("k", "k_cell"))
    assert show(program).startswith(
        "x_cell = cell_new(x)\nt_1 = cell_get(count_cell, 'count')\n"
        "t_2 = t_1 + 1\ncell_set(count_cell, t_2)\n"
    )


def test_defaults_are_evaluated_once_in_order(same):
    def f(a):
        def g(x, y=say(a), *rest, z=say(2), w, **more):
            return x, y, rest, z, w, more

        h = lambda x=say(3), *, y=say(4): (x, y)
        return g(1, w=5), g(1, 2, 3, w=4, q=5), h(), h(1, y=2)

    same(f, 1)


def test_decorators_apply_from_the_inside_out(same):
    def f(a):
        def mark(name):
            say(name)
            return lambda g: lambda x: (say(name), g(x))

        @mark("outer")
        @mark("inner")
        def g(x, y=say("default")):
            return x + a

        return g(1)

    same(f, 2)


def test_several_lambdas_on_one_line(same):
    def f(a, b):
        gs = [lambda x: x + a, lambda x: x + b, lambda x: x + a]
        h = lambda y=lambda: a: y()
        return [g(1) for g in gs], h(), (lambda: (lambda: a)())()

    same(f, 1, 2)


def test_recursion_and_functions_of_one_name(same):
    def f(n, flag):
        def fact(n):
            return 1 if n < 2 else n * fact(n - 1)

        if flag:

            def g():
                return 1
        else:

            def g():
                return 2

        return fact(n), g()

    same(f, 5, True)
    same(f, 5, False)


def test_captured_names_bound_in_every_way(same):
    def f(v, o):
        get = lambda: (a, b, c, d, e, i, m)
        a = b = 1
        (c, *d) = v
        a += 1
        for i in v:
            pass
        import math as m

        if (e := len(v)) > 1:
            b, a = a, b

        def i():
            return a

        return get()[:5], get()[5](), m.pi

    same(f, [1, 2, 3], None)


def test_captured_parameters_of_every_kind(same):
    def f(a, /, b, *c, d=4, **e):
        a = a + 1
        return (lambda: (a, b, c, d, e))()

    same(f, 1, 2, 3, d=5, z=6)


def test_unbound_captured_name(same):
    def f(x):
        g = lambda: y
        if x:
            y = 1
        return y

    assert "UnboundLocalError" in same(f, 0)
    same(f, 1)


def test_unbound_name_of_the_function_around(same):
    def make(x):
        def f():
            return y

        if x:
            y = 1
        return f

    assert "'NameError'" in same(make(0))
    same(make(1))


def test_what_is_known_of_an_inner_function():
    from astad import gradient

    seen = []

    def f(x):
        def scaled(y: float, *, by: float = 2.0) -> float:
            """Twice as much."""
            return y * by

        seen.append((scaled.__doc__, scaled.__module__, scaled.__qualname__, scaled.__kwdefaults__))
        return scaled(x)

    assert gradient(f, 3.0) == (2.0,)
    f(3.0)
    assert seen[0] == seen[1]


def test_inner_generator_and_class_attribute_access(same):
    def f(xs):
        def g():
            yield from xs
            yield len(xs)

        return list(g()), sum(g())

    same(f, [1, 2])


def test_inner_function_in_dead_code(same):
    def f(x):
        if 0:
            g = lambda: x
        while 0:
            g = lambda: x
        return x if 1 else lambda: x

    same(f, 1)


def test_name_used_by_comprehensions_only_is_no_cell():
    def f(a, xs):
        return [a * x for x in xs]

    assert "cell" not in show(lower_function(f))


def test_annotations_are_there_where_the_text_has_some():
    def f(x):
        class Point:
            if x > 0.0:
                left: float = x * 3.0
            right: float

        class Empty:
            if x < 0.0:
                left: float

        return Point.left, sorted(Point.__annotations__), "__annotations__" in vars(Empty)

    value, back = pullback(f, 1.5)
    assert value == f(1.5)
    assert back((2.0, None, None)) == (6.0,)


def test_attributes_that_methods_write_are_listed_from_313_on():
    def f(x):
        class Walk:
            def __init__(self):
                self.here = x

            def on(self, other):
                self.there = other.way = self.here * 2.0
                return self.there

        return Walk, getattr(Walk, "__static_attributes__", None)

    (_, listed), _ = pullback(f, 1.5)
    assert listed == f(1.5)[1]
    assert listed == (("here", "there") if sys.version_info >= (3, 13) else None)

    def g(x):
        walk = f(x)[0]()
        return walk.on(walk) * x

    assert gradient(g, 1.5) == (6.0,)


def test_a_docstring():
    def f(x):
        class Point:
            """A point.

            It has a weight.
            """

            weight = x

        return Point.weight * x if Point.__doc__.startswith("A point.\n") else x

    assert gradient(f, 1.5) == (3.0,)
