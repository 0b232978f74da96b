"""Multiply with a number where the reverse sweep would multiply with a multiple of the identity.

``g = s * np.eye(n, m); A_bar = g @ B.T`` becomes ``A_bar = eye_times(s, n, m, B.T)``: the cotangent
of ``np.trace(A @ B)`` takes no product of matrices. Nor is the identity needed for the sum of a
product with it, the cotangent of ``s`` in ``s * np.eye(n)``: that is the sum of a diagonal.

>>> from astad.compiler.ir.lines import reversed_block
>>> from astad.compiler.ir.text import show
>>> text = (
...     Call("e", EYE, ("n", "m"), (), 1),
...     Call("g", Prim("mul"), ("s", "e"), (), 1),
...     Call("a", Prim("matmul"), ("g", "b"), (), 1),
... )
>>> print(show(_Shortener(text).block(reversed_block(text), {}, {})[-1:]))
a = astad.rules.identity.eye_times(s, n, m, b)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace

from astad.compiler.ir.dependence import Dependence
from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.lines import is_reverse
from astad.compiler.ir.nodes import Bind, Block, Call, Const, Node, Operand, Prim, Ref, Star
from astad.compiler.ir.outline import outline
from astad.compiler.ir.walk import kept, walk, with_blocks

__all__ = ["shorten_identities"]

EYE, ADD_REDUCE, MUL = Ref("numpy", "eye"), Ref("numpy.add", "reduce"), Prim("mul")
HOME = "astad.rules.identity"
Eyes = dict[str, tuple[Operand, Operand]]
"""Name of an identity matrix to its rows and columns."""
Multiples = dict[str, tuple[Operand, Operand, Operand]]
"""Name to the number, the rows and the columns."""


ALL = Dependence()
"""Where nothing is known of any name."""


def shorten_identities(derived: Derived) -> Derived:
    """In the reverse sweeps; identities that nobody reads any more are dead code.

    Of those that the user makes, the arrays which nobody writes in a fused form.
    """
    users: frozenset[str] = frozenset()
    if len(derived.functions) == 1:
        users = frozenset(name for name, own in derived.numpy.items() if own == "eye")

    dependence = Dependence.of(derived)

    def body(function: Function) -> Block:
        if not (outline(function).calls_to(EYE) or users):
            return function.body
        shortener = _Shortener(function.body, function.params, users, derived.steady, dependence)
        return shortener.block(function.body, {}, {})

    return derived.with_bodies(body)


class _Shortener:
    """Knows the names that have one value throughout, and are never written in place; the ``users``
    are the user's names of ``np.eye``, and ``theirs`` the identities which these make: the user
    multiplies them with arrays too, element by element, a rule its own with numbers alone.
    """

    def __init__(
        self,
        body: Block,
        params: Sequence[str] = (),
        users: Set[str] = frozenset(),
        whole: Set[str] = frozenset(),
        dependence: Dependence = ALL,
    ) -> None:
        self.users, self.whole = users, whole
        self.theirs: set[str] = set()
        nodes = list(walk(body))
        count = Counter(name for node in nodes for name in node.bound)
        count.update(params)
        changed = {name for node in nodes for name in dependence.changed(node)}
        self.steady = {name for name, times in count.items() if times == 1} - changed
        self.bound = set(count)

    def block(self, body: Block, eyes: Eyes, multiples: Multiples) -> Block:
        """What is known in a block is known in those inside it."""
        eyes, multiples = dict(eyes), dict(multiples)
        out: list[Node] = []
        for node in body:
            node = with_blocks(node, lambda inner: self.block(inner, eyes, multiples))
            if isinstance(node, Call) and is_reverse(node):
                node = _sum_of_diagonal(node, out[-1:], eyes) or _shortened(node, multiples)
                self._note(node, eyes, multiples)
            elif isinstance(node, Call) and node.fn in self.users and node.target in self.whole:
                self.theirs.add(str(node.target))
                self._note(replace(node, fn=EYE), eyes, multiples)
            elif isinstance(node, Bind) and node.source in multiples and node.target in self.steady:
                multiples[node.target] = multiples[str(node.source)]
            out.append(node)
        return kept(body, out)

    def _note(self, node: Call, eyes: Eyes, multiples: Multiples) -> None:
        if not isinstance(node.target, str) or node.target not in self.steady or node.keywords:
            return
        first, second = (*node.args, None, None)[:2]
        if node.fn == EYE:
            second = first if second is None else second
            if self._stays(first) and self._stays(second) and len(node.args) < 3:
                eyes[node.target] = first, second  # type: ignore[assignment]
        elif node.fn == MUL and second in eyes.keys() - self.theirs and self._stays(first):
            multiples[node.target] = first, *eyes[str(second)]  # type: ignore[assignment]

    def _stays(self, operand: Operand | Star | None) -> bool:
        if isinstance(operand, str):
            return operand in self.steady or operand not in self.bound
        return operand is not None and not isinstance(operand, Star)


def _shortened(node: Call, multiples: Multiples) -> Call:
    if node.fn != Prim("matmul"):
        return node
    first, second = node.args
    if first in multiples:
        return replace(node, fn=Ref(HOME, "eye_times"), args=(*multiples[str(first)], second))
    if second in multiples:
        return replace(node, fn=Ref(HOME, "times_eye"), args=(first, *multiples[str(second)]))
    return node


def _sum_of_diagonal(node: Call, before: Sequence[Node], eyes: Eyes) -> Call | None:
    """Of ``p = g * e; y = np.add.reduce(p, None)``, where nothing stands between the two."""
    product = before[0] if before else None
    if node.fn != ADD_REDUCE or not isinstance(product, Call) or product.fn != MUL:
        return None
    if node.args != (product.target, Const(None)):
        return None  # no program is known: sums along an axis stay calls of np.sum
    for array, other in (product.args, product.args[::-1]):
        if other in eyes and array != product.target:
            args = (array, *eyes[str(other)])
            return replace(node, fn=Ref(HOME, "sum_of_diagonal"), args=args)
    return None
