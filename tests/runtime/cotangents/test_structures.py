"""Seeds in, gradients out, in the user's own structure."""

import dataclasses
import functools
import logging
import math
import threading
from collections import OrderedDict, deque, namedtuple
from fractions import Fraction

import numpy as np
import pytest

from astad import pullback
from astad.errors import MissingRule, RuleError
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.structures import collect, scatter, snapshot
from astad.tangents.objects import Tangent
from astad.tangents.refused import Refused

Pair = namedtuple("Pair", "first second")


class Layer:
    def __init__(self, w, b=None, name="layer"):
        self.w, self.b, self.name = w, b, name

    def apply(self, x):
        return self.w * x


def gathered(value, fill=lambda shadows: None, bar=None, has_path=True):
    """The gradient of ``value`` after ``fill`` has put cotangents in the table."""
    shadows = Shadows()
    entry = snapshot(value)
    fill(shadows)
    return collect(shadows, value, entry, bar, has_path)


@pytest.mark.parametrize(
    "value, bar, expected",
    [
        (2.0, 3.0, 3.0),
        (2.0, None, 0.0),
        (2, 32, 32),
        (2, None, 0),
        (2, 0.5, 0.5),
        (True, None, None),
        ("a", None, None),
        (None, None, None),
        (Fraction(1, 4), Fraction(7, 2), Fraction(7, 2)),
        (Fraction(1, 4), None, Fraction(0)),
        (1 + 2j, 3 - 1j, 3 - 1j),
        (2.0, 3 + 1j, 3.0),
        (np.float32(2), 3.0, np.float32(3)),
        (2.0, np.array(3.0), 3.0),
    ],
)
def test_numbers(value, bar, expected):
    found = gathered(value, bar=bar)
    assert found == expected and type(found) is type(expected) or isinstance(found, np.float64)
    assert gathered(value, has_path=False) is None


def test_arrays_are_dense_fresh_and_of_float_kind():
    a = np.arange(6).reshape(2, 3)
    g = np.broadcast_to(np.ones(3), (2, 3))
    for fill, bar in (
        (lambda s: s.add(a, g), None),
        (lambda s: None, g),
        (lambda s: s.add(a.T, g.T), None),
    ):
        found = gathered(a, fill, bar)
        assert (
            found.dtype == float
            and found.flags.writeable
            and found.tolist() == [[1, 1, 1], [1, 1, 1]]
        )
        assert not np.shares_memory(found, g)
        found[0, 0] = 5.0
        assert g[1, 0] == 1.0
    both = gathered(a, lambda s: s.add(a, g), g)
    assert both.tolist() == [[2, 2, 2], [2, 2, 2]]
    assert gathered(a).tolist() == [[0, 0, 0], [0, 0, 0]] and gathered(a, has_path=False) is None
    assert gathered(np.array([True])) is None and gathered(np.array(["a"])) is None
    zero_d = gathered(np.array(2.0), bar=3.0)
    assert isinstance(zero_d, np.ndarray) and zero_d.shape == ()
    assert gathered(np.ones(2, np.float32), bar=np.ones(2)).dtype == np.float32
    z = gathered(np.ones(2), bar=np.array([1 + 2j, 3]))
    assert z.dtype == float and z.tolist() == [1, 3]


def test_view_arguments_get_their_part_of_the_owner():
    owner = np.zeros((3, 4))
    column = owner[:, 1]
    found = gathered(column, lambda s: s.add(owner, np.arange(12.0).reshape(3, 4)))
    assert found.tolist() == [1, 5, 9] and found.base is None


def test_two_gradients_of_one_partial_share_nothing():
    x, y, shared = np.zeros(3), np.zeros(3), np.ones(3)
    shadows = Shadows()
    entries = snapshot(x), snapshot(y)
    shadows.add(x, shared)
    shadows.add(y, shared)
    first, second = (collect(shadows, v, e, None, True) for v, e in zip((x, y), entries))
    assert not np.shares_memory(first, second) and not np.shares_memory(first, shared)


def test_one_array_twice_in_a_container_has_the_total_in_both_places():
    w = np.ones(2)

    def fill(shadows):
        for _ in range(3):
            shadows.add(w, np.ones(2))

    first, second = gathered([w, w], fill)
    assert first.tolist() == second.tolist() == [3, 3] and not np.shares_memory(first, second)


def test_lists_tuples_and_mappings():
    value = [
        1.0,
        "a",
        (2, None),
        {"x": 3.0, "name": "b", "flag": True},
        np.zeros(1),
        Pair(1.0, 2.0),
    ]

    def fill(shadows):
        shadows.slot_add(value, 0, 10.0)
        shadows.slot_add(value[2], 0, 20)
        shadows.key_add(value[3], "x", 30.0)
        shadows.slot_add(value[5], 1, 50.0)

    found = gathered(value, fill)
    assert found == [10.0, None, (20, None), {"x": 30.0}, np.zeros(1), Pair(0.0, 50.0)]
    assert type(found[5]) is Pair
    assert gathered(value) == [0.0, None, (0, None), {"x": 0.0}, np.zeros(1), Pair(0.0, 0.0)]
    assert gathered(value, has_path=False) is None
    assert type(gathered(OrderedDict(a=1.0))) is OrderedDict
    assert gathered(deque([1.0, 2.0])) == deque([0.0, 0.0])


