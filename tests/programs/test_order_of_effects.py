"""Lists, arrays and objects that are read and changed in turn: Python's order of effects."""

import math

import numpy as np
import pytest

from astad import gradient
from tests.compiler.forms import check_forms


def running_balance(x):
    l = [x]
    l.append(l[-1] * 2.0)
    return l[0] * l[1]


def plus(x):
    l = [x]
    l.append(l[-1] + 1.0)
    return l[0] * l[1]


def fn(x):
    l = [x]
    l.append(math.sin(l[-1]))
    return l[0] * l[1]


def second_last(x):
    l = [x, x * x]
    l.append(l[-2] * 3.0)
    return l[0] * l[1] * l[2]


def loop(x):
    b = [x]
    for k in range(5):
        b.append(b[-1] * 1.05 + x)
    s = 0.0
    for k in range(len(b)):
        s += b[k] * k
    return s


def fib(x):
    f = [x, 1.0]
    for _ in range(6):
        f.append(f[-1] + f[-2] * x)
    return f[-1] * f[3]


def dp_rows(x):
    rows = [[x, 1.0, x * x]]
    for _ in range(3):
        p = rows[-1]
        rows.append([p[0] * p[1], p[1] + p[2], p[2] * x])
    return sum(rows[-1]) + rows[1][0]


def dp_two(x):
    t = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            t[i][j] = x if i == 0 or j == 0 else t[i - 1][j] * t[i][j - 1] + t[i - 1][j - 1]
    return t[2][2]


def step(l, a):
    l.append(l[-1] * a)


def inlined(x):
    l = [x]
    step(l, 2.0)
    step(l, x)
    return l[0] * l[1] * l[2]


def stack(x):
    st = [x, x * x, 2.0 * x]
    a = st.pop()
    b = st.pop()
    st.append(a * b + st[-1])
    st.append(st[-1] * st[0])
    return st[-1]


def rpn(x):
    st = []
    for t in ["x", "x", "*", "x", "+"]:
        if t == "x":
            st.append(x)
        elif t == "*":
            b = st.pop()
            a = st.pop()
            st.append(a * b)
        else:
            b = st.pop()
            a = st.pop()
            st.append(a + b * st.__len__() if st else a + b)
    return st[0]


def inplace_after_read(x):
    v = [x, 2 * x, 3 * x]
    t = v[0]
    v[0] = v[1] * t
    v[1] += v[0]
    v[2] *= v[1] + t
    return sum(v) * t


def swap(x):
    v = [x, x * x, 3.0]
    v[0], v[2] = v[2], v[0]
    v[1], v[0] = v[0] * v[1], v[2]
    return v[0] + 2 * v[1] + 3 * v[2]


def index_first(x):
    v = [x, x * x, 1.0]
    i = 0
    i, v[i] = 1, 5.0 * x
    v[i], i = v[i] * 2, 2
    return v[0] * v[1] + v[2] * i


def chained(x):
    v = [0.0, 0.0]
    i = 0
    i = v[i] = 1
    a = v[0] = x * x
    return v[0] + a * v[i]


def aug_side(x):
    v = [x, x * x, 2.0]
    c = [0]

    def nxt():
        c[0] += 1
        return c[0]

    v[nxt()] += v[nxt()] * x
    return v[0] + 2 * v[1] + 3 * v[2]


def f_eq_g(x):
    log = []

    def f():
        log.append(x)
        return 1

    def g():
        log.append(x * x)
        return log[-1] * 2

    a = [0.0, 0.0]
    a[f()] = g()
    return a[1] + log[0] * 3 + log[1]


def aug_read_first(x):
    v = [x, 2 * x]

    def change():
        v[0] = 100 * x
        return x

    v[0] += change()
    return v[0] * v[1]


def aug_name_first(x):
    s = x

    def change():
        nonlocal s
        s = 50 * x
        return x

    s += change()
    return s


def aug_attr(x):
    class Account:
        pass

    o = Account()
    o.v = x

    def change():
        o.v = 7 * x
        return 2 * x

    o.v *= change()
    return o.v


def left_operand(x):
    v = [x]

    def push():
        v.append(3 * x)
        return v[-1]

    return v[-1] * 10 + (v[-1] + push() * v[-1])


def arr_pop(x):
    v = [x, x * x, x + 1]
    return v[-1] * v.pop() + v[-1] * v.pop() * v[0]


def pop_order(x):
    v = [x, x * x, x + 1]
    return v.pop() - v.pop() * v.pop()


def args_order(x):
    v = [x, x * x, x + 1]

    def f(a, b, c):
        return a - b * c

    return f(v.pop(), v.pop(0), v.pop())


