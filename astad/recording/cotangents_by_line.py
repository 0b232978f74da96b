"""Cotangents of what one line computes, as lines: by the rule of what it calls.

>>> from astad.rules.registry import lookup
>>> sweep = Sweep({"x": 2.0, "t_1": 4.0}, Names(["x", "t_1"], {}))
>>> sweep.active.add("x")
>>> sweep.add("t_1", "1.0")
>>> sweep.pull(lookup(operator.mul), "t_1", [Operand("x", 2.0), Operand("2.0", 2.0)], {})
>>> print(*sweep.lines, sep="\\n")
t_1_bar = 1.0
x_bar = t_1_bar * 2.0
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from astad.rules.formula import Rule
from astad.runtime.formulas.rule_plans import Numbered, in_floats, of_ints, product_text
from astad.tangents.arrays import project, sum_to_shape

__all__ = ["NUMBERS", "Names", "Operand", "Stays", "Sweep", "is_array", "renamed"]

NUMBERS = (float, np.float64, int)
_PLAIN = (np, math, float, int, bool, str)


class Stays(Exception):
    """Something for which the compiler is asked."""


class Operand(NamedTuple):
    """A word of the text and what it stood for; ``parts``: of a display with active ones."""

    word: str
    value: Any
    parts: Sequence[Operand] = ()

    def words(self) -> set[str]:
        return {self.word}.union(*[part.words() for part in self.parts])


class Names:
    """Names for what is added to a text, that are none of its ``own``; ``space`` is what its
    globals stand for.
    """

    def __init__(self, own: Iterable[str], space: Mapping[str, Any]) -> None:
        self.own = {*own, *space}
        self.space: dict[str, Any] = {**space, "np": np, "sum_to_shape": sum_to_shape}
        self.space["project"] = project
        self._constants: dict[Any, str] = {}
        self._counts = Counter[str]()
        self._bar = "_bar"
        while any(name.endswith(self._bar) for name in self.own):
            self._bar += "_"

    def bar(self, name: str) -> str:
        return f"{name}{self._bar}"

    def fresh(self, stem: str) -> str:
        """Nobody has it."""
        while True:
            self._counts[stem] += 1
            name = f"{stem}_{self._counts[stem]}"
            if name not in self.own:
                self.own.add(name)
                return name

    def same(self, stem: str) -> str:
        """Always the same for a stem."""
        if stem not in self._constants:
            self._constants[stem] = self.fresh(stem) if stem in self.own else stem
            self.own.add(stem)
        return self._constants[stem]

    def constant(self, v: Any, stem: str = "", key: Any = None) -> str:
        """A name for an object; what is of one ``key`` does the same."""
        if any(v is each for each in _PLAIN):
            name: str = "np" if v is np else v.__name__
            self.space[name] = v
            return name
        key = id(v) if key is None else key
        if key not in self._constants:
            stem = re.sub(r"\W", "_", stem or getattr(v, "__name__", type(v).__name__))
            self._constants[key] = self.fresh(stem)
            self.space[self._constants[key]] = v
        return self._constants[key]


class Sweep:
    """The lines from the last to the first; ``active``: names with a derivative, ``reached``: those
    to which a cotangent has come, ``owned``: those whose cotangent is an array that nobody else
    has. ``is_guarded``: the text names an infinity, whose product with 0 is none.
    """

    def __init__(self, values: dict[str, Any], names: Names) -> None:
        self.values = values
        self.names = names
        self.lines: list[str] = []
        self.active: set[str] = set()
        self.reached: set[str] = set()
        self.owned: set[str] = set()
        self.is_guarded = False

    def add(self, name: str, part: str, *, owned: bool = False) -> None:
        """One more part of the cotangent of a name."""
        bar = self.names.bar(name)
        if name not in self.reached:
            self.reached.add(name)
            self.lines.append(f"{bar} = {part}")
        elif is_array(self.values[name]):
            self.lines.append(f"{bar} = {bar} + {part}")
            owned = True
        else:
            self.lines.append(f"{bar} += {part}")
        if owned:
            self.owned.add(name)

    def own(self, name: str) -> str:
        """The cotangent of a name, an array to be written to."""
        bar = self.names.bar(name)
        if name not in self.reached:
            self.add(name, f"np.zeros({name}.shape)", owned=True)
        elif name not in self.owned:
            self.lines.append(f"{bar} = {bar}.copy()")
            self.owned.add(name)
        return bar

    def moves(self, operand: Operand) -> bool:
        return operand.word in self.active or any(map(self.moves, operand.parts))

    def deliver(self, operand: Operand, part: str) -> None:
        for at, each in enumerate(operand.parts):
            self.deliver(each, f"{part}[{at}]")
        if not operand.parts and operand.word in self.active:
            self.add(operand.word, part)

    def add_item(self, target: str, base: str, index: str, *, counts: bool) -> None:
        """``target = base[index]``; ``counts``: a place may be asked for twice."""
        bar, part = self.own(base), self.names.bar(target)
        add = f"np.add.at({bar}, np.s_[{index}], {part})" if counts else f"{bar}[{index}] += {part}"
        self.lines.append(add)

    # --- several results, and choices

    def part(self, name: str, at: int) -> str:
        return self.names.same(f"{name}_part_{at}")

    def add_part(self, name: str, at: int, target: str) -> None:
        """``target = name[at]`` of several results."""
        self.reached.add(name)
        part = self.part(name, at)
        self.values[part] = self.values[target]
        self.add(part, self.names.bar(target))

    def _whole_bar(self, target: str) -> str:
        if not isinstance(self.values[target], tuple):
            return self.names.bar(target)
        parts = [self.part(target, at) for at in range(len(self.values[target]))]
        words = [self.names.bar(each) if each in self.reached else "None" for each in parts]
        return _tuple_of(words)

    def choose(self, target: str, operands: Sequence[Operand]) -> None:
        """``max`` or ``min``: of equal numbers each gets the same share."""
        words = _tuple_of([each.word for each in operands])
        own, found = self.names.constant(shares), self.names.same("parts")
        self.lines.append(f"{found} = {own}({self.names.bar(target)}, {target}, {words})")
        for at, each in enumerate(operands):
            self.deliver(each, f"{found}[{at}]")

    # --- by rules

    def pull(
        self, rule: Rule, target: str, given: Sequence[Operand], named: Mapping[str, Operand]
    ) -> None:
        """``target = function(*given, **named)``."""
        operands = [*given, *named.values()]
        are_numbers = all(type(each.value) in NUMBERS for each in operands)
        if are_numbers and not named and self._by_slopes(rule, target, given):
            return
        places = {name: Numbered(len(given) + k) for k, name in enumerate(named)}
        bound = rule.signature.bind([Numbered(k) for k in range(len(given))], places)
        if rule.refuse and rule.refuses([_standing(each, operands) for each in bound]):
            raise Stays
        pairs = self._moving(rule, bound, operands)
        if not pairs:
            return
        pull = self._pull_of(rule, bound, operands, tuple(name for name, _ in pairs))
        words = [self._whole_bar(target), target, *[self._word(v, operands) for v in bound]]
        bars = [self.names.same(f"part_{k}") for k in range(1, len(pairs) + 1)]
        left = f"{bars[0]}," if len(bars) == 1 else ", ".join(bars)
        self.lines.append(f"{left} = {pull}({', '.join(words)})")
        for bar, (_, operand) in zip(bars, pairs, strict=True):
            if isinstance(self.values[target], tuple):  # to some of them may come nothing
                like = _tuple_of([v.word for v in operand.parts]) if operand.parts else operand.word
                bar = f"{self.names.constant(filled)}({bar}, {like})"
            as_number = type(operand.value) in NUMBERS and not are_numbers
            self.deliver(operand, f"project({bar}, {operand.word})" if as_number else bar)

    def _moving(
        self, rule: Rule, bound: Sequence[Any], operands: Sequence[Operand]
    ) -> list[tuple[str, Operand]]:
        """The parameters to which a cotangent goes, with what they are given."""
        pairs: list[tuple[str, Operand]] = []
        for parameter, place in zip(rule.parameters, bound, strict=True):
            name, operand = parameter.lstrip("*"), _together(place, operands)
            if operand is None or not self.moves(operand):
                continue
            if name in rule.missing:
                raise Stays
            if name in rule.back:
                pairs.append((name, operand))
        return pairs

    def _pull_of(
        self, rule: Rule, bound: Sequence[Any], operands: Sequence[Operand], wanted: tuple[str, ...]
    ) -> str:
        """A name for the pull of a rule; where all are arrays and numbers, without what makes it
        silent and sure at poles.
        """
        parameters = [name.lstrip("*") for name in rule.parameters]
        kinds = [v.dtype if is_array(v) else type(v) for v in (each.value for each in operands)]
        ints = of_ints(rule, parameters, bound, kinds)
        holds_lists = any(isinstance(each.value, (list, tuple)) for each in operands)
        pull = rule.pull(wanted) if holds_lists else rule.bare_pull(wanted)
        made = in_floats(pull, ints) if ints else pull
        key = id(rule), wanted, holds_lists, *ints
        return self.names.constant(made, f"{rule.fn.__name__}_back", key)

    def _word(self, bound: Any, operands: Sequence[Operand]) -> str:
        """What a parameter is given, in words."""
        if type(bound) is Numbered:
            return operands[bound.k].word
        if type(bound) is tuple and bound and all(type(each) is Numbered for each in bound):
            return _tuple_of([operands[each.k].word for each in bound])
        is_literal = type(bound) in (float, int, bool, str, tuple) or bound is None
        return repr(bound) if is_literal else self.names.constant(bound)

    def _by_slopes(self, rule: Rule, target: str, operands: Sequence[Operand]) -> bool:
        """The cotangents of numbers as products, where the rule tells the slopes."""
        has_ints = any(type(each.value) is int for each in operands)
        if rule.form != "scalar" or rule.signature.star or (has_ints and rule.name[:5] == "scipy"):
            return False
        words = {"y": target, "y_bar": self.names.bar(target), "slope": self.names.same("slope")}
        words |= {name: each.word for name, each in zip(rule.parameters, operands, strict=False)}
        parts: list[tuple[str, str]] = []
        for name, operand in zip(rule.parameters, operands, strict=False):
            if operand.word not in self.active or name not in rule.back:
                continue
            slope = _of_power(rule, name, operands) or rule.inline(name, "float", len(operands))
            if slope is None:
                return False
            text = self._product(rule, slope.strip())
            for each, v in rule.globals_of(text).items():
                words.setdefault(each, self.names.constant(v, each))
            parts.append((operand.word, renamed(text, words)))
        for word, part in parts:
            self.add(word, part)
        return True

    def _product(self, rule: Rule, slope: str) -> str:
        if slope in ("1", "-1"):
            return slope.replace("1", "y_bar")
        text = product_text(rule, slope)
        if slope.isidentifier():
            text = text.replace(f"({slope})", slope)
        return f"y_bar and {text}" if self.is_guarded and text.startswith("y_bar *") else text


def _of_power(rule: Rule, name: str, operands: Sequence[Operand]) -> str | None:
    """The slope of a power that is known, where it is none of 0."""
    n = operands[-1].value
    if rule.fn is not operator.pow or name != "x1" or type(n) not in (int, float):
        return None
    if repr(n) != operands[1].word or not n > 1:
        return None
    return f"{n!r} * x1" if n == 2 else f"{n!r} * x1 ** {n - 1!r}"


def is_array(v: Any) -> bool:
    return isinstance(v, np.ndarray)


def _tuple_of(words: Sequence[str]) -> str:
    return f"({', '.join(words)}{',' if len(words) == 1 else ''})"


def _together(bound: Any, operands: Sequence[Operand]) -> Operand | None:
    """What a parameter is given: an operand, or several."""
    if type(bound) is Numbered:
        return operands[bound.k]
    if type(bound) is not tuple or not all(type(each) is Numbered for each in bound):
        return None
    parts = [operands[each.k] for each in bound]
    return Operand("", [part.value for part in parts], parts)


def _standing(bound: Any, operands: Sequence[Operand]) -> Any:
    """What stood for a parameter."""
    if type(bound) is tuple:
        return tuple([_standing(each, operands) for each in bound])
    return operands[bound.k].value if type(bound) is Numbered else bound


def shares(y_bar: float, y: float, values: tuple[float, ...]) -> list[float]:
    """Cotangents of those among which one was chosen.

    >>> shares(6.0, 2.0, (2.0, 1.0, 2.0))
    [3.0, 0.0, 3.0]
    """
    share = y_bar / values.count(y)
    return [share if value == y else 0.0 for value in values]


def filled(bar: Any, x: Any) -> Any:
    """A cotangent, or those of several, with zeros where there is none."""
    if type(x) is tuple:
        return tuple(map(filled, bar, x))
    return np.zeros(np.shape(x)) if bar is None else bar


@functools.cache
def _pieces(text: str) -> list[str]:
    """A formula in pieces, of which each second one is a name.

    >>> _pieces("y_bar * math.cos(x)")
    ['', 'y_bar', ' * ', 'math', '.cos(', 'x', ')']
    """
    return re.split(r"(?<![\w.])([A-Za-z_]\w*)", text)


def renamed(text: str, words: Mapping[str, str]) -> str:
    """A formula with other names.

    >>> renamed("y_bar * x2", {"y_bar": "t_2_bar", "x2": "-3.0"})
    't_2_bar * -3.0'
    """
    pieces = _pieces(text)
    return "".join(words.get(each, each) if at % 2 else each for at, each in enumerate(pieces))
