"""Functions of a file by name and line.

Comparison of a compiled text with a running function.

Code objects of inner functions are found again by name, line and number.

Functions of modules that an import hook changed: asserts rewritten by pytest, type checks.
"""

import ast
import importlib.util
import math
import os
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader

import numpy as np
import pytest

import astad
from astad.code_objects import inner_codes
from astad.compiler.frontend.module_text import WHOLE, ModuleText, agrees, module_text
from astad.compiler.frontend.parse import read
from astad.errors import NoSource, Unsupported
from astad.slotted import replace

TEXT = """\
import os

class Walk:
    scale = lambda self, x: x

    @property
    @staticmethod
    def step(x): return (lambda: x, lambda y: x + y)

    class Inner:
        def step(self): return 1

@Walk
def step(x, y=lambda: 2): pass
"""


def test_functions_at_a_line_with_the_class_around_them():
    module = ModuleText.parse("walk.py", TEXT, 0)

    def found(name, line):
        return [(each.class_name, each.statement) for each in module.functions(name, line)]

    assert found("step", 6) == [("Walk", 1)]
    assert found("step", 8) == []
    assert found("<lambda>", 8) == [("Walk", 1), ("Walk", 1)]
    assert found("<lambda>", 4) == [("Walk", 1)]
    assert found("step", 11) == [("Inner", 1)]
    assert found("step", 13) == [(None, 2)]
    assert found("<lambda>", 14) == [(None, 2)]
    assert found("step", 1) == found("step", 99) == []


def test_codes_and_lambdas_told_apart():
    module = ModuleText.parse("walk.py", TEXT, 0)
    (step,) = module.functions("step", 6)
    assert [code.co_varnames for code in module.codes_of(step)] == [("x",)]
    founds = list(module.functions("<lambda>", 8))
    for found, code in zip(founds, module.told_apart(1, [each.node for each in founds])):
        assert [arg.arg for arg in found.node.args.args] == list(code.co_varnames)
        assert code.co_firstlineno == found.node.lineno == 8
        assert code in module.codes_of(found)


def test_whole_file_in_place_of_a_statement():
    module = ModuleText.parse("walk.py", TEXT, 0)
    (step,) = module.functions("step", 13)
    (code,) = module.codes_of(replace(step, statement=WHOLE))
    assert code.co_varnames == ("x", "y")


def test_a_text_is_parsed_once():
    assert module_text("walk.py", TEXT, 0) is module_text("walk.py", TEXT, 0)
    assert module_text("walk.py", TEXT + "\n", 0) is not module_text("walk.py", TEXT, 0)


def test_text_that_does_not_parse():
    assert module_text("walk.py", "def f(:", 0) is None
    assert module_text("walk.py", "x = '\0'", 0) is None


TWO_ON_A_LINE = """
def f(xs):
                                  return sum(x for x in xs), sum(
        y for y in xs
    )
"""


def test_functions_of_one_line_that_end_left_of_where_they_start():
    module = ModuleText.parse("walk.py", TWO_ON_A_LINE, 0)
    (found,) = module.functions("f", 2)
    inner = [node for node in ast.walk(found.node) if isinstance(node, ast.GeneratorExp)]
    first, second = module.told_apart(0, inner)
    assert (first.co_varnames[1], second.co_varnames[1]) == ("x", "y")


def code_of(text):
    known = {}
    exec(compile(text, "<agreement>", "exec"), known)
    return known["f"].__code__


TEXT_of_agreement = (
    "def f(x, *rest, k=1):\n    y = lambda z: z + x\n    return y(1.0), {2, 3}, rest, k\n"
)


def test_a_text_agrees_with_itself_wherever_it_stands():
    assert agrees(code_of(TEXT_of_agreement), code_of("\n\n" + TEXT_of_agreement))


@pytest.mark.parametrize(
    "old, new",
    [
        ("1.0", "1"),
        ("1.0", "True"),
        ("1.0", "-1.0"),
        ("{2, 3}", "{2, 4}"),
        ("z + x", "z - x"),
        ("z + x", "z"),
        ("*rest", "rest"),
        ("*rest, k", "rest, *, k"),
        ("k=1", "k=1, **more"),
        ("return", "return not"),
        ("return", "yield"),
    ],
)
def test_any_other_program_disagrees(old, new):
    assert not agrees(code_of(TEXT_of_agreement.replace(old, new)), code_of(TEXT_of_agreement))


