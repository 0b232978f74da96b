"""Cotangents by elementwise rules, written out in place, and brought to the operand's shape.

``y = a * b`` becomes ``a_bar = y_bar * b``, summed to the shape of a where that is another.

Functions of numbers alone, as ``max``, have a formula for each operand.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from types import FunctionType
from typing import Any

import numpy as np

from astad.compiler.analysis.operations import row_of, text_of
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import (
    Bind,
    Branch,
    Call,
    Const,
    Operand,
    Prim,
    Ref,
    Star,
    immutable,
)
from astad.compiler.reverse_mode.formulas import (
    ALONG_KINK,
    AT_KINK,
    Expression,
    Product,
    Writer,
    again,
    beside_kink,
    in_doubles,
    names_in,
    usual,
    write,
    write_guarded,
    write_if,
    write_poles_guarded,
    write_product,
    write_safely,
    write_selected,
    write_selected_number,
)
from astad.compiler.reverse_mode.structured import Bar
from astad.compiler.reverse_mode.sweep import Sweep, kept, shape_of
from astad.originals import builtins
from astad.rules.formula import Rule
from astad.rules.in_force import value_of
from astad.rules.python import of_numbers
from astad.rules.registry import lookup
from astad.slotted import replace

__all__ = [
    "are_alike",
    "IS_REGULAR",
    "NAMESPACE",
    "Factor",
    "elementwise_part",
    "has_part",
    "once_more",
    "part_of_square",
    "parts_of_numbers",
    "regular_operand",
    "texts_of_numbers",
    "way_to_multiply",
]

TO_SHAPE = Ref("astad.tangents.arrays", "sum_to_shape")
IS_REGULAR = Ref("astad.rules.safe", "is_regular")
ADD_REDUCE = Ref("numpy.add", "reduce")
ALIVE = Ref("astad.rules.safe", "alive")
ALIVE_SUM = Ref("astad.rules.safe", "alive_sum")
SUM_OVER = Ref("astad.tangents.sums", "sum_over")


def elementwise_part(
    node: Call, fn: Any, place: int, bar: Bar, alike: bool | None, sweep: Sweep, to: Writer
) -> Bar:
    """The cotangent of one operand.

    ``alike``: whether all arrays among the operands have the shape of the result; None where
    nothing tells.
    """
    kinds = [sweep.facts.kind_of(arg) for arg in node.args]
    arrays = [at for at, kind in enumerate(kinds) if k.has_axes(kind)]
    factor = _factor(node, fn, place, kinds, sweep)
    read = names_in(factor.text)
    has_arrays = not {*(factor.parameters[at] for at in arrays), "y"}.isdisjoint(read)
    full = [at for at in arrays if alike or sweep.extents.repeated(node, str(node.args[at])) == ()]
    fills = not {*(factor.parameters[at] for at in full), "y"}.isdisjoint(read)
    values = _values(node, factor.parameters, read | factor.elsewhere, sweep, to)

    def times(incoming: Operand, *, summed: bool = False) -> Operand:
        return _product(node, fn, factor, values, incoming, sweep, to, summed=summed)

    operand = node.args[place]
    repeated = sweep.extents.repeated(node, str(operand)) if place in arrays else None
    if not arrays or (alike and place in arrays) or repeated == ():
        return Bar(times(bar.operand), thin=bar.thin and not fills)
    whole = bar.operand if fills else bar.full(node, sweep, to)
    if place not in arrays:
        return Bar(times(whole, summed=True), thin=False)
    if has_arrays:
        return Bar(_summed(node, place, times(whole), repeated, alike, sweep, to), thin=False)
    return Bar(times(_summed(node, place, whole, repeated, alike, sweep, to)), thin=False)


def _product(
    node: Call,
    fn: Any,
    factor: Factor,
    values: Mapping[str, Operand],
    incoming: Operand,
    sweep: Sweep,
    to: Writer,
    *,
    summed: bool = False,
) -> Operand:
    """``summed``: over all axes."""
    multiply = _with_knowledge(node, fn, factor, incoming, sweep, to)
    product = multiply(incoming, Expression(factor.text, values, factor.namespace), to)
    if multiply is write_product and _may_be_dropped(node, factor, incoming, sweep):
        check = ALIVE_SUM if summed else ALIVE
        product = to.call(check, product, incoming, *_used(node, fn, factor, values, sweep, to))
    elif summed:
        product = to.call(ADD_REDUCE, product, Const(None))
    if not summed:
        _note_size(incoming, product, factor, values, sweep)
    return product


def _may_be_dropped(node: Call, factor: Factor, incoming: Operand, sweep: Sweep) -> bool:
    """May an exact zero meet a nan in the factor, where what is computed is not used?"""
    if node.target not in sweep.facts.left_out or isinstance(incoming, Const):
        return False
    if sweep.is_alone and id(node) in sweep.finite:  # a nan there is one of the result, whose
        return False  # cotangent is 1
    read = names_in(factor.text)
    operands = [*zip(factor.parameters, node.args, strict=False), ("y", node.target)]
    kind_of = sweep.facts.kind_of
    return any(name in read and k.is_array(kind_of(str(arg))) for name, arg in operands)


def _used(
    node: Call, fn: Any, factor: Factor, values: Mapping[str, Operand], sweep: Sweep, to: Writer
) -> Sequence[Operand]:
    """What tells whether the result is nan: the values that the factor reads; both of a product."""
    if fn in (operator.mul, np.multiply):
        return [kept(arg, node, sweep, to, after=False) for arg in node.args]  # type: ignore[arg-type]
    return list(values.values())


def _summed(
    node: Call,
    place: int,
    part: Operand,
    repeated: tuple[int, ...] | None,
    alike: bool | None,
    sweep: Sweep,
    to: Writer,
) -> Operand:
    """The part over the axes along which the operand was repeated: those of the text, or those that
    its shape tells.
    """
    operand = node.args[place]
    assert isinstance(operand, str)
    kinds = [sweep.facts.kind_of(arg) for arg in node.args]
    extra = max(kind.rank or 0 for kind in kinds) - (kinds[place].rank or 0)
    if repeated is not None:
        inner = tuple(at - extra for at in repeated if at >= extra)
        if extra:
            part = to.call(SUM_OVER, part, Const(0 if extra == 1 else tuple(range(extra))))
        if inner:
            along = Const(inner[0] if len(inner) == 1 else inner)
            part = to.call(SUM_OVER, part, along, keepdims=Const(True))
        return part
    shape = shape_of(operand, node, sweep, to, after=False)
    if alike is None:
        return _in_shape(part, shape, kinds, place, to)
    return to.call(TO_SHAPE, part, shape)


def part_of_square(node: Call, bar: Bar, sweep: Sweep, to: Writer) -> Bar:
    """Of ``x * x``: the sum of the two equal parts."""
    values = _values(node, ("x",), {"x"}, sweep, to)
    product = write_product(bar.operand, Expression("2 * x", values, {}), to)
    factor = Factor("x", ("x",), {}, write_product)
    if _may_be_dropped(node, factor, bar.operand, sweep):
        product = to.call(ALIVE, product, bar.operand, *values.values())
    return Bar(product, thin=False)


def are_alike(node: Call, sweep: Sweep, to: Writer) -> bool | str | None:
    """Have all arrays among the operands one shape? True where that is sure, None where ranks
    differ or nobody need ask, else the name of the answer that the text itself gives.
    """
    arrays = sorted({str(arg) for arg in node.args if k.has_axes(sweep.facts.kind_of(arg))})
    ranks = {sweep.facts.kind_of(name).rank for name in arrays}
    if len(arrays) < 2 or sweep.extents.are_one(node, arrays):
        return True
    if len(ranks) > 1 or None in ranks:
        return None
    if all(sweep.extents.repeated(node, name) is not None for name in arrays):
        return None
    one_of_each = {sweep.extents.of(node, name) or name: name for name in arrays}
    shapes = [shape_of(name, node, sweep, to, after=False) for name in one_of_each.values()]
    return to.call(Prim("eq"), *shapes)


def has_part(fn: Any, node: Call, place: int) -> bool:
    """Has the row a formula for this operand? The condition of ``np.where`` has none, though it
    may be an array of floats.
    """
    rule = row_of(fn, node.args)
    assert rule is not None
    return rule.form == "scalar" or rule.parameters[place] in rule.back


@immutable
class Factor:
    """The formula of a partial derivative, the names of its parameters, its globals, and the way
    to multiply by it; ``regular`` as in the row; ``has_poles``: it may be infinite at a
    finite point; ``elsewhere`` are names that it reads besides those of the text.
    """

    text: str
    parameters: Sequence[str]
    namespace: Mapping[str, Any]
    multiply: Product
    regular: str = ""
    has_poles: bool = True
    elsewhere: frozenset[str] = frozenset()


def _factor(node: Call, fn: Any, place: int, kinds: Sequence[k.Kind], sweep: Sweep) -> Factor:
    rule = row_of(fn, node.args, of_arrays=k.is_array(kinds[0]))
    assert rule is not None
    key = rule, place, tuple(kinds)
    if key not in sweep.factors:
        is_whole = rule.form != "scalar"
        text = rule.on_arrays[rule.parameters[place]] if is_whole else text_of(rule, place, kinds)
        assert text is not None
        multiply = _write_whole if is_whole else way_to_multiply(fn, rule, text, kinds)
        elsewhere: frozenset[str] = frozenset()
        if sweep.facts.again and not is_whole:
            text, multiply = once_more(rule, place, text, multiply, kinds)
            has_point = usual(text) != text
            point = rule.at_points.get(rule.parameters[place]) if has_point else rule.kink
            elsewhere = names_in(point) if point else elsewhere
        namespace = rule.globals_of(text)
        sweep.factors[key] = Factor(
            text, rule.parameters, namespace, multiply, rule.regular, rule.zero_safe, elsewhere
        )
    found: Factor = sweep.factors[key]
    return found


def once_more(
    rule: Rule,
    place: int,
    text: str,
    multiply: Product,
    kinds: Sequence[k.Kind],
    *,
    along: bool = False,
) -> tuple[str, Product]:
    """The formula, and how it is multiplied by, in a text that is differentiated again; ``along``:
    what it is multiplied by is a tangent.
    """
    if rule.kink and usual(text) == text:
        name, is_number = rule.parameters[place], all(map(k.is_real, kinds))
        zeros = ALONG_KINK if along else AT_KINK
        return text, beside_kink(multiply, name, rule.kink, zeros, is_number=is_number)
    if _has_helper(rule, usual(text)):  # what it does at single points is its own affair
        text, multiply = rule.back[rule.parameters[place]], write_safely
        if isinstance(rule.fn, np.ufunc):
            both = zip(rule.parameters, kinds, strict=False)
            multiply = in_doubles(multiply, [each for each, kind in both if kind == k.FLOAT])
    point = rule.at_points.get(rule.parameters[place])
    return text, again(multiply, (point, rule.globals_of(point)) if point else None, along=along)


def _has_helper(rule: Rule, text: str) -> bool:
    """Does it call a function of astad's that has no rule itself?"""
    found = rule.globals_of(text).values()
    return any(type(each) is FunctionType and lookup(each) is None for each in found)


