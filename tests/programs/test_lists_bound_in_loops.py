"""Names of lists that a loop binds anew: generations, rows of a table, the best so far."""

import numpy as np
import pytest

from astad import gradient, pullback
from tests.compiler.forms import check_forms


def once_round(x):
    a = [x, 0.5]
    b = [x, x * x]
    for i in range(1):
        a = [v * x for v in b]
    a = [v * x for v in a]
    return sum(k * v for k, v in enumerate(a, 1))


def made_in_a_loop(x):
    a = [x, 0.5]
    for i in range(2):
        a = [v * x for v in (x, 2.0)]
    return sum(a)


def from_itself(x):
    a = [x]
    for i in range(3):
        a = [x, a[0] * 2, a[-1]]
    return sum(a)


def in_some_rounds(x):
    a = [x]
    for i in range(3):
        if i != 1:
            a = [x, a[0] * 2, a[-1]]
    return sum(a)


def from_another(x):
    a = [x]
    b = [x, x * x, 3 * x]
    if x > 1:
        a = b
    for i in range(2):
        a = [v * a[0] for v in b]
    return sum(a)


def in_an_arm(x):
    a = [x, 2 * x]
    for i in range(2):
        if i:
            a = [v * x for v in (x, 2.0, 3.0)]
    return sum(a)


def shortened_first(x):
    a = [x, 2 * x]
    for i in range(2):
        a = a[:1]
        a = [1.0, 2.0 * x, x]
    return sum(a)


def longer_each_round(x):
    a = [x, 2 * x]
    s = 0.0
    while len(a) < 6:
        s += sum(a)
        a = [x] * (len(a) + 1)
    return s + sum(a)


def of_constants(x):
    a = [x, 2 * x]
    for i in range(2):
        a = [1.0, 2.0]
    return sum(a) * x


def with_an_else(x):
    a = [x, 2 * x]
    for i in range(2):
        if x > 100:
            break
        a = [x, x, x]
    else:
        a = a + [x]
    return sum(a)


def rows(x):
    a = [[x], [2 * x]]
    for i in range(2):
        a = [[v * x for v in (1.0, 2.0)] for _ in range(3)]
    return sum(sum(r) for r in a)


def reversed_list(x):
    a = [x, 2 * x]
    for i in range(2):
        a = list(reversed([x, 2.0, x * x]))
    return a[0] + a[1] * 2


def two_names(x):
    a = [x, 2 * x]
    for i in range(2):
        b = a
        a = [b[0], x]
    return sum(a) + sum(b)


def multiplied(x):
    a = [x, 2 * x]
    t = 0.0
    for i in range(3):
        t += a[-1]
        a = [x * i] * (i + 2)
    return sum(a) * t


def history_turned_round(x):
    h = []
    for i in range(3):
        h = [x] + h
    return sum(k * v for k, v in enumerate(h))


def generations(x):
    r = [x]
    for _ in range(3):
        n = []
        for v in r:
            n.append(v * x)
            n.append(v + 1)
        r = n
    return sum(r)


def the_one_before(x):
    r = [x]
    old = r
    for _ in range(3):
        old = r
        r = [old[-1] * x, old[0]]
    return r[0] + old[1] if len(old) > 1 else r[0]


def the_one_before_in_an_arm(x):
    r = [x]
    o = r
    for i in range(2):
        o = r
        if i:
            r = [o[0] * 2, x]
    return sum(r) * o[0]


def the_last_two(x):
    r = [x]
    o = [2 * x]
    p = o
    for i in range(3):
        p = o
        o = r
        r = [p[0] * o[0], x]
    return sum(r) + p[0]


def in_either_arm(x):
    a = [x, 1.0]
    b = a
    for i in range(2):
        if i == 0:
            b = a
        else:
            b = [x, x]
        a = [b[0] * 2, b[1]]
    return sum(a)


def rows_before(x):
    m = [[x]]
    n = m
    for i in range(2):
        n = m
        m = [[n[0][0] * x], [x]]
    return m[0][0] + n[0][0]


def best_so_far(x):
    cur = [x, 2 * x]
    best = cur
    for i in range(3):
        cur = [cur[1], cur[0] * 1.5]
        if sum(cur) > sum(best):
            best = cur
    return best[0] + cur[1]


def rows_of_a_table(x):
    prev = [0.0] * 4
    for i in range(3):
        cur = [x] * 4
        for j in range(1, 4):
            cur[j] = prev[j - 1] + cur[j - 1] * x
        prev = cur
    return prev[-1]


