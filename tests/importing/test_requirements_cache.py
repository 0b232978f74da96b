"""A second process finds what the first compiled, and never what is no longer right."""

import math
import os
import pickle
from pathlib import Path

import pytest

import astad

PACKAGES = Path(astad.__file__).parents[1]
WALK = """
    import astad, walk
    print(*astad.gradient(walk.length, 3.0), *astad.cache_info())
    """
WALK_MODULE = """
    import astad
    @astad.differentiable
    def length(x):
        y = 1.0
        for _ in range(2):
            y = y * x
        return y
    """


@pytest.fixture
def walk(write, script):
    """The gradient of `length` in a process of its own, and the counts of the cache."""
    write("walk.py", WALK_MODULE)

    def walk(*arguments, **options):
        gradient, hits, misses, writes, errors = script(WALK, *arguments, **options).split()
        return float(gradient), (int(hits), int(misses), int(writes), int(errors))

    return walk


def entries(folder):
    return sorted(Path(folder).rglob("*.astad"))


def everything(folder):
    found = [path for path in Path(folder).rglob("*") if path.is_file()]
    return sorted(str(path.relative_to(folder)) for path in found)


def test_second_process_finds_all_the_first_one_compiled(walk):
    """A29."""
    gradient, (hits, misses, writes, errors) = walk()
    assert gradient == 6.0
    assert hits == errors == 0
    assert misses == writes > 0
    gradient, (hits, misses, writes, errors) = walk()
    assert gradient == 6.0
    assert hits > 0
    assert misses == writes == errors == 0


def test_warm_process_imports_no_compiler(walk, script):
    """A second run needs neither gast, astunparse nor inspect, nor any pass of astad."""
    walk()
    # NumPy and dataclasses have loaded inspect; what asks for it again brings it back
    text = """
        import numpy, dataclasses, sys
        del sys.modules['inspect']
        import astad, walk
        print(*astad.gradient(walk.length, 3.0), astad.cache_info().misses)
        print([name for name in ('gast', 'astunparse', 'inspect') if name in sys.modules])
        passes = ('frontend', 'lower', 'analysis', 'specialise', 'reverse_mode', 'tidy')
        print([name for name in passes if 'astad.compiler.' + name in sys.modules])
        """
    assert script(text) == "6.0 0\n[]\n[]\n"


def test_a_text_that_calls_nothing_needs_no_dispatcher_and_no_rules(write, script):
    """In a second process; what needs them finds them whole, whatever is asked for first."""
    write(
        "two.py",
        """
        import astad

        def square(x):
            return x * x

        def halved(x):
            return astad.hook(lambda g: g / 2, x) * x

        def nested(x):
            return astad.gradient(square, x)[0]
        """,
    )
    text = """
        import sys, numpy, astad, two
        print(*astad.gradient(two.square, 3.0))
        ours = [name for name in sys.modules if name.startswith('astad')]
        print('astad.runtime.dispatch' in ours, 'astad.rules.registry' in ours, len(ours) <= 80)
        print(*astad.gradient(two.halved, 3.0), astad.pullback(two.square, 3.0)[1](1.0)[0])
        print(*astad.gradient(two.nested, 3.0))
        """
    script(text)
    assert script(text) == "6.0\nFalse False True\n4.5 6.0\n2.0\n"


@pytest.mark.parametrize(
    "body",
    [
        "np.sum(np.eye(2) * x)",
        "np.sum(np.ones(3) * x + np.tri(3) * x)",
        "np.sum(linalg.solve(np.eye(2) * x, np.full(2, x)))",
        "np.max(signal.convolve(np.full(3, x), np.indices((2,))[0] * x))",
    ],
)
def test_functions_of_python_that_have_rules_make_no_text_anew(write, script, body):
    """Whether the rules of a library have been read is no matter of what its functions are."""
    imports = "import numpy as np\n"
    if "linalg" in body or "signal" in body:
        pytest.importorskip("scipy")
        imports += "from scipy import linalg, signal\n"
    write("two.py", f"{imports}def f(x):\n    return {body}\n")
    text = """
        import astad, two
        print(*astad.gradient(two.f, 3.0), *astad.cache_info()[1:])
        """
    found = script(text).split()
    assert script(text).split() == [found[0], "0", "0", "0"]


