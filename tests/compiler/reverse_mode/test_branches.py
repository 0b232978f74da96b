"""Branches, in every form of the derivative."""

import math

import numpy as np
import pytest

BOTH = pytest.mark.parametrize("x", [0.4, 1.6])


@BOTH
def test_a_branch_that_rebinds(forms_agree, x):
    def f(x, y):
        if x > y:
            x = x * y
            y = y + x
        else:
            y = y * y
        return x * y

    forms_agree(f, x, 0.9, fused=True)


@BOTH
def test_a_name_bound_in_one_branch_only(forms_agree, x):
    def f(x, y):
        z = y
        if x > y:
            w = x * y
            z = w * w
        return z * x

    forms_agree(f, x, 0.9, fused=True)


@BOTH
def test_a_condition_that_is_overwritten(forms_agree, x):
    def f(x, y):
        if x > y:
            x = y * x
            y = x * 3.0
        elif x > y * 0.3:
            y = x
            x = y * y
        if x > y:
            y = y * x
        return x + y * y

    forms_agree(f, x, 0.9)
    forms_agree(f, x, 2.9)


@BOTH
def test_a_condition_of_any_type(forms_agree, x):
    def f(x, y, items):
        z = 0.0
        if items:
            z = x * y
        if y:
            z = z + x
        if not items or x < 1.0:
            z = z * z + x
        return z

    forms_agree(f, x, 0.9, [1])
    forms_agree(f, x, 0.9, [])


@BOTH
def test_early_returns(forms_agree, x):
    def f(x, y):
        if x < 0.1:
            return y
        z = x * y
        if x > 1.0:
            return z * z
        z = z + x
        return z * y

    forms_agree(f, x, 0.9)
    forms_agree(f, 0.01, 0.9)


@BOTH
def test_returns_in_both_arms(forms_agree, x):
    def f(x):
        if x > 1.0:
            return x * x
        else:
            return math.sin(x)

    forms_agree(f, x)


@BOTH
def test_returns_deep_inside(forms_agree, x):
    def f(x, y):
        z = x + y
        if x > 1.0:
            if y > 1.0:
                return z * x
            z = z * z
            if y > 0.5:
                return z * y
        elif y > 1.0:
            z = z + 1.0
        else:
            return x
        w = z * y
        return w * x

    for y in (0.3, 0.8, 1.3):
        forms_agree(f, x, y)


def test_no_return_of_a_value(forms_agree):
    def f(x):
        if x > 1.0:
            return x * x
        return 3.0

    forms_agree(f, 0.5)
    forms_agree(f, 1.5)


@BOTH
def test_nested_branches(forms_agree, x):
    def f(x, y):
        a = 1.0
        if x > 1.0:
            a = x * y
            if y > 1.0:
                a = a * a
                x = a
            else:
                y = a + y
            a = a + x * y
        else:
            b = y * y
            if b > 1.0:
                a = b * x
        return a * x + y

    forms_agree(f, x, 0.7)
    forms_agree(f, x, 1.7)


@BOTH
def test_a_branch_between_number_and_array(forms_agree, x):
    def f(x, v):
        if x > 1.0:
            y = v * x
        else:
            y = x
        return np.sum(y * v)

    forms_agree(f, x, np.array([0.5, 1.5, 2.5]))


@BOTH
def test_an_array_used_in_one_branch_only(forms_agree, x):
    def f(x, v):
        y = x
        if x > 1.0:
            w = v * v
            y = np.sum(w)
        return y * x

    forms_agree(f, x, np.array([0.5, 1.5, 2.5]))


@BOTH
def test_a_name_of_one_branch_read_in_a_later_one(forms_agree, x):
    def f(x, y):
        if x > 1.0:
            z = x * y
        if x > 1.0:
            return z * z
        return y * x

    forms_agree(f, x, 0.8)


@BOTH
def test_the_same_array_through_two_branches(forms_agree, x):
    def f(x, v):
        w = v
        if x > 1.0:
            w = w * x
        if x < 1.0:
            w = w + v
        else:
            w = w * w
        return np.sum(w)

    forms_agree(f, x, np.array([0.5, 1.5, 2.5]))


@BOTH
def test_a_conditional_expression_with_work_in_both_arms(forms_agree, x):
    def f(x, y):
        z = math.log(x) * y if x > 1.0 else math.exp(-x) if y > 0.5 else y
        return z * z

    forms_agree(f, x, 0.4)
    forms_agree(f, x, 0.6)


def test_an_unbound_name_raises_as_python_does(forms_agree):
    from astad import gradient

    def f(x):
        if x > 1.0:
            y = x * x
        return y

    assert gradient(f, 2.0) == (4.0,)
    with pytest.raises(UnboundLocalError):
        gradient(f, 0.5)


@BOTH
def test_empty_arms_and_pass(forms_agree, x):
    def f(x):
        if x > 1.0:
            pass
        else:
            x = x * x
        if x > 0.0:
            "nothing"
        return x

    forms_agree(f, x)


@BOTH
def test_a_test_with_a_side_effect(forms_agree, x):
    def f(x):
        seen = []

        def larger(a, b):
            seen.append(a)
            return a > b

        if larger(x, 1.0):
            x = x * x
        return x * len(seen)

    forms_agree(f, x)


@BOTH
def test_isinstance_and_none(forms_agree, x):
    def f(x, y, z=None):
        if z is None:
            z = y
        if isinstance(x, float):
            z = z * x
        if y is not None and z != 3.0:
            z = z + y
        return z

    forms_agree(f, x, 0.6)


@BOTH
def test_a_numpy_bool_as_condition(forms_agree, x):
    def f(x, v):
        if v[0] * x > 1.0:
            x = x * x
        if np.all(v > 0.0):
            x = x * v[1]
        if np.any(v > x) and x > 0:
            return x * x
        return x

    forms_agree(f, x, np.array([1.0, 1.5]))


@BOTH
def test_a_return_inside_an_arm_that_ends_with_one(forms_agree, x):
    def f(x, y):
        if x > 0.1:
            if y > 0.5:
                if x > 1.0:
                    return x * y
                return 2.0 * x
            x = x * x
        return x * y

    for y in (0.3, 0.8):
        forms_agree(f, x, y)
    forms_agree(f, 0.05, 0.8)
