"""The dataflow solver against all ways through small programs, written down one by one."""

import itertools
import random
import textwrap

import pytest

from astad.compiler.ir.flow import Backward, live_at_head, live_behind, may_be_unbound
from astad.compiler.ir.nodes import (
    Bind,
    Branch,
    Call,
    Const,
    Exit,
    Loop,
    Param,
    Prim,
    Program,
    Raise,
    Try,
    While,
)
from astad.compiler.ir.walk import falls_through, walk
from astad.compiler.lower.function import program_of

ROUNDS = 3
FORGET = Prim("forget")


# --- the oracle: every way is a list of what is read and bound, and how it ends


def ways(block, tried=False):
    """Of a block: events in order, and None for its end or how it is left."""
    if not block:
        yield (), None
        return
    for events, end in ways_of(block[0], tried):
        if end is not None:
            yield events, end
        else:
            yield from ((events + rest, how) for rest, how in ways(block[1:], tried))


def ways_of(node, tried):
    reads, binds = ("read", node), ("bind", node)
    if isinstance(node, While):
        yield from rounds(node, tried, ROUNDS)
    elif isinstance(node, Try):
        yield from attempts(node, tried)
    elif isinstance(node, Raise):
        yield (reads,), "raise"
    else:
        if tried:
            yield (reads,), "raise"
        if isinstance(node, Exit):
            yield (reads,), node.how
        elif isinstance(node, Branch):
            for events, end in itertools.chain(ways(node.body, tried), ways(node.orelse, tried)):
                yield (reads, *events), end
        elif isinstance(node, Loop):
            yield from (((reads, *events), end) for events, end in rounds(node, tried, ROUNDS))
        else:
            yield (reads, binds), None


def rounds(node, tried, left):
    """From the head of a loop on."""
    heads = ways(node.head, tried) if isinstance(node, While) else [((), None)]
    reads = (("read", node),) if isinstance(node, While) else ()
    for head, end in heads:
        if end is not None:
            yield head, leaves(end)
            continue
        head += reads
        if tried:
            yield head, "raise"
        yield from ((head + events, end) for events, end in ways(node.orelse, tried))
        for events, end in ways(node.body, tried) if left else ():
            events = (*head, ("bind", node), *events)
            if end in (None, "continue"):
                yield from ((events + rest, how) for rest, how in rounds(node, tried, left - 1))
            else:
                yield events, leaves(end)


def leaves(how):
    return None if how == "break" else how


def attempts(node, tried):
    for body, end in tried_and_caught(node, tried or bool(node.final)):
        for events, how in ways(node.final, tried):
            yield body + events, how or end


def tried_and_caught(node, tried):
    for events, end in ways(node.body, True):
        if end is None:
            yield from ((events + rest, how) for rest, how in ways(node.orelse, tried))
        elif end == "raise" and node.caught is not None:
            events += (("bind", node),)
            yield from ((events + rest, how) for rest, how in ways(node.handler, tried))
        else:
            yield events, end


def oracle(program):
    """Names live at the head; behind each statement that has run; names that may be unbound; and
    names read on all ways that end well.
    """
    head, behind, unbound, always = set(), {}, set(), None
    given = {param.name for param in program.params}
    for events, end in ways(program.body):
        live = set()
        for what, node in reversed(events):
            if what == "bind":
                if type(node) in (Bind, Call):
                    behind.setdefault(id(node), set()).update(live)
                live.difference_update(node.bound)
                if type(node) is Call and node.fn == FORGET:
                    unbound |= behind[id(node)].intersection(node.bound)
            else:
                live.update(node.read)
        head |= live
        unbound |= live - given
        if end != "raise":
            always = live if always is None else always & live
    return head, behind, unbound, always


class Always(Backward):
    """Names that are read on all ways before they are bound again."""

    must = True

    def __init__(self):
        super().__init__()
        self.ends["return"] = set()

    def read(self, node, facts):
        facts.update(node.read)


