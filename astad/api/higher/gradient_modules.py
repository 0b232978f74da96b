"""The gradient of a function as a module with a text of its own, which is differentiated again as
any user's function is.

>>> made = gradient_module(_example, (0.5,), How("value_and_grad", (0,), single=True))
>>> print(made.text, end="")
def _example_gradient(x):
    y = math.sin(x)
    return (y, (math.cos(x),))
<BLANKLINE>
def value_and_grad_of__example(x):
    y, (x_bar,) = _example_gradient(x)
    return (y, x_bar)
>>> made.holds(0.5), made.holds(1), made.run(0.0)
(True, False, (0.0, 1.0))
"""

from __future__ import annotations

import ast
import builtins
import math
import os
import re
import time
from _thread import _local as local
from collections.abc import Callable, Sequence
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any
from weakref import ref

import numpy as np

from astad.api.higher.gradient_texts import forward_text, gradient_text, reaches_part
from astad.api.higher.how import How
from astad.api.variants.assumptions import find, identity
from astad.api.variants.captured_functions import functions_of
from astad.api.variants.derived import stem_of
from astad.api.variants.generated import Loaded, keep_text
from astad.api.variants.kinds_of_values import kinds_of, word_of_data
from astad.api.variants.loading import Asked, load_or_compile, module_of, namespace_of
from astad.rules.in_force import MADE, module_named
from astad.runtime.core.variants import Variants, variants_of
from astad.slotted import dataclass, field
from astad.tangents.objects import Tangent
from astad.tangents.unasked import attributes_as_they_lie
from astad.tangents.zero import MADE_BY_CLASS

__all__ = ["GradientModule", "gradient_module", "module_for", "remade"]


@dataclass(eq=False, slots=True)
class GradientModule:
    """``run(*args)`` gives what is asked for where ``holds(*args)``.

    ``apart``: places of arrays that the guard asks whether they share memory, None for one that is
    no parameter. ``asks_values``: kinds alone do not tell whether it holds. ``globals``: names of
    the module that stand for what lies in a namespace of the user's that is no module's, under a
    name there. ``code`` and ``space``: of the function that it was made of. ``relied_on``: chains
    of paths with what they stood for. ``result``: of the function itself the kind of what it gives,
    where that is known, ``is_repeatable``: it may run again, and nobody sees it.
    """

    module: ModuleType
    text: str
    run: FunctionType
    holds: Callable[..., bool]
    apart: Sequence[tuple[int | None, int | None]]
    asks_values: bool
    globals: Sequence[tuple[str, dict[str, Any], str]]
    code: Callable[[], CodeType | None]
    space: dict[str, Any]
    relied_on: Sequence[tuple[Sequence[str], Any]]
    result: str = "unknown"
    is_repeatable: bool = False
    _reached: dict[Any, bool] = field(default_factory=dict)

    def stands(self, fn: FunctionType) -> bool:
        """Is all that it relies on what it was when it was made? Of the modules of other gradients
        that it leads to each is asked once: by every chain it would take the power of their depth.
        """
        if _asked.modules is not None:
            return self._stands(fn)
        _asked.modules = {}
        try:
            return self._stands(fn)
        finally:
            _asked.modules = None

    def _stands(self, fn: FunctionType) -> bool:
        return all(
            find(chain[0], fn.__globals__) is known
            if len(chain) == 1
            else identity(chain, fn) == known
            for chain, known in self.relied_on
        )

    def fits(self, args: Sequence[Any]) -> bool:
        """Would `gradient_module` give it for these? Of a function that captures nothing."""
        fn = self.function()
        return fn is not None and self.stands(fn) and _holds(self, args)

    def reaches(self, places: Sequence[int], single: bool, path: Sequence[Any]) -> bool:
        """Does a path of the program lead to a part of what is given back for these places?"""
        if not single:
            place, path = places[path[0]], path[1:]
        else:
            place = places[0]
        key = place, tuple(path)
        if key not in self._reached:
            at = sorted(set(places)).index(place)
            self._reached[key] = reaches_part(self.text, at, path)
        return self._reached[key]

    def function(self) -> FunctionType | None:
        """The function that it was made of, while its code lives."""
        code = self.code()
        cells = tuple(CellType() for _ in code.co_freevars) if code is not None else ()
        return FunctionType(code, self.space, None, None, cells) if code is not None else None


class _Asked(local):
    """Of a thread: the modules that were found in the question whether one stands."""

    modules: dict[str, ModuleType | None] | None = None


_asked = _Asked()


