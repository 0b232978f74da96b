"""Where the cache lies, and folders that are not to be trusted."""

import os
import stat
import sys
import warnings

import pytest

from astad import settings
from astad.importing import disk, place
from astad.importing.entry import Entry

KEY = "0a" * 32
ENTRY = Entry("x = 1\n", [], None, [], [])


@pytest.fixture
def surroundings(monkeypatch, tmp_path):
    """No variable set, a home of our own."""
    monkeypatch.setattr(settings, "cache_directory", None)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return monkeypatch


def test_usual_place_is_the_cache_folder_of_the_user(surroundings, tmp_path):
    """A13."""
    assert place.directory() == str(tmp_path / ".cache/astad")


def test_xdg_cache_home_moves_it_unless_it_is_relative(surroundings, tmp_path):
    """A13."""
    surroundings.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert place.directory() == str(tmp_path / "x/astad")
    surroundings.setenv("XDG_CACHE_HOME", "x")
    assert place.directory() == str(tmp_path / ".cache/astad")


def test_pycache_prefix_moves_it_below(surroundings, tmp_path):
    """A13."""
    surroundings.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    surroundings.setattr(sys, "pycache_prefix", str(tmp_path / "p"))
    assert place.directory() == str(tmp_path / "p/astad")


def test_own_variable_goes_before_all_others(surroundings, tmp_path):
    """A13: and may be a link, since the user made it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    surroundings.setattr(sys, "pycache_prefix", str(tmp_path / "p"))
    surroundings.setattr(settings, "cache_directory", str(tmp_path / "link"))
    assert place.directory() == str(tmp_path / "real")


def test_without_a_home_there_is_no_place(surroundings):
    """A12: nothing is read or written, no error."""
    surroundings.setenv("HOME", "")
    surroundings.setattr(os.path, "expanduser", lambda path: path)
    place._resolve.cache_clear()
    assert place.directory() is None
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) is None


def test_folder_is_made_for_its_user_alone(cache_folder):
    """A24."""
    disk.store(KEY, ENTRY)
    assert stat.S_IMODE(cache_folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in cache_folder.iterdir()] == [0o600]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_folders_above_it_are_made_for_its_user_alone_too(
    cache_folder, monkeypatch, tmp_path, mask
):
    """A24: whatever the mask for new files says."""
    monkeypatch.setattr(settings, "cache_directory", str(tmp_path / "a/b/cache"))
    before = os.umask(mask)
    try:
        disk.store(KEY, ENTRY)
    finally:
        os.umask(before)
    made = [tmp_path / "a", tmp_path / "a/b", tmp_path / "a/b/cache"]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in made] == [0o700] * 3
    assert disk.load(KEY) == ENTRY


def refused(folder):
    """Store and load twice; the warnings are returned."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for _ in range(2):
            disk.store(KEY, ENTRY)
            assert disk.load(KEY) is None
    return [(w.category, str(w.message)) for w in warned]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_folder_that_others_can_write_is_not_used_and_that_is_said_once(cache_folder, mode):
    """A24."""
    disk.store(KEY, ENTRY)
    cache_folder.chmod(mode)
    place._judged.clear()
    ((category, message),) = refused(cache_folder)
    assert category is RuntimeWarning
    assert str(cache_folder) in message
    assert "ASTAD_CACHE_DIR" in message


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o707])
@pytest.mark.parametrize("deep", ["above", "above/a", "above/a/b"])
def test_folder_below_one_that_others_can_write_is_not_used(
    cache_folder, monkeypatch, tmp_path, mode, deep
):
    """A24: they could put another in its place."""
    monkeypatch.setattr(settings, "cache_directory", str(tmp_path / "above/a/b/cache"))
    disk.store(KEY, ENTRY)
    (tmp_path / deep).chmod(mode)
    place._judged.clear()
    ((category, message),) = refused(cache_folder)
    assert category is RuntimeWarning
    assert f"{tmp_path / deep} is a link, belongs to" in message


def test_folder_below_one_of_another_user_is_not_used(cache_folder, monkeypatch, tmp_path):
    """A24: its owner can do as much; the administrator can anyway."""
    real = os.lstat

    def lstat(path):
        fields = list(real(path))
        fields[4] = owner if str(path) == str(tmp_path) else fields[4]
        return os.stat_result(fields)

    monkeypatch.setattr(os, "lstat", lstat)
    owner = os.geteuid() + 7
    assert len(refused(cache_folder)) == 1
    place._judged.clear()
    owner = 0
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) == ENTRY


def test_folder_behind_a_link_below_one_that_others_can_write_is_not_used(surroundings, tmp_path):
    """A24: the way there counts, and where it leads."""
    surroundings.setattr(settings, "cache", True)
    open_ = tmp_path / "open"
    (open_ / "cache").mkdir(parents=True)
    open_.chmod(0o777)
    (tmp_path / "link").symlink_to("open/../open/cache")
    surroundings.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    assert len(refused(tmp_path)) == 1
    open_.chmod(0o1777)  # sticky: others cannot rename what is ours
    place._judged.clear()
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) == ENTRY


def test_folder_that_others_can_write_but_not_steal_from_is_used(cache_folder):
    """A24: sticky, as the system's folder for temporary files."""
    cache_folder.mkdir()
    cache_folder.chmod(0o1777)
    disk.store(KEY, ENTRY)
    assert disk.load(KEY) == ENTRY


def test_folder_of_another_user_is_not_used(cache_folder, monkeypatch):
    """A24."""
    cache_folder.mkdir(mode=0o700)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert len(refused(cache_folder)) == 1
    assert list(cache_folder.iterdir()) == []


def test_folder_that_is_a_link_is_not_used(surroundings, tmp_path):
    """A24."""
    surroundings.setattr(settings, "cache", True)
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / ".cache").mkdir(mode=0o700)
    (tmp_path / ".cache/astad").symlink_to(tmp_path / "elsewhere")
    assert len(refused(tmp_path)) == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_entry_that_others_can_write_is_a_miss(cache_folder):
    """A24."""
    disk.store(KEY, ENTRY)
    (path,) = cache_folder.iterdir()
    path.chmod(0o666)
    assert disk.load(KEY) is None


def test_entry_of_another_user_is_a_miss(cache_folder, monkeypatch):
    """A24: root's are taken."""
    disk.store(KEY, ENTRY)
    (path,) = cache_folder.iterdir()
    real = os.fstat

    def owned_by(owner):
        def fstat(file):
            fields = list(real(file))
            fields[4] = owner
            return os.stat_result(fields)

        return fstat

    monkeypatch.setattr(os, "fstat", owned_by(os.geteuid() + 7))
    assert disk.load(KEY) is None
    monkeypatch.setattr(os, "fstat", owned_by(0))
    assert disk.load(KEY) == ENTRY


def test_entry_that_is_a_link_a_folder_or_a_pipe_is_a_miss(cache_folder, tmp_path):
    """A24: and nobody waits for the other end of the pipe."""
    disk.store(KEY, ENTRY)
    (path,) = cache_folder.iterdir()
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert disk.load(KEY) is None
    path.unlink()
    path.mkdir()
    assert disk.load(KEY) is None
    path.rmdir()
    os.mkfifo(path)
    assert disk.load(KEY) is None
