"""Statements and expressions of every kind, in functions that are differentiated."""

import math
import types

import numpy as np
import pytest

from tests.conformance.harness import conforms

COUNTER = [0]
SCALE = 2.0


# --- operators


def operators_of_numbers(x, y):
    a = x + y - x * y / (x + 2.0)
    b = (a**2) % 0.7 + a // 0.3
    c = +a - -b
    return c * (x**y) + y**3


def operators_of_integers(x):
    n = (6 << 2) >> 1
    m = (n & 10) | (n ^ 5)
    return x ** (~m % 4) * m + (7 // 2) * x % 5


def operators_in_place(x):
    a, n = x, 13
    a += x
    a -= 0.3
    a *= x
    a /= 1.7
    a **= 2
    a %= 10.0
    n //= 2
    n <<= 2
    n >>= 1
    n |= 16
    n ^= 3
    n &= 29
    a //= 1e9
    return a + x * n


def matrix_products(a, v):
    w = a @ v
    b = a.copy()
    b @= a
    return (b @ w) @ v


def in_place_on_subscripts_and_attributes(x):
    box = types.SimpleNamespace(n=[x, 2.0], m={"k": x})
    box.n[0] *= x
    box.n[-1] -= box.n[0]
    box.m["k"] **= 3
    box.n += [x]
    return box.n[0] * box.n[1] + box.m["k"] * len(box.n)


def in_place_evaluates_its_target_once(x):
    asked = []

    def at(k):
        asked.append(k)
        return k

    values = [x, x * 2]
    values[at(1)] += values[at(0)] * at(3)
    return values[1] * len(asked) + sum(asked) * x


def comparisons_in_a_chain(x, y):
    asked = []

    def note(v):
        asked.append(v)
        return v

    total = 0.0
    if 0 < note(x) < note(y) <= 5 != 3:
        total += x * y
    if x > note(y) > note(0.0):
        total += 100.0
    if x is not y is not None:
        total += x
    if 2 in (1, 2) not in ([True],) and 3 not in {1: 2}:
        total *= y
    return total * len(asked)


def comparison_gives_the_deciding_value(a):
    mask = (a > 0.6) & ~(a == 1.5) | (a >= 1.5)
    return (a * mask).sum() + (a < 1).sum() * a[0]


def and_or_give_operands(x, y):
    a = x and y
    b = 0.0 or x * y
    c = (x > y and x) or y * 2
    d = None or [] or {} or x
    return a * b + c * d


def and_or_stop_early(x):
    asked = []

    def ask(v, answer):
        asked.append(v)
        return answer

    ask(x, False) and ask(x * 10, True)
    ask(x * 2, True) or ask(x * 20, True)
    y = ask(x, 0) or ask(x * 3, x) and ask(x * 4, x * x)
    return y * sum(asked)


def conditional_expressions(x, y):
    a = x if x > y else y if y > 2 else x * y
    b = (x if y else y)(0) if callable(x) else x
    return a * b + [x, y][x < y]


def not_and_truth(x):
    box = []
    if not box:
        box.append(x)
    if not not x:
        box.append(not x)
    return box[0] * x + (not box) + box[1]


# --- literals, displays, subscripts


def literals_of_every_kind(x):
    texts = (
        "ab",
        b"ab",
        r"\n",
        """c
d""",
        ...,
    )
    numbers = 0x10, 0o17, 0b11, 1_000, 1e-1, 0.5, 2j, True, None
    return x * sum(n.imag if isinstance(n, complex) else n or 0 for n in numbers) + len(texts)


def dict_displays(x):
    base = {"a": x, "b": 1.0}
    more = {"z": 0.0, **base, "b": x * x, **{"c": base["a"] * 3}, 1: 2.0}
    other = {**more}
    other["a"] = 5.0
    return more["a"] * more["b"] * more["c"] + other["a"] * list(more)[0].count("z")


def set_displays(x):
    numbers = {1, 2, *[2, 3], *range(3)}
    return x ** len(numbers) * sum(numbers)


def subscripts_and_slices(x, y):
    a = [x, y, x * y, 1.0, x]
    b = a[::-1]
    a[0:1] = [b[0] * 2, b[1]]
    a[::2] = [a[1], a[3], a[5]]
    del a[1:2]
    return a[0] * a[-1] + sum(b[:2]) * a[1:3][0] + sum(a[-2:][::-1])


def array_subscripts(a):
    m = a.reshape(2, 3)
    m = m * 1.0
    m[:, 1] = m[0, ::2].sum()
    m[..., 0] += m[None, 1, 2]
    k = 1
    m[k:, -1:] *= m[[0, 1], [1, 0]].sum()
    return (m[1] @ m[0]) + m[m > 1].sum()


def tuple_and_slice_objects_as_keys(x):
    table = {(1, 2): x, slice(1, 2).stop: x * x}
    class_ = Grid
    grid = class_()
    grid[1:2, ..., ::3] = x
    return table[1, 2] * table[2] + grid[1:2, ..., ::3] * x


class Grid:
    def __init__(self):
        self.items = {}

    def __setitem__(self, key, value):
        self.items[repr(key)] = value * 2

    def __getitem__(self, key):
        return self.items[repr(key)]


# --- assignments


def assigned_to_several(x):
    a = b = c = [x]
    b.append(x * 2)
    d = e = x * x
    e = e + 1
    return a[0] * c[1] * d * e


def assigned_from_left_to_right(x):
    order = []

    def box(k):
        order.append(k)
        return values

    values = [0.0, 0.0]
    box(1)[0], box(2)[1] = box(3), x
    values[0] = x * 3
    i = 0
    i, values[i] = 1, x * 7
    return values[1] * values[0] * len(order) + order[0]


def swapped(x, y):
    x, y = y, x * y
    x, y = y + x, x
    a = [x, y]
    a[0], a[1] = a[1], a[0] * 2
    return a[0] * a[0] * a[1]


def unpacked_deeply(x):
    (a, [b, (c, *d)]), e = (x, [x * 2, (x * 3, x, 4.0)]), x * x
    [f] = (g,) = [a * b]
    return c * d[0] * d[1] * e * f + g


def unpacked_from_all_kinds(x):
    a, b = {x: 1, x * 2: 2}
    c, d = {"k": x, "l": 3.0}.values()
    (e, f), *_ = {"m": x}.items()
    g, h = np.array([x, x * x])
    i, j = (v * x for v in (1.0, 2.0))
    k, l = map(math.sqrt, (x, 4.0))
    return a * b * c * d + f * g * h + i * j + k * l


def annotated_assignments(x):
    a: float = x * 2
    b: "undefined_name"  # noqa: F821
    (c): float = a * x
    box = types.SimpleNamespace()
    box.v: int = c
    table: dict[str, float] = {}
    table["k"]: float = box.v * x
    b = table["k"]
    return a * b + c


def deleted(x):
    a = [x, x * 2, x * 3]
    b = {"k": x, "l": x * x}
    box = types.SimpleNamespace(v=x, w=2.0)
    c = d = x * 5
    del a[0], b["k"], box.v, (c)
    del [a[-1:]]
    try:
        return c  # noqa: F821
    except UnboundLocalError:
        return a[0] * b["l"] * box.w * d * len(a) * hasattr(box, "w")


def deleted_while_a_function_holds_it(x):
    y = x * x

    def add(z):
        return y + z  # noqa: F821

    total = add(x)
    del y
    try:
        add(1.0)
    except NameError as e:
        return total * len(e.args)


def deleted_and_bound_again(x):
    y = x * 2
    z = y * x
    del y
    for k in range(2):
        y = z * (k + 1)
    del k
    return y * z


def walrus_everywhere(x):
    if (n := x * 2) > 1 and (m := n * x):
        y = n * m
    while (y := y * 0.5) > 0.2:
        n = y
    values = [last := v * x for v in (1.0, 2.0, 3.0)]
    total = sum(z := w * 2 for w in values)
    f = (lambda t: (u := t * t) + u)(n)
    return total * last + z * f + (p := x) * p


def walrus_before_and_after_its_name_is_read(x):
    y = x
    a = y + (y := y * 2) + y
    b = [y, (y := y + 1), y]
    return a * b[0] * b[1] * b[2]


# --- loops


def for_else_and_break(x):
    total = x
    for limit in (3, 10):
        for k in range(5):
            if k == limit:
                break
            total = total * 1.1 + x
        else:
            total = total * x
            continue
        total = total + 7 * x
    return total


def while_else_and_break(x):
    y, n = x, 0
    while n < 6:
        n += 1
        m = 0
        while m < n:
            m += 1
            if m == 3:
                break
            y = y + x * m
        else:
            y = y * x
    return y


def break_in_the_else_of_a_while(x):
    y = x
    for n in range(3):
        while y < n:
            y = y * x + 1
        else:
            y = y + x
            if n == 1:
                break
    return y


def continue_in_the_else_of_a_while(x):
    y = x
    for n in range(4):
        m = 0
        while m < n:
            m += 1
            y = y + m * x
            if m == 3:
                break
        else:
            y = y * x
            if n % 2:
                continue
            y = y + 1.0
        y = y * 1.1
    return y


def loop_targets_of_every_form(x):
    box = types.SimpleNamespace()
    values = [0.0, 0.0]
    total = 0.0
    for box.v in (x, x * 2):
        total += box.v
    for values[1] in (x, 3.0):
        total *= values[1]
    for i, (a, *b) in enumerate([(x, 1.0), (2.0, x, x)]):
        total += a * sum(b) * (i + 1)
    for [k, v] in {"p": x, "q": x * x}.items():
        total += v * len(k)
    return total * box.v * values[1]


def loop_variable_after_the_loop(x):
    for v in (x, x * 2, x * 3):
        if v > x:
            break
    y = v
    for _ in ():
        y = 0.0
    for k in range(3):
        pass
    return y * v + k * x


def loop_over_a_list_that_grows(x):
    values = [x]
    for v in values:
        if len(values) < 4:
            values.append(v * x)
    return sum(values) * len(values)


def loop_that_rebinds_what_it_walks(x):
    values = [x, 2.0]
    for v in values:
        values = [v * w for w in values]
    return sum(values)


def endless_loop_with_return(x):
    def inner(y):
        while True:
            y = y * 0.6
            if y < 0.1:
                return y
            elif y < 0.2:
                continue

    return inner(x) * x


def loop_over_keys_items_zip_reversed(x):
    table = {"a": x, "b": x * 2}
    total = 0.0
    for key in table:
        total += table[key]
    for (k, v), w in zip(table.items(), reversed([x, 3.0])):
        total = total * w + v * len(k)
    for k, c in enumerate("ab", start=1):
        total += table[c] * k
    return total


# --- functions inside functions


def decorators_inside(x):
    book = []

    def noted(name):
        def wrap(fn):
            book.append(name)
            return lambda *args: fn(*args) * len(name)

        return wrap

    def twice(fn):
        book.append("twice")
        return lambda v: fn(fn(v))

    @noted("outer")
    @twice
    @noted("in")
    def f(v):
        return v * x

    return f(x) * len(book)


def signature_of_every_kind(x):
    def f(a, b=x * 2, /, c=3.0, *rest, d, e=x * x, **more):
        return a * b + c * sum(rest) + d * e * more.get("z", 1.0) + len(more)

    return f(x, d=x) + f(x, 2.0, 4.0, x, 6.0, d=1.0, e=x, z=x, y=2) + f(x, c=x, d=2.0)


def defaults_are_evaluated_once(x):
    y = x

    def f(v, seen=[]):
        seen.append(v * y)
        return sum(seen)

    a = f(1.0)
    y = 10.0
    return a * f(2.0) + f(0.0)


def annotations_inside(x):
    asked = []

    def note(v):
        asked.append(v)
        return float

    def f(a: note(x), *b: note(2), c: "nothing" = 1.0, **d: note(x)) -> note(x * x):  # noqa: F821
        local: note(100) = a * a
        return local * c

    return f(x) * len(asked) + asked[0] * asked[-1]


def lambdas_of_every_kind(x):
    fs = [lambda: x, lambda a, *b: a * sum(b), lambda *, k=x: k * 2, lambda **d: d["q"] * x]
    g = (lambda n: lambda v: v**n)(3)
    return fs[0]() + fs[1](x, 2.0, x) + fs[2]() * fs[2](k=3.0) + fs[3](q=g(x))


def nonlocal_writes(x):
    total, count = x, 0

    def add(v):
        nonlocal total, count
        count += 1
        total = total * v

        def deeper():
            nonlocal count
            count += 10

        deeper()
        del v

    add(x)
    add(3.0)
    return total * count


def recursion_inside(x):
    def power(v, n):
        return v * power(v, n - 1) if n else 1.0

    return power(x, 3) + power(2.0, 2) * x


def generators_inside(x):
    def powers(v, n):
        for _ in range(n):
            sent = yield v
            v = v * (x if sent is None else sent)
        return v * 2

    it = powers(x, 3)
    total = next(it) + it.send(3.0)
    return total * sum(it) + sum(powers(x, 2))


# --- imports, globals, and what does nothing


def imports_inside(x):
    import math as m
    import os.path
    from collections import OrderedDict as Ordered
    from collections import abc
    from math import cos
    from math import sin as s

    table = Ordered(a=m.sin(x))
    return table["a"] * cos(x) + s(x) * len(os.path.join("a", "b")) * isinstance([], abc.Sized)


def star_import_is_for_modules_only(x):
    import math

    import numpy.linalg as la

    return la.norm(np.array([x, math.pi]))


def reads_globals_and_writes_into_them(x):
    global SCALE
    COUNTER[0] += 1
    COUNTER.append(x)
    return x * SCALE * COUNTER[-1]


def nothing_at_all(x):
    """Its docstring."""
    pass
    ...
    x
    "text"
    3
    if x > 100:
        pass
    return x * x


def dead_code(x):
    if False:
        yield_ = undefined_name  # noqa: F821
    while 0:
        x = 0.0
    return x * x
    x = 3.0


def debug_is_a_constant(x):
    if __debug__:
        x = x * 2
    return x * x


# --- text


def f_strings(x):
    width, n = 8, 3
    text = f"{x:.3f}|{n!r:>{width}}|{'ab'!s}|{{}}|{n=}|{x * 0 + 1:{width}.{n - 1}f}|{[1, 2][0]!a}"
    assert_text = f"{text!r}{'-' * 3}tail"
    return x * len(text) + assert_text.count("-") * x * x


def f_string_of_an_object_with_format(x):
    class_ = Unit
    text = f"{class_(2.0):kg} {class_(3.0)!r}"
    return x * len(text)


class Unit:
    def __init__(self, value):
        self.value = value

    def __format__(self, spec):
        return f"{self.value}{spec}"


def percent_and_method_formats(x):
    a = "%d-%s" % (3, "b")
    b = "{0:{1}}|{k!r}".format(3, 5, k=a)
    return x * len(a + b)


# --- yield from


def value_of_yield_from(xs):
    def inner(values):
        total = 1.0
        for v in values:
            total = total * v
            yield v * v
        return total

    def outer(values):
        product = yield from inner(values)
        yield product
        yield (yield from inner(values[:1])) * values[1]

    return sum(outer(xs))


def yield_from_sends_and_throws(x):
    def inner():
        y = x
        while True:
            try:
                sent = yield y
            except ValueError as e:
                y = y + e.args[0]
            else:
                if sent is None:
                    return y * 2
                y = y * sent

    def outer():
        got = yield from inner()
        yield got * x

    it = outer()
    total = next(it)
    total += it.send(x + 1)
    total += it.throw(ValueError(x * 3))
    return total * next(it)


def yield_from_all_kinds(x):
    def values():
        yield from [x, 2.0]
        yield from (x * 3,)
        yield from {"a": x}.values()
        yield from [v * x for v in (1.0, 2.0)]
        yield from map(math.sqrt, [x])
        yield from np.array([x, 1.0])
        got = yield from ()
        yield x if got is None else 0.0

    total = 1.0
    for v in values():
        total = total * v + x
    return total


def yield_from_closes_the_inner_one(x):
    book = [x]

    def inner():
        try:
            yield x * 2
            yield 100.0
        finally:
            book[0] = book[0] * x

    def outer():
        try:
            yield from inner()
        finally:
            book.append(book[0] + x)

    it = outer()
    y = next(it)
    it.close()
    return y * book[0] * book[1]


VECTOR = np.array([1.5, 0.5])
MATRIX = np.array([[1.5, 0.5], [0.2, 0.9]])
ONE = [
    operators_of_integers, operators_in_place, in_place_on_subscripts_and_attributes,
    in_place_evaluates_its_target_once, and_or_stop_early, not_and_truth,
    literals_of_every_kind, dict_displays, set_displays, tuple_and_slice_objects_as_keys,
    assigned_to_several, assigned_from_left_to_right, unpacked_deeply, unpacked_from_all_kinds,
    annotated_assignments, deleted, deleted_while_a_function_holds_it, deleted_and_bound_again,
    walrus_everywhere, walrus_before_and_after_its_name_is_read, for_else_and_break,
    while_else_and_break, break_in_the_else_of_a_while, continue_in_the_else_of_a_while,
    loop_targets_of_every_form, loop_variable_after_the_loop, loop_over_a_list_that_grows,
    loop_that_rebinds_what_it_walks, endless_loop_with_return,
    loop_over_keys_items_zip_reversed, decorators_inside, signature_of_every_kind,
    defaults_are_evaluated_once, annotations_inside, lambdas_of_every_kind, nonlocal_writes,
    recursion_inside, generators_inside, imports_inside, star_import_is_for_modules_only,
    reads_globals_and_writes_into_them, nothing_at_all, dead_code, debug_is_a_constant, f_strings,
    f_string_of_an_object_with_format, percent_and_method_formats, yield_from_sends_and_throws,
    yield_from_all_kinds, yield_from_closes_the_inner_one,
]  # fmt: skip
PROGRAMS = [(f, (0.7,)) for f in ONE]
PROGRAMS += [
    (operators_of_numbers, (0.7, 1.3)),
    (matrix_products, (MATRIX, VECTOR)),
    (comparisons_in_a_chain, (0.7, 1.3)),
    (comparison_gives_the_deciding_value, (VECTOR,)),
    (and_or_give_operands, (0.7, 1.3)),
    (conditional_expressions, (0.7, 1.3)),
    (subscripts_and_slices, (1.2, 0.7)),
    (array_subscripts, (np.linspace(0.5, 2.0, 6),)),
    (swapped, (0.7, 1.3)),
    (value_of_yield_from, ([0.7, 1.3],)),
]


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_program(program, args):
    conforms(program, *args)
