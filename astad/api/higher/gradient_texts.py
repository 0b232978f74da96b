"""The text of a fused gradient as one that is differentiated again: without its guard, each
gradient as users get it, and what is kept for the reverse sweep as numbers.

>>> source = '''def square_gradient(x):
...     if not type(x) is float:
...         return NotImplemented
...     return x * x, (2 * x,)
... '''
>>> made = gradient_text(source, ["float"], [True], How("gradient", (0,)), "square")
>>> print(made.text, end="")
def square_gradient(x):
    return (x * x, (2 * x,))
<BLANKLINE>
def gradient_of_square(x):
    y, (x_bar,) = square_gradient(x)
    return (x_bar,)
>>> print(ast.unparse(made.guard))
def holds(x):
    if not type(x) is float:
        return False
    return True
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any, NamedTuple

from astad.api.higher.how import How

__all__ = ["GradientText", "forward_text", "gradient_text", "reaches_part"]


class GradientText(NamedTuple):
    """A text, the name of the function in it that gives what is asked for, and the guard.

    ``asks_values``: the guard tells only while the function runs, as that a power of a float has
    not turned complex; kinds alone do not. ``globals``: names in the text, each for what a
    namespace, by its name in the fused text, holds under a name.
    """

    text: str
    asked: str
    guard: ast.Module
    asks_values: bool
    globals: tuple[tuple[str, str, str], ...]


def gradient_text(
    source: str,
    kinds: Sequence[str],
    reaches: Sequence[bool],
    how: How,
    stem: str,
    lone: Collection[str] = (),
    spaces: Mapping[str, Mapping[str, Any]] | None = None,
    others: Collection[str] = (),
) -> GradientText | None:
    """Of the text of a fused variant; None where its gradients are not finished by a text alone.

    ``kinds`` are words, one for each parameter, ``reaches`` tells whether a path leads to it;
    ``lone`` are names of namespaces that are no module's, ``spaces`` what all namespaces hold;
    ``others`` are names from which numbers may come that are not Python's own, where the gradient
    of a float may be no float.
    """
    assert how.places is not None
    wanted = sorted(set(how.places))
    tree, main, head = _without_guards(source)
    everywhere = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    words = [ast.parse(kinds[at], mode="eval").body for at in wanted]
    in_numbers = how.name == "numbers"  # zeros where no path leads
    reached = [reaches[at] or in_numbers for at in wanted]
    finish = _Finish(main, words, reached, wanted, everywhere, others)
    finish.visit(main)
    _Plain(tree).visit(tree)
    _Whole(tree, finish.maybe).visit(tree)
    _ByName(head).visit(main)
    if how.name == "parts":
        _InDicts().visit(tree)
    for function in tree.body:
        _join_parts(function)
    if finish.failed or any(_gives_up(node) for node in ast.walk(main)):
        return None
    main.body[:0] = finish.shapes
    if in_numbers:
        _InNumbers([kinds[at] for at in how.places]).visit(main)
    named = _Globals(tree, lone, spaces or {})
    tree = named.visit(tree)
    asked = main.name if in_numbers else f"{how.name}_of_{stem}"
    if not in_numbers:
        tree.body += ast.parse(_asked(main, asked, how)).body
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    asks = _asks_values(head)
    return GradientText(text, asked, _guard(main, head), asks, tuple(named.found))


def _without_guards(source: str) -> tuple[ast.Module, ast.FunctionDef, list[ast.stmt]]:
    """A text, its function without the tests at the head, and the head with them."""
    tree = ast.parse(source)
    main = tree.body[0]
    assert isinstance(main, ast.FunctionDef)
    guards = [at for at, node in enumerate(main.body) if _is_guard(node)]
    head = main.body[: max(guards, default=-1) + 1]
    main.body = [node for node in main.body if not _is_guard(node)]
    return tree, main, head


def forward_text(
    source: str,
    how: How,
    stem: str,
    lone: Collection[str] = (),
    spaces: Mapping[str, Mapping[str, Any]] | None = None,
) -> GradientText | None:
    """The same of a text that carries tangents along, or none: its parameters first, then the
    tangents of those that move.
    """
    assert how.places is not None
    tree, main, head = _without_guards(source)
    if any(isinstance(node, ast.Name) and node.id == "NotImplemented" for node in ast.walk(tree)):
        return None  # it may be the user's own
    named = _Globals(tree, lone, spaces or {})
    tree = named.visit(tree)
    params, first = [arg.arg for arg in main.args.args], list[str]()
    dots = dict.fromkeys(how.places if how.name == "tangent" else (), "")
    while params:
        if len(first) in dots:
            dots[len(first)] = params.pop(1)
        first.append(params.pop(0))
    given = ", ".join([*first, *(dots[at] for at in sorted(dots))])
    asked = f"{how.name}_of_{stem}"
    own = ", ".join(arg.arg for arg in main.args.args)
    tree.body += ast.parse(f"def {asked}({given}):\n    return {main.name}({own})\n").body
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    asks, guard = _asks_values(head), _guard(main, head)
    guard.body[0].args = ast.parse(f"lambda {', '.join(first)}: 0").body[0].value.args  # type: ignore[attr-defined]
    return GradientText(text, asked, guard, asks, tuple(named.found))


def _asked(main: ast.FunctionDef, name: str, how: How) -> str:
    """The function that gives what is asked for, and in the order in which it is."""
    assert how.places is not None
    names = [arg.arg for arg in main.args.args]
    bars = [f"{names[at]}_bar" for at in how.places]
    found = "".join(f"{names[at]}_bar, " for at in sorted(set(how.places)))
    gradients = bars[0] if how.single else f"({''.join(f'{bar}, ' for bar in bars)})"
    result = f"(y, {gradients})" if how.name == "value_and_grad" else gradients
    given = ", ".join(names)
    return f"def {name}({given}):\n    y, ({found}) = {main.name}({given})\n    return {result}\n"


def reaches_part(text: str, at: int, path: Sequence[Any]) -> bool:
    """Does a path lead to what lies at steps into a gradient, the one at this place of all? Of what
    is a name, only the program tells.

    >>> text = "def f(x):\\n    return (1.0, ({'a': x, 'b': (x, None)}, None))\\n"
    >>> [reaches_part(text, 0, path) for path in (["a"], ["b", 0], ["b", 1], ["c"])]
    [True, True, False, False]
    """
    main = ast.parse(text).body[0]
    last = main.body[-1] if isinstance(main, ast.FunctionDef) else None
    pair = last.value if isinstance(last, ast.Return) else None
    bars = pair.elts[1] if isinstance(pair, ast.Tuple) else None
    return _reaches(bars.elts[at], path) if isinstance(bars, ast.Tuple) else True


def _reaches(bar: ast.expr, path: Sequence[Any]) -> bool:
    if isinstance(bar, ast.Constant):
        return bar.value is not None
    if isinstance(bar, ast.IfExp):
        return _reaches(bar.body, path) or _reaches(bar.orelse, path)
    if not path:
        return True
    step, rest = path[0], path[1:]
    if isinstance(bar, ast.Dict):
        step = getattr(step, "name", step)
        keys = [*map(_key, bar.keys)]
        if step in keys:
            return _reaches(bar.values[keys.index(step)], rest)
        return _UNREAD in keys
    if isinstance(bar, (ast.Tuple, ast.List)):
        return _reaches(bar.elts[step], rest)
    if isinstance(bar, ast.Call) and ast.unparse(bar.func) == "Tangent":
        parts = {each.arg: each.value for each in bar.keywords}
        return step.name in parts and _reaches(parts[step.name], rest)
    return True


_UNREAD = object()


def _key(node: ast.expr | None) -> Any:
    """Of a display; -1 and a tuple are no constants to the parser."""
    try:
        return _UNREAD if node is None else ast.literal_eval(node)
    except ValueError:
        return _UNREAD


class _ByName(ast.NodeTransformer):
    """What an object holds by the names of its attributes, which the guard has found."""

    def __init__(self, head: Sequence[ast.stmt]) -> None:
        self.names: dict[str, tuple[str, ...]] = {}
        for node in [part for each in head for part in ast.walk(each)]:
            if isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.Tuple):
                asked = re.fullmatch(r"tuple\((.*)\.__dict__\)", ast.unparse(node.left))
                if asked:
                    self.names[asked[1]] = ast.literal_eval(node.comparators[0])

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        found = re.fullmatch(r"(.*)\.__dict__\.values\(\)", ast.unparse(node.value))
        names = self.names.get(found[1]) if found else None
        if found is None or names is None:
            return node
        held = "".join(f"{found[1]}.{name}, " for name in names)
        return ast.Assign(node.targets, ast.parse(f"({held})", mode="eval").body)


class _InNumbers(ast.NodeTransformer):
    """What the function returns as one array of all numbers of its gradients."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = kinds

    def visit_Return(self, node: ast.Return) -> ast.Return:
        pair = node.value
        if not isinstance(pair, ast.Tuple) or not isinstance(pair.elts[-1], ast.Tuple):
            return node
        both = zip(map(ast.unparse, pair.elts[-1].elts), self.kinds, strict=True)
        bars = [(f"({bar})", kind.startswith("ndarray")) for bar, kind in both]
        if any(is_array for _, is_array in bars):
            parts = [f"{bar}.flatten()" if one else f"np.array([{bar}])" for bar, one in bars]
            text = f"np.concatenate([{', '.join(parts)}])"
        else:
            text = f"np.array([{', '.join(bar for bar, _ in bars)}])"
        return ast.Return(ast.parse(text, mode="eval").body)


