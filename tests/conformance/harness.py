"""What every program of the suite has to keep: gradients, state, `back` again, the plain call.

`conforms` is for programs that return, `raises` for those that end with an exception, `refused`
for those that astad refuses.
"""

import contextlib
import functools
import io
import random
import sys
import traceback
import types
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from astad import gradient, pullback, value_and_grad
from astad.errors import Unsupported
from astad.testing import check_gradient
from astad.testing.check import compare
from astad.testing.copies import copy_of
from tests.conformance.graphs import graph

INLINED = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")
"""Frames of comprehensions: Python itself has them or not, as the version goes."""
PASSED_BY = (types.ModuleType, types.BuiltinFunctionType)


def conforms(program, *args, argnums=None, expect_zero=False, **keywords):
    """Assert all of it for ``program(*args, **keywords)``; the arguments stay as they are.

    Gradients against differences on deep copies, a second ``back``, linearity and memory that is
    not shared are `check_gradient`'s part. The rest is here. After the forward sweep the result,
    the arguments, the globals, defaults and class attributes of the program's module, what was
    printed and the warnings are those of a plain run, and so is which objects among them are one
    and the same; nothing of it changes in the reverse sweep; an ordinary call afterwards gives
    what it gave before.
    """
    space = Space(program.__globals__)
    plain = observed(space, program, args, keywords)
    if plain.error is not None:
        raise plain.error
    touched = space.restore()
    ours = observed(space, functools.partial(pullback, program), args, keywords)
    if ours.error is not None:
        raise ours.error
    y, back = ours.value
    alike(plain, ours, plain.value, y)
    said = io.StringIO()
    before = graph(y, ours.given, space.values())
    with contextlib.redirect_stdout(said), warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        bars = back(y)
    assert said.getvalue() == "", "the reverse sweep prints"
    assert graph(y, ours.given, space.values()) == before, "the reverse sweep changes something"
    assert isinstance(bars, tuple)
    assert len(bars) == len(args)
    space.restore()
    check = checked_anew if touched else check_gradient
    with contextlib.redirect_stdout(said):
        check(program, *args, argnums=argnums, expect_zero=expect_zero, kwargs=keywords)
    space.restore()
    again = observed(space, program, args, keywords)
    space.restore()
    assert again.error is None
    alike(plain, again, plain.value, again.value)


def raises(program, *args, **keywords):
    """Assert that an exception reaches the user as in a plain run: its type, arguments, message,
    notes, causes, and the user's functions and lines in its traceback; the state it leaves too.
    The exception is returned.
    """
    space = Space(program.__globals__)
    plain = observed(space, program, args, keywords)
    assert plain.error is not None, "a plain run raises nothing"
    if any(isinstance(arg, float) for arg in args):
        ways = pullback, gradient, value_and_grad(program, 0)
    else:
        ways = pullback, gradient
    for way in ways:
        space.restore()
        run = functools.partial(way, program) if way in (pullback, gradient) else way
        ours = observed(space, run, args, keywords)
        assert ours.error is not None, f"nothing is raised, but a plain run raises {plain.error!r}"
        if isinstance(ours.error, Unsupported):
            raise ours.error
        alike(plain, ours, plain.error, ours.error)
        file = program.__code__.co_filename
        assert told(ours.error, file) == told(plain.error, file)
    space.restore()
    return plain.error


def refused(program, *args, what):
    """Assert that ``program`` is refused by an error of four parts."""
    with pytest.raises(Unsupported) as caught:
        gradient(program, *args)
    said = caught.value
    assert all(len(str(part)) > 3 for part in (said.what, said.why, said.instead)), said
    assert what in said.what, said
    assert str(said).count(": ") >= 3


def checked_anew(program, *args, argnums, expect_zero, kwargs):
    """`check_gradient` of a program that leaves something in its module, put back before each run.

    What stands between is not differentiated: it calls what is asked of it.
    """
    space = Space(program.__globals__)
    claimed = functools.partial(anew, space, functools.partial(pullback, program))
    plain = functools.partial(anew, space, program)
    result = compare(
        claimed, plain, args, argnums=argnums, expect_zero=expect_zero,
        kwargs=kwargs,
    )  # fmt: skip
    space.restore()
    result.verify()


def anew(space, run, *args, **keywords):
    space.restore()
    return run(*args, **keywords)


