"""Put small straight-line callees in the place of their calls.

>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> def half(x):
...     return 0.5 * x
>>> def f(x):
...     return half(x) + 1.0
>>> program = lower_function(f)
>>> print(show(inline_calls(program, names_of(program), Space(globals()), lower_function)))
t_1 = global half
t_2 = 0.5 * x
t_3 = t_2 + 1.0
return t_3
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING

from astad.code_objects import GENERATOR, STARRED
from astad.compiler.analysis.call_strategy import stops
from astad.compiler.analysis.operations import operator_function
from astad.compiler.analysis.space import Space
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Star,
)
from astad.compiler.ir.outline import is_taped, outline
from astad.compiler.ir.prims import BINARY, COMPARE, UNARY
from astad.compiler.ir.walk import kept, substituted, walk, with_blocks
from astad.compiler.specialise.cells import WRITERS, dissolved
from astad.compiler.specialise.foreign import foreign_home, named_from
from astad.compiler.specialise.inner_functions import Inner, Inners
from astad.compiler.specialise.prepare import merge_returns, names_of, prepare
from astad.compiler.specialise.written_out import (
    Callee,
    Given,
    Words,
    belongs_to_frame,
    called_by_rule,
    defaulted,
    gives_container,
    hands_on,
    is_contained,
    is_straight,
    literal_defaults,
    matched,
    written_out,
)
from astad.errors import AstadError
from astad.rules.in_force import THROUGH, has_custom_rule, is_generated
from astad.rules.registry import lookup
from astad.slotted import replace

if TYPE_CHECKING:
    from astad.compiler.specialise.generators import Running

__all__ = ["inline_calls"]

OPERATIONS = {
    **dict.fromkeys((*BINARY, *COMPARE, "getitem", "contains"), 2),
    **dict.fromkeys((*UNARY, "truth"), 1),
}
"""Functions of ``operator`` that are operations of the language, and their operands."""

DEEPEST = 4
"""Calls in calls that are written out."""
MOST_GIVING = 200
"""Statements of callees that are written out for the containers that they give."""

Lower = Callable[[FunctionType], Program]
"""Gives the program of a callee, or refuses."""


def inline_calls(
    program: Program,
    names: Names,
    space: Space,
    lower: Lower,
    containers: Collection[str] = (),
    fn: FunctionType | None = None,
) -> Program:
    """The program with its small callees written out.

    ``lower`` gives the program of a callee. What is handed ``containers``, names of parameters, or
    parts of them, or functions, may have loops and branches: containers that are passed on stay
    whole. ``fn``, whose program it is, makes inner functions; these are written out where none of
    them is left over in the end.
    """
    inliner = _Inliner(program, names, space, lower, containers)
    inliner.inners = Inners(fn, space.namespace, space.held) if fn is not None else None
    body = kept(program.body, inliner.block(program.body, 0))
    if inliner.met:
        opened = dissolved(replace(program, body=body), names)
        if opened is not None and inliner.holds_good(body):
            return opened
        inliner = _Inliner(program, names, space, lower, containers)
        body = kept(program.body, inliner.block(program.body, 0))
    inliner.assume()
    return program if body is program.body else replace(program, body=body)


class _Inliner:
    """``inners`` are the functions that the program makes; ``met`` tells that one of them, or a
    callee that makes some, was written out. What is known of names in ``inner``, ``held`` (the
    function that a cell holds) and ``alias`` ends with the block round it.
    """

    def __init__(
        self,
        program: Program,
        names: Names,
        space: Space,
        lower: Lower,
        containers: Collection[str],
    ) -> None:
        self.names = names
        self.space = space
        self.lower = lower
        self.containers = set(containers)
        text = outline(program)  # a temporary too is bound twice, in the arms of a conditional
        self.many = (set(program.taken) | set(text.bound)) - text.once
        self.many -= {param.name for param in program.params if not text.bound[param.name]}
        self.paths: dict[str, str] = {}
        self.inners: Inners | None = None
        self.met = False
        self.inner: dict[str, Inner] = {}
        self.held: dict[str, str] = {}
        self.alias: dict[str, str] = {}
        self.displays: dict[str, tuple[Operand | Star, ...]] = {}
        self.used: set[str] = set()
        self.assumed: dict[str, None] = {}
        self.stack: list[tuple[str, Inner | None]] = []
        self.giving = 0
        self.running: dict[str, Running] = {}
        self.programs: dict[str, Program | None] = {}

    def block(self, block: Block, depth: int) -> list[Node]:
        out: list[Node] = []
        for node in block:
            node = self._follow(node)
            if not self.containers.isdisjoint(node.read) and hands_on(node):
                self.containers.update(node.bound)
            if isinstance(node, Call):
                node = self._operation(node)
            if self.space.again and isinstance(node, Call):
                node = self._through(node)
                if ruled := self._by_rule(node):
                    out += ruled
                    continue
            if isinstance(node, Call) and depth < DEEPEST and self._begins(node, block, out):
                continue
            if isinstance(node, Call) and depth < DEEPEST and (reduced := self._reduced(node)):
                out += self.block(tuple(reduced), depth + 1)
                continue
            if self.running and self._gone_through(node, depth, out):
                continue
            callee = self._callee(node) if isinstance(node, Call) and depth < DEEPEST else None
            if callee is None:
                node = self._positional(node) if isinstance(node, Call) else node
                if type(node) in COMPOUND:
                    node = with_blocks(node, lambda inner: self._inside(inner, depth))
                out.append(node)
            else:
                assert isinstance(node, Call)
                self.stack.append((callee.path, self.inner.get(str(node.fn))))
                text, many = written_out(node, callee, self.names)
                self.many |= many
                out += self.block(tuple(text), depth + 1)
                self.stack.pop()
        return out

    def _begins(self, node: Call, block: Block, out: list[Node]) -> bool:
        """Is a generator made that one loop of the block goes through? Its arguments are what they
        are now.
        """
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        fn = self.space.find(path) if path is not None else None
        if path is None or type(fn) is not FunctionType or not fn.__code__.co_flags & GENERATOR:
            return False
        if not isinstance(node.target, str) or not self._is_gone_through(node.target, block):
            return False
        from astad.compiler.specialise.generators import goes_through  # late: few need it

        made = self._generator(node, path, fn)
        if made is None:
            return False
        given: Given = {}
        for name, value in made.callee.given.items():
            if isinstance(value, (tuple, Words)):
                return False
            if isinstance(value, str) and value in self.running:
                if not goes_through(made.callee.program, name):
                    return False
                given[name] = value
                continue
            held = given[name] = self.names.fresh(f"{fn.__name__}_{name}")
            out.append(self._follow(Bind(held, value, node.line)))
            if value in self.containers:
                self.containers.add(held)
        self.running[node.target] = replace(made, callee=replace(made.callee, given=given))
        self.assumed.update(dict.fromkeys((path, f"{path}.__code__")))
        return True

    def _generator(self, node: Call, path: str, fn: FunctionType) -> Running | None:
        """The generator that a function of the user's gives for such arguments."""
        if not self._may_be_opened(fn) or stops(fn.__code__) or (path, None) in self.stack:
            return None
        try:
            home = foreign_home(fn, self.space.namespace)
            program = named_from(self.lower(fn), home or "")
            program = prepare(program, names_of(program), self.space)
        except AstadError:
            return None
        defaults = literal_defaults(fn, program.params)
        given = matched(node, program.params, defaults)
        if given is None:
            return None
        self.assumed.update(dict.fromkeys(defaulted(path, program.params, given, defaults)))
        self.assumed.update(dict.fromkeys(program.assumed))
        from astad.compiler.specialise.generators import running  # late: few need it

        return running(node, program, given, path)

    def _is_gone_through(self, name: str, block: Block, deep: int = 0) -> bool:
        """Is all that the block does with it one loop over it, or to hand it to a generator that is
        gone through in its turn?
        """
        if deep > DEEPEST:
            return False
        reading = [part for part in walk(block) if name in part.read]
        if len(reading) != 1 or not any(each is reading[0] for each in block):
            return False
        user = reading[0]
        if isinstance(user, Loop):
            return user.iterable == name
        if not isinstance(user, Call) or not isinstance(user.target, str) or user.target == name:
            return False
        found = self.space.find(self.paths.get(str(user.fn), ""))
        is_generator = type(found) is FunctionType and bool(found.__code__.co_flags & GENERATOR)
        return is_generator and self._is_gone_through(user.target, block, deep + 1)

    def _gone_through(self, node: Node, depth: int, out: list[Node]) -> bool:
        """Write out a generator with the body of the loop that goes through it; one that something
        else is done with is made here.
        """
        from astad.compiler.specialise.generators import written_out_round  # late: few need it

        name = node.iterable if isinstance(node, Loop) else ""
        made = self.running.get(str(name))
        text = (
            written_out_round(made, node, self.names) if made and isinstance(node, Loop) else None
        )
        if made is None or text is None:
            for each in dict.fromkeys(node.read):
                out += self._made(each)
            return False
        del self.running[str(name)]
        self.stack.append((made.callee.path, None))
        out += self.block(tuple(text), depth + 1)
        self.stack.pop()
        return True

    def _made(self, name: str) -> list[Node]:
        """The call that makes a generator, behind those that make what it goes through."""
        made = self.running.pop(name, None)
        if made is None:
            return []
        given, params = made.callee.given, made.callee.program.params
        values = {param: str(given[param.name]) for param in params}
        before = [node for value in values.values() for node in self._made(value)]
        args = tuple(v for p, v in values.items() if p.kind != "keyword_only")
        words = tuple((p.name, v) for p, v in values.items() if p.kind == "keyword_only")
        return [*before, replace(made.call, args=args, keywords=words)]

    def _reduced(self, node: Call) -> Sequence[Node]:
        """``functools.reduce(f, xs, start)`` of a known function as a loop."""
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        if path is None or len(node.args) != 3 or node.keywords or node.target is None:
            return ()
        fn, items, start = node.args
        if self.space.find(path) is not functools.reduce or not self._is_function(fn):
            return ()
        if isinstance(fn, Star) or isinstance(items, Star) or isinstance(start, Star):
            return ()
        total, item = self.names.fresh("reduced"), self.names.fresh("item")
        self.many.add(total)
        self.assumed[path] = None
        step = Call(total, fn, (total, item), (), node.line)
        return (
            Bind(total, start, node.line),
            Loop(item, items, (step,), (), node.line),
            Bind(str(node.target), total, node.line),
        )

    def _operation(self, node: Call) -> Call:
        """What a function of ``operator`` does, as the language writes it."""
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        if path is None or node.keywords or any(isinstance(arg, Star) for arg in node.args):
            return node
        fn = self.space.find(path)
        if fn.__class__ is not BuiltinFunctionType or OPERATIONS.get(fn.__name__) != len(node.args):
            return node
        if fn is not operator_function(fn.__name__):
            return node  # of the same name, as ``math.pow``
        self.assumed[path] = None
        return replace(node, fn=Prim(fn.__name__))

    def _through(self, node: Call) -> Call:
        """The call that a call of `forwarddiff` makes."""
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        fn = node.args[0] if len(node.args) == 2 and not node.keywords else None
        if path is None or not isinstance(fn, str) or isinstance(node.args[1], Star):
            return node
        if id(self.space.find(path)) not in THROUGH:
            return node
        self.assumed[path] = None
        return replace(node, fn=fn, args=node.args[1:])

    def _by_rule(self, node: Call) -> Sequence[Node]:
        """The call of a function with a rule of the user's; none of any other."""
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        fn = self.space.find(path) if path is not None else None
        found = called_by_rule(node, fn, self.names) if has_custom_rule(fn) else ()
        if found and path is not None:
            self.assumed[path] = None
        return found

    def _inside(self, block: Block, depth: int) -> list[Node]:
        """What is bound in an arm or a loop is not known behind it."""
        before = dict(self.inner), dict(self.held), dict(self.alias)
        found = self.block(block, depth)
        self.inner, self.held, self.alias = before
        return found

    def assume(self) -> None:
        for path in self.assumed:
            self.space.assume(path)

    def holds_good(self, body: Block) -> bool:
        """Has each cell that was taken to hold one function a single writer? Then also note what
        is taken for granted.
        """
        writers = Counter(
            node.target if node.fn == Prim("cell_new") else node.args[0]
            for node in walk(body)
            if isinstance(node, Call)
            and (node.fn in WRITERS or (node.fn == Prim("cell_new") and node.args))
        )
        good = all(writers[cell] == 1 for cell in self.used)
        if good:
            self.assume()
        return good

    def _follow(self, node: Node) -> Node:
        """Remember which names stand for functions; the node with the names they have."""
        if isinstance(node, Bind) and self._is_function(node.source):
            if node.target not in self.many:
                self.alias[node.target] = self.alias.get(str(node.source), str(node.source))
            return node
        if not isinstance(node, Call):
            return node
        if not isinstance(node.fn, Prim):
            return substituted(node, self.alias)
        if isinstance(node.target, str) and node.target not in self.many:
            self._follow_prim(node, node.fn.name)
        elif node.fn.name == "cell_set" and self._is_function(node.args[1]):
            held = str(node.args[1])
            self.held[str(node.args[0])] = self.alias.get(held, held)
        return node

    def _follow_prim(self, node: Call, name: str) -> None:
        target, first = str(node.target), node.args[0] if node.args else None
        if name == "global":
            assert isinstance(first, Const)
            self.paths[target] = str(first.value)
        elif name == "getattr" and isinstance(node.args[1], Const):
            path = self.paths.get(str(first))
            if path is not None and isinstance(self.space.find(path), ModuleType):
                self.paths[target] = f"{path}.{node.args[1].value}"
        elif name == "function" and self.inners is not None:
            assert isinstance(first, Const)
            made = Inner.made_by(node, self.inners.path("", first.value))
            if made is not None:
                self.inner[target] = made
        elif name == "tuple":
            self.displays[target] = node.args
        elif name == "cell_new" and first is not None and self._is_function(first):
            self.held[target] = self.alias.get(str(first), str(first))
        elif isinstance(first, str) and first in self.held:  # a cell: its content is asked for
            self.used.add(first)
            self.alias[target] = self.held[first]

    def _is_function(self, operand: Operand | Star) -> bool:
        name = self.alias.get(str(operand), str(operand))
        if name in self.inner:
            return True
        path = self.paths.get(name)
        return path is not None and callable(self.space.find(path))

    def _callee(self, node: Call) -> Callee | None:
        """The program of a function that may be written out here."""
        name = node.fn if isinstance(node.fn, str) else ""
        inner = self.inner.get(name)
        path = self.paths.get(name) if inner is None else inner.path
        if path is None or (path, inner) in self.stack:
            return None
        fn = self.inners.function(path) if inner and self.inners else self.space.find(path)
        if type(fn) is not FunctionType or not (inner or self._may_be_opened(fn)):
            return None
        program, call = self._handed_on(node, path, fn)
        if program is None:
            return None
        defaults = (
            literal_defaults(fn, program.params)
            if inner is None
            else self._defaults(inner, program)
        )
        given = matched(call, program.params, defaults)
        if given is None or not self._may_be_written_out(node, program, path, inner):
            return None
        if self.inners is not None:
            self.inners.codes.setdefault(path, fn.__code__)
        self._take_for_granted(path, program, inner, given, defaults)
        return Callee(path, program, given, inner.cells if inner else ())

    def _positional(self, node: Call) -> Call:
        """A call that stays one hands over all that is positional by position, defaults too."""
        path = self.paths.get(node.fn) if isinstance(node.fn, str) else None
        fn = self.space.find(path) if path is not None else None
        if path is None or type(fn) is not FunctionType or not self._may_be_opened(fn):
            return node
        code = fn.__code__
        if (
            fn.__closure__
            or code.co_kwonlyargcount
            or (len(node.args) == code.co_argcount and not node.keywords)
        ):
            return node
        program = self._program(path, fn)
        params = program.params if program is not None else ()
        defaults = literal_defaults(fn, params)
        given = matched(node, params, defaults) if params else None
        stars = (tuple, Words)
        values = tuple(value for value in (given or {}).values() if not isinstance(value, stars))
        if given is None or len(values) != code.co_argcount or len(params) > len(values):
            return node
        self.assumed.update(dict.fromkeys((path, f"{path}.__code__")))
        self.assumed.update(dict.fromkeys(defaulted(path, params, given, defaults)))
        return replace(node, args=values, keywords=())

    def _handed_on(self, node: Call, path: str, fn: FunctionType) -> tuple[Program | None, Call]:
        """The program of a function that may hand on what it is given, and the call of it."""
        if fn.__code__.co_flags & STARRED:
            from astad.compiler.specialise.wrappers import handing_on  # late: few need it

            program = self._lowered(path, fn)
            made = handing_on(node, program) if program is not None else None
            if made is not None:
                names = [param.name for param in made[0].params]
                return self._program(f"{path} {names}", fn, made[0]), made[1]
        return self._program(path, fn), node

    def _lowered(self, path: str, fn: FunctionType) -> Program | None:
        """With the paths of what it has captured; None where the text is not known."""
        try:
            home = foreign_home(fn, self.space.namespace)
            program = named_from(self.lower(fn), home or "")
        except AstadError:
            return None
        if not program.free or "|" in path or path in self.space.held:
            return program
        from astad.compiler.specialise.wrappers import with_paths  # late: few need it

        return with_paths(program, path)

    def _program(
        self, path: str, fn: FunctionType, lowered: Program | None = None
    ) -> Program | None:
        """Ready to be written out; None where the text is not known. ``lowered``: as it is to be
        taken.
        """
        if path not in self.programs and stops(fn.__code__):
            self.programs[path] = None
        if path not in self.programs:
            self.programs[path] = None
            program = lowered or self._lowered(path, fn)
            if program is None:
                return None
            try:
                ready = prepare(program, names_of(program), self.space)
                if gives_container(ready, self.space):
                    body = merge_returns(ready.body, names_of(ready), ready.line, loops=True)
                    ready = replace(ready, body=kept(ready.body, body))
                self.programs[path] = None if is_taped(program) else ready
            except AstadError:
                self.programs[path] = None
        return self.programs[path]

    def _may_be_written_out(
        self, node: Call, program: Program, path: str, inner: Inner | None
    ) -> bool:
        """Straight, or handed what is worth it; with frames of its own where these may vanish."""
        has_frame = inner is not None or any(map(belongs_to_frame, walk(program.body)))
        if has_frame and (self.inners is None or not self._is_own(path)):
            return False
        if is_straight(program.body):
            self.met = self.met or has_frame
            return True
        handed = [*node.args, *(value for _, value in node.keywords)]
        is_given = any(arg in self.containers or self._is_function(arg) for arg in handed)
        is_given = is_given or any(param.kind in ("args", "kwargs") for param in program.params)
        # a gradient: a tuple comes out of it
        is_made = is_generated(path) or is_generated(str(self.space.namespace.get("__name__")))
        # what gives a container is no plain callee
        is_giver = self.giving < MOST_GIVING and gives_container(program, self.space)
        is_given = is_given or is_giver
        if not (is_given or is_made or inner) or not is_contained(program, path, is_made):
            return False
        if is_giver:
            self.giving += sum(1 for _ in walk(program.body))
        self.met = self.met or has_frame
        return True

    def _take_for_granted(
        self,
        path: str,
        program: Program,
        inner: Inner | None,
        given: Given,
        defaults: Mapping[str, Operand],
    ) -> None:
        self.assumed.update(dict.fromkeys(program.assumed))
        if inner is None:
            self.assumed.update(dict.fromkeys((path, f"{path}.__code__")))  # reloaders replace it
            self.assumed.update(dict.fromkeys(defaulted(path, program.params, given, defaults)))

    def _defaults(self, inner: Inner, program: Program) -> dict[str, Operand]:
        """Those of an inner function that stand for one value all the time."""
        values = self.displays.get(str(inner.defaults), ())
        names = [p.name for p in program.params if p.kind in ("positional_only", "positional")]
        both = zip(names[len(names) - len(values) :], values, strict=False)
        return {
            name: value
            for name, value in both
            if isinstance(value, Const) or (isinstance(value, str) and value not in self.many)
        }

    def _is_own(self, path: str) -> bool:
        """Is it, or what makes it, of the user's own module?"""
        found = self.space.find(path.partition("|")[0]) if path[:1] != "|" else None
        return type(found) is not FunctionType or found.__globals__ is self.space.namespace

    def _may_be_opened(self, fn: FunctionType) -> bool:
        """A function of the user's that no rule stands for; with a closure only where all is
        known: whoever is called might write its cells.
        """
        own = foreign_home(fn, self.space.namespace) is not None
        own = own and (not fn.__closure__ or self.space.kind_of is not None)
        return own and lookup(fn) is None and not has_custom_rule(fn)
