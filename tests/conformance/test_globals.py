"""Writes to globals: what another function reads there carries its derivative."""

import linecache

import pytest

import astad
from tests.conformance import globals_of_another as other
from tests.conformance.harness import conforms

last = 0.5
calls = 0
kept = None
table = {}
not_there = 1.0


def bound_and_read(x):
    global last
    last = x * x
    return last * x


def read_before_and_after(x):
    global last
    before = last
    last = before * x
    return last * last + before


def set_value(x):
    global last
    last = x * x
    return x


def get_value():
    return last * 3.0


def bound_by_a_callee(x):
    set_value(x)
    return last * x


def bound_and_read_by_callees(x):
    set_value(x)
    set_value(get_value() * x)
    return get_value()


def counts_its_calls(x):
    global calls
    calls += 1
    return x * x


def counted_in_a_loop(x):
    total = 0.0
    for _ in range(3):
        total += counts_its_calls(x) * calls
    return total


def keeps_a_list(x):
    global kept
    kept = [x, x * x]
    return reads_the_list(x)


def reads_the_list(x):
    return kept[1] * x


def cache_filled_at_need(x):
    global kept
    if kept is None:
        kept = {"square": x * x}
    return kept["square"] * x


def changed_in_a_loop(x):
    global last
    last = x
    for _ in range(3):
        last *= x
    return last


def deleted_and_bound_again(x):
    global not_there
    not_there = x
    y = not_there * x
    del not_there
    not_there = 3.0
    return y * not_there


def loop_variable(x):
    global last
    total = 0.0
    for last in (x, x * x):
        total += get_value()
    return total + last


def a_function_as_global(x):
    global square

    def square(v):
        return v * v * x

    y = calls_the_global(x)
    del square
    return y


def calls_the_global(x):
    return square(x)


def read_by_an_inner_function(x):
    global last

    def inner():
        return last * x

    last = x * x
    return inner()


def written_by_an_inner_function(x):
    def inner(v):
        global last
        last = v * v

    inner(x)
    return last * x


def restored_at_the_end(x):
    global last
    before = last
    try:
        last = x
        return get_value() * x
    finally:
        last = before


def unpacked_into_globals(x):
    global last, kept
    last, kept = x * x, x + 1.0
    return last * kept


def walrus_into_a_global(x):
    global last
    return (last := x * x) * get_value()


def written_without_derivative(x):
    global calls, kept
    calls, kept = 7, "seen"
    return x * x * len(kept)


def of_another_module(x):
    other.store(x * x)
    return other.load() * x


PROGRAMS = [
    bound_and_read,
    read_before_and_after,
    bound_by_a_callee,
    bound_and_read_by_callees,
    counted_in_a_loop,
    keeps_a_list,
    cache_filled_at_need,
    changed_in_a_loop,
    deleted_and_bound_again,
    loop_variable,
    a_function_as_global,
    read_by_an_inner_function,
    written_by_an_inner_function,
    restored_at_the_end,
    unpacked_into_globals,
    walrus_into_a_global,
    written_without_derivative,
    of_another_module,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_written_global(program):
    conforms(program, 1.3)


def made_of_text(name, text, space):
    file = f"<globals {name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), space)
    return space[name]


def test_a_reader_that_did_not_know_of_the_writer_is_refused_once():
    space = {"rate": 1.0, "__name__": "made_of_text"}
    made_of_text("store", "def store(x):\n    global rate\n    rate = x * x\n", space)
    reader = made_of_text("reader", "def reader(x):\n    store(x)\n    return rate * x\n", space)
    with pytest.raises(astad.errors.Unsupported, match="a global bound anew while a function"):
        astad.gradient(reader, 2.0)
    assert astad.gradient(reader, 2.0) == (12.0,)


def test_an_attribute_of_a_module_bound_anew():
    def program(x):
        other.speed = x * x
        return other.speed * x

    with pytest.raises(astad.errors.Unsupported, match="a global bound anew while a function"):
        astad.gradient(program, 2.0)
    assert astad.gradient(program, 2.0) == (12.0,)
