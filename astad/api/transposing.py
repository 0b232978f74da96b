"""Hands reverse mode to the rules, which make tangents of their pullbacks by it."""

from __future__ import annotations

from astad.api.pullbacks import pullback
from astad.rules.transposition import reverse

reverse.pullback = pullback
