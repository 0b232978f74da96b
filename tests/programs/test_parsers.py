"""Parsers, lexers and combinators built inside of the function."""

import re

import pytest

from tests.compiler.forms import check_forms


def tokens(s):
    for t in s.split():
        yield t


def recursive_descent_over_an_iterator(x):
    def parse(src):
        it = iter(src.split())

        def expr():
            v = term()
            for t in it:
                if t == "+":
                    v += term()
                else:
                    break
            return v

        def term():
            t = next(it)
            return x if t == "x" else float(t)

        return expr()

    return parse("x + 2 + x + 3")


def sent_tokens(x):
    def parser():
        total = 0.0
        while True:
            tok = yield total
            if tok is None:
                return total
            total += x * tok

    p = parser()
    next(p)
    r = 0.0
    for t in [1.0, 2.0]:
        r = p.send(t)
    try:
        p.send(None)
    except StopIteration as e:
        r += e.value
    return r


def lexer_and_parser(x):
    def lex(s):
        for c in s.split():
            yield ("num", float(c)) if c[0].isdigit() else ("op", c)

    def parse(toks):
        v = None
        op = None
        for kind, t in toks:
            if kind == "num":
                t = t * x
                v = t if v is None else (v + t if op == "+" else v * t)
            else:
                op = t
        return v

    return parse(lex("2 + 3 * 4"))


def walk_of_a_tree(x):
    def walk(t):
        if isinstance(t, tuple):
            for c in t:
                yield from walk(c)
        else:
            yield t * x

    s = 0.0
    for v in walk((1.0, (2.0, (3.0, x)))):
        s += v
    return s


def pairs_of_an_iterator(x):
    def pairs(xs):
        it = iter(xs)
        for a in it:
            yield a, next(it)

    s = 0.0
    for a, b in pairs([x, 2.0, 3.0, x * x]):
        s += a * b
    return s


def parser_class(x):
    class Parser:
        def __init__(self, s):
            self.toks = self.lex(s)
            self.cur = next(self.toks)

        def lex(self, s):
            for c in s.split():
                yield c
            yield None

        def adv(self):
            c = self.cur
            self.cur = next(self.toks, None)
            return c

        def expr(self):
            v = self.term()
            while self.cur == "+":
                self.adv()
                v = v + self.term()
            return v

        def term(self):
            v = self.atom()
            while self.cur == "*":
                self.adv()
                v = v * self.atom()
            return v

        def atom(self):
            c = self.adv()
            return x if c == "x" else float(c)

    return Parser("x * x + 2 * x + 3").expr()


def stack_machine(x):
    def parse(tokens):
        stack = []
        for t in tokens:
            if t == "x":
                stack.append(x)
            elif t == "*":
                stack.append(stack.pop() * stack.pop())
            elif t == "-":
                b = stack.pop()
                stack.append(stack.pop() - b)
            yield stack[-1]

    return sum(parse("x x * x -".split()))


def yield_from_in_a_parser(x):
    def expr(it):
        v = yield from term(it)
        while True:
            t = next(it, None)
            if t != "+":
                return v
            v += yield from term(it)

    def term(it):
        t = next(it)
        yield t
        return x if t == "x" else float(t)

    it = iter("x + 2 + x".split())
    g = expr(it)
    seen = []
    while True:
        try:
            seen.append(next(g))
        except StopIteration as e:
            return e.value * len(seen)


def nested_lists(x):
    def parse(s):
        for ch in s:
            if ch == "(":
                yield list(parse(s))
            elif ch == ")":
                return
            else:
                yield ch

    def ev(t):
        r = 0.0
        for c in t:
            r += ev(c) * x if isinstance(c, list) else x * ord(c)
        return r

    return ev(list(parse(iter("a(b(c))d"))))


def generator_taken_apart(x):
    def gen():
        try:
            yield x
            yield x * x
        finally:
            pass

    a, b = gen()
    return a * b


