"""Lines of a straight text that have no fused form, as functions with a rule of their own.

One call of which the rows tell no kind, or whose derivative is not written out, would leave all
that comes after it to the run time. What it gave is known, for it has run: so it becomes a
function of its numbers, that the text calls, with a test that it gives such a thing again. Its
cotangents come from the formulas of the only function that it calls, or from its pair.

>>> import numpy as np
>>> lines = ["t_1 = x * 2.0", "t_2 = np.quantile(t_1, [0.2, 0.7])", "t_3 = np.sum(t_2)"]
>>> text = _Apart(lines, {"x": np.ones(3), "t_1": np.ones(3), "t_2": np.ones(2), "t_3": 1.0})
>>> text.put(1)
True
>>> print(*text.lines, sep="\\n")
t_1 = x * 2.0
t_2 = line_1(t_1)
t_3 = np.sum(t_2)
>>> print(text.steps["line_1"].text)
def line_1(a):
    return np.quantile(a, [0.2, 0.7])
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from astad.api.variants.kinds_of_values import kinds_of, word_of_data
from astad.api.variants.loading import fill_compiler
from astad.api.variants.whole import whole
from astad.api.variants.wiring import fused_for
from astad.recording.recording import Left
from astad.recording.straight import module_of
from astad.rules.formula import Rule
from astad.rules.in_force import CUSTOM
from astad.rules.lines import declare
from astad.rules.registry import lookup
from astad.runtime.core.variants import Fused, variants_of
from astad.tangents.add import add
from astad.tangents.arrays import project
from astad.threads import importing

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = ["fused_form"]

MOST = 4
"""Times that a text is looked at for lines that are left: behind one there may be others."""
LONG = 200
"""Lines of a text that is looked at once: each time it is compiled."""
NAMES = "abcdefghijk"
"""Of the parameters of a line, so that lines that say the same are one function."""


def fused_form(
    straight: Straight, given: Sequence[Any], places: tuple[int, ...], *, apart: bool = True
) -> Fused | None:
    """The fused form of a straight text for what it is given, maybe with lines ``apart``; None
    where there is none.
    """
    fn = straight.function
    fused = fused_for(fn, variants_of(fn), given, places, wide=True)
    if fused is not None or not apart or "unknown" in kinds_of(given, (), open_=True):
        return fused
    return _with_lines_apart(straight, given, places)


def _with_lines_apart(
    straight: Straight, given: Sequence[Any], places: tuple[int, ...]
) -> Fused | None:
    head, *lines = straight.text.rstrip("\n").split("\n")
    lines = [line.removeprefix("    ") for line in lines]
    found = straight.values(given)
    if found is None:
        return None
    text, fn = _Apart(lines, found), straight.function
    for _ in range(MOST if straight.lines <= LONG else 1):
        if not text.put_all(_left(fn, given, places)):
            return None
        fn = _function(straight, "\n".join([head, *[f"    {line}" for line in text.lines]]), text)
        straight.keep_with(fn)  # with its rules
        fused = fused_for(fn, variants_of(fn), given, places, wide=True)
        if fused is not None:
            return fused
    return None


def _left(fn: FunctionType, given: Sequence[Any], places: Sequence[int]) -> list[int]:
    """The lines that are left to the run time and make others so, counted behind the head."""
    importing(fill_compiler)
    from astad.compiler.analysis.first_causes import find_left
    from astad.compiler.ir.containers import read_kind
    from astad.compiler.pipeline import compile_function

    kinds = kinds_of(given, (), open_=True)
    made = compile_function(
        fn, [read_kind(word) for word in kinds], [at in places for at in range(len(given))],
        fused=True, only_fused=True, kind_of=lambda value: read_kind(word_of_data(value)),
    )  # fmt: skip
    stages, first = made.stages, fn.__code__.co_firstlineno + 1
    causes = [each.cause for each in find_left(stages.specialised, stages.facts)]
    return sorted({cause.line - first for cause in causes})


# --- the text -------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """Lines as a function: its text, the ``expression`` that it gives where that is all it says,
    how many numbers it is ``given``, and the ``kind`` of what it gives, as `_kind` names it.
    """

    text: str
    expression: str
    given: int
    kind: str


class _Stays(Exception):
    """Lines that are no function of numbers which gives a number."""


def _kind(value: Any) -> str:
    """By the words of `rules.lines`; "" for what is no float, and no array of such, or of whole
    numbers or truths.
    """
    if type(value) is float or type(value) is np.float64:
        return "float" if type(value) is float else "double"
    if type(value) is not np.ndarray or not value.ndim:
        return ""
    word = _OF_DTYPE.get(value.dtype, "")
    return word and f"{word}{value.ndim}"


_OF_DTYPE = {np.dtype(float): "ndarray", np.dtype(np.int64): "counts", np.dtype(bool): "bools"}
INERT = ("counts", "bools", "inert")
"""Kinds to which no derivative comes."""


def _is_given(value: Any) -> bool:
    """May a function be given it, so that its cotangent is a number or an array?"""
    return bool(_kind(value)) or type(value) in (int, bool, np.int64, np.bool_)


def _shares(a: Any, b: Any) -> bool:
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.may_share_memory(a, b)


class _Apart:
    """The lines of a text with some of them apart; ``values``: what their names stand for. A line
    that gives something else than a number goes into the functions of those that use it. What the
    functions ``parted`` are given or give is ``written`` to, so they may give no part of that.
    """

    def __init__(self, lines: Sequence[str], values: Mapping[str, Any]) -> None:
        self.lines = [*lines]
        self.values = values
        self.steps: dict[str, _Step] = {}
        self._known: dict[Any, str] = {}
        self._inside: dict[str, str] = {}
        self.written = _written(lines)
        self.parted: set[str] = set()

    def put_all(self, left: Sequence[int]) -> bool:
        """Put these lines apart, and those that call the same: they would be left as well, once
        what they are given is known. False where there is none that can be.
        """
        called = {_function_in(self.lines[at]) for at in left if 0 <= at < len(self.lines)}
        found = [at for at in left if self.put(at)]
        if found:
            alike = [k for k, line in enumerate(self.lines) if _function_in(line) in called - {""}]
            found += [at for at in alike if self.put(at)]
        return bool(found)

    def put(self, at: int) -> bool:
        """Put a line apart; False where that is not to be."""
        kept = [*self.lines], dict(self.steps), dict(self._inside), set(self.parted)
        try:
            self._put(at)
        except _Stays:
            self.lines, self.steps, self._inside, self.parted = kept
            return False
        return True

    def _put(self, at: int) -> None:
        tree = _assignment(self.lines[at]) if 0 <= at < len(self.lines) else None
        if tree is None or _called(tree.value) in self.steps:
            raise _Stays
        (target,) = tree.targets
        assert isinstance(target, ast.Name)
        kind = _kind(self.values.get(target.id))
        if not kind:
            self._put_inside(at, target.id)
            return
        step, operands = self._step(self.lines[at], kind)
        y = self.values[target.id]
        name = self._named(step)
        if any(map(self._is_of_written, [y, *[self.values[each] for each in operands]])):
            if any(_shares(y, self.values[each]) for each in operands):
                raise _Stays
            self.parted.add(name)
        self.lines[at] = f"{target.id} = {name}({', '.join(operands)})"
        for k in range(at + 1, len(self.lines)):
            if self.lines[k] == f"if np.iscomplexobj({target.id}):":  # it is asked in the function
                self._leave_out(k)

    def _put_inside(self, at: int, name: str) -> None:
        """A line that gives something else, which those that use it compute again; the tests of it
        are one, which stays where the first was.
        """
        names = _names_in(self.lines[at])
        if names & self.written or any(self._is_of_written(self.values.get(n)) for n in names):
            raise _Stays
        self._inside[name] = self.lines[at]
        self.lines[at] = f"# {self.lines[at]}"
        tests: list[int] = []
        for k in range(at + 1, len(self.lines)):
            names = _names_in(self.lines[k])
            if name in names and not self.lines[k].endswith(":"):
                self._put(k)
            elif name in names and names.isdisjoint(self.values.keys() - {name}):
                tests.append(k)
            elif name in names:
                raise _Stays
        if tests:
            asked = " or ".join(f"({self.lines[k][3:-1]})" for k in tests)
            step, operands = self._step(f"asked = {asked}", "inert")
            for k in tests:
                self._leave_out(k)
            self.lines[tests[0]] = f"if {self._named(step)}({', '.join(operands)}):"
            self.lines[tests[0] + 1] = "    raise Left"

    def _line_of(self, name: str) -> int:
        """The line that binds a name."""
        for at, line in enumerate(self.lines):
            if line.startswith(f"{name} = "):
                return at
        raise _Stays

    def _is_of_written(self, v: Any) -> bool:
        """May the text write into its memory?"""
        if isinstance(v, (tuple, list)):
            return any(map(self._is_of_written, v))
        return any(_shares(v, self.values.get(name)) for name in self.written)

    def _leave_out(self, at: int) -> None:
        """A test, and what is done where it does not hold; the lines are counted."""
        self.lines[at : at + 2] = [f"# {line.strip()}" for line in self.lines[at : at + 2]]

    def _step(self, line: str, kind: str) -> tuple[_Step, list[str]]:
        """The line by names of its own, and what it is given."""
        lines = self._with_inner(line, [])
        bound = {*filter(None, map(_bound_by, lines))}
        operands: list[str] = []
        for each in lines:
            found = sorted(_names_in(each) & self.values.keys() - bound)
            operands += [name for name in found if name not in operands]
        others = [name for name in operands if not _is_given(self.values[name])]
        if others:  # they go into the functions, too, of all that use them
            for name in others:
                self._put_inside(self._line_of(name), name)
            return self._step(line, kind)
        if len(operands) > len(NAMES):
            raise _Stays
        own = dict(zip(operands, NAMES, strict=False))
        own |= {name: f"part_{k}" for k, name in enumerate(sorted(bound), 1)}
        body = [_renamed(each, own) for each in lines]
        expression = body[-1].partition(" = ")[2]
        body[-1] = f"return {expression}"
        head = f"({', '.join(NAMES[: len(operands)])}):"
        text = "\n".join([head, *[f"    {each}" for each in body]])
        return _Step(text, "" if len(body) > 1 else expression, len(operands), kind), operands

    def _with_inner(self, line: str, met: list[str]) -> list[str]:
        """The line behind those that give what it uses, which are no lines of the text any more."""
        found: list[str] = []
        for name in sorted(_names_in(line) & self._inside.keys()):
            if name not in met:
                met.append(name)
                found += self._with_inner(self._inside[name], met)
        return [*found, line]

    def _named(self, step: _Step) -> str:
        key = step.text, step.kind
        name = self._known.setdefault(key, f"line_{len(self._known) + 1}")
        self.steps[name] = step._replace(text=f"def {name}{step.text}")
        return name


def _assignment(line: str) -> ast.Assign | None:
    """A line that binds one name."""
    if line.endswith(":"):
        return None
    tree = ast.parse(line.strip()).body
    if len(tree) != 1 or not isinstance(tree[0], ast.Assign) or line.startswith(" "):
        return None
    targets = tree[0].targets
    return tree[0] if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _bound_by(line: str) -> str:
    """The name that a line binds; "" for a test."""
    tree = _assignment(line)
    return ast.unparse(tree.targets[0]) if tree is not None else ""


def _called(value: ast.expr) -> str:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id
    return ""


def _function_in(line: str) -> str:
    """What a line calls, if it binds a name to that; "" where it is a method or none."""
    tree = _assignment(line)
    if tree is None or not isinstance(tree.value, ast.Call):
        return ""
    func = tree.value.func
    root = func.value if isinstance(func, ast.Attribute) else func
    is_method = isinstance(root, ast.Name) and root.id.startswith("t_")
    return "" if is_method else ast.unparse(func)


def _tree(line: str) -> ast.AST:
    return ast.parse(f"{line.strip()} ..." if line.endswith(":") else line.strip())


def _names_in(line: str) -> set[str]:
    nodes = ast.walk(_tree(line))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _renamed(line: str, own: Mapping[str, str]) -> str:
    """The line with other names, which are none of its own."""
    tree = _tree(line)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = own.get(node.id, node.id)
    text = ast.unparse(tree)
    if line.endswith(":"):
        text = text.rpartition("...")[0].rstrip()
    return f"{line[: len(line) - len(line.lstrip())]}{text}"


def _written(lines: Sequence[str]) -> set[str]:
    """The arrays that the text writes into, by the names that it does so through.

    >>> sorted(_written(["t_1 = x * 2.0", "t_1[0] = y", "t_2 += t_1", "t_3.sort()"]))
    ['t_1', 't_2', 't_3']
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse("\n".join(["def text():", *[f"    {line}" for line in lines]]))):
        if isinstance(node, ast.AugAssign):
            found |= _bases([node.target])
        elif isinstance(node, (ast.Assign, ast.Delete)):
            found |= _bases([each for each in node.targets if not isinstance(each, ast.Name)])
        elif isinstance(node, ast.Expr):
            found |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found


