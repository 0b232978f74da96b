"""Runs whose text is long: compiled when that pays, and once."""

import math
from collections import deque

import pytest

import astad
from astad.api.gradients import baseline, recorded, worthwhile
from astad.api.variants.whole import whole
from astad.recording.bounds import LONG, SHORT
from astad.runtime.core.variants import forget_all, variants_of

from .recorded_runs import agree, both, opaque, same

pytestmark = pytest.mark.order_matters


class Tank:
    def __init__(self, level, kind):
        self.level, self.kind = level, kind


def plant(rounds, inflow, leak):
    """Three tanks in turn: nine lines a round."""
    tanks = deque([Tank(1.0, "open"), Tank(2.0, "closed"), Tank(0.5, "open")])
    total = 0.0
    for _ in range(rounds):
        tank = tanks.popleft()
        out = leak * tank.level
        if tank.kind == "open":
            tank.level = tank.level + 0.01 * (inflow - out)
        else:
            tank.level = tank.level + 0.01 * math.sin(inflow) - 0.02 * out
        total += tank.level * 0.1
        tanks.append(tank)
    return total


@pytest.fixture(autouse=True)
def anew():
    forget_all()


def right(f, *args):
    """Value and gradient are those of the pair."""
    y, back = whole.run(f, args, {}, self_too=False)
    expected = y, whole.of_scalar(f, back, args, tuple(range(len(args))))
    assert same(both(f, *args), expected)


def about(f):
    return variants_of(f).recorded


def is_compiled(f):
    return any(made.tentative for made in variants_of(f).fused[0, 1, 2])


@pytest.fixture
def without_baselines(monkeypatch):
    monkeypatch.setattr(baseline, "baseline_of", lambda *_: None)


@pytest.mark.usefixtures("without_baselines")
def test_a_long_text_is_compiled_when_the_pair_has_taken_as_long(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e9)
    for k in range(8):
        right(plant, 200, 1.0 + 0.1 * k, 0.2)
    assert [SHORT.lines < text.lines < LONG.lines for text in about(plant).texts] == [True]
    assert "compiled once that pays" in about(plant).why
    assert not is_compiled(plant)
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    right(plant, 200, 1.0, 0.2)
    assert is_compiled(plant)
    calls = about(plant).calls
    for k in range(4):
        right(plant, 200, 1.0 + 0.1 * k, 0.3)
    assert about(plant).calls == calls  # it answers


def test_what_has_been_compiled_is_not_for_another_length(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    for rounds in (190, 190, 190, 190, 190, 190, 191, 190):
        right(plant, rounds, 1.0, 0.2)
    assert is_compiled(plant)
    right(plant, 3, 1.0, 0.2)


def test_a_long_text_serves_at_once_by_a_baseline(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e9)
    monkeypatch.setattr(worthwhile, "BASELINE", 0.0)  # on a busy machine, too
    for k in range(8):
        right(plant, 206, 1.0 + 0.1 * k, 0.2)
    (text,) = about(plant).texts
    assert SHORT.lines < text.lines and is_compiled(plant) and not about(plant).why
    run = text.head.__globals__[text.call]
    assert run.better is not None
    run.better(*text.given((206, 1.0, 0.3)))
    calls = about(plant).calls
    for k in range(4):
        right(plant, 206, 1.0 + 0.1 * k, 0.3)
    assert about(plant).calls == calls  # it answers, as what the compiler made does
    right(plant, 207, 1.0, 0.3)


def test_a_baseline_may_raise_where_it_is_made(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e9)
    monkeypatch.setattr(worthwhile, "BASELINE", 0.0)  # on a busy machine, too

    def fails(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(baseline, "baseline_of", lambda *_: fails)
    for k in range(6):
        right(plant, 207, 1.0 + 0.1 * k, 0.2)
    assert "compiled once that pays" in about(plant).why


@pytest.mark.usefixtures("without_baselines")
def test_runs_that_go_another_way_each_time_are_compiled_never(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e6)  # more than any run here takes, on any machine
    for k in range(40):
        right(plant, 180 + k, 1.0, 0.2)
    assert len(about(plant).texts) <= recorded.MOST
    assert not is_compiled(plant)
    assert not about(plant).worth.halfway


def test_baselines_of_runs_that_go_another_way_each_time_are_few():
    for k in range(40):
        right(plant, 180 + k, 1.0, 0.2)
    assert len(about(plant).texts) <= recorded.MOST


@pytest.mark.usefixtures("without_baselines")
def test_numbers_by_which_runs_part_are_no_storm(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e6)

    def walk(x, steps):
        queue = deque([opaque(x)] * 3)
        total = 0.0
        for k in range(steps):
            v = queue.popleft()
            v = 3.9 * v * (1.0 - v) if v > 0.5 else v + 0.37 * v * (k % 3)
            total = total + v
            queue.append(v)
        return total

    for k in range(24):
        agree(walk, 0.1 + 0.01 * k, 350, wanted=(0,))
    assert len(about(walk).texts) <= recorded.MOST
    assert not any(made.tentative for made in variants_of(walk).fused[0,])


def test_the_longest_runs_are_not_recorded_again_and_again(monkeypatch):
    monkeypatch.setattr(recorded, "LONG", SHORT)
    for k in range(20):
        right(plant, 200, 1.0 + 0.1 * k, 0.2)
    assert about(plant).failed == recorded.TRIES and not about(plant).texts
    assert "more than 1,500 lines" in about(plant).why


def test_a_text_that_pays_for_forward_mode_too(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    for k in range(7):
        y, y_dot = astad.jvp(plant, (190, 1.0 + 0.1 * k, 0.2), (None, 1.0, 0.5))
        bars = agree(plant, 190, 1.0 + 0.1 * k, 0.2)[1]
        assert y_dot == pytest.approx(bars[1] + 0.5 * bars[2], rel=1e-12)
    assert any(variants_of(plant).tangents.values())


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [330, 1100, 2200])
def test_three_ten_and_twenty_thousand_lines(rounds, monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    for k in range(7):
        right(plant, rounds, 1.0 + 0.1 * k, 0.2)
    assert is_compiled(plant)
    assert about(plant).texts[0].lines > 9 * rounds


def test_many_numbers_from_outside(monkeypatch):
    def smooth(x):
        total, last = 0.0, opaque(x)
        for price in PRICES:
            last = 0.9 * last + 0.1 * price
            total = total + last * x
        return total

    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    for k in range(7):
        agree(smooth, 1.0 + 0.1 * k)
    assert any(made.tentative for made in variants_of(smooth).fused[0,])
    PRICES[5] = 7.0
    agree(smooth, 2.0)
    PRICES.append(3.0)
    agree(smooth, 2.0)


PRICES = [100.0 + math.sin(k) for k in range(400)]
