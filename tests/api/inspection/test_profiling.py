"""Times and kept bytes by line: what adds up, what is told of which line, what stays as it was."""

import colorsys
import inspect
import json
import linecache
import math
import statistics
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import astad
from astad import gradient, profile, pullback
from astad.api.inspection.profiling import profiled
from astad.api.variants.generated import OBSERVERS
from astad.errors import AstadError, Unsupported
from astad.rules.in_force import AROUND
from astad.runtime.core.variants import TABLE


def line_of(text):
    """The line of this file that ends in a mark."""
    lines = linecache.getlines(__file__)
    return next(at for at, line in enumerate(lines, start=1) if line.rstrip().endswith(text))


def rows_of(found, file=__file__):
    return {row.line: row for row in found if row.filename == file}


def row_at(found, mark):
    return rows_of(found)[line_of(f"# {mark}")]


def same(found, expected):
    if isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            same(found[key], expected[key])
    else:
        np.testing.assert_array_equal(found, expected)


@astad.nondifferentiable
def spend(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        continue


# --- programs


def heavy(x, s):
    y = np.sin(np.cos(np.exp(np.tanh(x))))  # four
    t = s * s  # scalar
    return np.sum(y) * t


def loop(x, n):
    y = 1.0
    for i in range(n):
        if y > 3:
            y = y * x * 0.5
        else:
            y = halved(y) + x
            continue
        if y > 100:
            break
    while y > 0.5:
        y = y * 0.5 * x
    return y


def halved(a):
    return 0.5 * math.sin(a) if a > 0 else -a


def factorial(x, n):
    return x if n == 0 else x * factorial(x, n - 1)  # recursion


def drawn(a):
    for k in range(4):
        yield a * k


def by_generator(x):
    total = 0.0
    for value in drawn(x):
        total = total + value * value
    return total


def guarded(x):
    with np.errstate(all="ignore"):
        try:
            y = math.sqrt(x - 2.0)
        except ValueError:
            y = x * x
        finally:
            z = y * 2.0
    return z


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)

    def loss(self, x):
        return np.sum(self(x) ** 2)


def by_objects(w, x):
    return Layer(w, 0.5).loss(x)


def with_lists(xs):
    out = [x * x for x in xs]
    out.append(out[0] * 3.0)
    return sum(out)


def in_place(x):
    a = np.zeros(3)
    a[0] = x
    a[1:] += x * x
    return a.prod() + a[0]


def in_colorsys(x):
    return colorsys.rgb_to_hls(x, 0.2, 0.3)[1] ** 2


def structure(x):
    return {"a": x * 2.0, "b": [x, (x * x, None)]}


