"""Kinds and activity: what is proved of each name."""

import math

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def facts(fn, *kinds, wanted=None):
    parsed = [parse_kind(kind) for kind in kinds]
    made = compile_function(fn, parsed, wanted or [True] * len(kinds), fused=False)
    return made.stages.facts


def kinds_in(fn, *kinds):
    found = facts(fn, *kinds)
    return {name: kind.text for name, kind in found.kind.items() if "_" not in name}


def test_arithmetic_of_numbers():
    def f(x, n):
        a = x * n
        b = n * 2
        c = n / 2
        d = n // 2 + n % 3
        e = a < b
        g = -x + abs(a)
        h = math.sin(n)
        return a + b + c + d + g + h if e else x

    found = kinds_in(f, "float", "int")
    wanted = dict(a="float", b="int", c="float", d="int", e="bool", g="float", h="float")
    assert {name: found[name] for name in wanted} == wanted


def test_arrays_and_their_ranks():
    def f(w, v, x):
        a = w @ v
        b = a * x + v
        c = np.sum(b)
        d = np.sum(w, axis=0)
        e = v[0] * x
        g = w.shape[0]
        h = np.tanh(w) + v
        return c * e + np.sum(d) + g + np.sum(h)

    found = kinds_in(f, "ndarray2", "ndarray1", "float")
    wanted = dict(
        a="ndarray1", b="ndarray1", c="floating", d="ndarray1", e="floating", g="int", h="ndarray2"
    )
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("x", "x * 2", "float"),
        ("n", "x", "real"),
        ("v", "v * x", "ndarray1"),
        ("v", "x", "unknown"),
        ("None", "'a'", "inert"),
        ("None", "x", "unknown"),
    ],
)
def test_a_name_bound_on_two_paths(tmp_path, first, second, both):
    path = tmp_path / "paths.py"
    path.write_text(
        f"def f(x, n, v):\n    if x > 0:\n        y = {first}\n    else:\n"
        f"        y = {second}\n    return y\n"
    )
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    assert kinds_in(space["f"], "float", "int", "ndarray1")["y"] == both


def test_a_loop_raises_a_kind_until_it_holds():
    def f(x, n):
        a = 0
        b = 1
        for i in range(n):
            b = a
            a = a + x
        return a * b

    found = kinds_in(f, "float", "int")
    assert (found["a"], found["b"], found["i"]) == ("real", "real", "int")


def test_only_what_leads_from_a_wanted_argument_is_active():
    def f(x, y, n):
        a = x * 2.0
        b = y * 2.0
        c = a > b
        d = b + n
        return a * d if c else b

    found = facts(f, "float", "float", "int", wanted=[True, False, False])
    assert {name for name in "xynabcd" if name in found.active} == {"x", "a"}
    assert not found.dispatches


def test_calls_of_unknown_functions_are_dispatched():
    def f(x, g):
        return g(x) * x

    found = facts(f, "float", "unknown")
    assert found.dispatches
    assert set(found.treatment.values()) == {"dispatch"}
