"""Programs brought to one form mean what they meant."""

import math
import os.path

import numpy as np
import numpy.linalg as la
import pytest


def test_functions_of_modules_under_any_name(forms_agree):
    def f(x, a):
        m = math
        sine = m.sin
        return sine(x) + np.linalg.norm(a) * la.norm(a) + os.path.sep.count("/") * x

    forms_agree(f, 0.7, np.array([0.5, 1.5]))


def test_starred_displays(forms_agree):
    def f(x, y):
        a = [x, y]
        b = [*a, x * y, *a]
        c = (*b, *a)
        return sum(b) * c[2] + len({*c}) * c[-1]

    forms_agree(f, 0.7, 1.2)


def test_starred_calls_in_order(forms_agree):
    def f(x, y):
        seen = []

        def note(v):
            seen.append(v)
            return v

        def g(*args, **words):
            return args[0] * args[1] + words["a"] * words["b"]

        z = g(note(x), *[note(y)], a=note(x), **{"b": note(y * 2.0)})
        return z + seen[0] * seen[3]

    forms_agree(f, 0.7, 1.2)


@pytest.mark.parametrize("x", [0.2, 0.9, 1.4, 2.6])
def test_early_returns_become_branches(forms_agree, x):
    def f(x):
        if x < 0.5:
            return x
        if x < 1.0:
            y = x * x
        elif x < 2.0:
            y = math.exp(x)
            return y * x
        else:
            return 1.0 / x
        z = y * x
        return z + y

    forms_agree(f, x)


@pytest.mark.parametrize("x", [0.2, 0.9, 1.4])
def test_arms_that_both_go_on(forms_agree, x):
    def f(x):
        if x < 1.0:
            if x < 0.5:
                return x * 3.0
            y = x
        else:
            if x > 1.2:
                return x * x
            y = x * 2.0
        return y * x

    forms_agree(f, x)


def test_a_while_whose_head_does_work(forms_agree):
    def f(x):
        s = x
        while (t := math.sin(s) + s) < 3.0 and s * s < 9.0:
            s = s + t * 0.3
        return s * t

    for x in (0.2, 0.9, 2.9):
        forms_agree(f, x)


def test_a_for_with_else_and_no_break(forms_agree):
    def f(x, n):
        for i in range(n):
            x = x * 0.9
        else:
            x = x * x + n
        return x

    for n in (0, 2):
        forms_agree(f, 0.7, n)


@pytest.mark.parametrize("x", [0.1, 0.5, 1.3, 2.0, 3.0])
def test_what_leaves_a_loop_in_the_else_of_another(forms_agree, x):
    def f(x):
        for n in range(5):
            while x < n:
                x = x * 1.1 + 0.3
                if x > 3.7:
                    break
            else:
                if n > 3:
                    break
                x = x * 0.9
                continue
            x = x - 0.5
        return x

    forms_agree(f, x)


@pytest.mark.parametrize("x", [1.0, 2.0, 3.5, 20.0])
def test_an_else_that_ends_the_loop_around(forms_agree, x):
    def f(x):
        while True:
            while x < 10.0:
                x = x * 1.5
                if 5.0 < x < 6.0:
                    break
            else:
                break
            x = x + 1.0
        else:
            x = x * 100.0
        return x * x

    forms_agree(f, x)


def test_an_else_behind_a_loop_without_break(forms_agree):
    def f(x):
        for n in range(3):
            while x * x < n:
                x = x * 2.0 + 1.0
            else:
                x = x * 0.7
                if n == 1:
                    continue
            x = x + 0.1 * n
        return x

    forms_agree(f, 0.3)


def test_starred_arguments_of_a_method_of_a_literal(forms_agree):
    def f(x, y):
        words = ["a", "bc"]
        text = "{} and {}".format(*words, **{})
        return len(text) * x * (3.0).__mul__(*[y])

    forms_agree(f, 0.7, 1.2)


def test_a_loop_goes_through_a_name_that_it_binds(forms_agree):
    def in_else(x, z):
        for row in x:
            z = z + row[0]
            if z > 100.0:
                break
        else:
            x = x - 0.1
        return np.sum(x) * z

    def in_the_body(x, z):
        for v in x[:, 1]:
            x = x * 2.0
            z = z + v * x[0, 0]
        return np.sum(x) * z

    def as_its_target(x, z):
        for x in x:
            z = z + x * x
        return np.sum(x * z)

    for fn in (in_else, in_the_body, as_its_target):
        forms_agree(fn, np.array([[0.7, 1.2, -0.5], [0.3, -0.8, 1.1]]), 1.5)


@pytest.mark.parametrize("x, n", [(0.5, 3), (0.9, 9), (0.9, 2)])
def test_a_name_that_is_asked_and_an_else(x, n, forms_agree):
    def f(x, n):
        going = True
        while going:
            x = x * x
            n -= 1
            if x < 0.01:
                break
            going = n > 0
        else:
            x = x * 3.0
        return x

    forms_agree(f, x, n)
