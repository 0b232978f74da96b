"""Programs that an exception may leave anywhere: each step goes on a tape, which is read backwards.

What ran is then what lies on the tape, whichever way it was left: the text of a program with
``try`` needs no exit numbers and no records of iterations. Forward, ``y = record(versions, tape, 3,
fn, a)`` puts ``(3, kept)`` on the tape; in reverse the tape is read from its end, and the number
says which statement is to be undone.
"""

from __future__ import annotations

from collections.abc import Sequence

from astad.compiler.analysis.facts import Facts
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.ir.lines import reversed_block
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    GENERATED,
    Bind,
    Block,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Node,
    Operand,
    Prim,
    Program,
    Ref,
    Try,
    While,
)
from astad.compiler.ir.outline import YIELD, is_generator
from astad.compiler.reverse_mode.adjoint_accumulators import ADD, NONE
from astad.compiler.reverse_mode.calls import PULL, function_of
from astad.compiler.reverse_mode.loops import PULL_END
from astad.slotted import dataclass, field, replace

__all__ = ["to_taped"]

NEW_TAPE = Ref("astad.runtime.iteration.taped", "new_tape")
RECORD = Ref("astad.runtime.iteration.taped", "record")
CHECKED = Ref("astad.runtime.iteration.checked", "record")
NOTE = Ref("astad.runtime.iteration.taped", "note")
WALK = Ref("astad.runtime.iteration.taped", "walk")
CATCHING = Ref("astad.runtime.iteration.taped", "catching")
BOUND = Ref("astad.runtime.iteration.taped", "bound")
DELIVER = Ref("astad.runtime.iteration.iterate", "deliver")
LOOP_LEFT = Ref("astad.runtime.iteration.generators", "loop_left")
STRAY = Ref("astad.runtime.iteration.taped", "pull_stray")
BEGAN = Ref("astad.runtime.iteration.generators", "began")
FINISHED = Ref("astad.runtime.iteration.generators", "finished")
PAUSE = Ref("astad.runtime.iteration.generators", "pause")
REVERSED = Ref("builtins", "reversed")
Befores = tuple[tuple[int, str], ...]
FEW = 6
"""Steps that are told apart by one test after the other; more are halved first."""


def to_taped(
    program: Program, facts: Facts, wanted: Sequence[str], names: Names, *, checked: bool = False
) -> Derived:
    """``f_forward(versions, *args) -> (y, tape)``, ``f_pullback(tape, y_bar, shadows) -> bars``;
    ``checked``: each cotangent is looked at as it is formed.
    """
    stem = program.name if program.name.isidentifier() else "lambda_"
    recording = CHECKED if checked else RECORD
    taping = _Taping(facts, names, program.taken, is_generator(program), recording)
    cells = tuple(cell for _, cell in program.free)
    closure = [names.fresh("closure")] if cells else []
    head: list[Node] = [Bind(cells, given, 0) for given in closure]  # type: ignore[arg-type]
    if not taping.is_generator:
        head.append(Call(taping.tape, NEW_TAPE, (taping.versions,), (), 0))
    body = taping.block(program.body, ())
    params = (taping.versions, *closure, *(param.name for param in program.params))
    back = reversed_block((*taping.reverse(program.line), *taping.result(program, wanted)))
    handed = (taping.tape, taping.result_bar, taping.shadows)
    forward = Function(names.fresh(f"{stem}_forward"), params, (*head, *body))
    pullback = Function(names.fresh(f"{stem}_pullback"), handed, tuple(back))
    functions: tuple[Function, ...] = (forward, pullback)
    if taping.is_generator:
        functions = _with_generator(stem, forward, pullback, taping, _closing(program))
    return Derived(functions, True, False, program.taken)


def _closing(program: Program) -> tuple[Const, ...]:
    """What a run of it is to know of that."""
    if program.ends_by_itself:
        return (Const("ends"),)
    return (Const("delegates"),) if program.delegates else ()


