"""The two functions of a recording: the tests with what is read from outside, and the text itself.

The text is an ordinary function in a module of its own, named by what it says, so that it is
differentiated, printed and cached as a user's function is.
"""

from __future__ import annotations

import hashlib
import itertools
import linecache
import math
import re
import sys
import weakref
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from astad.recording.recording import Left, Recording
from astad.runtime.variants import TABLE

__all__ = ["Straight", "argument_names", "straight_of"]

_TAKEN = re.compile(r".*_\d+|np|math|Left|inf|nan|acts|out|.*_recorded.*")


STRICT = "divide='raise', over='raise', invalid='raise'"


class Straight:
    """``head`` ends in a call of what computes value and gradient, which is set; ``acts``: it
    writes what the recorded run has written.
    """

    def __init__(
        self,
        function: FunctionType,
        head: FunctionType,
        text_of_head: str,
        text: str,
        acts: bool,
    ) -> None:
        self.function = function
        self.text = text
        self.acts = acts
        self.head = head
        self.text_of_head = text_of_head

    def given(self, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """What the text is given for these arguments of the function; None where a test fails."""
        found: list[tuple[Any, ...]] = []
        self.set_run(lambda *each: found.append(each))
        return found[0] if self.head(*args) is not NotImplemented and found else None

    def set_run(self, run: Callable[..., Any], *, acts: bool = False) -> None:
        """``acts``: what the recorded run has written is written."""
        self.head.__globals__.update({f"{self.function.__name__}_gradient": run, "acts": acts})


def argument_names(names: Sequence[str]) -> list[str]:
    """
    >>> argument_names(["x", "np", "t_1"])
    ['x', 'np_given', 't_1_given']
    """
    return [f"{name}_given" if _TAKEN.fullmatch(name) else name for name in names]


def straight_of(
    recording: Recording, name: str, names: Sequence[str], wanted: Sequence[int], y: Any
) -> Straight:
    """``names`` of the arguments, ``wanted`` the places of those with a derivative, ``y`` the value
    that the run gave.
    """
    own = f"{name if name.isidentifier() else 'function'}_recorded"
    used = set(re.findall(r"[^\W\d]\w*", "\n".join([*recording.body, recording.word(y)])))
    taken = [names[at] for at in wanted]
    taken += [each for at, each in enumerate(names) if at not in wanted and each in used]
    taken += [each for each, _ in recording.inputs]
    expressions = taken[: len(taken) - len(recording.inputs)]
    expressions += [expression for _, expression in recording.inputs]
    lines = [f"def {own}({', '.join(taken)}):"]
    lines += [f"    {line}" for line in (*recording.body, f"return {recording.word(y)}")]
    body = "\n".join(lines) + "\n"
    function = _function(own, body, recording, used)
    call = f"{own}_gradient({', '.join(expressions)})"
    head = [f"def {own[:-9]}({', '.join(names)}):"]
    head += [f"    {line}" for line in _tests(recording.head)]
    if recording.strict:
        head += [f"    with np.errstate({STRICT}):", f"        out = {call}"]
    elif recording.quiet:
        head += ["    with np.errstate(all='ignore'):", f"        out = {call}"]
    elif recording.effects:
        head.append(f"    out = {call}")
    if recording.effects:
        head.append("    if acts and out is not NotImplemented:")
        head += [f"        {effect}" for effect in recording.effects]
    named = recording.strict or recording.quiet or recording.effects
    head.append("    return out" if named else f"    return {call}")
    text = "\n".join(head) + "\n"
    space: dict[str, Any] = {**recording.space, "np": np}
    exec(compile(text, f"<tests of what was recorded of {name}>", "exec"), space)
    made = Straight(function, space[own[:-9]], text, body, bool(recording.effects))
    weakref.finalize(made, _forget, sys.modules[function.__module__], id(function.__code__))
    return made


def _forget(module: ModuleType, code: int) -> None:
    """What was kept of a text goes with it; another of the same words may have taken its name."""
    if sys.modules.get(module.__name__) is module:
        del sys.modules[module.__name__]
    found = TABLE.pop(code, None)
    if found is not None and found.code is not None:
        linecache.cache.pop(found.code.co_filename, None)


def _tests(head: Sequence[tuple[str, bool]]) -> list[str]:
    """Tests that follow each other as one."""
    found: list[str] = []
    for is_test, group in itertools.groupby(head, lambda each: each[1]):
        lines = [line for line, _ in group]
        if is_test:
            found += ["if not (", f"    {lines[0]}", *[f"    and {line}" for line in lines[1:]]]
            found += ["):", "    return NotImplemented"]
        else:
            found += lines
    return found


def _function(name: str, text: str, recording: Recording, used: set[str]) -> FunctionType:
    module = ModuleType(f"recorded_{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}")
    space = vars(module)
    space |= {"np": np, "math": math, "Left": Left, "inf": math.inf, "nan": math.nan}
    space |= {each: value for each, value in recording.space.items() if each in used}
    file = f"<recorded {name} {module.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space["__name__"] = module.__name__
    exec(compile(text, file, "exec"), space)
    sys.modules[module.__name__] = module
    function: FunctionType = space[name]
    return function
