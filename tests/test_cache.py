"""`python -m astad.cache`: what the cache holds, whether it is whole, and emptying it."""

import subprocess
import sys

import pytest

from astad import settings
from astad.importing import disk
from astad.importing.entry import Entry


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "cache", True)
    monkeypatch.setattr(settings, "cache_directory", str(tmp_path / "cache"))
    for number, line in enumerate(["# walk.py:3  power(x)", "# run.py:7  area(r)"]):
        disk.store(f"{number:064x}", Entry(f"{line}\n\nx = 1\n", [], None, [], []))
    return tmp_path / "cache"


@pytest.fixture
def command(tmp_path):
    def command(*arguments, folder="cache"):
        done = subprocess.run(
            [sys.executable, "-m", "astad.cache", *arguments],
            capture_output=True,
            text=True,
            env={"ASTAD_CACHE_DIR": str(tmp_path / folder), "PYTHONPATH": ":".join(sys.path)},
        )
        return done.returncode, done.stdout, done.stderr

    return command


def test_list_shows_the_first_line_of_each_entry(folder, command):
    code, out, err = command("list")
    assert (code, err) == (0, "")
    assert "# walk.py:3  power(x)" in out
    assert "# run.py:7  area(r)" in out
    assert "2 entries" in out
    assert "at most 10000 entries, 500000000 bytes" in out


def test_verify_names_what_is_damaged(folder, command):
    assert command("verify")[0] == 0
    (folder / f"{1:064x}.astad").write_bytes(b"astad-entry 1")
    code, out, err = command("verify")
    assert (code, err) == (1, "")
    assert f"{1:064x}: damaged" in out
    assert command("list")[0] == 0


def test_clear_leaves_an_empty_folder(folder, command):
    (folder / f"{0:064x}-99999999-{0:016x}.tmp").write_bytes(b"")
    (folder / f"{3:064x}.note").write_bytes(b"")
    code, out, err = command("clear")
    assert (code, err) == (0, "")
    assert "2 entries removed" in out
    assert list(folder.iterdir()) == []


def test_folder_that_is_not_there_is_said(command):
    code, out, err = command("list", folder="nowhere")
    assert (code, err) == (0, "")
    assert "no cache folder" in out


@pytest.mark.parametrize("arguments", [(), ("remove",), ("list", "all")])
def test_wrong_command_is_one_line_and_exit_code_2(command, arguments):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err == "usage: python -m astad.cache list | verify | clear\n"
