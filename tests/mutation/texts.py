"""A plugin of pytest that finds the changes to the compiler which no generated text shows.

Used by ``python -m tests.mutation``, with the changes' file in ``ASTAD_CHANGES``. While the tests
run it keeps what they have compiled; after them it compiles all of it again, noting the lines that
each reaches, then once for each change, in a process of its own that is forked from this one and
has the changed function in the place of the right one. A changed text ends that process, and so
does an error. What came of each change is written to ``ASTAD_CHANGES`` with ``.found`` added.
"""

from __future__ import annotations

import collections
import functools
import gc
import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from astad.compiler import pipeline, summaries
from tests.known_texts import digest_of, is_of_tests
from tests.mutation.mutants import ROOT, Mutant, drawn
from tests.reached import Reached

COMPILER = str(ROOT / "astad" / "compiler") + os.sep
LONGEST = 20
"""Seconds for the texts of a change; it may make the compiler go on for ever."""
MOST = 100
"""Of what reaches a line, so much is compiled at most: the quickest first, then drawn by chance."""
WORKERS = os.cpu_count() or 1
NOTICED, SURVIVES, NOT_REACHED, NOT_APPLIED = "noticed", "survives", "not reached", "not applied"
_EXITS = {0: SURVIVES, 1: NOTICED, 2: NOT_APPLIED}

_compile = pipeline.compile_function
_kept: dict[object, tuple[Any, ...]] = {}


@functools.wraps(_compile)
def _compile_and_keep(fn: FunctionType, kinds: Any, wanted: Any, **options: Any) -> Any:
    plain = sorted((name, value) for name, value in options.items() if name != "kind_of")
    if is_of_tests(fn.__code__.co_filename):
        key = fn.__code__, repr((kinds, wanted, plain))
        _kept.setdefault(key, (fn, list(kinds), list(wanted), options))
    return _compile(fn, kinds, wanted, **options)


pipeline.compile_function = _compile_and_keep


def pytest_sessionfinish() -> None:
    pipeline.compile_function = _compile
    path = Path(os.environ["ASTAD_CHANGES"])
    compilations = list(_kept.values())
    functions = _functions()
    gc.freeze()  # what is forked shares the memory
    print(f"\n{len(compilations)} compilations", flush=True)
    reaching = _Reaching(compilations, _in_parallel(functools.partial(_reach, compilations)))
    asked = json.loads(path.read_text(encoding="utf-8"))
    changes = drawn(asked["seed"], asked["count"])
    found = _in_parallel(functools.partial(_outcomes, changes, reaching, functions))
    path.with_suffix(".found").write_text(json.dumps(dict(found)), encoding="utf-8")


def _in_parallel(work: Callable[[int], list[Any]]) -> list[Any]:
    """What ``work`` gives for each worker's number, together, out of forked processes."""
    reading = []
    for number in range(WORKERS):
        source, sink = os.pipe()
        if not os.fork():
            with os.fdopen(sink, "w") as out:
                out.write(json.dumps(_told(work, number)))
            os._exit(0)
        os.close(sink)
        reading.append(source)
    together = []
    for source in reading:
        with os.fdopen(source) as lines:
            together += json.loads(lines.read())
        os.wait()
    return together


def _told(work: Callable[[int], list[Any]], number: int) -> list[Any]:
    try:
        return work(number)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _digest(compilation: tuple[Any, ...]) -> str:
    fn, kinds, wanted, options = compilation
    summaries._studies.clear()
    try:
        return digest_of(_compile(fn, kinds, wanted, **options))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _reach(compilations: list[tuple[Any, ...]], worker: int) -> list[Any]:
    """For each compilation its number, its digest, and the lines that it reaches; where two do not
    agree, as of a function whose globals have changed, none.
    """
    out: list[Any] = []
    with Reached([COMPILER]) as reached:
        for number in range(worker, len(compilations), WORKERS):
            reached.forget()
            found = _digest(compilations[number])
            lines = [(Path(place).relative_to(ROOT).as_posix(), n) for place, n in reached.lines]
            out.append((number, found, lines))
    return [each for each in out if _digest(compilations[each[0]]) == each[1]]


class _Reaching:
    """Which compilations reach a line, and what each of them gives."""

    def __init__(self, compilations: list[tuple[Any, ...]], found: list[Any]) -> None:
        self.compilations = compilations
        self.digests: dict[int, str] = {}
        self.by_line: dict[tuple[str, int], list[int]] = collections.defaultdict(list)
        for number, digest, lines in sorted(found, key=lambda each: len(each[2])):
            self.digests[number] = digest
            for place, line in lines:
                self.by_line[place, line].append(number)

    def of(self, change: Mutant) -> list[int]:
        """Those that reach fewest lines, then others."""
        numbers = self.by_line.get((change.place, change.line), [])
        first, rest = numbers[:15], numbers[15:]
        return first + random.Random(0).sample(rest, min(len(rest), MOST))

    def is_other(self, number: int) -> bool:
        return _digest(self.compilations[number]) != self.digests[number]


def _functions() -> dict[tuple[str, str], list[FunctionType]]:
    """Those of the compiler, by file and qualified name."""
    found: dict[tuple[str, str], list[FunctionType]] = collections.defaultdict(list)
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(COMPILER):
            found[each.__code__.co_filename, each.__code__.co_qualname].append(each)
    return found


def _outcomes(
    changes: list[Mutant],
    reaching: _Reaching,
    functions: dict[tuple[str, str], list[FunctionType]],
    worker: int,
) -> list[Any]:
    out = []
    for number in range(worker, len(changes), WORKERS):
        change, numbers = changes[number], reaching.of(changes[number])
        outcome = NOT_REACHED
        if numbers:
            child = os.fork()
            if not child:
                os._exit(_try(change, numbers, reaching, functions))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            outcome = _EXITS.get(code, NOTICED)  # a signal: it went on for ever
        out.append((str(number), outcome))
        if worker == 0 and len(out) % 50 == 0:
            print(f"{number} of {len(changes)} changes tried by texts", file=sys.stderr, flush=True)
    return out


def _try(
    change: Mutant,
    numbers: list[int],
    reaching: _Reaching,
    functions: dict[tuple[str, str], list[FunctionType]],
) -> int:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LONGEST)
    path = str(ROOT / change.place)
    inside = [
        code for code in _codes(compile(change.changed, path, "exec")) if _holds(code, change)
    ]
    changed = max(inside, key=lambda code: code.co_firstlineno)
    found = functions.get((path, changed.co_qualname), [])
    try:
        for each in found:
            each.__code__ = changed
        return 1 if any(map(reaching.is_other, numbers)) else 0 if found else 2
    except BaseException:
        return 1


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Of functions and methods, not of what stands inside them."""
    for each in code.co_consts:
        if isinstance(each, CodeType) and "<locals>" not in each.co_qualname:
            yield each
            yield from _codes(each)


def _holds(code: CodeType, change: Mutant) -> bool:
    is_function = code.co_flags & 2  # CO_NEWLOCALS: a class body has none
    return bool(is_function) and code.co_firstlineno <= change.line
