"""Calls with ``*args`` and ``**words`` of containers of known structure hand over their parts.

>>> from astad.compiler.ir.containers import read_kind
>>> from astad.compiler.ir.text import show
>>> from astad.compiler.lower.function import lower_function
>>> from astad.compiler.specialise.prepare import names_of
>>> def f(x, before, words):
...     return atan2(*before, x, **words)
>>> program = lower_function(f)
>>> kinds = [read_kind(kind) for kind in ("float", "[float]", "{'k': float}")]
>>> made, places = with_star_arguments(program, kinds, names_of(program))
>>> print(show(made))
t_1 = global atan2
t_3 = before[0]
t_4 = words['k']
t_2 = t_1(t_3, x, k=t_4)
return t_2
>>> places
{1, 2}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from keyword import iskeyword

from astad.compiler.ir.containers import Container
from astad.compiler.ir.kinds import Kind
from astad.compiler.ir.names import Names
from astad.compiler.ir.nodes import Block, Call, Const, Node, Operand, Prim, Program, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import kept, walk, with_blocks
from astad.slotted import replace

__all__ = ["with_star_arguments"]

LIST, DICT, MERGE, ITEM = Prim("list"), Prim("dict"), Prim("dict_merge"), Prim("getitem")
Words = tuple[tuple[str | None, Operand], ...]


def with_star_arguments(
    program: Program, kinds: Sequence[Kind], names: Names
) -> tuple[Program, set[int]]:
    """The program, and the places of the containers whose length, or keys, it then relies on."""
    bound = outline(program).bound
    known = {
        param.name: (at, kind)
        for at, (param, kind) in enumerate(zip(program.params, kinds, strict=False))
        if isinstance(kind, Container) and param.kind not in ("args", "kwargs")
        if not bound[param.name] and kind.tag in ("list", "tuple", "dict")
    }
    if not known or not any(map(_has_stars, walk(program.body))):
        return program, set()
    writing = _Writing(known, names, Counter(name for n in walk(program.body) for name in n.read))
    body = kept(program.body, writing.block(program.body))
    return replace(program, body=body), writing.places


def _has_stars(node: Node) -> bool:
    if not isinstance(node, Call):
        return False
    words = any(word is None for word, _ in node.keywords)
    return words or any(isinstance(arg, Star) for arg in node.args)


class _Writing:
    """``known``: by name the place and kind of a container, ``reads``: how often a name is read."""

    def __init__(
        self, known: dict[str, tuple[int, Container]], names: Names, reads: Counter[str]
    ) -> None:
        self.known = known
        self.names = names
        self.reads = reads
        self.places: set[int] = set()

    def block(self, block: Block) -> list[Node]:
        out: list[Node] = []
        for node in block:
            if isinstance(node, Call) and not isinstance(node.fn, Prim) and _has_stars(node):
                self._written(node, out)
            else:
                out.append(with_blocks(node, self.block))
        return out

    def _written(self, node: Call, out: list[Node]) -> None:
        """The call with its operands one by one, as far as they are known. What collects them
        before it goes.
        """
        new: list[Node] = []
        gone: list[Node] = []
        used: set[int] = set()
        args: list[Operand | Star] = []
        for arg in node.args:
            parts = self._items(arg.operand, out, new, gone, used) if _is_star(arg) else [arg]  # type: ignore[union-attr]
            args += [arg] if parts is None else parts
        keywords: list[tuple[str | None, Operand]] = []
        for word, value in node.keywords:
            words = self._words(value, out, new, gone, used) if word is None else [(word, value)]
            keywords += [(word, value)] if words is None else words
        named = [word for word, _ in keywords if word is not None]
        if len({*named}) < len(named) or any(_is_star(arg) for arg in args):
            out.append(node)
            return
        if any(word is None for word, _ in keywords):
            out.append(node)
            return
        out[:] = [each for each in out if not any(each is other for other in gone)]
        out += [*new, replace(node, args=tuple(args), keywords=tuple(keywords))]
        self.places |= used

    def _items(
        self, name: Operand, out: list[Node], new: list[Node], gone: list[Node], used: set[int]
    ) -> list[Operand | Star] | None:
        """Of a list or tuple that is an argument, or was made here of one."""
        if not isinstance(name, str):
            return None
        if name in self.known:
            at, kind = self.known[name]
            if kind.tag == "dict":
                return None
            used.add(at)
            return [self._item(name, key, new) for key in kind.keys]
        made = self._made(name, LIST, out, 1)
        if made is None:
            return None
        gone.append(made)
        found: list[Operand | Star] = []
        for arg in made.args:
            parts = self._items(arg.operand, out, new, gone, used) if _is_star(arg) else [arg]  # type: ignore[union-attr]
            if parts is None:
                return None
            found += parts
        return found

    def _words(
        self, name: Operand, out: list[Node], new: list[Node], gone: list[Node], used: set[int]
    ) -> list[tuple[str | None, Operand]] | None:
        """The same of a dict."""
        if not isinstance(name, str):
            return None
        if name in self.known:
            at, kind = self.known[name]
            if kind.tag != "dict" or not all(map(_is_word, kind.keys)):
                return None
            used.add(at)
            return [(str(key), self._item(name, key, new)) for key in kind.keys]
        merged = [
            each for each in out
            if isinstance(each, Call) and each.fn == MERGE and each.args[0] == name
        ]  # fmt: skip
        made = self._made(name, DICT, out, 1 + len(merged))
        if made is None:
            return None
        gone += [made, *merged]
        both = zip(made.args[::2], made.args[1::2], strict=True)
        found: list[tuple[str | None, Operand]] = []
        for key, value in both:
            if not isinstance(key, Const) or not _is_word(key.value) or isinstance(value, Star):
                return None
            found.append((str(key.value), value))
        for each in merged:
            given = each.args[1]
            words = None if isinstance(given, Star) else self._words(given, out, new, gone, used)
            if words is None:
                return None
            found += words
        return found

    def _made(self, name: str, what: Prim, out: list[Node], reads: int) -> Call | None:
        """The statement of this block that made a temporary, if nothing else reads that."""
        made = [each for each in out if name in each.bound]
        if len(made) != 1 or not isinstance(made[0], Call) or made[0].fn != what:
            return None
        return made[0] if self.reads[name] == reads and not made[0].keywords else None

    def _item(self, name: str, key: object, new: list[Node]) -> str:
        target = self.names.numbered("t")
        new.append(Call(target, ITEM, (name, Const(key)), (), 0))
        return target


def _is_word(key: object) -> bool:
    """Can it be written before an equals sign?"""
    return isinstance(key, str) and key.isidentifier() and not iskeyword(key)


def _is_star(arg: Operand | Star) -> bool:
    return isinstance(arg, Star)
