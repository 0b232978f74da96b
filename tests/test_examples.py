"""Every program in examples/ runs as a user runs it, and finds what it should."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
TESTED = {"hare_and_lynx", "digits", "colour_difference"}


def load(name):
    spec = importlib.util.spec_from_file_location(f"astad_example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == TESTED


def test_hare_and_lynx_finds_the_maximum_likelihood():
    found = load("hare_and_lynx").main()
    alpha, beta, gamma, delta = found["fitted"][:4]
    assert alpha == pytest.approx(0.55, abs=0.02)
    assert beta == pytest.approx(0.027, abs=0.002)
    assert gamma == pytest.approx(0.80, abs=0.02)
    assert delta == pytest.approx(0.024, abs=0.002)
    assert found["value"] == pytest.approx(-42.741, abs=1e-3)
    assert found["steps"] < 100


def test_hare_and_lynx_gradient_agrees_with_differences(check_gradient):
    module = load("hare_and_lynx")
    hares, lynxes = module.read_pelts()
    assert len(hares) == len(lynxes) == 21
    theta = np.log([0.5, 0.02, 1.0, 0.03, 31.0, 5.0, 0.4, 0.6])
    check_gradient(lambda t: module.negative_log_likelihood(t, hares[:5], lynxes[:5]), theta)


@pytest.mark.slow
def test_digits_are_read():
    pytest.importorskip("sklearn")
    found = load("digits").main()
    assert found["unseen"] >= 0.96
    assert found["losses"][-1] < 0.01


def test_colour_difference_agrees_with_differences():
    pytest.importorskip("basic_colormath")
    rows = load("colour_difference").main()
    assert len(rows) == 4
    assert all(row["error"] < 1e-6 for row in rows.values())
    first = rows["crimson, sea green"]
    assert first["delta_e"] == pytest.approx(69.62861423072474, rel=1e-12)
    expected = [
        0.04079338095,
        -0.15195413227,
        0.12398631715,
        -0.05456199359,
        0.24630745343,
        -0.10979766510,
    ]
    assert first["gradient"] == pytest.approx(expected, rel=1e-9)


def test_the_first_example_runs_from_the_command_line(tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "hare_and_lynx.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "alpha" in done.stdout
