"""Exceptions show the user's functions, lines and text, and nothing else."""

import importlib
import linecache
import math
import os
import pickle
import traceback

import numpy
import pytest

import astad
from astad import settings
from astad.errors import AstadError, Unsupported, WrongCall

API = os.path.join("astad", "api")

TEXT = """\
import math

def deep(v):
    u = v * 1.0
    return math.log(u)

def inner(v):
    w = v - 1.0
    return deep(w) + 1.0

def loop(x):
    s = 0.0
    for i in range(3):
        s = (s
             + 1.0
             + inner(
                 x - i))
    return s

def argument(x):
    return inner(math.log(x))

def half_power(v):
    return math.exp(v)

def steep(x):
    y = x * 2.0
    return half_power(y)

def shape(a):
    return missing_part(a)

def missing_part(a):
    return (a * 2.0).nothing

def looks(x):
    def values():
        assert vars()
        return [x]
    return sum(values())
"""


@pytest.fixture
def program():
    """The functions above, as a notebook would define them."""
    name = "<traceback program>"
    linecache.cache[name] = (len(TEXT), None, TEXT.splitlines(True), name)
    space = {"__name__": "program"}
    exec(compile(TEXT, name, "exec"), space)
    return space


def shown(error, file="<traceback program>"):
    frames = traceback.extract_tb(error.__traceback__)
    return [(frame.name, frame.lineno, frame.line) for frame in frames if frame.filename == file]


def plain(function, *arguments):
    with pytest.raises(Exception) as caught:
        function(*arguments)
    return type(caught.value), str(caught.value), shown(caught.value)


WAYS = {
    "gradient": astad.gradient,
    "value_and_grad": lambda f, x: astad.value_and_grad(f)(x),
    "pullback": lambda f, x: astad.pullback(f, x)[1](1.0),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "x"), [("loop", 2.5), ("argument", -1.0), ("argument", 1.5)])
def test_frames_are_those_of_the_plain_run(program, way, name, x):
    """Callees written out, several deep, and a statement over several lines."""
    f = program[name]
    expected = plain(f, x)
    assert plain(WAYS[way], f, x) == expected
    assert plain(WAYS[way], f, x) == expected  # by the variant that is there now


def test_no_frame_of_astad_stands_between_those_of_the_user(program):
    with pytest.raises(AttributeError) as caught:
        astad.gradient(program["shape"], numpy.ones(2))
    assert [name for name, *_ in shown(caught.value)] == ["shape", "missing_part"]
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    first = files.index("<traceback program>")
    assert files[first : first + 2] == ["<traceback program>"] * 2


def test_frames_of_astad_stay_for_who_debugs_it(program, monkeypatch):
    def frames():
        with pytest.raises(Unsupported) as caught:
            astad.gradient(program["looks"], 1.0)
        return len(traceback.extract_tb(caught.value.__traceback__))

    few = frames()
    monkeypatch.setattr(settings, "debug", True)
    assert frames() > few + 3


def test_refusal_ends_at_the_users_line(program):
    with pytest.raises(Unsupported) as caught:
        astad.gradient(program["looks"], 1.0)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name) == ("<traceback program>", "looks")


def test_refusal_raised_again_does_not_grow(program):
    lengths = set()
    for _ in range(4):
        with pytest.raises(Unsupported) as caught:
            astad.gradient(program["looks"], 1.0)
        lengths.add(len(traceback.extract_tb(caught.value.__traceback__)))
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("way", WAYS)
def test_exception_in_the_reverse_sweep_has_a_note(program, way):
    """Of the callee's line where the callee was written out."""

    def rule(v):
        def back(y_bar):
            raise ArithmeticError("back")

        return v, back

    def f(x):
        y = x * 2.0
        return unruly(y) * x  # the line of the note

    def unruly(v):
        return v

    astad.adjoint(unruly)(rule)
    with pytest.raises(ArithmeticError) as caught:
        WAYS[way](f, 3.0)
    line = f.__code__.co_firstlineno + 2
    assert caught.value.__notes__ == [f"in the reverse sweep of test_tracebacks.py:{line}"]


def test_overflow_in_the_reverse_sweep_of_a_fused_function_has_a_note():
    """The value fits, its derivative does not; of the callee's line, which was written out."""
    with pytest.raises(OverflowError) as caught:
        astad.gradient(lambda x: grown(x) * 2.0, 1e-200)
    line = grown.__code__.co_firstlineno + 2
    assert caught.value.__notes__ == [f"in the reverse sweep of test_tracebacks.py:{line}"]


def grown(x):
    y = x * 2.0
    return math.ldexp(y, 1500)


def test_exception_passes_a_differentiated_function_unchanged():
    """It is the very object that was raised; its cause stays."""
    cause, error = KeyError("cause"), ValueError("mine")

    def f(x):
        if x > 0.0:
            raise error from cause
        return x

    with pytest.raises(ValueError) as caught:
        astad.gradient(f, 1.0)
    assert caught.value is error
    assert error.__cause__ is cause
    assert astad.gradient(f, -1.0) == (1.0,)


