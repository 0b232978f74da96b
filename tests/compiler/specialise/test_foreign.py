"""Functions of other modules are written out and called by name as those of the same module."""

import importlib
import math
import sys

import numpy as np
import pytest

import astad
from astad.runtime.core.variants import variants_of

UNITS = """
import math
import numpy as np

SCALE = 1.5
COUNT = 3
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]])


def abs(x):
    return 3.0 * x


def helper(x):
    return SCALE * x


def soft(x):
    return math.log(1.0 + math.exp(helper(x)))


def mix(a, b, w=0.3):
    return w * a + (1.0 - w) * b * helper(a)


def power(x):
    y = 1.0
    for _ in range(COUNT):
        y = y * x
    return y


def clipped(x):
    if x > 1.0:
        return helper(x)
    return abs(x)


def fact(x, n):
    if n == 0:
        return 1.0
    return x * fact(x, n - 1)


def product(v):
    return MATRIX @ v


def applied(f, x):
    return f(f(x)) * SCALE


def made(a):
    return lambda x: a * x * SCALE


def failing(x):
    return math.log(x)
"""

USER = """
import foreign_units as units
from foreign_units import applied, clipped, fact, failing, made, mix, power, product, soft
import numpy as np

SCALE = 100.0


def straight(x, y):
    return units.soft(x) * mix(x, y) + soft(y) * units.mix(y, x, w=SCALE * 0.01)


def branching(x):
    return clipped(x) * clipped(2.0 * x) + power(x) + fact(x, 4)


def arrays(v):
    return np.sum(product(v) * units.product(v))


def handing(x):
    return applied(lambda t: t * t + SCALE * x, x)


def making(x):
    return made(x)(x)


def broken(x):
    return failing(x - 5.0)
"""


@pytest.fixture
def user(tmp_path, monkeypatch):
    for name, text in (("foreign_units", UNITS), ("foreign_user", USER)):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("foreign_user")
    for name in ("foreign_units", "foreign_user"):
        del sys.modules[name]


def is_fused(f, *args):
    astad.gradient(f, *args)
    return any(variants_of(f).fused.values())


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("straight", (0.4, 0.9)),
        ("branching", (0.7,)),
        ("arrays", (np.array([1.0, 0.5]),)),
        ("handing", (0.4,)),
    ],
)
def test_written_out(user, forms_agree, name, args):
    f = getattr(user, name)
    assert is_fused(f, *args)
    forms_agree(f, *args)


def test_functions_that_it_makes_are_left_to_it(user, forms_agree):
    forms_agree(user.making, 0.4)


def near(f, x, y):
    h = 1e-6
    return (f(x + h, y) - f(x - h, y)) / (2 * h)


def test_globals_of_the_other_module_are_read_live(user, monkeypatch):
    units = sys.modules["foreign_units"]
    before = astad.gradient(user.straight, 0.4, 0.9)
    monkeypatch.setattr(units, "SCALE", 2.5)
    after = astad.gradient(user.straight, 0.4, 0.9)
    assert after != before
    assert math.isclose(after[0], near(user.straight, 0.4, 0.9), rel_tol=1e-6)
    monkeypatch.setattr(units, "helper", lambda x: x * x)
    assert math.isclose(
        astad.gradient(user.straight, 0.4, 0.9)[0], near(user.straight, 0.4, 0.9), rel_tol=1e-6
    )
    monkeypatch.setattr(units, "SCALE", np.float64(2.0))
    assert astad.gradient(user.branching, 0.7) == pytest.approx(
        ((user.branching(0.7 + 1e-6) - user.branching(0.7 - 1e-6)) / 2e-6,), rel=1e-6
    )


def test_a_module_that_takes_the_place_of_the_other(user, tmp_path):
    astad.gradient(user.straight, 0.4, 0.9)
    (tmp_path / "foreign_units.py").write_text(UNITS.replace("SCALE * x", "SCALE * x * x"))
    del sys.modules["foreign_units"]
    fresh = importlib.import_module("foreign_units")
    assert math.isclose(
        astad.gradient(user.straight, 0.4, 0.9)[0], near(user.straight, 0.4, 0.9), rel_tol=1e-6
    )
    user.units, user.soft, user.mix = fresh, fresh.soft, fresh.mix
    assert math.isclose(
        astad.gradient(user.straight, 0.4, 0.9)[0], near(user.straight, 0.4, 0.9), rel_tol=1e-6
    )


def test_an_error_shows_the_line_of_the_other_module(user):
    with pytest.raises(ValueError, match="math domain error") as caught:
        astad.gradient(user.broken, 2.0)
    assert caught.traceback[-1].path.name == "foreign_units.py"
    assert "math.log(x)" in str(caught.traceback[-1].statement)
