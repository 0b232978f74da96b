"""Seeds, zeros and literals worked out in the reverse sweep, and what must stay as it is."""

import math

import pytest

from astad import gradient, value_and_grad
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.compiler.tidy.constants import fold_constants
from astad.compiler.tidy.dead_code import drop_dead_code

from ...fuzz.verdicts import load


def body(text):
    return [line.strip() for line in text.splitlines()]


def test_a_seed_of_one(tidied):
    text = """
        y_bar = 1.0
        x_bar = y_bar * c
        d_bar = y_bar / d
        e_bar = -y_bar
        g_bar = e_bar * c
        return x_bar, d_bar, g_bar
    """
    assert body(tidied(text, fold_constants, drop_dead_code)) == [
        "x_bar = c", "d_bar = 1.0 / d", "g_bar = -c", "t_1 = (x_bar, d_bar, g_bar)",
        "return t_1",
    ]  # fmt: skip


def test_zeros_that_nothing_has_come_to(tidied):
    text = """
        x_bar = 0.0
        y_bar = 0.0
        x_bar = x_bar + y_bar * c
        x_bar = x_bar + d
        y_bar = y_bar - c
        return x_bar, y_bar
    """
    made = body(tidied(text, fold_constants, drop_dead_code))
    assert made[:2] == ["x_bar = d", "y_bar = -c"]


def test_what_a_loop_changes_is_not_known_in_it(tidied):
    text = """
        x_bar = 0.0
        s_bar = 1.0
        for c in cs:
            x_bar = x_bar + s_bar * c
            s_bar = s_bar * d
        return x_bar
    """
    assert "x_bar = x_bar + t_1" in tidied(text, fold_constants, unknown=("cs",))


def test_only_floats_are_left_out_of_a_product(tidied):
    text = """
        y_bar = 1.0
        x_bar = y_bar * n
        z_bar = y_bar * a
        return x_bar, z_bar
    """
    made = tidied(text, fold_constants, ints=("n",), unknown=("a",))
    assert "x_bar = 1.0 * n" in made and "z_bar = 1.0 * a" in made


def test_a_zero_of_the_users_is_a_factor_like_any_other():
    def f(x, y):
        t = x * 0.0
        return t * y

    infinite = gradient(f, 2.0, math.inf)
    assert math.isnan(infinite[0]) and infinite[1] == 0.0
    assert gradient(f, 2.0, 3.0) == (0.0, 0.0)


@pytest.mark.parametrize("x", [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan])
def test_identities_at_special_values(x):
    def f(x, y):
        return x * y - x + (0.0 - y)

    made = compile_function(f, [parse_kind("float")] * 2, [True, True], fused=True)
    assert "1.0 *" not in made.text.source
    y, (x_bar, y_bar) = value_and_grad(f, argnums=(0, 1))(x, 2.0)
    assert x_bar == 1.0 and str(y_bar) == str(x - 1.0)
    assert str(y) == str(f(x, 2.0))


def test_the_kind_of_a_gradient_stays(forms_agree):
    def f(x, n):
        return n * (x + 1.0) - n

    value, (x_bar, n_bar) = value_and_grad(f, argnums=(0, 1))(0.5, 3)
    assert (value, x_bar, n_bar) == (1.5, 3.0, 0.5) and type(x_bar) is float
    forms_agree(f, 0.5, 3)


def test_a_path_that_was_not_taken_gives_zero_and_not_nan():
    def f(x, y):
        z = x * y
        if x > 1.0:
            return x
        return z

    assert gradient(f, 2.0, math.inf) == (1.0, 0.0)
    assert gradient(f, 0.5, 3.0) == (3.0, 0.5)


def test_an_arm_with_nothing_to_hand_on_skips_the_rest(forms_agree):
    def f(x, y, n):
        s = x
        for i in range(n):
            t = s * y
            if t > 2.0:
                s = s - 1.5
            else:
                s = t * t + x
        return s

    text = compile_function(
        f, [parse_kind(kind) for kind in ("float", "float", "int")], [True, True, False], fused=True
    ).text.source
    assert "t_bar = 0.0" not in text
    for n in (0, 1, 5, 8):
        forms_agree(f, 0.9, 1.2, n)


HUGE = """
def scaled(x, y, n):
    total = x * y
    for _ in range(n):
        total = total + x * HUGE + y / HUGE
    return total

def least(x, y, n):
    return x * HUGE if n > 0 else x - y

def alone(x, y, n):
    total = 0.0
    while n > 0:
        total = total + (x - y) * -HUGE
        n = n - 1
    return total

def squared(x, y, n):
    z = x * y
    return (z * HUGE) ** 2 if n else z ** 2

def divided(x, y, n):
    for _ in range(n):
        x = x / HUGE - HUGE * y
    return x + y
"""


@pytest.mark.parametrize(
    "name, expected",
    [
        ("scaled", (3.0, 2.0)),
        ("least", (1.0, -1.0)),
        ("alone", (0.0, 0.0)),
        ("squared", (36.0, 24.0)),
        ("divided", (1.0, 1.0)),
    ],
)
def test_an_int_that_no_float_can_hold_in_what_never_runs(name, expected, forms_agree, tmp_path):
    fn = getattr(load(HUGE.replace("HUGE", str(10**400)), tmp_path, "huge"), name)
    assert gradient(fn, 2.0, 3.0, 0)[:2] == expected
    forms_agree(fn, 2.0, 3.0, 0)
    with pytest.raises(OverflowError, match="int too large to convert to float"):
        gradient(fn, 2.0, 3.0, 1)
