"""Builtins that a program binds anew: the derivative of what runs then."""

import builtins
import math
import subprocess
import sys

import numpy as np
import pytest

import astad
from astad.errors import AstadError

pytestmark = pytest.mark.order_matters

X = 2.5


def modulus(x):
    return abs(-x) * x


def weighted(x):
    return sum([x, x * x, 3.0 * x])


def largest(x):
    return max(x, x * x, 2.0 * x)


def power(x):
    return pow(x, 3)


def ordered(x):
    first, second, _ = sorted([3.0 * x, x, 2.0 * x])
    return first * second * len([first, second])


def looped(x):
    total = 0.0
    for k, factor in enumerate([1.0, 2.0, 3.0]):
        total += factor * x**k
    return total


def paired(x):
    return [a * b for a, b in zip([x, 2.0 * x], [x, 1.0], strict=False)][0]


def in_arrays(x):
    return np.sum(abs(np.array([-x, x]))) * x


def caught(x):
    try:
        return abs(-x) * math.sqrt(x)
    except ValueError:
        return x


def helper(x):
    return min(x, 100.0) * x


def by_callee(x):
    return helper(x) + helper(2.0 * x)


def in_class(x):
    class Scale:
        def __init__(self, x):
            self.x = abs(x)

        def value(self):
            return self.x * round(self.x * 0.0 + 2.0)

    return Scale(x).value()


def cubed(x):
    return x * x * x


def second(first, *others):
    return 3.0 * others[0] + first


def product(items):
    total = 1.0
    for item in items:
        total = total * item
    return total


def doubled(items):
    return [item * 2.0 for item in items]


def from_one(items):
    return [(1, items[0]), (2, items[1]), (3, items[2])]


def swapped(a, b):
    return [(5.0 * a[1], b[0])]


def scaled(base, n):
    return 5.0 * base * n


CASES = [
    (modulus, "abs", cubed),
    (weighted, "sum", product),
    (largest, "max", second),
    (by_callee, "min", second),
    (power, "pow", scaled),
    (ordered, "sorted", doubled),
    (looped, "enumerate", from_one),
    (paired, "zip", swapped),
    (in_arrays, "abs", cubed),
    (caught, "abs", cubed),
    (in_class, "abs", cubed),
    (in_class, "round", cubed),
]


def instead_of(name, other):
    """For floats and arrays; the libraries that read the builtin have the old one."""
    original = getattr(builtins, name)

    def new(first, *rest, **options):
        of = first[0] if type(first) is list and first else first
        if type(of) in (float, np.float64, np.ndarray):
            return other(first, *rest)
        return original(first, *rest, **options)

    return new


class Bound:
    def __init__(self, name, other):
        self.name, self.other, self.original = name, other, getattr(builtins, name)

    def __enter__(self):
        vars(builtins)[self.name] = self.other

    def __exit__(self, *raised):
        vars(builtins)[self.name] = self.original


def results(f, x, h=1e-5):
    """By differences, and in three ways by astad."""
    wanted = f(x), (f(x + h) - f(x - h)) / (2 * h)
    y, back = astad.pullback(f, x)
    value, bar = astad.value_and_grad(f)(x)
    return wanted, (y, back(1.0)[0]), (value, bar), (value, astad.gradient(f, x)[0])


def compare(found):
    wanted, *others = found
    for each in others:
        assert each == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("f", "name", "other"), CASES)
def test_a_builtin_bound_anew_between_gradients(f, name, other, monkeypatch):
    before = results(f, X)
    compare(before)
    new = instead_of(name, other)
    for _ in range(2):
        with Bound(name, new):
            found = results(f, X)
        compare(found)
        assert found[0] != before[0]
        compare(results(f, X))
    monkeypatch.setattr(builtins, name, new)
    found = results(f, X)
    monkeypatch.undo()
    compare(found)


@pytest.mark.parametrize(("f", "name", "other"), CASES)
def test_a_builtin_bound_anew_between_pullback_and_back(f, name, other):
    wanted = results(f, X)[0]
    y, back = astad.pullback(f, X)
    with Bound(name, instead_of(name, other)):
        bar = back(1.0)[0]
    assert (y, bar) == pytest.approx(wanted, rel=1e-6)


def of_list(xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


@pytest.mark.parametrize(
    "name", ["len", "isinstance", "map", "tuple", "reversed", "next", "id", "issubclass", "type"]
)
def test_astad_does_not_read_a_builtin_that_is_bound_anew(name):
    def fails(*args, **keywords):
        raise AssertionError("read by astad")

    wanted = ([2.0, 4.0],)
    assert astad.gradient(of_list, [1.0, 2.0]) == wanted  # compiled
    y, back = astad.pullback(of_list, [1.0, 2.0])
    assert back(1.0) == wanted
    with Bound(name, fails):
        found = astad.gradient(of_list, [1.0, 2.0]), back(1.0)
        y, back = astad.pullback(of_list, [1.0, 2.0])
        found += y, back(1.0)
    assert found == (wanted, wanted, 5.0, wanted)


def test_a_function_in_the_place_of_a_builtin_type():
    def f(x):
        return float(x) * x

    compare(results(f, X))
    astad.gradient(f, 3.0)
    original = float

    def new(x=0.0):
        return x * x if type(x) is original else original(x)

    with Bound("float", new):
        try:
            found = results(f, X)
        except AstadError as error:
            found = str(error)
    if type(found) is str:
        assert "compiled while builtins are bound anew (float)" in found
    else:
        compare(found)
    compare(results(f, X))


def test_what_breaks_the_compiler_is_said():
    def f(x):
        return x * len([x, x]) + sum(x for _ in range(3))

    with Bound("range", lambda n: [0]):
        try:
            found = astad.gradient(f, X)
        except AstadError as error:
            found = str(error)
    assert found == (3.0,) or "compiled while builtins are bound anew (range)" in found


def test_a_global_that_hides_a_builtin():
    space = {"__name__": "hiding"}
    exec("def f(x):\n    return abs(-x) * x", space)
    f = space["f"]
    assert astad.gradient(f, X) == (2 * X,)
    space["abs"] = cubed
    assert astad.gradient(f, X)[0] == pytest.approx(-4 * X**3)
    del space["abs"]
    assert astad.gradient(f, X) == (2 * X,)


@pytest.mark.slow
def test_bound_anew_before_the_first_gradient_and_in_a_second_process(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import builtins, astad\n"
        "def f(x):\n    return abs(-x) * x\n"
        "import sys\n"
        "if sys.argv[1:]:\n    builtins.abs = lambda v: v * v * v\n"
        "print(astad.gradient(f, 2.0)[0])\n"
    )
    for options, wanted in (((), 4.0), (("new",), -32.0), ((), 4.0), (("new",), -32.0)):
        run = [sys.executable, str(program), *options]
        out = subprocess.run(run, capture_output=True, text=True, check=True)
        assert float(out.stdout) == wanted
