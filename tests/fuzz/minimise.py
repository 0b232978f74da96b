"""Make a faulty program shorter while it stays faulty: drop statements, unwrap, cut parts."""

import ast
import contextlib
import copy
import signal

TRIES = 300
SECONDS = 30


def minimised(source, still_faulty, tries=TRIES):
    """A shorter text with the same fault.

    Parameters
    ----------
    source : str
        A module with functions; the last one, ``arguments``, is left alone.
    still_faulty : callable
        Whether a text still has the fault; must answer False for one that does not run.
    tries : int
        How many texts to try at most.
    """
    tree = ast.parse(source)
    budget = [tries]
    changed = True
    while changed and budget[0] > 0:
        changed = False
        for size in (6, 3, 1):
            changed |= drop_runs(tree, still_faulty, budget, size)
        changed |= simplify(tree, still_faulty, budget)
    return ast.unparse(tree) + "\n"


def blocks(tree):
    """Every list of statements, the innermost last; not the module's head."""
    yield tree.body
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            found = getattr(node, field, None)
            if isinstance(found, list) and node is not tree and found:
                yield found


def attempt(tree, still_faulty, budget):
    """Whether the changed tree still has the fault."""
    if budget[0] <= 0:
        return False
    budget[0] -= 1
    try:
        with limited(SECONDS):
            return still_faulty(ast.unparse(ast.fix_missing_locations(tree)) + "\n")
    except Exception:
        return False


@contextlib.contextmanager
def limited(seconds):
    """TimeoutError after so long: without one of its statements a program may run for ever."""

    def stop(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def drop_runs(tree, still_faulty, budget, size):
    """Drop runs of this many statements wherever that keeps the fault."""
    changed = False
    for block in list(blocks(tree)):
        at = len(block) - size
        while at >= 0:
            before = list(block)
            if all(droppable(node) for node in block[at : at + size]):
                block[at : at + size] = [] if len(block) > size else [ast.Pass()]
                kept = attempt(tree, still_faulty, budget)
                changed |= kept
                block[:] = block if kept else before
            at = min(at - 1, len(block) - size)
    return changed


def droppable(node):
    """Whether it makes sense to drop a statement."""
    kept = isinstance(node, (ast.Pass, ast.Import)) or getattr(node, "name", "") in (
        "f",
        "arguments",
    )
    return not kept


def simplify(tree, still_faulty, budget):
    """Replace a block statement by its body, an operation by one of its parts."""
    changed = False
    for block in list(blocks(tree)):
        for at, node in enumerate(list(block)):
            if isinstance(node, (ast.If, ast.For, ast.While)) and node in block:
                at = block.index(node)
                block[at : at + 1] = node.body
                if attempt(tree, still_faulty, budget):
                    changed = True
                else:
                    block[at : at + len(node.body)] = [node]
    for node in list(ast.walk(tree)):
        for name, value in ast.iter_fields(node):
            for part in parts(value) if isinstance(value, ast.expr) else ():
                setattr(node, name, copy.deepcopy(part))
                if attempt(tree, still_faulty, budget):
                    changed = True
                    break
                setattr(node, name, value)
    return changed


def parts(value):
    """Simpler expressions to try in place of one."""
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.BoolOp):
        return value.values
    if (
        isinstance(value, ast.Call)
        and len(value.args) == 1
        and isinstance(value.func, ast.Attribute)
    ):
        return value.args
    return []
