from operator import add, getitem, mul, setitem

import numpy as np


def test_flat_is_walked_read_and_written(check):
    def program(do, a, x, v):
        flat = do(getattr, do(getattr, a, "T"), "flat")
        total = do(mul, do(getitem, flat, 1), do(getitem, flat, -1))
        total = do(add, total, do(np.sum, do(mul, do(getitem, flat, slice(1, None, 2)), x)))
        do(setitem, flat, slice(0, 3), v)
        do(setitem, flat, 4, do(mul, x, x))
        k = 1.0
        for element in do.loop(do(getattr, a, "flat")):
            total = do(add, total, do(mul, k, do(mul, element, element)))
            k += 1.0
        return total

    check(program, np.array([[2.0, 3.0, 5.0], [0.5, 0.25, 7.0]]), 1.5, np.array([0.3, 0.6]))


def test_arrays_from_iterables(check, written):
    @written
    def square(do, v):
        return do(mul, v, v)

    def program(do, l):
        a = do(np.fromiter, do(map, square, l), float)
        return do(np.sum, do(mul, a, np.array([1.0, 2.0])))

    check(program, [2.0, 3.0])
