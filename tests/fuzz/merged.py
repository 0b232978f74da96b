"""Random programs with one name for two variables: what was `i` here and `w` there is both.

Names that a generator keeps apart meet: an index that was a number before its loop, a list that
becomes an array, an argument that is bound again. Most programs still run, and mean something else.
"""

import ast
import random

__all__ = ["merged"]


def merged(source, seed):
    """The program of another text, with names of one function, or of two, taken together."""
    rng = random.Random(f"merged {seed}")
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = [(node, variables(node)) for node in functions]
    found = [(node, names) for node, names in found if len(names) > 1]
    if not found:
        return source
    last = found[-1]
    for _ in range(rng.randint(1, 3)):
        node, names = last if rng.random() < 0.7 else rng.choice(found)
        old, new = rng.sample(names, 2)
        _Merge(old, new).visit(node)
    return ast.unparse(tree) + "\n"


def variables(function):
    """Parameters and names that are bound."""
    bound = [arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)]
    inside = [node for part in function.body for node in ast.walk(part)]
    bound += [node.id for node in inside if isinstance(node, ast.Name) and _is_stored(node)]
    return list(dict.fromkeys(bound))


def _is_stored(node):
    return isinstance(node.ctx, ast.Store)


class _Merge(ast.NodeTransformer):
    """``old`` becomes ``new`` wherever it stands, but in the head: a parameter stays one."""

    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit_Name(self, node):
        if node.id == self.old:
            node.id = self.new
        return node

    def visit_Nonlocal(self, node):
        node.names = list(dict.fromkeys(self.new if n == self.old else n for n in node.names))
        return node

    visit_Global = visit_Nonlocal

    def visit_arg(self, node):
        return node
