"""Branches and exits, both sweeps side by side.

Forward, a branch stays as it is and notes which arm ran where its test cannot be read again;
reverse, the same arms run backwards. An exit is told by its number (`left`), so that what stands
after it in the text is passed over.
"""

from __future__ import annotations

import functools

from astad.compiler.ir.kinds import BOOL
from astad.compiler.ir.nodes import Bind, Block, Branch, Const, Exit, Node, Operand, Prim
from astad.compiler.reverse_mode.formulas import Writer
from astad.compiler.reverse_mode.sweep import ReverseBlock, Sweep

__all__ = ["note_arm", "reverse_branch", "reverse_exit", "reverse_segments"]


def reverse_branch(
    node: Branch, sweep: Sweep, reverse_block: ReverseBlock, out: list[Node]
) -> None:
    """The arm that ran, backwards."""
    arms: list[list[Node]] = [[], []]
    sweep.bars.branch(
        "?",
        lambda arm: reverse_block(node.body, sweep, arm),
        lambda arm: reverse_block(node.orelse, sweep, arm),
        node.line,
        arms[0],
    )
    for written in arms[0]:
        assert isinstance(written, Branch)
        out.append(Branch(_test(node, sweep, out), written.body, written.orelse, node.line))


def _test(node: Branch, sweep: Sweep, out: list[Node]) -> Operand:
    """What tells which arm ran: the exit's number, the test itself where it is a bool, else a note
    of it.
    """
    number = _number_at_end(node.body, sweep)
    if number is not None:  # what lies before the branch has been passed: left > its numbers
        others = any(sweep.structure.exit_range(part, sweep.scope) for part in node.body[:-1])
        test = Prim("le" if others else "eq")
        return Writer(sweep.names, out, node.line).call(test, _left(sweep), Const(number))
    if sweep.facts.kind_of(node.test) == BOOL:
        return sweep.value(node.test, node)
    position = sweep.structure.at(node)
    if position not in sweep.took:
        sweep.took[position] = sweep.names.numbered("took")
        sweep.residuals.bind(sweep.took[position], position)
    return sweep.residuals.use(sweep.took[position], position, after=True)


def _number_at_end(block: Block, sweep: Sweep) -> int | None:
    if not block or not isinstance(block[-1], Exit):
        return None
    if sweep.scope not in sweep.left:
        return None
    return sweep.structure.number.get((sweep.scope, sweep.structure.at(block[-1])))


def _left(sweep: Sweep) -> Operand:
    """The number of the exit by which the scope was left, as a residual of this scope."""
    sweep.left_read.add(sweep.scope)
    return sweep.left[sweep.scope]


def reverse_exit(node: Exit, sweep: Sweep, out: list[Node]) -> None:
    """A return hands the result's cotangent to the value returned."""
    if (
        node.how != "return"
        or not isinstance(node.value, str)
        or node.value not in sweep.facts.active
    ):
        return
    if sweep.result_bar == sweep.bars.name(node.value):
        sweep.bars.state[node.value] = "live" if sweep.result_bar_is_certain else "maybe"
    else:
        sweep.bars.give(
            node.value, sweep.result_bar, node.line, out, certain=sweep.result_bar_is_certain
        )


def reverse_segments(
    block: Block, sweep: Sweep, reverse_node: ReverseBlock, out: list[Node]
) -> None:
    """A block backwards; what stands after a node that may leave runs only if the scope was not
    left there.
    """
    end = len(block)
    while end:
        start = end - 1
        while start > 0 and _exits(block[start - 1], sweep) is None:
            start -= 1
        before = _exits(block[start - 1], sweep) if start else None
        segment = block[start:end]
        if before is None:
            reverse_node(segment, sweep, out)
        else:
            _guarded(segment, block[start - 1], sweep, reverse_node, out)
        end = start


def _guarded(
    segment: Block, previous: Node, sweep: Sweep, reverse_node: ReverseBlock, out: list[Node]
) -> None:
    """The segment after a node that may leave."""
    number = _exits(previous, sweep)
    assert number is not None
    sweep.bars.shape_of = functools.partial(_shape_past, previous, sweep)
    holder: list[Node] = []
    sweep.bars.branch(
        "?",
        lambda arm: reverse_node(segment, sweep, arm),
        lambda arm: None,
        segment[0].line,
        holder,
    )
    for written in holder:
        assert isinstance(written, Branch)
        test = Writer(sweep.names, out, segment[0].line).call(
            Prim("gt"), _left(sweep), Const(number)
        )
        out.append(Branch(test, written.body, written.orelse, segment[0].line))


def _shape_past(previous: Node, sweep: Sweep, name: str, certain: bool = True) -> Operand | None:
    """After a node that may leave; where an exit stands before it, nothing is certain."""
    found = sweep.structure.exit_range(previous, sweep.scope)
    if certain and found is not None and found[0] > 1:
        return None
    return sweep.shape_past(previous, name)


def _exits(node: Node, sweep: Sweep) -> int | None:
    """The highest exit number inside a node, None where the scope keeps no numbers or the node
    cannot leave.
    """
    if sweep.scope not in sweep.left or isinstance(node, Exit):
        return None
    found = sweep.structure.exit_range(node, sweep.scope)
    return found[1] if found else None


def note_arm(node: Branch, sweep: Sweep, arm: int) -> list[Node]:
    """Forward: the statement at the head of an arm that notes that it ran."""
    name = sweep.took.get(sweep.structure.at(node))
    return [Bind(name, Const(arm == 0), node.line)] if name else []