def two_rows_before(x):
    prev = [0.0] * 3
    pprev = prev
    for i in range(3):
        cur = [prev[j] + pprev[j - 1] * x + 1 for j in range(3)]
        pprev = prev
        prev = cur
    return sum(prev) + pprev[0]


def longer_after_the_loop(x):
    a = [x, 0.5]
    c = [2.0, x]
    y = sum(c) * x
    for i in range(3):
        c = a + [c[-1]]
    c = a
    return y + sum(c)


def asked_before_the_loop(x):
    c = [x, 2.0]
    y = x * sum(c)
    for i in range(2):
        c = [c[0] * x, c[-1], x]
    return y * x


def shorter_after_the_loop(x):
    c = [x, 2.0, x]
    y = x * sum(c) + len(c)
    for i in range(2):
        c = [c[0] * x, c[-1]]
    d = c
    c = [1.0]
    return y * x + d[0]


def read_in_each_round(x):
    c = [x]
    y = max(c) * x
    for i in range(3):
        c = [v * x for v in c] + [x]
        y += c[-1] * c[0]
    return y


def array_sliced(x):
    c = np.array([x, 2.0])
    y = np.sum(c * c) * x
    for i in range(2):
        c = np.array([c[0] * x, c[-1], x])[: i + 2]
    return float(y * x)


def in_a_while_loop(x):
    c = [x, 1.0]
    y = sum(c) * x
    n = 0
    while n < 3:
        n += 1
        c = c + [c[0] * x]
    if n > 5:
        y += c[0]
    return y


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        once_round,
        made_in_a_loop,
        from_itself,
        in_some_rounds,
        from_another,
        in_an_arm,
        shortened_first,
        longer_each_round,
        of_constants,
        with_an_else,
        rows,
        reversed_list,
        two_names,
        multiplied,
        history_turned_round,
        generations,
        the_one_before,
        the_one_before_in_an_arm,
        the_last_two,
        in_either_arm,
        rows_before,
        best_so_far,
        rows_of_a_table,
        two_rows_before,
        longer_after_the_loop,
        asked_before_the_loop,
        shorter_after_the_loop,
        read_in_each_round,
        array_sliced,
        in_a_while_loop,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)


def settled(x):
    signals = [0.0]
    for _ in range(3):
        new = [x * 0.5]
        if new == signals:
            return signals[0]
        signals = new
    raise RuntimeError("not settled")


def looped(x):
    signals = [0.0, 0.0]
    for _ in range(4):
        new = [x + 0.5 * signals[1], 2.0 * x]
        if new == signals:
            return signals[0] + signals[1]
        signals = new
    raise RuntimeError("an algebraic loop")


def settled_while(x):
    state, count = [x], 0
    while count < 9:
        if state[0] > 10.0:
            return state[0] * count
        state = [state[0] * 2.0, x]
        count += 1
    return x


def settled_array(x):
    state = np.array([x, 1.0])
    for _ in range(9):
        if state[0] > 10.0:
            return state.sum()
        state = state * np.array([2.0, x])
    raise RuntimeError("not settled")


def settled_by_rows(x):
    total = 0.0
    for factor in (1.0, 3.0):
        row = [x * factor]
        for _ in range(5):
            if row[0] > 20.0:
                return total + row[0] * row[-1]
            row = [row[0] * 2.0, row[0]]
        total = total + row[0]
    return total * row[1]


class Relaxed:
    def __init__(self, weight):
        self.weight = weight

    def run(self, x):
        levels = [x, x * x]
        for step in range(6):
            levels = [levels[1] * self.weight, levels[0]]
            if step == 3:
                return levels[0] * levels[1]
        raise RuntimeError("too long")


def relaxed(x):
    return Relaxed(0.5).run(x) + Relaxed(2.0).run(x)


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (settled, 1.5, 0.5),
        (looped, 1.5, 4.0),
        (settled_while, 1.5, 24.0),
        (settled_array, 1.5, 8.0 + 3.0 * 1.5**2),
        (settled_by_rows, 1.5, 256.0 * 1.5),
        (relaxed, 1.5, 3.0 * 1.5**2 * (0.5**4 + 2.0**4)),
    ],
)
def test_a_return_leaves_the_loop_that_binds_a_list(f, x, slope):
    for found in (gradient(f, x), pullback(f, x)[1](1.0)):
        assert np.allclose(found, (slope,), rtol=1e-12)