def _with_generator(
    stem: str, body: Function, back: Function, taping: _Taping, closing: tuple[Const, ...]
) -> tuple[Function, ...]:
    """A pair that makes the generator, and in reverse asks for what its reverse has found; then
    both of these. ``closing``: what is done where the generator is closed before its end.
    """
    names, tape, versions, shadows = taping.names, taping.tape, taping.versions, taping.shadows
    run, undo = names.fresh(f"{stem}_body"), names.fresh(f"{stem}_back")
    made, packed, bars = (names.numbered("t") for _ in range(3))
    kept = names.fresh("kept")
    start = (
        Call(tape, NEW_TAPE, (versions,), (), 0),
        Call(made, Ref(GENERATED, run), (tape, *body.params), (), 0),
        Call(kept, BEGAN, (versions, made, tape, Ref(GENERATED, undo), *closing), (), 0),
        Call(packed, Prim("tuple"), (made, kept), (), 0),
        Exit("return", packed, 0),
    )
    end = (Call(bars, FINISHED, (shadows, kept), (), 0), Exit("return", bars, 0))
    return (
        replace(body, body=start),
        Function(back.name, (kept, *back.params[1:]), end),
        Function(run, (tape, *body.params), body.body),
        replace(back, name=undo),
    )


@dataclass(slots=True)
class _Taping:
    """Writes the forward sweep, and with each step what undoes it."""

    facts: Facts
    names: Names
    named: frozenset[str]
    is_generator: bool
    record: Ref
    steps: list[Block] = field(default_factory=list)
    bars: dict[str, str] = field(default_factory=dict)
    versions: str = ""
    tape: str = ""
    shadows: str = ""
    result_bar: str = ""
    step: str = ""
    kept: str = ""
    unused: str = ""
    depth: int = 0
    tries: int = 0

    def __post_init__(self) -> None:
        for own in ("versions", "tape", "shadows", "result_bar", "step", "kept"):
            setattr(self, own, self.names.fresh(own))
        self.unused = self.names.fresh("_")

    def bar(self, name: str) -> str:
        if name not in self.bars:
            self.bars[name] = self.names.fresh(f"{name}_bar")
        return self.bars[name]

    def is_active(self, operand: object) -> bool:
        return isinstance(operand, str) and operand in self.facts.active

    # -- forward

    def block(self, block: Block, befores: Befores) -> Block:
        """``befores``: for each ``try`` round the block, how many loops are round that, and the
        name of what was asked of callees outside it.
        """
        out: list[Node] = []
        for node in block:
            self.node(node, befores, out)
        return tuple(out)

    def node(self, node: Node, befores: Befores, out: list[Node]) -> None:
        if isinstance(node, Bind):
            out.append(node)
            if self.is_active(node.target):
                self.note(self.back_through_name(node), node.line, out)
        elif isinstance(node, Call):
            self.call(node, out)
        elif isinstance(node, Loop):
            self.loop(node, befores, out)
        elif isinstance(node, Try):
            self.try_(node, befores, out)
        elif isinstance(node, Exit):
            self.exit(node, befores, out)
        elif isinstance(node, Branch):
            body, orelse = (self.block(part, befores) for part in (node.body, node.orelse))
            out.append(replace(node, body=body, orelse=orelse))
        elif isinstance(node, While):
            self.depth += 1
            head, body = (self.block(part, befores) for part in (node.head, node.body))
            self.depth -= 1
            orelse = self.block(node.orelse, befores)
            out.append(replace(node, head=head, body=body, orelse=orelse))
        else:
            out.append(node)

    def number(self, undo: Block) -> Const:
        """The number of the next step."""
        self.steps.append(undo)
        return Const(len(self.steps))

    def note(self, undo: Block, line: int, out: list[Node]) -> None:
        out.append(Call(None, NOTE, (self.tape, self.number(undo)), (), line))

    def call(self, node: Call, out: list[Node]) -> None:
        if self.facts.treatment[id(node)] == "plain":
            out.append(node)
            if self.is_active(node.target):
                self.note((Bind(self.bar(str(node.target)), NONE, node.line),), node.line, out)
            return
        if node.fn == YIELD:
            self.yield_(node, out)
            return
        fn = function_of(node.fn) if isinstance(node.fn, Prim) else node.fn
        number = self.number(self.back_through_call(node))
        operands = (*node.args, *(value for _, value in node.keywords))
        active = tuple(at for at, operand in enumerate(operands) if self.is_active(operand))
        looks = (Const(active),) if self.record is CHECKED else ()
        given = (self.versions, self.tape, number, *looks, fn, *node.args)
        out.append(Call(node.target, self.record, given, node.keywords, node.line))

    def yield_(self, node: Call, out: list[Node]) -> None:
        """Two steps: a value goes out, and what is sent in is bound, unless an exception comes."""
        undo: list[Node] = []
        part, value, sent = self.names.numbered("t"), node.args[0], self.bar("sent")
        handed = self.names.numbered("t")
        undo.append(Call(handed, Prim("tuple"), (self.kept, sent), (), node.line))
        undo.append(Call(part, YIELD, (handed,), (), node.line))
        undo.append(Bind(sent, NONE, node.line))
        if self.is_active(value):
            self.give(str(value), part, node.line, undo)
        out.append(Call(None, PAUSE, (self.tape, self.number(tuple(undo))), (), node.line))
        out.append(node)
        if self.is_active(node.target):
            bound: list[Node] = []
            whole = self.taken(str(node.target), node.line, bound)
            bound.append(Bind(sent, whole, node.line))
            self.note(tuple(bound), node.line, out)

    def loop(self, node: Loop, befores: Befores, out: list[Node]) -> None:
        iterable: Operand = node.iterable
        is_walked = self.is_active(node.iterable) or self.is_active(node.target)
        if is_walked:
            iterable = self.names.numbered("t")
            number = self.number(self.back_to_source(node))
            given = (self.versions, self.tape, number, node.iterable)
            out.append(Call(iterable, WALK, given, (), node.line))
        self.depth += 1
        body = self.block(node.body, befores)
        self.depth -= 1
        orelse = self.block(node.orelse, befores)
        out.append(Loop(node.target, iterable, body, orelse, node.line))
        if is_walked and self.facts.kind_of(node.iterable) == UNKNOWN:
            end = Call(None, PULL_END, (self.shadows, self.kept), (), node.line)
            source = NONE if node.iterable in self.named else node.iterable
            left = (self.versions, self.tape, self.number((end,)), iterable, source)
            out.append(Call(None, LOOP_LEFT, left, (), node.line))

    def try_(self, node: Try, befores: Befores, out: list[Node]) -> None:
        """While the body runs, callees leave what they did even where they raise."""
        self.tries += 1
        self.try_inside(node, befores, out)
        self.tries -= 1

    def try_inside(self, node: Try, befores: Befores, out: list[Node]) -> None:
        if node.caught is None:
            parts = (node.body, node.orelse, node.final)
            body, orelse, final = (self.block(part, befores) for part in parts)
            out.append(replace(node, body=body, orelse=orelse, final=final))
            return
        before = self.names.fresh("before")
        out.append(Call(before, CATCHING, (self.versions, Const(True)), (), node.line))
        restore: list[Node] = []
        self.restore(before, node.line, restore)
        told = Call(None, CATCHING, (self.versions, before, node.caught), (), node.line)
        body = self.block(node.body, (*befores, (self.depth, before)))
        handler, orelse = (self.block(part, befores) for part in (node.handler, node.orelse))
        final = self.block(node.final, befores)
        made = Try(body, node.caught, (told, *handler), (*restore, *orelse), final, node.line)
        out.append(made)

    def restore(self, before: str, line: int, out: list[Node]) -> None:
        out.append(Call(None, CATCHING, (self.versions, before), (), line))

    def exit(self, node: Exit, befores: Befores, out: list[Node]) -> None:
        left = [before for at, before in befores if node.how == "return" or at == self.depth]
        if left:
            self.restore(left[0], node.line, out)
        if node.how != "return":
            out.append(node)
            return
        value: Operand = Const(None) if node.value is None else node.value
        undo: list[Node] = []
        if self.is_active(value):
            self.give(str(value), self.result_bar, node.line, undo)
        undo.append(Bind(self.result_bar, NONE, node.line))  # an earlier return was overridden
        self.note(tuple(undo), node.line, out)
        if self.is_generator:
            out.append(node)
            return
        packed = self.names.numbered("t")
        out.append(Call(packed, Prim("tuple"), (value, self.tape), (), node.line))
        out.append(Exit("return", packed, node.line))

    # -- reverse

    def give(self, name: str, part: str, line: int, out: list[Node]) -> None:
        bar = self.bar(name)
        out.append(Call(bar, ADD, (bar, part), (), line))

    def taken(self, name: str, line: int, out: list[Node], *, may_raise: bool = False) -> str:
        """The cotangent of a name that is bound here, if the step came so far; zero again before
        that.
        """
        whole, bar = self.names.numbered("t"), self.bar(name)
        fn, given = (BOUND, (self.kept, bar)) if may_raise else (Prim("tuple"), (bar, NONE))
        out.append(Call((whole, bar), fn, given, (), line))
        return whole

    def back_through_name(self, node: Bind) -> Block:
        out: list[Node] = []
        whole = self.taken(str(node.target), node.line, out)
        if self.is_active(node.source):
            self.give(str(node.source), whole, node.line, out)
        return tuple(out)

    def back_through_call(self, node: Call) -> Block:
        out: list[Node] = []
        whole: Operand = NONE
        if isinstance(node.target, str) and self.is_active(node.target):
            whole = self.taken(node.target, node.line, out, may_raise=self.tries > 0)
        given = [*node.args, *(value for _, value in node.keywords)]
        targets: list[str] = []
        parts: list[tuple[str, str]] = []
        for operand in given:
            part = self.unused
            if self.is_active(operand):
                part = self.names.numbered(f"{operand}_part")
                parts.append((str(operand), part))
            targets.append(part)
        pulled = (self.shadows, self.kept, whole, Const(len(given)))
        out.append(Call(tuple(targets) if parts else None, PULL, pulled, (), node.line))
        for name, part in parts:
            self.give(name, part, node.line, out)
        return tuple(out)

    def back_to_source(self, node: Loop) -> Block:
        out: list[Node] = []
        whole: Operand = NONE
        if self.is_active(node.target):
            whole = self.taken(str(node.target), node.line, out)
        out.append(Call(None, DELIVER, (self.shadows, self.kept, whole), (), node.line))
        return tuple(out)

    def reverse(self, line: int) -> list[Node]:
        """Cotangents are None; then the tape, from its end."""
        out: list[Node] = [Bind(bar, NONE, line) for bar in self.bars.values()]
        walked, step = self.names.numbered("t"), (self.step, self.kept)
        out.append(Call(walked, REVERSED, (self.tape,), (), line))
        stray = Call(None, STRAY, (self.shadows, self.kept), (), line)
        first: list[Block] = [(stray,), *self.steps]
        body = self.choose(0, first, line)
        out.append(Loop(step, walked, body, (), line))
        return out

    def choose(self, start: int, blocks: Sequence[Block], line: int) -> Block:
        """The block of the step's number, by halves and then one by one."""
        if len(blocks) == 1:
            return blocks[0]
        test = self.names.numbered("t")
        if len(blocks) > FEW:
            half = len(blocks) // 2
            arms = (
                self.choose(start, blocks[:half], line),
                self.choose(start + half, blocks[half:], line),
            )
            made = Call(test, Prim("lt"), (self.step, Const(start + half)), (), line)
        else:
            arms = blocks[0], self.choose(start + 1, blocks[1:], line)
            made = Call(test, Prim("eq"), (self.step, Const(start)), (), line)
        return (made, Branch(test, *arms, line))

    def result(self, program: Program, wanted: Sequence[str]) -> list[Node]:
        """``return x_bar, None``, one entry a parameter."""
        entries: list[Operand] = [
            self.bars[param.name] if param.name in wanted and param.name in self.bars else NONE
            for param in program.params
        ]
        packed = self.names.numbered("t")
        return [
            Call(packed, Prim("tuple"), tuple(entries), (), program.line),
            Exit("return", packed, program.line),
        ]
