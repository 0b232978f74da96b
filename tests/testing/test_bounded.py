"""Runs of a function are stopped when they take far longer than the first."""

import sys
import weakref

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


def test_finalizers_are_not_what_is_stopped(recwarn):
    class Held:
        pass

    def asked(n):
        total = 0.0
        while n != 0:
            held = Held()
            weakref.finalize(held, int)
            del held  # its finalizer runs here
            n = n - 1
            total = total + 1.0
        return total

    limited = bounded(asked)
    assert limited(3.0) == 3.0
    with pytest.raises(TooManySteps):
        limited(2.5)
    assert not [each for each in recwarn if "finalize" in str(each.message)]
