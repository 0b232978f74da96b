"""What a callee's text becomes where it stands in the place of a call.

Which operand of a call each parameter of a callee takes, as Python binds them.

>>> from astad.compiler.lower.function import lower_function
>>> def f(x, factor=2.0, *, shift):
...     return x * factor + shift
>>> call = Call("y", "f", ("a",), (("shift", "b"),), 1)
>>> matched(call, lower_function(f).params, {"factor": Const(2.0)})
{'x': 'a', 'factor': Const(value=2.0), 'shift': 'b'}

May a callee with loops and branches be written out in the place of its call?

>>> from astad.compiler.lower.function import program_of
>>> is_contained(program_of('''
...     for w in ws:
...         x = x * w
...     return x
... '''), "f")
True
>>> is_contained(program_of('''
...     for w in ws:
...         y = w
...     return y
... '''), "f")
False
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from types import FunctionType

from astad.compiler.analysis.space import Space
from astad.compiler.ir.flow import binds_before_it_reads
from astad.compiler.ir.lines import inlined
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Param,
    Prim,
    Program,
    Star,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import binds, bound_inside, renamed, substituted_at, walk, with_blocks
from astad.compiler.specialise.inner_functions import moved_key
from astad.rules.in_force import NO_PATH, TELLS, run_rule
from astad.slotted import dataclass, replace

__all__ = [
    "Callee",
    "Given",
    "LITERALS",
    "Words",
    "belongs_to_frame",
    "called_by_rule",
    "defaulted",
    "gives_container",
    "hands_on",
    "is_contained",
    "is_straight",
    "literal_defaults",
    "matched",
    "written_out",
]

# --- which operand each parameter takes


@dataclass(frozen=True, slots=True)
class Words:
    """What ``**keywords`` takes, in order."""

    given: tuple[tuple[str, Operand], ...]


Given = dict[str, Operand | tuple[Operand, ...] | Words]
"""By parameter; of ``*args`` and ``**keywords`` all that they take."""

LITERALS = (int, float, bool, str, type(None))


def matched(call: Call, params: Sequence[Param], defaults: Mapping[str, Operand]) -> Given | None:
    """None where a parameter stays without a value, and where operands are left over."""
    left = [arg for arg in call.args if not isinstance(arg, Star)]
    assert len(left) == len(call.args), call  # it is prepared
    words = {word: value for word, value in call.keywords if word is not None}
    given: Given = {}
    for param in params:
        if param.kind == "kwargs":
            given[param.name] = Words(tuple(words.items()))
            named = [p.name for p in params if p.kind in ("positional", "keyword_only")]
            words = {word: value for word, value in words.items() if word in named}
        elif param.kind == "args":
            given[param.name], left = tuple(left), []
        elif left and param.kind != "keyword_only":
            given[param.name] = left.pop(0)
        elif param.name in words and param.kind != "positional_only":
            given[param.name] = words.pop(param.name)
        elif param.name in defaults:
            given[param.name] = defaults[param.name]
        else:
            return None
    return None if left or words else given


def literal_defaults(fn: FunctionType, params: Sequence[Param]) -> dict[str, Operand]:
    """The defaults that are literals; those of keywords only where all of them are."""
    values = fn.__defaults__ or ()
    names = [param.name for param in params if param.kind in ("positional_only", "positional")]
    both = zip(names[len(names) - len(values) :], values, strict=False)
    found: dict[str, Operand] = {
        name: Const(value) for name, value in both if type(value) in LITERALS
    }
    words = fn.__kwdefaults__ or {}
    if all(type(value) in LITERALS for value in words.values()):
        found.update({word: Const(value) for word, value in words.items()})
    return found


def defaulted(
    path: str, params: Sequence[Param], given: Given, defaults: Mapping[str, Operand]
) -> tuple[str, ...]:
    """The paths of the defaults that the parameters take."""
    kinds = {p.kind for p in params if p.name in defaults and given[p.name] is defaults[p.name]}
    words = (f"{path}.__kwdefaults__",) if "keyword_only" in kinds else ()
    return (f"{path}.__defaults__", *words) if kinds - {"keyword_only"} else words


# --- callees with loops and branches


FRAME = (
    "function", "cell_new", "cell_get", "cell_set", "cell_clear", "import", "forget", "namespace",
)  # fmt: skip
"""Operations that belong to the frame of a function of its own."""
LONGEST = 40
"""Statements of a callee that is written out; measured: tests/benchmarks."""
LONGEST_GRADIENT = 400
"""The same of one that computes a gradient: the tuple that it returns is no plain result."""


def is_contained(program: Program, path: str, is_made: bool = False) -> bool:
    """Does it return at its end alone, call itself not, and read no name that is unbound on some
    way? A name that a call leaves unbound would still hold what the call before had bound.
    ``is_made``: it computes a gradient.
    """
    nodes = list(walk(program.body))
    exits = [node for node in nodes if isinstance(node, Exit) and node.how == "return"]
    longest = LONGEST_GRADIENT if is_made else LONGEST
    if len(nodes) > longest or len(exits) != 1 or program.body[-1] is not exits[0]:
        return False
    if any(_is_strange(node, path) for node in nodes):
        return False
    return binds_before_it_reads(program)


DISPLAYS = Prim("tuple"), Prim("list"), Prim("dict")
GLOBAL = Prim("global")


def gives_container(program: Program, space: Space) -> bool:
    """Does it return, on some way, a container or an object of the user's that it has made?"""
    calls = [node for node in walk(program.body) if isinstance(node, Call)]
    names = {node.target: str(node.args[0].value) for node in calls
             if node.fn is GLOBAL and isinstance(node.args[0], Const)}  # fmt: skip
    classes = {name for name, path in names.items() if _is_class(space.find(path))}
    made = {node.target for node in calls if node.fn in DISPLAYS or node.fn in classes}
    for node in walk(program.body):
        if isinstance(node, Bind) and node.source in made:
            made.add(node.target)
    exits = [node for node in walk(program.body) if isinstance(node, Exit)]
    return any(node.value in made for node in exits if node.how == "return")


