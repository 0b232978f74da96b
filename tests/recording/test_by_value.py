"""Writes into views: an array made anew, of which each view is taken where it is used."""

import numpy as np
import pytest

import astad
from astad.recording.by_value import places_of
from astad.runtime.core.variants import forget_all, variants_of

from .recorded_runs import agree

X = np.linspace(0.3, 1.7, 12)

pytestmark = pytest.mark.order_matters


@pytest.fixture(autouse=True)
def _no_recordings_of_before():
    forget_all()


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[1:], lambda a: a[:, ::-2], lambda a: a.T[1], lambda a: a.reshape(-1)[::5],
        lambda a: a[None, :, 1], lambda a: np.diagonal(a), lambda a: a[1:][:, 1:].T,
        lambda a: np.broadcast_to(a[0], (2, 4)),
    ],
)  # fmt: skip
def test_places_of_a_view(view):
    a = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(places_of(view(a), a), view(np.arange(12).reshape(3, 4)))


def halves(x):
    y = np.zeros(12)
    position, speed = y[:6], y[6:]
    position[:] = x[6:]
    speed[...] = -x[:6] * position
    return np.sum(y**2) + speed[0]


def row_by_row(x):
    a = np.zeros((3, 4))
    for i in range(3):
        row = a[i]
        row[:] = x[4 * i : 4 * i + 4]
        row *= i + 1.0
        row[1] += row[0]
    return np.sum(a @ a.T)


def read_before_and_after(x):
    a = x * 1.0
    part = a[2:5]
    before = part.sum()
    a[3] = x[0] ** 2
    after = part.sum()
    part[0] = before
    return before * after + a[2] * part[1]


def overlapping(x):
    a = x * x
    first, second = a[:8], a[4:]
    first += 1.0
    second *= first
    return np.sum(a * np.arange(12.0)) + first[5]


def turned(x):
    a = np.outer(x[:3], x[3:6])
    a.T[0] = x[6:9]
    flat = a.reshape(-1)
    flat[::4] = x[9:]
    return np.sum(a**2) + flat[1] * a[1, 0]


def ghosts(x):
    u = np.zeros(14)
    inner = u[1:-1]
    inner[:] = x
    for _ in range(3):
        u[0], u[-1] = inner[0], inner[-1]
        inner += 0.1 * (u[2:] - 2.0 * inner + u[:-2])
    return np.sum(inner**2)


def of_a_scalar(x):
    a = np.zeros((2, 2))
    corner = a[1:, 1:]
    corner[0, 0] = x[0] * x[1]
    corner += x[2]
    return a[1, 1] ** 2 + a.sum()


FUNCTIONS = [halves, row_by_row, read_before_and_after, overlapping, turned, ghosts, of_a_scalar]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_gradients(f):
    for k in range(5):
        agree(f, X + 0.01 * k)
    made = [each for known in variants_of(f).fused.values() for each in known]
    assert any(each.text is not None for each in made)
    v, h = np.cos(np.arange(12.0)), 1e-6
    slope = (f(X + h * v) - f(X - h * v)) / (2 * h)
    assert astad.gradient(f, X)[0] @ v == pytest.approx(slope, rel=1e-6)
    agree(f, X[::-1])


def test_what_has_been_added_to_is_not_put_back():
    def assembled(x):
        k = np.zeros((4, 4))
        for i in range(3):
            for at in (slice(i, i + 1), slice(i + 1, i + 2)):
                k[at, i : i + 2] += x[i] * np.array([[1.0, -1.0]])
            k[i : i + 2, i : i + 2][:] = k[i : i + 2, i : i + 2] * x[i + 3]
        return np.sum(k**2)

    agree(assembled, X)
    text = astad.recorded_text(assembled, X).split("\n\n\n")[1]
    assert text.count("= put_once") <= 9


def depends_on_order(a):
    y = a * 2.0
    flat = y.reshape(-1)
    flat[:] = 1.0
    return np.sum(y * a)


def test_what_is_a_view_in_one_order_is_a_copy_in_another():
    a = np.arange(6.0).reshape(2, 3) + 0.5
    for _ in range(5):
        agree(depends_on_order, a)
    agree(depends_on_order, np.asfortranarray(a))
    agree(depends_on_order, a.T)


# --- places that are others in another run --------------------------------------------------------


def by_mask(x):
    t = np.zeros(12)
    v = t[1:]
    v[x[1:] > 1.0] = x[0]
    return np.sum(t * x)


def by_order(x):
    t = x * 1.0
    half = t[::-1]
    half[np.argsort(half)[:3]] = x[:3] ** 2
    return np.sum(t * np.arange(12.0))


def in_each_row(x):
    t = x.reshape(3, 4) * 1.0
    for row in t:
        row[row > 1.0] = x[0]
    return np.sum(t**2) + t[1, 1]


def by_classes(x, classes):
    t = x.reshape(4, 3) * 2.0
    first = t[0]
    t[np.arange(4), classes] -= x[:4]
    return np.sum(t**2) + first[0]


PLACES = np.array([0, 2, 1, 2])


def by_a_global(x):
    t = x.reshape(4, 3) * 2.0
    first = t[0]
    t[np.arange(4), PLACES] = x[:4] ** 2
    return np.sum(t * x.reshape(4, 3)) + first[1]


@pytest.mark.parametrize("f", [by_mask, by_order, in_each_row])
def test_places_that_the_numbers_decide(f):
    for _ in range(6):
        agree(f, X)
    for other in (X[::-1].copy(), np.sin(5.0 * X) + 1.0, X * 0.3, X * 5.0):
        agree(f, other)


def test_places_that_are_given(monkeypatch):
    for _ in range(6):
        agree(by_classes, X, PLACES, wanted=(0,))
        agree(by_a_global, X)
    agree(by_classes, X, np.array([2, 1, 0, 0]), wanted=(0,))
    monkeypatch.setitem(globals(), "PLACES", np.array([1, 1, 0, 0]))
    agree(by_a_global, X)


def test_lists_of_places_that_name_one_twice():
    def f(x):
        t = x * 1.0
        t[[1, 2, 1]] = x[:3]
        t[[0, 0, -1]] += x[1:4]
        t[[2, 2]] *= x[0]
        return np.sum(t * x * x)

    for _ in range(5):
        agree(f, X)
    v, h = np.cos(np.arange(12.0)), 1e-5
    slope = (astad.gradient(f, X + h * v)[0] - astad.gradient(f, X - h * v)[0]) / (2 * h)
    assert astad.hvp(f, X, v) == pytest.approx(slope, rel=1e-5, abs=1e-5)
