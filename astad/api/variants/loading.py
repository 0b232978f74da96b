"""From a function and kinds to functions that run: out of the disk cache, else by the compiler.

Nothing of the compiler is imported unless something is compiled.
"""

from __future__ import annotations

import builtins as live_builtins
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from astad import originals
from astad.api.variants.assumptions import find, globals_of, identity
from astad.api.variants.derived import MAKER
from astad.api.variants.generated import Loaded, Origin, Place, define, file_name
from astad.api.variants.rebinding import note_rebinding
from astad.api.variants.ruled import LIBRARIES
from astad.api.variants.whole import whole
from astad.code_objects import ASYNCHRONOUS, GENERATOR, HeldFunction, inner_codes
from astad.errors import AstadError, NoSource, Unsupported
from astad.importing import disk
from astad.importing.debuggers import hidden, hide_frames
from astad.importing.entry import Entry
from astad.importing.key import digest_of_code, entry_key
from astad.importing.texts import remembered
from astad.rules.in_force import TEXTS, is_lasting, made_once, remake
from astad.runtime.core.rebound import REBOUND, is_rebound
from astad.runtime.core.variants import WRITTEN, Live
from astad.threads import importing, with_room, without_collection

__all__ = [
    "Asked", "InnerFunction", "Loaded", "code_in_rounds", "compile_ahead", "fill_compiler",
    "has_entry", "live_names_of", "load_or_compile", "module_of", "namespace_of", "of_class",
]  # fmt: skip


class Asked:
    """Which variant: words for the arguments' kinds, the arguments wanted, value and gradient in
    one; ``word_of`` names the kind of a value; ``taped``: the pair that leaves a tape where the
    function raises; ``exact``: not one that may fail where the function does not; ``checked``: one
    that looks at each cotangent; ``again``: a text that is differentiated again; ``forward``:
    'tangent', the form that carries one along, or 'tangents'; ``held``: globals whose contents come
    behind the arguments; ``functions``: captured variables whose functions are taken apart;
    ``given``: the arguments that are there now, which may bring functions and classes along.
    """

    __slots__ = (
        "again", "checked", "exact", "forward", "functions", "fused", "given", "held", "kinds",
        "taped", "wanted", "word_of",
    )  # fmt: skip

    def __init__(
        self,
        kinds: Sequence[str],
        wanted: Sequence[bool],
        *,
        fused: bool,
        word_of: Callable[[Any], str] = lambda value: "unknown",
        taped: bool = False,
        exact: bool = False,
        checked: bool = False,
        again: bool = False,
        forward: str = "",
        held: Sequence[str] = (),
        functions: Mapping[str, HeldFunction] | None = None,
        given: Sequence[Any] = (),
    ) -> None:
        self.kinds = kinds
        self.wanted = wanted
        self.fused = fused
        self.word_of = word_of
        self.taped = taped
        self.exact = exact
        self.checked = checked
        self.again = again
        self.forward = forward
        self.held = held
        self.functions = functions or {}
        self.given = given


def load_or_compile(fn: FunctionType, asked: Asked) -> Loaded:
    """The variant of a function."""
    return hidden(lambda: made_once(lambda: _bind(_entry(fn, asked), fn, asked.kinds)))


def code_in_rounds(fn: FunctionType) -> CodeType | None:
    """The code of a function with its outermost loops in functions of their own, which a driver
    runs; None where it has none, or is not the user's, or a generator. The text of a gradient is
    none of the user's.
    """
    home = (fn.__module__ or "").partition(".")[0]
    is_made = fn.__code__.co_filename.startswith("<astad>")
    if home in LIBRARIES or is_made or fn.__code__.co_flags & (GENERATOR | ASYNCHRONOUS):
        return None

    def made() -> CodeType | None:
        # late: few ask for it
        from astad.compiler.frontend.outlined_loops import outlined
        from astad.compiler.frontend.parse import rewritten

        try:
            return rewritten(fn, lambda node, file: outlined(node, file, "astad.api.memory.rounds"))
        except NoSource:
            return None  # whoever compiles it says so

    return hidden(lambda: importing(made))


def compile_ahead(fn: FunctionType, count: int) -> None:
    """Put the generic pair of a function into the disk cache; ``count``: of its parameters."""
    _entry(fn, Asked(("unknown",) * count, (True,) * count, fused=False))