class _InDicts(ast.NodeTransformer):
    """Each record of the parts of an object as a dict."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if ast.unparse(node.func) != "Tangent":
            return node
        keys: list[ast.expr | None] = [ast.Constant(each.arg) for each in node.keywords]
        return ast.Dict(keys, [each.value for each in node.keywords])


# --- the guard


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and len(node.body) == 1 and _gives_up(node.body[0])


def _gives_up(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Return) else None
    return isinstance(value, ast.Name) and value.id == "NotImplemented"


def _asks_values(head: Sequence[ast.stmt]) -> bool:
    """Is there a test that is not ``not (type(x) is float and ...)``?"""
    tests = [node.test for node in head if isinstance(node, ast.If) and _is_guard(node)]
    return not all(
        isinstance(test, ast.UnaryOp) and isinstance(test.operand, (ast.BoolOp, ast.Compare))
        for test in tests
    )


def _guard(main: ast.FunctionDef, head: Sequence[ast.stmt]) -> ast.Module:
    """The guard as a function of its own."""
    answer: list[ast.stmt] = []
    for node in head:
        if isinstance(node, ast.If) and _is_guard(node):
            node.body = [ast.Return(ast.Constant(False))]
        answer.append(node)
    answer.append(ast.Return(ast.Constant(True)))
    made = ast.FunctionDef("holds", main.args, answer, [])
    return ast.fix_missing_locations(ast.Module([made], []))


# --- what it returns and keeps


class _Finish(ast.NodeTransformer):
    """Each gradient that the function returns as users get it."""

    def __init__(
        self,
        main: ast.FunctionDef,
        words: Sequence[ast.expr],
        reaches: Sequence[bool],
        wanted: Sequence[int],
        names: Set[str],
        others: Collection[str],
    ) -> None:
        self.names = [main.args.args[at].arg for at in wanted]
        self.taken = {node.id for node in ast.walk(main) if isinstance(node, ast.Name)}
        self.buffers = _only_zeros(main)
        self.maybe = {
            target.id
            for node in ast.walk(main)
            if isinstance(node, ast.Assign) and ast.unparse(node.value) == "None"
            for target in node.targets
            if isinstance(target, ast.Name) and "_bar" in target.id
        }
        self.last = main.body[-1]
        self.at_the_end = _displays(main)
        self.displays: dict[str, ast.expr] = {}
        self.exact = names.isdisjoint(others)
        self.words = words
        self.reaches = reaches
        self.shapes: list[ast.stmt] = []
        self.failed = False

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.displays = self.at_the_end if node is self.last else {}
        pair = node.value
        bars = pair.elts[1] if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 else None
        if isinstance(bars, ast.Name):
            bars = self.displays.get(bars.id)
        if not isinstance(pair, ast.Tuple) or not isinstance(bars, ast.Tuple):
            self.failed |= not _gives_up(node)
            return node
        known = zip(bars.elts, self.names, self.words, self.reaches, strict=True)
        pair.elts[1] = ast.Tuple([self._finished(*each) for each in known], ast.Load())
        return node

    def _finished(self, bar: ast.expr, name: str, word: ast.expr, reaches: bool) -> ast.expr:
        if not isinstance(bar, ast.Name) or bar.id not in self.maybe:
            return self._given(bar, name, word, reaches)
        test = ast.Compare(bar, [ast.Is()], [ast.Constant(None)])
        nothing = self._given(ast.Constant(None), name, word, reaches)
        return ast.IfExp(test, nothing, self._given(bar, name, word, reaches))

    def _given(self, bar: ast.expr, name: str, word: ast.expr, reaches: bool) -> ast.expr:
        if isinstance(bar, ast.Name) and isinstance(
            word, (ast.Call, ast.Dict, ast.List, ast.Tuple)
        ):
            bar = self.displays.get(bar.id, bar)
        nothing = isinstance(bar, ast.Constant) and not bar.value
        if nothing and not reaches:
            return ast.Constant(None)
        if isinstance(word, ast.Name) and word.id.startswith("ndarray"):
            return self._array(bar, name, nothing)
        if isinstance(word, ast.Name):
            return self._number(bar, word.id, nothing)
        if isinstance(word, ast.Call) and getattr(word.func, "id", "") == "object":
            return self._object(bar, name, word)
        return self._container(bar, name, word)

    def _object(self, bar: ast.expr, place: str, word: ast.Call) -> ast.expr:
        """A record with the names of the attributes to which something has come."""
        kinds = {each.arg: each.value for each in word.keywords}
        if not isinstance(bar, ast.Dict):
            self.failed = True
            return bar
        parts = []
        for key, part in zip(bar.keys, bar.values, strict=True):
            name = str(key.value) if isinstance(key, ast.Constant) else ""
            nothing = isinstance(part, ast.Constant) and part.value is None
            made = part if nothing else self._part(part, f"{place}.{name}", kinds[name])
            parts.append(ast.keyword(name, made))
        return ast.Call(ast.Name("Tangent", ast.Load()), [], parts)

    def _array(self, bar: ast.expr, place: str, nothing: bool) -> ast.expr:
        """Of the shape of what lies at a place: a name, or a path from one."""
        shape = "_".join([*re.findall(r"\w+", place, re.ASCII), "shape"])
        while shape in self.taken:
            shape += "_"
        line = f"{shape} = {place}.shape"
        if line not in [ast.unparse(each) for each in self.shapes]:
            self.shapes += ast.parse(line).body
        if isinstance(bar, ast.Name) and bar.id in self.buffers:  # what it returns has one name
            return ast.Call(ast.Attribute(bar, "copy", ast.Load()), [], [])
        text = f"np.zeros({shape})" if nothing else f"np.broadcast_to(0, {shape}).copy()"
        made = ast.parse(text, mode="eval").body
        if not nothing:
            inner = made.func.value  # type: ignore[attr-defined]  # of the copy
            inner.args[0] = bar
        return made

    def _number(self, bar: ast.expr, word: str, nothing: bool) -> ast.expr:
        if nothing:
            self.failed |= word == "real"  # a zero of its type, which no text tells
            return ast.Constant({"float": 0.0, "int": 0}.get(word))
        if word == "float" and not self.exact:
            return ast.Call(ast.Name("float", ast.Load()), [bar], [])
        if isinstance(bar, ast.IfExp):  # what comes is told by a branch
            arms = [self._number(arm, word, _is_nothing(arm)) for arm in (bar.body, bar.orelse)]
            return ast.IfExp(bar.test, *arms)
        return bar

    def _container(self, bar: ast.expr, place: str, word: ast.expr) -> ast.expr:
        if _is_nothing(bar):
            bar = _of_nothing(word)
        if isinstance(word, (ast.List, ast.Tuple)) and _is_open(word):
            self.failed |= not isinstance(bar, ast.Name) or not isinstance(word, ast.List)
            return bar
        if isinstance(word, ast.Dict) and isinstance(bar, ast.Dict):
            parts = zip(bar.keys, bar.values, word.values, strict=True)
            kept = [
                (key, self._part(part, f"{place}[{ast.unparse(key)}]", kind))
                for key, part, kind in parts
                if key is not None and _is_number(kind)
            ]
            return ast.Dict([key for key, _ in kept], [part for _, part in kept])
        if isinstance(word, (ast.List, ast.Tuple)) and isinstance(bar, (ast.List, ast.Tuple)):
            both = enumerate(zip(bar.elts, word.elts, strict=True))
            made = [self._part(part, f"{place}[{at}]", kind) for at, (part, kind) in both]
            return type(word)(made, ast.Load())
        self.failed = True
        return bar

    def _part(self, bar: ast.expr, place: str, word: ast.expr) -> ast.expr:
        """What lies in a container."""
        return self._finished(bar, place, word, True)


def _only_zeros(main: ast.FunctionDef) -> set[str]:
    """Names of cotangents that are bound to new arrays of zeros, in every branch that binds them:
    what is added to these in place has their shape.
    """
    zeros, others = set[str](), set[str]()
    for node in ast.walk(main):
        if isinstance(node, ast.Assign):
            made = ast.unparse(node.value).startswith("np.zeros(")
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            zeros |= names if made else set()
            others |= set() if made else names
    return {name for name in zeros - others if name.endswith("_bar")}


def _displays(main: ast.FunctionDef) -> dict[str, ast.expr]:
    """What the names stand for that are bound to containers right before the last line."""
    found: dict[str, ast.expr] = {}
    for node in reversed(main.body[:-1]):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        is_display = isinstance(node, ast.Assign) and isinstance(
            node.value, (ast.Dict, ast.List, ast.Tuple)
        )
        if not isinstance(target, ast.Name) or not is_display or not isinstance(node, ast.Assign):
            break
        found.setdefault(target.id, node.value)
    return found


def _of_nothing(word: ast.expr) -> ast.expr:
    """A container of this kind with None for each part."""
    nothing = ast.Constant(None)
    if isinstance(word, ast.Dict):
        return ast.Dict(word.keys, [nothing] * len(word.values))
    if isinstance(word, (ast.List, ast.Tuple)) and not _is_open(word):
        return type(word)([nothing] * len(word.elts), ast.Load())
    return nothing


_BRANCHING = (ast.If, ast.IfExp, ast.While)


class _Plain(ast.NodeTransformer):
    """What is kept for the reverse sweep as numbers: a test that came out true as 1, and 0.0 in a
    round that has nothing to keep, since nobody reads it.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.tests: set[str] = set()
        others: set[str] = set()
        self.asked: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                tells = isinstance(node.value, ast.Compare) or _is_not(node.value)
                (self.tests if tells else others).add(node.targets[0].id)
            asks = isinstance(node, ast.Compare) and any(
                isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops
            )
            if asks and isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
                self.asked.add(node.left.id)
        self.tests -= others
        branching = [node.test for node in ast.walk(tree) if isinstance(node, _BRANCHING)]
        branching += [test.operand for test in branching if isinstance(test, ast.UnaryOp)]
        # of arrays no branch asks
        self.tests &= {test.id for test in branching if isinstance(test, ast.Name)}

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        """``np.multiply.outer``, which only products of vectors with matrices need, as np.outer."""
        inner = node.value
        is_product = isinstance(inner, ast.Attribute) and inner.attr == "multiply"
        if node.attr == "outer" and is_product and isinstance(inner, ast.Attribute):
            return ast.Attribute(inner.value, "outer", node.ctx)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if ast.unparse(node.func).startswith("kept_"):  # kept_1.append
            kept = node.args[0]
            parts = kept.elts if isinstance(kept, ast.Tuple) else node.args
            parts[:] = [self._number(part) for part in parts]
        return node

    def _number(self, part: ast.expr) -> ast.expr:
        if isinstance(part, ast.Name) and part.id in self.tests:
            return ast.IfExp(part, ast.Constant(1), ast.Constant(0))
        return part

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        target, value = node.targets[0], node.value
        is_none = isinstance(value, ast.Constant) and value.value is None
        if is_none and isinstance(target, ast.Name) and target.id not in self.asked:
            node.value = ast.Constant(0.0)
        return node


