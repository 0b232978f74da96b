"""Derivatives inside of a function that is differentiated: each is a text over gradients, and over
the function itself, and is differentiated as any text of the user's is.

A product with a hessian is the gradient of the product of the gradient with the vector; a cotangent
of an argument that of the product of the result with a cotangent of it; a tangent of the result the
gradient of the product of these cotangents with the tangents, by what they are linear in. What the
function has captured is an argument of each, so that it keeps its derivative.

>>> from astad.api.higher.gradient_modules import gradient_module
>>> made = Composer(_example, gradient_module, (2.0, 3.0), (0,), single=True)
>>> lines = made.hvp(["v"], [1.0])
>>> lines
['h = product(p_1, p_2, v)', 'return h']
>>> made.function("hvp", ["p_1", "v", "p_2"], lines)(2.0, 10.0, 3.0)
360.0
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple  # whatever a function takes

import numpy as np

from astad.api.higher.gradient_modules import GradientModule
from astad.api.higher.how import How
from astad.api.variants.derived import stem_of, with_text
from astad.api.variants.leaves import (
    ARRAY,
    LIST,
    NUMBER,
    Attribute,
    Leaf,
    leaves_of,
    mapped,
    text_of_key,
)
from astad.runtime.core.variants import variants_of
from astad.spelling import has_literal
from astad.tangents.objects import Tangent
from astad.tangents.unasked import has_in_class

__all__ = ["PRODUCTS", "Composer", "Unwritten", "spelled"]

PRODUCTS = {
    NUMBER: "{g} * {v}",
    ARRAY: "np.vdot({g}, {v})",
    LIST: "sum([a * b for a, b in zip({g}, {v})])",
}
"""The derivative by a leaf times a vector of the same structure."""

Find = Callable[[FunctionType, tuple[Any, ...], How], GradientModule | None]


class Unwritten(Exception):
    """There is no text of what is asked for."""


class Composer:
    """Writes the derivatives of ``fn`` by the parameters at ``places``; ``values`` are its
    operands, behind them what it has captured, or others of their kinds.

    ``find``: the module of a gradient, or of the function itself. ``first``: the function gives a
    pair, of which the first is differentiated.

    Each method returns the lines of a function in which the operands are named ``p_1``, ``p_2``
    and so on.
    """

    def __init__(
        self,
        fn: FunctionType,
        find: Find,
        values: Sequence[Any],
        places: Sequence[int],
        *,
        single: bool,
        first: bool = False,
    ) -> None:
        self.stem = stem_of(fn)
        self.find = find
        self.values = tuple(values)
        self.names = [f"p_{at + 1}" for at in range(len(self.values))]
        self.places, self.single = tuple(places), single
        self.known: dict[str, Any] = {"np": np, "Tangent": Tangent}
        if first:
            whole = self._module(fn, self.values, How("value", ())).run
            fn = self._made("first", self.names, [f"return value({self.given})[0]"], value=whole)
        self.fn = fn
        found = [self.values[at] for at in self.places]
        self.x = found[0] if single else tuple(found)
        self.leaves = leaves_of(fn, self.x)
        if any(leaf.is_complex or not leaf.is_written for leaf in self.leaves):
            raise Unwritten

    # --- functions

    @property
    def given(self) -> str:
        return ", ".join(self.names)

    def function(self, name: str, params: Sequence[str], lines: Sequence[str]) -> FunctionType:
        """With what was written as its text."""
        return self._made(name, params, lines, **self.known)

    def _made(
        self, name: str, params: Sequence[str], lines: Sequence[str], **known: Any
    ) -> FunctionType:
        """The same one for the same text over the same functions."""
        title = f"{name}_of_{self.stem}"
        body = "".join(f"    {line}\n" for line in lines)
        text = f"def {title}({', '.join(params)}):\n{body}"
        runs = [each for each in known.values() if type(each) is FunctionType]
        made = variants_of(runs[0]).modules.setdefault(WRITTEN, {}) if runs else {}
        key = text, tuple(map(id, known.values()))
        if key not in made:
            made[key] = with_text(text, f"{title} {next(_NUMBERS)}", **known)
        found: FunctionType = made[key]
        return found

    def _module(self, fn: FunctionType, values: Sequence[Any], how: How) -> GradientModule:
        found = self.find(fn, tuple(values), how)
        if found is None:
            raise Unwritten
        return found

    def _gradient(self, fn: FunctionType, values: Sequence[Any]) -> GradientModule:
        """With the parts of an object in a dict, of which the compiler knows what is in it."""
        return self._module(fn, values, How("parts", self.places, self.single))

    # --- second derivatives

    def hvp(self, vectors: Sequence[str | None], values: Sequence[Any]) -> list[str]:
        """``vectors`` are expressions for each leaf, None for zero; ``values`` of their kinds."""
        moved = [at for at, vector in enumerate(vectors) if vector is not None]
        product = self._product(moved, [values[at] for at in moved])
        if product is None:
            return [f"return {self._display(self.zero)}"]
        asked = ", ".join([self.given, *(str(vectors[at]) for at in product.moved)])
        found = self._display(
            lambda leaf: f"h{_inside(leaf)}" if product.reaches(leaf) else self.zero(leaf)
        )
        return [f"h = product({asked})", f"return {found}"]

    def hessian(self) -> list[str]:
        rows = self._rows_of_hessian(diagonal=False)
        found = self._display(
            lambda of: rows[of.path].block if of.path in rows else self._no_block(of, self.at(of))
        )
        return [*self._lines(rows), f"return {found}"]

    def diagonal(self) -> list[str]:
        """Of the hessian."""
        rows = self._rows_of_hessian(diagonal=True)
        found = self._display(lambda of: rows[of.path].block if of.path in rows else self.zero(of))
        return [*self._lines(rows), f"return {found}"]

    def _lines(self, rows: Mapping[Any, _Rows]) -> list[str]:
        return [line for each in rows.values() for line in each.lines]

    def _rows_of_hessian(self, *, diagonal: bool) -> dict[Any, _Rows]:
        """For each leaf to which the gradient leads a product for each place."""
        product = self._product(range(len(self.leaves)), [_one(leaf) for leaf in self.leaves])
        rows: dict[Any, _Rows] = {}
        if product is None:
            return rows
        for at in product.moved:
            of = self.leaves[at]
            others = [
                _unit(of, self.at(of)) if each == at else self.zero(self.leaves[each])
                for each in product.moved
            ]
            call = f"product({', '.join([self.given, *others])})"
            made = _Loop(of, self.at(of), call, f"_{at + 1}")
            if diagonal:
                rows[of.path] = made.diagonal(product.reaches(of), self.zero(of))
            else:
                rows[of.path] = self._rows(made, product.reaches)
        return rows

    def _rows(self, made: _Loop, reaches: Callable[[Leaf], bool]) -> _Rows:
        """Lines that compute the derivatives of a leaf by the arguments, and what they then are."""
        if made.of.kind is LIST:
            one = self._display(lambda by: f"h{_inside(by)}" if reaches(by) else self.zero(by))
            return _Rows([], f"[{one} for h in {made.items()}]")
        text = self._display(lambda by: made.block(by, self.at(by), reaches(by)))
        return _Rows(made.lines(), text)

    def _no_block(self, of: Leaf, at: str) -> str:
        """The derivatives where no path leads."""
        made = _Loop(of, at, "", "")
        if of.kind is LIST:
            return f"[{self._display(self.zero)} for _ in {at}]"
        return self._display(lambda by: made.block(by, self.at(by), False))

    def _product(self, moved: Sequence[int], values: Sequence[Any]) -> _Product | None:
        """The hessian times a vector with parts at these leaves; None where all of it is zero."""
        slope = self._gradient(self.fn, self.values)
        both = zip(moved, values, strict=True)
        live = [(at, each) for at, each in both if self._reaches(slope, self.leaves[at])]
        if not live:
            return None
        names = [f"v_{at + 1}" for at, _ in live]
        terms = [
            PRODUCTS[self.leaves[at].kind].format(g=f"g{_inside(self.leaves[at])}", v=name)
            for (at, _), name in zip(live, names, strict=True)
        ]
        lines = [f"g = slope({self.given})", f"return {' + '.join(terms)}"]
        made = self._made("slope", [*self.names, *names], lines, slope=slope.run, np=np)
        twice = self._gradient(made, (*self.values, *(each for _, each in live)))
        self.known["product"] = twice.run
        return _Product([at for at, _ in live], lambda leaf: self._reaches(twice, leaf))

    # --- first derivatives of what is no number

    def jacobian(self, y: Any, *, value: bool) -> list[str]:
        """``y``: the result, or another of its structure; ``value``: that comes before it."""
        y_leaves = leaves_of(self.fn, y)
        back = self._back(y, y_leaves)
        rows = {}
        for at, of in enumerate(y_leaves):
            place = f"y{of.text}"
            bars = [
                _unit(of, place) if each is of else _zero(each, f"y{each.text}")
                for each in y_leaves
            ]
            call = f"back_of({', '.join([self.given, *bars])})"
            made = _Loop(of, place, call, f"_{at + 1}")
            rows[of.path] = self._rows(made, lambda leaf: self._reaches(back, leaf))
        found = _display(y, lambda of: rows[of.path].block, self.known)
        result = f"return (y, {found})" if value else f"return {found}"
        return [f"y = value({self.given})", *self._lines(rows), result]

    def jvp(self, y: Any, vectors: Sequence[str | None], values: Sequence[Any]) -> list[str]:
        """As for `hvp`; ``y`` as for `jacobian`."""
        y_leaves = leaves_of(self.fn, y)
        back = self._back(y, y_leaves)
        first = f"y = value({self.given})"
        moved = [
            at for at, leaf in enumerate(self.leaves)
            if vectors[at] is not None and self._reaches(back, leaf)
        ]  # fmt: skip
        if not moved or not y_leaves:
            still = _display(y, lambda leaf: _zero(leaf, f"y{leaf.text}"), self.known)
            return [first, f"return (y, {still})"]
        bars, names = _names("w", len(y_leaves)), [f"v_{at + 1}" for at in moved]
        terms = [
            PRODUCTS[self.leaves[at].kind].format(g=f"g{_inside(self.leaves[at])}", v=name)
            for at, name in zip(moved, names, strict=True)
        ]
        asked = ", ".join([*self.names, *bars])
        made = self._made(
            "along", [*self.names, *bars, *names],
            [f"g = back({asked})", f"return {' + '.join(terms)}"], back=back.run, np=np,
        )  # fmt: skip
        count = len(self.values)
        places = tuple(range(count, count + len(bars)))
        operands = (*self.values, *map(_one, y_leaves), *(values[at] for at in moved))
        found = self._module(made, operands, How("gradient", places))
        self.known["along"] = found.run
        ones = [_ones(leaf, f"y{leaf.text}") for leaf in y_leaves]
        asked = ", ".join([self.given, *ones, *(str(vectors[at]) for at in moved)])
        index = {leaf.path: at for at, leaf in enumerate(y_leaves)}

        def part(leaf: Leaf) -> str:
            reaches = found.reaches(places, False, (index[leaf.path],))
            return f"d[{index[leaf.path]}]" if reaches else _zero(leaf, f"y{leaf.text}")

        return [first, f"d = along({asked})", f"return (y, {_display(y, part, self.known)})"]

    def tangent(
        self, vectors: Sequence[str | None], look: Callable[[], Any] | None = None
    ) -> list[str]:
        """In forward mode, of arguments that are numbers and arrays, or hold them. ``look`` gives
        the result, for one that is neither number nor array.
        """
        kinds = {type(self.values[at]) for at in self.places}
        if kinds.isdisjoint(_DISPLAYS) and any(len(leaf.path) > 1 for leaf in self.leaves):
            raise Unwritten
        if kinds.isdisjoint(_DISPLAYS):
            made = self._module(self.fn, self.values, How("tangent", self.places))
            self.known["tangent"] = made.run
            return self._apart([self.given, *map(str, vectors)], look)
        names = {leaf.path: f"l_{at + 1}" for at, leaf in enumerate(self.leaves)}
        x = mapped(self.x, lambda leaf: _Text(names[leaf.path]))
        if _lacks_parts(x):
            raise Unwritten  # bools and strings are no leaves
        parts = dict(zip(self.places, [x] if self.single else x, strict=True))
        others = [at for at in range(len(self.values)) if at not in parts]
        given = [
            spelled(parts[at], _naming(self.known)) if at in parts else name
            for at, name in enumerate(self.names)
        ]
        value = self._module(self.fn, self.values, How("value", ())).run
        held = [self.names[at] for at in others]
        lines = [f"return value({', '.join(given)})"]
        flat = self._made("flat", [*names.values(), *held], lines, **{**self.known, "value": value})
        operands = (*[leaf.value for leaf in self.leaves], *[self.values[at] for at in others])
        moved = tuple(at for at, vector in enumerate(vectors) if vector is not None)
        self.known["tangent"] = self._module(flat, operands, How("tangent", moved)).run
        asked = [*map(self.at, self.leaves), *held, *[str(vectors[at]) for at in moved]]
        return self._apart(asked, look)

    def _apart(self, asked: Sequence[str], look: Callable[[], Any] | None) -> list[str]:
        """The value and its tangent, which shares no memory with the tangents that were given."""
        call = f"tangent({', '.join(asked)})"
        kind = self._module(self.fn, self.values, How("value", ())).result
        if kind in ("float", "int", "floating", "real"):
            return [f"return {call}"]
        if kind.startswith("ndarray"):
            return [f"y, d = {call}", "return (y, d.copy())"]
        if look is None:
            raise Unwritten
        found = _display(look(), lambda leaf: _copied(leaf, f"d{leaf.text}"), self.known)
        return [f"y, d = {call}", f"return (y, {found})"]

    def pullback(self, y: Any) -> list[str]:
        """The value, and a function from its cotangent to those of the arguments, which has them as
        they are now.
        """
        y_leaves = leaves_of(self.fn, y)
        self._back(y, y_leaves, name="gradient")
        copies = [
            f"{name} = np.array({name})"
            for name, value in zip(self.names, self.values, strict=True)
            if issubclass(type(value), np.ndarray)
        ]
        bars = [f"y_bar{leaf.text}" for leaf in y_leaves]
        given = [
            f"{_zero(leaf, f'y{leaf.text}')} if {bar} is None else {bar}"
            for leaf, bar in zip(y_leaves, bars, strict=True)
        ]
        return [
            f"y = value({self.given})", *copies, "def back(y_bar):",
            f"    return back_of({', '.join([self.given, *given])})", "return y, back",
        ]  # fmt: skip

    def _back(self, y: Any, y_leaves: Sequence[Leaf], name: str = "parts") -> GradientModule:
        if not all(leaf.is_written for leaf in y_leaves):
            raise Unwritten
        value = self._module(self.fn, self.values, How("value", ()))
        bars = _names("w", len(y_leaves))
        terms = [
            PRODUCTS[leaf.kind].format(g=f"y{leaf.text}", v=bar)
            for leaf, bar in zip(y_leaves, bars, strict=True)
        ]
        lines = [f"y = value({self.given})", f"return {' + '.join(terms) or '0.0'}"]
        made = self._made("along", [*self.names, *bars], lines, value=value.run, np=np)
        operands = (*self.values, *map(_one, y_leaves))
        found = self._module(made, operands, How(name, self.places, self.single))
        self.known.update(value=value.run, back_of=found.run)
        return found

    # --- parts

    def _display(self, text: Callable[[Leaf], str]) -> str:
        return _display(self.x, text, self.known)

    def _reaches(self, module: GradientModule, leaf: Leaf) -> bool:
        return module.reaches(self.places, self.single, leaf.path)

    def zero(self, leaf: Leaf) -> str:
        """The derivative where no path leads."""
        return _zero(leaf, self.at(leaf))

    def at(self, leaf: Leaf) -> str:
        """Where a leaf lies among the operands."""
        if self.single:
            return f"{self.names[self.places[0]]}{leaf.text}"
        rest = leaf._replace(path=leaf.path[1:])
        return f"{self.names[self.places[leaf.path[0]]]}{rest.text}"


class _Product(NamedTuple):
    """The leaves of a vector by which it is taken, and what leaves of the arguments it has."""

    moved: Sequence[int]
    reaches: Callable[[Leaf], bool]


def _inside(leaf: Leaf) -> str:
    """Where its part lies in what `How` calls parts."""
    steps = [step.name if isinstance(step, Attribute) else step for step in leaf.path]
    return "".join(f"[{step!r}]" for step in steps)


def _names(stem: str, count: int) -> list[str]:
    return [f"{stem}_{at + 1}" for at in range(count)]


class _Rows(NamedTuple):
    """Lines, and an expression over the names that they bind."""

    lines: list[str]
    block: str


class _Loop:
    """A call for each place of a leaf, with a one there: an array is filled row by row, of which
    the compiler knows what it is.
    """

    def __init__(self, of: Leaf, at: str, call: str, end: str) -> None:
        self.of, self.at, self.call, self.end = of, at, call, end
        self.made: list[str] = []
        self.filled: list[str] = []

    def items(self) -> str:
        """What goes through the results of the calls, for a list."""
        return f"[{self.call} for u in np.eye(len({self.at})).tolist()]"

    def lines(self) -> list[str]:
        if self.of.kind is NUMBER:
            return [f"h{self.end} = {self.call}"] if self.made else []
        if not self.made:
            return []
        return [
            f"units{self.end} = np.eye({self.at}.size)", *self.made,
            f"for k in range({self.at}.size):", f"    u = units{self.end}[k]",
            f"    h = {self.call}", *self.filled,
        ]  # fmt: skip

    def block(self, by: Leaf, place: str, reaches: bool) -> str:
        """The derivatives by a leaf that lies at a place."""
        if self.of.kind is NUMBER:
            self.made.append("")
            return f"h{self.end}{_inside(by)}" if reaches else _zero(by, place)
        shape = _shape(self.of, self.at)
        if not reaches:
            whole = f"np.zeros(({shape}{_shape(by, place) if by.kind is ARRAY else ''}))"
            one = f"np.zeros(({shape}))"
            return f"[{one} for _ in {place}]" if by.kind is LIST else whole
        name = f"rows{self.end}_{len(self.made) + 1}"
        if by.kind is NUMBER:
            self.made.append(f"{name} = np.zeros({self.at}.size)")
            self.filled.append(f"    {name}[k] = h{_inside(by)}")
            return _reshaped(name, self.of, shape)
        size = f"len({place})" if by.kind is LIST else f"{place}.size"
        self.made.append(f"{name} = np.zeros(({self.at}.size, {size}))")
        part = (
            f"h{_inside(by)}" if _rank(by) == 1 or by.kind is LIST else f"np.ravel(h{_inside(by)})"
        )
        self.filled.append(f"    {name}[k] = {part}")
        if by.kind is LIST:
            return f"[np.reshape({name}[:, k], ({shape})) for k in range(len({place}))]"
        if _rank(self.of) == _rank(by) == 1:
            return f"{name}.copy()"
        return f"np.reshape({name}, ({shape}{_shape(by, place)}))"

    def diagonal(self, reaches: bool, zero: str) -> _Rows:
        """The derivatives by the leaf itself, at each place by that place."""
        of, path = self.of, _inside(self.of)
        if not reaches:
            return _Rows([], zero)
        if of.kind is NUMBER:
            return _Rows([f"h{self.end} = {self.call}"], f"h{self.end}{path}")
        if of.kind is LIST:
            return _Rows([], f"[h{path}[k] for k, h in enumerate({self.items()})]")
        name = f"rows{self.end}"
        self.made = [f"{name} = np.zeros({self.at}.size)"]
        part = f"h{path}" if _rank(of) == 1 else f"np.ravel(h{path})"
        self.filled = [f"    {name}[k] = {part}[k]"]
        return _Rows(self.lines(), _reshaped(name, of, _shape(of, self.at)))


def _rank(leaf: Leaf) -> int:
    return len(leaf.shape)


def _shape(leaf: Leaf, at: str) -> str:
    """The lengths of an array's axes, as the inside of a tuple."""
    return "".join(f"{at}.shape[{axis}], " for axis in range(_rank(leaf)))


