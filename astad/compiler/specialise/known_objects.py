"""Objects that a function makes for itself: their constructors and methods are written out, their
attributes become names.

An attribute has one name, whoever binds or reads it: so an object may go by several names. Where
such an object meets anything else than its own methods, it has escaped, and is made as it was.

The attributes of objects that a function makes for itself: a name for each.

Lists and dicts that a function makes and changes: a name for each item.

As an object does, such a container has one identity, whoever binds it: an item has one name, which
a store binds anew. What changes the number of items is followed where it happens the same way on
all ways; elsewhere the container has escaped.

>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import FLOAT
>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> from astad.compiler.specialise.scalar_replacement import take_apart
>>> def f(x):
...     d = {"a": x, "b": 2.0}
...     while d["a"] < 9.0:
...         d["a"] = d["a"] * d["b"]
...     return d["a"]
>>> program = lower_function(f)
>>> names = Names(program.taken)
>>> print(show(take_apart(program, [FLOAT], names, Space({}), lower_function).program))
d_a_1 = x
d_b_1 = 2.0
while:
    t_1 = d_a_1
    t_2 = t_1 < 9.0
while t_2:
    t_3 = d_a_1
    t_4 = d_b_1
    t_5 = t_3 * t_4
    d_a_1 = t_5
t_6 = d_a_1
return t_6
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

from astad.compiler.analysis.space import Space
from astad.compiler.analysis.structure import bound_once
from astad.compiler.ir.containers import OF_TUPLES, word_of_key
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import (
    Bind,
    Block,
    Call,
    Const,
    Loop,
    Node,
    Operand,
    Param,
    Prim,
    Star,
)
from astad.compiler.ir.walk import bound_inside, walk
from astad.compiler.specialise.classes import (
    answered,
    fields_of,
    is_namedtuple,
    raw_attribute,
    set_by_bases,
)
from astad.compiler.specialise.known_calls import NOTHING, Entries, constant_of, entries_of
from astad.compiler.specialise.known_values import Mixed, Roots, State, Tree, identity_of
from astad.compiler.specialise.opened_functions import Lower, Texts
from astad.compiler.specialise.written_out import LITERALS, Words, matched
from astad.slotted import replace
from astad.spelling import is_key

__all__ = [
    "AGAIN", "Objects", "change", "instance", "namedtuple", "settled", "store",
]  # fmt: skip

GETATTR, METHOD = Prim("getattr"), Prim("method")

DEEPEST = 6
"""Calls in calls that are written out."""
LONGEST = 400
"""Statements that they may come to in all."""


class Objects:
    """Writes out the calls that make objects, and those of their methods; each call once, so that
    walking it again gives the same names. ``changing``: the lists and dicts, by the statement that
    makes them, that are changed later, ``items`` the names of what these hold; ``kept`` the loops
    that are not to be written out; ``moved`` the variables that stand for one or another of these
    where ways meet, ``level`` by loop those that have a name of their own for each item at its
    head.
    """

    def __init__(self, names: Names, space: Space, lower: Lower) -> None:
        self.names = names
        self.space = space
        self.texts = Texts(names, space, lower)
        self.written: dict[tuple[object, ...], list[Node] | None] = {}
        self.depth: dict[int, int] = {}
        self.size = 0
        self.origin: dict[int, int] = {}
        self.assumed: dict[tuple[object, ...], tuple[str, ...]] = {}
        self.slots: set[str] = set()
        self.items: set[str] = set()
        self.changing: set[int] = set()
        self.calls: dict[tuple[object, ...], Call] = {}
        self.kept: set[int] = set()
        self.moved: set[str] = set()
        self.level: dict[int, set[str]] = {}
        self.left: dict[int, str] = {}
        self.bodies: dict[int, Block | None] = {}
        self.named: dict[tuple[object, ...], str] = {}
        self.mutable: set[str] = set()
        self.copied: set[str] = set()
        self.varying: set[tuple[str, object]] = set()

    def rounds_of(self, node: Loop) -> Block | None:
        """What each round of a loop does that may be left early, where its rounds are to stand one
        behind another; ``left`` has the variable that tells whether it was.
        """
        if id(node) not in self.bodies:
            from astad.compiler.specialise.rounds import ending_at_end  # late: many leave none

            left, ended = self.names.fresh("left"), self.names.fresh("ended")
            body = ending_at_end(node.body, left)
            if body is None:
                body = ending_at_end(node.body, left, ended)
                start = Bind(ended, Const(False), node.line)
                body = None if body is None else (start, *body)
            self.left[id(node)], self.bodies[id(node)] = left, body
        return self.bodies[id(node)]

    # -- what a call becomes

    def opened(self, node: Call, state: State) -> Sequence[Node] | None:
        """The statements in the place of a call; None where it is left to others."""
        if id(node) in state.whole or self.depth.get(id(node), 0) >= DEEPEST:
            return None
        call = answered(node, state)
        if call is None:
            return self._attribute(node, state)
        args, path = call
        key = (id(node), *state.rounds, path)
        if key not in self.written:
            made = self._nodes(node, args, path, key, state) if self.size < LONGEST else None
            self.written[key] = made
            self.size += sum(1 for _ in walk(made or ()))
            for part in walk(made or ()):
                self.depth[id(part)] = self.depth.get(id(node), 0) + 1
        nodes = self.written[key]
        if nodes is not None:
            state.assumed.update(self.assumed.get(key, ()))
            _announce(nodes, state)
        return nodes

    def _attribute(self, node: Call, state: State) -> list[Node] | None:
        """``o.act(x)`` of a function that the object holds: ``t = o.act``, ``t(x)``; a number that
        the class holds is read from there.
        """
        if node.fn is not METHOD and node.fn is not GETATTR:
            return None
        tree, name = state.known(node.args[0]), node.args[1]
        if not isinstance(tree, Tree) or not tree.cls or not isinstance(name, Const):
            return None
        is_held = name.value in tree.keys
        cls: Any = self.space.find(tree.cls)
        raw = raw_attribute(cls, str(name.value))
        of_class = node.fn == Prim("getattr") and type(raw) in (int, float) and not is_held
        if not of_class and (node.fn == Prim("getattr") or not is_held or "." in tree.cls):
            return None
        key = (id(node), *state.rounds)
        if key not in self.written:
            owner = self.names.numbered("t")
            if of_class:
                made = Call(owner, Prim("global"), (Const(tree.cls),), (), node.line)
                last = Call(node.target, Prim("getattr"), (owner, name), (), node.line)
            else:
                made = Call(owner, Prim("getattr"), node.args[:2], (), node.line)
                last = Call(node.target, owner, node.args[2:], node.keywords, node.line)
            self.written[key] = [made, last]
        nodes = self.written[key]
        _announce(nodes or (), state)
        return nodes

    def _nodes(
        self,
        node: Call,
        args: Sequence[Operand | Star],
        path: str,
        key: tuple[object, ...],
        state: State,
    ) -> list[Node] | None:
        found: Any = self.space.find(path)
        keywords = node.keywords
        if isinstance(found, type):
            return self._construction(node, found, path, key)
        fn = found if type(found) is FunctionType else None
        if fn is None or not self.texts.may_be_opened(fn):
            return None
        call = Call(node.target, "", tuple(args), keywords, node.line)
        asked = self.texts.asked(call, fn, path, _class_of(args, state))
        if asked is None:
            return None
        self.assumed[key] = asked.guards
        return self.texts.written_out(call, asked)

    def _construction(
        self, node: Call, cls: Any, path: str, key: tuple[object, ...]
    ) -> list[Node] | None:
        made = self.names.fresh(f"{cls.__name__.lower()}")
        if is_namedtuple(cls):
            return self._namedtuple(node, cls, path, key, made)
        init: Any = cls.__init__
        body: list[Node] | None
        keys: Sequence[str]
        if type(init) is FunctionType and init.__code__.co_filename == "<string>":
            body, keys = self._fields(node, cls, made)
            of_init = [f"{path}.__init__{part}" for part in ("", ".__code__", ".__defaults__")]
            guards: tuple[str, ...] = (path, *of_init)
        elif type(init) is FunctionType and self.texts.may_be_opened(init):
            call = Call(None, "", (made, *node.args), node.keywords, node.line)
            asked = self.texts.asked(call, init, f"{path}.__init__", path)
            body = self.texts.written_out(call, asked) if asked is not None else None
            sets = [*_set_on(made, body or ()), *set_by_bases(cls)]
            self.varying.update((path, key) for key in sets if sets.count(key) > 1)
            keys = list(dict.fromkeys(sets))
            guards = (path, *asked.guards) if asked is not None else ()
        else:
            return None
        if body is None or not all(_is_plain_slot(cls, name) for name in keys):
            return None
        instance = Call(made, Prim("instance"), (Const(path), Const(tuple(keys))), (), node.line)
        self.origin[id(instance)] = id(node)
        self.assumed[key] = guards
        last = [Bind(node.target, made, node.line)] if isinstance(node.target, str) else []
        return [instance, *body, *last]

    def _namedtuple(
        self, node: Call, cls: Any, path: str, key: tuple[object, ...], made: str
    ) -> list[Node] | None:
        params = [Param(name, "positional", False) for name in cls._fields]
        values = cls.__new__.__defaults__ or ()  # not those that the class once had
        defaults = zip(cls._fields[len(cls._fields) - len(values) :], values, strict=True)
        plain = {name: Const(value) for name, value in defaults if type(value) in LITERALS}
        given = matched(node, params, plain)
        if given is None or not isinstance(node.target, str):
            return None
        self.assumed[key] = (
            path, *[f"{path}.__new__{part}" for part in ("", ".__code__", ".__defaults__")],
        )  # fmt: skip
        parts = [value for value in given.values() if not isinstance(value, (tuple, Words))]
        record = Call(
            made, Prim("namedtuple"), (Const(path), Const(cls._fields), *parts), (), node.line
        )
        self.origin[id(record)] = id(node)
        return [record, Bind(node.target, made, node.line)]

    def _fields(self, node: Call, cls: Any, made: str) -> tuple[list[Node] | None, Sequence[str]]:
        """What the ``__init__`` of a dataclass does."""
        fields = fields_of(cls)
        words = dict(node.keywords)
        given = list(node.args)
        if fields is None:
            return None, ()
        body: list[Node] = []
        for name, has_default, default in fields:
            value: Any = given.pop(0) if given else words.pop(name, None)
            if value is None and has_default and type(default) in LITERALS:
                value = Const(default)
            if value is None and has_default and default in (list, dict):
                value = self.names.fresh(f"{made}_{name}")
                body.append(Call(value, Prim(default.__name__), (), (), node.line))
            if value is None:
                return None, ()
            body.append(Call(None, Prim("setattr"), (made, Const(name), value), (), node.line))
        return (None if given or words else body), [name for name, *_ in fields]


def _class_of(args: Sequence[Operand | Star], state: State) -> str:
    """The path of the class of the first operand; empty where that is not known."""
    tree = state.known(args[0]) if args else None
    return tree.cls if isinstance(tree, Tree) else ""


def _announce(nodes: Sequence[Node], state: State) -> None:
    """What the walk knows of names: which one statement binds, and which stand for globals."""
    once = bound_once(tuple(nodes))
    for name in bound_inside(*nodes):
        if name in state.once or name in state.taken:
            continue
        (state.once if name in once else state.taken).add(name)
    state.find_paths(walk(nodes), once)


def _set_on(made: str, nodes: Sequence[Node]) -> list[str]:
    """The attributes that a constructor sets, in order."""
    found: list[str] = []
    for node in walk(nodes):
        if isinstance(node, Call) and node.fn == Prim("setattr") and node.args[0] == made:
            key = node.args[1]
            assert isinstance(key, Const)
            found.append(str(key.value))
    return found


def _is_plain_slot(cls: type, name: str) -> bool:
    """Is nothing of the class's own under this name, but for the default of a field or a slot?"""
    raw = raw_attribute(cls, name)
    return raw is None or type(raw).__name__ == "member_descriptor" or type(raw) in LITERALS


