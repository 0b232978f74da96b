"""The digest of the compiler follows the contents of its sources and nothing else."""

import os
import shutil
import time
from pathlib import Path

import pytest

import astad
from astad.importing import digest


@pytest.fixture
def folder(write, monkeypatch):
    """A small package; as if astad were imported after each change to it."""
    monkeypatch.setattr(digest, "_IMPORTED_AT", time.time_ns() + 10**12)
    write("rules/__init__.py", "")
    write("rules/math.py", "sin = 1\n")
    return write("rules/deep/numpy.py", "cos = 2\n").parent.parent


def test_dates_do_not_count(folder):
    """A19: touched, and dated 1980 and 2100."""
    before = digest.of_folder(str(folder))
    for year in (315532800, 4102444800):
        os.utime(folder / "math.py", (year, year))
        assert digest.of_folder(str(folder)) == before


def test_place_does_not_count(folder, tmp_path):
    """A19: copied elsewhere."""
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    assert digest.of_folder(str(copy)) == digest.of_folder(str(folder))


def test_edit_that_keeps_size_and_date_counts(folder):
    """A18."""
    before = digest.of_folder(str(folder))
    status = (folder / "deep/numpy.py").stat()
    (folder / "deep/numpy.py").write_text("cos = 3\n")
    os.utime(folder / "deep/numpy.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert digest.of_folder(str(folder)) != before


def test_names_count(folder):
    """A18: moved, added, text moved from one file to the next."""
    digests = {digest.of_folder(str(folder))}
    (folder / "math.py").rename(folder / "maths.py")
    digests.add(digest.of_folder(str(folder)))
    (folder / "new.py").write_text("")
    digests.add(digest.of_folder(str(folder)))
    (folder / "maths.py").write_text("")
    (folder / "new.py").write_text("sin = 1\n")
    digests.add(digest.of_folder(str(folder)))
    assert len(digests) == 4


def test_compiled_files_and_other_files_do_not_count(folder):
    before = digest.of_folder(str(folder))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/math.cpython-311.pyc").write_bytes(b"x")
    (folder / "notes.txt").write_text("x")
    assert digest.of_folder(str(folder)) == before


def test_folder_without_sources_is_an_error(tmp_path):
    with pytest.raises(OSError):
        digest.of_folder(str(tmp_path))


def test_source_edited_after_the_import_is_an_error(write):
    """What runs is no longer what the files say: nothing may be cached under their digest."""
    with pytest.raises(OSError):
        digest.of_folder(str(write("rules/math.py", "sin = 1\n").parent))


@pytest.mark.slow
def test_edit_of_astad_counts_and_turns_the_cache_of_running_processes_off(script, tmp_path):
    """A18."""
    copy = Path(shutil.copytree(Path(astad.__file__).parent, tmp_path / "astad"))
    shutil.rmtree(copy / "importing/__pycache__", ignore_errors=True)
    ask = "from astad.importing.digest import of_compiler\n"
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
