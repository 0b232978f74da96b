from astad.compiler.ir.outline import outline
from astad.compiler.lower.function import program_of
from astad.slotted import replace

TEXT = """
a = x * x
for i in range(n):
    a = a + x * b[i]
    b[i] = a
y = (a, x)
return y
"""


def test_statements_inside_blocks_stand_in_the_order_of_the_text():
    program = program_of(TEXT)
    lines = [node.line for node in outline(program).nodes]
    assert lines == sorted(lines) and len(set(lines)) == 6


def test_names_are_counted_as_they_are_read_and_bound():
    found = outline(program_of(TEXT))
    assert found.read["x"] == 4 and found.bound["a"] == 2 and found.read["nothing"] == 0
    assert {"y", "i"} <= found.once and "a" not in found.once


def test_a_parameter_is_bound_by_the_caller_as_well():
    def f(x, y):
        x = x * y
        return x

    from astad.compiler.lower.function import lower_function

    assert "x" not in outline(lower_function(f)).once


def test_calls_are_found_by_operation():
    found = outline(program_of(TEXT))
    assert len(found.calls_of("mul")) == 2 and found.calls_of("pow") == ()
    assert [node.target for node in found.calls_of("setitem", "tuple")] == [None, "y"]


def test_the_outline_belongs_to_the_program_as_it_is():
    program = program_of(TEXT)
    assert outline(program) is outline(program)
    assert outline(replace(program, body=program.body[:1])).read.get("b") is None
    assert program == replace(program)
