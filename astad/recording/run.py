"""What the operations of a run ask of it, and of each other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from types import FunctionType
from typing import Any, Protocol

from astad.recording.outside import Outside
from astad.recording.recording import Recording
from astad.recording.writes import Writes

__all__ = ["Args", "Keywords", "Run", "Table", "name_of"]


Args = Sequence[Any]
Keywords = dict[str, Any]
Table = dict[str, Callable[..., Any]]


class Run(Protocol):
    """``catching``: how many blocks are open in which filters of warnings are undone at the end;
    ``cache``: what functions with a cache that the run has made have given; ``caught``: what is
    handled just now; ``own``: namespaces of functions that astad has written for runs like this;
    ``is_ours``: such a function runs; ``is_nested``: the run is of a call for a derivative,
    which is differentiated.
    """

    recording: Recording
    outside: Outside
    writes: Writes
    catching: int
    cache: dict[tuple[Any, ...], Any]
    caught: list[BaseException]
    own: set[int]
    is_ours: bool
    is_nested: bool

    def function(self, fn: FunctionType, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """A call of a function of Python's."""

    def expect_finished(self, steps: Generator[Any, Any, Any]) -> None:
        """A generator in which something would run where it is closed before its end."""

    def expect_nothing_left(self, steps: Any) -> None:
        """Of a generator that is closed: nothing runs then."""

    def call(self, fn: Any, /, *args: Any, **keywords: Any) -> Any:
        """A call of anything."""

    def method(self, o: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """``o.name(*args, **keywords)``."""

    def truth(self, v: Any) -> bool:
        """``bool(v)``."""

    def attribute(self, o: Any, name: str) -> Any:
        """``o.name``."""

    def iterate(self, v: Any) -> Iterator[Any]:
        """What a loop draws from."""


def name_of(fn: Any) -> str:
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    module = getattr(fn, "__module__", None) or type(fn).__module__
    return f"{module}.{name}"
