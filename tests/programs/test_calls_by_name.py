"""Functions that call the user's own functions: recursion, arrays, exceptions, names bound anew."""

import math
import sys
import traceback
from types import FunctionType

import numpy as np
import pytest

import astad
from astad import gradient, pullback
from astad.errors import AstadError
from astad.runtime.core.variants import variants_of
from astad.testing import check_gradient
from tests.compiler.forms import check_forms


def text_of(fn, wanted=(0,)):
    """The fused text that answered the last gradient."""
    return variants_of(fn).fused[wanted][-1].text.source


# --- recursion


def descend(x, n):
    if n == 0:
        return x
    if x > 1.0:
        return 0.5 * descend(x * 0.7, n - 1) + math.sin(x)
    return x * descend(x + 0.3, n - 1)


def fibonacci(x, n):
    if n < 2:
        return x * n + 0.5
    return fibonacci(x, n - 1) * 0.5 + fibonacci(math.sin(x), n - 2)


def even(x, n):
    return x if n == 0 else x * odd(x, n - 1)


def odd(x, n):
    if n == 0:
        return math.cos(x)
    return even(x * 0.9, n - 1) + x


def halves(a, lo, hi):
    if hi - lo == 1:
        return a[lo] * a[lo]
    mid = (lo + hi) // 2
    return halves(a, lo, mid) + math.sin(halves(a, mid, hi))


def total(a, i):
    if i == len(a):
        return 0.0
    return a[i] * a[i] + total(a, i + 1) * 0.9


def smooth(a, n):
    if n == 0:
        return a
    return smooth(np.tanh(a) + 0.1 * a, n - 1)


