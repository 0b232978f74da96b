"""Threads, forks, interrupts and deep stacks: what they leave, and the next gradient is right."""

import contextlib
import gc
import itertools
import linecache
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import astad
from astad import gradient, settings
from astad.threads import restoring, with_room, without_collection

number = itertools.count()


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    """Each function is compiled, not found in the disk cache."""
    monkeypatch.setattr(settings, "cache", False)


def define(text, **names):
    """The function ``f`` of a text that no other function has."""
    text = textwrap.dedent(text) + f"# {next(number)}\n"
    file = f"<threads {next(number)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"math": math, "__name__": "threads", **names}
    exec(compile(text, file, "exec"), space)
    return space["f"]


ROOT = """
    class Scaled:
        def __init__(self, k):
            self.k = k
        def of(self, x):
            try:
                return math.log(x) * self.k
            except ValueError:
                return x * self.k
    def f(x):
        squares = [(lambda v: v * v)(x) for _ in range(2)]
        total = 0.0
        for square in squares:
            if square > 0.5:
                total += math.sin(square) * Scaled(2.0).of(x)
        return total
    """
X = 1.3
SLOPE = 8 * X * math.cos(X * X) * math.log(X) + 4 * math.sin(X * X) / X


def is_right(f):
    return gradient(f, X) == pytest.approx((SLOPE,), rel=1e-12)


# --- deep stacks


def at_depth(depth, run):
    return run() if depth == 0 else at_depth(depth - 1, run)


def room():
    """Levels that are left here."""
    try:
        return 1 + room()
    except RecursionError:
        return 0


@pytest.mark.parametrize("short", [2, 8, 15, 25, 40, 60, 80, 110, 150, 300])
@pytest.mark.parametrize("text", [ROOT, "NESTED"])
def test_first_gradient_near_the_limit_is_right_or_is_tried_again(text, short):
    """What lack of stack has made impossible, it has for this one call."""
    nested = "(" * 50 + " + ".join(["x"] * 60) + ")" * 50
    nested = f"import math\ndef f(x):\n    return math.sin({nested} / 60.0)\n"
    f = define(ROOT if text == ROOT else nested)
    slope = SLOPE if text == ROOT else math.cos(X)
    try:
        (found,) = at_depth(room() - short, lambda: gradient(f, X))
        assert found == pytest.approx(slope, rel=1e-12)
    except RecursionError:
        assert short < 110
    assert gradient(f, X) == pytest.approx((slope,), rel=1e-12)
    back = astad.pullback(f, X)[1]
    assert back(1.0) == pytest.approx((slope,), rel=1e-12)


def test_text_nested_too_deeply_is_refused_at_any_depth_alike():
    terms = ["x"] * 60
    text = "def f(x):\n    return " + " + ".join(terms * 25) + "\n"
    left = room()
    for short in (left, 200):
        f = define(text)
        with pytest.raises(astad.errors.Unsupported, match="nested too deeply"):
            at_depth(left - short, lambda f=f: gradient(f, 1.0))


