"""The derivative is that of the function that runs, whatever became of its source."""

import importlib
import itertools
import linecache
import py_compile
import sys
import traceback

import numpy as np
import pytest

import astad
from astad.errors import AstadError, NoSource

HOOK_AND_NONE = pytest.mark.parametrize("hook", [True, False])
# names are not reused between tests: modules of one name would share a line cache
FRESH = (f"t_source_{number}" for number in itertools.count())


def right_or_refused(function, file, at, expected):
    """The derivative of what runs, or an error that names the file."""
    try:
        (found,) = astad.gradient(function, at)
    except NoSource as error:
        assert file in str(error)
    else:
        assert found == expected


SQUARE_AND_CUBE = """\
def square(x):
    return x * x


def cube(x):
    return x * x * x
"""


@HOOK_AND_NONE
@pytest.mark.parametrize("mention", ["", "# astad\n"])
@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "# one\n# two\n# three\n# four\n# five\n" + text,
        lambda text: text.replace("square", "_").replace("cube", "square").replace("_", "cube"),
        lambda text: text.replace("x * x\n", "x + x\n"),
        lambda text: text.replace("x * x\n", "x * x * x * x\n"),
        lambda text: text.replace("return", "return -"),
        lambda text: "",
        lambda text: "def (",
    ],
    ids=["lines on top", "swapped", "sum", "longer", "sign", "empty", "broken"],
)
def test_file_edited_after_the_import(module, write, hook, mention, edit):
    """A1."""
    name = next(FRESH)
    text = mention + SQUARE_AND_CUBE
    loaded = module(name, text, hook)
    write(f"{name}.py", edit(text))
    right_or_refused(loaded.square, f"{name}.py", 3.0, 6.0)
    right_or_refused(loaded.cube, f"{name}.py", 3.0, 27.0)


@HOOK_AND_NONE
def test_file_edited_between_two_gradients(module, write, hook):
    """A1: what was compiled stays right."""
    name = next(FRESH)
    loaded = module(name, SQUARE_AND_CUBE, hook)
    assert astad.gradient(loaded.square, 3.0) == (6.0,)
    write(f"{name}.py", SQUARE_AND_CUBE.replace("x * x\n", "x + x\n"))
    assert astad.gradient(loaded.square, 3.0) == (6.0,)


@pytest.mark.parametrize(
    "text",
    [
        "# astad\ndef f(x):\n    return x * x\n",
        "import astad\n\n\n@astad.differentiable\ndef f(x):\n    return x * x\n",
    ],
    ids=["mentioned", "decorated"],
)
def test_file_deleted_after_the_import(module, tmp_path, text):
    """A2."""
    name = next(FRESH)
    loaded = module(name, text)
    (tmp_path / f"{name}.py").unlink()
    assert astad.gradient(loaded.f, 3.0) == (6.0,)


def test_file_deleted_after_the_decoration(module, tmp_path):
    """A2: without the hook the decorator looks at the source."""
    name = next(FRESH)
    text = "import astad\n\n\n@astad.differentiable\ndef f(x):\n    return x * x\n"
    loaded = module(name, text, hook=False)
    (tmp_path / f"{name}.py").unlink()
    assert astad.gradient(loaded.f, 3.0) == (6.0,)


def test_file_deleted_before_anyone_looked_at_it(module, tmp_path):
    """A2, A8."""
    name = next(FRESH)
    loaded = module(name, "def f(x):\n    return x * x\n", hook=False)
    (tmp_path / f"{name}.py").unlink()
    right_or_refused(loaded.f, f"{name}.py", 3.0, 6.0)


def test_lambdas_on_one_line():
    """A3."""
    square, cube = [lambda x: x**2, lambda x: x**3]
    assert astad.gradient(square, 3.0) == (6.0,)
    assert astad.gradient(cube, 3.0) == (27.0,)


