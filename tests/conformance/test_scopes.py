"""Scopes: comprehensions, closures, classes and functions inside functions."""

import dataclasses
import enum
import functools

import numpy as np
import pytest

from tests.conformance.harness import conforms, raises

NAME = 3.0


# --- comprehensions


def variables_of_a_comprehension_stay_inside(x):
    v, k = x * 5, 7.0
    values = [v * k for k, v in enumerate((x, x * 2))]
    table = {k: v for k, v in zip("ab", values)}
    others = {k for k in range(3)}
    return v * k * table["b"] + len(others)


def first_iterable_is_evaluated_outside(x):
    v = [x, x * 2]
    v = [v * 2 for v in v]
    v = [[u * w for w in v] for u, v in [(v[1], v)]]
    return sum(v[0]) * len(v)


def nested_clauses_and_conditions(x):
    pairs = [
        a * b + c for a in (x, x * 2) if a < 10 for b in (a, 3.0) if b > a if b < 5 for c in [a * b]
    ]
    return sum(pairs) * len(pairs)


def comprehension_in_comprehension(x):
    rows = [[x * i * j for j in range(i + 1)] for i in range(3)]
    columns = {j: [row[j] for row in rows if len(row) > j] for j in range(3)}
    return sum(sum(c) * (j + 1) for j, c in columns.items())


def comprehension_in_the_condition_and_the_iterable(x):
    values = [v for v in [w * x for w in (1.0, 2.0)] if all([v > u for u in (0.1, 0.2)])]
    return sum(values) * len([0 for v in values if [v]])


def lambdas_in_a_comprehension_see_the_last_value(x):
    fs = [lambda t: t * k * x for k in (1.0, 2.0, 3.0)]
    gs = [lambda t, k=k: t * k * x for k in (1.0, 2.0, 3.0)]
    return fs[0](x) + gs[0](x) * gs[2](2.0)


def captured_both_inside_and_outside(x):
    k = x

    def outer():
        return k * x

    fs = [lambda: k * 2 for k in (x * 3, x * 4)]
    return outer() * fs[0]() + [k for k in (k, 2.0)][0]


def closures_over_a_loop_variable(x):
    fs = []
    for k in (1.0, x, 3.0):
        fs.append(lambda v: v * k)
    k = x * 5
    return sum(f(x) for f in fs)


def set_and_dict_comprehensions_with_active_items(x):
    table = {round(v, 3): v * x for v in (x, x * 2, x)}
    items = {v for v in (x, x, x * 2)}
    return sum(table.values()) + sum(items) * len(table)


def later_keys_win(x):
    table = {k % 2: x * k for k in range(4)}
    return table[0] * table[1]


def order_of_key_and_value(x):
    book = []

    def note(v):
        book.append(v)
        return v

    table = {note(k): note(k * x) for k in (1, 2)}
    return sum(b * (i + 1) for i, b in enumerate(book)) + table[2]


def starred_targets_in_a_comprehension(x):
    return sum(a * sum(rest) for a, *rest in [(x, 1.0, x), (2.0, x)])


def walrus_out_of_a_comprehension(x):
    seen = 0.0
    values = [seen := seen + v * x for v in (1.0, 2.0, 3.0)]
    ok = any((hit := v) > 2 * x for v in values)
    return seen * hit * ok + sum(values)


# --- functions


def free_variable_bound_after_the_function(x):
    def f():
        return late * x

    late = x * 2
    a = f()
    late = x * 3
    return a * f()


def free_variable_never_bound(x):
    def f():
        return late

    if x > 100:
        late = x
    return f()


def two_functions_share_a_variable(x):
    def make():
        value = x

        def get():
            return value

        def put(v):
            nonlocal value
            value = v * value

        return get, put

    get, put = make()
    other, _ = make()
    put(3.0)
    put(x)
    return get() * other()


def function_attributes(x):
    def f(v):
        f.calls += 1
        return v * f.scale

    f.calls = 0
    f.scale = x
    return f(x) * f(2.0) * f.calls


def argument_captured_and_rebound(x):
    def f():
        return x * 2

    a = f()
    x = x * x
    return a * f()


def a_name_that_hides_a_builtin(x):
    def sum(values):
        return values[0] * 2

    max = x
    return sum([max, 100.0]) * min(max, 5.0)


