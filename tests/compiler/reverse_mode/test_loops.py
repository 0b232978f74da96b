"""Loops, in every form of the derivative.

What a generator does after its last value, where only the loop knows the generator.
"""

import math

import numpy as np
import pytest

from astad import gradient, pullback
from astad.testing import check_gradient

TRIPS = pytest.mark.parametrize("n", [0, 1, 2, 5])


@TRIPS
def test_a_power(forms_agree, n):
    def f(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    forms_agree(f, 1.3, n, fused=True)


@TRIPS
def test_the_index_in_the_body(forms_agree, n):
    def f(x, n):
        y = 0.5
        for i in range(1, n + 1):
            y = y * x / i + i * x
        return y

    forms_agree(f, 1.3, n, fused=True)


@TRIPS
def test_swap_in_a_loop(forms_agree, n):
    def f(x, y, n):
        for _ in range(n):
            x, y = y, x * y + 0.1
        return x * y

    forms_agree(f, 0.8, 1.1, n)


@TRIPS
def test_rotation_of_three_in_a_loop(forms_agree, n):
    def f(x, y, z, n):
        for i in range(n):
            x, y, z = y * z, z + x, x
        return x + 2.0 * y + 3.0 * z

    forms_agree(f, 0.8, 1.1, 0.4, n)


@TRIPS
def test_copies_that_lag_behind(forms_agree, n):
    def f(x, n):
        a = b = c = x
        for _ in range(n):
            c = b
            b = a
            a = a * x + 0.3 * c
        return a + b * c

    forms_agree(f, 0.8, n)


@TRIPS
@pytest.mark.parametrize("m", [0, 1, 3])
def test_nested_loops_with_overwritten_names(forms_agree, n, m):
    def f(x, n, m):
        s = 0.0
        for i in range(n):
            t = x + i
            for j in range(m):
                t = t * x * 0.5
                s = s + t * j
            s = s * t * 0.3 + x
        return s

    forms_agree(f, 0.9, n, m, fused=True)


def test_inner_range_that_depends_on_the_outer_index(forms_agree):
    def f(x, n):
        s = 0.0
        for i in range(n):
            for j in range(i):
                s = s * x + j
            for j in range(i, n, 2):
                s = s + x * j * i
        return s

    forms_agree(f, 0.9, 4)


def test_the_same_index_in_both_loops(forms_agree):
    def f(x, n):
        s = x
        for i in range(n):
            for i in range(3):
                s = s * x + i
            s = s + i * x
        return s * i

    forms_agree(f, 0.9, 4)


@TRIPS
def test_an_index_changed_in_the_body(forms_agree, n):
    def f(x, n):
        s = x
        for i in range(n):
            i = i * 2 + 1
            s = s + i * x * s
        return s

    forms_agree(f, 0.3, n)


def test_an_index_read_after_the_loop(forms_agree):
    def f(x, n):
        i = 7
        for i in range(n):
            x = x * x
        return x * i

    for n in (0, 1, 3):
        forms_agree(f, 0.9, n)


@TRIPS
def test_a_range_bound_changed_in_the_body(forms_agree, n):
    def f(x, n):
        for i in range(n):
            n = i + 1
            x = x * n * 0.7
        return x * n

    forms_agree(f, 0.9, n)


def test_ranges_backwards_and_empty(forms_agree):
    def f(x, n):
        y = x
        for i in range(n, 0, -1):
            y = y * x + i
        for i in range(n, n):
            y = y * 0.0
        for i in range(0, n, 3):
            y = y * 0.5 + x * i
        return y

    forms_agree(f, 0.7, 5)


@TRIPS
def test_a_name_bound_in_the_loop_only(forms_agree, n):
    def f(x, n):
        s = x
        for i in range(n):
            t = s * x
            u = t * t
            s = u + t
        return s

    forms_agree(f, 0.3, n)


def test_a_loop_local_read_after_the_loop(forms_agree):
    def f(x, n):
        for i in range(n):
            t = x * i
            x = x + t * 0.1
        return t * x

    forms_agree(f, 0.3, 3)


@TRIPS
def test_a_branch_in_a_loop(forms_agree, n):
    def f(x, n):
        y = x
        for i in range(n):
            if y > 1.0:
                y = y * 0.5
            else:
                z = y * x
                y = z + y
        return y

    forms_agree(f, 0.8, n)


@TRIPS
def test_a_name_bound_in_one_branch_and_read_in_the_next_iteration(forms_agree, n):
    def f(x, n):
        z = x
        for i in range(n):
            if i % 2 == 0:
                y = z * x
            else:
                z = y + x
        return z * x

    forms_agree(f, 0.8, n)


@TRIPS
def test_break(forms_agree, n):
    def f(x, n):
        y = 1.0
        for i in range(n):
            y = y * x
            if y > 3.0:
                break
            y = y + 0.1 * x
        return y * x

    forms_agree(f, 1.3, n)
    forms_agree(f, 2.3, n)


@TRIPS
def test_continue(forms_agree, n):
    def f(x, n):
        y = x
        for i in range(n):
            y = y * 1.1
            if i % 2:
                continue
            y = y * x
        return y

    forms_agree(f, 1.3, n)


@TRIPS
@pytest.mark.parametrize("x", [0.5, 1.3, 2.4])
def test_break_continue_and_else(forms_agree, n, x):
    def f(x, n):
        y = 1.0
        for i in range(n):
            if i == 1:
                y = y + x
                continue
            y = y * x
            if y > 4.0:
                y = y * y
                break
            y = y + 0.2
        else:
            y = y * 3.0 * x
        return y * x

    forms_agree(f, x, n)


@pytest.mark.parametrize("x", [0.5, 1.3, 2.4, 5.0])
def test_return_inside_nested_loops(forms_agree, x):
    def f(x, n):
        s = x
        for i in range(n):
            t = s * 0.5
            for j in range(n):
                s = s * x * 0.8 + t
                if s > 9.0:
                    return s * t
                if s > 5.0:
                    break
            if t > 4.0:
                return t
            s = s + 0.1
        return s * s

    forms_agree(f, x, 4)


def test_a_return_in_the_else_of_a_loop(forms_agree):
    def f(x, n):
        for i in range(n):
            x = x * x
            if x > 10.0:
                break
        else:
            return x * 3.0
        return x * x

    forms_agree(f, 1.3, 2)
    forms_agree(f, 2.3, 4)


def test_while(forms_agree):
    def f(x):
        y = x
        while y < 10.0:
            y = y * x
        return y * x

    for x in (1.5, 2.5, 12.0):
        forms_agree(f, x)


def test_while_with_a_walrus(forms_agree):
    def f(x):
        s = 0.0
        n = 0
        while (t := x * n * 0.7) < 3.0:
            s = s + t * x
            n += 1
        return s * t

    for x in (0.5, 1.5, 2.5):
        forms_agree(f, x)


def test_while_with_break_continue_else(forms_agree):
    def f(x, stop):
        y, n = x, 0
        while n < 6:
            n += 1
            if n == 2:
                continue
            y = y * x
            if y > stop:
                break
        else:
            y = y + x * n
        return y

    for x in (0.5, 1.5, 2.5):
        forms_agree(f, x, 8.0)


def test_while_true(forms_agree):
    def f(x):
        y = x
        while True:
            y = y * 1.5 * x
            if y > 20.0:
                return y * y
            if y < 0.1:
                break
        return y

    forms_agree(f, 1.5)
    forms_agree(f, 0.3)


def test_loops_in_while_in_loops(forms_agree):
    def f(x, n):
        s = x
        for i in range(n):
            k = 0
            while k < i:
                for j in range(2):
                    s = s * 0.7 + x * j * k
                k += 1
                if s > 2.0:
                    break
            s = s + x
        return s

    forms_agree(f, 0.7, 4)


def test_newton(forms_agree):
    def f(a):
        x = a
        while abs(x * x - a) > 1e-13:
            x = x - (x * x - a) / (2.0 * x)
        return x

    forms_agree(f, 2.0, rtol=1e-5)


@TRIPS
def test_two_loops_over_the_same_names(forms_agree, n):
    def f(x, n):
        y = x
        for i in range(n):
            y = y * x
        for i in range(n):
            y = y + x * i
        for j in range(n):
            x = x * 0.9
            y = y * x
        return x * y

    forms_agree(f, 0.8, n, fused=True)


@TRIPS
def test_a_loop_that_changes_what_an_earlier_statement_read(forms_agree, n):
    def f(x, n):
        a = x * x
        for i in range(n):
            x = x * a
        b = x * a
        a = b + x
        return a * b

    forms_agree(f, 0.8, n)


@TRIPS
def test_a_range_kept_under_a_name(forms_agree, n):
    def f(x, n):
        steps = range(n)
        for i in steps:
            x = x * 1.1 + i
        for i in steps:
            x = x * x * 0.1
        steps = range(2)
        for i in steps:
            x = x * 1.2
        return x * len(steps)

    forms_agree(f, 0.8, n)


def test_over_a_tuple_and_a_list(forms_agree):
    def f(x, y):
        s = 0.0
        for v in (x, y, x * y):
            s = s * v + v
        for v in [x, 2.0, s]:
            s = s + v * v
        return s

    forms_agree(f, 0.8, 1.3)


def test_over_an_argument_list(forms_agree):
    def f(xs, y):
        s = 1.0
        for x in xs:
            s = s * x + y
        return s

    forms_agree(f, [0.5, 1.5, 2.5], 0.7)
    forms_agree(f, [], 0.7)


def test_over_zip_enumerate_reversed(forms_agree):
    def f(xs, ys):
        s = 1.0
        for i, (x, y) in enumerate(zip(xs, reversed(ys))):
            s = s * x + y * i
        return s

    forms_agree(f, [0.5, 1.5, 2.5], [0.1, 0.2, 0.3])


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_over_an_array(forms_agree, shape):
    def f(a, x):
        s = x
        for row in a:
            s = s * np.sum(row) + x
        return s

    forms_agree(f, np.linspace(0.5, 1.5, math.prod(shape)).reshape(shape), 0.6)


def test_elements_of_an_array_by_index(forms_agree):
    def f(a, x):
        s = 0.0
        for i in range(len(a)):
            s = s * x + a[i] * a[i - 1]
        return s

    forms_agree(f, np.array([0.5, 1.5, 2.5]), 0.7)


@TRIPS
def test_an_array_carried_through_a_loop(forms_agree, n):
    def f(a, x, n):
        b = a
        for i in range(n):
            b = b * x + a
            x = x * 0.9
        return np.sum(b * b)

    forms_agree(f, np.array([0.5, 1.5, 2.5]), 0.7, n, fused=True)


@TRIPS
def test_an_array_made_in_a_loop_and_used_after_it(forms_agree, n):
    def f(a, x, n):
        b = np.ones(3) * x
        for i in range(n):
            b = np.sin(b) + a * i
        return np.sum(b * a)

    forms_agree(f, np.array([0.5, 1.5, 2.5]), 0.7, n)


@TRIPS
def test_an_array_used_in_some_iterations(forms_agree, n):
    def f(a, x, n):
        s = x
        b = a
        for i in range(n):
            if i % 2:
                b = b * a
                s = s + np.sum(b)
            else:
                s = s * x
        return s

    forms_agree(f, np.array([0.5, 1.5, 2.5]), 0.7, n)


@TRIPS
def test_a_matrix_applied_again_and_again(forms_agree, n):
    def f(w, v, n):
        for _ in range(n):
            v = np.tanh(w @ v)
        return np.sum(v)

    forms_agree(f, np.array([[0.5, -0.2], [0.3, 0.8]]), np.array([0.4, 0.9]), n)


@TRIPS
def test_number_in_the_first_iteration_array_later(forms_agree, n):
    def f(a, n):
        s = 0.0
        for i in range(n):
            s = s + a * i
        return np.sum(s)

    forms_agree(f, np.array([0.5, 1.5, 2.5]), n)


def test_a_fixed_point_with_a_tolerance(forms_agree):
    def f(x):
        y = 0.0
        for i in range(100):
            z = math.cos(y) * x
            if abs(z - y) < 1e-12:
                break
            y = z
        return z

    forms_agree(f, 0.5, rtol=1e-6)


def test_a_sum_of_products_by_comprehension(forms_agree):
    def f(x, n):
        return sum([x**i * i for i in range(n)]) + sum(x * j for j in range(n))

    forms_agree(f, 0.8, 4)


def test_runge_kutta(forms_agree):
    def f(x, v, k, n):
        h = 0.1
        for _ in range(n):
            k1x, k1v = v, -k * x
            k2x, k2v = v + 0.5 * h * k1v, -k * (x + 0.5 * h * k1x)
            k3x, k3v = v + 0.5 * h * k2v, -k * (x + 0.5 * h * k2x)
            k4x, k4v = v + h * k3v, -k * (x + h * k3x)
            x = x + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
            v = v + h / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v)
        return x * x + v

    forms_agree(f, 1.0, 0.2, 2.0, 5, fused=True)


