"""The gradient of a straight text line by line, beside that of the pair."""

import math

import numpy as np
import pytest

import astad
from astad.api.gradients import recorded, worthwhile
from astad.api.variants.whole import whole
from astad.runtime.core.variants import forget_all, variants_of

from .recorded_runs import both, opaque, same

pytestmark = pytest.mark.order_matters


@pytest.fixture(autouse=True)
def long_texts(monkeypatch):
    """Each text is one for which a baseline is made, and the compiler never pays."""
    forget_all()
    monkeypatch.setattr(recorded, "FREE", 0)
    monkeypatch.setattr(worthwhile, "FREE", 0)
    monkeypatch.setattr(worthwhile, "COMPILER", 1e9)
    monkeypatch.setattr(worthwhile, "BASELINE", 0.0)


def agree(f, *args):
    """Value and gradients are those of the pair."""
    y, back = whole.run(f, args, {}, self_too=False)
    expected = y, whole.of_scalar(f, back, args, tuple(range(len(args))))
    found = both(f, *args)
    assert same(found, expected), (found, expected)


def by_lines(f, *points):
    """Value and gradients are those of the pair at all points, where a baseline gives them."""
    for _ in range(4):
        agree(f, *points[0])
    about = variants_of(f).recorded
    assert about.made and not about.why, about.why
    assert not about.worth.vain
    calls = about.calls
    for args in points:
        agree(f, *args)
    assert about.calls == calls, "the pair has answered"


def by_compiler(f, *args):
    """There is a line for which the compiler is asked."""
    for _ in range(4):
        agree(f, *args)
    assert "compiled once that pays" in variants_of(f).recorded.why


def of_numbers(x, y):
    a = opaque(x) * y - 3.0 / (x + 2.0)
    b = (-2.0) ** 3 * a + (-1.5) * y**3 - -x
    c = math.sin(a) * math.exp(-b * 0.01) + math.atan2(y, a) + abs(b)
    return c % 7.0 + c // 2.0 + math.hypot(a, y) ** y + np.log1p(x * x) * np.float64(2.0)


def of_choices(x, y):
    a = max(opaque(x), y, 2.0)
    return a * min(x, y) + max(x * 2.0, x + x) * 3.0 + min(a, x, y) * y


def of_brackets(homes, scale):
    """A product with an infinity that is not chosen."""
    brackets = [(0, 1), (1, 3), (3, float("inf"))]
    total = 0.0
    for home in homes:
        for person in home["members"]:
            income = person["income"] * (0.9 if person.get("retired") else 1.0)
            for low, high in brackets:
                low, high = low * scale, high * scale
                if income > low:
                    total += 0.1 * (min(income, high) - low)
    return total


def homes(*incomes):
    return [{"members": [{"income": each, "retired": each < 1.0}]} for each in incomes]


def of_names(slope, b, part, x_bar=2.0):
    """Names that are those of the baseline as well."""
    u, leaf = opaque(slope) * b, part + x_bar
    return u * leaf + max(slope, b) * part + min(u, 1.0) * np.maximum(x_bar, slope)


@pytest.mark.parametrize(
    ("f", "points"),
    [
        (of_numbers, [(1.3, 0.7), (0.4, 1.9), (2.2, 0.1)]),
        (of_choices, [(3.0, 1.0), (4.0, 2.5)]),
        (of_brackets, [(homes(5.0, 2.0, 0.5), 0.8), (homes(6.0, 2.5, 0.4), 0.9)]),
        (of_names, [(1.5, 0.5, 3.0, 2.0), (1.4, 0.6, 2.0, 4.0)]),
    ],
)
def test_numbers(f, points):
    by_lines(f, *points)


def test_equal_numbers_share():
    def f(x, y):
        return max(opaque(x), y, x * 1.0) * 6.0

    by_lines(f, (2.0, 2.0), (2.0, 2.0))
    assert astad.gradient(f, 2.0, 2.0) == (4.0, 2.0)


A = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.1]])
V = np.array([0.4, -0.7, 1.3])


def of_arrays(a, v, k):
    b = a @ v + opaque(k)
    c = np.concatenate([b, v * k]).reshape(2, 3).T
    d = np.stack([v, b], axis=1) - c
    e = np.array([k, v[0], 3.0]) * np.where(v > 0, v, np.exp(v))
    return (
        np.sum(d * d) + d.max() + np.dot(e, v).item() + b[1:].mean() * a[0, 1] + c[v > 0, 0].sum()
    )


def of_places(a, v, k):
    from scipy import special

    order = np.argsort(v)
    b = v[order] * opaque(k)
    c = b[[0, 0, 2]] + a[order, [0, 0, 1]]
    return float(np.sum(c * v) + np.linalg.solve(a, b)[1] + np.linalg.det(a) + special.logsumexp(b))


def of_several_results(a, v, k):
    values, vectors = np.linalg.eigh(a * opaque(k))
    q, r = np.linalg.qr(a)
    x = np.linalg.lstsq(a, v, rcond=None)[0]
    one, two = np.broadcast_arrays(v, k)
    return values[0] * k + np.abs(vectors[:, 1]).sum() + np.abs(r[0, 0]) + x @ v + (one * two).sum()


def of_writes(a, v, k):
    b = np.zeros(3)
    for i in range(3):
        b[i] = v[i] * opaque(k) + (b[i - 1] if i else 0.0)
    c = np.exp(b)
    b[1:] = v[:2] * 2.0
    b[0] = 5.0
    c *= b
    c[v < 0] = 0.25
    c += a[0]
    d = a * 1.0
    d[1] = k
    d[:, 2] = v
    return np.sum(c * b) + np.sum(d * d) + np.sum(b**2)


