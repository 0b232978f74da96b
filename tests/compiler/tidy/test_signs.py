"""A minus is carried into the addition behind it, to the bit."""

import math

from astad import gradient
from astad.compiler.tidy.copies import drop_copies
from astad.compiler.tidy.dead_code import drop_dead_code
from astad.compiler.tidy.signs import Links, carry_signs


def lines(text):
    return [line.strip() for line in text.splitlines()]


def test_into_an_addition(tidied):
    text = """
        t_bar = -y_bar
        p = t_bar * c
        x_bar = x0 + p
        q = t_bar / d
        z_bar = q + x0
        w_bar = x0 - q
        v_bar = q * p
        return x_bar, z_bar, w_bar, v_bar
    """
    made = lines(tidied(text, carry_signs, drop_copies, drop_dead_code))
    assert made[:6] == [
        "minus_p = y_bar * c", "x_bar = x0 - minus_p", "minus_q = y_bar / d",
        "z_bar = x0 - minus_q", "w_bar = x0 + minus_q", "v_bar = minus_q * minus_p",
    ]  # fmt: skip


def test_a_minus_that_nobody_takes_stays(tidied):
    text = """
        t_bar = -y_bar
        x_bar = t_bar - c
        return x_bar, t_bar
    """
    assert lines(tidied(text, carry_signs, drop_dead_code))[:2] == [
        "t_bar = -y_bar", "x_bar = t_bar - c",
    ]  # fmt: skip


def test_not_past_a_new_value_of_the_name(tidied):
    text = """
        t_bar = -y_bar
        y_bar = y_bar * c
        x_bar = x0 + t_bar
        return x_bar, y_bar
    """
    assert "x_bar = x0 + t_bar" in tidied(text, carry_signs, drop_dead_code)


def test_zeros_infinities_and_nan():
    def f(x, y, z):
        return -(x * y) / z - x

    for x, y, z in (
        (0.0, -0.0, 2.0),
        (math.inf, 1.0, -3.0),
        (math.nan, 2.0, 1.0),
        (1.0, 0.0, -1.0),
    ):
        found = gradient(f, x, y, z)
        expected = (-(1.0 / z) * y - 1.0, -(1.0 / z) * x, -(-(x * y) / z) / z)
        assert [str(a + 0.0) for a in found] == [str(b + 0.0) for b in expected]


def test_quotients_in_a_loop(forms_agree):
    def f(x, y, n):
        for i in range(n):
            x = x - y / (x + i)
            y = -y * x
        return x / y

    forms_agree(f, 1.7, 0.6, 3)


def test_a_link_goes_when_its_own_name_is_bound_again():
    links = Links()
    links.note("a", "g", 2.0)
    links.forget(("a",))
    assert links.of("a") is None


def test_links_by_way_of_a_name_go_when_that_is_bound_again():
    links = Links()
    links.note("a", "g", 2.0)
    links.note("b", "g", 3.0)
    links.note("c", "h", 4.0)
    links.forget(("g",))
    assert links.of("a") is None and links.of("b") is None
    assert links.of("c") == ("h", 4.0)


def test_a_link_that_was_noted_anew_leads_another_way():
    links = Links()
    links.note("a", "g", 2.0)
    links.note("a", "h", 3.0)
    links.forget(("g",))
    assert links.of("a") == ("h", 3.0)
    links.forget(("h",))
    assert links.of("a") is None


def test_what_is_no_name_has_no_link():
    links = Links()
    links.note("a", "", 1.0)
    assert links.of(1.0) is None and links.of(("a",)) is None
    assert links.of("a") == ("", 1.0)
