"""The key of an entry changes with all that the generated text depends on and nothing else."""

import shutil
import textwrap
from pathlib import Path

import pytest

import astad
from astad import settings
from astad.importing import digest as digest_module
from astad.importing import key
from astad.importing.key import digest_of_code, entry_key


def code_of(text, file="walk.py", flags=0):
    """The code of the function `f` in a module with this text."""
    scope = {}
    exec(compile(textwrap.dedent(text), file, "exec", flags, dont_inherit=True), scope)
    return scope["f"].__code__


def digest(text, file="walk.py", flags=0):
    return digest_of_code(code_of(text, file, flags))


def test_file_and_place_in_the_file_do_not_count():
    """A19."""
    plain = digest("def f(x):\n    return [x * i for i in range(3)]\n")
    moved = "# a comment\n\n\ndef f(x):\n    return [x * i for i in range(3)]\n"
    assert digest(moved, "elsewhere/run.py") == plain


def test_line_inside_the_function_counts():
    """A19: the lines shown in tracebacks stay right."""
    plain = digest("def f(x):\n    y = x * x\n    return y\n")
    assert digest("def f(x):\n    y = x * x\n\n    return y\n") != plain


def test_lines_of_an_inner_function_count_from_the_outer_one():
    """A19."""
    text = "def f(x):\n    def g(y):\n        return y * x\n    return g(x)\n"
    spaced = text.replace("    def g", "\n    def g")
    assert digest("\n\n" + text) == digest(text)
    assert digest(spaced) != digest(text)


@pytest.mark.parametrize(
    "constants",
    [
        ("0.0", "-0.0", "0", "False", "0j", "-0j", "None", "''", "b''", "'0'", "b'0'", "..."),
        ("1", "True", "1.0", "(1+0j)", "'1'", "0x10000000000000001", "1e300"),
        ("(1,)", "(1.0,)", "(True,)", "((1,),)", "'(1,)'"),
        ("x in {1, 2}", "x in {1.0, 2}", "x in {True, 2}", "x in (1, 2)", "x in {1, 2, 3}"),
        ("'a b'", "'a  b'", "b'a b'", "'a\\x00b'", "'\\ud800'", "'\\\\ud800'"),
        ("lambda: 1", "lambda: 1.0", "lambda: True", "lambda y: 1"),
    ],
)
def test_constants_that_differ_in_value_or_type_count(constants):
    """A18."""
    digests = {digest(f"def f(x):\n    return {c}") for c in constants}
    assert len(digests) == len(constants)


@pytest.mark.parametrize(
    "other",
    [
        "def g(x, y):\n    return x * y\nf = g",
        "def f(y, x):\n    return x * y",
        "def f(x, /, y):\n    return x * y",
        "def f(x, *, y):\n    return x * y",
        "def f(x, *y):\n    return x * y",
        "def f(x, y):\n    return x + y",
        "def f(x, y):\n    return x * z",
        "def f(x, y):\n    return x.y",
        "async def f(x, y):\n    return x * y",
        "class C:\n    def f(x, y):\n        return x * y\nf = C.f",
    ],
)
def test_what_the_function_says_counts(other):
    """A18."""
    assert digest(other) != digest("def f(x, y):\n    return x * y")


def test_captured_variable_is_not_a_global():
    """A18."""
    captured = "def make(a):\n    def f(x):\n        return a * x\n    return f\nf = make(2)"
    local = "def make(b):\n    def f(x):\n        return a * x\n    return f\nf = make(2)"
    assert digest(captured) != digest(local)


def test_future_flags_count():
    """A18, A5."""
    import __future__

    text = "def f(x):\n    return x"
    assert digest(text, flags=__future__.annotations.compiler_flag) != digest(text)


def test_running_a_function_does_not_change_its_digest():
    """A18: the interpreter rewrites the code of a function that runs often."""
    scope = {}
    exec("def f(n):\n    s = 0.0\n    for i in range(n):\n        s += i / 2\n    return s", scope)
    before = digest_of_code(scope["f"].__code__)
    for _ in range(200):
        scope["f"](50)
    assert digest_of_code(scope["f"].__code__) == before


def test_constant_that_no_compiler_writes_never_finds_an_entry():
    """A18: when in doubt, a miss."""
    code = code_of("def f():\n    return 1").replace(co_consts=(None, object()))
    assert digest_of_code(code) != digest_of_code(code)


