"""Write into an array that nobody reads any more, instead of making another.

``t = a * b; u = t + c; v = 1.0 - u`` becomes ``t = a * b; t += c; np.subtract(1.0, t, out=t)``
where a, b and c have one shape, and t is read for v from there on. Only arrays that a statement of
the text made, that have had one name all the time, and that were read by nothing but arithmetic: no
view, no list, no function of the user's can know them. Statements in loops and branches are left as
they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from astad.compiler.ir.derived import Derived, Function
from astad.compiler.ir.nodes import (
    COMPOUND,
    Bind,
    Block,
    Call,
    Const,
    Node,
    Operand,
    Prim,
    Ref,
    Star,
)
from astad.compiler.ir.outline import outline
from astad.compiler.ir.prims import BINARY, BY_VALUE, WRITES
from astad.compiler.ir.walk import bound_inside, called_anew, kept, renamed, walk

__all__ = ["reuse_buffers"]

ARITHMETIC = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "neg": "negative",
}  # fmt: skip
"""Operations to NumPy's functions."""
COMMUTES = ("add", "mul")
HARMLESS = {*BINARY, "neg", "eq"}
ASKED = ("shape", "size", "ndim")

REDUCE, ZEROS = Ref("numpy.add", "reduce"), Ref("numpy", "zeros")
GETATTR, MATMUL = Prim("getattr"), Prim("matmul")
SHAPE = Const("shape")
PLAIN = {"axis", "keepdims"}
MAKERS = ("eye", "full", "identity", "linspace", "ones", "zeros")
"""Functions of NumPy that make an array of numbers."""
SAFE = tuple(Ref("astad.rules.safe", name) for name in ("alive", "safe_product", "safe_quotient"))
ALIVE_SUM = Ref("astad.rules.safe", "alive_sum")


def reuse_buffers(derived: Derived) -> Derived:
    """In a fused form."""
    if len(derived.functions) != 1 or not derived.shapes:
        return derived
    return derived.with_bodies(_Buffers(derived).body_of)


