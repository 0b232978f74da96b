"""The switch that looks at each cotangent: the line where a nan first appears, and no other."""

import math
import subprocess
import sys

import numpy as np
import pytest

import astad
from astad import settings
from astad.errors import RuleError, WrongCotangent
from astad.runtime.core.variants import TABLE


def line_of(function, offset):
    return f"test_checks.py:{function.__code__.co_firstlineno + offset}"


def root_of_array(x):
    y = x * 2.0
    z = np.sqrt(y - 2.0)
    return np.sum(z * 3.0)


def root_in_loop(x):
    t = 0.0
    for v in x:
        t = t + math.sqrt(v)
    return t


def quotient_of_writes(x):
    y = np.zeros(3)
    y[0] = x[0]
    y[1:] = np.sqrt(x[1:])
    try:
        return np.sum(y / x)
    except KeyError:
        return 0.0


def infinite_times_root(x):
    y = np.sqrt(x)
    return np.sum(y) * np.inf


def logarithm(v):
    w = v + 0.0
    return np.log(w)


def in_callee(x):
    y = x * x
    return np.sum(logarithm(y))


def in_generator(x):
    def roots():
        for v in x:
            yield math.sqrt(v)

    total = 0.0
    for root in roots():
        total = total + root
    return total


class Model:
    def __init__(self, w):
        self.w = w

    def power(self, x):
        return (self.w * x) ** 0.5


def in_method(x):
    return Model(2.0).power(x)


FIRST = [
    (root_of_array, np.array([3.0, 1.0]), root_of_array, 2, "operand 1 of sqrt is inf at 1"),
    (root_in_loop, [1.0, 0.0, 2.0], root_in_loop, 3, "operand 1 of sqrt is inf"),
    (quotient_of_writes, np.array([1.0, 0.0, 1.0]), quotient_of_writes, 5, "of / is inf at 1"),
    (infinite_times_root, np.array([1.0]), infinite_times_root, 2, "of * is inf"),
    (in_callee, np.array([0.0, 1.0]), logarithm, 2, "operand 1 of log is inf at 0"),
    (in_generator, [4.0, 0.0], in_generator, 3, "operand 1 of sqrt is inf"),
    (in_method, 0.0, Model.power, 1, "operand 1 of ** is inf"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "x", "owner", "offset", "what"), FIRST)
def test_the_line_where_it_first_appears(program, x, owner, offset, what):
    for _ in range(2):
        with np.errstate(all="ignore"):
            astad.gradient(program, x)  # as ever
            with astad.checked(), pytest.raises(WrongCotangent) as caught:
                astad.gradient(program, x)
        assert str(caught.value).startswith(line_of(owner, offset) + ": the cotangent of ")
        assert what in caught.value.what


def test_gradients_are_those_of_any_run():
    def f(x, k):
        a = np.zeros(3)
        for i in range(3):
            a[i] = x[i] ** 2 * k["w"]
        return float(np.sum(np.exp(a) * x)) + sorted(x)[0]

    x, k = np.array([0.1, 0.4, 0.2]), {"w": 1.5}
    expected = astad.gradient(f, x, k)
    with astad.checked():
        found = astad.gradient(f, x, k)
    np.testing.assert_allclose(found[0], expected[0])
    assert found[1] == pytest.approx(expected[1])


def test_what_the_seed_holds_is_no_error():
    def f(x):
        return x * np.array([2.0, 3.0])

    with astad.checked():
        _, back = astad.pullback(f, np.array([1.0, 2.0]))
        (bar,) = back(np.array([np.nan, 1.0]))
    np.testing.assert_array_equal(bar, [np.nan, 3.0])


def test_nor_in_a_structure():
    def f(x):
        return [x * 2.0, x * 3.0]

    with astad.checked():
        _, back = astad.pullback(f, 1.0)
        (bar,) = back([math.nan, 1.0])
    assert math.isnan(bar)


def test_a_finite_seed_in_a_structure_is_checked():
    def f(x):
        return [math.sqrt(x), x * 3.0]

    with astad.checked():
        _, back = astad.pullback(f, 0.0)
        with pytest.raises(WrongCotangent, match="operand 1 of sqrt is inf"):
            back([1.0, 1.0])


def test_a_constant_operand_needs_no_finite_cotangent():
    def f(a):
        return np.sum(np.log(a) * 0 + a)

    with astad.checked(), np.errstate(all="ignore"):
        np.testing.assert_array_equal(astad.gradient(f, np.array([0.0, 1.0]))[0], [1.0, 1.0])


def test_a_nan_that_is_no_cotangent_is_none_of_its_business():
    def f(x):
        return np.sum(np.where(np.isnan(x), 0.0, x * 2.0))

    with astad.checked():
        np.testing.assert_array_equal(astad.gradient(f, np.array([np.nan, 1.0]))[0], [0.0, 2.0])


def test_a_rule_of_the_user_with_another_shape_names_the_line():
    def summed(a):
        return a.sum(axis=0)

    @astad.adjoint(summed)
    def rule(a):
        return a.sum(axis=0), lambda y_bar: (np.ones(5),)

    def f(a):
        b = a * 2.0
        return np.sum(summed(b))

    with astad.checked(), pytest.raises(RuleError) as caught:
        astad.gradient(f, np.ones((2, 3)))
    assert "shape (5,) for a value of shape (2, 3)" in str(caught.value)
    assert caught.value.__notes__ == [f"in the reverse sweep of {line_of(f, 2)}"]


def test_a_rule_of_the_user_that_gives_nan_names_the_line():
    def twice(a):
        return a * 2.0

    @astad.adjoint(twice)
    def rule(a):
        return a * 2.0, lambda y_bar: (y_bar * math.nan,)

    def f(x):
        y = x * x
        return twice(y) * 1.0

    with astad.checked(), pytest.raises(WrongCotangent) as caught:
        astad.gradient(f, 3.0)
    assert str(caught.value).startswith(f"{line_of(f, 2)}: the cotangent of ")
    assert "is nan" in caught.value.what


def test_an_exception_passes():
    def f(x):
        return math.log(x)

    with astad.checked(), pytest.raises(ValueError):
        astad.gradient(f, -1.0)
    assert not settings.checks


def test_it_nests_and_goes_off_inside():
    with astad.checked():
        with astad.checked(False):
            assert astad.gradient(root_in_loop, [0.0]) == ([math.inf],)
        with pytest.raises(WrongCotangent):
            astad.gradient(root_in_loop, [0.0])
    assert astad.gradient(root_in_loop, [0.0]) == ([math.inf],)


def test_nothing_of_it_is_left_outside():
    def square(x):
        return x * x

    with astad.checked():
        astad.gradient(square, 3.0)
    astad.gradient(square, 3.0)
    variants = TABLE[id(square.__code__)]
    texts = [made.text.source for group in variants.fused.values() for made in group]
    texts += [pair.text.source for pair in (*variants.pairs, variants.generic) if pair]
    assert texts
    assert not any("checked" in text or "record(" in text for text in texts)


def test_by_the_environment(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import astad, math\n"
        "def f(x):\n"
        "    return math.sqrt(x)\n"
        "try:\n"
        "    astad.gradient(f, 0.0)\n"
        "except astad.errors.WrongCotangent as error:\n"
        "    print(error.where)\n"
    )
    for word, expected in (("1", "program.py:3\n"), ("0", ""), ("1", "program.py:3\n")):
        done = subprocess.run(
            [sys.executable, str(program)],
            env={"ASTAD_CHECKS": word, "ASTAD_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""}
            | {name: value for name, value in _python_path().items()},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == (expected, "")


def _python_path():
    import os

    return {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
