"""What different arms keep shares its places in the tuple of a pair."""

import math
import re

import pytest

from astad import gradient, pullback
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.testing import check_gradient


def kept(fn, *kinds):
    """The names that the pullback unpacks."""
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind != "int" for kind in kinds]
    text = compile_function(fn, parsed, wanted, fused=False).text.source
    return re.search(r"^    (.*) = kept$", text, re.MULTILINE)[1].split(", ")


def chosen(x, y, n):
    if n > 2:
        u = math.sin(x * y)
        r = u * u * y
    elif n > 1:
        v = math.exp(x + y)
        r = v * x * v
    else:
        w = math.cos(x)
        r = w * w
    return r * y


def test_arms_share(forms_agree):
    assert len(kept(chosen, "float", "float", "int")) < 9
    for n in (1, 2, 3):
        forms_agree(chosen, 0.7, 1.3, n)


def test_what_is_read_after_the_branch_does_not(forms_agree):
    def f(x, y, n):
        t = 0.0
        s = 1.0
        if n > 1:
            t = math.exp(x * y)
            r = t * x
        else:
            s = math.exp(x + y)
            r = s * y
        return r * t * s

    for n in (1, 2):
        forms_agree(f, 0.7, 1.3, n)


def test_arms_of_two_branches(forms_agree):
    def f(x, y, n):
        if n > 1:
            a = math.exp(x * y)
            r = a * a
        else:
            b = math.exp(x + y)
            r = b * b
        if n > 2:
            c = math.sin(r * x)
            r = r + c * c
        else:
            d = math.cos(r * y)
            r = r + d * d * x
        return r

    for n in (1, 2, 3):
        forms_agree(f, 0.2, 0.3, n)


def test_arms_in_a_loop(forms_agree):
    def f(x, n):
        s = x
        for i in range(n):
            if s > 1.0:
                a = math.exp(-s * x)
                s = a * a * s
            else:
                b = math.sin(s)
                s = s + b * b + x
        return s

    for n in (0, 1, 4):
        forms_agree(f, 0.7, n)


def fall(x, n):
    if n == 0:
        return x
    if x > 1.0:
        return 0.5 * fall(x * 0.7, n - 1) + math.sin(x)
    return x * fall(x + 0.3, n - 1)


def test_recursion(forms_agree):
    for n in (0, 1, 7):
        forms_agree(fall, 0.41, n)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_pullback_serves_twice(n):
    _, back = pullback(chosen, 0.7, 1.3, n)
    assert back(1.0) == back(1.0) == gradient(chosen, 0.7, 1.3, n)


def of_global(x, table):
    if table["a"] > 2.0:
        return x * SCALE
    x -= x * x
    return x


SCALE = 0.7


@pytest.mark.parametrize("a", [1.0, 3.0])
def test_what_stands_for_a_global_has_no_place(a):
    """It is bound nowhere: another value in its place would not be seen."""
    assert check_gradient(of_global, 0.6, {"a": a}, argnums=0).outcome == "right"
