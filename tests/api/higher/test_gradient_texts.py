"""The texts of gradients that functions take inside."""

import numpy as np
import pytest

import astad

REDUCED = {
    "sum": "s = x.sum(); return s * s",
    "mean": "return np.mean(x) ** 2",
    "columns": "return np.sum(x.reshape(1, -1).sum(axis=0) ** 2)",
    "constant": "return 2.0 * x.sum()",
    "builtin": "return sum(k * v for k, v in enumerate(x.sum() * x))",
}
READ = {
    "item": "return x[0] * x[1]",
    "slice": "return np.sum(x[1:] ** 2)",
    "mask": "return np.sum(x[x > 0.1] ** 3)",
    "written": "y = x.copy(); y[0] = x[1] ** 2; return y @ y",
}


@pytest.mark.order_matters  # what the inner text relies on is known from the second call on
@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("reduced", REDUCED)
def test_gradients_inside_have_the_shape_of_the_argument_in_every_branch(read, reduced, tmp_path):
    lines = [
        "import astad", "import numpy as np", "def f(x):", f"    if x[0] > 0: {READ[read]}",
        f"    {REDUCED[reduced]}", "def slopes(x):", "    g = astad.gradient(f, x)[0]",
        "    return np.sum(g ** 2) + g[0] * np.size(g)",
    ]  # fmt: skip
    file = tmp_path / "branches.py"
    file.write_text("\n".join(lines))
    space = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    slopes = space["slopes"]
    for x in (np.array([0.7, 0.3, 0.2]), np.array([-0.7, 0.3, 0.2])):
        h = 1e-5
        moves = [h * each for each in np.eye(3)]
        wanted = [(slopes(x + move) - slopes(x - move)) / (2 * h) for move in moves]
        for _ in range(2):
            y, found = astad.value_and_grad(slopes)(x)
            assert y == pytest.approx(slopes(x))
            assert found == pytest.approx(np.array(wanted), abs=1e-6)