def of_counts_written(a, v, k):
    n = np.zeros(3, dtype=int)
    total = 0.0
    for i in range(4):
        n[i % 3] += 1
        total = total + v[n % 3].sum() * opaque(k) + a[n[0] % 3, 0]
    return total


@pytest.mark.parametrize(
    "f", [of_arrays, of_places, of_several_results, of_writes, of_counts_written]
)
def test_arrays(f):
    if f is of_places:
        pytest.importorskip("scipy")
    by_lines(f, (A, V, 1.7), (A * 1.1, V + 0.1, 0.6))


def test_arrays_of_another_length():
    def f(x, y):
        z = opaque(x) * y
        return np.sum(z) + z[0]

    by_lines(f, (V, np.array([2.0])), (V[:2], np.array([2.0])), (np.ones(5), np.arange(5.0)))


def test_what_is_written_is_as_long_as_it_was():
    def f(x, y):
        z = opaque(x) * 1.0
        z += y
        return np.sum(z * z)

    by_lines(f, (V, V[:1] * 1.0), (np.ones(4), np.ones(4)))
    with pytest.raises(ValueError, match="broadcast"):
        astad.gradient(f, np.ones(1), V)


class Item:
    def __init__(self, price, count, tags=()):
        self.price, self.count, self.tags = price, count, tags


def of_objects(items, rate):
    total = 0.0
    for item in items:
        total = total + item.price * item.count * opaque(rate) ** item.count
    return total


def of_dicts(model, x):
    h = np.tanh(model["w"] @ x + model["b"]) * opaque(model["scale"])
    return np.sum(h * model["layers"][0]) + model["layers"][1][0] ** 2


def of_lists(xs, k):
    return np.sum(np.array(xs) * opaque(k)) + math.fsum(xs) * xs[0]


def of_records(records, a):
    """Whole numbers in containers have a derivative."""
    return sum(math.lgamma(n + opaque(a)) * x - (n - 1) * a for n, x in records)


def model(scale=1.0):
    return {
        "w": A * scale,
        "b": V * 1.0,
        "scale": 2.0 * scale,
        "layers": (V * 2.0, [scale]),
        "name": "m",
    }


def items(a, m, b, n):
    return [Item(a, m), Item(b, n)]


CONTAINERS = {
    "objects": (of_objects, [(items(2.0, 3, 0.5, 1), 1.2), (items(3.0, 3, 1.5, 1), 0.7)]),
    "dicts": (of_dicts, [(model(), V), (model(1.3), V * 0.5)]),
    "lists": (of_lists, [([1.0, 2.5, -0.5], 3.0), ([2.0, 1.5, 0.5], -1.0)]),
    "records": (of_records, [([(3, 1.5), (2, 0.5)], 1.1), ([(3, 2.5), (2, 0.3)], 0.4)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers(name):
    f, points = CONTAINERS[name]
    by_lines(f, *points)


def test_containers_are_not_what_they_were():
    def f(d, x):
        return opaque(d["a"]) * x + sum(d.get("more", ()))

    by_lines(f, ({"a": 2.0, "b": 1.0}, 3.0))
    for d in (
        {"a": 2.0, "c": 1.0},
        {"b": 1.0, "a": 2.0},
        {"a": 2.0, "b": None},
        {"a": 2, "b": 1.0},
    ):
        agree(f, d, 3.0)
    agree(f, {"a": 2.0, "more": [1.0, 2.0]}, 3.0)


def test_one_object_twice():
    first, second = Item(2.0, 3), Item(0.5, 1)
    for _ in range(4):
        agree(of_objects, [first, second], 1.2)
    agree(of_objects, [first, first], 1.2)

    def f(x, y):
        return np.sum(opaque(x) * y)

    by_lines(f, (V, V * 2.0))
    agree(f, V, V)
    agree(f, V, V[::-1])


def test_another_type():
    for _ in range(4):
        agree(of_numbers, 1.3, 0.7)
    agree(of_numbers, np.float64(1.3), 0.7)
    agree(of_numbers, 1, 0.7)
    with pytest.raises(ZeroDivisionError):
        astad.gradient(of_numbers, -2.0, 0.7)


def test_slopes_that_are_infinite():
    def f(x, y):
        return opaque(x) ** 0.5 * y + math.sqrt(y)

    by_lines(f, (4.0, 2.0))
    agree(f, 0.0, 2.0)
    agree(f, 0.0, 0.0)


def test_types_of_gradients():
    def f(x, y, n):
        return opaque(x) * y * n + np.float64(x)

    for _ in range(5):
        found = astad.gradient(f, 2.0, np.float64(3.0), 4)
    assert [*map(type, found)][:2] == [float, np.float64]
    assert found == (13.0, 8.0, 6.0)


def test_functions_that_are_bound_anew(monkeypatch):
    def f(x):
        return np.sin(opaque(x)) * x

    by_lines(f, (0.5,))
    monkeypatch.setattr(np, "sin", np.cos)
    agree(f, 0.5)


def of_complex(x, y):
    return abs(opaque(x) * np.exp(1j * np.array([y, 2.0 * y]))).sum()


def test_lines_for_which_the_compiler_is_asked():
    by_compiler(of_complex, 0.5, 0.7)


def test_the_compiler_comes_when_that_pays(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e-3)
    monkeypatch.setattr(worthwhile.Worth, "pays", lambda *_: False)

    def f(x, y):
        z = opaque(x) * y
        return z * math.sin(z)

    for k in range(60):
        agree(f, 0.5 + 0.1 * k, 0.7)
    (text,) = variants_of(f).recorded.texts
    run = text.head.__globals__[text.call]
    assert run.better is None and "recorded" in run.run.__code__.co_filename
