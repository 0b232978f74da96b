"""Random statements of numeric programs: stencils, reductions, recurrences, built lists, masks."""

import copy

from .kinds import FLOAT, Variable, array, count, list_of


class NumericStatements:
    """Mixed into the writer of a function, before `Statements`."""

    plain = True  # nothing that is found at run time: the whole program may be fused

    def makers(self):
        found = [
            (4, self.assign_float), (3, self.augment), (1, self.swap_floats), (1, self.algebra),
            (2, self.call_statement),
        ]  # fmt: skip
        nested = [(2, self.branch), (2, self.for_loop), (1, self.while_loop), (2, self.recurrence)]
        if self.names(lambda k: k.name == "array"):
            found += [
                (2, self.reduced), (3, self.array_step), (1, self.built_of_elements),
                (1, self.product), (1, self.joined), (1, self.write_element),
            ]  # fmt: skip
            nested += [(3, self.element_loop), (3, self.stencil), (2, self.row_loop)]
            nested += [(1, self.filled)]
        if not self.plain:
            found += [
                (3, self.assign_array), (2, self.write_slice), (1, self.whole_array),
                (1, self.several), (1, self.swap), (1, self.alias), (2, self.masked),
                (1, self.list_statement), (1, self.dict_read), (1, self.new_list),
                (1, self.lambda_used),
            ]  # fmt: skip
            nested += [
                (1, self.early_return), (2, self.list_loop), (1, self.loop_over_keys),
                (1, self.inner_function), (1, self.comprehension),
            ]  # fmt: skip
        found += nested if self.depth - self.base < 3 else []
        return [make for weight, make in found for _ in range(weight)]

    def swap_floats(self):
        names = self.rebindable(FLOAT)
        if len(names) < 2:
            return False
        a, b = self.random.sample(names, 2)
        self.put(f"{a}, {b} = {b}, {a}")

    def float_name(self, depth):
        names = self.of_kind(FLOAT)
        if self.plain and names:
            return self.pick([*names, "SCALE"]) if self.chance(0.9) else self.number()
        return super().float_name(depth)

    def reduction(self, depth):
        """Of an array, as numeric code has it."""
        name, shape = self.an(self.pick([1, 2]))
        if name is None or self.chance(0.0 if self.plain else 0.5):
            return super().reduction(depth)
        forms = ["np.sum({0})", "{0}.sum()", "np.mean({0})", "np.sum({0} ** 2)", "np.max({0})"]
        forms += ["np.sum(np.where({0} > {1}, {0}, 0.5 * {0}))", "np.sum(np.exp(-{0} ** 2))"]
        forms += ["{0}.mean()", "np.sum({0} * {0})"] + ["np.dot({0}, {0})"] * (len(shape) == 1)
        return self.pick(forms).format(name, self.number())

    def over_values(self):
        return self.over_range() if self.plain and self.chance(0.6) else super().over_values()

    def rare_float(self, depth):
        """Seldom: most of it is found at run time, which keeps the rest from being fused."""
        rare = not self.plain and self.chance(0.2)
        return super().rare_float(depth) if rare else self.unary(depth)

    def list_reduction(self, name, depth):
        return super().list_reduction(name, depth) if self.chance(0.3) else f"{name}[0]"

    def conditional(self, depth):
        if self.plain or self.chance(0.6):
            return self.binary(depth)
        return super().conditional(depth)

    def an(self, ndim):
        """An array in scope of this rank: its name and shape, or None twice."""
        names = self.names(lambda k: k.name == "array" and len(k.shape) == ndim)
        name = self.pick(names) if names else None
        return (name, self.scope[name].kind.shape) if name else (None, None)

    # ---- whole arrays

    def reduced(self):
        """A reduction by axis, kept or not, put to use by broadcasting."""
        name, shape = self.an(self.pick([1, 2]))
        if name is None:
            return False
        out = self.fresh("a")
        f = self.pick(["sum", "mean", "max", "min", "prod", "std", "var"])
        inner = f"np.tanh({name})" if f in ("prod", "std") or self.chance(0.3) else name
        axis = self.pick([None, 0, -1] if len(shape) == 1 else [None, 0, 1, -1, (0, 1)])
        keep = self.chance(0.5)
        arguments = ([f"axis={axis}"] if axis is not None else []) + (["keepdims=True"] * keep)
        wanted = ", ".join(arguments)
        text = (
            f"np.{f}({inner}{', ' + wanted if wanted else ''})"
            if self.chance(0.5) or inner != name
            else f"{inner}.{f}({wanted})"
        )
        if f == "std":
            text = f"np.sqrt(1.0 + {text} ** 2)"
        if keep:
            self.put(f"{out} = np.sin({name} {self.pick('+-*')} {text})")
            self.bind(out, array(*shape))
            return None
        self.put(f"{out} = {text}")
        left = () if axis in (None, (0, 1)) or len(shape) == 1 else tuple(
            n for i, n in enumerate(shape) if i != axis % 2
        )  # fmt: skip
        self.bind(out, array(*left) if left else FLOAT)

    def array_step(self):
        """Arithmetic of arrays as numeric code has it."""
        name, shape = self.an(self.pick([1, 1, 2]))
        if name is None:
            return False
        out = self.target(array(*shape), "a")
        other = self.broadcast(shape, 1)
        forms = ["{0} - 0.1 * {1}", "{0} * {1} + {0}", "({0} - {1}) ** 2", "{0} / (2.0 + {0} ** 2)"]
        forms += ["np.exp(-{0} ** 2)", "np.maximum({0}, {1} - 3.0)", "np.maximum(np.sin({0}), {2})"]
        forms += ["np.where({0} > {2}, {0} * {1}, 0.5 * {0})", "-{0} + {1}", "{1} - {0}", "+{0}"]
        forms += ["np.minimum({0}, {2} + 3.0)", "np.clip({0}, -4.0, 4.0)", "np.abs({0} + 5.0)"]
        forms += ["1.0 / (1.0 + np.exp(-{0}))", "np.log1p({0} ** 2)", "{0} ** 3", "2.0 * {0}"]
        forms += ["np.sqrt(1.0 + {0} * {0})", "np.add({0}, {1})", "np.multiply({0}, {1})"]
        forms += ["{0}.copy()", "np.zeros_like({0}) + {1}", "np.ones({3}) * {1}", "{0} ** 2"]
        text = self.pick(forms).format(name, other, self.number(), shape)
        self.put(f"{out} = {self.tame_array(text)}")
        self.bind(out, array(*shape))

    def product(self):
        """Matrix products of every rank, outer products, traces, norms."""
        m, shape = self.an(2)
        v, size = self.an(1)
        if m is None or v is None:
            return False
        rows, columns = shape
        out = self.fresh("a")
        forms = [
            (f"{m} @ {self.array((columns,), 1)}", array(rows)),
            (f"{self.array((rows,), 1)} @ {m}", array(columns)),
            (f"{m}.T @ {m}", array(columns, columns)),
            (f"np.dot({m}, {m}.T)", array(rows, rows)),
            (f"{m} @ {self.array((columns, 2), 1)}", array(rows, 2)),
            (f"np.outer({v}, {self.array(size, 1)})", array(*size, *size)),
            (f"{v} @ {self.array(size, 1)}", FLOAT),
            (f"np.sum({v} * {self.array(size, 1)})", FLOAT),
            (f"np.trace({m} @ {m}.T)", FLOAT),
            (f"np.sum({m} * {self.array(shape, 1)})", FLOAT),
            (f"({v} * {v}).sum()", FLOAT),
            (f"np.linalg.norm({v} + 2.0)", FLOAT),
            (f"{v}[:, None] * {self.array(size, 1)}", array(*size, *size)),
            (f"{v}[:, np.newaxis] - {v}[None, :]", array(*size, *size)),
        ]
        text, kind = self.pick(forms)
        tamed = f"np.tanh({text})" if self.chance(0.6) or self.loops else text
        self.put(f"{out} = {tamed}")
        self.bind(out, kind)

    def algebra(self):
        """Zeros, ones, powers and repeated parts: what tidying rewrites."""
        names = self.of_kind(FLOAT)
        vectors = self.names(lambda k: k.name == "array")
        name = self.pick(names + vectors) if names + vectors else None
        if name is None:
            return False
        kind = self.scope[name].kind
        out = self.fresh("v" if kind == FLOAT else "a")
        forms = ["{0} * 1.0 + 0.0", "1 * {0}", "{0} - 0.0 * {0}", "0.0 + {0} * 2.0", "{0} * {0}"]
        forms += ["{0} ** 2", "{0} ** 1", "({0} + {1}) * ({0} + {1})", "{0} - {0} + {1}", "-(-{0})"]
        forms += ["{0} / 1.0", "{0} + {0}", "({0} * {1}) * ({0} * {1}) + {0} * {1}", "0.0 - {0}"]
        forms += ["{0} ** 0 + {0}", "{0} ** 2.0", "{0} ** 3 - {0} ** 2", "2 * ({0} * 0.5)"]
        other = self.pick([n for n in names + vectors if self.scope[n].kind == kind])
        text = self.pick(forms).format(name, other)
        self.put(f"{out} = {'math.tanh' if kind == FLOAT else 'np.tanh'}({text})")
        self.bind(out, kind)

    def joined(self):
        a, shape = self.an(1)
        b, other = self.an(1)
        if a is None:
            return False
        out = self.fresh("a")
        total = (shape[0] + other[0],)
        forms = [
            (f"np.concatenate([{a}, {b}])", total),
            (f"np.concatenate(({a}[1:], {b}))", (total[0] - 1,)),
            (f"np.hstack([{a}, {b}])", total),
            (f"np.stack([{a}, np.sin({a})])", (2, *shape)),
            (f"np.array([{a}, {a} * 0.5])", (2, *shape)),
            (f"np.append({a}, {self.float(1)})", (shape[0] + 1,)),
            (f"np.repeat({a}, 2)", (2 * shape[0],)),
            (f"{a}.reshape(1, {shape[0]})", (1, *shape)),
            (f"{a}.reshape(({shape[0]}, 1))", (*shape, 1)),
        ]
        text, shape = self.pick(forms)
        self.put(f"{out} = {text}")
        self.bind(out, array(*shape))

    def built_of_elements(self):
        """``np.array`` of numbers computed one by one."""
        name, shape = self.an(1)
        if name is None:
            return False
        n, out = shape[0], self.fresh("a")
        p, q = self.fresh("p"), self.fresh("q")
        if n > 1 and self.chance(0.5):
            self.put(f"{p}, {q} = {name}[0], {name}[{self.pick([1, -1])}]")
        else:
            self.put(f"{p} = {name}[{self.index(n)}]")
            self.put(f"{q} = {self.tame(self.float(1))}")
        self.bind(p, FLOAT), self.bind(q, FLOAT)
        forms = [f"{p} * {q}", f"-{p}", f"{q} - {p}", p, q, f"math.sin({p})", f"{p} * (1.0 - {q})"]
        parts = [self.pick([*forms, self.number()]) for _ in range(self.random.randint(1, 4))]
        parts[0] = f"1.0 * {parts[0]}"
        self.put(f"{out} = np.array([{', '.join(parts)}])")
        self.bind(out, array(len(parts)))

    def masked(self):
        name, shape = self.an(self.pick([1, 2]))
        if name is None:
            return False
        mask, out = self.fresh("mask"), self.fresh("v")
        self.put(f"{mask} = {name} > {self.number(-0.5, 0.5)}")
        form = self.random.randrange(5)
        if form == 0:
            self.put(f"{out} = np.sum({name}[{mask}])")
        elif form == 1:
            self.put(f"{out} = ({name} * {mask}).sum()")
        elif form == 2:
            out = self.fresh("a")
            self.put(f"{out} = np.where({mask}, {name}, {self.broadcast(shape, 1)})")
            self.bind(out, array(*shape))
            return None
        elif form == 3:
            out = self.fresh("a")
            self.put(f"{out} = {name}.copy()")
            self.put(f"{out}[{mask}] = math.tanh({self.float(1)})")
            self.bind(out, array(*shape))
            return None
        else:
            self.put(f"{out} = np.sum({name}[~{mask}] ** 2)")
        self.bind(out, FLOAT)

    # ---- loops

    def element_loop(self):
        """A sum over elements, by index."""
        name, shape = self.an(1)
        if name is None or shape[0] < 2:
            return False
        total, i = self.fresh("s"), self.fresh("i")
        self.put(f"{total} = {self.pick(['0.0', self.number()])}")
        head = self.pick([f"len({name})", f"{name}.shape[0]", f"{name}.size", str(shape[0])])
        forms = [
            (f"range({head})", f"{name}[{i}] ** 2"),
            (f"range({head} - 1)", f"{name}[{i}] * {name}[{i} + 1]"),
            (f"range(1, {head})", f"math.sin({name}[{i}] - {name}[{i} - 1])"),
            (f"range({head})", f"{name}[{i}] * {name}[-{i} - 1]"),
            (f"range(0, {head}, 2)", f"{name}[{i}] * {i}"),
            (f"range({head} - 1, -1, -1)", f"{total} * 0.3 * {name}[{i}]"),
        ]
        head, value = self.pick(forms)
        self.put(f"for {i} in {head}:")
        if self.chance(0.3):
            self.put(f"    if {name}[{i}] > {self.number(0, 1)}:\n{'    ' * (self.depth + 2)}"
                     + self.pick(["continue", "break", f"{total} *= 0.5"]))  # fmt: skip
        self.put(f"    {total} {self.pick(['+=', '+=', '-='])} {value}")
        self.bind(total, FLOAT)

    def stencil(self):
        """A local array updated by slices, in a loop."""
        name, shape = self.an(1)
        if name is None or shape[0] < 3:
            return False
        out = self.fresh("u")
        start = self.pick(["{0}.copy()", "np.array({0})", "1.0 * {0}", "np.tanh({0})"])
        self.put(f"{out} = {start.format(name)}")
        k = self.number(0.05, 0.4)
        forms = [
            f"{out}[1:-1] += {k} * ({out}[2:] - 2.0 * {out}[1:-1] + {out}[:-2])",
            f"{out}[1:] = {out}[1:] * {k} + {out}[:-1] * 0.5",
            f"{out}[:-1] -= {k} * {out}[1:] * {out}[:-1]",
            f"{out}[1:-1] = 0.5 * ({out}[:-2] + {out}[2:])",
            f"{out}[0] = {out}[-1] * {k}",
            f"{out}[1:] *= {self.float(0)} * {k}",
            f"{out} += {k} * np.sin({out})",
            f"{out} = {out} - {k} * {out} ** 3",
            f"{out}[::2] = np.sin({out}[::2])",
            f"{out}[{self.index(shape[0])}] *= {k}",
        ]
        self.put(f"for _ in range({self.pick([self.counter_name(), '0', '1', '3', '4'])}):")
        for line in self.random.sample(forms, self.random.randint(1, 3)):
            self.put("    " + line)
        self.bind(out, array(*shape))

    def counter_name(self):
        names = [n for n in self.of_kind(count(5)) if not self.loops]
        return self.pick(names) if names else "2"

    def recurrence(self):
        """Floats carried through a loop, with tuples of them."""
        a, b = self.fresh("v"), self.fresh("v")
        self.put(f"{a}, {b} = {self.tame(self.float(1))}, {self.tame(self.float(1))}")
        self.bind(a, FLOAT), self.bind(b, FLOAT)
        self.put(f"for {self.pick(['_', 'k'])} in range({self.random.randint(0, 5)}):")
        h = self.number(0.05, 0.3)
        lines = [
            f"{a}, {b} = {a} + {h} * {b}, {b} - {h} * math.sin({a})",
            f"{a}, {b} = {b}, math.tanh({a} * {b})",
            f"{a} = {a} - {h} * ({a} * {a} - {b})",
            f"{b} = {b} * {h} + {self.float(1)} * {a} * 0.1",
            f"if {a} > {b}:\n{'    ' * (self.depth + 2)}{a}, {b} = {b}, {a}",
            f"{a} *= 1.0 / (1.0 + {b} * {b})",
        ]
        for line in self.random.sample(lines, self.random.randint(1, 3)):
            self.put("    " + line)

    def row_loop(self):
        """Rows or columns of a matrix, in a loop, carried along."""
        m, shape = self.an(2)
        if m is None:
            return False
        h, i = self.fresh("h"), self.fresh("i")
        size = shape[1]
        if self.chance(0.2):
            self.sum_of_rows(h, m, size)
            return None
        start = self.pick([f"np.zeros({size})", f"{m}[0]", self.array((size,), 1), "0", "0.0"])
        self.put(f"{h} = {start}")
        count_of = self.pick([str(shape[0]), f"len({m})", f"{m}.shape[0]"])
        row, header = self.pick([
            (f"{m}[{i}]", f"{i} in range({count_of})"),
            ("r", f"{i}, r in enumerate({m}{self.pick(['', ', 1'])})"),
            ("r", f"{i}, (r, t) in enumerate(zip({m}, {m}[1:]))"),
        ])  # fmt: skip
        lines = [
            f"{h} = np.tanh({h} + {row})",
            f"{h} = {h} * 0.5 + {row}",
            f"{h} = {h} + {row} * {row}[{self.index(size)}] * {i}",
            f"{h} = np.sin({h} * 0.5 + {row})",
            f"{h} += {row} * {self.number()}",
        ]
        self.put(f"for {header}:")
        self.put("    " + self.pick(lines))
        self.bind(h, array(size))

    def sum_of_rows(self, h, m, size):
        """By the builtin, which begins with a number."""
        item = self.pick(["r * 0.7", "np.tanh(r)", f"r * r[{self.index(size)}]", "r + r"])
        each = f"{item} for r in {m}"
        self.put(f"{h} = sum({self.pick([each, f'[{each}]', f'({each}), 0.5'])})")
        self.bind(h, array(size))

    def list_loop(self):
        """A list built with append, then summed, indexed, made an array or walked."""
        name, i = self.fresh("c"), self.fresh("i")
        n = self.random.randint(2, 4)
        value = self.with_name(i, count(n), lambda: self.float(2))
        forms = [f"math.sin({value}) * ({i} + 1)", f"math.tanh({value})"]
        start = self.pick(["[]", "[]", f"[{self.float(1)}]"])
        self.put(f"{name} = {start}")
        self.put(f"for {i} in range({n}):")
        if start != "[]" and self.chance(0.5):
            forms = [f"math.sin({name}[-1] + {value})", f"{name}[{i}] * 0.5 + {i}"]
        self.put(f"    {name}.append({self.pick(forms)})")
        self.bind(name, list_of(FLOAT, n))
        out = self.fresh("v")
        if self.chance(0.5):
            use = ["sum({0})", "{0}[0] * {0}[-1]", "sum([t * t for t in {0}])", "max({0})"]
            use += ["np.sum(np.array({0}) ** 2)", "{0}[1] - {0}[0]", "math.fsum({0})"]
            self.put(f"{out} = {self.pick(use).format(name)}")
            self.bind(out, FLOAT)

    def filled(self):
        """An array made of zeros and filled element by element, reading what was written."""
        out, i = self.fresh("a"), self.fresh("i")
        n = self.random.randint(2, 5)
        self.put(f"{out} = {self.pick([f'np.zeros({n})', f'np.ones({n})', f'np.empty({n})'])}")
        self.put(f"{out}[0] = {self.tame(self.float(1))}")
        value = self.with_name(i, count(n), lambda: self.float(1))
        forms = [
            f"{out}[{i} - 1] * 0.5 + {value}",
            f"math.sin({out}[{i} - 1] + {i})",
            f"{value} * {i}",
            f"{out}[{i} - 1] * {out}[0]",
        ]
        self.put(f"for {i} in range(1, {n}):")
        self.put(f"    {out}[{i}] = {self.pick(forms)}")
        if self.chance(0.3):
            self.put(f"    {out}[{i} - 1] += {out}[{i}] * 0.1")
        self.bind(out, array(n))

    # ---- containers

    def dict_read(self):
        """A part of a dict or tuple by constant key, under a name of its own."""
        names = self.names(lambda k: k.name in ("dict", "tuple"))
        if not names:
            return False
        name = self.pick(names)
        kind = self.scope[name].kind
        key, part = self.pick(kind.parts if kind.name == "dict" else list(enumerate(kind.parts)))
        out = self.fresh("c")
        if kind.name == "tuple" and self.chance(0.4):
            targets = [self.fresh("p") for _ in kind.parts]
            self.put(f"{', '.join(targets)} = {name}")
            for target, part in zip(targets, kind.parts):
                self.bind(target, part)
            return None
        self.put(f"{out} = {name}[{key!r}]")
        self.bind(out, part)

    def loop_over_keys(self):
        """Numbers of a dict in a loop over its keys, its items, or a literal tuple of them."""
        names = self.names(lambda k: k.name == "dict" and all(p == FLOAT for _, p in k.parts))
        if not names:
            return False
        name, out = self.pick(names), self.fresh("v")
        keys = tuple(key for key, _ in self.scope[name].kind.parts)
        self.put(f"{out} = 0.0")
        head, value = self.pick([
            (f"for k in {keys!r}:", f"{name}[k]"), (f"for k in {name}:", f"{name}[k]"),
            (f"for k, t in {name}.items():", "t"), (f"for t in {name}.values():", "t"),
            (f"for k in sorted({name}):", f"{name}[k]"),
        ])  # fmt: skip
        self.put(head)
        self.put(f"    {out} = math.sin({out} + {value} * {self.float(1)})")
        self.bind(out, FLOAT)

    def new_list(self):
        name = self.fresh("c")
        self.put(f"{name} = [{', '.join(self.tame(self.float(1)) for _ in range(3))}]")
        self.bind(name, list_of(FLOAT, 3))

    def lambda_used(self):
        """A function made at the site and called there."""
        name, out = self.fresh("g"), self.fresh("v")
        text = self.with_name("t", FLOAT, lambda: self.float(2))
        self.put(f"{name} = lambda t: math.sin({text})")
        self.put(f"{out} = {name}({self.float(1)}) + {name}({self.float(1)})")
        self.bind(out, FLOAT)

    def while_loop(self):
        """A search that leaves early, or the general form."""
        if self.chance(0.4):
            return super().while_loop()
        name, n = self.fresh("v"), self.fresh("n")
        self.put(f"{name}, {n} = {self.tame(self.float(1))}, 0")
        self.put(f"while abs({name}) > {self.number(0.02, 0.4)} and {n} < 6:")
        self.put(f"    {name} = {name} * {self.pick(['0.5', 'math.cos({0}) * 0.7'.format(name)])}")
        self.put(f"    {n} += 1")
        if self.chance(0.5):
            self.put(f"    if {n} == {self.random.randint(1, 5)}:")
            self.put(
                f"        {self.pick(['break', f'{name} = {self.float(1)} * 0.3', 'continue'])}"
            )
        scope = copy.copy(self.scope)
        scope[n] = Variable(count(7), fixed=True)
        self.scope = scope
        self.bind(name, FLOAT)
        return None
