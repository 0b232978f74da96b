"""``exec`` with namespaces of its own, where all it does is to define functions; ``eval``.

Such code binds names to functions and constants and calls nothing, so no derivative passes through
it. What the functions do is read when they are called.

>>> from astad.runtime.versions import Versions
>>> names = {}
>>> execute(Versions(), "def double(x):\\n    return 2 * x", names)
(None, None)
>>> names["double"](3.0)
6.0
"""

from __future__ import annotations

import dis
from types import CodeType

from astad.errors import Unsupported
from astad.runtime.full_rules import Record, Value, full, opaque
from astad.runtime.versions import Versions

__all__ = ["evaluate", "execute"]

_DEFINING = frozenset({
    "CACHE", "EXTENDED_ARG", "LOAD_CONST", "MAKE_FUNCTION", "NOP", "RESUME", "RETURN_CONST",
    "RETURN_VALUE", "SET_FUNCTION_ATTRIBUTE", "STORE_NAME",
})  # fmt: skip
"""Instructions of code that defines functions and does nothing else."""


_WRITING = ("CALL", "DELETE", "IMPORT", "MAKE", "STORE")
"""How the names of instructions begin that may change what others see."""


@full(exec)
def execute(
    versions: Versions, source: Value, *namespaces: Value, **keywords: Value
) -> tuple[None, Record]:
    steps = _instructions(source, "exec", namespaces, keywords)
    if not steps or not _DEFINING.issuperset(steps):
        raise _refused(versions, "exec", "does more than define functions")
    exec(source, *namespaces)
    return None, None


@full(eval)
def evaluate(
    versions: Versions, source: Value, *namespaces: Value, **keywords: Value
) -> tuple[Value, Record]:
    """The value of a text that calls nothing; its derivative is not known."""
    steps = _instructions(source, "eval", namespaces, keywords)
    if not steps or any(step.startswith(_WRITING) for step in steps):
        raise _refused(versions, "eval", "may change something")
    y = eval(source, *namespaces)
    return y, opaque("eval", y)


def _instructions(
    source: Value, mode: str, namespaces: tuple[Value, ...], keywords: dict[str, Value]
) -> set[str]:
    """Those of the code; none where it would run in the names of its caller."""
    if not namespaces or type(namespaces[0]) is not dict or keywords:
        return set()
    made = source if isinstance(source, CodeType) else None
    made = made or compile(source, "<string>", mode, dont_inherit=True)
    return {step.opname for step in dis.get_instructions(made)}


def _refused(versions: Versions, name: str, what: str) -> Unsupported:
    versions.refused = Unsupported(
        name, f"a call of {name}() that {what}, or sees the names of its caller",
        why="the text it runs is unknown when the derivative is made",
        instead="write it as code",
    )  # fmt: skip
    return versions.refused
