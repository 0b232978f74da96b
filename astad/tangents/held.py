"""What a container holds: not what its class, which may be the user's, says to a loop over it.

>>> class Reversed(list):
...     def __iter__(self):
...         return list.__reversed__(self)
>>> list(Reversed("ab")), list(items_of(Reversed("ab")))
(['b', 'a'], ['a', 'b'])
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import Any  # whatever a user's container holds

__all__ = ["items_of", "pairs_of"]

_BASES: tuple[Any, ...] = (list, tuple, deque, set, frozenset, OrderedDict, dict)
_PLAIN = frozenset(_BASES)


def items_of(container: Any) -> Iterable[Any]:
    """The items of a list, tuple, set or deque, the keys of a dict."""
    kind = type(container)
    if kind in _PLAIN:
        return container  # type: ignore[no-any-return]
    for base in _BASES:
        if issubclass(kind, base):
            return base.__iter__(container)  # type: ignore[no-any-return]
    return container  # type: ignore[no-any-return]


def pairs_of(mapping: Any) -> Iterable[tuple[Any, Any]]:
    """Keys and values of a dict, in its order.

    >>> class Doubled(dict):
    ...     def items(self):
    ...         return [(key, 2 * value) for key, value in super().items()]
    >>> list(pairs_of(Doubled(a=1)))
    [('a', 1)]
    """
    kind = type(mapping)
    if kind is dict or not issubclass(kind, dict):
        return mapping.items()  # type: ignore[no-any-return]
    return [(key, dict.__getitem__(mapping, key)) for key in items_of(mapping)]
