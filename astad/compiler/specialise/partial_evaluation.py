"""One walk over a program in the order it runs, knowing which names stand for containers.

A statement that only moves or reads such a container is replaced by copies of its parts; loops over
one are written out. Where a container meets any other statement, it has escaped, and the walk is
done again without it.

Which loops are written out round by round, and what each round takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence, Set

from astad.compiler.ir.containers import word_of_key
from astad.compiler.ir.nodes import (
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
    Raise,
    Star,
    Try,
    While,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, UNARY
from astad.compiler.ir.walk import bound_inside, breaks, falls_through, kept, walk, with_operands
from astad.compiler.specialise.cells import HELD
from astad.compiler.specialise.known_calls import READERS, is_operation, known_result, reads_alone
from astad.compiler.specialise.known_objects import (
    AGAIN,
    Objects,
    change,
    instance,
    namedtuple,
    settled,
    store,
)
from astad.compiler.specialise.known_values import (
    PLAIN,
    Env,
    Known,
    Mixed,
    Roots,
    Same,
    State,
    Tree,
    are_alike,
    have_same_keys,
    held,
    identity_of,
    is_literal_text,
    join,
    moved,
    names_in,
    roots_of,
)
from astad.slotted import dataclass, field, replace

__all__ = ["Walker"]

# --- loops that are written out


MOST = 32
"""Parts of a container at one level, and rounds of a loop that is written out."""

MOST_WALKS = 100
"""Of the rounds of a loop, until what is known at its head is what is known behind a round."""

LONGEST = 400
"""Statements that the rounds of loops may come to in all."""


def set_aside(
    walker: Walker, parts: Sequence[Operand | Tree], node: Loop, out: list[Node]
) -> list[Operand | Tree]:
    """What the rounds take, under names that no round binds."""
    moving = bound_inside(node) | set(walker.slots.values())
    if walker.objects is not None:
        moving -= walker.objects.items  # what is gone through is so as it is by then
    copies: dict[str, str] = {}

    def copied(part: Operand | Tree) -> Operand | Tree:
        if isinstance(part, Tree):
            whole = part if part.name else None  # its attributes are as they are by then
            return whole or replace(part, parts=tuple(map(copied, part.parts)))
        if not isinstance(part, str) or part not in moving:
            return part
        if part not in copies:
            copies[part] = walker.names.numbered("t")
            walker.bind(copies[part], part, node.line, out)
        return copies[part]

    return [copied(part) for part in parts]


def parts_of_loop(walker: Walker, node: Loop) -> Sequence[Operand | Tree] | None:
    """What each round takes, where the loop can be written out."""
    known = walker.known(node.iterable)
    if isinstance(known, Tree):
        parts = known.items()
    elif isinstance(known, Const) and isinstance(known.value, range):
        short = id(node) in walker.unrolled
        parts = tuple(Const(item) for item in known.value) if short else None
    elif isinstance(known, Const) and type(known.value) is tuple:
        parts = tuple(map(Const, known.value))
    else:
        return None
    if parts is None or len(parts) > MOST or not may_be_written(walker, node):
        return None
    size = sum(1 for _ in walk(node.body)) * len(parts)
    return parts if walker.written + size <= LONGEST else None


def may_be_written(walker: Walker, node: Loop | While) -> bool:
    """May the rounds stand one behind another? A loop over numbers that may be left early stays
    one.
    """
    if not breaks(node.body, EARLY):
        return True
    known = walker.known(node.iterable) if isinstance(node, Loop) else None
    if walker.objects is None or (isinstance(known, Const) and type(known.value) is tuple):
        return False
    if isinstance(known, Tree) and _stays_loop(known, walker):
        return False
    return isinstance(node, Loop) and walker.objects.rounds_of(node) is not None


def _stays_loop(known: Tree, walker: Walker) -> bool:
    """A list of numbers may be gone through as a whole, and a tuple that comes in."""
    is_list = known.form != "tuple" or not known.made
    return is_list and holds_operands(known) and not walker.is_part(known)


def at_need(walker: Walker, node: Loop | While) -> list[int]:
    """A loop over a short literal range."""
    known = walker.known(node.iterable) if isinstance(node, Loop) else None
    if not isinstance(known, Const) or not isinstance(known.value, range):
        return []
    may = len(known.value) <= MOST and may_be_written(walker, node)
    return [id(node)] if may and id(node) not in walker.unrolled else []


@dataclass(slots=True)
class _Ways:
    """What is known at each ``continue`` and ``break`` of the loop round a statement, and what is
    levelled there.
    """

    level: Set[str] = frozenset()
    nexts: list[Env] = field(default_factory=list)
    leaves: list[Env] = field(default_factory=list)


@dataclass(slots=True)
class Walker(State):
    """The walk itself; ``loose`` are written statements which may go if nobody reads what they
    bind; ``held``: by global the parameter that stands for what it holds; ``fresh``
    are the results of operators; ``rows`` the parameters that are lists of numbers, or of such,
    ``displays`` the statements, by ``id``, that make a list of operands.
    """

    objects: Objects | None = None
    loose: dict[int, Node] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    rows: Set[Hashable] = frozenset()
    displays: set[int] = field(default_factory=set)
    _parts: set[str] = field(default_factory=set)
    _used: set[int] = field(default_factory=set)
    _ways: list[_Ways] = field(default_factory=list)

    def program(self, program: Program) -> Block:
        """The body of a program, written anew where anything changes."""
        self.held = {p.name: p.name for p in program.params if p.kind == HELD}
        text = outline(program)
        self.single = text.single
        self.taken |= set(text.bound) - text.single  # also a temporary of two arms
        self.once = set(self.single - self.taken)
        self.find_paths(outline(program).nodes, self.single)
        return kept(program.body, self.block(program.body))

    def block(self, block: Block) -> list[Node]:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Bind):
                self._bind(node, out)
            elif isinstance(node, Call):
                self._call(node, out)
            elif isinstance(node, Branch):
                self._branch(node, out)
            elif isinstance(node, Loop):
                self._loop(node, out)
            elif isinstance(node, While):
                self._while(node, out)
            else:
                assert not isinstance(node, Try)  # what has a tape is not specialised
                self._leave(node, out)
            if not falls_through(tuple(out[-1:])):
                break  # of a branch that is always taken
        return out

    # -- what is known

    def escape(self, known: Known | None, name: object = "") -> None:
        """A container is needed as a whole. Where a variable stands for one or another with the
        same keys, it gets names of its own for the parts first, and the walk is done again.
        """
        if known is not None and isinstance(known, (Tree, Mixed)):
            self.escaped |= known.roots
        if not isinstance(known, Mixed) or not known.alike or name not in self.taken:
            return
        if self.objects is not None and name not in self.objects.moved:
            self.objects.moved.add(str(name))
            self.wished.add(AGAIN)

    def _rebind(self, name: str) -> None:
        """What the name stood for is gone, also as a part of something."""
        self.env.pop(name, None)
        if name in self._parts:
            for holder, tree in list(held(self.env, name)):
                self.env[holder] = Mixed(tree.roots)

    # -- writing

    def write(self, node: Node, out: list[Node], *, loose: bool = False) -> None:
        """One statement as it is, but a new object where it was written before."""
        is_same = self.env.keys().isdisjoint(node.read)
        for name in () if is_same else node.read:
            self.escape(self.env.get(name), name)
        is_same = is_same and id(node) not in self._used
        reads = self.name_of if _asks_which(node) else self.read
        made = node if is_same else with_operands(node, reads)
        self._used.add(id(node))
        out.append(made)
        self.written += 1
        if loose:
            self.loose[id(made)] = made
        self._note_fresh(node)
        for name in node.bound if self.env else ():
            self._rebind(name)

    def _note_fresh(self, node: Node) -> None:
        """What an operator gives is a value of its own, whatever becomes of its operands."""
        if self._is_plain(node):
            self.plain.update(node.bound)
        if isinstance(node, Call) and isinstance(node.target, str) and node.target in self.once:
            if type(node.fn) is Prim and node.fn.name in MAKING:
                self.fresh.add(node.target)
        elif isinstance(node, Bind) and node.source in self.fresh and node.target in self.once:
            self.fresh.add(node.target)

    def _is_plain(self, node: Node) -> bool:
        """Does it bind a temporary to what an operator gives for numbers and arrays?"""
        if not all(name in self.once or name in self.single for name in node.bound):
            return False
        if isinstance(node, Bind):
            operands: Sequence[Operand | Star] = (node.source,)
        elif isinstance(node, Call) and type(node.fn) is Prim and node.fn.name in MAKING:
            operands = node.args
        else:
            return False
        return all(self.is_no_object(o) and type(self.known(o)) is not Tree for o in operands)

    def bind(
        self, target: str, part: Operand | Tree, line: int, out: list[Node], *, loose: bool = False
    ) -> None:
        """``target = part``; a container is bound without a statement, or slot by slot."""
        if isinstance(part, str) and part in self.leaves and target in self.once:
            self._rebind(target)
            self.env[target] = Same(part, self.leaf_roots[part])
            return
        if isinstance(part, str) and part in self.paths and target in self.once:
            self._rebind(target)
            self.env[target] = Same(part, frozenset())
            return
        if not isinstance(part, Tree):
            known = self.known(part)
            self.write(Bind(target, part, line), out, loose=loose)
            if isinstance(known, Const):
                self.env[target] = known
            return
        if part.form == "iterator" and target in self.taken:
            self.escape(part)  # it could be gone through again, and would be empty
        if part.form == "view" and target in self.taken and self._is_changing(part):
            self.escape(part)  # it shows what its dict holds by then
        if part.name and self._is_value(part, target):
            part = replace(part, name="")
        slotted = target in self.taken and not part.name
        tree = self._in_slots(target, part, line, out) if slotted else part
        self._rebind(target)
        self.env[target] = tree
        self._parts.update(names_in(tree))

    def _is_changing(self, tree: Tree) -> bool:
        """Is it, or does it show or hold, a container that is changed later?"""
        return self.objects is not None and not tree.roots.isdisjoint(self.objects.changing)

    def _is_value(self, part: Tree, target: str) -> bool:
        """An object that nobody changes is as good as its parts, where a name has several."""
        assert self.objects is not None
        if not part.cls:
            return False
        if target not in self.taken - self.single or part.cls in self.objects.mutable:
            return False
        self.objects.copied.add(part.cls)
        return True

    def _is_moved(self, target: str) -> bool:
        return self.objects is not None and target in self.objects.moved

    def _level(self, names: Set[str], line: int, out: list[Node]) -> None:
        """Where ways meet, these variables have the parts of what they stand for under names of
        their own. What is a copy from here on may not be changed, nor may what it was copied of.
        """
        for name in sorted(names):
            known = self.env.get(name)
            if isinstance(known, Tree) and known.form in PLAIN:
                mark = {moved(known.name)} if known.name else set()
                self.bind(name, replace(known, name="", roots=known.roots | mark), line, out)

    def _unequal(self, first: Env, second: Env) -> set[str]:
        """Variables, of those that are read behind it, to be levelled where these ways meet."""
        objects = self.objects
        names = objects.moved & first.keys() & second.keys() if objects is not None else ()
        pairs = ((name, first[name], second[name]) for name in names)
        return {name for name, a, b in pairs if have_same_keys(a, b) and not are_alike(a, b)}

    def _in_slots(self, target: str, tree: Tree, line: int, out: list[Node]) -> Tree:
        """The container with parts that belong to the name it is bound to, the same each time."""
        copies: list[tuple[str, Operand]] = []
        made = self._slotted((target,), tree, copies)
        slots = {slot for slot, _ in copies}
        if slots & {source for slot, source in copies if source != slot}:
            moved = [(self.names.numbered("t"), source) for _, source in copies]
            for name, source in moved:
                self.bind(name, source, line, out)
            copies = [(slot, name) for (slot, _), (name, _) in zip(copies, moved, strict=True)]
        for slot, source in copies:
            if slot != source:
                self.bind(slot, source, line, out)
        return made

    def _slotted(
        self, path: tuple[object, ...], tree: Tree, copies: list[tuple[str, Operand]]
    ) -> Tree:
        parts: list[Operand | Tree] = []
        kept_as_is = () if self._is_moved(str(path[0])) else self.leaves
        for key, part in zip(tree.keys, tree.parts, strict=True):
            if isinstance(part, Tree):
                parts.append(part if part.name else self._slotted((*path, key), part, copies))
            elif isinstance(part, str) and (part in kept_as_is or part in self.paths):
                parts.append(part)
            else:
                slot = self._slot((*path, key))
                parts.append(slot)
                copies.append((slot, part))
        return replace(tree, parts=tuple(parts))

    def _slot(self, path: tuple[object, ...]) -> str:
        if path not in self.slots:
            self.slots[path] = self.names.fresh("_".join(map(_word, path)))
        return self.slots[path]

    # -- statements

    def _bind(self, node: Bind, out: list[Node]) -> None:
        part = self.part(node.source)
        self.bind(node.target, part, node.line, out, loose=isinstance(node.source, Const)
                  and node.target not in self.taken)  # fmt: skip

    def _call(self, node: Call, out: list[Node]) -> None:
        if self._is_of_values(node):
            self.write(node, out)
            return
        opened = self.objects.opened(node, self) if self.objects is not None else None
        if opened is not None:
            out += self.block(tuple(opened))
            return
        name = node.fn.name if type(node.fn) is Prim else ""
        if name == "global" and self.held and (held := self._held(node)):
            self.bind(str(node.target), self.part(held), node.line, out)
            return
        if name == "instance":
            self.env[str(node.target)] = instance(node, self, self.objects)
            return
        if name == "namedtuple":
            self.bind(str(node.target), namedtuple(node, self, self.objects), node.line, out)
            return
        if name == "setattr" and store(node, self, self.objects, out):
            return
        may_change = name in CHANGES and self._may_change(node, name)
        if may_change and self.objects and change(node, name, self, self.objects, out):
            return
        if name == "apply" and self.objects and (applied := self._applied(node)):
            self._call(applied, out)
            return
        result = known_result(node, self)
        if name in PLAIN:
            self.displays.add(id(node))
        if isinstance(result, Tree) and self.objects is not None:
            result = settled(result, node, self, self.objects, out)
        if result is None or not isinstance(node.target, str):
            node = self._displayed(node, out) if self.objects and not name else node
            self.write(node, out, loose=name == "global")
        elif isinstance(result, Const) and not is_literal_text(result):  # a slice or a range
            self.write(node, out, loose=True)
            self.env[node.target] = result
        else:
            self.bind(node.target, result, node.line, out, loose=isinstance(result, Const))

    def _may_change(self, node: Call, name: str) -> bool:
        """What is added up later is taken as it is now: no array that might be written by then."""
        value = node.args[-1]
        if name != "value_append" or isinstance(value, Const) or value in self.fresh:
            return True
        return self.is_plain_number(value)

    def _applied(self, node: Call) -> Call | None:
        """``f(*args, **words)`` of known containers as a call of their parts."""
        fn, args, words = node.args
        items, more = self.known(args), self.known(words)
        if not isinstance(items, Tree) or not isinstance(more, Tree) or more.form != "dict":
            return None
        if items.form != "tuple" or not isinstance(fn, str):
            return None
        if not all(type(key) is str and key.isidentifier() for key in more.keys):
            return None
        given = tuple([self._named(part, node, at) for at, part in enumerate(items.parts)])
        keywords = tuple(
            (str(k), self._named(part, node, k))
            for k, part in zip(more.keys, more.parts, strict=True)
        )
        call = Call(node.target, fn, given, keywords, node.line)
        assert self.objects is not None
        return self.objects.calls.setdefault((id(node), *self.rounds, call), call)

    def _displayed(self, node: Call, out: list[Node]) -> Call:
        """A call that only reads gets displays of what is held now in the place of lists that are
        changed elsewhere, or that are none of their own: parts and copies of others.
        """
        assert self.objects is not None
        trees = {arg: self.known(arg) for arg in node.read if arg != node.fn}
        inner = {
            arg: tree
            for arg, tree in trees.items()
            if isinstance(tree, Tree) and (self._is_changing(tree) or self.is_part(tree))
        }
        found = self.space.find(self.paths.get(str(node.fn), "")) if inner else None
        has_views = any(map(_has_views, inner.values()))
        if not inner or not reads_alone(found, views=has_views):
            return node
        if not all(map(is_listed, inner.values())):
            return node
        flat = id(found) in READERS and len(node.args) == 1
        names = {arg: self._display(tree, node.line, out, flat) for arg, tree in inner.items()}
        self.assumed.add(self.paths[str(node.fn)])
        changed = with_operands(node, lambda operand: names.get(str(operand), operand))
        assert isinstance(changed, Call)
        return changed

    def is_part(self, tree: Tree) -> bool:
        """Would something else be needed whole with it that is no list of numbers?"""
        if tree.form == "view" or not tree.made:
            return not tree.roots <= self.rows
        return tree.made not in self.displays

    def _display(self, tree: Tree, line: int, out: list[Node], flat: bool = False) -> str:
        """``flat``: a list will do for a tuple."""
        parts = tuple(
            self._display(part, line, out) if isinstance(part, Tree) else part
            for part in tree.parts
        )
        name = self.names.numbered("t")
        out.append(
            Call(
                name,
                Prim("tuple" if tree.form == "tuple" and not flat else "list"),
                parts,
                (),
                line,
            )
        )
        self.written += 1
        return name

    def _named(self, part: Operand | Tree, node: Call | Loop, at: object) -> Operand:
        """A name for a container that has none: the same each time that the statement is met."""
        if not isinstance(part, Tree):
            return part
        assert self.objects is not None
        key = (id(node), *self.rounds, at)
        name = self.objects.named.get(key)
        if name is None:
            name = self.objects.named[key] = self.names.numbered("t")
        self.env[name] = part
        self._parts.update(names_in(part))
        return name

    def _held(self, node: Call) -> str:
        """The parameter that stands for what a global holds; empty where none does."""
        path = node.args[0]
        return self.held.get(str(path.value), "") if isinstance(path, Const) else ""

    def _is_of_values(self, node: Call) -> bool:
        """Is it an operation on operands of which nothing is known, and one is no literal?"""
        return is_operation(node) and bool(node.read) and self.env.keys().isdisjoint(node.read)

    def _leave(self, node: Exit | Raise, out: list[Node]) -> None:
        if isinstance(node, Exit) and node.how != "return" and self._ways:
            self._level(self._ways[-1].level, node.line, out)
        self.write(node, out)
        if isinstance(node, Exit) and node.how != "return" and self._ways:
            ways = self._ways[-1]
            (ways.leaves if node.how == "break" else ways.nexts).append(dict(self.env))

    def _branch(self, node: Branch, out: list[Node]) -> None:
        known = self.known(node.test)
        if isinstance(known, Const) and isinstance(node.test, str) and is_literal_text(known):
            out += self.block(node.body if known.value else node.orelse)
            return
        self.escape(known)
        test, start = self.read(node.test), dict(self.env)
        written, first = self.block(node.body), self.env
        self.env = start
        others, second = self.block(node.orelse), self.env
        if falls_through(tuple(written)) and falls_through(tuple(others)):
            unequal = self._unequal(first, second)
            self._level(unequal, node.line, others)
            self.env, second = first, self.env
            self._level(unequal, node.line, written)
            first = self.env
        body, orelse = kept(node.body, written), kept(node.orelse, others)
        if falls_through(body) and falls_through(orelse):
            self.env = join(first, second)
        elif falls_through(body):
            self.env = first
        is_same = test == node.test and body is node.body and orelse is node.orelse
        is_same = is_same and id(node) not in self._used
        self._used.add(id(node))
        out.append(node if is_same else Branch(test, body, orelse, node.line))

    # -- loops

    def _loop(self, node: Loop, out: list[Node]) -> None:
        assert isinstance(node.target, str)
        parts = parts_of_loop(self, node)
        if parts is None:
            self.escape(self.known(node.iterable), node.iterable)
            self._repeat(node, out)
            return
        known = self.known(node.iterable)
        self.walking.append(_gone_through(known) if isinstance(known, Tree) else frozenset())
        left, body = self._rounds(node, out)
        for at, part in enumerate(set_aside(self, parts, node, out)):
            written: list[Node] = []
            self.rounds.append((id(node), at))
            if left and self.known(left) != Const(False):
                held = self._named(self.now(part), node, "part")
                whole = (Bind(node.target, held, node.line), *body)
                written += self.block((Branch(left, (), whole, node.line),))
            else:
                self.bind(node.target, self.now(part), node.line, written, loose=True)
                written += self.block(body)
            self.rounds.pop()
            out += written
            if not falls_through(tuple(written)):
                self.walking.pop()
                break
        else:
            self.walking.pop()
            ends = (Branch(left, (), node.orelse, node.line),) if left else node.orelse
            out += self.block(ends if node.orelse else ())

    def _rounds(self, node: Loop, out: list[Node]) -> tuple[str, Block]:
        """What each round does, and the variable that tells whether the loop was left before its
        time, if it may be.
        """
        if not breaks(node.body, EARLY):
            return "", node.body
        assert self.objects is not None
        body = self.objects.rounds_of(node)
        assert body is not None  # `may_be_written`
        bound = {name for part in walk(body) for name in part.bound}
        self.taken |= bound - self.single - self.once
        if not breaks(node.body):
            return "", body
        left = self.objects.left[id(node)]
        self.bind(left, Const(False), node.line, out)
        return left, body

    def _while(self, node: While, out: list[Node]) -> None:
        """Written out round by round, where the end of each round is known."""
        objects = self.objects
        if objects is None or id(node) in objects.kept:
            self._repeat(node, out)
        elif id(node) in self.unrolled:
            text = self._rounds_of(node)
            if text is None:
                if not self.wished:  # what a walk that is done again has met is not what it is
                    objects.kept.add(id(node))
                self.wished.add(AGAIN)
            out += text or ()
        elif self._ends_known(node):
            self.wished.add(id(node))
            self._repeat(node, out)
        else:
            self._repeat(node, out)

    def _ends_known(self, node: While) -> bool:
        """Is it known at the head of the first round whether there is one? A loop whose end is
        known, and which changes containers of known parts, may be written out.
        """
        changed = [n for n in walk((node,)) if isinstance(n, Call) and n.args]
        if not any(isinstance(self.known(arg), Tree) for n in changed for arg in n.args[:1]):
            return False
        head = [*node.head]
        for part in node.body if not node.head else ():
            if isinstance(part, Branch):
                break
            head.append(part)
        test = node.test if node.head else next(
            (part.test for part in node.body if isinstance(part, Branch)), node.test)  # fmt: skip
        env, escaped, wished, written = (
            dict(self.env),
            set(self.escaped),
            set(self.wished),
            self.written,
        )
        self.block(tuple(head))
        known = self.known(test)
        self.env, self.escaped, self.wished, self.written = env, escaped, wished, written
        return isinstance(known, Const) and isinstance(test, str)

    def _rounds_of(self, node: While) -> list[Node] | None:
        """The text of all rounds; None where one may be left in the middle, or there are many."""
        out: list[Node] = []
        for at in range(MOST + 1):
            self.rounds.append((id(node), at))
            self._ways.append(_Ways())
            written = self.block(node.head)
            test = node.test if isinstance(node.test, Const) else self.known(node.test)
            goes_on = isinstance(test, Const) and bool(test.value)
            written += self.block(node.body) if goes_on else []
            self._ways.pop()
            self.rounds.pop()
            last = written[-1] if written else None
            left = isinstance(last, Exit) and last.how in ("break", "continue")
            if left:
                written.pop()
            if not isinstance(test, Const) or breaks(tuple(written), ("break", "continue")):
                return None
            out += written
            if not goes_on or (isinstance(last, Exit) and last.how == "break"):
                return out
            if not falls_through(tuple(written)):
                return out
            if self.written > LONGEST:
                return None
        return None

    def _repeat(self, node: Loop | While, out: list[Node]) -> None:
        """A loop that stays one: what is known at its head is known in every round."""
        inside, written = bound_inside(node), self.written
        level = self.objects.level.setdefault(id(node), set()) if self.objects else set()
        self._level(level, node.line, out)
        before = {
            name: known
            for name, known in self.env.items()
            if not (isinstance(known, Const) and name in inside)
        }
        self.ranges += at_need(self, node)
        head = before
        for times in itertools.count():
            ways, self.written = _Ways(level), written
            self._ways.append(ways)
            self.env = dict(head)
            made, exhausted = self._round(node, level)
            self._ways.pop()
            after = head
            for way in (*([self.env] if falls_through(made.body) else []), *ways.nexts):
                self._note_unequal(self._unequal(head, way), level)
                after = join(after, way)
            if after == head:
                break
            if times == MOST_WALKS:  # no program is known: names and roots are the same each time
                self.escaped |= frozenset().union(*map(roots_of, after.values()))
                break
            head = after
        self.ranges = [loop for loop in self.ranges if loop != id(node)]
        self.env = exhausted
        orelse = tuple(self.block(node.orelse))
        for way in ways.leaves:
            self._note_unequal(self._unequal(self.env, way), level)
            self.env = join(self.env, way)
        out.append(replace(made, orelse=orelse))
        self.written += 1

    def _note_unequal(self, names: set[str], level: set[str]) -> None:
        if not names <= level:
            level |= names
            self.wished.add(AGAIN)

    def _round(self, node: Loop | While, level: Set[str]) -> tuple[Loop | While, Env]:
        """One iteration, and what is known when there is no further one."""
        if isinstance(node, Loop):
            exhausted = dict(self.env)
            assert isinstance(node.target, str)
            iterable = self.read(node.iterable)
            self._rebind(node.target)
            body = self._body(node, level)
            return replace(node, iterable=iterable, body=body), exhausted
        head = tuple(self.block(node.head))
        self.escape(self.known(node.test))
        test, exhausted = self.read(node.test), dict(self.env)
        body = self._body(node, level)
        return replace(node, head=head, test=test, body=body), exhausted

    def _body(self, node: Loop | While, level: Set[str]) -> Block:
        written = self.block(node.body)
        if falls_through(tuple(written)):
            self._level(level, node.line, written)
        return tuple(written)


MAKING = {*BINARY, *UNARY}
"""Operators that change nothing."""
EARLY = ("break", "continue")
CHANGES = (
    "setitem", "delitem", "list_append", "value_append", "list_extend", "dict_merge", "method",
)  # fmt: skip
"""Operations that may change a container."""


def is_listed(tree: Tree) -> bool:
    """Does it hold operands, or lists of such?"""
    return tree.form in ("list", "tuple", "view") and all(
        is_listed(part) for part in tree.parts if isinstance(part, Tree)
    )


def holds_operands(tree: Tree) -> bool:
    """Numbers or arrays, or tuples of such: no dicts, no objects, no text."""
    if tree.form not in ("list", "tuple", "iterator", "view"):
        return False
    return all(
        holds_operands(part) if isinstance(part, Tree) else _is_no_text(part) for part in tree.parts
    )


def _is_no_text(part: Operand) -> bool:
    return not isinstance(part, Const) or type(part.value) in (int, float)


def _has_views(tree: Tree) -> bool:
    return tree.form == "view" or any(_has_views(p) for p in tree.parts if isinstance(p, Tree))


def _gone_through(tree: Tree) -> Roots:
    """The containers whose length shall stay the same while it is gone through."""
    return tree.roots if tree.form in ("view", "iterator") else frozenset({identity_of(tree.name)})


def _asks_which(node: Node) -> bool:
    """``x is y``: of a literal nobody asks that."""
    return isinstance(node, Call) and type(node.fn) is Prim and node.fn.name in ("is_", "is_not")


def _word(key: object) -> str:
    """Of the name of a part: an index, an attribute, or a key that may stand in a name."""
    if type(key) is int:
        return str(key) if abs(key) < 10**9 else "item"
    if type(key) is tuple:
        return word_of_key(key)
    return str(key) if str(key).isidentifier() else "item"
