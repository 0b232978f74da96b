"""Programs as users write them, a few lines each, from all over the language and NumPy.

Their texts are kept by digest, and their gradients compared with differences: together they pass
through most of the compiler, so that a change of one of its conditions is seen in one of them.
"""

import functools
import itertools
import math
from collections import defaultdict, namedtuple
from dataclasses import dataclass, replace

import numpy as np

V, W = np.array([0.3, 1.2, 0.7, 2.0]), np.array([0.5, 1.5, 0.4, 1.1])
A = np.sin(np.arange(12.0)).reshape(4, 3) + 1.5
PROGRAMS = {}


def ordinary(*args):
    def note(fn):
        PROGRAMS[fn.__name__] = fn, args
        return fn

    return note


# --- lists, rows, dicts


@ordinary(0.5, 3)
def rows_are_filled_and_read(x, n):
    grid = []
    t = 0.0
    for i in range(n):
        row = [x * i]
        row.append(x)
        grid.append(row)
        t += row[0] * row[1]
    for r in grid:
        t *= r[1] + r[0]
    return t


@ordinary(0.75, 3)
def a_slice_has_rows_too(x, n):
    rows = [[x * i, x] for i in range(n)]
    tail = rows[1:]
    tail[0][1] = x * x
    return rows[1][1] * rows[0][1] + tail[0][1]


@ordinary(0.9, 3)
def table_by_neighbours(x, n):
    grid = [[x] * n for _ in range(n)]
    for i in range(1, n):
        for j in range(1, n):
            grid[i][j] = 0.5 * (grid[i - 1][j] + grid[i][j - 1]) * x
    return grid[-1][-1] + sum(grid[1])


@ordinary([0.4, 1.1, 0.3], 0.7)
def list_is_sorted_and_searched(xs, x):
    ys = sorted(v * x for v in xs)
    ys.insert(1, x)
    first, *rest = ys
    return first * max(rest) + min(ys) + sum(rest[1:]) / len(ys) + ys.index(x)


@ordinary([0.4, -1.1, 0.3], 0.7)
def comprehension_with_conditions(xs, x):
    kept = [v * x for v in xs if v > 0.0]
    pairs = [(a, b) for a in kept for b in xs if a < b + 1.0]
    return sum(a * b for a, b in pairs) + math.prod(kept)


@ordinary(1.3, 0.4)
def dict_of_totals(x, y):
    totals = {"x": x, "y": y}
    totals["x"] *= y
    totals["z"] = totals.get("w", 2.0) * totals["x"]
    for name, value in totals.items():
        if name != "y":
            y += value * len(name)
    return y * sum(totals.values())


@ordinary(1.3, 4)
def groups_in_a_defaultdict(x, n):
    groups = defaultdict(list)
    for i in range(n):
        groups[i % 2].append(x**i)
    return sum(groups[0]) * groups[1][0]


@ordinary([[0.4, 1.1], [0.3, 0.2, [0.7]]])
def nested_lists(tree):
    if isinstance(tree, float):
        return math.sin(tree)
    return sum(nested_lists(part) for part in tree) * 0.5


# --- loops and branches


@ordinary(0.3, 0.7, 3)
def inner_loop_and_what_it_left(x, y, n):
    for i in range(n):
        w = x - y
        for k in range(2):
            w = x - w
            x = x * w
        y = y * x + w
        x = w * w * y
    return x


@ordinary(0.9, 9)
def while_with_an_else(x, n):
    going = True
    while going:
        x = x * x
        n -= 1
        if x < 0.01:
            break
        going = n > 0
    else:
        x = x * 3.0
    return x


@ordinary(0.4, 8)
def leaves_and_goes_on(x, n):
    s, i = 0.0, 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        s += x**i / i
        if s > 1.0:
            return s * x
    return s