class _Whole(ast.NodeTransformer):
    """Slices written where they are used, and the array of its own that a cotangent is added to as
    one of NumPy's: of both the kind is known then.

    >>> tree = ast.parse("a = slice(None, -1)\\nx[a, 0] = owned(g, x.shape)")
    >>> print(ast.unparse(_Whole(tree, set()).visit(tree)))
    x[:-1, 0] = np.broadcast_to(g, x.shape) * 1.0
    """

    def __init__(self, tree: ast.Module, maybe: Set[str]) -> None:
        self.maybe = maybe
        stored = Counter(
            node.id for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )  # fmt: skip
        self.slices = {
            node.targets[0].id: node.value.args
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "slice"
            and all(map(_is_literal, node.value.args))
            and len(node.value.args) in (2, 3)
            and stored[node.targets[0].id] == 1
        }  # fmt: skip
        inside = Counter(
            part.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript)
            for part in (node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
            if isinstance(part, ast.Name)
        )
        read = Counter(
            node.id for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )  # fmt: skip
        self.slices = {
            name: args for name, args in self.slices.items() if inside[name] == read[name]
        }

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.slices:
            return None
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = [self._slice(part) for part in node.slice.elts]
        else:
            node.slice = self._slice(node.slice)
        return node

    def _slice(self, part: ast.expr) -> ast.expr:
        args = self.slices.get(part.id) if isinstance(part, ast.Name) else None
        if args is None:
            return part
        ends = [None if ast.literal_eval(arg) is None else arg for arg in args]
        return ast.Slice(*ends)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if node.keywords or len(node.args) != 2:
            return node
        if name == "np.add.reduce" and ast.unparse(node.args[1]) == "None":
            return ast.parse(f"np.sum({ast.unparse(node.args[0])})", mode="eval").body
        if not re.fullmatch(r"owned(_\d+)?", name):
            return node
        part, shape = node.args
        if isinstance(part, ast.Constant) or (isinstance(part, ast.Name) and part.id in self.maybe):
            return node
        text = f"np.broadcast_to({ast.unparse(part)}, {ast.unparse(shape)}) * 1.0"
        return ast.parse(text, mode="eval").body


