"""Second-order sections, which SciPy applies in place to signals and states."""

from __future__ import annotations

import numpy as np
from scipy.signal import _sigtools, _sosfilt

from astad.rules.scipy.recursions import recursion_back
from astad.runtime.core.full_rules import Cotangents, Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.tangents.refused import Refused

__all__: list[str] = []


@full(_sosfilt._sosfilt)
def sections_forward(versions: Versions, sos: Value, x: Value, zi: Value) -> tuple[None, Record]:
    before = sos.copy(), x.copy(), zi.copy()
    versions.writing(x)
    versions.writing(zi)
    _sosfilt._sosfilt(sos, x, zi)
    return None, (pull_sections, sos, x, zi, before)


def pull_sections(
    shadows: Shadows, y_bar: Value, sos: Value, x: Value, zi: Value, before: tuple[Value, ...]
) -> Cotangents:
    g, ends = shadows.take_slot(x, ...), shadows.take_slot(zi, ...)
    if g is None and ends is None:
        return None
    if type(g) is Refused or type(ends) is Refused:
        parts: tuple[Value, ...] = (g if type(g) is Refused else ends,) * 3
    else:
        g = np.zeros_like(x) if g is None else g
        parts = _back(g, np.zeros_like(zi) if ends is None else ends, *before)
    for value, part in zip((sos, x, zi), parts, strict=True):
        shadows.add(value, part)
    return None


def _back(g: Value, ends: Value, sos: Value, x: Value, zi: Value) -> tuple[Value, ...]:
    """Cotangents of coefficients, signals and states, from those of results and last states."""
    steps = []
    for k, row in enumerate(sos):
        b, a = row[:3], row[3:]
        y = _sigtools._linear_filter(b, a, x, 1, zi[:, k])
        steps.append((b, a, x, y))
        x = y[0]
    sos_bar, zi_bar = np.zeros_like(sos), np.zeros_like(zi)
    for k in reversed(range(len(sos))):
        b, a, x, y = steps[k]
        bars = [
            recursion_back(name, (g, ends[:, k]), y, b, a, x, 1) for name in ("b", "a", "x", "zi")
        ]
        sos_bar[k], g, zi_bar[:, k] = np.concatenate(bars[:2]), bars[2], bars[3]
    return sos_bar, g, zi_bar
