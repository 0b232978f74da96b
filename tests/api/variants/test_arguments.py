"""Arguments that share lists and arrays with others, or within themselves."""

import contextlib

import numpy as np
import pytest

import astad
from astad import gradient
from astad.errors import Unsupported


def shared(depth, kind=list):
    """A list that holds one list twice, and so on: 2**depth ways to one number."""
    made = [1.5]
    for _ in range(depth):
        made = kind((made, made))
    return made


def first_of(nested):
    while isinstance(nested, list | tuple):
        nested = nested[0]
    return nested


@pytest.mark.parametrize("kind", [list, tuple])
def test_lists_that_share_sublists_with_a_second_argument(kind):
    nested = shared(60, kind)
    bar, x_bar = gradient(lambda l, x: first_of(l) ** 2 * x, nested, 2.0)
    assert first_of(bar) == 6.0
    assert x_bar == 2.25


def test_the_same_shared_list_in_two_arguments():
    nested = shared(40)
    first, second = gradient(lambda a, b: first_of(a) ** 2 * first_of(b), nested, nested)
    assert first_of(first) == 4.5
    assert first_of(second) == 2.25


def test_dicts_that_share_dicts():
    nested = {"v": 1.5}
    for _ in range(40):
        nested = {"a": nested, "b": nested}

    def last(d):
        while "a" in d:
            d = d["a"]
        return d["v"]

    bar, x_bar = gradient(lambda d, x: last(d) * x, nested, 2.0)
    assert last(bar) == 2.0
    assert x_bar == 1.5


def test_array_that_is_twice_in_the_second_argument():
    a = np.array([2.0, 3.0])
    a_bar, (first, second) = gradient(lambda a, p: np.sum(a * p[0] * p[1]), a, [a, a])
    assert a_bar.tolist() == [4.0, 9.0]
    assert first.tolist() == second.tolist() == [8.0, 18.0]


def test_list_of_numbers_that_is_twice_in_the_second_argument():
    row = [2.0, 3.0]
    row_bar, pair_bar = gradient(lambda r, p: r[0] * p[0][0] * p[1][0], row, (row, row))
    assert row_bar == [4.0, 0.0]
    assert pair_bar == ([8.0, 0.0], [8.0, 0.0])


class Holder:
    def __init__(self, w):
        self.w = w


VALUES = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "first, second",
    [
        (Holder(VALUES), VALUES),
        ([Holder(VALUES)], VALUES),
        ({"w": Holder(VALUES)}, VALUES[:]),
    ],
)
def test_what_an_object_holds_and_another_argument_is_has_its_own_part(first, second):
    def product(first, second):
        holder = first
        while not isinstance(holder, Holder):
            holder = next(iter(holder.values() if isinstance(holder, dict) else holder))
        return np.sum(holder.w * second**2)

    def part_of(bar):
        while isinstance(bar, list | dict):
            bar = next(iter(bar.values() if isinstance(bar, dict) else bar))
        return bar.w.tolist()

    held, beside = gradient(product, first, second)
    assert part_of(held) == [1.0, 4.0]
    assert beside.tolist() == [2.0, 8.0]
    beside, held = gradient(lambda second, first: product(first, second), second, first)
    assert part_of(held) == [1.0, 4.0]
    assert beside.tolist() == [2.0, 8.0]


def test_a_list_that_an_object_behind_it_holds():
    shared = [3.0, 2.0]
    bar, held = gradient(lambda l, o: l[0] ** 2 * o.w[1], shared, Holder(shared))
    assert bar == [12.0, 0.0]
    assert held.w == [0.0, 9.0]


def test_what_two_objects_hold_has_the_total_in_both():
    first, second = gradient(lambda p, q: np.sum(p.w * q.w**2), Holder(VALUES), Holder(VALUES))
    assert first.w.tolist() == second.w.tolist() == [3.0, 12.0]


def windows():
    return np.lib.stride_tricks.sliding_window_view(np.array([1.0, 2.0, 3.0]), 2)