def test_zeros_of_both_signs_differ_and_nan_is_itself():
    plus, minus = code_of("def f(): return 0.0"), code_of("def f(): return -0.0")
    assert not agrees(plus, minus)


def consts_of(fn):
    """For each inner function the constants of the code its key leads to."""
    code, scope = fn.__code__, read(fn)[1]
    out = {}
    for inner in scope.inner.values():
        name, line, number = inner.key
        fitting = [
            each
            for each in inner_codes(code)
            if each.co_name == name and each.co_firstlineno - code.co_firstlineno == line
        ]
        out[inner.key] = fitting[number].co_consts[-1]
        assert fitting[number].co_freevars == inner.free
    return out


# fmt: off
def test_lambdas_of_one_line_in_every_place():
    def f(a, xs):
        return [lambda: 1, lambda b=lambda: 2: 3], [lambda: 4 for x in [lambda: 5]], lambda: (a, 6)

    found = consts_of(f)
    assert sorted(found) == [("<lambda>", 1, number) for number in range(6)]
    assert sorted(found.values()) == [1, 2, 3, 4, 5, 6]


def test_decorated_and_repeated_definitions():
    def f(a):
        if a:
            def g(): return 1
        else:
            @a
            @a
            def g(): return 2
        return g

    assert consts_of(f) == {("g", 2, 0): 1, ("g", 4, 0): 2}
# fmt: on


LOW = -100


def scaled(x, factor=2.0):
    return x * factor


@dataclass
class Tank:
    level: float
    limits: list = field(default_factory=lambda: [-5.0, 50.0])

    def fill(self, x):
        assert self.limits[0] <= self.level < self.limits[1], f"level {self.level!r}"
        self.level = self.level + x * x
        assert self.level > x, (self.level, x)
        return self.level


# Each is x * x or has the slope of it, whatever it asserts.


def plain_name(x):
    assert x
    return x * x


def negative_constant(x):
    assert x > -100
    return x * x


def negative_constant_with_message(x):
    assert x > -100, "too small"
    return x * x


def call_on_the_left(x):
    assert scaled(x) < 1e3
    return x * x


def call_with_keywords(x):
    assert scaled(x, factor=-2.0) < -1e-3, "bad" + " luck"
    return x * x


def chained(x):
    assert -100 < x < 100 <= 10**3
    return x * x


def walrus(x):
    assert (y := x * x) > 0.0
    return y


def walrus_in_a_chain(x):
    assert 0.0 < (y := x * x) < 1e9 and y != 3.0
    return y


def member(x):
    assert "a" in {"a": x} and x not in (1, -2, -3.5)
    return x * x


def boolean(x):
    assert x > 0 and (x < -1 or not x > 1e6), f"{x:.2f} is out"
    return x * x


def attribute(x):
    tank = Tank(1.0)
    assert tank.level == 1.0
    assert tank.limits[-1] > -1
    return tank.fill(x)


def subscripts(x):
    values = [x, -x, x * x]
    assert values[0] > values[1] and values[-1] >= 0, values
    assert values[:2] == [x, -x]
    return values[2]


def approximately(x):
    assert x * x == pytest.approx(x**2, rel=1e-9)
    assert -x * x != pytest.approx(1.0)
    return x * x


def in_a_loop(x):
    total = 0.0
    for k in range(4):
        assert k > -1, k
        if k % 2:
            assert total >= -1.0
            total = total + x * x * 0.5
        else:
            assert not k % 2
    return total


def in_branches(x):
    if x > 0:
        assert x != -1
        y = x * x
    else:
        assert x <= 0, "sign"
        y = -x
    while y < 0:
        assert False, "never"
    return y


def nested(x):
    def inner(v):
        assert v > -100
        return v * x

    assert callable(inner)
    return inner(x)


def with_lambdas(x):
    assert (lambda v: v > -1)(x), "lambda"
    square, _ = (lambda v: v * v), (lambda v: v)
    assert all(v > -100 for v in [x, 2 * x])
    return square(x)


def over_lines(x):
    assert (
        scaled(
            x,
            factor=2.0,
        )
        > -100
    ), (
        "a message"
        " of two lines"
    )  # fmt: skip
    return x * x


def comprehension(x):
    assert [v for v in (x, -x) if v > -100] == [x, -x]
    return sum([v * v for v in (x,)])


def of_an_array(x):
    a = np.array([x, -x])
    assert a.shape == (2,) and a.ndim > -1
    assert np.all(np.abs(a) < 1e6)
    return np.sum(a * a) * 0.5


