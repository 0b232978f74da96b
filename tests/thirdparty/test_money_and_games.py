"""mibian (options; through scipy.stats), trueskill and glicko2 (ratings)."""

import pytest
from libraries import library

from astad.testing import check_gradient

mibian = library("mibian")
trueskill = library("trueskill")
glicko2 = library("glicko2")


def call_price(spot, strike, rate, days, volatility):
    return mibian.BS([spot, strike, rate, days], volatility=volatility).callPrice


def delta_of_a_put(spot, volatility):
    return mibian.BS([spot, 50.0, 4.0, 60.0], volatility=volatility).putDelta


def winner_and_loser(mean, spread, other_mean, other_spread):
    winner, loser = trueskill.rate_1vs1(
        trueskill.Rating(mean, spread), trueskill.Rating(other_mean, other_spread)
    )
    return winner.mu + 2.0 * loser.sigma


def rating_after_three_games(rating, deviation, opponent):
    player = glicko2.Player(rating, deviation)
    player.update_player([opponent, 1550.0, 1700.0], [30.0, 100.0, 300.0], [1, 0, 0])
    return player.rating + player.rd


OBJECTIVES = {
    "price of a call": (call_price, (52.0, 50.0, 4.0, 60.0, 30.0), 1e-5),
    "delta of a put": (delta_of_a_put, (52.0, 30.0), 1e-5),
    "two ratings": (winner_and_loser, (26.0, 7.0, 24.0, 8.1), 1e-5),
    "three games": (rating_after_three_games, (1500.0, 200.0, 1400.0), 1e-4),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_agrees_with_differences(name):
    objective, args, rtol = OBJECTIVES[name]
    check_gradient(objective, *args, rtol=rtol)
