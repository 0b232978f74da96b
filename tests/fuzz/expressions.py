"""Random expressions of a wanted kind, written with the variables in scope.

All are smooth or nearly so, and stay of moderate size: quotients have denominators above 1,
exponentials negative arguments.
"""

from .kinds import FLOAT, array, function_of

UNARY = [
    "sin",
    "cos",
    "tanh",
    "atan",
    "exp",
    "sqrt",
    "log",
    "erf",
    "sinh",
    "cosh",
    "log1p",
    "asinh",
]
NUMPY_NAME = {"atan": "arctan", "asinh": "arcsinh"}


class Expressions:
    """Expressions; `self.random`, `self.scope`, `self.helpers` come from the function's writer."""

    finds = True  # functions at run time, by their name

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    def number(self, low=-1.5, high=1.5):
        value = round(self.random.uniform(low, high), 2)
        return repr(value if value else 0.37)

    def names(self, test):
        return [n for n, v in self.scope.items() if test(v.kind)]

    def of_kind(self, kind):
        return self.names(lambda k: k == kind)

    # ---- floats

    def float(self, depth=2):
        makers = [self.float_name, self.float_part, self.float_part]
        if depth > 0:
            makers += [self.binary, self.binary, self.unary, self.quotient, self.reduction]
            makers += [self.conditional, self.call_float, self.rare_float, self.call_variable]
        for _ in range(6):
            text = self.pick(makers)(depth - 1)
            if text:
                return text
        return self.number()

    def float_name(self, depth):
        if self.chance(0.15):
            return f"({self.number()})"
        if self.chance(0.06):
            return self.pick(["SCALE", "TABLE[0]", "TABLE[-1]", "CONFIG['gain']"])
        if self.chance(0.08):
            names = self.names(lambda k: k.name == "int")
            return f"({self.pick(names)} + 1)" if names else None
        names = self.of_kind(FLOAT)
        return self.pick(names) if names else None

    def index(self, size):
        """An index that is valid for this many elements."""
        counters = self.names(lambda k: k.name == "int")
        if counters and self.chance(0.5):
            name = self.pick(counters)
            return name if self.scope[name].kind.size <= size else f"{name} % {size}"
        return str(self.random.randrange(-size, size))

    def float_part(self, depth):
        """An element, item or attribute that is a float."""
        name = self.pick(list(self.scope) or [""])
        return self.part_of(name, self.scope[name].kind) if name else None

    def part_of(self, text, kind):
        if kind.name == "array":
            if len(kind.shape) == 2:
                i, j = self.index(kind.shape[0]), self.index(kind.shape[1])
                return f"{text}[{i}][{j}]" if self.chance(0.3) else f"{text}[{i}, {j}]"
            return f"{text}[{self.index(kind.shape[0])}]"
        if kind.name == "list" and kind.size:
            return self.part_or_self(f"{text}[{self.index(kind.size)}]", kind.parts[0])
        if kind.name == "tuple":
            i = self.random.randrange(len(kind.parts))
            return self.part_or_self(f"{text}[{i}]", kind.parts[i])
        if kind.name == "dict":
            key, part = self.pick(kind.parts)
            item = f"{text}.get({key!r})" if self.chance(0.2) else f"{text}[{key!r}]"
            return self.part_or_self(item, part)
        if kind.name == "object":
            key, part = self.pick(kind.parts)
            if self.chance(0.1):
                return self.part_or_self(f"getattr({text}, {key!r})", part)
            return self.part_or_self(f"{text}.{key}", part)
        return None

    def part_or_self(self, text, kind):
        return text if kind == FLOAT else self.part_of(text, kind)

    def binary(self, depth):
        a, b = self.float(depth), self.float(depth)
        return f"({a} {self.pick('+-**')} {b})"

    def unary(self, depth):
        a = self.float(depth)
        return self.apply(self.pick(UNARY), a, self.pick(["math", "math", "np"]))

    def apply(self, name, a, module):
        """A function of one variable, inside its domain and away from overflow."""
        if name in ("exp", "sinh", "cosh"):
            a = f"-({a}) ** 2" if name == "exp" else f"math.tanh({a})"
            a = a.replace("math.tanh", f"{module}.tanh")
        elif name in ("sqrt", "log", "log1p"):
            a = f"1.5 + ({a}) ** 2"
        if module == "np" and name == "erf":
            name = "tanh"
        return f"{module}.{NUMPY_NAME.get(name, name) if module == 'np' else name}({a})"

    def quotient(self, depth):
        a, b = self.float(depth), self.float(depth)
        return f"({a} / (2.0 + {b} ** 2))"

    def reduction(self, depth):
        """A float from a whole container."""
        arrays = self.names(lambda k: k.name == "array")
        lists = self.names(lambda k: k.name == "list" and k.parts[0] == FLOAT)
        if lists and (not arrays or self.chance(0.35)):
            return self.list_reduction(self.pick(lists), depth)
        if not arrays:
            return None
        name = self.pick(arrays)
        shape = self.scope[name].kind.shape
        forms = ["np.sum({0})", "{0}.sum()", "{0}.mean()", "np.mean({0} ** 2)", "({0} * {0}).sum()"]
        forms += ["np.sum({0}[{0} > {1}])", "np.max(np.tanh({0}))", "np.linalg.norm({0} + 3.0)"]
        forms += ["np.sum(np.where({0} > {1}, {0}, 0.5 * {0}))", "np.prod(np.cos({0}))"]
        forms += [
            "float(np.sum(np.sin({0})))",
            "np.sum({0}[::-1] * {0})",
            "np.sqrt(1.0 + ({0} ** 2).sum())",
        ]
        if len(shape) == 1:
            forms += ["({0} @ {2})", "np.dot({0}, {2})", "sum({0})", "sum(t * t for t in {0})"]
            forms += [f"np.sum({{0}}[{self.indices(shape[0])}])", "np.cumsum({0})[-1]"]
            forms += ["sum([t * 0.5 for t in {0}[1:]])" if shape[0] > 1 else "{0}[0]"]
        else:
            forms += ["np.trace({0} @ {0}.T)", "np.einsum('ij,ij->', {0}, {2})", "{0}.T[0].sum()"]
            forms += [
                "np.sum({0}, axis=0)[0]",
                "{0}.sum(axis=1).max()",
                "sum(r[0] * r[-1] for r in {0})",
            ]
        return self.pick(forms).format(name, self.number(), self.pick(self.of_kind(array(*shape))))

    def indices(self, size):
        return repr([self.random.randrange(size) for _ in range(self.random.randint(2, 4))])

    def list_reduction(self, name, depth):
        forms = ["sum({0})", "sum(t * t for t in {0})", "sum([math.sin(t) for t in {0}])"]
        forms += ["sum(t for t in {0} if t > {1})", "np.sum(np.array({0}))", "math.fsum({0})"]
        forms += [
            "sum(i * t for i, t in enumerate({0}))",
            "sum(s * t for s, t in zip({0}, {0}[1:]))",
            "sum([s * t for s, t in zip({0}, {0}, strict=True)])",
            "math.fsum({0})",
        ]
        forms += ["functools.reduce(lambda s, t: 0.5 * s + t, {0}, {2})", "sum(map(math.cos, {0}))"]
        forms += ["sum(k * t for k, t in enumerate(sorted({0})))", "sum(reversed({0}))"]
        if self.scope[name].kind.size:
            forms += ["max({0})", "min({0})", "max({0}, key=lambda t: t * t)"]
        return self.pick(forms).format(name, self.number(), self.float(depth))

    def conditional(self, depth):
        if self.chance(0.3):
            a, b = self.float(depth), self.float(depth)
            return f"({a} {self.pick(['and', 'or'])} {b})"
        return f"({self.float(depth)} if {self.condition(depth)} else {self.float(depth)})"

    def call_float(self, depth):
        helpers = [h for h in self.helpers if h.result == FLOAT]
        if not helpers or self.helper_calls <= 0:
            return None
        return self.call(self.pick(helpers), depth)

    def call_variable(self, depth):
        """A call of a function held by a variable."""
        names = self.of_kind(function_of(FLOAT, FLOAT))
        return f"{self.pick(names)}({self.float(depth)})" if names else None

    def call(self, helper, depth):
        """A call with arguments of the right kinds; None if there is no variable of a kind."""
        self.helper_calls -= 1
        positional = [self.value(kind, depth) for kind in helper.parameters]
        if None in positional:
            return None
        if helper.star:
            extra = [self.float(0) for _ in range(self.random.randint(0, 2))]
            floats = self.names(lambda k: k.name in ("list", "tuple") and set(k.parts) == {FLOAT})
            positional += extra + ([f"*{self.pick(floats)}"] if floats and self.chance(0.4) else [])
        keywords = [f"{n}={self.float(0)}" for n in helper.keywords if self.chance(0.5)]
        found = self.finds and self.extra.random() < 0.15
        name = f"FOUND[{helper.name!r}]" if found else helper.name
        if keywords and self.chance(0.2):
            return f"{name}({', '.join(positional)}, **dict({', '.join(keywords)}))"
        return f"{name}({', '.join(positional + keywords)})"

    def rare_float(self, depth):
        forms = [
            "(lambda p: p * {0})({1})",
            "abs(1.7 + {0} ** 2)",
            "max({0}, {1} - 5.0)",
            "pow({0}, 2)",
        ]
        forms += [
            "(-{0})",
            "min({0}, 5.0 + {1} ** 2)",
            "math.hypot(1.0, {0})",
            "({0}) ** 3",
            "float({0})",
        ]
        forms += [
            "math.atan2({0}, 2.0 + {1} ** 2)",
            "np.float64({0})",
            "[{0}, {1}][0]",
            "({0}, {1})[-1]",
        ]
        forms += [
            "np.maximum({0}, {1} - 5.0)",
            "np.hypot({0}, 1.5)",
            "sum(({0}, {1}))",
            "operator.mul({0}, {1})",
        ]
        forms += [
            "max({0}, {1} - 5.0, {0} * {1} - 9.0)",
            "math.hypot({0}, 1.5, {1})",
            "np.clip({0}, {1} - 6.0, 9.0)",
            "math.fsum([{0}, {1}, {0}])",
            "min([{0}, {1} + 5.0])",
            "(round(0.4 * math.tanh({0})) + {1})",
        ]
        forms += ["(1.5 + {0} ** 2) ** math.tanh({1})", "2 ** math.sin({0})", "{{'k': {0}}}['k']"]
        return self.pick(forms).format(self.float(depth), self.float(depth))

    # ---- conditions

    def condition(self, depth=1):
        forms = [
            self.compared,
            self.compared,
            self.compared,
            self.counted,
            self.combined,
            self.tested,
        ]
        for _ in range(4):
            text = self.pick(forms)(depth - 1)
            if text:
                return text
        return "True"

    def compared(self, depth):
        a = self.float(depth)
        if self.chance(0.2):
            return f"{self.number(-1.5, 0)} < {a} <= {self.number(0, 1.5)}"
        return f"{a} {self.pick(['<', '>', '<=', '>='])} {self.number()}"

    def counted(self, depth):
        counters = self.names(lambda k: k.name == "int")
        lists = self.names(lambda k: k.name == "list")
        if counters and self.chance(0.7):
            name = self.pick(counters)
            return self.pick([f"{name} % 2 == 0", f"{name} > 1", f"{name} != 1", f"not {name}"])
        return f"len({self.pick(lists)}) > {self.random.randint(1, 4)}" if lists else None

    def combined(self, depth):
        a, b = self.condition(depth), self.condition(depth)
        return self.pick([f"({a} and {b})", f"({a} or {b})", f"not ({a})"])

    def tested(self, depth):
        arrays = self.names(lambda k: k.name == "array")
        if not arrays:
            return None
        a = self.pick(arrays)
        return self.pick(
            [f"np.any({a} > {self.number()})", f"({a} < {self.number()}).all()", f"{a}.ndim == 1"]
        )

    # ---- arrays

    def array(self, shape, depth=2):
        """An array of this shape: fresh, or an alias, or a view."""
        makers = [self.array_name, self.array_view, self.array_view]
        if depth > 0:
            makers += [self.array_binary, self.array_binary, self.array_unary, self.array_made]
            makers += [self.array_product, self.array_call, self.array_part]
        for _ in range(6):
            text = self.pick(makers)(shape, depth - 1)
            if text:
                return text
        return self.fresh_array(shape)

    def fresh_array(self, shape):
        if len(shape) == 2:
            return f"np.full({shape}, 1.0 * {self.float(0)})"
        return "np.array([1.0 * " + ", ".join(self.float(0) for _ in range(shape[0])) + "])"

    def array_name(self, shape, depth):
        names = self.of_kind(array(*shape))
        return self.pick(names) if names else None

    def array_part(self, shape, depth):
        """An array inside a container or an object."""
        found = [
            text
            for name, v in self.scope.items()
            for text in self.arrays_inside(name, v.kind, shape)
        ]
        return self.pick(found) if found else None

    def arrays_inside(self, text, kind, shape):
        wanted = array(*shape)
        if kind.name == "list" and kind.parts[0] == wanted and kind.size:
            return [f"{text}[{self.index(kind.size)}]"]
        if kind.name == "tuple":
            return [f"{text}[{i}]" for i, part in enumerate(kind.parts) if part == wanted]
        if kind.name == "dict":
            return [f"{text}[{key!r}]" for key, part in kind.parts if part == wanted]
        if kind.name == "object":
            return [f"{text}.{key}" for key, part in kind.parts if part == wanted]
        return []

    def array_view(self, shape, depth):
        """A slice, row, column, transpose or reshape that has this shape."""
        found = []
        for name in self.names(lambda k: k.name == "array"):
            found += views(name, self.scope[name].kind.shape, shape, self)
        return self.pick(found) if found else None

    def array_binary(self, shape, depth):
        a = self.array(shape, depth)
        sign = self.pick(["+", "-", "*"])
        if self.chance(0.2):
            return f"({a} / (2.0 + ({self.array(shape, depth)}) ** 2))"
        other = self.broadcast(shape, depth)
        return f"({a} {sign} {other})" if self.chance(0.7) else f"({other} {sign} {a})"

    def broadcast(self, shape, depth):
        """Something that broadcasts to this shape."""
        if self.chance(0.4):
            return self.float(depth)
        if len(shape) == 2 and self.chance(0.6):
            if self.chance(0.5):
                return self.array(shape[1:], depth)
            return f"{self.array(shape[:1], 0)}[:, None]"
        return self.array(shape, depth)

    def array_unary(self, shape, depth):
        a = self.array(shape, depth)
        if self.chance(0.3):
            forms = [
                "np.where({0} > {1}, {0}, {2})",
                "np.maximum({0}, {1} - 5.0)",
                "np.clip({0}, -9.0, 9.0)",
            ]
            forms += ["{0}.copy()", "(-{0})", "({0} ** 2)", "np.abs({0} + 7.0)", "np.square({0})"]
            forms += ["np.cumsum({0}, axis=-1)", "np.roll({0}, 1)", "np.flip({0})", "np.sort({0})"]
            return self.pick(forms).format(a, self.number(), self.float(depth))
        return self.apply(self.pick([u for u in UNARY if u != "erf"]), a, "np")

    def array_made(self, shape, depth):
        """An array built of other values."""
        if len(shape) == 2:
            row = [self.array(shape[1:], 0) for _ in range(shape[0])]
            forms = [
                f"np.stack([{', '.join(row)}])",
                f"np.array([{', '.join(row)}])",
                f"np.vstack(({', '.join(row)},))",
            ]
            forms.append(f"np.outer({self.array(shape[:1], 0)}, {self.array(shape[1:], 0)})")
            return self.pick(forms)
        lists = self.names(
            lambda k: k.name == "list" and k.parts[0] == FLOAT and k.size >= shape[0]
        )
        if lists and self.chance(0.4):
            return f"np.array({self.pick(lists)}[:{shape[0]}])"
        if shape[0] > 1 and self.chance(0.4):
            return f"np.concatenate([{self.array((1,), 0)}, {self.array((shape[0] - 1,), 0)}])"
        if self.chance(0.3):
            return f"(np.zeros({shape[0]}) + {self.float(depth)})"
        if self.chance(0.3):
            return f"np.array([{self.float(depth)} * (k + 0.0) for k in range({shape[0]})])"
        return self.fresh_array(shape)

    def array_product(self, shape, depth):
        matrices = self.names(lambda k: len(k.shape) == 2)
        for name in self.random.sample(matrices, len(matrices)):
            rows, columns = self.scope[name].kind.shape
            if len(shape) == 1 and rows == shape[0]:
                return f"({name} @ {self.array((columns,), 0)})"
            if len(shape) == 1 and columns == shape[0]:
                return f"np.dot({self.array((rows,), 0)}, {name})"
            if len(shape) == 2 and rows == shape[0]:
                return f"({name} @ {self.array((columns, shape[1]), 0)})"
        return None

    def array_call(self, shape, depth):
        helpers = [h for h in self.helpers if h.result == array(*shape)]
        if not helpers or self.helper_calls <= 0:
            return None
        return self.call(self.pick(helpers), depth)

    # ---- any kind

    def value(self, kind, depth=1):
        """An expression of any kind; None where one would have to be made up."""
        if kind == FLOAT:
            return self.float(depth)
        if kind.name == "array":
            return self.array(kind.shape, depth)
        if kind.name == "int":
            names = [
                n
                for n in self.names(lambda k: k.name == "int")
                if self.scope[n].kind.size <= kind.size
            ]
            return (
                self.pick(names)
                if names and self.chance(0.5)
                else str(self.random.randrange(kind.size))
            )
        if kind.name == "function":
            return self.function(kind)
        names = self.of_kind(kind)
        if names and self.chance(0.8):
            return self.pick(names)
        return self.display(kind, depth)

    def function(self, kind):
        names = self.of_kind(kind)
        if names and self.chance(0.5):
            return self.pick(names)
        if self.chance(0.3):
            return self.pick(["math.sin", "math.tanh", "np.cos"])
        return f"lambda t: {self.with_name('t', FLOAT, lambda: self.float(1))}"

    def with_name(self, name, kind, make):
        """What ``make`` makes while this name is in scope."""
        from .kinds import Variable

        hidden = self.scope.pop(name, None)
        self.scope[name] = Variable(kind, fixed=True)
        text = make()
        del self.scope[name]
        if hidden:
            self.scope[name] = hidden
        return text

    def display(self, kind, depth):
        """A fresh container or object."""
        if kind.name == "list":
            return "[" + ", ".join(self.value(kind.parts[0], depth) for _ in range(kind.size)) + "]"
        if kind.name == "tuple":
            return "(" + "".join(self.value(k, depth) + ", " for k in kind.parts) + ")"
        if kind.name == "dict":
            if self.chance(0.2):
                return (
                    "dict(" + ", ".join(f"{k}={self.value(v, depth)}" for k, v in kind.parts) + ")"
                )
            return "{" + ", ".join(f"{k!r}: {self.value(v, depth)}" for k, v in kind.parts) + "}"
        values = [self.value(k, depth) for _, k in kind.parts]
        if self.chance(0.3):
            values = [f"{name}={text}" for (name, _), text in zip(kind.parts, values)]
        return f"{kind.tag}({', '.join(values)})"


