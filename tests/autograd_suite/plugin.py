"""A plugin of pytest: the modules of autograd are astad's before a test is read."""

import json
import os
import signal

import pytest

from . import modules
from .checks import COMPLEX, REFUSED

modules.install()
FOUND = {}
SECONDS = float(os.environ.get("ASTAD_AUTOGRAD_SECONDS", "0"))
"""How long the processor may work on a test; 0 for as long as it takes."""


def _ended(*_):
    pytest.fail(f"not ended after {SECONDS:g} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGPROF, _ended)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    REFUSED.clear()
    try:
        found = yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if REFUSED:
        pytest.fail(f"{COMPLEX}: {REFUSED[0]}", pytrace=False)
    return found


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        text = report.longreprtext if report.outcome == "failed" else ""
        lines = [line for line in text.splitlines() if line.startswith(("E  ", COMPLEX))]
        FOUND.setdefault(
            report.nodeid,
            [report.outcome, lines[0].removeprefix("E").strip() if lines else "", report.duration],
        )


def pytest_sessionfinish():
    path = os.environ.get("ASTAD_AUTOGRAD_FOUND")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(FOUND, file)
