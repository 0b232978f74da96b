"""`astad.verified`: every kind of difference is found, nothing of the user's is touched, and what
cannot be repeated is inconclusive.
"""

import math
import os
import pickle
import random
import subprocess
import sys
import threading
import time
import warnings
import weakref
from types import CodeType

import numpy as np
import pytest

import astad
from astad import grad, gradient, pullback, settings, value_and_grad
from astad.api.variants.generated import OBSERVERS
from astad.errors import Disagreement
from astad.runtime.core import variants
from astad.testing import verifying

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no copy of a process there")


@pytest.fixture
def tampered():
    """A function that has each text changed before it runs, or the specialised ones alone."""
    added = []

    def tamper(old, new, *, generic=False):
        def observe(loaded):
            if settings.only_generic and not generic:
                return
            loaded.source = loaded.source.replace(old, new)
            made = compile(loaded.source, "<tampered>", "exec")
            codes = [part for part in made.co_consts if isinstance(part, CodeType)]
            for function, code in zip(loaded.functions, codes):
                function.__code__ = code

        added.append(observe)
        OBSERVERS.append(observe)

    yield tamper
    for each in added:
        OBSERVERS.remove(each)


def weighted(x, w):
    y = x * w
    z = y * y
    return z + math.sin(x)


SEEN = []


def of_module(x):
    SEEN.append(x)
    return x * x


# --- what agrees ----------------------------------------------------------------------------------


def test_what_agrees_is_counted_and_gives_the_ordinary_result():
    with astad.verified() as report:
        assert gradient(weighted, 0.5, 3.0) == (9.0 + math.cos(0.5), 1.5)
        assert value_and_grad(weighted)(0.5, 2.0)[1] == 4.0 + math.cos(0.5)
        y, back = pullback(weighted, 0.5, 3.0)
        assert back(1.0)[1] == 1.5
        assert grad(np.sum)(np.ones(3)).tolist() == [1.0, 1.0, 1.0]
    assert (report.verified, report.refused, report.inconclusive) == (4, 0, [])
    assert str(report) == "4 verified, 0 refused by astad, 0 inconclusive"


def test_a_variant_is_looked_at_once():
    def f(x):
        return x * x

    with astad.verified() as report:
        for x in (1.0, 2.0, 3.0):
            gradient(f, x)
        assert report.verified == 1
        gradient(f, np.float32(2.0))
        gradient(lambda a: np.sum(a * a), np.ones(2))
    assert report.verified == 3


def test_what_the_user_has_is_as_one_run_leaves_it(capsys):
    calls, total = [], {"runs": 0}
    numbers = iter([2.0, 3.0, 5.0])

    def f(x, out):
        calls.append("called")
        total["runs"] += 1
        out.append(x)
        print("at", x)
        return x * next(numbers) * random.random() * np.random.rand()

    random.seed(3)
    np.random.seed(3)
    once = 2.0 * random.random() * np.random.rand()
    random.seed(3)
    np.random.seed(3)
    out = []
    with astad.verified() as report:
        assert gradient(f, 1.5, out)[0] == once
    assert (report.verified, report.inconclusive) == (1, [])
    assert calls == ["called"]
    assert total == {"runs": 1}
    assert out == [1.5]
    assert capsys.readouterr().out == "at 1.5\n"
    assert next(numbers) == 3.0


def test_exceptions_and_warnings_are_compared_and_come_once():
    def f(x):
        if x < 0:
            warnings.warn("below zero")
            raise ValueError("negative", x)
        return math.sqrt(x)

    with astad.verified() as report, pytest.warns(UserWarning, match="below") as caught:
        with pytest.raises(ValueError) as raised:
            gradient(f, -2.0)
        assert raised.value.args == ("negative", -2.0)
    assert (report.verified, len(caught)) == (1, 1)


def test_results_of_every_structure_are_compared():
    def f(p, a):
        p["w"][0] = a * 2.0
        return {"y": [p["w"][0] * a, (a, "text")], "p": p}

    with astad.verified() as report:
        y, back = pullback(f, {"w": np.array([1.0, 2.0])}, 3.0)
    assert (report.verified, report.inconclusive) == (1, [])
    assert y["y"][0] == 18.0


