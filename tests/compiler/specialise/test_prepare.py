"""Programs brought to one form mean what they meant.

`compiler/specialise/prepare.py`: the method of a list is looked up when it is called.
"""

import math
import os.path

import numpy as np
import numpy.linalg as la
import pytest

import astad
from astad import gradient
from astad.compiler.ir.text import show
from astad.compiler.lower.function import program_of
from astad.compiler.specialise.prepare import with_appends
from astad.runtime.core.variants import variants_of
from astad.testing import check_gradient
from tests.compiler.forms import check_forms


def test_functions_of_modules_under_any_name(forms_agree):
    def f(x, a):
        m = math
        sine = m.sin
        return sine(x) + np.linalg.norm(a) * la.norm(a) + os.path.sep.count("/") * x

    forms_agree(f, 0.7, np.array([0.5, 1.5]))


def test_starred_displays(forms_agree):
    def f(x, y):
        a = [x, y]
        b = [*a, x * y, *a]
        c = (*b, *a)
        return sum(b) * c[2] + len({*c}) * c[-1]

    forms_agree(f, 0.7, 1.2)


def test_starred_calls_in_order(forms_agree):
    def f(x, y):
        seen = []

        def note(v):
            seen.append(v)
            return v

        def g(*args, **words):
            return args[0] * args[1] + words["a"] * words["b"]

        z = g(note(x), *[note(y)], a=note(x), **{"b": note(y * 2.0)})
        return z + seen[0] * seen[3]

    forms_agree(f, 0.7, 1.2)


@pytest.mark.parametrize("x", [0.2, 0.9, 1.4, 2.6])
def test_early_returns_become_branches(forms_agree, x):
    def f(x):
        if x < 0.5:
            return x
        if x < 1.0:
            y = x * x
        elif x < 2.0:
            y = math.exp(x)
            return y * x
        else:
            return 1.0 / x
        z = y * x
        return z + y

    forms_agree(f, x)


@pytest.mark.parametrize("x", [0.2, 0.9, 1.4])
def test_arms_that_both_go_on(forms_agree, x):
    def f(x):
        if x < 1.0:
            if x < 0.5:
                return x * 3.0
            y = x
        else:
            if x > 1.2:
                return x * x
            y = x * 2.0
        return y * x

    forms_agree(f, x)


def test_a_while_whose_head_does_work(forms_agree):
    def f(x):
        s = x
        while (t := math.sin(s) + s) < 3.0 and s * s < 9.0:
            s = s + t * 0.3
        return s * t

    for x in (0.2, 0.9, 2.9):
        forms_agree(f, x)


def test_a_for_with_else_and_no_break(forms_agree):
    def f(x, n):
        for i in range(n):
            x = x * 0.9
        else:
            x = x * x + n
        return x

    for n in (0, 2):
        forms_agree(f, 0.7, n)


@pytest.mark.parametrize("x", [0.1, 0.5, 1.3, 2.0, 3.0])
def test_what_leaves_a_loop_in_the_else_of_another(forms_agree, x):
    def f(x):
        for n in range(5):
            while x < n:
                x = x * 1.1 + 0.3
                if x > 3.7:
                    break
            else:
                if n > 3:
                    break
                x = x * 0.9
                continue
            x = x - 0.5
        return x

    forms_agree(f, x)


@pytest.mark.parametrize("x", [1.0, 2.0, 3.5, 20.0])
def test_an_else_that_ends_the_loop_around(forms_agree, x):
    def f(x):
        while True:
            while x < 10.0:
                x = x * 1.5
                if 5.0 < x < 6.0:
                    break
            else:
                break
            x = x + 1.0
        else:
            x = x * 100.0
        return x * x

    forms_agree(f, x)


def test_an_else_behind_a_loop_without_break(forms_agree):
    def f(x):
        for n in range(3):
            while x * x < n:
                x = x * 2.0 + 1.0
            else:
                x = x * 0.7
                if n == 1:
                    continue
            x = x + 0.1 * n
        return x

    forms_agree(f, 0.3)


def test_starred_arguments_of_a_method_of_a_literal(forms_agree):
    def f(x, y):
        words = ["a", "bc"]
        text = "{} and {}".format(*words, **{})
        return len(text) * x * (3.0).__mul__(*[y])

    forms_agree(f, 0.7, 1.2)


def test_a_loop_goes_through_a_name_that_it_binds(forms_agree):
    def in_else(x, z):
        for row in x:
            z = z + row[0]
            if z > 100.0:
                break
        else:
            x = x - 0.1
        return np.sum(x) * z

    def in_the_body(x, z):
        for v in x[:, 1]:
            x = x * 2.0
            z = z + v * x[0, 0]
        return np.sum(x) * z

    def as_its_target(x, z):
        for x in x:
            z = z + x * x
        return np.sum(x * z)

    for fn in (in_else, in_the_body, as_its_target):
        forms_agree(fn, np.array([[0.7, 1.2, -0.5], [0.3, -0.8, 1.1]]), 1.5)


@pytest.mark.parametrize("x, n", [(0.5, 3), (0.9, 9), (0.9, 2)])
def test_a_name_that_is_asked_and_an_else(x, n, forms_agree):
    def f(x, n):
        going = True
        while going:
            x = x * x
            n -= 1
            if x < 0.01:
                break
            going = n > 0
        else:
            x = x * 3.0
        return x

    forms_agree(f, x, n)


def rewritten(text):
    return show(with_appends(program_of(text)))


def test_the_list_is_bound_anew_meanwhile():
    """The item goes into the list that was there before."""
    kept = rewritten("""
        out = []
        out.append(f((out := [x])))
    """)
    assert "t_1 = out.append" in kept


