"""Fixtures for the hook and the cache: a cache folder of its own, and other processes."""

from __future__ import annotations

import importlib
import itertools
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import astad
from astad import settings
from astad.importing import disk, finder, place

PACKAGES = str(Path(astad.__file__).parent.parent)


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """An empty cache folder, in use in this process."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(settings, "cache", True)
    monkeypatch.setattr(settings, "cache_directory", str(folder))
    monkeypatch.setattr(settings, "cache_write", True)
    monkeypatch.setattr(disk._Counts, "sweep_at", disk._Counts.writes)
    monkeypatch.setattr(place, "_judged", {})
    return folder


@pytest.fixture
def write(tmp_path):
    """Write a file below tmp_path, indentation taken off; its path is returned.

    Each is a minute younger than the one before: Python takes a module's old ``.pyc`` for a text of
    the same size and second.
    """
    age = itertools.count(1)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, str):
            text = textwrap.dedent(text).encode()
        path.write_bytes(text)
        now = path.stat().st_mtime + 60 * next(age)
        os.utime(path, (now, now))
        return path

    return write


@pytest.fixture
def run(tmp_path):
    """Run Python in tmp_path with astad and a cache of its own; what it printed is returned.

    Upper-case keywords are environment variables (None: not set); `code` is the exit code expected.
    """

    def run(*arguments, stdin=None, code=0, stderr="", **environment):
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "ASTAD_", "XDG_"))
        }
        clean |= {"PYTHONPATH": PACKAGES, "ASTAD_CACHE_DIR": str(tmp_path / "cache")}
        clean |= {"PYTHONHASHSEED": "0", "HOME": str(tmp_path / "home")}
        clean |= environment
        done = subprocess.run(
            [sys.executable, *arguments],
            input=stdin,
            env={name: str(value) for name, value in clean.items() if value is not None},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        if code == 0:
            assert done.stderr == stderr
        return done.stdout if code == 0 else done.stderr

    return run


@pytest.fixture
def script(write, run):
    """Run a text as the file main.py; what it printed is returned."""

    def script(text, *arguments, **options):
        return run(*arguments, str(write("main.py", text)), **options)

    return script


@pytest.fixture
def module(write, tmp_path, monkeypatch):
    """Write a text as a module of tmp_path and import it, with the hook or without."""
    before = list(sys.meta_path), set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))

    def module(name, text, hook=True):
        (finder.install if hook else finder.uninstall)()
        write(f"{name}.py", text)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield module
    sys.meta_path[:] = before[0]
    for name in set(sys.modules) - before[1]:
        if getattr(sys.modules[name], "__file__", "").startswith(str(tmp_path)):
            del sys.modules[name]
