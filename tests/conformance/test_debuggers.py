"""pdb steps from the user's call through the user's lines and the reverse sweep, past what is
astad's own; breakpoints are met; the text of both files is known.
"""

import bdb
import inspect
import io
import itertools
import linecache
import math
import os
import pdb
import re
import subprocess
import sys

import pytest

import astad
from astad import settings

HERE = __file__


def inner(v):
    w = v * v
    return w + 1.0


def outer(x):
    y = x * 2.0
    z = inner(y)
    return z * math.sin(y)


def looping(x):
    for i in range(2):
        try:
            x = x * 2.0
        finally:
            x = x + 1.0
    return x


def drawing(x):
    def values():
        yield x
        yield x * x

    total = 0.0
    for value in values():
        total = total + value
    return total


class Steps(bdb.Bdb):
    """Steps through everything and notes where it stops."""

    def __init__(self, **options):
        super().__init__(**options)
        self.stops = []

    def user_line(self, frame):
        code = frame.f_code
        text = linecache.getline(code.co_filename, frame.f_lineno, frame.f_globals).strip()
        self.stops.append((code.co_filename, code.co_name, frame.f_lineno, text))
        self.set_step()


def walked(call, **options):
    steps = Steps(**options)
    steps.runcall(call)
    return steps.stops


def lines_of(stops, name, file=HERE):
    return [line for where, function, line, _ in stops if (where, function) == (file, name)]


def order_of(stops, function):
    """Its lines as they come, that of the ``def`` left out, one that follows itself once."""
    first = function.__code__.co_firstlineno
    lines = [line for line in lines_of(stops, function.__name__) if line != first]
    return [line for line, _ in itertools.groupby(lines)]


@pytest.mark.parametrize(
    ("program", "functions"), [(outer, [outer, inner]), (looping, [looping]), (drawing, [drawing])]
)
def test_stepping_shows_the_lines_that_a_plain_run_shows(program, functions):
    plain = walked(lambda: program(0.5))
    for _ in range(2):  # compiled on the way, then there
        stops = walked(lambda: astad.gradient(program, 0.5))
        for function in functions:
            assert order_of(stops, function) == order_of(plain, function)


def test_stepping_into_a_generator():
    first = drawing.__code__.co_firstlineno
    stops = walked(lambda: astad.gradient(drawing, 0.5))
    assert [line - first for line in lines_of(stops, "values")][-2:] == [2, 3]


def test_between_the_users_lines_nothing_of_astad_is_shown():
    astad.gradient(outer, 0.5)
    stops = walked(lambda: astad.gradient(outer, 0.5))
    first = next(at for at, stop in enumerate(stops) if stop[1] == "outer")
    files = {stop[0] for stop in stops[first:]}
    generated = {file for file in files if file.startswith("<astad> ")}
    assert files - {bdb.__file__} == {HERE, *generated}
    assert len(generated) == 2


def test_the_reverse_sweep_is_stepped_through_in_its_own_text():
    y, back = astad.pullback(outer, 0.5)
    stops = walked(lambda: back(1.0))
    names = [name for file, name, _, _ in stops if file.startswith("<astad> ")]
    assert set(names) == {"outer_pullback"} or set(names) == {"outer_pullback", "inner_pullback"}
    texts = [text for file, _, _, text in stops if file.startswith("<astad> ")]
    assert all(texts)
    assert texts[-1].startswith("return ")


def test_inspect_knows_the_text_of_a_frame_of_the_reverse_sweep():
    found = []

    class Looks(bdb.Bdb):
        def user_line(self, frame):
            if frame.f_code.co_name == "outer_pullback":
                found.append(inspect.getframeinfo(frame, context=3))
                found.append(inspect.getsource(frame))
            self.set_step()

    Looks().runcall(lambda: astad.gradient(outer, 0.5))
    info, source = found[:2]
    assert info.code_context and len(info.code_context) == 3
    assert source.startswith("def outer_pullback(")
    compile(source, "pullback", "exec")


