"""The text of one file, parsed once: the functions at a line, and the code they compile to.

A function is compiled with the top-level statement it stands in and nothing else of the file, so
that a file of a thousand functions is parsed once and compiled once.
"""

from __future__ import annotations
import __future__

import ast
import threading
import warnings
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType

from astad.compiler.frontend.agreement import agrees
from astad.threads import after_fork, restoring

__all__ = [
    "WHOLE",
    "Found",
    "FunctionNode",
    "ModuleText",
    "codes_below",
    "kept_text",
    "module_text",
    "name_of",
    "own_functions",
]

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FunctionNode = Defined | ast.GeneratorExp

FUTURES = 0
for _feature in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _feature).compiler_flag

_lock = threading.RLock()
_modules: OrderedDict[tuple[object, ...], ModuleText | None] = OrderedDict()
_KEPT = 32
_LINE_OF_ITS_OWN = 10_000_000

WHOLE = -1
"""In place of the number of a statement: all of the file."""


@dataclass(frozen=True, slots=True)
class Found:
    """A function in a text: node, class whose private names it uses, top-level statement.

    ``statement`` is the number of what is compiled for it, or WHOLE.
    """

    node: FunctionNode
    class_name: str | None
    statement: int


def module_text(file: str, text: str, flags: int) -> ModuleText | None:
    """The parsed text of a file, from the few that are kept; None where it does not parse."""
    key = file, flags & FUTURES, text
    return kept_text(key, lambda: ModuleText.parse(file, text, flags & FUTURES))


def kept_text(key: tuple[object, ...], parse: Callable[[], ModuleText | None]) -> ModuleText | None:
    """What was parsed under this key, or is now."""
    with _lock:
        if key not in _modules:
            _modules[key] = parse()
            while len(_modules) > _KEPT:
                _modules.popitem(last=False)
        _modules.move_to_end(key)
        return _modules[key]


def _begin_anew() -> None:
    """Of a child: what another thread was doing to the texts is half done."""
    global _lock
    if not _lock.acquire(blocking=False):
        _lock = threading.RLock()
        _modules.clear()
    else:
        _lock.release()


after_fork(_begin_anew)


