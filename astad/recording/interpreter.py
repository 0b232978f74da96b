"""Runs the Wengert list of a function, statement by statement, on Python's own values.

Whatever a statement does is asked of `operations.py`, `attributes.py` and `calls.py`, which know
what may be done again and what has to be written down.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from types import CellType, FunctionType
from typing import Any

from astad.code_objects import ASYNCHRONOUS, GENERATOR, MORE, REST, STARRED
from astad.recording import (
    attributes,
    calls,
    data_classes,
    equivalents,
    numpy_in_python,
    operations,
)
from astad.recording.outside import Asked, Outside
from astad.recording.recording import Recording, Unrecordable, is_array
from astad.recording.run import Run
from astad.recording.writes import Writes
from astad.runtime.core.variants import bound_arguments

__all__ = ["Interpreter"]

DEEPEST = 60
"""Calls inside calls: each takes some ten frames of Python's."""

Lower = Callable[[FunctionType], Any]
Signal = tuple[str, Any] | None
"""How a block ends: None at its end, else what leaves it and with which value."""


class Interpreter(Run):
    """One run; ``lower`` gives the program of a function; the rest is for `Outside` and `Writes`:
    ``counts`` are the places of whole numbers that are written back changed, None: all are what
    they are now.
    """

    def __init__(
        self,
        recording: Recording,
        lower: Lower,
        inner: Callable[..., Any],
        *,
        by_leaves: bool = False,
        wholes: bool = False,
        labels: bool = False,
        counts: Collection[Asked] | None = None,
    ) -> None:
        self.recording = recording
        self.outside = Outside(recording, by_leaves=by_leaves, wholes=wholes, labels=labels)
        self.outside.counts.update(counts or ())
        self.writes = Writes(self.outside, counts=counts is not None)
        self.lower = lower
        self.inner = inner
        self.steps = 0
        self.depth = 0
        self.catching = 0
        self.captured: set[int] = set()
        self.generators: list[Any] = []
        self.cache: dict[tuple[Any, ...], Any] = {}
        self.caught: list[BaseException] = []
        self.own: set[int] = {*map(id, _OWN)}
        self.is_ours = False
        self.is_nested = False

    # --- functions

    def start(self, fn: FunctionType, args: Sequence[Any], captured: Sequence[Any]) -> Any:
        """The call of the function itself, whose code the variant is for; ``captured`` is what its
        cells hold.
        """
        program = self.lower(fn)
        names: dict[str, Any] = {}
        for param, value in zip(program.params, self._in_parameters(fn, args), strict=True):
            names[param.name] = value
        for (_, cell), value in zip(program.free, captured, strict=True):
            names[cell] = self.recording.fresh(CellType(value))
            self.captured.add(id(names[cell]))
        return self._finish(_Frame(self, program, fn, names).steps())

    def end(self, y: Any = None) -> None:
        """Nothing more is run, and this was given."""
        if any(each.gi_frame is not None and each.gi_running is False for each in self.generators):
            self.recording.refuse("a generator is left before its end")
        self.writes.settle(y)
        self.outside.expect_apart()

    def _in_parameters(self, fn: FunctionType, args: Sequence[Any]) -> list[Any]:
        """The same with those for ``*rest`` in a tuple, and an empty dict for ``**more``."""
        code = fn.__code__
        if not code.co_flags & STARRED:
            return [*args]
        found: list[Any] = [*args[: code.co_argcount]]
        if code.co_flags & REST:
            found.append(self.recording.fresh((*args[code.co_argcount :],)))
        if code.co_flags & MORE:
            found.append(self.recording.fresh({}))
        return found

    def function(self, fn: FunctionType, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """A call of a function of Python's."""
        code = fn.__code__
        if code.co_flags & ASYNCHRONOUS:
            self.recording.refuse("asynchronous code")
        if str(fn.__module__).startswith("astad.") and not self.is_own(fn):
            if not fn.__module__.startswith(equivalents.HELPERS):
                self.recording.refuse(f"{fn.__qualname__} of astad")
            self.own.add(id(fn.__globals__))
        self._expect_code(fn)
        if data_classes.is_followed(fn):
            return data_classes.run_method(self, fn, args, keywords)
        program = self.lower(fn)
        flat = bound_arguments(fn, args, keywords)
        names: dict[str, Any] = {}
        for param, value in zip(program.params, flat, strict=True):
            names[param.name] = value
            if param.kind in ("args", "kwargs"):
                self.recording.fresh(value)
        for (_, cell), captured in zip(program.free, fn.__closure__ or (), strict=True):
            names[cell] = captured
        frame = _Frame(self, program, fn, names)
        for path in program.assumed:
            frame.path(path)
        steps = frame.steps()
        if code.co_flags & GENERATOR:
            if program.ends_by_itself:
                self.expect_finished(steps)
            return self.recording.fresh(steps)
        return self._finish(steps)

    def expect_finished(self, steps: Generator[Any, Any, Any]) -> None:
        """Something would run where it is closed before its end."""
        self.generators.append(steps)

    def expect_nothing_left(self, steps: Any) -> None:
        """Of a generator that is closed: nothing runs then."""
        if any(each is steps and each.gi_frame is not None for each in self.generators):
            self.recording.refuse("a generator is closed before its end")

    def _finish(self, steps: Generator[Any, Any, Any]) -> Any:
        if self.depth >= DEEPEST:
            self.recording.refuse(f"calls are nested more than {DEEPEST} deep")
        self.depth += 1
        place = self.recording.place
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        except _Ended as ended:
            raise ended.error from None
        finally:
            self.depth -= 1
            self.recording.place = place
        raise AssertionError("only a generator yields")

    def _expect_code(self, fn: FunctionType) -> None:
        """That a function from outside is what it was."""
        if not self.outside.is_outside(fn) or self.is_own(fn):
            return
        name = self.outside.place(fn).head
        constant = self.recording.constant
        self.recording.require(f"{name}.__code__ is {constant(fn.__code__)}")
        if fn.__defaults__:
            self.recording.require(f"{name}.__defaults__ is {constant(fn.__defaults__)}")
        for k, value in enumerate(fn.__defaults__ or ()):
            if is_array(value):  # others are looked up where they are used
                self.outside.read(fn, "default", k, value, f"{{}}.__defaults__[{k}]")
        if fn.__kwdefaults__:
            defaults = self.outside.read(
                fn, "attribute", "__kwdefaults__", fn.__kwdefaults__, "{}.__kwdefaults__"
            )
            for key in fn.__kwdefaults__:
                value = fn.__kwdefaults__[key]
                self.recording.require(
                    f"{self.outside.place(defaults).head}[{key!r}] is {constant(value)}"
                )
                if is_array(value):
                    self.outside.item(defaults, key)

    def is_own(self, fn: FunctionType) -> bool:
        """Is it written by astad, for runs like this?"""
        return id(fn.__globals__) in self.own

    def tick(self) -> None:
        self.steps += 1
        if self.steps > self.recording.bounds.steps:
            self.recording.stop("steps")

    # --- what the operations ask each other for

    def call(self, fn: Any, /, *args: Any, **keywords: Any) -> Any:
        return calls.call(self, fn, args, keywords)

    def method(self, o: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        return calls.method(self, o, name, args, keywords)

    def truth(self, v: Any) -> bool:
        return operations.truth(self, v)

    def iterate(self, v: Any) -> Iterator[Any]:
        return operations.iterate(self, v)

    def attribute(self, o: Any, name: str) -> Any:
        return attributes.attribute(self, o, name)


def _is_written_after(block: Sequence[Any], at: int) -> bool:
    """Is what a statement gives written into an array by the next one, as that of ``a[k] += v``?"""
    after: Any = block[at + 1] if at + 1 < len(block) else None
    is_write = type(after).__name__ == "Call" and getattr(after.fn, "name", None) == "setitem"
    return is_write and after.args[2] == getattr(block[at], "target", None)


class _Ended(Exception):
    """A StopIteration on its way through blocks, which are generators: Python lets none through."""

    def __init__(self, error: StopIteration) -> None:
        self.error = error


def _raised(error: BaseException) -> BaseException:
    return _Ended(error) if isinstance(error, StopIteration) else error


class _Frame:
    """A function that runs: its program and the values of its names."""

    def __init__(
        self, run: Interpreter, program: Any, fn: FunctionType, names: dict[str, Any]
    ) -> None:
        self.run = run
        self.program = program
        self.fn = fn
        self.names = names
        self.file = program.file.rpartition("/")[2]

    def steps(self) -> Generator[Any, Any, Any]:
        try:
            end: Signal = yield from self.block(self.program.body)
        except _Ended as ended:
            if self.fn.__code__.co_flags & GENERATOR:
                raise RuntimeError("generator raised StopIteration") from ended.error
            raise
        return end[1] if end is not None else None

    def value(self, operand: Any) -> Any:
        if type(operand) is str:
            try:
                return self.names[operand]
            except KeyError:
                self.run.recording.refuse(f"{operand} may be unbound")
        if (kind := type(operand).__name__) == "Const":
            return operand.value
        assert kind == "Ref", operand
        return _referred(operand.module, operand.name)

    def block(self, block: Sequence[Any]) -> Generator[Any, Any, Signal]:
        is_own = id(self.fn.__globals__) in self.run.own
        for at, node in enumerate(block):
            self.run.tick()
            self.run.is_ours = is_own and _is_written_after(block, at)
            if not is_own:
                self.run.recording.place = f"{self.file}:{node.line}"
            end: Signal = yield from _NODES[type(node).__name__](self, node)
            if end is not None:
                return end
        return None

    # --- nodes

    def bind(self, node: Any) -> Generator[Any, Any, Signal]:
        self.names[node.target] = self.value(node.source)
        return None
        yield

    def call(self, node: Any) -> Generator[Any, Any, Signal]:
        args: list[Any] = []
        for arg in node.args:
            if type(arg).__name__ == "Star":
                args += self.run.iterate(self.value(arg.operand))
            else:
                args.append(self.value(arg))
        keywords: dict[str, Any] = {}
        for name, operand in node.keywords:
            if name is None:
                keywords |= operations.as_dict(self.run, self.value(operand))
            else:
                keywords[name] = self.value(operand)
        if type(node.fn).__name__ != "Prim":
            y = self.called(self.value(node.fn), args, keywords)
        elif node.fn.name == "yield":
            place, depth = self.run.recording.place, self.run.depth
            y = yield args[0]
            self.run.recording.place, self.run.depth = place, depth
        elif node.fn.name == "forget":
            self.names.pop(node.args[0], None)
            return None
        else:
            y = self.prim(node.fn.name, args, keywords)
        if node.target is not None:
            self.names[node.target] = y
        return None

    def called(self, fn: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        try:
            return calls.call(self.run, fn, args, keywords)
        except StopIteration as error:
            raise _Ended(error) from None

    def prim(self, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        special = _OF_FRAME.get(name)
        if special is not None:
            return special(self, *args, **keywords)
        try:
            return operations.operate(self.run, name, args, keywords)
        except StopIteration as error:
            raise _Ended(error) from None

    def branch(self, node: Any) -> Generator[Any, Any, Signal]:
        taken = self.run.truth(self.value(node.test))
        return (yield from self.block(node.body if taken else node.orelse))

    def loop(self, node: Any) -> Generator[Any, Any, Signal]:
        for value in self.run.iterate(self.value(node.iterable)):
            self.names[node.target] = value
            end = yield from self.block(node.body)
            if end is not None and end[0] == "break":
                return None
            if end is not None and end[0] != "continue":
                return end
        return (yield from self.block(node.orelse))

    def while_(self, node: Any) -> Generator[Any, Any, Signal]:
        while True:
            end = yield from self.block(node.head)
            if end is not None:
                return end
            if not self.run.truth(self.value(node.test)):
                return (yield from self.block(node.orelse))
            end = yield from self.block(node.body)
            if end is not None and end[0] == "break":
                return None
            if end is not None and end[0] != "continue":
                return end

    def try_(self, node: Any) -> Generator[Any, Any, Signal]:
        end: Signal = None
        try:
            try:
                end = yield from self.block(node.body)
            except (Unrecordable, GeneratorExit):
                raise
            except BaseException as raised:
                if node.caught is None:
                    raise
                error = raised.error if isinstance(raised, _Ended) else raised
                if isinstance(error, FloatingPointError) and self.run.recording.strict:
                    self.run.recording.refuse("what NumPy warns of is an error")
                self.names[node.caught] = self.run.recording.fresh(error)
                self.run.caught.append(error)
                try:
                    end = yield from self.block(node.handler)
                finally:
                    self.run.caught.pop()
            else:
                if end is None:
                    end = yield from self.block(node.orelse)
        except (Unrecordable, GeneratorExit):
            raise
        except BaseException:
            last = yield from self.block(node.final)
            if last is not None:
                return last
            raise
        last = yield from self.block(node.final)
        return last if last is not None else end

    def exit(self, node: Any) -> Generator[Any, Any, Signal]:
        return node.how, None if node.value is None else self.value(node.value)
        yield

    def raise_(self, node: Any) -> Generator[Any, Any, Signal]:
        if node.exc is None:
            raise _raised(self.run.caught[-1])
        error = self.value(node.exc)
        if isinstance(error, type):
            error = self.run.call(error)
        if node.cause is None:
            raise _raised(error)
        raise _raised(error) from self.value(node.cause)
        yield

    # --- operations that need the function itself

    def path(self, path: str) -> Any:
        """What a name with dots stands for."""
        first, *rest = path.split(".")
        found = self.global_(first)
        for name in rest:
            found = self.run.attribute(found, name)
        return found

    def global_(self, name: str) -> Any:
        space, outside = self.fn.__globals__, self.run.outside
        if id(space) in self.run.own:
            return space.get(name, getattr(builtins, name, None))
        if self.run.writes.holds(space, "global", name):
            return self.run.writes.at(space, "global", name)
        if name in space:
            return outside.read(space, "global", name, space[name], f"{{}}[{name!r}]")
        home = space.get("__builtins__")
        found = home if isinstance(home, dict) else vars(home)
        self.run.recording.require(f"{name!r} not in {outside.place(space).head}")
        if name not in found:
            self.run.recording.require(f"{name!r} not in {outside.place(found).head}")
            raise NameError(f"name {name!r} is not defined", name=name)
        return outside.read(found, "global", name, found[name], f"{{}}[{name!r}]")

    def captured(self, cell: CellType, name: str) -> Any:
        try:
            value = cell.cell_contents
        except ValueError:
            raise NameError(f"cannot access free variable {name!r}", name=name) from None
        if self.run.outside.is_outside(cell):
            if self.run.writes.holds(cell, "cell", ""):
                return self.run.writes.at(cell, "cell", "")
            return self.run.outside.read(cell, "cell", "", value, "{}.cell_contents")
        return value

    def set_cell(self, cell: CellType, value: Any) -> None:
        if id(cell) in self.run.captured:
            self.run.recording.refuse("a captured variable is written to")
        if self.run.outside.is_outside(cell):
            self.run.writes.put(cell, "cell", "", value, "{}.cell_contents = {}")
        else:
            cell.cell_contents = value

    def namespace(self) -> Any:
        return self.fn.__globals__

    def import_(self, module: str, fromlist: Any, level: int) -> Any:
        """A module that has been imported already."""
        run, name = self.run, module
        if level:
            package = self.global_("__package__") if "__package__" in self.namespace() else None
            if type(package) is not str or level > package.count(".") + 1:
                run.recording.refuse("an import")
            around = package.rsplit(".", level - 1)[0]
            name = f"{around}.{module}" if module else around
        if name not in sys.modules:
            run.recording.refuse("an import")
        for each in {name, name.partition(".")[0]}:
            found = sys.modules[each]
            run.outside.read(sys.modules, "item", each, found, f"{{}}[{each!r}]")
        return __import__(name, None, None, fromlist or ("__name__",) if level else fromlist or ())

    def write_global(self, space: Any, name: str, value: Any) -> None:
        self.run.writes.put(space, "global", name, value, f"{{}}[{name!r}] = {{}}")

    def made_function(self, what: Any, *cells: Any, **keywords: Any) -> Any:
        maker = self.run.inner(self.fn, what)
        return self.run.recording.fresh(maker(*cells, **keywords))


def _referred(module: str, name: str) -> Any:
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    return found


_OWN = vars(equivalents), vars(numpy_in_python)

_NODES: dict[str, Callable[[_Frame, Any], Generator[Any, Any, Signal]]] = {
    "Bind": _Frame.bind, "Call": _Frame.call, "Branch": _Frame.branch, "Loop": _Frame.loop,
    "While": _Frame.while_, "Try": _Frame.try_, "Exit": _Frame.exit, "Raise": _Frame.raise_,
}  # fmt: skip

_OF_FRAME: dict[str, Callable[..., Any]] = {
    "global": _Frame.global_, "cell_get": _Frame.captured, "cell_get_local": _Frame.captured,
    "cell_set": _Frame.set_cell, "function": _Frame.made_function,
    "import": _Frame.import_, "namespace": _Frame.namespace, "write_global": _Frame.write_global,
    "read_global": lambda frame, space, name: frame.global_(name),
}  # fmt: skip
