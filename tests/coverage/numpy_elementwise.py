"""Calls of the ufuncs of numpy and of what works element by element."""

import numpy as np

NAMESPACE = "numpy"

row, column, other = np.array([0.4, -1.3, 2.2]), np.array([[0.6], [1.7]]), np.linspace(0.3, 2.9, 9)
mask = np.array([True, False, True, True, False, True, False, True, True])
whole = np.arange(1, 10)


def everywhere(name, inside="x"):
    """Calls of a ufunc of one argument: arrays, numbers, `out`, `where`, broadcast `where`."""
    return (
        f"np.{name}({inside})",
        f"np.{name}({inside}[2]) * x",
        f"np.{name}(({inside}).reshape(3, 3).T)[::-1]",
        f"np.{name}({inside}, out=np.ones(9))",
        f"np.{name}({inside}, where=mask, out=x * 3)",
        f"np.{name}(np.float32({inside}[1])) * x[2]",
    )[: 6 if name in STILL_RIGHT_IN_SINGLE else 5]


def off_the_line(name, inside="x"):
    """Calls with complex arguments."""
    return (f"np.{name}({inside} + 0.3j * x[::-1])", f"np.{name}(1j * {inside}[2] + x[3])")


def pairs(name, a="x", b="other"):
    """Calls of a ufunc of two arguments: both, either, broadcast, the same twice."""
    return (
        f"np.{name}({a}, {b})",
        f"np.{name}({b}, {a})",
        f"np.{name}({a}.reshape(3, 3), {a}[:3])",
        f"np.{name}({a}[:3], np.abs(column))",
        f"np.{name}({a}, {a})",
        f"np.{name}({a}[4], 1.7) + np.{name}(2, {a}[5])",
        f"np.{name}({a}, {b}, out=np.zeros(9), where=mask)",
    )


STILL_RIGHT_IN_SINGLE: set[str] = set()
ONE = "absolute abs fabs negative positive exp exp2 expm1 log log10 log2 log1p sqrt cbrt square "
ONE += "reciprocal sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh deg2rad radians "
ONE += "rad2deg degrees asin acos atan asinh atanh conj conjugate"
COMPLEX = "absolute abs negative positive exp exp2 expm1 log log10 log2 log1p sqrt square conj "
COMPLEX += "conjugate reciprocal sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh "
COMPLEX += "asin acos atan asinh atanh"
TWO = "add subtract multiply divide true_divide power pow float_power arctan2 atan2 hypot "
TWO += "logaddexp logaddexp2 maximum minimum fmax fmin"

