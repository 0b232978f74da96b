"""Calls of the names of scipy.fft."""

import numpy as np
from scipy import fft

A = np.cos(np.arange(12.0)).reshape(3, 4)
SPECTRUM = "fft.{0}(x)", "fft.{0}(x * 1j + x**2)", "fft.{0}(x, 12, norm='ortho')"
SPECTRUM += ("fft.{0}(x.reshape(3, 3), 2, axis=0, norm='forward', overwrite_x=True, workers=2)",)
HALF = (
    "fft.{0}(x)",
    "fft.{0}(x, 12, norm='ortho')",
    "fft.{0}(x.reshape(3, 3), 2, axis=0, workers=1)",
)
HALF += ("fft.{0}(x[::-1], 7)", "fft.{0}(x.tolist(), overwrite_x=True)")
BACK = (*HALF, "fft.{0}(x * 1j + x**2, 11)", "fft.{0}(x.reshape(3, 3) * (1 - 2j), axis=0)")
GRID = "fft.{0}(x.reshape(3, 3))", "fft.{0}(x.reshape(3, 3), (2, 5), norm='ortho')"
GRID += ("fft.{0}(x.reshape(3, 3).T, axes=(1, 0), norm='forward', workers=2)",)
GRIDS = (*GRID, "fft.{0}(x.reshape(3, 3) * (2 + 1j), overwrite_x=True)")
REAL = (
    "fft.{0}(x)",
    "fft.{0}(x, 1) + fft.{0}(x, 4)",
    "fft.{0}(x, 3, norm='ortho')",
    "fft.{0}(x, 2, 12, norm='forward', overwrite_x=True)",
    "fft.{0}(x.reshape(3, 3), 1, 2, axis=0, orthogonalize=True)",
    "fft.{0}(x, 2, norm='ortho', orthogonalize=False)",
    "fft.{0}(x * (1 + 2j), 3)",
)
REALS = (
    "fft.{0}(x.reshape(3, 3))",
    "fft.{0}(x.reshape(3, 3), 3, (4, 2), norm='ortho')",
    "fft.{0}(x.reshape(3, 3), 1, axes=[0], orthogonalize=True)",
    "fft.{0}(x.reshape(3, 3) * 1j, 4, overwrite_x=True, workers=2)",
)
HANKEL = (
    "fft.{0}(x, 0.3, 0.5)",
    "fft.{0}(x, 0.3, 0.5, offset=0.2, bias=0.1)",
    "fft.{0}(A[0], 0.3 + x[0], 0.5 + x[1], 0.2 * x[2], 0.1 * x[3])",
)


def _calls(texts: tuple[str, ...], *names: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(text.format(name) for text in texts) for name in names}


CALLS: dict[str, tuple[str, ...]] = {
    **_calls(SPECTRUM, "fft", "ifft"),
    **_calls(HALF, "rfft", "ihfft"),
    **_calls(BACK, "irfft", "hfft"),
    **_calls(GRIDS, "fft2", "ifft2", "fftn", "ifftn", "irfft2", "irfftn", "hfft2", "hfftn"),
    **_calls(GRID, "rfft2", "rfftn", "ihfft2", "ihfftn"),
    **_calls(REAL, "dct", "idct", "dst", "idst"),
    **_calls(REALS, "dctn", "idctn", "dstn", "idstn"),
    **_calls(HANKEL, "fht", "ifht"),
    "fhtoffset": ("fft.fhtoffset(x[0], x[1], x[2], x[3])", "fft.fhtoffset(0.3, x[0])"),
    "fftshift": ("fft.fftshift(x)", "fft.fftshift(x.reshape(3, 3), axes=0)"),
    "ifftshift": ("fft.ifftshift(x)", "fft.ifftshift(x.reshape(3, 3), axes=(1,))"),
    "fftfreq": ("fft.fftfreq(9)", "fft.fftfreq(9, x[0])"),
    "rfftfreq": ("fft.rfftfreq(9)", "fft.rfftfreq(9, d=x[0])"),
    "next_fast_len": ("fft.next_fast_len(int(x[0] * 100))",),
    "prev_fast_len": ("fft.prev_fast_len(int(x[0] * 100), real=True)",),
}