def gradient_module(fn: FunctionType, args: Sequence[Any], how: How) -> GradientModule | None:
    """The one for arguments like these, behind them what the function has captured; None where
    there is no fused text, or one that cannot stand by itself.
    """
    if _comes_twice(args):
        return None
    variants = variants_of(fn)
    before = _whole(variants)
    kinds = kinds_of(args, before, open_=True, code=fn.__code__)
    known: GradientModule | None = None
    if "unknown" not in kinds:
        known = module_for(fn, variants, kinds, how)
        if known is None and len(before) > 0:  # now that these are known not to be taken apart
            again = kinds_of(args, before, open_=True, code=fn.__code__)
            fits = again != kinds and "unknown" not in again
            known = module_for(fn, variants, again, how) if fits else None
    return known if known is not None and _holds(known, args) else None


def _comes_twice(args: Sequence[Any]) -> bool:
    """Does a container lie in two places? It is one object with one derivative, and a text has one
    for each. Nor does a text know what a function has for attributes.
    """
    seen: set[int] = set()
    return any(_is_met_again(arg, seen) for arg in args)


def _is_met_again(x: Any, seen: set[int]) -> bool:
    kind = type(x)
    if kind in _FLAT:
        return False
    if kind is FunctionType:
        return any(type(held) in (float, list, dict, np.ndarray) for held in vars(x).values())
    if id(x) in seen:
        return True
    if kind is list or isinstance(x, tuple):
        parts: Any = x
    elif kind is dict:
        parts = x.values()
    else:
        is_made = kind.__flags__ & MADE_BY_CLASS and not issubclass(kind, type)
        own = attributes_as_they_lie(x) if is_made else None
        if own is None:
            return False
        parts = own.values()
    if not isinstance(x, tuple):
        seen.add(id(x))
    if _FLAT.issuperset(map(type, parts)):  # long lists of numbers
        return False
    return any(_is_met_again(part, seen) for part in list(parts))


_FLAT = frozenset({float, int, bool, str, bytes, complex, type(None), np.ndarray, np.float64,
                   ModuleType})  # fmt: skip


def _whole(variants: Variants) -> set[int]:
    """Places of containers that no module looks into; the pair has reasons of its own not to."""
    found: set[int] = variants.modules.setdefault(_WHOLE, set())
    return found


_WHOLE = "containers that are not looked into"


def _holds(made: GradientModule, args: Sequence[Any]) -> bool:
    try:
        for name, space, known in made.globals:
            made.module.__dict__[name] = getattr(namespace_of(space), known)
        return made.holds(*args)
    except (AttributeError, NameError):  # a global that it relies on is gone
        return False


def module_for(
    fn: FunctionType, variants: Variants, kinds: tuple[str, ...], how: How
) -> GradientModule | None:
    """The one for arguments of these kinds."""
    with variants.lock:
        if (kinds, how) in variants.modules:
            found: GradientModule | None = variants.modules[kinds, how]
            if found is None or found.stands(fn):
                return found
        variants.modules[kinds, how] = None  # for a function that takes its own derivative
        try:
            variants.modules[kinds, how] = made = _module(fn, variants, kinds, how)
        except BaseException:
            del variants.modules[kinds, how]
            raise
    return made


def _module(
    fn: FunctionType, variants: Variants, kinds: tuple[str, ...], how: How
) -> GradientModule | None:
    loaded = _loaded(fn, kinds, how)
    form, _, told = loaded.form.partition(" ")
    usable = form == (how.name if how.name in FORWARD else "fused")
    if how.name not in FORWARD:
        _whole(variants).update(loaded.whole)
    if how.name != "value":  # that has containers as they are
        usable = usable and not loaded.whole
    made = _made(fn, loaded, kinds, how) if usable else None
    if made is not None:
        made.result, _, times = told.partition(" ")
        made.is_repeatable = times == "again"
    return made


_OF_A_TEXT = ("__astad__", "__builtins__", "__file__")
"""Names that any text of astad's has; ``__main__`` is a module that one may read from."""

FORWARD = ("value", "tangent")
"""Of `How.name`: the function itself, without captured variables; the same with tangents."""


def _loaded(fn: FunctionType, kinds: tuple[str, ...], how: How) -> Loaded:
    assert how.places is not None
    wanted = set() if how.name == "value" else {*how.places}
    asked = tuple(at in wanted for at in range(len(kinds)))
    forward = how.name if how.name in FORWARD else ""
    variant = Asked(
        kinds, asked, fused=True, word_of=word_of_data, exact=True, again=forward != "value",
        forward=forward, functions=functions_of(fn),
    )  # fmt: skip
    return load_or_compile(fn, variant)


