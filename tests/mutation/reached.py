"""A plugin of pytest that notes which lines of the compiler each test reaches.

Used by ``python -m tests.mutation`` (Python 3.12); each process of the run writes a JSON file, from
``file:line`` to the tests that reach it, into the folder in ``ASTAD_REACHED``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

COMPILER = str(Path(__file__).resolve().parents[2] / "astad" / "compiler") + os.sep
ROOT = Path(__file__).resolve().parents[2]
_found: dict[str, list[str]] = {}
_of_test: set[tuple[str, int]] = set()


def _line(code: CodeType, line: int) -> Any:
    if code.co_filename.startswith(COMPILER):
        _of_test.add((code.co_filename, line))
    return sys.monitoring.DISABLE  # until the next test


def pytest_sessionstart() -> None:
    watch = sys.monitoring
    watch.use_tool_id(watch.COVERAGE_ID, "reached")
    watch.register_callback(watch.COVERAGE_ID, watch.events.LINE, _line)
    watch.set_events(watch.COVERAGE_ID, watch.events.LINE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    _of_test.clear()
    sys.monitoring.restart_events()
    result = yield
    for place, line in _of_test:
        where = f"{Path(place).relative_to(ROOT).as_posix()}:{line}"
        _found.setdefault(where, []).append(item.nodeid)
    return result


def pytest_sessionfinish() -> None:
    sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, sys.monitoring.events.NO_EVENTS)
    path = Path(os.environ["ASTAD_REACHED"], f"{os.getpid()}.json")
    path.write_text(json.dumps(_found), encoding="utf-8")