def test_huge_integer_is_a_constant_like_others():
    code = code_of("def f(x):\n    return x * 0x" + "f" * 6000)
    assert digest_of_code(code) == digest_of_code(code)


def test_options_count(monkeypatch):
    """A18."""
    monkeypatch.setattr(key, "of_compiler", lambda: "one compiler")
    code = code_of("def f(x):\n    return x")
    keys = {entry_key(code, options) for options in ("", "float", "int", "float,pair")}
    assert len(keys) == 4
    assert entry_key(code, "float") in keys


def test_compiler_that_cannot_be_told_makes_no_key(monkeypatch):
    """A18: then nothing is cached on disk."""
    monkeypatch.setattr(key, "of_compiler", lambda: "")
    assert entry_key(code_of("def f(x):\n    return x"), "float") == ""


ASK = """
    from astad.importing.key import entry_key
    def f(x):
        return x in {'a', 'b c', 1.0, 2, (3, 'd')}
    print(entry_key(f.__code__, 'float'))
    """


def test_key_does_not_depend_on_the_hash_seed(script):
    """A28."""
    keys = {script(ASK, PYTHONHASHSEED=seed) for seed in (0, 1, "random")}
    assert len(keys) == 1


@pytest.mark.parametrize(
    "change",
    [
        "import sys; sys.implementation.cache_tag = 'cpython-399'",
        "import numpy; numpy.__version__ = '0.0'",
    ],
)
def test_python_and_numpy_count(script, change):
    """A18."""
    changed = script(f"{change}\n{textwrap.dedent(ASK)}", PYTHONDONTWRITEBYTECODE=1)
    assert changed != script(ASK)


def test_optimisation_counts(script):
    """A18, A36."""
    assert len({script(ASK, "-B"), script(ASK, "-B", "-O"), script(ASK, "-B", "-OO")}) == 3


@pytest.mark.parametrize("tool", ["gast", "astunparse"])
def test_gast_and_astunparse_count(script, write, tool):
    """A18: another gast is found first, and is not imported for that."""
    before = script(ASK)
    write(f"{tool}/__init__.py", "raise ImportError('not to be imported')")
    assert script(ASK) != before


@pytest.fixture
def read(monkeypatch, tmp_path):
    """The folders whose sources were read for a digest; a cache of the test's own."""
    found = []
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setattr(settings, "cache_directory", str(tmp_path / "cache"))
    monkeypatch.setattr(digest_module, "of_folder", lambda folder: found.append(folder) or folder)
    return found


def _asked_anew():
    key.of_compiler.cache_clear()
    try:
        return key.of_compiler()
    finally:
        key.of_compiler.cache_clear()


def test_sources_are_read_once(read):
    first = _asked_anew()
    assert len(read) == 3 and len(first) == 32
    assert _asked_anew() == first
    assert len(read) == 3


def test_they_are_read_again_once_their_stamp_has_changed(read, monkeypatch):
    first = _asked_anew()
    monkeypatch.setattr(digest_module, "stamp_of", lambda folder: "another")
    assert _asked_anew() == first
    assert len(read) == 6


def test_what_cannot_be_told_is_no_digest(monkeypatch):
    def refuse(folder):
        raise FileExistsError(folder)

    monkeypatch.setattr(digest_module, "stamp_of", refuse)
    assert _asked_anew() == ""


@pytest.mark.slow
def test_edit_of_astad_counts_and_turns_the_cache_of_running_processes_off(script, tmp_path):
    """A18."""
    copy = Path(shutil.copytree(Path(astad.__file__).parent, tmp_path / "astad"))
    shutil.rmtree(copy / "importing/__pycache__", ignore_errors=True)
    ask = "from astad.importing.key import of_compiler\n"
    before = script(ask + "print(of_compiler())")
    # the clock of the file system is coarse: edited until it has moved on
    edit = """
import os, time
start = time.time_ns()
while os.stat('astad/errors.py').st_ctime_ns <= start:
    with open('astad/errors.py', 'a') as file:
        file.write('# edited\\n')
"""
    assert script(ask + edit + "print(of_compiler())") == "\n"
    after = script(ask + "print(of_compiler())")
    assert len(before) == len(after) == 33
    assert before != after