def in_a_try(x):
    try:
        assert x < -100, "no"
        y = 0.0
    except AssertionError as error:
        assert "no" in str(error)
        y = x * x
    finally:
        assert x > -1000
    return y


def generator(x):
    def parts():
        for k in range(2):
            assert k > -1
            yield x * x * 0.5

    return sum(parts())


def with_conditional(x):
    assert (x if x > 0 else -x) > -100, None
    return x * x


def with_strings_and_bytes(x):
    assert f"{x}" != "%s" and b"%" not in b"ab", "100 %"
    return x * x


def starred(x):
    assert math.hypot(*[x, -x]) > -1 and max(*(x, -x), 3) >= 3
    return x * x


FORMS = [
    plain_name, negative_constant, negative_constant_with_message, call_on_the_left,
    call_with_keywords, chained, walrus, walrus_in_a_chain, member, boolean, attribute, subscripts,
    approximately, in_a_loop, in_branches, nested, with_lambdas, over_lines, comprehension,
    of_an_array, in_a_try, generator, with_conditional, with_strings_and_bytes, starred,
]  # fmt: skip


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_asserts_rewritten_by_pytest(f):
    assert type(f) is type(scaled)
    assert "@pytest_ar" in f.__globals__
    for x in (1.5, np.float64(2.25)):
        assert astad.gradient(f, x) == pytest.approx((2 * x,))
        value, back = astad.pullback(f, x)
        assert value == f(x)
        assert back(3.0) == pytest.approx((6 * x,))


FAILING = [
    (negative_constant, -200.0, ""),
    (negative_constant_with_message, -200.0, "too small"),
    (chained, 150.0, ""),
    (member, -2, ""),
    (boolean, -1.5, "-1.50 is out"),
    (in_branches, math.nan, "sign"),
    (nested, -101.0, ""),
    (attribute, 0.5, ""),
    (over_lines, -60.0, "a message of two lines"),
]


@pytest.mark.parametrize("f, x, said", FAILING, ids=[f.__name__ for f, *_ in FAILING])
def test_a_rewritten_assert_that_fails_raises_with_its_message(f, x, said):
    if f is attribute:

        def f(x):
            return Tank(-9.0).fill(x)

        said = "level -9.0"
    for way in (f, lambda x: astad.gradient(f, x), lambda x: astad.pullback(f, x)):
        with pytest.raises(AssertionError) as caught:
            way(x)
        assert said in str(caught.value)


def test_a_local_function_of_a_test_with_its_own_captures():
    weights = [0.5, 2.0]

    def cost(x):
        assert len(weights) == 2 and weights[-1] > -1
        total = 0.0
        for w in weights:
            assert w >= -1, w
            total += w * x * x
        return total

    assert astad.gradient(cost, 3.0) == (15.0,)
    assert astad.gradient(lambda x: cost(x) + cost(2 * x), 3.0) == (75.0,)


# --- other hooks ----------------------------------------------------------------------------------


@pytest.fixture
def import_with(tmp_path, monkeypatch):
    """A function that imports a text by a loader of its own."""

    def load(name, text, loader):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path, loader=loader(name, str(path)))
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load


class Tripled(ast.NodeTransformer):
    """Every 2.0 is a 3.0."""

    def visit_Constant(self, node):
        is_two = type(node.value) is float and node.value == 2.0
        return ast.copy_location(ast.Constant(3.0), node) if is_two else node


TEXT_of_hooked = """\
def outer(x):
    def inner(v):
        return v * 2.0 * x
    return inner(x)

class Model:
    def cost(self, x):
        total = 0.0
        for k in range(2):
            total += x * 2.0
        return total

square = lambda x: x * x * 2.0
"""


class ByCompile(SourceFileLoader):
    def source_to_code(self, data, path, *, _optimize=-1):
        tree = Tripled().visit(ast.parse(data))
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)


class BySuper(SourceFileLoader):
    def source_to_code(self, data, path, *, _optimize=-1):
        return super().source_to_code(Tripled().visit(ast.parse(data)), path, _optimize=_optimize)


class Static(SourceFileLoader):
    @staticmethod
    def source_to_code(data, path="<string>"):
        tree = ast.parse(data)
        return _later(compile, ast.fix_missing_locations(Tripled().visit(tree)), path, "exec")


def _later(f, *args):
    return f(*args)


