import itertools
import operator
from operator import add, getitem, mul

import numpy as np
import pytest

from astad.runtime.language import build_list


def cubes(do, iterable, stop=100):
    total, k = 0.0, 1.0
    for v in do.loop(iterable):
        total = do(add, total, do(mul, k, do(mul, v, do(mul, v, v))))
        k += 1.0
        if k > stop:
            break
    return total


def products(do, iterable):
    total, k = 0.0, 1.0
    for items in do.loop(iterable):
        part = k
        for v in do.loop(items):
            part = do(mul, part, v)
        total = do(add, total, part)
        k += 1.0
    return total


def test_chain(check):
    def program(do, l, a, d):
        c = do(itertools.chain, l, (), a, do(dict.values, d))
        return do(mul, do(next, c), cubes(do, c))

    check(program, [2.0, 3.0], np.array([5.0, 7.0]), {"k": 0.5})


def test_chain_left_and_taken_up_again(check):
    def program(do, l, a):
        c = do(itertools.chain, l, a)
        return do(mul, cubes(do, c, 3), cubes(do, c))

    check(program, [2.0, 3.0, 0.25], np.array([5.0, 7.0]))


def test_accumulate(check, written):
    @written
    def step(do, total, v):
        return do(add, do(mul, total, v), 1.0)

    def program(do, l, x):
        first = cubes(do, do(itertools.accumulate, l))
        second = cubes(do, do(itertools.accumulate, l, step, initial=x))
        return do(mul, first, second)

    check(program, [2.0, 3.0, 0.5], 1.5)


def test_islice(check, written):
    @written
    def double(do, v):
        return do(mul, v, v)

    def program(do, l):
        first = cubes(do, do(itertools.islice, l, 1, None, 2))
        second = cubes(do, do(itertools.islice, do(map, double, l), 1, 3))
        it = do(iter, l)
        third = cubes(do, do(itertools.islice, it, 2))
        return do(mul, do(mul, first, second), do(mul, third, do(next, it)))

    check(program, [2.0, 3.0, 0.5, 0.25, 1.5])


def test_zip_longest_and_repeat(check):
    def program(do, l, a, x):
        z = do(itertools.zip_longest, l, a, fillvalue=x)
        r = do(zip, l, do(itertools.repeat, do(mul, x, x)))
        return do(mul, products(do, z), products(do, r))

    check(program, [2.0, 3.0], np.array([5.0]), 1.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda do, l, a: do(itertools.product, l, a),
        lambda do, l, a: do(itertools.product, l, repeat=2),
        lambda do, l, a: do(itertools.combinations, l, 2),
        lambda do, l, a: do(itertools.permutations, do(iter, a), 2),
        lambda do, l, a: do(itertools.combinations_with_replacement, a, 2),
        lambda do, l, a: do(itertools.pairwise, l),
    ],
)
def test_pools(check, make):
    def program(do, l, a):
        return products(do, make(do, l, a))

    check(program, [2.0, 3.0, 0.5], np.array([5.0, 0.25, 7.0]))


def test_counts_go_back_to_their_start_and_step(check):
    def program(do, l):
        numbers = do(itertools.count, do(getitem, l, 0), do(getitem, l, 1))
        total = 1.0
        for pair in do.loop(do(zip, l, numbers)):
            total = do(add, total, do(mul, do(getitem, pair, 0), do(getitem, pair, 1)))
        return do(mul, total, do(next, numbers))

    check(program, [2.0, 0.5, 3.0])


def test_pairwise_of_half_consumed_lists(check):
    def program(do, l):
        p = do(itertools.pairwise, l)
        first = do(next, p)
        return do(mul, products(do, p), do(getitem, first, 1))

    check(program, [2.0, 3.0, 0.5, 5.0])


def test_chains_of_lists_made_on_the_way(check, written):
    @written
    def both(do, v):
        return do(build_list, v, do(mul, v, v))

    def program(do, l):
        return cubes(
            do, do(itertools.chain.__dict__["from_iterable"], itertools.chain, do(map, both, l))
        )

    check(program, [2.0, 3.0])


def test_groups(check, written):
    @written
    def side(do, v):
        return do(operator.gt, v, 2.5)

    def program(do, l):
        total, k = 1.0, 1.0
        for function in (side, None):
            for pair in do.loop(do(itertools.groupby, l, function)):
                for v in do.loop(do(getitem, pair, 1)):
                    total = do(add, total, do(mul, k, do(mul, v, v)))
                    k += 1.0
                if function is None:
                    total = do(mul, total, do(getitem, pair, 0))
        return total

    check(program, [3.0, 4.0, 2.0, 0.5, 7.0])
