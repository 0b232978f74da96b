"""Generated functions that set a clock: the text as it runs, a setting between statements of
different lines of the user's.

The functions do what they did. What they are compiled from is the text itself, so that no form of
it has to be made anew; a statement that serves several lines counts for them in equal parts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

from astad.api.inspection.kept_bytes import Weighing, names_read
from astad.api.inspection.timing import Clock, Line, Spot
from astad.api.variants.generated import Loaded, Place

__all__ = ["TimedTexts"]

TICK, ENTER, LEAVE, WEIGH = (f"__astad_{word}__" for word in ("tick", "enter", "leave", "weigh"))


class TimedTexts:
    """Puts a clock into the functions of each variant that is made, and scales for what they keep
    for the reverse sweep.
    """

    def __init__(self, clock: Clock, weighing: Weighing) -> None:
        self.clock = clock
        self.weighing = weighing

    def time(self, loaded: Loaded) -> None:
        """Make the functions of a variant timed ones."""
        self.clock.paused(lambda: self._time(loaded))

    def _time(self, loaded: Loaded) -> None:
        tree = ast.parse(loaded.source)
        definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        head: Line | None = None
        for at, (node, made) in enumerate(zip(definitions, loaded.functions, strict=True)):
            assert isinstance(made, FunctionType)
            code = made.__code__
            is_forward = code.co_filename != loaded.file
            if is_forward or head is None:
                head = Line(code.co_filename, code.co_name, code.co_firstlineno)
            timed = _Timed(self, loaded, node, head, is_forward)
            timed.is_fused = loaded.form == "fused" and at == 0
            timed.number = at
            made.__globals__.update(
                {TICK: self.clock.tick, ENTER: self.clock.enter, LEAVE: self.clock.leave}
            )
            made.__globals__[WEIGH] = self._scales(loaded)
            made.__code__ = timed.compiled(code)

    def _scales(self, loaded: Loaded) -> Callable[..., Any]:
        def weigh(function: int, out: Any, names: Sequence[str] = (), line: int = 0) -> Any:
            if self.clock.depth() == 1:
                self.clock.paused(lambda: self.weighing.weigh(loaded, function, out, names, line))
            return out

        return weigh


class _Timed:
    """One function of a text on its way to a timed one."""

    def __init__(
        self,
        texts: TimedTexts,
        loaded: Loaded,
        tree: ast.FunctionDef,
        head: Line,
        is_forward: bool,
    ) -> None:
        self.clock = texts.clock
        self.tree = tree
        self.head = head
        self.is_forward = is_forward
        self.is_fused = False
        self.number = 0
        self.numbers: dict[int, int] = {}
        self.places: dict[int, list[Place]] = {}
        self.moved = loaded.places
        for number, place in enumerate(loaded.places, start=1):
            self.places.setdefault(place.line, []).append(place)
            known = self.numbers.get(place.line)
            if known is None or self._tells_more(place, loaded.places[known - 1]):
                self.numbers[place.line] = number

    def _tells_more(self, place: Place, known: Place) -> bool:
        """Of two operations of one statement, is it this that an exception may well come from? A
        callee raises rather than the call, and nothing at the line of def.
        """
        at_head = bool(known.user) and _chain(known) == (self.head,)
        return bool(place.user) and (at_head or len(place.user) > len(known.user))

    def compiled(self, code: CodeType) -> CodeType:
        """The code of the timed function, under the file and the lines of the one given."""
        is_generator = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in _own(self.tree))
        body = self.tree.body
        bound = [arg.arg for arg in ast.walk(self.tree.args) if isinstance(arg, ast.arg)]
        spot = self._number(Spot(((self.head,),), not self.is_forward))
        enter = self._call(ENTER, [ast.Constant(self._function()), ast.Constant(spot)], body[0])
        leave = self._call(LEAVE, [], body[-1])
        timed = self._block(body, spot, spot, bound, self.is_fused)
        if is_generator:
            timed = _with_yields(timed, enter, leave)
        guarded = ast.copy_location(ast.Try([enter, *timed], [], [], [leave]), body[0])
        if self.is_forward and not (is_generator or self.is_fused):
            _weighed(guarded, self.number)
        self.tree.body = [guarded]
        if self.is_forward:
            self._move(self.tree, code.co_firstlineno)
        module = ast.fix_missing_locations(ast.Module([self.tree], []))
        made = compile(module, code.co_filename, "exec", dont_inherit=True, optimize=0)
        found = next(part for part in made.co_consts if isinstance(part, CodeType))
        return found.replace(
            co_name=code.co_name, co_qualname=code.co_qualname, co_firstlineno=code.co_firstlineno
        )

    def _function(self) -> int:
        self.clock.functions += 1
        return self.clock.functions

    def _number(self, spot: Spot) -> int:
        return self.clock.number(spot)

    def _call(self, name: str, args: list[ast.expr], at: ast.stmt) -> ast.stmt:
        made = ast.Expr(ast.Call(ast.Name(name, ast.Load()), args, []))
        return _all_at(made, at)

    # --- ticks

    def _block(
        self, body: list[ast.stmt], now: int | None, loop: int, bound: list[str], is_fused: bool
    ) -> list[ast.stmt]:
        """The statements with ticks between; ``now`` is the spot at which the clock stands, or None
        where nobody can tell, ``loop`` that of the loop around, ``bound`` the names that surely
        are; ``is_fused``: the reverse sweep has not begun, and may in here.
        """
        made: list[ast.stmt] = []
        for node in body:
            spot = loop if isinstance(node, ast.Continue) else self._spot(node)
            if spot is not None and spot != now:
                made.append(self._call(TICK, [ast.Constant(spot)], node))
                now = spot
            if is_fused and spot is not None and self.clock.spots[spot].is_reverse:
                made.append(self._scales_here(node, bound))
                is_fused = False
            inner = self._inner(node, now, loop, bound, is_fused)
            now = None if inner else now
            _bind(node, bound)
            made.append(node)
        return made

    def _inner(
        self, node: ast.stmt, now: int | None, loop: int, bound: list[str], is_fused: bool
    ) -> bool:
        """Ticks in the blocks of a statement; has it any?"""
        is_loop = isinstance(node, (ast.For, ast.While))
        own = now if is_loop and now is not None else loop
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list) or not block or not isinstance(block[0], ast.stmt):
                continue
            begins = None if name == "finalbody" or isinstance(node, ast.For) else now
            timed = self._block(block, begins, own, list(bound), is_fused)
            if is_loop and name == "body" and not isinstance(block[-1], _JUMPS):
                timed.append(self._call(TICK, [ast.Constant(own)], block[-1]))
            setattr(node, name, timed)
        for handler in getattr(node, "handlers", []):
            handler.body = self._block(handler.body, None, own, list(bound), is_fused)
        return hasattr(node, "body")

    def _spot(self, node: ast.stmt) -> int | None:
        """The spot of a statement; None where it belongs to no line."""
        found = [place for place in self.places.get(node.lineno, ()) if place.user]
        reverse = [place for place in found if place.is_reverse]
        chains = {_chain(place): None for place in reverse or found}
        if not chains:
            return None
        if len(chains) > 1:
            chains.pop((self.head,), None)  # a return is of the line of def as well
        is_last = isinstance(node, ast.Return) and self.is_fused
        is_reverse = bool(reverse) or not self.is_forward or is_last
        return self._number(Spot(tuple(sorted(chains)), is_reverse))

    def _scales_here(self, node: ast.stmt, bound: list[str]) -> ast.stmt:
        """Weigh, at the turn of a fused text, what its reverse sweep reads."""
        line = node.lineno
        names = [name for name in bound if name in names_read(self.tree, line)]
        held = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
        listed = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
        given = [ast.Constant(self.number), held, listed, ast.Constant(line)]
        return self._call(WEIGH, given, node)

    # --- lines

    def _move(self, tree: ast.FunctionDef, first: int) -> None:
        """Give every node the user's line and the number of its place, as
        `compiler/codegen/build.py` does.
        """
        left: list[tuple[ast.AST, int, int]] = [(tree, first, 0)]
        last = first, 0
        while left:
            node, line, number = left.pop()
            if isinstance(node, ast.stmt) and node is not tree:
                number = self.numbers.get(node.lineno, 0)
                place = self.moved[number - 1] if number else None
                known = (place.user[0][1] if place and place.user else first, number)
                last = line, number = known if number else last
            if "lineno" in node._attributes:
                end = line if isinstance(node, ast.Attribute) else line + number
                for name, value in zip(_PLACE, (line, end, -1, -1), strict=True):
                    setattr(node, name, value)
            children = list(ast.iter_child_nodes(node))
            left += [(child, line, number) for child in reversed(children)]


_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_PLACE = ("lineno", "end_lineno", "col_offset", "end_col_offset")


def _chain(place: Place) -> tuple[Line, ...]:
    return tuple(Line(user.co_filename, user.co_name, line) for user, line in place.user)


def _all_at(made: ast.stmt, at: ast.stmt) -> ast.stmt:
    """Every node of a statement at the place of another."""
    for node in ast.walk(made):
        if "lineno" in node._attributes:
            ast.copy_location(node, at)
            node.end_lineno = at.lineno  # type: ignore[attr-defined]
    return made


def _bind(node: ast.stmt, bound: list[str]) -> None:
    """Note the names that a plain statement binds or lets go."""
    if isinstance(node, ast.Delete):
        gone = {target.id for target in node.targets if isinstance(target, ast.Name)}
        bound[:] = [name for name in bound if name not in gone]
    elif isinstance(node, (ast.Assign, ast.AugAssign)):
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                bound += [name.id] * (name.id not in bound)


def _own(tree: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function, not those of functions inside."""
    found: list[ast.AST] = []
    left: list[ast.AST] = list(tree.body)
    while left:
        node = left.pop()
        found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            left += ast.iter_child_nodes(node)
    return found


def _with_yields(body: list[ast.stmt], enter: ast.stmt, leave: ast.stmt) -> list[ast.stmt]:
    """What runs while a generator waits is not its own."""
    made: list[ast.stmt] = []
    for node in body:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, _with_yields(block, enter, leave))
        for handler in getattr(node, "handlers", []):
            handler.body = _with_yields(handler.body, enter, leave)
        waits = not hasattr(node, "body") and any(
            isinstance(part, (ast.Yield, ast.YieldFrom)) for part in ast.walk(node)
        )
        wait = ast.copy_location(ast.Try([node], [], [], [enter]), node)
        made += [leave, wait] if waits else [node]
    return made


def _weighed(tree: ast.stmt, number: int) -> None:
    """What a forward sweep returns goes over the scales."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            scales = ast.Name(WEIGH, ast.Load())
            made = ast.Call(scales, [ast.Constant(number), node.value], [])
            ast.copy_location(scales, node)
            ast.copy_location(made, node)
            ast.copy_location(made.args[0], node)
            node.value = made
