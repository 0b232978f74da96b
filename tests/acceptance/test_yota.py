"""The examples of Yota's tutorial, and what it says it does not cover: rows 002.01 to .10."""

import ast
import math
import subprocess
import sys

import numpy as np
import pytest

from astad import gradient, pullback, pullback_self, value_and_grad


def g(x1, x2):
    return x1 * x2


def h(x):
    return math.sin(x)


def f(x1, x2):
    return g(x1, x2) + h(x1)


VALUE, SLOPES = 6.909297426825682, (2.5838531634528574, 2.0)


def test_002_01_two_nested_calls_and_a_value_used_twice():
    y, back = pullback(f, 2.0, 3.0)
    assert y == VALUE
    assert back(1) == pytest.approx(SLOPES, rel=1e-15)


def test_002_01_own_gradient_of_a_plain_function_is_none():
    y, back = pullback_self(f, 2.0, 3.0)
    own, *slopes = back(1)
    assert y == VALUE
    assert own is None
    assert slopes == pytest.approx(list(SLOPES), rel=1e-15)


def test_002_02_value_and_gradients_in_one_call():
    y, slopes = value_and_grad(f, argnums=(0, 1))(2.0, 3.0)
    assert y == VALUE
    assert slopes == pytest.approx(SLOPES, rel=1e-15)


def test_002_03_check_by_finite_differences(check_gradient):
    check_gradient(f, 2.0, 3.0)
    step = 1e-6
    for slope, ends in zip(
        gradient(f, 2.0, 3.0),
        (
            f(2.0 + step, 3.0) - f(2.0 - step, 3.0),
            f(2.0, 3.0 + step) - f(2.0, 3.0 - step),
        ),
        strict=True,
    ):
        assert slope == pytest.approx(ends / (2 * step), abs=1e-7)


def test_002_04_the_trace_holds_primitives_in_order(tmp_path):
    (tmp_path / "traced.py").write_text(
        "import math\n\n\ndef g(x1, x2):\n    return x1 * x2\n\n\n"
        "def h(x):\n    return math.sin(x)\n\n\n"
        "def f(x1, x2):\n    return g(x1, x2) + h(x1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "astad.show", "traced.f"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    forward = next(n for n in ast.parse(done.stdout).body if isinstance(n, ast.FunctionDef))
    for node in ast.walk(forward):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            assert not isinstance(node.left, (ast.BinOp, ast.Call))
            assert not isinstance(node.right, (ast.BinOp, ast.Call))


def layer(x, *, w, b=0.0):
    return np.sum(x * w) + b


def test_002_05_keyword_arguments_inside():
    x = np.full(3, 1.5)
    w_bar, b_bar = gradient(lambda w, b: layer(x, w=w, b=b), np.ones(3), 0.25)
    assert w_bar.tolist() == [1.5, 1.5, 1.5]
    assert b_bar == 1


def test_002_05_keyword_arguments_at_the_top_are_not_differentiated():
    x = np.full(3, 1.5)
    (x_bar,) = gradient(layer, x, w=np.array([1.0, 2.0, 3.0]), b=4.0)
    assert x_bar.tolist() == [1, 2, 3]


def test_002_05_keywords_in_another_order_and_a_rest():
    def product(x, y):
        return x * x * y

    def rest_product(**rest):
        return rest["x"] * rest["x"] * rest["y"]

    assert gradient(lambda x, y: product(y=y, x=x), 3, 2) == (12, 9)
    assert gradient(lambda x, y: rest_product(y=y, x=x), 3, 2) == (12, 9)


def test_002_06_paths_without_derivative():
    def f(x, label):
        largest = np.argsort(x)[-1]
        assert x.dtype == np.float64 and len(x) == 3
        return 3 * x[largest] if label.startswith("m") else x[0]

    x_bar, label_bar = gradient(f, np.array([2.0, 5.0, 1.0]), "max")
    assert x_bar.tolist() == [0, 3, 0]
    assert label_bar is None


def test_002_07_a_constant_result():
    assert gradient(lambda x: 4.0, 2.0) == (None,)


def test_002_07_an_argument_returned_as_it_is():
    assert gradient(lambda x, y: x, 2.0, 3.0) == (1, None)
    assert gradient(lambda x, y: y, 2.0, 3.0) == (None, 1)


def test_002_08_constructors_with_the_same_object_twice():
    class Pair:
        def __init__(self, a, b):
            self.a = a
            self.b = b

    def from_a_class(x):
        pair = Pair(x, x)
        return 3 * pair.a + 4 * pair.b

    def from_a_list(x):
        both = [x, x]
        return both[0] + both[1]

    assert gradient(from_a_class, 1.0) == (7.0,)
    assert gradient(from_a_list, 1.0) == (2.0,)


def test_002_09_a_missing_rule_is_named():
    without_rule = np.random.default_rng(0).standard_gamma
    with pytest.raises(Exception, match=r"Generator\.standard_gamma"):
        gradient(lambda x: without_rule(x) * 2.0, 3.0)


def test_002_10_custom_seeds():
    y, back = pullback(lambda x: 2 * x, np.array([1.0, 2.0, 3.0]))
    assert y.tolist() == [2, 4, 6]
    (x_bar,) = back(np.array([1.0, 0.0, -1.0]))
    assert x_bar.tolist() == [2, 0, -2]


def test_002_10_a_vector_without_seed_is_refused():
    with pytest.raises(Exception, match="scalar|seed"):
        gradient(lambda x: 2 * x, np.array([1.0, 2.0, 3.0]))


def test_002_10_a_second_call_with_another_trip_count():
    def power(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    assert gradient(power, 2.0, 5) == (80, None)
    assert gradient(power, 2.0, 2) == (4, None)
