"""Loops over what may run code as it is gone through: its end is a step behind them.

There a generator, or an iterator of a class, changes what it changes after its last value. Where
the loop was left, a generator that a call gave, and that nobody holds any more, is closed, as
Python closes it.
"""

from __future__ import annotations

from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.nodes import Call, Loop, Node, Prim, Ref
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["LOOP_END", "PULL_END", "WALK_TO_END", "ends_behind", "is_named", "reverse_end"]

WALK_TO_END = Ref("astad.runtime.generators", "walk_to_end")
LOOP_END = Ref("astad.runtime.generators", "loop_end")
PULL_END = Ref("astad.runtime.generators", "pull_loop_end")
_GIVING_ALL = (list, tuple, dict, set, frozenset, range, sorted)
_NO_GENERATORS = frozenset(["split", "splitlines", "copy", "tolist"])


def ends_behind(node: Loop, sweep: Sweep) -> bool:
    """May something be gone through here that runs code at its end?"""
    name, facts = node.iterable, sweep.facts
    if not isinstance(name, str) or facts.kind_of(name) != UNKNOWN:
        return False
    found = sweep.structure.bindings[name]
    made = sweep.structure.nodes[found[0].position] if len(found) == 1 else None
    if not isinstance(made, Call) or facts.treatment.get(id(made)) != "dispatch":
        return True
    if isinstance(made.fn, Prim):
        return made.fn.name != "method" or _value(made) not in _NO_GENERATORS
    return facts.known.get(str(made.fn)) not in _GIVING_ALL


def is_named(node: Loop, sweep: Sweep) -> bool:
    """Has what it goes through a name of the user's? Others may hold it."""
    return node.iterable in sweep.program.taken


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
