"""The slot of what looks at a differentiation before it is done, while `settings.verify` is on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Verifier", "verifier"]


class Verifier:
    """Filled by `testing/verifying.py`."""

    before: Callable[[str, Any, tuple[Any, ...], dict[str, Any], tuple[int, ...] | None], None]


verifier = Verifier()