def _bases(targets: Sequence[ast.expr]) -> set[str]:
    """What is written to, not what tells where."""
    found: set[str] = set()
    for target in targets:
        base = target
        while isinstance(base, (ast.Subscript, ast.Attribute, ast.Starred)):
            base = base.value
        if isinstance(base, (ast.Tuple, ast.List)):
            found |= _bases(base.elts)
        elif isinstance(base, ast.Name):
            found.add(base.id)
    return found


# --- the functions --------------------------------------------------------------------------------


def _function(straight: Straight, body: str, text: _Apart) -> FunctionType:
    """The text with its lines as functions that have rules, in a module of its own."""
    old = straight.function
    texts = [f"{step.text}\n\n\n" for step in text.steps.values()]
    module = module_of(old.__name__, "".join([*texts, body, "\n"]), old.__globals__)
    space = vars(module)
    for name, step in text.steps.items():
        space[name] = _with_rule(space[name], step, module, is_parted=name in text.parted)
    made: FunctionType = space[old.__name__]
    return made


def _with_rule(
    plain: FunctionType, step: _Step, module: ModuleType, *, is_parted: bool
) -> Callable[..., Any]:
    """The function with a test of what it gives, and a rule. What shares memory with an operand is
    copied, unless somebody writes to that (``is_parted``).
    """
    name, kind = plain.__name__, step.kind

    def line(*operands: Any) -> Any:
        y = plain(*operands)
        if kind == "inert":
            return bool(y)
        if _kind(y) != kind:
            raise Left
        if not any(_shares(y, each) for each in operands):
            return y
        if is_parted:
            raise Left
        return y.copy()

    def back(y_bar: Any, y: Any, *operands: Any) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            found = by_rule(y_bar, y, operands) if by_rule is not None else None
            if found is None:
                found = _by_pair(plain, y_bar, operands)
        return tuple([_own(bar, of, y_bar, y) for bar, of in zip(found, operands, strict=True)])

    line.__name__ = line.__qualname__ = name
    line.__module__ = module.__name__
    if kind.startswith(INERT):
        declare(line, None, NAMES[: step.given], kind)
        return line
    by_rule = _by_rule(step, vars(module)) if step.expression else None
    back.__name__ = back.__qualname__ = f"{name}_back"
    back.__module__ = module.__name__
    setattr(module, back.__name__, back)
    declare(line, back, NAMES[: step.given], kind)
    return line