def views(name, shape, wanted, pick):
    """Texts of views of an array of one shape that have another."""
    found = []
    if len(shape) == 1 and len(wanted) == 1:
        spare = shape[0] - wanted[0]
        if spare > 0:
            start = pick.random.randint(0, spare)
            found += [
                f"{name}[{start}:{start + wanted[0]}]",
                f"{name}[{spare}:]",
                f"{name}[:{-spare}]",
            ]
            rows = [pick.random.randrange(shape[0]) for _ in range(wanted[0])]
            found.append(f"{name}[{rows}]")
        if spare == 0:
            found += [f"{name}[::-1]", f"{name}[...]", f"{name}.reshape(-1)"]
            found.append(
                f"np.take({name}, {[pick.random.randrange(shape[0]) for _ in range(shape[0])]})"
            )
        if shape[0] >= 2 * wanted[0]:
            found.append(f"{name}[::2][:{wanted[0]}]")
    if len(shape) == 2 and len(wanted) == 1:
        if shape[1] == wanted[0]:
            found += [
                f"{name}[{pick.index(shape[0])}]",
                f"{name}[{pick.random.randrange(shape[0])}, :]",
            ]
            found += [f"{name}.sum(axis=0)", f"np.mean({name}, axis=0)"]
        if shape[0] == wanted[0]:
            found += [f"{name}[:, {pick.index(shape[1])}]", f"{name}.T[{pick.index(shape[1])}]"]
            found += [f"{name}.sum(axis=1)", f"np.sum({name} ** 2, axis=-1)"]
        if shape[0] * shape[1] >= wanted[0]:
            found += [f"{name}.ravel()[:{wanted[0]}]", f"{name}.reshape(-1)[-{wanted[0]}:]"]
    if len(shape) == 2 and len(wanted) == 2:
        if shape[::-1] == wanted:
            found += [f"{name}.T", f"{name}.swapaxes(0, 1)", f"np.transpose({name})"]
        if shape == wanted:
            found += [f"{name}[::-1]", f"{name}[:, ::-1]", f"{name}[{list(range(shape[0]))[::-1]}]"]
        if shape[0] * shape[1] == wanted[0] * wanted[1]:
            found.append(f"{name}.reshape({wanted[0]}, {wanted[1]})")
        if shape[0] >= wanted[0] and shape[1] >= wanted[1]:
            found.append(f"{name}[:{wanted[0]}, :{wanted[1]}]")
    if len(shape) == 1 and len(wanted) == 2 and shape[0] == wanted[0] * wanted[1]:
        found.append(f"{name}.reshape({wanted[0]}, {wanted[1]})")
    return found
