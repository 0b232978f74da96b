"""Hankel transforms of scipy.fft, which are differentiated as SciPy has written them."""

from __future__ import annotations

from scipy import fft
from scipy.fft import _fftlog_backend

from astad.runtime.core.full_rules import Record, Value, callbacks, full
from astad.runtime.core.versions import Versions

__all__: list[str] = []


def _from_source(multimethod: Value, written: Value) -> None:
    @full(multimethod)
    def forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
        return callbacks.call(versions, written, *args, **keywords)


_from_source(fft.fht, _fftlog_backend.fht)
_from_source(fft.ifht, _fftlog_backend.ifht)
