"""A generator that one loop goes through is written out, with the loop's body where it yields.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function, program_of
>>> def squares(xs):
...     for x in xs:
...         yield x * x
>>> loop = program_of('''
...     for v in t:
...         total = total + v
... ''').body[0]
>>> call = Call("t", "squares", ("a",), (), 1)
>>> made = running(call, lower_function(squares), {"xs": "a"}, "squares")
>>> names = Names(["total", "v"])
>>> print(show(tuple(written_out_round(made, loop, names))))
for x in a:
    squares_1 = x * x
    v = squares_1
    total = total + v
"""

from __future__ import annotations

from collections.abc import Sequence

from astad.compiler.ir.flow import binds_before_it_reads
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Prim,
    Program,
    Try,
    While,
)
from astad.compiler.ir.outline import is_yield
from astad.compiler.ir.walk import breaks, walk, with_blocks
from astad.compiler.specialise.rounds import ending_at_end
from astad.compiler.specialise.written_out import (
    Callee,
    Given,
    belongs_to_frame,
    written_out,
)
from astad.slotted import dataclass, replace

__all__ = ["Running", "goes_through", "running", "written_out_round"]

LONGEST = 60
"""Statements of a generator."""
LONGEST_BODY = 30
"""Statements of a loop that is written more than once."""


@dataclass(frozen=True, slots=True)
class Running:
    """A generator that was made and has not been gone through yet."""

    call: Call
    callee: Callee


def running(call: Call, program: Program, given: Given, path: str) -> Running | None:
    """The generator that a call makes; None where it cannot be written out."""
    nodes = list(walk(program.body))
    yields = [node for node in nodes if is_yield(node)]
    exits = [node for node in nodes if isinstance(node, Exit) and node.how == "return"]
    if not yields or len(nodes) > LONGEST or program.free:
        return None
    if any(isinstance(node, Try) or belongs_to_frame(node) or _asks_on(node) for node in nodes):
        return None
    if any(node.bound for node in yields) or len(exits) != 1 or program.body[-1] is not exits[0]:
        return None  # what is sent in; a return before its end
    return Running(call, Callee(path, program, given)) if binds_before_it_reads(program) else None


def _asks_on(node: Node) -> bool:
    """Does it look up ``next``, whose StopIteration no generator lets out?"""
    return isinstance(node, Call) and node.fn == Prim("global") and node.args == (Const("next"),)


def goes_through(program: Program, name: str) -> bool:
    """Is all that is done with it one loop, outside of all others?"""
    reading = [node for node in walk(program.body) if name in node.read]
    bound = any(name in node.bound for node in walk(program.body))
    return not bound and len(reading) == 1 and _is_loop_over(program.body, reading[0], name)


def _is_loop_over(block: Block, node: Node, name: str) -> bool:
    return isinstance(node, Loop) and node.iterable == name and any(each is node for each in block)


def written_out_round(made: Running, loop: Loop, names: Names) -> Sequence[Node] | None:
    """The generator with the body of the loop where it yields; None where the loop is left in ways
    that the text of the generator has no place for.
    """
    program = made.callee.program
    yields = sum(is_yield(node) for node in walk(program.body))
    body = ending_at_end(loop.body)
    if body is None or (yields > 1 and len(list(walk(body))) > LONGEST_BODY):
        return None
    if breaks(loop.body) and (loop.orelse or not _yields_in_last_loop(program.body)):
        return None
    made_body, _ = written_out(replace(made.call, target=None), made.callee, names)
    first = True

    def filled(block: Block) -> list[Node]:
        nonlocal first
        out: list[Node] = []
        for node in block:
            if is_yield(node):
                assert isinstance(node, Call) and isinstance(loop.target, str)
                value = node.args[0]
                assert not isinstance(value, tuple)
                out.append(Bind(loop.target, value, node.line))  # type: ignore[arg-type]
                out += body if first else [_again(part) for part in body]
                first = False
            else:
                out.append(with_blocks(node, filled))
        return out

    return [*filled(tuple(made_body)), *loop.orelse]


def _again(node: Node) -> Node:
    """Another object: facts are kept by statement."""
    copied = replace(node)
    return with_blocks(copied, lambda block: [_again(part) for part in block])


def _yields_in_last_loop(body: Block) -> bool:
    """Does it yield in one loop alone, in none inside that, and end with it?"""
    last = body[-2] if len(body) > 1 else None
    if not isinstance(last, (Loop, While)) or last.orelse:
        return False
    if any(is_yield(node) for node in walk(body[:-2])):
        return False
    inner = [node for node in walk(last.body) if isinstance(node, (Loop, While))]
    return not any(is_yield(part) for node in inner for part in node.inside)