class ModuleText:
    """The statements of a file; compiled statement by statement, at most once each."""

    def __init__(self, file: str, statements: list[ast.stmt], flags: int) -> None:
        self.file = file
        self.flags = flags
        self._statements = statements
        self._starts = [_first_line(statement) for statement in statements]
        self._imports = list(_imports(statements))
        self._codes: dict[int, CodeType] = {}
        self.declared: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, file: str, text: str, flags: int) -> ModuleText | None:
        # Top-level await: IPython cells may contain one.
        how = flags | ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = compile(text, file, "exec", how, dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
        return cls.of_tree(file, tree, flags, "global" in text)

    @classmethod
    def of_tree(cls, file: str, tree: ast.Module, flags: int, declares: bool = True) -> ModuleText:
        """Of a parsed text; ``declares``: it may have statements ``global``."""
        made = cls(file, tree.body, flags & FUTURES)
        if declares:
            made.declared = frozenset(_declared(tree))
        return made

    def functions(self, name: str, line: int) -> Iterator[Found]:
        """The functions called ``name`` (lambdas: ``<lambda>``) whose code starts at ``line``."""
        index = bisect_right(self._starts, line) - 1
        while index >= 0 and _spans(self._statements[index], line):
            for node, class_name in _functions_at(self._statements[index], line):
                if name_of(node) == name:
                    yield Found(node, class_name, index)
            index -= 1

    def codes_of(self, found: Found) -> list[CodeType]:
        """The code objects with the name and first line of a function; more than one where Python
        compiles a ``finally`` twice."""
        name, line = name_of(found.node), _first_line(found.node)
        every = codes_below(self._code(found.statement))
        return [code for code in every if code.co_name == name and code.co_firstlineno == line]

    def told_apart(self, statement: int, nodes: Sequence[FunctionNode]) -> list[CodeType | None]:
        """For each of several functions that agree in name and line, its code object.

        The statement is compiled once more, with a first line of its own for each of them: the two
        results hold the same code objects in the same order.
        """
        plain = list(codes_below(self._code(statement)))
        lines = [_LINE_OF_ITS_OWN + number for number in range(len(nodes))]
        marked = list(codes_below(self._compile_with_lines(statement, nodes, lines)))
        if len(plain) == len(marked):
            pairs = zip(marked, plain, strict=True)
            found: dict[int, CodeType | None] = {mark.co_firstlineno: code for mark, code in pairs}
        else:
            # without columns (-X no_debug_ranges) Python keeps one code object of equal lambdas
            found = {mark.co_firstlineno: _first_equal(mark, plain) for mark in marked}
        return [found.get(line) for line in lines]

    def _code(self, statement: int) -> CodeType:
        with _lock:
            if statement not in self._codes:
                self._codes[statement] = self._compile(statement)
            return self._codes[statement]

    def _compile_with_lines(
        self, statement: int, nodes: Sequence[FunctionNode], lines: list[int]
    ) -> CodeType:
        with _lock:
            saved = [(node, node.lineno, node.end_lineno) for node in nodes]

            def compile_moved() -> CodeType:
                for node, line in zip(nodes, lines, strict=True):
                    # as many lines long as it is: within one, its end may stand left of its start
                    node.lineno, node.end_lineno = line, line + (node.end_lineno or 0) - node.lineno
                return self._compile(statement)

            def restore() -> None:
                for node, first, last in saved:
                    node.lineno, node.end_lineno = first, last

            return restoring(compile_moved, restore)

    def _compile(self, statement: int) -> CodeType:
        statements = self._statements
        if statement != WHOLE:
            # With the imports, since Python compiles a call of `module.f` otherwise than one of
            # `o.f` where it sees that the name is a module's.
            statements = [*self._imports, self._statements[statement]]
        how = self.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.Module(statements, [])
            code: CodeType = compile(tree, self.file, "exec", how, dont_inherit=True)
            return code


def codes_below(code: CodeType) -> Iterator[CodeType]:
    """Every code object inside another, outer before inner."""
    left = [code]
    while left:
        outer = left.pop()
        inner = [const for const in outer.co_consts if isinstance(const, CodeType)]
        yield from inner
        left.extend(inner)


def _first_equal(code: CodeType, codes: list[CodeType]) -> CodeType | None:
    return next((other for other in codes if agrees(code, other)), None)


def own_functions(node: FunctionNode) -> Iterator[FunctionNode]:
    """The functions made by a function itself and by class bodies in it, not by those inside it."""
    left = _body(node)[::-1]
    while left:
        child = left.pop()
        if isinstance(child, ast.GeneratorExp):  # a comprehension, or a function
            yield child
            left.extend(ast.iter_child_nodes(child))
        elif isinstance(child, Defined):
            yield child
            left.extend(_evaluated_outside(child))
        else:
            left.extend(ast.iter_child_nodes(child))


def _body(node: FunctionNode) -> list[ast.AST]:
    if isinstance(node, ast.Lambda):
        return [node.body]
    if isinstance(node, ast.GeneratorExp):
        first, *others = node.generators
        return [node.elt, first.target, *first.ifs, *others]
    return list(node.body)


def _evaluated_outside(node: Defined) -> Iterator[ast.AST]:
    """The parts of a function that run in the scope around it."""
    yield from (default for default in node.args.defaults + node.args.kw_defaults if default)
    if not isinstance(node, ast.Lambda):
        yield from node.decorator_list


def _declared(tree: ast.Module) -> Iterator[str]:
    """The names that functions of the file declare global."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names


def _imports(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The imports of a module's own scope."""
    left: list[ast.AST] = list(statements)
    while left:
        node = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            if getattr(node, "module", None) != "__future__":
                yield node
        elif not isinstance(node, FunctionNode | ast.ClassDef | ast.expr):
            left.extend(ast.iter_child_nodes(node))


def name_of(node: FunctionNode) -> str:
    """The name of its code object."""
    if isinstance(node, ast.Lambda):
        return "<lambda>"
    return "<genexpr>" if isinstance(node, ast.GeneratorExp) else node.name


def _first_line(node: ast.AST) -> int:
    """The line a definition's code starts at: its first decorator's."""
    line: int = getattr(node, "lineno", 0)
    decorators = getattr(node, "decorator_list", ())
    return min([line, *(each.lineno for each in decorators)]) if decorators else line


def _spans(node: ast.AST, line: int) -> bool:
    last = getattr(node, "end_lineno", None)
    return last is None or _first_line(node) <= line <= last


def _functions_at(statement: ast.stmt, line: int) -> Iterator[tuple[FunctionNode, str | None]]:
    """The functions at a line, in source order, each with the class around it."""
    left: list[tuple[ast.AST, str | None]] = [(statement, None)]
    while left:
        node, class_name = left.pop()
        if isinstance(node, FunctionNode) and _first_line(node) == line:
            yield node, class_name
        below = node.name if isinstance(node, ast.ClassDef) else class_name
        inside = set(map(id, node.body)) if isinstance(node, ast.ClassDef) else set()
        children = [child for child in ast.iter_child_nodes(node) if _spans(child, line)]
        # Decorators and bases of a class do not see its private names.
        left.extend(
            (child, below if id(child) in inside else class_name) for child in children[::-1]
        )
