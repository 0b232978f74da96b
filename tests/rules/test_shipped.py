"""A library that ships its rules: a small installed distribution in a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

LIBRARY = """
def compiled(x):
    return float(memoryview(bytes(str(x), "ascii")).tobytes()) ** 2


def cubed(x):
    return x ** 3


def log_sum(a, b):
    return a + b
"""

RULES = """
import astad
from springs import compiled, cubed, log_sum

astad.scalar_rule(compiled, "2 * x")
astad.scalar_rule(cubed, "-1.0")


@astad.adjoint(log_sum)
def log_sum_rule(a, b):
    return a + b, lambda y_bar: (10 * y_bar, 20 * y_bar)
"""


@pytest.fixture
def site(tmp_path):
    """A folder with the distribution `springs 1.2`, and how to run a program that sees it."""

    def install(value="springs_rules", rules=RULES, name="springs"):
        (tmp_path / "springs.py").write_text(LIBRARY)
        (tmp_path / "springs_rules.py").write_text(rules)
        info = tmp_path / "springs-1.2.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: springs\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[astad.rules]\n{name} = {value}\n")

    def run(program, **environment):
        (tmp_path / "program.py").write_text(program)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
        env.update(environment, ASTAD_CACHE_DIR=str(tmp_path / "cache"))
        done = subprocess.run(
            [sys.executable, str(tmp_path / "program.py")],
            capture_output=True, text=True, env=env, timeout=120, check=False,
        )  # fmt: skip
        return done.stdout.strip() or done.stderr

    return install, run


PROGRAM = """
import astad, springs, sys
assert "springs_rules" not in sys.modules

def f(x):
    return springs.compiled(x) * 3.0

def g(x, y):
    return springs.log_sum(x, y)

print(astad.gradient(f, 2.0), astad.gradient(springs.cubed, 2.0), astad.gradient(g, 1.0, 2.0))
"""


def test_rules_that_a_library_ships_are_in_force_when_it_is_imported(site):
    install, run = site
    install()
    wanted = "(12.0,) (-1.0,) (10.0, 20.0)"
    assert run(PROGRAM) == wanted
    assert run(PROGRAM) == wanted  # from the disk cache


@pytest.mark.slow
def test_rules_that_are_installed_later_replace_what_the_cache_holds(site):
    install, run = site
    program = "import astad, springs\nprint(astad.gradient(lambda x: springs.cubed(x), 2.0))"
    install(name="another")
    assert run(program) == "(12.0,)"
    install()
    assert run(program) == "(-1.0,)"
    install(name="another")
    assert run(program) == "(12.0,)"


def test_rules_of_a_library_that_is_imported_inside_the_function(site):
    install, run = site
    install()
    program = """
import astad

def f(x):
    import springs
    return springs.cubed(x) + springs.log_sum(x, 1.0)

print(astad.gradient(f, 2.0))
"""
    assert run(program) == "(9.0,)"


def test_an_entry_point_may_name_a_function_that_declares(site):
    install, run = site
    rules = "import astad, springs\ndef declare():\n    astad.scalar_rule(springs.cubed, '7.0')\n"
    install("springs_rules:declare", rules)
    assert run("import astad, springs\nprint(astad.gradient(springs.cubed, 2.0))") == "(7.0,)"


@pytest.mark.parametrize(
    ("value", "rules", "why"),
    [
        ("springs_gone", "", "ModuleNotFoundError: No module named 'springs_gone'"),
        ("springs_rules:nothing", "", "AttributeError: "),
        ("springs_rules", "1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_broken_entry_point_is_named_whenever_a_rule_is_asked_for(site, value, rules, why):
    install, run = site
    install(value, rules)
    program = """
import astad, springs
for _ in range(2):
    try:
        astad.gradient(springs.cubed, 2.0)
    except astad.errors.RuleError as error:
        print(error)
"""
    first, second = run(program).splitlines()
    assert first == second
    assert f".py:5: entry point springs = {value} of springs 1.2: the rules it ships" in first
    assert why in first


def test_what_a_library_ships_is_not_read_without_it(site):
    install, run = site
    install("springs_rules", "1 / 0")
    program = "import astad, sys\nprint(astad.gradient(lambda x: x * x, 3.0))"
    assert run(program) == "(6.0,)"


def test_without_such_packages_the_metadata_is_not_imported(site):
    _, run = site
    program = """
import astad, sys
before = "importlib.metadata" in sys.modules
def helper(x): return x * x
print(astad.gradient(lambda x: helper(x), 3.0), before, "importlib.metadata" in sys.modules)
"""
    assert run(program, PYTHONNOUSERSITE="1") in ("(6.0,) False False", "(6.0,) True True")
