"""Where the text of a function is looked for."""

import importlib
import linecache
import sys
import zipfile

import pytest

from astad.compiler.frontend.locate import remember_source, sources
from astad.compiler.ir.text import show
from astad.compiler.lower.function import lower_function
from astad.errors import NoSource

TEXT = "import math\n\n\ndef f(x):\n    return x * 2.0\n"


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """Imports a module from a text or bytes written to a new file."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def load(name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / f"{name}.py").write_bytes(data)
        importlib.invalidate_caches()
        sys.modules.pop(name, None)
        made.append(name)
        return importlib.import_module(name)

    load.folder = tmp_path
    yield load
    for name in made:
        sys.modules.pop(name, None)
    linecache.clearcache()


def test_source_of_a_function_is_its_file(imported):
    f = imported("located", TEXT).f
    source = next(sources(f))
    assert (source.text, source.file, source.line) == (TEXT, f.__code__.co_filename, 4)


@pytest.mark.parametrize(
    "name, data, line",
    [
        ("loc_crlf", TEXT.replace("\n", "\r\n").encode(), 4),
        ("loc_bom", b"\xef\xbb\xbf" + TEXT.encode(), 4),
        ("loc_latin", b"# coding: latin-1\n\n\n# \xe9\ndef f(x):\n    return x * 2.0  # \xe9", 5),
        ("loc_tabs", b"\x0c\nif True:\n\tdef f(x):\n\t\treturn x * \\\n\t\t\t2.0", 3),
    ],
)
def test_encodings_line_ends_tabs_and_continuation_lines(imported, name, data, line):
    f = imported(name, data).f
    program = lower_function(f)
    assert show(program) == "t_1 = x * 2.0\nreturn t_1"
    assert program.line == line
    assert program.body[0].line == line + 1


def test_module_in_a_zip_file(tmp_path, monkeypatch):
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("loc_zipped.py", TEXT)
    monkeypatch.syspath_prepend(path)
    module = importlib.import_module("loc_zipped")
    assert show(lower_function(module.f)) == "t_1 = x * 2.0\nreturn t_1"
    sys.modules.pop("loc_zipped")


def test_remembered_text_outlives_the_file(imported):
    f = imported("loc_kept", TEXT).f
    remember_source(f.__code__.co_filename, TEXT.encode())
    (imported.folder / "loc_kept.py").unlink()
    linecache.clearcache()
    assert show(lower_function(f)) == "t_1 = x * 2.0\nreturn t_1"


def test_text_registered_in_linecache_as_notebooks_do():
    name = "<cell 7>"
    linecache.cache[name] = (len(TEXT), None, TEXT.splitlines(True), name)
    known = {}
    exec(compile(TEXT, name, "exec"), known)
    assert show(lower_function(known["f"])) == "t_1 = x * 2.0\nreturn t_1"


@pytest.mark.parametrize("fn", [len, [].append, print])
def test_builtin_functions_have_no_source(fn):
    with pytest.raises(NoSource, match="without Python source: .*: declare a rule"):
        lower_function(fn)


def test_code_made_by_exec_has_no_text(monkeypatch):
    monkeypatch.setattr(sys, "orig_argv", ["python"])  # not the text of a worker's python -c
    monkeypatch.delitem(linecache.cache, "<string>", raising=False)  # nor as Python 3.13 keeps it
    known = {}
    exec("def made(x):\n    return x\n", known)
    assert list(sources(known["made"])) == []


def test_function_whose_file_is_gone_has_no_source(imported):
    f = imported("loc_gone", TEXT).f
    (imported.folder / "loc_gone.py").unlink()
    linecache.clearcache()
    with pytest.raises(NoSource, match="loc_gone.py"):
        lower_function(f)
