"""A call of a public function: where the function is found, its arguments, as a file that runs."""

import base64
import importlib
import pathlib
import pickle
from dataclasses import dataclass, field

import numpy as np

from astad.testing.leaves import children, is_array, is_number

MOST_NODES = 400
MOST_NUMBERS = 2000


@dataclass
class Call:
    """A function by its module and its path there, the arguments, and where the call was found."""

    module: str
    path: str
    args: list
    kwargs: dict = field(default_factory=dict)
    found: str = "drawn"

    @property
    def name(self):
        return f"{self.module}.{self.path}"

    @property
    def function(self):
        """The function, as the module has it now."""
        value = importlib.import_module(self.module)
        for part in self.path.split("."):
            value = getattr(value, part)
        return value


def size(value):
    """How many floats a value holds; None where it is too large, or too nested, to be looked at."""
    nodes, floats, pending, seen = 0, 0, [value], set()
    while pending:
        each = pending.pop()
        nodes += 1
        if nodes > MOST_NODES:
            return None
        if is_array(each) or is_number(each):
            kind = "i" if isinstance(each, int) else np.asarray(each).dtype.kind
            floats += np.size(each) if kind in "fcO" else 0
        elif id(each) not in seen:
            seen.add(id(each))
            pending += [child for _, child in children(each)]
    return floats if floats <= MOST_NUMBERS else None


def has_floats(value):
    """Whether there is a number to differentiate by, in a value of moderate size."""
    return bool(size(value))


TESTS = str(pathlib.Path(__file__).parents[1])
HEADER = '''"""{title}

{text}

Run it with the package installed: python {file}
"""

import base64
import pickle
from math import inf, nan

import numpy as np
import tests
from numpy import array, float32, float64, int64

tests.__path__ = [{tests!r}, *tests.__path__]  # packages have installed others of this name
from tests.corpus.calls import Call
from tests.corpus.judging import judge

'''


def as_file(call, title, text, file):
    """The text of a program that shows what became of the call."""
    quiet = text.replace("\\", "/").replace('"""', "'''")
    lines = [HEADER.format(title=title, text=quiet, file=file, tests=TESTS)]
    lines += [f"args = {shown(call.args)}", f"kwargs = {shown(call.kwargs)}"]
    lines.append(f"call = Call({call.module!r}, {call.path!r}, args, kwargs, {call.found!r})")
    lines += ["", 'if __name__ == "__main__":', "    print(judge(call))", ""]
    return "\n".join(lines)


def shown(value):
    """An expression for a value: its own text where that says all, else pickled."""
    names = {name: getattr(np, name) for name in ("array", "inf", "nan", "float64", "float32")}
    text = repr(value)
    try:
        with np.printoptions(floatmode="unique", threshold=10**6):
            text = repr(value)
        back = eval(text, dict(names, np=np, int64=np.int64))
        if pickle.dumps(back) == pickle.dumps(value):
            return text
    except Exception:  # a text that is no expression
        pass
    try:
        coded = base64.b85encode(pickle.dumps(value)).decode()
        return f"pickle.loads(base64.b85decode({coded!r}))  # {text[:200]!r}"
    except Exception:
        return f"...  # cannot be pickled: {text[:200]!r}"