def list_order(x):
    v = [x, x * x, x + 1]
    w = [v.pop(), v[-1], v.pop(), v[0]]
    return w[0] + 2 * w[1] + 3 * w[2] + 4 * w[3]


def queue(x):
    q = [x, 2 * x, 3 * x]
    s = 0.0
    while q:
        h = q.pop(0)
        s += h * len(q)
        if len(q) == 1:
            q[0] *= h
    return s


def history(x):
    h = [x]
    for k in range(4):
        h = h[-2:] + [h[-1] * x + h[0]]
    return h[0] * h[1] + h[2]


def matrix(x):
    m = [[1.0, x], [x, 2.0]]
    r = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        for j in range(2):
            for k in range(2):
                r[i][j] += m[i][k] * m[k][j]
    m[0] = r[1]
    m[1][0] += m[0][1] * r[0][0]
    return m[0][0] + 2 * m[0][1] + 3 * m[1][0] + 4 * m[1][1]


def reverse_inplace(x):
    v = [x * k for k in range(1, 6)]
    i, j = 0, 4
    while i < j:
        v[i], v[j] = v[j], v[i] * x
        i += 1
        j -= 1
    return sum(k * a for k, a in enumerate(v))


def prefix(x):
    v = [x, 2.0, x * x]
    for i in range(1, 3):
        v[i] += v[i - 1]
    return v[2] * v[1]


def bubble(x):
    v = [3 * x, x, 2 * x]
    for i in range(2):
        for j in range(2 - i):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    return v[0] + 10 * v[1] + 100 * v[2]


def horner_stack(x):
    cs = [1.0, x, 2.0]
    r = cs.pop()
    while cs:
        r = r * x + cs.pop()
    return r


def ema(x):
    e = [x]
    for p in [1.0, 2.0, x]:
        e.append(0.5 * p + 0.5 * e[-1])
    return e[-1] + e[-2] * e[1]


def nparr(x):
    a = np.array([x, 2 * x, 3 * x])
    a[1] += a[0] * a[2]
    a[0] = a[1]
    a[1:] *= a[:2].copy()
    return float(np.sum(a * a))


def nploop(x):
    a = np.zeros(5)
    a[0] = x
    for i in range(1, 5):
        a[i] = a[i - 1] * x + i
    return float(a[4] + a[2])


def npaug(x):
    a = np.array([x, 1.0])
    b = a
    a += b[0]
    b *= a
    return float(a.sum())


def np_swap(x):
    a = np.array([x, 2 * x * x, 3.0])
    a[0], a[1] = a[1], a[0]
    a[[0, 2]] = a[[2, 0]]
    return float(a[0] + 2 * a[1] + 3 * a[2])


def walrus(x):
    v = [x]
    return (y := v[0] * 2) + (y := y * x) * y


def cond(x):
    v = [x]
    v.append(v[-1] * 2 if v[-1] > 0 else v[-1] * 3)
    return v[0] * v[-1]


def nested_append(x):
    v = [x]
    w = [1.0]
    v.append(w[-1] * v[-1])
    w.append(v[-1] * w[-1] * x)
    v.append(w[-1] + v[0])
    return v[-1] * w[-1] + v[1]


def extend_read(x):
    v = [x]
    v.extend([v[-1] * 2, v[0] + 1])
    v += [v[-1] * v[-2]]
    return v[0] * v[3] + v[2]


def insert_read(x):
    v = [x]
    v.insert(0, v[0] * 2)
    v.insert(1, v[0] * v[1])
    return v[0] + 2 * v[1] + 3 * v[2]


def del_read(x):
    v = [x, x * x, 3 * x]
    t = v[0]
    del v[0]
    v[0] *= t
    return v[0] * v[1]


def slices(x):
    v = [x, x * x, 3 * x, 1.0]
    v[1:3] = v[2:0:-1]
    v[0] = v[1] * v[2]
    return v[0] + 2 * v[1] + 3 * v[2]


def dict_acc(x):
    d = {"a": x}
    d["b"] = d["a"] * 2
    d["a"] += d["b"]
    d["b"] = d.pop("a") * d["b"]
    return d["b"]


def dict_loop(x):
    d = {}
    for k in "abca":
        d[k] = d.get(k, x) * x + len(d)
    return sum(d.values())


def setdefault(x):
    d = {}
    for k in [1, 2, 1]:
        d.setdefault(k, []).append(x * k)
    return sum(d[1]) * d[2][-1]


