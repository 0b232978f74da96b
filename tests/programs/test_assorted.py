"""Programs of all kinds that people write, each against differences."""

import collections
import dataclasses
import datetime
import functools
import math
import operator

import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.testing import check_gradient

A = np.array
G = np.array([1.0, 2.0, 3.0])
STATE = {}


def p1(x):
    STATE["v"] = x * x  # global dict write through subscript
    return STATE["v"] * 2


def p2(x):
    a = [x, x * 2]
    b = a
    b[0] = b[0] * b[1]
    a.append(b[0])
    return sum(a)


def p3(x):
    def inner():
        nonlocal acc
        acc = acc * x + 1
        return acc

    acc = 0.5
    for _ in range(3):
        inner()
    return acc


def p4(x):
    v = x[::2]
    w = v.reshape(-1, 1)
    w *= 3
    w[0] += x[1]
    return (x * x).sum() if False else np.sum(x * v.sum())


def p5(x):
    y = x.copy()
    z = y.T
    z[0] = y[1] * 2
    return (y**3).sum()


def p6(x):
    out = np.zeros(3)
    np.multiply(x, x, out=out)
    return out.sum()


def p7(x):
    return functools.reduce(lambda a, b: a * b + x, [x, x + 1, 2.0])


def p8(x):
    d = collections.OrderedDict(a=x)
    d.update(b=x * 2)
    d.setdefault("c", x * x)
    return sum(d.values()) * d.pop("a")


def p9(x):
    a = np.eye(3) * x
    a[np.diag_indices(3)] += x
    a[a > 1.5 * x] *= 2.0
    return a.sum()


class M:
    scale = 2.0

    def __init__(self, w):
        self.w = w
        self.n = 0

    def __call__(self, x):
        self.n += 1
        return np.tanh(self.w @ x) * self.scale

    @property
    def norm(self):
        return (self.w**2).sum()

    @staticmethod
    def sq(x):
        return x * x

    @classmethod
    def make(cls, x):
        return cls(np.eye(2) * x)


def p10(x):
    m = M.make(x)
    return m(A([1.0, 2.0])).sum() + m.norm + M.sq(x)


def p11(m):
    return m(A([1.0, 2.0])).sum() + m.norm


def p12(x, n=3, *, k=2.0, **kw):
    t = x
    for i in range(n):
        if i == 1:
            continue
        t = t * k + kw.get("z", 1.0)
    else:
        t = t + x
    return t


def p13(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, x[1:])):
        s += i * a * b
    return s


def p14(x):
    it = iter(x)
    a = next(it)
    r = 0.0
    for v in it:
        r += v * a
    return r


def p15(x):
    return max([t * t for t in x]) + min(x, key=lambda t: -t) + sorted(x)[1] * 2


def p16(x):
    a, *b, c = x
    (d, e), f = (a * b[0], c), b
    return d * e + f[0]


def p17(x):
    return (lambda *a, **k: a[0] * k["z"])(*[x, 1], **{"z": x})


def p18(x):
    while (y := x * x) < 50 and x > 0:
        x = x * 1.5
    return y * x


def p19(x):
    for i in range(3):
        for j in range(3):
            if j == i:
                break
            x = x * 1.1 + j
            if x > 100:
                return x * 2
        else:
            x = x - 1
    return x


def p20(x):
    w = np.outer(x, x)
    w[0, :] = 0
    w.T[1] = x
    return np.linalg.det(w + np.eye(3))


def p21(x):
    l = [[x] * 2 for _ in range(2)]
    l[0][1] = l[1][0] * x
    r = l.pop()
    return l[0][1] + r[0]


def p22(x):
    f = math.sin if x > 0 else math.cos
    return f(x) * operator.mul(x, 2) + pow(x, 3) + divmod(x, 0.3)[1] + abs(-x)


def p23(x):
    a = x
    a += 1
    b = x
    a *= b
    return a.sum()  # in place writes argument


def p24(x):
    y = G * x
    y -= G
    return y @ y


def p25(z):
    return (z[0] * 1j + z[1]).real ** 2 + abs(z[0] + 1j * z[1])


