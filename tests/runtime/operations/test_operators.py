import operator
from fractions import Fraction
from operator import add, getitem, iadd, imul, mul, neg, sub, truediv

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.runtime.language import build_list, build_tuple


@pytest.fixture
def money(written):
    """Two classes with operators of their own."""

    class Money:
        def __init__(self, amount):
            self.amount = amount

        def made(do, amount, kind):
            result = do(object.__new__, kind)
            do(setattr, result, "amount", amount)
            return result

        @written
        def __add__(do, self, other):
            if not isinstance(do.value(other), Money):
                return NotImplemented
            total = do(add, do(getattr, self, "amount"), do(getattr, other, "amount"))
            return Money.made(do, total, Money)

        @written
        def __rmul__(do, self, factor):
            return Money.made(do, do(mul, factor, do(getattr, self, "amount")), Money)

        @written
        def __iadd__(do, self, other):
            do(setattr, self, "amount", do(add, do(getattr, self, "amount"), other))
            return self

        @written
        def __neg__(do, self):
            return Money.made(do, do(neg, do(getattr, self, "amount")), Money)

        @written
        def __abs__(do, self):
            return do(abs, do(getattr, self, "amount"))

    class Loud(Money):
        @written
        def __radd__(do, self, other):
            total = do(
                add, do(mul, 10.0, do(getattr, self, "amount")), do(getattr, other, "amount")
            )
            return Money.made(do, total, Money)

    return Money, Loud


def test_numbers_and_arrays_by_rule(check):
    def program(do, x, a):
        b = do(truediv, do(sub, a, x), do(add, x, 2))
        return do(mul, do(getitem, b, 1), do(neg, do(getitem, b, 0)))

    check(program, 1.5, np.array([0.3, 4.0]))


def test_fractions_stay_fractions():
    y, record = call(Versions(), mul, Fraction(1, 2), Fraction(1, 3))
    assert y == Fraction(1, 6)
    assert list(pull(Shadows(), record, Fraction(1), 2)) == [Fraction(1, 3), Fraction(1, 2)]


def test_concatenation_and_repetition(check):
    def program(do, x, l):
        c = do(add, do(mul, 2, l), do(build_list, x))
        t = do(add, do(tuple, c), do(build_tuple, x))
        twice = do(mul, t, 2)
        return do(mul, do(getitem, c, 2), do(mul, do(getitem, twice, -2), do(getitem, c, 1)))

    check(program, 1.5, [2.0, 3.0])


def test_in_place_list_operators(check):
    def program(do, x, l):
        m = do(iadd, l, do(build_list, x, do(getitem, l, 0)))
        m = do(imul, m, 2)
        m = do(iadd, m, m)
        return do(mul, do(getitem, l, 4), do(add, do(getitem, l, 6), do(getitem, l, 2)))

    check(program, 1.5, [2.0, 3.0])


def test_methods_of_a_class_in_pythons_order(check, money):
    Money, Loud = money

    def program(do, x, y):
        total = do(add, Money.made(do, x, Money), do(mul, 3.0, Money.made(do, y, Money)))
        other = do(
            add, Money.made(do, x, Money), Money.made(do, y, Loud)
        )  # the subclass comes first
        product = do(mul, do(getattr, total, "amount"), do(getattr, other, "amount"))
        return do(sub, product, do(abs, do(neg, total)))

    check(program, 1.5, -0.5)


def test_in_place_method_of_a_class(check, money):
    Money, _ = money

    def program(do, x, m):
        n = do(iadd, m, x)
        do(iadd, n, do(mul, x, x))
        return do(mul, do(getattr, m, "amount"), x)

    check(program, 1.5, Money(0.5))


def test_unsupported_operands_raise_pythons_error(money):
    Money, _ = money
    for a, b in ((Money(1.0), 2.0), ([1], Money(2.0)), ("a", 1), (1, None)):
        with pytest.raises(TypeError) as plain:
            a + b
        with pytest.raises(TypeError) as run:
            call(Versions(), add, a, b)
        assert str(run.value) == str(plain.value)


def test_comparisons_and_text_carry_nothing():
    for fn, args in (
        (operator.lt, (1.0, 2.0)), (operator.eq, ([1.0], [1.0])), (operator.mod, ("%.1f", 2.0)),
        (add, ("a", "b")), (operator.not_, (0.0,)), (operator.or_, ({1}, {2})),
    ):  # fmt: skip
        y, record = call(Versions(), fn, *args)
        assert y == fn(*args)
        assert pull(Shadows(), record, None, len(args)) == (None,) * len(args)


def test_dict_union(check):
    def program(do, d, e):
        f = do(operator.or_, d, e)
        do(operator.ior, d, e)
        return do(mul, do(getitem, f, "a"), do(mul, do(getitem, f, "b"), do(getitem, d, "a")))

    check(program, {"a": 2.0, "b": 3.0}, {"a": 5.0})


def test_unknown_operator_of_compiled_code_is_refused():
    import datetime

    y, record = call(Versions(), mul, datetime.timedelta(seconds=1), 2.0)
    seconds, read = call(Versions(), datetime.timedelta.total_seconds, y)
    with pytest.raises(Unsupported):
        shadows = Shadows()
        for r, bar, n in ((read, 1.0, 1), (record, None, 2)):
            for part in pull(shadows, r, bar, n):
                if part is not None:
                    part.ask()


class Tripled:
    def __init__(self, v):
        self.v = v

    def __array_ufunc__(self, ufunc, method, *inputs, **more):
        return self.v * 3 if ufunc is np.multiply else self.v * 5


def test_operators_of_arrays_ask_objects_for_their_ufunc():
    ones = np.ones(2)
    for f, slope in (
        (lambda x: ones * Tripled(x), 3.0),
        (lambda x: Tripled(x) * ones, 3.0),
        (lambda x: ones + Tripled(x), 5.0),
        (lambda x: ones / Tripled(x), 5.0),
        (lambda x: ones @ Tripled(x), 5.0),
        (lambda x: (ones * 2) ** Tripled(x), 5.0),
    ):
        assert f(2.0) == 2.0 * slope
        assert gradient(f, 2.0) == (slope,)


def adds(a, b):
    a += b


def raises_to(a, b):
    a **= b


def multiplies_item(a, b):
    held = [a]
    held[0] @= b


def shifts_attribute(a, b):
    holder = Exception()
    holder.v = a
    holder.v <<= b


def divides_plainly(a, b):
    return a / b


@pytest.mark.order_matters
@pytest.mark.parametrize("other", ["text", None, object])
@pytest.mark.parametrize("f", [adds, raises_to, multiplies_item, shifts_attribute, divides_plainly])
@pytest.mark.parametrize("number", [1.5, 2, Fraction(1, 3), np.float64(2.0)])
def test_an_operator_without_an_answer_is_named_as_in_python(number, f, other):
    with pytest.raises(TypeError) as plain:
        f(number, other)
    with pytest.raises(TypeError) as run:
        gradient(lambda x: f(x, other), number)
    assert str(run.value) == str(plain.value)
