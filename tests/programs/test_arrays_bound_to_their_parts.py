"""Arrays bound anew to a part of themselves, in arms and loops: reversed, shortened, masked."""

import numpy as np
import pytest

from astad import gradient, pullback
from tests.compiler.forms import only_generic


def last(a):
    while len(a) > 1:
        a = a[1:]
    return a[0] ** 2


def fresh(a):
    t = 0.0
    for k in range(3):
        c = a[k:]
        c = c[::-1]
        t = t + c[0] * (k + 1)
    return t


def masked(a):
    for c in (0.5, 1.0):
        a = a[a > c] * 1.0
        a = a[a > c]
    return np.sum(a * a)


def dots(a):
    if a[0] > 0:
        a = a[...]
    return np.sum(a**2)


def matrices(a):
    w = np.outer(a, a)
    while w.shape[0] > 1:
        w = w[:-1]
        w = w[:, 1:]
    return np.sum(w * w)


def shortened(v):
    if len(v) > 2:
        v = v[:2]
    return np.sum(v * v)


def helper(a):
    return shortened(a) + shortened(a * 2)


def fancy(a):
    if a[0] > 0:
        a = a[[0, 0, 1]]
    return np.sum(a * np.arange(1.0, 4.0))


def scalar_row(a):
    m = np.outer(a, a)
    for i in range(2):
        m = m[::-1]
        m = m.T
        m = m[1:]
        m = m + 0.0
    return np.sum(m * m)


def lists(a):
    l = [a[0], a[1] * 2, a[2]]
    for _ in range(3):
        l = l[::-1]
    return l[0] * 3 + l[1] * l[2]


def shorter_list(a):
    l = [a[0], a[1] * 2, a[2]]
    if a[0] > 0:
        l = l[1:]
    return l[0] * 3 + l[1] * l[0]


def rows(a):
    l = [[a[0], a[1]], [a[1], a[2]]]
    for _ in range(1):
        l = l[1:]
    return l[0][0] * l[0][1]


def spectrum(a):
    z = np.fft.fft(a)
    if a[0] > 0:
        z = z[::-1]
    return abs(z[0]) * z[1].real


def both(a):
    b = a * 1.0
    if a[0] > 0:
        a, b = b[::-1], a[1:]
    return a[0] * b[0]


def walrus(a):
    t = 0.0
    while len(a := a[:-1]) > 0:
        t = t + np.sum(a * a)
    return t


def halved(a):
    for k in range(2):
        a = 0.5 * (a[::-1] + a)
        a = a[::-1]
        a = np.roll(a, 1)
        a[0] += 1.0
    return np.sum(a * a * np.arange(3.0))


def keep(a):
    s = 0.0
    for k in range(2):
        s = s + a[0] * a[-1]
        a = a[:2]
        s = s * a[0] + np.sum(a)
    return s


def binned(a):
    a = a.reshape(3)
    if a[0] > 0:
        a = a.reshape(3, 1)
    for i in range(1):
        a = a[:, 0]
    return np.sum(a**3)


PROGRAMS = [
    last,
    fresh,
    masked,
    dots,
    matrices,
    helper,
    fancy,
    scalar_row,
    lists,
    shorter_list,
    rows,
    spectrum,
    both,
    walrus,
    halved,
    keep,
    binned,
]


X, STEP = np.array([1.3, 0.7, 1.69]), 1e-6


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_array_bound_to_a_part_of_itself(program):
    moves = STEP * np.eye(3)
    slopes = [(program(X + move) - program(X - move)) / (2 * STEP) for move in moves]
    _, back = pullback(program, X)
    with only_generic():
        _, generic = pullback(program, X)
    for found in (*gradient(program, X), *back(1.0), *generic(1.0)):
        np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-6)


def made_inside(x):
    a = np.array([x, 0.7, x * x])
    for _ in range(3):
        a = a[::-1]
    return a[0] * 3


def test_an_array_made_inside():
    assert gradient(made_inside, 1.3) == pullback(made_inside, 1.3)[1](1.0) == pytest.approx((7.8,))
