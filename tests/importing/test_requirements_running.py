"""Differentiated functions behave as functions do: imports, tracebacks, pdb, pickle, threads."""

import copy
import importlib
import inspect
import itertools
import linecache
import pickle
import re
import sys
import threading
import traceback

import pytest

import astad
from astad.errors import AstadError
from astad.runtime.core.variants import variants_of

FRESH = (f"t_running_{number}" for number in itertools.count())


def test_modules_that_decorate_each_others_functions(module, write):
    """A14."""
    one, two = next(FRESH), next(FRESH)
    write(f"{two}.py", f"import astad, {one}\n@astad.differentiable\ndef g(x): return x * x\n")
    text = f"import astad, {two}\n@astad.differentiable\ndef f(x): return {two}.g(x) * x\n"
    loaded = module(one, text)
    assert astad.gradient(loaded.f, 3.0) == (27.0,)


def test_reloaded_module_has_the_new_gradient(module, write):
    """A14: the old function keeps its own."""
    name = next(FRESH)
    text = "import astad\n@astad.differentiable\ndef f(x):\n    return x * x\n"
    loaded = module(name, text)
    old = loaded.f
    assert astad.gradient(loaded.f, 3.0) == (6.0,)
    write(f"{name}.py", text.replace("x * x", "x * x * x * x"))
    assert astad.gradient(importlib.reload(loaded).f, 3.0) == (108.0,)
    assert astad.gradient(old, 3.0) == (6.0,)


def test_modules_imported_by_threads(module, write):
    """A14."""
    names = [next(FRESH) for _ in range(4)]
    for number, name in enumerate(names):
        text = "import astad\n@astad.differentiable\ndef f(x):\n"
        write(f"{name}.py", text + f"    return {number}.0 * x * x\n")
    found = []

    def work():
        for name in names:
            found.append(astad.gradient(importlib.import_module(name).f, 1.0)[0])

    module(next(FRESH), "")
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [0.0] * 8 + [2.0] * 8 + [4.0] * 8 + [6.0] * 8


@pytest.mark.slow
def test_hook_before_or_after_others_gives_the_same(run, write):
    """A15: another hook with its own loader, on both sides, and none."""
    write("lib.py", "import astad\n@astad.differentiable\ndef f(x): return x * x\n")
    other = """
import sys
from importlib.machinery import PathFinder, SourceFileLoader
class Other(SourceFileLoader):
    pass
class Finder:
    def find_spec(self, name, path=None, target=None):
        spec = PathFinder.find_spec(name, path) if name == 'lib' else None
        if spec is not None:
            spec.loader = Other(spec.name, spec.origin)
        return spec
"""
    put, ours = "sys.meta_path.insert(0, Finder())\n", "import astad\n"
    end = "import lib\nprint(astad.gradient(lib.f, 3.0), type(lib.__loader__).__name__)\n"
    assert run("-c", other + put + ours + end) == "(6.0,) Other\n"
    assert run("-c", other + ours + put + end) == "(6.0,) Other\n"
    assert run("-c", ours + end) == "(6.0,) SourceFileLoader\n"


def test_assertions_of_pytest_are_rewritten_as_ever():
    """A15: a function with an assertion, in a module that pytest rewrote."""

    def f(x):
        assert x > 0.0, "positive"
        return x * x

    assert astad.gradient(f, 3.0) == (6.0,)
    with pytest.raises(AssertionError, match="positive"):
        astad.gradient(f, -3.0)


def test_import_hook_is_turned_off_and_on_by_a_call(run):
    text = """
import sys
before = list(sys.meta_path)
import astad
print(len(sys.meta_path) - len(before))
astad.import_hook(False)
print(sys.meta_path == before)
astad.import_hook(False)
astad.import_hook(True)
astad.import_hook(True)
print(sys.meta_path[1:] == before)
"""
    assert run("-c", text) == "1\nTrue\nTrue\n"
    count = "import sys; n = len(sys.meta_path); import astad; print(len(sys.meta_path) - n)"
    assert run("-c", count, ASTAD_HOOK=0) == "0\n"


