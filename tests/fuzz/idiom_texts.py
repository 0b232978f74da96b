"""The idioms: what people write, with holes (see idioms.py)."""

HEADER = '''"""Program {seed}."""

import bisect
import collections
import contextlib
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator

import numpy as np

LOG = []
RATES = {{"low": 0.3, "mid": 0.6, "high": 1.1}}'''

CLASSES = '''def half(v):
    return 0.5 * v


def soft(v):
    return v / (1.0 + abs(v))


@dataclasses.dataclass
class Body:
    position: float
    speed: float
    mass: float = 1.0

    @property
    def energy(self):
        return 0.5 * self.mass * self.speed ** 2

    def step(self, force, dt=0.1):
        self.speed += force / self.mass * dt
        self.position += self.speed * dt
        return self


@dataclasses.dataclass(frozen=True)
class Money:
    amount: float
    unit: str = "EUR"

    def __add__(self, other):
        if other == 0:
            return self
        if self.unit != other.unit:
            raise ValueError("units")
        return Money(self.amount + other.amount, self.unit)

    __radd__ = __add__

    def __mul__(self, factor):
        return dataclasses.replace(self, amount=self.amount * factor)

    __rmul__ = __mul__


class Account:
    def __init__(self, start):
        self.history = [start]

    @property
    def balance(self):
        return self.history[-1]

    def deposit(self, amount):
        self.history.append(self.balance + amount)

    def interest(self, rate):
        self.history.append(self.history[-1] * (1.0 + rate))
        return self


class Node:
    __slots__ = ("next", "value")

    def __init__(self, value, next=None):
        self.value, self.next = value, next

    def __iter__(self):
        node = self
        while node is not None:
            yield node.value
            node = node.next


class Tree:
    def __init__(self, value, *children):
        self.value, self.children = value, list(children)

    def accept(self, visitor):
        return visitor.visit(self)


class Visitor:
    def visit(self, tree):
        handler = getattr(self, "visit_" + ("leaf" if not tree.children else "inner"))
        return handler(tree)

    def visit_leaf(self, tree):
        return tree.value

    def visit_inner(self, tree):
        return sum(child.accept(self) for child in tree.children) * tree.value


class Deep(Visitor):
    depth = 0

    def visit_inner(self, tree):
        self.depth += 1
        return super().visit_inner(tree) + 0.1 * self.depth * tree.value


class Scaled:
    factor = 2.0

    def rate(self, v):
        return v * self.factor


class Shifted(Scaled):
    shift = 0.3

    def rate(self, v):
        return super().rate(v) + self.shift * v


class Squared(Scaled):
    def rate(self, v):
        return super().rate(v * v)


class Mixed(Shifted, Squared):
    def __init__(self, factor):
        self.factor = factor


class Meter:
    """A state machine."""

    def __init__(self):
        self.state, self.total = "idle", 0.0

    def feed(self, v):
        match self.state:
            case "idle" if v > 0.4:
                self.state = "busy"
                self.total += v
            case "busy":
                self.total = self.total * 0.5 + v * v
                if v < 0.2:
                    self.state = "idle"
            case _:
                self.total -= 0.1 * v
        return self.total


class Level(enum.Enum):
    LOW = 0.5
    HIGH = 1.5

    def scale(self, v):
        return v * self.value


class Record(dict):
    def __missing__(self, key):
        self[key] = value = 0.25 * len(key)
        return value


HANDLERS = {}


def handler(name):
    def register(fn):
        HANDLERS[name] = fn
        return fn

    return register


@handler("add")
def _add(a, b):
    return a + b


@handler("mul")
def _mul(a, b):
    return a * b


@handler("mix")
def _mix(a, b):
    return 0.5 * (a + b) + a * b


def counted(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return fn(*args, **kwargs) * (1.0 + 0.01 * wrapper.calls)

    wrapper.calls = 0
    return wrapper


def memo(fn):
    known = {}

    def wrapper(n, v):
        if n not in known:
            known[n] = fn(n, v)
        return known[n]

    return wrapper


def running(values):
    total = 0.0
    for value in values:
        total += value
        yield total


def tokens(text):
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        yield word


def evaluate(words, names):
    word = next(words)
    if word == "(":
        op, left, right = next(words), evaluate(words, names), evaluate(words, names)
        next(words)
        return HANDLERS[op](left, right)
    return names[word] if word in names else float(word)'''

