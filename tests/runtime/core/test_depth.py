"""Recursion as deep as Python's limit allows, in all kinds of functions; the limit afterwards."""

import subprocess
import sys

import pytest

from astad import gradient, pullback
from astad.errors import Unsupported


class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following

    def total(self):
        rest = 0.0 if self.following is None else self.following.total()
        return self.value**2 + rest


def chain(n, x):
    node = None
    for _ in range(n):
        node = Node(x, node)
    return node


def squares(node):
    return 0.0 if node is None else node.value**2 + squares(node.following)


def guarded(node):
    try:
        return 0.0 if node is None else node.value**2 + guarded(node.following)
    finally:
        pass


def nested(pair):
    return pair[0] * 2.0 + (nested(pair[1]) if pair[1] is not None else 0.0)


def mapped(x, n):
    return x if n == 0 else sum(map(lambda v: mapped(v, n - 1) * 0.5, [2.0 * x]))


def closed(x, n):
    def f(x, n):
        return x * 2.0 if n == 0 else x + f(x, n - 1)

    return f(x, n)


def walked(node):
    if node is not None:
        yield node.value
        yield from walked(node.following)


def pairs(n, x):
    found = None
    for _ in range(n):
        found = (x, found)
    return found


DEEP = {
    "objects": (lambda x, n: squares(chain(n, x)), lambda n: 6.0 * n, 900),
    "methods": (lambda x, n: chain(n, x).total(), lambda n: 6.0 * n, 900),
    "with try": (lambda x, n: guarded(chain(n, x)), lambda n: 6.0 * n, 900),
    "tuples": (lambda x, n: nested(pairs(n, x)), lambda n: 2.0 * n, 900),
    "closures": (closed, lambda n: n + 2.0, 900),
    "callbacks": (mapped, lambda n: 1.0, 400),
    "generators": (lambda x, n: sum(walked(chain(n, x))), float, 150),
}


def checked(name):
    f, expected, n = DEEP[name]
    limit = sys.getrecursionlimit()
    assert limit == 1000
    for _ in range(2):
        assert gradient(f, 3.0, n)[0] == expected(n)
        assert pullback(f, 3.0, n)[1](1.0)[0] == expected(n)
        assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("name", DEEP)
def test_as_deep_as_the_limit_allows(name):
    """In a process of its own: here the frames of pytest lie below."""
    text = f"import runpy; runpy.run_path({__file__!r})['checked']({name!r})"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_limit_is_back_after_an_exception():
    def f(x, n):
        if n == 0:
            raise ValueError("at the end")
        return (lambda v: f(v, n - 1))(x)

    limit = sys.getrecursionlimit()
    with pytest.raises(ValueError, match="at the end"):
        gradient(f, 1.0, 60)
    assert sys.getrecursionlimit() == limit


def test_without_end():
    def f(x):
        return (lambda v: f(v))(x)

    def caught(x):
        try:
            return f(x)
        except RecursionError:
            return 3.0 * x

    limit = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        gradient(f, 1.0)
    assert gradient(caught, 1.0) == (3.0,)
    assert sys.getrecursionlimit() == limit


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="takes no memory of the C stack")
def test_deeper_than_the_stack_of_c():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        with pytest.raises(Unsupported, match="write it as a loop"):
            gradient(lambda x: squares(chain(11_000, x)), 3.0)
    finally:
        sys.setrecursionlimit(limit)
