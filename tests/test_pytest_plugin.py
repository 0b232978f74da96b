"""The plugin, run by pytest inside pytest: fixture, options, faults, tests that check nothing."""

import re
import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

RIGHT = """
import math

def f(a, b):
    return a * math.sin(b)

def pullback(a, b):
    return f(a, b), lambda g: (g * math.sin(b), g * a * math.cos(b) * FACTOR)

def test_f(check_gradient):
    check_gradient.compare(pullback, f, (2.0, 0.5))
"""


@pytest.fixture
def session(pytester):
    """Run pytest on one file with the plugin, whether astad is installed or not."""

    def run(text, *options, factor=1.0):
        pytester.makepyfile(f"FACTOR = {factor}\n{text}")
        return pytester.runpytest("-p", "no:cacheprovider", *plugin(pytester), *options)

    return run


def plugin(pytester):
    """The options that load the plugin, unless its entry point already does."""
    from importlib.metadata import entry_points

    installed = any(e.name == "astad" for e in entry_points(group="pytest11"))
    return [] if installed else ["-p", "astad.pytest_plugin"]


def test_right_gradient_passes_and_is_counted(session):
    result = session(RIGHT)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["astad: 2 gradient entries in 1 tests"])


@pytest.mark.parametrize(
    ("factor", "hint"),
    [
        (-1.0, "*hint: b: the sign is wrong*"),
        (2.0, "*hint: b: all off by the factor 2*"),
        (0.0, "*hint: b: zero where it should not be*"),
    ],
)
def test_seeded_fault_fails_with_the_argument_named(session, factor, hint):
    result = session(RIGHT, factor=factor)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*GradientWrong: gradient of f: wrong, 1 of 2 entries (50 %)", hint]
    )
    result.stdout.fnmatch_lines(["*repeat: pytest *::test_f' --gradcheck-seed=0"])


def test_test_that_never_calls_the_fixture_fails(session):
    result = session("def test_nothing(check_gradient):\n    pass\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["nothing checked: the test never called check_gradient"])


def test_gradient_that_is_zero_everywhere_fails(session):
    text = """
def test_zero(check_gradient):
    check_gradient.compare(lambda x: (1.0, lambda g: (0.0,)), lambda x: 1.0, (2.0,), OPTION)
"""
    session(text.replace(", OPTION", "")).assert_outcomes(failed=1)
    session(text.replace("OPTION", "expect_zero=True")).assert_outcomes(passed=1)


@pytest.mark.slow
def test_tolerance_from_command_line_and_ini_file(session, pytester):
    session(RIGHT, factor=1.001).assert_outcomes(failed=1)
    session(RIGHT, "--gradcheck-rtol=0.01", factor=1.001).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\ngradcheck_rtol = 0.01\n")
    session(RIGHT, factor=1.001).assert_outcomes(passed=1)
    session(RIGHT, "--gradcheck-rtol=1e-5", factor=1.001).assert_outcomes(failed=1)


def test_seed_is_shown_and_used(session):
    result = session(RIGHT, "--gradcheck-seed=7")
    result.stdout.fnmatch_lines(["astad: gradcheck seed 7"])


def test_error_in_the_test_itself_is_left_alone(session):
    result = session("def test_error(check_gradient):\n    raise KeyError('mine')\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*KeyError: 'mine'*"])
    result.stdout.no_fnmatch_line("*repeat:*")


def test_plugin_alone_loads_no_compiler():
    code = (
        "import sys, astad.pytest_plugin\n"
        "late = ('gast', 'astunparse', 'astad.compiler')\n"
        "print([m for m in sys.modules if m.startswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_every_gradient_of_the_tests_is_verified(pytester):
    """In a process of its own: where other threads run, nothing can be compared."""
    pytester.makepyfile(
        "import astad\n"
        "def test_square():\n"
        "    assert astad.gradient(lambda x: x * x, 2.0) == (4.0,)\n"
    )
    result = pytester.runpytest_subprocess(*plugin(pytester), "--astad-verify")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["astad: 1 variants verified, 0 refused by astad, 0 inconclusive"])


FAILING = """
import math
import astad

def model(x):
    y = x - 5.0
    return math.log(y)

def refused(x):
    exec("y = x")
    return x

def wrong(x):
    return x * x

@astad.adjoint(wrong)
def _(x):
    return x * x, lambda b: (3 * x * b,)

def test_raised():
    assert astad.gradient(model, 2.0) == (1.0,)

def test_raised_by_grad():
    assert astad.grad(model)(2.0) == 1.0

def test_raised_by_pullback():
    astad.pullback(model, 2.0)

def test_refused():
    astad.gradient(refused, 2.0)

def test_wrong(check_gradient):
    check_gradient(wrong, 2.0)

def test_raised_in_a_check(check_gradient):
    check_gradient(model, 2.0)

def test_wrong_without_the_fixture():
    from astad.testing import check_gradient
    check_gradient(wrong, 2.0)
"""


def test_failure_shows_the_test_and_what_it_calls_alone(pytester, session):
    """No frame of astad stands among those of the user."""
    result = session(FAILING, "--tb=long")
    result.assert_outcomes(failed=7)
    places = [line for line in result.outlines if re.match(r"^\S+\.py:\d+:", line)]
    assert places
    assert [line for line in places if not line.startswith("test_failure_shows")] == []
    shown = "\n".join(result.outlines)
    assert shown.count(">       return math.log(y)") == 4
    assert shown.count("check_gradient(wrong, 2.0)") >= 2
    assert "def verify(self)" not in shown
