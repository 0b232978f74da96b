"""What ``grad`` and ``value_and_grad`` return: a function that can be copied and sent elsewhere.

>>> import math, pickle
>>> from astad import grad
>>> slope = pickle.loads(pickle.dumps(grad(math.sin)))
>>> slope(0.0), slope
(1.0, grad(sin, argnums=0))
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["Derived"]


class Derived(functools.partial[Any]):
    """``run``, with the name, text and signature of the function that it was derived from.

    A partial, since that is called in compiled code: an object with ``__call__`` costs 60 ns more.
    """

    made_by: tuple[Callable[..., Any], Any, Any]

    def __new__(
        cls, run: Callable[..., Any], maker: Callable[..., Any], f: Any, argnums: Any
    ) -> Derived:
        self = super().__new__(cls, run)
        functools.update_wrapper(self, f, updated=())
        self.made_by = (maker, f, argnums)
        return self

    def __reduce__(self) -> Any:
        maker, f, argnums = self.made_by
        return maker, (f, argnums)

    def __repr__(self) -> str:
        maker, f, argnums = self.made_by
        return f"{maker.__name__}({getattr(f, '__qualname__', repr(f))}, argnums={argnums!r})"
