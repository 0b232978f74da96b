"""What a compilation gives."""

from __future__ import annotations

from collections.abc import Mapping

from astad.compiler.analysis.facts import Facts
from astad.compiler.codegen.build import Text
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import Program
from astad.compiler.summaries import Chain
from astad.slotted import dataclass

__all__ = ["Compiled", "Stages"]


@dataclass(frozen=True, slots=True)
class Stages:
    """What each pass handed to the next, for `python -m astad.show --stage`."""

    lowered: Program
    specialised: Program
    facts: Facts
    derived: Derived
    tidied: Derived


@dataclass(frozen=True, slots=True)
class Compiled:
    """What one compilation gives: text and what its global names stand for.

    ``form`` is 'fused', 'pair', 'taped', or 'none' where nothing is written; ``bound`` maps each
    global name of the text to what it stands for; ``guarded`` holds the dotted paths of the user's
    globals that the guard compares; ``reaches`` tells for each parameter whether a derivative can
    reach it at all, and ``relied_on`` which callees, and callees of theirs, were looked at to tell;
    ``whole`` are the places of containers that were not taken apart. A ``tentative`` variant works
    on Python floats in the place of arrays: whatever it raises is to be raised by another.
    """

    form: str
    text: Text
    bound: Mapping[str, tuple[str, str]]
    guarded: tuple[str, ...]
    shadows: bool
    local_result: bool
    reaches: tuple[bool, ...]
    relied_on: tuple[Chain, ...]
    whole: tuple[int, ...]
    tentative: bool
    stages: Stages
