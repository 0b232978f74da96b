import numpy as np

from astad.rules.numpy.scatter import numbered, scattered


def test_an_entry_picked_twice_gets_both_cotangents():
    places = np.take(numbered((2, 3)), [0, 0, 2], axis=1)
    assert scattered(np.ones((2, 3)), places, (2, 3)).tolist() == [[2, 0, 1], [2, 0, 1]]


def test_precision_and_complex_parts_are_kept():
    assert scattered(np.ones(1, np.float32), [0], (2,)).dtype == np.float32
    assert scattered(np.array([1j]), [1], (2,)).tolist() == [0, 1j]
    assert scattered(0.1, 1, (2,)).tolist() == [0, 0.1]


def test_nothing_picked_gives_zeros_of_the_shape():
    assert scattered(np.zeros((0,)), np.zeros(0, int), (2, 0, 3)).shape == (2, 0, 3)
