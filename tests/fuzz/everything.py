"""Random programs with classes, closures that rebind, aliases through calls, delegation, groups of
exceptions and patterns besides exceptions, contexts, generators and all the rest.
"""

import random

from .attempts import MORE, Attempts
from .generator import HEADER, PARAMETERS, RESULTS, helper_functions, literal
from .kinds import FLOAT

__all__ = ["program_with_everything"]

HELPERS = """def written(items, t):
    items[0] = math.sin(items[0] * t)
    items.append(t)
    return items


def same_or_new(items, t):
    return items if t > 0.1 else [v * t for v in items]


def turned(a, t):
    a[-1] = math.tanh(a[-1] + t)
    return a[::-1]


def keeps(box, items):
    box.items = items
    return box


def counted(t, n):
    total = t
    for k in range(n):
        sent = yield total
        total = math.sin(total + k if sent is None else total * sent)
    return total * t


def delegates(t, n):
    value = yield from counted(t, n)
    yield value * 0.5
    return value


class Gauge:
    unit = 0.8

    def __init__(self, v):
        self.v = v
        self.items = [v]

    @property
    def double(self):
        return self.v * 2.0

    @double.setter
    def double(self, value):
        self.v = value * 0.5

    def step(self, t):
        self.v = math.tanh(self.v + t * self.unit)
        self.items.append(self.v)
        return self

    def __getitem__(self, k):
        return self.items[k] * self.v

    def __mul__(self, other):
        return Gauge(math.sin(self.v * getattr(other, "v", other)))

    __rmul__ = __mul__


class Fine(Gauge):
    def step(self, t):
        super().step(t * 0.5)
        self.unit = self.unit * 0.9
        return self
"""