def _own(bar: Any, of: Any, *others: Any) -> Any:
    """A cotangent in memory of its own; of what carries none, or nothing has come to, a zero."""
    if not isinstance(of, np.ndarray):
        return 0.0 if bar is None else bar
    if bar is None:
        return np.zeros(of.shape)
    is_own = bar.base is None and bar is not of and all(bar is not each for each in others)
    return bar if is_own else np.array(bar)


def _by_pair(fn: FunctionType, y_bar: Any, operands: Sequence[Any]) -> Sequence[Any]:
    """The cotangents of operands that nobody has a part of, or writes: no snapshot is needed."""
    from astad.runtime.calls.custom_calls import total  # late: with the dispatcher
    from astad.runtime.core.versions import Versions
    from astad.runtime.cotangents.shadows import Shadows
    from astad.runtime.cotangents.structures import scatter
    from astad.runtime.dispatch import call, pull

    given: list[Any] = []
    for each in operands:
        is_own = not isinstance(each, np.ndarray) or each.base is None
        given.append(each if is_own and not any(each is other for other in given) else each.copy())
    versions, shadows = Versions(), Shadows()
    y, record = call(versions, fn, *given)
    if versions.refused is not None or versions.found:
        found: Sequence[Any] = whole.run(fn, tuple(given), {}, self_too=False)[1](y_bar)
        return found
    bars = pull(shadows, record, scatter(shadows, y, y_bar), len(given))
    return [total(shadows, each, bar) for each, bar in zip(given, bars, strict=True)]