@TRIPS
def test_names_like_those_of_generated_code(forms_agree, n):
    def f(x, n):
        y_kept = kept_1 = kept = left_1 = took_1 = x
        for i in range(n):
            y = kept_1 * x
            y_kept = y * y_kept * 0.5
            kept_1 = y_kept + kept * left_1
            kept = took_1 * y
            if i == 2:
                left_1 = y
                continue
        return y_kept + kept_1 * kept * left_1

    forms_agree(f, 0.7, n)


def test_a_loop_variable_that_shadows_a_parameter(forms_agree):
    def f(x, y):
        s = x
        for x in range(3):
            s = s * y + x
        return s * x

    forms_agree(f, 0.7, 1.2)


def test_shadowed_builtins(forms_agree):
    def f(x, n):
        range = [x, x * x, 2.0]
        len = n
        for sum in range:
            x = x * sum + len
        return x

    forms_agree(f, 0.7, 3)


@TRIPS
def test_continue_at_the_end_of_the_body(forms_agree, n):
    def f(x, n):
        for i in range(n):
            x = x * 0.9
            continue
        return x * x

    forms_agree(f, 0.7, n)


@TRIPS
def test_an_arm_with_two_ways_out(forms_agree, n):
    def f(x, y, n):
        for i in range(n):
            if i > 0:
                if y > 0.5:
                    continue
                return x
            else:
                for j in range(2):
                    x = x * 0.9
        return x * y

    forms_agree(f, 0.7, 0.3, n)
    forms_agree(f, 0.7, 0.8, n)