def test_list_is_collected_as_it_was_at_entry():
    l = [1.0, 2.0]
    shadows, entry = Shadows(), snapshot(l)
    l.append(3.0)
    del l[0]
    shadows.slot_add(l, 1, 20.0)
    assert collect(shadows, l, entry, None, True) == [0.0, 20.0]


def test_objects_become_records():
    layer = Layer(np.ones(2), b=1.0)

    def fill(shadows):
        shadows.add(layer.w, np.array([3.0, 4.0]))

    assert gathered(layer, fill) == Tangent(w=np.array([3.0, 4.0]), b=None, name=None)
    assert gathered(layer) == Tangent(w=None, b=None, name=None)
    assert gathered(layer, has_path=False) is None

    @dataclasses.dataclass(slots=True)
    class Point:
        x: float
        y: float

    p = Point(1.0, 2.0)
    assert gathered(p, lambda s: s.key_add(p, "y", 5.0)) == Tangent(x=None, y=5.0)


def test_untouched_parts_of_objects_are_none_and_touched_lists_full():
    net = Layer([np.ones(1), np.ones(1)], b=[np.ones(1)])
    found = gathered(net, lambda s: s.add(net.w[1], np.array([2.0])))
    assert found == Tangent(w=[np.zeros(1), np.array([2.0])], b=None, name=None)
    outer = [net, 1.0]
    found = gathered(outer, lambda s: s.add(net.b[0], np.array([2.0])))
    assert found == [Tangent(w=None, b=[np.array([2.0])], name=None), 0.0]


def test_cyclic_objects():
    parent, child = Layer(1.0), Layer(np.ones(1))
    parent.b, child.b = [child], parent
    found = gathered(parent, lambda s: s.add(child.w, np.array([7.0])))
    assert found.b[0].w.tolist() == [7.0] and found.b[0].b is found and found.w is None
    loop = [1.0]
    loop.append(loop)
    found = gathered(loop, lambda s: s.slot_add(loop, 0, 2.0))
    assert found[0] == 2.0 and found[1] is found


def test_deep_and_widely_shared_structures_take_linear_time():
    chain = None
    for k in range(5000):
        chain = Layer(float(k), b=chain)
    found = gathered(chain, lambda s: s.key_add(vars(chain.b), "w", 1.0))
    assert found.b.w == 1.0 and found.b.b is None
    doubled = [1.0]
    for _ in range(60):
        doubled = [doubled, doubled]
    assert len(gathered(doubled)) == 2


def test_machinery_inside_objects_is_left_alone():
    class Service:
        def __init__(self):
            self.w, self.lock, self.log = 1.0, threading.Lock(), logging.getLogger("astad.test")
            self.kind, self.call = Layer, len

    found = gathered(Service(), has_path=True)
    assert found == Tangent(w=None, lock=None, log=None, kind=None, call=None)


def test_captured_variables_methods_and_partial_objects():
    w, unused = np.ones(2), 3.0

    def model(x):
        return w * x + (unused if False else 0)

    assert gathered(model, lambda s: s.add(w, np.ones(2))) == Tangent(unused=None, w=np.ones(2))
    rate = 2.0

    def scaled(x):
        return rate * x

    cell = scaled.__closure__[0]
    assert gathered(scaled, lambda s: s.key_add(cell, "cell_contents", 4.0)) == Tangent(rate=4.0)
    layer = Layer(1.0)
    assert gathered(layer.apply, lambda s: s.key_add(vars(layer), "w", 4.0)) == Tangent(
        w=4.0, b=None, name=None
    )
    bound = functools.partial(pow, 2.0, exp=3.0)
    found = gathered(bound, lambda s: s.slot_add(bound.args, 0, 12.0))
    assert found == Tangent(func=None, args=(12.0,), keywords=None)
    assert gathered(len) is None and gathered(lambda x: x) is None


def test_refused_cotangent_is_an_error_where_it_is_collected():
    def refused():
        return Refused(MissingRule("f", "call of f", why="no rule", instead="hold it constant"))

    a, layer = np.ones(2), Layer(np.ones(1), b=2.0)
    with pytest.raises(MissingRule):
        gathered(1.0, bar=refused())
    with pytest.raises(MissingRule):
        gathered([a], lambda s: s.add(a, refused()))
    with pytest.raises(MissingRule):
        gathered([1.0, 2.0, a], lambda s: s.slot_add(None, 0, 1.0), bar=[None, refused(), None])
    with pytest.raises(MissingRule):
        gathered(layer, lambda s: s.add(layer, refused()))
    assert gathered(layer.w, lambda s: s.add(a, refused())).tolist() == [0.0]


