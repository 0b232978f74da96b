"""Lines of generated texts while somebody walks through `linecache`."""

import gc
import linecache
import traceback
import weakref

import pytest

import astad
from astad import shown_lines

pytestmark = pytest.mark.order_matters


def test_what_is_forgotten_stays_until_the_next_text():
    shown_lines.show("<one>", "a\nb\n")
    shown_lines.forget("<one>")
    assert linecache.getlines("<one>") == ["a\n", "b\n"]
    shown_lines.show("<two>", "c\n")
    assert "<one>" not in linecache.cache
    shown_lines.forget("<two>")
    shown_lines.show("<two>", "d\n")
    assert linecache.getline("<two>", 1) == "d\n"


def test_a_function_may_go_while_a_traceback_is_written(monkeypatch):
    """The collector may run between the names of the files and their entries."""

    def holder(k):
        def f(x):
            return x * x + k

        astad.gradient(f, 2.0)
        f.ring = f  # the collector alone takes it away
        return weakref.ref(f)

    class Walked(dict):
        def keys(self):
            names = list(super().keys())
            gc.collect()
            return names

    gone = [holder(k) for k in range(3)]
    monkeypatch.setattr(linecache, "cache", Walked(linecache.cache))
    known = set(linecache.cache)
    linecache.checkcache()
    assert [ref() for ref in gone] == [None] * 3
    try:
        raise ValueError("seen")
    except ValueError:
        assert "seen" in traceback.format_exc()
    assert any("holder" in name for name in known)
