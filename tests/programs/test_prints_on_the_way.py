"""Numbers that are printed while a program runs: the text stays one piece and prints what the plain
run prints, once; what is read back from a text is still refused.
"""

import contextlib
import io
import logging
import math

import numpy as np
import pytest

import astad
from astad.errors import Unsupported


def steps(x):
    for i in range(3):
        x = x * 1.1
        print(f"step {i}: {x:.3f}", x, sep=" | ")
    return x


def inner(x):
    print("inside", x)
    return x * x


def in_callees(x):
    return inner(x) + inner(x * 2)


def templates(x):
    print("begins", x)
    y = math.log(x)
    print("log %.3f" % y, "of {} is {}".format(x, y), "%s %d" % (x, 3))
    return y * x


def when_asked(x, verbose=True):
    if verbose:
        print("x", x, end="\n", flush=True)
    return x * x


def until(x, n):
    for i in range(n):
        print(i, x)
        if x > 5:
            break
        x = x * x
    return x


def of_arrays(a):
    print("sum", a.sum(), a.shape, len(a), np.max(a), a)
    return (a * a * a).sum()


def recursive(x, n):
    print("left", n, x)
    return x if n == 0 else recursive(x * x, n - 1)


def output_of(f):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        found = f()
    return found, out.getvalue()


def slope(f, x, *rest, h=1e-6):
    up, down = (output_of(lambda x=x: f(x, *rest))[0] for x in (x + h, x - h))
    return (up - down) / (2 * h)


WITH_NUMBERS = [
    (steps, ()), (in_callees, ()), (templates, ()), (when_asked, ()), (until, (4,)),
    (recursive, (3,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "rest"), WITH_NUMBERS)
def test_each_call_prints_what_the_plain_run_prints(f, rest):
    wanted, text = output_of(lambda: f(1.5, *rest))
    right = pytest.approx(slope(f, 1.5, *rest), rel=1e-6)
    for _ in range(4):
        assert output_of(lambda: astad.value_and_grad(f)(1.5, *rest)) == ((wanted, right), text)
    (y, back), printed = output_of(lambda: astad.pullback(f, 1.5, *rest))
    assert (y, back(1.0)[0], printed) == (wanted, right, text)


@pytest.mark.parametrize(("f", "rest"), [*WITH_NUMBERS, (of_arrays, ())])
def test_it_is_one_text(f, rest):
    x = np.array([1.0, 2.0]) if f is of_arrays else 1.5
    assert output_of(lambda: astad.explain(f, x, *rest).form)[0] == "fused"


def test_what_is_printed_before_an_error():
    for _ in range(3):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), pytest.raises(ValueError, match="domain|positive"):
            astad.gradient(templates, -1.5)
        assert out.getvalue() == "begins -1.5\n"


def test_arrays_are_printed_as_they_are():
    a = np.array([1.0, 2.0, 3.0])
    _, text = output_of(lambda: of_arrays(a))
    for _ in range(3):
        assert output_of(lambda: astad.gradient(of_arrays, a)[0].tolist())[1] == text


def test_derivatives_of_derivatives():
    assert output_of(lambda: astad.hvp(in_callees, 1.5, 1.0)) == (10.0, "inside 1.5\ninside 3.0\n")
    a = np.array([1.0, 2.0, 3.0])
    found, text = output_of(lambda: astad.hessian(of_arrays, a))
    assert found.tolist() == np.diag(6 * a).tolist()
    assert text == 3 * output_of(lambda: of_arrays(a))[1]  # a run for each column

    def inside(x):
        return astad.gradient(when_asked, x)[0] * x

    assert output_of(lambda: astad.gradient(inside, 1.5)) == ((6.0,), "x 1.5\n")


def read_back(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print(x * x)
    return float(out.getvalue())


def read_back_from_a_callee(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        inner(x)
    return float(out.getvalue().split()[1]) * x


def read_back_from_the_text(x):
    text = f"{x}"
    print(text)
    return float(text) * x


@pytest.mark.parametrize("f", [read_back, read_back_from_a_callee, read_back_from_the_text])
def test_what_is_read_back_is_refused(f):
    for _ in range(3):
        with pytest.raises(Unsupported, match="read out of the text"):
            output_of(lambda: astad.gradient(f, 1.5))


def test_the_text_of_a_number_of_numpy():
    def shown(x):
        y = np.sin(x)
        print(y, f"{y!r}", f"{y}", [y])
        return y * x

    _, text = output_of(lambda: shown(1.5))
    for _ in range(4):
        assert output_of(lambda: astad.gradient(shown, 1.5))[1] == text


# --- loggers


log = logging.getLogger("astad.tests.prints_on_the_way")


def reporting(x):
    log.debug("begins at %s", x)
    for i in range(3):
        x = x * 1.1
        log.info(f"step {i}: {x:.3f}")
    if x > 100.0:
        log.warning("large: %.1f", x)
    return x


@pytest.fixture
def written():
    """What the logger has written since it was asked last, with the lines that have."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter("%(funcName)s:%(lineno)d %(message)s"))
    log.addHandler(handler)

    def since():
        text = out.getvalue()
        out.truncate(0)
        out.seek(0)
        return text

    yield since
    log.removeHandler(handler)
    log.setLevel(logging.NOTSET)


def test_a_silent_logger_leaves_one_text():
    log.setLevel(logging.WARNING)
    assert astad.explain(reporting, 1.5).form == "fused"


@pytest.mark.parametrize("levels", [(30, 20, 30, 10, 50), (10, 30, 20)])
def test_what_is_written_is_that_of_the_plain_run_at_every_level(levels, written):
    for level in levels:
        log.setLevel(level)
        for x in (1.5, 150.0):
            y = reporting(x)
            wanted = written()
            assert (wanted == "") == (level > 30 or (level == 30 and x < 100.0))
            for _ in range(3):
                assert astad.value_and_grad(reporting)(x) == (y, pytest.approx(1.331))
                assert written() == wanted