def has_entry(fn: FunctionType, kinds: Sequence[str], wanted: Sequence[bool], fused: bool) -> bool:
    """Is there an entry for these kinds of arguments in the disk cache?"""
    key = _key(fn, Asked(kinds, wanted, fused=fused))
    return bool(key) and disk.has(key)


def _key(fn: FunctionType, asked: Asked) -> str:
    """The name of its entry; "" where there is none to be."""
    kinds, wanted = tuple(asked.kinds), tuple(asked.wanted)
    forms: tuple[object, ...] = (
        asked.fused, asked.taped, asked.exact, asked.checked, asked.again, asked.forward
    )  # fmt: skip
    forms += (tuple(asked.held),) if asked.held else ()
    forms += tuple(map(_told, asked.functions.values()))
    options = repr((fn.__module__, kinds, wanted, forms, bool(fn.__closure__)))
    if WRITTEN:
        options += repr(sorted(sorted(names) for _, names in WRITTEN.values()))
    if REBOUND:
        options += repr(sorted(f"{_named(of())} {sorted(names)}" for of, names in REBOUND.values()))
    return entry_key(fn.__code__, options)


def _named(owner: Any) -> str:
    return f"{getattr(owner, '__module__', '')}.{getattr(owner, '__qualname__', '')}"


def _entry(fn: FunctionType, asked: Asked) -> Entry:
    note_rebinding(fn, asked.given)
    key = _key(fn, asked)
    entry = disk.load(key, lambda entry: _holds(entry, fn)) if key else None
    if entry is None:
        importing(fill_compiler)
        # The compiler's trees live to its end: looking through them for garbage takes a fifth of
        # its time. They go by themselves, so it is put off until they have gone.
        entry = with_room(lambda: without_collection(lambda: _compiled(fn, asked)))
        if key and _lasts(entry, fn):
            disk.store(key, entry)
    return entry


def _told(held: HeldFunction) -> tuple[object, ...]:
    """All that a text depends on of a captured function that is written out in it."""
    fn = held.fn
    parts = tuple(_told(part) if isinstance(part, HeldFunction) else part for part in held.parts)
    return held.path, fn.__module__, digest_of_code(fn.__code__), held.defaults, parts


def _lasts(entry: Entry, fn: FunctionType) -> bool:
    """May it be read in another process? Not that a generated text has no form: it calls what it
    was made for, which may be something else there.
    """
    form = entry.bindings[0][3]
    if form == "none" and fn.__code__.co_filename in TEXTS:
        return False
    return all(is_lasting(path) for chain, _ in entry.assumptions for path in chain)


def _remade(name: str) -> Any:
    """The module of a gradient's text."""
    return importlib.import_module("astad.api.higher.gradient_modules").remade(
        name
    )  # late: few need it


remake.append(_remade)


def fill_compiler() -> None:
    """Import the compiler, and give it what only whoever runs programs knows."""
    import astad.compiler.codegen.build
    import astad.compiler.pipeline  # noqa: F401
    from astad.compiler.analysis.space import Space
    from astad.compiler.frontend import locate

    locate.WRITTEN = Space.written = WRITTEN
    Space.is_rebound = is_rebound
    locate.MADE = TEXTS
    Space.derivatives = MAKER


def _compiled(fn: FunctionType, asked: Asked) -> Entry:
    """An entry, or the error of a library that the compiler needs and that reads builtins which the
    program bound to something of another kind."""
    try:
        return _compile(fn, asked)
    except AstadError:
        raise
    except Exception as error:
        rebound = originals.bound_anew()
        if not rebound:
            raise
        raise Unsupported(
            fn.__qualname__, f"compiled while builtins are bound anew ({', '.join(rebound)})",
            why=f"a module that the compiler needs reads them and fails ({error})",
            instead="bind the names in your own module",
        ) from error  # fmt: skip


