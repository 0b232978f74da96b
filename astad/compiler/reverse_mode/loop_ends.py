"""Loops over what a call gave, and nothing else reads: a generator's end is a step behind them.

There it changes what it changes after its last value; where the loop was left, it is closed, as
Python closes a generator that nobody holds any more.
"""

from __future__ import annotations

from types import FunctionType

from astad.code_objects import GENERATOR
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.nodes import Call, Loop, Node, Prim, Ref
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["LOOP_END", "WALK_TO_END", "ends_behind", "reverse_end"]

WALK_TO_END = Ref("astad.runtime.generators", "walk_to_end")
LOOP_END = Ref("astad.runtime.generators", "loop_end")
PULL_END = Ref("astad.runtime.generators", "pull_loop_end")
_NO_GENERATORS = frozenset(["items", "keys", "values", "split", "splitlines", "copy", "tolist"])


def ends_behind(node: Loop, sweep: Sweep) -> bool:
    """May a generator be gone through here that only the loop knows?"""
    name, facts = node.iterable, sweep.facts
    if not isinstance(name, str) or name in sweep.program.taken or facts.kind_of(name) != UNKNOWN:
        return False
    found = sweep.structure.bindings[name]
    made = sweep.structure.nodes[found[0].position] if len(found) == 1 else None
    if not isinstance(made, Call) or facts.treatment.get(id(made)) != "dispatch":
        return False
    if isinstance(made.fn, Prim):
        return made.fn.name == "method" and _value(made) not in _NO_GENERATORS
    known = facts.known.get(str(made.fn))
    if type(known) is FunctionType:
        return bool(known.__code__.co_flags & GENERATOR)
    return known is None


def _value(made: Call) -> object:
    return getattr(made.args[1], "value", None) if len(made.args) > 1 else None


def reverse_end(node: Loop, position: int, sweep: Sweep, out: list[Node]) -> None:
    """What the generator did at its end goes back before the last iteration."""
    sweep.uses_shadows = True
    if position not in sweep.ends:
        sweep.ends[position] = sweep.names.fresh("end")
        sweep.residuals.bind(sweep.ends[position], position)
    end = sweep.residuals.use(sweep.ends[position], position, after=True)
    out.append(Call(None, PULL_END, (sweep.shadows, end), (), node.line))