def _made(
    fn: FunctionType, loaded: Loaded, kinds: Sequence[str], how: How
) -> GradientModule | None:
    held = loaded.functions[0].__globals__
    homes = {name: module_of(value) for name, value in held.items()}
    lone = [name for name, home in homes.items() if home is NotImplemented]
    spaces = {name: vars(held[name]) for name, home in homes.items() if home is not None}
    own = {id(each) for each in loaded.functions}
    others = [
        name for name, value in held.items() if id(value) not in own and not _gives_floats(value)
    ]
    if re.search("real|ndarray|unknown", ", ".join(kinds)):
        others += fn.__code__.co_varnames + fn.__code__.co_freevars
    made = (
        forward_text(loaded.source, how, stem_of(fn), lone, spaces) if how.name in FORWARD
        else gradient_text(
            loaded.source, kinds, loaded.reaches, how, stem_of(fn), lone, spaces, others
        )
    )  # fmt: skip
    if made is None:
        return None
    name = _name(fn, kinds, how, made.asked)
    module = ModuleType(name)
    own_names = {*vars(module), *_OF_A_TEXT}
    for each, value in held.items():
        if each not in own_names and id(value) not in own and each not in lone:
            module.__dict__[each] = value if homes[each] is None else homes[each]
    file = keep_text(module, f"gradient of {loaded.file.removeprefix('<astad> ')}", made.text)
    module.__dict__.update(__name__=name, Tangent=Tangent, np=np, builtins=builtins)
    exec(compile(made.text, file, "exec"), module.__dict__)
    MADE[name] = module
    guard = dict(held)
    exec(compile(made.guard, "<astad> a guard", "exec"), guard)
    found = GradientModule(
        module,
        made.text,
        module.__dict__[made.asked],
        guard["holds"],
        _pairs(made.guard),
        made.asks_values,
        [(alias, vars(held[root]), known) for alias, root, known in made.globals],
        ref(fn.__code__),
        fn.__globals__,
        [
            (chain, find(chain[0], fn.__globals__) if len(chain) == 1 else word)
            for chain, word in loaded.relied_on
        ],
    )
    module.__dict__[_MADE] = found
    return found


def _pairs(guard: ast.Module) -> list[tuple[int | None, int | None]]:
    """Which parameters the guard asks of whether they share memory."""
    main = guard.body[0]
    assert isinstance(main, ast.FunctionDef)
    places = {arg.arg: at for at, arg in enumerate(main.args.args)}
    return [
        tuple(places.get(ast.unparse(arg)) for arg in node.args)  # type: ignore[misc]
        for node in ast.walk(main)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("are_apart")
    ]


def _gives_floats(value: Any) -> bool:
    """Is a number that comes of it, and of Python's floats, one of these?"""
    home = getattr(value, "__module__", None)
    return value is math or home in ("builtins", "astad.rules.safe")


# --- names


def _name(fn: FunctionType, kinds: Sequence[str], how: How, function: str) -> str:
    """The module's name tells what it is, for another process to make it again; of a function that
    cannot be found by its name, in this process only.
    """
    home = module_named(fn.__module__)
    where, path = str(fn.__module__), fn.__qualname__
    if home is None or vars(home) is not fn.__globals__ or find(path, vars(home)) is not fn:
        path = f"{path} {id(fn.__code__)} {_THIS_PROCESS}"
    places = ",".join(map(str, how.places or ()))
    parts = where, path, ", ".join(kinds), places, "1" * how.single
    return f"<astad> {';'.join(parts)};.{function}".replace(":", " ")


_THIS_PROCESS = f"{os.getpid()} {time.time_ns()}"


def remade(name: str) -> ModuleType | None:
    """The module of this name as it is, if all that it relies on is; else made again, of the
    function that its name tells, or that it was made of.
    """
    known = _asked.modules
    if known is None:
        return _remade(name)
    if name not in known:
        known[name] = _remade(name)
    return known[name]


def _remade(name: str) -> ModuleType | None:
    found = MADE.get(name)
    made: GradientModule | None = found.__dict__.get(_MADE) if found is not None else None
    if found is not None and made is None:
        return found  # of no gradient
    fn = made.function() if made is not None else None
    if made is not None and fn is not None and made.stands(fn):
        return found
    spec, _, function = name.removeprefix("<astad> ").rpartition(";.")
    if spec.count(";") != 4:
        return None
    where, path, words, places, single = spec.split(";")
    home = module_named(where)
    if home is not None and " " not in path:
        fn = find(path, vars(home))
    if type(fn) is not FunctionType:
        return None
    kinds = tuple(words.split(", ")) if words else ()
    how = How(function.partition("_of_")[0], tuple(map(int, places.split(","))), bool(single))
    again = module_for(fn, variants_of(fn), kinds, how)
    return again.module if again is not None and again.module.__name__ == name else None


_MADE = "__gradient__"
"""Global name under which a module knows what it was made for."""


def _example(x: float) -> float:
    y = math.sin(x)
    return y
