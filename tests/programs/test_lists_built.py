"""Lists of numbers that are read, built, sliced and written, by one name or by several.

``FUSED`` are the programs whose lists are taken for what they are; the others do something with a
list that only the general way knows.
"""

import numpy as np
import pytest

from astad.testing import check_gradient
from tests.compiler.forms import check_forms


def alias_written(xs):
    ys = [x * x for x in xs]
    zs = ys
    zs[0] = 3.0 * xs[1]
    return ys[0] * zs[1]


def alias_read(xs):
    ys = [x * x for x in xs]
    zs = ys
    return ys[0] * zs[1] + sum(zs)


def branch_alias(xs, c):
    ys = [x * 2.0 for x in xs]
    zs = [x * 3.0 for x in xs]
    ws = ys if c > 0 else zs
    return ws[0] * ys[1] * zs[2]


def branch_alias_written(xs, c):
    ys = [x * 2.0 for x in xs]
    zs = [x * 3.0 for x in xs]
    ws = ys if c > 0 else zs
    ws[0] = c * c
    return ws[0] * ys[1] * zs[0] * ys[0]


def param_alias(xs):
    ys = xs
    s = 0.0
    for i in range(len(ys)):
        s += ys[i] * xs[i - 1]
    return s


def param_rebound(xs):
    xs = [x + 1.0 for x in xs]
    xs.append(xs[0] * 2.0)
    return xs[-1] * xs[1]


def param_loop(xs, n):
    for k in range(n):
        xs = xs[1:] + [xs[0] * 0.5]
    return xs[0] * xs[-1]


def grow_while(x):
    ys = [x]
    while ys[-1] < 50.0:
        ys.append(ys[-1] * ys[-1] + 0.5)
    return sum(ys) + len(ys)


def write_item(xs):
    a = [0.0] * len(xs)
    a[0] = xs[0]
    for i in range(1, len(xs)):
        a[i] = a[i - 1] * 0.9 + xs[i]
        a[i - 1] = a[i] * a[i - 1]
    a[2] += xs[0] * a[3]
    a[3] *= 2.0
    return sum(a)


def const_list(x):
    w = [0.1, 0.2, 0.3, 0.4]
    s = 0.0
    for i in range(4):
        s += w[i] * x**i
    return s


def in_list(xs):
    ys = [x * 2.0 for x in xs]
    zs = [ys[0], ys[1]]
    zs[0] = ys[1] * zs[1]
    return zs[0] + zs[1]


def slice_copy_write(xs):
    ys = xs[:]
    ys[0] = ys[1] * ys[0]
    return ys[0] + xs[0] * 2.0


def list_copy_write(xs):
    ys = list(xs)
    ys.append(ys[0] * xs[1])
    ys[0] = 1.5 * ys[-1]
    return sum(ys)


def escapes(xs):
    ys = [x * x for x in xs]
    d = {"a": ys}
    d["a"][0] = xs[2] * 3.0
    return ys[0] + ys[1]


def returned_len(xs):
    return float(len(xs)) * 2.0


def shadow_len(xs):
    len = lambda v: 2
    return xs[0] * len(xs)


def unpack_list(xs):
    a, b, *c = xs
    return a * b


def overwrite_name(xs):
    ys = [x * 2.0 for x in xs]
    s = ys[0]
    ys = [y * y for y in ys]
    s += ys[1]
    ys = ys + ys
    return s * ys[-1] * ys[0]


def if_list(xs, c):
    if c > 0:
        ys = [x * x for x in xs]
        t = ys[0] + ys[1]
    else:
        ys = [c]
        t = ys[0] * 2.0
    return t


def if_list2(xs, c):
    ys = [c, c]
    if c > 0:
        ys = [x * x for x in xs]
    ys.append(c * 2.0)
    return ys[0] + ys[1] * ys[-1]


def loop_branch_rebind(xs, n):
    ys = [x for x in xs]
    for i in range(n):
        if i % 2 == 0:
            ys = [y * 0.5 for y in ys]
        ys.append(ys[i] * xs[0])
    return sum(ys)