def session(commands, call):
    """What pdb prints when these commands are given."""
    out = io.StringIO()
    debugger = pdb.Pdb(
        stdin=io.StringIO("\n".join(commands) + "\n"), stdout=out, nosigint=True, readrc=False
    )
    debugger.use_rawinput = False
    debugger.runcall(call)
    return out.getvalue()


INNER = inner.__code__.co_firstlineno


@pytest.mark.parametrize("where", [f"{HERE}:{INNER + 1}", "inner"])
def test_a_breakpoint_in_a_callee_is_met(where):
    commands = [f"break {where}", "continue", "p v", "next", "p ('w', w)", "continue"]
    out = session(commands, lambda: astad.gradient(outer, 0.5))
    bdb.Breakpoint.clearBreakpoints()
    assert f"{HERE}({INNER + 1})inner()" in out
    assert "-> w = v * v" in out
    assert "('w', 1.0)" in out


def test_a_condition_of_a_breakpoint_reads_the_users_names():
    line = looping.__code__.co_firstlineno + 3
    commands = [f"break {HERE}:{line}, i == 1", "continue", "p ('x', x)", "continue"]
    out = session(commands, lambda: astad.gradient(looping, 0.5))
    bdb.Breakpoint.clearBreakpoints()
    assert "('x', 2.0)" in out


def test_from_the_call_one_step_after_the_other():
    def main():
        found = astad.gradient(outer, 0.5)
        return found

    astad.gradient(outer, 0.5)
    out = session(["step"] * 40, main)
    assert f"{HERE}({outer.__code__.co_firstlineno + 1})outer()" in out
    assert f"{HERE}({INNER + 1})inner()" in out
    assert "outer_pullback()" in out


def test_up_from_a_callee_leads_to_its_caller():
    commands = [f"break {HERE}:{INNER + 1}", "continue", "where", "continue"]
    out = session(commands, lambda: astad.gradient(outer, 0.5))
    bdb.Breakpoint.clearBreakpoints()
    caller = out.index(f"{HERE}({outer.__code__.co_firstlineno + 2})outer()")
    assert caller < out.index(f"> {HERE}({INNER + 1})inner()", caller)


def test_up_leads_past_what_is_astads_own():
    commands = [f"break {HERE}:{INNER + 1}", "continue", "up", "up", "where", "continue"]
    out = session(commands, lambda: astad.gradient(outer, 0.5))
    bdb.Breakpoint.clearBreakpoints()
    shown = re.findall(r"> \S+\(\d+\)([\w<>]+)\(", out)
    at = shown.index("inner")
    assert shown[at : at + 3] == ["inner", "outer", "<lambda>"]
    assert "reverse_mode.py" not in out and "dispatch.py" not in out


STOPPED = """
import astad, pdb

def inner(v):
    return v * v + 1.0

def outer(x):
    y = x * 2.0
    STOP
    z = inner(y)
    return z * y

def main():
    print(astad.gradient(outer, 0.5))

main()
"""


