"""Going through Wengert lists."""

from dataclasses import replace

from astad.compiler.ir.nodes import Bind, Branch, Call, Const, Exit, Loop, Raise
from astad.compiler.ir.text import show
from astad.compiler.ir.walk import binds, blocks, breaks, falls_through, map_block, reads, walk
from astad.compiler.lower.function import program_of

TEXT = """
for x in xs:
    while f(x):
        x = g(x, *a, k=b, **c)
    else:
        y = x
    if y:
        raise E from y
    else:
        break
return y
"""


def test_walk_meets_every_node_in_source_order():
    kinds = [type(node).__name__ for node in walk(program_of(TEXT).body)]
    assert kinds == ["Loop", "While", "Call", "Call", "Bind", "Branch", "Raise", "Exit", "Exit"]


def test_reads_and_binds():
    facts = [(binds(node), reads(node)) for node in walk(program_of(TEXT).body)]
    assert facts == [
        (("x",), ("xs",)),
        ((), ("t_1",)),
        (("t_1",), ("f", "x")),
        (("x",), ("g", "x", "a", "b", "c")),
        (("y",), ("x",)),
        ((), ("y",)),
        ((), ("E", "y")),
        ((), ()),
        ((), ("y",)),
    ]
    assert binds(Call(("a", "b"), "f", (), (), 1)) == ("a", "b")


def test_map_block_changes_drops_and_multiplies():
    def change(node):
        if isinstance(node, Raise):
            return None
        if isinstance(node, Bind):
            return node, replace(node, target="z")
        return node

    body = map_block(change, program_of(TEXT).body)
    assert "raise" not in show(body)
    assert "        y = x\n        z = x\n" in show(body)


def test_blocks_and_ends():
    loop, last = program_of(TEXT).body
    assert [len(block) for block in blocks(loop)] == [2, 0]
    assert blocks(last) == ()
    for text, falls in [
        ("y = x", True),
        ("return x", False),
        ("if x:\n    return x", True),
        ("if x:\n    return x\nelse:\n    raise x", False),
        ("for x in y:\n    return x", True),
        ("while True:\n    x = f(x)", False),
        ("while True:\n    for x in y:\n        break", False),
        ("while True:\n    if x:\n        break", True),
        ("while x:\n    f(x)\nelse:\n    return x", False),
    ]:
        assert falls_through(program_of(text).body) is falls, text
    assert falls_through(())
    assert not falls_through((Exit("return", Const(None), 1),))


def test_breaks_that_leave_the_loop_around():
    leave = Exit("break", None, 1)
    assert breaks((Branch("t", (), (leave,), 1),))
    assert breaks((Loop("x", "xs", (), (leave,), 1),))
    assert not breaks((Loop("x", "xs", (leave,), (), 1), Exit("continue", None, 1)))
