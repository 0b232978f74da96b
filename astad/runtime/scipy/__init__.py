"""Rules of SciPy that are more than a formula, read when it has been imported."""

from astad.rules.registry import load_with

__all__: list[str] = []

load_with("scipy.fft", ["astad.runtime.scipy.transforms"])
