"""Ask an array itself for what a function of NumPy would ask it for.

``np.sum(x, axis=0)`` finds out what kind of object ``x`` is and then has the array do the work.
Where ``x`` is known to be an array of doubles, ``x.sum(axis=0)`` is the same to the bit, in a
third of the time where the array is small. Last of all passes: the others know the functions.
"""

from __future__ import annotations

from astad.compiler.ir.derived import Derived, Method
from astad.compiler.ir.kinds import UNKNOWN, is_array
from astad.compiler.ir.nodes import COMPOUND, Block, Call, Const, Node, Prim, Ref
from astad.compiler.ir.walk import kept, with_blocks
from astad.slotted import replace

__all__ = ["ask_arrays"]

MEAN = Ref("astad.rules.means", "mean_of")


def ask_arrays(derived: Derived) -> Derived:
    """In every sweep, for the user's calls: where the kind of the result is known, the function is
    among what is tested before.
    """
    if not derived.methods:
        return derived
    return derived.with_bodies(lambda function: _block(function.body, derived))


def _block(body: Block, derived: Derived) -> Block:
    return kept(body, [_node(node, derived) for node in body])


def _node(node: Node, derived: Derived) -> Node:
    if type(node) in COMPOUND:
        return with_blocks(node, lambda block: _block(block, derived))
    if type(node) is not Call or not isinstance(node.fn, str):
        return node
    method = derived.methods.get(node.fn)
    if method is None or not _is_asked(node, method, derived):
        return node
    if method.name == "mean":
        return replace(node, fn=MEAN)
    args = node.args[0], Const(method.name), *node.args[1:]
    return replace(node, fn=Prim("method"), args=args)


def _is_asked(node: Call, method: Method, derived: Derived) -> bool:
    """Is it of a known array, and is nothing given that only the function takes?"""
    if derived.kinds.get(str(node.target), UNKNOWN) == UNKNOWN:
        return False
    if not 0 < len(node.args) <= method.most:
        return False
    if not is_array(derived.kinds.get(str(node.args[0]), UNKNOWN)):
        return False
    return all(word in method.words for word, _ in node.keywords)