@pytest.mark.parametrize("stop", ["breakpoint()", "pdb.set_trace()"])
def test_up_from_a_breakpoint_in_the_text(tmp_path, stop):
    """To the call of astad at once."""
    (tmp_path / "stopped.py").write_text(STOPPED.replace("STOP", stop))
    done = subprocess.run(
        [sys.executable, "stopped.py"],
        input="up\nup\nup\nwhere\ncontinue\n",
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONBREAKPOINT": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    places = re.findall(r"> \S*?(\w+\.py)\(\d+\)([\w<>]+)\(", done.stdout)
    assert [name for _, name in places[:3]] == ["outer", "main", "<module>"]
    assert {file for file, _ in places} == {"stopped.py"}
    assert "(8.0,)" in done.stdout or "(8.0" in done.stdout, done.stdout + done.stderr


def test_a_rule_of_the_user_is_stepped_into():
    def cube(x):
        return x**3

    @astad.adjoint(cube)
    def rule(x):
        def back(y_bar):
            factor = 3 * x * x
            return (factor * y_bar,)

        return x**3, back

    stops = walked(lambda: astad.gradient(lambda x: cube(x), 2.0))
    assert len(lines_of(stops, "rule")) == 2
    assert len(lines_of(stops, "back")) == 2


def test_the_debuggers_own_list_of_what_to_skip_stays():
    debugger = Steps(skip=["mine"])
    debugger.runcall(lambda: astad.gradient(outer, 0.5))
    assert "mine" in debugger.skip


def test_who_debugs_astad_sees_it(monkeypatch):
    monkeypatch.setattr(settings, "debug", True)
    stops = walked(lambda: astad.gradient(outer, 0.5))
    assert any("gradients.py" in file for file, *_ in stops)


def test_another_tracer_is_left_alone():
    """As that of coverage, which is to see the compiler too."""
    seen = set()

    def tracer(frame, event, what):
        seen.add(frame.f_code.co_filename)
        return tracer

    def fresh(x):
        return x * x

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        astad.gradient(fresh, 1.0)
    finally:
        sys.settrace(before)
    assert HERE in seen
    assert any("pipeline.py" in file for file in seen)


def test_post_mortem_stands_at_the_users_line():
    def failing(x):
        y = x - 1.0
        return math.log(y)

    try:
        astad.gradient(failing, 0.5)
    except ValueError as error:
        trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    assert trace.tb_frame.f_code.co_name == "failing"
    assert trace.tb_lineno == failing.__code__.co_firstlineno + 2


# --- breakpoints in callees that would be written out ---------------------------------------------


def stopped(v):
    w = v * 2.0
    breakpoint()
    return w * v


class Stopping:
    def cost(self, v):
        u = v + 1.0
        breakpoint()
        return u * v


def in_a_callee(x):
    y = x + 1.0
    return stopped(y) * y


def in_a_loop(x):
    total = 0.0
    for k in range(2):
        total += stopped(x * k)
    return total


def in_a_method(x):
    return Stopping().cost(x) * 2.0


def in_a_local_function(x):
    def inner(v):
        breakpoint()
        return v * x

    return inner(x)


def in_a_lambda(x):
    return (lambda v: (breakpoint(), v * v)[1])(x)


def two_deep(x):
    def middle(v):
        return stopped(v) + v

    return middle(x * x)


def in_itself(x):
    y = x * x
    breakpoint()
    return y


STOPPING = [
    in_a_callee, in_a_loop, in_a_method, in_a_local_function, in_a_lambda, two_deep, in_itself,
]  # fmt: skip


@pytest.mark.parametrize("f", STOPPING, ids=lambda f: f.__name__)
def test_breakpoint_stops_in_the_frame_of_its_own_function(f, monkeypatch):
    """With its line, and its variables under their names."""
    seen = []

    def stop():
        frame = sys._getframe(1)
        own = {name: v for name, v in frame.f_locals.items() if type(v) is float}
        seen.append((frame.f_code.co_name, frame.f_lineno, own))

    monkeypatch.setattr(sys, "breakpointhook", stop)
    value = f(2.0)
    plain, seen[:] = list(seen), []
    step = 1e-6
    expected = (f(2.0 + step) - f(2.0 - step)) / (2 * step)
    for way in (astad.gradient, lambda f, x: astad.pullback(f, x)[1](1.0)):
        seen.clear()
        assert way(f, 2.0)[0] == pytest.approx(expected)
        assert [(name, line) for name, line, _ in seen] == [(n, at) for n, at, _ in plain]
        for (_, _, ours), (_, _, theirs) in zip(seen, plain, strict=True):
            assert {name: ours.get(name, v) for name, v in theirs.items()} == theirs
    assert astad.pullback(f, 2.0)[0] == value