# --- attributes


AGAIN = -1
"""A wish for another walk."""


def instance(node: Call, state: State, objects: Objects | None) -> Tree:
    """The object that ``instance`` stands for: a name for each attribute."""
    path, keys = node.args[0], node.args[1]
    assert objects is not None  # they wrote the statement
    assert isinstance(path, Const) and isinstance(keys, Const) and isinstance(keys.value, tuple)
    name = f"{node.target}{''.join(f' {at}' for _, at in state.rounds)}"
    slots = tuple(_slot(objects, name, str(node.target), key, state) for key in keys.value)
    roots = frozenset({objects.origin[id(node)]})
    state.rely(str(path.value), *keys.value, "__del__")
    made = Tree("object", keys.value, slots, roots, str(path.value), name)
    state.env[identity_of(name)] = made
    return made


def namedtuple(node: Call, state: State, objects: Objects | None) -> Tree:
    """The record that ``namedtuple`` stands for."""
    path, fields = node.args[0], node.args[1]
    assert objects is not None  # they wrote the statement
    assert isinstance(path, Const) and isinstance(fields, Const) and isinstance(fields.value, tuple)
    parts = tuple(state.part(value) for value in node.args[2:] if not isinstance(value, Star))
    roots: Roots = frozenset({objects.origin[id(node)]})
    roots = roots.union(*(part.roots for part in parts if isinstance(part, Tree)))
    state.rely(str(path.value), *fields.value, *OF_TUPLES, "__init__", "__del__")
    return Tree("namedtuple", fields.value, parts, roots, str(path.value))


