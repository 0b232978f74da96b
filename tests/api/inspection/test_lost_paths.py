"""Why an argument has no derivative: the right lines, with the right reasons."""

import functools
import math

import numpy as np
import pytest

import astad


def at(function, *pairs):
    """Lines counted from that of the ``def``, and parts of the reasons."""
    first = function.__code__.co_firstlineno
    return [(first + offset, part) for offset, part in pairs]


def check(found, expected):
    assert [end.line for end in found] == [line for line, _ in expected], str(found)
    for end, (_, part) in zip(found, expected, strict=True):
        assert part in end.why


def converted(x):
    n = int(x)
    if x > 0:
        y = 2.0
    else:
        y = 3.0
    return y * n


def bound_anew(x):
    x = 3.0
    return x


def counted(x):
    k = np.argmax(x)
    return float(k) + len(x)


def hidden(text):
    space = {}
    exec(text, space)
    return space["noted"]


noted = hidden("def noted(x):\n    for each in (x,):\n        print(each)")


def told_where_no_text_is(x, loud=False):
    if loud:
        noted(x)
    return 2.0


def never_read(x):
    return 3.0


def dropped(x):
    y = astad.dropgrad(x)
    return y * 2.0


def in_steps(x):
    try:
        y = x // 2
    except ValueError:
        y = 0.0
    return y


def computed_in_vain(x):
    y = x * x
    z = 2.0
    return z


def printed(x):
    text = f"{x} {x!r}"
    return len(text) * 1.0


def subscript(x):
    a = [1.0, 2.0, 3.0]
    return a[x]


def shaped(x):
    n, m = x.shape
    return float(n * m)


def decided(x):
    while x:
        return 1.0
    return 2.0


def compared(x):
    return 1.0 if 0.0 < x < 3.0 else 2.0


def raised(x):
    if x < 0:
        raise ValueError(x)
    return 1.0


def through_names(x):
    a = x * 2.0
    b = a + 1.0
    c = np.floor(b)
    return c * 3.0


def in_loop(xs):
    n = 0.0
    for x in xs:
        if x > 1.0:
            n = n + 1.0
    return n


def rounded(x):
    return round(x) * 2.0


def by_method(x):
    return float(x.argmax())


