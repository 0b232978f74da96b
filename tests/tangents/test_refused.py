"""A cotangent that cannot be had."""

import traceback

import numpy as np
import pytest

from astad.errors import MissingRule
from astad.tangents.arrays import full, owned
from astad.tangents.refused import Refused


def made_here():
    return Refused(MissingRule("f", "call of f", why="no rule", instead="hold it constant"))


def test_it_absorbs_what_it_meets():
    r, a = made_here(), np.ones((2, 2))
    for found in (
        r + 1,
        1 + r,
        r - a,
        a - r,
        a * r,
        r * a,
        a @ r,
        r @ a,
        -r,
        r / 2.0,
        2.0 / r,
        r[0],
        r.real,
        r.T,
        np.sum(r),
        np.sin(r),
        np.broadcast_to(r, (2,)),
        np.where(a > 0, r, 0.0),
        r.reshape(2),
        np.float64(2.0) * r,
        np.multiply(a, r),
    ):
        assert found is r


def test_asking_raises_from_where_it_was_made():
    with pytest.raises(MissingRule, match="call of f") as caught:
        made_here().ask()
    assert "made_here" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_a_cotangent_that_is_spread_or_added_to_absorbs_too():
    r = made_here()
    assert full(r, (2, 3)) is r
    buffer = owned(r, (2,))
    buffer[0] += 1.0
    assert buffer is r


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "dtype"])
def test_text_written_for_arrays_gets_the_error_itself(name):
    """In place of an AttributeError of a class that the user has never heard of."""
    with pytest.raises(MissingRule, match="call of f"):
        getattr(made_here(), name)


@pytest.mark.parametrize("asked", [len, int, range, np.zeros])
def test_what_asks_for_a_shape_or_a_count_gets_the_error_itself(asked):
    with pytest.raises(MissingRule, match="call of f"):
        asked(made_here())
