"""Variants of long texts that need not wait until the compiler pays: by a baseline, which the
compiler replaces once it has.

The baseline of a text (`astad/recording/line_by_line.py`) is made in a tenth of the time that the
compiler takes, and is up to twice as slow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from astad.api.gradients.recorded_leaves import Assembly, Misplaced
from astad.recording.cotangents_by_line import Stays
from astad.recording.line_by_line import LineByLine

if TYPE_CHECKING:
    from astad.recording.straight import Straight

__all__ = ["Improved", "baseline_of"]


def baseline_of(
    straight: Straight, given: Sequence[Any], places: Sequence[int], bars: Sequence[Any]
) -> Callable[..., Any] | None:
    """What gives value and gradient in these of what the text is given; None where there is a line
    for which the compiler has to be asked. ``bars``: the gradients that the pair gave.
    """
    values = None if straight.overlaps else straight.values(given)
    if values is None:
        return None
    fn = straight.function
    params = fn.__code__.co_varnames[: len(given)]
    text = LineByLine(straight.text, values, fn.__globals__)
    name = f"{fn.__name__}_gradient"
    args = [given[at] for at in places]
    try:
        source = text.gradient(name, params, [params[at] for at in places])
        build = _builder(text, [params[at] for at in places], args, bars)
    except (Stays, Misplaced):
        return None
    exec(compile(source, f"<baseline of {fn.__name__} {fn.__module__}>", "exec"), text.names.space)
    made: Callable[..., Any] = text.names.space[name]
    if build is None:
        return made

    def run(*given: Any) -> Any:
        out = made(*given)
        return out if out is NotImplemented else (out[0], build(out[1]))

    return run


def _builder(
    text: LineByLine, wanted: Sequence[str], args: Sequence[Any], bars: Sequence[Any]
) -> Callable[[Sequence[Any]], Any] | None:
    """What makes gradients of containers from the cotangents of what is read there."""
    if not text.containers:
        return None
    places = {name: at for at, name in enumerate(wanted)}
    assembly = Assembly({(places[name], path): k for k, (name, path) in enumerate(text.given)})
    parts = [assembly.of(x, bar, at) for at, (x, bar) in enumerate(zip(args, bars, strict=True))]
    return assembly.function(parts)


class Improved:
    """A baseline until it has run so often that what the compiler makes pays, which ``better`` puts
    in its place.
    """

    __slots__ = ("_left", "better", "run")

    def __init__(self, run: Callable[..., Any], left: float) -> None:
        self.run = run
        self._left = left
        self.better: Callable[..., object] | None = None

    def __call__(self, *given: Any) -> Any:
        self._left -= 1
        if self._left <= 0 and self.better is not None:
            better, self.better = self.better, None  # once
            better(*given)
        return self.run(*given)