def test_object_arrays_have_a_cotangent_for_each_number():
    a = np.array([Fraction(1, 2), 3.0, "x"], object)
    found = gathered(a, lambda s: s.index_add(a, 1, 5.0))
    assert found.tolist() == [Fraction(0), 5.0, None]


def test_seeds_of_every_structure_are_scattered_and_left_as_they_are():
    shadows = Shadows()
    assert (
        scatter(shadows, 2.0, 3) == 3
        and scatter(shadows, 2.0, 1 + 2j) == 1.0
        and scatter(shadows, 2.0, None) is None
    )
    a, g = np.zeros(2), np.array([1.0, 2.0])
    assert scatter(shadows, a, g) is None
    shadows.add(a, np.ones(2))
    assert g.tolist() == [1, 2] and shadows.take(a).tolist() == [2, 3]
    y = (1.0, [a, 2.0], {"k": 3.0, "a": a}, Layer(np.zeros(1), b=1.0))
    seed = (1.0, [g, None], {"k": 2 + 5j, "a": g}, Tangent(w=np.ones(1), b=4.0))
    scatter(shadows, y, seed)
    assert shadows.slots_of(y, 4) == [1.0, None, None, None]
    assert shadows.take(a).tolist() == [2, 4] and g.tolist() == [1, 2]
    assert shadows.keys_of(y[2]) == {"k": 2.0}
    assert shadows.take(y[3].w).tolist() == [1.0] and shadows.keys_of(vars(y[3])) == {"b": 4.0}
    scatter(shadows, a, [5, 6])
    assert shadows.take(a).tolist() == [5, 6]
    scatter(shadows, (1.0, "text"), (2.0, None))


def test_seeds_of_the_wrong_structure_are_errors():
    for value, seed in [
        (np.zeros(2), np.ones(3)),
        ([1.0], [1.0, 2.0]),
        ({"a": 1.0}, 3.0),
        (1.0, np.ones(2)),
        (Layer(1.0), 2.0),
        ([1.0], 1.0),
    ]:
        with pytest.raises(RuleError):
            scatter(Shadows(), value, seed)


def isclose_or_other(x, z):
    return x if math.isclose(x, -5.0) else z * math.isfinite(x)


def returned_by_another_branch(x, z):
    if x > 100:
        return x
    return z


def bound_in_a_round_that_does_not_come(x, z):
    y = z
    for i in range(3):
        if i > 5:
            y = x
    return y


def product_of_another_branch(x, z):
    return z if x > -1.0 else x * z


def chosen_by_a_helper(x, z):
    def pick(a, b):
        return a if a > 50.0 else b

    return pick(x, z)


def smaller_of_two(x, z):
    return max(z, x)


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.float16, np.longdouble])
@pytest.mark.parametrize(
    "f",
    [
        isclose_or_other, returned_by_another_branch, bound_in_a_round_that_does_not_come,
        product_of_another_branch, chosen_by_a_helper, smaller_of_two,
    ],
)  # fmt: skip
def test_a_zero_of_a_branch_that_did_not_run_is_of_the_kind_of_the_argument(f, kind):
    """It was the int 0 for a NumPy float."""
    x_bar, z_bar = pullback(f, kind(0.5), kind(1.25))[1](kind(1.0))
    assert (x_bar, z_bar) == (0.0, 1.0)
    assert isinstance(x_bar, float if kind in (float, np.float64) else kind)


class Both:
    def __init__(self, a, b):
        self.a, self.b = a, b


WRONG_SEEDS = [
    (lambda x, y: [x * y, x + y], np.array(1.0)),
    (lambda x, y: (x * y, x + y), np.array(1.0)),
    (lambda x, y: deque([x * y, x + y]), np.array(1.0)),
    (lambda x, y: [[x * y], x + y], [np.array(1.0), 1.0]),
    (lambda x, y: {"a": x * y}, np.array(1.0)),
    (lambda x, y: Both(x * y, x + y), {1: 2.0}),
    (lambda x, y: np.array([x * y, None]), "ab"),
    (lambda x, y: np.array([x * y, None]), [1.0, [2.0]]),
    (lambda x, y: np.array([x * y, None]), {"a": 1.0}),
    (lambda x, y: np.array([x * y, None]), np.array(["a", 1.0], object)),
]


@pytest.mark.parametrize(("f", "seed"), WRONG_SEEDS)
def test_a_seed_of_another_structure(f, seed):
    _, back = pullback(f, 3.0, 2.0)
    for _ in range(2):
        with pytest.raises(RuleError, match="cotangent"):
            back(seed)


def test_a_seed_of_an_array_of_objects():
    def f(x, y):
        return np.array([x * y, None, x], object)

    _, back = pullback(f, 3.0, 2.0)
    assert back(np.array([1.0, 5.0, None], object)) == (2.0, 3.0)
    assert back(np.array([1.0, 0.0, 1.0])) == (3.0, 3.0)
