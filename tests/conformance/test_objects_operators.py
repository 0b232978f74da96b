"""Operator methods: plain, reflected and in place; comparisons, conversions, numeric hooks."""

import functools
import math
import operator

import numpy as np
import pytest

from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

programs = Programs()


class Vec:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        if isinstance(o, Vec):
            return Vec(self.x + o.x, self.y + o.y)
        return NotImplemented

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        if isinstance(k, Vec):
            return self.x * k.x + self.y * k.y
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return Vec(k * self.x, k * k * self.y)

    def __truediv__(self, k):
        return Vec(self.x / k, self.y / k)

    def __rtruediv__(self, k):
        return Vec(k / self.x, k / self.y)

    def __neg__(self):
        return Vec(-self.x, -2 * self.y)

    def __pos__(self):
        return Vec(self.x * 3, self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __matmul__(self, o):
        return self.x * o.y - self.y * o.x

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y * 2
        return self

    def __invert__(self):
        return Vec(self.y, self.x)

    def __pow__(self, n, mod=None):
        return self.x**n + self.y**n + (mod or 0.0)

    def __rpow__(self, base):
        return base**self.x


@programs.at(1.3, 0.6)
def a_vector_class(x, y):
    a, b = Vec(x, y), Vec(y * 2, x)
    c = 2.0 * (a + b) - a * x / y
    return (c @ -b) + abs(+a) * (a * b) + (1.0 / ~c).x + a**2 + pow(b, 3, 5.0) + 2.0**a


@programs.at(1.3, 0.6)
def in_place_operators_keep_the_object(x, y):
    a, b = Vec(x, y), Vec(y, x)
    same = a
    a += b
    same += a
    b *= x
    held = [a]
    held[0] += b
    held[0] -= Vec(x, 1.0)
    return same.x * a.y + b.x + held[0].y * a.x


class Meter:
    """Knows other units only by their reflected methods."""

    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Meter(self.v + o.v) if type(o) is Meter else NotImplemented

    def __mul__(self, o):
        return NotImplemented

    def __sub__(self, o):
        return NotImplemented

    def __rsub__(self, o):
        return Meter(o * self.v - self.v)


class Foot:
    def __init__(self, v):
        self.v = v

    def __radd__(self, o):
        return Meter(o.v + self.v * 0.5)

    def __rmul__(self, o):
        return o.v * self.v


class LongMeter(Meter):
    def __radd__(self, o):
        return Meter(o.v * self.v)

    def __rsub__(self, o):
        return Meter(o.v / self.v)


@programs.at(1.2, 0.7)
def reflected_operators_in_pythons_order(x, y):
    total = (Meter(x) + Foot(y)).v + Meter(x) * Foot(y)
    total += (Meter(x) + LongMeter(y)).v  # the subclass is asked first
    total *= (3.0 - Meter(x)).v
    total += (Meter(x) - LongMeter(y)).v
    try:
        Meter(x) - 2.0
    except TypeError as error:
        total *= len(error.args[0])
    try:
        total += Foot(x) + 1.0
    except TypeError:
        total -= x
    return total


class Money:
    log = []

    def __init__(self, amount):
        self.amount = amount
        self.looks = 0

    def __lt__(self, o):
        self.looks += 1
        return self.amount < o.amount

    def __eq__(self, o):
        return isinstance(o, Money) and self.amount == o.amount

    def __hash__(self):
        return hash(round(self.amount, 3))

    def __bool__(self):
        self.looks += 1
        return self.amount > 1.0

    def __index__(self):
        return int(self.amount)

    def __float__(self):
        return self.amount * 1.0

    def __int__(self):
        return int(self.amount)

    def __round__(self, digits=None):
        return self.amount * 2 if digits is None else self.amount * digits

    def __complex__(self):
        return complex(self.amount, 2 * self.amount)

    def __floor__(self):
        return self.amount * 3

    def __ceil__(self):
        return self.amount * 4

    def __trunc__(self):
        return self.amount * 5


Money = functools.total_ordering(Money)


@programs.at([3.1, 1.2, 2.3])
def objects_sorted_by_their_own_order(amounts):
    coins = [Money(a) for a in amounts]
    ordered = sorted(coins)
    top, low = max(coins), min(coins, key=lambda m: m)
    coins.sort(reverse=True)
    if coins[0] >= coins[1] and ordered[0] <= ordered[-1] and coins[0] != low:
        return sum(k * m.amount for k, m in enumerate(ordered)) * top.amount + low.amount * 7
    return top.amount


@programs.at(1.7)
def truth_of_objects(x):
    m, poor = Money(x), Money(x - 1.5)
    total = 0.0
    if m:
        total += m.amount
    while poor or poor.amount < 0.5:
        poor.amount += 0.2 * x
        if poor.looks > 20:
            break
    chosen = poor and m
    other = (not poor) * x
    return total * chosen.amount + other + (m if m else poor).amount + poor.looks * x


@programs.at(2.4)
def conversions_of_objects(x):
    m = Money(x)
    table = [1.0, x, x * x, 5.0]
    z = complex(m)
    return (
        table[m] * float(m) + int(m) * x + round(m) + round(m, 2) + z.real * z.imag
        + math.floor(m) + math.ceil(m) + math.trunc(m) + sum(table[: Money(3.2)])
    )  # fmt: skip


@programs.at(2.4)
def math_functions_of_objects_with_float(x):
    m = Money(x)
    return math.sin(m) * math.sqrt(m) + math.pow(m, 2) + math.hypot(m, x) + np.exp(float(m))


class Expr:
    """Comparisons that give numbers and objects, as expression builders do."""

    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return self.v - o.v

    def __gt__(self, o):
        return Expr(self.v * o.v)

    def __le__(self, o):
        return self.v * 2 if isinstance(o, Expr) else NotImplemented

    def __eq__(self, o):
        return Expr(self.v + o.v)

    def __ne__(self, o):
        return self.v**2

    def __ge__(self, o):
        return NotImplemented

    __hash__ = None


@programs.at(1.4, 0.3)
def comparisons_that_give_numbers(x, y):
    a, b = Expr(x), Expr(y)
    total = (a < b) * 2 + (a > b).v + (a <= b) + (a == b).v + (a != b)
    return total + operator.lt(b, a) * y + (a >= b)


class Wrapped:
    def __init__(self, v):
        self.v = v

    def __array__(self, dtype=None, copy=None):
        return np.array([self.v, self.v * 2])


@programs.at(1.4)
def an_object_made_an_array(x):
    w = Wrapped(x)
    a = np.array(w)
    return np.sum(a * np.asarray(w)) + np.sum(np.exp(w))


class Divisible:
    def __init__(self, v):
        self.v = v

    def __floordiv__(self, o):
        return self.v * o

    def __rfloordiv__(self, o):
        return self.v - o

    def __mod__(self, o):
        return self.v + o * o

    def __rmod__(self, o):
        return self.v * 3 + o

    def __divmod__(self, o):
        return self // o, self % o

    def __rdivmod__(self, o):
        return o // self, o % self

    def __lshift__(self, o):
        return self.v * 2**o

    def __rrshift__(self, o):
        return o / self.v

    def __and__(self, o):
        return self.v * o.v

    def __or__(self, o):
        return Divisible(self.v + o)

    def __ror__(self, o):
        return Divisible(self.v * o)

    def __xor__(self, o):
        return self.v - o.v

    def __ior__(self, o):
        self.v *= o
        return self

    def __ifloordiv__(self, o):
        return Divisible(self.v / o)

    def __imod__(self, o):
        self.v -= o
        return self


@programs.at(2.5)
def integer_operators_given_another_meaning(x):
    d, e = Divisible(x), Divisible(x * 0.5)
    q, r = divmod(d, x)
    s, t = divmod(x, e)
    d |= x
    e //= 2.0
    e %= x
    total = (d << 2) + (x >> e) + (d & e) + (d ^ e) + (d | x).v + (x | d).v
    return total + q * r + s * t + operator.ior(d, 2.0).v


class Sum:
    """Counts how it is added."""

    def __init__(self, parts=()):
        self.parts = list(parts)

    def __add__(self, o):
        return Sum([*self.parts, o])

    def __radd__(self, o):
        return Sum([o, *self.parts])

    def total(self):
        return math.prod(self.parts)


@programs.at([1.5, 2.5])
def sum_and_reduce_of_objects(xs):
    first = sum(xs, Sum()).total()
    second = sum([Sum([x]) for x in xs[:1]]).total()
    third = functools.reduce(operator.add, xs, Sum([2.0])).total()
    return first + second + third + (xs[0] + Sum([xs[1]])).total()


class Signal:
    """Asks to be preferred to arrays."""

    __array_ufunc__ = None

    def __init__(self, v):
        self.v = v

    def __rmul__(self, a):
        return np.sum(a) * self.v

    def __radd__(self, a):
        return np.max(a) + self.v

    def __rmatmul__(self, a):
        return a[0] * self.v


@programs.at(np.array([1.0, 2.5]), 1.5)
def an_object_on_the_right_of_an_array(a, x):
    s = Signal(x)
    return (a * s) * (a + s) + a @ s


class Acting:
    """Callable, hashable, ordered by what it holds; with chained calls."""

    def __init__(self, f, *rest):
        self.f, self.rest = f, rest

    def __rshift__(self, other):
        return Acting(lambda v: other(self(v)))

    def __call__(self, v):
        return self.f(v, *self.rest)


@programs.at(0.4)
def composition_by_an_operator(x):
    pipe = Acting(math.exp) >> Acting(pow, 2) >> Acting(lambda v, w: v * w, x)
    return pipe(x) + pipe(2 * x)


@programs.at(1.2)
def operators_of_a_subclass_by_super(x):
    a = Scaled(x, 1.0)
    b = a * 2.0
    a += b
    return a.x * b.y + (a + b).x + abs(b)


class Scaled(Vec):
    def __mul__(self, k):
        made = super().__mul__(k)
        made.x *= 3
        return made

    def __iadd__(self, o):
        super().__iadd__(o)
        self.x -= 1.0
        return self

    def __abs__(self):
        return super().__abs__() ** 2


@programs.at(1.2)
def operators_set_on_the_class_afterwards(x):
    Late.__sub__ = lambda self, o: self.v * o
    Late.__rsub__ = lambda self, o: self.v + o
    try:
        late = Late(x)
        return (late - x) * (x - late)
    finally:
        del Late.__sub__, Late.__rsub__


class Late:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        if name == "__add__":
            return None  # operators are looked up on the class
        raise AttributeError(name)


@programs.at(1.2)
def operators_are_looked_up_on_the_class(x):
    late = Late(x)
    late.__mul__ = lambda o: 1.0
    total = 0.0
    for operation in (operator.add, operator.mul):
        try:
            operation(late, x)
        except TypeError:
            total += late.v
    return total * x


@programs.at(1.2, 0.4)
def numbers_of_numpy_on_the_left(x, y):
    a = Meter(x)
    return (np.float64(y) - a).v + (np.sqrt(x) * Vec(x, y)).y + (np.float32(2.0) ** Vec(x, y))


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_operators(program, args, options):
    conforms(program, *args, **options)
