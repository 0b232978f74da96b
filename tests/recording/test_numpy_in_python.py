"""Functions of NumPy that are run as Python: they do what NumPy does, and are recorded."""

import contextlib
import math

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.recording import numpy_in_python as own
from astad.runtime.core.variants import forget_all, variants_of

from .recorded_runs import agree, both, opaque, recorded_backwards, refused

X = np.linspace(0.3, 1.7, 12)

pytestmark = pytest.mark.order_matters


@pytest.fixture(autouse=True)
def _no_recordings_of_before():
    forget_all()


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_writes_are_those_of_numpy(shape, order):
    a = np.array(np.arange(math.prod(shape)).reshape(shape) + 0.5, order=order)
    least = min(shape)
    for fn, mine, args in [
        (np.fill_diagonal, own.fill_diagonal, (3.0,)),
        (np.fill_diagonal, own.fill_diagonal, (np.arange(float(least)),)),
        (np.copyto, own.copyto, (np.ones(shape[1]),)),
        (np.copyto, own.copyto, (2.0, "same_kind", a > 3.0)),
        (np.copyto, own.copyto, (np.arange(float(shape[1])), "same_kind", a > 3.0)),
    ]:
        one, other = a.copy("K"), a.copy("K")
        fn(one, *args)
        mine(other, *args)
        assert np.array_equal(one, other)


@pytest.mark.parametrize("key", [0, -1, slice(None, None, 3), [1, 4], [-2], slice(4, 1, -1), ...])
@pytest.mark.parametrize("order", ["C", "F"])
def test_flat_is_that_of_numpy(key, order):
    a = np.array(np.arange(6.0).reshape(2, 3), order=order)
    assert np.array_equal(own.Flat(a)[key], a.flat[key])
    assert [*own.Flat(a)] == [*a.flat] and len(own.Flat(a)) == len(a.flat)
    b = a.copy("K")
    f, mine = a.flat, own.Flat(b)
    f[key] = mine[key] = 7.0
    assert np.array_equal(a, b)
    assert [*f] == [*mine]
    f[key], mine[key]
    for _, _ in zip(f, mine, strict=True):
        break
    assert [*f] == [*mine] == a.ravel()[1:].tolist()
    assert [*f] == [*mine] == []


def test_what_goes_through_an_array_or_calls_back_is_that_of_numpy():
    a = np.arange(12.0).reshape(2, 3, 2)
    assert [*own.ndindex(2, 3)] == [*np.ndindex(2, 3)] == [*own.ndindex((2, 3))]
    assert [*own.ndenumerate(a)] == [*np.ndenumerate(a)]
    for axis in range(-3, 3):
        for fn in (np.sum, np.cumsum, np.outer, lambda r: np.outer(r, r)):
            if fn is np.outer:
                continue
            expected = np.apply_along_axis(fn, axis, a)
            assert np.array_equal(own.apply_along_axis(fn, axis, a), expected)
    x = np.array([-1.0, 0.5, 2.0])
    for conditions in ([x < 0, x > 1], [x < 0, x > 1, x == 0.5]):
        given = x, conditions, [np.sin, 3.0, np.exp]
        assert np.array_equal(own.piecewise(*given), np.piecewise(*given))

    def bent(s, t):
        return s * t if s > 0.0 else s - t

    given = x[:, None], np.array([1.0, 2.0])
    assert np.array_equal(own.vectorized(bent, *given), np.vectorize(bent)(*given))


def diagonal(x):
    a = np.outer(x, x)
    np.fill_diagonal(a, np.sin(x))
    return np.sum(a @ a)


def scattered(x):
    a = np.zeros(5)
    np.add.at(a, np.arange(12) % 5, x * x)
    np.subtract.at(a, [1, 1, 2], x[:3])
    return np.sum(a**3)


