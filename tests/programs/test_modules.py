"""Small modules in natural style: each defines ``f``, which is compared in every form of its
derivative with the plain run and with central differences.

The modules lie in ``modules/``, a topic a file: what comes before the first title is put before
each.
A title is ``#--- title: arguments``; the arguments are 1.3 where none are given. The module is
loaded anew for every run, so state that it keeps is that of a fresh process.
"""

import contextlib
import importlib.util
import io
import itertools
import re
import sys
from pathlib import Path

import pytest

from astad import gradient, pullback, value_and_grad

from ..compiler.forms import only_generic

FOLDER = Path(__file__).parent / "modules"
TITLE = re.compile(r"^#--- ([^:\n]+)(?:: (.*))?$", re.MULTILINE)
STEPS = (1e-3, 1e-4, 1e-5)


def _modules():
    for path in sorted(FOLDER.glob("*.txt")):
        head, *parts = TITLE.split(path.read_text(encoding="utf-8"))
        for title, args, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            given = [float(word) for word in (args or "1.3").split(",")]
            yield pytest.param(head + body, given, id=f"{path.stem}-{title.replace(' ', '_')}")


@pytest.mark.parametrize(("source", "args"), [*_modules()])
def test_every_form_agrees_with_differences(source, args, tmp_path):
    def fresh(count=itertools.count()):
        return _load(source, tmp_path / f"module_{next(count)}.py").f

    with contextlib.redirect_stdout(io.StringIO()):
        y = fresh()(*args)
        expected = [_differences(fresh, args, at) for at in range(len(args))]
        _compare("gradient", y, gradient(fresh(), *args), y, expected)
        every = tuple(range(len(args)))
        _compare("fused", *value_and_grad(fresh(), every)(*args), y, expected)
        value, back = pullback(fresh(), *args)
        _compare("pair", value, back(1.0), y, expected)
        with only_generic():
            value, back = pullback(fresh(), *args)
            _compare("generic", value, back(1.0), y, expected)


def _load(source, path):
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _differences(fresh, args, at):
    """By several steps: one that is too long or too short is no matter."""

    def moved(by):
        return float(fresh()(*[*args[:at], args[at] + by, *args[at + 1 :]]))

    return [(moved(h) - moved(-h)) / (2 * h) for h in STEPS]


def _compare(form, value, bars, y, expected):
    assert float(value) == pytest.approx(float(y), rel=1e-13, nan_ok=True), f"{form}: value"
    for bar, found in zip(bars, expected, strict=True):
        bar = 0.0 if bar is None else float(bar)
        close = any(bar == pytest.approx(each, rel=2e-6, abs=2e-6) for each in found)
        assert close, f"{form}: gradient {bar}, by differences {found}"