def append_arrays(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return np.sum(np.array(out))


def popper(xs):
    ys = [x * x for x in xs]
    a = ys.pop()
    return a * ys[0]


def extender(xs):
    ys = [xs[0]]
    ys.extend(xs)
    ys += [xs[1]]
    return sum(ys) * ys[1]


def matrix(xs):
    m = [[x * y for y in xs] for x in xs]
    return m[0][1] * m[2][1]


def matrix_write(xs):
    n = len(xs)
    m = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = xs[i] * xs[j]
    s = 0.0
    for r in m:
        s += r[0] * r[1]
    return s


def maxmin(xs):
    ys = [x * x for x in xs]
    return max(ys) * min(xs)


def np_of(xs):
    ys = [x * x for x in xs]
    a = np.array(ys)
    ys[0] = 5.0
    return a @ a + ys[1]


def dead_list(xs):
    ys = [x for x in xs]
    ys.append(1.0)
    return xs[0] * 2.0


def fmt(xs):
    ys = [x for x in xs]
    t = f"{ys}"
    assert ys and len(t) > 2
    return ys[0] * ys[0]


def cmp(xs):
    if xs == [1.0]:
        return 1.0 * xs[0]
    if 3.0 in xs:
        return xs[0]
    return xs[1] ** 2


def wrap(xs, k):
    return xs[k] * xs[-k]


def boolidx(xs, c):
    return xs[c > 0.0] * c


def maybe_unbound(xs, c):
    if c > 0:
        ys = [x for x in xs]
    if c > 0:
        return ys[0] * ys[1]
    return c


def lastloop(xs):
    for i in range(len(xs)):
        ys = [x * i for x in xs]
    return ys[0] + sum(ys)


def selfapp(xs):
    ys = [xs[0]]
    for i in range(3):
        ys.append(ys[i] * ys[-1])
        ys[i] = ys[i + 1] + ys[0]
    return ys[0] * ys[1] + ys[3]


def dictlist(p, x):
    s = 0.0
    for w in p["w"]:
        s += w * x
    return s


L = [0.5 * i - 3.3 for i in range(20)]
M = [0.03 * i + 0.7 for i in range(20)]
A = np.arange(12.0).reshape(6, 2) / 7 - 0.3
B = np.cos(A)
CASES = {
    alias_written: [(M,)],
    alias_read: [(M,)],
    branch_alias: [(M, 1.0), (M, -1.0)],
    branch_alias_written: [(M, 1.5), (M, -1.5)],
    param_alias: [(L,)],
    param_rebound: [(L,)],
    param_loop: [(M, 5), (M, 0)],
    grow_while: [(1.2,)],
    write_item: [(M,)],
    const_list: [(1.3,)],
    in_list: [(M,)],
    slice_copy_write: [(M,)],
    list_copy_write: [(M,)],
    escapes: [(M,)],
    returned_len: [(M,)],
    shadow_len: [(M,)],
    unpack_list: [(L,)],
    overwrite_name: [(M,)],
    if_list: [(M, 0.4), (M, -0.4)],
    if_list2: [(M, 0.4), (M, -0.4)],
    loop_branch_rebind: [(M, 5)],
    append_arrays: [(np.array(M), 3)],
    popper: [(M,)],
    extender: [(M,)],
    matrix: [(M,)],
    matrix_write: [(M,)],
    maxmin: [(M,)],
    np_of: [(M,)],
    dead_list: [(M,)],
    fmt: [(M,)],
    cmp: [(M,)],
    wrap: [(M, 2)],
    boolidx: [(M, 0.3)],
    maybe_unbound: [(M, 0.3), (M, -0.3)],
    lastloop: [(M,)],
    selfapp: [(M,)],
    dictlist: [({"w": M}, 0.4)],
}
FUSED = {
    shadow_len,
    alias_read,
    branch_alias,
    param_alias,
    param_rebound,
    param_loop,
    grow_while,
    write_item,
    const_list,
    in_list,
    slice_copy_write,
    list_copy_write,
    returned_len,
    overwrite_name,
    if_list,
    if_list2,
    loop_branch_rebind,
    np_of,
    dead_list,
    cmp,
    wrap,
    selfapp,
    dictlist,
    maxmin,
    matrix,
    matrix_write,
}


@pytest.mark.parametrize(
    ("fn", "args"), [(fn, args) for fn, cases in CASES.items() for args in cases]
)
def test_program(fn, args):
    check_forms(fn, *args, fused=fn in FUSED)


def test_an_array_of_a_list_that_goes_out():
    """Its cotangent may come by value or lie in its shadow."""

    def f(u):
        return np.array([u * k for k in range(3)])

    def g(u, x):
        x[x > 0.5] *= sum([t * u for t in x])
        return x.sum()

    assert check_gradient(f, -1.049).outcome == "right"
    assert check_gradient(g, 0.7, np.array([0.3, -0.9, 1.1])).outcome == "right"
