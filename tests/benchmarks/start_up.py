"""What importing costs: astad over NumPy, a module of decorated functions over a plain one."""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLOCK = """
import sys, time
{before}
start = time.process_time()
{timed}
print(1e3 * (time.process_time() - start), "gast" in sys.modules)
"""


def milliseconds(before, timed, folder, times=7):
    """The median over fresh processes of a statement's processor time; whether gast came in."""
    root = HERE.parents[1]
    path = os.pathsep.join([str(root), folder, os.environ.get("PYTHONPATH", "")])
    settings = {"PYTHONPATH": path, "ASTAD_CACHE_DIR": folder, "PYTHONDONTWRITEBYTECODE": ""}
    found = []
    for _ in range(times + 1):  # the first one fills the caches
        text = CLOCK.format(before=before, timed=timed)
        done = subprocess.run(
            [sys.executable, "-c", text], env={**os.environ, **settings}, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        found.append(done.stdout.split())
    return statistics.median(float(each[0]) for each in found[1:]), found[-1][1] == "True"


def decorated(folder):
    """Two modules of the programs in `scalar`: as they are, and each function decorated."""
    text = (HERE / "scalar.py").read_text(encoding="utf-8").split("SCALAR = [")[0]
    text = text.replace("from .workload import Workload\n", "import astad\n")
    Path(folder, "bench_plain.py").write_text(text, encoding="utf-8")
    marked = text.replace("\ndef ", "\n@astad.differentiable\ndef ")
    Path(folder, "bench_marked.py").write_text(marked, encoding="utf-8")
    return marked.count("@astad")


def start_up_lines():
    """Sentences for the foot of the table."""
    with tempfile.TemporaryDirectory() as folder:
        count = decorated(folder)
        over_numpy, _ = milliseconds("import numpy", "import astad", folder)
        plain, _ = milliseconds("import astad", "import bench_plain", folder)
        warm, compiler = milliseconds("import astad", "import bench_marked", folder)
    yield f"import astad: {over_numpy:.1f} ms over NumPy"
    yield (
        f"warm import of a module of {count} decorated functions: {warm:.2f} ms, undecorated "
        f"{plain:.2f} ms; the compiler is {'' if compiler else 'not '}imported"
    )
