"""Random programs with exceptions, contexts and generators besides all the rest."""

import random

from .generator import HEADER, PARAMETERS, RESULTS, Function, helper_functions, literal
from .kinds import FLOAT

__all__ = ["program_with_attempts"]

MORE = """import contextlib


class Stop(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


@contextlib.contextmanager
def scaled(a, t):
    a[0] = math.sin(a[0] * t)
    try:
        yield a[0] + t
    finally:
        a[0] = a[0] - 0.1 * t


class Held:
    def __init__(self, a, t):
        self.a, self.t = a, t

    def __enter__(self):
        self.t = math.tanh(self.t + self.a[0])
        return self.t

    def __exit__(self, kind, error, trace):
        self.a[0] = self.a[0] * self.t
        return kind is Stop


def waves(t, n):
    for i in range(n):
        t = math.sin(t + i)
        yield t


def filled(a, t):
    for i in range(len(a)):
        a[i] = math.tanh(a[i] + t)
        yield a[i] * t


def stops(a, t):
    a[0] = math.sin(a[0] + t)
    if a[0] > 0.3:
        raise Stop(a[0] * t)
    return a[0] - t
"""


class Attempts(Function):
    """The writer of one function that raises, catches and yields."""

    def makers(self):
        more = [self.attempt] * 4 + [self.context] * 2 + [self.drawn] * 2 + [self.caught_call] * 2
        return super().makers() + (more if self.depth - self.base < 3 else [])

    def attempt(self):
        """Two clauses; half of the times else or finally."""
        self.put("try:")
        self.block(self.raising)
        error = self.fresh("error")  # a clause inside would leave the name unbound
        self.put(f"except {self.pick(['ValueError', '(ValueError, TypeError)'])} as {error}:")
        self.block(lambda: self.with_name(f"{error}.args[0]", FLOAT, self.handled))
        self.put(f"except Stop as {error}:")
        self.block(lambda: self.with_name(f"{error}.value", FLOAT, self.handled))
        if self.chance(0.3):
            self.put("else:")
            self.block(None, most=2)
        if self.chance(0.4):
            self.put("finally:")
            self.block(None, most=2)

    def raising(self):
        self.statements(self.random.randint(1, 2))
        self.put(f"if {self.condition()}:")
        kind = self.pick(["ValueError", "Stop"])
        self.block(lambda: self.put(f"raise {kind}({self.float(2)})"))
        self.statements(1)

    def handled(self):
        names = self.rebindable(FLOAT)
        if names:
            self.put(f"{self.pick(names)} = {self.tame(self.float(2))}")
        self.statements(1)

    def vector(self):
        names = self.names(lambda k: k.name == "array" and len(k.shape) == 1)
        return self.pick(names) if names else None

    def context(self):
        vector, name = self.vector(), self.fresh("k")
        if vector is None:
            return False
        manager = self.pick(["scaled", "Held"])
        self.put(f"with {manager}({vector}, {self.float(1)}) as {name}:")

        def inside():
            self.bind(name, FLOAT)
            self.statements(self.random.randint(1, 2))
            if manager == "Held" and self.chance(0.5):
                self.raising_stop()

        self.block(inside)

    def raising_stop(self):
        self.put(f"if {self.condition()}:")
        self.block(lambda: self.put(f"raise Stop({self.float(1)})"))

    def drawn(self):
        """A loop over a generator."""
        vector, name = self.vector(), self.fresh("e")
        source = f"waves({self.float(1)}, {self.random.randint(1, 4)})"
        if vector is not None and self.chance(0.5):
            source = f"filled({vector}, {self.float(1)})"
        self.put(f"for {name} in {source}:")
        self.loops += 1

        def inside():
            self.bind(name, FLOAT)
            self.statements(self.random.randint(1, 3))
            if self.chance(0.3):
                self.put(f"if {self.condition()}:")
                self.block(lambda: self.put(self.pick(["break", "continue"])))

        self.block(inside)
        self.loops -= 1

    def caught_call(self):
        """A callee that may raise after it wrote."""
        vector, names = self.vector(), self.rebindable(FLOAT)
        if vector is None or not names:
            return False
        name = self.pick(names)
        self.put("try:")
        self.block(lambda: self.put(f"{name} = stops({vector}, {self.float(1)})"))
        error = self.fresh("error")
        self.put(f"except Stop as {error}:")
        self.block(lambda: self.put(f"{name} = math.sin({error}.value)"))


def program_with_attempts(seed, size=12):
    """The text of a module with ``f`` and ``arguments()``, as `program`."""
    rng = random.Random(seed)
    helpers, texts = helper_functions(rng)
    kinds = [FLOAT] + [rng.choice(PARAMETERS) for _ in range(rng.randint(1, 4))]
    parameters = dict(zip("xyzuvw", kinds))
    function = Attempts(rng, helpers, "f", parameters, size + rng.randint(0, 6))
    texts = [MORE, *texts, function.write(rng.choice(RESULTS), rng.randint(3, 7))]
    values = ", ".join(literal(rng, kind) for kind in kinds)
    texts.append(f"def arguments():\n    return ({values},)\n")
    return HEADER.format(seed=seed) + "\n\n" + "\n\n".join(texts)
