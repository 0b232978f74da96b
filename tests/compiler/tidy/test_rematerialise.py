"""What an operation or two gives back is not kept."""

import math
import re
import tracemalloc

import pytest

from astad import gradient, pullback
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds, fused=True):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind != "int" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=fused, exact=True).text.source


def records(text):
    """What each ``append`` is given."""
    return re.findall(r"append\((.*)\)$", text, re.MULTILINE)


def logistic(r, x, n):
    s = 0.0
    for i in range(n):
        x = r * x * (1.0 - x)
        s = s + x
    return s


def test_one_float_an_iteration(forms_agree):
    for fused in (True, False):
        text = source(logistic, "float", "float", "int", fused=fused)
        assert records(text) == ["x"]
        assert "x_bar * (1.0 - x_kept)" in text
    assert "        x = r * x * (1.0 - x)\n" in source(logistic, "float", "float", "int")
    for n in (0, 1, 2, 30):
        forms_agree(logistic, 3.2, 0.3, n)


def test_as_much_memory_as_by_hand():
    def by_hand(r, x, n):
        kept = []
        for _ in range(n):
            kept.append(x)
            x = r * x * (1.0 - x)
        return kept

    def peak(fn, *args):
        fn(*args)
        tracemalloc.start()
        try:
            fn(*args)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    args = (3.2, 0.3, 3000)
    assert peak(lambda *a: gradient(logistic, *a), *args) < 1.1 * peak(by_hand, *args)


def test_the_index_is_counted_again(forms_agree):
    def f(x, n):
        s = x
        for i in range(n):
            t = i * x
            s = s * t + t * t * s * i
        return s

    assert records(source(f, "float", "int")) == ["s"]
    for n in (0, 1, 4):
        forms_agree(f, 0.7, n)


def test_not_from_what_is_bound_again_in_between(forms_agree):
    def f(x, y, n):
        for i in range(n):
            t = x * y
            x = x + 0.1 * t
            u = t * x
            y = y * u * t
        return x * y

    for n in (0, 1, 3):
        forms_agree(f, 0.7, 0.9, n)


def test_not_from_what_the_reverse_sweep_no_longer_has(forms_agree):
    def f(x, y, n):
        c = 2.0 * y
        for i in range(n):
            t = c * x
            x = t * x * 0.2 + t
            c = c * 0.9
        c = 1.0
        return x * c

    for n in (0, 1, 3):
        forms_agree(f, 0.7, 0.9, n)


def test_a_pair_can_be_pulled_twice():
    _, back = pullback(logistic, 3.2, 0.3, 20)
    assert back(1.0) == back(1.0) == gradient(logistic, 3.2, 0.3, 20)


def test_what_raises_has_raised_the_first_time():
    def f(x, n):
        for i in range(n):
            t = 1.0 / (x - 2.0)
            x = x * t * t
        return x

    assert gradient(f, 3.0, 1)[0] != 0.0
    with pytest.raises(ZeroDivisionError):
        gradient(f, 2.0, 1)


def test_infinities_and_nans_come_back_the_same(forms_agree):
    def f(x, y, n):
        s = 0.0
        for i in range(n):
            t = x * y
            s = s + t * x
            x = t - x * y
        return s

    for x in (float("inf"), float("nan"), -0.0, 1e308):
        forms_agree(f, x, 10.0, 3)


def test_numpy_numbers_are_kept(forms_agree):
    import numpy as np

    for n in (0, 3):
        forms_agree(logistic, np.float64(3.2), np.float64(0.3), n)
        forms_agree(logistic, 3, 2, n)


def test_loops_in_loops(forms_agree):
    def f(x, y, n):
        s = 0.0
        for i in range(n):
            a = x * y
            for j in range(i):
                b = a * x + s
                s = s * 0.5 + b * b * x
                x = x * 0.9
            y = y * a * 0.7
        return s

    for n in (0, 1, 4):
        forms_agree(f, 0.8, 1.1, n)


def test_a_branch_on_what_is_kept(forms_agree):
    def f(x, n):
        for i in range(n):
            if x > 1.0:
                x = x * x * 0.4
            else:
                x = x * 1.7
        return x

    for x in (0.3, 1.4):
        forms_agree(f, x, 6)