def _slot(objects: Objects, name: str, wish: str, key: str, state: State) -> str:
    path = (name, "attribute", key)
    if path not in state.slots:
        state.slots[path] = objects.names.fresh(f"{wish}_{key}")
    objects.slots.add(state.slots[path])
    return state.slots[path]


def store(node: Call, state: State, objects: Objects | None, out: list[Node]) -> bool:
    """``o.name = v`` of such an object; false where it is none."""
    tree = state.known(node.args[0])
    key, value = node.args[1], node.args[2]
    if not isinstance(tree, Tree) or not tree.cls or not isinstance(key, Const):
        return False
    if key.value not in tree.keys or isinstance(value, Star) or objects is None:
        return False
    part, at = state.part(value), tree.keys.index(key.value)
    if _asks_again(objects, tree, node.args[0], part, tree.parts[at], key.value):
        state.wished.add(AGAIN)
        return True
    if not tree.name:
        return False  # one that came from outside
    varies = (tree.cls, key.value) in objects.varying
    if isinstance(part, Tree) or part in state.paths or (_is_fixed(part) and not varies):
        roots = tree.roots | part.roots if isinstance(part, Tree) else tree.roots
        parts = (*tree.parts[:at], part, *tree.parts[at + 1 :])
        state.replace_identity(replace(tree, parts=parts, roots=roots))
        return True
    slot = tree.parts[at]
    if not isinstance(slot, str) or slot not in objects.slots:
        return False
    out.append(Bind(slot, part, node.line))
    state.written += 1
    return True