def assembled(x):
    k = np.zeros((13, 13))
    for e in range(12):
        np.add.at(k, np.ix_([e, e + 1], [e, e + 1]), x[e] * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    return np.linalg.slogdet(k[1:, 1:])[1]


def last_one_wins(x):
    a = x * x
    a[[2, 5, 2]] = x[:3]
    a[np.array([7, 7])] *= 2.0
    return np.sum(a * np.arange(12.0))


def laws(x):
    return np.sum(np.piecewise(x, [x < 0.8, x > 1.3], [lambda t: t**2, lambda t: t**3, 0.5]))


def rows(x):
    return np.sum(np.apply_along_axis(lambda r: r / r.sum(), 1, np.outer(x, x + 1.0)) ** 2)


def law(s, c):
    return s * c if s > 0.9 else math.exp(s) - c


LAW = np.vectorize(law)


def vectorized(x):
    return np.sum(LAW(x, 2.0)) + np.sum(np.vectorize(lambda t: t * t)(x.reshape(3, 4))[1])


def flat(x):
    a = np.outer(x, x)
    a.flat[::13] = x
    return a.flat[5] * sum(a.flat[::7]) + sum(v * i[0] for i, v in np.ndenumerate(a[:3]))


def flat_left_and_taken_up(x):
    a = np.outer(x[:3], x[3:7])
    f = a.flat
    f[[7, 3, 5]] = x[:3]
    total = 0.0
    for v in f:
        total += v * v
        break
    for k, v in enumerate(f):
        total += k * v
    return total + 2.0 * f[3] * sum(f)


def written_as_it_is_walked(x):
    a = x * 1.0
    total = 0.0
    for (k,), v in np.ndenumerate(a):
        a[(k + 1) % 12] *= v
        total += v
    for k, v in enumerate(a.flat):
        a[(k + 1) % 12] += v
        total += v * k
    return total


def through_ndindex(x):
    a = x.reshape(3, 4)
    total = 0.0
    for i, j in np.ndindex(3, 4):
        total += a[i, j] ** 2 * (i + 2 * j)
    return total


@pytest.mark.parametrize(
    "f",
    [
        diagonal, scattered, assembled, last_one_wins, laws, rows, vectorized, flat,
        flat_left_and_taken_up, written_as_it_is_walked, through_ndindex,
    ],
)  # fmt: skip
def test_they_are_recorded(f):
    for k in range(5):
        agree(f, X + 0.001 * k)
    agree(f, X[::-1])
    agree(f, np.sin(4.0 * X) + 1.3)
    assert any(each for each in variants_of(f).fused.values())
    v, h = np.cos(np.arange(12.0)), 1e-6
    slope = (f(X + h * v) - f(X - h * v)) / (2 * h)
    assert astad.gradient(f, X)[0] @ v == pytest.approx(slope, rel=1e-6)


class Wide(np.vectorize):
    pass


def with_types(x):
    return np.sum(np.vectorize(lambda t: t * t, otypes=[float])(x))


def test_what_is_asked_for_more_is_left_to_the_pair():
    for _ in range(4):
        agree(with_types, X)


FOUR = np.array([0.3, 0.9, -0.4, 1.2])


def by_places(x):
    a = np.outer(x, x) + np.eye(4)
    i, j = np.triu_indices(4, k=1)
    p, q = np.tril_indices(4)
    return a[i, j] @ x[j] + np.sum(a[p, q] ** 2) + a[np.diag_indices(4)].sum() * opaque(x[0])


def by_a_mesh_of_places(x):
    a = np.outer(x, x)
    part = a[np.ix_([0, 2], [1, 3])]
    return np.sum(part * part) * opaque(x[0])


def put_in_rows_and_columns(x):
    a = np.c_[x, 2.0 * x, np.ones(4)]
    b = np.r_[x * x, opaque(x[0]), 1.0:3.0]
    return np.sum(a @ a.T) + b @ b


def by_windows(x):
    windows = np.lib.stride_tricks.sliding_window_view(x * x, 3)
    grid = np.lib.stride_tricks.sliding_window_view(np.outer(x, x), (2, 2))
    return windows.max(axis=1).sum() + np.einsum("ijkl,kl->", grid, grid[0, 0]) * opaque(x[0])


@pytest.mark.parametrize("f", [by_places, by_a_mesh_of_places, put_in_rows_and_columns, by_windows])
def test_idioms_of_numpy(f):
    recorded_backwards(f, FOUR)
    agree(f, FOUR[::-1].copy())


def chained(x):
    a, b = x.reshape(4, 3), x[:6].reshape(3, 2)
    return np.sum(np.linalg.multi_dot([a, b, b.T, a[:3, :1]]) ** 2) + math.prod([x[0], 2, x[1]])


def split_up(x):
    a = x.reshape(3, 4)
    left, right = np.split(a, 2, axis=-1)
    first, *rest = np.vsplit(a, [1])
    parts = np.hsplit(x, 3)
    return np.sum(left * right) + np.sum(first) * np.sum(rest[0]) + np.sum(parts[0] * parts[2])


def meshed(x):
    p, q = np.meshgrid(x[:3], x[4:8])
    r, s = np.meshgrid(x[:3], x[4:8], indexing="ij")
    return np.sum(np.sin(p) * q) + np.sum(r**2 * s)


def brought_to_one_shape(x):
    a, b, c = np.broadcast_arrays(x[:3], x[3:9].reshape(2, 3), 2.0)
    i, j = np.diag_indices_from(np.outer(x, x))
    k, m = np.triu_indices_from(np.outer(x, x), k=1)
    return np.sum(a * b * c) + np.sum(np.outer(x, x)[i, j]) + np.sum(x[k] * x[m] ** 2)


def lists_stored(x):
    y = np.zeros((3, 3))
    y[0] = [x[0], 2, x[1]]
    y[1, 1:] = (x[2], x[3])
    y[[2, 2], [0, 1]] = [x[4] * 2, 1.0]
    z = np.zeros((2, 2), dtype=complex)
    z[0] = [x[5], 1j * x[6]]
    return np.sum(y[[0, 1, 1]] ** 2) + y[2, 0] * y[2, 1] + np.sum(np.abs(z + x[7]))


def ranked(x):
    order = np.argsort(-x)
    rank = np.empty(len(x), dtype=int)
    rank[order] = np.arange(len(x))
    seen = np.zeros(len(x), dtype=bool)
    seen[order[:3]] = True
    return np.sum(x * rank) + np.sum(x[seen] ** 2)


@pytest.mark.parametrize(
    "f", [chained, split_up, meshed, brought_to_one_shape, lists_stored, ranked]
)
def test_what_makes_several_arrays_or_takes_lists(f):
    agree(f, X)
    text = astad.recorded_text(f, X)
    assert len(text.split("\n\n\n")) == 3  # the text has a gradient of one piece


@pytest.mark.parametrize("count", range(2, 7))
def test_a_chain_of_matrices_is_multiplied_in_the_order_that_is_cheapest(count):
    rng = np.random.default_rng(count)
    for _ in range(20):
        sizes = rng.integers(1, 9, count + 1).tolist()
        shapes = tuple(zip(sizes, sizes[1:], strict=False))

        def cost(order, shapes=shapes):
            if isinstance(order, int):
                return 0, shapes[order]
            (a, left), (b, right) = map(cost, order)
            return a + b + left[0] * left[1] * right[1], (left[0], right[1])

        def least(first, last, shapes=shapes):
            inner = shapes[first][0] * shapes[last][1]
            return min(
                (least(first, at) + least(at + 1, last) + inner * shapes[at][1]
                 for at in range(first, last)), default=0,
            )  # fmt: skip

        assert cost(own.cheapest_order(shapes))[0] == least(0, count - 1)


def test_places_that_the_program_changes():
    def f(x):
        i, j = np.triu_indices(7, k=1)
        i[0] = 3
        return np.sum(x[i] * x[j]) * opaque(x[0])

    x = np.linspace(0.2, 1.7, 7)
    for _ in range(5):
        agree(f, x)


def test_windows_of_what_is_written_to():
    def f(x):
        a = x * x
        windows = np.lib.stride_tricks.sliding_window_view(a, 2)
        a[1] = 7.0 * x[0]
        return np.sum(windows[0] * windows[1]) * opaque(x[0])

    def g(x):
        a = x * x
        windows = np.lib.stride_tricks.sliding_window_view(a[1:], 2)
        a *= 2.0
        return np.sum(windows) * opaque(x[0])

    assert "windows" in refused(f, FOUR)
    assert "windows" in refused(g, FOUR)


def masks_that_the_program_makes(x):
    mask = np.zeros(4, dtype=bool)
    mask[1] = True
    total = opaque(x[0]) * x[mask].sum()
    mask[2] = True
    places = np.array([3, 0, 1, 2])
    places[0] = 0
    part = places[1:]
    total = total + (x[mask] ** 2).sum() + x[part].sum()
    part[0] = 3
    total = total + 2 * x[places].sum()
    places[2] = 3
    return total + 3 * x[part].sum() + 4 * x[places + 0].sum()


def masks_by_the_numbers(x):
    mask = np.zeros(4, dtype=bool)
    mask[:] = x > 0.5
    total = opaque(x[0]) * x[mask].sum()
    mask |= np.array([True, False, False, False])
    total = total + x[mask].prod()
    mask[3] = True
    return total + (x[mask] ** 2).sum()


def counted(x):
    counts = np.zeros(3, dtype=int)
    for at in range(4):
        counts[at % 3] += 1
    np.add.at(counts, [0, 1, 1], 1)
    return (opaque(x[0]) * counts[1] * x[:3] * counts).sum()


def on_grids(x):
    p, q = np.mgrid[0:1:4j, 0:2:3j]
    i, j = np.ogrid[0:4, 0:3]
    p[0, 0] = 5.0
    return np.sum((p * x[0] + q * x[1]) ** 2) + np.sum(i * x[2] + j * opaque(x[1]))


def put_out(x):
    out, most = np.empty(4), np.zeros(3)
    np.clip(2.0 * x, 0.1, 1.5, out=out)
    np.maximum.at(most, np.array([0, 1, 1, 2]), out * x)
    squares = np.fromiter((v * v for v in x), float)
    return out.sum() + (most**2).sum() + squares.sum() * opaque(x[0])


def by_strides(x):
    a, b = x * 1.0, 2.0 * x
    pairs = np.lib.stride_tricks.as_strided(a, (3, 2), (8, 8))
    turned = np.lib.stride_tricks.as_strided(a[3:], (2, 2), (-8, -8))
    np.put_along_axis(b, np.array([1, 0]), 7.0 * x[0], 0)
    return (pairs * pairs).sum() + b.sum() * turned[0, 1] + turned[1, 1] * opaque(x[1])


@pytest.mark.parametrize(
    "f",
    [masks_that_the_program_makes, masks_by_the_numbers, counted, on_grids, put_out, by_strides],
)
def test_arrays_of_places_and_what_is_put_into_arrays(f):
    for x in (FOUR, np.abs(FOUR[::-1]), FOUR):
        recorded_backwards(f, x)


def test_strides_that_lead_out_of_an_array():
    def f(x):
        a = x * opaque(x[0])
        return np.lib.stride_tricks.as_strided(a[:2], (2, 2), (8, 8)).sum()

    def g(x):
        whole = np.ones(6)
        return np.lib.stride_tricks.as_strided(whole[:4] * x, (4,), (4,)).sum() * opaque(x[0])

    recorded_backwards(f, FOUR)
    for _ in range(4):
        with contextlib.suppress(Unsupported):
            both(g, FOUR)
    assert not getattr(variants_of(g).recorded, "made", 0)
