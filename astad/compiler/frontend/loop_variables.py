"""What a loop does to the variables of its function, by the text: which it binds, which it may read
before it binds them, into which it stores.

>>> loop = ast.parse('''
... for x in xs:
...     y = w @ (h + x)
...     h = np.tanh(y)
...     seen[0] += h.sum()
... ''').body[0]
>>> sorted(bound([loop])), sorted(exposed(loop)), sorted(stored_into([loop]))
(['h', 'x', 'y'], ['h', 'np', 'seen', 'w'], ['seen'])
>>> sorted(handed_on(ast.parse("a = f(b, c + d[0]) + math.sin(e)").body))
['b', 'math']
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "FUNCTION", "OWN_SCOPE", "at_once", "blocks", "bound", "bound_before", "captured", "everything",
    "exposed", "exposed_behind", "handed_on", "inside", "kept_functions", "loaded", "stored_into",
    "unbound_at_the_end",
]  # fmt: skip

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
OWN_SCOPE = (*FUNCTION, ast.ClassDef)
_COMPREHENSION = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes; of inner functions and classes these alone, with what is evaluated around them."""
    left = list(nodes)[::-1]
    while left:
        node = left.pop()
        yield node
        if isinstance(node, FUNCTION):
            left += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            left += getattr(node, "decorator_list", [])
        elif isinstance(node, ast.ClassDef):
            left += [*node.bases, *node.keywords, *node.decorator_list]
        else:
            left += list(ast.iter_child_nodes(node))[::-1]


