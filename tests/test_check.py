"""`python -m astad.check`: what it lists, with which exit code, for people and for programs."""

import json
import math
import os
import subprocess
import sys
import textwrap

import pytest

from astad.check import main

GARDEN = """
import zlib


def square(x):
    return x * x


def run(x):
    y = x * x
    exec("z = 1")
    return y


def digest(x):
    return zlib.crc32(x)


def calls(x):
    return run(x)


class Bed:
    async def water(self):
        return 1.0

    def make(self):
        def inner(x):
            return eval("x")

        return inner
"""


@pytest.fixture
def garden(tmp_path, monkeypatch):
    (tmp_path / "garden.py").write_text(GARDEN)
    (tmp_path / "weeds").mkdir()
    (tmp_path / "weeds/__init__.py").write_text("def half(x):\n    return x / 2\n")
    (tmp_path / "weeds/thistle.py").write_text("import no_such_module_anywhere\n")
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("astad.check.LONG", math.inf)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def lines(capsys, *arguments):
    code = main(list(arguments))
    out = capsys.readouterr().out.splitlines()
    return code, out


REFUSED = [
    "garden.py:11: run: exec() in run: the text it runs is unknown when the derivative is made",
    "garden.py:24: Bed.water: asynchronous code in water: other code runs between its statements, "
    "which the reverse sweep cannot undo",
    "garden.py:29: Bed.make.<locals>.inner: eval() in inner: the text it runs is unknown when the "
    "derivative is made",
]
NOTES = [
    "garden.py:16: note: digest: zlib.crc32 is compiled code without a rule",
    "garden.py:20: note: calls: run cannot be differentiated: exec() in run",
]
SUMMARY = "7 functions in 1 module; 3 cannot be differentiated, no obstacle found in 4; 2 notes"


@pytest.mark.parametrize("target", ["garden", "garden.py", "./garden.py"])
def test_refusals_and_notes_in_the_order_of_the_text(garden, capsys, target):
    code, out = lines(capsys, target)
    assert code == 1
    assert out == [REFUSED[0], *NOTES, *REFUSED[1:], SUMMARY]


def test_without_notes(garden, capsys):
    assert lines(capsys, "garden", "--no-notes") == (1, [*REFUSED, SUMMARY])


def test_long_says_what_to_write_instead(garden, capsys):
    _, out = lines(capsys, "garden", "--long", "--no-notes")
    assert out[:2] == [REFUSED[0], "    instead: write it as code"]


@pytest.mark.parametrize(
    ("only", "code", "count"),
    [("square", 0, 1), ("garden.square", 0, 1), ("Bed.*", 1, 3), ("Bed.make.inner", 1, 1)],
)
def test_some_functions_alone(garden, capsys, only, code, count):
    found, out = lines(capsys, "garden", "--only", only)
    assert (found, int(out[-1].split()[0])) == (code, count)


def test_several_names(garden, capsys):
    _, out = lines(capsys, "garden", "--only", "square", "--only", "calls", "--no-notes")
    assert out == [
        "2 functions in 1 module; 0 cannot be differentiated, no obstacle found in 2; 1 note"
    ]


def test_nothing_refused(garden, capsys):
    code, out = lines(capsys, "colorsys")
    assert code == 0
    assert out[-1].endswith(
        "functions in 1 module; 0 cannot be differentiated, no obstacle found in 7"
    )


def test_a_module_that_cannot_be_imported_counts(garden, capsys):
    code, out = lines(capsys, "weeds")
    assert code == 1
    assert out == [
        "weeds.thistle: not imported: ModuleNotFoundError: No module named "
        "'no_such_module_anywhere'",
        "1 function in 1 module; 0 cannot be differentiated, no obstacle found in 1; "
        "1 module not imported",
    ]
    assert lines(capsys, "weeds", "--skip", "weeds.thistle")[0] == 0


def test_json(garden, capsys):
    assert main(["garden", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["functions"], found["modules"], found["not_imported"]) == (7, ["garden"], [])
    assert found["refused"][0] == {
        "name": "garden.run", "file": os.path.join(str(garden), "garden.py"), "line": 11,
        "error": "Unsupported", "what": "exec() in run",
        "why": "the text it runs is unknown when the derivative is made",
        "instead": "write it as code",
    }  # fmt: skip
    assert [note["line"] for note in found["notes"]] == [16, 20]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "astad.check: no module named nowhere\n"),
        (["nowhere.py"], "astad.check: no file named nowhere.py\n"),
        (["garden", "--only", "tulip"], "astad.check: garden has no function named tulip\n"),
        (
            ["weeds.thistle"],
            "astad.check: importing weeds.thistle raised ModuleNotFoundError: No module named "
            "'no_such_module_anywhere'\n",
        ),
    ],
)
def test_nothing_to_check(garden, capsys, arguments, message):
    assert main(arguments) == 2
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("arguments", [[], ["--nonsense", "garden"]])
def test_a_wrong_command_is_one_line(garden, capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_long_compilation_is_told(garden, capsys, monkeypatch):
    monkeypatch.setattr("astad.check.LONG", 0.0)
    _, out = lines(capsys, "garden", "--only", "square")
    assert out[0].startswith("garden.py:5: note: square: took 0.")


def test_as_a_command(garden):
    """Nothing of the module is run but the import, whose output does not mix with the answer."""
    (garden / "loud.py").write_text(
        textwrap.dedent("""
        print("imported")

        def f(x):
            raise AssertionError("called")

        if __name__ == "__main__":
            raise AssertionError("the program ran")
        """)
    )
    command = [sys.executable, "-m", "astad.check", "loud.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=garden)
    assert done.returncode == 0
    assert (
        done.stdout
        == "1 function in 1 module; 0 cannot be differentiated, no obstacle found in 1\n"
    )
    assert done.stderr == "imported\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["functools", "argparse", "inspect", "enum", "typing", "ast", "contextlib", "pickle"]
)
def test_no_module_of_the_standard_library_is_too_much(garden, capsys, name):
    """Whatever stands in them, astad itself does not fail."""
    assert main([name, "--json"]) in (0, 1)
    refused = json.loads(capsys.readouterr().out)["refused"]
    assert not [each for each in refused if "astad itself" in each["why"]]