def _is_class(found: object) -> bool:
    return type(found) is type and type(getattr(found, "__init__", None)) is FunctionType


def _is_strange(node: object, path: str) -> bool:
    if not isinstance(node, Call) or not isinstance(node.fn, Prim):
        return False
    return node.fn.name in ("import", "forget", "namespace") or (
        node.fn.name == "global" and node.args == (Const(path),)
    )


BOUND = Prim("import"), Prim("forget"), Prim("namespace")
"""Operations that can stand in no other function's text."""


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that is written out, what its parameters take, and the cells that it captures."""

    path: str
    program: Program
    given: Given
    cells: Sequence[Operand] = ()


def written_out(call: Call, callee: Callee, names: Names) -> tuple[list[Node], set[str]]:
    """Parameters bound to the arguments, locals renamed, the result bound to the target; and the
    new names that are bound more than once.
    """
    program, path = callee.program, callee.path
    out: list[Node] = []
    new, many = _names_of_parameters(call, callee, names, out)
    result = bound_last(program)
    if result is not None and isinstance(call.target, str):
        new[result] = call.target
    once = outline(program).single

    def line_of(line: int) -> int:
        return inlined(call.line, path, (line or program.line) - program.line)

    for part in program.body:
        if not isinstance(part, Exit):
            many |= _name_locals(part, program, once, names, new)
            out.append(rehomed(moved(part, new, line_of), path))
        elif isinstance(call.target, str) and (result is None or part.value != result):
            value = part.value if part.value is not None else Const(None)
            out.append(renamed(Bind(call.target, value, line_of(part.line)), new))
    return out, many


def _names_of_parameters(
    call: Call, callee: Callee, names: Names, out: list[Node]
) -> tuple[dict[str, str], set[str]]:
    """A parameter that stays as it is goes by the name of its argument."""
    program = callee.program
    cells = zip(program.free, callee.cells, strict=bool(callee.cells))
    new = {cell: str(held) for (_, cell), held in cells}
    many: set[str] = set()
    changed = bound_inside(*program.body)
    for param in program.params:
        arg = callee.given[param.name]
        if isinstance(arg, str) and param.name not in changed:
            new[param.name] = arg
            continue
        name = new[param.name] = names.fresh(f"{stem(program)}_{param.name}")
        if isinstance(arg, tuple):
            out.append(Call(name, Prim("tuple"), arg, (), call.line))
        elif isinstance(arg, Words):
            items = [part for word, value in arg.given for part in (Const(word), value)]
            out.append(Call(name, Prim("dict"), tuple(items), (), call.line))
        else:
            out.append(Bind(name, arg, call.line))
        if param.name in changed:
            many.add(name)
    return new, many


def _name_locals(
    part: Node, program: Program, once: Set[str], names: Names, new: dict[str, str]
) -> set[str]:
    """Names for what this statement binds first; those that others bind too."""
    many = set()
    for name in sorted(bound_inside(part)):
        if name in new:
            continue
        is_temporary = name.startswith("t_") and name in once
        new[name] = names.fresh(f"{stem(program)}_{name[2:]}" if is_temporary else name)
        if name not in once:
            many.add(new[name])
    return many


def bound_last(callee: Program) -> str | None:
    """The name that the statement before the return binds, and that the return hands out."""
    if len(callee.body) < 2 or not isinstance(callee.body[-1], Exit):
        return None
    value, before = callee.body[-1].value, callee.body[-2]
    own = outline(callee).single - {param.name for param in callee.params}
    is_result = isinstance(value, str) and binds(before) == (value,) and value in own
    return value if is_result else None  # type: ignore[return-value]


def stem(callee: Program) -> str:
    return callee.name if callee.name.isidentifier() else "lambda_"


def is_straight(body: Block) -> bool:
    """A few statements one after the other, of which the last, and it alone, returns."""
    if len(body) > LONGEST:
        return False
    exits = [node for node in body if isinstance(node, Exit)]
    plain = all(
        isinstance(node, (Bind, Call, Exit)) and not is_bound_to_frame(node) for node in body
    )
    return plain and len(exits) == 1 and isinstance(body[-1], Exit)


def belongs_to_frame(node: Node) -> bool:
    """Makes functions or cells, which belong to the callee's own code."""
    return isinstance(node, Call) and isinstance(node.fn, Prim) and node.fn.name in FRAME