IDIOMS = (
    """
@balances = [$E]
for @rate in ($E, $E, 0.3):
    @balances.append(@balances[-1] * <<@rate||(1.0 + @rate)||$F(@rate)>>)
=> <<@balances[-1]||sum(@balances)||@balances[-2] * @balances[0]||max(@balances)>>
""",
    """
@xs = [$E for @k in range($K + 2)]
@window = $K
@means = []
for @i in range(len(@xs)):
    @part = @xs[max(0, @i - @window + 1):@i + 1]
    @means.append(sum(@part) / len(@part))
=> <<@means[-1]||sum(m * m for m in @means)||@means[1] * @means[-1]>>
""",
    """
@n = $K + 1
@row = <<[0.0] * (@n + 1)||[0.0 for @c in range(@n + 1)]>>
@table = <<[list(@row) for @r in range(@n + 1)]||[@row[:] for @r in range(@n + 1)]>>
for @i in range(@n + 1):
    @table[@i][0] = @table[0][@i] = @i * $E
for @i in range(1, @n + 1):
    for @j in range(1, @n + 1):
        @gap = @table[@i - 1][@j] + $E
        @table[@i][@j] = <<min||max>>(@gap, @table[@i][@j - 1] + $E, @table[@i - 1][@j - 1] * 0.9)
=> @table[@n][@n]
""",
    """
@f = [1.0, $E]
while len(@f) < $K + 3:
    @f.append(@f[-1] * $E + @f[-2])
=> <<@f[-1]||@f.pop() * @f.pop()||sum(@f[1:])>>
""",
    """
@head = None
for @v in [$E, $E, $E]:
    @head = Node(@v, @head)
@head.<<value||next.value>> <<= ||*= ||+= >>$E
@total = 0.0
for @w in @head:
    @total = @total * 0.5 + @w
=> @total
""",
    """
@tree = Tree($E, Tree($E, Tree($E), Tree($E)), Tree($E))
@tree.children[0].value <<+=||*=||=>> $E
=> @tree.accept(<<Visitor()||Deep()>>)
""",
    """
@result = $E
for @op in <<("add", "mul", "mix")||("mix", "add")||sorted(HANDLERS)>>:
    @result = HANDLERS[@op](@result, $E)
=> @result
""",
    """
@scaled = <<Mixed($E)||Shifted()||Mixed(2.0)>>
@scaled.factor <<*=||+=>> $E
=> @scaled.rate($E)
""",
    """
@counted = counted($F)
@s = @counted($E) + @counted($E)
=> @s * @counted.calls
""",
    """
@memo = memo(lambda n, v: v if n < 2 else @memo(n - 1, v) + @memo(n - 2, v) * 0.5)
=> @memo($K + 2, $E)
""",
    """
@names = {"a": $E, "b": $E}
@text = <<"(add a (mul b 2.0))"||"(mix (mul a a) b)"||"(mul (add a b) (mix a 0.5))">>
=> evaluate(tokens(@text), @names)
""",
    """
@meter = Meter()
for @v in ($E, $E, $E, 0.9):
    @meter.feed(@v)
=> @meter.total
""",
    """
@cost = sum([Money($E) * $E, Money($E), $E * Money(2.0)])
=> @cost.amount
""",
    """
@account = Account($E)
for @k in range($K):
    @account.interest($E * 0.1)
    if <<@account.balance > 0.5||$C>>:
        @account.deposit(@account.history[-1] * 0.1)
=> <<@account.balance||sum(@account.history)||@account.history[0] * @account.balance>>
""",
    """
@bodies = [Body($E, $E), Body($E, $E, mass=$P)]
for @t in range($K):
    for @b in @bodies:
        @other = @bodies[0] if @b is @bodies[1] else @bodies[1]
        @b.step(@other.position - @b.position)
=> sum(b.energy for b in @bodies) + @bodies[0].position
""",
    """
@queue = collections.deque([$E, $E], <<maxlen=3||maxlen=2>>)
for @k in range($K + 1):
    @queue.append(<<@queue[-1]||@queue[0]>> * $E + 0.1 * @k)
=> sum(@queue) <<+||*>> @queue[0]
""",
    """
@heap = [($E, 0), ($E, 1), (3.5, 2)]
heapq.heapify(@heap)
@value, @key = heapq.heappop(@heap)
heapq.heappush(@heap, (@value * $E + 2.0, @key))
=> sum(v * (k + 1) for v, k in @heap)
""",
    """
@counts = <<collections.defaultdict(float)||collections.Counter()||Record()>>
for @key, @v in zip("abca", ($E, $E, $E, $E)):
    @counts[@key] += @v
=> sum(v * v for v in @counts.values()) + @counts["a"]
""",
    """
@groups = {}
for @k, @v in enumerate([$E, $E, $E, $E]):
    @groups.setdefault(@k % 2, []).append(@v)
=> math.prod(sum(g) / len(g) for g in @groups.values())
""",
    """
@history = [$E, $E]
for @k in range($K):
    @last = @history[-1]
    @history = <<[*@history, @last * $E]||[@history[-1], *@history[:2], $E]||[0.5, *@history]>>
=> sum(v * (i + 1) for i, v in enumerate(@history))
""",
    """
@params = {"gain": $E, "bias": $E}
@params = {**@params, <<"gain": @params["gain"] * 2.0||"rate": @params["bias"] + $E>>}
=> sum(@params.values()) * @params["gain"]
""",
    """
@total = 0.0
@ls, @rs = [$E, $E, $E], [$E, $E]
for @a, @b in itertools.<<pairwise(@ls)||product(@ls, @rs)||combinations(@ls, 2)>>:
    @total += @a * @b - 0.5 * @b
=> @total
""",
    """
@sums = list(itertools.accumulate([$E, $E, $E], <<operator.mul||lambda a, b: a * 0.5 + b||max>>))
=> @sums[-1] <<+||*||->> @sums[1]
""",
    """
@ts = [$E]
@ts.extend(<<(@ts[-1] * v for v in [$E, $E])||running([$E, $E])||[@ts[0], *@ts]||map($F, @ts[:])>>)
=> sum(@ts) <<* @ts[-1]||+ @ts[0]>>
""",
    """
@state = {"v": $E}
def @update(amount):
    @state["v"] = @state["v"] * 0.8 + amount
    return @state["v"]
@update($E)
=> @update(@state["v"]) + @state["v"]
""",
    """
@level = $E
def @raise_by(amount):
    nonlocal @level
    @level += amount
    return @level * amount
@first = @raise_by($E)
=> @first + @level * @raise_by($E)
""",
    """
def @solve(value, depth):
    if depth == 0 <<||or value > 30.0>>:
        return $F(value)
    return @solve(value * 0.5 + $E, depth - 1) + 0.1 * value
=> @solve($E, $K)
""",
    """
@guess = 1.0 + $P
for @k in range(12):
    @new = 0.5 * (@guess + $P / @guess)
    if abs(@new - @guess) < 1e-9:
        break
    @guess = @new
=> @guess
""",
    """
@u = [$E, $E, $E, $E]
for @t in range($K):
    @old = <<@u[:]||list(@u)||@u.copy()>>
    for @i in range(1, len(@u) - 1):
        @u[@i] = @old[@i] + 0.2 * (@old[@i - 1] - 2.0 * @old[@i] + @old[@i + 1])
=> sum(@u) <<||* @u[1]>>
""",
    """
@v = np.array([$E, $E, $E])
@w = <<@v.copy()||@v[::-1]||np.zeros(3)>>
for @i in range(3):
    @w[@i] <<=||+=>> @v[@i] * $E
=> float(np.sum(@w <<*||+||->> @v))
""",
    """
@a = np.zeros(($K, 2))
for @i in range(len(@a)):
    @a[@i] = <<($E, $E)||[$E, @a[@i - 1, 0]]||np.array([$E, 0.5]) * (@i + 1)>>
=> <<@a.sum()||np.linalg.norm(@a + 1.0)||(@a[0] @ @a[-1])||np.mean(@a ** 2)>>
""",
    """
@m = np.array([[ [2.0 + $P, $E], [$E, 3.0 + $P] ]])
@b = np.array([$E, $E])
=> <<float(np.sum(np.linalg.solve(@m, @b)))||np.trace(@m @ @m)||@b @ @m @ @b||np.linalg.det(@m)>>
""",
    """
@rows = [[$E, $E], [$E, $E]]
@rows[0], @rows[1] = <<@rows[1], @rows[0]||[v * 2.0 for v in @rows[1]], @rows[0]>>
@rows[0][1] += @rows[1][0]
=> sum(map(sum, @rows)) * @rows[0][0]
""",
    """
@stack = []
for @word in <<("1", "x", "+", "y", "*")||("x", "x", "*", "2", "+")||("y", "1", "x", "*", "+")>>:
    if @word in "+*":
        @right, @left = @stack.pop(), @stack.pop()
        @stack.append(@left + @right if @word == "+" else @left * @right)
    else:
        @stack.append({"x": $E, "y": $E}[@word] if @word in "xy" else float(@word))
=> @stack[-1]
""",
    """
@kept = None
for @v in ($E, $E, $E):
    if @kept is None or @v > @kept:
        @kept = @v
    else:
        @kept += 0.1 * @v
=> @kept
""",
    """
try:
    @r = {"p": $E}<<["p"]||["q"]||.pop("q")>>
except KeyError <<||as error>>:
    @r = $E
else:
    @r = @r * $E
finally:
    LOG.append("tried")
=> @r
""",
    """
@gen = running(v * $E for v in [$E, $E, $E])
@first = next(@gen)
=> @first * sum(@gen)
""",
    """
@level = Level.<<LOW||HIGH>>
=> @level.scale($E) + <<0.0||@level.value>> * RATES["mid"] * $E
""",
    """
@knots = [0.0, 0.5, 1.0, 2.0]
@values = [$E, $E, $E, $E]
@t = 0.3 + 0.2 * $F(x)
@i = min(max(bisect.bisect(@knots, @t) - 1, 0), 2)
@share = (@t - @knots[@i]) / (@knots[@i + 1] - @knots[@i])
=> @values[@i] * (1.0 - @share) + @values[@i + 1] * @share
""",
    """
@pipeline = functools.reduce(lambda g, h: lambda v: h(g(v)), [$F, $F, $F])
=> @pipeline($E) + functools.partial(<<max||math.hypot||operator.mul>>, $E)($E)
""",
    """
class @Local:
    total = $E

    def __init__(self, v):
        self.v = v

    def __call__(self, w):
        self.v, old = w * self.total, self.v
        return old + self.v

    def __getattr__(self, name):
        return 0.5 * self.v

@local = @Local($E)
=> @local($E) * @local.missing + @local($E)
""",
    """
@x0, *@rest = sorted([$E, $E, $E], <<reverse=True||key=abs||key=lambda v: -v>>)
@rest[-1], @x0 = @x0, @rest[-1]
=> @x0 * 2.0 + sum(@rest)
""",
    """
@acc = 0.0
for @i in range($K):
    for @j in range(@i + 1):
        if (@i + @j) % 3 == 2:
            continue
        @acc += $E * (@i + 1) / (@j + 1)
    else:
        @acc *= 0.9
=> @acc
""",
    """
@text = f"{$K}:{len(LOG)}"
@n = int(@text.split(":")[0])
=> sum([$E] * @n) / @n
""",
    """
with contextlib.ExitStack() as @stack:
    @out = []
    @stack.callback(@out.append, $E)
    @stack.callback(lambda: @out.append($E))
=> @out[0] * 2.0 + @out[1]
""",
)