def _asks_again(
    objects: Objects, tree: Tree, name: object, part: object, before: object, key: object
) -> bool:
    """Is more known by this store than the walk so far has reckoned with? What is written
    outside its constructor has one identity, an attribute that varies a name.
    """
    if name == tree.name.partition(" ")[0]:
        return False
    known = tree.cls in objects.mutable
    objects.mutable.add(tree.cls)
    varies = isinstance(before, Const) and not isinstance(part, Tree)
    varies = varies and (tree.cls, key) not in objects.varying
    if varies:
        objects.varying.add((tree.cls, key))
    return varies or (not known and (not tree.name or tree.cls in objects.copied))


def _is_fixed(part: Operand) -> bool:
    return isinstance(part, Const) and (part.value is None or type(part.value) is str)


# --- lists and dicts


MOST = 32
"""Items."""
LIVE = ("view", "iterator")
"""Forms that show what another container holds."""


def settled(tree: Tree, node: Call, state: State, objects: Objects, out: list[Node]) -> Tree:
    """A new container as it stands for itself: one that is changed later has names for its items,
    any other holds copies of what may be changed.
    """
    if tree.form in LIVE or tree.name:
        return tree
    if tree.form not in ("list", "dict") or tree.made not in objects.changing:
        return _copied(tree, node, state, objects, out)
    name = f"{tree.made}{''.join(f' {at}' for _, at in state.rounds)}"
    stem = node.target if isinstance(node.target, str) else "item"
    named = replace(tree, name=name, stem=stem, roots=tree.roots | {identity_of(name)})
    parts = [_stored(named, key, part, node, state, objects, out)
             for key, part in zip(tree.keys, tree.parts, strict=True)]  # fmt: skip
    named = replace(named, parts=tuple(parts))
    state.env[identity_of(name)] = named
    state.forget_moved(name)
    return named