def three_levels_of_closures(x):
    def one(a):
        def two(b):
            def three(c):
                return a * b * c * x

            return three

        return two

    return one(x)(2.0)(x) + one(1.0)(x)(3.0)


def partial_and_wraps(x):
    def twice(f):
        @functools.wraps(f)
        def wrapped(*args, **keywords):
            return f(*args, **keywords) * 2

        return wrapped

    @twice
    def scale(v, by=1.0):
        """Scale."""
        return v * by * x

    return functools.partial(scale, by=x)(3.0) * len(scale.__name__)


# --- classes


def class_with_methods(x):
    class Counter:
        step = 2.0

        def __init__(self, start):
            self.value = start

        def go(self, by):
            self.value = self.value * by + self.step
            return self

    c = Counter(x).go(x).go(3.0)
    c.step = x
    return c.go(1.0).value


def class_that_captures(x):
    factor = x * 2

    class Scaled:
        weight = factor * 3

        def of(self, v):
            return v * factor * self.weight

    before = Scaled().of(x)
    factor = 1.0
    return before * Scaled().of(2.0)


def class_body_is_code(x):
    class Table:
        total = 0.0
        values = []
        for k in range(3):
            total = total + x * k
            values.append(total)
        if total > 1:
            kind = "large"
        else:
            kind = "small"
        del k
        doubled = [v * 2 for v in values]

    return Table.total * Table.doubled[1] * len(Table.kind) * (not hasattr(Table, "k"))


def class_scope_is_not_seen_by_methods(x):
    value = x

    class Holder:
        value = 100.0
        seen = value

        def get(self):
            return value * self.value

    return Holder().get() * Holder.seen


def class_with_bases_and_keywords(x):
    class Base:
        def __init_subclass__(cls, by=1.0, **more):
            super().__init_subclass__(**more)
            cls.by = by

        def value(self):
            return x

    class Middle(Base, by=x * 3):
        def value(self):
            return super().value() * self.by

    class Last(Middle, by=2.0):
        def value(self):
            return super(Last, self).value() + __class__.by

    return Last().value() * Middle().value()


def class_with_a_metaclass(x):
    class Meta(type):
        def __new__(mcs, name, bases, space, scale):
            made = super().__new__(mcs, name, bases, space)
            made.scale = scale
            return made

        def __init__(cls, name, bases, space, scale):
            super().__init__(name, bases, space)

    class Made(metaclass=Meta, scale=x):
        def of(self, v):
            return v * self.scale

    return Made().of(x) * len(type(Made).__name__)


def class_with_a_decorator(x):
    def with_area(cls):
        cls.area = lambda self: self.w * self.h
        return cls

    @with_area
    @dataclasses.dataclass
    class Box:
        w: float
        h: float = 2.0
        tags: list = dataclasses.field(default_factory=list)

    return Box(x).area() * Box(x, x * 3).area() + len(Box(1.0).tags)


def class_with_properties_and_static_methods(x):
    class Temperature:
        def __init__(self, c):
            self._c = c

        @property
        def f(self):
            return self._c * 1.8 + 32

        @f.setter
        def f(self, value):
            self._c = (value - 32) / 1.8

        @staticmethod
        def double(v):
            return v * 2

        @classmethod
        def of(cls, v):
            return cls(v * x)

    t = Temperature.of(3.0)
    t.f = t.f * x
    return Temperature.double(t._c) * t.f


def class_with_slots_and_mangling(x):
    class Point:
        __slots__ = ("__hidden", "x")

        def __init__(self, v):
            self.x = v
            self.__hidden = v * x

        def get(self):
            return self.__hidden * self.x

    return Point(x).get() + Point(2.0)._Point__hidden


def enum_and_named_tuple_inside(x):
    import typing

    class Unit(enum.Enum):
        M = 1.0
        KM = 1000.0

    class Length(typing.NamedTuple):
        value: float
        unit: Unit = Unit.M

        def metres(self):
            return self.value * self.unit.value

    return Length(x).metres() * Length(x * 2, Unit.KM).metres()


def class_of_an_exception(x):
    class Found(Exception):
        def __init__(self, value):
            super().__init__(value)
            self.value = value * x

    try:
        raise Found(x * 2)
    except Found as e:
        return e.value * e.args[0]


