"""Going through Wengert lists."""

from astad.compiler.ir.nodes import Branch, Call, Const, Exit, Loop, Prim
from astad.compiler.ir.text import show
from astad.compiler.ir.walk import (
    binds,
    blocks,
    bound_inside,
    breaks,
    falls_through,
    reads,
    renamed,
    substituted,
    walk,
    with_blocks,
)
from astad.compiler.lower.function import program_of
from astad.slotted import replace

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


def test_renaming_reaches_operands_and_blocks_but_no_target():
    body = [renamed(node, {"x": "z", "E": "F"}) for node in program_of(TEXT).body]
    text = show(tuple(body))
    assert "for x in xs:" in text and "x = g(z, *a, k=b, **c)" in text
    assert "y = z" in text and "raise F from y" in text


def test_with_blocks_changes_every_block_inside():
    loop, _ = program_of(TEXT).body
    emptied = with_blocks(loop, lambda block: block[1:])
    assert [len(block) for block in blocks(emptied)] == [1, 0]
    assert bound_inside(loop) == {"x", "y", "t_1"} and bound_inside(emptied) == {"x"}


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


def test_names_of_cells_are_names():
    class Cell(str):
        pass

    read = Call("t_1", Prim("cell_get_local"), (Cell("v_cell"), Const("v")), (), 1)
    made = Call(Cell("v_cell"), Prim("cell_new"), ("v",), (), 1)
    assert reads(read) == ("v_cell",)
    assert binds(made) == ("v_cell",)
    assert renamed(read, {"v_cell": "w"}).args[0] == "w"


def test_a_node_that_reads_none_of_the_names_stays_the_same_object():
    node = Call("y", Prim("mul"), ("a", Const(2.0)), (), 1)
    assert substituted(node, {"b": "c"}) is node
    assert substituted(node, {"a": Const(3.0)}).args == (Const(3.0), Const(2.0))
    assert renamed(node, {"y": "z"}) is node


def test_what_was_noted_of_a_node_is_no_part_of_it():
    node, other = (Call("y", Prim("mul"), ("a", "b"), (), 1) for _ in range(2))
    assert reads(node) == ("a", "b") and binds(node) == ("y",)
    assert node == other and hash(node) == hash(other)
    assert reads(replace(node, args=("c", "b"))) == ("c", "b")


def test_there_is_one_object_for_each_operation():
    assert Prim("mul") is Prim("mul") and Prim("mul") != Prim("add")
