"""The text of one file, parsed once: the functions at a line, and the code they compile to.

A function is compiled with the top-level statement it stands in and nothing else of the file, so
that a file of a thousand functions is parsed once and compiled once.

Is a text the text of what runs? It is compiled again and compared with the running code.

The functions a function makes: how to find their code again, and what they capture.

What an import hook made of a file, where that is not what the file says.

pytest rewrites asserts, so that a failure shows the operands; type checkers put checks between the
statements. The loader of the module is asked for the tree once more: what it hands to `compile` is
the text that runs.

>>> hooked_text({"__loader__": None}, "walk.py", "x = 1", 0) is None
True
"""

from __future__ import annotations
import __future__

import ast
import sys
import threading
import warnings
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Any  # loaders are foreign code

from astad.code_objects import ASYNCHRONOUS, GENERATOR, MORE, REST, STARRED, inner_codes
from astad.slotted import dataclass
from astad.spelling import spelled
from astad.threads import after_fork, restoring

__all__ = [
    "Found",
    "Inner",
    "ModuleText",
    "Position",
    "WHOLE",
    "agrees",
    "codes_below",
    "hook_of",
    "hooked_text",
    "inner_functions",
    "is_of_asserts",
    "module_text",
]

# --- is it the text of what runs?


_KIND = STARRED | GENERATOR | ASYNCHRONOUS


def agrees(compiled: CodeType, running: CodeType) -> bool:
    """Whether ``compiled``, from a text, is the code ``running``: signature, captured variables,
    names, constants and instructions are equal, inner functions included.
    """
    return _signature(compiled) == _signature(running) and _equal(compiled, running)


def _signature(code: CodeType) -> tuple[object, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & REST) + bool(code.co_flags & MORE)
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    kind = code.co_flags & _KIND
    return code.co_name, arguments, code.co_varnames[:count], code.co_freevars, kind


def _equal(compiled: CodeType, running: CodeType) -> bool:
    mine, theirs = _inner(compiled), _inner(running)
    return (
        compiled.co_code == running.co_code
        and compiled.co_names == running.co_names
        and compiled.co_varnames == running.co_varnames
        and compiled.co_cellvars == running.co_cellvars
        and _constants(compiled) == _constants(running)
        and len(mine) == len(theirs)
        and all(agrees(a, b) for a, b in zip(mine, theirs, strict=True))
    )


def _inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _constants(code: CodeType) -> list[object]:
    return [_key(const) for const in code.co_consts if not isinstance(const, CodeType)]


def _key(const: object) -> object:
    """A constant by type and spelling: 1, 1.0 and True differ, 0.0 and -0.0 too; nan is nan."""
    if isinstance(const, tuple):
        return ("tuple", *map(_key, const))
    if isinstance(const, frozenset):
        return ("frozenset", frozenset(map(_key, const)))
    return type(const), spelled(const)


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


def _tree_of(text: str, file: str, how: int) -> ast.Module:
    """Parsed again where another thread has parsed meanwhile: Python 3.11 counts how deep it is in
    a tree for all threads in one, and raises where the count has moved.
    """
    for left in reversed(range(_TRIES)):
        try:
            tree: ast.Module = compile(text, file, "exec", how, dont_inherit=True)
            break
        except SystemError as error:
            if not left or "recursion depth mismatch" not in str(error):
                raise
    return tree


_TRIES = 20


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
                tree = _tree_of(text, file, how)
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

    def without_codes(self) -> ModuleText:
        """The same, of which nothing is compiled yet."""
        made = ModuleText(self.file, self._statements, self.flags)
        made.declared = self.declared
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
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if getattr(node, "module", None) != "__future__":
                yield node
        elif not isinstance(node, (FunctionNode, ast.ClassDef, ast.expr)):
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


# --- functions that a function makes


Position = tuple[int, int]
"""Line and column at which a node starts: tells the functions of one tree apart."""


@dataclass(frozen=True, slots=True)
class Inner:
    """An inner function: name, line counted from the outer one's first, number among those that
    agree in both; and its ``co_freevars``."""

    key: tuple[str, int, int]
    free: tuple[str, ...]


def inner_functions(module: ModuleText, found: Found, code: CodeType) -> Mapping[Position, Inner]:
    """For the start of each function that ``found`` makes, what to know of it."""
    if not any(isinstance(const, CodeType) for const in code.co_consts):
        return {}
    groups: dict[tuple[str, int], list[FunctionNode]] = defaultdict(list)
    for node in own_functions(found.node):
        groups[_name_and_line(node)].append(node)
    codes: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for inner in inner_codes(code):
        codes[inner.co_name, inner.co_firstlineno].append(inner)
    out: dict[Position, Inner] = {}
    for (name, line), nodes in groups.items():
        numbers = _order(module, found, nodes, codes[name, line])
        for node, number in zip(nodes, numbers, strict=True):
            free = codes[name, line][number].co_freevars if number is not None else ()
            key = name, line - code.co_firstlineno, number or 0
            out[node.lineno, node.col_offset] = Inner(key, free)
    return out


