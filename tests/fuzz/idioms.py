"""Random programs put together from what people write: running balances, moving averages, tables of
dynamic programming, linked nodes, visitors, registries, mixins, decorators with state, caches,
parsers, state machines, objects with units.

An idiom is a text with holes. ``$E`` is filled by an expression of a float, ``$P`` by a positive
one, ``$F`` by a function of a float, ``$K`` by a small number, ``$C`` by a condition, ``@name``
by a name of its own, ``<<a||b>>`` by one of the two. The idioms of a program read each other's
results. Then the program is mutated, as an editor would: statements are exchanged, repeated, put
under a condition or into a loop, an append is written in another way, a name takes the place of
another.

>>> print(program_of_idioms(3)) # doctest: +ELLIPSIS
\"\"\"Program 3.\"\"\"
...
def arguments():
...
"""

import ast
import copy
import random
import re

from .idiom_texts import CLASSES, HEADER, IDIOMS

__all__ = ["mutated", "program_of_idioms"]

HOLE = re.compile(r"\$([EPFKC])|<<((?:(?!<<|>>).)*)>>", re.DOTALL)
UNARY = ("math.sin({})", "math.tanh({})", "math.exp(-{} * {})", "abs({} + 3.1)", "-{}", "{} ** 2")
BINARY = ("{} + {}", "{} - {}", "{} * {}", "{} / (2.0 + math.cos({}))", "max({}, {} - 9.0)")
FUNCTIONS = (
    "math.sin",
    "math.tanh",
    "math.cos",
    "(lambda v: v * 0.5)",
    "math.atan",
    "half",
    "soft",
)
CONDITIONS = ("{} > {}", "{} < 0.2 * {}", "not {} > {}", "-2.0 < {} <= {} + 1.5")
ARGUMENTS = ("x", "y", "z")


def program_of_idioms(seed):
    """The text of a module with ``f`` and ``arguments()``."""
    rng = random.Random(f"idioms {seed}")
    names = _Names(rng)
    body, pieces = [], list(rng.sample(IDIOMS, rng.randint(2, 4)))
    for idiom in pieces:
        text, _, result = names.filled(idiom).rpartition("=> ")
        target = names.fresh("r")
        body += [line for line in text.splitlines() if line.strip()]
        body.append(f"{target} = {result.strip()}")
        names.floats.append(target)
    last = " + ".join(f"{name} * {rng.choice(('0.7', '1.3', '0.4'))}" for name in names.floats)
    parameters = ", ".join(ARGUMENTS)
    function = [f"def f({parameters}):", *(f"    {line}" for line in [*body, f"return {last}"])]
    values = ", ".join(f"{rng.uniform(0.3, 1.7):.3f}" for _ in ARGUMENTS)
    text = "\n".join(function)
    if rng.random() < 0.6:
        text = _mutated(text, rng)
    asked = f"def arguments():\n    return ({values},)\n"
    return "\n\n\n".join([HEADER.format(seed=seed), CLASSES, text, asked])


class _Names:
    """Fills the holes of idioms; knows which floats there are."""

    def __init__(self, rng):
        self.rng, self.count = rng, 0
        self.floats = list(ARGUMENTS)

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def filled(self, text):
        own = {}
        while HOLE.search(text):
            text = HOLE.sub(self._fill, text)
        return re.sub(r"@(\w+)", lambda m: own.setdefault(m[1], self._own(m[1])), text)

    def _own(self, stem):
        self.count += 1
        return f"{stem}_{self.count}"

    def _fill(self, hole):
        if hole[2] is not None:
            return self.rng.choice(hole[2].split("||"))
        kinds = {"E": self.float, "P": self.positive, "C": self.condition}
        kinds["F"] = lambda: self.rng.choice(FUNCTIONS)
        kinds["K"] = lambda: str(self.rng.randint(2, 4))
        return kinds[hole[1]]()

    def float(self, size=2):
        draw = self.rng.random()
        if size == 0 or draw < 0.35:
            number = f"{self.rng.uniform(0.2, 1.9):.2f}"
            return number if draw < 0.07 else self.rng.choice(self.floats)
        form = self.rng.choice(UNARY if draw < 0.6 else BINARY)
        if form.startswith("math.exp"):
            part = self.float(0)
            return form.format(part, part)
        return "(" + form.format(*[self.float(size - 1) for _ in range(form.count("{}"))]) + ")"

    def positive(self):
        return f"(0.6 + {self.float(1)} ** 2)"

    def condition(self):
        return self.rng.choice(CONDITIONS).format(self.float(1), self.float(0))


