"""Calls of the names of numpy that write into their argument."""

import numpy as np

NAMESPACE = "numpy"

other = np.linspace(0.3, 2.9, 9)
mask = np.array([True, False, True, True, False, True, False, True, True])
M = "x.reshape(3, 3)"


def wrote(*statements):
    """Calls that write into a copy of `x`, and into an array without derivative."""
    return tuple(
        f"y = {start}\n{statement}\ny * y"
        for statement in statements
        for start in ("x * 2", "np.ones(9)")
    )


def wrote_square(*statements):
    return tuple(f"y = 2 * {M}\n{statement}\ny * y" for statement in statements)


CALLS: dict[str, tuple[str, ...]] = {
    "copyto": wrote(
        "np.copyto(y, x[::-1])",
        "np.copyto(y, x[0])",
        "np.copyto(y, x, where=mask)",
        "np.copyto(y[2:5], x[:3])",
        "np.copyto(y, 7.0, where=mask)",
        "np.copyto(y[::-1], y)",
    ),
    "put": wrote(
        "np.put(y, [0, 3], x[:2])",
        "np.put(y, [0, 3, 3], x[:2])",
        "np.put(y, 4, x[0])",
        "np.put(y, [0, 21], x[3], mode='wrap')",
        "np.put(y, [-1, 2], [1.0, 2.0], mode='raise')",
    ),
    "putmask": wrote(
        "np.putmask(y, mask, x)",
        "np.putmask(y, mask, x[:2])",
        "np.putmask(y, y > 0.9, 1.0)",
        "np.putmask(y, mask, x[0])",
    ),
    "place": wrote(
        "np.place(y, mask, x[:2])",
        "np.place(y, mask, x)",
        "np.place(y, y > 0.9, [1.0, 2.0])",
        "np.place(y, ~mask, x[:3] * 2)",
    ),
    "fill_diagonal": (
        *wrote_square(
            "np.fill_diagonal(y, x[0])",
            "np.fill_diagonal(y, x[:3])",
            "np.fill_diagonal(y, 7.0)",
            "np.fill_diagonal(y[:2, 1:], x[:2])",
        ),
        "y = np.ones((7, 2)) * x[1]\nnp.fill_diagonal(y, x[0], wrap=True)\ny * y",
        "y = np.zeros((2, 2, 2))\nnp.fill_diagonal(y, x[:2])\ny * y",
    ),
    "put_along_axis": wrote_square(
        "np.put_along_axis(y, np.array([[0], [2], [1]]), x[:3, None], axis=1)",
        "np.put_along_axis(y, np.argmax(y, axis=0)[None], x[0], axis=0)",
        "np.put_along_axis(y, np.array([1, 5]), x[:2], axis=None)",
    ),
}
