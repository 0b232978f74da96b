"""Assignments of every form and their order of evaluation.

import statements inside functions.
"""

from types import SimpleNamespace
from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function
from .loud import Loud, say

# ruff: noqa: F821, F842  names that must not be looked up


def test_chained_assignment_binds_from_left_to_right(same):
    def f(o, x):
        a = b = say(x)
        a = o[a] = o.b = b = say(a + 1)
        return a, b

    same(f, Loud("o"), 2)


def test_chained_assignment_that_unpacks_what_it_binds(same):
    def f(v):
        a = (a, b) = v
        (c, d) = c = v
        return a, b, c, d

    assert same(f, (1, 2)) == "(1, 2, (1, 2), 2)"


def test_swap_and_rotation(same):
    def f(a, b, c):
        a, b = b, a
        a, b, c = c, a, b
        [a, b] = (b, a)
        a, a = 1, 2
        return a, b, c

    same(f, 1, 2, 3)


def test_swap_of_elements(same):
    def f(xs, i):
        xs[i], xs[i + 1] = xs[i + 1], xs[i]
        i, xs[i] = 2, 9
        return xs, i

    same(f, [1, 2, 3], 0)


def test_display_with_attributes_and_names(same):
    def f(o, x):
        o.a, x = x, say(5)
        x, o.b = o, say(x)
        x, y = y, x = say(1), say(2)
        return x, y

    same(f, Loud("o"), 2)


def test_display_whose_later_part_reads_a_target(same):
    def f(x):
        y = 1
        x, y = x + 1, x * y
        a, b = [x for x in range(y)], x
        return x, y, a, b

    same(f, 3)


def test_starred_and_nested_targets(same):
    def f(v, w, o):
        a, *b = v
        *c, d = v
        (e, [f, *g]), h = w
        o.x, (o[say(1)], *o.rest) = w[0]
        for i, (j, *k) in [(1, (2, 3, 4))]:
            pass
        return a, b, c, d, e, f, g, h, i, j, k

    same(f, (1, 2, 3), ((1, (2, 3, 4)), 5), Loud("o"))


def test_unpacking_of_the_wrong_length(same):
    def f(v):
        a, b = v
        return a

    same(f, (1,))
    same(f, (1, 2, 3))
    same(f, 3)

    def g(v):
        a, *b, c = v
        return a

    same(g, (1,))


def test_unpacking_of_an_iterator_is_done_before_binding(same):
    def f(o, v):
        a, o.b, c = map(say, v)
        return a, c

    same(f, Loud("o"), [1, 2, 3])


def test_value_first_then_target(same):
    def f(o):
        say(o)[say(1)] = say(2)
        say(o).a = say(3)

    same(f, Loud("o"))


def test_augmented_assignment(same):
    def f(o, x, xs):
        x += say(1)
        x -= 2
        x *= 3
        x **= 2
        x /= 4
        x //= 1
        x %= 7
        o += say(x)
        say(o)[say(1)] += say(2)
        say(o).a += say(3)
        o[1 : say(2), ...] += 1
        ys = xs
        xs += [1]
        return x, xs, ys, xs is ys

    same(f, Loud("o"), 2, [0])


def test_augmented_assignment_with_walrus(same):
    def f(x, xs):
        x += (x := 5) + x
        xs[(i := 1)] += (i := 2) + i
        xs[i] += (i := 0)
        xs[i] += (xs := [7])[0] + i
        return x, xs, i

    same(f, 1, [1, 2, 3])


def test_bitwise_augmented_assignment(same):
    def f(x, y):
        x <<= y
        x >>= 1
        x |= 8
        x &= 12
        x ^= y
        return x

    same(f, 3, 2)


def test_annotated_assignment_does_not_evaluate_the_annotation(same):
    def f(x, o):
        y: no_such_type = x + 1
        z: no_such_type
        o.a: no_such_type = say(3)
        (w): int = 5
        return y, w

    same(f, 1, Loud("o"))


def test_deletion(same):
    def f(o, x, xs):
        y = x
        del x
        del o.a, o[1], (o.b, o[2:3])
        del xs[0], y
        x = 3
        return x, xs

    same(f, Loud("o"), 1, [1, 2])


def test_reading_a_deleted_name_raises(same):
    def f(x):
        del x
        return x

    same(f, 1)


def test_display_needs_no_temporaries_where_nothing_is_read_later():
    def f(a, b):
        x, y = a * b, a + b
        return x

    assert show(lower_function(f)) == "x = a * b\ny = a + b\nreturn x"


def test_attribute_of_a_namespace_is_changed_in_place(same):
    def f(o):
        o.x *= 2.0
        o.y = o.x = o.x + 1
        return o.x, o.y

    assert same(f, SimpleNamespace(x=2.0)) == "(5.0, 5.0)"


def test_annotations_of_attributes_and_items_without_a_value(same):
    def f(o, d):
        o.x: float
        d["a"]: float
        say(o).y: float
        o.x = d["a"] = 2.0
        return o.x

    def say(o):
        print("asked")
        return o

    same(f, SimpleNamespace(), {})


# ruff: noqa: F401, I001  the imports are what is tested


def test_imports_of_every_form(same):
    def f(x):
        import math
        import os.path
        import os.path as p
        import xml.dom.minidom as m
        from math import cos, sin as s
        from collections import abc

        return math.pi, os.sep, p.join("a", "b"), m.__name__, cos(x), s(x), abc.__name__

    same(f, 0.5)


def test_missing_module(same):
    def f():
        import no_such_module

    same(f)


def test_import_into_a_captured_name(same):
    def f(x):
        import math
        from math import sin

        return (lambda: math.cos(x) + sin(x))()

    same(f, 0.5)