def test_a_generator_or_lambda_as_a_result_is_compared():
    def f(x):
        return (x * i for i in range(3))

    with astad.verified() as report:
        pullback(f, 2.0)
        pullback(lambda x: lambda y: x * y, 2.0)
    assert not report.inconclusive


def test_nested_gradients_of_the_plain_program_are_looked_at_for_themselves():
    def inner(x):
        return x**3

    def newton(x):
        for _ in range(3):
            x = x - (inner(x) - 8.0) / gradient(inner, x)[0]
        return x

    with astad.verified() as report:
        assert abs(newton(3.0) - 2.0) < 0.1
    assert report.verified == 1


def test_isderiving_may_make_the_plain_run_another():
    def f(x):
        return x * (2.0 if astad.isderiving() else 1.0)

    with astad.verified() as report:
        assert gradient(f, 3.0) == (2.0,)
    assert (report.verified, report.inconclusive) == (1, [])


def tripled(x):
    return 3.0 * x


def offset(x):
    return x + 1.0


astad.scalar_rule(offset, "1.0")


def test_a_rule_may_give_another_value_than_its_function():
    def with_a_rule(x):
        return tripled(x) * x

    astad.adjoint(tripled)(lambda x: (5.0 * x, lambda y_bar: (5.0 * y_bar,)))
    with astad.verified() as report:
        assert astad.gradient(with_a_rule, 2.0) == (20.0,)
        assert astad.gradient(lambda x: offset(x) * x, 2.0) == (5.0,)
    assert report.verified == 1
    assert list(report.reasons()) == [
        "a rule of its own gives another value than the function does"
    ]


def test_what_astad_refuses_is_counted():
    def f(x):
        exec("y = x")
        return x

    with astad.verified() as report, pytest.raises(astad.errors.Unsupported):
        gradient(f, 2.0)
    assert (report.verified, report.refused) == (0, 1)


def test_an_overflow_of_the_reverse_sweep_may_be_an_exception_or_inf():
    def steep(x):
        return math.ldexp(x * 2.0, 1500)

    with astad.verified() as report, pytest.raises(OverflowError):
        gradient(steep, 1e-200)
    assert (report.verified, report.inconclusive) == (1, [])


def test_a_weak_table_may_hold_what_a_pullback_holds():
    notes = weakref.WeakKeyDictionary()

    class Noted:
        pass

    def f(x):
        made = Noted()
        notes[made] = x
        made.value = x * x
        return made.value

    with astad.verified() as report:
        assert pullback(f, 3.0)[1](1.0) == (6.0,)
    assert report.verified == 1


# --- what does not --------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", ["gradient", "grad", "value_and_grad", "pullback"])
def test_a_wrong_specialised_text_is_found(tampered, ask):
    tampered("7.0 *", "8.0 *")
    tampered("* 7.0", "* 8.0")

    def f(x, w):
        y = x * w * 7.0
        return 2.0 * y

    with astad.verified(), pytest.raises(Disagreement) as caught:
        if ask == "gradient":
            gradient(f, 0.5, 3.0)
        elif ask == "grad":
            grad(f, 1)(0.5, 3.0)
        elif ask == "value_and_grad":
            value_and_grad(f, (0, 1))(0.5, 3.0)
        else:
            pullback(f, 0.5, 3.0)
    error = caught.value
    assert str(error.where).startswith("test_verifying.py:")
    assert len(error.texts["ordinary"]) > 50
    assert "call(versions" in error.texts["generic"]


def test_the_first_statement_whose_cotangent_differs_is_named(tampered):
    def f(x):
        y = x * 0.5
        for _ in range(3):
            y = y + math.sin(y)
        return y * y

    tampered("cos(", "tan(")
    line = f.__code__.co_firstlineno + 3
    with astad.verified(), pytest.raises(Disagreement) as caught:
        gradient(f, 0.5)
    assert str(caught.value.where) == f"test_verifying.py:{line}"
    assert f"y_bar at test_verifying.py:{line}" in caught.value.why
    assert caught.value.what.startswith("the gradient [0]: ")


def test_a_wrong_value_of_both_texts_is_found(tampered):
    tampered("77.0", "78.0", generic=True)
    with astad.verified(), pytest.raises(Disagreement) as caught:
        gradient(lambda x: x + 77.0, 1.0)
    assert caught.value.what.startswith("the value: 79.0 and 78.0, ")
    assert "the plain run" in caught.value.what


