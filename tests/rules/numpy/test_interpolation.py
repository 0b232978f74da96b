import numpy as np

from astad.rules import lookup


def cotangents(x, xp, fp, y_bar=1.0, **keywords):
    rule = lookup(np.interp)
    return rule.pull(("x", "xp", "fp"))(y_bar, None, *rule.bind((x, xp, fp), keywords))


XP, FP = np.array([0.0, 1.0, 3.0]), np.array([2.0, 6.0, 4.0])


def test_outside_of_the_data_only_the_end_moves():
    x_bar, xp_bar, fp_bar = cotangents(np.array([-1.0, 9.0]), XP, FP, np.array([1.0, 10.0]))
    assert x_bar.tolist() == [0, 0]
    assert xp_bar.tolist() == [0, 0, 0]
    assert fp_bar.tolist() == [1, 0, 10]


def test_values_given_for_outside_take_it_all():
    assert cotangents(np.array([-1.0]), XP, FP, np.ones(1), left=5.0)[2].tolist() == [0, 0, 0]


def test_at_a_datum_the_slope_is_that_of_the_piece_to_the_right():
    x_bar, _, fp_bar = cotangents(1.0, XP, FP)
    assert x_bar == -1
    assert fp_bar.tolist() == [0, 1, 0]


def test_a_single_datum():
    x_bar, _, fp_bar = cotangents(
        np.array([0.0, 1.0]), np.array([0.0]), np.array([2.0]), np.ones(2)
    )
    assert x_bar.tolist() == [0, 0]
    assert fp_bar.tolist() == [2]