def _write_whole(incoming: Operand, formula: Expression, to: Writer) -> Operand:
    """By a formula that is no factor: it reads the cotangent."""
    return write(replace(formula, values={**formula.values, "y_bar": incoming}), to)


def way_to_multiply(fn: Any, rule: Rule, text: str, kinds: Sequence[k.Kind]) -> Product:
    """How the cotangent meets a factor: with care for exact zeros where the factor may be
    infinite.
    """
    if rule.selects:
        return write_selected_number if are_numbers(kinds) else write_selected
    if not rule.zero_safe:
        may_overflow = rule.regular and names_in(text) and any(map(k.is_array, kinds))
        return write_safely if may_overflow else write_product
    if not are_numbers(kinds):
        return write_safely
    if isinstance(fn, np.ufunc):
        return write_guarded
    if names_in(text) <= {*rule.parameters, "y"} and " if " not in text:
        return write_product  # at a pole of it the forward sweep has raised
    return write_poles_guarded


def are_numbers(kinds: Sequence[k.Kind]) -> bool:
    """Are they all Python's?"""
    return all(kind in (k.INT, k.FLOAT, k.BOOL) for kind in kinds)


def _with_knowledge(
    node: Call, fn: Any, factor: Factor, incoming: Operand, sweep: Sweep, to: Writer
) -> Product:
    """The way to multiply, in shorter text where no exact zero can meet an infinite factor."""
    if factor.multiply is not write_safely:
        return factor.multiply
    if incoming in sweep.bars.sizes and not factor.has_poles:
        return write_product
    rule = row_of(fn, node.args)
    if rule is not None and id(node) in sweep.finite and "y" in rule.regular.split():
        return functools.partial(write_if, sweep.finite_test())
    asked = regular_operand(node, factor)
    if asked is None or not k.is_array(sweep.facts.kind_of(str(node.target))):
        return factor.multiply
    test = to.call(IS_REGULAR, kept(asked, node, sweep, to, after=asked == node.target))
    return functools.partial(write_if, test)


