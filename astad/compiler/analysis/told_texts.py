"""Texts of numbers from which nothing comes back: those that only an exception is given, and those
that are only printed, by a program that calls nobody who could read them again, or given to a
logger that is silent.

>>> from astad.compiler.lower.function import program_of
>>> program = program_of('''
...     if x < 0.0:
...         raise ValueError(f"{x} is negative")
...     y = f"{x}"
... ''')
>>> sorted(find_raised(program))
['t_3', 't_4']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from astad.compiler.analysis.space import is_logger
from astad.compiler.ir import kinds as k
from astad.compiler.ir.kinds import Kind
from astad.compiler.ir.nodes import Call, Const, Prim, Program, Raise
from astad.compiler.ir.outline import outline
from astad.originals import builtins

__all__ = ["Told", "find_raised", "told"]

Path = Callable[[str, int], None]
"""Notes that the text relies on what a name stands for, and on a logger that is silent from this
level on."""
PIECES = (Prim("format"), Prim("join"))
FILLED = (Prim("mod"), Prim("method"), Prim("tuple"))


def told(program: Program, known: Mapping[str, object], tells: bool) -> Told | None:
    """What is known of the texts of a program; ``tells``: it may print. None without such texts."""
    raised, printed = find_raised(program), find_printed(program, known) if tells else None
    return Told(raised, printed) if raised or tells else None


class Told:
    """Names of the texts that are ``raised``, and of those ``printed``; None where none may be."""

    def __init__(self, raised: set[str], printed: set[str] | None) -> None:
        self.raised = raised
        self.printed = printed

    def takes(
        self, node: Call, kinds: Sequence[Kind], known: Mapping[str, object], path: Path
    ) -> bool:
        """Does a statement make such a text, print it, or give it to a logger?"""
        if node.fn in PIECES and node.target in self.raised:
            return True
        if self.printed is None:
            return False
        if type(node.fn) is Prim and node.target in self.printed and fills(node, kinds):
            return True
        if is_print(node, known) and all(map(is_text, kinds)):
            path(str(node.fn), 0)
            return True
        level = level_of(node, known)
        if level and all(map(is_text, kinds[2:])):
            path(str(node.args[0]), level)
            return True
        return False


def find_raised(program: Program) -> set[str]:
    """Names of the texts that nothing reads but a call which makes an exception to be raised."""
    text = outline(program)
    if Raise not in text.sorts:
        return set()
    exceptions = {node.exc for node in text.nodes if type(node) is Raise}
    makers = [n for n in text.calls if n.target in exceptions and text.read[str(n.target)] == 1]
    return _read_by(program, makers, PIECES)


def find_printed(program: Program, known: Mapping[str, object]) -> set[str]:
    """The same of a call that prints it, or gives it to a logger."""
    calls = outline(program).calls
    prints = [node for node in calls if is_print(node, known) or level_of(node, known)]
    return _read_by(program, prints, (*PIECES, *FILLED)) if prints else set()


def _read_by(program: Program, makers: Sequence[Call], pieces: Sequence[Prim]) -> set[str]:
    """Names that nothing reads but these calls, and what puts together texts for them."""
    text, ends, found = outline(program), set(map(id, makers)), set[str]()
    for node in reversed(text.calls):
        if id(node) in ends or (node.fn in pieces and node.target in found):
            named = {arg for arg in node.args if isinstance(arg, str) and arg in text.once}
            found |= {arg for arg in named if text.read[arg] == 1}
    return found


REPR = re.compile(r"![ra]|%[^%a-zA-Z]*[ra]")
"""In a template, what is shown as `repr` has it, which tells the type of a number."""
SHOWN = {"inert", "bool", "index", "shape", "bools", "ints"}
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
WORDS = {"sep", "end", "flush"}


def is_print(node: Call, known: Mapping[str, object]) -> bool:
    """Does it print, where Python prints?"""
    is_own = isinstance(node.fn, str) and known.get(node.fn) is builtins.print
    return is_own and node.target is None and WORDS.issuperset([word for word, _ in node.keywords])


def level_of(node: Call, known: Mapping[str, object]) -> int:
    """The level of a call of a logger, as `log.debug(...)`; 0 of any other."""
    is_logging = node.fn == Prim("method") and is_logger(known.get(str(node.args[0])))
    if not is_logging or node.target is not None or node.keywords:
        return 0
    word = node.args[1]
    return LEVELS.get(str(word.value), 0) if isinstance(word, Const) else 0


def is_text(kind: Kind) -> bool:
    """Is the text of such a value what `str` gives, whichever number it is computed with?"""
    return k.is_real(kind) or k.is_array(kind) or kind.tag in SHOWN


def fills(node: Call, kinds: Sequence[Kind]) -> bool:
    """Does it make a text of such values, or the tuple of those that go into one?"""
    assert isinstance(node.fn, Prim)
    name, template = node.fn.name, node.args[0] if node.args else None
    if name == "format":
        shown = isinstance(node.args[1], Const) and node.args[1].value in (None, "s")
        return is_text(kinds[0]) and (shown or kinds[0] == k.FLOAT)
    if name in ("mod", "method"):
        is_template = isinstance(template, Const) and type(template.value) is str
        if name == "method":
            is_template = is_template and node.args[1] == Const("format") and not node.keywords
        is_template = is_template and not REPR.search(str(template))
        return is_template and all(map(is_text, kinds[1 if name == "mod" else 2 :]))
    return name == "tuple" and all(map(is_text, kinds))
