"""The command that prints the table; its figures bind nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def printed(*arguments):
    command = [sys.executable, "-m", "tests.benchmarks", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_table_of_one_row():
    lines = printed("--only", "cube_root", "--budget", "0.05").splitlines()
    assert lines[2].startswith("cube_root")
    assert lines[-1].endswith("ms per 100 source lines")


@pytest.mark.timing
def test_whole_table(capsys):
    text = printed()
    with capsys.disabled():
        print("\n" + text)
    assert "geometric mean, large" in text