def everything(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes, those of inner functions included."""
    for node in nodes:
        yield from ast.walk(node)


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement."""
    for field in ("body", "orelse", "finalbody"):
        found = getattr(node, field, None)
        if isinstance(found, list):
            yield found
    for each in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        yield each.body


# --- bound and read


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that are bound, or unbound by ``del``; not those of comprehensions."""
    nodes = list(nodes)
    found: set[str] = set()
    for node in inside(nodes):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        elif isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
    return found | _bound_by_names(nodes)


def _bound_by_names(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    left = list(nodes)
    while left:
        node = left.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        is_only_told = isinstance(node, ast.AnnAssign) and node.value is None
        if not isinstance(node, (*OWN_SCOPE, *_COMPREHENSION)) and not is_only_told:
            left += ast.iter_child_nodes(node)
    return found


def loaded(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that are read, by inner functions too; not those of these or of
    comprehensions.
    """
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                found.add(node.id)
        elif isinstance(node, _COMPREHENSION):
            own = _bound_by_names([each.target for each in node.generators])
            found |= loaded(ast.iter_child_nodes(node)) - own
            found |= loaded([node.generators[0].iter])
        elif isinstance(node, FUNCTION):
            found |= captured(node)
            found |= loaded([*node.args.defaults, *filter(None, node.args.kw_defaults)])
            found |= loaded(getattr(node, "decorator_list", []))
        else:
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            found |= loaded(ast.iter_child_nodes(node))
    return found


def captured(node: ast.AST) -> set[str]:
    """What an inner function, or a generator expression, reads or binds of the variables around."""
    if isinstance(node, ast.GeneratorExp):
        return loaded([node])
    assert isinstance(node, FUNCTION)
    args = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    outer = {
        name for each in inside(body) if isinstance(each, (ast.Nonlocal, ast.Global))
        for name in each.names
    }  # fmt: skip
    return (loaded(body) | (bound(body) & outer)) - (args | (bound(body) - outer))


# --- before and after


class _Flow:
    """Goes along statements: ``exposed`` are the names that may be read before they are bound."""

    def __init__(self) -> None:
        self.exposed: set[str] = set()

    def block(self, statements: Iterable[ast.stmt], known: set[str]) -> set[str] | None:
        """What is bound behind them for certain; None where they lead nowhere."""
        for statement in statements:
            after = self.statement(statement, known)
            if after is None:
                return None
            known = after
        return known

    def read(self, node: ast.AST | None, known: set[str]) -> None:
        if node is not None:
            self.exposed |= loaded([node]) - known

    def statement(self, node: ast.stmt, known: set[str]) -> set[str] | None:
        if isinstance(node, ast.If):
            self.read(node.test, known)
            one, other = self.block(node.body, known), self.block(node.orelse, known)
            return other if one is None else one if other is None else one & other
        if isinstance(node, (ast.While, ast.For)):
            if isinstance(node, ast.For):
                self.read(node.iter, known)
            self.exposed |= exposed(node) - known
            self.block(node.orelse, known)
            return known
        if isinstance(node, ast.With):
            for item in node.items:
                self.read(item.context_expr, known)
                known = known | bound([item.optional_vars] if item.optional_vars else [])
            self.block(node.body, known)
            return known  # what the block raises may be swallowed
        if isinstance(node, (ast.Try, ast.TryStar, ast.Match)):
            return self.cases(node, known)
        self.read(node, known)
        if isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            return None
        return (known | bound([node])) - _deleted(node)

    def cases(self, node: ast.Try | ast.TryStar | ast.Match, known: set[str]) -> set[str]:
        """Of which blocks run, and how far, nothing is known behind it."""
        if isinstance(node, ast.Match):
            self.read(node.subject, known)
            for case in node.cases:
                inner = known | bound([case.pattern])
                self.read(case.guard, inner)
                self.block(case.body, inner)
            return known
        after = self.block(node.body, known)
        self.block(node.orelse, known if after is None else after)
        self.block(node.finalbody, known)
        for handler in node.handlers:
            self.read(handler.type, known)
            self.block(handler.body, known | ({handler.name} if handler.name else set()))
        return known - {handler.name for handler in node.handlers if handler.name}


def unbound_at_the_end(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables of ``except ... as e``: none is bound behind its clause."""
    found = [each.name for each in everything(nodes) if isinstance(each, ast.ExceptHandler)]
    return {name for name in found if name is not None}


def _deleted(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Delete) else []
    return {each.id for each in targets if isinstance(each, ast.Name)}


def exposed(node: ast.For | ast.While) -> set[str]:
    """The variables that a round may read before it binds them."""
    flow = _Flow()
    if isinstance(node, ast.While):
        flow.read(node.test, set())
        flow.block(node.body, set())
    else:
        flow.block(node.body, bound([node.target]))
    return flow.exposed


def exposed_behind(statements: Sequence[ast.stmt], node: ast.stmt) -> set[str]:
    """The variables that may be read behind a statement before they are bound anew; it is among
    these or inside one of them, and in no loop.

    >>> body = ast.parse("for i in xs: pass\\nfor i in ys: s = i\\nreturn s").body
    >>> sorted(exposed_behind(body, body[0])), sorted(exposed_behind(body, body[1]))
    (['s', 'ys'], ['s'])
    """
    flow = _Flow()
    flow.block(_following(statements, node) or (), set())
    return flow.exposed


def _following(statements: Sequence[ast.stmt], node: ast.stmt) -> list[ast.stmt] | None:
    for at, each in enumerate(statements, 1):
        if each is node:
            return [*statements[at:]]
        for block in () if isinstance(each, OWN_SCOPE) else blocks(each):
            found = _following(block, node)
            if found is not None:
                return [*found, *statements[at:]]
    return None


def bound_before(
    statements: Iterable[ast.stmt], node: ast.stmt, known: set[str]
) -> set[str] | None:
    """What is bound for certain before a statement, which is among these or inside one of them;
    None where it is not.
    """
    flow = _Flow()
    for each in statements:
        if each is node:
            return known
        inner = known
        if isinstance(each, ast.With):
            inner = known | bound([i.optional_vars for i in each.items if i.optional_vars])
        for block in () if isinstance(each, OWN_SCOPE) else blocks(each):
            found = bound_before(block, node, inner)
            if found is not None:
                return found
        after = flow.statement(each, known)
        known = known if after is None else after
    return None


# --- functions made in a loop


_KEEPING = frozenset([
    "add", "append", "appendleft", "extend", "insert", "put", "register", "setdefault", "update",
])  # fmt: skip
_CONSUMING = frozenset([
    "all", "any", "array", "dict", "frozenset", "fromiter", "join", "list", "max", "min", "set",
    "sorted", "sum", "tuple",
])  # fmt: skip


def at_once(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Generator expressions that are gone through where they stand."""
    for each in everything(nodes):
        if isinstance(each, ast.Call) and _name_of(each.func) in _CONSUMING:
            yield from each.args


def kept_functions(nodes: Iterable[ast.AST], carried: set[str]) -> Iterator[ast.AST]:
    """Functions, made in a round, that may be called in a later one or behind the loop.

    >>> nodes = ast.parse("a = solve(lambda z: z - x); fs.append(lambda: x)").body
    >>> [ast.unparse(each) for each in kept_functions(nodes, set())]
    ['lambda: x']
    """
    nodes = list(nodes)
    parents = {id(c): node for node in everything(nodes) for c in ast.iter_child_nodes(node)}
    passed = set(map(id, at_once(nodes)))
    for each in everything(nodes):
        is_function = isinstance(each, (*FUNCTION, ast.GeneratorExp)) and id(each) not in passed
        if is_function and not _is_used_at_once(each, parents, nodes, carried):
            yield each


def _is_used_at_once(
    node: ast.AST, parents: dict[int, ast.AST], nodes: list[ast.AST], carried: set[str]
) -> bool:
    parent = parents.get(id(node))
    if isinstance(parent, ast.keyword):
        parent = parents.get(id(parent))
    if isinstance(parent, ast.Call):
        return _name_of(parent.func) not in _KEEPING or parent.func is node
    if isinstance(node, ast.FunctionDef):
        if node.decorator_list:
            return False
        names = {node.name}
    elif isinstance(parent, ast.Assign) and all(isinstance(t, ast.Name) for t in parent.targets):
        names = {each.id for each in parent.targets if isinstance(each, ast.Name)}
    else:
        return False
    uses = [
        each for each in everything(nodes)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id in names
    ]  # fmt: skip
    calls = [parents.get(id(each)) for each in uses]
    return carried.isdisjoint(names) and all(
        isinstance(call, ast.Call) and _name_of(call.func) not in _KEEPING for call in calls
    )


def _name_of(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


# --- written


def _root(node: ast.AST) -> str | None:
    """The variable that an expression is a part of, as ``a`` in ``a.b[0]``."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def stored_into(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables whose objects are written by a store into a part, or by ``out=``."""
    found: set[str | None] = set()
    for node in everything(nodes):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            found.add(_root(node))
        elif isinstance(node, ast.keyword) and node.arg == "out":
            found.add(_root(node.value))
    return {name for name in found if name is not None}


_READING = frozenset([
    "abs", "bool", "complex", "divmod", "float", "int", "isinstance", "len", "max", "min", "pow",
    "range", "round", "sum", "type",
])  # fmt: skip
_MODULES = frozenset(["math", "cmath", "np", "numpy"])
_OPERATION = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.If, ast.While, ast.Slice)


def handed_on(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables whose objects go where the text does not show what is done to them."""
    nodes = list(nodes)
    parents = {id(c): node for node in everything(nodes) for c in ast.iter_child_nodes(node)}
    return {
        node.id for node in everything(nodes)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        and not _is_only_read(node, parents)
    }  # fmt: skip


def _is_only_read(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    while isinstance(parent, ast.Subscript) and parent.value is node:
        node, parent = parent, parents.get(id(parent))
    if isinstance(parent, (ast.Subscript, *_OPERATION)):
        return True
    if isinstance(parent, ast.Attribute):
        return parent.attr in ("shape", "size", "ndim", "dtype")
    if not isinstance(parent, ast.Call):
        return False
    if isinstance(parent.func, ast.Name):
        return parent.func is node or parent.func.id in _READING
    return isinstance(parent.func, ast.Attribute) and _root(parent.func) in _MODULES