@ordinary(0.7, 0.2, 20)
def newton_until_it_stands(a, x, most):
    for step in range(most):
        change = (x * x * x - a) / (3.0 * x * x)
        x -= change
        if abs(change) < 1e-12:
            break
    else:
        raise ArithmeticError(f"no root of {a} after {step}")
    return x * a


@ordinary(-0.4, 2)
def tries_first(x, n):
    total = 0.0
    for i in range(n):
        try:
            total += math.sqrt(x + i)
        except ValueError:
            total += x * x
        finally:
            x = x * 1.5
    return total


@ordinary(0.6, "tanh")
def chosen_by_a_word(x, how):
    match how:
        case "relu":
            y = max(x, 0.0)
        case "tanh":
            y = math.tanh(x)
        case _:
            y = x
    return y if y > 0.1 else y * x


@ordinary(3.7, 1.3)
def steps_and_remainders(x, y):
    turns = x // y
    angle = x % y
    return angle * turns + math.floor(x) * y + round(x, 1) * abs(y - x) + divmod(x, y)[1]


# --- functions, classes, iterators


@ordinary(0.5, 3)
def tree(x, n):
    if n == 0:
        return x * x
    parts = []
    for i in range(2):
        parts.append(tree(x * 0.5, n - 1))
    return sum(parts) + x


@ordinary(1.05, 3, 1.1)
def price_on_a_lattice(price, left, up):
    if left == 0:
        return max(price - 1.0, 0.0)
    both = (
        price_on_a_lattice(price * up, left - 1, up),
        price_on_a_lattice(price / up, left - 1, up),
    )
    return 0.5 * (both[0] + both[1])


@dataclass(frozen=True)
class State:
    position: float
    speed: float

    def moved(self, dt):
        return replace(self, position=self.position + dt * self.speed)


class Spring:
    def __init__(self, stiffness, damping=0.1):
        self.stiffness, self.damping = stiffness, damping
        self.steps = 0

    def __call__(self, state, dt):
        self.steps += 1
        force = -self.stiffness * state.position - self.damping * state.speed
        return State(state.position, state.speed + dt * force).moved(dt)


@ordinary(2.0, 0.3, 4)
def objects_in_a_loop(stiffness, start, n):
    spring, state = Spring(stiffness), State(start, 0.0)
    for _ in range(n):
        state = spring(state, 0.1)
    return state.position * spring.steps + state.speed


Point = namedtuple("Point", "x y")


@ordinary(0.4, 1.2)
def named_tuples(x, y):
    p = Point(x, y=y)
    q = p._replace(x=p.y * p.x)
    return math.hypot(*q) + Point(*(2 * c for c in p)).y


@ordinary(0.4, 3)
def counter_in_a_closure(x, n):
    total = 0.0

    def add(value, *, weight=1.0):
        nonlocal total
        total += value * weight
        return total

    for i in range(n):
        add(x**i, weight=x + i)
    return add(x) * total


@ordinary(0.4, 5)
def generator_of_terms(x, n):
    def terms():
        term = 1.0
        for k in itertools.count(1):
            yield term
            term *= x / k

    first = next(v for v in terms() if v < 0.5)
    return sum(itertools.islice(terms(), n)) * first


def weighted(x, *rest, power=2, **words):
    scale = functools.partial(pow, exp=power)
    some = functools.reduce(lambda a, b: a * b + x, rest, 1.0)
    return scale(some) + sum(map(math.sin, rest)) * words.get("by", 1.5)


@ordinary(0.4, 1.2, 0.7)
def arguments_in_every_way(x, y, z):
    rest = [y, z]
    return weighted(x, *rest, power=3) * weighted(*rest, **{"by": x}) + weighted(z)


# --- elements of arrays