def _compile(fn: FunctionType, asked: Asked) -> Entry:
    # late: a warm process never imports the compiler
    from astad.compiler.codegen.build import to_code
    from astad.compiler.frontend import locate
    from astad.compiler.ir.containers import read_kind
    from astad.compiler.pipeline import compile_function

    read = remembered(fn.__code__.co_filename)
    if read is not None:
        locate.remember_source(fn.__code__.co_filename, read)
    made = compile_function(
        fn,
        [read_kind(kind) for kind in asked.kinds],
        asked.wanted,
        fused=asked.fused,
        generic=all(kind == "unknown" for kind in asked.kinds),
        taped=asked.taped,
        checked=asked.checked,
        kind_of=lambda value: read_kind(asked.word_of(value)),
        only_fused=True,
        exact=asked.exact,
        again=asked.again,
        forward=asked.forward,
        held=asked.held,
        functions=asked.functions,
    )
    text = made.text
    code = to_code(text)
    bindings: list[Any] = [[name, kind, what] for name, (kind, what) in sorted(made.bound.items())]
    spots = [
        [*spot[:3], [list(callee) for callee in spot.callees], spot.owner] for spot in text.spots
    ]
    homes = [list(pair) for pair in zip(text.names, text.homes, strict=True)]
    facts = [homes, made.local_result, list(made.reaches), made.form, spots]
    facts += [list(made.whole), made.tentative, made.shadows]
    of_classes = {(path,) for _, kind, what in bindings for path in _looked_up(kind, what)}
    chains = sorted({(path,) for path in made.guarded} | set(made.relied_on) | of_classes)
    assumptions = [[list(chain), identity(chain, fn)] for chain in chains]
    return Entry(text.source, list(text.lines), code, [facts, *bindings], assumptions)


def _looked_up(kind: str, what: str) -> list[str]:
    """What a guard that looks into a class compares with when the text is loaded: its bases, and
    what the class holds under a name.

    >>> _looked_up("names", "Point#0"), _looked_up("held", "Point#0#norm")
    (['Point.__mro__'], ['Point.norm'])
    """
    path, _, rest = what.partition("#")
    if kind == "names":
        return [f"{path}.__mro__"]
    return [f"{path}.{rest.partition('#')[2]}"] if kind == "held" else []


def _holds(entry: Entry, fn: FunctionType) -> bool:
    """Does every name still stand for what it stood for when the text was written?"""
    return all(identity(chain, fn) == known for chain, known in entry.assumptions)


def _bind(entry: Entry, fn: FunctionType, kinds: Sequence[str]) -> Loaded:
    """The functions of an entry, in a module of their own."""
    facts, *bindings = entry.bindings
    homes, local_result, reaches, form, spots, whole, tentative, shadows = facts
    space = {
        name: _bound(kind, what, fn)
        for name, kind, what in bindings
        if not (kind == "path" and _is_builtin(name, what, fn))
    }
    if any(map(_stops, space.values())) or any(name == "breakpoint" for name, *_ in bindings):
        hide_frames()
    places = tuple(_places(spots, fn))
    loaded = Loaded(entry.text, form, local_result, tuple(reaches), places, fn.__globals__)
    loaded.whole, loaded.tentative, loaded.shadows = tuple(whole), tentative, shadows
    loaded.relied_on = entry.assumptions
    code = entry.code if entry.code is not None else _recompiled(entry, homes, spots)
    loaded.file = file_name(f"{fn.__module__}.{fn.__qualname__}({', '.join(kinds)})", entry.text)
    define(loaded, fn, code, space)
    return loaded


def _stops(bound: Any) -> bool:
    """Is it what a program calls to be stopped in a debugger?"""
    is_function = type(bound) is FunctionType and bound.__name__ == "set_trace"
    return bound is breakpoint or is_function


def _places(spots: Sequence[Any], fn: FunctionType) -> Iterator[Place]:
    """The spots of the text in the user's program as it now is; callees that are gone are left
    out.
    """
    known: dict[str, tuple[Origin, int] | None] = {}

    def origin(path: str) -> tuple[Origin, int] | None:
        """What is told of the function at a path, "" for the one compiled, and its first line."""
        if path not in known:
            code = _code_of(path, fn)
            known[path] = None if code is None else (Origin.of(code), code.co_firstlineno)
        return known[path]

    for line, user, is_reverse, callees, owner in spots:
        found = []
        if user and (own := origin(owner)) is not None:
            found.append((own[0], user + own[1] - 1))
        for path, inner in callees:
            if (callee := origin(path)) is not None:
                found.append((callee[0], inner + callee[1]))
        yield Place(line, is_reverse, tuple(found))


def _code_of(path: str, fn: FunctionType) -> CodeType | None:
    """The code of a function written out, by its path as it now is; of one that another makes,
    as `compiler/specialise/inner_functions.py` names it.
    """
    home, *inner = path.split("|")
    owner = find(home, fn.__globals__) if home else fn
    code = owner.__code__ if type(owner) is FunctionType else None
    for part in inner:
        fits = _inner_fits(code, part) if code is not None else []
        code = fits[0] if fits else None
    return code


