"""Lists and dicts that a function makes and changes: a name for each item.

As an object does, such a container has one identity, whoever binds it: an item has one name, which
a store binds anew. What changes the number of items is followed where it happens the same way on
all ways; elsewhere the container has escaped.

>>> from astad.compiler.analysis.space import Space
>>> from astad.compiler.ir.kinds import FLOAT
>>> from astad.compiler.ir.names import Names
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> from astad.compiler.specialise.take_apart import take_apart
>>> def f(x):
...     d = {"a": x, "b": 2.0}
...     while d["a"] < 9.0:
...         d["a"] = d["a"] * d["b"]
...     return d["a"]
>>> program = lower_function(f)
>>> names = Names(program.taken)
>>> print(show(take_apart(program, [FLOAT], names, Space({}), lower_function).program))
d_a = x
d_b = 2.0
while head:
    t_2 = d_a
    t_3 = t_2 < 9.0
test t_3:
    t_4 = d_a
    t_5 = d_b
    t_6 = t_4 * t_5
    d_a = t_6
t_7 = d_a
return t_7
"""

from __future__ import annotations

from dataclasses import replace

from astad.compiler.ir.nodes import Bind, Call, Const, Node, Operand, Star
from astad.compiler.specialise.known_objects import AGAIN, Objects
from astad.compiler.specialise.known_values import Mixed, State, Tree, identity_of

__all__ = ["change", "grown", "settled"]

MOST = 16
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
    named = replace(tree, name=name, stem=stem)
    parts = [_stored(named, key, part, node, state, objects, out)
             for key, part in zip(tree.keys, tree.parts, strict=True)]  # fmt: skip
    named = replace(named, parts=tuple(parts))
    state.env[identity_of(name)] = named
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
        return part
    path = (tree.name, "item", key)
    if path not in state.slots:
        word = (
            key if type(key) is str and key.isidentifier() else key if type(key) is int else "item"
        )
        state.slots[path] = objects.names.fresh(f"{tree.stem}_{word}".replace("-", "_"))
    slot = state.slots[path]
    objects.slots.add(slot)
    objects.items.add(slot)
    if slot != part:
        out.append(Bind(slot, part, node.line))
        state.written += 1
    return slot


# --- what changes one


def change(node: Call, name: str, state: State, objects: Objects, out: list[Node]) -> bool:
    """``d[key] = v``, ``l.append(v)``, ``l.pop()``; false where it is none of a known container."""
    found = _change_of(node, name, state)
    tree = state.known(node.args[0]) if found is not None else None
    if found is None or not isinstance(tree, Tree) or tree.form not in ("list", "dict"):
        return False
    key, value = found
    if not tree.made or tree.made in state.whole:
        return False  # it came from outside
    if not tree.name:
        if tree.made in objects.changing:
            return False
        objects.changing.add(tree.made)
        state.wished.add(AGAIN)
        return True
    if value is None:
        return _taken_out(tree, node, state, out)
    part = state.part(value)
    if isinstance(part, Tree) and part.form in LIVE:
        return False
    at = _place(tree, key, state)
    if at is None:
        return False
    if at < 0:  # the walk is done again
        return True
    is_new = at == len(tree.keys)
    if is_new and (len(tree.keys) >= MOST or not grown(tree, state)):
        return len(tree.keys) < MOST
    keys = (*tree.keys, at if tree.form == "list" else key) if is_new else tree.keys
    item = _stored(tree, keys[at], part, node, state, objects, out)
    parts = (*tree.parts[:at], item, *tree.parts[at + 1 :])
    if parts != tree.parts:
        roots = tree.roots | part.roots if isinstance(part, Tree) else tree.roots
        state.replace_identity(replace(tree, keys=keys, parts=parts, roots=roots))
    return True


_END = object()


def _change_of(node: Call, name: str, state: State) -> tuple[object, Operand | None] | None:
    """The key, or that it is the end, and the value; no value where one is taken out."""
    if node.keywords or any(isinstance(arg, Star) for arg in node.args):
        return None
    if name == "setitem":
        key = state.known(node.args[1])
        return (key.value if isinstance(key, Const) else None), node.args[2]  # type: ignore[return-value]
    if name in ("list_append", "value_append"):
        return _END, node.args[1]  # type: ignore[return-value]
    if name == "method" and len(node.args) == 3 and node.args[1] == Const("append"):
        return _END, node.args[2]  # type: ignore[return-value]
    if name == "method" and len(node.args) == 2 and node.args[1] == Const("pop"):
        return _END, None
    return None


def _place(tree: Tree, key: object, state: State) -> int | None:
    """The place of the item; -1 where the walk is to be done again, None where it is not known."""
    if key is _END:
        if tree.form != "list":
            return None
        return -1 if state.wish() and not state.rounds else len(tree.keys)
    if key is None:
        return -1 if state.wish() else None
    if tree.form == "dict":
        if type(key) not in (str, int):
            return None
        return tree.keys.index(key) if key in tree.keys else len(tree.keys)
    count = len(tree.keys)
    if type(key) is not int or not -count <= key < count:
        return None
    return key % count


def _taken_out(tree: Tree, node: Call, state: State, out: list[Node]) -> bool:
    if tree.form != "list" or not tree.parts:
        return False
    if not grown(tree, state):
        return True
    last = tree.parts[-1]
    if isinstance(node.target, str):
        state.bind(node.target, last, node.line, out)
    state.replace_identity(replace(tree, keys=tree.keys[:-1], parts=tree.parts[:-1]))
    return True


def grown(tree: Tree, state: State) -> bool:
    """Note that the number of items changes; false where somebody goes through them meanwhile."""
    if any(tree.made in roots for roots in state.walking):
        state.escaped |= tree.roots
        return False
    for name, known in list(state.env.items()):
        if isinstance(known, Tree) and _shows(known, tree):
            state.env[name] = Mixed(known.roots)
    return True


def _shows(tree: Tree, other: Tree) -> bool:
    """Is in it a view of the other, or something that goes through it?"""
    if tree.form in LIVE and other.made in tree.roots:
        return True
    return any(_shows(part, other) for part in tree.parts if isinstance(part, Tree))