def _copied(tree: Tree, node: Call, state: State, objects: Objects, out: list[Node]) -> Tree:
    def held(part: Operand | Tree) -> Operand | Tree:
        if isinstance(part, Tree):
            return part if part.name or part.form in LIVE else replace(part, parts=inside(part))
        if part not in objects.items:
            return part
        copy = state.names.numbered("t")
        out.append(Bind(copy, part, node.line))
        return copy

    def inside(one: Tree) -> tuple[Operand | Tree, ...]:
        return tuple(map(held, one.parts))

    parts = inside(tree)
    return tree if parts == tree.parts else replace(tree, parts=parts)


def _stored(
    tree: Tree,
    key: object,
    part: Operand | Tree,
    node: Call,
    state: State,
    objects: Objects,
    out: list[Node],
) -> Operand | Tree:
    """What the container holds under the key from now on."""
    if isinstance(part, Tree):
        path = (tree.name, "item", key, id(node), *state.rounds)
        return part if part.name else _kept(part, path, tree.stem, node, state, objects, out)
    path = (tree.name, "item", key)
    if path not in state.slots:
        plain = (type(key) is str and key.isidentifier()) or type(key) is int
        word = key if plain else word_of_key(key) if type(key) is tuple else "item"
        state.slots[path] = objects.names.fresh(f"{tree.stem}_{word}".replace("-", "_"))
    slot = state.slots[path]
    objects.slots.add(slot)
    objects.items.add(slot)
    if slot != part:
        out.append(Bind(slot, part, node.line))
        state.written += 1
    return slot


def _kept(
    tree: Tree,
    path: tuple[object, ...],
    stem: str,
    node: Call,
    state: State,
    objects: Objects,
    out: list[Node],
) -> Tree:
    """A container that nobody changes, under names that nobody else binds."""
    parts: list[Operand | Tree] = []
    for key, part in zip(tree.keys, tree.parts, strict=True):
        if isinstance(part, Tree):
            own = part.name or part.form in LIVE
            parts.append(
                part if own else _kept(part, (*path, key), stem, node, state, objects, out)
            )
        elif isinstance(part, str) and part not in state.leaves:
            slot = state.slots.get((*path, key))
            if slot is None:
                slot = state.slots[(*path, key)] = objects.names.fresh(f"{stem}_item")
            objects.slots.add(slot)
            out.append(Bind(slot, part, node.line))
            state.written += 1
            parts.append(slot)
        else:
            parts.append(part)
    return replace(tree, parts=tuple(parts))


# --- what changes one


def change(node: Call, name: str, state: State, objects: Objects, out: list[Node]) -> bool:
    """``d[key] = v``, ``l.append(v)``, ``l.pop()``; false where it is none of a known container."""
    tree = state.known(node.args[0]) if node.args else None
    if not isinstance(tree, Tree) or tree.form not in ("list", "dict"):
        return False
    if tree.name and state.was_moved(tree):
        return False
    if tree.form == "dict":
        entries = _entries_of(node, name, tree, state)
        if entries is not None:
            return _filled(tree, entries, node, state, objects, out)
    found = _change_of(node, name, state)
    if found is None:
        return False
    key, value = found
    if not tree.name:
        return _is_to_change(tree, state, objects)
    if value is None:
        return _taken_out(tree, key, node, state, objects, out)
    if key is _MANY:
        return _extended(tree, value, node, state, objects, out)
    part = state.part(value)
    if isinstance(part, Tree) and part.form in LIVE:
        return False
    at = _place(tree, key, state)
    if at is None:
        return False
    if at < 0:  # the walk is done again
        return True
    done = _put(tree, key, at, part, node, state, objects, out)
    if done is not None and isinstance(node.target, str):
        state.bind(node.target, Const(None), node.line, out)
    return done is not False