class ByText(SourceFileLoader):
    def source_to_code(self, data, path, *, _optimize=-1):
        return super().source_to_code(data.replace(b"2.0", b"3.0"), path, _optimize=_optimize)


class ByCode(SourceFileLoader):
    def get_code(self, name):
        return compile(self.get_data(self.path).replace(b"2.0", b"3.0"), self.path, "exec")


@pytest.mark.parametrize("loader", [ByCompile, BySuper, Static])
def test_what_an_import_hook_compiled_is_differentiated(import_with, loader):
    module = import_with(f"tripled_{loader.__name__}", TEXT_of_hooked, loader)
    assert module.outer(2.0) == 12.0
    for _ in range(2):
        assert astad.gradient(module.outer, 2.0) == (12.0,)
        assert astad.gradient(module.square, 2.0) == (12.0,)
        assert astad.gradient(module.Model().cost, 2.0) == (6.0,)
        assert astad.gradient(lambda x, m=module: m.square(x) * x, 2.0) == (36.0,)


@pytest.mark.parametrize("loader", [ByText, ByCode])
def test_a_hook_that_hands_on_no_tree_is_named(import_with, loader):
    module = import_with(f"tripled_{loader.__name__}", TEXT_of_hooked, loader)
    told = rf"test_module_text\.{loader.__name__}, which imported it, chan"
    with pytest.raises(NoSource, match=told):
        astad.gradient(module.square, 2.0)


def test_a_hook_that_changes_nothing_is_no_matter(import_with):
    module = import_with("as_it_is", TEXT_of_hooked, type("Plain", (SourceFileLoader,), {}))
    assert astad.gradient(module.square, 2.0) == (8.0,)


class Watched(SourceFileLoader):
    """Puts a call of locals() at the head of ``square``, and triples."""

    def source_to_code(self, data, path, *, _optimize=-1):
        tree = Tripled().visit(ast.parse(data))
        square = next(each for each in tree.body if each.name == "square")
        call = ast.Expr(ast.Call(ast.Name("locals", ast.Load()), [], []))
        square.body.insert(0, ast.copy_location(call, square.body[0]))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


READERS = """\
def square(x):
    return x * x

def shown(x):
    names = locals()
    return x * 2.0 * len(names)
"""


def test_a_call_that_a_hook_put_there_is_told_from_one_that_is_written(import_with):
    module = import_with("watched", READERS, Watched)
    assert module.square(3.0) == 9.0 and module.shown(1.0) == 3.0
    with pytest.raises(Unsupported) as put:
        astad.gradient(module.square, 3.0)
    assert put.value.what == f"locals() in square, put there by {__name__}.Watched"
    assert put.value.instead.startswith("import the module without that hook")
    with pytest.raises(Unsupported) as written:
        astad.gradient(module.shown, 3.0)
    assert written.value.what == "locals() in shown"
    assert (written.value.where.line, put.value.where.line) == (5, 2)


def test_functions_under_the_hook_of_typeguard_are_refused_by_its_name(tmp_path, monkeypatch):
    """It puts calls of locals() into them; those without hints are as they were."""
    typeguard = pytest.importorskip("typeguard")
    (tmp_path / "guarded_module.py").write_text(
        "def hinted(x: float) -> float:\n    return x * x\n\ndef plain(x):\n    return x * x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with typeguard.install_import_hook("guarded_module"):
        module = importlib.import_module("guarded_module")
    assert astad.gradient(module.plain, 3.0) == (6.0,)
    said = r"guarded_module\.py:1: .*put there by typeguard\._importhook\.TypeguardLoader"
    with pytest.raises(Unsupported, match=said):
        astad.gradient(module.hinted, 3.0)


EDITED = """
import linecache
import pathlib

import pytest

import astad


def cube(x):
    assert x > -100
    return x**3


def test_it():
    file = pathlib.Path(__file__)
    file.write_text(file.read_text().replace("x**3", "x**4 ") + "# longer")
    linecache.clearcache()
    with pytest.raises(astad.errors.NoSource, match="probably edited"):
        astad.gradient(cube, 3.0)
"""


@pytest.mark.slow
def test_an_edited_file_with_asserts_is_called_edited(tmp_path):
    """Not blamed on pytest, whose asserts are read through."""
    (tmp_path / "test_edited.py").write_text(EDITED)
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "test_edited.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        env={**os.environ, "ASTAD_CACHE": "0", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "1 passed" in done.stdout, done.stdout
