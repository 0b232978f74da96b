"""Data classes with slots, for a tenth of the time that `dataclasses` takes to make one.

A first gradient imports a hundred of them, and makes objects of a third. So a class gets its slots
at once and an ``__init__`` with its first object; comparison, hash and text are the same few lines
for all. To the type checker these are `dataclasses`; what is frozen there is not guarded here.

>>> @dataclass(frozen=True, slots=True)
... class Spot:
...     line: int
...     column: int = 0
>>> Spot(2), replace(Spot(2), column=4)
(Spot(line=2, column=0), Spot(line=2, column=4))
>>> Spot(2) == Spot(2, 0), hash(Spot(2)) == hash(Spot(2))
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "replace"]


class _Field:
    """A default that is made anew for each object; ``repr``: it stands in the object's text."""

    __slots__ = ("default_factory", "repr")

    def __init__(self, default_factory: Callable[[], Any], repr: bool) -> None:
        self.default_factory = default_factory
        self.repr = repr


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    def dataclass(*, slots, frozen=False, init=True, eq=True, unsafe_hash=False):
        """As `dataclasses.dataclass`, with slots."""
        assert slots
        methods = {"__init__": _first_init} if init else {}
        if eq:
            methods["__eq__"] = _equal
            methods["__hash__"] = _hash if frozen or unsafe_hash else None
        return lambda cls: _made(cls, methods)

    def field(*, default_factory, repr=True):
        """As `dataclasses.field`."""
        return _Field(default_factory, repr)

    def replace(o, /, **changes):
        """As `dataclasses.replace`."""
        names = o.__match_args__
        values = [changes.pop(name) if name in changes else getattr(o, name) for name in names]
        return type(o)(*values, **changes)  # what is left is no field: an error


def _made(cls: type[Any], methods: dict[str, Any]) -> type[Any]:
    """The class anew, for slots cannot come later; what it has of ``methods`` itself stays."""
    namespace = dict(cls.__dict__)
    names: dict[str, None] = {}
    defaults: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        names.update(dict.fromkeys(base.__dict__.get("__match_args__", ())))
        defaults.update(base.__dict__.get("_defaults", {}))
    own = [name for name in namespace.get("__annotations__", {}) if name not in names]
    names.update(dict.fromkeys(own))
    defaults.update({name: namespace.pop(name) for name in own if name in namespace})
    fields = tuple(names)
    for name, method in (methods | {"__repr__": _text}).items():
        namespace.setdefault(name, method)
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace.update(
        __slots__=tuple(own),
        __match_args__=fields,
        __qualname__=cls.__qualname__,
        _defaults=defaults,
        _of=staticmethod(_values_of(fields)),
    )
    return type(cls.__name__, cls.__bases__, namespace)


def _values_of(fields: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(fields) > 1:
        return attrgetter(*fields)
    return lambda o: tuple([getattr(o, name) for name in fields])


def _first_init(self: Any, /, *args: Any, **named: Any) -> None:
    """Write the class the ``__init__`` that it has from here on, and run that."""
    classes: list[Any] = [c for c in type(self).__mro__ if vars(c).get("__init__") is _first_init]
    classes[0].__init__ = _init_for(classes[0])
    classes[0].__init__(self, *args, **named)


def _init_for(cls: Any) -> Callable[..., None]:
    parameters, lines = ["self"], []
    for name in cls.__match_args__:
        made = isinstance(cls._defaults.get(name), _Field)
        default = "_fresh" if made else f"_defaults[{name!r}]"
        parameters.append(f"{name}={default}" if name in cls._defaults else name)
        value = f"_defaults[{name!r}].default_factory() if {name} is _fresh else {name}"
        lines.append(f"    self.{name} = {value if made else name}")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or ["    return"])
    space: dict[str, Any] = {"_defaults": cls._defaults, "_fresh": object()}
    exec(text, space)
    made_init: Callable[..., None] = space["__init__"]
    return made_init


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or self._of(self) == self._of(other)


def _hash(self: Any) -> int:
    return hash(self._of(self))


def _text(self: Any) -> str:
    defaults = self._defaults
    shown = [
        f"{name}={getattr(self, name)!r}"
        for name in self.__match_args__
        if not (isinstance(defaults.get(name), _Field) and not defaults[name].repr)
    ]
    return f"{type(self).__qualname__}({', '.join(shown)})"
