"""Random statements: assignments, writes, control flow, calls, inner functions.

A name that a block binds is gone after the block; a name from before it keeps its kind.
"""

import copy

from .expressions import Expressions
from .kinds import (
    FLOAT,
    Variable,
    array,
    count,
    dict_of,
    function_of,
    list_of,
    object_of,
    tuple_of,
)


class Statements(Expressions):
    """Statements, appended to `self.lines`; `self.budget` bounds how many."""

    def put(self, line):
        self.lines.append("    " * self.depth + line)

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def bind(self, name, kind):
        self.scope[name] = Variable(kind)

    def rebindable(self, kind):
        return [n for n, v in self.scope.items() if v.kind == kind and not v.fixed and not v.frozen]

    def tame(self, text):
        """Keep a float small: what is assigned in a loop must not grow."""
        if self.loops or self.chance(0.5):
            return self.pick(
                ["math.tanh({})", "math.sin({})", "np.tanh({})", "(0.5 * math.cos({}))"]
            ).format(text)
        return text

    def tame_array(self, text):
        if self.loops or self.chance(0.4):
            return self.pick(["np.tanh({})", "np.sin({})"]).format(text)
        return text

    def block(self, make, scope=None, most=4):
        """An indented block; names bound in it are forgotten after it."""
        outer, self.scope = self.scope, scope or copy.copy(self.scope)
        self.depth += 1
        before = len(self.lines)
        make() if make else self.statements(self.random.randint(1, most))
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1
        self.scope = outer

    def statements(self, number):
        for _ in range(number):
            if self.budget <= 0:
                return
            self.budget -= 1
            for _ in range(5):
                if self.pick(self.makers())() is not False:
                    break
            if self.extra.random() < 0.1:
                self.reorder()

    def makers(self):
        plain = [
            (4, self.assign_float), (3, self.assign_array), (3, self.augment),
            (3, self.write_element), (3, self.write_slice), (2, self.whole_array),
            (2, self.several), (2, self.swap),
            (2, self.list_statement), (2, self.dict_statement), (2, self.object_statement),
            (3, self.call_statement), (1, self.new_container), (1, self.inert), (1, self.alias),
            (1, self.function_variable), (1, self.forget),
        ]  # fmt: skip
        if self.depth - self.base < 3:
            plain += [
                (3, self.branch), (3, self.for_loop), (1, self.while_loop), (1, self.early_return),
                (1, self.inner_function), (1, self.comprehension), (1, self.list_of_functions),
                (1, self.rows_built_in_a_loop),
            ]  # fmt: skip
        return [make for weight, make in plain for _ in range(weight)]

    # ---- assignments

    def target(self, kind, stem):
        names = self.rebindable(kind)
        if names and (self.chance(0.5) or self.depth > self.base):
            return self.pick(names)
        name = self.fresh(stem)
        return name

    def assign_float(self):
        text = self.tame(self.float(3)) if self.chance(0.95) else self.pick(["0", "1"])
        name = self.target(FLOAT, "v")
        form = self.random.random()
        if form < 0.08:
            other = self.fresh("v")
            self.put(f"{name} = {other} = {text}")
            self.bind(other, FLOAT)
        elif form < 0.16:
            self.put(f"{name}: float = {text}")
        elif form < 0.24:
            other = self.fresh("w")
            self.put(f"{name} = ({other} := {text}) * {self.float(1)}")
            self.bind(other, FLOAT)
        else:
            self.put(f"{name} = {text}")
        self.bind(name, FLOAT)

    def assign_array(self):
        shape = self.shape()
        text = self.array(shape, 2)
        name = self.target(array(*shape), "a")
        self.put(f"{name} = {self.tame_array(text) if self.loops else text}")
        self.bind(name, array(*shape))

    def shape(self):
        shapes = [v.kind.shape for v in self.scope.values() if v.kind.name == "array"]
        if shapes and self.chance(0.8):
            return self.pick(shapes)
        return self.pick([(2,), (3,), (4,), (2, 3), (3, 2)])

    def alias(self):
        """A second name for a mutable object, sometimes chosen by a branch."""
        names = [
            n for n, v in self.scope.items() if v.kind.name in ("array", "list", "dict", "object")
        ]
        names = [n for n in names if not self.scope[n].frozen]
        if not names:
            return False
        kind = self.scope[self.pick(names)].kind
        same = [n for n in self.of_kind(kind) if n in names]
        name = self.fresh("b")
        if len(same) > 1 and self.chance(0.4):
            self.put(f"{name} = {self.pick(same)} if {self.condition()} else {self.pick(same)}")
        else:
            self.put(f"{name} = {self.pick(same)}")
        self.bind(name, kind)

    def augment(self):
        names = self.rebindable(FLOAT)
        if not names:
            return False
        name, text = self.pick(names), self.float(2)
        forms = [
            "{0} += math.tanh({1})",
            "{0} -= 0.5 * math.sin({1})",
            "{0} *= math.cos({1})",
            "{0} /= 1.5 + ({1}) ** 2",
        ]
        self.put(self.pick(forms).format(name, text))

    def several(self):
        """Tuple and starred unpacking."""
        form = self.random.randrange(6)
        a, b, c = self.fresh("p"), self.fresh("q"), self.fresh("r")
        if form == 0:
            self.put(f"{a}, {b} = {self.tame(self.float(2))}, {self.tame(self.float(2))}")
            self.bind(a, FLOAT), self.bind(b, FLOAT)
        elif form == 1:
            shape = self.shape()
            self.put(
                f"({a}, {b}), {c} = ({self.float(1)}, {self.float(1)}), {self.array(shape, 1)}"
            )
            self.bind(a, FLOAT), self.bind(b, FLOAT), self.bind(c, array(*shape))
        elif form in (2, 3):
            lists = [
                n
                for n in self.names(
                    lambda k: k.name == "list" and k.parts[0] == FLOAT and k.size == 3
                )
            ]
            lists += self.of_kind(array(3))
            lists += self.of_kind(tuple_of(FLOAT, FLOAT, FLOAT))
            if not lists:
                return False
            source = self.pick(lists)
            if form == 2 and self.scope[source].kind.name != "list":
                self.put(f"{a}, {b}, {c} = {source}")
                self.bind(a, FLOAT), self.bind(b, FLOAT), self.bind(c, FLOAT)
            else:
                self.put(self.pick([f"{a}, *{b} = {source}", f"*{b}, {a} = {source}"]))
                self.bind(a, FLOAT), self.bind(b, list_of(FLOAT, 2))
        elif form == 4:
            rows = self.names(lambda k: k.name == "array" and len(k.shape) == 2 and k.shape[0] == 2)
            if not rows:
                return False
            source = self.pick(rows)
            self.put(f"{a}, {b} = {source}")
            row = array(*self.scope[source].kind.shape[1:])
            self.bind(a, row), self.bind(b, row)
        else:
            helpers = [h for h in self.helpers if h.result.name == "tuple"]
            text = self.call(self.pick(helpers), 1) if helpers and self.helper_calls > 0 else None
            if not text:
                return False
            kinds = [h for h in helpers if text.startswith((f"{h.name}(", f"FOUND[{h.name!r}]("))][
                0
            ].result.parts
            names = [self.fresh("p") for _ in kinds]
            self.put(f"{', '.join(names)} = {text}")
            for name, kind in zip(names, kinds):
                self.bind(name, kind)

    def swap(self):
        form = self.random.randrange(3)
        if form == 0:
            names = (
                self.rebindable(FLOAT)
                if self.chance(0.5)
                else self.rebindable(array(*self.shape()))
            )
            if len(names) < 2:
                return False
            a, b = self.random.sample(names, 2)
            self.put(f"{a}, {b} = {b}, {a}")
        elif form == 1:
            names = self.names(lambda k: k.name == "array" and len(k.shape) == 1 and k.shape[0] > 1)
            names += [
                n
                for n in self.names(lambda k: k.name == "list" and k.size > 1)
                if not self.scope[n].frozen
            ]
            if not names:
                return False
            name = self.pick(names)
            kind = self.scope[name].kind
            size = kind.size or kind.shape[0]
            i, j = self.index(size), self.index(size)
            self.put(f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]")
        else:
            names = self.names(lambda k: k.name == "array" and len(k.shape) == 2)
            if not names:
                return False
            name = self.pick(names)
            self.put(f"{name}[[0, 1]] = {name}[[1, 0]]")

    # ---- writes to arrays

    def an_array(self, ndim=None):
        names = self.names(lambda k: k.name == "array" and ndim in (None, len(k.shape)))
        inside = [
            (f"{n}.{key}" if v.kind.name == "object" else f"{n}[{key!r}]", part)
            for n, v in self.scope.items()
            if v.kind.name in ("object", "dict") and v.kind.tag not in ("Pair",)
            for key, part in v.kind.parts
            if part.name == "array" and ndim in (None, len(part.shape))
        ]
        if inside and self.chance(0.3):
            return self.pick(inside)
        if not names:
            return None, None
        name = self.pick(names)
        return name, self.scope[name].kind

    def write_element(self):
        name, kind = self.an_array()
        if name is None:
            return False
        if len(kind.shape) == 2:
            i, j = self.index(kind.shape[0]), self.index(kind.shape[1])
            place = self.pick([f"{name}[{i}, {j}]", f"{name}[{i}][{j}]"])
        else:
            place = f"{name}[{self.index(kind.shape[0])}]"
        forms = [
            "{0} = math.tanh({1})",
            "{0} += math.sin({1})",
            "{0} *= math.cos({1})",
            "{0} = 0.5 * {0} + math.tanh({1})",
        ]
        self.put(self.pick(forms).format(place, self.float(2)))

    def write_slice(self):
        name, kind = self.an_array()
        if name is None:
            return False
        index, shape = self.random_slice(kind.shape)
        form = self.random.random()
        if form < 0.4:
            value = f"math.tanh({self.float(1)})"
        elif shape is None:
            value = f"math.sin({self.float(1)})"
        else:
            value = f"np.tanh({self.array(shape, 1)})"
        sign = self.pick(["=", "=", "+=", "-=", "*="])
        self.put(f"{name}[{index}] {sign} {value}")

    def random_slice(self, shape):
        """The text of an index and the shape it gives, None when it depends on values."""
        n = shape[0]
        if self.chance(0.12):
            return "...", shape
        if self.chance(0.12):
            return f"{{0}} > {self.number()}".format(
                self.pick(self.of_kind(array(*shape)) or ["0.0"])
            ), None
        if len(shape) == 2:
            m = shape[1]
            return self.pick([
                (self.index(n), (m,)), (f":, {self.index(m)}", (n,)), ("1:", (n - 1, m)),
                ("0, 1:", (m - 1,)), ("::-1", shape), (":, ::2", (n, (m + 1) // 2)),
                ("[0, 1], [1, 0]", (2,)), ("None, 0", (1, m)),
            ])  # fmt: skip
        stop = self.random.randint(1, n)
        fancy = [self.random.randrange(-n, n) for _ in range(self.random.randint(1, 3))]
        choices = [
            (f":{stop}", (stop,)),
            ("::-1", (n,)),
            (repr(fancy), (len(fancy),)),
            ("::2", ((n + 1) // 2,)),
        ]
        if n > 1:
            choices += [("1:", (n - 1,)), (":-1", (n - 1,))]
        return self.pick(choices)

    def whole_array(self):
        name, kind = self.an_array()
        if name is None:
            return False
        other = self.broadcast(kind.shape, 1)
        forms = [
            "{0} += np.tanh({1})",
            "{0} *= np.cos({1})",
            "{0} -= 0.5 * np.sin({1})",
            "{0} /= 1.5 + ({1}) ** 2",
        ]
        if "." not in name and "[" not in name:
            forms += ["np.multiply({0}, np.cos({1}), out={0})", "{0}.fill(math.tanh({2}))"]
            forms += ["np.copyto({0}, np.sin({1}))"]
        if self.scope.get(name) and self.scope[name].fixed:
            forms = ["{0}[...] += np.tanh({1})"]
        if len(kind.shape) == 1 and kind.shape[0] > 1 and self.chance(0.3):
            forms = [
                "{0}[1:] += 0.5 * {0}[:-1]",
                "{0}[:-1] *= np.cos({0}[1:])",
                "{0}[1:] = np.sin({0}[:-1])",
            ]
        self.put(self.pick(forms).format(name, other, self.float(1)))

    # ---- containers

    def new_container(self):
        name = self.fresh("c")
        vector = array(self.pick([2, 3]))
        kind = self.pick([
            list_of(FLOAT, 3), tuple_of(FLOAT, FLOAT, FLOAT), tuple_of(FLOAT, vector),
            list_of(vector, 2), dict_of(a=FLOAT, b=FLOAT), dict_of(w=vector, b=FLOAT),
            object_of("Point", x=FLOAT, y=FLOAT), object_of("Pair", u=FLOAT, v=array(3)),
            object_of("Box", x=FLOAT, w=array(3)),
            tuple_of(list_of(FLOAT, 2), FLOAT), dict_of(rows=list_of(vector, 2), k=FLOAT),
            list_of(list_of(FLOAT, 2), 2), list_of(object_of("Point", x=FLOAT, y=FLOAT), 2),
        ])  # fmt: skip
        self.put(f"{name} = {self.display(kind, 1)}")
        self.bind(name, kind)

    def list_statement(self):
        names = self.names(lambda k: k.name == "list" and k.parts[0] == FLOAT)
        names = [n for n in names if not self.scope[n].frozen]
        if not names:
            return False
        name = self.pick(names)
        size = self.scope[name].kind.size
        value = f"math.tanh({self.float(2)})"
        forms = ["{0}.append({1})", "{0} += [{1}]", "{0}.extend(({1}, {2}))", "{0}.insert(0, {1})"]
        if size:
            i = self.index(size)
            forms += [
                f"{{0}}[{i}] = {{1}}",
                f"{{0}}[{i}] *= {{1}}",
                f"{{0}}[{i}] += {{1}}",
                "{0}.reverse()",
            ]
            forms += ["{0}[0], {0}[-1] = {0}[-1], {0}[0]", "{0}[:1] = [{1}, {2}]", "{0} += {0}[:1]"]
        form = self.pick(forms)
        if form.startswith("{0} +=") and self.scope[name].fixed:
            return False
        if self.chance(0.25):
            target = self.fresh("v")
            self.put(f"if len({name}) > {size}:")
            pop = self.pick(
                [f"{target} = {name}.pop()", f"{target} = {name}.pop(0)", f"del {name}[0]"]
            )
            self.block(lambda: self.put(pop))
            return None
        if self.chance(0.15):
            target = self.fresh("c")
            copies = [
                "{0} + [{1}]",
                "list({0})",
                "[*{0}, {1}]",
                "{0}.copy()",
                "sorted({0})",
                "{0}[:]",
            ]
            self.put(f"{target} = " + self.pick(copies).format(name, value))
            self.bind(target, list_of(FLOAT, size))
            return None
        self.put(form.format(name, value, self.float(1)))

    def reorder(self):
        """Other places for what a container holds: it may have been handed on before."""
        forms = []
        for name, variable in sorted(self.scope.items()):
            kind = variable.kind
            if variable.frozen:
                continue
            if kind.name == "list" and kind.size > 1:
                swapped = f"{name}[0], {name}[-1] = {name}[-1], {name}[0]"
                forms += [f"{name}.reverse()", f"{name}.append({name}.pop(0))", swapped]
                forms += [f"{name}[0] = {name}[-1]"]
            if kind.name in ("dict", "object"):
                form = "{}[{!r}]" if kind.name == "dict" else "{}.{}"
                same = [key for key, part in kind.parts if part == kind.parts[0][1]]
                a, b = form.format(name, same[0]), form.format(name, same[-1])
                forms += [f"{a}, {b} = {b}, {a}"] if len(same) > 1 else []
        if forms:
            self.put(self.extra.choice(forms))

    def dict_statement(self):
        names = self.names(lambda k: k.name == "dict" and any(p == FLOAT for _, p in k.parts))
        names = [n for n in names if not self.scope[n].frozen]
        if not names:
            return False
        name = self.pick(names)
        key = self.pick([k for k, p in self.scope[name].kind.parts if p == FLOAT])
        value = f"math.tanh({self.float(2)})"
        forms = [f"{{0}}[{key!r}] = {{1}}", f"{{0}}[{key!r}] += {{1}}", f"{{0}}[{key!r}] *= {{1}}"]
        forms += [
            f"{{0}}.update({key}={{1}})",
            f"{{0}}.setdefault({key!r}, 1.0)",
            "{0}['new'] = {1}",
            "{0}[f'k{{len({0})}}'] = {1}",
        ]
        if self.chance(0.25):
            target = self.fresh("d")
            copies = [
                "dict({0}, {2}={1})",
                "{{**{0}, {2!r}: {1}}}",
                "{0}.copy()",
                "{0} | {{{2!r}: {1}}}",
            ]
            self.put(f"{target} = " + self.pick(copies).format(name, value, key))
            self.bind(target, self.scope[name].kind)
            return None
        self.put(self.pick(forms).format(name, value))

    def object_statement(self):
        boxes = [
            n
            for n in self.names(lambda k: k.name == "object")
            if self.scope[n].kind.tag in ("Box", "Pair", "Point")
        ]
        if not boxes:
            return False
        name = self.pick(boxes)
        kind = self.scope[name].kind
        new = self.fresh("o")
        if kind.tag == "Pair":
            self.put(f"{new} = {name}._replace(u={self.tame(self.float(2))})")
            self.bind(new, kind)
        elif kind.tag == "Point":
            forms = [f"{new} = dataclasses.replace({name}, x={self.tame(self.float(2))})"]
            forms += [f"{new} = {name}.moved({self.float(1)})"]
            self.put(self.pick(forms))
            self.bind(new, kind)
        else:
            value = f"math.tanh({self.float(2)})"
            forms = [f"{name}.x = {value}", f"{name}.x += {value}", f"{name}.step({value})"]
            forms += [f"{name}.w[0] = {value}", f"{name}.step({value}).step(0.3)"]
            if self.chance(0.5):
                self.put(f"{new} = {name}({self.float(1)})")
                self.bind(new, FLOAT)
                return None
            self.put(self.pick(forms))

    def comprehension(self):
        name = self.fresh("c")
        vectors = self.names(lambda k: k.name == "array" and len(k.shape) == 1)
        vectors += self.names(lambda k: k.name == "list" and k.parts[0] == FLOAT and k.size)
        if not vectors:
            return False
        source = self.pick(vectors)
        kind = self.scope[source].kind
        size = kind.size or kind.shape[0]
        value = self.with_name("e", FLOAT, lambda: f"math.sin(e + {self.float(1)})")
        forms = [(f"[{value} for e in {source}]", list_of(FLOAT, size))]
        forms += [(f"[{value} for e in {source} if e > {self.number()}]", list_of(FLOAT, 0))]
        forms += [(f"[e * {self.float(0)} for i, e in enumerate({source})]", list_of(FLOAT, size))]
        forms += [(f"list(map(lambda e: {value}, {source}))", list_of(FLOAT, size))]
        forms += [(f"[[e, {value}] for e in {source}]", list_of(list_of(FLOAT, 2), size))]
        forms += [(f"tuple({value} for e in {source})[:1] * 3", tuple_of(FLOAT, FLOAT, FLOAT))]
        forms += [(f"sum(e * f for e in {source} for f in (1.0, {self.float(0)}))", FLOAT)]
        forms += [
            (
                f"{{k: {value} for k, e in zip('ab', ({self.float(0)}, {self.float(0)}))}}",
                dict_of(a=FLOAT, b=FLOAT),
            )
        ]
        text, kind = self.pick(forms)
        self.put(f"{name} = {text}")
        self.bind(name, kind)

    def rows_built_in_a_loop(self):
        """A list of lists built in a loop, read and written while it grows."""
        rows, row = self.fresh("rows"), self.fresh("row")
        self.put(f"{rows} = []")
        self.put(f"for i in range({self.random.randint(2, 3)}):")
        self.depth += 1
        self.put(f"{row} = [math.sin({self.float(1)} + i), {self.float(0)}]")
        self.put(f"{rows}.append({row})")
        self.put(f"{row}[0] = math.tanh({row}[0] * {row}[-1] + {rows}[0][1])")
        if self.chance(0.5):
            self.put(f"if i > 1:\n{'    ' * (self.depth + 1)}{rows}.pop()")
        self.depth -= 1
        self.bind(rows, list_of(list_of(FLOAT, 2), 2))

    def function_variable(self):
        """A function as a value: partial, bound method, from a dict, chosen by a branch."""
        name = self.fresh("g")
        boxes = self.names(lambda k: k.tag == "Box")
        inner = self.with_name("t", FLOAT, lambda: self.float(1))
        forms = [f"functools.partial(lambda s, t: math.sin(s * t), {self.float(1)})"]
        forms += [f"{{'p': math.tanh, 'q': lambda t: math.sin({inner})}}['q']"]
        forms += [f"math.sin if {self.condition()} else (lambda t: math.tanh({inner}))"]
        if boxes:
            forms += [f"{self.pick(boxes)}.__call__", f"{self.pick(boxes)}"]
        self.put(f"{name} = {self.pick(forms)}")
        self.bind(name, function_of(FLOAT, FLOAT))

    def forget(self):
        """`del` of a local name that no inner function holds."""
        name = self.fresh("v")
        self.put(f"{name} = {self.float(2)}")
        other = self.target(FLOAT, "v")
        self.put(f"{other} = math.sin({name})")
        if other != name:
            self.put(f"del {name}")
        self.bind(other, FLOAT)

    def list_of_functions(self):
        name, out = self.fresh("fs"), self.fresh("v")
        inner = self.with_name("t", FLOAT, lambda: self.float(1))
        self.put(f"{name} = [math.sin, lambda t: {inner}, math.tanh]")
        self.put(f"{out} = {self.float(1)}")
        self.put(f"for g in {name}:")
        self.put(f"    {out} = math.tanh(g({out}))")
        self.bind(out, FLOAT)

    # ---- calls

    def call_statement(self):
        if not self.helpers or self.helper_calls <= 0:
            return False
        helper = self.pick(self.helpers)
        text = self.call(helper, 1)
        if not text:
            return False
        if helper.result.name == "float" and self.chance(0.3):
            self.put(text)
            return None
        name = self.fresh({"array": "a", "float": "v"}.get(helper.result.name, "c"))
        self.put(f"{name} = {self.tame(text) if helper.result == FLOAT else text}")
        self.bind(name, helper.result)

    def inner_function(self):
        """A closure, called in a loop; it may rebind or write what it captures."""
        name, out = self.fresh("inner"), self.fresh("v")
        outer = self.rebindable(FLOAT)
        outer = [n for n in outer if n in self.own]
        lines = []
        if outer and self.chance(0.6):
            acc = self.pick(outer)
            lines += [f"nonlocal {acc}", f"{acc} = math.tanh({acc} * 0.7 + t)"]
        vectors = self.names(lambda k: k.name == "array" and len(k.shape) == 1)
        if vectors and self.chance(0.4):
            lines.append(f"{self.pick(vectors)}[0] = math.sin(t)")
        self.put(f"def {name}(t, s={self.float(1)}):")
        value = self.with_name(
            "t", FLOAT, lambda: self.with_name("s", FLOAT, lambda: self.float(2))
        )
        for line in [*lines, f"return math.sin({value})"]:
            self.put("    " + line)
        self.put(f"{out} = 0.0")
        self.put(f"for i in range({self.random.randint(1, 3)}):")
        self.put(f"    {out} += {name}({self.float(1)} + i)")
        self.bind(out, FLOAT)

    # ---- control flow

    def branch(self):
        condition = self.condition(2)
        if self.chance(0.15):
            name = self.fresh("w")
            condition = f"({name} := {self.float(2)}) > {self.number()}"
            self.put(f"if {condition}:")
            self.block(None)
            self.bind(name, FLOAT)
        else:
            self.put(f"if {condition}:")
            self.block(None)
        while self.chance(0.25):
            self.put(f"elif {self.condition()}:")
            self.block(None, most=3)
        if self.chance(0.6):
            self.put("else:")
            self.block(None, most=3)

    def early_return(self):
        if self.result is None:
            return False
        self.put(f"if {self.compared(1)}:")
        self.block(lambda: self.put(f"return {self.result()}"))

    def leave(self):
        """A conditional break or continue somewhere in the body."""
        self.put(f"if {self.condition()}:")

        def inside():
            if self.chance(0.5):
                self.statements(1)
            self.put(self.pick(["break", "continue"]))

        self.block(inside)

    def loop_body(self, bound, frozen=()):
        scope = copy.copy(self.scope)
        for name in frozen:
            scope[name] = Variable(scope[name].kind, fixed=True, frozen=True)
        for name, kind in bound.items():
            scope[name] = Variable(kind, fixed=kind.name == "int")

        def inside():
            self.statements(self.random.randint(1, 3))
            if self.chance(0.3):
                self.leave()
                self.statements(self.random.randint(1, 2))

        self.loops += 1
        self.block(inside, scope)
        self.loops -= 1
        if self.chance(0.15):
            self.put("else:")
            self.block(None, most=2)

    def for_loop(self):
        for _ in range(6):
            found = self.pick(
                [
                    self.over_range,
                    self.over_range,
                    self.over_values,
                    self.over_pairs,
                    self.over_rows,
                    self.over_items,
                ]
            )()
            if found:
                header, bound, frozen = found
                self.put(f"for {header}:")
                self.loop_body(bound, frozen)
                return None
        return False

    def over_range(self):
        i, n = self.fresh("i"), self.random.randint(1, 4)
        counters = [c for c in self.of_kind(count(5)) if not self.loops]
        if counters and self.chance(0.4):
            return f"{i} in range({self.pick(counters)})", {i: count(5)}, ()
        if self.chance(0.2):
            return f"{i} in reversed(range({n}))", {i: count(n)}, ()
        if self.chance(0.15) and n > 1:
            return f"{i} in range({n - 1}, 0, -1)", {i: count(n)}, ()
        return f"{i} in range({n})", {i: count(n)}, ()

    def sequences(self):
        """Names over whose floats one can loop; those that must not change length meanwhile."""
        names = self.names(lambda k: k.name == "array" and len(k.shape) == 1)
        lists = self.names(lambda k: k.name == "list" and k.parts[0] == FLOAT)
        tuples = self.names(lambda k: k.name == "tuple" and set(k.parts) == {FLOAT})
        return names + lists + tuples

    def same_lists(self, *names):
        """The names and everything of their kind: an alias must not grow either."""
        return [n for n, v in self.scope.items() if v.kind.name in ("list", "dict") or n in names]

    def over_values(self):
        names = self.sequences()
        if not names:
            return None
        source, e = self.pick(names), self.fresh("e")
        text = f"reversed({source})" if self.chance(0.15) else source
        return f"{e} in {text}", {e: FLOAT}, self.same_lists(source)

    def over_pairs(self):
        names = self.sequences()
        if not names:
            return None
        a, b = self.pick(names), self.pick(names)
        e, g, i = self.fresh("e"), self.fresh("e"), self.fresh("i")
        frozen = self.same_lists(a, b)
        kind = self.scope[a].kind
        size = (
            kind.shape[0]
            if kind.name == "array"
            else len(kind.parts)
            if kind.name == "tuple"
            else 9
        )
        if self.chance(0.4):
            return f"{i}, {e} in enumerate({a})", {i: count(size), e: FLOAT}, frozen
        if self.chance(0.3):
            return (
                f"{i}, ({e}, {g}) in enumerate(zip({a}, {b}))",
                {i: count(size), e: FLOAT, g: FLOAT},
                frozen,
            )
        return f"{e}, {g} in zip({a}, {b})", {e: FLOAT, g: FLOAT}, frozen

    def over_rows(self):
        names = self.names(lambda k: k.name == "array" and len(k.shape) == 2)
        lists = self.names(
            lambda k: k.name == "list" and k.parts[0].name in ("array", "list", "object") and k.size
        )
        if not names + lists:
            return None
        source, e = self.pick(names + lists), self.fresh("row")
        kind = self.scope[source].kind
        row = array(*kind.shape[1:]) if kind.name == "array" else kind.parts[0]
        return f"{e} in {source}", {e: row}, self.same_lists(source)

    def over_items(self):
        names = self.names(lambda k: k.name == "dict" and all(p == FLOAT for _, p in k.parts))
        if not names:
            return None
        source, e, k = self.pick(names), self.fresh("e"), self.fresh("key")
        frozen = self.same_lists(source)
        if self.chance(0.3):
            return f"{e} in {source}.values()", {e: FLOAT}, frozen
        if self.chance(0.3):
            self.put(f"{e} = 0.0")
            self.bind(e, FLOAT)
            return f"{k} in {source}", {}, frozen
        return f"{k}, {e} in {source}.items()", {e: FLOAT}, frozen

    def while_loop(self):
        n = self.fresh("n")
        self.put(f"{n} = {self.random.randint(1, 4)}")
        form = self.random.randrange(4)
        scope = copy.copy(self.scope)
        scope[n] = Variable(count(5), fixed=True)
        if form == 0:
            self.put(f"while {n} > 0:")
        elif form == 1:
            self.put(f"while {n} > 0 and {self.condition()}:")
        elif form == 2:
            w = self.fresh("w")
            self.put(f"while {n} > 0 and ({w} := {self.float(2)}) < 0.9:")
            scope[w] = Variable(FLOAT)
        else:
            self.put("while True:")
        self.loops += 1

        def inside():
            self.put(f"{n} -= 1")
            if form == 3:
                self.put(f"if {n} < 1:\n{'    ' * (self.depth + 1)}break")
            self.statements(self.random.randint(1, 3))
            if self.chance(0.3):
                self.leave()

        self.block(inside, scope)
        self.loops -= 1
        if self.chance(0.15):
            self.put("else:")
            self.block(None, most=2)

    def inert(self):
        """Statements that carry no derivative."""
        arrays = self.names(lambda k: k.name == "array")
        floats = self.of_kind(FLOAT)
        name = self.fresh("text")
        forms = [
            f"{name} = f'{{len(TABLE)}} {self.depth}'",
            "pass",
            f"{name} = 'a' if len(TABLE) > 1 else 'b'",
        ]
        if arrays:
            forms += [f"assert {self.pick(arrays)}.ndim > 0", f"{name} = {self.pick(arrays)}.shape"]
        if floats:
            forms += [
                f"{name} = f'{{{self.pick(floats)}:.2f}}'",
                f"assert {self.pick(floats)} is not None, 'none'",
            ]
            forms += [f"{name} = isinstance({self.pick(floats)}, str)"]
        self.put(self.pick(forms))
