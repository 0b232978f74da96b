"""Containers and arrays that an iterator puts somewhere when it is asked for one more: they have no
record of their own, and what was computed for them is undone before what came earlier."""

import itertools
from contextlib import contextmanager

import numpy as np
import pytest

from tests.conformance.harness import conforms

pytestmark = pytest.mark.order_matters


class Tape:
    def __init__(self):
        self.log = []
        self.last = None

    @contextmanager
    def stage(self, label, scale=1.0):
        bucket = []
        yield bucket
        self.log.append((label, scale * sum(bucket)))

    @contextmanager
    def kept_by_attribute(self):
        rows = []
        yield rows
        self.last = np.array(rows) * 2.0

    @property
    def total(self):
        return sum(v for _, v in self.log)


def stages_of_a_tape(x, c):
    tape = Tape()
    with tape.stage("square") as bucket:
        bucket.append(x * x)
        bucket.append(np.sin(x))
    with tape.stage("scaled", scale=c) as bucket:
        bucket.append(x)
    return tape.total


def array_behind_a_with(x, c):
    tape = Tape()
    with tape.kept_by_attribute() as rows:
        rows.append([x, c])
        rows.append([x * c, x])
    return (tape.last**2).sum()


def measured(store, weight):
    cells = []
    yield cells
    total = sum(cells)
    store["sum"] = [total * weight, total]
    store.setdefault("arrays", []).extend([total * np.ones(2)])


def next_with_a_default(x, c):
    store = {}
    steps = measured(store, c)
    cells = next(steps)
    cells.append(x * x)
    cells.append(c)
    next(steps, None)
    cells[0] = x
    return store["sum"][0] * cells[0] + (store["arrays"][0] * c).sum()


def sent_to_the_end(x, c):
    store = {}
    steps = measured(store, c)
    cells = next(steps)
    cells += [x, x * c]
    try:
        steps.send(None)
    except StopIteration:
        cells[0] = x * x
    return store["sum"][0] * store["sum"][1] * cells[0]


def passed_on(store, weight):
    yield from measured(store, weight)
    store["again"] = (store["sum"][0] * weight,)


def delegated(x, c):
    store = {}
    steps = passed_on(store, c)
    next(steps).append(x * x)
    for _ in steps:
        pass
    return store["again"][0] * store["sum"][1]


def skipped_by_islice(x, c):
    store = {}
    steps = measured(store, c)
    next(steps).append(x**3)
    next(itertools.islice(steps, 2, 2), None)
    return store["sum"][0] * x


class Draining:
    """An iterator of the user's that writes its result where it ends."""

    def __init__(self, log, cells, n=1):
        self.log, self.cells, self.left = log, cells, n

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            self.log.append([2.0 * self.cells[0]])
            raise StopIteration
        self.left -= 1
        return self.cells


def iterator_in_a_loop(x, c):
    log, cells = [], []
    for part in Draining(log, cells):
        part.append(x * c)
    cells[0] = x
    return log[0][0] * cells[0]


def iterator_asked_once_more(x, c):
    log, cells = [], []
    drain = Draining(log, cells)
    next(drain).append(x * x)
    next(drain, None)
    cells[0] = c
    return log[0][0] * cells[0]


def iterator_beside_another(x, c):
    log, cells = [], []
    for part, weight in zip(Draining(log, cells, 2), [x, c, 3.0], strict=False):
        part.append(x * weight)
    return log[0][0] * cells[1]


def iterator_unpacked(x, c):
    log, cells = [], [x * c]
    (part,) = Draining(log, cells)
    part[0] = x
    return log[0][0] * part[0]


def iterator_summed(x, c):
    log, cells = [], [x * c]
    total = sum(part[0] for part in Draining(log, cells, 3))
    cells[0] = c
    return log[0][0] * total * cells[0]


class Pages:
    """A sequence by ``__getitem__`` alone."""

    def __init__(self, log, cells):
        self.log, self.cells = log, cells

    def __getitem__(self, i):
        if i == 2:
            self.log.append(np.array([2.0 * self.cells[0], 1.0]))
            raise IndexError
        return self.cells


def sequence_in_a_loop(x, c):
    log, cells = [], []
    for page in Pages(log, cells):
        page.append(x * c)
    cells[0] = x
    return log[0][0] * cells[0] * cells[1]


def sequence_in_a_list(x, c):
    log, cells = [], [x * c]
    pages = list(Pages(log, cells))
    cells[0] = x
    return log[0][0] * pages[1][0]


def predicate_that_keeps(x, c):
    log, cells = [], [x * c]

    def is_small(v):
        log.append([2.0 * cells[0] * v])
        return v < 2.0

    first = list(itertools.takewhile(is_small, [1.0, 3.0, 1.0]))
    cells[0] = x
    return log[1][0] * cells[0] * first[0]


def asked_until(x, c):
    log, cells = [], [x * c]

    def ask():
        log.append([2.0 * cells[0]])
        return len(log)

    counts = list(iter(ask, 2))
    cells[0] = x
    return log[1][0] * cells[0] * len(counts)


class Particle:
    def __init__(self, v):
        self.v = v


class Swarm:
    """What its ``copy`` gives is gone through by a generator that sums up at its end."""

    def __init__(self, log, particles):
        self.log, self.particles = log, particles

    def copy(self):
        return self.__class__(self.log, self.particles)

    def __iter__(self):
        total = 0.0
        for particle in self.particles:
            yield particle
        for particle in self.particles:
            total = total + particle.v
        self.log.append([total])


def copied_and_gone_through(x, c):
    log, particles = [], [Particle(x), Particle(x * c)]
    total = 0
    for particle in Swarm(log, particles).copy():
        particle.v = particle.v * x
        total += particle.v
    return total * log[0][0] * particles[0].v


def copied_and_summed(x, c):
    log, particles = [], [Particle(x), Particle(x * c)]

    def moved(particle):
        particle.v = particle.v * c
        return particle.v

    total = sum(moved(particle) for particle in Swarm(log, particles).copy())
    return total * log[0][0] * particles[0].v


PROGRAMS = [
    stages_of_a_tape, array_behind_a_with, next_with_a_default, sent_to_the_end, delegated,
    skipped_by_islice, iterator_in_a_loop, iterator_asked_once_more, iterator_beside_another,
    iterator_unpacked, iterator_summed, sequence_in_a_loop, sequence_in_a_list,
    predicate_that_keeps, asked_until, copied_and_gone_through, copied_and_summed,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs(program):
    conforms(program, 1.3, 0.7)