def _is_literal(node: ast.expr) -> bool:
    try:
        return ast.literal_eval(node) is None or type(ast.literal_eval(node)) is int
    except ValueError:
        return False


def _join_parts(node: ast.AST) -> None:
    """``x_part = x_bar[i]; x_part += g`` as ``x_bar[i] += g``."""
    for name, block in ast.iter_fields(node):
        if not isinstance(block, list) or name not in ("body", "orelse"):
            continue
        at = 0
        while at < len(block):
            joined = _joined(block[at], block[at + 1]) if at + 1 < len(block) else None
            if joined is not None:
                block[at : at + 2] = [joined]
            _join_parts(block[at])
            at += 1


def _joined(first: ast.stmt, second: ast.stmt) -> ast.stmt | None:
    fits = isinstance(first, ast.Assign) and isinstance(second, ast.AugAssign)
    if not fits or not isinstance(first, ast.Assign) or not isinstance(second, ast.AugAssign):
        return None
    part, place = first.targets[0], first.value
    is_part = isinstance(part, ast.Name) and re.fullmatch(r"\w+_part(_\d+)?", part.id)
    same = isinstance(second.target, ast.Name) and is_part and second.target.id == part.id  # type: ignore[attr-defined]
    if not same or not isinstance(place, ast.Subscript):
        return None
    return ast.AugAssign(
        ast.Subscript(place.value, place.slice, ast.Store()), second.op, second.value
    )