def objstate(x):
    class A:
        def __init__(s):
            s.h = [x]
            s.t = 0.0

        def push(s, v):
            s.t += v * s.h[-1]
            s.h.append(v)
            return s

    a = A()
    a.push(a.h[-1] * 2).push(a.t)
    return a.t + a.h[-1]


def gen_state(x):
    def g():
        a = x
        while True:
            y = yield a
            a = a * x + (y or 0.0)

    it = g()
    s = next(it)
    s += it.send(s)
    s *= next(it)
    return s


def tuple_swap3(x):
    a, b, c = x, x * x, 3.0
    a, b, c = b, c * a, a + b
    a, b = b, a
    return a + 2 * b + 3 * c


def multi_target(x):
    a = b = [x]
    b.append(a[-1] * 2)
    a.append(b[-1] * x)
    return a[0] * b[2]


def star_unpack(x):
    v = [x, 2 * x, 3 * x, x * x]
    v[0], *v[1:3], v[3] = v[3], v[0], v[1], v[2]
    return v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3]


def loopvar_list(x):
    v = [x, 2.0, 3.0]
    for v[0] in [x * x, x]:
        v[1] += v[0]
    return v[0] * v[1]


def enumerate_update(x):
    v = [x, 2 * x, x * x]
    for i, e in enumerate(v):
        v[i - 1] = e * v[i]
    return v[0] + 2 * v[1] + 3 * v[2]


def iter_grow(x):
    v = [x]
    for e in v:
        if len(v) < 5:
            v.append(e * x + v[0])
    return v[-1] + v[2]


def zip_update(x):
    v = [x, 2 * x, x * x]
    for i, (a, b) in enumerate(zip(v, v[1:])):
        v[i + 1] = a * b
    return sum(v)


def compre_state(x):
    acc = [x]
    r = [acc.append(acc[-1] * k) or acc[-1] for k in (1.0, 2.0, x)]
    return sum(r) + acc[-1] * acc[1]


def sum_state(x):
    acc = [x]
    s = sum(acc[-1] * (acc.append(acc[-1] * 2) or 1.0) for _ in range(3))
    return s + acc[-1]


def ring(x):
    buf = [0.0] * 3
    p = 0
    for k in range(5):
        buf[p] = buf[p - 1] * x + k
        p = (p + 1) % 3
    return buf[0] + 2 * buf[1] + 3 * buf[2]


def pascal(x):
    r = [x]
    for _ in range(4):
        r = [1.0] + [r[i] + r[i + 1] for i in range(len(r) - 1)] + [x]
    return sum(k * v for k, v in enumerate(r))


def neg_index(x):
    v = [x, x * x, 3.0]
    i = -1
    v[i] += v[i - 1]
    i -= 1
    v[i] *= v[i + 1]
    return v[-1] * v[-2]


def knapsack(x):
    best = [0.0] * 6
    for w, val in ((1, x), (2, 3 * x), (3, x * x)):
        for c in range(5, w - 1, -1):
            best[c] = max(best[c], best[c - w] + val)
    return best[5]


def edit_distance(x):
    a, b = "kitten", "sitting"
    d = [[i * x for i in range(len(b) + 1)]]
    for i, ca in enumerate(a, 1):
        row = [i * x]
        for j, cb in enumerate(b, 1):
            row.append(min(row[-1] + x, d[-1][j] + x, d[-1][j - 1] + (0 if ca == cb else 1.5 * x)))
        d.append(row)
    return d[-1][-1]


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        running_balance,
        plus,
        fn,
        second_last,
        loop,
        fib,
        dp_rows,
        dp_two,
        inlined,
        stack,
        rpn,
        inplace_after_read,
        swap,
        index_first,
        chained,
        aug_side,
        f_eq_g,
        aug_read_first,
        aug_name_first,
        aug_attr,
        left_operand,
        arr_pop,
        pop_order,
        args_order,
        list_order,
        queue,
        history,
        matrix,
        reverse_inplace,
        prefix,
        bubble,
        horner_stack,
        ema,
        nparr,
        nploop,
        npaug,
        np_swap,
        walrus,
        cond,
        nested_append,
        extend_read,
        insert_read,
        del_read,
        slices,
        dict_acc,
        dict_loop,
        setdefault,
        objstate,
        gen_state,
        tuple_swap3,
        multi_target,
        star_unpack,
        loopvar_list,
        enumerate_update,
        iter_grow,
        zip_update,
        compre_state,
        sum_state,
        ring,
        pascal,
        neg_index,
        knapsack,
        edit_distance,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)


def test_by_hand():
    assert gradient(running_balance, 1.3) == (5.2,)
    assert gradient(running_balance, 2.0) == (8.0,)
