"""A module that mentions astad is executed as by Python, and nothing of the hook is left in it."""

import importlib.util
import os
import sys
import traceback

import pytest

from astad.importing import loader


@pytest.fixture
def imported(write, tmp_path, monkeypatch):
    """Import a text as a module, by Python's own loader or by ours."""
    monkeypatch.setattr(loader.slots, "remember", None)
    monkeypatch.setattr(loader.slots, "compile_decorated", None)

    def imported(text, by_hook, name="walk"):
        path = write(f"{name}.py", text)
        spec = importlib.util.spec_from_file_location(name, path)
        if by_hook:
            spec.loader = loader.ObservingLoader(spec.loader, path.read_bytes())
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return imported


def test_module_looks_as_without_the_hook(imported):
    """A15."""
    text = '"""Walks."""\n# astad\nx = 1\n'
    ours, python = imported(text, True), imported(text, False)
    assert type(ours.__loader__) is type(python.__loader__)
    assert ours.__spec__.loader is ours.__loader__
    assert vars(ours).keys() == vars(python).keys()
    for name in ("__name__", "__file__", "__cached__", "__package__", "__doc__", "x"):
        assert vars(ours)[name] == vars(python)[name]


def test_source_is_handed_over_before_and_the_module_after_it_ran(imported, monkeypatch, tmp_path):
    """A2."""
    seen = []
    monkeypatch.setattr(loader.slots, "remember", lambda *told: seen.append(told))
    monkeypatch.setattr(loader.slots, "compile_decorated", lambda module: seen.append(module.x))
    imported("# astad\nx = 1\n", True)
    assert seen == [(str(tmp_path / "walk.py"), "# astad\nx = 1\n"), 1]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("# -*- coding: latin-1 -*-\ns = 'ä'\n".encode("latin-1"), "s = 'ä'"),
        ("\ufeffs = 'ä'\n".encode(), "s = 'ä'"),
        ("s = 'ä'\r\nt = 1\r\n".encode(), "s = 'ä'\nt = 1"),
        ("s = 'ä'".encode(), "s = 'ä'"),
        (b"if 1:\n\tx = 1\n\x0cy = \\\n  2\n", "if 1:\n\tx = 1\n\x0cy = \\\n  2"),
    ],
)
def test_source_is_decoded_as_python_does(imported, monkeypatch, source, text):
    """A4: cookie, byte order mark, line ends, no final newline, tabs and form feeds."""
    seen = []
    monkeypatch.setattr(loader.slots, "remember", lambda file, text: seen.append(text))
    imported(source, True)
    assert text in seen[0]
    assert "\r" not in seen[0]


def test_source_that_cannot_be_decoded_is_pythons_error(imported, monkeypatch):
    """A17."""
    monkeypatch.setattr(loader.slots, "remember", lambda file, text: None)
    with pytest.raises(SyntaxError):
        imported(b"# astad\ns = '\xff'\n", True)


def test_failure_of_the_compiler_does_not_break_the_import(imported, monkeypatch):
    """A17: any exception, too deep a recursion too; an interruption by the user goes through."""

    def fail(*arguments):
        return fail(*arguments)

    monkeypatch.setattr(loader.slots, "remember", fail)
    monkeypatch.setattr(loader.slots, "compile_decorated", fail)
    assert imported("# astad\nx = 1\n", True).x == 1

    def interrupt(module):
        raise KeyboardInterrupt

    monkeypatch.setattr(loader.slots, "compile_decorated", interrupt)
    with pytest.raises(KeyboardInterrupt):
        imported("# astad\nx = 1\n", True)


def test_module_that_fails_is_not_compiled(imported, monkeypatch):
    """A17."""
    seen = []
    monkeypatch.setattr(loader.slots, "compile_decorated", seen.append)
    with pytest.raises(ZeroDivisionError):
        imported("# astad\n1 / 0\n", True)
    assert seen == []


FAILING = "# astad\ndef f():\n    return 1 / 0\nf()\n"


def test_traceback_of_a_failing_module_shows_nothing_of_the_hook(imported):
    """A31."""

    def frames(by_hook):
        with pytest.raises(ZeroDivisionError) as caught:
            imported(FAILING, by_hook)
        found = traceback.extract_tb(caught.value.__traceback__)
        return [(frame.filename, frame.name) for frame in found]

    assert frames(True) == frames(False)


def test_module_that_exits_exits(imported):
    with pytest.raises(SystemExit):
        imported("# astad\nraise SystemExit\n", True)


def test_nothing_but_the_ordinary_bytecode_file_is_written(imported, tmp_path, monkeypatch):
    """A13."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    module = imported("# astad\nx = 1\n", True)
    found = sorted(str(path) for path in tmp_path.rglob("*") if path.is_file())
    assert found == sorted([module.__file__, module.__cached__])


def test_decorated_functions_are_compiled_along_with_the_module(
    write, tmp_path, monkeypatch, importing_twice
):
    """Where Python finds its bytecode file, there is nothing to do."""
    seen = []
    monkeypatch.setattr(loader.slots, "compile_decorated", seen.append)
    first, second = importing_twice("# astad\nx = 1\n")
    assert first.x == second.x == 1
    assert seen == [first]


@pytest.fixture
def importing_twice(write, monkeypatch):
    """Import a text as a module, twice."""
    monkeypatch.setattr(loader.slots, "remember", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def importing_twice(text):
        path = write("walk_twice.py", text)
        os.utime(path, (1e9, 1e9))
        for _ in range(2):
            spec = importlib.util.spec_from_file_location("walk_twice", path)
            spec.loader = loader.ObservingLoader(spec.loader, path.read_bytes())
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            yield module

    return importing_twice
