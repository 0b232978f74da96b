"""The few switches, read from the environment when astad is imported; assign to change them later.

| variable | switch | meaning |
|---|---|---|
| ``ASTAD_CACHE=0`` | ``cache = False`` | neither read nor write the disk cache |
| ``ASTAD_CACHE_DIR`` | ``cache_directory`` | its folder; None: below the user's own cache folder |
| ``ASTAD_CACHE_WRITE=0`` | ``cache_write = False`` | read it, write nothing |
| ``ASTAD_CACHE_ENTRIES`` | ``cache_entries = 10_000`` | how many entries it holds |
| ``ASTAD_CACHE_BYTES`` | ``cache_bytes = 500_000_000`` | how large they are together |
| ``ASTAD_CACHE_SHIPPED`` | ``cache_shipped`` | folders of further entries, which are only read |
| ``ASTAD_HOOK=0`` | ``hook = False`` | importing astad leaves ``sys.meta_path`` alone |
| ``ASTAD_CHECKS=1`` | `astad.checked()` | look at each cotangent as it is formed |
| ``ASTAD_VERIFY=1`` | `astad.verified()` | compare texts, and them with the plain run |
| ``ASTAD_DEBUG=1`` | ``debug = True`` | print what hook and cache are otherwise silent about |

>>> from astad import settings
>>> settings.debug
False
"""

from __future__ import annotations

import os
import sys

__all__ = [
    "budgets", "cache", "cache_bytes", "cache_directory", "cache_entries", "cache_shipped",
    "cache_write", "checks", "debug", "hook", "only_generic", "report", "verify",
]  # fmt: skip


def _is_on(variable: str, usual: str) -> bool:
    value = os.environ.get(variable) or usual
    return value.strip().lower() not in ("0", "off", "no", "false")


def _number(variable: str, usual: int) -> int:
    value = os.environ.get(variable, "").strip().replace("_", "")
    return int(value) if value.isdecimal() else usual


cache: bool = _is_on("ASTAD_CACHE", "1")
cache_directory: str | None = os.environ.get("ASTAD_CACHE_DIR") or None
cache_write: bool = _is_on("ASTAD_CACHE_WRITE", "1")
cache_entries: int = _number("ASTAD_CACHE_ENTRIES", 10_000)
cache_bytes: int = _number("ASTAD_CACHE_BYTES", 500_000_000)
cache_shipped: str | None = os.environ.get("ASTAD_CACHE_SHIPPED") or None
hook: bool = _is_on("ASTAD_HOOK", "1")
checks: bool = _is_on("ASTAD_CHECKS", "0")
verify: bool = _is_on("ASTAD_VERIFY", "0")
only_generic: bool = False
"""Whether variants for any arguments answer all; for `testing/verifying.py`."""
budgets: int = 0
"""How many blocks of `astad.memory` are open, in all threads: while there are none, nobody asks."""
debug: bool = _is_on("ASTAD_DEBUG", "0")


def report() -> None:
    """Print the error that is being dropped, if ``debug`` is on."""
    kind, error, trace = sys.exc_info()
    if debug and kind is not None and error is not None:
        sys.excepthook(kind, error, trace)