def _reshaped(name: str, leaf: Leaf, shape: str) -> str:
    return f"{name}.copy()" if _rank(leaf) == 1 else f"np.reshape({name}, ({shape}))"


def _unit(leaf: Leaf, at: str) -> str:
    """The vector with a one at the place at hand, of ``u``."""
    if leaf.kind is NUMBER:
        return "1.0"
    if leaf.kind is LIST or _rank(leaf) == 1:
        return "u"
    return f"np.reshape(u, ({_shape(leaf, at)}))"


def _zero(leaf: Leaf, at: str) -> str:
    return _filled(leaf, at, "0.0", "zeros")


def _ones(leaf: Leaf, at: str) -> str:
    return _filled(leaf, at, "1.0", "ones")


def _filled(leaf: Leaf, at: str, number: str, array: str) -> str:
    """One number everywhere, in the shape of a leaf."""
    if leaf.kind is NUMBER:
        return number
    return f"np.{array}({at}.shape)" if leaf.kind is ARRAY else f"[{number}] * len({at})"


def _copied(leaf: Leaf, at: str) -> str:
    return {NUMBER: at, ARRAY: f"{at}.copy()", LIST: f"list({at})"}[leaf.kind]


def _one(leaf: Leaf) -> Any:
    """A vector of the kind that a leaf has."""
    if leaf.kind is NUMBER:
        return 1.0
    return np.ones(leaf.shape) if leaf.kind is ARRAY else [1.0] * len(leaf.value)