def test_functions_with_rules_are_known_in_a_warm_process(write, script):
    write("one.py", "def f(x):\n    return x * x\n")
    text = """
        import copy, statistics, astad, one
        print(*astad.gradient(one.f, 3.0))
        print(*astad.gradient(copy.copy, 3.0), *astad.gradient(statistics.fmean, [1.0, 3.0]))
        """
    script(text)
    assert script(text) == "6.0\n1.0 [0.5, 0.5]\n"


@pytest.mark.slow
def test_date_and_place_of_the_source_do_not_count(walk, run, tmp_path):
    """A11, A19: touched, dated 1980 and 2100, moved to another folder, each time a hit."""
    walk()
    for year in (None, 315532800, 4102444800):
        os.utime(tmp_path / "walk.py", None if year is None else (year, year))
        assert walk()[1][1] == 0
    (tmp_path / "moved").mkdir()
    (tmp_path / "walk.py").rename(tmp_path / "moved/walk.py")
    (tmp_path / "main.py").rename(tmp_path / "moved/main.py")
    gradient, _, misses, _, errors = run(str(tmp_path / "moved/main.py")).split()
    assert (gradient, misses, errors) == ("6.0", "0", "0")


@pytest.mark.slow
def test_edit_that_keeps_size_and_date_counts(walk, write, tmp_path):
    """A19: where Python's own bytecode file does not hide the edit."""
    assert walk(PYTHONDONTWRITEBYTECODE=1)[0] == 6.0
    walk(PYTHONPYCACHEPREFIX=tmp_path / "one")
    status = (tmp_path / "walk.py").stat()
    write("walk.py", WALK_MODULE.replace("y * x", "y + x"))
    os.utime(tmp_path / "walk.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert walk(PYTHONPYCACHEPREFIX=tmp_path / "two")[0] == 2.0


FAILING = """\
import astad, math


@astad.differentiable
def f(x):
    y = x * 2.0
    return math.log(y)
"""
SHOW_LINES = """
    import astad, traceback, fails
    print(astad.gradient(fails.f, 1.0), astad.cache_info().misses)
    try:
        astad.gradient(fails.f, -1.0)
    except ValueError as error:
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == fails.__file__:
                print(frame.lineno, frame.name, frame.line)
    """


def test_comment_on_top_is_a_hit_with_the_right_lines(script, write, tmp_path):
    """A19, A31."""
    write("fails.py", FAILING)
    script(SHOW_LINES)
    assert script(SHOW_LINES) == "(1.0,) 0\n7 f return math.log(y)\n"
    write("fails.py", "# one\n# two\n# three\n" + FAILING)
    assert script(SHOW_LINES) == "(1.0,) 0\n10 f return math.log(y)\n"


CALLER = """
    import astad, callee
    @astad.differentiable
    def f(x):
        return callee.g(x) * x
    """
CALL = "import astad, caller\nprint(*astad.gradient(caller.f, 3.0))\n"


RULE = "@astad.adjoint(g)\ndef _(x):\n    return x, lambda y_bar: (7.0 * y_bar,)"
INERT = "astad.nondifferentiable(g)"
INNER = "def h(x): return {}\ndef g(x): return h(x)"
SHADOW = "abs = lambda x: x * x\n"
OBJECT = "class G:\n    def __call__(self, x):\n        return x * x\ng = G()"
SINE = math.cos(3.0) * 3.0 + math.sin(3.0)
EDITS = {
    # what the callee was, what it became, the gradient of g(x) * x at 3 before and after
    "body": ("def g(x): return x", "def g(x): return x * x", 6.0, 27.0),
    "constant": ("def g(x): return 2.0 * x", "def g(x): return 5.0 * x", 12.0, 30.0),
    "global": ("a = 2.0\ndef g(x): return a * x", "a = 5.0\ndef g(x): return a * x", 12.0, 30.0),
    "default": ("def g(x, a=2.0): return a * x", "def g(x, a=5.0): return a * x", 12.0, 30.0),
    "lambda": ("def g(x): return x", "g = lambda x: x * x", 6.0, 27.0),
    "builtin": ("def g(x): return x", "from math import sin as g", 6.0, SINE),
    "object": ("def g(x): return x", OBJECT, 6.0, 27.0),
    "import": ("from deep import g", "from deep import h as g", 6.0, 27.0),
    "inner": (INNER.format("x"), INNER.format("5.0"), 6.0, 5.0),
    "shadow": ("def g(x): return abs(x)", SHADOW + "def g(x): return abs(x)", 6.0, 27.0),
    "rule": ("def g(x): return x", "import astad\ndef g(x): return x\n" + RULE, 6.0, 24.0),
    "inert": ("def g(x): return x", "import astad\ndef g(x): return x\n" + INERT, 6.0, 3.0),
}


@pytest.mark.sweep(of=12)
@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("options", [(), ("-B",)])
def test_callee_edited_in_another_file(script, write, edit, options):
    """A20: the caller is in the cache; its callee is not what it was."""
    before, after, first, second = EDITS[edit]
    write("caller.py", CALLER)
    write("deep.py", "def g(x): return x\ndef h(x): return x * x\n")
    write("callee.py", before)
    assert float(script(CALL)) == first
    assert float(script(CALL)) == first
    write("callee.py", after + "\n# longer\n")
    assert float(script(CALL, *options)) == pytest.approx(second, rel=1e-15)
    write("callee.py", before + "\n# and back again\n")
    assert float(script(CALL, *options)) == first


SAME_FILE = """
    import astad, math, numpy
    {a}
    {h}
    {g}
    @astad.differentiable
    def f(x):
        return g(x) * x
    """
USUAL = {"a": "a = 2.0", "h": "def h(x): return a * x", "g": "def g(x): return h(x)"}
CHANGES = {
    # what changes, and the gradient of g(x) * x at 3, which was 12
    "helper": ({"g": "def g(x): return h(x) * x"}, 54.0),
    "helper of the helper": ({"h": "def h(x): return a * x * x"}, 54.0),
    "number": ({"a": "a = 5.0"}, 30.0),
    "int": ({"a": "a = 5"}, 30.0),
    "array": ({"a": "a = numpy.array(5.0)"}, 30.0),
    "numpy number": ({"a": "a = numpy.float32(5.0)"}, 30.0),
    "default": ({"h": "def h(x, b=5.0): return b * x"}, 30.0),
    "builtin": ({"h": "h = math.sin"}, SINE),
    "wrapped": ({"h": "h = (lambda s: lambda x: s * x)(5.0)"}, 30.0),
    "object": ({"g": OBJECT.replace("\n", "\n    ")}, 27.0),
    "shadowed name": ({"a": "a = 2.0; float = h = None"}, 12.0),
    "rule": ({"a": "a = 2.0", "h": USUAL["h"] + "\n    astad.nondifferentiable(h)"}, 6.0),
}


@pytest.mark.sweep(of=12)
@pytest.mark.parametrize("change", CHANGES)
def test_name_of_the_same_file_changed_its_meaning(script, write, change):
    """A18, A20: the text of the function itself, whose key it is, stays."""
    different, second = CHANGES[change]
    ask = "import astad, lib\nprint(*astad.gradient(lib.f, 3.0))\n"
    for replaced, expected in (({}, 12.0), (different, second), ({}, 12.0)):
        write("lib.py", SAME_FILE.format(**(USUAL | replaced)) + f"# {len(replaced)} {change}\n")
        assert float(script(ask, "-B")) == pytest.approx(expected, rel=1e-15)
        assert float(script(ask)) == pytest.approx(expected, rel=1e-15)
        assert float(script(ask)) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("deep", [False, True])
def test_callee_that_begins_to_depend_on_its_argument(script, write, deep):
    """A20: None without a path, zero with one of value zero; also behind a callee of the callee."""
    write("caller.py", CALLER.replace("callee.g(x) * x", "callee.g(x) * 1.0"))
    write("callee.py", "import deep\ndef g(x):\n    return deep.h(x)\n")
    for text, expected in (("5.0", "None"), ("0.0 * x", "0.0"), ("5.0", "None")):
        if deep:
            write("deep.py", f"def h(x):\n    return {text}\n# {len(text)} {expected}\n")
        else:
            write("callee.py", f"def g(x):\n    return {text}\n# {len(text)} {expected}\n")
        assert script(CALL) == f"{expected}\n"
        assert script(CALL) == f"{expected}\n"


def test_functions_of_equal_text_in_two_modules_keep_their_entries(script, write):
    """Neither drives the other out, whatever their globals are."""
    text = "import astad\n{}\n@astad.differentiable\ndef f(x): return helper(x) * x\n"
    write("one.py", text.format("def helper(x): return 2.0 * x"))
    write("two.py", text.format("from math import sin as helper"))
    ask = (
        "import astad, one, two\nprint(*astad.gradient(one.f, 3.0), *astad.gradient(two.f, 3.0))\n"
    )
    first = script(ask + "print(astad.cache_info().writes)")
    assert first.endswith("\n4\n")
    again = script(ask + "print(astad.cache_info().writes)")
    assert again == first.replace("\n4\n", "\n0\n")


@pytest.mark.slow
def test_callee_that_begins_to_write_its_argument(script, write):
    """A20: what the caller took for granted about the callee is no longer so."""
    write(
        "caller.py",
        """
        import astad, callee
        @astad.differentiable
        def f(a):
            b = a * a
            callee.g(b)
            return (b * b).sum()
        """,
    )
    call = "import astad, caller, numpy\n"
    call += "print(*astad.gradient(caller.f, numpy.array([2.0, 3.0]))[0])\n"
    write("callee.py", "def g(b):\n    return b.sum()\n")
    assert script(call) == "32.0 108.0\n"
    write("callee.py", "def g(b):\n    b[0] = 1.0\n    return b.sum()\n")
    assert script(call) == "0.0 108.0\n"


@pytest.mark.slow
def test_names_of_two_modules_do_not_mix(script, write):
    """Same-named helpers and constants, and functions of equal text, in two modules."""
    for name, scale in (("one", 2.0), ("two", 5.0)):
        text = f"import astad\nscale = {scale}\ndef helper(x): return scale * x\n"
        text += "@astad.differentiable\ndef f(x): return helper(x) * x\n"
        write(f"{name}.py", text)
    ask = "import astad, one, two\n"
    ask += "print(*astad.gradient(one.f, 3.0), *astad.gradient(two.f, 3.0))\n"
    assert script(ask) == "12.0 30.0\n"
    assert script(ask.replace("one, two", "two, one")) == "12.0 30.0\n"
    mixed = "import astad, one, two\none.helper = two.helper\n"
    assert script(mixed + "print(*astad.gradient(one.f, 3.0))\n") == "30.0\n"


@pytest.mark.sweep(of=8)
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: bytes(len(data)),
        lambda data: data[:60] + bytes(len(data) - 60),
        lambda data: data[:90] + bytes([data[90] ^ 1]) + data[91:],
        lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        lambda data: data + b"x",
        lambda data: pickle.dumps(Bomb()),
    ],
    ids=["empty", "half", "last", "zeros", "payload", "digest", "flip", "longer", "pickle"],
)
def test_damaged_entry_is_compiled_anew_and_healed(walk, tmp_path, damage):
    """A21, A25."""
    walk()
    whole = {path: path.read_bytes() for path in entries(tmp_path / "cache")}
    for path, data in whole.items():
        path.write_bytes(damage(data))
    gradient, counts = walk(PYTHONPYCACHEPREFIX=tmp_path / "pyc")  # the module is new to Python
    assert gradient == 6.0
    assert counts == (0, len(whole), len(whole), len(whole))
    assert {path: path.read_bytes() for path in entries(tmp_path / "cache")} == whole


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle ran')",)


