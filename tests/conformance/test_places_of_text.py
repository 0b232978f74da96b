"""The first example of the README, pasted where people paste it; what has no text says so."""

import linecache
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
ANSWER = "(13.5, None)\n"


@pytest.fixture
def run(tmp_path):
    """Run Python with these arguments; its output and its errors are returned. Where the disk
    cache has a function, no text is needed.
    """

    def run(*arguments, stdin=None):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "ASTAD_CACHE": "0"}
        done = subprocess.run(
            [sys.executable, *arguments],
            input=stdin,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.stdout, done.stderr

    return run


def test_as_a_script(run, tmp_path):
    (tmp_path / "walk.py").write_text(EXAMPLE)
    assert run("walk.py") == (ANSWER, "")
    assert run("-m", "walk") == (ANSWER, "")


@pytest.mark.parametrize("options", [("-c",), ("-Bc",), ("-X", "utf8", "-c"), ("-Wignore", "-c")])
def test_by_python_c(run, options):
    assert run(*options, EXAMPLE) == (ANSWER, "")
    assert run(*options, EXAMPLE, "-c", "x = 1") == (ANSWER, "")


def test_by_python_c_in_one_argument(run):
    assert run(f"-c{EXAMPLE}") == (ANSWER, "")


def test_a_lambda_by_python_c(run):
    text = "import astad; print(astad.gradient(lambda x: x * x + 2.0 * x, 3.0))"
    assert run("-c", text) == ("(8.0,)\n", "")


def test_what_exec_makes_is_not_taken_for_the_text_of_python_c(run):
    text = "import astad; s = {}; exec('def f(x):\\n for i in [1]: x = x * 3\\n return x', s)\n"
    out, err = run("-c", text + "def f(x):\n    return x\nprint(astad.gradient(s['f'], 2.0))")
    assert out in ("", "(3,)\n", "(3.0,)\n")
    assert out or ": f: source in <string>: no text is found there" in err


def test_from_standard_input_it_says_what_to_do(run):
    out, err = run("-", stdin=EXAMPLE)
    assert out == ""
    *_, said = err.splitlines()
    assert re.sub(r"<stdin>:\d+: ", "", said) == (
        "astad.errors.NoSource: power: source in <stdin>: Python keeps no text of what it reads "
        "from standard input, nor, before version 3.13, of what is typed at its prompt: put the "
        "function into a .py file and run or import that, or type it in IPython or a notebook"
    )


def typed(text):
    """As at the prompt: an empty line ends a block."""
    body = re.sub(r"\n\n+", "\n", text).replace("    return y\n", "    return y\n\n")
    return body.replace("4))\n", "4))\n\n")


def test_at_the_prompt(run):
    out, err = run("-i", "-q", stdin=typed(EXAMPLE))
    if sys.version_info >= (3, 13):
        assert ANSWER in out
    else:
        assert "power: source in <stdin>: Python keeps no text" in err


@pytest.mark.parametrize(
    "name", ["<ipython-input-1-0123456789ab>", "/tmp/ipykernel_12/1234567890.py", "<cell 1>"]
)
def test_in_a_cell_of_ipython_or_of_a_notebook(name, capsys):
    """Both put the text of a cell where `linecache` finds it."""
    linecache.cache[name] = len(EXAMPLE), None, EXAMPLE.splitlines(keepends=True), name
    exec(compile(EXAMPLE, name, "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == ANSWER


def test_in_ipython(run):
    pytest.importorskip("IPython")
    out, _ = run("-m", "IPython", "--no-banner", "--colors=NoColor", "-c", EXAMPLE)
    assert ANSWER in out


def test_in_a_notebook(tmp_path):
    """Cell by cell, in the kernel that notebooks have."""
    client = pytest.importorskip("nbclient").NotebookClient
    pytest.importorskip("ipykernel")
    new = pytest.importorskip("nbformat.v4")
    *defined, call = EXAMPLE.rstrip().splitlines()
    cells = ["\n".join(defined), call.strip(), "import astad\nastad.gradient(power, 2.0, 3)"]
    if defined[-1].startswith("if __name__"):
        cells[0] = "\n".join(defined[:-1])
    book = new.new_notebook(cells=[new.new_code_cell(text) for text in cells])
    place = {"metadata": {"path": tmp_path}}
    client(book, timeout=120, kernel_name="python3", resources=place).execute()
    _, printed, shown = [cell.outputs for cell in book.cells]
    assert printed[0].text == ANSWER
    assert shown[0].data["text/plain"] == "(12.0, None)"
