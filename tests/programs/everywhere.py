"""A small program in every way of asking for its gradient."""

import math

import astad
from astad import gradient, pullback
from astad.runtime.core.variants import forget_all
from astad.tangents.zero import seed_of
from tests.compiler.forms import only_generic

STEP = 1e-5


def right_everywhere(program, *args, expected=None):
    """The value is that of a plain run, and the gradients are ``expected``, or differences of
    plain runs: by `gradient` (the first call and the second) and `pullback`, in the forms for the
    kinds that come and in the one for any.
    """
    plain = program(*args)
    expected = differences(program, args) if expected is None else expected
    forget_all()
    asked(program, args, plain, expected)
    with only_generic():
        asked(program, args, plain, expected)
    forget_all()
    assert not astad.settings.only_generic
    astad.settings.only_generic = True
    try:
        asked(program, args, plain, expected)
    finally:
        astad.settings.only_generic = False
        forget_all()


def asked(program, args, plain, expected):
    for _ in range(2):
        compare(gradient(program, *args), expected)
    y, back = pullback(program, *args)
    assert type(y) is type(plain)
    assert y == plain or (y != y and plain != plain)
    for _ in range(2):
        compare(back(seed_of(y)), expected)


def compare(found, expected):
    assert len(found) == len(expected)
    for mine, right in zip(found, expected, strict=True):
        if mine is None or right is None:
            assert not mine, found
            assert not right, found
        else:
            assert math.isclose(mine, right, rel_tol=2e-6, abs_tol=2e-6), (found, expected)


def differences(program, args):
    """Central differences of the plain program."""
    found = []
    for at, value in enumerate(args):
        up, down = (program(*args[:at], value + h, *args[at + 1 :]) for h in (STEP, -STEP))
        found.append(float(up - down) / (2 * STEP))
    return tuple(found)
