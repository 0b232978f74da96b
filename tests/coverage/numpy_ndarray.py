"""Calls of the methods and attributes of arrays."""

import copy

import numpy as np

other = np.linspace(0.3, 2.9, 9)
mask = np.array([True, False, True, True, False, True, False, True, True])
square = mask.reshape(3, 3)
B = np.array([[0.4, -1.3, 0.2], [0.7, 0.1, -0.6], [1.1, 0.3, 0.5]])
M = "x.reshape(3, 3)"
T = "x[:8].reshape(2, 2, 2)"


def wrote(*statements, start="x * 2"):
    """Calls that write into a copy of `x`, alone and seen through a view."""
    return tuple(
        f"y = {start}\n{view}{statement}\ny * y * x"
        for statement in statements
        for view in ("", "v = y[::-1]\n")
    )


def operator(sign, *, right="other"):
    """Calls of an operator between two arrays, an array and a number, and the other way."""
    return (
        f"x {sign} {right}",
        f"x {sign} 0.7",
        f"{M} {sign} x[:3]",
        f"x[0] {sign} x",
        f"x {sign} np.float64(1.3)",
    )


def turned(name):
    """Calls of an operator with an array on the right."""
    return (
        f"2.5 {name} x",
        f"np.float64(2.5) {name} x",
        f"[1.5] * 9 {name} x" if name not in "*+@" else f"2 {name} x",
    )


def augmented(sign, *more):
    return wrote(
        f"y {sign} 1.7", f"y {sign} x", f"y[2:5] {sign} x[:3]", f"y[[1, 3]] {sign} x[0]", *more
    )