class _Buffers:
    """``shape`` has what stands for the lengths of names that hold an array of floats, ``fresh``
    those of them that alone have an array made here; ``layout`` something that is equal for arrays
    whose elements certainly lie in the same order: a sum adds them in that order; ``last`` where
    each name is read last.
    """

    def __init__(self, derived: Derived) -> None:
        self.derived = derived
        self.shape: dict[str, Hashable] = {}
        self.shapes: dict[str, Hashable] = {}
        self.fresh: set[str] = set()
        self.layout: dict[str, Hashable] = {}
        self.last: dict[str, int] = {}
        self.times: Mapping[str, int] = {}
        self.stands: dict[str, str] = {}
        self.better: dict[str, str] = {}

    def body_of(self, function: Function) -> Block:
        """The body of the one function, written anew."""
        body = function.body
        shapes = self.derived.shapes
        self.shape = {name: shapes[name] for name in function.params if name in shapes}
        self.times = outline(function).bound
        for at, node in enumerate(body):
            for name in node.read:
                self.last[name] = at
            for part in node.inside if type(node) in COMPOUND else ():
                self.last.update(dict.fromkeys(part.read, at))
        out: list[Node] = []
        for at, node in enumerate(body):
            node = renamed(node, self.stands) if self.stands else node
            made = self._elementwise(node, at) if type(node) is Call and self.shape else None
            if made is not None:
                out += made
                continue
            if not self._note(node, at):
                out.append(node)
        if self.better:
            out = [called_anew(node, self.better) for node in out]
        return kept(body, out)

    def _stands(self, target: str, buffer: str) -> None:
        """The buffer is read for it; of the two a cotangent has the better name."""
        self.stands[target] = buffer
        self.last[buffer] = self.last.get(target, 0)
        if target.endswith("_bar") and not buffer.endswith("_bar"):
            self.better.setdefault(buffer, target)

    # -- what a statement does to the arrays it reads

    def _note(self, node: Node, at: int) -> bool:
        """Is nothing left to do?"""
        if type(node) is Bind and isinstance(node.target, str):
            return self._copy(node, at)
        shape = self._result(node) if isinstance(node, Call) else None
        if self.fresh and not (isinstance(node, Call) and self._is_harmless(node)):
            for part in walk((node,)):
                self.fresh.difference_update(part.read)
        bound = bound_inside(node) if type(node) in COMPOUND else node.bound
        self.fresh.difference_update(bound)
        for name in bound:
            self.shape.pop(name, None)
        if isinstance(node, Call) and isinstance(node.target, str) and self.times[node.target] == 1:
            if shape is not None:
                self.shape[node.target] = shape
                self.fresh.add(node.target)
                self.layout[node.target] = self._layout(node, shape)
            elif node.target in self.derived.shapes:
                self.shape[node.target] = self.derived.shapes[node.target]
        return False

    def _layout(self, node: Call, shape: Hashable) -> Hashable:
        """Of the array that the statement makes."""
        if node.fn is MATMUL or node.fn == ZEROS:
            return "rows" if isinstance(shape, tuple) and len(shape) < 3 else object()
        if isinstance(node.fn, str) and node.fn in self.derived.sums:
            return object()
        return self._common_layout(node.args)

    def _common_layout(self, args: tuple[Operand | Star, ...]) -> Hashable:
        """Of an elementwise result: that of its arrays if it is one."""
        found = {self._layout_of(arg) for arg in args if isinstance(arg, str) and arg in self.shape}
        return found.pop() if len(found) == 1 else object()

    def _layout_of(self, name: str) -> Hashable:
        shape = self.shape[name]
        is_row = isinstance(shape, tuple) and len(shape) == 1
        return "row" if is_row else self.layout.setdefault(name, object())

    def _copy(self, node: Bind, at: int) -> bool:
        """The array has two names from here on, unless the first is not read again: then that does
        for both.
        """
        assert isinstance(node.target, str)
        source = str(node.source)
        is_moved = source in self.fresh and self.last[source] == at
        is_ours = not {source, node.target} & self.derived.taken
        if is_moved and is_ours and self.times[node.target] == 1:
            self._stands(node.target, source)
            return True
        self.fresh.discard(source)
        self.fresh.discard(node.target)
        shape = self.shape.get(source)
        self.shape.pop(node.target, None)
        if source in self.shapes:
            self.shapes[node.target] = self.shapes[source]
        if shape is not None and self.times[node.target] == 1:
            self.shape[node.target] = shape
            if source in self.layout:
                self.layout[node.target] = self.layout[source]
            if is_moved:
                self.fresh.add(node.target)
        return False

    def _is_harmless(self, node: Call) -> bool:
        """Does nothing keep its operands, or a view of them?"""
        fn = node.fn
        if isinstance(fn, Prim):
            is_asked = fn.name == "getattr" and getattr(node.args[1], "value", "") in ASKED
            return is_asked or fn.name in HARMLESS or (fn.name in WRITES and node.target is None)
        words = {word for word, _ in node.keywords}
        if isinstance(fn, Ref):
            reduces = fn == REDUCE and words <= PLAIN and len(node.args) == 2
            return reduces or fn == ALIVE_SUM or fn in SAFE
        if fn in self.derived.sums:
            return words <= PLAIN and len(node.args) < 3
        return self.derived.ufuncs.get(str(fn)) == len(node.args) and not words

    def _result(self, node: Call) -> Hashable | None:
        """The shape of an array that the statement makes; None where it may make none."""
        target, fn = str(node.target), node.fn
        if fn is GETATTR and node.args[1] == SHAPE:
            self.shapes[target] = self.shape.get(str(node.args[0]))
        if type(fn) is Ref:
            return self._result_of(fn, node)
        if type(fn) is Prim and fn.name in BY_VALUE:
            return self._common(node.args)
        if fn is MATMUL or (isinstance(fn, str) and self._makes_an_array(fn)):
            return self.derived.shapes.get(target)
        return None

    def _result_of(self, fn: Ref, node: Call) -> Hashable | None:
        """The same of a function that we call."""
        if fn == ZEROS and len(node.args) == 1:
            return self.shapes.get(str(node.args[0]))
        return self._common(node.args) if fn in SAFE else None

    def _makes_an_array(self, fn: str) -> bool:
        return fn in self.derived.sums or self.derived.numpy.get(fn) in MAKERS

    def _common(self, args: tuple[Operand | Star, ...]) -> Hashable | None:
        """The shape of an elementwise result, something new where the shapes are not known to be
        equal; None where no array is among the operands, or who knows what.
        """
        found = {self.shape[arg] for arg in args if isinstance(arg, str) and arg in self.shape}
        if not found or not all(arg in self.shape or self._is_number(arg) for arg in args):
            return None
        return found.pop() if len(found) == 1 else object()

    def _is_number(self, operand: Operand | Star) -> bool:
        if isinstance(operand, Const):
            return type(operand.value) in (int, float)
        return isinstance(operand, str) and operand in self.derived.numbers

    # -- arithmetic

    def _elementwise(self, node: Call, at: int) -> Block | None:
        """The statement, in place where it may be; None for what is no arithmetic of arrays."""
        name, target = self._function(node), node.target
        if name is None or node.keywords or not isinstance(target, str):
            return None
        shape = self._common(node.args)
        if shape is None or self.times[target] != 1:
            return None
        layout = self._common_layout(node.args)
        for place, arg in enumerate(node.args):
            is_free = arg in self.fresh and self.last[str(arg)] == at
            if is_free and self.shape[str(arg)] == shape and self._layout_of(str(arg)) == layout:
                return self._in_place(node, name, place, shape)
        self._made(target, self.derived.shapes.get(target, shape), layout)
        return (node,)

    def _function(self, node: Call) -> str | None:
        """NumPy's name of the operation; empty for a function that gives floats."""
        if isinstance(node.fn, Prim):
            return ARITHMETIC.get(node.fn.name)
        is_known = isinstance(node.fn, str) and node.target in self.derived.shapes
        return "" if is_known and self.derived.ufuncs.get(str(node.fn)) == len(node.args) else None

    def _made(self, target: str, shape: Hashable, layout: Hashable) -> None:
        self.shape[target] = shape
        self.layout[target] = layout
        self.fresh.add(target)

    def _in_place(self, node: Call, name: str, place: int, shape: Hashable) -> Block:
        target, buffer = str(node.target), str(node.args[place])
        layout = self._layout_of(buffer)
        self.fresh.discard(buffer)
        self._made(target, shape, layout)
        operation = node.fn.name if isinstance(node.fn, Prim) else ""
        is_first = place == 0 or operation in COMMUTES
        fn = Ref("numpy", name) if name else node.fn
        is_same = (
            operation in ("mul", "truediv") and is_first and node.args[-1 - place] == Const(1.0)
        )
        if {target, buffer} & self.derived.taken:
            if is_same:
                return (Bind(target, buffer, node.line),)
            return (Call(target, fn, node.args, (("out", buffer),), node.line),)
        self._stands(target, buffer)
        self._made(buffer, shape, layout)
        if is_same:
            return ()
        if len(node.args) == 2 and name and is_first:
            change = (buffer, Const(f"i{operation}"), node.args[1 - place])
            return (Call(None, Prim("update"), change, (), node.line),)
        return (Call(None, fn, node.args, (("out", buffer),), node.line),)
