"""A tape: programs written as calls of the run time, run forward and back, and compared with
differences."""

import copy
import re

import numpy as np
import pytest

from astad.api.variants import (  # noqa: F401  (fills the slot of the compiler)
    wiring,
)
from astad.runtime import dispatch
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.owners import attribute_store
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.runtime.iteration.generators import loop_end, walk_to_end
from astad.runtime.iteration.iterate import deliver
from astad.tangents.zero import has_identity, is_number


class Var:
    """A value of the program under test, by its place on the tape."""

    def __init__(self, value, place):
        self.value, self.place = value, place


class Plain:
    """Runs a program without any run time."""

    def __call__(self, fn, *args, **keywords):
        return fn(*args, **keywords)

    def loop(self, iterable):
        yield from iterable

    def value(self, x):
        return x


class Tape:
    """Runs a program through `call`, as generated text does."""

    def __init__(self, versions=None):
        self.versions, self.records, self.count = versions or Versions(), [], 0

    def var(self, value):
        self.count += 1
        return Var(value, self.count - 1)

    def value(self, x):
        return x.value if isinstance(x, Var) else x

    def __call__(self, fn, *args, **keywords):
        operands = [*args, *keywords.values()]
        named = {name: self.value(x) for name, x in keywords.items()}
        y, record = call(self.versions, self.value(fn), *map(self.value, args), **named)
        result = self.var(y)
        self.records.append((record, result, operands))
        return result

    def loop(self, iterable):
        for v, route in walk_to_end(self.versions, self.value(iterable)):
            element = self.var(v)
            self.records.append((("route", route), element, ()))
            yield element
        self.records.append((("route", loop_end(self.versions, None)), self.var(None), ()))

    def back(self, y, y_bar, arguments, shadows):
        bars = [None] * self.count
        if isinstance(y, Var):
            bars[y.place] = y_bar
        for record, result, operands in reversed(self.records):
            bar, bars[result.place] = bars[result.place], None
            if record is not None and record[0] == "route":
                deliver(shadows, record[1], bar)
                continue
            parts = pull(shadows, record, bar, len(operands))
            assert len(parts) == len(operands), record
            for operand, part in zip(operands, parts, strict=True):
                if part is not None and isinstance(operand, Var):
                    old = bars[operand.place]
                    bars[operand.place] = part if old is None else old + part
        return [bars[x.place] for x in arguments]


def written(program):
    """A Python function of the user's, of which the source is `program` in the tape's own form."""

    def function(*args, **keywords):
        return program(Plain(), *args, **keywords)

    function.program = program
    return function


def call_written(versions, fn, args, keywords):
    """What the compiler's pair of such a function would do."""
    tape = Tape(versions)
    variables = [tape.var(x) for x in (*args, *keywords.values())]
    named = dict(zip(keywords, variables[len(args) :], strict=True))
    y = fn.program(tape, *variables[: len(args)], **named)
    return tape.value(y), (pull_written, tape, y, variables)


def pull_written(shadows, y_bar, tape, y, variables):
    return tape.back(y, y_bar, variables, shadows)


@pytest.fixture(autouse=True)
def _without_a_compiler(monkeypatch):
    compiled = dispatch._compiled

    def chosen(versions, fn, args, keywords):
        if not hasattr(fn, "program"):
            return compiled(versions, fn, args, keywords)
        return call_written(versions, fn, args, keywords)

    monkeypatch.setattr(dispatch, "_compiled", chosen)


class Leaf:
    """A number in a container, or an array."""

    def __init__(self, store, key, kind):
        self.store, self.key, self.kind = store, key, kind

    def cotangent(self, shadows):
        if self.kind == "array":
            return shadows.of(self.store).copy()
        if self.kind == "slot":
            found = shadows.slots_of(self.store, self.key + 1)[self.key]
        else:
            found = shadows.keys_of(self.store).get(self.key)
        return 0.0 if found is None else found

    def positions(self):
        return np.ndindex(self.store.shape) if self.kind == "array" else [self.key]

    def shift(self, position, by):
        self.store[position] = self.store[position] + by


def leaves(value, seen=None):
    """The numbers in a structure, and its arrays."""
    seen = {} if seen is None else seen
    if id(value) in seen or not has_identity(value):
        return []
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        return [Leaf(value, None, "array")] if value.dtype.kind in "fc" else []
    if isinstance(value, (list, tuple)) or type(value).__name__ == "deque":
        items, kind, store = list(enumerate(value)), "slot", value
    else:
        store = value if isinstance(value, dict) else attribute_store(value, "")
        items, kind = list(store.items()) if isinstance(store, dict) else [], "key"
    found = []
    for key, item in items:
        if isinstance(item, float):
            found.append(Leaf(store, key, kind))
        found += leaves(item, seen)
    return found


def differences(program, args, step=1e-6):
    """Central differences in all floats of the arguments, in the order of `collect`."""
    result = []
    for k, arg in enumerate(args):
        parts = []
        if isinstance(arg, (int, float)) and not isinstance(arg, bool):
            parts.append(_slope(program, lambda by, k=k: _replaced(args, k, args[k] + by), step))
        for n, leaf in enumerate(leaves(arg)):
            for position in leaf.positions():

                def moved(by, k=k, n=n, position=position):
                    other = copy.deepcopy(args)
                    leaves(other[k])[n].shift(position, by)
                    return other

                parts.append(_slope(program, moved, step))
        result.append(parts)
    return result


def _replaced(args, k, value):
    other = list(copy.deepcopy(args))
    other[k] = value
    return tuple(other)


def _slope(program, args_at, step):
    return (program(Plain(), *args_at(step)) - program(Plain(), *args_at(-step))) / (2 * step)


def contents(value):
    return re.sub("0x[0-9a-f]+", "", repr([value, getattr(value, "__dict__", None)]))


def check_program(program, *args, expected=None):
    """Value, effects on the arguments, cotangents (against differences, or `expected`), twice."""
    plain_args, run_args = copy.deepcopy(args), copy.deepcopy(args)
    entry = [leaves(x) for x in run_args]  # the structure as it is before the program changes it
    plain = program(Plain(), *plain_args)
    tape = Tape()
    variables = [tape.var(x) for x in run_args]
    y = program(tape, *variables)
    assert isinstance(y, Var), "the program must return a value of the tape"
    assert y.value == plain and type(y.value) is type(plain)
    after = [contents(x) for x in plain_args]
    assert [contents(x) for x in run_args] == after
    wanted = differences(program, args) if expected is None else expected
    for _ in range(2):
        shadows = Shadows()
        bars = tape.back(y, 1.0, variables, shadows)
        for bar, found, x, w in zip(bars, entry, args, wanted, strict=True):
            numbers = [0.0 if bar is None else bar] if not has_identity(x) and is_number(x) else []
            for leaf in found:
                numbers.extend(np.ravel(leaf.cotangent(shadows)))
            np.testing.assert_allclose(np.array(numbers), np.array(w), rtol=1e-6, atol=1e-7)
    assert [contents(x) for x in run_args] == after


@pytest.fixture(name="written")
def written_fixture():
    return written


@pytest.fixture
def tape():
    return Tape()


@pytest.fixture
def check():
    return check_program
