"""A plugin of pytest: the modules of autograd are astad's before a test is read."""

import json
import os

from . import modules

modules.install()
FOUND = {}


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        text = report.longreprtext if report.outcome == "failed" else ""
        lines = [line for line in text.splitlines() if line.startswith("E  ")]
        FOUND.setdefault(
            report.nodeid, [report.outcome, lines[0][1:].strip() if lines else "", report.duration]
        )


def pytest_sessionfinish():
    path = os.environ.get("ASTAD_AUTOGRAD_FOUND")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(FOUND, file)