def _put(
    tree: Tree,
    key: object,
    at: int,
    part: Operand | Tree,
    node: Call,
    state: State,
    objects: Objects,
    out: list[Node],
) -> bool | None:
    """It holds the part at this place from now on. False where that is too much for it, None where
    the walk is to be done again.
    """
    is_new = at == len(tree.keys)
    if is_new and len(tree.keys) >= MOST:
        return False
    is_other = not is_new and (isinstance(part, Tree) or isinstance(tree.parts[at], Tree))
    if (is_new or is_other) and not grown(tree, state):  # who goes through it has what it held
        return None
    keys = (*tree.keys, at if tree.form == "list" else key) if is_new else tree.keys
    item = _stored(tree, keys[at], part, node, state, objects, out)
    parts = (*tree.parts[:at], item, *tree.parts[at + 1 :])
    if parts != tree.parts:
        roots = tree.roots | part.roots if isinstance(part, Tree) else tree.roots
        state.replace_identity(replace(tree, keys=keys, parts=parts, roots=roots))
    return True


def _entries_of(node: Call, name: str, tree: Tree, state: State) -> Entries | None:
    """What ``d.update(...)``, ``{**d}`` and ``d.setdefault(key, v)`` put into a dict; None where
    it is none of these, or not known.
    """
    operands = [arg for arg in node.args if not isinstance(arg, Star)]
    words = [(word, state.part(v)) for word, v in node.keywords if word is not None]
    if len(operands) < len(node.args) or len(words) < len(node.keywords):
        return None
    if name == "dict_merge" and len(operands) == 2:  # with a third, no key may come twice
        other = state.known(operands[1])
        is_dict = isinstance(other, Tree) and other.form == "dict"
        return entries_of(state.part(operands[1])) if is_dict else None
    method = operands[1] if name == "method" else None
    if method == Const("update") and len(operands) < 4:
        first = entries_of(state.part(operands[2])) if len(operands) == 3 else []
        other = state.known(operands[2]) if len(operands) == 3 else None
        if first is None or (tree.name and isinstance(other, Tree) and _shows(other, tree)):
            return None
        return [*first, *words]
    if method == Const("setdefault") and len(operands) in (3, 4) and not words:
        key = constant_of(state.part(operands[2]), state)
        if is_key(key) and key not in tree.keys:
            return [(key, state.part(operands[3]) if len(operands) == 4 else Const(None))]
        return [] if is_key(key) and node.target is None else None
    return None


def _filled(
    tree: Tree,
    entries: Entries,
    node: Call,
    state: State,
    objects: Objects,
    out: list[Node],
) -> bool:
    """A dict with these entries; ``setdefault`` gives what it has put in."""
    if not entries and node.target is None:
        return True
    if not tree.name:
        return _is_to_change(tree, state, objects)
    if any(isinstance(part, Tree) and part.form in LIVE for _, part in entries):
        return False
    result: Operand | Tree = Const(None)
    for key, part in entries:
        now = state.env[identity_of(tree.name)]
        assert isinstance(now, Tree)
        at = now.keys.index(key) if key in now.keys else len(now.keys)
        done = _put(now, key, at, part, node, state, objects, out)
        if done is not True:
            return done is None
        result = part
    if isinstance(node.target, str):
        is_kept = len(node.args) > 1 and node.args[1] == Const("setdefault")
        state.bind(node.target, result if is_kept else Const(None), node.line, out)
    return True


def _is_to_change(tree: Tree, state: State, objects: Objects) -> bool:
    """Note that a container which was made here is changed: then the walk is done again, and it has
    names for its items. False where it came from outside, or is left whole.
    """
    if not tree.made or tree.made in state.whole:
        return False
    if tree.made in objects.changing:
        return bool(state.wished)
    objects.changing.add(tree.made)
    state.wished.add(AGAIN)
    return True


_END, _MANY = object(), object()
"""In the place of a key: behind all others, one item or those of a container."""