def combinators(x):
    def lit(c):
        def p(s, i):
            return (c, i + 1) if i < len(s) and s[i] == c else None

        return p

    def num(s, i):
        j = i
        while j < len(s) and s[j].isdigit():
            j += 1
        return (float(s[i:j]), j) if j > i else None

    def var(s, i):
        return (x, i + 1) if i < len(s) and s[i] == "x" else None

    def alt(*ps):
        def p(s, i):
            for q in ps:
                r = q(s, i)
                if r is not None:
                    return r
            return None

        return p

    def chain(p, op, f):
        def q(s, i):
            r = p(s, i)
            if r is None:
                return None
            v, i = r
            while True:
                o = op(s, i)
                if o is None:
                    return v, i
                w = p(s, o[1])
                if w is None:
                    return v, i
                v, i = f(v, w[0]), w[1]

        return q

    atom = alt(num, var)
    term = chain(atom, lit("*"), lambda a, b: a * b)
    expr = chain(term, lit("+"), lambda a, b: a + b)
    return expr("x*x+2*x+3", 0)[0]


def position_in_a_nonlocal(x):
    toks = re.findall(r"\d+|[a-z]|[-+*/()]", "(x+2)*x-x/4")
    pos = 0

    def peek():
        return toks[pos] if pos < len(toks) else None

    def take():
        nonlocal pos
        t = toks[pos]
        pos += 1
        return t

    def factor():
        t = take()
        if t == "(":
            v = expr()
            take()
            return v
        return x if t == "x" else float(t)

    def term():
        v = factor()
        while peek() in ("*", "/"):
            v = v * factor() if take() == "*" else v / factor()
        return v

    def expr():
        v = term()
        while peek() in ("+", "-"):
            v = v + term() if take() == "+" else v - term()
        return v

    return expr()


def grammar_as_data(x):
    grammar = {"E": [["T", "+", "E"], ["T"]], "T": [["F", "*", "T"], ["F"]], "F": [["x"], ["2"]]}
    toks = "x * x + 2 * x".split()

    def parse(sym, i):
        if sym not in grammar:
            return (sym, i + 1) if i < len(toks) and toks[i] == sym else None
        for prod in grammar[sym]:
            parts = []
            j = i
            ok = True
            for s in prod:
                r = parse(s, j)
                if r is None:
                    ok = False
                    break
                parts.append(r[0])
                j = r[1]
            if ok:
                return ((sym, parts), j)
        return None

    def ev(t):
        if isinstance(t, str):
            return x if t == "x" else float(t)
        _, p = t
        if len(p) == 1:
            return ev(p[0])
        return ev(p[0]) + ev(p[2]) if p[1] == "+" else ev(p[0]) * ev(p[2])

    return ev(parse("E", 0)[0])


