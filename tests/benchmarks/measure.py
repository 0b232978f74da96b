"""Time and memory of calls against each other, in one process, turn by turn."""

import gc
import statistics
import time
import tracemalloc

FLOOR = 4096
"""Bytes added to both sides of a ratio, so that a few floats do not make a ratio of 20."""


def repeats(call, target):
    """How many calls fill about so many seconds."""
    call()
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-7)
    return max(1, int(target / once))


def timed(call, count):
    clock = time.perf_counter
    start = clock()
    for _ in range(count):
        call()
    return (clock() - start) / count


def in_turns(calls, budget, target=0.003):
    """Seconds per call of each, round after round: a busy machine slows all of a round alike.

    Parameters
    ----------
    calls : dict of zero-argument callables
    budget : float
        Seconds for all rounds together, about.
    """
    counts = {name: repeats(call, target) for name, call in calls.items()}
    gc.collect()
    end = time.perf_counter() + budget
    rounds = []
    while len(rounds) < 3 or (time.perf_counter() < end and len(rounds) < 200):
        rounds.append({name: timed(call, counts[name]) for name, call in calls.items()})
    return rounds


def median_ratio(rounds, name, base):
    return statistics.median(each[name] / each[base] for each in rounds)


def peak(call, times=3):
    """Bytes at the highest point of a call above those that lived before it."""
    call()
    found = []
    for _ in range(times):
        gc.collect()
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            kept = call()
            found.append(tracemalloc.get_traced_memory()[1] - before)
        finally:
            tracemalloc.stop()
        del kept
    return statistics.median(found)


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float("nan")
