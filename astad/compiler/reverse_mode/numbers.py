"""Reverse of operators and functions of numbers alone, the most frequent of all: nothing has a
shape, so that none is asked for.

``y = sin(x)`` becomes ``x_bar = x_bar + y_bar * cos(x)``, as `straight_line.py` would write it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from astad.compiler.analysis.operations import operator_function
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Node, Operand, Prim, Star
from astad.compiler.reverse_mode.elementwise import part_of_square, times_factor
from astad.compiler.reverse_mode.formulas import Writer, names_in, write
from astad.compiler.reverse_mode.structured import Bar
from astad.compiler.reverse_mode.sweep import Sweep, kept
from astad.originals import builtins
from astad.rules.python import of_numbers
from astad.rules.registry import lookup

__all__ = ["parts_of_numbers", "reverse_of_numbers", "texts_of_numbers"]

NUMBERS = frozenset([k.INT, k.FLOAT, k.FLOATING, k.REAL, k.BOOL])
ADD = Prim("add")
NAMESPACE = vars(builtins) | vars(of_numbers)


def reverse_of_numbers(node: Call, sweep: Sweep, out: list[Node]) -> bool:
    """Write the reverse of such a call whose rule is written out; false for any other."""
    kind_of, target = sweep.facts.kind_of, node.target
    if node.keywords or not isinstance(target, str) or kind_of(target) not in NUMBERS:
        return False
    kinds = [kind_of(arg) for arg in node.args]
    state = sweep.bars.state.get(target)
    if not NUMBERS.issuperset(kinds) or state == "maybe" or target in sweep.facts.shared:
        return False
    fn = _function(node, sweep)
    rule = lookup(fn)
    if rule is None or rule.form != "scalar" or of_numbers.parts_of(fn, len(kinds)) is not None:
        return False
    if state is not None:
        bar = sweep.bars.name(target)
        sweep.bars.take(target)
        _give(node, fn, kinds, bar, sweep, out)
    return True


def _function(node: Call, sweep: Sweep) -> Any:
    if type(node.fn) is Prim:
        return operator_function(node.fn.name)
    return sweep.facts.known.get(node.fn) if isinstance(node.fn, str) else None


def _give(
    node: Call, fn: Any, kinds: list[k.Kind], bar: str, sweep: Sweep, out: list[Node]
) -> None:
    """Operand by operand; one that is also the target comes last: its cotangent takes the place of
    the result's.
    """
    to = Writer(sweep.names, out, node.line)
    active = [arg for arg in node.args if isinstance(arg, str) and arg in sweep.facts.active]
    names = dict.fromkeys(active)
    if node.target in names:
        names[str(node.target)] = names.pop(str(node.target))
    for name in names:
        part = _part(name, node, fn, kinds, bar, sweep, to)
        sweep.bars.give(name, part, node.line, out)


def _part(
    name: str, node: Call, fn: Any, kinds: list[k.Kind], bar: str, sweep: Sweep, to: Writer
) -> Operand:
    """The sum of the parts of one operand."""
    if fn is operator.mul and node.args[0] == node.args[1]:
        return part_of_square(node, Bar(bar, thin=False), sweep, to).operand
    made = [
        times_factor(node, fn, place, kinds, bar, sweep, to)
        for place, arg in enumerate(node.args)
        if arg == name
    ]
    whole = made[0]
    for part in made[1:]:
        whole = to.call(ADD, whole, part)
    return whole


def texts_of_numbers(node: Call, sweep: Sweep) -> Sequence[str] | None:
    """For each operand its cotangent, where the function and the numbers have such a form."""
    fn = sweep.facts.known.get(node.fn) if isinstance(node.fn, str) else None
    texts = of_numbers.parts_of(fn, len(node.args))
    kinds = map(sweep.facts.kind_of, node.args)
    return texts if texts is not None and all(map(k.is_real, kinds)) else None


def parts_of_numbers(
    node: Call, texts: Sequence[str], bar: Bar, sweep: Sweep, to: Writer
) -> list[tuple[str, Callable[[], Bar]]]:
    """Each active operand and its part."""
    return [
        (arg, functools.partial(_written, node, text, bar, sweep, to))
        for arg, text in zip(node.args, texts, strict=True)
        if isinstance(arg, str) and arg in sweep.facts.active
    ]


def _written(node: Call, text: str, bar: Bar, sweep: Sweep, to: Writer) -> Bar:
    values: dict[str, Operand] = {"y_bar": bar.operand}
    read = names_in(text)
    for name, arg in zip(of_numbers.NAMES, node.args, strict=False):
        if name in read and not isinstance(arg, Star):
            values[name] = kept(arg, node, sweep, to, after=False)
    if "y" in read:
        values["y"] = kept(str(node.target), node, sweep, to, after=True)
    return Bar(write(text, values, NAMESPACE, to), thin=False)
