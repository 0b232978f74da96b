"""`back` may be called again, from any thread, and after the result was written."""

import importlib.util
import sys
import threading

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import RuleError


def test_result_written_before_back():
    def model(W, x):
        return np.tanh(W @ x)

    W, x = np.array([[0.5, -1.0], [0.3, 0.8]]), np.array([0.7, -0.2])
    target = np.array([0.1, 0.2])
    plain = model(W, x)
    y, back = pullback(model, W, x)
    y -= target
    W_bar, x_bar = back(y)
    z_bar = (plain - target) * (1 - plain**2)
    assert np.allclose(W_bar, np.outer(z_bar, x), rtol=1e-12)
    assert np.allclose(x_bar, W.T @ z_bar, rtol=1e-12)


def test_result_that_is_an_argument_written_before_back():
    def f(x):
        y = x * x
        return y

    x = np.array([1.0, 2.0])
    y, back = pullback(f, x)
    y[...] = 0.0
    assert back(np.ones(2))[0].tolist() == [2.0, 4.0]


def test_back_from_two_threads():
    def f(a, x):
        for i in range(len(a)):
            a[i] = a[i] * x + i
        l = [v * x for v in a]
        l[0] = l[0] * l[1]
        return sum(l)

    a = np.linspace(0.0, 1.0, 50)
    _, back = pullback(f, a.copy(), 1.1)
    expected = back(1.0)
    results = [None] * 8

    def work(k):
        for _ in range(20):
            results[k] = back(float(k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, (a_bar, x_bar) in enumerate(results):
        assert np.allclose(a_bar, k * expected[0], rtol=1e-12)
        assert np.isclose(x_bar, k * expected[1], rtol=1e-12)


def test_two_modules_with_the_same_text_and_other_globals(tmp_path):
    text = "from {0} import SCALE, g\n\ndef f(x):\n    return SCALE * g(x)\n"
    values = {"first": ("2.0", "x * x"), "second": ("5.0", "x * x * x")}
    found = {}
    for name, (scale, body) in values.items():
        constants = f"constants_of_{name}"
        load(tmp_path, constants, f"SCALE = {scale}\n\ndef g(x):\n    return {body}\n")
        found[name] = load(tmp_path, f"model_{name}", text.format(constants))
    for _ in range(2):
        assert gradient(found["first"].f, 3.0) == (12.0,)
        assert gradient(found["second"].f, 3.0) == (135.0,)


def load(folder, name, text):
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_equal_functions_on_the_same_line_of_two_files(tmp_path):
    text = "{0} = 1.0\nSCALE = {1}\n\ndef f(x):\n    return SCALE * x * x\n"
    first = load(tmp_path, "same_text_a", text.format("_", "2.0"))
    second = load(tmp_path, "same_text_b", text.format("_", "7.0"))
    assert gradient(first.f, 3.0) == (12.0,)
    assert gradient(second.f, 3.0) == (42.0,)
    assert gradient(first.f, 3.0) == (12.0,)


def test_a_seed_of_another_kind_names_the_type_of_the_result():
    results = {
        "set": lambda x: {x * x},
        "function": lambda x: lambda v: v * x * x,
        "dict": lambda x: {"a": x * x},
        "list": lambda x: [x * x],
    }
    for name, f in results.items():
        _, back = pullback(f, 2.0)
        with pytest.raises(RuleError, match=f"of type str for a value of type {name}:"):
            back("1.0")
