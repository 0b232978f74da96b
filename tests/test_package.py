"""The package as users meet it: public names, start-up, what is installed."""

import ast
import importlib.metadata
import inspect
import os
import pkgutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import astad

TESTS = Path(__file__).parent
PUBLIC = """
differentiable gradient grad value_and_grad pullback pullback_self adjoint nondifferentiable accum
Tangent hook showgrad dropgrad checkpoint isderiving nestlevel Buffer Params Grads forwarddiff
profile implicit vjp wirtinger hessian hessian_diag hvp jacobian value_and_jacobian jvp
""".split()
COMPILER = ("gast", "astunparse", "inspect", "astad.compiler.pipeline")


def run(code, *options):
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_there_and_explained(name):
    assert name in astad.__all__
    assert inspect.getdoc(getattr(astad, name))


def test_all_names_exist():
    assert [name for name in astad.__all__ if not hasattr(astad, name)] == []


def test_no_module_bears_the_name_of_a_public_function():
    # importing astad.gradient, were there such a file, would overwrite the function on the package
    modules = {module.name for module in pkgutil.iter_modules(astad.__path__)}
    # this one is called as the function of its name: tests/test_profile.py
    assert modules.intersection(astad.__all__) == {"profile"}


def test_the_version_is_that_of_the_installed_package():
    assert importlib.metadata.version("astad") == astad.__version__


def test_type_hints_are_published():
    assert (Path(astad.__file__).parent / "py.typed").is_file()


def test_importing_astad_imports_no_compiler():
    # whatever the interpreter and NumPy bring along is not astad's doing
    code = (
        "import sys, numpy; before = set(sys.modules); import astad; "
        f"print([n for n in {COMPILER} if n in sys.modules and n not in before])"
    )
    assert run(code, "-I").strip() == "[]"


FIRST = """
import sys
import numpy
import astad
from two_lines import f
assert astad.gradient(f, 2.0) == (13.0,)
print(sum(name.partition(".")[0] == "astad" for name in sys.modules))
"""


def test_modules_read_by_a_first_gradient(tmp_path):
    """Of astad's own: 265 and 50 before files were merged; the time goes with their number."""
    (tmp_path / "two_lines.py").write_text("def f(x):\n    y = x * x\n    return y * 3.0 + x\n")
    path = os.pathsep.join([str(tmp_path), str(TESTS.parent)])
    settings = {**os.environ, "PYTHONPATH": path, "ASTAD_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", FIRST]
    cold, warm = (int(subprocess.check_output(command, env=settings)) for _ in range(2))
    assert cold <= 200
    assert warm <= 80


def test_importing_astad_warns_of_nothing():
    run("import astad", "-W", "error")


@pytest.mark.parametrize("command", ["show", "profile"])
def test_commands_run_without_the_warning_of_a_module_imported_twice(command):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", f"astad.{command}", "--help"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout.lower()


@pytest.mark.timing
def test_importing_astad_takes_at_most_ten_milliseconds_over_numpy():
    code = (
        "import time, numpy; a = time.perf_counter(); import astad; print(time.perf_counter() - a)"
    )
    assert min(float(run(code)) for _ in range(7)) <= 0.010


def test_runtime_errors_have_four_parts():
    error = astad.errors.Unsupported("walk.py:41", "yield in walk", why="because", instead="append")
    assert str(error) == "walk.py:41: yield in walk: because: append"
    assert isinstance(error, astad.errors.AstadError)


def test_names_are_found_after_the_module_show_was_imported(tmp_path):
    text = "import astad.show, astad; assert astad.gradient and astad.why_none"
    subprocess.run([sys.executable, "-c", text], check=True, cwd=tmp_path)


ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"README.md", "pyproject.toml", "astad", "docs", "examples", "tests"}


def test_the_licence_is_there_and_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "MIT"
    (file,) = project["license-files"]
    assert (ROOT / file).read_text().startswith("MIT License\n")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_licence_is_shipped(tmp_path, kind):
    build = pytest.importorskip("hatchling.build")
    script = f"import os; os.chdir({str(ROOT)!r}); from hatchling import build\n"
    script += f"print(build.build_{kind}({str(tmp_path)!r}))"
    name = run(script).split()[-1]
    if kind == "wheel":
        with zipfile.ZipFile(tmp_path / name) as archive:
            (found,) = [each for each in archive.namelist() if each.endswith("LICENSE")]
            assert ".dist-info/licenses/" in found
            text = archive.read(found).decode()
            (metadata,) = [each for each in archive.namelist() if each.endswith("/METADATA")]
            assert "License-Expression: MIT\n" in archive.read(metadata).decode()
    else:
        with tarfile.open(tmp_path / name) as archive:
            root = name.removesuffix(".tar.gz")
            kept = {each.removeprefix(root + "/").split("/")[0] for each in archive.getnames()}
            # Nothing of an environment that lies in the folder: its packages have a docs/ too.
            assert kept - {".gitignore"} == TOP_LEVEL | {"PKG-INFO"}
            assert f"{root}/docs/contributing.md" in archive.getnames()
            text = archive.extractfile(f"{root}/docs/LICENSE").read().decode()
    assert text == (ROOT / "docs/LICENSE").read_text()
    assert build


def test_the_top_level_holds_nothing_else():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no checkout")
    names = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert {name for name in names if not name.startswith(".")} == TOP_LEVEL


INSTALLED = {
    "_pytest",
    "astad",
    "astunparse",
    "gast",
    "hypothesis",
    "numpy",
    "pytest",
    "setuptools",
}
"""What every test file may import: with the extra `test` alone nothing else is installed."""


def imported_at_the_top(text):
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def test_no_test_needs_more_than_the_extra_of_the_tests():
    own = {path.stem for path in TESTS.rglob("*.py")} | {path.name for path in TESTS.glob("*/")}
    known = {*sys.stdlib_module_names, *INSTALLED, *own, "tests"}
    found = {
        f"{path.relative_to(TESTS)}: {name}"
        for path in TESTS.rglob("*.py")
        if path.name.startswith("test_") or path.name == "conftest.py"
        for name in imported_at_the_top(path.read_text(encoding="utf-8"))
        if name not in known
    }
    assert not found, "import it by pytest.importorskip: " + ", ".join(sorted(found))
    assert [*imported_at_the_top("import scipy.linalg as l\nfrom . import a")] == ["scipy"]
