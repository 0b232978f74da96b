"""Statements one after the other, in every form of the derivative."""

import math

import numpy as np
import pytest


def test_a_quotient(forms_agree):
    def f(a, b):
        return a / (a + b * b)

    forms_agree(f, 0.7, 1.3, fused=True)


def test_one_value_used_many_times(forms_agree):
    def f(x):
        y = x * x
        z = y + y * y - y / (y + 1.0)
        return z * y + x

    forms_agree(f, 0.8, fused=True)


def test_both_operands_the_same(forms_agree):
    def f(x, y):
        a = x + x
        b = a * a
        c = b - b
        d = (b + 1.0) / (b + 1.0)
        e = a**a
        return a + b + c + d + e + math.atan2(y, y) + math.hypot(x, x)

    forms_agree(f, 0.8, 1.7)


def test_a_name_bound_many_times(forms_agree):
    def f(x, y):
        x = x * y
        x = x + x
        y = x * y
        x = y
        y = x * x
        x += y
        x -= 0.5 * x
        x *= x
        x /= y + 3.0
        return x + y

    forms_agree(f, 0.6, 0.9)


def test_a_swap_and_a_rotation(forms_agree):
    def f(x, y, z):
        x, y = y, x * y
        x, y, z = y, z, x
        z, x = x * z, z
        return x * x + 2.0 * y * z + math.sin(z)

    forms_agree(f, 0.6, 0.9, 1.4)


def test_a_parameter_returned_as_it_is(forms_agree):
    forms_agree(lambda x: x, 0.5)
    forms_agree(lambda x, y: y, 0.5, 2.0)


def test_a_parameter_rebound_and_returned(forms_agree):
    def f(x):
        y = x
        x = x * 3.0
        x = x + y
        return x

    forms_agree(f, 0.5, fused=True)


def test_results_nobody_uses(forms_agree):
    def f(x, y):
        unused = x / y
        math.sin(unused)
        x * y
        unused = y**2.0
        return x * 2.0

    forms_agree(f, 0.5, 2.0)


def test_a_constant_result(forms_agree):
    forms_agree(lambda x: 4.0, 2.0)
    forms_agree(lambda x: x * 0 + 4.0, 2.0)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_int_and_float_mixed(forms_agree, n):
    def f(x, n):
        a = x * n
        b = n + 1
        c = a / b + n
        d = b * b - n // 2
        return c * d + n % 2 * x + x**n

    forms_agree(f, 1.3, n)


def test_powers(forms_agree):
    def f(x, y):
        return x**2 + x**3 - x**0 + x**1 + x**-1 + x**-2 + x**0.5 + x**2.5 + x**y + 2.0**x + 2**y

    forms_agree(f, 1.3, 0.7)


def test_power_of_a_power(forms_agree):
    forms_agree(lambda x: -((x**2) ** 3) + (-x) ** 2 - (-x) ** 3, 1.3)


def test_unary_signs(forms_agree):
    forms_agree(lambda x, y: -x + +y - -x * -(-y), 1.3, 0.4)


def test_functions_of_math(forms_agree):
    def f(x, y):
        a = math.sin(x) * math.cos(y) + math.tan(x * 0.5)
        b = math.exp(-x * x) + math.log(y + 1.0) + math.sqrt(x + y)
        c = math.tanh(a) + math.atan(b) + math.pow(x, y) + math.fabs(a)
        return a * b * c + math.erf(x) + math.lgamma(y) + math.log1p(x) + math.expm1(y)

    forms_agree(f, 0.6, 1.2)


def test_functions_of_numpy_on_numbers(forms_agree):
    def f(x, y):
        a = np.sin(x) * np.cos(y) + np.maximum(x, y) + np.minimum(x, 3.0)
        return a * np.exp(-x) + np.logaddexp(x, y) + np.abs(x - y) + np.sqrt(x) + np.power(x, y)

    forms_agree(f, 0.6, 1.2)


