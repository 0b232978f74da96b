"""Calls of the methods of ufuncs and of their keywords."""

import numpy as np

other = np.linspace(0.3, 2.9, 9)
mask = np.array([True, False, True, True, False, True, False, True, True])
square = mask.reshape(3, 3)
M = "x.reshape(3, 3)"


def at(name, *arguments):
    """Calls of `at` on a copy of `x` and on an array without derivative."""
    return tuple(
        f"y = {start}\nnp.{name}.at(y, {each})\ny * y"
        for each in arguments
        for start in ("x * 2", "np.ones(9)")
    )


def reduced(name, where=True):
    return (
        f"np.{name}.reduce({M}, axis=0)",
        f"np.{name}.reduce(x)",
        f"np.{name}.reduce({M}, axis=(0, 1), keepdims=True)",
        f"np.{name}.reduce({M}, axis=None)",
        f"np.{name}.reduce({M}, axis=0, initial=0.6, where=square)",
        f"np.{name}.reduce({M}, axis=1, out=np.zeros(3))",
    )


def accumulated(name):
    return (
        f"np.{name}.accumulate({M}, axis=0)",
        f"np.{name}.accumulate(x)",
        *(
            (f"np.{name}.accumulate({M}, axis=1, out=np.zeros((3, 3)))",)
            if name != "subtract"
            else ()
        ),
    )


def slices(name):
    return (
        f"np.{name}.reduceat({M}, [0, 2], axis=0)",
        f"np.{name}.reduceat(x, [0, 4, 2, 8])",
        f"np.{name}.reduceat(x, [1, 1, 5])",
    )


def outer(name):
    return (
        f"np.{name}.outer(x[:3], other)",
        f"np.{name}.outer({M}, x[:2])",
        f"np.{name}.outer(x, 2.0)",
        f"np.{name}.outer(x[:3], x[:2], out=np.zeros((3, 2)))",
    )


CALLS: dict[str, tuple[str, ...]] = {
    "add(where=)": (
        f"np.add({M}, {M}, where=square, out=np.zeros((3, 3)))",
        "y = x * 3\nnp.add(x, other, where=mask, out=y)\ny * x",
        "np.multiply(x, x, where=mask, out=x * 2)",
    ),
    "sin(out=)": (
        "np.sin(x, out=np.zeros(9))",
        "y = x * 2\nnp.sin(y, out=y)\ny * y",
        "y = np.zeros((2, 9))\nnp.sin(x, out=y[1])\nnp.exp(y, y)\ny",
        "np.sin(x, out=(np.zeros(9),))",
    ),
    "sin(dtype=)": (
        "np.sin(x, dtype=np.float64)",
        "np.sin(x, dtype=complex)",
        "np.add(x, 1, dtype=complex) * 1j",
    ),
    "sum(where=)": (
        f"np.sum({M}, where=square)",
        f"np.sum({M}, axis=0, where=[True, False, True])",
    ),
    "sum(initial=)": (f"np.sum({M}, initial=3.0)", f"np.sum({M}, axis=1, initial=x[0])"),
    "sum(out=)": (
        f"np.sum({M}, axis=0, out=np.zeros(3))",
        f"y = x[:3] * 2\nnp.sum({M}, axis=0, out=y)\ny * y",
    ),
    "add.at": at(
        "add",
        "[0, 0, 2], x[:3]",
        "mask, x[0]",
        "slice(2, 5), x[:3]",
        "[1, 1], 2.0",
        "([0, 3],), x[:2]",
    ),
    "subtract.at": at("subtract", "[0, 0, 2], x[:3]"),
    "multiply.at": at("multiply", "[0, 0, 2], x[:3]", "[1, 2], 2.0"),
    "divide.at": at("divide", "[0, 4, 2], x[:3]"),
    "maximum.at": at("maximum", "[0, 4, 2], x[:3] * 1.9"),
    "negative.at": ("y = x * 2\nnp.negative.at(y, [0, 2])\ny * x",),
    "add.reduce": reduced("add"),
    "multiply.reduce": reduced("multiply"),
    "maximum.reduce": reduced("maximum"),
    "minimum.reduce": reduced("minimum"),
    "logaddexp.reduce": reduced("logaddexp"),
    "fmax.reduce": reduced("fmax"),
    "subtract.reduce": (f"np.subtract.reduce({M}, axis=0)", "np.subtract.reduce(x)"),
    "divide.reduce": (f"np.divide.reduce({M}, axis=0)",),
    "hypot.reduce": (f"np.hypot.reduce({M}, axis=1)", "np.hypot.reduce(x, initial=0.3)"),
    "add.accumulate": accumulated("add"),
    "multiply.accumulate": accumulated("multiply"),
    "maximum.accumulate": accumulated("maximum"),
    "minimum.accumulate": accumulated("minimum"),
    "logaddexp.accumulate": accumulated("logaddexp"),
    "subtract.accumulate": accumulated("subtract"),
    "add.reduceat": slices("add"),
    "multiply.reduceat": slices("multiply"),
    "maximum.reduceat": slices("maximum"),
    "multiply.outer": outer("multiply"),
    "subtract.outer": outer("subtract"),
    "divide.outer": outer("divide"),
    "arctan2.outer": outer("arctan2"),
    "maximum.outer": outer("maximum"),
    "power.outer": outer("power"),
    "logical_and.reduce": ("np.logical_and.reduce(x > 0.3)", "np.logical_or.reduce(x > 0.3) * x"),
    "greater.outer": ("np.greater.outer(x, other)", "np.greater.outer(x, other) * x[0]"),
}
REFUSED_CALLS = {
    "power.outer": (f"np.power.reduce({M}, axis=0)",),
    "multiply.reduceat": ("np.multiply.reduceat(x, [1, 1, 5], out=np.zeros(3))",),
    "subtract.accumulate": ("np.subtract.accumulate(x, out=np.zeros(9))",),
}