def _name_and_line(node: FunctionNode) -> tuple[str, int]:
    name = name_of(node)
    return name, min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


def _order(
    module: ModuleText, found: Found, nodes: list[FunctionNode], codes: list[CodeType]
) -> list[int | None]:
    """For each node the number of its code among those of its name and line.

    None where Python made no code, as in ``if 0:``.
    """
    if len(nodes) == 1 or not codes:
        return [0 if codes else None] * len(nodes)
    places = {id(code): place for place, code in enumerate(codes)}
    return [places.get(id(code)) for code in module.told_apart(found.statement, nodes)]


# --- what an import hook made of it


_OWN = ("importlib", "_frozen_importlib", "zipimport", "astad.")


def hook_of(space: dict[str, object]) -> str | None:
    """The name of what imported a module, where it is no loader of Python's own."""
    kind = type(_loader(space))
    if kind.__module__ == "builtins" or kind.__module__.startswith(_OWN):
        return None
    return f"{kind.__module__}.{kind.__qualname__}"


def is_of_asserts(space: dict[str, object]) -> bool:
    """Whether pytest imported the module: what it changes are asserts, which mean the same."""
    return "@pytest_ar" in space


def hooked_text(space: dict[str, object], file: str, text: str, flags: int) -> ModuleText | None:
    """The text of a module as its import hook had it compiled; None where there is no hook, or the
    tree cannot be had from it.
    """
    if hook_of(space) is None or space.get("__file__") != file:
        return None

    def parse() -> ModuleText | None:
        try:
            tree = _tree(_loader(space), file, text.encode())
        except (RecursionError, MemoryError):  # of the moment: not to be remembered
            raise
        except Exception:  # foreign code: whatever fails in it means that there is no tree
            return None
        return ModuleText.of_tree(file, tree, flags) if tree is not None else None

    return kept_text(("hooked", file, flags, text), parse)


def _loader(space: dict[str, object]) -> Any:
    return getattr(space.get("__spec__"), "loader", None) or space.get("__loader__")


def _tree(loader: Any, file: str, data: bytes) -> ast.Module | None:
    rewrite = _function("rewrite_asserts", type(loader).__module__)
    if rewrite is not None:
        tree = ast.parse(data, file)
        rewrite(tree, data, file, loader.config)
        return tree
    if not isinstance(loader, SourceFileLoader):
        return None  # a hook that loads from elsewhere: out of a zip file
    return _compiled_by(loader, file, data)


def _function(name: str, module: str) -> Callable[..., None] | None:
    """pytest's own, from the module of its loader."""
    return getattr(sys.modules.get(module), name, None)


class _Recorder(SourceFileLoader):
    """What a hook's loader reaches by ``super().source_to_code``."""

    trees: list[ast.Module]

    def source_to_code(  # type: ignore[override]
        self, data: Any, path: Any, *args: Any, **options: Any
    ) -> CodeType:
        if isinstance(data, ast.Module):
            self.trees.append(data)
        return super().source_to_code(data, path, *args, **options)


def _compiled_by(loader: SourceFileLoader, file: str, data: bytes) -> ast.Module | None:
    """The tree that a loader's ``source_to_code`` hands on; it runs as a copy that sees another
    `compile`, so that nothing of the hook's module is changed.
    """
    kind = type(loader)
    found = next(vars(each)["source_to_code"] for each in kind.__mro__ if _has(each))
    method = getattr(found, "__func__", found)
    if not isinstance(method, FunctionType):
        return None  # written in C
    trees: list[ast.Module] = []

    def spying(source: Any, *args: Any, **options: Any) -> Any:
        made = compile(source, *args, **options)
        if isinstance(source, ast.Module) and isinstance(made, CodeType):
            trees.append(source)
        return made

    space = {**method.__globals__, "compile": spying}
    copy = FunctionType(
        method.__code__, space, method.__name__, method.__defaults__, method.__closure__
    )
    copy.__kwdefaults__ = method.__kwdefaults__
    remade: Any = type(found)(copy) if found is not method else copy
    spy_kind: Any = type(kind.__name__, (kind, _Recorder), {"source_to_code": remade})
    spy = spy_kind.__new__(spy_kind)
    spy.__dict__.update(vars(loader), trees=trees)
    spy.source_to_code(data, file)
    return trees[-1] if trees else None


def _has(kind: type) -> bool:
    return "source_to_code" in vars(kind)