def test_lambdas_on_one_line_that_differ_by_nothing_but_their_place():
    """A3."""
    same = [lambda x: x * x, lambda x: x + x, lambda x: x * x]
    assert [astad.gradient(f, 3.0) for f in same] == [(6.0,), (2.0,), (6.0,)]


def test_lambda_in_a_lambda_and_over_several_lines():
    """A3."""
    outer = lambda x: (lambda x: x * x * x)(x * x)
    spread = (
        lambda x: x
        * x,
        lambda x: x
        + x,
    )  # fmt: skip
    assert astad.gradient(outer, 2.0) == (192.0,)
    assert [astad.gradient(f, 3.0) for f in spread] == [(6.0,), (2.0,)]


def test_functions_of_one_name():
    """A3: in branches, in each other, in classes."""

    def make(kind):
        if kind == "square":

            def f(x):
                return x * x

        else:

            def f(x):
                def f(x):
                    return x * x * x

                return f(x) + x

        return f

    class Holder:
        def f(self, x):
            return 5.0 * x

    assert astad.gradient(make("square"), 3.0) == (6.0,)
    assert astad.gradient(make("cube"), 3.0) == (28.0,)
    assert astad.gradient(Holder().f, 3.0) == (5.0,)


def test_decorated_functions_are_what_the_decorator_made_of_them():
    """A3."""

    def doubled(f):
        def wrapper(x):
            return 2.0 * f(x)

        return wrapper

    @doubled
    @doubled
    def f(x):
        return x * x

    @doubled
    def g(x):
        return x * x

    assert astad.gradient(f, 3.0) == (24.0,)
    assert astad.gradient(g, 3.0) == (12.0,)


LATIN = "# -*- coding: latin-1 -*-\nimport math  # astad, ä\n".encode("latin-1")
SPELLINGS = {
    "cookie": LATIN + b"def f(x):\n    s = '\xe4'\n    return math.log(x) * len(s)\n",
    "mark": b"\xef\xbb\xbfimport math  # astad\n\ndef f(x):\n    y = x\n    return math.log(y)\n",
    "crlf": b"import math  # astad\r\n\r\ndef f(x):\r\n    y = x\r\n    return math.log(y)\r\n",
    "cr": b"import math  # astad\r\rdef f(x):\r    y = x\r    return math.log(y)\r",
    "tabs": b"import math  # astad\nif math:\n\tdef f(x):\n\t\ty = x\n\t\treturn math.log(y)\n",
    "form feed": b"import math  # astad\n\x0c\ndef f(x):\n    y = x\n\x0c    return math.log(y)\n",
    "continued": b"import math  # astad\ndef f(x):\n    y = \\\n    x\n    return math.log(y)\n",
    "no newline": b"import math  # astad\n\ndef f(x):\n    y = x\n    return math.log(y)",
    "strings": b"import math  # astad\ndef f(x):\n    '''a\n\n'''; return math.log(x)\n",
    "multibyte": "import math  # astad\n\ndef f(x):\n    ä = x\n    return math.log(ä)\n".encode(),
}


@HOOK_AND_NONE
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_source_in_any_spelling(module, hook, spelling):
    """A4: the gradient is right, and an exception shows line 5."""
    loaded = module(next(FRESH), SPELLINGS[spelling], hook)
    assert astad.gradient(loaded.f, 2.0) == (0.5,)
    with pytest.raises(ValueError) as caught:
        astad.gradient(loaded.f, -1.0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.lineno for frame in frames if frame.filename == loaded.__file__] == [5]


def test_future_import_of_the_module_holds(module):
    """A5: annotations that name nothing."""
    text = """
        from __future__ import annotations
        def f(x: Nothing, y: Neither.nor = 2.0) -> Nowhere:
            z: Absent[x] = x * y
            def g(v: Missing) -> None:
                return v * v
            return g(z)
        """
    assert astad.gradient(module(next(FRESH), text).f, 3.0) == (24.0,)


