"""A clock that generated functions set from line to line of the user's, and the tree of times.

The time between two settings goes to the line that was set before; what the clock itself takes does
not count. Each thread has a clock of its own. A function that is called adds a level to the tree,
one that calls itself, however far away, does not.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

__all__ = ["OUTSIDE", "Clock", "Context", "Line", "Node", "Spot"]

Result = TypeVar("Result")


class Line(NamedTuple):
    """A line of the user's, and the function that it is in."""

    file: str
    function: str
    line: int


class Spot(NamedTuple):
    """What a statement of a generated text is for: lines, each behind those of the callers that
    are written out there; ``is_reverse``: it is part of the reverse sweep.
    """

    chains: tuple[tuple[Line, ...], ...]
    is_reverse: bool


class Node:
    """The time at one spot, called in one way; ``ticks``: how often the clock was read for it."""

    __slots__ = ("context", "seconds", "spot", "ticks")

    def __init__(self, context: Context, spot: int) -> None:
        self.context = context
        self.spot = spot
        self.seconds = 0.0
        self.ticks = 0

    def chain(self) -> list[int]:
        """The spots of the calls that led here, callers first, and its own."""
        found = [self.spot]
        caller = self.context.caller
        while caller is not None:
            found.append(caller.spot)
            caller = caller.context.caller
        return found[::-1]


class Context:
    """A generated function as it was called from one node; ``caller`` is None outside of all."""

    __slots__ = ("caller", "inner", "nodes", "path")

    def __init__(self, caller: Node | None, path: dict[int, Context]) -> None:
        self.caller = caller
        self.path = path
        self.nodes: dict[int, Node] = {}
        self.inner: dict[tuple[int, int], Context] = {}

    def at(self, spot: int) -> Node:
        found = self.nodes.get(spot)
        if found is None:
            found = self.nodes[spot] = Node(self, spot)
        return found

    def called(self, caller: Node, function: int) -> Context:
        """The context of a function called here; one that is running already is the same."""
        if function in self.path:
            return self.path[function]
        key = caller.spot, function
        found = self.inner.get(key)
        if found is None:
            found = self.inner[key] = Context(caller, dict(self.path))
            found.path[function] = found
        return found

    def walk(self) -> Iterator[Node]:
        left = [self]
        while left:
            context = left.pop()
            yield from context.nodes.values()
            left += context.inner.values()


class _Running:
    """The clock of one thread: where it stands, and since when."""

    __slots__ = ("context", "is_paused", "last", "node", "stack")

    def __init__(self) -> None:
        self.is_paused = False
        self.context = Context(None, {})
        self.node = self.context.at(OUTSIDE)
        self.stack: list[tuple[Node, Context]] = []
        self.last = perf_counter()

    def stop(self) -> None:
        node = self.node
        node.seconds += perf_counter() - self.last
        node.ticks += 1


OUTSIDE = -1
"""The spot of the time outside of all generated functions."""


class Clock:
    """``tick``, ``enter`` and ``leave`` are what timed functions call; ``spots`` are numbered as
    they say. Without ``every_thread`` only that which starts it is measured.

    >>> clock = Clock()
    >>> spots = [Spot(((Line("walk.py", "walk", at),),), False) for at in (1, 2)]
    >>> first, second = map(clock.number, spots)
    >>> clock.start()
    >>> clock.enter(0, first); clock.tick(second); clock.leave()
    >>> clock.stop()
    >>> sorted(node.spot for node, _ in clock.times())
    [-1, 0, 1]
    """

    def __init__(self, every_thread: bool = False) -> None:
        self.every_thread = every_thread
        self.spots: list[Spot] = []
        self.functions = 0
        self.is_running = False
        self.all: list[_Running] = []
        self._numbers: dict[Spot, int] = {}
        self._threads: dict[int, _Running] = {}

    def number(self, spot: Spot) -> int:
        """The number of a spot, a new one where it is met for the first time."""
        found = self._numbers.get(spot)
        if found is None:
            found = self._numbers[spot] = len(self.spots)
            self.spots.append(spot)
        return found

    def start(self) -> None:
        self._begin()
        self.is_running = True

    def stop(self) -> None:
        """Stop; a second time changes nothing."""
        self.is_running = False
        own = self._threads.get(get_ident())
        self._threads = {}
        if own is not None:
            own.stop()

    def _own(self) -> _Running | None:
        """A clock for a thread that has none yet; None where it is not to be measured."""
        return self._begin() if self.is_running and self.every_thread else None

    def _begin(self) -> _Running:
        thread = get_ident()
        made = self._threads[thread] = _Running()
        self.all.append(made)
        return made

    def tick(self, spot: int) -> None:
        """From here on it is the time of another spot."""
        now = perf_counter()  # first: what follows is not the program's
        own = self._threads.get(get_ident()) or self._own()
        if own is None:
            return
        node = own.node
        node.seconds += now - own.last
        node.ticks += 1
        own.node = own.context.nodes.get(spot) or own.context.at(spot)
        own.last = perf_counter()

    def enter(self, function: int, spot: int) -> None:
        """A function begins."""
        now = perf_counter()  # first: what follows is not the program's
        own = self._threads.get(get_ident()) or self._own()
        if own is None:
            return
        node = own.node
        node.seconds += now - own.last
        node.ticks += 1
        own.stack.append((node, own.context))
        own.context = own.context.called(node, function)
        own.node = own.context.at(spot)
        own.last = perf_counter()

    def leave(self) -> None:
        """The function that began last ends: the time is that of the caller again."""
        now = perf_counter()
        own = self._threads.get(get_ident())
        if own is None or not own.stack:
            return
        node = own.node
        node.seconds += now - own.last
        node.ticks += 1
        own.node, own.context = own.stack.pop()
        own.last = perf_counter()

    def depth(self) -> int:
        """How many timed functions are running in this thread."""
        own = self._threads.get(get_ident())
        return 0 if own is None else len(own.stack)

    def paused(self, run: Callable[[], Result]) -> Result:
        """What ``run`` takes does not count."""
        own = self._threads.get(get_ident())
        if own is None or own.is_paused:
            return run()
        own.stop()
        own.is_paused = True
        try:
            return run()
        finally:
            own.is_paused = False
            own.last = perf_counter()

    def times(self) -> Iterator[tuple[Node, float]]:
        """Each node and its seconds, less what reading the clock adds to them."""
        cost = _cost_of_a_tick()
        for running in self.all:
            for node in running.context.walk():
                yield node, max(node.seconds - node.ticks * cost, 0.0)

    def frames(self, node: Node) -> Sequence[Line]:
        """The lines that led to a node, callers first; the last is one of its own."""
        spots = [self.spots[at] for at in node.chain() if at != OUTSIDE]
        return [line for spot in spots for line in spot.chains[0]]


def _cost_of_a_tick() -> float:
    """What a reading adds to the time between two: that of statements which are none, in the best
    of some runs, so that too little is taken out rather than too much.
    """
    clock = Clock()
    space: dict[str, Any] = {"tick": clock.tick}
    exec("def readings():\n" + "    tick(0)\n    tick(1)\n" * 100, space)
    clock.start()
    found = []
    try:
        for _ in range(30):
            space["readings"]()
            nodes = [clock.all[0].context.at(spot) for spot in (0, 1)]
            found.append(sum(node.seconds for node in nodes) / sum(node.ticks for node in nodes))
            for node in nodes:
                node.seconds, node.ticks = 0.0, 0
    finally:
        clock.stop()
    return min(found)