ALL = "all any argmax argmin"
SIZES = "dtype flags itemsize nbytes ndim shape size strides base data device ctypes"
CALLS: dict[str, tuple[str, ...]] = {
    "T": (f"{M}.T", f"{T}.T", "x.T"),
    "mT": (f"{M}.mT", f"{T}.mT"),
    "real": ("x.real", "(x * (1 + 2j)).real"),
    "imag": ("(x * (1 + 2j)).imag", "x.imag"),
    "flat": (
        "x.flat[3:7]",
        f"{M}.T.flat[[0, 2]]",
        f"[v * v for v in {M}.flat]",
        "y = x * 2\ny.flat[2] = x[0]\ny * y",
        f"y = 2 * {M}\ny.flat = x[:4]\ny * y",
    ),
    "astype": (
        "x.astype(np.float64) * x",
        "x.astype(complex) * 1j",
        "x.astype(float, copy=False)",
        "x.astype('f8', order='F')",
    ),
    "clip": ("x.clip(0.3, 0.6)", "x.clip(min=x[0])", "x.clip(max=0.5, out=np.zeros(9))"),
    "compress": (f"{M}.compress([True, False, True], axis=0)", "x.compress(mask)"),
    "conj": ("x.conj()", "(x * 1j).conj()"),
    "conjugate": ("x.conjugate()", "(x * 1j).conjugate()"),
    "copy": ("x.copy()", f"{M}.T.copy(order='C')"),
    "cumprod": (f"{M}.cumprod(axis=0)", "x.cumprod()"),
    "cumsum": (f"{M}.cumsum(axis=0)", "x.cumsum()"),
    "diagonal": (f"{M}.diagonal()", f"{M}.diagonal(offset=1)"),
    "dot": (f"{M}.dot({M})", "other.dot(x)", "x.dot(2.0)"),
    "fill": wrote("y[0:1].fill(3.0)", "y.fill(x[0])", "y[2:4].fill(x[1])"),
    "flatten": (f"{M}.flatten()", f"{M}.flatten('F')"),
    "getfield": ("x.getfield(np.float64) * x", "x.getfield(np.float64, 0)"),
    "item": ("x[0].item() * x", "x.item(2) * x", f"{M}.item(1, 2) * x", f"{M}.item((1, 2))"),
    "max": ("x.max()", f"{M}.max(axis=0, keepdims=True)", "x.max(initial=0.2, where=mask)"),
    "mean": ("x.mean()", f"{M}.mean(1)", "x.mean(where=mask)"),
    "min": ("x.min()", f"{M}.min(axis=0)"),
    "partition": wrote("y.partition(3)", start="x * 2")
    + (f"y = 2 * {M}\ny.partition(1, axis=0)\ny * {M}",),
    "prod": ("x.prod()", f"{M}.prod(axis=0)"),
    "put": wrote("y.put([0, 3], x[:2])", "y.put([0, 21], x[3], mode='wrap')"),
    "ravel": (f"{M}.ravel()", f"{M}.ravel(order='F')", f"y = 2 * {M}\ny.ravel()[2] = x[0]\ny * y"),
    "repeat": (f"{M}.repeat(2, axis=0)", "x.repeat(3)"),
    "reshape": (
        "x.reshape(3, 3)",
        "x.reshape((3, -1), order='F')",
        "y = x * 2\ny.reshape(3, 3)[1] = x[0]\ny * y",
    ),
    "resize": (
        "y = np.array(x * 2)\ny.resize((2, 3), refcheck=False)\ny * y",
        "y = np.array(x * 2)\ny.resize(12, refcheck=False)\ny * y",
        "y = np.array(x * 2)\ny.resize(3, 3, refcheck=False)\ny * y",
    ),
    "setfield": wrote("y.setfield(x, np.float64)", "y.setfield(x[0], np.float64)"),
    "sort": wrote("y.sort()") + (f"y = 2 * {M}\ny.sort(axis=0)\ny * {M}",),
    "squeeze": ("x[None].squeeze()", "x[None].squeeze(0)"),
    "std": ("x.std()", f"{M}.std(axis=0, ddof=1)"),
    "sum": ("x.sum()", f"{M}.sum(axis=0)", "x.sum(where=mask, initial=x[0])"),
    "swapaxes": (f"{M}.swapaxes(0, 1)", f"{T}.swapaxes(0, 2)"),
    "take": ("x.take([0, 2])", f"{M}.take([0, 2], axis=1, mode='clip')"),
    "to_device": ("x.to_device('cpu') * x",),
    "tolist": (
        "x.tolist()",
        f"np.array({M}.tolist())",
        "[2 * v for v in x.tolist()]",
        "x[2].tolist()",
    ),
    "trace": (f"{M}.trace()", f"{M}.trace(1)"),
    "transpose": (f"{M}.transpose()", f"{T}.transpose(1, 2, 0)", f"{T}.transpose((1, 0, 2))"),
    "var": ("x.var()", f"{M}.var(axis=0, ddof=1)"),
    "view": (
        "x.view() * x",
        "x.view(np.ndarray)",
        "y = x * 2\nv = y.view()\nv[2] = x[0]\ny * y",
        "(x * (1 + 2j)).view(float)",
        "x[:8].view(complex)",
    ),
    "__abs__": ("abs(x - 0.5)", "abs(x * 1j)", "(x - 0.5).__abs__()"),
    "__add__": (*operator("+"), "x.__add__(other)"),
    "__sub__": operator("-"),
    "__mul__": operator("*"),
    "__truediv__": operator("/"),
    "__pow__": (*operator("**"), "x**2", "x**3", "x**0.5", "x**-1", "x**0"),
    "__mod__": ("x % 0.2", "x.__mod__(0.2)", "(5 * x) % (x[0] + 1)"),
    "__divmod__": ("divmod(x, 0.2)", "x.__divmod__(0.2)", "divmod(5 * x[:4], x[4:8])[1]"),
    "__matmul__": (f"{M} @ {M}", f"{M} @ x[:3]", "x @ other"),
    "__neg__": ("-x",),
    "__pos__": ("+x",),
    "__radd__": turned("+"),
    "__rsub__": ("2.5 - x", "np.float64(2.5) - x", "[1.5] * 9 - x", "x.__rsub__(x[0])"),
    "__rmul__": ("2.5 * x", "np.float64(2.5) * x"),
    "__rtruediv__": ("2.5 / x", "[1.5] * 9 / x"),
    "__rpow__": (
        "x.__rpow__(2.5)",
        "2.5**x",
        "2**x",
        "[1.5] * 9**x" if False else "np.float64(1.5) ** x",
    ),
    "__rmod__": ("4.9 % (x + 0.2)", "np.float64(4.9) % (x + 0.2)"),
    "__rmatmul__": (f"{M}.__rmatmul__(x[:3])", f"B @ {M}", f"[1.0, 2.0, 3.0] @ {M}"),
    "__getitem__": (
        f"{M}[1:, [0, 2]]",
        "x[::-2]",
        "x[mask]",
        "x[[0, 0, 3]]",
        "x[2] * x",
        f"{M}[..., 1]",
        f"{M}[:, None, 1:]",
        f"{M}[square]",
        f"{M}[[0, 1], [1, 2]]",
        f"{M}[np.array([[0], [2]]), [0, 1]]",
        "x[-1]",
        "x[()]",
        "x[x > 0.5]",
        "x[np.intp(3)] * x[:0].sum()",
    ),
    "__iter__": (
        f"sum([r[0] * r[1] for r in {M}])",
        "[v * v for v in x]",
        f"[a for a, b, c in {M}]",
    ),
    "__float__": ("float(x[0]) * x", "float(x[:1][0])", "float(np.sum(x))"),
    "__setitem__": wrote(
        "y[0] = 2 * x[1]",
        "y[2:5] = x[:3]",
        "y[mask] = x[mask] ** 2",
        "y[[0, 0, 3]] = x[:3]",
        "y[:] = 3.0",
        "y[...] = x",
        "y[::2] = y[1]",
        "y[y > 1] = x[0]",
    ),
    "__iadd__": augmented("+="),
    "__isub__": augmented("-="),
    "__imul__": augmented("*="),
    "__itruediv__": augmented("/="),
    "__ipow__": augmented("**=", "y **= 2"),
    "__imod__": augmented("%="),
    "__ifloordiv__": augmented("//=", "y //= 0.3"),
    "__imatmul__": (
        f"y = 2 * {M}\ny @= B\ny * y",
        f"y = 2 * {M}\ny @= {M}\ny * y",
        f"y = 2 * {M}\ny @= y\ny",
    ),
    **{n: (f"x.{n}()", f"(x * x.{n}())", f"{M}.{n}(axis=0)") for n in ALL.split()},
    **{n: (f"x.{n}", f"(x, x.{n})[0] * 2") for n in SIZES.split()},
    "argpartition": ("x.argpartition(3)", "x[x.argpartition(3)]"),
    "argsort": ("x.argsort()", "x[x.argsort()]", f"{M}.argsort(axis=0)"),
    "nonzero": ("(x > 0.5).nonzero()", "x[(x > 0.5).nonzero()]"),
    "round": ("(x + 0.004).round(1)", "x.round() * x"),
    "searchsorted": ("np.array([0.2, 0.5]).searchsorted(x)", "np.sort(x).searchsorted(0.5) * x"),
    "choose": ("np.array([0, 1, 0]).choose([x[:3], 2 * x[:3]])", "np.array([1, 0]).choose(x[:2])"),
    "byteswap": ("np.array([1, 2]).byteswap()", "x * np.array([1, 2]).byteswap().sum()"),
    "tobytes": ("len(x.tobytes())", "len(x.tobytes()) * x"),
    "setflags": ("y = x * 2\ny.setflags(write=False)\ny * y",),
    "__array__": ("x.__array__() * x", "np.array([1.0, 2.0]).__array__() * x[0]"),
    "__array_function__": ("x.__array_function__ is None",),
    "__array_ufunc__": ("x.__array_ufunc__ is None",),
    "__bool__": ("x * (2 if x[0] else 3)", "bool(x[:1])"),
    "__complex__": ("complex(x[0]) * 1j * x", "complex(x[1])"),
    "__contains__": ("(0.5 in x) * 1.0", "x * (3 if x[0] in x else 2)"),
    "__copy__": ("copy.copy(x) * x", "x.__copy__()"),
    "__deepcopy__": ("copy.deepcopy(x) * x",),
    "__floordiv__": ("x // 0.2", "4.9 // (x + 0.2)", "(x // 0.2) * x"),
    "__int__": ("int(10 * x[0])", "int(10 * x[0]) * x"),
    "__index__": ("np.array(3).__index__()", "x[np.array(3)] * x"),
    "__len__": ("len(x)", "len(x) * x"),
}
NOT_ASKED = {
    "dump": "writes a file",
    "dumps": "gives bytes",
    "tofile": "writes a file",
}
REFUSED = {"resize": "an array that changes its own size would outgrow its cotangent"}