CALLS: dict[str, tuple[str, ...]] = {
    **{name: everywhere(name) for name in ONE.split()},
    **{name: everywhere(name, "(1.5 + x)") for name in ("arccosh", "acosh")},
    **{name: pairs(name) for name in TWO.split()},
    "copysign": ("np.copysign(x, -other)", "np.copysign(x - 0.5, x)", "np.copysign(x, -1)"),
    "nextafter": ("np.nextafter(x, 9.0)", "np.nextafter(x, other)"),
    "ldexp": ("np.ldexp(x, 2)", "np.ldexp(x, whole)", "np.ldexp(x[1], 3)"),
    "frexp": ("np.frexp(2.7 * x)[0]", "np.frexp(2.7 * x)", "np.frexp(x[0])[0]"),
    "modf": ("np.modf(5 * x)", "np.modf(5 * x[1])[0]", "np.modf(5 * x)[1] * x"),
    "mod": (
        "np.mod(5 * x, 0.7)",
        "np.mod(4.9, x + 0.2)",
        "np.mod(-5 * x[:4], x[4:8])",
        "np.mod(x[0], 0.2)",
    ),
    "remainder": (
        "np.remainder(5 * x, 0.7)",
        "np.remainder(4.9, x + 0.2)",
        "np.remainder(-x, other)",
    ),
    "fmod": ("np.fmod(5 * x, 0.7)", "np.fmod(-4.9, x + 0.2)", "np.fmod(-5 * x[:4], x[4:8])"),
    "divmod": ("np.divmod(5 * x, 0.7)", "np.divmod(4.9, x + 0.2)[1]", "np.divmod(5 * x[1], x[2])"),
    "clip": (
        "np.clip(x, 0.3, 0.7)",
        "np.clip(x, 0.3, x[5])",
        "np.clip(other, x[3], x[4] + 1)",
        "np.clip(x, None, 0.6)",
        "np.clip(x, min=0.4, max=0.8)",
        "np.clip(x, 0.3, 0.7, out=np.zeros(9))",
    ),
    "nan_to_num": (
        "np.nan_to_num(x)",
        "np.nan_to_num(np.where(mask, x, np.nan), nan=7.0)",
        "np.nan_to_num(np.where(mask, x, np.nan), nan=np.mean(x))",
        "np.nan_to_num(x * 1, copy=False)",
        "np.nan_to_num(np.where(mask, x, np.inf), posinf=3.0)",
        "np.nan_to_num(x + 1j * x)",
    ),
    "real_if_close": (
        "np.real_if_close(x)",
        "np.real_if_close(x + 1j)",
        "np.real_if_close(x + 0j)",
    ),
    "sinc": ("np.sinc(x)", "np.sinc(x[2])", "np.sinc(x - x[3])", "np.sinc(x.reshape(3, 3))"),
    "i0": ("np.i0(x)", "np.i0(9 * x)", "np.i0(x[2])", "np.i0(-x)"),
    "unwrap": (
        "np.unwrap(7 * x)",
        "np.unwrap(7 * x.reshape(3, 3), axis=0)",
        "np.unwrap(7 * x, period=2.0)",
        "np.unwrap(7 * x, discont=4.0)",
    ),
    "angle": (
        "np.angle(x + 1j * x[::-1])",
        "np.angle(x[0] + 1j * x[1], deg=True)",
        "np.angle(x)",
        "np.angle(np.exp(1j * x.reshape(3, 3)))",
    ),
    "real": ("np.real(x)", "np.real(x * np.exp(1j * x))", "np.real(x[0] * (1 + 2j))"),
    "imag": ("np.imag(x * np.exp(1j * x))", "np.imag(x[0] * (1 + 2j))", "np.imag(x)"),
    "where": (
        "np.where(x > 0.5, x, 2 * x)",
        "np.where(mask, x, 0)",
        "np.where(mask.reshape(3, 3), x[:3], 1.0)",
        "np.where(x[0] > 0.2, x, x**2)",
        "np.where(x > 0.5)[0] * x[0]",
        "np.where(mask, 1j * x, x)",
    ),
    "interp": (
        "np.interp(x, np.linspace(0, 1, 6), np.arange(6.0) ** 2)",
        "np.interp(np.linspace(0, 1, 5), np.cumsum(x) / 4, other)",
        "np.interp(np.linspace(0, 1, 5), np.linspace(0.1, 0.9, 9), x)",
        "np.interp(x[0], [0.1, 0.5, 0.9], x[:3])",
        "np.interp([-1.0, 0.3, 9.0], np.linspace(0.1, 0.9, 9), other, left=x[0], right=x[1])",
        "np.interp(x + 2, np.linspace(0, 1, 9), x, period=1.0)",
    ),
    "gradient": (
        "np.gradient(x)",
        "np.gradient(x.reshape(3, 3))",
        "np.gradient(x.reshape(3, 3), axis=0)",
        "np.gradient(x, 0.3)",
        "np.gradient(x, x + 1j * other)",
        "np.gradient(x, other)",
        "np.gradient(other, np.cumsum(x))",
        "np.gradient(x, x[0])",
        "np.gradient(x.reshape(3, 3), 0.2, 0.3, edge_order=2)",
    ),
}
for _name in COMPLEX.split():
    CALLS[_name] = (*CALLS[_name], *off_the_line(_name))
for _name in "add subtract multiply divide true_divide power pow float_power".split():
    CALLS[_name] = (
        *CALLS[_name],
        f"np.{_name}(x + 0.2j, other)",
        f"np.{_name}(other, x * (1 + 0.3j))",
    )
for _name in ("conj", "conjugate"):
    CALLS[_name] = tuple(call for call in CALLS[_name] if "where=" not in call)
REFUSED_CALLS = {"conj": ("np.conj(x, where=mask, out=x * 3)",)}
CALLS["sin"] = (*CALLS["sin"], "np.sin(x, dtype=np.float64)", "np.sin(x, x * 2)", "np.sin(x.T)")
