"""Which derivative is asked for."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["How"]


class How(NamedTuple):
    """Which of the public functions is asked, with its ``argnums``, None for all arguments;
    ``single``: one gradient, in no tuple. Or one of the steps that they are made of: ``parts``, a
    gradient with those of objects in dicts; ``numbers``, gradients by numbers and arrays in one
    array; ``value``, the function itself with what it has captured as arguments; ``tangent``, the
    same with tangents.
    """

    name: str
    places: tuple[int, ...] | None = None
    single: bool = False

    def of(self, places: tuple[int, ...]) -> How:
        """The same with these places."""
        return self._replace(places=places)
