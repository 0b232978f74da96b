"""Runs of a function are stopped when they take far longer than the first."""

import sys

import pytest

from astad.testing.bounded import TooManySteps, bounded


def countdown(n):
    steps = 0
    while n != 0:
        n, steps = n - 1, steps + 1
    return steps


def test_endless_run_is_stopped_and_others_are_not():
    limited = bounded(countdown)
    assert limited(10) == 10
    assert limited(12) == 12
    with pytest.raises(TooManySteps):
        limited(9.5)


def test_tracer_of_a_debugger_is_put_back():
    seen = []

    def tracer(frame, event, argument):
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        bounded(countdown)(3)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