# --- by the rule of the only function that is called ----------------------------------------------

Back = Callable[[Any, Any, Sequence[Any]], Sequence[Any] | None]
"""From the cotangent of the result, the result and the operands to the cotangents of these; None
where the rule does not cover them."""


class _Mark:
    """An operand, by its place."""

    def __init__(self, at: int) -> None:
        self.at = at


def _by_rule(step: _Step, space: dict[str, Any]) -> Back | None:
    """None where it is no call of a function with formulas, of the operands as they are."""
    tree = ast.parse(step.expression, mode="eval").body
    if not isinstance(tree, ast.Call) or not all(map(_is_as_it_is, _operands_of(tree))):
        return None
    names = ", ".join(NAMES[: step.given])
    parts = ", ".join([*map(ast.unparse, tree.args), *map(_keyword, tree.keywords)])
    try:
        fn, parts = _function_of(tree.func, parts, space)
        of = eval(f"lambda given, {names}: given({parts})", space)
        rule = lookup(fn)
        if rule is None or not _has_formulas(fn, rule):
            return None
        values = of(lambda *args, **words: rule.bind(args, words), *map(_Mark, range(step.given)))
    except Exception:  # it is given what the rule has not
        return None
    wanted = [at for at, value in enumerate(values) if _holds_mark(value)]
    named = tuple(rule.parameters[at].lstrip("*") for at in wanted)
    if not rule.back.keys() >= {*named}:
        return None
    return _pulled(rule, named, wanted, values, step.given)


