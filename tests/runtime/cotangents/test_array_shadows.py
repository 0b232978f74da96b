"""Shadows of arrays against dense bookkeeping: every view is an index map into its owner's
memory."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from astad.errors import AstadError, MissingRule, RuleError, Unsupported
from astad.runtime.cotangents.array_shadows import ArrayShadows
from astad.tangents.refused import Refused


def permuted(shape):
    return np.zeros(shape).transpose(1, 0, 2).copy(order="K")


OWNERS = {
    "vector": lambda: np.zeros(6),
    "matrix": lambda: np.zeros((4, 6)),
    "columns first": lambda: np.zeros((4, 6), order="F"),
    "axes permuted": lambda: permuted((2, 3, 4)),
    "int32": lambda: np.zeros((4, 6), np.int32),
    "float32": lambda: np.zeros((4, 6), np.float32),
    "complex": lambda: np.zeros((4, 6), complex),
    "zero-d": lambda: np.zeros(()),
    "empty": lambda: np.zeros((0, 3)),
    "matrix class": lambda: np.zeros((2, 3)).view(np.matrix),
}
VIEWS = {
    "itself": lambda a: a,
    "flattened": lambda a: np.asarray(a).ravel(order="K"),
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[::-1],
    "strided": lambda a: a[1::2],
    "backwards": lambda a: a[::-2],
    "empty": lambda a: a[:0],
    "one element": lambda a: a[-1:],
    "of a view": lambda a: a[1:].T[::-1][..., :1],
    "broadcast": lambda a: np.broadcast_to(a, (3, *a.shape)),
    "broadcast row": lambda a: np.broadcast_to(a[:1], a.shape),
    "windows": lambda a: sliding_window_view(a, 2, axis=0),
    "windows backwards": lambda a: sliding_window_view(a[::-1], 2, axis=0)[:, ::-1],
    "overlap": lambda a: as_strided(a[1:], (2, *a[1:].shape), (a.strides[0], *a.strides))[:, :-1],
}


def positions(owner, view):
    """For each element of the view its place in the owner, found by looking at numbered memory."""
    numbered = np.zeros_like(owner, np.intp, subok=False)
    numbered[...] = np.arange(owner.size).reshape(owner.shape)
    return view(numbered)


def cases():
    for owner_name, make in OWNERS.items():
        for view_name, view in VIEWS.items():
            if make().ndim == 0 and view_name not in ("itself", "flattened", "broadcast"):
                continue
            if make().size == 0 and view_name not in ("itself", "transposed", "reversed"):
                continue
            if owner_name == "matrix class" and view_name in (
                "overlap",
                "windows",
                "windows backwards",
            ):
                continue  # always of two axes
            yield pytest.param(make, view, id=f"{owner_name}, {view_name}")


def numbers(rng, shape, dtype):
    g = rng.integers(1, 9, shape).astype(float)
    return g + 1j * rng.integers(1, 9, shape) if dtype.kind == "c" else g


@pytest.mark.parametrize("make, view", list(cases()))
@pytest.mark.parametrize("first", ["owner", "view"])
def test_adding_to_views_reaches_the_memory_they_see(make, view, first):
    rng = np.random.default_rng(1)
    owner = make()
    place = np.asarray(positions(owner, view))
    expected = np.zeros(owner.size, complex)
    shadows = ArrayShadows()
    for target in [owner, view(owner), view(owner), owner][first == "view" :]:
        g = numbers(rng, target.shape, owner.dtype)
        before = g.copy()
        shadows.add_array(target, g)
        where = np.arange(owner.size).reshape(owner.shape) if target is owner else place
        np.add.at(expected, where, g)
        assert np.array_equal(g, before)
    found = shadows.of(owner)
    assert np.array_equal(found, expected.reshape(owner.shape))
    assert found.dtype == (owner.dtype if owner.dtype.kind in "fc" else np.float64)
    assert np.array_equal(shadows.of(view(owner)), expected[place])
    taken = shadows.take_array(owner)
    assert np.array_equal(taken, expected.reshape(owner.shape))
    assert shadows.take_array(owner) is None


INDICES = [
    0,
    -1,
    slice(None),
    slice(1, None, 2),
    ...,
    (..., 0),
    (slice(None), -1),
    (1, 2),
    [0, 0, 1],
    [True, False] * 2,
    (slice(None), [0, 2, 0]),
    ([0, 1, 0], [1, 1, 1]),
    np.array([[1, 1], [0, 1]]),
    (None, 1),
    np.int64(1),
    (np.array([True, False, True, False]), [2]),
    np.array(1),
    (np.array(1), slice(1)),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("view", ["itself", "transposed", "reversed", "windows", "broadcast row"])
@pytest.mark.parametrize("owner", ["matrix", "columns first", "int32"])
def test_reads_and_writes_by_every_kind_of_index(owner, view, index):
    owner = OWNERS[owner]()[:, :4].copy(order="K")
    a = VIEWS[view](owner)
    place = positions(owner, VIEWS[view])
    try:
        read = place[index]
    except IndexError:
        return
    rng = np.random.default_rng(2)
    expected = np.zeros(owner.size)
    shadows = ArrayShadows()
    for _ in range(2):
        g = numbers(rng, np.shape(read), owner.dtype)
        shadows.index_add(a, index, g)
        np.add.at(expected, read, g)
    assert np.array_equal(shadows.of(owner).ravel(), expected)

    # a write: the last to write a place gets its cotangent, and the place is cleared
    winner = {p: k for k, p in enumerate(np.ravel(read))}
    wanted = [expected[p] if winner[p] == k else 0.0 for k, p in enumerate(np.ravel(read))]
    found = shadows.take_slot(a, index)
    assert np.shape(found) == np.shape(read)
    assert np.ravel(found).tolist() == wanted
    expected[np.ravel(read)] = 0.0
    assert np.array_equal(shadows.of(owner).ravel(), expected)


def test_repeated_index_in_a_write_as_numpy_itself_orders_it():
    a, shadows = np.zeros(3), ArrayShadows()
    shadows.add_array(a, np.array([4.0, 6.0, 0.0]))
    assert shadows.take_slot(a, [0, 0, 1]).tolist() == [0.0, 4.0, 6.0]
    v = np.array([1.0, 2.0, 3.0])
    a[[0, 0, 1]] = v
    assert a.tolist() == [2.0, 3.0, 0.0]


def test_real_and_imaginary_part_are_parts_of_the_shadow():
    z, shadows = np.zeros((2, 2), complex), ArrayShadows()
    shadows.add_array(z.real, np.ones((2, 2)))
    shadows.add_array(z.T.imag[:1], np.full((1, 2), 3.0))
    assert np.array_equal(shadows.of(z), [[1 + 3j, 1], [1 + 3j, 1]])
    assert shadows.of(z.real).dtype == np.float64


def test_two_arrays_over_the_same_bytes_share_a_shadow():
    memory, shadows = bytearray(32), ArrayShadows()
    whole, tail = np.frombuffer(memory), np.frombuffer(memory, offset=8)
    shadows.add_array(whole, np.arange(4.0))
    shadows.add_array(tail, np.ones(3))
    assert shadows.of(np.asarray(memoryview(memory).cast("d"))).tolist() == [0, 2, 3, 4]
    with pytest.raises(Unsupported, match="dtype"):
        shadows.add_array(np.frombuffer(memory, np.float32), np.ones(8, np.float32))


def test_memory_map(tmp_path):
    a, shadows = np.memmap(tmp_path / "a", shape=(4,), mode="w+"), ArrayShadows()
    a = np.memmap(tmp_path / "b", np.float64, shape=(2, 2), mode="w+")
    shadows.add_array(a.T[0], np.array([1.0, 2.0]))
    assert np.array_equal(shadows.of(a), [[1, 0], [2, 0]])


def test_first_partial_is_neither_copied_nor_changed():
    x, y, shadows = np.zeros(3), np.zeros(3), ArrayShadows()
    g = np.ones(3)
    shadows.add_array(x, g)
    shadows.add_array(y, g)
    shadows.add_array(x, np.ones(3))
    shadows.add_array(x, np.ones(3))
    shadows.of(y)[0] = 7.0
    assert g.tolist() == [1, 1, 1]
    assert shadows.take_array(x).tolist() == [3, 3, 3]
    assert shadows.take_array(y).tolist() == [7, 1, 1]
    shadows.add_array(x, g)
    assert shadows.take_array(x) is g


def test_buffer_once_fetched_stays_the_buffer():
    a, shadows = np.zeros((2, 3)), ArrayShadows()
    buffer = shadows.of(a)
    shadows.add_array(a, np.ones((2, 3)))
    shadows.add_array(a.T, np.ones((3, 2)))
    buffer[0, 0] += 5.0
    assert shadows.of(a) is buffer
    assert shadows.take_array(a).tolist() == [[7, 2, 2], [2, 2, 2]]


def test_view_of_a_hidden_owner_is_taken_whole():
    shadows = ArrayShadows()
    for y in (np.zeros((2, 3)).T, np.zeros(6).reshape(2, 3), np.zeros((4, 6))[::2]):
        g = np.arange(y.size, dtype=float).reshape(y.shape)
        shadows.add_array(y, g)
        shadows.add_array(y, g)
        assert np.array_equal(shadows.take_array(y), 2 * g)
        found = shadows.take_array(y)
        assert found is None or not found.any()


def test_hidden_owner_seen_several_times_is_counted_once():
    y, shadows = np.broadcast_to(np.zeros(()).copy(), (3,)), ArrayShadows()
    shadows.add_array(y, np.array([1.0, 2.0, 3.0]))
    assert shadows.take_array(y).tolist() == [0.0, 0.0, 6.0]


def test_scalar_and_complex_contributions():
    a, shadows = np.zeros((2, 2), np.float32), ArrayShadows()
    shadows.add_array(a, 2.0)
    shadows.add_array(a, np.full(2, 1 + 5j))
    shadows.index_add(a, 0, np.array([1j, 2 + 1j]))
    found = shadows.take_array(a)
    assert found.dtype == np.float32 and found.tolist() == [[3, 5], [3, 3]]


def test_what_holds_no_numbers_is_refused():
    shadows = ArrayShadows()
    for a in (
        np.zeros(2, [("x", float)]),
        np.array(["a"]),
        np.zeros(2, "M8[s]"),
    ):
        with pytest.raises(AstadError):
            shadows.add_array(a, np.ones(a.shape))
    a = np.zeros(4)
    with pytest.raises(Unsupported, match=r"\.view\(\)"):
        shadows.add_array(a.view(np.float32), np.ones(8, np.float32))
    field = np.zeros(2, [("x", float), ("y", float)])["x"]
    shadows.add_array(field, np.ones(2))
    with pytest.raises(Unsupported):  # the table may be constant: the error waits there
        shadows.refused_of(field).ask()
    with pytest.raises(Unsupported, match="masked"):
        shadows.add_array(np.ma.masked_array([1.0], [True]), np.ones(1))
    with pytest.raises(RuleError, match="shape"):
        shadows.add_array(a, np.ones(3))


def test_refused_cotangent_stays_with_the_memory():
    a, b, shadows = np.zeros(4), np.zeros(4), ArrayShadows()
    refused = Refused(MissingRule("f", "call of f", why="no rule", instead="hold it constant"))
    shadows.add_array(a[1:], refused)
    shadows.add_array(b, np.ones(4))
    shadows.index_add(a, 0, 1.0)
    assert shadows.take_slot(a, 2) is refused and shadows.take_array(a) is refused
    assert shadows.take_array(b).tolist() == [1, 1, 1, 1]
    with pytest.raises(MissingRule):
        shadows.of(a)


def test_parts_of_complex_numbers_in_the_memory_of_a_foreign_owner():
    owner = bytearray(64)
    a = np.frombuffer(owner, complex).reshape(2, 2)
    shadows = ArrayShadows()
    shadows.add_array(a.imag, np.ones((2, 2)))
    shadows.add_array(a.real, np.full((2, 2), 2.0))
    np.testing.assert_array_equal(shadows.of(a), np.full((2, 2), 2.0 + 1j))