def _is_not(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_number(word: ast.expr) -> bool:
    """May what has this word have a derivative? A dict of gradients has the keys of such."""
    return not isinstance(word, ast.Constant) and not _is_vague(word)


def _is_vague(word: ast.expr) -> bool:
    return isinstance(word, ast.Name) and word.id == "inert"


def _is_nothing(bar: ast.expr) -> bool:
    return isinstance(bar, ast.Constant) and not bar.value


def _is_open(word: ast.List | ast.Tuple) -> bool:
    last = word.elts[-1] if word.elts else None
    return isinstance(last, ast.Constant) and last.value is ...


class _Globals(ast.NodeTransformer):
    """Each ``g.x`` of a namespace that is no module's as a name of its own; builtins as such."""

    def __init__(
        self,
        tree: ast.Module,
        lone: Collection[str],
        spaces: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.lone = lone
        self.spaces = spaces
        self.taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.names: dict[tuple[str, str], str] = {}

    @property
    def found(self) -> list[tuple[str, str, str]]:
        return [(name, *what) for what, name in self.names.items()]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        root = node.value.id if isinstance(node.value, ast.Name) else ""
        if root in self.spaces and node.attr not in self.spaces[root]:
            return ast.Attribute(ast.Name("builtins", ast.Load()), node.attr, ast.Load())
        if root not in self.lone:
            return node
        key = root, node.attr
        if key not in self.names:
            name = f"{root}_{node.attr}"
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            self.names[key] = name
        return ast.Name(self.names[key], ast.Load())
