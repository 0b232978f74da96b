"""Lets the tests of this folder import its harness; the rules of SciPy are there where SciPy is."""

import cmath  # its rules are there where it is  # noqa: F401
import contextlib
import sys
from pathlib import Path

with contextlib.suppress(ImportError):
    import scipy.cluster.vq
    import scipy.fft
    import scipy.interpolate
    import scipy.linalg
    import scipy.ndimage
    import scipy.signal
    import scipy.spatial.distance
    import scipy.special  # noqa: F401

sys.path.insert(
    0, str(Path(__file__).parent / "support")
)  # not this folder: one in it is called scipy
