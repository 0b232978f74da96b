"""Loops over lists, arrays and their rows, alone or beside each other.

``FUSED`` are the programs whose lists are taken for what they are; the others do something with a
list that only the general way knows.
"""

import numpy as np
import pytest

from astad import gradient
from tests.compiler.forms import check_forms


def grow_break(x, n):
    ys = [x]
    for i in range(n):
        if ys[-1] > 10.0:
            break
        if i == 2:
            ys.append(x)
            continue
        ys.append(ys[-1] * 1.7 + x)
    t = 0.0
    for y in ys:
        t = t + y * y
        if t > 100.0:
            break
    return t


def cond_append(xs):
    pos = []
    neg = []
    for x in xs:
        if x > 0.0:
            pos.append(x * x)
        else:
            neg.append(x)
    s = 0.0
    for p in pos:
        s += p * p
    for q in neg:
        s -= q * 3.0
    return s


def inner_lists(xs, n):
    s = 0.0
    for i in range(n):
        row = []
        for x in xs:
            row.append(x * i)
        s += row[i] * row[-1] + sum(row)
    return s


def tup(xs, y):
    s = 0.0
    for x in xs:
        s += x * y
    return s + xs[0] * xs[-1]


def cumulative(xs):
    c = []
    t = 0.0
    for x in xs:
        t = t + x
        c.append(t)
    return sum(c) * c[0]


def iter_while_write_other(xs):
    ys = [x for x in xs]
    i = 0
    for y in ys:
        ys[i] = y * 2.0
        i += 1
    return sum(ys)


def zero_trip(xs, n):
    ys = []
    for i in range(n):
        ys.append(xs[i])
    s = xs[0]
    for y in ys:
        s += y * y
    return s


def stepped(xs):
    s = 0.0
    for x in xs[::2]:
        s += x * x
    for x in xs[::-1]:
        s = s * 0.5 + x
    return s


def ints_in(ks, x):
    s = 0.0
    for k in ks:
        s += k * x
    return s * ks[1]


def mixed(xs):
    s = 0
    for x in xs:
        s = s + x * x
    return s * 1.0


def nested_sum(xs):
    return sum([x * x for x in xs if x > 0.0]) + sum((x for x in xs))


def strides(xs, n):
    out = []
    for i in range(0, n, 2):
        for j in range(i):
            out.append(xs[j] * xs[i])
    t = 0.0
    for k, o in enumerate(out):
        t += o * k
    return t


def state(x0, n):
    x = [x0, 1.0]
    for _ in range(n):
        dx = [x[1], -x[0]]
        x = [a + 0.1 * b for a, b in zip(x, dx)]
    return x[0]


def state2(x0, n):
    x = [x0, 1.0, 0.5]
    old = x
    for _ in range(n):
        old = x
        x = [0.0] * 3
        for i in range(3):
            x[i] = old[i] * 0.5 + old[i - 1] * old[i - 2]
    return x[0] + old[1]


def early(xs):
    s = 0.0
    for x in xs:
        if x > 2.0:
            return s * x
        s += x * x
    return s


def dup_targets(xs, zs):
    s = 0.0
    for a, a in zip(xs, zs):
        s += a * a
    return s


def zip_range(xs):
    s = 0.0
    for k, x in zip(range(1, 100), xs):
        s += k * x * x
    return s


def zip3(xs, a, t):
    s = 0.0
    for x, y, z in zip(xs, a, t):
        s += x * y * z
        if s > 30.0:
            break
    return s


def rebind_target(xs):
    s = 0.0
    for x in xs:
        x = x * x
        s += x
        x = s
    return s + x


def zip_written(xs):
    ys = [x for x in xs]
    s = 0.0
    for a, b in zip(ys, ys[1:]):
        s += a * b
        ys[0] = s
    return s + ys[0]


def it_later(xs, ys):
    z = zip(xs, ys)
    xs = [1.0]
    s = 0.0
    for a, b in z:
        s += a * b
    return s * xs[0]


def row_write(A):
    B = A * 1.0
    for r in B:
        r[0] = r[1] * 2.0
    return np.sum(B)


def row_pairs(A):
    s = 0.0
    for a, b in A:
        s += a * b * b
    return s


def rows_zip(A, B):
    s = 0.0
    for a, b in zip(A, B):
        s = s + np.sum(a * b)
    return s


def rows_cond(A):
    s = 0.0
    for i, a in enumerate(A):
        if i % 2:
            continue
        s = s + a[0] * a @ a
    return s