@TRIPS
def test_an_array_name_bound_in_a_loop_and_read_after_it(forms_agree, n):
    def f(v, n):
        w = v * 2.0
        for i in range(n):
            w = v
        return np.sum(w * v)

    forms_agree(f, np.array([0.5, 1.5]), n)


@pytest.mark.parametrize("x", [0.4, 1.6])
def test_an_array_bound_anew_in_one_arm_of_a_loop(forms_agree, x):
    def f(v, x, n):
        w = v
        for i in range(n):
            for j in range(2):
                if x > 1.0:
                    w = np.ones(2)
                else:
                    w = w * v
                x = x * 0.9
            x = x + np.sum(w)
        return np.sum(w * v) * x

    forms_agree(f, np.array([0.5, 1.5]), x, 3)


def test_over_a_tuple_of_ints_that_are_differentiated(forms_agree):
    def f(x, n):
        t = (n, 2)
        for a in t:
            x = x * a
        return x * sum(t) * t[0]

    forms_agree(f, 0.7, 3)


def test_a_break_in_the_else_of_an_inner_loop_leaves_the_outer_one(forms_agree):
    def f(x, n):
        s = 0.0
        for i in range(n):
            for j in range(2):
                if s > 4.0:
                    break
                s = s + x * (i + 1)
            else:
                s = s * x
                if s > 2.0:
                    break
            s = s + x * i
        return s

    forms_agree(f, 0.9, 5)
    forms_agree(f, 3.0, 5)


