"""The first gradient of each objective, in a process of its own with an empty cache."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ALLOWED = 3.0  # seconds of processor time
PROGRAM = """
import runpy, sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {folder!r})
import libraries
libraries.restore_asscalar()
objective, args = runpy.run_path({path!r})["OBJECTIVES"][{name!r}][:2]
import astad
start = time.process_time()
astad.gradient(objective, *args)
print(time.process_time() - start)
"""


def objectives():
    """File and name of each, read without importing any library."""
    for path in sorted(FOLDER.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "OBJECTIVES":
                yield from ((path.name, ast.literal_eval(key)) for key in node.value.keys)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name"), list(objectives()))
def test_first_gradient_is_there_soon(file, name, tmp_path):
    program = PROGRAM.format(folder=str(FOLDER), path=str(FOLDER / file), name=name)
    environment = {**os.environ, "ASTAD_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    if "Skipped" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.splitlines()[-1]) < ALLOWED