def test_handled_exception_leaves_nothing_behind():
    def f(x):
        return math.log(x)

    for _ in range(3):
        with pytest.raises(ValueError) as caught:
            astad.gradient(f, -1.0)
        names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert names.count("f") == 1


LEAVING = """\
import math

class Model:
    def __init__(self, k):
        self.k = k
    def rate(self, v):
        return leave(v * self.k)

def leave(v):
    if v > 0.0:
        raise Leave("stop")
    return v

def direct(x):
    y = x * 2.0
    return leave(y)

def looped(x):
    total = 0.0
    for k in range(3):
        total += leave(x - 1.5 + k)
    return total

def attempted(x):
    try:
        return leave(x) + 1.0
    except ValueError:
        return x

def drawn(x):
    def values():
        yield x - 9.0
        yield leave(x)
    return max(v for v in values())

def applied(x):
    return sum(map(lambda k: leave(x * k), range(3)))

def held(x):
    return Model(2.0).rate(x) + math.sin(x)

def local(x):
    if x > 1.0:
        raise Leave("stop")
    return x * x
"""


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit, ValueError])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_no_error_shows_the_users_frames_alone_too(kind, way):
    """An interrupt most of all: it says where the time goes."""
    name = "<leaving>"
    linecache.cache[name] = (len(LEAVING), None, LEAVING.splitlines(True), name)
    space = {"__name__": "leaving", "Leave": type("Leave", (kind,), {})}
    exec(compile(LEAVING, name, "exec"), space)
    for each in ("direct", "looped", "attempted", "applied", "held", "local"):
        if (each, kind) == ("attempted", ValueError):
            continue
        expected = left_by(space[each], 1.5)
        for _ in range(2):
            found = left_by(lambda x, each=each: WAYS[way](space[each], x), 1.5)
            assert shown(found, name) == shown(expected, name)
            frames = traceback.extract_tb(found.__traceback__)
            ours = [
                frame.name
                for frame in frames
                if "astad/api/" in frame.filename.replace(os.sep, "/")
            ]
            assert len(ours) == 1 or (way, len(ours)) == ("value_and_grad", 1)
            assert len(frames) == len(ours) + len(shown(found, name)) + 2 + (way != "gradient")


def left_by(f, x):
    with pytest.raises(BaseException) as caught:
        f(x)
    return caught.value


def test_interrupt_of_the_compiler_shows_the_call_alone(program, monkeypatch):
    from astad.api.variants import loading

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(loading, "_entry", interrupted)
    found = left_by(lambda x: astad.gradient(program["half_power"], x), 1.0)
    frames = [frame.name for frame in traceback.extract_tb(found.__traceback__)]
    assert frames == ["left_by", "<lambda>", "gradient", "interrupted"]


REFUSED = """\
from decimal import Decimal
import json
import math
import numpy as np

def text(x):
    held = json.dumps({"a": x})
    y = json.loads(held)  # refused
    return y["a"] * 2

def element(x):
    total = 0.0
    for v in np.nditer(x * 2.0, ["buffered"]):  # refused
        total = total + float(v)
    return total

def global_names(x):
    y = x * 2
    return globals()["rate"] * y  # refused

def field(x):
    table = np.zeros(2, dtype=[("height", float)])
    table["height"] = x
    return table["height"].sum()  # refused

class Model:
    def __init__(self, weight):
        self.weight = weight

    def cost(self, x):
        table = np.zeros(2, dtype=[("height", float)])
        table[0]["height"] = x * self.weight  # refused
        return table[0]["height"]

def numerator(x):
    n, d = x.as_integer_ratio()
    return math.isqrt(n) / d  # refused

def read(v):
    shown = f"{v}"
    return float(shown)  # refused

def nested(x):
    out = 0.0
    for k in range(3):
        out += read(x * k)
    return out

def caught(x):
    y = x * x
    try:
        y = y + globals()["rate"]  # refused
    except NotImplementedError:
        y = 0.0
    return y

def priced(x):
    a = np.array(Decimal(x))
    y = a * 2  # refused
    return float(y)

def interest(x):
    rates = np.array([Decimal(x), Decimal(2)], object)
    growth = (rates + 1) ** 2  # refused
    return float(growth[0])

class Account:
    def __init__(self, rate):
        self.rates = np.array([rate, rate], object)

    def grown(self):
        return np.add.reduce(self.rates * Decimal(3))  # refused

def account(x):
    return float(Account(Decimal(x)).grown())

def in_place(x):
    a = np.array([Decimal(x), Decimal(1)], object)
    a *= Decimal(2)  # refused
    return float(a[0])

def into_another(x):
    a = np.array([Decimal(x), Decimal(1)], object)
    out = np.empty(2, object)
    np.multiply(a, Decimal(2), out=out)  # refused
    return float(out[0])

def array(x):
    return np.array([x, x])
"""

