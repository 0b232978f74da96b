"""`python -m astad.show`: what it prints, for what, and how it refuses."""

import ast
import os
import re
import subprocess
import sys
import textwrap

import pytest

from astad.show import main

WALK = """
import math
import functools
import numpy as np


def power(x: float, n: int):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def quotient(a, b):
    return a / (a + b * b)


def bar(x):
    return 2 * x


def baz(x, n):
    for _ in range(n):
        x = x * x
    return x


def foo(x):
    return baz(bar(x), 2)


def recursive(x, n):
    return x if n == 0 else recursive(x * x, n - 1)


def layer(w: np.ndarray, x: "np.ndarray"):
    return np.sum(np.tanh(w @ x))


def mixed(xs, f, k, x, flag=True, *rest, last=1.5, **more):
    for v in xs:
        x = x + f(v) * k
    return x * more["a"]


def make(a):
    def line(x):
        return a * x

    return line


class Line:
    def __init__(self, slope):
        self.slope = slope

    def at(self, x):
        return self.slope * x

    @property
    def double(self):
        return self.slope * 2.0

    @staticmethod
    def half(x):
        return x * 0.5

    @classmethod
    def unit(cls, x):
        return x / 3.0

    def __call__(self, x):
        return self.slope + x


line = Line(2.0)
partly = functools.partial(baz, n=2)
square = lambda x: x * x


def numbers():
    return 1.0


def broken(x):
    locals()
    return x
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    """A module of functions, under a name no other test uses."""
    folder = tmp_path_factory.mktemp("shown")
    (folder / "shown_walk.py").write_text(WALK)
    (folder / "shown_failing.py").write_text("print('hello')\n1 / 0\n")
    (folder / "shown_package").mkdir()
    (folder / "shown_package" / "__init__.py").write_text("")
    (folder / "shown_package" / "inner.py").write_text("def f(x):\n    return x * x\n")
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.startswith("shown_")]:
        del sys.modules[name]


@pytest.fixture
def show(module, capsys):
    """Run the command; its text, where it succeeds."""

    def run(name, *options):
        code = main([f"shown_walk.{name}", *options])
        said = capsys.readouterr()
        assert (code, said.err) == (0, "")
        return said.out.removesuffix("\n")

    return run


@pytest.fixture
def refusal(module, capsys):
    """Run the command; exit code and what it says, where it fails."""

    def run(*arguments):
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = stop.code
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.endswith("\n") and said.err.count("\n") == 1
        return code, said.err.removesuffix("\n")

    return run


def functions(text):
    return [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def code_lines(text):
    return [line for line in text.splitlines() if line and not line.startswith(("#", "import"))]


def body(text):
    """The statements of the functions without their comments."""
    lines = [line.partition("#")[0].rstrip() for line in code_lines(text)]
    return lines[next(at for at, line in enumerate(lines) if line.startswith("def ")) :]


def test_the_loop_of_the_readme(show):
    text = show("power", "--no-guard")
    assert text.startswith("# shown_walk.py:7  power(x: float, n: int), gradient of x\n")
    forward, pullback = (ast.unparse(made) for made in functions(text))
    assert forward.count("append") == 1 and "kept_1.append(y)" in forward
    assert "for y in reversed(kept_1):" in pullback or "for y_kept in reversed" in pullback
    assert "x_bar = x_bar + y_bar * y" in pullback
    assert "call(" not in text and "pull(" not in text


def test_the_quotient_is_short_and_calls_nothing(show):
    for form in ("pair", "fused"):
        text = show("quotient", "--kinds", "float,float", "--form", form)
        assert len(code_lines(text)) <= 16
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        assert {ast.unparse(call.func) for call in calls} == {"type"}
        without = show("quotient", "--kinds", "float,float", "--form", form, "--no-guard")
        assert not any(isinstance(node, ast.Call) for node in ast.walk(ast.parse(without)))


def test_every_statement_has_the_users_line_beside_it(show):
    text = show("power")
    wanted = {"y = 1.0": 8, "kept_1.append(y)": 9, "y = y * x": 10}
    for statement, line in wanted.items():
        assert re.search(rf"{re.escape(statement)} +# shown_walk.py:{line}$", text, re.MULTILINE)
    comments = [line.index("#") for line in text.splitlines() if "  # shown" in line]
    assert len(set(comments)) == 1


def test_what_is_printed_is_what_runs(show):
    from astad.api.variants.loading import Asked, load_or_compile

    printed = body(show("power"))  # which imports the module
    asked = Asked(("float", "int"), (True, True), fused=False)
    made = load_or_compile(sys.modules["shown_walk"].power, asked)
    assert printed == [line for line in made.source.splitlines() if line]


def test_callees_come_before_their_callers(show):
    text = show("foo")
    assert text.startswith("# shown_walk.py:28  foo(x) calls bar(x), baz(x, n)\n")
    names = [made.name for made in functions(text)]
    assert names == ["foo_forward", "foo_pullback", "baz_forward", "baz_pullback"]
    assert re.search(r"def baz_forward\(x, n\): +# shown_walk.py:\d+  baz$", text, re.MULTILINE)
    assert "# shown_walk.py:23" in text
    generic = [made.name for made in functions(show("foo", "--generic"))]
    assert generic.index("baz_forward") < generic.index("foo_forward") == len(generic) - 2


def test_a_recursive_function_is_printed_once(show):
    names = [made.name for made in functions(show("recursive", "--kinds", "float,int"))]
    assert names.count("recursive_forward") >= 1
    assert len(functions(show("recursive", "--generic"))) == 2


def test_kinds_come_from_annotations(show):
    assert "layer(w: ndarray, x: ndarray)" in show("layer")
    assert "power(x: float, n: int)" in show("power")


def test_kinds_without_annotations(show):
    """Floats; ints where they go into range; unknown where a part is asked for."""
    assert "baz(x: float, n: int)" in show("baz")
    assert "quotient(a: float, b: float)" in show("quotient")
    title = "mixed(xs, f, k: float, x: float, flag: inert, *rest, last: float, **more)"
    assert title in show("mixed")
    assert "Line.at(self, x: float)" in show("Line.at")


def test_chosen_kinds(show):
    text = show("layer", "--kinds", "ndarray2,ndarray1", "--form", "fused")
    assert [made.name for made in functions(text)] == ["layer_gradient"]
    assert "w.ndim == 2" in text and "w @ x" in text and "call(" not in text
    assert "w.ndim" not in show("layer", "--kinds", "ndarray2,ndarray1", "--no-guard")
    assert "layer(w, x), arguments of any kind" in show("layer", "--kinds", "unknown,unknown")


def test_the_generic_pair(show):
    text = show("power", "--generic")
    assert "power(x, n), arguments of any kind" in text
    assert "y, y_kept = call(versions, operator.mul, y, x)" in text
    assert [made.name for made in functions(text)] == ["power_forward", "power_pullback"]


def test_the_fused_form(show):
    assert [f.name for f in functions(show("power", "--form", "fused"))] == ["power_gradient"]
    without = functions(show("power", "--form", "fused", "--generic"))
    assert [made.name for made in without] == ["power_forward", "power_pullback"]


def test_names_that_the_text_needs_are_told(show):
    text = show("layer", "--kinds", "ndarray2,ndarray1")
    assert "import numpy as np\n" in text
    assert "from astad.runtime.guarded import float64, ndarray\n" in text
    assert re.search(r'^live = live_names_of\("shown_walk"\)  # its global', text, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "qualname"),
    [
        ("Line.at", "Line.at"), ("Line.__init__", "Line.__init__"), ("Line.double", "Line.double"),
        ("Line.half", "Line.half"), ("Line.unit", "Line.unit"), ("line", "Line.__call__"),
        ("line.at", "Line.at"), ("partly", "baz"), ("square", "<lambda>"),
        ("make.line", "make.<locals>.line"), ("make.<locals>.line", "make.<locals>.line"),
    ],
)  # fmt: skip
def test_methods_and_nested_names(show, name, qualname):
    text = show(name, "--generic")
    assert f"  {qualname}(" in text
    assert len(functions(text)) == 2


def test_a_module_in_a_package(module, capsys):
    assert main(["shown_package.inner.f"]) == 0
    assert "f(x: float), gradient of x" in capsys.readouterr().out


def test_a_function_without_derivative(show):
    assert "numbers(), no derivative passes" in show("numbers")


@pytest.mark.parametrize("stage", ["lower", "specialise", "analyse", "reverse", "tidy"])
def test_earlier_stages_are_wengert_lists(show, stage):
    text = show("power", "--stage", stage)
    assert re.search(r"^ +y = y \* x +# shown_walk.py:10", text, re.MULTILINE)


def test_the_stage_read_is_the_users_text(show):
    text = show("power", "--stage", "read")
    assert "# locals: _, n, x, y\n" in text
    shown = ast.unparse(functions(text)[0])
    assert shown == ast.unparse(functions(WALK)[0])
    assert "captured from outside: a" in show("make.line", "--stage", "read")
    assert "captured by inner functions: a" in show("make", "--stage", "read")
    assert show("square", "--stage", "read").endswith("lambda x: x * x")
    assert "locals()" in show("broken", "--stage", "read")


def test_the_stage_analyse_tells_kind_activity_and_treatment(show):
    text = show("foo", "--stage", "analyse")
    assert re.search(r"# shown_walk.py:29  float active inline$", text, re.MULTILINE)
    assert re.search(r"# shown_walk.py:29  float active pair$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shown_nothing.f"], "no module named shown_nothing"),
        (["shown_walk.gone"], "shown_walk has no gone"),
        (["shown_walk.Line.gone"], "shown_walk.Line has no gone"),
        (["shown_walk.make.gone"], "shown_walk.make has no gone"),
        (["shown_walk"], "shown_walk is no dotted name of a function"),
        (["shown_walk.py"], "shown_walk.py is no dotted name of a function"),
        (["shown_walk..f"], "shown_walk..f is no dotted name of a function"),
        (["shown_package.gone"], "shown_package has no gone"),
        (["shown_walk.Line"], "shown_walk.Line is a class: name one of its methods"),
        (["math.sin"], "math.sin is no function written in Python"),
        (["shown_walk.power", "--kinds", "float,integer"], "no kind named integer; there are"),
        (["shown_walk.power", "--kinds", "float"], "has 2 parameters, --kinds names 1"),
        (["shown_walk.power", "--kinds", ""], "has 2 parameters, --kinds names 0"),
        (["shown_walk.power", "--stage", "gone"], "argument --stage: invalid choice: 'gone'"),
        (["shown_walk.power", "--form", "gone"], "argument --form: invalid choice: 'gone'"),
        (["shown_walk.power", "--gone"], "unrecognized arguments: --gone"),
        ([], "the following arguments are required: function"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_name_or_kind_is_one_line_and_code_2(refusal, arguments, said):
    code, text = refusal(*arguments)
    assert code == 2
    assert text.startswith("astad.show: ") and said in text


def test_a_module_that_fails_is_named(module, capsys):
    assert main(["shown_failing.f"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "importing shown_failing raised ZeroDivisionError: division by zero" in said.err


def test_what_has_no_derivative_is_told_in_four_parts_with_code_1(refusal):
    code, text = refusal("shown_walk.broken")
    assert code == 1
    assert "shown_walk.py" in text and text.count(": ") >= 4


def run(module, *arguments, seed="0", check=True):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "astad.show", *arguments],
        cwd=module,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not check or (done.returncode, done.stderr) == (0, "")
    return done


@pytest.mark.slow
def test_the_same_text_under_every_hash_seed_and_no_warning(module):
    for options in (["shown_walk.mixed"], ["shown_walk.foo", "--generic"]):
        first, second = (run(module, *options, seed=seed).stdout for seed in ("1", "12345"))
        assert first == second
        ast.parse(first)


def test_a_gradient_of_a_gradient(module):
    """In a process that has compiled nothing yet; the text, saved and imported, runs."""
    (module / "bent.py").write_text(
        "from astad import gradient\n\n\ndef cube(x: float):\n    return x * x * x\n\n\n"
        "def curvature(x: float):\n    return gradient(cube, x)[0]\n"
    )
    text = run(module, "bent.curvature").stdout
    assert "call(" not in text and "<astad>" not in text
    (module / "saved.py").write_text(text)
    script = SAVED.replace("NAME", "curvature").replace("ARGUMENTS", "(2.0,)")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=module, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])},
    )  # fmt: skip
    assert done.stdout == "12.0 12.0\n", done.stderr


def test_the_exit_code_of_the_process(module):
    done = run(module, "shown_walk.gone", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "astad.show: shown_walk has no gone\n"


def test_a_lambda_on_a_line_with_others(module, capsys):
    (module / "shown_lambdas.py").write_text(
        textwrap.dedent("""
        pair = (lambda x: x * x, lambda x: x + x)
        first, second = pair
        """)
    )
    assert main(["shown_lambdas.second", "--no-guard"]) == 0
    assert "x + x" in capsys.readouterr().out


SAVED = """
import sys
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.core.versions import Versions
import saved
y, kept = saved.NAME_forward(Versions(), *ARGUMENTS)
print(y, saved.NAME_pullback(kept, 1.0, Shadows())[0])
"""
POINTS = {
    "power": (1.5, 4),
    "quotient": (2.0, 3.0),
    "foo": (1.25,),
    "recursive": (1.5, 3),
    "shifted": (1.5,),
    "counted": (1.5, 3),
    "rooted": (2.0,),
    "chosen": (1.5,),
}
MORE = """
from other import scale, helper


