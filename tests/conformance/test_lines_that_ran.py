"""What tracers and coverage see of a differentiated function: the lines of a plain run."""

import linecache
import sys
import textwrap

import pytest

import astad

PROGRAMS = {
    "branches": (
        """
        def f(x, k):
            if x > 1.0:
                if k > 3:
                    y = x * 5.0
                else:
                    y = x * 2.0
            elif x > 0.5:
                y = x * 3.0
            elif k > 2 and x < 9.0:
                y = x
            else:
                y = x * 4.0
            return y
        """,
        [(1.5, 1), (1.5, 4), (0.7, 1), (0.2, 1), (0.2, 5)],
    ),
    "loops": (
        """
        def f(x, k):
            y = x
            while k > 2:
                if k == 5:
                    break
                k -= 1
            else:
                y = y + 1.0
            for i in range(k):
                if i == 1:
                    continue
                y = y * x
            return y
        """,
        [(1.5, 1), (1.5, 3), (1.5, 5), (1.5, 0)],
    ),
    "a conditional expression over lines": (
        """
        def f(x, k):
            z = (x * 2.0
                 if x > 2.0
                 else
                 x * x)
            return z
        """,
        [(3.0, 0), (1.0, 0)],
    ),
    "exits": (
        """
        def f(x, k):
            if k == 1:
                return x
            y = x * x
            if not k:
                return y * 2.0
            if k == 2:
                y = y * 3.0
                return y
            return y
        """,
        [(1.5, 0), (1.5, 1), (1.5, 2), (1.5, 3)],
    ),
    "exceptions": (
        """
        def f(x, k):
            try:
                y = x / k
                if y > 3.0:
                    y = y * 2.0
            except ZeroDivisionError:
                y = x
            else:
                y = y + 1.0
            finally:
                k = 2
            if y > 2.0:
                y = y * x
            return y
        """,
        [(1.5, 0), (1.5, 2), (8.0, 1)],
    ),
    "callees": (
        """
        def half(v):
            if v > 2.0:
                return v * 0.5
            elif v < 0.0:
                return -v
            return v

        class Rate:
            def __init__(self, k):
                self.k = k
            def of(self, v):
                if self.k:
                    v = v * self.k
                return half(v)

        def f(x, k):
            total = 0.0
            for each in (x, x - 2.0):
                total += Rate(k).of(each)
            return total
        """,
        [(1.5, 0), (3.0, 2), (1.0, 1)],
    ),
    "matches": (
        """
        def f(x, k):
            match k:
                case 0:
                    y = x
                case 1 | 2:
                    if x > 1.0:
                        y = x * x
                    else:
                        y = x * 3.0
                case _:
                    y = x * 2.0
            return y
        """,
        [(1.5, 0), (1.5, 1), (0.5, 2), (1.5, 3)],
    ),
}
CASES = [(name, at) for name, (_, calls) in PROGRAMS.items() for at in calls]


@pytest.fixture
def program():
    def program(name):
        text = textwrap.dedent(PROGRAMS[name][0])
        file = f"<lines of {name}>"
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        space = {"__name__": "lines"}
        exec(compile(text, file, "exec"), space)
        return space["f"], file

    return program


def traced(run, file):
    """The lines of a file for which a tracer is called."""
    seen = set()

    def tracer(frame, event, what):
        if event == "line" and frame.f_code.co_filename == file:
            seen.add(frame.f_lineno)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        run()
    finally:
        sys.settrace(before)
    return seen


def monitored(run, file):
    """The lines that `sys.monitoring` tells."""
    seen, monitoring = set(), sys.monitoring

    def at_line(code, line):
        if code.co_filename == file:
            seen.add(line)

    tool = next(tool for tool in (1, 3, 4) if monitoring.get_tool(tool) is None)
    monitoring.use_tool_id(tool, "lines")
    monitoring.register_callback(tool, monitoring.events.LINE, at_line)
    monitoring.set_events(tool, monitoring.events.LINE)
    try:
        run()
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
    return seen


EMPTY = {"match k:", "case _:"}
"""Lines in which nothing happens."""

HOW = [traced, monitored] if sys.version_info >= (3, 12) else [traced]


def heads(f):
    """Lines at which functions begin: they ran when the file was imported."""
    return {f.__code__.co_firstlineno} | {
        each.__code__.co_firstlineno
        for value in f.__globals__.values()
        for each in (value, *getattr(value, "__dict__", {}).values())
        if hasattr(each, "__code__")
    }


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("name", "at"), CASES)
def test_lines_are_those_of_the_plain_run(program, how, name, at):
    """The line of a branch that did not run did not."""
    f, file = program(name)
    expected = how(lambda: f(*at), file) - heads(f)
    for way in (astad.gradient, astad.pullback, astad.value_and_grad(f)):
        arguments = at if way not in (astad.gradient, astad.pullback) else (f, *at)
        for _ in range(2):
            found = how(lambda: way(*arguments), file) - heads(f)
            assert found <= expected
            texts = [linecache.getline(file, line).strip() for line in expected - found]
            assert set(texts) <= EMPTY


def test_no_line_of_a_text_that_is_printed_is_that_of_another_branch(program, capsys):
    from astad.api.variants.loading import Asked, load_or_compile

    f, _ = program("branches")
    for kinds in (("unknown", "unknown"), ("float", "int")):
        loaded = load_or_compile(f, Asked(kinds, (True, False), fused=False))
        text = loaded.source.splitlines()
        lines = {place.line: [line for _, line in place.user] for place in loaded.places}
        tests = [
            at for at, line in enumerate(text, 1) if line.lstrip().startswith(("if ", "elif "))
        ]
        forward = next(at for at, line in enumerate(text, 1) if "_pullback" in line)
        found = [lines[at][0] for at in tests if at in lines and at < forward and lines[at]]
        assert found == [3, 4, 8, 10] or found == [3, 4, 8, 10, 10]
