"""Which local arrays are written without dispatch: made here, and under one name at a time.

What a write needs so that its reverse is written out: kinds that fit for certain.
"""

import sys

import numpy as np
import pytest

from astad import gradient
from astad.compiler.analysis.facts import find_facts
from astad.compiler.analysis.space import Space
from astad.compiler.analysis.writes import Stores
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.ir.nodes import Call, Prim
from astad.compiler.lower.function import lower_function
from astad.compiler.specialise.prepare import names_of, prepare

TABLE = np.ones(3)


def written(f):
    """Names of arrays of which the writes are written out."""
    space = Space(f.__globals__)
    lowered = lower_function(f)
    program = prepare(lowered, names_of(lowered), space)
    kinds = ("ndarray1", "float", "int")
    given = {p.name: parse_kind(kind) for p, kind in zip(program.params, kinds, strict=True)}
    return set(find_facts(program, given, list(given), space).writes.of)


def stored(u, x, n):
    w = u * x
    w[0] = x
    return w[1]


def filled(u, x, n):
    w = np.zeros(n)
    for i in range(n):
        w[i] += x * i
    return np.sum(w)


def changed_whole(u, x, n):
    w = np.tanh(u)
    w *= x
    return w @ w


def with_a_view_read_at_once(u, x, n):
    w = u.copy()
    for _ in range(n):
        v = w[1:]
        w[:-1] = v * x
    return np.sum(w)


def with_a_view_that_outlives(u, x, n):
    w = u.copy()
    v = w[1:]
    w[0] = x
    return v[0]


def with_a_view_from_before_the_loop(u, x, n):
    w = u.copy()
    v = w[1:]
    for i in range(n):
        w[i] = v[i] * x
    return w[0]


def through_a_view(u, x, n):
    w = u.copy()
    v = w[1:]
    v[0] = x
    return w[1]


def under_two_names(u, x, n):
    w = u * x
    v = w
    w[0] = x
    return v[0]


def an_argument(u, x, n):
    u[0] = x
    return u[0]


def of_the_module(u, x, n):
    w = TABLE
    w[0] = x
    return w[0]


def returned(u, x, n):
    w = u * x
    w[0] = x
    return w


def returned_half_way(u, x, n):
    w = u * x
    w[0] = x
    if n > 1:
        return w
    return u


def returned_in_part(u, x, n):
    w = u * x
    w[0] = x
    return w[1:]


def in_a_list(u, x, n):
    w = u * x
    items = [w]
    w[0] = x
    return items[0][0]


def handed_on(u, x, n):
    w = u * x
    w[0] = x
    print(w)
    return w[0]


def by_a_mask(u, x, n):
    w = u * x
    w[w > 0.0] = x
    return w[0]


def of_another_length(u, x, n):
    w = u * x
    w[0] = u[:1]
    return w[0]


def shifted_by_one(u, x, n):
    w = u * x
    w[1:] = w[:-1]
    return np.sum(w)


def spread_out(u, x, n):
    w = u * x
    w[::2] = w[:n]
    return np.sum(w)


def with_an_unknown_step(u, x, n):
    w = u * x
    w[::n] = w[1:]
    return np.sum(w)


def rows_and_columns_copied(u, x, n):
    w = u * np.ones((3, 3))
    for i in range(n):
        w[0, :] = w[1, :]
        w[:, 0] = w[:, i]
        w[-1] = w[i]
        w[:2] = w[::-1][:2]
    return np.sum(w)


def a_row_from_a_column(u, x, n):
    w = u * np.ones((3, 3))
    w[0] = w[:, 1]
    return np.sum(w)