def test_module_with_a_function_that_is_refused_still_imports(module):
    """A17: and its other functions are differentiated."""
    text = """
        import astad
        @astad.differentiable
        def path(x):
            while True:
                yield x
                x = x * x
        @astad.differentiable
        async def later(x):
            return x * x
        @astad.differentiable
        def f(x):
            return x * x
        @astad.differentiable
        class Odd:
            pass
        """
    loaded = module(next(FRESH), text)
    assert astad.gradient(loaded.f, 3.0) == (6.0,)
    assert next(loaded.path(3.0)) == 3.0
    with pytest.raises((AstadError, TypeError)):
        astad.gradient(loaded.later, 3.0)


LINES = """\
import math, astad  # line 1


def inner(v):
    w = v - 1.0
    return math.log(w)  # line 6


@astad.differentiable
def outer(x):
    y = x * 2.0
    for _ in range(2):
        y = inner(y)  # line 13
    return y


def back_fails(v):
    return v * v


@astad.adjoint(back_fails)
def _(v):
    def back(y_bar):
        raise ArithmeticError("in the reverse sweep")

    return v * v, back


@astad.differentiable
def reverse(x):
    y = x * 2.0
    z = back_fails(y)  # line 32
    return z * 3.0
"""


def test_exception_in_the_forward_sweep_shows_the_users_lines(module):
    """A31: file, line, function and text, in the caller and in the callee."""
    loaded = module(next(FRESH), LINES)
    with pytest.raises(ValueError) as caught:
        astad.gradient(loaded.outer, 0.25)
    shown = [
        (frame.lineno, frame.name, frame.line)
        for frame in traceback.extract_tb(caught.value.__traceback__)
        if frame.filename == loaded.__file__
    ]
    assert shown == [
        (13, "outer", "y = inner(y)  # line 13"),
        (6, "inner", "return math.log(w)  # line 6"),
    ]


def test_exception_in_the_reverse_sweep_names_the_users_line(module):
    """A31: in a note."""
    loaded = module(next(FRESH), LINES)
    with pytest.raises(ArithmeticError) as caught:
        astad.gradient(loaded.reverse, 1.0)
    text = "".join(traceback.format_exception(caught.value))
    assert any(":32" in note for note in caught.value.__notes__), caught.value.__notes__
    assert loaded.__name__ in text


def test_exception_after_a_note_keeps_one_note(module):
    """A31: a second gradient does not say it twice."""
    loaded = module(next(FRESH), LINES)
    for _ in range(2):
        with pytest.raises(ArithmeticError) as caught:
            astad.pullback(loaded.reverse, 1.0)[1](1.0)
        assert len([note for note in caught.value.__notes__ if ":32" in note]) == 1


def test_source_of_generated_code_is_there_for_pdb_and_inspect(module):
    """A32: also after the line cache was checked and emptied."""
    loaded = module(next(FRESH), LINES)
    with pytest.raises(ArithmeticError) as caught:
        astad.gradient(loaded.reverse, 1.0)
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    package = astad.__file__.removesuffix("__init__.py")
    generated = [
        frame
        for frame in frames
        if not frame.f_code.co_filename.startswith(package)
        and frame.f_code.co_filename not in (loaded.__file__, __file__)
    ]
    assert generated
    for forget in (lambda: None, linecache.checkcache, linecache.clearcache):
        forget()
        for frame in generated:
            code = frame.f_code
            assert linecache.getline(code.co_filename, code.co_firstlineno, frame.f_globals).strip()
            assert code.co_name in inspect.getsource(code)


PROGRAM = """\
import astad


@astad.differentiable
def f(x):
    y = x * x
    return y * x


print("gradient", astad.gradient(f, 2.0))
"""


def test_breakpoint_in_a_differentiated_function(run, write):
    """A32: pdb stops at the user's line and knows the user's names."""
    write("prog.py", PROGRAM)
    commands = ["break 7", "continue", "print('y is', y)", "list", "up", "continue", "quit", ""]
    said = run("-m", "pdb", "prog.py", stdin="\n".join(commands))
    assert "prog.py(7)" in said
    assert "y is 4.0" in said
    assert "->" in said
    assert "return y * x" in said
    assert "gradient (12.0,)" in said


