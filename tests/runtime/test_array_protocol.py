"""Functions of NumPy that ask classes in Python for ``__array_function__``."""

import numpy as np

from astad import gradient


class Metres:
    """A quantity; the derived class below is asked first."""

    def __init__(self, a):
        self.a = a

    def __array_function__(self, func, types, args, kwargs):
        plain = [each.a if isinstance(each, Metres) else each for each in args]
        return Metres(func(*plain, **kwargs))


class Squared(Metres):
    def __array_function__(self, func, types, args, kwargs):
        if func is not np.sum:
            return NotImplemented
        return Metres(np.sum(args[0].a ** 2, **kwargs))


def test_the_answer_of_the_class():
    x = np.array([1.0, 2.0])
    assert gradient(lambda x: np.sum(Metres(x * x)).a, x)[0].tolist() == [2.0, 4.0]
    assert gradient(lambda x: np.sum(Squared(x)).a, x)[0].tolist() == [2.0, 4.0]
    assert gradient(lambda x: np.mean(Metres(x), axis=0).a, x)[0].tolist() == [0.5, 0.5]


def test_a_number_among_the_arguments():
    def f(x):
        return np.clip(Metres(np.array([0.1, 3.0])), 0.0, x).a.sum()

    assert gradient(f, 2.0) == (1.0,)


def test_a_class_that_leaves_it_to_the_next():
    def f(x):
        return np.dot(Squared(x), Metres(x)).a

    try:
        expected = f(np.array([1.0, 2.0]))
    except TypeError:
        expected = None
    assert expected == 5.0
    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [2.0, 4.0]
