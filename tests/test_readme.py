"""The README: its code runs, its printed adjoint is the one printed, its commands are real."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def readme(open_page):
    return open_page(ROOT / "README.md")


def test_the_code_runs_and_show_prints_the_adjoint(readme):
    assert readme.run_all() >= 3


def test_the_first_screen_shows_a_gradient_and_its_adjoint(readme):
    first = "\n".join(readme.text.splitlines()[:60])
    assert "astad.gradient(" in first
    assert "y_bar" in first


def test_links_lead_somewhere(readme):
    for target in re.findall(r"\]\(([^)#]+)", readme.text):
        assert (ROOT / target).exists(), target


def test_two_commands_install_and_run(readme):
    commands = [line.strip() for line in readme.text.splitlines() if line.startswith("    python3")]
    assert len(commands) == 2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for command in commands:
        extras = re.search(r"'\.\[([\w,]+)\]'", command)[1].split(",")
        assert set(extras) <= set(project["optional-dependencies"])
    assert commands[1].endswith("pytest")
    assert (ROOT / commands[0].split()[-1]).is_file()
