import math
import operator
import weakref
from fractions import Fraction
from operator import add, getitem, mul

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.runtime.language import build_list
from astad.testing import check_gradient
from tests.programs.everywhere import right_everywhere


def test_sums_of_numbers(check):
    def program(do, l, x, a):
        first = do(sum, l)
        second = do(sum, do(map, operator.neg, l), x)
        third = do(sum, a, start=do(mul, x, x))
        return do(mul, first, do(mul, second, third))

    check(program, [2.0, 3.0], 1.5, np.array([5.0, 0.5]))


def test_sums_of_arrays_and_numbers(check):
    def program(do, a, b, x):
        y = do(sum, do(build_list, a, x, b, True, a))
        return do(np.sum, do(mul, y, do(sum, a, b)))

    check(program, np.array([2.0, 3.0]), np.array([[5.0], [0.5]]), 1.5)


def test_sums_of_lists_and_objects(check):
    def program(do, l, x):
        y = do(sum, do(build_list, l, do(build_list, x), l), do(build_list, x))
        return do(mul, do(getitem, y, 0), do(mul, do(getitem, y, 2), do(getitem, y, -1)))

    check(program, [2.0, 3.0], 1.5)


def test_sum_of_nothing_is_the_start():
    y, record = call(Versions(), sum, [], 2.5)
    assert y == 2.5
    assert list(pull(Shadows(), record, 1.0, 2)) == [None, 1.0]
    assert call(Versions(), sum, [])[0] == 0
    with pytest.raises(TypeError, match="can't sum strings"):
        call(Versions(), sum, ["a"], "")


def test_exact_sums_and_products_of_iterables(check):
    def program(do, l, x):
        first = do(math.fsum, do(map, operator.neg, l))
        second = do(math.prod, do(iter, l), start=do(mul, x, x))
        return do(mul, first, do(mul, second, do(math.fsum, l)))

    check(program, [2.0, 3.0], 1.5)


@pytest.mark.parametrize("fn", [globals, locals, vars, dir])
def test_what_asks_for_the_callers_frame_is_refused(fn):
    with pytest.raises(Unsupported, match="frame"):
        call(Versions(), fn)


def test_complex_and_real_summands():
    l = [1 + 1j, 2.0]
    y, record = call(Versions(), sum, l)
    shadows = Shadows()
    pull(shadows, record, 3 + 4j, 1)
    assert shadows.take(l) == [3 + 4j, 3.0]


def test_fractions():
    l = [Fraction(1, 2), 1]
    y, record = call(Versions(), sum, l)
    shadows = Shadows()
    pull(shadows, record, Fraction(2), 1)
    assert y == Fraction(3, 2) and shadows.take(l)[0] == 2


def test_smallest_and_largest(check, written):
    @written
    def key(do, v):
        return do(mul, v, v)

    def program(do, l, x, a):
        first = do(mul, do(max, l), do(min, l))
        second = do(mul, do(max, x, do(getitem, l, 0)), do(min, l, key=key))
        third = do(max, do(map, operator.neg, a), default=x)
        return do(mul, first, do(mul, second, do(mul, third, do(max, (), default=x))))

    check(program, [2.0, -3.0, 0.5], 1.5, np.array([5.0, 7.0]))


def test_ties_share_evenly():
    l = [2.0, 5.0, 5.0]
    y, record = call(Versions(), max, l)
    shadows = Shadows()
    pull(shadows, record, 3.0, 1)
    assert shadows.take(l) == [None, 1.5, 1.5]
    y, record = call(Versions(), min, 5.0, 5.0, key=None)
    assert list(pull(Shadows(), record, 3.0, 3)) == [1.5, 1.5, None]


def test_the_largest_of_objects_moves_nothing(check):
    def program(do, l):
        longest = do(max, l, key=len)
        return do(mul, do(getitem, longest, 0), do(getitem, longest, 1))

    check(program, [[2.0], [3.0, 5.0]])


