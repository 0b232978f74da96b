"""The command line: a script runs as it would, and the lines of its gradients are told."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import sys
import threading
import numpy as np
import astad

def loss(w, x):
    h = np.tanh(x @ w)
    return np.sum(h * h)

def work():
    astad.grad(in_thread)(0.5)

def in_thread(x):
    return x * x

w, x = np.ones((5, 5)), np.ones((20, 5))
for _ in range(3):
    astad.gradient(loss, w, x)
    astad.value_and_grad(lambda w: loss(w, x) + 1.0)(w)
y, back = astad.pullback(lambda w: loss(w, x) * 2.0, w)
back(1.0)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(__name__, sys.argv[1:], type(sys.modules["__main__"].loss).__name__)
"""


def command(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "astad.profile", *map(str, arguments)],
        capture_output=True, text=True, timeout=120, check=False, cwd=cwd,
    )  # fmt: skip


@pytest.fixture
def script(tmp_path):
    def write(text):
        (tmp_path / "script.py").write_text(text)
        return tmp_path / "script.py"

    return write


def test_every_gradient_of_a_script_is_measured(script, tmp_path):
    done = command("--speedscope", tmp_path / "o.json", script(SCRIPT), "-a", "b", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    first, head, *rows = done.stdout.splitlines()
    assert first == "__main__ ['-a', 'b'] function"
    assert head.split() == ["forward", "backward", "kept", "line"]
    for text in ("np.tanh(x @ w)", "np.sum(h * h)", "+ 1.0", "* 2.0", "return x * x"):
        assert any(text in row for row in rows), text
    tanh = next(row for row in rows if "np.tanh" in row)
    assert 1.8 <= float(tanh.split()[4]) < 4.0 and "kB" in tanh  # x, w and one or two of size 800
    assert json.loads((tmp_path / "o.json").read_text())["exporter"] == "astad"


def test_the_exit_code_is_that_of_the_script(script, tmp_path):
    text = "import astad\nastad.gradient(lambda x: x * x, 2.0)\n"
    done = command(script(text + "raise SystemExit(3)\n"), cwd=tmp_path)
    assert done.returncode == 3 and "all lines" in done.stdout
    done = command(script(text + "raise KeyError('mine')\n"), cwd=tmp_path)
    assert done.returncode == 1 and "all lines" in done.stdout
    assert done.stderr.splitlines()[0] == "Traceback (most recent call last):"
    assert "KeyError: 'mine'" in done.stderr and "runpy" not in done.stderr


def test_rows_are_as_many_as_are_asked_for(script, tmp_path):
    done = command("--rows", "1", script(SCRIPT), cwd=tmp_path)
    assert len(done.stdout.splitlines()) == 5 and "more lines" in done.stdout


def test_a_script_without_gradients_is_told(script, tmp_path):
    done = command(script("print('hello')\n"), cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "hello\n"
    assert done.stderr == "astad.profile: no gradient was taken\n"


@pytest.mark.parametrize("arguments", [[], ["gone.py"], ["--rows"]])
def test_a_wrong_command_is_one_line(arguments, tmp_path):
    done = command(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("astad.profile: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("first", ["pass", "import astad.profile", "astad.profile"])
def test_the_name_is_a_function_before_and_after_the_module_is_imported(first, tmp_path):
    code = f"""
import sys, astad
assert "astad.api.inspection.profiling" not in sys.modules
{first}
assert astad.profile(lambda x: x * x, 3.0).gradient == (6.0,)
import astad.profile
assert astad.profile(lambda x: x * x, 3.0).gradient == (6.0,)
from astad import profile
assert profile(lambda x: x * x, 3.0).value == 9.0
from astad.profile import main, profile
assert profile(lambda x: x * x, 3.0).value == 9.0
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)