# --- mutation


def mutated(source, rng):
    """A whole program with its ``f`` edited."""
    node = next(n for n in ast.parse(source).body if getattr(n, "name", "") == "f")
    lines = source.splitlines()
    before, after = lines[: node.lineno - 1], lines[node.end_lineno :]
    text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
    return "\n".join([*before, _mutated(text, rng), *after]) + "\n"


def _mutated(text, rng):
    """The text after one to three edits; where one makes no sense, Python will say so."""
    tree = ast.parse(text)
    for _ in range(rng.randint(1, 3)):
        edit = rng.choice(EDITS)
        blocks = [
            block
            for node in ast.walk(tree)
            for name in ("body", "orelse")
            if isinstance(block := getattr(node, name, None), list) and len(block) > 1
            if not isinstance(node, ast.Module | ast.ClassDef)
        ]
        edit(rng.choice(blocks), tree, rng)
    return ast.unparse(ast.fix_missing_locations(tree))


def _exchange(block, tree, rng):
    place = rng.randrange(len(block) - 1)
    if not isinstance(block[place + 1], ast.Return):
        block[place : place + 2] = block[place + 1], block[place]


def _repeat(block, tree, rng):
    place = rng.randrange(len(block) - 1)
    block.insert(place + 1, copy.deepcopy(block[place]))


def _under(block, tree, rng):
    """Into an arm, a loop, an attempt."""
    place = rng.randrange(len(block) - 1)
    if isinstance(block[place], ast.FunctionDef | ast.ClassDef):
        return
    around = ast.parse(rng.choice(AROUND)).body[0]
    around.body = [block[place]]
    block[place] = around


AROUND = (
    "if x > -5.0: pass",
    "for again in range(2): pass",
    "try: pass\nfinally: seen = len(LOG)",
    "with contextlib.suppress(KeyError): pass",
    "while True:\n    pass\n    break",
)


def _other_append(block, tree, rng):
    """``xs.append(v)`` in another way."""
    for node in block:
        call = getattr(node, "value", None)
        if isinstance(node, ast.Expr) and isinstance(call, ast.Call) and len(call.args) == 1:
            if isinstance(call.func, ast.Attribute) and call.func.attr == "append":
                words = {"xs": ast.unparse(call.func.value), "v": ast.unparse(call.args[0])}
                text = rng.choice(APPENDS).format(**words)
                block[block.index(node)] = ast.parse(text).body[0]
                return


APPENDS = (
    "{xs}.extend([{v}])",
    "{xs}.insert(len({xs}), {v})",
    "{xs} += [{v}]",
    "{xs}.extend(w for w in ({v},))",
    "{xs}[len({xs}):] = [{v}]",
    "{xs} = [*{xs}, {v}]",
    "{xs} = {xs} + [{v}]",
)


def _other_name(block, tree, rng):
    """One name in the place of another, in one statement."""
    node = rng.choice(block)
    found = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    others = [
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    if found and others:
        rng.choice(found).id = rng.choice([*others, *ARGUMENTS])


def _bind_again(block, tree, rng):
    """An argument, or a result, is bound anew."""
    place = rng.randrange(len(block))
    name = rng.choice(ARGUMENTS)
    text = rng.choice(("{n} = {n} * 0.9 + 0.1", "{n} += 0.2 * math.sin({n})", "{n}, x = x, {n}"))
    if not any(isinstance(node, ast.FunctionDef) for node in block[place:]):
        block.insert(place, ast.parse(text.format(n=name)).body[0])


EDITS = (_exchange, _repeat, _under, _other_append, _other_append, _other_name, _bind_again)