def test_a_lost_write_is_found(tampered):
    def f(x, out):
        out.append(x)
        return x * x

    tampered("'append'", "'count'", generic=True)
    with astad.verified(), pytest.raises(Disagreement) as caught:
        gradient(f, 1.5, [0.0])
    assert "what it leaves: [0][1]" in caught.value.what


def test_a_lost_write_of_a_captured_variable_or_global_is_found(tampered):
    seen = []

    def f(x):
        seen.append(x)
        return x * x

    tampered("'append'", "'count'", generic=True)
    with astad.verified(), pytest.raises(Disagreement, match="what it leaves"):
        pullback(f, 1.5)
    with astad.verified(), pytest.raises(Disagreement, match="what it leaves"):
        gradient(of_module, 1.5)
    assert (seen, SEEN) == ([], [])


def test_a_lost_exception_is_found(tampered):
    def f(x):
        if x < 77.0:
            raise ValueError("small")
        return x

    tampered("77.0", "-77.0", generic=True)
    with astad.verified(), pytest.raises(Disagreement) as caught:
        gradient(f, 1.5)
    assert "an exception: None and ValueError('small',)" in caught.value.what


def test_an_exception_that_the_program_has_not_is_found(tampered):
    tampered("77.0", "0.0")
    with astad.verified(), pytest.raises(Disagreement, match="ZeroDivisionError"):
        gradient(lambda x: x / 77.0, 1.5)


def test_lost_output_is_found(tampered):
    def f(x):
        print(x)
        return x * x

    tampered("g.print", "g.repr", generic=True)
    with astad.verified(), pytest.raises(Disagreement) as caught:
        gradient(f, 1.5)
    assert "the output: '' and '1.5\\n'" in caught.value.what


def test_a_wrong_rule_is_found_by_differences():
    def cube(x):
        return x**3

    astad.adjoint(cube)(lambda x: (x**3, lambda bar: (2 * bar * x**2,)))
    with astad.verified():
        gradient(lambda x: cube(x) + x, 2.0)
    with astad.verified(differences=True), pytest.raises(Disagreement) as caught:
        gradient(lambda x: cube(x) + x, 2.0)
    assert "by central differences" in caught.value.what


def test_the_error_goes_to_other_processes_with_its_texts(tampered):
    tampered("77.0", "78.0", generic=True)
    with astad.verified(), pytest.raises(Disagreement) as caught:
        gradient(lambda x: x + 77.0, 1.0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.texts) == (str(caught.value), caught.value.texts)


# --- what cannot be told --------------------------------------------------------------------------


def inconclusive(f, *args, **options):
    with astad.verified(**options) as report:
        gradient(f, *args)
    assert report.verified == 0
    (reason,) = report.inconclusive
    return reason


def test_a_file_that_is_written_is_written_once(tmp_path):
    path = tmp_path / "log"

    def f(x):
        with open(path, "a") as file:
            file.write("run\n")
        return x * x

    assert "it reaches beyond the process: open" in inconclusive(f, 1.5)
    assert path.read_text() == "run\n"


def test_a_file_that_is_open_is_read_and_written_once(tmp_path):
    path = tmp_path / "numbers"
    path.write_text("2.0\n3.0\n")
    with open(path) as numbers, open(tmp_path / "log", "w") as log:

        def f(x):
            print("run", file=log, flush=True)
            return x * float(numbers.readline())

        with astad.verified() as report:
            assert gradient(f, 1.0) == (2.0,)
            assert numbers.readline() == "3.0\n"
    assert report.verified == 1
    assert (tmp_path / "log").read_text() == "run\n"


def test_another_process_is_started_once(tmp_path):
    def f(x):
        subprocess.run([sys.executable, "-c", ""], check=True)
        return x * x

    assert "it reaches beyond the process" in inconclusive(f, 1.5)


def test_what_differs_in_each_run_is_inconclusive():
    def f(x):
        return x * (time.perf_counter_ns() % 1000003)

    assert "each run gives another result" in inconclusive(f, 1.5)


def test_other_threads_make_it_inconclusive():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert "other threads" in inconclusive(lambda x: x * x, 1.5)
    finally:
        done.set()
        thread.join()


@pytest.mark.slow
def test_a_kink_is_inconclusive_by_differences():
    assert "a kink" in inconclusive(abs, 0.0, differences=True)