def test_sorted(check, written):
    @written
    def last(do, pair):
        return do(getitem, pair, -1)

    def program(do, l, x):
        y = do(sorted, l, reverse=True)
        pairs = do(sorted, do(zip, l, do(reversed, l)), key=last)
        first = do(getitem, do(getitem, pairs, 0), 0)
        return do(
            add, do(mul, do(getitem, y, 0), do(mul, do(getitem, y, 1), 3.0)), do(mul, first, x)
        )

    check(program, [2.0, 7.0, 5.0], 1.5)


def test_truth_of_many(check, written):
    @written
    def positive(do, v):
        return do(operator.gt, v, 0.0)

    def program(do, l, x):
        it = do(map, positive, l)
        assert do.value(do(any, it)) is True
        assert do.value(do(all, do(map, positive, l))) is False
        assert do.value(do(any, l)) is True
        return do(mul, x, len(list(do.value(it))))

    check(program, [-2.0, 7.0, 5.0], 1.5)


def test_numbers(check):
    def program(do, x, y):
        pair = do(divmod, x, y)
        z = do(mul, do(abs, y), do(pow, x, 3))
        return do(mul, do(float, do(mul, do(getitem, pair, 1), z)), do(getitem, pair, 0))

    check(program, 2.3, -0.7)


def test_conversions_by_methods_of_a_class(check, written):
    class Length:
        def __init__(self, metres):
            self.metres = metres

        @written
        def __float__(do, self):
            return do(mul, do(getattr, self, "metres"), 2.0)

    def program(do, length, x):
        return do(mul, do(float, length), do(float, x))

    check(program, Length(1.5), 0.5)


def test_inert_builtins():
    for fn, args in (
        (len, ([1.0],)), (isinstance, (1.0, float)), (str, ("a",)), (repr, ("a",)),
        (range, (3,)), (format, (1.5, ".2f")),
        (str.upper, ("a",)), (str.join, (",", ["a", "b"])), (float.is_integer, (2.0,)),
        (callable, (len,)), (bool, (0.0,)),
        (type, (1.0,)),
    ):  # fmt: skip
        y, record = call(Versions(), fn, *args)
        assert y == fn(*args)
        assert record is None


def test_errors_are_pythons():
    for fn, args, keywords in (
        (max, ([],), {}), (max, (), {}), (min, (1.0, 2.0), {"default": 3.0}),
        (max, ([1.0, "a"],), {}),
        (sorted, ([1.0, "a"],), {}), (sum, (3,), {}), (float, ("x",), {}), (max, (3,), {}),
    ):  # fmt: skip
        with pytest.raises(Exception) as plain:
            fn(*args, **keywords)
        with pytest.raises(type(plain.value)) as run:
            call(Versions(), fn, *args, **keywords)
        assert str(run.value) == str(plain.value)


class Plain:
    pass


class Slotted:
    __slots__ = ("a",)


def read(x):
    u = Plain()
    u.a = x
    r = weakref.ref(u)
    return vars(u)["a"] * x


def summed(x):
    u = Plain()
    u.a = x
    u.b = 2 * x
    r = weakref.ref(u)
    return sum(vars(u).values()) * (1 if r() is u else 2)


def through_the_reference(x):
    u = Plain()
    u.a = x
    u.me = weakref.ref(u)
    return vars(u)["a"] * vars(u)["me"]().a


def beside_a_table(x):
    u = Plain()
    u.a = x
    d = weakref.WeakKeyDictionary()
    d[u] = 1
    return vars(u)["a"] * x


def updated(x):
    u = Plain()
    u.a = x
    r = weakref.ref(u)
    vars(u).update(b=x * x)
    return u.b * u.a


def of_an_exception(x):
    e = ValueError(1)
    e.a = x
    return vars(e)["a"] * x


def of_slots(x):
    u = Slotted()
    u.a = x
    try:
        return vars(u)["a"]
    except TypeError as e:
        return x * u.a


def of_a_class(x):

    class K:
        a = x

    return vars(K)["a"] * x


@pytest.mark.parametrize(
    "program",
    [
        read,
        summed,
        through_the_reference,
        beside_a_table,
        updated,
        of_an_exception,
        of_slots,
        of_a_class,
    ],
    ids=lambda program: program.__name__,
)
def test_vars_of_what_is_held_weakly(program):
    right_everywhere(program, 1.3)