def rec(xs, i=0):
    return 0.0 if i >= len(xs) else xs[i] ** 2 + 2 * rec(xs, i + 1)


def p26(x):
    return rec(x)


Pt = collections.namedtuple("Pt", "a b")


def p27(p):
    q = p._replace(a=p.b * 2)
    return q.a * q.b + p[0]


@dataclasses.dataclass
class D:
    x: float
    ys: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.z = self.x * 2

    def __add__(self, o):
        return D(self.x + o.x, self.ys + o.ys)


def p28(x):
    d = D(x, [x]) + D(2 * x)
    d.ys.append(d.z)
    return d.z * sum(d.ys)


def p29(d):
    return d.x * d.ys[0]


def p30(x):
    s = {1: x}
    try_ = s.get(5)
    return s[1] * (3 if try_ is None else 4)


def p31(x):
    return np.where(x > 0, np.sqrt(np.abs(x)), 0).sum() + np.clip(x, -1, 1).sum()


def p32(x):
    b = np.broadcast_to(x[0], (3,))
    return (b * x).sum()


def p33(x):
    y = x.copy()
    y[[0, 0, 1]] = x * 2
    return (y * y).sum()


def p34(x):
    return float(x[0]) * int(x[1]) + round(x[2], 1) * x[0]


def p35(x):
    m = 0.0
    for row in x:
        m = m + row.max() * row[0]
    return m


x3 = A([0.5, 1.2, -0.7])
CASES = [
    (p1, 1.3),
    (p2, 1.3),
    (p3, 1.3),
    (p4, x3),
    (p5, x3),
    (p6, x3),
    (p7, 1.1),
    (p8, 1.2),
    (p9, 1.3),
    (p10, 0.4),
    (p11, M(A([[1.0, 0.5], [0.2, 0.3]]))),
    (p12, 1.2),
    (p13, [1.0, 2.0, 3.0]),
    (p14, [1.0, 2.0, 3.0]),
    (p15, [1.0, 2.0, 3.0]),
    (p16, (1.0, 2.0, 3.0, 4.0)),
    (p17, 2.0),
    (p18, 1.3),
    (p19, 1.3),
    (p20, x3),
    (p21, 1.5),
    (p22, 0.7),
    (p23, x3),
    (p24, x3),
    (p25, (1.0, 2.0)),
    (p26, [1.0, 2.0, 3.0]),
    (p27, Pt(1.0, 2.0)),
    (p28, 1.2),
    (p29, D(1.0, [2.0])),
    (p30, 1.2),
    (p31, x3),
    (p32, x3),
    (p33, x3),
    (p34, x3),
    (p35, np.arange(6.0).reshape(2, 3) + 0.3),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_program(case):
    program, argument = case
    check_gradient(program, argument)


def test_a_date_beside_the_path():
    when = datetime.datetime(2024, 5, 17, 15, 30, tzinfo=datetime.UTC)

    def height(latitude, moment):
        zone = -moment.utcoffset().total_seconds() / 3600.0
        hour = moment.hour + moment.minute / 60.0 + zone
        return math.sin(latitude) * hour

    check_gradient(height, 0.7, when)


def test_a_number_that_went_into_a_date_has_no_derivative():
    def minutes(x):
        return datetime.timedelta(minutes=x).total_seconds() / 60.0

    with pytest.raises(Unsupported, match="timedelta"):
        astad.gradient(minutes, 2.0)


def test_a_date_that_is_an_argument_has_no_derivative():
    length = datetime.timedelta(seconds=3.0)
    assert astad.gradient(lambda x, d: x * d.total_seconds(), 2.0, length) == (3.0, None)


def safe_root(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return 0.0


def test_a_callee_of_known_kinds_that_has_a_try():
    def total(xs):
        return sum([safe_root(x) for x in xs]) + safe_root(xs[0] * 2.0)

    check_gradient(total, [2.0, 3.0])
    check_gradient(lambda x: safe_root(x) * safe_root(x + 1.0), 2.0)