class Everything(Attempts):
    """The writer of one function that has all of it."""

    def makers(self):
        more = [
            self.local_class, self.gauge, self.gauge, self.rebinds, self.late_closures,
            self.list_of_two_names, self.view_of_a_call, self.delegation, self.sends, self.group,
            self.pattern,
        ]  # fmt: skip
        return super().makers() + (more * 2 if self.depth - self.base < 3 else [])

    def bound(self, text):
        """A float under a name, new or old."""
        names = self.rebindable(FLOAT)
        if names and self.chance(0.5):
            self.put(f"{self.pick(names)} = math.tanh({text})")
        else:
            name = self.fresh("q")
            self.put(f"{name} = math.sin({text})")
            self.bind(name, FLOAT)

    def local_class(self):
        name, base = self.fresh("C"), self.pick(["", "(Gauge)", "(Fine)"])
        inside = self.float(1)
        self.put(f"class {name}{base}:")
        self.depth += 1
        self.put(f"unit = {self.float(1)}")
        if self.chance(0.4):
            self.put("marks = [unit * k for k in (1.0, 0.5)]".replace("unit * k", "0.3 * k"))
        if not base:
            self.put("def __init__(self, v):")
            self.put("    self.v, self.items = v, [v]")
        self.put("def step(self, t):")
        if base and self.chance(0.5):
            self.put("    super().step(t)")
        self.put(f"    self.v = math.sin(self.v * self.unit + t + {inside})")
        self.put("    return self")
        self.depth -= 1
        made = self.fresh("o")
        self.put(f"{made} = {name}({self.float(1)}).step({self.float(1)})")
        if self.chance(0.5):
            self.put(f"{name}.unit = math.sin({made}.v)")
        self.bound(f"{made}.step({self.float(0)}).v + {made}.unit * sum({made}.items)")

    def gauge(self):
        name = self.fresh("g")
        self.put(f"{name} = {self.pick(['Gauge', 'Fine'])}({self.float(1)})")
        actions = [
            f"{name}.step({self.float(1)}).step({self.float(0)})",
            f"{name}.double = {self.float(1)}",
            f"{name}.v += {self.float(1)}",
            f"{name} = {name} * {self.float(1)}",
            f"{name} = {self.float(0)} * {name}.step({self.float(0)})",
            f"{name}.items[0] *= {name}.v",
            f"setattr({name}, 'v', math.sin({name}.double))",
        ]
        for _ in range(self.random.randint(1, 3)):
            self.put(self.pick(actions))
        self.bound(f"{name}.double + {name}[0] + {name}.unit")

    def rebinds(self):
        names = self.rebindable(FLOAT)
        if not names or self.loops:
            return False
        state, name = self.fresh("state"), self.fresh("turn")
        self.put(f"{state} = {self.float(1)}")
        self.put(f"def {name}(t):")
        self.put(f"    nonlocal {state}")
        self.put(f"    {state} = math.sin({state} + t)")
        self.put(f"    return {state} * t")
        self.bind(state, FLOAT)
        self.bound(f"{name}({self.float(1)}) + {state} * {name}({self.float(0)})")

    def late_closures(self):
        name, k = self.fresh("fs"), self.fresh("k")
        early = self.chance(0.5)
        self.put(f"{name} = []")
        self.put(f"for {k} in (0.4, {self.float(1)}, {self.float(0)}):")
        given = f"t, {k}={k}" if early else "t"
        self.put(f"    {name}.append(lambda {given}: math.sin(t * {k}))")
        self.bound(f"sum(each({self.float(0)}) for each in {name})")

    def list_of_two_names(self):
        a, b, c = (self.fresh(stem) for stem in ("xs", "ys", "zs"))
        self.put(f"{a} = [{self.float(1)}, {self.float(0)}]")
        self.put(f"{b} = {self.pick([a, f'same_or_new({a}, {self.float(0)})'])}")
        self.put(f"{c} = {self.pick(['written', 'same_or_new'])}({b}, {self.float(1)})")
        for _ in range(self.random.randint(1, 2)):
            at = self.pick(["0", "-1"])
            self.put(f"{self.pick([a, b, c])}[{at}] = math.tanh({self.pick([a, b, c])}[0])")
        if self.chance(0.4):
            box = self.fresh("box")
            self.put(f"{box} = keeps(Gauge({self.float(0)}), {self.pick([a, c])})")
            self.put(f"{box}.step({self.float(0)})")
        self.bound(f"sum({a}) * {b}[0] + {c}[-1]")

    def view_of_a_call(self):
        vector, name = self.vector(), self.fresh("view")
        if vector is None:
            return False
        self.put(f"{name} = turned({vector}, {self.float(1)})")
        self.put(f"{name}[0] = math.sin({vector}[0] + {self.float(0)})")
        self.bound(f"{name}.sum() * {vector}[-1]")

    def delegation(self):
        how = self.pick(["sum({})", "list({})[-1]", "max({})", "next({})"])
        call = f"delegates({self.float(1)}, {self.random.randint(1, 3)})"
        self.bound(how.format(call))

    def sends(self):
        name, y = self.fresh("run"), self.fresh("q")
        self.put(f"{name} = delegates({self.float(1)}, 3)")
        self.put(f"{y} = next({name}) + {name}.send({self.float(0)})")
        if self.chance(0.5):
            self.put(f"{name}.close()")
        self.bind(y, FLOAT)

    def group(self):
        error = self.fresh("group")
        names = self.rebindable(FLOAT)
        if not names:
            return False
        parts = f"[Stop({self.float(1)}), ValueError({self.float(1)})]"
        self.put("try:")
        self.put(f"    if {self.condition()}:")
        self.put(f"        raise ExceptionGroup('all', {parts})")
        self.put(f"except* Stop as {error}:")
        self.put(f"    {self.pick(names)} = math.sin({error}.exceptions[0].value)")
        self.put("except* ValueError as other:")
        self.put(f"    {self.pick(names)} = math.tanh(other.exceptions[0].args[0])")

    def pattern(self):
        subjects = [
            f"[{self.float(1)}, ({self.float(0)}, 1, 'a')]", f"{{'p': {self.float(1)}, 'n': 3}}",
            f"Point({self.float(1)}, {self.float(0)})", self.float(1),
        ]  # fmt: skip
        y = self.fresh("q")
        self.put(f"match {self.pick(subjects)}:")
        self.put(f"    case [first, (second, *_)] if first > {self.number()}:")
        self.put(f"        {y} = math.sin(first * second)")
        self.put("    case {'p': first, **rest}:")
        self.put(f"        {y} = math.tanh(first) * len(rest)")
        self.put("    case Point(x=first, y=second):")
        self.put(f"        {y} = math.sin(first - second)")
        self.put("    case float() as first:")
        self.put(f"        {y} = math.cos(first)")
        self.put("    case _:")
        self.put(f"        {y} = {self.float(1)}")
        self.bind(y, FLOAT)


def program_with_everything(seed, size=12):
    """The text of a module with ``f`` and ``arguments()``, as `program`."""
    rng = random.Random(seed)
    helpers, texts = helper_functions(rng)
    kinds = [FLOAT] + [rng.choice(PARAMETERS) for _ in range(rng.randint(1, 4))]
    parameters = dict(zip("xyzuvw", kinds))
    function = Everything(rng, helpers, "f", parameters, size + rng.randint(0, 6))
    texts = [MORE, HELPERS, *texts, function.write(rng.choice(RESULTS), rng.randint(3, 7))]
    values = ", ".join(literal(rng, kind) for kind in kinds)
    texts.append(f"def arguments():\n    return ({values},)\n")
    return HEADER.format(seed=seed) + "\n\n" + "\n\n".join(texts)