def check(program):
    head, behind, unbound, always = oracle(program)
    nodes = [node for node in walk(program.body) if type(node) in (Bind, Call)]
    found = live_behind(program.body, nodes)
    assert live_at_head(program.body) >= head
    assert may_be_unbound(program) >= unbound
    assert all(found[at] >= names for at, names in behind.items())
    if found.keys() != behind.keys():
        return  # what is on no way is not told from other statements
    if any(isinstance(node, Try) and node.final for node in walk(program.body)):
        return  # nor is it seen backwards that the last block of a ``try`` only leads outside
    assert live_at_head(program.body) == head
    assert may_be_unbound(program) == unbound
    assert found == behind
    if always is not None:
        assert Always().block(program.body, set()) == always


TEXTS = {
    "a straight text": "y = x\nz = y\ny = z\nreturn y",
    "a loop that breaks": """
        for x in xs:
            if x: break
            y = x
        else:
            y = z
        return y""",
    "a loop that goes on": """
        for x in xs:
            if x: continue
            y = x
            x = y
        return y""",
    "nested exits": """
        for x in xs:
            for w in ws:
                if w: break
                if x: return y
                y = w
            else:
                continue
            z = y
            break
        return z""",
    "while": """
        while (n := f(n)):
            y = n
            if y: break
        else:
            z = y
        return z""",
    "arms that leave": """
        if x:
            y = x
        else:
            return z
        return y""",
    "try": """
        try:
            y = f(x)
            z = g(y)
        except E:
            y = z
        else:
            w = y
        finally:
            v = y
        return w""",
    "try in a loop": """
        for x in xs:
            try:
                if x: break
                y = f(x)
            finally:
                z = y
        return z""",
    "raise": """
        try:
            if x: raise E
            y = x
        except F:
            return y
        return z""",
    "a name forgotten": """
        for x in xs:
            if x: del y
            y = x
        return y""",
}


@pytest.mark.parametrize("name", TEXTS)
def test_as_all_ways_tell(name):
    check(program_of(textwrap.dedent(TEXTS[name])))


NAMES = "abc"


def drawn(rng, depth, in_loop):
    """A block of up to three statements, none behind an exit."""
    made = []
    for _ in range(rng.randint(0, 3 if depth else 2)):
        made.append(statement(rng, depth, in_loop))
        if not falls_through(made[-1:]):
            break
    return tuple(made)


def statement(rng, depth, in_loop):
    name, other = rng.choice(NAMES), rng.choice(NAMES)
    sorts = ["bind", "bind", "call", "exit"] + ["branch", "loop", "while", "try"] * bool(depth)
    sort = rng.choice(sorts)
    if sort == "branch":
        return Branch(name, drawn(rng, depth - 1, in_loop), drawn(rng, depth - 1, in_loop), 1)
    if sort == "loop":
        return Loop(name, other, drawn(rng, depth - 1, True), drawn(rng, depth - 1, in_loop), 1)
    if sort == "while":
        head = (Call(name, "f", (other,), (), 1),)
        return While(head, name, drawn(rng, depth - 1, True), drawn(rng, depth - 1, in_loop), 1)
    if sort == "try":
        parts = [drawn(rng, depth - 1, in_loop) for _ in range(4)]
        caught = rng.choice([None, name])
        orelse = parts[2] if falls_through(parts[0]) else ()
        return Try(parts[0], caught, parts[1] if caught else (), orelse, parts[3], 1)
    if sort == "exit" and rng.random() < 0.5:
        hows = ["return"] + ["break", "continue"] * 2 * in_loop
        how = rng.choice(hows)
        return Exit(how, name if how == "return" else None, 1)
    if sort == "exit":
        return Raise(name, None, 1)
    if sort == "call" and rng.random() < 0.3:
        return Call(None, FORGET, (name,), (), 1)
    return Bind(name, other if rng.random() < 0.8 else Const(1.0), 1)


def program(body):
    params = (Param("a", "positional", False),)
    return Program("f", "f", params, (), body, "f.py", 1, frozenset(NAMES))


@pytest.mark.parametrize("seed", range(20))
def test_as_all_ways_tell_of_drawn_programs(seed):
    rng = random.Random(seed)
    done = 0
    while done < 20:
        made = program(drawn(rng, 2, False))
        if few(made):
            check(made)
            done += 1


def few(made, most=3000):
    return sum(1 for _ in itertools.islice(ways(made.body), most)) < most