PLACES = [at for at, line in enumerate(REFUSED.splitlines(), 1) if "# refused" in line]
LINES = {
    name: (x, PLACES[at])
    for name, x, at in [
        ("text", 2.0, 0), ("element", numpy.ones(3), 1), ("global_names", 2.0, 2),
        ("field", numpy.ones(2), 3), ("cost", 1.5, 4), ("numerator", 2.25, 5), ("read", 1.5, 6),
        ("nested", 1.5, 6), ("caught", 1.5, 7), ("priced", 1.5, 8), ("interest", 1.5, 9),
        ("account", 1.5, 10), ("in_place", 1.5, 11), ("into_another", 1.5, 12),
    ]
}  # fmt: skip


@pytest.fixture
def refused():
    name = "<refused>"
    linecache.cache[name] = (len(REFUSED), None, REFUSED.splitlines(True), name)
    space = {"__name__": "refused", "rate": 2.0}
    exec(compile(REFUSED, name, "exec"), space)
    return {**space, "cost": space["Model"](2.0).cost}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LINES)
def test_refusal_names_file_and_line_whatever_raises_it(refused, way, name):
    x, line = LINES[name]
    for _ in range(2):
        with pytest.raises(Unsupported) as caught:
            WAYS[way](refused[name], x)
        error = caught.value
        assert str(error) == f"<refused>:{line}: " + ": ".join(
            (error.where, error.what, error.why, error.instead)
        )
        copy = pickle.loads(pickle.dumps(error))
        assert str(copy) == str(error)


def test_refusal_of_a_result_names_the_line_of_the_call(refused):
    """Of the user's own, whatever function of astad he called."""
    for way in WAYS.values():
        with pytest.raises(AstadError) as caught:
            way(lambda x: [refused["array"]], 1.0)
        assert str(caught.value).startswith("test_tracebacks.py:")
    with pytest.raises(WrongCall) as caught:
        astad.grad(refused["text"], argnums=True)
    frame = traceback.extract_tb(caught.value.__traceback__)[0]
    assert str(caught.value).startswith(f"test_tracebacks.py:{frame.lineno}: text: argnums=True: ")
    weights = numpy.ones(4)
    _, back = astad.pullback(lambda x: numpy.sum(x**3), weights)
    weights -= 0.5
    with pytest.raises(Unsupported, match=r"^test_tracebacks\.py:\d+: .* was overwritten before"):
        back(1.0)


def test_refusal_inside_an_installed_library_names_the_users_line(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "installed_part.py").write_text(
        "def walk(x):\n    y = x * 2.0\n    return y * globals()['rate']\nrate = 2.0\n"
    )
    monkeypatch.syspath_prepend(folder)
    part = importlib.import_module("installed_part")

    def own(x):
        y = x * 3.0
        return part.walk(y)

    with pytest.raises(Unsupported) as caught:
        astad.gradient(own, 1.0)
    line = own.__code__.co_firstlineno + 2
    assert str(caught.value).startswith(f"test_tracebacks.py:{line}: globals: ")
    with pytest.raises(Unsupported) as caught:
        astad.gradient(part.walk, 1.0)
    assert str(caught.value).startswith("installed_part.py:3: globals: ")


def test_refusal_inside_text_that_a_library_executes_names_the_users_line(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "installed_maker.py").write_text(
        "import linecache\n"
        "def made(inner, own):\n"
        "    text = 'def outer(x):\\n    return inner(x)\\n'\n"
        "    names = {'inner': inner, **own}\n"
        "    file = f'<maker {len(own)}>'\n"
        "    linecache.cache[file] = len(text), None, text.splitlines(True), file\n"
        "    exec(compile(text, file, 'exec'), names)\n"
        "    return names['outer']\n"
        "def inner(x):\n    return x * globals()['rate']\n"
    )
    monkeypatch.syspath_prepend(folder)
    maker = importlib.import_module("installed_maker")
    for own in ({}, {"__name__": "installed_maker"}, {"__name__": "x", "__file__": "x"}):
        outer = maker.made(maker.inner, own)

        def walk(x, outer=outer):
            y = x * 3.0
            return outer(y)

        with pytest.raises(Unsupported) as caught:
            astad.gradient(walk, 1.0)
        line = walk.__code__.co_firstlineno + 2
        assert str(caught.value).startswith(f"test_tracebacks.py:{line}: globals: ")
    names = {"rate": 2.0, "__name__": __name__}
    typed = "def typed(x):\n    return x * globals()['rate']\n"
    monkeypatch.setitem(linecache.cache, "<cell 1>", (2, None, typed.splitlines(True), "<cell 1>"))
    exec(compile(typed, "<cell 1>", "exec"), names)
    with pytest.raises(Unsupported, match="^<cell 1>:2: "):
        astad.gradient(lambda x: names["typed"](x), 1.0)