OWN = [[3.0, 12.0], [12.0, 27.0]]


@pytest.mark.parametrize("others", [(), (2.0,)])
def test_each_place_of_an_array_that_overlaps_itself_has_its_own_part(others):
    def cubes(values, *others):
        return np.sum(values**3)

    assert gradient(cubes, windows(), *others)[0].tolist() == OWN
    assert gradient(lambda l, *o: cubes(l[0]), [windows()], *others)[0][0].tolist() == OWN
    assert gradient(lambda t, *o: cubes(t[1]), (1.0, windows()), *others)[0][1].tolist() == OWN
    bar, *_ = gradient(lambda d, *o: cubes(d["a"]["b"]), {"a": {"b": windows()}}, *others)
    assert bar["a"]["b"].tolist() == OWN


def test_a_broadcast_array_in_a_dict():
    (bar,) = gradient(lambda d: np.sum(d["w"] ** 3), {"w": np.broadcast_to(2.0, 3)})
    assert bar["w"].tolist() == [12.0, 12.0, 12.0]


def test_a_write_to_a_container_of_an_array_that_overlaps_itself():
    def noted(values):
        values.append(1.0)
        return np.sum(values[0] ** 2)

    with pytest.raises(Unsupported, match="of which several places share memory"):
        gradient(noted, [windows()])


# --- a tuple that is found elsewhere, too ---------------------------------------------------------

SHARED = (1.0, 2.0)


class Holding:
    shared = SHARED


def plainly(p):
    return p[0] * 3 + SHARED[0] * 10


def with_a_context(p):
    with contextlib.nullcontext(p) as q:
        return q[0] * 3 + SHARED[0] * 10


def with_a_default(p, w=SHARED):
    with contextlib.nullcontext(p) as q:
        return q[0] * 3 + w[0] * 10


def with_an_attribute_of_a_class(p):
    with contextlib.nullcontext(p) as q:
        return q[0] * 3 + Holding.shared[0] * 10


def by_a_helper(p):
    with contextlib.nullcontext(SHARED) as q:
        return p[0] * 3 + tens(q)


def tens(w):
    return sum(w[:1]) * 10


def by_unpacking(p):
    with contextlib.nullcontext(p) as q:
        (a, _), (b, _) = q, SHARED
        return a * 3 + b * 10


def by_iteration(p):
    with contextlib.nullcontext(p) as q:
        return next(iter(q)) * 3 + [*SHARED][0] * 10


def by_identity(p):
    with contextlib.nullcontext(p) as q:
        return q[0] * (3 if q is SHARED else 5) + SHARED[0] * 10


OF_TUPLES = [
    plainly, with_a_context, with_a_default, with_an_attribute_of_a_class, by_a_helper,
    by_unpacking, by_iteration, by_identity,
]  # fmt: skip


@pytest.mark.order_matters
@pytest.mark.parametrize("f", OF_TUPLES, ids=lambda f: f.__name__)
def test_a_tuple_has_the_derivative_of_the_argument_alone(f):
    for _ in range(8):
        assert astad.gradient(f, SHARED) == ((3.0, 0.0),)
        assert astad.pullback(f, SHARED)[1](1.0) == ((3.0, 0.0),)


@pytest.mark.order_matters
def test_a_tuple_in_a_tuple_has_too():
    def f(p):
        with contextlib.nullcontext(p) as q:
            return q[1][0] * 3 + SHARED[0] * 10 + q[0]

    for _ in range(4):
        assert astad.gradient(f, (5.0, SHARED)) == ((1.0, (3.0, 0.0)),)


def test_tuples_in_tuples_may_be_many_and_deep():
    deep = wide = (1.0,)
    for _ in range(200):
        deep = (2.0, deep)
    for _ in range(60):
        wide = (wide, wide)
    assert astad.pullback(lambda p: p[0] * p[1][0], deep)[1](1.0)[0][0] == 2.0
    assert astad.pullback(lambda p: 3.0, wide)[0] == 3.0
