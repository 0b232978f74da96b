"""Reverse of displays from which an array is made: the array's cotangent, element by element."""

from __future__ import annotations

from astad.compiler.ir.nodes import Bind, Call, Node, Operand
from astad.compiler.reverse_mode.sweep import Sweep

__all__ = ["give_elements"]


def give_elements(node: Call, bar: Operand, sweep: Sweep, out: list[Node]) -> None:
    """``t = [a, b]``: the cotangent of t is a list, of which each element has its part.

    What has no cotangent yet is bound to its part as the list is taken apart.
    """
    bars = sweep.bars
    targets: list[str] = []
    later: list[tuple[str, str]] = []
    for arg in node.args:
        if not isinstance(arg, str) or arg not in sweep.facts.active:
            targets.append(sweep.unused)
        elif arg in bars.state or bars.name(arg) in targets:
            targets.append(sweep.names.numbered("t"))
            later.append((arg, targets[-1]))
        else:
            targets.append(bars.name(arg))
    out.append(Bind(tuple(targets), bar, node.line))  # type: ignore[arg-type]
    bars.state.update(
        (arg, "live")
        for arg, target in zip(node.args, targets, strict=True)
        if isinstance(arg, str) and target == bars.name(arg)
    )
    for arg, target in later:
        bars.give(arg, target, node.line, out)
