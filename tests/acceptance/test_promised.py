"""What the documents promise in passing: rows 999.01 to .03, and .05."""

import importlib
import math
import sys

import pytest

from astad import gradient, jvp

PLAIN = """
import math


def wave(x):
    return math.sin(x)
"""
MARKED = """
import astad
from promised_plain import wave


class Counter:
    def add(self, total, x):
        return total + wave(x)


@astad.differentiable
def f(x):
    counter = Counter()
    total = 0.0
    for i in range(5):
        if i == 2:
            continue
        total = counter.add(total, x)
    return total
"""


def test_999_05_a_marked_module_calls_an_unmarked_function_and_a_method(tmp_path, monkeypatch):
    (tmp_path / "promised_plain.py").write_text(PLAIN)
    (tmp_path / "promised_marked.py").write_text(MARKED)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        module = importlib.import_module("promised_marked")
        assert gradient(module.f, 0.5) == pytest.approx((4 * math.cos(0.5),), rel=1e-15)
    finally:
        sys.modules.pop("promised_marked", None)
        sys.modules.pop("promised_plain", None)


def test_999_01_levels_are_not_confused():
    assert gradient(lambda x: x * gradient(lambda y: x + y, x)[0], 1.0) == (1.0,)


def test_999_02_second_derivatives():
    found = gradient(lambda x: gradient(math.sin, x)[0], 0.5)
    assert found == pytest.approx((-0.479425538604203,), rel=1e-15)
    assert gradient(lambda x: gradient(lambda y: y**4, x)[0], 2.0) == (48.0,)


def test_999_03_a_derivative_along_a_direction():
    y, y_dot = jvp(lambda a, b: a / (a + b * b), (2.0, 3.0), (1.0, 1.0))
    assert y == pytest.approx(2 / 11, rel=1e-15)
    assert y_dot == pytest.approx(-3 / 121, rel=1e-14)