def _inner_fits(code: CodeType, key: str) -> list[CodeType]:
    name, line, number = key.rsplit(" ", 2)
    first = code.co_firstlineno + int(line)
    fits = [c for c in inner_codes(code) if c.co_name == name and c.co_firstlineno == first]
    return fits[int(number) :]


def _recompiled(entry: Entry, homes: Sequence[Any], spots: Sequence[Any]) -> CodeType:
    # late: only where Python's bytecode has changed
    from astad.compiler.codegen.build import Spot, Text, to_code

    names, files = zip(*homes, strict=True)
    text = Text(entry.text, tuple(entry.lines), names, files, tuple(Spot(*spot) for spot in spots))
    return to_code(text)


def _is_builtin(name: str, path: str, fn: FunctionType) -> bool:
    """Does the text find it under its own name, as it is now?"""
    module, _, own = path.rpartition(":")
    space = globals_of(module) if module else fn.__globals__
    return name == own and name not in space and hasattr(originals.builtins, name)


def _bound(kind: str, what: str, fn: FunctionType) -> Any:
    if kind == "user":
        return namespace_of(globals_of(what) if what else fn.__globals__)
    if kind == "live":
        return live_names_of(globals_of(what) if what else fn.__globals__)
    if kind == "path":
        return find(what, fn.__globals__)
    if kind in ("names", "held"):
        return of_class(what, fn.__globals__)
    if kind == "copy":
        return dict(find(what, fn.__globals__))
    if kind == "inner":
        return InnerFunction(fn, what)
    if kind == "module":
        return importlib.import_module(what)
    module, _, name = what.partition(":")
    if module.startswith("astad.runtime.") and module not in _LIGHT:
        whole.read()
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    found = originals.builtins if module == "builtins" else found
    for part in name.split("."):
        found = getattr(found, part)
    return found


_LIGHT = ("astad.runtime.guarded",)
"""What a text may ask for at run time without the dispatcher."""


def of_class(what: str, space: dict[str, Any]) -> Any:
    """What a class of an order of look-up holds, or holds under one name."""
    path, place, *name = what.split("#")
    names = find(path, space).__mro__[int(place)].__dict__
    return names[name[0]] if name else names


class InnerFunction:
    """Makes an inner function as Python does: the user's code and globals, the cells given."""

    __slots__ = ("code", "globals", "qualname")

    def __init__(self, fn: FunctionType, what: str) -> None:
        self.code = _inner_fits(fn.__code__, what)[0]
        self.globals = fn.__globals__

    def __call__(
        self, *cells: Any, defaults: Any = None, kwdefaults: Any = None, annotations: Any = None
    ) -> FunctionType:
        made = FunctionType(self.code, self.globals, None, defaults, cells or None)
        made.__kwdefaults__ = kwdefaults
        made.__annotations__ = annotations or {}
        made.__qualname__ = self.code.co_qualname
        return made


class _Builtin:
    """A builtin as it is now, where the module has no global of its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, space: Any, kind: Any = None) -> Any:
        try:
            return _BUILTINS[self.name]  # a fifth of the time that `__getattr__` takes
        except KeyError:
            raise NameError(f"name {self.name!r} is not defined", name=self.name) from None


class _Namespace:
    """A module's live globals, then builtins, as attributes."""

    def __getattr__(self, name: str) -> Any:
        if name in _BUILTINS:
            return _BUILTINS[name]
        raise NameError(f"name {name!r} is not defined", name=name)


_BUILTINS = vars(live_builtins)
for _name, _value in vars(originals.builtins).items():
    if not _name.startswith("__") or _name in ("__import__", "__build_class__"):
        setattr(Live, _name, staticmethod(_value) if type(_value) is FunctionType else _value)
        setattr(_Namespace, _name, _Builtin(_name))


def namespace_of(space: dict[str, Any]) -> Any:
    """An object whose attributes are the names of a module, live: it has the same ``__dict__``."""
    made = _Namespace()
    made.__dict__ = space
    return made


def module_of(value: Any) -> Any:
    """The module of which `namespace_of` gave this; None for anything else, NotImplemented where
    these are the globals of no module.
    """
    if type(value) is not _Namespace:
        return None
    home = sys.modules.get(str(vars(value).get("__name__")))
    return home if home is not None and vars(home) is vars(value) else NotImplemented


def live_names_of(space: dict[str, Any]) -> Live:
    """The same for a guard."""
    made = Live()
    made.__dict__ = space
    return made
