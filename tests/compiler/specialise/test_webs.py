"""`compiler/specialise/webs.py`: names that are used for several things have several names.

A name bound several times has a kind for each of its values.
"""

import math

import numpy as np
import pytest

from astad import gradient
from astad.compiler.ir.names import Names
from astad.compiler.ir.text import show
from astad.compiler.lower.function import program_of
from astad.compiler.specialise.webs import renamed_apart
from tests.compiler.forms import check_forms

XS = [0.5, 1.5, 2.0, 0.1, 0.7]


class Scaled:
    def __init__(self, value):
        self.value = value

    def of(self, x):
        return self.value * x


def rows_twice(xs, k):
    rows = []
    for x in xs:
        row = []
        for n in range(3):
            row.append(math.cos(x * n) * k)
        rows.append(row)
    s = 0.0
    for row in rows:
        for y in row:
            s += y * y
    return s


def rows_in_rounds(xs, k):
    s = k
    for n in range(3):
        row = []
        for x in xs:
            row.append(math.sin(x * s) + n)
        rows = [row, [s, k]]
        for row in rows:
            s += row[0] * 0.1
    return s


def pairs_and_text(xs, k):
    s = 0.0
    for a, b in zip(xs, xs[1:]):
        s += a * b * k
    for a in ["x", "yy"]:
        s *= len(a)
    return s


def handed_on(xs, k):
    a, s = k, 0.0
    for x in xs:
        s += a * x
        a = x * x
    for b in [a, s]:
        a = b * 2.0
    return s * a


def by_continue(xs, k):
    n, s = k, 0.0
    for x in xs:
        s += n * x
        if x > 1.0:
            n = x
            continue
        n = k * k
    for n in [k, s]:
        s += n
    return s


def by_break(xs, k):
    found = None
    for x in xs:
        if x > 1.0:
            found = x
            break
    if found is None:
        found = k
    s = found * k
    for found in [[s], [k]]:
        s += found[0]
    return s


def in_arms(xs, k):
    if k > 1.0:
        w = [x * k for x in xs]
        s = w[0] + w[-1]
    else:
        w = (k, "text")
        s = w[0] * len(w[1])
    w = s * s
    return w * k


def after_a_loop(xs, k):
    x = k
    for x in xs:
        pass
    s = x * k
    for x in [[s, k]]:
        s += x[0] * x[1]
    return s


@pytest.mark.parametrize(
    "fn",
    [rows_twice, rows_in_rounds, pairs_and_text, handed_on, by_continue, by_break, in_arms,
     after_a_loop],
)  # fmt: skip
@pytest.mark.parametrize("xs", [XS, XS * 4, [0.3]])
def test_program(fn, xs):
    check_forms(fn, xs, 1.3)


def test_what_is_gained():
    check_forms(rows_twice, XS, 1.3, fused=True)


def with_objects(x, k):
    parts = [Scaled(x), Scaled(k)]
    s = 0.0
    for p in (x, k, 2.0):
        s += p * p
    for p in parts:
        s += p.of(s)
    return s


def test_numbers_and_objects():
    check_forms(with_objects, 0.7, 1.3)


def unbound(xs):
    for x in xs:
        y = x
    for y in []:
        pass
    return y * 2.0


def test_a_name_that_is_not_bound_keeps_its_name():
    assert gradient(unbound, [3.0, 4.0]) == ([0.0, 2.0],)
    with pytest.raises(UnboundLocalError, match="'y'"):
        gradient(unbound, [])


def apart(text, *names):
    program = program_of(text)
    return show(renamed_apart(program, set(names), Names({"a", "b", "x", "xs", "s"})))


def test_what_is_read_later_keeps_its_name():
    text = """
        for a in xs:
            s = a
        for a in s:
            b = a
        a.use(b)
    """
    assert apart(text, "a") == show(program_of(text))  # the second loop may have nothing to walk


def test_what_the_next_round_reads_keeps_its_name():
    text = """
        for x in xs:
            a.use(x)
            if x:
                a = s
                continue
            a = b
        for a in xs:
            a.use(s)
    """
    made = apart(text, "a")
    assert "a = s" in made and "a = b" in made and "for a_1 in xs" in made


def test_what_one_loop_alone_binds_keeps_its_name():
    text = """
        while x:
            for a in xs:
                a.use(s)
            for b in xs:
                b.use(s)
    """
    assert apart(text, "a", "b") == show(program_of(text))


def test_number_array_number(forms_agree):
    def f(x):
        z = x * 2.0
        z = np.ones(3) * z
        z = z * z + x
        z = np.sum(z)
        z = z * x
        return z

    forms_agree(f, 0.7)


def test_a_parameter_bound_again(forms_agree):
    def f(x, a):
        x = a * x
        a = np.sum(x)
        x = a * a
        return x * a

    forms_agree(f, 0.7, np.array([0.5, 1.5]))


def test_bound_at_the_top_and_in_a_block(forms_agree):
    def f(x, n):
        y = x * x
        z = y + 1.0
        y = z * x
        z = y * y
        for i in range(n):
            y = y * x
        z = z + y
        return z

    forms_agree(f, 0.7, 3)


def test_new_names_meet_none_of_the_users(forms_agree):
    def f(x, y_1):
        y = x * y_1
        y_2 = y + x
        y = y * y_2
        y = y + y_1
        y_3 = y
        y = y * y_3
        return y + y_2

    forms_agree(f, 0.7, 1.2)


def test_deleted_and_bound_again(forms_agree):
    def f(x):
        y = x * x
        z = y
        del y
        y = z * x
        y = y * y
        return y

    forms_agree(f, 0.7)


def test_read_in_a_block_after_each_binding(forms_agree):
    def f(x, n):
        y = x + 1.0
        s = 0.0
        for i in range(n):
            s = s + y * i
        y = s * y
        if y > 1.0:
            s = s * y
        y = y * s
        while s < 2.0:
            s = s + y * y + 0.5
        return s * y

    for x in (0.2, 0.9):
        forms_agree(f, x, 3)


def test_bound_in_a_loop_and_anew_behind_it(forms_agree):
    def f(x, a):
        total = 0.0
        for i in range(3):
            m = np.max(a) + a * x
            total = total + np.sum(m * m) * i
        m = np.sum(a) * x
        for i in range(2):
            total = total + m * i
        return total * m

    forms_agree(f, 0.7, np.array([0.5, 1.5]), fused=True)


def test_bound_behind_one_loop_and_carried_by_the_next(forms_agree):
    def f(x):
        y = x
        for _ in range(2):
            y = y * x
        y = y + 1.0
        for _ in range(3):
            y = y * x + y
        y = y * y
        return y

    forms_agree(f, 0.7)