def norm_after(a, n):
    return np.sum(smooth(a, n) * a)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (descend, (0.41, 7)),
        (descend, (2.5, 0)),
        (fibonacci, (0.7, 8)),
        (even, (0.7, 5)),
        (even, (0.7, 0)),
        (odd, (1.3, 4)),
        (total, (np.array([0.3, -0.7, 1.1]), 0)),
        (halves, (np.array([0.3, -0.7, 1.1, 0.2, 0.5]), 0, 5)),
        (norm_after, (np.array([0.3, -0.7, 1.1]), 3)),
        (norm_after, (np.array([0.3, -0.7, 1.1]), 0)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_recursion(fn, args):
    check_forms(fn, *args, fused=True)
    check_gradient(fn, *args)


def test_recursion_has_no_dispatcher():
    gradient(descend, 0.41, 7)
    gradient(even, 0.41, 7)
    for fn in (descend, even):
        text = text_of(fn, (0, 1))
        assert "call(" not in text.replace("_call(", "") and "pull(" not in text


def test_deep_recursion():
    assert astad.grad(descend)(0.41, 900) == pytest.approx(pullback(descend, 0.41, 900)[1](1.0)[0])


def test_elements_read_by_a_recursion_fill_one_buffer():
    a = np.linspace(0.1, 0.9, 400)
    (found,) = astad.grad(total, argnums=(0,))(a, 0)
    np.testing.assert_allclose(found, 2 * a * 0.9 ** np.arange(400))
    gradient(total, a, 0)
    head, pullback = text_of(total, (0, 1)).split("def total_pullback")
    assert "a_bar[i] += " in pullback and "zeros" not in pullback


def test_recursion_that_never_ends_is_pythons_error():
    with pytest.raises(RecursionError):
        gradient(endless, 1.0)


def endless(x):
    return endless(x * 0.5)


# --- operands and results


def affine(a, b):
    y = 0.0
    for _ in range(2):
        y = y + a * b
    return y


def twice_the_same(x):
    return affine(x, x) * x


def unused(x):
    affine(x, 2.0)
    y = affine(3.0, x)
    return x * x + 0.0 * len([y])


def never_read(x):
    y = affine(x, x)
    y = x * 2.0
    return y


def two_patterns(x, a):
    return affine(x, 2) + np.sum(affine(a, x)) + affine(x, x)


def in_a_loop(x, n):
    y = x
    for i in range(n):
        if i % 2 == 0:
            y = affine(y, x) * 0.5
    return y


def as_loop_condition(x):
    n = 0
    while affine(x, 0.5) < 20.0 and n < 30:
        x = affine(x, 1.0) - x * 0.5
        n = n + 1
    return x * n


def sign(x):
    if x > 0:
        return True
    return False


def steps(x):
    n = 0
    while n < x:
        n = n + 1
    return n


def quiet_results(x):
    if sign(x):
        return x * steps(2.5)
    return x


def same(a):
    if a.ndim == 7:
        return a * 2.0
    return a


def returned_unchanged(a):
    b = same(a)
    return np.sum(a * b * b)


def reversed_view(a, n):
    return a[::-1] if n == 0 else reversed_view(a, n - 1)


def written_after_alias(a):
    a = a * 1.0
    b = reversed_view(a, 1)
    y = np.sum(a * a)
    b[0] = 5.0
    return y + np.sum(a * b)


def fill(a, x):
    for i in range(len(a)):
        a[i] = a[i] * x
    return a[0]


def written_by_callee(a, x):
    a = a * 1.0
    y = np.sum(a * a)
    z = fill(a, x)
    return y * z + np.sum(a * a * a)


def both(x, n):
    if n == 0:
        return x, x * x
    a, b = both(x * 0.5, n - 1)
    return a + b, a * b


def several_results(x):
    a, b = both(x, 3)
    return a * b + a


ARRAY = np.array([0.3, -0.7, 1.1])


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (twice_the_same, (0.7,)),
        (unused, (0.7,)),
        (never_read, (0.7,)),
        (two_patterns, (0.7, ARRAY)),
        (two_patterns, (0.7, np.array([]))),
        (in_a_loop, (0.7, 3)),
        (in_a_loop, (0.7, 0)),
        (as_loop_condition, (1.3,)),
        (quiet_results, (1.3,)),
        (returned_unchanged, (ARRAY,)),
        (written_after_alias, (ARRAY,)),
        (written_by_callee, (ARRAY, 1.3)),
        (several_results, (0.7,)),
        (reversed_view, (ARRAY, 2)),
        (same, (ARRAY,)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_operands_and_results(fn, args):
    check_forms(fn, *args)


def constant(x, n):
    return 3.0 if n == 0 else constant(x, n - 1)


def sometimes(x, n):
    if n == 0:
        return 3.0
    return x


def only_counts(x, n):
    return constant(x, n) + 1.0


def sometimes_counts(x, n):
    for _ in range(2):
        y = sometimes(x, n)
    return y


def test_none_and_zero_come_from_the_text():
    assert gradient(only_counts, 2.0, 3) == (None, None)
    assert gradient(sometimes_counts, 2.0, 0) == (0.0, None)
    assert gradient(sometimes_counts, 2.0, 1) == (1.0, None)
    for fn in (only_counts, sometimes_counts):
        check_forms(fn, 2.0, 1)


# --- exceptions


def fragile(x, n):
    if n == 0:
        return math.log(x)
    return fragile(x - 1.0, n - 1) * 2.0


def outer(x, n):
    return fragile(x, n) + 1.0


def test_exception_in_a_callee_names_the_users_lines():
    with pytest.raises(ValueError, match="math domain error") as caught:
        gradient(outer, 1.5, 2)
    lines = [
        (frame.name, frame.lineno - outer.__code__.co_firstlineno)
        for frame in traceback.extract_tb(caught.value.__traceback__)
        if frame.filename == __file__ and frame.name in ("outer", "fragile")
    ]
    first = fragile.__code__.co_firstlineno - outer.__code__.co_firstlineno
    assert lines == [("outer", 1), *[("fragile", first + 3)] * 2, ("fragile", first + 2)]


def root(x, n):
    if x < 0.0:
        raise ValueError("a negative number")
    if n == 0:
        return x
    return math.sqrt(root(x + n, n - 1))


def checked(x, n):
    if n > 5:
        raise TypeError(f"{n} is too much")
    return root(x, n) * x


def test_callees_that_may_raise_have_no_dispatcher():
    check_forms(checked, 1.5, 3, fused=True)
    with pytest.raises(TypeError, match="^6 is too much$"):
        gradient(checked, 1.5, 6)
    with pytest.raises(ValueError, match="^a negative number$"):
        gradient(checked, -1.5, 2)
    assert "dispatch" not in text_of(checked, (0, 1)) and "call(" not in text_of(checked, (0, 1))


def carries(x):
    try_it = ValueError(x * 2.0)
    return try_it.args[0] * x


def test_what_an_exception_carries_has_a_derivative():
    assert gradient(carries, 3.0) == (12.0,)


def test_an_exception_leaves_nothing_behind():
    with pytest.raises(ValueError):
        gradient(outer, 1.5, 2)
    assert gradient(outer, 4.5, 2)[0] == pytest.approx(4 / 2.5)


# --- names bound anew


def copies(*functions):
    """The same functions in a module of their own."""
    space = {"math": math, "np": np}
    for fn in functions:
        space[fn.__name__] = FunctionType(fn.__code__, space, fn.__name__)
    return space


def test_callee_bound_anew_between_two_gradients():
    space = copies(affine, twice_the_same)
    f = space["twice_the_same"]
    assert gradient(f, 2.0) == (24.0,)
    space["affine"] = lambda a, b: a + b
    assert gradient(f, 2.0) == (8.0,)


def test_code_replaced_between_two_gradients():
    space = copies(even, odd)
    before = gradient(space["even"], 0.7, 3)
    space["odd"].__code__ = (lambda x, n: 3.0 * x).__code__
    assert gradient(space["even"], 0.7, 3) == (pytest.approx(4.2), None) != before


def test_rule_declared_later():
    space = copies(affine, twice_the_same)
    f = space["twice_the_same"]
    assert gradient(f, 2.0) == (24.0,)
    astad.adjoint(space["affine"])(lambda a, b: (1.0, lambda y_bar: (7.0 * y_bar, 0.0)))
    assert gradient(f, 2.0) == (15.0,)


def rebind(space):
    space["affine"] = lambda a, b: a * 10.0


def rebinds_and_calls(x, space):
    y = affine(x, 2.0)
    rebind(space)
    return y + affine(x, 2.0)


def test_callee_bound_anew_in_the_middle_of_a_run():
    space = copies(affine, rebind, rebinds_and_calls)
    f = space["rebinds_and_calls"]
    try:
        found = gradient(f, 2.0, space)
    except AstadError as error:
        assert "affine" in str(error)
    else:
        assert found[0] == 14.0
    assert f(2.0, copies(affine)) == 40.0


def half(x):
    return x * 0.5


def rebind_half(space):
    space["half"] = lambda x: x * 10.0


def rebinds_what_is_written_out(x, space):
    y = half(x)
    for _ in range(2):
        y = y + half(x)
        rebind_half(space)
    return y


def test_a_callee_written_out_and_bound_anew_in_the_middle_of_a_run():
    space = copies(half, rebind_half, rebinds_what_is_written_out)
    f = space["rebinds_what_is_written_out"]
    with pytest.raises(AstadError, match="half: a name bound anew while"):
        gradient(f, 2.0, space)


# --- names


def shifted_by_clip(x, a, b):
    x += np.clip(a[1], b[1] - 6.0, 9.0)
    if len(a) < 2:
        return x
    return x * a[0]


def with_a_callee_that_clips(x, y):
    a = np.outer(np.array([x, y]), np.array([y, x]))
    return shifted_by_clip(0.1 * y, a.sum(axis=1), a @ a.ravel()[:2])


def test_helpers_and_variables_of_a_callee_have_names_of_their_own():
    """`kept` is what a pullback is handed, and a helper of the rule of clip."""
    check_forms(with_a_callee_that_clips, 0.7, 0.3)
    assert "chosen(kept_1(" in text_of(with_a_callee_that_clips, (0, 1))


# --- tracers


def test_a_tracer_meets_every_line_of_a_callee():
    seen = []

    def trace(frame, event, arg):
        if frame.f_code.co_name == "fibonacci":
            seen.append((event, frame.f_lineno))
        return trace

    gradient(fibonacci, 0.7, 3)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = gradient(fibonacci, 0.7, 3)
    finally:
        sys.settrace(before)
    assert found == pytest.approx(gradient(fibonacci, 0.7, 3))
    first = fibonacci.__code__.co_firstlineno
    lines = [line - first for event, line in seen if event == "line"]
    assert {1, 2, 3} <= set(lines)