def test_an_array_bound_before_a_continue_and_read_after_it(forms_agree):
    def f(x, z, u):
        s = 0.0
        for row in z:
            b = u
            if len(row) == 1:
                continue
            s = s + math.fsum([x * u[0, -1], b[0, -1]])
        return s

    forms_agree(f, 0.7, np.ones((2, 3)), np.array([[1.0, 2.0], [3.0, 4.0]]))
    forms_agree(f, 0.7, np.ones((2, 1)), np.array([[1.0, 2.0], [3.0, 4.0]]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [0, 1, 3])
def test_means_and_sums_of_lists_by_numpy(forms_agree, n):
    def of_a_filled_list(x, n):
        xs = []
        for i in range(n):
            xs.append(x * x + i)
        return np.mean(xs) * x

    def of_a_list_that_grows_later(x, n):
        xs = [x, 2 * x]
        for i in range(n):
            xs.append(x * x + i)
        m = np.mean(xs)
        xs.append(m)
        xs[0] = np.sum(xs)
        return sum(xs) + np.sum(xs) * m

    def while_it_grows(x, n):
        xs = []
        for i in range(n):
            xs.append(x + i)
            x = x * 0.5 + np.mean(xs)
        return x + np.sum(xs)

    for fn in (of_a_filled_list, of_a_list_that_grows_later, while_it_grows):
        forms_agree(fn, 0.7, n, fused=True)


def test_an_array_walked_in_a_loop_that_leads_nowhere(forms_agree):
    """It ended in an assertion of the compiler's."""

    def unused(a, b):
        c = a
        for _, _ in zip(c, c, strict=True):
            d = c
        return b.sum() + 0.0 * len(d)

    def f(x):
        y = x * np.array([1.0, x, x])
        return unused(y * 2.0, y[:1])

    forms_agree(f, 0.7)


def test_items_of_which_some_are_used(forms_agree):
    def f(rows, c):
        s = 0.0
        for row in rows:
            kept = row
            if c > row[0]:
                s = s + np.sum(kept * kept)
        return s

    def g(xs, c):
        s = 0.0
        for x in xs:
            kept = x
            if c > x:
                s = s + kept * kept
        return s

    forms_agree(f, np.arange(9.0).reshape(3, 3) / 7, 0.7)
    forms_agree(g, [1.0, 2.0, 3.0], 2.5)


class Walk:
    def __init__(self, start):
        self.here = start
        self.way = 0.0

    def steps(self, n):
        for _ in range(n):
            self.here = self.here * 1.5
            yield self.here
        self.way = self.here * self.here


def test_what_a_method_does_at_the_end_of_its_loop():
    def f(x, n):
        walk = Walk(x)
        total = 0.0
        for here in walk.steps(n):
            total = total + here
        return total + walk.way

    for n in (0, 1, 3):
        factors = [1.5**k for k in range(1, n + 1)]
        last = factors[-1] if factors else 1.0
        expected = sum(factors) + 2.0 * 1.2 * last * last
        assert abs(gradient(f, 1.2, n)[0] - expected) < 1e-12
        value, back = pullback(f, 1.2, n)
        assert value == f(1.2, n)
        assert abs(back(1.0)[0] - expected) < 1e-12


def test_an_exit_behind_what_the_record_reads(forms_agree):
    def f(x, n):
        k = 0
        while k < n:
            t = x * x
            k = k + 1
            if k == 7:
                break
            x = t - x * 0.5
        return x

    for n in (0, 1, 4, 9):
        forms_agree(f, 0.6, n)


def test_an_exit_behind_what_an_arm_binds(forms_agree):
    def f(x, n):
        k = 0
        while k < n:
            if x > 1.0:
                t = x * 0.5
            else:
                t = x * x + 0.3
            k = k + 1
            if k == 7:
                break
            x = t * x
        return x

    for n in (0, 1, 4, 9):
        forms_agree(f, 1.4, n)


def test_an_exception_half_way_through_a_loop_leaves_no_trace():
    def f(x, n):
        while n > -3:
            t = x * x
            x = t / n
            n = n - 1
            if x > 100.0:
                break
        return x

    with pytest.raises(ZeroDivisionError):
        gradient(f, 0.5, 2)
    assert gradient(f, 50.0, 2)[0] == 50.0


def discounted(flows):
    r = 0.1
    for _ in range(3):
        value = 0
        for t, c in enumerate(flows):
            value = value + c / (1 + r) ** t
        r = r - value / 100
    return r


def weighted(flows, weights):
    r = 0.5
    for _ in range(2):
        total = 0
        for c, w in zip(flows, weights, strict=True):
            total = total + c * r**w
        r = r - total / 10
    return r


def test_an_array_walked_in_each_round_by_a_pattern(forms_agree):
    flows = np.array([-8.5, 5.0, 8.0])
    forms_agree(discounted, flows)
    forms_agree(weighted, flows, np.array([1.0, 2.0, 0.5]))
    check_gradient(discounted, flows)
    check_gradient(weighted, flows, [1, 2, 3])
