"""Cotangents by rules that give them whole, written out in place: reductions, products, joins.

``y = np.sum(a, axis=1)`` becomes ``a_bar = y_bar[:, None]``, ``y = np.linalg.inv(a)`` the text of
its rule with the user's names.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from astad.compiler.analysis.applied import Applied, given_to_rule
from astad.compiler.analysis.given import Given
from astad.compiler.ir import kinds as k
from astad.compiler.ir.nodes import Call, Const, Node, Operand, Prim, Ref
from astad.compiler.reverse_mode.array_rules import MEAN, Formula, array_formulas
from astad.compiler.reverse_mode.bars import NONE
from astad.compiler.reverse_mode.formulas import Writer, asked_of, write
from astad.compiler.reverse_mode.sweep import Sweep, kept, shape_of
from astad.originals import builtins
from astad.rules.crossed import crossed
from astad.rules.formula import names_read
from astad.rules.registry import Rule

__all__ = ["Bar", "parts_by_rule", "taken", "where_present"]

TOTAL = Ref("astad.runtime.dispatch", "total")
FULL = Ref("astad.tangents.arrays", "full")
NO_VALUE = Ref("numpy", "_NoValue")
SHORT = {"np": np, "max": max, "crossed": crossed}
_BUILTINS = vars(builtins)
FEW = 1e-12
"""One over the size of a large array."""


class Bar:
    """A cotangent: its operand, and whether it may be `thin`, of fewer or shorter axes than the
    value, to whose shape it broadcasts; ``owned``: nobody else has it.
    """

    __slots__ = ("_whole", "operand", "owned", "thin")

    def __init__(self, operand: Operand, *, thin: bool, owned: bool = False) -> None:
        self.operand = operand
        self.thin = thin
        self.owned = owned
        self._whole: Operand | None = None

    def forget(self) -> None:
        """What was written has been taken back."""
        self._whole = None

    def full(self, node: Call, sweep: Sweep, to: Writer) -> Operand:
        """In the shape of the node's result; written once."""
        if not self.thin or not k.is_array(sweep.facts.kind_of(str(node.target))):
            return self.operand
        if self._whole is None:
            shape = shape_of(str(node.target), node, sweep, to, after=True)
            self._whole = to.call(FULL, self.operand, shape)
        return self._whole


def taken(node: Call, sweep: Sweep, out: list[Node]) -> tuple[Operand | None, str | None]:
    """The whole cotangent of a result at its definition, what lies in its shadow included, and what
    is known of it.
    """
    assert isinstance(node.target, str)
    state = sweep.bars.state.get(node.target)
    bar = sweep.bars.take(node.target)
    if node.target not in sweep.facts.shared:
        return bar, state
    result = sweep.value(node.target, node, after=True)
    total = sweep.names.numbered("total")
    out.append(Call(total, TOTAL, (sweep.shadows, result, bar or NONE), (), node.line))
    sweep.uses_shadows = True
    return total, "maybe"


def where_present(
    node: Call,
    bar: Operand,
    state: str | None,
    give: Callable[[Bar, list[Node]], None],
    sweep: Sweep,
    out: list[Node],
) -> None:
    """What ``give`` writes of a result's cotangent; under a test where that may be None."""
    whole = Bar(bar, thin=state in ("maybe", "thin"), owned=state == "owned")
    if state != "maybe":
        give(whole, out)
        return
    test = Writer(sweep.names, out, node.line).call(Prim("is_not"), bar, NONE)
    sweep.bars.branch(test, lambda arm: give(whole, arm), lambda arm: None, node.line, out)


def parts_by_rule(
    node: Call, what: Applied, rule: Rule, bar: Bar, sweep: Sweep, to: Writer
) -> list[tuple[str, Callable[[], Bar]]]:
    """Each active operand and its part, in the order of the parameters."""
    given = given_to_rule(what, rule, sweep.facts.knowledge)
    assert given is not None
    short = array_formulas(what.fn, _by_short_names(given))
    to.made = {}  # what two parts read is computed once
    found: list[tuple[str, Callable[[], Bar]]] = []
    for name, operand in given.operands.items():
        if isinstance(operand, str) and sweep.facts.is_active(operand) and name in rule.back:
            formula = (short or {}).get(SHORT_NAMES.get(name, name))
            if formula is None:
                formula, values = Formula(rule.back[name].strip()), given
                namespace = {**_BUILTINS, **rule.globals_of(formula.text), "__name__": rule.home}
            else:
                values, namespace = _by_short_names(given), SHORT
            part = functools.partial(_part, node, formula, values, namespace, bar, sweep, to)
            found.append((operand, part))
    return found


SHORT_NAMES = {"x1": "a", "x2": "b"}


def _by_short_names(given: Given) -> Given:
    """With the operands of a product called a and b."""
    operands = {SHORT_NAMES.get(name, name): value for name, value in given.operands.items()}
    return Given(operands, given.defaults, given.knowledge)


def _part(
    node: Call,
    formula: Formula,
    given: Given,
    namespace: Mapping[str, Any],
    bar: Bar,
    sweep: Sweep,
    to: Writer,
) -> Bar:
    incoming = bar.operand if formula.takes_thin else bar.full(node, sweep, to)
    values = {"y_bar": incoming, **_values(node, formula.text, given, sweep, to)}
    thin = formula.thin or (formula.takes_thin and bar.thin)
    found = write(formula.text, values, namespace, to)
    size = sweep.bars.sizes.get(str(incoming))
    if size is not None and formula.text == MEAN:
        sweep.bars.note_size(str(found), size * FEW)
    return Bar(found, thin=thin)


def _values(node: Call, text: str, given: Given, sweep: Sweep, to: Writer) -> dict[str, Operand]:
    """Names of the formula to what they stand for; shapes and ranks of operands by themselves."""
    by_value, by_shape = names_read(text)
    values: dict[str, Operand] = {}
    for name in sorted((by_value | by_shape) & {*given.operands, *given.defaults, "y"}):
        operand = node.target if name == "y" else given.operands.get(name)
        if name in by_value or _asks_more(name, text):
            values[name] = _value(name, operand, node, given, sweep, to)
        if isinstance(operand, str | Const) and name in by_shape:
            after = name == "y"
            values[f"{name}.ndim"] = Const(sweep.facts.kind_of(operand).rank or 0)
            values[f"{name}.shape"] = shape_of(operand, node, sweep, to, after=after)
    return values


def _value(name: str, operand: Any, node: Call, given: Given, sweep: Sweep, to: Writer) -> Operand:
    if name == "y":
        return kept(operand, node, sweep, to, after=True)
    if name not in given.operands:
        default = given.defaults[name]
        return NO_VALUE if default is np._NoValue else Const(default)
    if isinstance(operand, tuple):
        items = [kept(item, node, sweep, to, after=False) for item in operand]
        return to.call(Prim("tuple"), *items)
    return kept(operand, node, sweep, to, after=False)


@functools.cache
def _asks_more(name: str, text: str) -> bool:
    """Is more asked of the operand than its shape and rank?

    >>> _asks_more("a", "spread(y_bar, shape(a))"), _asks_more("a", "y_bar / a.size")
    (False, True)
    """
    tree = ast.parse(text, mode="eval")
    little = {id(found[0]) for node in ast.walk(tree) if (found := asked_of(node)) is not None}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return any(id(node) not in little for node in names)