def _display(x: Any, text: Callable[[Leaf], str], bound: dict[str, Any]) -> str:
    """A structure as a text, with what a function writes for each leaf."""
    return spelled(mapped(x, lambda leaf: _Text(text(leaf))), _naming(bound))


_DISPLAYS = (tuple, list, dict)
"""Containers that a text makes of their parts."""


def _lacks_parts(x: Any) -> bool:
    """Does a structure hold something that is no leaf?"""
    if type(x) is _Text:
        return False
    if isinstance(x, dict):
        return any(map(_lacks_parts, x.values()))
    return not isinstance(x, (list, tuple)) or any(map(_lacks_parts, x))


class _Text(str):
    """What stands for a leaf."""

    __slots__ = ()


def literal(key: Any) -> str:
    """A key as a text has it.

    Raises
    ------
    Unwritten : for one that has no literal.
    """
    if not has_literal(key):
        raise Unwritten
    return text_of_key(key)


def spelled(
    x: Any,
    name_of: Callable[[type], str],
    other: Callable[[Any], str] = str,
    key: Callable[[Any], str] = literal,
) -> str:
    """A structure as Python spells it; ``name_of`` names what makes a part, ``other`` spells what
    is no container, ``key`` keys.
    """

    def of(part: Any) -> str:
        return spelled(part, name_of, other, key)

    kind = type(x)
    if x is None:
        return "None"
    if kind is list:
        return f"[{', '.join(map(of, x))}]"
    if kind is tuple:
        return f"({''.join(f'{of(part)}, ' for part in x)})"
    if kind in (dict, OrderedDict):
        inner = f"{{{', '.join(f'{key(k)}: {of(part)}' for k, part in x.items())}}}"
        return inner if kind is dict else f"{name_of(kind)}({inner})"
    if kind is Tangent:
        return f"{name_of(kind)}({', '.join(f'{name}={of(x[name])}' for name in x)})"
    if issubclass(kind, tuple) and has_in_class(kind, "_fields"):
        return f"{name_of(kind)}({', '.join(map(of, x))})"
    return other(x)


def _naming(bound: dict[str, Any]) -> Callable[[type], str]:
    """Under names that a text is given."""

    def name_of(kind: type) -> str:
        name = kind.__name__ if kind in (OrderedDict, Tangent) else f"{kind.__name__}_"
        bound[name] = kind
        return name

    return name_of


WRITTEN = "written over it"
"""Key under which a function knows the texts over it."""
_NUMBERS = itertools.count(1)


def _example(x: float, c: float) -> float:
    return c * x * x * x