def test_global_rebound_between_two_gradients(module):
    """A6: a number, a function, and one that appears later."""
    text = """
        scale = 2.0
        def g(x):
            return x * x
        def f(x):
            return scale * g(x)
        def late(x):
            return x * offset
        """
    loaded = module(next(FRESH), text)
    assert astad.gradient(loaded.f, 3.0) == (12.0,)
    loaded.scale = 5.0
    assert astad.gradient(loaded.f, 3.0) == (30.0,)
    loaded.g = lambda x: x
    assert astad.gradient(loaded.f, 3.0) == (5.0,)
    with pytest.raises(NameError):
        astad.gradient(loaded.late, 1.0)
    loaded.offset = 7.0
    assert astad.gradient(loaded.late, 1.0) == (7.0,)


def test_builtin_shadowed_between_two_gradients(module):
    """A6: by a global of the module, which is then removed."""
    loaded = module(next(FRESH), "def f(x):\n    return abs(x) * 3.0\n")
    assert astad.gradient(loaded.f, -2.0) == (-3.0,)
    loaded.abs = lambda x: x * x
    assert astad.gradient(loaded.f, -2.0) == (-12.0,)
    del loaded.abs
    assert astad.gradient(loaded.f, -2.0) == (-3.0,)


def test_captured_variable_rebound_between_two_gradients():
    """A6."""

    def make():
        scale = 2.0

        def f(x):
            return scale * x * x

        def rescale(value):
            nonlocal scale
            scale = value

        return f, rescale

    f, rescale = make()
    assert astad.gradient(f, 3.0) == (12.0,)
    rescale(5.0)
    assert astad.gradient(f, 3.0) == (30.0,)
    other, _ = make()
    assert astad.gradient(other, 3.0) == (12.0,)
    assert astad.gradient(f, 3.0) == (30.0,)


def test_defaults_rebound_between_two_gradients():
    """A6."""

    def f(x, scale=2.0):
        return scale * x * x

    assert astad.gradient(f, 3.0)[0] == 12.0
    f.__defaults__ = (5.0,)
    assert astad.gradient(f, 3.0)[0] == 30.0


def test_code_of_a_function_replaced_between_two_gradients():
    """A6."""

    def f(x):
        return x * x

    def g(x):
        return x * x * x

    assert astad.gradient(f, 3.0) == (6.0,)
    f.__code__ = g.__code__
    right_or_refused(f, "test_requirements_source.py", 3.0, 27.0)


class Secretive:
    __rate = 3.0

    def __init__(self, __size):
        self.__size = __size

    def __area(self, __x):
        return self.__size * __x * __x * self.__rate

    def area(self, x):
        return self.__area(x)


class Base:
    def scale(self, x):
        return 2.0 * x


class Derived(Base):
    def scale(self, x):
        return super().scale(x) * x

    def kind(self, x):
        return x * len(__class__.__name__)


def test_private_names_of_a_class():
    """A7."""
    assert astad.gradient(lambda x: Secretive(2.0).area(x), 5.0) == (60.0,)
    assert astad.gradient(Secretive(2.0).area, 5.0) == (60.0,)


def test_super_and_class_without_arguments():
    """A7."""
    assert astad.gradient(Derived().scale, 3.0) == (12.0,)
    assert astad.gradient(Derived().kind, 3.0) == (7.0,)


def test_names_of_the_class_body_are_not_names_of_its_methods():
    """A7."""
    rate = 2.0

    class Holder:
        rate = 100.0

        def f(self, x):
            return rate * x

    assert astad.gradient(Holder().f, 3.0) == (2.0,)


def refusal(function, *arguments):
    """The text of the error, which has its four parts."""
    with pytest.raises(AstadError) as caught:
        astad.gradient(function, *arguments)
    error = caught.value
    assert all(str(part) for part in (error.where, error.what, error.why, error.instead))
    return str(error)