def test_builtins_on_numbers(forms_agree):
    def f(x, y):
        return abs(x - y) * max(x, y) + min(x, y, 4.0) ** 2 + float(x) * pow(x, y) + sum((x, y, x))

    forms_agree(f, 0.6, 1.2)


def test_divmod_floor_and_remainder(forms_agree):
    def f(x, y):
        q, r = divmod(x, y)
        return q * r + x % y * (x // y) + r * x

    forms_agree(f, 7.6, 1.3)


def test_names_like_those_of_generated_code(forms_agree):
    def f(y_bar, kept_1, versions, shadows):
        t_1 = y_bar * kept_1
        kept = t_1 + versions
        y_kept = kept * shadows
        x_bar = y_kept / y_bar
        call, pull, add, g = x_bar, x_bar * kept, t_1, y_kept
        result, value, f_forward, f_pullback = call * pull, add + g, add, call
        closure = result * value + f_forward * f_pullback
        return closure

    forms_agree(f, 0.6, 0.9, 1.4, 0.3, fused=True)


def test_names_like_those_of_generated_code_in_calls(forms_agree):
    def f(y, add):
        y_kept = np.sum(np.array([y, add]) ** 2)
        pull = [y_kept, y]
        call = pull[0] * pull[1]
        versions = (call, add)
        shadows = versions[0] * versions[1]
        return shadows

    forms_agree(f, 0.6, 0.9)


def test_a_local_named_like_a_module_or_a_builtin(forms_agree):
    def f(np, math):
        range = np * math
        sum = range + np
        reversed = sum * sum
        float = reversed / math
        type, zip, slice = float * 2.0, float, sum
        return type * zip + slice

    forms_agree(f, 0.6, 0.9, fused=True)


def test_a_name_bound_to_two_kinds(forms_agree):
    def f(x):
        y = x * 2.0
        y = np.array([y, x])
        y = y * y
        y = float(np.sum(y))
        y = [y, x]
        y = y[0] * y[1]
        return y

    forms_agree(f, 0.6)


def test_conditional_expression_and_boolean_operators(forms_agree):
    def f(x, y):
        a = x if x > y else y * 2.0
        b = (x > 1.0 and x * x) or y * y
        c = x and y
        d = 0.0 or x * y
        return a + b * c + d * (not x) + (x < y < 2.0) * x

    forms_agree(f, 0.6, 0.9)
    forms_agree(f, 1.6, 0.9)


def test_a_walrus(forms_agree):
    def f(x):
        return (y := x * x) * y + (x := y + 1.0) * x

    forms_agree(f, 0.6)


def test_chained_assignment_and_starred_unpacking(forms_agree):
    def f(x, y):
        a = b = x * y
        c, *d, e = a, x, y, b
        (g, h), i = (c * e, d[0]), d[1]
        return a * c + g * h * i

    forms_agree(f, 0.6, 0.9)


def test_nested_tuples_kept_together(forms_agree):
    def f(x, y):
        pair = (x * y, (x, y))
        again = pair
        a, (b, c) = again
        return pair[0] * a * b + pair[1][1] * c

    forms_agree(f, 0.6, 0.9)


def test_an_int_result(forms_agree):
    def f(x, n):
        return n * n

    forms_agree(f, 0.5, 3)


def test_a_global_number(forms_agree):
    def f(x):
        return x * SCALE + x**EXPONENT

    forms_agree(f, 0.5)


SCALE = 2.5
EXPONENT = 3


def test_an_annotated_and_an_unbound_name(forms_agree):
    def f(x: float) -> float:
        y: float = x * x
        z: float
        z = y + x
        del y
        y = z * z
        return y

    forms_agree(f, 0.5)


def handed_back(x):
    return x


def test_a_name_that_is_bound_to_itself(forms_agree):
    def f(x, n):
        for _ in range(n):
            x = handed_back(x)
            x = x * 1.5
        return handed_back(x) * x

    forms_agree(f, 1.5, 3)