@pytest.mark.slow
def test_swapped_entries_are_compiled_anew(write, script, tmp_path):
    """A21."""
    text = "import astad\n@astad.differentiable\ndef f(x): return x * x\n"
    write("one.py", text + "@astad.differentiable\ndef g(x): return x + x\n")
    ask = "import astad, one\nprint(*astad.gradient(one.f, 3.0), *astad.gradient(one.g, 3.0))\n"
    assert script(ask) == "6.0 2.0\n"
    found = entries(tmp_path / "cache")
    assert len(found) > 1
    data = [path.read_bytes() for path in found]
    for path, other in zip(found, data[1:] + data[:1]):
        path.write_bytes(other)
    new = tmp_path / "pyc"  # there the module is new to Python, and compiled ahead
    assert script(ask, PYTHONPYCACHEPREFIX=new) == "6.0 2.0\n"
    assert [path.read_bytes() for path in found] == data


@pytest.mark.sweep(of=8)
@pytest.mark.parametrize("call", ["replace", "open", "mkdir"])
@pytest.mark.parametrize("error", ["EACCES", "EIO", "ESTALE", "ENOSPC", "EROFS"])
def test_disk_that_refuses_changes_nothing_but_the_time(walk, write, tmp_path, call, error):
    """A12, A23: the same number, not a word, no partial file."""
    write(
        "sitecustomize.py",
        f"""
        import errno, os
        real = os.{call}
        def fail(path, *arguments, **keywords):
            if 'cache' in os.fspath(path).split(os.sep)[-2:]:
                raise OSError(errno.{error}, os.strerror(errno.{error}))
            return real(path, *arguments, **keywords)
        os.{call} = fail
        """,
    )
    gradient, counts = walk(PYTHONPATH=f"{tmp_path}{os.pathsep}{PACKAGES}")
    assert gradient == 6.0
    assert counts[0] == counts[2] == 0
    assert everything(tmp_path / "cache") == []


