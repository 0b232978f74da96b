"""The digest of sources follows their contents and nothing else; their stamp any write to them."""

import os
import shutil
import time

import pytest

from astad.importing import digest
from astad.importing.digest import of_folder, stamp_of


@pytest.fixture
def folder(write, monkeypatch):
    """A small package; as if astad were imported after each change to it."""
    monkeypatch.setattr(digest, "_IMPORTED_AT", time.time_ns() + 10**12)
    write("rules/__init__.py", "")
    write("rules/math.py", "sin = 1\n")
    return write("rules/deep/numpy.py", "cos = 2\n").parent.parent


def test_dates_do_not_count(folder):
    """A19: touched, and dated 1980 and 2100."""
    before = of_folder(str(folder))
    for year in (315532800, 4102444800):
        os.utime(folder / "math.py", (year, year))
        assert of_folder(str(folder)) == before


def test_place_does_not_count(folder, tmp_path):
    """A19: copied elsewhere."""
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    assert of_folder(str(copy)) == of_folder(str(folder))


def test_edit_that_keeps_size_and_date_counts(folder):
    """A18."""
    before = of_folder(str(folder))
    status = (folder / "deep/numpy.py").stat()
    (folder / "deep/numpy.py").write_text("cos = 3\n")
    os.utime(folder / "deep/numpy.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert of_folder(str(folder)) != before


def test_names_count(folder):
    """A18: moved, added, text moved from one file to the next."""
    digests = {of_folder(str(folder))}
    (folder / "math.py").rename(folder / "maths.py")
    digests.add(of_folder(str(folder)))
    (folder / "new.py").write_text("")
    digests.add(of_folder(str(folder)))
    (folder / "maths.py").write_text("")
    (folder / "new.py").write_text("sin = 1\n")
    digests.add(of_folder(str(folder)))
    assert len(digests) == 4


def test_compiled_files_and_other_files_do_not_count(folder):
    before = of_folder(str(folder))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/math.cpython-311.pyc").write_bytes(b"x")
    (folder / "notes.txt").write_text("x")
    assert of_folder(str(folder)) == before


def test_folder_without_sources_is_an_error(tmp_path):
    with pytest.raises(OSError):
        of_folder(str(tmp_path))


def test_source_edited_after_the_import_is_an_error(write):
    """What runs is no longer what the files say: nothing may be cached under their digest."""
    with pytest.raises(OSError):
        of_folder(str(write("rules/math.py", "sin = 1\n").parent))
    with pytest.raises(OSError):
        stamp_of(str(write("rules/math.py", "sin = 1\n").parent))


def _edited(path):
    status = path.stat()
    path.write_text("cos = 3\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        _edited,
        os.utime,
        lambda path: path.rename(path.with_name("numbers.py")),
        lambda path: path.with_name("new.py").write_text(""),
        lambda path: path.unlink(),
        lambda path: os.replace(shutil.copy2(path, path.with_name("other")), path),
    ],
    ids=["size and date kept", "touched", "moved", "added", "gone", "another file"],
)
def test_a_stamp_changes_with_every_write(folder, change):
    before = stamp_of(str(folder))
    assert stamp_of(str(folder)) == before
    change(folder / "deep/numpy.py")
    assert stamp_of(str(folder)) != before


def test_a_stamp_of_no_sources_is_an_error(tmp_path):
    with pytest.raises(OSError):
        stamp_of(str(tmp_path))
    with pytest.raises(OSError):
        stamp_of(str(tmp_path / "nowhere"))


def test_other_files_are_not_in_a_stamp(folder):
    before = stamp_of(str(folder))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/math.cpython-311.pyc").write_bytes(b"x")
    (folder / "notes.txt").write_text("x")
    assert stamp_of(str(folder)) == before