def test_what_runs_in_a_thread_of_its_own_gives_what_it_gave():
    def deep():
        return at_depth(sys.getrecursionlimit() // 2, lambda: "found")

    def failing():
        raise KeyError("key")

    left = room()
    assert at_depth(left - 60, lambda: with_room(deep)) == "found"
    with pytest.raises(KeyError, match="key"):
        at_depth(left - 60, lambda: with_room(failing))


def test_failure_by_lack_of_memory_is_not_remembered(monkeypatch):
    import builtins

    from astad.compiler.frontend import module_text

    def compile_without_memory(*arguments, **options):
        raise MemoryError

    f = define(ROOT)
    monkeypatch.setattr(module_text, "compile", compile_without_memory, raising=False)
    with pytest.raises(MemoryError):
        gradient(f, X)
    monkeypatch.setattr(module_text, "compile", builtins.compile)
    assert is_right(f)


class Scarce:
    """A loader that has no memory at first."""

    def __init__(self, text, failures):
        self.text, self.failures = text, failures

    def get_source(self, name):
        self.failures -= 1
        if self.failures >= 0:
            raise MemoryError
        return self.text


@pytest.mark.parametrize("failures", range(5))
def test_loader_that_fails_by_lack_of_memory_is_asked_again(failures):
    text = "def f(x):\n    return max(x for _ in range(2)) * x\n"
    space = {"__name__": "scarce", "__loader__": Scarce(text, failures)}
    exec(compile(text, "/nowhere/scarce.py", "exec"), space)
    for _ in range(failures):
        with contextlib.suppress(MemoryError):
            gradient(space["f"], 3.0)
    assert gradient(space["f"], 3.0) == (6.0,)


# --- interrupts


class Stop(KeyboardInterrupt):
    pass


HOLDERS = ("threads", "loading", "variants", "wiring", "module_text", "depth", "disk", "generated")
"""Files of astad in which something is changed for a while, or remembered."""


def lines_of(run):
    """The lines of these files that are reached, and how often before each comes for the first
    time.
    """
    found = []
    watching(run, found.append)
    return found


def watching(run, look):
    monitoring, tool = sys.monitoring, 5

    def at_line(code, line):
        folder, _, name = code.co_filename.rpartition(os.sep)
        if "astad" not in folder or name.removesuffix(".py") not in HOLDERS:
            return monitoring.DISABLE
        look((code, line))
        return monitoring.DISABLE

    monitoring.use_tool_id(tool, "interrupts")
    monitoring.register_callback(tool, monitoring.events.LINE, at_line)
    monitoring.restart_events()
    monitoring.set_events(tool, monitoring.events.LINE)
    try:
        run()
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in a finalizer
def test_interrupt_at_any_line_where_state_is_changed_leaves_none():
    limit = sys.getrecursionlimit()
    gradient(define(ROOT), X)
    once, again = (set(lines_of(lambda: gradient(define(ROOT), X))) for _ in range(2))
    places = sorted(once & again, key=lambda place: (place[0].co_filename, place[1]))
    assert len(places) > 100
    chosen, left_out = places[:: max(1, len(places) // 60)], []
    for place in chosen:
        f = define(ROOT)
        reached = []

        def stop_at(here, place=place, reached=reached):
            if here == place and not reached:
                reached.append(here)
                raise Stop

        try:
            watching(lambda f=f: gradient(f, X), stop_at)
        except Stop:
            pass
        if not reached:
            left_out.append(place)  # in a finalizer, which ran at some other time
        assert gc.isenabled(), place
        assert sys.getrecursionlimit() == limit
        assert is_right(f), place
    assert len(left_out) < len(chosen) / 10, left_out
    gc.collect()  # finalizers of what was interrupted run here, not in the next test


INTERRUPTED = """
    import gc, math, os, signal, sys, time
    import astad
    def f(x):
        total = 0.0
        for y in [(lambda v: v * v)(x) for _ in range(2)]:
            if y > 0.5:
                total += math.sin(y)
        return total
    slope = 4 * 1.3 * math.cos(1.3 * 1.3)
    outcomes = set()
    for number in range({count}):
        child = os.fork()
        if child == 0:
            signal.setitimer(signal.ITIMER_REAL, 0.004 + 0.5 / {count} * number)
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            try:
                astad.gradient(f, 1.3)
                time.sleep(1.0)
            except KeyboardInterrupt:
                pass
            found = astad.gradient(f, 1.3)[0]
            os._exit(0 if abs(found - slope) < 1e-12 and gc.isenabled() else 1)
        outcomes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print(outcomes)
    """


def run_python(text):
    environment = {**os.environ, "ASTAD_CACHE": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(text)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_signal_during_the_first_gradient_of_a_process_leaves_it_right():
    """Among the imports of the compiler too."""
    text = textwrap.dedent(INTERRUPTED).replace("{count}", "20")
    file = f"import linecache\ntext = {text!r}\n"
    file += "linecache.cache['<i>'] = len(text), None, text.splitlines(keepends=True), '<i>'\n"
    assert run_python(file + "exec(compile(text, '<i>', 'exec'))") == "{0}\n"


def test_what_was_changed_is_put_back_where_putting_it_back_is_interrupted():
    state = []

    def restore():
        if not state:
            state.append("interrupted")
            raise Stop
        state.append("restored")

    with pytest.raises(Stop):
        restoring(lambda: None, restore)
    assert state == ["interrupted", "restored"]


# --- the collector


@pytest.mark.parametrize("error", [ValueError, Stop, MemoryError, None])
def test_collection_goes_on_after_whatever_happened(error):
    def run():
        assert not gc.isenabled()
        without_collection(lambda: None)
        assert not gc.isenabled()
        if error is not None:
            raise error

    try:
        without_collection(run)
    except BaseException as raised:
        assert type(raised) is error
    assert gc.isenabled()


def test_collection_that_was_off_stays_off():
    gc.disable()
    try:
        without_collection(lambda: None)
        assert not gc.isenabled()
        assert is_right(define(ROOT))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_collection_goes_on_where_another_thread_ends_as_one_begins(monkeypatch):
    """It was off when the second asked, and is on when the second turns it off."""
    begun, over = threading.Event(), threading.Event()
    first = threading.Thread(
        target=without_collection, args=(lambda: begun.set() or over.wait(30),)
    )
    first.start()
    assert begun.wait(30)
    disable = gc.disable

    def meanwhile():
        over.set()
        first.join(30)
        assert gc.isenabled()
        disable()

    monkeypatch.setattr(gc, "disable", meanwhile)
    without_collection(lambda: None)
    assert gc.isenabled()


@pytest.mark.parametrize("first_fails", [True, False])
@pytest.mark.parametrize("first_ends_first", [True, False])
def test_collection_goes_on_after_two_threads_put_it_off(first_fails, first_ends_first):
    begun, may_end = [threading.Event() for _ in "ab"], [threading.Event() for _ in "ab"]

    def run(which):
        begun[which].set()
        assert may_end[which].wait(20)
        if first_fails == (which == 0):
            raise ValueError

    def work(which):
        try:
            without_collection(lambda: run(which))
        except ValueError:
            pass

    threads = [threading.Thread(target=work, args=(which,)) for which in range(2)]
    for thread, event in zip(threads, begun):
        thread.start()
        assert event.wait(20)
    assert not gc.isenabled()
    for which in (0, 1) if first_ends_first else (1, 0):
        may_end[which].set()
        threads[which].join()
    assert gc.isenabled()


def test_collection_goes_on_where_the_compiler_refuses():
    f = define("def f(x):\n    exec('y = 1')\n    return x\n")
    with pytest.raises(astad.errors.Unsupported):
        gradient(f, 1.0)
    assert gc.isenabled()


# --- forks

FORKED = """
    import gc, linecache, math, os, signal, sys, threading, time
    import astad
    def define(k):
        lines = [f"    y = y * {i}.5 + math.sin(x / {k + 2}.0)" for i in range(40)]
        text = "\\n".join(["def f(x):", "    y = x", *lines, "    return y", ""])
        file = f"<forked {k}>"
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        space = {"math": math}
        exec(compile(text, file, "exec"), space)
        return space["f"]
    fs = [define(k) for k in range(300)]
    at = [0]
    def work():
        for at[0], f in enumerate(fs):
            astad.gradient(f, 0.3)
    threading.Thread(target=work, daemon=True).start()
    outcomes = set()
    for number in range(COUNT):
        time.sleep(0.01 + 0.013 * number)
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            was_on = gc.isenabled()
            for f in fs[at[0] : at[0] + 2]:
                slope = (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6
                if abs(astad.gradient(f, 0.3)[0] / slope - 1) > 1e-5:
                    os._exit(3)
            os._exit(0 if was_on and gc.isenabled() else 4)
        outcomes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print(outcomes, flush=True)
    os._exit(0)
    """


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_child_of_a_process_that_compiles_in_another_thread():
    """It neither hangs by a lock of the other thread nor is left without a collector."""
    assert run_python(FORKED.replace("COUNT", "12")) == "{0}\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_inside_a_deep_sweep_of_another_thread_has_the_usual_limit():
    text = """
    import os, sys, threading
    sys.path.insert(0, ".")
    import linecache
    text = '''
    def f(n, x):
        if n == 0:
            deep.set()
            done.wait(20)
            return x
        return f(n - 1, x) * 1.0
    '''
    import textwrap
    text = textwrap.dedent(text)
    linecache.cache["<f>"] = len(text), None, text.splitlines(keepends=True), "<f>"
    deep, done = threading.Event(), threading.Event()
    exec(compile(text, "<f>", "exec"))
    import astad
    before = sys.getrecursionlimit()
    thread = threading.Thread(target=lambda: print(astad.gradient(f, 100, 2.0)[1], flush=True))
    thread.start()
    deep.wait(20)
    raised = sys.getrecursionlimit()
    child = os.fork()
    if child == 0:
        os._exit(0 if sys.getrecursionlimit() == before else 5)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), raised > before, flush=True)
    done.set()
    thread.join()
    print(sys.getrecursionlimit() == before)
    """
    assert run_python(text) == "0 True\n1.0\nTrue\n"


# --- threads


@pytest.fixture
def switching():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(count, work):
    """Run in so many threads at once; what they raise is raised."""
    start, failed = threading.Barrier(count), []

    def run(which):
        start.wait(20)
        try:
            work(which)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(which,), daemon=True) for which in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    if failed:
        raise failed[0]


def test_eight_threads_take_the_first_gradient_of_one_function(switching):
    for _ in range(3):
        f = define(ROOT)
        in_threads(8, lambda _, f=f: is_right(f) or pytest.fail("wrong"))
    assert gc.isenabled()


def test_eight_threads_take_first_gradients_of_many_functions(switching):
    fs = [define(f"def f(x):\n    return g(x) * {k}.0\n", g=define(ROOT)) for k in range(6)]

    def work(which):
        for at in range(len(fs)):
            k = (at + which) % len(fs)
            assert gradient(fs[k], X) == pytest.approx((SLOPE * k,), rel=1e-12)

    in_threads(8, work)
    assert gc.isenabled()


def test_functions_are_differentiated_while_they_are_redefined(switching):
    """Each gradient is that of the function as it was at some time of the call."""
    space = {"g": define("def f(x):\n    return x * 1.0\n")}
    f = define("def f(x):\n    return space['g'](x) * x\n", space=space)
    over = threading.Event()

    def work(which):
        if which == 0:
            for k in range(12):
                space["g"] = define(f"def f(x):\n    return x * {k}.0\n")
                time.sleep(0.002)
            over.set()
        while not over.is_set():
            (found,) = gradient(f, 1.5)
            assert found in {3.0 * k for k in range(12)}

    in_threads(4, work)
    assert gradient(f, 1.5) == (33.0,)


def test_one_function_is_redefined_under_its_name_by_all(switching):
    def work(which):
        for k in range(4):
            f = define(f"def f(x):\n    return x * x * {which}.0 + {k}.0 * x\n")
            assert gradient(f, 2.0) == (4.0 * which + k,)

    in_threads(6, work)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals")
def test_interrupt_of_the_main_thread_while_others_compile(switching):
    gc.collect()  # Python swallows an interrupt in a finaliser: of what other tests have left
    fs = [define(ROOT) for _ in range(6)]
    main = threading.get_ident()
    right = []

    def work():
        time.sleep(0.02)
        signal.pthread_kill(main, signal.SIGINT)
        right.extend(is_right(f) for f in fs)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=work, daemon=True)
    try:
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            for f in fs * 1000:
                gradient(f, X)
    finally:
        signal.signal(signal.SIGINT, before)
    thread.join(60)
    assert right == [True] * len(fs)
    assert all(is_right(f) for f in fs)
    assert gc.isenabled()