def test_nothing_is_written_where_astad_is_told_not_to_write(walk, tmp_path):
    """A13: no file at all; what is there is read."""
    assert walk("-B", ASTAD_CACHE_WRITE=0)[0] == 6.0
    assert everything(tmp_path) == ["main.py", "walk.py"]
    walk()
    before = everything(tmp_path)
    hits, misses, *_ = walk("-B", ASTAD_CACHE_WRITE=0)[1]
    assert (hits > 0, misses) == (True, 0)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("options", [["-B"], []])
def test_cache_serves_where_python_writes_no_bytecode(walk, options):
    """A13: images set PYTHONDONTWRITEBYTECODE and would compile anew in each process."""
    environment = {} if options else {"PYTHONDONTWRITEBYTECODE": "1"}
    walk(*options, **environment)
    hits, misses, *_ = walk(*options, **environment)[1]
    assert (hits > 0, misses) == (True, 0)


def test_cache_of_an_image_serves_where_nothing_can_be_written(walk, tmp_path):
    """A26."""
    walk(ASTAD_CACHE_DIR=tmp_path / "image")
    before = everything(tmp_path / "image")
    elsewhere = {"ASTAD_CACHE_DIR": "/proc/none", "ASTAD_CACHE_SHIPPED": tmp_path / "image"}
    hits, misses, writes, errors = walk(**elsewhere)[1]
    assert (hits > 0, misses, writes, errors) == (True, 0, 0, 0)
    assert everything(tmp_path / "image") == before