def local_row(A):
    B = A @ A.T
    s = 0.0
    for r in B:
        s += r.sum() ** 2
    return s


def elem_local(x):
    y = np.sin(x)
    s = 0.0
    for v in y:
        s += v * v
    return s


def elem_written(x):
    y = np.sin(x)
    s = 0.0
    for v in y:
        s += v * v
        y[0] = s
    return s + y[0]


def of_bools(xs):
    fl = [x > 0.0 for x in xs]
    s = 0.0
    for f, x in zip(fl, xs):
        if f:
            s += x * x
    return s


def two(xs, ys):
    s = 0.0
    for x, y in zip(xs, ys):
        s += x * y * y
    return s


def big(xs):
    a = [0.0] * 3
    for i, x in enumerate(xs):
        a[i % 3] += x * x
    return a[0] * a[1] * a[2]


L = [0.5 * i - 3.3 for i in range(20)]
M = [0.03 * i + 0.7 for i in range(20)]
A = np.arange(12.0).reshape(6, 2) / 7 - 0.3
B = np.cos(A)
CASES = {
    grow_break: [(1.2, 9), (0.2, 1)],
    cond_append: [(L,), (M,)],
    inner_lists: [(M, 4), (M, 0)],
    tup: [(tuple(M), 0.3), (M, 0.4)],
    cumulative: [(L,)],
    iter_while_write_other: [(M,)],
    zero_trip: [(M, 0), (M, 3)],
    stepped: [(M,)],
    ints_in: [(list(range(2, 22)), 0.4)],
    mixed: [([1, 2.5] * 9,), ([2] * 20,)],
    nested_sum: [(L,)],
    strides: [(M, 8)],
    state: [(0.3, 5)],
    state2: [(0.3, 5), (0.3, 0)],
    early: [(L,), (M,)],
    dup_targets: [(L, M)],
    zip_range: [(M,)],
    zip3: [(M, np.array(M), tuple(M)), (L, np.array(M) * 9, tuple(M))],
    rebind_target: [(M,)],
    zip_written: [(M,)],
    it_later: [(M, L)],
    row_write: [(A,)],
    row_pairs: [(A,)],
    rows_zip: [(A, B)],
    rows_cond: [(A,)],
    local_row: [(A,)],
    elem_local: [(np.array(M),)],
    elem_written: [(np.array(M),)],
    of_bools: [(L,)],
    two: [(M, L)],
    big: [(M,)],
}
FUSED = {
    grow_break,
    cond_append,
    inner_lists,
    tup,
    cumulative,
    zero_trip,
    stepped,
    ints_in,
    mixed,
    nested_sum,
    strides,
    state,
    state2,
    early,
    dup_targets,
    zip_range,
    it_later,
    zip3,
    rebind_target,
    zip_written,
    row_pairs,
    rows_zip,
    rows_cond,
    local_row,
    elem_local,
    two,
    big,
}


@pytest.mark.parametrize(
    ("fn", "args"), [(fn, args) for fn, cases in CASES.items() for args in cases]
)
def test_program(fn, args):
    check_forms(fn, *args, fused=fn in FUSED)


def test_a_name_that_is_something_else_elsewhere():
    """Then all statements of the loop are left to the general way."""

    def f(a, t, n):
        s = 0.0
        for x in a:
            x = dict(x)
            s = s + len(x)
        ys = []
        for i in range(n):
            ys.append(t * i)
        for k, x in enumerate(ys):
            s = s + x * k
        return s

    assert gradient(f, [{0: 1.0}] * 20, 0.5, 20)[1] == sum(i * i for i in range(20))


def test_a_list_that_grows_after_reversed_was_called():
    """The walk begins at the end that the list had then."""

    def unweighted(x, z):
        xs = [x, x * z]
        backwards = reversed(xs)
        xs.append(z * z * z)
        s = 0.0
        for v in backwards:
            s = s + v
        return s * s

    def history(x, n):
        states = [x]
        for _ in range(n):
            states.append(states[-1] * 0.5)
        backwards = reversed(states)
        states.append(x * x)
        total = 0.0
        for state in backwards:
            total += state
        return total * states[-1]

    check_forms(unweighted, 1.3, 0.7)
    check_forms(history, 1.3, 3)
    x_bar, z_bar = gradient(unweighted, 1.3, 0.7)
    assert x_bar == pytest.approx(2 * 1.3 * 1.7**2)
    assert z_bar == pytest.approx(2 * 1.3 * 1.7 * 1.3)
