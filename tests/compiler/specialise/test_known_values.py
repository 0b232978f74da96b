"""Names that a program binds to a literal, once: the literal stands where they are read."""

import pytest

from astad import gradient
from astad.compiler.ir.kinds import FLOAT, INT
from astad.compiler.pipeline import compile_function
from astad.runtime.core.variants import forget_all

MODE = "cubic"


def source(fn, *kinds):
    wanted = [kind is FLOAT for kind in kinds]
    return compile_function(fn, kinds, wanted, fused=True).text.source


def scaled(v, k):
    return v * k


def power(v, n=2):
    return v**n


class Length:
    def __init__(self, metres):
        self.metres = metres

    def __mul__(self, k):
        return Length(self.metres * k)

    __rmul__ = __mul__


def by_a_helper(x, n):
    for _ in range(n):
        x = x + scaled(x, 0.5)
    return x


def by_a_default(x, n):
    total = 0.0
    for _ in range(n):
        total = total + power(x) * power(x, 3)
    return total


def by_an_operator(x, n):
    length = Length(x)
    for _ in range(n):
        length = 0.5 * length
    return length.metres


def bound_in_the_loop(x, n):
    for _ in range(n):
        k = -0.5
        x = x - x * k
    return x


@pytest.mark.parametrize("fn", [by_a_helper, by_an_operator, bound_in_the_loop])
def test_a_literal_is_not_kept_by_the_rounds_of_a_loop(forms_agree, fn):
    assert "kept" not in source(fn, FLOAT, INT)
    forms_agree(fn, 1.3, 4)


def test_a_literal_is_no_parameter_of_the_function_that_it_is_handed_to(forms_agree):
    text = source(by_a_default, FLOAT, INT)
    assert "x ** 3" in text and "power_n" not in text
    forms_agree(by_a_default, 1.3, 4)


def test_a_base_that_is_known_to_be_positive(forms_agree):
    def f(x):
        base = 2.0
        return base**x * x

    text = source(f, FLOAT)
    assert "math.log(2.0)" in text
    assert "2.0 > 0" not in text
    forms_agree(f, 1.3)


def test_literals_where_only_a_name_may_stand_bare(forms_agree):
    def of_attributes(x):
        n = 3
        return x * n.real * n.bit_length()

    def of_powers(x):
        k = -2.0
        return x * k**2 - x**k + (-k) ** 3

    def of_a_long_name(x):
        mode = "cubic"
        return x * len(mode.upper()) * len(f"{mode}{mode!r}")

    def of_items(x):
        weights, at = (1.0, 2.0, 3.0), -1
        return x * weights[at] + x * weights[at - 1]

    def of_what_is_taken_away(x):
        k = 2.0
        y = x * k
        del k
        try:
            return y * k
        except NameError:
            return y * x

    for fn in (of_attributes, of_powers, of_a_long_name, of_items, of_what_is_taken_away):
        forms_agree(fn, 1.3)


def test_a_literal_whose_identity_is_asked(recwarn):
    """CPython warns of ``"cubic" is MODE`` where it is written so."""

    def f(x):
        mode, count = "cubic", 7
        if count is x:
            return x
        return x * 3.0 if mode is MODE else x

    forget_all()
    assert gradient(f, 2.0) == (3.0,)
    assert not recwarn.list


def test_names_that_are_bound_again(forms_agree):
    def doubled_on_one_way(x, n):
        k = 0.5
        if n > 2:
            k = 2.0
        return x * k * x

    def in_turn(x, n):
        k = 1.0
        for _ in range(n):
            x = x * k
            k = 0.5
        return x * k

    def counted(x, n):
        i = 0
        while i < n:
            x = x * 1.5
            i += 1
        return x * i

    for fn in (doubled_on_one_way, in_turn, counted):
        for n in (0, 1, 3):
            forms_agree(fn, 1.3, n)
