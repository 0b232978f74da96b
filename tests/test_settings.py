"""The switches follow the environment, and can be changed in the program."""

import importlib
import os

import pytest

from astad import settings


@pytest.fixture
def reread(monkeypatch):
    """The settings as they are in a process with these variables only."""

    def reread(**environment):
        for name in [name for name in os.environ if name.startswith("ASTAD_")]:
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return importlib.reload(settings)

    yield reread
    monkeypatch.undo()
    importlib.reload(settings)


def test_without_variables_hook_and_cache_are_on_and_nothing_is_printed(reread):
    now = reread()
    assert (now.cache, now.cache_directory, now.hook, now.debug) == (True, None, True, False)


@pytest.mark.parametrize("word", ["0", "off", "no", "false", "OFF", " 0 "])
def test_cache_and_hook_are_turned_off_by_a_variable(reread, word):
    now = reread(ASTAD_CACHE=word, ASTAD_HOOK=word)
    assert not now.cache
    assert not now.hook


def test_variable_that_is_set_but_empty_changes_nothing(reread):
    now = reread(ASTAD_CACHE="", ASTAD_CACHE_DIR="", ASTAD_HOOK="", ASTAD_DEBUG="")
    assert (now.cache, now.cache_directory, now.hook, now.debug) == (True, None, True, False)


def test_folder_of_the_cache_is_moved_by_a_variable(reread, tmp_path):
    assert reread(ASTAD_CACHE_DIR=str(tmp_path)).cache_directory == str(tmp_path)


def test_bounds_of_the_cache_are_numbers(reread):
    now = reread()
    assert (now.cache_entries, now.cache_bytes) == (10_000, 500_000_000)
    now = reread(ASTAD_CACHE_ENTRIES="20", ASTAD_CACHE_BYTES="1_000_000")
    assert (now.cache_entries, now.cache_bytes) == (20, 1_000_000)
    now = reread(ASTAD_CACHE_ENTRIES="many", ASTAD_CACHE_BYTES="")
    assert (now.cache_entries, now.cache_bytes) == (10_000, 500_000_000)


def test_writing_and_shipped_folders_follow_their_variables(reread):
    assert (reread().cache_write, settings.cache_shipped) == (True, None)
    now = reread(ASTAD_CACHE_WRITE="0", ASTAD_CACHE_SHIPPED="/opt/a:/opt/b")
    assert (now.cache_write, now.cache_shipped) == (False, "/opt/a:/opt/b")


def test_dropped_errors_are_printed_only_when_debugging(monkeypatch, capsys):
    def drop():
        try:
            raise ValueError("dropped")
        except ValueError:
            settings.report()

    monkeypatch.setattr(settings, "debug", False)
    drop()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(settings, "debug", True)
    drop()
    assert "ValueError: dropped" in capsys.readouterr().err


def test_checks_are_off_unless_a_variable_turns_them_on(reread):
    assert not reread().checks
    assert reread(ASTAD_CHECKS="1").checks
