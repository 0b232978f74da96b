"""What the documents promise in passing: row 999.05.

The other rows wait for forward mode, nesting and try.
"""

import importlib
import math
import sys

import pytest

from astad import gradient

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