def test_function_made_by_exec_runs_and_a_longer_one_is_refused():
    """A8: names function, file and remedy. A short one is written anew from its instructions."""
    scope = {}
    exec("def area(x):\n    return x * x\n", scope)
    area = astad.differentiable(scope["area"])
    assert area is scope["area"]
    assert area(3.0) == 9.0
    assert astad.gradient(area, 3.0) == (6.0,)
    exec("def area(x):\n    for _ in range(2):\n        x = x * x\n    return x\n", scope)
    assert scope["area"](3.0) == 81.0
    text = refusal(scope["area"], 3.0)
    assert "area" in text
    assert "<string>" in text


def test_function_without_its_source_runs_and_its_gradient_is_refused(module, tmp_path):
    """A8: only the compiled file was installed."""
    name = next(FRESH)
    path = tmp_path / f"{name}.py"
    path.write_text("import astad\n@astad.differentiable\ndef area(x):\n    return x * x\n")
    py_compile.compile(str(path), str(tmp_path / f"{name}.pyc"))
    path.unlink()
    importlib.invalidate_caches()
    loaded = importlib.import_module(name)
    assert loaded.area(3.0) == 9.0
    text = refusal(loaded.area, 3.0)
    assert "area" in text
    assert name in text


def test_builtin_without_a_rule_is_usable_and_its_gradient_is_refused():
    """A8."""
    drawn = np.random.default_rng(0).standard_gamma
    assert astad.differentiable(drawn) is drawn
    assert astad.differentiable(len)("ab") == 2
    assert astad.differentiable(astad.differentiable) is astad.differentiable
    assert "Generator.standard_gamma" in refusal(drawn, 0.25)


def test_function_with_a_line_cache_entry_has_its_source():
    """A8: what notebooks do."""
    text = "def area(x):\n    return x * x\n"
    name = "<cell 1>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    assert astad.gradient(scope["area"], 3.0) == (6.0,)


MAIN = """\
import astad
@astad.differentiable
def f(x):
    return x * x
try:
    print(astad.gradient(f, 3.0))
except astad.errors.NoSource as error:
    print(type(error).__name__, error)
"""


def test_main_program_as_a_file(script):
    """A9."""
    assert script(MAIN) == "(6.0,)\n"


def test_main_program_as_a_module(run, write):
    """A9."""
    write("pack/__init__.py", "")
    write("pack/prog.py", MAIN)
    write("prog.py", MAIN)
    assert run("-m", "prog") == "(6.0,)\n"
    assert run("-m", "pack.prog") == "(6.0,)\n"


@pytest.mark.parametrize("way", [["-c", MAIN], ["-"], []])
def test_main_program_as_an_argument_or_from_a_pipe(run, way):
    """A9: right where Python keeps the source (of -c, and from 3.13 on), else a clear error."""
    text = MAIN.replace(
        "    return x * x", "    for _ in range(1):\n        x = x * x\n    return x"
    )
    if way[:1] == ["-c"]:
        way = ["-c", text]
    said = run(*way, stdin=None if way[:1] == ["-c"] else text)
    if way[:1] == ["-c"] or (sys.version_info >= (3, 13) and said == "(6.0,)\n"):
        assert said == "(6.0,)\n"
        return
    assert said.startswith("NoSource ")
    assert "<string>" in said or "<stdin>" in said
    assert "f" in said


def test_cells_redefined_under_one_name():
    """A10: the second gradient is the new function's."""

    def cell(text):
        linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
        scope = {}
        exec(compile(text, "<cell>", "exec"), scope)
        return scope["f"]

    first = cell("def f(x):\n    return x * x\n")
    assert astad.gradient(first, 3.0) == (6.0,)
    second = cell("def f(x):\n    return x + x\n")
    assert astad.gradient(second, 3.0) == (2.0,)
    assert astad.gradient(first, 3.0) == (6.0,)
