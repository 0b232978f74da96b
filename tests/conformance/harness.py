"""What every program of the suite has to keep: gradients, state, `back` again, the plain call."""

import copy
import types

from astad import pullback
from astad.testing import check_gradient

PASSED_BY = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


def conforms(program, *args, argnums=None, expect_zero=False, **keywords):
    """Assert all of it for ``program(*args, **keywords)``; the arguments stay as they are.

    Gradients against differences on deep copies, the arguments and the result after both sweeps,
    a second ``back``, linearity and sharing are `check_gradient`'s part. The rest is here: the
    globals of the program's module end as after a plain run, after the forward sweep and after
    the reverse one, and an ordinary call afterwards gives what it gave before.
    """
    space = program.__globals__
    before = globals_of(space)
    plain = program(*copy.deepcopy(args), **copy.deepcopy(keywords))
    plain_globals = globals_of(space)
    restore(space, before)
    y, back = pullback(program, *copy.deepcopy(args), **copy.deepcopy(keywords))
    assert same(y, plain), f"the result is {y!r}, a plain run gives {plain!r}"
    assert same(globals_of(space), plain_globals), "globals after the forward sweep"
    back(y)
    assert same(globals_of(space), plain_globals), "globals after the reverse sweep"
    restore(space, before)
    check_gradient(program, *args, argnums=argnums, expect_zero=expect_zero, kwargs=keywords)
    restore(space, before)
    again = program(*copy.deepcopy(args), **copy.deepcopy(keywords))
    assert same(again, plain), f"an ordinary call afterwards gives {again!r}, before it {plain!r}"
    restore(space, before)


def globals_of(space):
    """Copies of what a module holds in globals: no modules, functions, classes or tests."""
    return {
        name: copy.deepcopy(value)
        for name, value in space.items()
        if not (name.startswith("__") or isinstance(value, PASSED_BY) or name.startswith("test_"))
    }


def restore(space, values):
    for name in globals_of(space).keys() - values.keys():
        del space[name]
    space.update(copy.deepcopy(values))


def same(a, b):
    """Whether two values, of any structure, have the same types and the same numbers."""
    return repr(a) == repr(b) if type(a).__repr__ is not object.__repr__ else alike(a, b)


def alike(a, b):
    """The same for objects without a text of their own."""
    return type(a) is type(b) and same(vars(a), vars(b)) if hasattr(a, "__dict__") else True