@ordinary(V, W)
def elements_in_pairs(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + a * b / (1.0 + i)
    return s


@ordinary(V)
def elements_by_number(x):
    s, last = 0.0, x[0]
    for i in range(1, len(x)):
        s += (x[i] - last) ** 2 * x[i - 1]
        last = x[i]
    return s / x.size


@ordinary(V, 0.2)
def stencil(u, k):
    u = u.copy()
    for _ in range(3):
        new = np.zeros_like(u)
        for i in range(1, len(u) - 1):
            new[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u[1:-1] = new[1:-1]
        u[0] *= k
    return np.sum(u * u)


@ordinary(A, np.array([0, 2, 0]))
def scattered(a, i):
    out = np.zeros(3)
    np.add.at(out, i, a[1])
    out[i] += a[0]
    a = a[:, i] * out
    a[a > 1.0] *= 0.5
    return a.sum() + np.take(a, a.shape[1])


@ordinary(np.arange(8.0).reshape(2, 1, 4) + 0.5, np.array([0, 2, 3]))
def axes_that_go_first(x, i):
    y = x[0, :, i] * 2.0
    w = np.zeros((x.shape[1], len(i))) + x[1, 0, 0]
    return np.sum(y * w * y)


# --- whole arrays


@ordinary(V, 0)
def one_rank_or_another(x, deep):
    y = x * 2.0
    if deep:
        y = np.stack([x, x * x])
    return np.sum(y * x)


@ordinary(V, 3)
def joined_with_constants(x, n):
    ones, total = np.ones(2), 0.0
    for i in range(n):
        both = np.concatenate([x, ones, np.hstack([i, x[:1]])])
        total += both @ both[::-1]
        ones = ones * 2.0
    return total + np.vstack([x, np.arange(4.0)]).max()


@ordinary(A, W[:3], W)
def layers(a, b, c):
    h = np.tanh(a @ b + c)
    h -= h.mean()
    h /= np.sqrt((h * h).mean() + 1e-3)
    logits = np.outer(h, b) * a
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return -np.mean(np.log(p[:, 0] / p.sum(axis=1)))


@ordinary(A, W)
def reductions(a, w):
    m = np.average(a, axis=0, weights=w)
    s = np.cumsum(a, axis=1)[:, -1] * np.prod(a[:, :2], axis=1)
    return np.sum(s) + m.var() + a.std(axis=0).min() + np.median(a[1])


@ordinary(V, W)
def chosen_and_clipped(x, w):
    y = np.where(x > w, np.maximum(x, 0.5), np.clip(x, 0.4, w))
    z = np.sort(y)[::-1] * np.sign(x - 1.0)
    return np.abs(z).sum() + (x[x > 0.5] ** 2).sum() - np.interp(0.9, np.arange(4.0), y)


@ordinary(V)
def spectrum(x):
    z = np.fft.fft(x)
    power = np.abs(np.power(z, 1.5)) + (z * z.conj()).real
    return power.sum() + np.fft.irfft(np.fft.rfft(x) * 0.5).max()


@ordinary(A[:3] + np.eye(3), W[:3])
def linear_algebra(a, b):
    s = a @ a.T + np.eye(3)
    low = np.linalg.cholesky(s)
    y = np.linalg.solve(s, b)
    sign, logdet = np.linalg.slogdet(s)
    values, vectors = np.linalg.eigh(s)
    x, *_ = np.linalg.lstsq(a, b, 1e-9)
    return y @ b + logdet * sign + values[0] * np.trace(low) + x.sum() + np.linalg.norm(a)


@ordinary(A, A.T.copy())
def products(a, b):
    c = np.einsum("ij,jk->ik", a, b)
    d = np.tensordot(a, b, axes=1).reshape(2, -1).T
    return np.sum(c * c) + d[0] @ d[1] + np.dot(a[0], b[:, 0]) + np.kron(a[0], b[0])[2]


@ordinary(V, W)
def buffers_in_place(x, w):
    buffer = np.empty(4)
    np.multiply(x, w, out=buffer)
    buffer += 1.0
    view = buffer[1:3]
    view *= x[:2]
    buffer[0], buffer[3] = buffer[3], buffer[0]
    return np.sum(buffer**2) / buffer.size