def regular_operand(node: Call, factor: Factor) -> str | None:
    """What is read anyhow, and tells by being finite that the factor is."""
    read = names_in(factor.text)
    operands = dict(zip(factor.parameters, node.args, strict=False))
    for name in factor.regular.split():
        if name in operands and name in read:
            return str(operands[name])
    others = [operand for name, operand in operands.items() if name in read]
    is_told = "y" in factor.regular.split() and "y" in read and node.target not in others
    return str(node.target) if is_told else None


def _note_size(
    incoming: Operand,
    product: Operand,
    factor: Factor,
    values: Mapping[str, Operand],
    sweep: Sweep,
) -> None:
    """Of a cotangent that is a number, times one that the text tells."""
    size = sweep.bars.sizes.get(str(incoming)) if sweep.bars.sizes else None
    if size is None or product == incoming:
        return
    number = values.get(factor.text)
    if factor.text in ("1", "-1"):
        sweep.bars.note_size(str(product), size)
    elif isinstance(number, Const) and isinstance(number.value, (int, float)):
        by = abs(number.value)  # an int may be one that no float can hold
        sweep.bars.note_size(str(product), size * by if by < 1e200 else None)


def _values(
    node: Call, parameters: Sequence[str], read: Set[str], sweep: Sweep, to: Writer
) -> Mapping[str, Operand]:
    """Expression name to the value it stands for, kept only where the formula reads it."""
    values: dict[str, Operand] = {}
    for parameter, arg in zip(parameters, node.args, strict=False):
        if parameter not in read:
            continue
        assert not isinstance(arg, Star)
        values[parameter] = kept(arg, node, sweep, to, after=False)
    if "y" in read:
        assert isinstance(node.target, str)
        values["y"] = kept(node.target, node, sweep, to, after=True)
    return values