def test_parts_of_an_array_are_no_copies_of_it(forms_agree):
    import numpy as np

    def f(u, n):
        w = u * 1.0
        total = 0.0
        for i in range(n):
            x, y = w
            total = total + x * y * w[1]
            w[0] = y * x
        return total

    for n in (0, 1, 3):
        forms_agree(f, np.array([0.7, 1.2]), n)


def test_elements_of_arrays_are_read_again(forms_agree):
    import numpy as np

    def f(p, x, n):
        for i in range(n):
            x = p[0] * x * p[1] + p[0] * x * x
        return x

    text = source(f, "ndarray1", "float", "int")
    assert text.count("p[0]") == text.count("p[1]") == 2  # once in either sweep
    for n in (0, 1, 3):
        forms_agree(f, np.array([0.7, 0.2]), 0.5, n)


def test_elements_that_are_written_in_between_are_kept(forms_agree):
    import numpy as np

    def f(u, x, n):
        w = u * 1.0
        for i in range(n):
            a = w[0]
            w[0] = a * x
            x = x * w[0] + a * w[0]
        return x

    for n in (0, 1, 3):
        forms_agree(f, np.array([0.7, 0.2]), 0.5, n)


def test_what_is_computed_from_what_an_inner_loop_left(forms_agree):
    def f(x, y, n):
        for i in range(n):
            w = x - y
            for k in range(2):
                w = x - w
                x = x * w
            y = y * x + w
            x = w * w * y
        return x

    text = source(f, "float", "float", "int")
    assert records(text)[-1].endswith(", w, y)")  # not w * w
    for n in (0, 1, 3):
        forms_agree(f, 0.3, 0.7, n)


def test_one_product_for_two_uses_behind_an_inner_loop(forms_agree):
    def f(x, n):
        s = 0.0
        i = 0
        while i < n:
            t = x * 2.0
            u = t * t + x
            for j in range(n):
                t = math.sin(t) * u
                u = u * t
            x = t + u * x
            s += x * t * u
            i += 1
        return s

    for fused in (True, False):
        assert records(source(f, "float", "int", fused=fused))[-1].count(",") == 5
    for n in (0, 1, 2):
        forms_agree(f, 0.3, n)


def newton(x, a, n):
    k = 0
    while k < n:
        slope = 3.0 * x * x - a
        step = (x * x * x - a * x) / slope
        x = x - 0.5 * step
        if abs(step) < 1e-3:
            break
        k = k + 1
    return x


def bound_anew_behind_the_exit(x, a, n):
    for _ in range(n):
        t = x * x
        y = t * a
        if y > 5.0:
            break
        t = y * y
        x = x + 0.1 * t * y
    return x * a


def bound_anew_in_the_arm(x, a, n):
    for _ in range(n):
        t = x * a
        y = t * t
        if y > 3.0:
            t = y * x
            x = t * t
            break
        x = x + 0.3 * y * t
    return x


def goes_on_early(x, a, n):
    s = 0.0
    for i in range(n):
        t = x * a
        s = s + t * t
        if i == 1:
            continue
        x = x + 0.1 * t * s
    return s * x


def made_of_what_is_bound_anew(x, a, n):
    for _ in range(n):
        before = x
        x = x * a
        t = x * x
        if t > 4.0:
            break
        x = before + 0.2 * t * x
    return x * x


def left_from_an_inner_loop(x, a, n):
    for i in range(n):
        t = x * x
        for j in range(i):
            x = x + 0.1 * t * a
            if x > 2.0:
                break
        x = x * a + 0.1 * t
        if t > 3.0:
            break
    return x * t


@pytest.mark.parametrize(
    "fn",
    [
        newton,
        bound_anew_behind_the_exit,
        bound_anew_in_the_arm,
        goes_on_early,
        made_of_what_is_bound_anew,
        left_from_an_inner_loop,
    ],
)
@pytest.mark.parametrize("x", [0.7, 1.1, 1.9])
def test_iterations_that_end_in_several_places(fn, x, forms_agree):
    forms_agree(fn, x, 1.2, 4)


def test_what_several_ends_record_is_short():
    first, second = records(source(newton, "float", "float", "int"))
    assert first == second and first.count(",") <= 2