class Logged:
    """Its products read and store what the generator that makes them stores as well."""

    def __init__(self, v, log):
        self.v, self.log = v, log

    def __add__(self, other):
        self.log.append(self.v * 3)
        return Logged(self.v + (other.v if isinstance(other, Logged) else other), self.log)

    __radd__ = __add__

    def __mul__(self, other):
        self.log.append(self.v * 3)
        factor = other.v if isinstance(other, Logged) else other
        return Logged(self.v * factor * len(self.log), self.log)

    __rmul__ = __mul__


def logged(log, a, b):
    for k in range(3):
        log.append(a * (k + 1) + log[-1] * 0.1)
        yield Logged((b - k * 0.3) ** 2 + a * (k % 2), log)


@pytest.mark.parametrize(
    "product",
    [
        math.prod,
        lambda items: math.prod(items, start=2.0),
        lambda items: math.prod(map(lambda v: v, items)),
        lambda items: math.prod(filter(lambda v: True, items)),
        sum,
        lambda items: sum(map(lambda v: v, items), 1.0),
    ],
)
def test_each_item_is_multiplied_before_the_next_one_is_drawn(product):
    def f(a, b):
        log = [b]
        y = product(logged(log, a, b))
        return y.v + sum((k + 1) * v for k, v in enumerate(log))

    check_gradient(f, 1.5, 1.4)


@pytest.mark.parametrize(
    "product",
    [
        lambda items: math.prod(v for v in items),
        lambda items: sum(v for v in items),
        lambda items: sum((v * 2.0 for v in items), 1.0),
    ],
)
def test_a_generator_expression_of_what_stores_when_it_is_added(product):
    def f(a, b):
        log = [b]
        y = product(logged(log, a, b))
        return y.v + sum((k + 1) * v for k, v in enumerate(log))

    with pytest.raises(Unsupported, match="whose operators store something"):
        gradient(f, 1.5, 1.4)


@pytest.mark.parametrize(
    "program",
    [
        lambda a, b: math.prod(map(abs, [a, -b]), start=a),
        lambda a, b: math.prod(filter(None, [a, b, 0.0])),
        lambda a, b: math.prod(iter([a, b])) * math.prod(iter([]), start=b),
        lambda a, b: math.prod({"x": a, "y": b}.values()) * math.prod(reversed([a, b])),
        lambda a, b: math.prod(v * a for v in (a, b)),
        lambda a, b: math.prod(iter([np.array([a, b]), np.array([b, b])])).sum(),
    ],
)
def test_products_of_what_is_drawn(program):
    check_gradient(program, 1.5, 0.4)


class Caching:
    """Each keeps what it has computed to itself."""

    def __init__(self, v):
        self.v, self.kept = v, None

    @property
    def doubled(self):
        if self.kept is None:
            self.kept = self.v * 2
        return self.kept

    def __add__(self, other):
        return Caching(self.doubled + (other.v if isinstance(other, Caching) else other))

    __radd__ = __add__


class Copied:
    def __init__(self, v):
        self.v = [v]

    def __add__(self, other):
        made = Copied(0.0)
        made.v[0] = self.v[0]
        made.v[0] += other.v[0] if isinstance(other, Copied) else other
        return made

    __radd__ = __add__


class Shifted(np.ndarray):
    def __add__(self, other):
        made = np.ndarray.__add__(np.asarray(self), other).view(Shifted)
        made[0] = made[0] * 2.0
        return made

    __radd__ = __add__


@pytest.mark.parametrize(
    "program",
    [
        lambda a, b: sum(Caching(v * a) for v in (a, b)).v ** 2,
        lambda a, b: sum(Copied(v * a) for v in (a, b)).v[0] ** 2,
        lambda a, b: np.sum(np.asarray(sum(np.array([v, v * a]).view(Shifted) for v in (a, b)))),
        lambda a, b: float(sum(Fraction(n) * 2 for n in (1, 2, 3))) * a * b,
    ],
)
def test_a_generator_expression_of_what_stores_where_nobody_sees_it(program):
    check_gradient(program, 1.5, 0.4)