def _in_shape(
    part: Operand, shape: Operand, kinds: Sequence[k.Kind], place: int, to: Writer
) -> Operand:
    """``part if part.shape == shape else sum_to_shape(part, shape)``: a call less as a rule."""
    ranks = [kind.rank for kind in kinds if k.has_axes(kind)]
    if None not in ranks and (kinds[place].rank or 0) + 1 == max(rank or 0 for rank in ranks):
        part = to.call(SUM_OVER, part, Const(0))
    own = to.call(Prim("getattr"), part, Const("shape"))
    target = to.names.numbered("t")
    other = Writer(to.names, [], to.line)
    summed = other.call(TO_SHAPE, part, shape)
    arms = (Bind(target, part, to.line),), (*other.out, Bind(target, summed, to.line))
    to.out.append(Branch(to.call(Prim("eq"), own, shape), *arms, to.line))
    return target


# --- numbers alone


NAMESPACE = vars(builtins) | vars(of_numbers)


def texts_of_numbers(node: Call, sweep: Sweep) -> Sequence[str] | None:
    """For each operand its cotangent, where the function and the numbers have such a form."""
    fn = sweep.facts.known.get(node.fn) if isinstance(node.fn, str) else None
    texts = of_numbers.parts_of(fn, len(node.args))
    kinds = [sweep.facts.kind_of(arg) for arg in node.args]
    kinds = kinds[1:] if fn is value_of else kinds  # behind what the rule returned
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
    return Bar(write(Expression(text, values, NAMESPACE), to), thin=False)
