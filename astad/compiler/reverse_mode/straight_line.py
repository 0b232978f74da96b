"""Reverse of copies and of calls whose rule is written out in place.

``y = sin(x)`` becomes ``x_bar = x_bar + y_bar * cos(x)``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from astad.compiler.analysis.facts import Facts
from astad.compiler.analysis.operations import (
    formula,
    operator_function,
    reduction_options,
)
from astad.compiler.analysis.writes import is_update
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Prim, Ref
from astad.compiler.reverse_mode.array_rules import array_formulas
from astad.compiler.reverse_mode.bars import NONE
from astad.compiler.reverse_mode.elements import give_elements
from astad.compiler.reverse_mode.formulas import (
    Writer,
    names_in,
    write,
    write_guarded,
    write_poles_guarded,
    write_product,
    write_safely,
)
from astad.compiler.reverse_mode.sweep import Sweep
from astad.rules.registry import Rule, lookup

__all__ = ["called_function", "reverse_bind", "reverse_inline"]

TO_SHAPE = Ref("astad.tangents.arrays", "sum_to_shape")


def reverse_bind(node: Bind, sweep: Sweep, out: list[Node]) -> None:
    """``y = x``: what came to y goes to x."""
    state = sweep.bars.state.get(node.target)
    if node.source == node.target:
        return
    bar = sweep.bars.take(node.target)
    if bar is not None and isinstance(node.source, str) and node.source in sweep.facts.active:
        sweep.bars.give(node.source, bar, node.line, out, certain=state != "maybe")


def reverse_inline(node: Call, sweep: Sweep, out: list[Node]) -> None:
    """Take the result's cotangent, add each operand's part; under a test where the cotangent may
    be None.
    """
    assert isinstance(node.target, str)
    state = sweep.bars.state.get(node.target)
    bar: Operand | None = sweep.bars.take(node.target)
    if node.target in sweep.facts.shared:
        result = sweep.value(node.target, node, after=True)
        total = sweep.names.numbered("total")
        out.append(
            Call(
                total,
                Ref("astad.runtime.dispatch", "total"),
                (sweep.shadows, result, bar or NONE),
                (),
                node.line,
            )
        )
        sweep.uses_shadows = True
        bar, state = total, "maybe"
    if bar is None:
        return
    if state != "maybe":
        _give_parts(node, bar, sweep, out)
        return
    test = Writer(sweep.names, out, node.line).call(Prim("is_not"), bar, NONE)
    sweep.bars.branch(
        test, lambda arm: _give_parts(node, bar, sweep, arm), lambda arm: None, node.line, out
    )


def called_function(node: Call, facts: Facts) -> Any:
    """The function object whose rule an inline call uses."""
    return (
        operator_function(node.fn.name) if isinstance(node.fn, Prim) else facts.known[str(node.fn)]
    )


def _give_parts(node: Call, bar: Operand, sweep: Sweep, out: list[Node]) -> None:
    """The operand that is also the target comes last: its cotangent takes the place of the
    result's.
    """
    if isinstance(node.target, str) and sweep.facts.kind_of(node.target).tag == "floats":
        give_elements(node, bar, sweep, out)
        return
    places: dict[str, list[int]] = {}
    for place, arg in enumerate(node.args):
        if isinstance(arg, str) and arg in sweep.facts.active:
            places.setdefault(arg, []).append(place)
    for name in sorted(places, key=lambda name: name == node.target):
        if node.fn == Prim("getitem"):
            assert isinstance(node.args[1], str | Const)
            if name != node.args[0]:
                continue  # an index has no derivative
            sweep.bars.own(name, node.line, out)
            sweep.bars.give_slot(name, sweep.again(node.args[1], node, out), bar, node.line, out)
            continue
        if sweep.facts.kind_of(name).tag == "floats":
            listed = Writer(sweep.names, out, node.line).call(Prim("method"), bar, Const("tolist"))
            sweep.bars.give(name, listed, node.line, out)
            continue
        parts = [_part(node, place, bar, sweep, out) for place in places[name]]
        whole = parts[0]
        for part in parts[1:]:
            whole = Writer(sweep.names, out, node.line).call(Prim("add"), whole, part)
        sweep.bars.give(name, whole, node.line, out)


def _part(node: Call, place: int, bar: Operand, sweep: Sweep, out: list[Node]) -> Operand:
    """The cotangent of one operand."""
    to = Writer(sweep.names, out, node.line)
    if node.fn == Prim("method"):
        return bar  # a copy
    fn = called_function(node, sweep.facts)
    kinds = [sweep.facts.kind_of(arg) for arg in node.args]
    special = array_formulas(
        fn, kinds, place, reduction_options(node) if fn in (np.sum, np.mean) else None
    )
    if special is not None:
        text, names = special
        return write(text, {"y_bar": bar, **_values(node, names, text, sweep, to)}, {"np": np}, to)
    exponent = (
        node.args[1].value if fn is operator.pow and isinstance(node.args[1], Const) else None
    )
    whole = type(exponent) is int and exponent >= 0
    if whole or (type(exponent) is float and exponent >= 1.0 and k.is_array(kinds[0])):
        text = _power_text(exponent)
        safely = k.is_array(kinds[0]) and exponent not in (0, 1)
        write_part = write_safely if safely else write_product
        return write_part(bar, text, _values(node, ("x",), text, sweep, to), {}, to)
    text_of_rule = formula(fn, place, kinds)
    rule = lookup(fn)
    assert text_of_rule is not None and rule is not None
    namespace = rule.globals_of(text_of_rule)
    values = _values(node, rule.parameters, text_of_rule, sweep, to)
    write_part = _way_to_multiply(fn, rule, text_of_rule, kinds)
    return _fit(node, place, write_part(bar, text_of_rule, values, namespace, to), sweep, to)


def _way_to_multiply(
    fn: Any, rule: Rule, text: str, kinds: Sequence[k.Kind]
) -> Callable[..., Operand]:
    """How the cotangent meets a factor: with care for exact zeros where the factor may be
    infinite.
    """
    if not rule.zero_safe:
        return write_product
    if not all(kind in (k.INT, k.FLOAT, k.BOOL) for kind in kinds):
        return write_safely
    if isinstance(fn, np.ufunc):
        return write_guarded
    if names_in(text) <= {*rule.parameters, "y"} and " if " not in text:
        return write_product  # at a pole of it the forward sweep has raised
    return write_poles_guarded


def _power_text(exponent: Any) -> str:
    """Derivative of ``x**exponent`` for a literal exponent."""
    short = {0: "0", 1: "1", 2: "2 * x"}
    return short.get(exponent) or f"{exponent!r} * x**{exponent - 1!r}"


def _values(
    node: Call, parameters: tuple[str, ...], text: str, sweep: Sweep, to: Writer
) -> Mapping[str, Operand]:
    """Formula name to the value it stands for, kept only where the formula names it."""
    read = names_in(text)
    values: dict[str, Operand] = {}
    for parameter, arg in zip(parameters, node.args, strict=False):
        if parameter in read and not isinstance(arg, str | Const):
            raise TypeError("a starred operand has no formula")
        if parameter in read and isinstance(arg, str | Const):
            values[parameter] = _kept(arg, node, sweep, to, after=False)
    if "y" in read:
        assert isinstance(node.target, str)
        values["y"] = _kept(node.target, node, sweep, to, after=True)
    return values


def _kept(operand: Operand, node: Call, sweep: Sweep, to: Writer, *, after: bool) -> Operand:
    """The operand, read through its box where somebody may write it later."""
    if not isinstance(operand, str) or operand not in sweep.facts.shared:
        return (
            sweep.value(operand, node, after=True) if after else sweep.again(operand, node, to.out)
        )
    position = sweep.structure.at(node)
    key = (position, operand + ">" * after)
    if key not in sweep.boxes:
        box = sweep.boxes[key] = sweep.names.fresh(f"{operand}_box")
        keep = Call(box, Prim("method"), (sweep.versions, Const("keep"), operand), (), node.line)
        (sweep.residuals.after if after else sweep.residuals.before)[position].append(keep)
        sweep.residuals.bind(box, position)
    held = sweep.residuals.use(sweep.boxes[key], position, after=True)
    return to.call(Prim("getitem"), held, Const(0))


def _fit(node: Call, place: int, part: Operand, sweep: Sweep, to: Writer) -> Operand:
    """Sum a part to its operand's shape where broadcasting cannot be excluded."""
    kinds = [sweep.facts.kind_of(arg) for arg in node.args]
    arrays = [at for at, kind in enumerate(kinds) if k.is_array(kind)]
    operand = node.args[place]
    if (
        not arrays
        or (place == 0 and is_update(node, sweep.facts.kind))
        or (arrays == [place])
        or (len({node.args[at] for at in arrays}) == 1 and place in arrays)
    ):
        return part
    if place not in arrays:
        return to.call(Ref("numpy", "sum"), part)
    assert isinstance(operand, str)
    shape = to.call(Prim("getattr"), sweep.shape(node, operand) or operand, Const("shape"))
    return to.call(TO_SHAPE, part, shape)
