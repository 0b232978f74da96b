import numpy as np

from astad.rules import lookup


def pull(fn, y_bar, *args, **keywords):
    rule = lookup(fn)
    values = rule.bind(args, keywords)
    return rule.pull((rule.parameters[0].lstrip("*"),))(y_bar, fn(*args, **keywords), *values)[0]


def test_parts_without_a_cotangent_count_as_zeros():
    a = np.arange(5.0)
    seed = [None, np.array([1.0, 2.0])]
    assert pull(np.split, seed, a, [3]).tolist() == [0, 0, 0, 1, 2]
    assert pull(np.unstack, (np.ones(2), None), np.ones((2, 2))).tolist() == [[1, 1], [0, 0]]


def test_cotangents_of_blocks_come_in_the_same_nesting():
    blocks = [[np.ones((2, 2)), np.ones((2, 1))], [np.ones((1, 2)), 5.0]]
    found = pull(np.block, np.arange(9.0).reshape(3, 3), blocks)
    assert found[0][0].tolist() == [[0, 1], [3, 4]]
    assert found[0][1].tolist() == [[2], [5]]
    assert found[1][0].tolist() == [[6, 7]]
    assert found[1][1] == 8


def test_vectors_that_were_stacked_get_vectors_back():
    rows = [np.zeros(2), np.zeros((2, 2))]
    found = pull(np.vstack, np.arange(6.0).reshape(3, 2), rows)
    assert found[0].tolist() == [0, 1]
    assert found[1].tolist() == [[2, 3], [4, 5]]


def test_an_entry_repeated_no_times_gets_zero():
    assert pull(np.repeat, np.ones(3), np.zeros(3), [1, 0, 2]).tolist() == [1, 0, 2]
