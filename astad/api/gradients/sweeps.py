"""One forward sweep of a call, and the way back from any cotangent of its value.

The dispatcher is read with this file; a gradient by a text that calls nothing at run time needs
neither.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from sys import gettrace
from typing import Any

import numpy as np

from astad import settings
from astad.api.gradients.overwriting import Guards, handed_out, is_of_numbers
from astad.api.gradients.params import Grads, Params, params_among
from astad.api.memory.memory_budgets import budget_in_force
from astad.api.variants.argument_numbers import named
from astad.api.variants.arguments import separated, written_twice
from astad.api.variants.finishing import apart, real_path
from astad.api.variants.results import check_scalar
from astad.api.variants.tracebacks import in_users_words
from astad.api.variants.whole import pass_over_ours
from astad.errors import AstadError, Unsupported
from astad.rules.in_force import NO_PATH
from astad.runtime.calls.library import in_own_type
from astad.runtime.core.paths_of_records import paths_of
from astad.runtime.core.stand_ins import stand_in
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.hidden import has_come, hidden_in
from astad.runtime.cotangents.namespaces import namespaces_in
from astad.runtime.cotangents.owners import aliases_any
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.cotangents.snapshots import Node
from astad.runtime.cotangents.structures import collect, is_touched, scatter, snapshot
from astad.runtime.dispatch import call, pull
from astad.runtime.iteration.drawn_again import Again
from astad.runtime.iteration.let_go import close_left
from astad.runtime.unseen.memos import doubted
from astad.runtime.unseen.severed import check_twins
from astad.tangents.zero import is_number, seed_of

__all__ = ["Pullback", "handed_over", "of_scalar", "run"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone


class Pullback:
    """The second result of ``pullback``: from the cotangent of the result to those of the
    arguments.

    It may be called any number of times, from several threads; it is linear and changes nothing
    of the user's.
    """

    __slots__ = (
        "_args",
        "_count",
        "_entries",
        "_fn",
        "_found",
        "_guards",
        "_hidden",
        "_namespaces",
        "_own_entry",
        "_record",
        "_resized",
        "_result",
        "_self_too",
        "_shape",
        "_y",
        "name",
        "reach",
    )

    def __init__(
        self, fn: Any, args: Sequence[Any], record: Any, y: Any, count: int, self_too: bool
    ) -> None:
        self._fn = fn
        self._args = args
        self._entries = [snapshot(arg) for arg in args]
        self._namespaces = [namespaces_in(entry) for entry in self._entries]
        self._hidden = [
            [each for part in (entry, *inner.values()) for each in hidden_in(part)]
            for entry, inner in zip(self._entries, self._namespaces, strict=True)
        ]
        self._own_entry = snapshot(fn) if self_too else None
        self._found: dict[Any, Any] = {}
        self._resized: dict[int, tuple[Any, int]] | None = None
        self._record = record
        self._y = self._result = y
        self._guards: Guards | None = None
        self._count = count
        self._self_too = self_too
        self._shape: tuple[int, ...] | None = None
        self.reach: Sequence[bool] | None = None
        self.name = getattr(fn, "__qualname__", type(fn).__name__)

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        """Cotangents of the positional arguments, ``None`` where no derivative leads.

        Parameters
        ----------
        y_bar : number, array or structure like the result
            The cotangent of the result, in [seed] / [y].
        """
        return self.gradients(y_bar, range(len(self._args)))

    def gradients(self, y_bar: Any, wanted: Collection[int]) -> tuple[Any, ...]:
        """The same, with None for the arguments at other places than those wanted."""
        try:
            if self._shape not in (None, getattr(self._result, "shape", None)):
                raise Unsupported(
                    self.name,
                    f"the result of shape {self._shape} was given another shape in place",
                    why="the reverse sweep adds to its cotangent in the shape that it had",
                    instead="reshape it by y.reshape(...), or call back first",
                )
            shadows, bars = self._swept(y_bar, {})
            doubts = doubted(self._found, shadows, (*self._entries, self._own_entry))
            if doubts:
                shadows, bars = self._swept(y_bar, doubts)
            return tuple(apart(self._collected(shadows, bars, wanted)))
        except BaseException as error:
            refused = error.__cause__  # NumPy was given a cotangent that cannot be had
            if isinstance(refused, AstadError):
                in_users_words(refused)
                raise refused from None
            in_users_words(error)
            raise

    def _swept(self, y_bar: Any, doubts: dict[Any, AstadError]) -> tuple[Shadows, Sequence[Any]]:
        """The reverse sweep: the shadows, and what it gave for the arguments."""
        shadows = Shadows()
        shadows.doubted, shadows.resized = doubts, self._resized
        local = scatter(shadows, self._result, y_bar)
        if self._guards is not None:
            self._guards.check(self.name)
        with np.errstate(all="ignore"):  # what the forward sweep did not warn of is no news
            return shadows, pull(shadows, self._record, local, self._count)

    def _collected(
        self, shadows: Shadows, bars: Sequence[Any], wanted: Collection[int]
    ) -> list[Any]:
        """The gradients of the arguments, of the callable itself before them if asked for."""
        reaches = self.reach
        if reaches is None:
            reaches = _reaches(self._record, self._y, self._args, self._count)
        if id(self._fn) in NO_PATH:
            reaches = [False] * self._count
        found: list[Any] = []
        for at, (arg, entry, bar, path) in enumerate(
            zip(self._args, self._entries, bars, reaches, strict=False)
        ):
            if at not in wanted:
                found.append(None)
                continue
            self._check_hidden(shadows, at)
            shadows.namespaces = self._namespaces[at]
            if shadows.namespaces:
                self._check_namespaces(shadows, at)
            bar = collect(shadows, arg, entry, real_path(bar, path), path)
            found.append(in_own_type(shadows, arg, real_path(bar, path)))
        if self._self_too:
            shadows.namespaces = {}
            found.insert(0, collect(shadows, self._fn, self._own_entry, None, False))
        return found

    def reaches_others(self, y_bar: Any, wanted: Collection[int]) -> bool:
        """Does a cotangent come to what is no float and no array of floats in these arguments, be
        it zero here? As to a whole number in a list.
        """
        shadows, bars = self._swept(y_bar, {})
        parts = enumerate(zip(self._args, self._entries, bars, strict=False))
        return any(
            _has_other(entry, collect(shadows, arg, entry, bar, False, bare=True))
            for at, (arg, entry, bar) in parts
            if at in wanted
        )

    def _check_hidden(self, shadows: Shadows, at: int) -> None:
        """Raise if the result depends on what an argument holds and nobody can look into."""
        for each in self._hidden[at]:
            if has_come(shadows, each):
                raise Unsupported(
                    self.name, f"a derivative by the numbers in {named(self._fn, at, each.kind)}",
                    why="astad does not look into it, and the result depends on them",
                    instead="hand them over as an array or a list, or as data: by keyword, or "
                    "outside of argnums of astad.grad",
                )  # fmt: skip

    def _check_namespaces(self, shadows: Shadows, at: int) -> None:
        """Raise if the result depends on a class or module that is in two arguments."""
        others = [each for k, each in enumerate(self._namespaces) if k != at]
        for key, node in self._namespaces[at].items():
            if any(key in other for other in others) and is_touched(shadows, node):
                kind = type(node.value).__name__
                raise Unsupported(
                    self.name, f"a derivative by what lies in {named(self._fn, at, kind)}",
                    why="it is passed twice, and each place has a derivative of its own",
                    instead="pass it once and use it twice inside",
                )  # fmt: skip

    def __repr__(self) -> str:
        kinds = ", ".join(type(arg).__name__ for arg in self._args)
        result = f"the cotangent of the {type(self._y).__name__} result"
        return f"<pullback of {self.name}({kinds}): call it with {result}>"

    def __copy__(self) -> Pullback:
        return self  # nothing of it changes

    def __deepcopy__(self, memo: Any) -> Pullback:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a pullback cannot be pickled: it holds values of one run of {self.name}; "
            f"send the function and its arguments and call astad.pullback there"
        )


class _ByParams(Pullback):
    """The same by parameters that the function reaches by itself."""

    __slots__ = ("_params",)

    def __init__(self, fn: Any, params: Params, count: int) -> None:
        super().__init__(fn, tuple(params), None, None, count, False)
        self._params = params

    def __call__(self, y_bar: Any) -> Any:
        """The `Grads` for a cotangent of the result."""
        return Grads(self._params, self.gradients(y_bar, range(len(self._args))))

    def _collected(
        self, shadows: Shadows, bars: Sequence[Any], wanted: Collection[int]
    ) -> list[Any]:
        found = []
        for at, (param, entry) in enumerate(zip(self._args, self._entries, strict=True)):
            self._check_hidden(shadows, at)
            bar = collect(shadows, param, entry, None, False)
            found.append(in_own_type(shadows, param, bar))
        return found


def handed_over(back: Pullback) -> tuple[Any, Pullback]:
    """The user may write into the result, whatever it is."""
    y = back._y
    back._result = snapshot(y)
    if Again.was_made or not (back._record is None or is_of_numbers(back._record)):
        back._y = y = None
        y, back._guards = handed_out(back._result, back._record, back._entries)
        back._y = y
    if type(y) is np.ndarray:
        back._shape = y.shape
    return y, back


def run(
    f: Any, args: tuple[Any, ...], keywords: dict[str, Any], *, self_too: bool
) -> tuple[Any, Pullback]:
    if gettrace() is not None:
        pass_over_ours()
    if not callable(f):
        raise TypeError(f"{type(f).__name__!r} object is not callable")
    params = params_among(f, args)
    given, copies = separated(args) if params is None else ((), [])
    count = len(given) + len(keywords)
    back = (
        Pullback(f, given, None, None, count, self_too)
        if params is None
        else _ByParams(f, params, count)
    )
    versions = Versions()
    for each in copies:
        stand_in(versions, each.copy, each.original)
    if settings.budgets:
        versions.budget = budget_in_force()
    try:
        y, record = call(versions, f, *given, **keywords)
    except Exception as error:
        if versions.refused is not None and error not in (
            versions.refused,
            versions.refused.__cause__,
        ):
            raise versions.refused from None
        is_read_only = isinstance(error, ValueError) and any(map(str(error).count, _READ_ONLY))
        if is_read_only and any(copy.takes_writes() for copy in copies):
            raise written_twice(f, copies) from error
        if any(copy.changed() for copy in copies):
            raise written_twice(f, copies) from error
        close_left(versions, raised=True)
        raise
    if versions.refused is not None:
        raise versions.refused
    versions.settle()
    close_left(versions)
    check_twins(versions.twins)
    if any(copy.changed() for copy in copies):
        raise written_twice(f, copies)
    back._record, back._y, back._result = record, y, y
    back._found, back._resized = versions.found, versions.resized
    return y, back


def _has_other(entry: Any, bar: Any) -> bool:
    """Is there one of what is no float in the cotangent of an argument? ``entry``: its snapshot."""
    if bar is None:
        return False
    if type(entry) is not Node:
        is_array = issubclass(type(entry), np.ndarray)
        return entry.dtype.kind != "f" if is_array else type(entry) not in (float, np.float64)
    if entry.kind == "sequence":
        return any(map(_has_other, entry.parts, bar))
    if entry.kind == "mapping":
        return any(_has_other(part, bar.get(key)) for key, part in entry.parts.items())
    if entry.kind == "object":
        return any(_has_other(part, getattr(bar, key, None)) for key, part in entry.parts.items())
    return True


_READ_ONLY = ("read-only", "output array is not acceptable")
"""What NumPy says where an array may not be written; the second is of ``dot``."""


def _reaches(record: Any, y: Any, args: Sequence[Any], count: int) -> Sequence[bool]:
    """Per operand, whether its text leads to the result."""
    if record is None:  # only what is the result, or what the result is a view of
        is_array = issubclass(type(y), np.ndarray)
        return [arg is y or (is_array and aliases_any(y, (arg,))) for arg in args]
    return paths_of(record, count)


def of_scalar(
    f: Any, back: Pullback, args: tuple[Any, ...], wanted: tuple[int, ...]
) -> tuple[Any, ...]:
    """The gradients at ``wanted``, by the pullback of a scalar result."""
    check_scalar(f, back._y)
    if type(back) is _ByParams:
        return back(seed_of(back._y))  # type: ignore[no-any-return]  # not a tuple, but `Grads`
    all_of_them = (
        back.gradients(seed_of(back._y), wanted)
        if is_number(back._y) or issubclass(type(back._y), np.ndarray)
        else (None,) * len(args)
    )
    return tuple(apart([all_of_them[at] for at in wanted]))