PROGRAMS = [
    (heavy, (np.linspace(0, 1, 7), 2.0)),
    (loop, (1.5, 20)),
    (factorial, (1.1, 20)),
    (by_generator, (1.5,)),
    (guarded, (1.5,)),
    (guarded, (5.5,)),
    (Layer(np.eye(3), 0.1).loss, (np.ones(3),)),
    (by_objects, (np.eye(3), np.ones(3))),
    (with_lists, ([1.0, 2.0, 3.0],)),
    (in_place, (1.5,)),
    (in_colorsys, (0.5,)),
    (np.sum, (np.ones(3),)),
    (lambda x: x * math.exp(x), (0.5,)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_value_and_gradient_are_those_of_a_gradient(f, args):
    found = profile(f, *args)
    y, back = pullback(f, *args)
    same(found.value, y)
    same(found.gradient, back(1.0))
    same(found.gradient, gradient(f, *args))
    assert all(row.forward >= 0 and row.backward >= 0 and row.bytes >= 0 for row in found)
    assert all(row.text for row in found)


def test_a_line_of_array_functions_costs_more_than_one_of_numbers():
    found = profile(heavy, np.linspace(0, 1, 100_000), 2.0)
    four, scalar = row_at(found, "four"), row_at(found, "scalar")
    assert four.forward > 5 * scalar.forward
    assert four.backward > 5 * scalar.backward
    assert found[0] is four


def test_rows_are_sorted_and_behave_as_a_sequence():
    found = profile(loop, 1.5, 20)
    times = [row.forward + row.backward for row in found]
    assert times == sorted(times, reverse=True)
    assert len(found) == len(list(found)) == len(found[:])


def test_times_add_up_to_what_was_measured():
    """Between the time of a plain run and that of the profile, whatever the machine does else."""

    def waiting(x):
        spend(0.03)
        y = x * x
        spend(0.03)
        return y

    begun = time.perf_counter()
    found = profile(waiting, 3.0)
    whole = time.perf_counter() - begun
    total = sum(row.forward + row.backward for row in found)
    assert 0.06 <= total <= total + found.outside <= whole * 1.001
    assert found.outside < whole / 2 or whole > 0.5
    waits = [row for row in found if row.text.startswith("spend(")]
    assert len(waits) == 2 and all(row.forward > 0.025 for row in waits)


def test_compiling_does_not_count():
    space = {"np": np}
    text = (
        "def long(x):\n" + "".join(f"    x = x * 1.0{k}\n" for k in range(300)) + "    return x\n"
    )
    linecache.cache["<long>"] = (len(text), None, text.splitlines(keepends=True), "<long>")
    exec(compile(text, "<long>", "exec"), space)

    def outer(x):
        return space["long"](x) + x

    found = profile(outer, 1.0)
    assert found.outside + sum(row.forward + row.backward for row in found) < 0.05


def test_what_a_callee_takes_is_told_of_its_own_lines():
    def slow(x):
        spend(0.02)  # own line
        return x * x

    def outer(x):
        return slow(x) * 2.0  # the call

    found = profile(outer, 3.0)
    assert row_at(found, "own line").forward > 0.015
    assert row_at(found, "the call").forward < 0.01
    assert found.gradient == (12.0,)


def test_a_callee_in_another_module_has_rows_of_its_own():
    found = profile(in_colorsys, 0.5)
    assert {row.filename for row in found} >= {colorsys.__file__}


def test_the_reverse_of_a_callee_is_told_of_its_own_line():
    def slow(x):
        return x

    def back(x):
        def pull(y_bar):
            spend(0.02)
            return (y_bar,)

        return x, pull

    astad.adjoint(slow)(back)

    def outer(x):
        y = slow(x)  # slow back
        return y * 2.0

    row = row_at(profile(outer, 3.0), "slow back")
    assert row.backward > 0.015 > row.forward


# --- bytes


def sine(x):
    y = np.sin(x)  # keeps x
    return np.sum(y)  # keeps nothing


def exponential(x):
    y = np.exp(x)  # keeps y
    z = y + 1.0  # adds
    return np.sum(z)


def square(x, w):
    y = x * x  # reads x
    z = y * w  # reads both
    return np.sum(z)


def test_bytes_are_those_of_what_must_be_kept():
    x = np.linspace(0, 1, 1000)
    found = profile(sine, x)
    assert x.nbytes <= row_at(found, "keeps x").bytes < x.nbytes + 100  # and the list it lies in
    assert row_at(found, "keeps nothing").bytes == 0
    found = profile(exponential, x)
    assert row_at(found, "keeps y").bytes == x.nbytes
    assert row_at(found, "adds").bytes == 0


def test_each_array_counts_once():
    x = np.linspace(0, 1, 1000)
    found = profile(square, x, x + 1.0)
    assert sum(row.bytes for row in found) in range(3 * x.nbytes, 3 * x.nbytes + 300)
    half = profile(lambda x: np.sum(x[:10] * x[10:20] * x[:10]), x)
    assert x.nbytes <= sum(row.bytes for row in half) < 1.5 * x.nbytes


def test_bytes_of_a_loop_grow_with_its_trips():
    def powers(x, n):
        y = x
        for _ in range(n):
            y = np.sin(y)  # kept each time
        return np.sum(y)

    x = np.ones(1000)
    sizes = [row_at(profile(powers, x, n), "kept each time").bytes for n in (10, 20)]
    # what went in, and what came out of each trip
    assert [size // x.nbytes for size in sizes] == [11, 21]


def test_bytes_of_a_dispatched_callee_are_told_of_its_own_line():
    def inner(x):
        return np.sum(np.sin(x) * 3.0)  # inner keeps

    def outer(f, x):
        return f(x) * 2.0

    x = np.ones(1000)
    row = row_at(profile(outer, inner, x), "inner keeps")
    assert x.nbytes <= row.bytes < x.nbytes + 500


def test_a_taped_sweep_is_weighed():
    def taped(x):
        with np.errstate(all="ignore"):
            y = np.sin(x)  # on the tape
        return np.sum(y)

    x = np.ones(1000)
    assert row_at(profile(taped, x), "on the tape").bytes >= x.nbytes


# --- everything else stays as it was


def state():
    return len(OBSERVERS), len(AROUND)


def test_an_exception_leaves_everything_as_it_was():
    def failing(x):
        y = x * x
        raise KeyError("mine")  # raised here

    before = state()
    with pytest.raises(KeyError, match="mine") as caught:
        profile(failing, 3.0)
    frames = caught.traceback
    assert (str(frames[-1].path), frames[-1].lineno + 1) == (__file__, line_of("# raised here"))
    assert state() == before
    assert profile(sine, np.ones(3)).value == pytest.approx(3 * math.sin(1.0))


def test_an_exception_in_a_script_shows_the_line_of_the_innermost_function():
    """By a fused text, as a script that is profiled runs it."""

    def inner(x):
        return math.log(x)  # innermost

    def middle(x):
        return inner(x) * 2.0

    def outer(x):
        return middle(x) + 1.0

    def run(clock):
        clock.start()
        with pytest.raises(ValueError) as caught:
            gradient(outer, -1.0)
        return caught.traceback[-1]

    last, _ = profiled(run)
    assert (str(last.path), last.lineno + 1) == (__file__, line_of("# innermost"))


def test_a_fused_text_is_weighed_at_its_turn():
    def loss(x, early):
        if early:
            return np.sum(x)
        return np.sum(np.sin(x))  # at the turn

    def run(clock):
        clock.start()
        return gradient(loss, x, False)

    x = np.ones(1000)
    found, rows = profiled(run)
    np.testing.assert_allclose(found[0], np.cos(x))
    assert x.nbytes <= row_at(rows, "at the turn").bytes < x.nbytes + 200


def test_texts_compiled_before_are_there_afterwards():
    gradient(heavy, np.ones(3), 2.0)
    known = TABLE[id(heavy.__code__)]
    before = dict(known.fused), list(known.pairs)
    runs = [made.run for listed in known.fused.values() for made in listed]
    profile(heavy, np.ones(3), 2.0)
    assert (dict(known.fused), list(known.pairs)) == before
    assert [made.run for listed in known.fused.values() for made in listed] == runs
    assert all("__astad_tick__" not in run.__code__.co_names for run in runs)


def test_timed_texts_are_gone_afterwards():
    def fresh(x):
        return x * x

    profile(fresh, 3.0)
    known = TABLE[id(fresh.__code__)]
    assert not known.pairs and known.generic is None and not any(known.fused.values())
    assert gradient(fresh, 3.0) == (6.0,)
    (run,) = (made.run for listed in known.fused.values() for made in listed)
    assert "__astad_tick__" not in run.__code__.co_names


def test_a_rule_that_is_declared_meanwhile_is_in_force_afterwards():
    def ruled(x):
        return x * x

    def uses(x):
        return ruled(x) * 1.0

    def declares(x):
        astad.adjoint(ruled)(lambda x: (x * x, lambda y_bar: (100.0,)))
        return x * 2.0

    assert gradient(uses, 3.0) == (6.0,)
    profile(declares, 3.0)
    assert gradient(uses, 3.0) == (100.0,)


def test_the_program_runs_once(capsys):
    seen = []

    def noisy(x):
        seen.append(1)
        print("once")
        return x * x

    assert profile(noisy, 3.0).gradient == (6.0,)
    assert seen == [1] and capsys.readouterr().out == "once\n"


def test_warnings_are_those_of_the_users_line():
    def warns(x):
        warnings.warn("look", stacklevel=1)  # warns
        return x * x

    with pytest.warns(UserWarning, match="look") as caught:
        profile(warns, 3.0)
    assert (caught[0].filename, caught[0].lineno) == (__file__, line_of("# warns"))


def test_keywords_are_handed_on_and_not_differentiated():
    found = profile(lambda x, *, f, seed: x * f * seed, 3.0, f=2.0, seed=5.0)
    assert (found.value, found.gradient) == (30.0, (10.0,))


def test_a_result_of_many_numbers_has_a_cotangent_of_ones():
    assert profile(lambda x: x * 2.0, np.ones(3)).gradient[0].tolist() == [2.0, 2.0, 2.0]
    assert profile(structure, 3.0).gradient == (2.0 + 1.0 + 6.0,)
    given = [1.0, 2.0, 4.0], [2.0, 3.0, 3.0]
    line = profile(statistics.linear_regression, *given)  # a namedtuple
    assert line.gradient == gradient(lambda x, y: sum(statistics.linear_regression(x, y)), *given)
    assert profile(lambda x: (x > 0, "text"), 3.0).gradient == (None,)


def test_a_result_without_a_cotangent_of_ones_is_refused():
    before = state()
    with pytest.raises(Unsupported, match="a profile of a function whose result is of type Layer"):
        profile(lambda x: Layer(x, x), 3.0)
    assert state() == before


def test_a_profile_inside_of_a_profile_is_refused():
    with pytest.raises(AstadError, match="while another is made"):
        profile(lambda x: profile(sine, np.ones(3)).value * x, 3.0)
    assert profile(sine, np.zeros(3)).value == 0.0


def test_a_gradient_inside_is_measured_too():
    def nested(x):
        (slope,) = gradient(lambda y: y * y * y, x)
        return slope * x

    same(profile(nested, 2.0).gradient, gradient(nested, 2.0))


def test_what_other_threads_do_meanwhile_is_not_told():
    def elsewhere(x):
        return math.sin(x) * x

    def work():
        while not done:
            found.append(gradient(elsewhere, 0.5))

    def waiting(x):
        spend(0.1)
        return x * 2.0

    done, found = [], []
    thread = threading.Thread(target=work)
    thread.start()
    rows = profile(waiting, 3.0)
    done.append(True)
    thread.join()
    assert not any("math.sin" in row.text for row in rows)
    assert set(found) == {(math.sin(0.5) + 0.5 * math.cos(0.5),)}


def test_recursion_as_deep_as_python_allows():
    def by_itself(f, x, n):
        return x if n == 0 else x * f(f, x, n - 1)

    depth = sys.getrecursionlimit() - len(inspect.stack(0)) - 60
    limit = sys.getrecursionlimit()
    same(profile(factorial, 1.001, depth).gradient, gradient(factorial, 1.001, depth))
    assert profile(by_itself, by_itself, 1.001, depth).gradient[1] > depth
    assert sys.getrecursionlimit() == limit


def test_recursion_adds_no_level_for_each_call(tmp_path):
    found = profile(factorial, 1.001, 200)
    found.speedscope(tmp_path / "out.json")
    kept = json.loads((tmp_path / "out.json").read_text())
    assert all(len(stack) < 5 for each in kept["profiles"] for stack in each["samples"])
    assert row_at(found, "recursion").forward > 0


# --- what is told


def test_the_table_has_the_text_of_the_lines():
    found = profile(heavy, np.linspace(0, 1, 1000), 2.0)
    table = str(found).splitlines()
    assert table[0].split() == ["forward", "backward", "kept", "line"]
    assert any("test_profiling.py" in line and "np.sin(np.cos(" in line for line in table)
    assert table[-1].endswith("all lines")
    assert len(found.table(1).splitlines()) == 4
    assert "more lines" in found.table(1)
    assert (
        repr(found) == f"<profile of {len(found)} lines: print it, or save it by speedscope(file)>"
    )


def test_the_speedscope_file_has_both_sweeps_and_the_bytes(tmp_path):
    found = profile(by_objects, np.eye(3), np.ones(3))
    found.speedscope(tmp_path / "out.json")
    kept = json.loads((tmp_path / "out.json").read_text())
    assert kept["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    count = len(kept["shared"]["frames"])
    assert all(set(frame) == {"name", "file", "line"} for frame in kept["shared"]["frames"])
    for each in kept["profiles"]:
        assert each["type"] == "sampled" and each["unit"] in ("seconds", "bytes")
        assert len(each["samples"]) == len(each["weights"])
        assert all(0 <= at < count for stack in each["samples"] for at in stack)
        assert each["endValue"] == pytest.approx(sum(each["weights"]))
    forward, backward, size = (each["endValue"] for each in kept["profiles"])
    assert forward == pytest.approx(sum(row.forward for row in found))
    assert backward == pytest.approx(sum(row.backward for row in found))
    assert size == sum(row.bytes for row in found)