def shifted(x):
    return helper(x) * scale + len([x])


def counted(x, n):
    total = 0.0
    for value in [x * k for k in range(n)]:
        total += abs(value) * math.sqrt(x)
    return total


def rooted(x):
    try:
        return math.log(x - 5.0)
    except ValueError:
        return helper(x) * x


def chosen(x):
    def inner(v):
        return v * scale
    return inner(x) + max(x, 0.0)
"""
OTHER = """
scale = 3.0


def helper(v):
    return v * v * scale + abs(v)
"""


@pytest.mark.sweep(of=8)
@pytest.mark.parametrize("options", [[], ["--generic"], ["--no-guard"]])
@pytest.mark.parametrize("name", POINTS)
def test_what_is_printed_can_be_saved_and_imported(tmp_path, name, options):
    """And gives the value and the gradient."""
    (tmp_path / "walk.py").write_text(WALK + MORE)
    (tmp_path / "other.py").write_text(OTHER)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    kinds = ["--kinds", ",".join("int" if type(at) is int else "float" for at in POINTS[name])]
    more = options if "--generic" in options else [*options, *kinds]
    (tmp_path / "saved.py").write_text(run("-m", "astad.show", f"walk.{name}", *more))
    script = SAVED.replace("NAME", name).replace("ARGUMENTS", repr(POINTS[name]))
    expected = f"import astad, walk\nf = walk.{name}\nat = {POINTS[name]!r}\n"
    expected += "print(f(*at), astad.gradient(f, *at)[0])"
    assert run("-c", script) == run("-c", expected)


@pytest.mark.slow
def test_callee_of_another_module_under_the_same_names_keeps_its_own(tmp_path):
    """Both read a global ``scale``, each that of its own module."""
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair/__init__.py").write_text("")
    one = "from pair import two\nscale = 2.0\ndef f(x):\n    return two.f(x, [1.0]) * scale\n"
    two = "scale = 5.0\ndef f(x, more):\n    return x * x * scale + len(more)\n"
    (tmp_path / "pair/one.py").write_text(one)
    (tmp_path / "pair/two.py").write_text(two)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    for options in (["--generic"], []):
        shown = subprocess.run(
            [sys.executable, "-m", "astad.show", "pair.one.f", *options],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
        ).stdout  # fmt: skip
        (tmp_path / "saved.py").write_text(shown)
        script = SAVED.replace("NAME", "f").replace("ARGUMENTS", "(3.0,)")
        if "def f_2_forward" in shown or "def f_forward_2" in shown:
            assert "names_of_2" not in shown
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.stdout == "92.0 60.0\n", done.stderr