def classes_made_in_a_loop(x):
    made = []
    for k in (1.0, x, 3.0):

        class Each:
            scale = k * x

            def of(self, v):
                return v * self.scale + k

        made.append(Each())
    return sum(each.of(x) for each in made)


def class_in_a_class_in_a_function(x):
    class Outer:
        class Inner:
            value = x * x

            def get(self):
                return self.value * x

        inner = Inner()

        def get(self):
            return self.inner.get() * self.Inner.value

    return Outer().get()


def class_with_nonlocal_and_global(x):
    count = x

    class Writes:
        nonlocal count
        count = count * 3
        global NAME
        held = NAME * x

    return count * Writes.held


def class_that_reads_a_variable_under_its_private_name(x):
    _Scaled__by = x * x

    class Scaled:
        twice = __by * 2  # noqa: F821
        tables = {__by + 1: __by}  # noqa: F821

        def of(self, y):
            nonlocal __by
            __by = __by * y  # noqa: F821
            return __by + self.twice

    _Scaled__by = _Scaled__by + 1.0
    return Scaled().of(x) * _Scaled__by * max(Scaled.tables) * max(Scaled.tables.values())


def class_attributes_written_later(x):
    class Shared:
        total = x

    a, b = Shared(), Shared()
    Shared.total = Shared.total * x
    a.total += 1.0
    return a.total * b.total * Shared.total


def class_that_raises_half_way(x):
    book = []
    try:

        class Broken:
            book.append(x * 2)
            value = book[0] * x
            book.append(value)
            1 / 0
    except ZeroDivisionError:
        return book[0] * book[1]


def class_with_annotations(x):
    class Fields:
        a: float
        b: float = x
        "A docstring of sorts."

    return Fields.b * len(Fields.__annotations__) * len(Fields.__qualname__)


ONE = [
    variables_of_a_comprehension_stay_inside, first_iterable_is_evaluated_outside,
    nested_clauses_and_conditions, comprehension_in_comprehension,
    comprehension_in_the_condition_and_the_iterable,
    lambdas_in_a_comprehension_see_the_last_value, captured_both_inside_and_outside,
    closures_over_a_loop_variable, set_and_dict_comprehensions_with_active_items, later_keys_win,
    order_of_key_and_value, starred_targets_in_a_comprehension, walrus_out_of_a_comprehension,
    free_variable_bound_after_the_function, two_functions_share_a_variable, function_attributes,
    argument_captured_and_rebound, a_name_that_hides_a_builtin, three_levels_of_closures,
    partial_and_wraps, class_with_methods, class_that_captures, class_body_is_code,
    class_scope_is_not_seen_by_methods, class_with_bases_and_keywords, class_with_a_metaclass,
    class_with_a_decorator, class_with_properties_and_static_methods,
    class_with_slots_and_mangling, enum_and_named_tuple_inside, class_of_an_exception,
    classes_made_in_a_loop, class_in_a_class_in_a_function, class_with_nonlocal_and_global,
    class_that_reads_a_variable_under_its_private_name,
    class_attributes_written_later, class_that_raises_half_way, class_with_annotations,
]  # fmt: skip
PROGRAMS = [(f, (0.7,)) for f in ONE]


@pytest.mark.parametrize("program", ONE)
def test_program(program):
    conforms(program, 0.7)


@pytest.mark.parametrize("program", [free_variable_never_bound])
def test_exception(program):
    raises(program, 0.7)


class Length:
    def __init__(self, metres):
        self.metres = metres

    def __mul__(self, other):
        return Length(self.metres * getattr(other, "metres", other))

    __rmul__ = __mul__


def scalar_of_numpy_times_an_object(a, x):
    """NumPy hands the number on to the object's own method, as one of Python's."""
    made = a[1] * Length(x)
    made *= a[0]
    return (a[0] * made * a[1]).metres


def array_times_an_object(a, x):
    return (a * Length(x))[0].metres


def empty_lists_are_asked(x):
    seen = []
    total = x * isinstance(seen, list) + sum(seen) + len(seen)
    return total * x + max(seen, default=x) * any(seen)


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (scalar_of_numpy_times_an_object, (np.array([0.7, 1.3]), 0.4)),
        (array_times_an_object, (np.array([0.7, 1.3]), 0.4)),
        (empty_lists_are_asked, (0.7,)),
    ],
)
def test_found_by_random_programs(program, args):
    conforms(program, *args)
