"""`compiler/specialise/appends.py`: the method of a list is looked up when it is called."""

import math

import pytest

from astad import gradient
from astad.compiler.ir.text import show
from astad.compiler.lower.function import program_of
from astad.compiler.specialise.appends import with_appends
from tests.compiler.forms import check_forms


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
