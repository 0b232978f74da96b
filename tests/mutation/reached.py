"""A plugin of pytest that notes which lines of the compiler each test reaches.

Used by ``python -m tests.mutation`` (Python 3.12); each process of the run writes a JSON file, from
``file:line`` to the tests that reach it, into the folder in ``ASTAD_REACHED``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.reached import Reached

ROOT = Path(__file__).resolve().parents[2]
_reached = Reached([str(ROOT / "astad" / "compiler") + os.sep])
_found: dict[str, list[str]] = {}


def pytest_sessionstart() -> None:
    _reached.__enter__()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    _reached.forget()
    result = yield
    for place, line in _reached.lines:
        where = f"{Path(place).relative_to(ROOT).as_posix()}:{line}"
        _found.setdefault(where, []).append(item.nodeid)
    return result


def pytest_sessionfinish() -> None:
    _reached.__exit__()
    path = Path(os.environ["ASTAD_REACHED"], f"{os.getpid()}.json")
    path.write_text(json.dumps(_found), encoding="utf-8")