def _change_of(node: Call, name: str, state: State) -> tuple[object, Operand | None] | None:
    """The key, or that it is the end, and the value; no value where one is taken out."""
    if node.keywords or any(isinstance(arg, Star) for arg in node.args):
        return None
    if name == "setitem":
        return _key_of(node.args[1], state), node.args[2]  # type: ignore[return-value]
    if name in ("list_append", "value_append"):
        return _END, node.args[1]  # type: ignore[return-value]
    if name == "list_extend":
        return _MANY, node.args[1]  # type: ignore[return-value]
    if name == "method" and len(node.args) == 3 and node.args[1] == Const("extend"):
        return _MANY, node.args[2]  # type: ignore[return-value]
    if name == "method" and len(node.args) == 3 and node.args[1] == Const("append"):
        return _END, node.args[2]  # type: ignore[return-value]
    if name == "method" and len(node.args) in (2, 3) and node.args[1] == Const("pop"):
        return (_END if len(node.args) == 2 else _key_of(node.args[2], state)), None
    if name == "delitem":
        return _key_of(node.args[1], state), None
    return None


def _key_of(operand: Operand | Star, state: State) -> object:
    """Which key it is; None where that is not known."""
    key = constant_of(state.part(operand), state)  # type: ignore[arg-type]
    return None if key is NOTHING else key


def _place(tree: Tree, key: object, state: State) -> int | None:
    """The place of the item; -1 where the walk is to be done again, None where it is not known."""
    if key is _END:
        if tree.form != "list":
            return None
        return -1 if state.wish() and not state.rounds else len(tree.keys)
    if key is None:
        return -1 if state.wish() else None
    if tree.form == "dict":
        if not is_key(key):
            return None
        return tree.keys.index(key) if key in tree.keys else len(tree.keys)
    count = len(tree.keys)
    if type(key) is not int or not -count <= key < count:
        return None
    return key % count


def _extended(
    tree: Tree, value: Operand, node: Call, state: State, objects: Objects, out: list[Node]
) -> bool:
    """``l.extend(xs)`` of a known container that is not the list itself."""
    other = state.known(value)
    items = other.items() if isinstance(other, Tree) else None
    if (
        items is None
        or tree.form != "list"
        or (isinstance(other, Tree) and other.made == tree.made)
    ):
        return False
    if state.wish() and not state.rounds:
        return True
    if len(tree.keys) + len(items) > MOST:
        return False
    if not grown(tree, state):
        return True
    if isinstance(node.target, str):
        state.bind(node.target, Const(None), node.line, out)
    keys, parts, roots = tree.keys, tree.parts, tree.roots
    for at, part in enumerate(items, len(keys)):
        parts = (*parts, _stored(tree, at, part, node, state, objects, out))
        roots = roots | part.roots if isinstance(part, Tree) else roots
        keys = (*keys, at)
    state.replace_identity(replace(tree, keys=keys, parts=parts, roots=roots))
    return True


def _taken_out(
    tree: Tree, key: object, node: Call, state: State, objects: Objects, out: list[Node]
) -> bool:
    """``l.pop()``, ``l.pop(0)``, ``d.pop(key)``, ``del d[key]`` of what it holds."""
    if tree.form == "dict":
        at = tree.keys.index(key) if is_key(key) and key in tree.keys else None
    else:
        key = -1 if key is _END else key
        at = _place(tree, key, state) if key is not None else None
    if at is None:
        return False
    if not grown(tree, state):
        return True
    if isinstance(node.target, str):
        state.bind(node.target, tree.parts[at], node.line, out)
    keys, parts = tree.keys[:at] + tree.keys[at + 1 :], tree.parts[:at] + tree.parts[at + 1 :]
    if tree.form == "list":  # those behind it move up, each to the name of its place
        keys = tree.keys[:-1]
        moved = [_stored(tree, place, part, node, state, objects, out)
                 for place, part in enumerate(parts[at:], at)]  # fmt: skip
        parts = (*parts[:at], *moved)
    state.replace_identity(replace(tree, keys=keys, parts=parts))
    return True


def grown(tree: Tree, state: State) -> bool:
    """Note that items come, go or are exchanged; false where somebody is going through them."""
    if any(identity_of(tree.name) in roots for roots in state.walking):
        state.escaped |= tree.roots
        return False
    for name, known in list(state.env.items()):
        if isinstance(known, Tree) and _shows(known, tree):
            state.env[name] = Mixed(known.roots)
    return True


def _shows(tree: Tree, other: Tree) -> bool:
    """Is in it a view of the other, or something that goes through it?"""
    if tree.form in LIVE and identity_of(other.name) in tree.roots:
        return True
    return any(_shows(part, other) for part in tree.parts if isinstance(part, Tree))
