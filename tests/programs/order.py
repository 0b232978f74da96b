"""What a program gives must not depend on what was differentiated before in the process.

    python tests/programs/order.py [SEED ...]

Each program is run in a process of its own, a fork of one that has imported astad and nothing more.
Then all are run in one process, in an order drawn from each seed, twice over. Values, gradients and
the texts of errors are compared; an outcome that depends on the order is printed.

The programs: the modules in ``modules/``, the refusals and rewrites in docs/limits.md, and each
rule of Python's numbers on numbers of several kinds, after a number was taken apart and before.
"""

import contextlib
import hashlib
import importlib.util
import io
import itertools
import os
import pickle
import random
import re
import sys
import tempfile
import warnings
from pathlib import Path

from astad import gradient, settings, value_and_grad
from astad.rules.registry import REGISTRY

HERE = Path(__file__).parent
TITLE = re.compile(r"^#--- ([^:\n]+)(?:: (.*))?$", re.MULTILINE)
LIMITS = HERE.parents[1] / "docs" / "limits.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBERS = ("x", "3", "np.float64(0.75)", "True")
COUNT = itertools.count()

OF_RULE = """
import builtins, cmath, math, operator
import numpy as np

FUNCTIONS = []
"""
ONE_CALL = """
def f(x):
    {before}
    y = {name}({args})
    return y[0] if type(y) is tuple else y
FUNCTIONS.append(f)
"""
BEFORE = ("pass", "x.as_integer_ratio()")


def texts():
    """Pairs of a name and the text of a module, which defines ``f`` or does all when imported."""
    for path in sorted((HERE / "modules").glob("*.txt")):
        head, *parts = TITLE.split(path.read_text(encoding="utf-8"))
        for title, _, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            yield f"{path.stem}: {title}", head + body
    for number, block in enumerate(BLOCK.findall(LIMITS.read_text(encoding="utf-8"))):
        if "@astad." not in block:  # a rule that it declares is for the others too
            yield f"limits {number}", block
    yield from _of_rules()


def _of_rules():
    homes = {"math": "math", "_operator": "operator", "builtins": "builtins"}
    found = {}
    for rule in list(REGISTRY.values()):
        module = homes.get(getattr(rule.fn, "__module__", None) or "", "")
        name = getattr(rule.fn, "__name__", "")
        if module and name != "id" and hasattr(sys.modules[module], name):
            found[f"{module}.{name}"] = len([p for p in rule.parameters if p[0] != "*"]) or 1
    for name, count in sorted(found.items()):
        calls = [
            ONE_CALL.format(name=name, args=", ".join([kind] * count), before=before)
            for kind, before in itertools.product(NUMBERS, BEFORE)
        ]
        yield name, OF_RULE + "".join(calls)


def outcome(text, folder):
    """Value and gradient, or the error, without what differs from load to load."""
    stem = f"program_{next(COUNT)}"
    path = Path(folder) / f"{stem}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(stem, path)
    module = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    sys.modules[stem] = module
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec.loader.exec_module(module)
            if not hasattr(module, "f") or "astad.gradient(" in text:
                return "done"
            found = "\n".join(map(_of_function, getattr(module, "FUNCTIONS", [module.f])))
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    for name in set(sys.modules) - before:
        if not getattr(sys.modules[name], "__file__", None):
            del sys.modules[name]  # one that the program made
    return re.sub(r"0x[0-9a-f]+", "0x", found.replace(stem, "program").replace(str(folder), ""))


def _of_function(f):
    try:
        return repr((value_and_grad(f)(1.3), gradient(f, 1.3)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def alone(text, folder):
    """The outcome in a process of its own."""
    next(COUNT)  # a file of its own: of one that is written anew Python may read the old bytecode
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(outcome(text, folder), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(found) if found else "the process ended"


def differences(seeds, share=1.0):
    """Triples of a program, its outcome alone, and another that it had in company."""
    programs = dict(texts())
    settings.cache = False
    names = [name for name in programs if _drawn(name) < share]
    with tempfile.TemporaryDirectory() as folder:
        expected = {name: alone(programs[name], folder) for name in names}
        for seed in seeds:
            order = names * 2
            random.Random(seed).shuffle(order)
            for name in order:
                found = outcome(programs[name], folder)
                if found != expected[name]:
                    yield name, expected[name], found


def _drawn(name):
    return hashlib.sha256(name.encode()).digest()[0] / 256


if __name__ == "__main__":
    shown = set()
    for name, expected, found in differences([int(seed) for seed in sys.argv[1:]] or [0]):
        if (name, found) not in shown:
            shown.add((name, found))
            print(f"{name}\n  alone:      {expected}\n  in company: {found}")
    sys.exit(bool(shown))
