"""The bytes of an entry: read back as they were written, or not at all."""

import importlib.util
import marshal
import pickle
from pathlib import Path

import pytest

import astad.importing
from astad.importing import entry as entry_module
from astad.importing.entry import Entry, pack, relocate, unpack

KEY, OTHER_KEY = "0a" * 32, "0b" * 32
TEXT = "def f_forward(x):\n    return x in {'a', 'b c', 2.0}, -0.0\n"


def make():
    code = compile(TEXT, "<astad>", "exec")
    bindings = [["sin", "math", "sin"], {"scale": 0.5, "who": None}]
    return Entry(TEXT, [(1, 0), (2, 1)], code, bindings, [["f", True, -1, "ü"]])


def test_entry_comes_back_as_it_was():
    assert unpack(KEY, pack(KEY, make())) == make()


def test_entry_without_code_comes_back():
    assert unpack(KEY, pack(KEY, make()._replace(code=None))).code is None


def test_truncated_at_every_byte_is_nothing():
    """A21."""
    data = pack(KEY, make())
    assert [n for n in range(len(data)) if unpack(KEY, data[:n]) is not None] == []
    assert unpack(KEY, data + b"\0") is None


def test_every_flipped_byte_is_noticed():
    """A21."""
    data = pack(KEY, make())
    for place in range(len(data)):
        for mask in (0x01, 0x80, 0xFF):
            flipped = bytearray(data)
            flipped[place] ^= mask
            assert unpack(KEY, bytes(flipped)) is None, (place, mask)


def test_filled_with_zeros_from_every_byte_on_is_nothing():
    """A21: what a file system leaves after a crash."""
    data = pack(KEY, make())
    for place in range(len(data)):
        filled = data[:place] + bytes(len(data) - place)
        assert filled == data or unpack(KEY, filled) is None


def test_entry_of_another_key_is_nothing():
    """A21: two entries swapped."""
    assert unpack(OTHER_KEY, pack(KEY, make())) is None


def test_code_of_another_python_is_left_out_and_the_text_stays(monkeypatch):
    """A21."""
    monkeypatch.setattr(entry_module, "MAGIC_NUMBER", b"\0\0\r\n")
    data = pack(KEY, make())
    monkeypatch.setattr(entry_module, "MAGIC_NUMBER", importlib.util.MAGIC_NUMBER)
    assert unpack(KEY, data) == make()._replace(code=None)


def test_another_format_is_nothing():
    """A21."""
    data = pack(KEY, make())
    assert unpack(KEY, data.replace(b"astad-entry 1 ", b"astad-entry 2 ")) is None


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle ran')",)


@pytest.mark.parametrize("protocol", [2, 5])
def test_planted_pickle_does_not_run(protocol):
    """A25: neither in place of the entry nor as a payload with a right digest."""
    bomb = pickle.dumps(Bomb(), protocol)
    assert unpack(KEY, bomb) is None
    assert unpack(KEY, entry_module._head(KEY, bomb) + b"\n" + bomb) is None


def test_payload_that_is_no_entry_is_nothing():
    """A25: a right digest over something else."""
    for payload in (b"", b"(", marshal.dumps(None), marshal.dumps((1, 2))):
        assert unpack(KEY, entry_module._head(KEY, payload) + b"\n" + payload) is None


def test_no_module_of_the_cache_mentions_pickle():
    """A25."""
    for path in Path(astad.importing.__file__).parent.glob("*.py"):
        assert "pickle" not in path.read_text(encoding="utf-8")


def test_other_objects_are_refused():
    with pytest.raises(ValueError):
        pack(KEY, make()._replace(assumptions=[object()]))


MAKE_AND_PRINT = """
    import sys
    from astad.importing.entry import Entry, pack
    kept = [sys.intern("scale"), sys.intern("not an identifier")] if len(sys.argv) > 1 else []
    text = "def f(x):\\n    def g(): return x\\n    return x in {'a', 'b c', 2.0}, 'scale', g"
    code = compile(text, "<user>", "exec")
    shared = "".join(["sca", "le"])
    names = [kept[0], kept[0]] if kept else [shared, "".join(["sca", "le"])]
    print(pack("0a" * 32, Entry(text, [(1, 1)], code, [names, "not an identifier"], [])).hex())
    """


def test_bytes_do_not_depend_on_hash_seed_or_on_what_the_process_did(script):
    """A28: names that are interned, shared or neither."""
    first = script(MAKE_AND_PRINT, PYTHONHASHSEED=0)
    second = run_again = script(MAKE_AND_PRINT, PYTHONHASHSEED=1)
    assert first == second == run_again
    assert first == script(MAKE_AND_PRINT + "\n", PYTHONHASHSEED=2)


def test_bytes_do_not_depend_on_interned_names(run, write):
    """A28."""
    path = str(write("main.py", MAKE_AND_PRINT))
    assert run(path) == run(path, "interned")


def test_code_gets_its_file_and_lines_when_it_is_used():
    """A11, A19: inner functions too, other files left alone."""
    text = "def f(x):\n    def g():\n        return x\n    return g\n"
    stored = compile(text, "<user>", "exec")
    moved = relocate(stored, {"<user>": ("walk.py", 40), "<other>": ("no.py", 1)})
    f = next(c for c in moved.co_consts if hasattr(c, "co_code"))
    g = next(c for c in f.co_consts if hasattr(c, "co_code"))
    assert [(c.co_filename, c.co_firstlineno) for c in (moved, f, g)] == [
        ("walk.py", 41),
        ("walk.py", 41),
        ("walk.py", 42),
    ]
    assert {line for _, _, line in g.co_lines() if line} == {42, 43}
    assert relocate(stored, {}) == stored