def test_cache_turned_off_leaves_no_file(walk, tmp_path):
    """A13."""
    assert walk("-B", ASTAD_CACHE=0) == (6.0, (0, 0, 0, 0))
    assert walk(ASTAD_CACHE=0) == (6.0, (0, 0, 0, 0))
    assert entries(tmp_path) == []


@pytest.mark.slow
def test_cache_moves_with_the_bytecode_files(walk, tmp_path):
    """A13."""
    walk(PYTHONPYCACHEPREFIX=tmp_path / "pyc", ASTAD_CACHE_DIR=None)
    assert {path.parent for path in entries(tmp_path)} == {tmp_path / "pyc/astad"}
    assert not (tmp_path / "home").exists()


def test_hook_turned_off_changes_no_number(walk, tmp_path):
    """The decorator means the same without the hook, and finds the same entries."""
    assert walk(ASTAD_HOOK=0)[0] == 6.0
    kept = {path.name: path.read_bytes() for path in entries(tmp_path)}
    assert walk()[0] == 6.0
    now = {path.name: path.read_bytes() for path in entries(tmp_path)}
    assert kept.items() <= now.items()


@pytest.mark.slow
def test_same_bytes_whatever_the_hash_seed_and_the_order(write, script, tmp_path):
    """A28."""
    functions = [
        "def f(x, y): return x if x in {1.0, 'a', 'b', 'c'} else x * y",
        "def g(x):\n    d = {'a': x, 'b': 2.0}\n    for k in d: x = x * d[k]\n    return x",
        "def h(x): return g(x) + f(x, 2.0)",
    ]
    for folder, order in (("one", functions), ("two", functions[::-1])):
        decorated = "\n".join("@astad.differentiable\n" + text for text in order)
        write(f"{folder}/lib.py", "import astad\n" + decorated)
    caches = []
    for seed, folder, ask in (
        (0, "one", "print(astad.gradient(lib.h, 3.0), astad.gradient(lib.g, 3.0))"),
        (1, "two", "print(astad.gradient(lib.h, 3.0), astad.gradient(lib.g, 3.0))"),
        (2, "two", "astad.gradient(lib.g, 3.0); print(astad.gradient(lib.h, 3.0))"),
    ):
        cache = tmp_path / f"cache {seed}"
        text = f"import sys; sys.path.insert(0, '{folder}')\nimport astad, lib\n{ask}\n"
        options = {"ASTAD_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": tmp_path / f"pyc {seed}"}
        script(text, PYTHONHASHSEED=seed, **options)
        caches.append({path.name: path.read_bytes() for path in entries(cache)})
    assert caches[0] == caches[1] == caches[2] != {}