def alike(plain, ours, value, mine):
    """Two runs, and what came out of them, are the same, objects that are one included."""
    assert graph(loose=(mine,)) == graph(loose=(value,)), f"{mine!r} in the place of {value!r}"
    assert graph(ours.given) == graph(plain.given), f"arguments {ours.given!r}, not {plain.given!r}"
    assert graph(ours.left) == graph(plain.left), "the globals are not those of a plain run"
    assert ours.printed == plain.printed
    assert ours.warned == plain.warned
    mine, value = (
        graph(each.given, each.left, loose=(result,))
        for each, result in ((ours, mine), (plain, value))
    )
    assert mine == value, "other objects are one and the same than in a plain run"


@dataclass
class Observed:
    """A run on copies of the arguments."""

    value: object
    error: BaseException | None
    given: object
    left: object
    printed: str
    warned: list


def observed(space, run, args, keywords):
    args, keywords = copy_of((list(args), dict(keywords)))
    value = error = None
    states = random.getstate(), np.random.get_state()
    with (
        contextlib.redirect_stdout(io.StringIO()) as said,
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        try:
            value = run(*args, **keywords)
        except BaseException as caught:
            error = caught
    random.setstate(states[0])
    np.random.set_state(states[1])
    shown = [(w.category, str(w.message)) for w in warned]
    return Observed(value, error, (args, keywords), space.copies(), said.getvalue(), shown)


def told(error, file, seen=()):
    """What a user sees of an exception: itself, his own lines, and what is said to have led to it.

    Objects in messages have other addresses in each run.
    """
    if error is None or error in seen:
        return None
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file and frame.name not in INLINED]
    lines = [(frame.name, frame.lineno) for frame in own]
    notes = list(getattr(error, "__notes__", ()))
    seen = (*seen, error)
    inner = getattr(error, "exceptions", ())
    led = [told(each, file, seen) for each in (error.__cause__, error.__context__, *inner)]
    return type(error), str(error), lines, notes, error.__suppress_context__, led


class Space:
    """What a module holds that a program may leave changed: globals, defaults of functions,
    attributes of classes.
    """

    def __init__(self, names):
        self.names = names
        self.before = self.copies()
        self.known = graph(self.before)

    def values(self):
        """Without modules and tests; of functions and classes what can be written."""
        found = {}
        for name, value in list(self.names.items()):
            if name.startswith(("__", "test_", "@")) or isinstance(value, PASSED_BY):
                continue
            if getattr(value, "__module__", None) not in (None, self.names["__name__"]):
                continue
            if isinstance(value, types.FunctionType):
                found[name, "()"] = [value.__defaults__, value.__kwdefaults__, vars(value)]
            elif isinstance(value, type):
                found[name, "."] = {
                    key: part for key, part in vars(value).items() if is_data(key, part)
                }
            else:
                found[name, ""] = value
        return found

    def copies(self):
        return copy_of(self.values())

    def restore(self):
        """Put all back as it was; whether there was a change."""
        now = self.values()
        if graph(now) == self.known:
            return False
        before = copy_of(self.before)
        for name, what in now.keys() - before.keys():
            assert what == ""
            del self.names[name]
        for (name, what), value in before.items():
            self.put(name, what, value)
        return True

    def put(self, name, what, value):
        if what == "":
            self.names[name] = value
        elif what == "()":
            fn = self.names[name]
            if graph(fn.__defaults__, fn.__kwdefaults__) != graph(*value[:2]):
                fn.__defaults__, fn.__kwdefaults__ = value[:2]
            fn.__dict__.update(value[2])
        else:
            cls = self.names[name]
            for key in [key for key, part in vars(cls).items() if is_data(key, part)]:
                if key not in value:
                    delattr(cls, key)
            for key, part in value.items():
                if graph(vars(cls)[key]) != graph(part):
                    setattr(cls, key, part)


def is_data(name, value):
    """Whether an attribute of a class is a value that programs write, and not its machinery."""
    plain = int, float, complex, str, list, dict, set, tuple, np.ndarray
    return not name.startswith("__") and isinstance(value, plain)


def only_from(major, minor):
    """A mark for programs whose text older versions of Python cannot read."""
    old = sys.version_info < (major, minor)
    return pytest.mark.skipif(old, reason=f"Python {major}.{minor}")
