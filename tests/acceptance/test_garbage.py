"""A gradient makes no work for the garbage collector: at most one tuple an iteration is tracked."""

import gc

import pytest

from astad import value_and_grad

STEPS = 10_000


def one_kept(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def several_kept(x, n):
    s = 0.0
    for i in range(n):
        s = s + x * s / (i + 1.0)
        x = x * (1.0 - s * x)
    return s


def left_early(x, n):
    k = 0
    while True:
        x = x - (x * x - 2.0) / (2.0 * x)
        k = k + 1
        if k > n:
            break
    return x


def collections(call):
    """How often the collector starts, with its usual threshold for new objects."""
    found = []
    gc.collect()
    before = gc.get_threshold()
    gc.callbacks.append(lambda phase, info: found.append(info) if phase == "start" else None)
    gc.set_threshold(700, 10, 10)
    try:
        call()
    finally:
        gc.callbacks.pop()
        gc.set_threshold(*before)
    return len(found)


@pytest.mark.parametrize(
    ("fn", "tuples"), [(one_kept, 0), (several_kept, STEPS), (left_early, STEPS)]
)
def test_objects_that_the_collector_tracks(fn, tuples):
    run = value_and_grad(fn)
    run(0.9, 3)
    plain = collections(lambda: fn(0.9, STEPS))
    assert collections(lambda: run(0.9, STEPS)) <= plain + tuples // 700 + 2