def test_breakpoint_call_in_a_differentiated_function(run, write):
    """A32: `breakpoint()` is a call without a derivative."""
    write("prog.py", PROGRAM.replace("    return", "    breakpoint()\n    return"))
    said = run("prog.py", stdin="print('y is', y)\ncontinue\n")
    assert "y is 4.0" in said
    assert "gradient (12.0,)" in said


CALLEE = """\
import astad


def inner(v):
    w = v - 1.0
    return w * w


def f(x):
    y = x * x
    z = inner(y)
    return z * x


print("gradient", astad.gradient(f, 2.0), astad.gradient(f, 2.0))
"""


@pytest.mark.parametrize("warm", [False, True])
def test_breakpoint_in_a_small_callee(run, write, warm):
    """A32: without a debugger its text would stand in the place of the call."""
    write("prog.py", CALLEE)
    if warm:
        assert run("prog.py") == "gradient (57.0,) (57.0,)\n"
    commands = ["break 6", "continue", "print('w is', w)", "next", "continue", "clear 1"]
    said = run("-m", "pdb", "prog.py", stdin="\n".join([*commands, "y", "continue", "quit", ""]))
    assert "prog.py(6)inner" in said
    assert "w is 3.0" in said
    assert "gradient (57.0,) (57.0,)" in said


def test_steps_through_a_differentiated_function(run, write):
    """A32: line by line, each once."""
    write("prog.py", CALLEE)
    commands = ["break 10", "continue", "clear 1", "y", "next", "next", "next", "continue", "quit"]
    said = run("-m", "pdb", "prog.py", stdin="\n".join([*commands, ""]))
    assert re.findall(r"prog.py\((\d+)\)f\(\)", said) == ["10", "11", "12", "12"]


@pytest.mark.parametrize(
    "call",
    ["import pdb; pdb.set_trace()", "from pdb import set_trace; set_trace(header='here')"],
)
def test_set_trace_in_a_differentiated_function(run, write, call):
    """A32: the frame shown is the user's."""
    write("prog.py", PROGRAM.replace("    return", f"    {call}\n    return"))
    said = run("prog.py", stdin="print('y is', y)\ncontinue\n")
    assert "prog.py(7)f()" in said or "prog.py(8)f()" in said  # Python 3.13: stops in the call
    assert "y is 4.0" in said
    assert "gradient (12.0,)" in said


def test_lines_seen_by_a_tracer_are_the_users(module):
    """A33: what coverage counts, callees included."""
    loaded = module(next(FRESH), CALLEE.partition("print")[0])
    assert astad.gradient(loaded.f, 2.0) == (57.0,)
    seen = []

    def trace(frame, event, argument):
        if frame.f_code.co_filename != loaded.__file__:
            return None
        if event == "line":
            seen.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = astad.gradient(loaded.f, 2.0)
    finally:
        sys.settrace(before)
    assert found == (57.0,)
    assert seen == [10, 11, 5, 6, 12]


@astad.differentiable
def documented(x: float, n: int = 2) -> float:
    """The power."""
    return x**n


class Shape:
    def __init__(self, size):
        self.size = size

    @astad.differentiable
    def area(self, x):
        return self.size * x * x

    @classmethod
    @astad.differentiable
    def unit(cls, x):
        return 3.0 * x

    @staticmethod
    @astad.differentiable
    def double(x):
        return 2.0 * x

    @astad.differentiable
    @staticmethod
    def triple(x):
        return 3.0 * x


def test_decorated_function_is_the_function_itself():
    """A34."""

    def f(x: float, n: int = 2) -> float:
        """The power."""
        return x**n

    before = dict(vars(f)), f.__code__, f.__defaults__, inspect.signature(f)
    assert astad.differentiable(f) is f
    assert (dict(vars(f)), f.__code__, f.__defaults__, inspect.signature(f)) == before
    assert (f.__name__, f.__module__, f.__doc__) == ("f", __name__, "The power.")
    assert f.__qualname__.endswith("<locals>.f")
    assert documented.__annotations__ == {"x": float, "n": int, "return": float}