POOL = """
    import multiprocessing
    import astad, walk
    def work(x):
        return astad.gradient(walk.length, x)[0]
    if __name__ == '__main__':
        with multiprocessing.get_context('START').Pool(4) as pool:
            print(pool.map(work, [1.0, 2.0, 3.0, 4.0]))
    """


@pytest.mark.slow
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_of_a_pool(walk, script, start, warm):
    """A30."""
    if warm:
        walk()
    assert script(POOL.replace("START", start)) == "[2.0, 4.0, 6.0, 8.0]\n"


KILLED = """
    import os, random, signal, time
    import astad, walk
    draw = random.Random(3)
    children = []
    for number in range(16):
        child = os.fork()
        if child == 0:
            os._exit(0 if astad.gradient(walk.length, 3.0) == (6.0,) else 3)
        children.append(child)
    for child in children[::2]:
        time.sleep(draw.uniform(0.0, 0.05))
        os.kill(child, signal.SIGKILL)
    codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
    print(codes <= {0, -9})
    """


@pytest.mark.slow
def test_processes_that_compile_one_function_are_killed(walk, script, write, tmp_path):
    """A22: sixteen at once, half of them killed."""
    text = KILLED.replace("import astad, walk", "import astad, walk\n    astad.import_hook(False)")
    assert script(text) == "True\n"
    write("walk.py", WALK_MODULE.replace("y * x", "x * y"))
    assert walk()[0] == 6.0
    kept = [name for name in everything(tmp_path / "cache") if not name.endswith(".astad")]
    assert all(name.endswith(".note") for name in kept) and len(kept) <= 1


def test_folder_that_others_can_write_is_not_used(walk, tmp_path):
    """A24: the number is right, and one line says why it was slow."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    gradient, counts = walk("-W", "ignore::RuntimeWarning")
    assert gradient == 6.0
    assert counts[0] == counts[2] == 0
    assert everything(tmp_path / "cache") == []