@pytest.mark.slow
def clipped(x):
    s = 0.0
    for v in x:
        t = v * v
        if v > 1e100:
            t = v
        s = s + t
    return s


def test_nan_beside_an_infinity_is_inconclusive_and_nan_alone_is_not(tampered):
    with np.errstate(all="ignore"), astad.verified() as report:
        gradient(clipped, np.array([np.inf, 1.0]))
    assert report.verified == 0 and "infinity" in report.inconclusive[0]
    tampered("14.0 *", "float('nan') *")
    with astad.verified(), pytest.raises(Disagreement, match="the gradient"):
        gradient(lambda x: x * x * 7.0, 0.5)


def test_differences_are_right_for_arrays_and_lists():
    def f(a, p):
        return np.sum(np.sin(a) * p[0]) + p[1] ** 2

    with astad.verified(differences=True) as report:
        gradient(f, np.arange(5.0), [2.0, 3.0])
        pullback(lambda a: {"y": a * a, "z": (a[0], "text")}, np.arange(1.0, 4.0))
    assert (report.verified, report.inconclusive) == (2, [])


# --- the switch -----------------------------------------------------------------------------------


def test_inside_false_nothing_is_looked_at(tampered):
    tampered("77.0", "78.0", generic=True)
    with astad.verified() as outer, astad.verified(False):
        assert gradient(lambda x: x + 77.0, 1.0) == (1.0,)
    assert outer.verified == 0


def test_the_switch_is_put_back_after_an_error():
    before = settings.verify
    with pytest.raises(KeyError), astad.verified(not before):
        raise KeyError
    assert settings.verify is before


@pytest.mark.parametrize(("word", "count"), [("1", "1"), ("0", "none")])
def test_the_variable_puts_it_on_for_a_program(tmp_path, word, count):
    (tmp_path / "program.py").write_text(
        "import sys\n"
        "from astad import gradient\n"
        "def f(x):\n"
        "    return x * x\n"
        "gradient(f, 2.0)\n"
        "found = sys.modules.get('astad.testing.verifying')\n"
        "print(found.TOTAL.verified if found else 'none')\n"
    )
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"],
        env={**os.environ, "ASTAD_VERIFY": word, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == count


def test_a_text_of_the_ordinary_run_is_that_without_the_check():
    def f(x):
        return math.sin(x) * x

    gradient(f, 0.5)
    plain = linecache_of(f)
    with astad.verified():
        gradient(f, 0.5)
        assert linecache_of(f) == plain


def linecache_of(f):
    return variants.variants_of(f).fused[0,][0].text.source


def test_a_fault_of_the_check_itself_is_no_error(monkeypatch):
    monkeypatch.setattr(verifying, "_verify", lambda request: 1 // 0)
    assert "the check failed: ZeroDivisionError" in inconclusive(lambda x: x * x, 1.5)


def test_attributes_of_a_callable_are_not_asked_for():
    asked = []

    class Proxy:
        def __init__(self, f):
            object.__setattr__(self, "f", f)

        def __getattr__(self, name):
            asked.append(name)
            raise AttributeError(name)

        def __call__(self, x):
            return self.f(x) * 2.0

    gradient(Proxy(math.sin), 0.0)
    before, asked[:] = [*asked], []
    with astad.verified() as report:
        assert gradient(Proxy(math.sin), 0.0) == (2.0,)
    assert (report.verified, set(asked) - {*before, "__qualname__"}) == (1, set())


def test_the_gradient_of_an_int_may_be_a_float_in_one_text():
    with astad.verified() as report:
        gradient(lambda x, y: max(x, y), 2, 1.5)
    assert report.verified == 1


def test_what_many_ways_lead_to_is_looked_at_once():
    shared = {"value": 1.5}
    for _ in range(60):
        shared = {"left": shared, "right": shared}

    def scaled(x):
        return x * x * len(shared)

    with astad.verified() as report:
        assert gradient(scaled, 3) == (12,)
    assert report.verified == 1


def test_the_names_of_a_library_are_no_state_of_the_program():
    names = vars(np.linalg)

    def scaled(x):
        return x * names["norm"]([3.0, 4.0])

    with astad.verified() as report:
        assert gradient(scaled, 2.0) == (5.0,)
    assert report.verified == 1
