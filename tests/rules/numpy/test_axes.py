import numpy as np
import pytest

from astad.rules.numpy.axes import axes_of, counted, from_last, spread, to_last


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 0), [1], ()])
def test_to_last_and_back_is_the_array(axis):
    a = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(from_last(to_last(a, axis), a.shape, axis), a)


def test_axes_are_counted_from_the_front():
    assert axes_of(None, 2) == (0, 1)
    assert axes_of((-1, 0), 3) == (2, 0)
    assert axes_of(-1, 0) == (0,)


def test_a_reduction_that_kept_its_axes_is_spread_alike():
    kept, dropped = np.array([[5.0], [7.0]]), np.array([5.0, 7.0])
    assert np.array_equal(spread(kept, (2, 3), 1), spread(dropped, (2, 3), 1))


def test_entries_outside_of_the_mask_get_zeros():
    mask = np.array([True, False])
    assert spread(2.0, (2,), None, mask).tolist() == [2, 0]
    assert counted((2,), None, mask).tolist() == [1]
    assert counted((2, 3), 1) == 3