def is_bound_to_frame(node: Node) -> bool:
    """Can it stand in no other function's text at all?"""
    return isinstance(node, Call) and node.fn in BOUND


def rehomed(node: Node, path: str) -> Node:
    """What makes an inner function says whose it is."""
    if isinstance(node, Call) and node.fn == Prim("function"):
        key = node.args[0]
        assert isinstance(key, Const)
        return replace(node, args=(moved_key(key, path), *node.args[1:]))
    return with_blocks(node, lambda block: [rehomed(part, path) for part in block])


def moved(node: Node, new: Mapping[str, str], line_of: Callable[[int], int]) -> Node:
    """A statement of the callee under the names it has in the caller."""
    node = substituted_at(node, new, line_of(node.line))
    if isinstance(node, (Bind, Call, Loop)) and isinstance(node.target, str):
        node = replace(node, target=new[node.target])
    return with_blocks(node, lambda block: [moved(part, new, line_of) for part in block])


def hands_on(node: Node) -> bool:
    """Does it bind what may be a part of what it reads?"""
    reading = ("getitem", "getattr", "method", "unpack", "tuple", "list", "dict")
    if isinstance(node, Call):
        return not isinstance(node.fn, Prim) or node.fn.name in reading
    return isinstance(node, (Bind, Loop))


# --- by a rule of the user's

ADD = Prim("add")
HOME = run_rule.__module__


def called_by_rule(node: Call, fn: object, names: Names) -> Sequence[Node]:
    """The call of a function with a rule of the user's, in a gradient that is differentiated again;
    nothing where it is left to the run time.

    ``y = f(x)`` becomes ``run = run_rule(f, x)`` and ``y = value_of(run, x)``, of which the
    cotangent is that of the rule's ``back``. Functions that tell of the differentiation around them
    are told here: inside it is one level deeper.
    """
    plain = not node.keywords and not any(isinstance(arg, Star) for arg in node.args)
    if not isinstance(node.target, str) or not plain:
        return ()
    if id(fn) in TELLS:
        if TELLS[id(fn)] == "deriving":
            return (Bind(node.target, Const(True), node.line),)
        tells, outside = names.fresh("t"), names.fresh("t")
        path = f"{fn.__module__}:{fn.__name__}"  # type: ignore[attr-defined]  # a function
        return (
            Call(tells, GLOBAL, (Const(path),), (), node.line),
            Call(outside, tells, (), (), node.line),
            Call(node.target, ADD, (outside, Const(1)), (), node.line),
        )
    if id(fn) in NO_PATH or isinstance(node.fn, Prim):
        return ()
    run, runs, value = names.fresh("t"), names.fresh("t"), names.fresh("t")
    return (
        Call(runs, GLOBAL, (Const(f"{HOME}:run_rule"),), (), node.line),
        Call(run, runs, (node.fn, *node.args), (), node.line),
        Call(value, GLOBAL, (Const(f"{HOME}:value_of"),), (), node.line),
        Call(node.target, value, (run, *node.args), (), node.line),
    )