@pytest.mark.parametrize(
    ("f", "names"),
    [
        (stored, {"w"}), (filled, {"w"}), (changed_whole, {"w"}),
        (with_a_view_read_at_once, {"w", "v"}), (with_a_view_that_outlives, set()),
        (with_a_view_from_before_the_loop, set()), (through_a_view, set()),
        (under_two_names, set()), (an_argument, set()), (of_the_module, set()), (returned, {"w"}),
        (returned_half_way, set()), (returned_in_part, set()),
        (in_a_list, set()), (handed_on, set()), (by_a_mask, {"w"}), (of_another_length, set()),
        (shifted_by_one, {"w"}), (spread_out, set()), (with_an_unknown_step, set()),
        (rows_and_columns_copied, {"w"}), (a_row_from_a_column, set()),
    ],
)  # fmt: skip
def test_what_qualifies(f, names):
    assert written(f) & {"w", "v"} == names


def test_arrays_that_do_not_qualify_are_right_as_well(forms_agree):
    def asked_for_its_truth(x):
        w = x[:1] * 2.0
        w[0] = w[0] * x[0]
        y = x[1]
        if w:
            y = y * np.sum(w)
        return y

    def a_view_of_the_round_before(x):
        w, s = x * 2.0, 0.0
        for i in range(2):
            if i > 0:
                s = s + np.sum(v)  # noqa: F821
            v = w[1:]
            w[1] = w[1] * x[i]
        return s * w[1]

    def from_its_own_reverse(x):
        w = x * 2.0
        v = w[::-1]
        w[:2] = v[:2]
        return np.sum(w * w)

    for fn in (asked_for_its_truth, a_view_of_the_round_before, from_its_own_reverse):
        forms_agree(fn, np.array([0.5, 1.5, -0.4]))


KINDS = {
    "v": k.array(1), "m": k.array(2), "a": k.array(None), "i": k.INT, "x": k.FLOAT, "b": k.BOOL,
    "s": k.index(1, 1), "p": k.index(2, 0), "z": k.UNKNOWN,
}  # fmt: skip


def treatment(prim, *names):
    target = None if prim == "setitem" else names[0]
    stores = Stores(lambda name: KINDS.get(name, k.UNKNOWN), lambda name: True, {"v", "m"}, {}, {})
    found = stores.treat(Call(target, Prim(prim), names, (), 1))
    return found and found.treatment


@pytest.mark.parametrize(
    "written",
    [("v", "i", "x"), ("v", "i", "b"), ("m", "p", "i"), ("m", "i", "v"), ("m", "s", "m"),
     ("m", "s", "v"), ("v", "s", "x")],
    ids=" ".join,
)  # fmt: skip
def test_what_fits(written):
    assert treatment("setitem", *written) == "inline"


@pytest.mark.parametrize(
    "written",
    [("v", "i", "v"), ("v", "s", "m"), ("v", "p", "x"), ("v", "z", "x"), ("v", "i", "z"),
     ("v", "s", "a"), ("a", "i", "x"), ("x", "i", "x")],
    ids=" ".join,
)  # fmt: skip
def test_what_may_not_fit(written):
    assert treatment("setitem", *written) is None


def test_whole_arrays():
    assert treatment("iadd", "m", "v") == "inline"
    assert treatment("itruediv", "v", "x") == "inline"
    assert treatment("iadd", "v", "m") is None
    assert treatment("ipow", "v", "x") is None
    assert treatment("iadd", "x", "x") is None


this = sys.modules[__name__]
AIMS = np.zeros(3)


def test_an_array_of_a_module_is_everybodys():
    def kept(u, x, n):
        this.AIMS[0] = x * x
        return this.AIMS[0] * np.sum(u)

    def kept_twice(u, x, n):
        this.AIMS[1] = x
        AIMS[1] = AIMS[1] * x
        return this.AIMS[1] * np.sum(u)

    for f in (kept, kept_twice):
        AIMS[:] = 0.0
        assert not written(f)
        u_bar, x_bar, _ = gradient(f, np.ones(2), 1.5, 1)
        np.testing.assert_allclose(u_bar, [2.25, 2.25], rtol=1e-15)
        assert x_bar == pytest.approx(6.0, rel=1e-15)
        assert 2.25 in AIMS
