"""Arrays that nobody reads any more are written again; what anybody can see stays."""

import tracemalloc

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind.startswith("ndarray") or kind == "float" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=True).text.source


def vector(n, start=0.3):
    return np.linspace(start, start + 1.0, n)


def in_place(text):
    """Statements that write an array of ours as a whole."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if " *= " in line or " -= " in line or "out=" in line]


def chain(x):
    a = 2.0 * x
    return np.sum(np.exp(1.0 - (a * 3.0 - x)) / 7.0)


def test_a_chain_takes_one_array(forms_agree):
    assert "out=" in source(chain, "ndarray1")
    for n in (0, 1, 4):
        forms_agree(chain, vector(n))


def test_arguments_are_never_written(forms_agree):
    def f(x, y):
        a = x - y
        b = a * x
        c = -b
        return np.sum(c * y - x) + np.sum(x * y)

    x, y = vector(5), vector(5, 0.7)
    before = x.copy(), y.copy()
    gradient(f, x, y)
    assert np.array_equal(x, before[0]) and np.array_equal(y, before[1])
    x.flags.writeable = y.flags.writeable = False
    forms_agree(f, x, y)


def test_what_the_reverse_sweep_reads_is_not_written(forms_agree):
    def f(x):
        a = x * 2.0
        b = a * x
        c = b - 1.0
        d = np.exp(c)
        e = d * 0.5
        g = e - a
        return np.sum(g * g * b)

    forms_agree(f, vector(4))


def test_views_and_second_names(forms_agree):
    def f(x):
        a = x * 2.0
        v = a[1:]
        b = a - 1.0
        same = b
        c = b * 3.0
        w = c.reshape(-1, 1)
        d = c - 2.0
        return np.sum(v) + np.sum(same * d) + np.sum(w) + np.sum(b)

    forms_agree(f, vector(4))


def test_lists_and_displays_keep_arrays(forms_agree):
    def f(x):
        kept = []
        a = x * 2.0
        kept.append(a)
        b = a - 1.0
        pair = (b, b)
        c = b * 3.0
        return np.sum(kept[0]) + np.sum(pair[0] * pair[1]) + np.sum(c * c)

    forms_agree(f, vector(4))


def test_what_a_loop_or_a_branch_reads_later(forms_agree):
    def f(x, n):
        a = x * 2.0
        b = a - 1.0
        s = 0.0
        for i in range(n):
            s = s + np.sum(a * (i + 1.0))
        if n > 1:
            s = s + np.sum(b * x)
        c = b * 3.0
        return s + np.sum(c)

    for n in (0, 1, 3):
        forms_agree(f, vector(4), n)


def test_other_shapes_are_not_written_into(forms_agree):
    def f(x, y):
        a = x * 2.0
        b = a * y
        c = x[:, None] * 1.5
        d = c * x[None, :]
        e = d - x
        return np.sum(b) + np.sum(e * e)

    for n, m in ((3, 3), (1, 3), (3, 1), (1, 1)):
        forms_agree(f, vector(n), vector(m))


def test_results_of_another_type(forms_agree):
    def f(x):
        a = x * 2.0
        bad = np.isnan(a)
        b = x * 3.0
        sign = np.signbit(b)
        return np.sum(x * bad) + np.sum(x * sign) + np.sum(x)

    forms_agree(f, np.array([0.3, -0.4, 0.7]))


def test_an_array_with_itself(forms_agree):
    def f(x):
        a = x * 2.0
        b = a - a
        c = x - 1.0
        d = c * c
        return np.sum(b - d) + np.sum(d / d)

    forms_agree(f, vector(3))


def test_the_value_is_the_same_to_the_bit_and_warns_the_same():
    def f(x):
        a = x * 1e200
        b = a * 1e200
        c = 1.0 - b
        return np.sum(1.0 / c)

    x = np.array([1.0, -2.0, 0.0])
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply") as expected:
        y = f(x)
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply") as found:
        value, _ = value_and_grad(f)(x)
    assert value == y
    lines = [each.lineno for each in expected if each.filename == __file__]
    assert [each.lineno for each in found if each.filename == __file__][: len(lines)] == lines


def test_the_order_in_memory_stays():
    def f(x, y):
        a = x * 2.0
        b = a + y
        c = y - 1.0
        d = c * x
        return np.sum(b) + np.sum(d)

    rng = np.random.default_rng(3)
    for n in (3, 37, 130):
        by_rows, by_columns = rng.normal(size=(n, 53)), rng.normal(size=(53, n)).T
        for args in ((by_rows, by_columns), (by_columns, by_rows), (by_columns, by_columns)):
            assert value_and_grad(f)(*args)[0] == f(*args)


def test_an_error_half_way_leaves_arguments_alone():
    def f(x, y):
        a = x * 2.0
        b = a - 1.0
        return np.sum(b * y)

    x = vector(3)
    before = x.copy()
    with pytest.raises(ValueError, match="broadcast"):
        gradient(f, x, vector(2))
    assert np.array_equal(x, before)


def test_memory_of_a_long_chain():
    def long(x):
        a = x * 2.0
        b = a - 1.0
        c = b * 0.5
        d = c + x
        e = d * 0.25
        f = 1.0 - e
        g = f * 0.5
        return np.sum(g - 3.0)

    x = np.ones(20_000)
    gradient(long, x)
    tracemalloc.start()
    gradient(long, x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3.2 * x.nbytes


def test_what_the_reverse_sweep_makes_is_written_too(forms_agree):
    def in_slices(x):
        return np.sum((np.exp(x) * 3.0)[1:] ** 2)

    def of_roots(x):
        return np.sum(np.sqrt(2.0 * (x + 3.0)))

    text = source(in_slices, "ndarray1")
    assert "= np.zeros(x.shape)" in text
    assert "_bar *= 3.0" in text
    text = source(of_roots, "ndarray1")
    assert "= safe_quotient(" in text
    assert "_bar *= 2.0" in text
    for fn in (in_slices, of_roots):
        forms_agree(fn, vector(5))