@pytest.mark.parametrize(
    "text",
    [
        "out = make()\nout.append(f(x))",
        "if x:\n    out = []\nout.append(f(x))",
        "out = []\nadd = out.append\nfor x in xs:\n    add(f(x))",
        "out = []\nfor out in x:\n    out.append(f(x))",
        "out = []\ndel out\nout.append(f(x))",
        "out = [0.0] * x\nout.append(f(x))",
    ],
)
def test_what_is_left_as_it_is(text):
    text = "\n".join("    " + line for line in text.splitlines())
    assert rewritten(text) == show(program_of(text))


def test_several_lists_and_loops():
    made = rewritten("""
        a, b = [], []
        for x in xs:
            a.append(f(x))
            while x > b[-1]:
                b.append(g(a[-1]))
    """)
    assert "= a.append" not in made and "= b.append" not in made


def collected(xs, k):
    out = []
    for x in xs:
        out.append(math.sin(x * k) * x)
        out.append(abs(x) if x > k else math.exp(x))
    return sum(out) * out[0]


def inner(xs, k):
    rows = []
    for x in xs:
        row = []
        for n in range(3):
            row.append(math.cos(x * n) * k)
        rows.append(row)
    s = 0.0
    for each in rows:
        for y in each:
            s += y * y
    return s


@pytest.mark.parametrize("fn", [collected, inner])
def test_programs_are_fused(fn):
    check_forms(fn, [0.3, 0.8, -0.4, 1.2], 0.7, fused=True)


def test_the_order_of_what_others_see():
    """An object that is no list has its attribute asked for first, as Python does."""
    seen = []

    class Sink:
        def __getattr__(self, name):
            seen.append(name)
            return lambda x: seen.append(x)

    def note(x):
        seen.append("argument")
        return x

    def f(x):
        out = Sink()
        out.append(note(x))
        return x * x

    assert gradient(f, 3.0) == (6.0,)
    assert seen == ["append", "argument", 3.0]


def test_a_list_that_is_not_bound():
    def f(x):
        if x > 0.0:
            out = []
        out.append(math.log(x))
        return x

    with pytest.raises(UnboundLocalError):
        gradient(f, -1.0)


def counted(x, n):
    for i in range(n):
        x = x * 0.9
        if x < 0.5:
            return x * i
    return x * 2.0


def solved(x, n):
    for _ in range(n):
        step = (x * x - 2.0 * x - 1.0) / (2.0 * x - 2.0)
        x = x - step
        if abs(step) < 1e-12:
            return x
    raise RuntimeError("no convergence")


def repeated(x, n):
    k = 0
    while True:
        x, k = x * 0.8, k + 1
        if x < 0.1:
            return x * k
        if k > n:
            return x


def with_a_break(x, n):
    for i in range(n):
        x = x * 0.9
        if x > 1.5:
            break
        if x < 0.6:
            return x * i
    x = x * 2.0
    return x * x


def of_loops_in_loops(x, n):
    for i in range(n):
        for j in range(n):
            if i * j * x > 2.0:
                return x * i * j
            if j > 3:
                break
        else:
            x += 0.1
        x *= 1.1
    else:
        return x * 3.0


def loops_in_turn(x, n):
    if x > 5.0:
        return x
    total = 0.0
    for i in range(n):
        total += x * i
        if total > 30.0:
            return total * x
    while total > 1.0:
        total *= 0.5
        if total < 3.0:
            return total
    return total + x


def in_an_else(x, n):
    for _ in range(n):
        if x > 1.5:
            break
        x *= 1.2
    else:
        return x * x
    return x


def of_a_pair(x, n):
    for i in range(n):
        x *= 1.1
        if x > 1.0:
            return x, x * i
    return x, 0.0


def called(x, n):
    a, b = of_a_pair(x, n)
    total = solved(x + 2.0, 50) * a + b
    for k in range(3):
        total += loops_in_turn(x + 0.1 * k, n)
    return total


RETURNING = [
    counted, repeated, with_a_break, of_loops_in_loops, loops_in_turn, in_an_else, called,
]  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 7])
@pytest.mark.parametrize("x", [0.83, 1.57])
@pytest.mark.parametrize("f", RETURNING, ids=lambda f: f.__name__)
def test_returns_in_loops(f, x, n):
    assert astad.value_and_grad(f)(x, n)[0] == f(x, n)
    check_gradient(f, x, n)


@pytest.mark.parametrize("f", RETURNING, ids=lambda f: f.__name__)
def test_functions_that_return_in_loops_are_fused(f):
    gradient(f, 0.63, 7)
    assert any(variants_of(f).fused.values())


def test_an_array_found_in_a_loop():
    def fixed_point(v, x):
        for _ in range(200):
            w = np.tanh(v * x) + 0.1
            if np.max(np.abs(w - v)) < 1e-12:
                return np.sum(w)
            v = w
        return np.sum(v) * 2.0

    check_gradient(fixed_point, np.array([1.0, 2.0]), 0.7)


def test_what_is_raised_behind_a_loop_that_returns():
    with pytest.raises(RuntimeError, match="no convergence"):
        gradient(solved, 3.0, 1)


def test_nothing_is_returned_behind_the_loop():
    def found(x, n):
        for i in range(n):
            x *= 1.1
            if x > 1.0:
                return x * i

    def of_found(x, n):
        value = found(x, n)
        return x if value is None else value * x

    for n in (0, 2, 9):
        check_gradient(of_found, 0.7, n)


def test_a_generator_that_returns_in_its_loop():
    def falling(x, n):
        for _ in range(n):
            x *= 0.8
            if x < 0.3:
                return
            yield x
        yield x * x

    def total(x, n):
        return sum(v * v for v in falling(x, n))

    for n in (0, 2, 9):
        check_gradient(total, 0.7, n)
