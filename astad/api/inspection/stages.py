"""A function after each stage of the compiler, as `python -m astad.show --stage` prints it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import gast

from astad.api.inspection.showing import Request, compiled, location, title
from astad.compiler.analysis.facts import Facts
from astad.compiler.codegen.printer import print_tree
from astad.compiler.frontend.outlined_loops import outlined
from astad.compiler.frontend.parse import read, rewritten
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.nodes import Bind, Block, Call, Node, Program
from astad.compiler.ir.text import header, lines_of
from astad.compiler.lower.function import lower_function

__all__ = ["STAGES", "show_stage"]


def show_stage(request: Request, stage: str) -> str:
    """The text of one stage, by its name in ``STAGES``."""
    return "\n".join(STAGES[stage](request))


def _read(request: Request) -> Iterator[str]:
    """The user's text, and what each name of it means."""
    tree, scope = read(request.fn)
    node = gast.gast_to_ast(tree.node)
    yield f"# {location(request.fn, tree.line)}  {tree.qualname}"
    for word, names in (
        ("locals", scope.locals - scope.cells),
        ("captured by inner functions", scope.cells),
    ):
        if names:
            yield f"# {word}: {', '.join(sorted(names))}"
    if scope.free:
        yield f"# captured from outside: {', '.join(scope.free)}"
    yield print_tree(node).strip() if isinstance(node, ast.stmt) else ast.unparse(node)


def _rounds(request: Request) -> Iterator[str]:
    """The user's text with its loops as a memory budget has them run."""
    made: list[ast.FunctionDef | None] = [None]

    def rewrite(node: ast.FunctionDef, file: str) -> ast.FunctionDef | None:
        made[0] = outlined(node, file, "astad.api.memory.rounds")
        return made[0]

    rewritten(request.fn, rewrite)
    line = request.fn.__code__.co_firstlineno
    yield f"# {location(request.fn, line)}  {request.fn.__qualname__}"
    yield "# no loops" if made[0] is None else ast.unparse(made[0])


def _lower(request: Request) -> Iterator[str]:
    program = lower_function(request.fn)
    yield from _program(program, request, lambda node: "")


def _specialise(request: Request) -> Iterator[str]:
    yield from _program(compiled(request).stages.specialised, request, lambda node: "")


def _analyse(request: Request) -> Iterator[str]:
    """Beside each statement: the kind of what it binds, whether a derivative passes, how a call is
    differentiated.
    """
    made = compiled(request)
    facts = made.stages.facts
    yield title(made, request)
    yield from _program(made.stages.specialised, request, lambda node: _fact(node, facts))


def _fact(node: Node, facts: Facts) -> str:
    words: list[str] = []
    if isinstance(node, (Bind, Call)) and isinstance(node.target, str):
        words.append(facts.kind_of(node.target).text)
        words += ["active"] if facts.is_active(node.target) else []
        words += ["shared"] if node.target in facts.shared else []
    if isinstance(node, Call):
        words.append(facts.treatment.get(id(node), ""))
    return " ".join(word for word in words if word)


def _reverse(request: Request) -> Iterator[str]:
    yield from _derived(compiled(request).stages.derived, request)


def _tidy(request: Request) -> Iterator[str]:
    yield from _derived(compiled(request).stages.tidied, request)


STAGES: dict[str, Callable[[Request], Iterator[str]]] = {
    "read": _read, "rounds": _rounds, "lower": _lower, "specialise": _specialise,
    "analyse": _analyse, "reverse": _reverse, "tidy": _tidy,
}  # fmt: skip
"""In the order of `compiler/pipeline.py`, but for "rounds", which only a memory budget asks for;
the last, print, is what is shown without ``--stage``."""


def _program(program: Program, request: Request, note: Callable[[Node], str]) -> Iterator[str]:
    yield header(program)
    yield from _block(program.body, request, note)


def _derived(derived: Derived, request: Request) -> Iterator[str]:
    for number, function in enumerate(derived.functions):
        yield from ("", "") * bool(number)
        yield f"def {function.name}({', '.join(function.params)}):"
        yield from _block(function.body, request, lambda node: "")


def _block(block: Block, request: Request, note: Callable[[Node], str]) -> Iterator[str]:
    """The lines of a block, the user's line beside each, then the remark."""
    lines = list(lines_of(block, "    "))
    width = max((len(text) for text, _ in lines if len(text) < 60), default=0)
    for text, node in lines:
        if node is None or not node.line:
            yield text
            continue
        said = note(node)
        yield f"{text:{width}}  # {location(request.fn, node.line)}" + (f"  {said}" if said else "")
