"""Leave out passes and analyses of the compiler: what is compiled then must do the same.

>>> sorted(PASSES)[:2]
['carry_signs', 'compute_again']
"""

import inspect
import random
from contextlib import ExitStack, contextmanager
from unittest import mock

from astad import settings
from astad.api.variants import wiring
from astad.compiler import pipeline, tidying
from astad.compiler.analysis import call_strategy
from astad.compiler.specialise import scalar_replacement
from astad.runtime.core.variants import forget_all

FOLDERS = ("astad.compiler.specialise.", "astad.compiler.tidy.")


def _optional(found):
    """Is it a pass from a program to a program, so that it can be left out?"""
    if not inspect.isfunction(found) or not found.__module__.startswith(FOLDERS):
        return False
    signature = inspect.signature(found)
    first = next(iter(signature.parameters.values()), None)
    known = ("Program", "Derived")
    return first is not None and first.annotation == signature.return_annotation in known


PASSES = {
    name: lambda program, *rest, **options: program
    for name, found in (vars(pipeline) | vars(tidying)).items()
    if _optional(found) and name != "prepare"
}
PASSES["take_apart"] = lambda program, kinds, *rest, **options: scalar_replacement._left_whole(
    program, kinds
)
for attempt in (
    "fold_sums",
    "on_plain_floats",
    "write_first_rounds",
):  # what they give may be nothing
    PASSES[attempt] = lambda program, *rest: None

ANALYSES = {
    "rule_kind": lambda *args, **options: (None, False),  # every rule is found at run time
    "operator_kind": lambda *args, **options: (None, False),
}


@contextmanager
def without(*names):
    """No pass or analysis of these names; nothing comes from the disk cache or goes there."""
    with ExitStack() as stack:
        stack.callback(forget_all)
        stack.enter_context(mock.patch.object(settings, "cache", False))
        for name in names:
            home = pipeline if name in vars(pipeline) else tidying
            home, made = (home, PASSES[name]) if name in PASSES else (call_strategy, ANALYSES[name])
            stack.enter_context(mock.patch.object(home, name, made))
        forget_all()
        yield


@contextmanager
def partly_known(seed):
    """Some arguments, drawn at random, count as of unknown kind."""
    real, rng = wiring.kinds_of, random.Random(seed)

    def kinds_of(*args, **options):
        return tuple(kind if rng.random() < 0.5 else "unknown" for kind in real(*args, **options))

    with mock.patch.object(wiring, "kinds_of", kinds_of):
        yield
