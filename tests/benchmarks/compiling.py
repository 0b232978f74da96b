"""What compiling costs: milliseconds of processor time for 100 source lines, by length of function.

Each figure is the least of several functions of the same text, each new to the process, with an
empty disk cache; the compiler is imported before.
"""

import ast
import fractions
import gc
import importlib.util
import inspect
import tempfile
import textwrap
import time
from pathlib import Path
from types import FunctionType

import gast

from astad import gradient, pullback, settings
from astad.compiler import summaries
from astad.compiler.codegen.build import to_code
from astad.compiler.ir.kinds import UNKNOWN
from astad.compiler.pipeline import compile_function

from . import arrays, scalar
from .start_up import start_up_lines

LENGTHS = (100, 160, 300, 1000)
ORDINARY = (
    "{a} = {b} * 0.99",
    "{a} = {b} + math.sin(y)",
    "{a} = {b} - y / 3.0",
    "{a} = {b} * {b} + 1.0",
)
"""One or two operations a line."""
DENSE = (
    "{a} = {b} - y / 3.0",
    "{a} = {b} * 0.99 + math.sin(y) * 2.0",
    "{a} = {b} * 0.99 + math.sin(y) * 3.0",
)
"""Three or four operations a line in two of three."""


def straight(lines, count):
    """The text of a function of so many statements."""
    names = ["x", *(f"v{at}" for at in range(count))]
    pairs = zip(names[1:], names, strict=False)
    body = [f"    {lines[at % len(lines)].format(a=a, b=b)}\n" for at, (a, b) in enumerate(pairs)]
    return f"import math\n\n\ndef f(x, y):\n{''.join(body)}    return {names[-1]}\n"


def loaded(text, folder, name):
    path = Path(folder, f"{name}.py")
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def fused(f):
    return gradient(f, 1.1, 0.7)


def generic(f):
    """Of numbers whose kind the compiler does not know."""
    return pullback(f, fractions.Fraction(1, 2), 0.7)[1](1.0)


def milliseconds(lines, count, derive, times):
    """Of the first derivative; the derivative itself takes less than a hundredth of that."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        before, settings.cache_directory = settings.cache_directory, folder
        for turn in range(times):
            f = loaded(straight(lines, count), folder, f"straight_{turn}")
            start = time.process_time()
            derive(f)
            found.append(1e3 * (time.process_time() - start))
        settings.cache_directory = before
    return min(found)


def of_module(module, times=5):
    """Milliseconds from the text to the code objects of the pairs of all functions of a module, for
    arguments of any kind; its lines; nodes of its syntax tree.
    """
    fns = [fn for fn in vars(module).values() if getattr(fn, "__module__", "") == module.__name__]
    fns = [fn for fn in fns if isinstance(fn, FunctionType)]
    texts = [textwrap.dedent(inspect.getsource(fn)) for fn in fns]
    total = 0.0
    for fn in fns:
        count, found = len(inspect.signature(fn).parameters), []
        kinds, wanted = (UNKNOWN,) * count, (True,) * count
        for _ in range(times):
            summaries._studies.clear()
            gc.collect()
            gc.disable()  # as `astad.api.variants.loading` has it
            start = time.process_time()
            to_code(compile_function(fn, kinds, wanted, fused=False, generic=True).text)
            found.append(1e3 * (time.process_time() - start))
            gc.enable()
        total += min(found)
    nodes = sum(1 for text in texts for _ in ast.walk(ast.parse(text)))
    return total, sum(text.count("\n") for text in texts), nodes


def parsing(module, times=15):
    """Milliseconds that gast takes to parse the module: how fast the machine is."""
    source, found = inspect.getsource(module), []
    for _ in range(times):
        start = time.process_time()
        gast.parse(source)
        found.append(1e3 * (time.process_time() - start))
    return min(found), source.count("\n")


def print_modules():
    """The modules of the benchmark, hand-written gradients included."""
    for module in (scalar, arrays):
        total, lines, nodes = of_module(module)
        name = f"{module.__name__.rpartition('.')[2]}.py, {lines} lines, generic pairs"
        print(f"{name:<40}{100 * total / lines:>9.1f}  ({nodes / lines:.1f} syntax nodes a line)")
    spent, lines = parsing(arrays)
    print(f"{'arrays.py, gast.parse alone':<40}{100 * spent / lines:>9.1f}")


def print_compiling():
    """The table and what start-up costs."""
    milliseconds(ORDINARY, 10, fused, 2), milliseconds(ORDINARY, 10, generic, 2)
    print(f"{'ms for 100 lines':<40}" + "".join(f"{count:>9}" for count in LENGTHS))
    for text, lines in (
        ("one or two operations a line", ORDINARY),
        ("three or four a line", DENSE),
    ):
        for form, derive in (("fused", fused), ("generic pair", generic)):
            row = [milliseconds(lines, count, derive, max(2, 600 // count)) for count in LENGTHS]
            parts = [f"{100 * each / count:>9.1f}" for each, count in zip(row, LENGTHS)]
            print(f"{f'{text}, {form}':<40}" + "".join(parts), flush=True)
    print_modules()
    print(*start_up_lines(), sep="\n")
