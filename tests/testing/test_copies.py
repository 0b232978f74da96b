"""Deep copies keep aliases and views, and move one number under all its names."""

import collections
import copy
import threading
import types

import numpy as np
import pytest

from astad.testing.copies import copy_of, moved, owner_of
from astad.testing.leaves import entries_of, leaves_of

Pair = collections.namedtuple("Pair", "a b")


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x


def first_entry(value, k=0):
    return [e for leaf in leaves_of(value) for e in entries_of(0, leaf)][k]


@pytest.mark.parametrize(
    "take",
    [
        lambda a: a[1:],
        lambda a: a[::-1],
        lambda a: a.reshape(2, 3).T,
        lambda a: a.reshape(2, 3)[:, 1],
        lambda a: a[4:1:-2],
    ],
)
def test_view_stays_a_view_of_the_copied_owner(take):
    a = np.arange(6.0)
    b, v = copy_of([a, take(a)])
    assert np.array_equal(v, take(a))
    assert v.strides == take(a).strides
    v[...] = -1.0
    assert np.array_equal(take(b), v)
    assert a.min() == 0.0


def test_moved_number_moves_under_all_its_names():
    a = np.zeros(3)
    args = ([a, a[1:], {"again": a}],)
    (there,) = moved(args, [(first_entry(args[0], 1), 0.5)])
    assert there[0].tolist() == [0, 0.5, 0]
    assert there[1].tolist() == [0.5, 0]
    assert there[2]["again"] is there[0]


def test_number_in_a_shared_tuple_moves_in_both_places():
    t = (1.0, 2.0)
    args = ([t, t],)
    (there,) = moved(args, [(first_entry(args[0]), 0.25)])
    assert there == [(1.25, 2.0), (1.25, 2.0)]


def test_same_object_passed_twice_moves_in_the_named_slot_only():
    a = np.ones(2)
    there = moved((a, a), [(first_entry(a), 0.5)])
    assert [t.tolist() for t in there] == [[1.5, 1.0], [1.0, 1.0]]


def test_integers_become_floats_only_where_they_move():
    a, n = np.arange(4), 3
    entry = entries_of(0, leaves_of(a)[0])[2]
    there = moved((a, n), [(entry, 0.5)])
    assert there[0].dtype == float and there[0].tolist() == [0, 1, 2.5, 3]
    assert type(there[1]) is int
    (number,) = moved((3,), [(first_entry(3), 0.5)])
    assert number == 3.5


def test_view_of_an_integer_array_keeps_its_strides_when_promoted():
    a = np.arange(6, dtype=np.int32)
    args = ([a, a[1::2]],)
    (there,) = moved(args, [(first_entry(args[0], 3), 0.5)])
    assert there[1].tolist() == [1, 3.5, 5]
    assert there[1].dtype == float


def test_containers_and_objects_keep_their_types():
    slotted = Slotted(1.0)
    value = {
        "pair": Pair(1.0, [2.0]),
        "deque": collections.deque([1.0]),
        "ordered": collections.OrderedDict(z=1.0),
        "default": collections.defaultdict(list, k=[1.0]),
        "slots": slotted,
        "function": len,
    }
    made = copy_of(value)
    assert [type(v) for v in made.values()] == [type(v) for v in value.values()]
    assert made["slots"] is not slotted and made["slots"].x == 1.0
    assert made["function"] is len
    made["default"]["new"].append(1)
    assert "new" not in value["default"]


def test_object_that_contains_itself_is_copied_once():
    l = [1.0]
    l.append(l)
    made = copy_of(l)
    assert made[1] is made and made is not l


def test_read_only_broadcast_array_is_copied_dense_and_read_only():
    a = np.broadcast_to(np.array([1.0, 2.0]), (3, 2))
    args = (a,)
    (there,) = moved(args, [(first_entry(a), 0.5)])
    assert there.tolist() == [[1.5, 2.0], [1.0, 2.0], [1.0, 2.0]]
    assert not there.flags.writeable


def test_owner_is_found_through_dummy_objects():
    a = np.arange(6.0)
    v = np.lib.stride_tricks.as_strided(a, (4, 3), (8, 8))
    assert owner_of(v[1:]) is a


def test_generator_of_random_numbers_is_copied_with_its_state():
    rng = np.random.default_rng(3)
    made = copy_of(rng)
    assert made is not rng
    assert made.normal() == copy.deepcopy(rng).normal()


def test_object_that_cannot_be_copied_is_shared():
    chained = collections.ChainMap(3.5, 2.0)  # its copy() asks the first for one, a float has none
    holds = types.SimpleNamespace(lock=threading.RLock())
    made = copy_of([chained, holds, {"x": [1.0]}])
    assert made[0] is chained and made[1].lock is holds.lock
    made[2]["x"].append(2.0)
    assert made[2] == {"x": [1.0, 2.0]}


def test_copy_has_the_attributes_of_the_original_whatever_its_state_holds():
    value = np.polynomial.Polynomial([1.0, 2.0])  # its state holds attributes of the class
    made = copy_of(value)
    assert vars(made).keys() == vars(value).keys() and made == value
    assert made.coef is not value.coef and made.domain.tolist() == [-1.0, 1.0]


class Metres(np.ndarray):
    """Lengths: what is added must be a length too; it copies itself in its own way."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if ufunc is np.add and not all(isinstance(each, Metres) for each in inputs):
            raise ValueError("no length")
        plain = [np.asarray(each) for each in inputs]
        return getattr(ufunc, method)(*plain, **keywords)

    def copy(self):
        return self


def test_a_number_of_an_array_with_units_moves():
    lengths = np.array([1.0, 2.0]).view(Metres)
    (there,) = moved([lengths], [(first_entry(lengths, 1), 0.5)])
    assert type(there) is Metres
    assert (np.asarray(there).tolist(), np.asarray(lengths).tolist()) == ([1.0, 2.5], [1.0, 2.0])