def _function_of(func: ast.expr, parts: str, space: dict[str, Any]) -> tuple[Any, str]:
    """The function and what it is called with: of a method that of the class, and the object."""
    if isinstance(func, ast.Attribute) and _names_in(ast.unparse(func)) & {*NAMES}:
        return getattr(np.ndarray, func.attr), f"{ast.unparse(func.value)}, {parts}"
    fn = eval(ast.unparse(func), space)
    if isinstance(func, ast.Attribute) and type(getattr(fn, "__self__", None)) is np.ufunc:
        return getattr(np.ufunc, func.attr), f"{ast.unparse(func.value)}, {parts}"
    return fn, parts


def _operands_of(call: ast.Call) -> list[ast.expr]:
    own = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    return [*own, *call.args, *[word.value for word in call.keywords]]


def _is_as_it_is(operand: ast.expr) -> bool:
    """Is nothing computed with the operands of the step before the call?"""
    if isinstance(operand, (ast.List, ast.Tuple)):
        return all(map(_is_as_it_is, operand.elts))
    is_name = isinstance(operand, ast.Name)
    return is_name or not any(
        isinstance(node, ast.Name) and node.id in NAMES for node in ast.walk(operand)
    )


def _keyword(word: ast.keyword) -> str:
    return f"{word.arg}={ast.unparse(word.value)}" if word.arg else f"**{ast.unparse(word.value)}"


def _has_formulas(fn: Any, rule: Rule) -> bool:
    is_apart = id(fn) in whole.full or id(fn) in CUSTOM or "overwrite_" in rule.refuse
    return rule.is_own and rule.form != "zero" and not is_apart


def _holds_mark(value: Any) -> bool:
    if type(value) is _Mark:
        return True
    return type(value) in (list, tuple) and any(map(_holds_mark, value))


def _pulled(
    rule: Rule, named: tuple[str, ...], wanted: Sequence[int], values: Sequence[Any], count: int
) -> Back:
    def filled(value: Any, operands: Sequence[Any]) -> Any:
        if type(value) is _Mark:
            return operands[value.at]
        if type(value) in (list, tuple) and _holds_mark(value):
            return type(value)([filled(part, operands) for part in value])
        return value

    def put(bars: list[Any], value: Any, bar: Any, operands: Sequence[Any]) -> None:
        if type(value) is _Mark:
            of = operands[value.at]
            bar = None if bar is None else project(bar, of, rule.name)
            bars[value.at] = add(bars[value.at], bar)
        elif type(value) in (list, tuple):
            for part, own in zip(value, [None] * len(value) if bar is None else bar, strict=True):
                put(bars, part, own, operands)

    def back(y_bar: Any, y: Any, operands: Sequence[Any]) -> list[Any] | None:
        given = [filled(value, operands) for value in values]
        bars: list[Any] = [None] * count
        try:
            if rule.refuses(given):
                return None
            found = rule.pull(named)(y_bar, y, *given)
            for at, bar in zip(wanted, found, strict=True):
                put(bars, values[at], bar, operands)
        except Exception:  # its pair refuses it in the user's words, or knows better
            return None
        return bars

    return back
