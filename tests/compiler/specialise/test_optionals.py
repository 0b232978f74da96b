"""Variables that are None first and numbers later: the best so far, the last seen, a default."""

import pytest

from astad.compiler.ir.names import Names
from astad.compiler.ir.text import show
from astad.compiler.lower.function import program_of
from astad.compiler.specialise.optionals import with_optionals
from tests.compiler.forms import check_forms


def least(x, y):
    best = None
    for i in range(5):
        v = x * i - y
        if best is None or v < best:
            best = v
    return best + x


def last_above(x, y):
    found = None
    for i in range(5):
        if i * x > y:
            found = i * x
    return 0.0 if found is None else found * y


def first_above(x, y):
    found = None
    for i in range(3):
        if x * i > 2:
            found = x * i
            break
    if found is None:
        return y * x
    return found * y


def asked_by_its_truth(x, y):
    best = None
    if x > 1:
        best = x
    return y if not best else best * y


def asked_by_equality(x, y):
    r = None
    for i in range(3):
        if r == None:  # noqa: E711
            r = x
        if r != None:  # noqa: E711
            r = r * y
    return r


def two_filled_in_turn(x, y):
    a = None
    b = None
    for i in range(4):
        if a is None:
            a = x
        elif b is None:
            b = a * y
        else:
            a, b = b, a + b
    return a * b


def change_from_the_last(x, y):
    last = None
    t = 0.0
    for v in [x, y, x * y]:
        if last is not None:
            t += (v - last) ** 2
        last = v
    return t


def computed_with_while_none(x, y):
    r = None
    try:
        z = r + x
    except TypeError:
        z = y
    return z * x


def copied_then_none_again(x, y):
    r = None
    if x > 0.5:
        r = y
    c = r
    r = None
    return c * x if c is not None else x


def none_again_in_the_loop(x, y):
    r = None
    s = 0.0
    for i in range(6):
        if i == 3:
            r = None
        if r is None:
            r = x * (i + 1)
        else:
            r = r * y
        s = s + r
    return s


def least_and_largest(x, y):
    lo, hi = None, None
    for v in (x, y, x * y, 3.0):
        lo = v if lo is None else min(lo, v)
        hi = v if hi is None else max(hi, v)
    return hi - lo * x


def put_into_a_list(x, y):
    r = 0
    best = None
    for i in range(4):
        r += x * i
        if best is None or r > best:
            best = r
    return [best, r][0] * y


def first_of(xs, limit):
    for v in xs:
        if v > limit:
            return v
    return None


def given_by_a_callee(x, y):
    a = first_of([x, y, 2.0], 1.0)
    b = first_of([x, y], 100.0)
    return (a * y if a is not None else x) + (b if b is not None else 3 * x)


def a_default_of_a_parameter(x, y, acc=None):
    if acc is None:
        acc = 0.0
    for i in range(3):
        acc = acc + x * y
    return acc


def in_a_while(x, y):
    v = None
    w = 0.0
    while w < 5:
        if v is None:
            v = x + 0.5
        else:
            v = v * 1.3
        w = w + v + 0.1
    return v * y


def an_entry_of_a_dict(x, y):
    d = {"best": None, "n": 0}
    for i in range(5):
        v = x * i - y
        if d["best"] is None or v > d["best"]:
            d["best"] = v
        d["n"] += 1
    return d["best"] * d["n"]


def best_with_its_name(x, y):
    best, arg = None, None
    for name, v in [("a", x), ("b", y), ("c", x * y)]:
        if best is None or v > best:
            best, arg = v, name
    return best * len(arg)


FUSED = [
    least,
    last_above,
    first_above,
    two_filled_in_turn,
    change_from_the_last,
    least_and_largest,
    a_default_of_a_parameter,
    in_a_while,
    an_entry_of_a_dict,
    best_with_its_name,
]
OTHERS = [
    asked_by_equality,
    copied_then_none_again,
    put_into_a_list,
    asked_by_its_truth,
    computed_with_while_none,
    none_again_in_the_loop,
    given_by_a_callee,
]


@pytest.mark.parametrize("args", [(1.3, 0.7), (0.4, 2.1)])
@pytest.mark.parametrize("fn", FUSED + OTHERS, ids=lambda fn: fn.__name__)
def test_right(fn, args):
    check_forms(fn, *args)


@pytest.mark.parametrize("fn", FUSED, ids=lambda fn: fn.__name__)
def test_fused(fn):
    check_forms(fn, 1.3, 0.7, fused=True)


BEFORE = """
empty = best is None
if x > 0:
    best = x
else:
    best = y
if empty:
    z = 1.0
else:
    z = best
full = best is not None
if full:
    z = z + best
"""


def test_what_was_asked_before_it_was_bound_is_asked_there():
    text = show(
        with_optionals(program_of(BEFORE), {"best"}, Names("x y z best empty full".split()))
    )
    assert "empty = best_is_none\n" in text and "if empty:\n    z = 1.0\nelse:" in text
    assert text.endswith("full = True\nz = z + best")


class Controller:
    def __init__(self, gain, damping):
        self.gain, self.damping = gain, damping
        self.last = None
        self.least = None

    def __call__(self, error):
        slope = 0.0 if self.last is None else (error - self.last) / 0.1
        self.last = error
        if self.least is None or abs(error) < self.least:
            self.least = abs(error)
        return self.gain * error + self.damping * slope


def attribute_of_an_object(x, y):
    control = Controller(x, 0.1 * y)
    level = cost = 0.0
    for _ in range(20):
        level += (control(1.0 - level) - level) * 0.05
        cost += (1.0 - level) ** 2
    return cost + control.least


def item_of_a_dict(x, y):
    state = {"last": None, "sum": 0.0}
    for i in range(7):
        v = x * i * y
        if state["last"] is not None:
            state["sum"] += (v - state["last"]) ** 2
        state["last"] = v
    return state["sum"] * x


def copies_that_are_asked(x, y):
    v, total = None, 0.0
    for i in range(7):
        old = v
        v = x * i
        total += y if old is None else old * v
        old, v = v, None
        if old is None:
            total += 100.0
        if v is None:
            total += x * y
        v = old
    return total


def copy_of_the_round_before(x, y):
    v, old, total = None, None, 0.0
    for i in range(7):
        total += x * y if old is None else old * x
        old = v
        v = x * i * y
    return total


COPIED = [
    attribute_of_an_object, item_of_a_dict, copies_that_are_asked, copy_of_the_round_before,
]  # fmt: skip


@pytest.mark.parametrize("fn", COPIED)
def test_copies_of_optionals(fn):
    check_forms(fn, 1.3, 0.7, fused=True)
