"""Every exception of astad, and its message in four parts: where, what, why, what instead."""

from __future__ import annotations

__all__ = [
    "AstadError",
    "Disagreement",
    "Location",
    "MissingRule",
    "NoPlainNumbers",
    "NoSource",
    "NotScalar",
    "RuleError",
    "Unsupported",
    "WrongCall",
    "WrongCotangent",
]


class Location:
    """A line of the user's source: ``walk.py:41``.

    >>> str(Location("/home/ada/walk.py", 41))
    'walk.py:41'
    """

    __slots__ = ("file", "line")

    def __init__(self, file: str, line: int) -> None:
        self.file = file
        self.line = line

    def __str__(self) -> str:
        return f"{self.file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.line}"


class AstadError(Exception):
    """An error with the four parts of a good message.

    Parameters
    ----------
    where : Location or str
        The user's file and line, or the name of the function where no line is known.
    what : str
        The construct or call, in the user's words.
    why : str
        The reason it cannot be done.
    instead : str
        What to write or call in its place.

    Attributes
    ----------
    at : Location or str or None
        Where the user's program was when the error was raised; set as it leaves astad, and shown
        where `where` is a name.

    >>> error = Unsupported(Location("walk.py", 41), "yield in sample_path",
    ...                     why="the reverse sweep starts only after the last value",
    ...                     instead="append to a list and return it")
    >>> print(error)  # doctest: +NORMALIZE_WHITESPACE
    walk.py:41: yield in sample_path: the reverse sweep starts only after the last value: append
    to a list and return it
    """

    at: Location | str | None = None
    is_inside = False
    """Of a derivative inside of a differentiated function: a recorded run may know better."""
    reason = ""
    """The line and the operation at which such a run has stopped."""

    def __init__(self, where: Location | str, what: str, *, why: str, instead: str) -> None:
        super().__init__(where, what, why, instead)
        self.where = where
        self.what = what
        self.why = why
        self.instead = instead

    def __str__(self) -> str:
        at = f"{self.at}: " if self.at is not None and isinstance(self.where, str) else ""
        return f"{at}{self.where}: {self.what}: {self.why}: {self.instead}"

    def __reduce__(self) -> tuple[object, ...]:
        """Copies and goes to other processes, as from the workers of a pool."""
        kept = {"__notes__": getattr(self, "__notes__", None), "at": self.at}
        kept = {name: value for name, value in kept.items() if value is not None}
        return _made, (type(self), *self.args), kept or None


def _made(
    kind: type[AstadError], where: Location | str, what: str, why: str, instead: str
) -> AstadError:
    return kind(where, what, why=why, instead=instead)


class Unsupported(AstadError, NotImplementedError):
    """A construct through which astad cannot carry a derivative."""


class NoPlainNumbers(Unsupported):
    """An array of structures, text or dates has no cotangent."""


class NotScalar(AstadError, TypeError):
    """A gradient was asked of something that is no real scalar."""


class WrongCall(AstadError, TypeError):
    """A call of one of astad's own functions that cannot be what is meant."""


class NoSource(AstadError, TypeError):
    """A function whose source cannot be found, or is not the source of what runs."""


class MissingRule(AstadError, NotImplementedError):
    """A compiled function without a derivative rule, whose derivative was asked for."""


class WrongCotangent(AstadError, ArithmeticError):
    """A cotangent that is not finite, or not of the shape or dtype of its value; raised only where
    `astad.checked` asks for it.
    """


class RuleError(AstadError, TypeError):
    """A rule that returned the wrong number or shape of cotangents."""


class Disagreement(AstadError, AssertionError):
    """Two forms of one derivative, or the differentiated and the plain run, that differ; raised
    only where `astad.verified` asks for it. ``texts`` has the generated texts, by form.
    """

    def __init__(
        self,
        where: Location | str,
        what: str,
        *,
        why: str,
        instead: str,
        texts: dict[str, str] | None = None,
    ) -> None:
        super().__init__(where, what, why=why, instead=instead)
        self.texts = texts or {}

    def __reduce__(self) -> tuple[object, ...]:
        made, args, kept = super().__reduce__()
        return made, args, {**(kept or {}), "texts": self.texts}  # type: ignore[dict-item]
