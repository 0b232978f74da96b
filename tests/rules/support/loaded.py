"""Imports the modules whose rules are there where they are: cmath, and those of SciPy if it is."""

import cmath  # noqa: F401
import contextlib

with contextlib.suppress(ImportError):
    import scipy.cluster.vq
    import scipy.fft
    import scipy.interpolate
    import scipy.linalg
    import scipy.ndimage
    import scipy.signal
    import scipy.spatial.distance
    import scipy.special  # noqa: F401