PROGRAMS = [
    (converted, (1.5,), [(1, "int()"), (2, "a comparison gives a truth")]),
    (bound_anew, (1.5,), [(1, "x is bound anew before it is read")]),
    (counted, (np.ones(2),), [(1, "np.argmax"), (2, "len")]),
    (never_read, (1.0,), [(0, "x is never read")]),
    (dropped, (1.0,), [(1, "astad.dropgrad lets no derivative pass")]),
    (in_steps, (1.0,), [(2, "// is constant")]),
    (computed_in_vain, (1.0,), [(1, "y is not read after this")]),
    (printed, (1.0,), [(1, "it becomes text")]),
    (subscript, (1,), [(2, "a subscript carries no derivative")]),
    (shaped, (np.ones((2, 2)),), [(1, ".shape carries no derivative")]),
    (decided, (1.0,), [(1, "it decides which branch runs")]),
    (compared, (1.0,), [(1, "a comparison")]),
    (told_where_no_text_is, (1.0,), [(2, "no derivative goes on from noted")]),
    (raised, (1.0,), [(1, "a comparison"), (2, "it becomes part of an exception")]),
    (through_names, (1.0,), [(3, "np.floor: ")]),
    (in_loop, ([1.0, 2.0],), [(3, "a comparison")]),
    (rounded, (1.5,), [(1, "round() gives a rounded number")]),
    (by_method, (np.ones(2),), [(1, ".argmax gives what carries no derivative")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "args", "expected"), PROGRAMS, ids=lambda v: getattr(v, "__name__", None)
)
def test_the_ways_end(program, args, expected):
    why = astad.why_none(program, *args)
    assert why.through == ()
    check(why.ends, at(program, *expected))
    assert f"{why.argument} of {program.__name__} has no derivative: every way" in str(why)
    (bar,) = astad.gradient(program, *args)
    assert bar is None or not np.any(bar)


def inner(v, w):
    m = math.floor(v)
    if v > 3:
        m = m + 1
    return m * w


def middle(v, w):
    return inner(v, w) + 1.0


def outer(x, y):
    z = middle(x, y)
    return z * 2


def test_a_callee_is_followed():
    why = astad.why_none(outer, 1.0, 2.0)
    assert [(end.function, end.depth) for end in why.ends] == [
        ("outer", 0), ("middle", 1), ("inner", 2), ("inner", 2),
    ]  # fmt: skip
    check(why.ends[2:], at(inner, (1, "math.floor"), (2, "a comparison")))
    assert why.ends[0].text == "z = middle(x, y)"


def test_another_argument_has_a_derivative():
    why = astad.why_none(outer, 1.0, 2.0, argnum=1)
    assert why.argument == "y"
    assert why.gradient == 2.0
    assert str(why).startswith("y of outer has a derivative")


def recursive(x, n):
    if n == 0:
        return 1.0
    return recursive(x, n - 1)


def test_recursion_ends():
    why = astad.why_none(recursive, 1.0, 3)
    assert why.gradient is None
    assert why.ends


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def steps(self, x):
        return np.floor(x) * self.factor

    def __call__(self, x):
        return self.steps(x)


@pytest.mark.parametrize("call", [Scale(2.0).steps, functools.partial(Scale.steps, Scale(2.0))])
def test_a_method_and_a_partial_object(call):
    why = astad.why_none(call, 1.5)
    assert why.argument == "x"
    check(why.ends, at(Scale.steps, (1, "np.floor")))


def test_a_callable_object():
    why = astad.why_none(Scale(2.0), 1.5)
    assert why.argument == "x"


def test_a_function_of_numpy():
    why = astad.why_none(np.floor, 1.5)
    assert "constant between its jumps" in why.ends[0].why
    assert "has no derivative" in str(why)


def test_a_branch_that_did_not_run():
    def chosen(x, flag=False):
        y = 1.0
        if flag:
            y = x * 2
        return y

    why = astad.why_none(chosen, 1.0)
    assert why.gradient == 0.0
    assert [end.line for end in why.through] == [line for line, _ in at(chosen, (3, ""), (4, ""))]
    assert "the derivative is zero in this run, though a way leads to the result" in str(why)


def test_the_text_can_be_read_at_a_glance():
    line = bound_anew.__code__.co_firstlineno + 1
    assert str(astad.why_none(bound_anew, 1.0)) == (
        "x of bound_anew has no derivative: every way from it ends\n"
        f"  test_lost_paths.py:{line}: x = 3.0  # x is bound anew before it is read"
    )


@astad.nondifferentiable
def frozen(x):
    return x * 2.0


def thawed(x):
    return frozen(x)


def test_a_declared_function():
    why = astad.why_none(thawed, 1.0)
    assert why.gradient is None
    check(why.ends, at(thawed, (1, "frozen lets no derivative pass")))


@pytest.mark.parametrize("argnum", [1, -2, 7])
def test_an_argument_that_is_not_there(argnum):
    with pytest.raises(TypeError, match="positional arguments"):
        astad.why_none(never_read, 1.0, argnum=argnum)


def test_what_the_function_raises_is_raised():
    with pytest.raises(ValueError):
        astad.why_none(lambda x: math.log(x), -1.0)


def test_a_path_that_ends_is_none_whether_or_not_a_default_is_filled_in():
    def rounded(n, scale=0):
        factor = 10.0**scale
        return math.floor(n * factor + 0.5) / factor

    def rest(n, *more, k=2.0):
        return math.floor(n) * k + sum(more)

    def chosen(x, y, z=3.0):
        return math.floor(x) * y * z

    for arguments in [(5.45,), (5.45, 2)]:
        y, back = astad.pullback(rounded, *arguments)
        assert y == rounded(*arguments)
        assert back(1.0)[0] is None and astad.gradient(rounded, *arguments)[0] is None
    assert astad.pullback(rest, 5.45)[1](1.0) == astad.gradient(rest, 5.45) == (None,)
    assert (
        astad.pullback(rest, 5.45, 1.5, 2.5)[1](1.0)[1:] == astad.gradient(rest, 5.45, 1.5, 2.5)[1:]
    )
    assert (
        astad.pullback(chosen, 2.5, 4.0)[1](1.0) == astad.gradient(chosen, 2.5, 4.0) == (None, 6.0)
    )
    assert astad.pullback(chosen, y=4.0, x=2.5)[1](1.0) == ()
