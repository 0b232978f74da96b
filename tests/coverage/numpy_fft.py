"""Calls of the names of numpy.fft."""

import numpy as np
from numpy import fft

NORMS = ("backward", "ortho", "forward")
M = "x[:8].reshape(2, 4)"
Z = "(x[:8].reshape(2, 4) + 1j * x[8] ** np.arange(8).reshape(2, 4))"


def lines(name, inside):
    """Calls of a transform along one axis."""
    return (
        f"fft.{name}({inside})",
        f"fft.{name}({inside}, n=4)",
        f"fft.{name}({inside}, n=12)",
        f"fft.{name}({inside}[:3], 4, norm='ortho')",
        f"fft.{name}({inside}[:8].reshape(2, 4), axis=0, norm='forward')",
        f"fft.{name}({inside}[:8].reshape(2, 4))",
        f"fft.{name}({inside}[:1])"
        if name not in ("irfft", "hfft")
        else f"fft.{name}({inside}[:2])",
    )


def planes(name, inside):
    """Calls of a transform along several axes."""
    return (
        f"fft.{name}({inside})",
        f"fft.{name}({inside}, s=(2, 3))",
        f"fft.{name}({inside}, s=(3, 6), axes=(0, 1))",
        f"fft.{name}({inside}, norm='ortho')",
        f"fft.{name}({inside}, axes=(1, 0), norm='forward')",
    )


CALLS: dict[str, tuple[str, ...]] = {
    **{
        n: (*lines(n, "x"), *lines(n, "(x + 1j * x[::-1] ** 2)"))
        for n in ("fft", "ifft", "irfft", "hfft")
    },
    **{n: lines(n, "x") for n in ("rfft", "ihfft")},
    **{n: (*planes(n, M), *planes(n, Z)) for n in "fft2 ifft2 fftn ifftn irfft2 irfftn".split()},
    **{n: planes(n, M) for n in ("rfft2", "rfftn")},
    "fftshift": ("fft.fftshift(x)", f"fft.fftshift({M}, axes=1)", f"fft.fftshift({Z})"),
    "ifftshift": ("fft.ifftshift(x)", f"fft.ifftshift({M}, axes=(0,))", f"fft.ifftshift({Z})"),
    "fftfreq": ("fft.fftfreq(9) * x", "fft.fftfreq(9, 0.2)", "fft.fftfreq(4, d=x[0])"),
    "rfftfreq": ("fft.rfftfreq(9) * x[:5]", "fft.rfftfreq(4, d=x[0])"),
}
CALLS["fft"] += ("fft.fft(x, out=np.zeros(9, complex))",)