def levels_of_operators(x):
    def make_parser(ops):
        levels = list(ops)

        def parse(toks, level=0):
            if level == len(levels):
                t = toks.pop(0)
                return x if t == "x" else float(t)
            v = parse(toks, level + 1)
            while toks and toks[0] in levels[level]:
                f = levels[level][toks.pop(0)]
                v = f(v, parse(toks, level + 1))
            return v

        return parse

    p = make_parser(
        [
            {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
            {"*": lambda a, b: a * b, "/": lambda a, b: a / b},
        ]
    )
    return p("x * 3 + x / 2 - 1".split())


def combinator_class(x):
    class Parser:
        def __init__(self, fn):
            self.fn = fn

        def __call__(self, s):
            return self.fn(s)

        def __or__(self, o):
            def run(s):
                r = self(s)
                return r if r is not None else o(s)

            return Parser(run)

        def __rshift__(self, f):
            def run(s):
                r = self(s)
                if r is None:
                    return None
                v, rest = r
                return f(v), rest

            return Parser(run)

        def __add__(self, o):
            def run(s):
                a = self(s)
                if a is None:
                    return None
                b = o(a[1])
                if b is None:
                    return None
                return (a[0], b[0]), b[1]

            return Parser(run)

    def char(c):
        return Parser(lambda s: (c, s[1:]) if s[:1] == c else None)

    digit = Parser(lambda s: (s[0], s[1:]) if s[:1].isdigit() else None) >> float
    atom = digit | (char("x") >> (lambda _: x))
    mul = (atom + char("*") + atom) >> (lambda t: t[0][0] * t[1])
    top = (mul + char("+") + mul) >> (lambda t: t[0][0] + t[1])
    return top("x*x+3*x")[0]


def lexer_from_a_specification(x):
    def build(spec):
        rules = [(re.compile(p), f) for p, f in spec]

        def lex(s):
            i = 0
            while i < len(s):
                for r, f in rules:
                    m = r.match(s, i)
                    if m:
                        i = m.end()
                        if f:
                            yield f(m.group())
                        break
                else:
                    raise SyntaxError(s[i])

        return lex

    lex = build(
        [(r"\d+", lambda t: ("n", float(t) * x)), (r"\s+", None), (r"[+*]", lambda t: ("o", t))]
    )
    v = 0.0
    op = "+"
    for k, t in lex("2 + 3 * 4"):
        if k == "n":
            v = v + t if op == "+" else v * t
        else:
            op = t
    return v


def sequence_of_parsers(x):
    def seq(*ps):
        def p(i):
            out = []
            for q in ps:
                r = q(i)
                if not r:
                    return ()
                v, i = r
                out.append(v)
            return out, i

        return p

    def const(v):
        return lambda i: (v * x, i + 1)

    r = seq(const(1.0), const(2.0), const(x))(0)
    vs, i = r
    return sum(vs) * i


def not_implemented_as_a_mark(x):
    def step(state):
        if state[1] > 3:
            return NotImplemented
        return state[0] * x, state[1] + 1

    s = (x, 0)
    while True:
        n = step(s)
        if n is NotImplemented:
            break
        s = n
    return s[0]


def rules_and_actions(x):
    def gen_rule(name, alts):
        def rule(toks, i):
            for a in alts:
                j = i
                vals = []
                for sym in a:
                    if callable(sym):
                        res = sym(toks, j)
                    else:
                        res = (sym, j + 1) if j < len(toks) and toks[j] == sym else None
                    if res is None:
                        break
                    v, j = res
                    vals.append(v)
                else:
                    return actions[name](vals), j
            return None

        return rule

    def number(toks, i):
        if i < len(toks) and toks[i].isdigit():
            return float(toks[i]), i + 1
        if i < len(toks) and toks[i] == "x":
            return x, i + 1
        return None

    actions = {
        "F": lambda v: v[0],
        "T": lambda v: v[0] if len(v) == 1 else v[0] * v[2],
        "E": lambda v: v[0] if len(v) == 1 else v[0] + v[2],
    }
    F = gen_rule("F", [[number]])
    T = gen_rule("T", [[F, "*", F], [F]])
    E = gen_rule("E", [[T, "+", T], [T]])
    return E("x * x + 3 * x".split(), 0)[0]


class Gram:
    def __init__(self):
        self.rules = {}

    def rule(self, name):
        def deco(f):
            self.rules[name] = f
            return f

        return deco

    def parse(self, name, *a):
        return self.rules[name](self, *a)


def rules_by_decorator(x):
    g = Gram()

    @g.rule("sum")
    def s(g, toks):
        v, toks = g.parse("prod", toks)
        while toks and toks[0] == "+":
            w, toks = g.parse("prod", toks[1:])
            v = v + w
        return v, toks

    @g.rule("prod")
    def p(g, toks):
        v, toks = g.parse("atom", toks)
        while toks and toks[0] == "*":
            w, toks = g.parse("atom", toks[1:])
            v = v * w
        return v, toks

    @g.rule("atom")
    def a(g, toks):
        return (x if toks[0] == "x" else float(toks[0])), toks[1:]

    return g.parse("sum", "x * x + 3 * x".split())[0]


def coroutine_with_signs(x):
    out = []

    def parser():
        acc = 0.0
        sign = 1
        while True:
            c = yield
            if c == "+":
                sign = 1
            elif c == "-":
                sign = -1
            elif c == "x":
                acc += sign * x
            elif c == "=":
                out.append(acc)
                acc = 0.0
            else:
                acc += sign * float(c) * x

    p = parser()
    next(p)
    for c in "2+x-1=":
        p.send(c)
    return out[0] * x


def reverse_polish(x):
    def parser(toks):
        for t in toks:
            if t == "x":
                yield x
            elif t.isdigit():
                yield float(t)
            else:
                yield t

    st = []
    for t in parser("x 2 * 3 + x *".split()):
        if t == "*":
            b = st.pop()
            a = st.pop()
            st.append(a * b)
        elif t == "+":
            b = st.pop()
            a = st.pop()
            st.append(a + b)
        else:
            st.append(t)
    return st[0]


def grammar_of_generators(x):
    def expr(toks):
        v = yield from term(toks)
        while toks and toks[0] in "+-":
            op = toks.pop(0)
            w = yield from term(toks)
            v = v + w if op == "+" else v - w
        return v

    def term(toks):
        v = yield from atom(toks)
        while toks and toks[0] == "*":
            toks.pop(0)
            v = v * (yield from atom(toks))
        return v

    def atom(toks):
        t = toks.pop(0)
        yield t
        if t == "(":
            v = yield from expr(toks)
            toks.pop(0)
            return v
        return x if t == "x" else float(t)

    g = expr(list("(x+2)*x-3"))
    trace = []
    try:
        while True:
            trace.append(next(g))
    except StopIteration as s:
        return s.value + len(trace)


def primed_coroutine(x):
    def coroutine(f):
        def start(*a):
            g = f(*a)
            next(g)
            return g

        return start

    @coroutine
    def summer(target):
        t = 0.0
        while True:
            v = yield
            t += v * x
            target.append(t)

    res = []
    s = summer(res)
    for v in (1.0, 2.0, x):
        s.send(v)
    s.close()
    return res[-1] + res[0] * res[1]


def positions_in_a_generator(x):
    def parse(s):
        pos = 0

        def ws():
            nonlocal pos
            while pos < len(s) and s[pos] == " ":
                pos += 1

        def items():
            nonlocal pos
            while pos < len(s):
                ws()
                j = pos
                while j < len(s) and s[j] != " ":
                    j += 1
                yield s[pos:j]
                pos = j
                ws()

        return [x * float(t) if t != "x" else x * x for t in items()]

    return sum(parse("1 2 x 4"))


def counts_sent(x):
    def gen():
        d = {}
        while True:
            k, v = yield d
            d[k] = d.get(k, 0.0) + v * x

    g = gen()
    next(g)
    for k, v in (("a", 1.0), ("b", x), ("a", 2.0)):
        d = g.send((k, v))
    return d["a"] * d["b"]


def iterable_lexer(x):
    class Lexer:
        def __init__(self, s):
            self.s = s

        def __iter__(self):
            for c in self.s:
                yield x if c == "x" else float(c)

    return sum(Lexer("1x2")) * max(Lexer("1x"))


def parser_generator(x):
    def parser_generator(rules):
        def parser(s):
            for c in s:
                if c in rules:
                    yield rules[c](x)

        return parser

    p = parser_generator({"s": lambda v: v * v, "d": lambda v: 2 * v})
    t = 0.0
    for v in p("sds"):
        t += v
    a, b, c = p("sds")
    return t + a * b * c


def generator_that_pops(x):
    def build():
        def p(toks):
            while toks:
                t = toks.pop()
                yield t * x

        return p

    p = build()
    toks = [1.0, 2.0, x]
    first, *rest = p(toks)
    return first * sum(rest)


def recursive_generator(x):
    def tree(d):
        if d == 0:
            yield x
            return
        for v in tree(d - 1):
            yield v * x
        yield float(d)

    return sum(tree(3))


def pairs_made_a_dict(x):
    def pairs():
        yield x, 1.0
        yield 2.0, x * x

    return sum(a * b for a, b in pairs()) + dict(enumerate(v for p in pairs() for v in p))[3]


def numbers_of_an_iterator(x):
    def number(it):
        v = 0.0
        for c in it:
            if c.isdigit():
                v = 10 * v + int(c)
            else:
                return v * x, c
        return v * x, ""

    def parse(s):
        it = iter(s)
        v, c = number(it)
        while c:
            w, d = number(it)
            v = v + w if c == "+" else v * w
            c = d
        yield v

    (r,) = parse("12+3*2")
    return r


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        recursive_descent_over_an_iterator,
        sent_tokens,
        lexer_and_parser,
        walk_of_a_tree,
        pairs_of_an_iterator,
        parser_class,
        stack_machine,
        yield_from_in_a_parser,
        nested_lists,
        generator_taken_apart,
        combinators,
        position_in_a_nonlocal,
        grammar_as_data,
        levels_of_operators,
        combinator_class,
        lexer_from_a_specification,
        sequence_of_parsers,
        not_implemented_as_a_mark,
        rules_and_actions,
        rules_by_decorator,
        coroutine_with_signs,
        reverse_polish,
        grammar_of_generators,
        primed_coroutine,
        positions_in_a_generator,
        counts_sent,
        iterable_lexer,
        parser_generator,
        generator_that_pops,
        recursive_generator,
        pairs_made_a_dict,
        numbers_of_an_iterator,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)
