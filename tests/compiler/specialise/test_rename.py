"""A name bound several times has a kind for each of its values."""

import numpy as np


def test_number_array_number(forms_agree):
    def f(x):
        z = x * 2.0
        z = np.ones(3) * z
        z = z * z + x
        z = np.sum(z)
        z = z * x
        return z

    forms_agree(f, 0.7)


def test_a_parameter_bound_again(forms_agree):
    def f(x, a):
        x = a * x
        a = np.sum(x)
        x = a * a
        return x * a

    forms_agree(f, 0.7, np.array([0.5, 1.5]))


def test_bound_at_the_top_and_in_a_block(forms_agree):
    def f(x, n):
        y = x * x
        z = y + 1.0
        y = z * x
        z = y * y
        for i in range(n):
            y = y * x
        z = z + y
        return z

    forms_agree(f, 0.7, 3)


def test_new_names_meet_none_of_the_users(forms_agree):
    def f(x, y_1):
        y = x * y_1
        y_2 = y + x
        y = y * y_2
        y = y + y_1
        y_3 = y
        y = y * y_3
        return y + y_2

    forms_agree(f, 0.7, 1.2)


def test_deleted_and_bound_again(forms_agree):
    def f(x):
        y = x * x
        z = y
        del y
        y = z * x
        y = y * y
        return y

    forms_agree(f, 0.7)


def test_read_in_a_block_after_each_binding(forms_agree):
    def f(x, n):
        y = x + 1.0
        s = 0.0
        for i in range(n):
            s = s + y * i
        y = s * y
        if y > 1.0:
            s = s * y
        y = y * s
        while s < 2.0:
            s = s + y * y + 0.5
        return s * y

    for x in (0.2, 0.9):
        forms_agree(f, x, 3)


def test_bound_in_a_loop_and_anew_behind_it(forms_agree):
    def f(x, a):
        total = 0.0
        for i in range(3):
            m = np.max(a) + a * x
            total = total + np.sum(m * m) * i
        m = np.sum(a) * x
        for i in range(2):
            total = total + m * i
        return total * m

    forms_agree(f, 0.7, np.array([0.5, 1.5]), fused=True)


def test_bound_behind_one_loop_and_carried_by_the_next(forms_agree):
    def f(x):
        y = x
        for _ in range(2):
            y = y * x
        y = y + 1.0
        for _ in range(3):
            y = y * x + y
        y = y * y
        return y

    forms_agree(f, 0.7)