def test_decorated_function_copies_and_pickles_by_reference():
    """A34."""
    assert copy.deepcopy(documented) is copy.copy(documented) is documented
    assert Shape.double(1.0) == 2.0
    shape = copy.deepcopy(Shape(2.0))
    assert astad.gradient(shape.area, 3.0) == (12.0,)


def test_decorated_function_goes_through_pickle_and_a_pool(run, write):
    """A34: spawned workers find it by its name."""
    text = """
import astad, multiprocessing, pickle
@astad.differentiable
def f(x):
    return x * x
def g(x):
    return astad.gradient(f, x)[0]
if __name__ == '__main__':
    print(pickle.loads(pickle.dumps(f)) is f)
    with multiprocessing.get_context('spawn').Pool(2) as pool:
        print(pool.map(f, [1.0, 2.0]), pool.map(g, [1.0, 2.0]))
"""
    assert run(str(write("prog.py", text))) == "True\n[1.0, 4.0] [2.0, 4.0]\n"


def test_decorated_methods_of_every_kind():
    """A34."""
    shape = Shape(2.0)
    assert astad.gradient(shape.area, 3.0) == (12.0,)
    assert astad.gradient(Shape.unit, 3.0) == (3.0,)
    assert astad.gradient(shape.double, 3.0) == (2.0,)
    assert astad.gradient(Shape.triple, 3.0) == (3.0,)
    assert isinstance(vars(Shape)["unit"], classmethod)
    assert isinstance(vars(Shape)["triple"], staticmethod)
    assert shape.area(3.0) == 18.0


def test_pullback_says_why_it_does_not_pickle():
    """A35."""
    _, back = astad.pullback(documented, 2.0, 3)
    with pytest.raises(TypeError):
        pickle.dumps(back)


@pytest.mark.parametrize("options", [[], ["-O"], ["-OO"]])
def test_assertions_are_dropped_exactly_when_python_drops_them(run, write, options):
    """A36."""
    text = """
import astad
def f(x):
    assert x < 0.0, "too large"
    return x * x * (2.0 if __debug__ else 1.0)
for call in (f, lambda x: astad.gradient(f, x)[0]):
    try:
        print(call(3.0))
    except AssertionError as error:
        print(error)
"""
    write("prog.py", text)
    expected = "9.0\n6.0\n" if options else "too large\ntoo large\n"
    assert run("-B", *options, "prog.py") == expected
    assert run("-B", *options, "prog.py") == expected


@pytest.mark.slow
def test_threads_ask_for_the_first_gradient_while_the_module_is_imported(run, write):
    """A37: one answer, no deadlock between compiling and importing."""
    write("helper.py", "import astad\n@astad.differentiable\ndef g(x): return x * x\n")
    text = """
import threading, astad
@astad.differentiable
def f(x):
    import helper
    return helper.g(x) * x
found = []
def work(wait_for_the_import):
    if wait_for_the_import:
        import lib
    found.append(astad.gradient(f, 3.0))
threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(16)]
for thread in threads:
    thread.start()
"""
    write("lib.py", text)
    main = """
import faulthandler
faulthandler.dump_traceback_later(60, exit=True)
import lib
for thread in lib.threads:
    thread.join()
print(set(lib.found), len(lib.found))
"""
    for _ in range(3):
        assert run("-c", main) == "{(27.0,)} 16\n"


def test_threads_compile_one_function_and_agree():
    """A37."""
    found = []
    start = threading.Barrier(16)

    def f(x):
        y = x
        for _ in range(3):
            y = y * x + 1.0
        return y

    def work():
        start.wait()
        found.append(astad.gradient(f, 2.0))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [(32.0 + 4.0 + 1.0,)] * 16


def test_threads_make_one_variant_of_a_kind():
    """A37: those who wait for another's take it; there is room for other kinds afterwards."""

    def f(x):
        return x * x * x

    def g(x):
        return [x][0] * x

    start = threading.Barrier(16)

    def work():
        start.wait()
        for call in (astad.gradient, lambda f, x: astad.pullback(f, x)[1](1.0)):
            call(f, 2.0)
            call(g, 2.0)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for function in (f, g):
        made = variants_of(function)
        assert len(made.pairs) <= 1
        assert len(made.fused.get((0,), ())) <= 1
