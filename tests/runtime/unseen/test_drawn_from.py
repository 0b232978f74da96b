"""Calls that the plain run does not make, of functions that draw from iterators and streams: not
made, refused, or put back. Every program is compared with a second one that is only run.
"""

import functools
import io
import itertools
import math

import pytest

from astad import gradient, value_and_grad
from astad.errors import Unsupported
from astad.runtime.unseen.drawn_from import Outside, is_drawn_from

pytestmark = pytest.mark.order_matters

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")


def numbers():
    yield from (1.0, 2.0, 3.0)
    for k in itertools.count():
        yield 0.5 * k


ITERATORS = {
    "count": lambda: itertools.count(1.0),
    "list": lambda: iter([1.0, 2.0, 3.0] * 300),
    "tuple": lambda: iter((1.0, 2.0, 3.0) * 300),
    "range": lambda: iter(range(900)),
    "reversed": lambda: reversed([1.0, 2.0, 3.0] * 300),
    "dict": lambda: iter(dict.fromkeys(range(900))),
    "values": lambda: iter(dict(enumerate(range(900))).values()),
    "set": lambda: iter({*range(900)}),
    "generator": numbers,
    "comprehension": lambda: (2.0 * k for k in range(900)),
    "map": lambda: map(float, range(900)),
    "filter": lambda: filter(None, range(900)),
    "zip": lambda: zip(range(900), strict=False),
    "enumerate": lambda: enumerate("a" * 90),
    "cycle": lambda: itertools.cycle([1.0, 2.0]),
    "chain": lambda: itertools.chain([1.0], range(900)),
    "islice": lambda: itertools.islice(itertools.count(), 90),
    "accumulate": lambda: itertools.accumulate(range(900)),
    "through others": lambda: map(float, itertools.chain(range(2), itertools.count())),
    "until": lambda: iter([1.0].copy, None),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_that_an_iterator_has_moved_is_seen(name):
    one = ITERATORS[name]()
    for _ in range(5):
        outside = Outside([one])
        if name not in ("until", "cycle"):  # of which nothing, or not all, is seen
            assert outside.moved() is None
        next(one)
        assert name == "until" or outside.moved() is one
    assert is_drawn_from(one)


def test_what_is_no_iterator_and_what_is_a_stream():
    values = ([1.0], {1: 2}, "abc", 2.0, object(), numbers, range(3), io)
    assert not any(map(is_drawn_from, values))
    assert all(map(is_drawn_from, (io.StringIO("a"), io.BytesIO(b"a"))))
    lines = io.StringIO("first\nsecond\n")
    outside = Outside([lines])
    assert (lines.readline(), lines.write("x")) == ("first\n", 1)
    outside.put_back()
    assert (lines.readline(), lines.read()) == ("first\n", "second\n")
    lines.close()
    outside.put_back()
    assert lines.closed


def test_files_that_are_read_and_files_that_are_written(tmp_path):
    path = tmp_path / "numbers"
    path.write_text("1\n2\n")
    with open(path) as read, open(tmp_path / "other", "w") as written:
        outside = Outside([read, written])
        written.write("a")
        assert outside.moved() is None
        read.readline()
        assert outside.moved() is read


SOLVERS = {
    "newton": lambda g, a: optimize.newton(lambda x: g(x**3 - a), 1.0),
    "brentq": lambda g, a: optimize.brentq(lambda x: g(x**3 - a), 0.0, 3.0),
    "fsolve": lambda g, a: optimize.fsolve(lambda x: g(x[0] ** 3 - a), [1.0])[0],
    "minimize": lambda g, a: optimize.minimize(lambda x: g((x[0] - a) ** 2), [0.5]).x[0],
    "odeint": lambda g, a: integrate.odeint(lambda y, t: g(-a * y), 1.0, [0.0, 1.0])[-1, 0],
}


@pytest.mark.parametrize("name", ["count", "list", "cycle", "map"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solvers_function_that_draws_is_refused(solver, name):
    drawn = ITERATORS[name]()

    def f(a):
        return SOLVERS[solver](lambda v: (next(drawn), v)[1], a) * next(drawn)

    for _ in range(2):
        with pytest.raises(Unsupported, match="draws from a"):
            gradient(f, 1.5)


def test_an_integrand_that_draws_is_refused_in_its_limits_alone():
    def area(drawn, a, b):
        return integrate.quad(lambda t: next(drawn) * 0.0 + math.exp(-a * t), 0.0, b)[0]

    for _ in range(3):
        drawn, plain = itertools.count(), itertools.count()
        value, slope = value_and_grad(lambda a: area(drawn, a, 1.0) * next(drawn))(1.5)
        assert value == area(plain, 1.5, 1.0) * next(plain)
        assert slope == pytest.approx(21 * (2.5 * math.exp(-1.5) - 1.0) / 1.5**2)
        with pytest.raises(Unsupported, match="the derivative in a limit"):
            gradient(lambda b: area(itertools.count(), 1.5, b), 1.0)


def test_a_stream_in_memory_that_a_solver_reads_is_put_back():
    def f(a, lines):
        root = optimize.brentq(lambda x: float(lines.readline()) * 0.0 + x**3 - a, 0.0, 3.0)
        return root * float(lines.readline())

    text = "".join(f"{k}\n" for k in range(900))
    for a in (1.5, 1.5, 2.5):
        value, slope = value_and_grad(lambda a: f(a, io.StringIO(text)))(a)
        assert value == f(a, io.StringIO(text))
        assert slope == pytest.approx(value / (3.0 * a))


def test_an_iterator_that_is_there_and_not_drawn_from_is_in_nobodys_way():
    class Node:
        numbers = itertools.count()

        def __init__(self, rate):
            self.name, self.rate = next(self.numbers), rate

        def off(self, x):
            return x**3 - self.rate

    for a in (1.5, 2.5, 1.5):
        assert gradient(lambda a: optimize.brentq(Node(a).off, 0.0, 3.0), a)[0] == pytest.approx(
            a ** (-2.0 / 3.0) / 3.0
        )


# --- caches ---------------------------------------------------------------------------------------


def program(source, key):
    """A function that looks up what it draws by a key, beside one that is only run."""

    @functools.cache
    def number_of(word):
        return next(source) + 1.0

    return lambda x, k: number_of(key(k)) * x + number_of(key(0))


KEYS = {
    "int": lambda k: k,
    "float": lambda k: k + 0.5,
    "str": "key {}".format,
    "tuple": lambda k: (k, "a"),
    "frozenset": lambda k: frozenset([k]),
    "object": [object() for _ in range(9)].__getitem__,
}


@pytest.mark.parametrize("name", ["count", "list", "cycle", "map"])
@pytest.mark.parametrize("key", KEYS)
def test_what_a_cached_function_draws_is_drawn_once(key, name):
    plain = program(ITERATORS[name](), KEYS[key])
    f = program(ITERATORS[name](), KEYS[key])
    for k in (1, 1, 2, 2, 0, 3, 1, 4):
        y = plain(2.0, k)
        value, slope = value_and_grad(lambda x, k=k: f(x, k))(2.0)
        assert (value, slope) == (y, plain(3.0, k) - y)


def test_a_cached_function_that_prints_prints_once(capsys):
    @functools.cache
    def table(n):
        print("table", n)
        return [0.5 * k for k in range(n)]

    for n in (3, 3, 4, 3, 4):
        assert gradient(lambda x, n=n: sum(table(n)) * x, 2.0) == (0.5 * n * (n - 1) / 2,)
    assert capsys.readouterr().out == "table 3\ntable 4\n"


LOG = []


@functools.cache
def logged(n):
    LOG.append(n)
    print("logged", n)
    return 0.5 * n


def test_a_cached_function_that_reads_state_prints_once(capsys):
    for _ in range(4):
        assert gradient(lambda x: logged(3) * x, 2.0) == (1.5,)
    assert capsys.readouterr().out == "logged 3\n"
    assert LOG == [3]
