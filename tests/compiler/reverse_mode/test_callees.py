"""Callees that become pairs in the same text."""

import math

import numpy as np

from astad.testing import check_gradient


def squares(x, n):
    s, whole = 0.0, x
    for i in range(n):
        s = s + x[i] * x[i]
    if s > 2.0:
        s = s + np.sum(whole)
    return s


def step(x, i):
    y = np.zeros(3)
    for j in range(3):
        y[j] = x[j] * x[j - 1] + i
    return y


def test_arrays_that_are_read_by_element_in_the_callee(forms_agree):
    def as_a_whole_too(x):
        return squares(x, 2) * squares(x, 3)

    def under_its_own_name(x):
        for i in range(3):
            x = step(x, i)
        return x[0] + x[1]

    x = np.array([0.5, 1.5, -0.4])
    for fn in (as_a_whole_too, under_its_own_name):
        forms_agree(fn, x)
        forms_agree(fn, 3.0 * x)


def early(x, n):
    for i in range(n):
        if x > 3.0:
            return x * 2.0
        x = x * 1.7
        x = x + 0.1 * math.sin(x)
        x = x + 0.2 * math.sin(x)
    if x < 1.0:
        return x * x
    x = x + 0.1 * math.sin(x)
    x = x + 0.2 * math.sin(x)
    return x + 0.3 * math.sin(x)


def test_a_callee_with_several_returns(forms_agree):
    def f(x, n):
        return early(x, n) * early(2.0 * x, n)

    for x in (1.3, 0.1, 0.7):
        forms_agree(f, x, 2)


def powers(x, y, n):
    s = 1.0
    for i in range(n):
        s = s * x**y
        s = s + 0.1 * math.sin(x)
        s = s + 0.2 * math.sin(x)
        s = s + 0.3 * math.sin(x)
        s = s + 0.4 * s * x
    return s


def test_a_callee_whose_powers_may_turn_complex(forms_agree):
    def f(x, y):
        return powers(x, y, 2) * powers(y, x, 3)

    def g(x, y):
        powers(x, y, 2)
        return powers(y, x, 3) * x

    for fn in (f, g):
        forms_agree(fn, 1.3, 2.2)


def test_a_callee_that_meets_a_complex_number():
    def f(x, y):
        return abs(powers(x, y, 1)) * x

    check_gradient(f, -1.3, 2.2)


class Decay:
    def __init__(self, rate):
        self.rate = rate
        self.left = 1.0

    def step(self, dt):
        self.left = self.left - dt * self.rate * self.left


def decayed(rate, n):
    sample, total = Decay(rate), 0.0
    for _ in range(n):
        sample.step(0.1)
    for i in range(n):
        total = total + sample.left * i * rate
        if total > 100.0:
            total = total * 0.5
        total = total + 0.1 * math.sin(rate)
        total = total + 0.2 * math.sin(rate)
        total = total + 0.3 * math.sin(rate) * total
    return total


def test_a_callee_that_makes_an_object_for_itself(forms_agree, monkeypatch):
    def f(rate):
        return decayed(rate, 3) * decayed(2.0 * rate, 4)

    forms_agree(f, 1.3)
    monkeypatch.setattr(Decay, "left", property(lambda self: 2.0, lambda self, v: None), False)
    check_gradient(f, 1.3)
