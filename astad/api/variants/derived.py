"""What ``grad`` and ``value_and_grad`` return: a function that can be copied and sent elsewhere.

>>> import math, pickle
>>> from astad import grad
>>> slope = pickle.loads(pickle.dumps(grad(math.sin)))
>>> slope(0.0), slope
(1.0, grad(sin, argnums=0))
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

from astad.api.variants.argument_numbers import positions_of
from astad.api.variants.generated import keep_text
from astad.api.variants.ruled import is_ruled
from astad.code_objects import MORE, REST
from astad.rules.in_force import CUSTOM, MADE, REGISTRY
from astad.runtime.cotangents.snapshots import DERIVED

__all__ = [
    "MAKER", "ByCode", "Derived", "as_function", "called", "calling", "stem_of", "with_text",
]  # fmt: skip


class Derived(functools.partial[Any]):
    """``run``, with the name, text and signature of the function that it was derived from.

    A partial, since that is called in compiled code: an object with ``__call__`` costs 60 ns more.
    """

    made_by: tuple[Callable[..., Any], Any, Any]
    with_text: Any
    """The same as a function with a text, once it was asked for."""

    def __new__(
        cls, run: Callable[..., Any], maker: Callable[..., Any], f: Any, argnums: Any
    ) -> Derived:
        self = super().__new__(cls, run)
        functools.update_wrapper(self, f, updated=())
        self.made_by = (maker, f, argnums)
        self.with_text = None
        return self

    def __reduce__(self) -> Any:
        maker, f, argnums = self.made_by
        return maker, (f, argnums)

    def __repr__(self) -> str:
        maker, f, argnums = self.made_by
        return f"{maker.__name__}({getattr(f, '__qualname__', repr(f))}, argnums={argnums!r})"


DERIVED.add(Derived)


def as_function(derived: Derived, count: int = 1) -> FunctionType | None:
    """What `grad` or `value_and_grad` gave as a function with a text; None where that of which it
    is the derivative has none. ``count``: the arguments of one that a rule stands for.
    """
    if derived.with_text is None:
        maker, f, argnums = derived.made_by
        fn = _underneath(f, count)
        is_own = fn is not None and fn.__closure__ is None and (fn is f or type(f) is Derived)
        if is_own and _is_key(argnums):
            derived.with_text = _of_code(ByCode(fn), maker, argnums)
        elif fn is not None:
            derived.with_text = _with_text_of(derived, fn)
    found: FunctionType | None = derived.with_text
    if found is not None:
        _with_defaults_of_now(found, derived, count)
    return found


def _with_defaults_of_now(made: FunctionType, derived: Derived, count: int) -> None:
    """Those of the function that it is derived from may have been bound anew."""
    f = derived.made_by[1]
    while type(f) is Derived:
        f = f.made_by[1]
    if type(f) is not FunctionType or (
        f.__defaults__ is made.__defaults__ and f.__kwdefaults__ is made.__kwdefaults__
    ):
        return
    fn = _underneath(derived.made_by[1], count)
    if fn is not None:
        made.__defaults__, made.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__


class ByCode:
    """A function as a key: one that is made anew for each call, of the same text, is the same."""

    def __init__(self, f: Any) -> None:
        self.f = f

    def __hash__(self) -> int:
        return id(self.f.__code__) if type(self.f) is FunctionType else 0

    def __eq__(self, other: object) -> bool:
        f, g = self.f, getattr(other, "f", None)
        if f is g or type(f) is not FunctionType or type(g) is not FunctionType:
            return f is g
        plain = not (f.__defaults__ or g.__defaults__ or f.__kwdefaults__ or g.__kwdefaults__)
        plain = plain and not (f.__closure__ or g.__closure__)
        return plain and f.__code__ is g.__code__ and f.__globals__ is g.__globals__


def _is_key(argnums: Any) -> bool:
    return type(argnums) is int or (
        type(argnums) is tuple and all(type(place) is int for place in argnums)
    )


@functools.lru_cache(maxsize=256, typed=True)
def _of_code(key: ByCode, maker: Callable[..., Any], argnums: Any) -> FunctionType:
    """The same one for what a program derives anew in each round, so that it is compiled once."""
    return _with_text_of(maker(key.f, argnums), key.f)


def _with_text_of(derived: Derived, fn: FunctionType) -> FunctionType:
    return _calling(derived, fn, f"{derived.made_by[0].__name__}_of_{stem_of(fn)}")


def _underneath(f: Any, count: int = 1) -> FunctionType | None:
    """The function that something is derived from, with a text."""
    if type(f) is Derived:
        return as_function(f, count)
    if type(f) is FunctionType and not is_ruled(f):
        return f
    return calling(f, count) if id(f) in REGISTRY or id(f) in CUSTOM else None


def _calling(derived: Derived, fn: FunctionType, name: str) -> FunctionType:
    """A function with the parameters of ``fn`` that calls what was derived from it."""
    code = fn.__code__
    first, last = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames
    only, stars = names[first:last], list(names[last : last + bool(code.co_flags & REST)])
    more = [f"**{names[last + len(stars)]}"] if code.co_flags & MORE else []
    rest = [f"*{each}" for each in stars]
    asked = "derived"
    while asked in names:
        asked += "_"
    made = with_text(
        f"def {name}({', '.join([*names[:first], *(rest or ['*'] * bool(only)), *only, *more])}):\n"
        f"    return {asked}("
        f"{', '.join([*names[:first], *rest, *(f'{word}={word}' for word in only), *more])})\n",
        f"{name} of {fn.__module__}",
        **{asked: derived},
    )
    made.__defaults__, made.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
    return made


def called(f: Any, count: int) -> FunctionType | None:
    """What `calling` has made of a function, if it has."""
    return _CALLING.get((id(f), count))


def calling(f: Any, count: int) -> FunctionType:
    """A function with a text that calls one without, of so many positional arguments."""
    if (id(f), count) not in _CALLING:
        name = f"calling_{getattr(f, '__name__', 'f')}"
        given = ", ".join(f"x_{at + 1}" for at in range(count))
        text = f"def {name}({given}):\n    return f({given})\n"
        _CALLING[id(f), count] = with_text(text, name, f=f)
    return _CALLING[id(f), count]


_CALLING: dict[tuple[int, int], FunctionType] = {}
"""Each holds what it calls; these are functions that there are rules of."""


def with_text(text: str, title: str, **names: Any) -> FunctionType:
    """The function that a text defines, in a module of its own."""
    tree = compile(text, "<astad>", "exec")
    (name,) = tree.co_names
    module = ModuleType(name)
    file = keep_text(module, title, text)
    module.__dict__.update(names, __name__=f"{file}.{name}", module=module)
    MADE[f"{file}.{name}"] = module
    exec(compile(text, file, "exec"), module.__dict__)
    return module.__dict__[name]  # type: ignore[no-any-return]


def stem_of(fn: FunctionType) -> str:
    """Its name as part of another."""
    return fn.__name__ if fn.__name__.isidentifier() else "lambda_"


_PUBLIC = {
    "gradients.gradients": ("gradient", "grad", "value_and_grad"),
    "higher.second_order": ("hessian", "hessian_diag", "hvp"),
    "higher.jacobians": ("jacobian", "value_and_jacobian"),
    "higher.directions": ("jvp",),
}
"""What takes derivatives, by the module of this package."""


class _Maker:
    """Tells the compiler which calls of a program take derivatives, and makes what is called."""

    def name_of(self, found: object) -> str | None:
        module = str(found.__module__) if type(found) is FunctionType else ""
        if not module.startswith("astad.api."):
            return None
        name, home = found.__name__, module.removeprefix("astad.api.")  # type: ignore[attr-defined]
        return name if name in _PUBLIC.get(home, ()) else None

    def derived(self, found: object) -> tuple[Any, Any] | None:
        if type(found) is not Derived:
            return None
        maker, f, argnums = found.made_by
        fn = _underneath(f)
        if fn is None or fn.__closure__:
            return None
        places, single = positions_of(f, argnums)
        return fn, (maker.__name__, places, single)

    def module(
        self,
        fn: FunctionType,
        how: tuple[Any, ...],
        kinds: Sequence[str],
        vectors: Sequence[str],
        apart: Callable[[int, int], bool],
    ) -> tuple[str, str, Sequence[str]] | None:
        # late: few programs take derivatives of derivatives
        known = importlib.import_module("astad.api.higher.known_derivatives")
        found = known.function_for(fn, how, kinds, vectors, apart)
        return found  # type: ignore[no-any-return]


MAKER = _Maker()
