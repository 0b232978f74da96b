"""Every kind of node of the interpreter's own `ast` stands inside a differentiated function."""

import ast
import asyncio
import inspect
import sys
import textwrap

import pytest

from tests.conformance import (
    test_exceptions,
    test_patterns,
    test_scopes,
    test_statements,
    test_syntax_of_312,
)
from tests.conformance.harness import refused

OUTSIDE = {
    "Module": "the root of a file",
    "Interactive": "the root of a line at the prompt",
    "Expression": "the root of what eval() is given",
    "FunctionType": "the root of a type comment",
    "TypeIgnore": "a type comment, a part of the root",
}
"""Nodes that no function can contain."""
TEMPLATES = {"TemplateStr", "Interpolation"}
"""Of Python 3.14, refused by name."""


# --- what is refused


async def waits(x):
    return x * 2


async def waits_for_another(x):
    async with x as y:
        async for v in y:
            await v
    return [w async for w in x]


async def asynchronous_generator(x):
    yield x


def comprehension_that_waits(x):
    async def inner():
        return [v async for v in x]

    return asyncio.run(inner())


def runs_what_waits(x):
    return asyncio.run(waits(x))


ASYNCHRONOUS = [
    (waits, 1.0), (waits_for_another, 1.0), (asynchronous_generator, 1.0), (runs_what_waits, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("program", "x"), ASYNCHRONOUS, ids=lambda p: getattr(p, "__name__", ""))
def test_asynchronous_code_is_refused(program, x):
    refused(program, x, what="")


# --- what is there


def programs():
    """The trees of all programs that these files differentiate."""
    for module in (test_exceptions, test_patterns, test_scopes, test_statements):
        entered = [*module.PROGRAMS, *getattr(module, "RAISING", [])]
        for program in dict.fromkeys(program for program, _ in entered):
            yield ast.parse(textwrap.dedent(inspect.getsource(program))).body[0]
    if sys.version_info >= (3, 12):
        names = {*test_syntax_of_312.PROGRAMS, "twice"}
        for node in ast.parse(test_syntax_of_312.TEXT).body:
            if getattr(node, "name", None) in names:
                yield node


def kinds_of(trees):
    """Kinds of the nodes inside functions."""
    parts = (part for tree in trees for part in (*tree.body, tree.args))
    return {type(node).__name__ for part in parts for node in ast.walk(part)}


def concrete_kinds(base=ast.AST):
    """Kinds of nodes without kinds of their own, those that Python calls deprecated left out."""
    below = base.__subclasses__()
    if not below:
        yield base.__name__
    for cls in below:
        if "eprecated" not in (cls.__doc__ or "") and cls.__module__ in ("ast", "_ast"):
            yield from concrete_kinds(cls)


def test_the_programs_hold_every_kind_of_node():
    used = kinds_of(programs())
    asynchronous = [waits_for_another, asynchronous_generator, comprehension_that_waits]
    trees = [ast.parse(textwrap.dedent(inspect.getsource(f))).body[0] for f in asynchronous]
    waiting = kinds_of(trees) & {"AsyncFor", "AsyncWith", "Await", "AsyncFunctionDef"}
    every = set(concrete_kinds())
    assert every - used - waiting - OUTSIDE.keys() - TEMPLATES == set()
    assert waiting == {"AsyncFor", "AsyncWith", "Await", "AsyncFunctionDef"}
    assert not used & OUTSIDE.keys()


def test_there_are_enough_programs():
    assert len(list(programs())) >= 120
