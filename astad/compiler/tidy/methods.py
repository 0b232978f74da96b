"""Ask an array itself for what a function of NumPy would ask it for.

``np.sum(x, axis=0)`` finds out what kind of object ``x`` is and then has the array do the work.
Where ``x`` is known to be an array of doubles, ``x.sum(axis=0)`` is the same to the bit, in a
third of the time where the array is small. Last of all passes: the others know the functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from astad.compiler.ir.derived import Derived
from astad.compiler.ir.kinds import UNKNOWN, is_array
from astad.compiler.ir.nodes import COMPOUND, Block, Call, Const, Node, Prim, Ref
from astad.compiler.ir.walk import kept, with_blocks

__all__ = ["METHODS", "ask_arrays"]


class _Method(NamedTuple):
    """``most`` operands come by position, the array among them; ``words`` may be keywords."""

    most: int
    words: frozenset[str] = frozenset()


ALONG = frozenset({"axis"})
OVER = ALONG | {"keepdims"}
METHODS: Mapping[str, _Method] = {
    "sum": _Method(2, OVER),
    "prod": _Method(2, OVER),
    "max": _Method(2, OVER),
    "min": _Method(2, OVER),
    "mean": _Method(2, OVER),
    "std": _Method(2, OVER | {"ddof"}),
    "var": _Method(2, OVER | {"ddof"}),
    "cumsum": _Method(2, ALONG),
    "cumprod": _Method(2, ALONG),
    "argmax": _Method(2, ALONG),
    "argmin": _Method(2, ALONG),
    "argsort": _Method(2, ALONG),
    "reshape": _Method(2),
    "ravel": _Method(1),
    "transpose": _Method(2),
    "swapaxes": _Method(3),
    "squeeze": _Method(2, ALONG),
    "repeat": _Method(3, ALONG),
    "take": _Method(3, ALONG),
    "trace": _Method(4),
    "diagonal": _Method(4),
}
"""Functions of NumPy to what their methods take in the same places, under the same names."""
MEAN = Ref("astad.rules.means", "mean_of")


def ask_arrays(derived: Derived) -> Derived:
    """In every sweep, for the user's calls: where the kind of the result is known, the function is
    among what is tested before.
    """
    if METHODS.keys().isdisjoint(derived.numpy.values()):
        return derived
    return derived.with_bodies(lambda function: _block(function.body, derived))


def _block(body: Block, derived: Derived) -> Block:
    return kept(body, [_node(node, derived) for node in body])


def _node(node: Node, derived: Derived) -> Node:
    if type(node) in COMPOUND:
        return with_blocks(node, lambda block: _block(block, derived))
    if type(node) is not Call or not isinstance(node.fn, str):
        return node
    name = derived.numpy.get(node.fn, "")
    if name not in METHODS or not _is_asked(node, METHODS[name], derived):
        return node
    if name == "mean":
        return replace(node, fn=MEAN)
    return replace(node, fn=Prim("method"), args=(node.args[0], Const(name), *node.args[1:]))


def _is_asked(node: Call, method: _Method, derived: Derived) -> bool:
    """Is it of a known array, and is nothing given that only the function takes?"""
    if derived.kinds.get(str(node.target), UNKNOWN) == UNKNOWN:
        return False
    if not 0 < len(node.args) <= method.most:
        return False
    if not is_array(derived.kinds.get(str(node.args[0]), UNKNOWN)):
        return False
    return all(word in method.words for word, _ in node.keywords)
